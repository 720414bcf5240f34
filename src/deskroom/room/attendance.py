"""A room as one seat may know it while the room runs, for seats that live elsewhere."""

from __future__ import annotations

from collections.abc import Callable

import anyio
from attrs import evolve

from deskroom.core.audience import Viewer
from deskroom.core.reasons import CloseReason
from deskroom.core.transcript import SeenRow, project
from deskroom.engine.engine import Engine
from deskroom.engine.setup import Seat
from deskroom.speech.tools import ToolSpec, tool_specs

__all__ = ["Attendance", "Changes"]


class Changes:
    """Wakes whoever waits for something to change in a room."""

    def __init__(self) -> None:
        self._event = anyio.Event()

    def notify(self) -> None:
        """Wake all who wait."""
        self._event.set()
        self._event = anyio.Event()

    def upcoming(self) -> anyio.Event:
        """Return what the next change will set, so that none is missed meanwhile."""
        return self._event

    async def wait(self) -> None:
        """Wait for the next change."""
        await self._event.wait()


class Attendance:
    """What a seat may know of its room at any time: what it may read, and who has the turn.

    Of rows that the seat may not read it gives stubs, as its history does. ``warn`` logs an event,
    with fields that hold no content.
    """

    def __init__(
        self, seat: Seat, engine: Engine, changes: Changes, warn: Callable[..., None]
    ) -> None:
        self.seat = seat
        self.warn = warn
        self._engine = engine
        self._changes = changes

    @property
    def desk(self) -> str:
        """The name of the desk."""
        return self._engine.setup.desk_name

    @property
    def desk_id(self) -> str:
        """The id of the desk."""
        return self._engine.setup.desk_id

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats of the desk, without the briefs of others."""
        return tuple(
            seat if seat.id == self.seat.id else evolve(seat, brief=None)
            for seat in self._engine.setup.seats
        )

    @property
    def people(self) -> tuple[str, ...]:
        """The ids of the people of the desk."""
        return tuple(person.id for person in self._engine.setup.people)

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools that are served; none to a fence seat."""
        return () if self.seat.fence else tool_specs()

    @property
    def turn_timeout_s(self) -> float:
        """How many seconds a turn may take."""
        return self._engine.setup.policy.turn_timeout_s

    @property
    def turn_of(self) -> str | None:
        """The seat that has the turn, or None."""
        open_ = self._engine.state.open
        return None if open_ is None else open_.seat

    @property
    def open_turn(self) -> tuple[int, int] | None:
        """The number and the attempt of the turn that is open, or None."""
        open_ = self._engine.state.open
        return None if open_ is None else (open_.number, open_.attempt)

    @property
    def closed(self) -> CloseReason | None:
        """Why the room closed, or None."""
        return self._engine.state.closed

    @property
    def rows(self) -> int:
        """How many rows there are, those included that the seat may not read."""
        return len(self._engine.state.rows)

    def transcript(self) -> tuple[SeenRow, ...]:
        """Return the whole transcript as the seat may read it. It costs as much as that is long."""
        return project(self._engine.state.rows, Viewer("agent", self.seat.id))

    def transcript_from(self, rows: int) -> tuple[SeenRow, ...]:
        """Return the transcript behind its first ``rows`` rows, as the seat may read it."""
        return project(self._engine.state.rows[rows:], Viewer("agent", self.seat.id))

    async def change(self) -> None:
        """Wait until there is another row, another turn or a close."""
        await self._changes.wait()
