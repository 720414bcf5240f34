"""A seat's side of the room: the turn in the hands of a seat, and the actor that plays it.

To a user a seat is an async function of a turn. The actor around it takes grants from one channel
and sends calls, and at the end the end of the turn, on the host's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from threading import get_ident
from typing import Any, Final, NamedTuple, Protocol

import anyio
from anyio.lowlevel import checkpoint

from deskroom.core.reasons import CallFault
from deskroom.core.transcript import SeenRow
from deskroom.engine.arguments import plain
from deskroom.engine.entries import Raised, UsageEntry
from deskroom.engine.messages import Call, History, Reply, TurnEnd, TurnGrant
from deskroom.engine.setup import Seat, check_path
from deskroom.errors import SeatCancelled, UsageError
from deskroom.room.acts import Act
from deskroom.room.channel import CLOSED, Channel
from deskroom.room.clock import Activity, Clock
from deskroom.room.spoken import Spoken
from deskroom.speech.tools import (
    BROADCAST,
    COMPLETE_EPISODE,
    DM,
    POST,
    READ,
    ToolSpec,
    served,
    tool_specs,
)

__all__ = ["CallPair", "Caller", "FromSeat", "SeatChannel", "Turn", "run_seat"]

_WAITED_IN_VAIN: Final = "the seat waited for a task that was cancelled"
_ROOM_CLOSED: Final = "The room has closed: this call was not taken."
_FOREIGN_THREAD: Final = (
    "a turn belongs to the thread of its room; call it from there, for example through "
    "anyio.from_thread.run"
)
#: No arguments at all, as told from the null that a model may emit for them.
_NO_ARGUMENTS: Final = object()

#: The reply to a call, once it is awaited.
Answer = Coroutine[Any, Any, Reply]
#: A tool's name and its arguments, as a seat emits them: neither has been checked.
CallPair = tuple[object, object]


class Caller(Protocol):
    """Whoever waits for the reply to a call."""

    def deliver(self, reply: Reply) -> None:
        """Take the reply."""
        ...


class FromSeat(NamedTuple):
    """A message to the host, with who is to be answered; ``raised`` is what ended a turn."""

    caller: Caller
    message: Call | TurnEnd
    raised: Exception | None = None


class SeatChannel:
    """The two ends between the host and one seat: grants and replies one way, calls the other."""

    def __init__(self, seat: Seat, host: Channel[Any], clock: Clock) -> None:
        self.seat = seat
        self.clock = clock
        self.grants: Channel[TurnGrant] = Channel(1, patient=True)
        self.activity: Activity
        #: Set once the seat's actor has ended, whose code this is.
        self.ended = anyio.Event()
        self.coroutine: object = None
        self._host = host
        self._replies: Channel[Reply] = Channel(1)
        self._calls = 0
        self._is_calling = False
        self._freed: anyio.Event | None = None
        self._thread = get_ident()

    def grant(self, grant: TurnGrant) -> None:
        """Hand the seat a turn. Its channel is free: no second turn comes before this one ends."""
        self.activity = self.clock.start()
        self.grants.send_nowait(grant)

    def deliver(self, reply: Reply) -> None:
        """Answer a call. A reply that nobody waits for any more gives way to this one."""
        if self._replies.items:
            self._replies.receive_nowait()
        self._replies.send_nowait(reply)

    def check_thread(self) -> None:
        """Raise ``UsageError`` in a thread that is not the room's."""
        if get_ident() != self._thread:
            raise UsageError(_FOREIGN_THREAD)

    async def call(self, grant: TurnGrant, *calls: CallPair) -> Reply:
        """Send calls to the host, all before waiting for a reply; return the last one's.

        One task of a seat calls at a time: the others wait until it has its reply.
        """
        self.check_thread()
        while self._is_calling:
            self._freed = self._freed or anyio.Event()
            await self._freed.wait()
        self._is_calling = True
        try:
            for tool, arguments in calls:
                self._calls += 1
                call = Call(
                    grant.turn,
                    grant.attempt,
                    self.seat.id,
                    self._calls,
                    plain(tool),
                    plain(arguments),
                )
                await self._host.send(FromSeat(self, call))
            while True:
                reply = await self._replies.receive()
                # A caller that was cancelled while it waited has left its reply behind.
                if reply.call_id == self._calls:
                    return reply
        except CLOSED:
            # Whoever calls until it is heard must let others go on, and be cancelled.
            await checkpoint()
            return Reply(self._calls, False, _ROOM_CLOSED, CallFault.TURN_ENDED)
        finally:
            self._is_calling = False
            if self._freed is not None:
                self._freed.set()
                self._freed = None

    async def end(self, end: TurnEnd, raised: Exception | None) -> None:
        """Tell the host that the turn is over."""
        await self._host.send(FromSeat(self, end, raised))

    async def hear(self, person: str, message: str) -> Spoken:
        """Tell the host what a person says; whoever waits for the row waits until it is done."""
        spoken = Spoken(person, message)
        await self._host.send(spoken)
        return spoken

    def close(self) -> None:
        """End the channel: a seat that still waits on it is told so by its own end."""
        self.grants.close()
        self._replies.close()


