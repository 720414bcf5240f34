"""What is kept of what a seat hands over, so that no seat can fill a journal.

A message that is accepted is bounded by the policy. What is refused, and what is no message, is
kept whole up to a bound that nobody reaches who means it, and of more only a beginning is kept.
"""

from __future__ import annotations

import json
import re
from hashlib import blake2b
from typing import Any, Final

from attrs import evolve

from deskroom.engine.arguments import plain
from deskroom.engine.entries import Raised

__all__ = [
    "KEPT_BYTES",
    "KEPT_CHARACTERS",
    "MOST_LATE",
    "is_cut",
    "is_cut_text",
    "kept",
    "kept_error",
    "kept_text",
]

#: The tool and the arguments of a refused call are kept whole up to this many bytes of JSON each.
KEPT_BYTES: Final = 65_536
#: What a seat says outside its calls, or raises, is kept up to this many characters.
KEPT_CHARACTERS: Final = 262_144
#: So many late calls of one turn are kept; it is answered the same after that.
MOST_LATE: Final = 1_000
_BEGINNING: Final = 200
_MOST_OF_A_TYPE: Final = 200
_MARK: Final = re.compile(r"\n\[cut: (\d{1,18}) characters\]")


def kept(value: object) -> Any:  # noqa: ANN401 - JSON values
    """Return what is kept of a refused call's tool or arguments.

    Of more than ``KEPT_BYTES`` that is ``{"cut": <its beginning>, "bytes": ..., "digest": ...}``, of
    its JSON without spaces.
    """
    value = plain(value)
    text = json.dumps(value, separators=(",", ":"))
    if len(text) <= KEPT_BYTES:
        return value
    digest = blake2b(text.encode(), digest_size=16).hexdigest()
    return {"cut": text[:_BEGINNING], "bytes": len(text), "digest": digest}


def is_cut(value: object) -> bool:
    """Whether this is what ``kept`` leaves of too much."""
    if not isinstance(value, dict) or value.keys() != {"cut", "bytes", "digest"}:
        return False
    size = value["bytes"]
    return isinstance(size, int) and size > KEPT_BYTES


def kept_text(text: str) -> str:
    """Return what is kept of a text; a mark at its end says that it was cut, and how long it was."""
    if len(text) <= KEPT_CHARACTERS or is_cut_text(text):
        return text
    return f"{text[:KEPT_CHARACTERS]}\n[cut: {len(text)} characters]"


def is_cut_text(text: str) -> bool:
    """Whether this is what ``kept_text`` leaves of too much."""
    if len(text) <= KEPT_CHARACTERS:
        return False
    mark = _MARK.fullmatch(text, KEPT_CHARACTERS)
    return mark is not None and int(mark[1]) > KEPT_CHARACTERS


def kept_error(error: Raised | None) -> Raised | None:
    """Return what is kept of what a seat raised."""
    if error is None:
        return None
    return evolve(error, type=error.type[:_MOST_OF_A_TYPE], text=kept_text(error.text))
