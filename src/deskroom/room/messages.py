"""What travels on the channels between the host and the seats."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, overload

import anyio
from attrs import define, field, frozen

from deskroom.core.audience import Viewer
from deskroom.core.transcript import Row, SeenRow, project
from deskroom.engine.state import TurnRecord

__all__ = ["Call", "History", "Reply", "TurnEnd", "Wake", "Word"]


class History(Sequence[SeenRow]):
    """A stretch of the transcript as one seat may read it, worked out when it is first looked at.

    Rows are only ever appended, so a stretch is fixed by where it begins and ends. Most seats of
    a long run look at little of it; a copy for each grant would make a turn cost more the longer
    the room has run.
    """

    __slots__ = ("_rows", "_seen", "_start", "_stop", "_viewer")

    def __init__(self, rows: Sequence[Row], start: int, stop: int, viewer: Viewer) -> None:
        self._rows: Sequence[Row] = rows
        self._start = start
        self._stop = stop
        self._viewer = viewer
        self._seen: tuple[SeenRow, ...] | None = None

    def _read(self) -> tuple[SeenRow, ...]:
        if self._seen is None:
            stretch = [self._rows[at] for at in range(self._start, self._stop)]
            self._seen = project(stretch, self._viewer)
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


@frozen
class Call:
    """A seat calls a tool. The turn it belongs to is put in by its channel, never by the seat."""

    turn: TurnRecord = field(repr=False)
    call_id: int
    tool: Any
    arguments: Any = field(repr=False)
    reply_to: Callable[[Reply], None] = field(repr=False, eq=False)


@frozen
class TurnEnd:
    """A seat has ended its turn.

    ``text`` is what it said outside any call; ``wrote`` the paths it left behind; ``error`` what
    it raised, if it did.
    """

    turn: TurnRecord = field(repr=False)
    text: str = field(default="", repr=False)
    wrote: tuple[str, ...] = ()
    error: Exception | None = None


@frozen
class Reply:
    """The host's answer to one call, sent while the turn runs.

    ``rejection`` is the word of a refusal (None when ``ok``); ``text`` says what the message will
    do, or what to do about the refusal; ``rows`` holds what a read returned.
    """

    call_id: int
    ok: bool
    text: str = field(repr=False)
    rejection: str | None = None
    rows: tuple[SeenRow, ...] = field(default=(), repr=False)


@define(eq=False)
class Word:
    """A person speaks into the running room. ``row`` is set, and then ``done``, once it is there.

    ``done`` without a row means that the room closed first.
    """

    person: str
    message: str = field(repr=False)
    done: anyio.Event = field(factory=anyio.Event, repr=False)
    row: Row | None = None


@frozen
class Wake:
    """Something has happened that the host is to look at: a deadline, or a wish to stop."""
