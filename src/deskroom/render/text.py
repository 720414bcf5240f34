"""Text that is safe and readable on a terminal, whatever a seat put into it."""

from __future__ import annotations

import json
import unicodedata
from typing import Any, Final

__all__ = ["one_line", "printable", "shortened", "value_text"]

#: Controls, format marks and surrogates could move the cursor or turn the line around.
_UNSAFE: Final = frozenset(("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))


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


def shortened(text: str, most: int) -> str:
    """Return ``text`` cut to ``most`` characters, with a mark where it was cut."""
    return text if len(text) <= most else f"{text[:most]}…"


def value_text(value: Any) -> str:  # noqa: ANN401 - a value of the file format
    """Return a value as the file writes it, on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {value_text(v)}" for key, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(value_text(item) for item in value) + "]"
    if value is None:
        return "nothing"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)
