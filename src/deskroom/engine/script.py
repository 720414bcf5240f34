"""A script: who speaks in which order, as the host sees it. What is said, only the seats know.

A cue is one listed turn. In listed order the cues decide who is granted; in routed order a seat
that is granted a turn plays its next cue, and a person's cue is spoken once everything listed
before it has been played.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal

from attrs import define, field, frozen

__all__ = ["Cue", "Script", "ScriptPosition", "order_of"]


@frozen
class Cue:
    """One listed turn: of a seat, or a person's words. ``scores`` are for the scripted router."""

    seat: str | None = None
    person: str | None = None
    message: str = field(default="", repr=False)
    scores: Mapping[str, float] = field(factory=dict)


@frozen
class Script:
    """The cues of a run, and whether their order decides who is granted.

    ``unscripted`` are seats that play without it, in routed order: a turn of theirs uses no cue, and
    none left does not close the room.
    """

    cues: Sequence[Cue]
    listed: bool
    #: The most calls that one turn sends after its end; the host's channel has room for them.
    most_late: int = 0
    unscripted: tuple[str, ...] = ()

    @cached_property
    def of_seats(self) -> Mapping[str, Sequence[int]]:
        """The cues of each seat, the last one first. They are looked through once for all rooms."""
        found: dict[str, list[int]] = {}
        for at in range(len(self.cues) - 1, -1, -1):
            seat = self.cues[at].seat
            if seat is not None:
                found.setdefault(seat, []).append(at)
        return found


def order_of(script: Script | None) -> Literal["listed", "routed"] | None:
    """Return the order of a script, or None where there is none."""
    if script is None:
        return None
    return "listed" if script.listed else "routed"


@define
class ScriptPosition:
    """How far a script has been played. Every question is answered in constant time."""

    script: Script = field(eq=False)
    _played: bytearray = field(init=False)
    _head: int = field(default=0, init=False)
    #: The cues that each seat has left, the next one last.
    _of_seat: dict[str, list[int]] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        self._played = bytearray(len(self.script.cues))
        self._of_seat = {seat: [*cues] for seat, cues in self.script.of_seats.items()}

    @property
    def head(self) -> int | None:
        """The first cue that has not been played, or None at the end."""
        return self._head if self._head < len(self._played) else None

    def due_person(self) -> int | None:
        """Return the person's cue whose time has come, or None."""
        head = self.head
        return head if head is not None and self.script.cues[head].person is not None else None

    def next_of(self, seat: str) -> int | None:
        """Return the next cue of a seat, or None when it has none left."""
        left = self._of_seat.get(seat)
        return left[-1] if left else None

    def lacks_turn(self, seat: str) -> bool:
        """Whether a seat plays by the script and has no turn left in it."""
        return self.next_of(seat) is None and seat not in self.script.unscripted

    def play(self, at: int) -> None:
        """Count a cue as played."""
        self._played[at] = 1
        seat = self.script.cues[at].seat
        if seat is not None and self.next_of(seat) == at:
            self._of_seat[seat].pop()
        while self._head < len(self._played) and self._played[self._head]:
            self._head += 1

    def unplayed(self) -> list[int]:
        """Return every cue that was not played, in order."""
        return [at for at, played in enumerate(self._played) if not played]
