"""What people say in the middle of a listed turn: in which order, and what is still to be said."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from deskroom.core.reasons import RowKind
from deskroom.engine.entries import EndEntry, Entry, RowEntry, TurnEntry
from deskroom.scenario.format.model import Meanwhile, Turn

__all__ = ["Words", "count_said", "count_said_in_open", "words_of"]


class Words:
    """What people say in the middle of one turn, handed out as its seat makes its calls.

    ``said`` of it were said before, in an attempt that a crash cut short.
    """

    def __init__(self, turn: Turn, said: int = 0) -> None:
        self._left = [*reversed(words_of(turn)[said:])]

    def after(self, calls: float) -> Iterator[Meanwhile]:
        """Yield what is said once the seat has made so many calls, and was not said before."""
        while self._left and _place(self._left[-1]) <= calls:
            yield self._left.pop()

    def after_all_calls(self) -> Iterator[Meanwhile]:
        """Yield all that is said before the turn ends."""
        while self._left and self._left[-1].at != "end":
            yield self._left.pop()

    def rest(self) -> Iterator[Meanwhile]:
        """Yield what is said once the turn has ended."""
        while self._left:
            yield self._left.pop()


def words_of(turn: Turn) -> Sequence[Meanwhile]:
    """Return what people say in the middle of a turn, in the order in which they say it."""
    return sorted(turn.meanwhile, key=_place)


def _place(spoken: Meanwhile) -> float:
    return math.inf if spoken.at == "end" else spoken.at


def count_said_in_open(entries: Sequence[Entry], turns: Sequence[Turn]) -> int:
    """Return how much was said of what belongs to a turn that a crash cut short; 0 if none was."""
    last = next((one for one in reversed(entries) if _ends_or_begins(one)), None)
    return count_said(entries, turns) if isinstance(last, TurnEntry) else 0


def _ends_or_begins(entry: Entry) -> bool:
    """Whether an entry ends a turn or begins one."""
    is_row = isinstance(entry, RowEntry) and entry.kind is RowKind.SEAT
    return is_row or isinstance(entry, TurnEntry | EndEntry)


def count_said(entries: Sequence[Entry], turns: Sequence[Turn]) -> int:
    """Return how much of what belongs to the last turn that was granted has been said.

    An attempt that a crash cut short counts with the one that followed it.
    """
    expected: Sequence[Meanwhile] = ()
    said, is_open = 0, False
    for entry in entries:
        if isinstance(entry, TurnEntry):
            if not is_open:
                expected = () if entry.cue is None else words_of(turns[entry.cue])
                said = 0
            is_open = True
        elif isinstance(entry, EndEntry):
            is_open = False
        elif isinstance(entry, RowEntry):
            if entry.kind is RowKind.SEAT:
                is_open = False
            elif said < len(expected) and _is_said(expected[said], entry):
                said += 1
    return said


def _is_said(spoken: Meanwhile, entry: RowEntry) -> bool:
    """Whether a row is this; a person whose turn is listed says another."""
    row = entry.row
    return (
        entry.kind is RowKind.PERSON
        and entry.cue is None
        and (row.author.id, row.content) == (spoken.person, spoken.say)
    )
