"""The seats of one room as running actors: each on a channel of its own, started when first needed."""

from __future__ import annotations

from collections.abc import Mapping

from anyio.abc import TaskGroup

from deskroom.engine.state import RoomState, TurnRecord
from deskroom.room.clock import Clock
from deskroom.room.seat import Act, HostInbox, SeatChannel, Turn, run_seat

__all__ = ["Channels"]


class Channels:
    """Every seat's channel. A seat's actor starts with its first turn.

    An actor that let a deadline pass is left to finish what it is at; a new one takes the seat's
    next turn.
    """

    def __init__(
        self, state: RoomState, acts: Mapping[str, Act], inbox: HostInbox, clock: Clock
    ) -> None:
        self._setup = state.setup
        self._rows = state.rows
        self._acts = acts
        self._inbox = inbox
        self._clock = clock
        self._current: dict[str, SeatChannel] = {}
        self._left_behind: list[SeatChannel] = []

    def grant(self, record: TurnRecord, note: str | None, tasks: TaskGroup) -> Turn:
        """Hand a seat the turn. ``note`` says why it is granted again, when it is."""
        channel = self._current.get(record.seat)
        if channel is None:
            channel = self._start(record.seat, tasks)
        return channel.grant(record, note)

    def _start(self, seat: str, tasks: TaskGroup) -> SeatChannel:
        setup = self._setup
        channel = SeatChannel(setup.by_id[seat], self._inbox, self._clock, self._rows, setup.policy)
        self._current[seat] = channel
        tasks.start_soon(run_seat, self._acts[seat], channel)
        return channel

    def leave_behind(self, seat: str, turn: Turn) -> None:
        """Let a seat's actor be late by itself: it gets no more turns."""
        channel = self._current.pop(seat)
        channel.end_grants()
        self._left_behind.append(channel)
        if not turn.asleep:
            # It waits for something of its own; simulated time must not wait for that any more.
            channel.leave(turn)

    @property
    def are_idle(self) -> bool:
        """Whether every actor only waits for a turn, so that the end of its channel ends it."""
        channels = (*self._left_behind, *self._current.values())
        return all(channel.grants.is_awaited for channel in channels)

    def close(self) -> None:
        """End every channel: a seat that still waits on one is told so by its own end."""
        for channel in (*self._left_behind, *self._current.values()):
            channel.close()
