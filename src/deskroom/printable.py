"""Text for people: safe on a terminal, whatever somebody put into it; and numbers of things."""

from __future__ import annotations

import unicodedata
from typing import Final

__all__ = ["control_in", "counted", "one_line", "printable"]

#: Controls, format marks and surrogates could move the cursor or turn the line around.
_UNSAFE: Final = frozenset(("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))
#: Format marks that turn the line around; others, such as a joiner, may belong to a name.
_TURNING: Final = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)


def printable(text: str) -> str:
    """Return ``text`` with everything a terminal would act on written as an escape."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_printable(character) for character in text)


def _printable(character: str) -> str:
    if character == "\n" or unicodedata.category(character) not in _UNSAFE:
        return character
    if character == "\t":
        return "    "
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def one_line(text: str) -> str:
    """Return ``text`` as ``printable`` does, with its line ends written as escapes too."""
    return printable(text).replace("\n", "\\n")


def counted(count: int, noun: str) -> str:
    """Return a number of things in words: ``1 turn``, ``2 turns``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def control_in(name: str) -> str | None:
    """Return the first character that no id may hold, for it acts on a terminal, or None."""
    if name.isascii() and name.isprintable():
        return None
    return next((c for c in name if _is_control(c)), None)


def _is_control(character: str) -> bool:
    return character in _TURNING or unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}
