"""The host: the actor that drives an engine with what the channels bring.

It asks the engine what is due and does it; while a turn is open it takes messages one by one.
Every entry is first written to the journal and then applied, and only then acted on, so that a row
exists before anybody is granted a turn because of it.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from inspect import isawaitable
from typing import Any, Final, TypeVar

import anyio
from anyio.abc import TaskGroup
from anyio.lowlevel import checkpoint
from attrs import define, field

from deskroom.core.reasons import CloseReason
from deskroom.core.transcript import Row
from deskroom.engine.due import Await, Due
from deskroom.engine.engine import Engine
from deskroom.engine.entries import (
    CloseEntry,
    EndEntry,
    Entry,
    Journal,
    RoutedEntry,
    RowEntry,
    TurnEntry,
)
from deskroom.engine.messages import Call, TurnEnd
from deskroom.errors import RoomFailure
from deskroom.room.channel import Channel
from deskroom.room.clock import Clock
from deskroom.room.log import RoomLog
from deskroom.room.router import Router, ask
from deskroom.room.seat import Act, Caller, FromSeat, SeatChannel, run_seat

__all__ = ["Host", "OnRow", "Spoken"]

T = TypeVar("T")

#: How long a seat may take to end once its room is over, before it is named in the log.
_PATIENCE_S: Final = 5

OnRow = Callable[[RowEntry], Awaitable[object] | object]


@define(eq=False)
class Spoken:
    """What a person says from outside. ``done`` is set once its ``row`` is there, or never will be."""

    person: str
    message: str = field(repr=False)
    done: anyio.Event = field(factory=anyio.Event, repr=False)
    row: Row | None = None


class _Wakeup:
    """A message that only ends the host's wait, to make it look at the deadline or at a stop."""


class _Abandoned(Exception):
    """A seat ended the room by what it raised; nothing is written after that."""