class Turn:
    """One turn, in the hands of the seat that has it.

    ``number`` counts the turns of the room from 1 and ``attempt`` how often this one was granted;
    ``hop`` is the length of the chain of mentions behind it; ``trigger`` is the row that brought
    it, and ``history`` the rows before it, both as this seat may read them. ``note`` says why the
    turn is granted again, when it is.

    Whatever the function returns, if it is a string, is the seat's text: it reaches nobody.
    """

    def __init__(self, channel: SeatChannel, grant: TurnGrant) -> None:
        self._channel = channel
        self._grant = grant
        self._activity = channel.activity
        self._wrote: tuple[str, ...] = ()
        self._late: tuple[CallPair, ...] = ()
        self._said_last: tuple[tuple[str, str], ...] = ()
        self._usage: UsageEntry | None = None

    def __repr__(self) -> str:
        return f"<Turn {self.number} of {self.seat.id}>"

    @property
    def seat(self) -> Seat:
        """The seat that has the turn."""
        return self._grant.seat

    @property
    def number(self) -> int:
        """The number of the turn in the room, from 1."""
        return self._grant.turn

    @property
    def attempt(self) -> int:
        """How often this turn has been granted, from 1."""
        return self._grant.attempt

    @property
    def hop(self) -> int:
        """How many mentions led here, from a person's row or a nudge."""
        return self._grant.hop

    @property
    def trigger(self) -> SeenRow | None:
        """The row that brought this turn, as the seat may read it."""
        return next(iter(self._grant.trigger), None)

    @property
    def brief(self) -> str | None:
        """What the seat is told with every turn."""
        return self.seat.brief

    @property
    def note(self) -> str | None:
        """Why the turn is granted again, or None."""
        return self._grant.note

    @property
    def history(self) -> History:
        """The last rows before this turn, as the seat may read them."""
        return self._grant.history

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools that are served; none to a fence seat."""
        return () if self.seat.fence else tool_specs()

    @property
    def cue(self) -> int | None:
        """The place in the script that this turn plays, or None in a room without one."""
        return self._grant.cue

    def post(self, message: str) -> Answer:
        """Say something to the whole desk."""
        return self.call(served(POST), {"message": message})

    def broadcast(self, message: str) -> Answer:
        """Say something to the whole desk, and let the room's router pick who takes it up."""
        return self.call(served(BROADCAST), {"message": message})

    def dm(self, to: str | Iterable[str], message: str) -> Answer:
        """Speak in private to one seat or several, by id."""
        ids = [to] if isinstance(to, str) else list(to)
        return self.call(served(DM), {"to": ids, "message": message})

    def complete(self, message: str) -> Answer:
        """Say a last message to the desk and mark this seat's work as done."""
        return self.call(served(COMPLETE_EPISODE), {"message": message})

    def read(self, limit: int | None = None) -> Answer:
        """Read the last entries of the transcript; they are in the reply's ``rows``."""
        return self.call(served(READ), {} if limit is None else {"limit": limit})

    def call(self, tool: str, arguments: object = _NO_ARGUMENTS, /, **keywords: object) -> Answer:
        """Call a tool by its served name, and return the host's reply.

        ``arguments`` is what a model emitted, whatever it is; keyword arguments are for people
        and make an object. A refusal is a reply, never an exception. Raises ``UsageError`` for
        both kinds of arguments at once, and, when awaited, in a thread that is not the room's.
        """
        if keywords and arguments is not _NO_ARGUMENTS:
            raise UsageError("give a call one object of arguments, or keywords, and not both")
        given = keywords if arguments is _NO_ARGUMENTS else arguments
        return self._channel.call(self._grant, (tool, given))

    def call_late(self, tool: object, arguments: object) -> None:
        """Note a call that is sent once this turn has ended, as a task left running might do."""
        self._late += ((plain(tool), plain(arguments)),)

    async def person_says(self, person: str, message: str) -> None:
        """Have a person speak in the middle of this turn, as a script may list it."""
        with suppress(*CLOSED):
            spoken = await self._channel.hear(person, message)
            await spoken.done.wait()

    def person_says_last(self, person: str, message: str) -> None:
        """Note what a person says as soon as this turn has ended."""
        self._said_last += ((person, message),)

    async def sleep(self, seconds: float) -> None:
        """Wait in the room's own time, which costs nothing where time is simulated."""
        self._channel.check_thread()
        await self._channel.clock.sleep(seconds, self._activity)

    def wrote(self, path: str) -> None:
        """Note a file that this turn leaves behind; the room says so in a row of its own.

        Raises ``UsageError`` for what is not a path in text, since a row could not hold it.
        """
        self._wrote += (check_path(path),)

    def used(
        self, *, requests: int = 1, tokens_in: int = 0, tokens_out: int = 0, seconds: float = 0.0
    ) -> None:
        """Note what the turn took of a model; what is noted in one turn is added up.

        It is written down when the turn ends, for logs and figures, and decides nothing. Raises
        ``UsageError`` for what is less than nothing.
        """
        counts = (requests, tokens_in, tokens_out)
        if not all(type(count) is int and count >= 0 for count in counts):
            raise UsageError("requests and tokens are whole numbers from 0 on")
        if not 0 <= seconds < math.inf:
            raise UsageError(f"a model takes 0 or more seconds, not {seconds!r}")
        grant, before = self._grant, self._usage
        if before is not None:
            requests += before.requests
            tokens_in, tokens_out = tokens_in + before.tokens_in, tokens_out + before.tokens_out
            seconds += before.seconds
        self._usage = UsageEntry(
            *(grant.turn, grant.attempt, grant.seat.id),
            requests=requests,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            seconds=round(float(seconds), 3),
        )

    async def end(self, text: str, error: Exception | None) -> None:
        """Say that the turn is over, and send what was noted for afterwards."""
        grant = self._grant
        raised = None if error is None else Raised.of(error)
        end = TurnEnd(grant.turn, grant.attempt, grant.seat.id, text, self._wrote, raised)._replace(
            usage=self._usage
        )
        await self._channel.end(end, error)
        for person, message in self._said_last:
            await self._channel.hear(person, message)
        if self._late:
            await self._channel.call(grant, *self._late)


