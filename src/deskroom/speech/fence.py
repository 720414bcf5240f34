"""The fence: how a seat without tools marks what it says (semantics, section 7)."""

from __future__ import annotations

from typing import Final

from deskroom.core.text import trim

__all__ = ["extract_post"]

_OPEN: Final = "<<<POST"
_CLOSE: Final = "POST>>>"
_SYMMETRIC_TAIL: Final = ">>>"


def extract_post(text: str) -> str:
    """Return the message in a seat's text, trimmed; the whole text when there is no fence.

    The last opener counts. A seat that closes with a second opener (``<<<POST>>>`` at both ends)
    is read as it was meant: what stands between the two last openers.
    """
    last = text.rfind(_OPEN)
    if last < 0:
        return trim(text)
    inside = text[last + len(_OPEN) :]
    close = inside.find(_CLOSE)
    if close >= 0:
        return trim(inside[:close])
    earlier = text.rfind(_OPEN, 0, last)
    if earlier >= 0:
        inside = text[earlier + len(_OPEN) : last]
    return trim(inside.removeprefix(_SYMMETRIC_TAIL))