class Host:
    """The host actor of one room. ``run`` plays the room to its close."""

    def __init__(
        self,
        engine: Engine,
        acts: Mapping[str, Act],
        clock: Clock,
        *,
        log: RoomLog,
        journal: Journal | None = None,
        router: Router | None = None,
        on_row: OnRow | None = None,
        inbox_size: int = 64,
        settles: bool = False,
        ends_room: tuple[type[Exception], ...] = (),
    ) -> None:
        self.engine = engine
        self.inbox: Channel[Any] = Channel(inbox_size)
        #: What seats raised in this process, by the number of the turn that it cost.
        self.exceptions: dict[int, Exception] = {}
        #: Whether, at its close, a seat did something else than wait for a turn.
        self.leaves_work = False
        self._apply = engine.state.apply
        self._acts = acts
        self._clock = clock
        self._log = log
        self._logs_info = log.hears_info
        self._journal = journal
        self._router = router
        self._on_row = on_row
        self._settles = settles
        self._ends_room = ends_room
        self._timeout_s = engine.setup.policy.turn_timeout_s
        self._seats: dict[str, SeatChannel] = {}
        self._left_behind: list[SeatChannel] = []
        self._tasks: TaskGroup | None = None
        #: Calls of the open turn that were refused and only counted.
        self._excess = 0
        self._waits = False
        self._deadline_passed = False
        self._stopping = False
        self._abandoned = False
        # Around a wait for what is not the room's own: a router, or a callback for rows.
        self._outside: anyio.CancelScope | None = None
        self._outside_stopped = False

    # The loop

    async def run(self, tasks: TaskGroup) -> None:
        """Play the room until it closes. Seats run as tasks of ``tasks``.

        Raises ``RoomFailure`` when the journal, the router or the callback for rows fails.
        """
        engine = self.engine
        self._tasks = tasks
        try:
            if not engine.state.has_header:
                self._write(engine.header())
            while engine.state.closed is None:
                if self.inbox.items and engine.may_be_interrupted:
                    await self._take_waiting()
                await self._do(self._due())
        except _Abandoned:
            return
        finally:
            self._leave()

    def stop(self) -> None:
        """Close the room before its next turn; an open turn stays open in the journal.

        The files and the broadcast of the last turn are still seen to, unless the room waits for a
        router or a callback just now.
        """
        self._stopping = True
        if self._outside is not None:
            self._outside.cancel()
        if self._tasks is not None:
            self._wake()

    def _wake(self) -> None:
        """Let a host that waits look again; a full inbox wakes it too."""
        with suppress(anyio.WouldBlock, anyio.ClosedResourceError):
            self.inbox.send_nowait(_Wakeup())

    def _abandon(self) -> None:
        self._abandoned = True
        self._clock.clear_deadline()

    def _leave(self) -> None:
        """Turn away whoever still waits for an answer."""
        self._clock.clear_deadline()
        with suppress(anyio.WouldBlock):
            while True:
                message = self.inbox.receive_nowait()
                if isinstance(message, Spoken):
                    message.done.set()
        self.inbox.close()
        channels = (*self._left_behind, *self._seats.values())
        self.leaves_work = not all(channel.grants.is_awaited for channel in channels)
        for channel in channels:
            channel.close()

    async def watch_seats(self) -> None:
        """Name the seats that do not end although their room is over, once that takes long."""
        channels = (*self._left_behind, *self._seats.values())
        with anyio.CancelScope(shield=True), anyio.move_on_after(_PATIENCE_S):
            for channel in channels:
                await channel.ended.wait()
        waiting = sorted({channel.seat.id for channel in channels if not channel.ended.is_set()})
        for seat in waiting:
            self._log.warning("seat.still_running", seat=seat, after_s=_PATIENCE_S)

    async def _receive(self) -> Any:  # noqa: ANN401 - the host matches on the message's type
        """Return the next message; time may pass, and the deadline with it, while there is none."""
        inbox = self.inbox
        if not inbox.items:
            self._waits = True
            self._clock.host_waits(self._is_idle)
            # Most answers are being made meanwhile; only a longer wait is watched by the clock.
            await checkpoint()
            if not inbox.items:
                await self._clock.wait_for(inbox.wait)
            self._waits = False
        return inbox.receive_nowait()

    def _is_idle(self) -> bool:
        return self._waits and not self.inbox.items

    async def _take_waiting(self) -> None:
        """Take what arrived between two entries: people's words, and calls that come too late."""
        while self.inbox.items:
            await self._handle(self.inbox.receive_nowait())

    def _due(self) -> Due:
        if self._outside_stopped:
            return CloseEntry(CloseReason.STOPPED)
        return self.engine.due(stopping=self._stopping)

    async def _do(self, due: Due) -> None:
        match due:
            case TurnEntry():
                await self._play(due)
            case RowEntry():
                await self._append(due)
            case RoutedEntry():
                self._write(due)
            case CloseEntry():
                await self._close(due)
            case Await.SCORES:
                await self._ask_router()
            case Await.PERSON:
                await self._handle(await self._receive())

    async def _close(self, due: Due) -> None:
        """Close, unless a person speaks while the seats of a script finish.

        A stop meanwhile leaves what these still had to say to a room that is resumed.
        """
        if self._settles and not self._stopping:
            await self._settle()
            due = self._due()
        if isinstance(due, CloseEntry):
            self._write(due)

    async def _settle(self) -> None:
        """Let the seats of a script finish what they still had to say, and tell them it is late."""
        self._deadline_passed = False
        self._clock.set_deadline(math.inf, self._on_deadline)
        while not (self._deadline_passed or self._stopping):
            await self._handle(await self._receive())

    def _write(self, entry: Entry) -> None:
        """Keep an entry, then apply it: the only way in which the room's state changes."""
        if self._abandoned:
            raise _Abandoned
        if self._journal is not None:
            self._journal.write(entry)
        if self._logs_info or isinstance(entry, EndEntry):
            self._log.entry(entry, self.engine)
        self._apply(entry)

    # Rows

    async def _append(self, entry: RowEntry) -> None:
        self._write(entry)
        if self._on_row is not None:
            await self._tell(self._on_row, entry)

    async def _tell(self, on_row: OnRow, entry: RowEntry) -> None:
        try:
            result = on_row(entry)
            if isawaitable(result):
                await self._unless_stopped(result)
        except RoomFailure:
            raise  # it says itself what failed
        except Exception as error:
            raise RoomFailure(f"the callback for rows failed: {error!r}") from error

    async def _unless_stopped(self, wait: Awaitable[T]) -> T | None:
        """Wait for what is not the room's own; a stop meanwhile ends that, and gives None.

        A broadcast then stays unrouted, for a room that is resumed from here.
        """
        with anyio.CancelScope() as self._outside:
            return await wait
        self._outside_stopped = True
        return None

    async def _say(self, spoken: Spoken) -> None:
        """Append what a person says, and let whoever said it go on, even if the room now fails."""
        before = len(self.engine.state.rows)
        try:
            await self._append(self.engine.say(spoken.person, spoken.message))
        finally:
            rows = self.engine.state.rows
            spoken.row = rows[before] if len(rows) > before else None
            spoken.done.set()

    async def _ask_router(self) -> None:
        if self._router is None:
            self._write(self.engine.route(self.engine.policy_scores()))
            return
        message, candidates = self.engine.broadcast
        scores = await self._unless_stopped(ask(self._router, message, candidates))
        if scores is not None:
            self._write(self.engine.route(scores))

    # A turn

    async def _play(self, granted: TurnEntry) -> None:
        self._write(granted)
        self._excess = 0
        seat = self._seats.get(granted.seat) or self._start(granted.seat)
        seat.grant(self.engine.grant())
        self._deadline_passed = False
        self._clock.set_deadline(self._timeout_s, self._on_deadline)
        state = self.engine.state
        while state.open is not None and not self._stopping:
            message = await self._receive()
            # Whatever arrives after the deadline is late, however busy the host was before.
            self._clock.check_deadline()
            if self._deadline_passed:
                self._time_out(seat)
            # A call is the most usual message, and its answer waits for nothing.
            if type(message) is FromSeat and type(message.message) is Call and not self._stopping:
                self._call(message.message, message.caller)
            else:
                await self._handle(message)
        self._clock.clear_deadline()

    def _start(self, seat: str) -> SeatChannel:
        """Start a seat's actor, with its first turn or after one that it let time out."""
        assert self._tasks is not None  # noqa: S101 - set when the host runs
        channel = SeatChannel(self.engine.setup.by_id[seat], self.inbox, self._clock)
        self._seats[seat] = channel
        self._tasks.start_soon(run_seat, self._acts[seat], channel, self._ends_room, self._abandon)
        return channel

    def _on_deadline(self) -> None:
        self._deadline_passed = True
        self._wake()

    def _time_out(self, channel: SeatChannel) -> None:
        """End the turn by its deadline. Its actor is left to finish by itself; a new one follows."""
        self._deadline_passed = False
        self._write_excess()
        self._write(self.engine.expire())
        seat = channel.seat.id
        del self._seats[seat]
        channel.grants.close_sending()
        self._left_behind.append(channel)
        if not channel.activity.asleep:
            # It waits for something of its own; simulated time must not wait for that any more.
            self._clock.finish(channel.activity)

    # Messages

    async def _handle(self, message: object) -> None:
        if isinstance(message, FromSeat):
            if self._stopping:
                return  # its turn stays open; the end of its channel tells the seat
            if isinstance(message.message, Call):
                self._call(message.message, message.caller)
            else:
                await self._end(message.message, message.raised)
        elif isinstance(message, Spoken):
            await self._say(message)
        # Anything else only wakes: what it is about is looked at before the next message.

    def _call(self, call: Call, caller: Caller) -> None:
        entry, reply = self.engine.call(call)
        if entry is not None:
            self._write(entry)
        elif self.engine.is_excess(call):
            self._excess += 1
        caller.deliver(reply)

    def _write_excess(self) -> None:
        for entry in self.engine.excess(self._excess):
            self._write(entry)

    async def _end(self, end: TurnEnd, raised: Exception | None) -> None:
        entries = self.engine.end(end)
        if entries:
            self._write_excess()
        if entries and raised is not None:
            self.exceptions[end.turn] = raised
        for entry in entries:
            self._write(entry)
            if self._on_row is not None and isinstance(entry, RowEntry):
                await self._tell(self._on_row, entry)
