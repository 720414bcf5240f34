"""The text primitives that every rule is written in (semantics, section 1).

Python's own ``strip``, ``isspace`` and ``isalnum`` draw their lines elsewhere, so none of them is
used on text that a seat or a person wrote.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

import regex

__all__ = [
    "ASCII_WHITE_SPACE",
    "WHITE_SPACE",
    "as_ids",
    "ascii_lower",
    "byte_length",
    "is_alphanumeric",
    "is_blank",
    "slug",
    "trim",
    "trim_start",
]

#: Unicode ``White_Space``. Unlike ``str.isspace`` it leaves out U+001C to U+001F.
WHITE_SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
#: What may stand before an ``@``. Line tabulation (U+000B) is not in it.
ASCII_WHITE_SPACE: Final = "\t\n\f\r "

_ALPHANUMERIC: Final = regex.compile(r"[\p{Alphabetic}\p{N}]")
_NOT_ASCII_ALPHANUMERIC: Final = re.compile(r"[^0-9A-Za-z]+")


def trim(text: str) -> str:
    """Return ``text`` without white space at its ends."""
    return text.strip(WHITE_SPACE)


def trim_start(text: str) -> str:
    """Return ``text`` without white space at its start."""
    return text.lstrip(WHITE_SPACE)


def is_blank(text: str) -> bool:
    """Whether ``text`` is empty or white space only."""
    return not text.strip(WHITE_SPACE)


def is_alphanumeric(character: str) -> bool:
    """Whether one character is Unicode ``Alphabetic`` or a number (Nd, Nl, No)."""
    if character.isascii():
        return character.isalnum()
    return _ALPHANUMERIC.match(character) is not None


def ascii_lower(text: str) -> str:
    """Lower-case A to Z and leave every other character alone."""
    return text if text.islower() else "".join(c.lower() if c.isascii() else c for c in text)


def byte_length(text: str) -> int:
    """Return the length of ``text`` in UTF-8 bytes (a lone surrogate counts three)."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def as_ids(ids: Iterable[str]) -> tuple[str, ...]:
    """Return ids as a tuple. One string is not taken for a list of its letters: TypeError."""
    if isinstance(ids, str):
        raise TypeError(f"a list of ids was expected, not the string {ids!r}")
    return tuple(ids)


def slug(label: str) -> str:
    """Return the address made from a label: ASCII words joined by ``_``; may be empty."""
    return _NOT_ASCII_ALPHANUMERIC.sub("_", label).strip("_").lower()
