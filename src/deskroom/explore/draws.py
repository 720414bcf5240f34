"""Where a run's choices come from: a seed and the number of the run, and nothing else.

Each choice is a small whole number, and 0 is always the plainest: the next alternative, no delay, no
crash. So a run can be made plainer by making its choices smaller, one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import shake_128
from typing import Final, Protocol

__all__ = ["Draws", "ListedDraws", "SeededDraws"]

#: So many bytes are made at a time; a choice takes two.
_BLOCK: Final = 512


class Draws(Protocol):
    """Gives a run its choices, one after the other; ``taken`` holds those so far."""

    taken: list[int]

    def below(self, bound: int) -> int:
        """Return a whole number from 0 to below ``bound``, which is at most 65,536."""
        ...

    def begin(self) -> None:
        """Begin choices that belong together, such as those of one turn."""
        ...

    def end(self) -> None:
        """End what was begun last."""
        ...


class SeededDraws:
    """Choices that follow from a seed and the number of a run, the same on any machine.

    ``taken`` holds the choices so far, each with its bound.
    """

    __slots__ = ("_at", "_block", "_bytes", "_name", "taken")

    def __init__(self, seed: int, number: int) -> None:
        self._name = f"{seed} {number}".encode()
        self._block = 0
        self._bytes = b""
        self._at = 0
        self.taken: list[int] = []

    def below(self, bound: int) -> int:
        """Return the next choice."""
        if self._at >= len(self._bytes):
            self._bytes = shake_128(b"%s %d" % (self._name, self._block)).digest(_BLOCK)
            self._block += 1
            self._at = 0
        at = self._at
        self._at = at + 2
        # The bytes make every choice about as likely; which ones are not needed to the last digit.
        value = (self._bytes[at] << 8 | self._bytes[at + 1]) * bound >> 16
        self.taken.append(value)
        return value

    def begin(self) -> None:
        """Begin choices that belong together."""

    def end(self) -> None:
        """End them."""


class ListedDraws:
    """Choices that were made before. One that is too large is cut down, and none left is 0."""

    __slots__ = ("_at", "_listed", "taken")

    def __init__(self, listed: Sequence[int]) -> None:
        self._listed = listed
        self._at = 0
        self.taken: list[int] = []

    def below(self, bound: int) -> int:
        """Return the next choice."""
        at = self._at
        self._at = at + 1
        value = min(self._listed[at], bound - 1) if at < len(self._listed) else 0
        self.taken.append(value)
        return value

    def begin(self) -> None:
        """Begin choices that belong together."""

    def end(self) -> None:
        """End them."""
