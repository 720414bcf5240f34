"""Holding what came out against what was expected, key by key."""

from __future__ import annotations

from typing import Any, Final

from attrs import frozen

from deskroom.runs.run import RunItem
from deskroom.runs.values import TURN_VALUES
from deskroom.scenario.format.model import Nobody

__all__ = ["HELD", "Mismatch", "file_value", "holds", "readers_of"]


#: The keys of what holds or does not, whatever a turn was expected to come to: its name is what was
#: expected, and how it does not hold is what came out.
HELD: Final = ("property", "invariant")


@frozen
class Mismatch:
    """One expectation that did not hold.

    ``turn`` is the label of the listed turn (``opening`` for the opening), or None for the run as
    a whole; ``seat`` who had it. ``grant`` is its number and attempt as it was granted, as the log
    has them, and ``row`` the row it is about; either is None where there is none. ``expected`` and ``got`` are values of the file format; ``why``
    is the reason the host had. ``path``, ``line`` and ``column`` say where the expectation stands.
    ``scores`` are those that a router chose by, for the operator.
    ``private_to`` lists the seats that may read the row it is about, or None when all may.
    ``again`` counts how often more it did not hold; ``again_told`` those that whoever may read it
    may know of.
    """

    path: str
    line: int
    column: int | None
    turn: str | None
    seat: str | None
    key: str
    expected: Any
    got: Any
    why: str
    private_to: tuple[str, ...] | None = None
    scores: str = ""
    grant: tuple[int, int] | None = None
    row: int | None = None
    again: int = 0
    again_told: int = 0

    @property
    def number(self) -> int | None:
        """The number of the turn as it was granted."""
        return None if self.grant is None else self.grant[0]


def readers_of(item: RunItem) -> tuple[str, ...] | None:
    """Return the seats that may read what came out, or None when every seat may.

    What a seat failed to say, it may have meant for few: only it may read about that.
    """
    if item.entry is None:
        return None if item.turn is None else (item.turn.seat,)
    row = item.entry.row
    if row.audience.kind == "desk":
        return None
    return (*row.audience.members, *([row.author.id] if row.author.id else []))


def file_value(expected: Any) -> Any:  # noqa: ANN401 - file format values
    """Return an expectation as the file writes it."""
    if isinstance(expected, Nobody):
        return {"none": expected.none}
    return list(expected) if isinstance(expected, tuple) else expected


def holds(key: str, expected: Any, item: RunItem) -> bool:  # noqa: ANN401 - file format values
    """Whether an expectation holds. A broadcast's row may be named by its decision as well."""
    wanted = file_value(expected)
    if key == "next" and item.entry is not None and item.entry.broadcasting:
        return wanted in (list(item.recipients), {"none": "broadcast"})
    got = TURN_VALUES[key](item)
    return isinstance(got, bool) == isinstance(wanted, bool) and bool(got == wanted)