async def run_seat(
    act: Act,
    channel: SeatChannel,
    ends_room: tuple[type[Exception], ...],
    abandon: Callable[[], None],
) -> None:
    """Play a seat: for every turn it is granted, run ``act`` and say that the turn is over.

    What it raises costs it the turn, unless it is one of ``ends_room`` or no ``Exception``: then
    ``abandon`` is called, so that nothing is written any more, and it is raised.
    """
    channel.coroutine = anyio.get_current_task().coro
    try:
        await _play_turns(act, channel, ends_room, abandon)
    finally:
        channel.ended.set()


async def _play_turns(
    act: Act,
    channel: SeatChannel,
    ends_room: tuple[type[Exception], ...],
    abandon: Callable[[], None],
) -> None:
    while True:
        try:
            grant = await channel.grants.receive()
        except CLOSED:
            return
        turn, activity = Turn(channel, grant), channel.activity
        text = ""
        error: Exception | None = None
        try:
            try:
                text = _text(await act(turn))
            except anyio.get_cancelled_exc_class() as raised:
                if anyio.get_current_task().has_pending_cancellation():
                    raise
                error = SeatCancelled(_WAITED_IN_VAIN)
                error.__cause__ = raised
            except Exception as raised:
                if _is_or_holds(raised, ends_room):
                    abandon()
                    raise
                error = raised
            except BaseException:
                abandon()
                raise
            await turn.end(text, error)
        except CLOSED:
            return
        finally:
            channel.clock.finish(activity)


def _is_or_holds(error: Exception, kinds: tuple[type[Exception], ...]) -> bool:
    """Whether an exception is of these kinds, or a group, as of a seat's tasks, with one that is."""
    if isinstance(error, ExceptionGroup):
        return any(_is_or_holds(held, kinds) for held in error.exceptions)
    return isinstance(error, kinds)


def _text(said: object) -> str:
    return str.__str__(said) if isinstance(said, str) else ""
