"""What passes between a host and its seats, as values that nobody can change.

They are named tuples, which are made several times a turn and cost half of what a class does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, overload

from deskroom.core.audience import Viewer
from deskroom.core.transcript import Row, SeenRow, project
from deskroom.engine.entries import Raised, UsageEntry
from deskroom.engine.setup import Seat

__all__ = ["Call", "History", "Reply", "TurnEnd", "TurnGrant"]


class History(Sequence[SeenRow]):
    """A stretch of the transcript as one seat may read it, worked out when it is first looked at.

    Most seats of a long run look at little of it, and to project it for each grant would cost more
    than the rest of the turn.
    """

    __slots__ = ("_rows", "_seen", "_viewer")

    def __init__(self, rows: Sequence[Row], viewer: Viewer) -> None:
        self._rows = rows
        self._viewer = viewer
        self._seen: tuple[SeenRow, ...] | None = None

    def _read(self) -> tuple[SeenRow, ...]:
        if self._seen is None:
            self._seen = project(self._rows, self._viewer)
            # What the seat may not read is let go of with the rows.
            self._rows = ()
        return self._seen

    @overload
    def __getitem__(self, index: int) -> SeenRow: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[SeenRow, ...]: ...
    def __getitem__(self, index: int | slice) -> SeenRow | tuple[SeenRow, ...]:
        return self._read()[index]

    def __len__(self) -> int:
        return len(self._read())

    def __iter__(self) -> Iterator[SeenRow]:
        return iter(self._read())

    def __repr__(self) -> str:
        return f"History({list(self._read())!r})"


class TurnGrant(NamedTuple):
    """A seat is given the turn.

    ``hop`` is the length of the chain of mentions behind it. ``history`` are the rows before it and
    ``trigger`` the row that brought it (none, or one), both as this seat may read them. ``note``
    says why the turn is granted again, when it is; ``cue`` is its place in a script.
    """

    turn: int
    attempt: int
    seat: Seat
    hop: int
    cue: int | None
    note: str | None
    history: History
    trigger: History


class Call(NamedTuple):
    """A seat calls a tool in a turn. ``call_id`` is the seat's own, and comes back in the reply."""

    turn: int
    attempt: int
    seat: str
    call_id: int
    tool: Any
    arguments: Any


class TurnEnd(NamedTuple):
    """A seat has ended its turn.

    ``text`` is what it said outside any call; ``wrote`` the paths it left behind; ``error`` what
    it raised, if it did; ``usage`` what it took of a model, if it said so.
    """

    turn: int
    attempt: int
    seat: str
    text: str = ""
    wrote: tuple[str, ...] = ()
    error: Raised | None = None
    usage: UsageEntry | None = None


class Reply(NamedTuple):
    """The host's answer to one call, sent while the turn runs.

    ``rejection`` is the reason of a refusal (None when ``ok``); ``text`` says what the message will
    do, or what to do about the refusal; ``rows`` holds what a read returned.
    """

    call_id: int
    ok: bool
    text: str
    rejection: str | None = None
    rows: tuple[SeenRow, ...] = ()
