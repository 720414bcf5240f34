"""Text that is safe and readable on a terminal, whatever a seat put into it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from deskroom.printable import one_line, printable

if TYPE_CHECKING:
    from regex import Match

__all__ = ["head", "one_line", "printable", "shortened", "tail", "value_text"]

#: No character with its accents is looked for beyond so many.
_REACH: Final = 64


def shortened(text: str, most: int, keep: int | None = None) -> str:
    """Return ``text`` cut to about ``most`` characters, with a mark wherever it was cut.

    ``keep`` is the place of something that stays, and a bit of what stands around it.
    """
    if len(text) <= most:
        return text
    if keep is None or keep <= most * 3 // 4:
        return f"{head(text, most)}…"
    before, behind = tail(text[:keep], most // 8), text[keep:]
    kept = head(behind, most // 2)
    end = "" if kept == behind else "…"
    return f"{head(text, most // 4)}…{before}{kept}{end}"


def head(text: str, most: int) -> str:
    """Return at most so many characters of the beginning; none is cut off from its accents."""
    if len(text) <= most or text[: most + 1].isascii():
        return text[:most]
    end = 0
    for match in _characters(text[: most + _REACH]):
        if match.end() > most:
            break
        end = match.end()
    return text[:end]


def tail(text: str, most: int) -> str:
    """Return at most so many characters of the end; none is cut off from its accents."""
    first = len(text) - most
    if first <= 0:
        return text
    window = text[max(0, first - _REACH) :]
    if window.isascii():
        return text[first:]
    starts = (match.start() for match in _characters(window))
    wanted = len(window) - most
    return window[next((start for start in starts if start >= wanted), len(window)) :]


def _characters(text: str) -> Iterator[Match[str]]:
    """Yield each character as a reader sees it: with its accents, an emoji with all its parts."""
    import regex  # noqa: PLC0415 - only a text that is not ASCII needs it

    return regex.finditer(r"\X", text)


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
