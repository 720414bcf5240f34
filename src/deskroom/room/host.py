"""The host: the actor that drives an engine with what the channels bring.

It asks the engine what is due and does it; while a turn is open it takes messages one by one.
Every entry is first written to the journal and then applied, and only then acted on, so that a row
exists before anybody is granted a turn because of it.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from inspect import isawaitable
from typing import Any, Final, TypeVar

import anyio
from anyio.abc import TaskGroup
from anyio.lowlevel import checkpoint

from deskroom.core.reasons import CloseReason
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
from deskroom.room.acts import Act
from deskroom.room.attendance import Changes
from deskroom.room.channel import Channel
from deskroom.room.clock import Clock
from deskroom.room.log import RoomLog
from deskroom.room.router import Router, ask
from deskroom.room.seat import Caller, FromSeat, SeatChannel, run_seat
from deskroom.room.spoken import Spoken
from deskroom.room.tasks import waits_in

__all__ = ["Host", "OnRow"]

T = TypeVar("T")

#: How long a seat may take to end once its room is over, before it is named in the log.
_PATIENCE_S: Final = 5
#: The part of its grace after which a seat is named that will be left behind.
_BEFORE_GRACE: Final = 0.9

OnRow = Callable[[RowEntry], Awaitable[object] | object]


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
        #: Wakes the seats that watch the room, if there are any.
        self._changes: Changes | None = None
        #: For each person who attends, how many seconds are waited for their words.
        self._attending: list[float] = []

    def watch(self) -> Changes:
        """Return what wakes whoever watches the room."""
        self._changes = self._changes or Changes()
        return self._changes

    @contextmanager
    def attended(self, timeout_s: float) -> Iterator[None]:
        """Count a person as attending; see ``Room.attended``."""
        self._attending.append(timeout_s)
        try:
            yield
        finally:
            self._attending.remove(timeout_s)
            if self._tasks is not None:
                self._wake()

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
            if engine.state.closed is CloseReason.QUIET:
                await self._reopen()
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

    async def watch_seats(self, grace_s: float | None = None) -> None:
        """Name the seats that do not end although their room is over, once that takes long.

        That is after 5 seconds, or a little before they are left behind after ``grace_s``.
        """
        patience_s = _PATIENCE_S if grace_s is None else min(_PATIENCE_S, grace_s * _BEFORE_GRACE)
        channels = (*self._left_behind, *self._seats.values())
        with anyio.CancelScope(shield=True), anyio.move_on_after(patience_s):
            for channel in channels:
                await channel.ended.wait()
        waiting = {c.seat.id: c for c in reversed(channels) if not c.ended.is_set()}
        for seat, channel in sorted(waiting.items()):
            place = waits_in(channel.coroutine)
            self._log.warning(
                "seat.still_running", seat=seat, after_s=round(patience_s, 1), waits_in=place
            )

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
                if not await self._waited(max(self._attending, default=math.inf)):
                    self._stopping = True  # nobody has opened the room, so nothing is quiet in it

    async def _close(self, due: Due) -> None:
        """Close, unless a person speaks while the seats of a script finish.

        A stop meanwhile leaves what these still had to say to a room that is resumed.
        """
        if self._settles and not self._stopping:
            await self._settle()
            due = self._due()
        if isinstance(due, CloseEntry) and not await self._waited_for_people(due):
            self._write(due)

    async def _waited_for_people(self, due: CloseEntry) -> bool:
        """Where a quiet room is attended, wait for something to come, and say whether it did."""
        if due.reason is not CloseReason.QUIET or not self._attending:
            return False
        return await self._waited(max(self._attending))

    async def _waited(self, seconds: float) -> bool:
        """Wait for a message and handle it. People take real time, whatever the room's clock."""
        message: object = None
        with anyio.move_on_after(seconds):
            message = await self._receive()
        if message is None:
            return False
        await self._handle(message)
        return True

    async def _reopen(self) -> None:
        """Open a room again that closed quiet, with what a person says, if anybody does."""
        # Whoever was started to speak beside the room gets to it first.
        await checkpoint()
        await checkpoint()
        while self.engine.state.closed is not None and (self.inbox.items or self._attending):
            if not await self._waited(max(self._attending, default=math.inf)):
                return

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
        if self._changes is not None:
            self._changes.notify()

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
            if end.usage is not None:
                self._write(end.usage)
        if entries and raised is not None:
            self.exceptions[end.turn] = raised
        for entry in entries:
            self._write(entry)
            if self._on_row is not None and isinstance(entry, RowEntry):
                await self._tell(self._on_row, entry)
