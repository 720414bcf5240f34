"""A seat: what the room knows of it, the turn it is handed, and the actor that plays it.

To a user a seat is an async function of a turn. The actor around it takes grants from one channel
and puts calls, and at the end the end of the turn, on the host's.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import anyio
from anyio.lowlevel import checkpoint

from deskroom.core.audience import Viewer
from deskroom.core.text import is_blank
from deskroom.core.transcript import Row, SeenRow
from deskroom.engine.policy import Policy
from deskroom.engine.reading import history_bounds
from deskroom.engine.setup import Seat
from deskroom.engine.state import TurnRecord
from deskroom.errors import SeatCancelled, UsageError
from deskroom.room.mailbox import CLOSING, Mailbox
from deskroom.room.messages import Call, History, Reply, TurnEnd
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

if TYPE_CHECKING:
    from deskroom.room.clock import Census, Clock

__all__ = ["Act", "CountedInbox", "HostInbox", "Seat", "SeatChannel", "Turn", "run_seat"]

_WAITED_IN_VAIN = "the seat waited for a task that was cancelled"
_CLOSED = "The room has closed: this call was not taken."
#: No arguments at all, as told from the null that a model may emit for them.
_NO_ARGUMENTS: Final = object()


class HostInbox(Mailbox[Any]):
    """The host's end of every channel: the clock watches over each of its waits."""

    def __init__(self, size: int, clock: Clock) -> None:
        super().__init__(size)
        self._clock = clock

    async def take_later(self) -> Any:  # noqa: ANN401 - the host matches on the message's type
        """Take the next message; the deadline may pass meanwhile."""
        return await self._clock.watch(super().take_later)


class CountedInbox(HostInbox):
    """A host's inbox that tells a clock when the host waits and when it works."""

    def __init__(self, size: int, clock: Clock, census: Census) -> None:
        super().__init__(size, clock)
        self._census = census

    def put_nowait(self, item: object) -> None:
        """Put a message. Raises ``anyio.WouldBlock`` when the channel is full."""
        super().put_nowait(item)
        self._census.host_works()

    async def take(self) -> Any:  # noqa: ANN401 - the host matches on the message's type
        """Take the next message, letting time pass when there is none."""
        if not self.items:
            self._census.host_waits()
        return await super().take()


class SeatChannel:
    """The two ends between the host and one seat: grants and replies one way, calls the other.

    ``rows`` is the transcript as it grows, of which a turn shows what its seat may read.
    """

    def __init__(
        self, seat: Seat, host: HostInbox, clock: Clock, rows: Sequence[Row], policy: Policy
    ) -> None:
        self.seat = seat
        self.host = host
        self.clock = clock
        self.census = clock.census
        self.rows = rows
        self.policy = policy
        self.viewer = Viewer("agent", seat.id)
        self.calls = 0
        self.grants: Mailbox[Turn] = Mailbox(1)
        self._replies: Mailbox[Reply] = Mailbox(1)
        self._calling = False
        self._freed: anyio.Event | None = None

    def grant(self, record: TurnRecord, note: str | None) -> Turn:
        """Hand the seat a turn. Its channel is free: no second turn comes before this one ends."""
        turn = Turn(self, record, note)
        if self.census is not None:
            self.census.enter(turn)
        self.grants.put_nowait(turn)
        return turn

    def leave(self, turn: Turn) -> None:
        """Count the seat as done with a turn; counting it twice is nothing."""
        if self.census is not None:
            self.census.leave(turn)

    def deliver(self, reply: Reply) -> None:
        """Answer a call. A reply that nobody waits for any more gives way to this one."""
        if self._replies.items:
            self._replies.take_nowait()
        self._replies.put_nowait(reply)

    async def call(self, turn: TurnRecord, *calls: CallPair) -> Reply:
        """Put calls on the host's channel, all before waiting for a reply; return the last one's.

        One task of a seat calls at a time: the others wait until it has its reply.
        """
        while self._calling:
            self._freed = self._freed or anyio.Event()
            await self._freed.wait()
        self._calling = True
        try:
            for tool, arguments in calls:
                self.calls += 1
                await self.host.put(Call(turn, self.calls, tool, arguments, self.deliver))
            while True:
                reply = await self._replies.take()
                # A caller that was cancelled while it waited has left its reply behind.
                if reply.call_id == self.calls:
                    return reply
        except CLOSING:
            # Whoever calls until it is heard must let others go on, and be cancelled.
            await checkpoint()
            return _closed_reply(self.calls)
        finally:
            self._calling = False
            if self._freed is not None:
                self._freed.set()
                self._freed = None

    def end_grants(self) -> None:
        """Let the actor end once it is done with the turn it has."""
        self.grants.close_in()

    def close(self) -> None:
        """End the channel: a seat that still waits on it is told so by its own end."""
        self.grants.close()
        self._replies.close()


def _closed_reply(call_id: int) -> Reply:
    return Reply(call_id, ok=False, text=_CLOSED, rejection="turn_ended")


def _is_path(path: object) -> bool:
    try:
        return isinstance(path, str) and not is_blank(path) and path.encode() is not None
    except UnicodeEncodeError:
        return False


Act = Callable[["Turn"], Awaitable[object]]
#: The reply to a call, once it is awaited.
Answer = Coroutine[Any, Any, Reply]
#: A tool's name and its arguments, as a seat emits them: neither has been checked.
CallPair = tuple[object, object]


class Turn:
    """One turn, in the hands of the seat that has it.

    ``number`` counts the turns of the room from 1 and ``attempt`` how often this one was granted;
    ``hop`` is the length of the chain of mentions behind it; ``trigger`` is the row that brought
    it, and ``history`` the rows before it, both as this seat may read them. ``note`` says why the
    turn is granted again, when it is.

    Whatever the function returns, if it is a string, is the seat's text: it reaches nobody.
    """

    def __init__(self, channel: SeatChannel, record: TurnRecord, note: str | None) -> None:
        self._channel = channel
        self._record = record
        self._note = note
        self._wrote: list[str] = []
        self._late: list[CallPair] = []
        self._history: History | None = None
        # For the clock: how many tasks of this turn sleep, and whether it is counted at all.
        self.asleep = 0
        self.tracked = False

    def __repr__(self) -> str:
        return f"<Turn {self.number} of {self.seat.id}>"

    @property
    def seat(self) -> Seat:
        """The seat that has the turn."""
        return self._channel.seat

    @property
    def number(self) -> int:
        """The number of the turn in the room, from 1."""
        return self._record.number

    @property
    def attempt(self) -> int:
        """How often this turn has been granted, from 1."""
        return self._record.attempt

    @property
    def hop(self) -> int:
        """How many mentions led here, from a person's row or a nudge."""
        return self._record.hop

    @property
    def trigger(self) -> SeenRow | None:
        """The row that brought this turn, as the seat may read it."""
        at = self._record.trigger or 0
        return next(iter(self._stretch(max(at - 1, 0), at)), None)

    @property
    def brief(self) -> str | None:
        """What the seat is told with every turn."""
        return self.seat.brief

    @property
    def note(self) -> str | None:
        """Why the turn is granted again, or None."""
        return self._note

    @property
    def history(self) -> History:
        """The last rows before this turn, as the seat may read them."""
        if self._history is None:
            record = self._record
            bounds = history_bounds(record.granted_at, record.since, self._channel.policy)
            self._history = self._stretch(*bounds)
        return self._history

    def _stretch(self, start: int, stop: int) -> History:
        return History(self._channel.rows, start, stop, self._channel.viewer)

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools that are served; none to a fence seat."""
        return () if self.seat.fence else tool_specs()

    @property
    def cue(self) -> int | None:
        """The place in the script that this turn plays, or None in a room without one."""
        return self._record.cue

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
        """Say a last word to the desk and mark this seat's work as done."""
        return self.call(served(COMPLETE_EPISODE), {"message": message})

    def read(self, limit: int | None = None) -> Answer:
        """Read the last entries of the transcript; they are in the reply's ``rows``."""
        return self.call(served(READ), {} if limit is None else {"limit": limit})

    def call(self, tool: str, arguments: object = _NO_ARGUMENTS, /, **keywords: object) -> Answer:
        """Call a tool by its served name, and return the host's reply.

        ``arguments`` is what a model emitted, whatever it is; keyword arguments are for people
        and make an object. A refusal is a reply, never an exception.
        """
        if keywords and arguments is not _NO_ARGUMENTS:
            raise UsageError("give a call one object of arguments, or keywords, and not both")
        given = keywords if arguments is _NO_ARGUMENTS else arguments
        return self._channel.call(self._record, (tool, given))

    def call_late(self, tool: object, arguments: object) -> None:
        """Note a call that is sent once this turn has ended, as a straggling task would send it."""
        self._late.append((tool, arguments))

    async def sleep(self, seconds: float) -> None:
        """Wait in the room's own time, which costs nothing where time is simulated."""
        await self._channel.clock.sleep(seconds, self)

    def wrote(self, path: str) -> None:
        """Note a file that this turn leaves behind; the room says so in a row of its own.

        Raises ``UsageError`` for what is not a path in text, since a row could not hold it.
        """
        if not _is_path(path):
            raise UsageError(f"a turn leaves behind a path in text, not {path!r}")
        self._wrote.append(path)

    async def end(self, text: str, error: Exception | None) -> None:
        """Say that the turn is over, and send what was noted for afterwards."""
        await self._channel.host.put(TurnEnd(self._record, text, tuple(self._wrote), error))
        if self._late:
            await self._channel.call(self._record, *self._late)


async def run_seat(act: Act, channel: SeatChannel) -> None:
    """Play a seat: for every turn it is granted, run ``act`` and say that the turn is over."""
    while True:
        try:
            turn = await channel.grants.take_later()
        except CLOSING:
            return
        text = ""
        error: Exception | None = None
        try:
            try:
                said = await act(turn)
                text = said if isinstance(said, str) else ""
            except anyio.get_cancelled_exc_class() as raised:
                if anyio.get_current_task().has_pending_cancellation():
                    raise
                error = SeatCancelled(_WAITED_IN_VAIN)
                error.__cause__ = raised
            except Exception as raised:  # noqa: BLE001 - whatever a seat raises costs its turn
                error = raised
            await turn.end(text, error)
        except CLOSING:
            return
        finally:
            channel.leave(turn)
