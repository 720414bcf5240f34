"""One seat at the table, for the clients that hold its token.

It knows nothing of MCP: it has what a client may ask for (to wait for the turn, to call a tool, to
end the turn), and answers each. A seat belongs to its token: whoever holds it may act in the turn,
whether or not the same client was told of it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import anyio
from attrs import define, field

from deskroom.core.reasons import CallFault
from deskroom.room import Turn
from deskroom.room.attendance import Attendance, Changes
from deskroom.seats.facts import reply_facts, turn_facts
from deskroom.seats.guide import turn_text

__all__ = ["Answer", "Gone", "OpenTurn", "Place"]

Json = dict[str, Any]
#: Reports how often a client has been told that it still waits, and why.
Report = Callable[[int, str], Awaitable[None]]

#: How often a client that waits is told so, in seconds.
_PROGRESS_S: Final = 5.0
#: How long the end of a turn waits to see what came of it, in seconds.
_COMMIT_S: Final = 2.0
_SEAT_TAKEN: Final = "seat_taken"


class Answer(NamedTuple):
    """What a client is answered: in words, as facts, and whether it was refused."""

    text: str
    facts: Json
    is_refusal: bool = False


class Gone(NamedTuple):
    """Whether a request's client has gone away."""

    event: anyio.Event

    @property
    def is_set(self) -> bool:
        """Whether it has."""
        return self.event.is_set()


@define(eq=False)
class OpenTurn:
    """The turn that the seat has. One that is ``held`` lasts until its program ends.

    ``text`` is what a client has ended it with.
    """

    turn: Turn
    held: bool
    over: anyio.Event = field(factory=anyio.Event)
    ended: bool = False
    text: str = ""


@define(eq=False)
class _Waiter:
    """A client that waits for the turn."""

    taken_over: bool = False


@define(eq=False)
class Place:
    """A seat of a room that runs. ``wait_s`` is the longest that a client is kept waiting."""

    attendance: Attendance
    wait_s: float
    takeover: bool
    #: Whether a client has taken part, and whether one has been told that the room closed.
    is_used: bool = False
    is_told: bool = False
    _open: OpenTurn | None = None
    _waiter: _Waiter | None = None
    _left: bool = False
    _changes: Changes = field(factory=Changes)

    # The room's side

    async def play(self, turn: Turn) -> str:
        """Keep a turn open until a client ends it or the room does, and return its text."""
        with self.opened(turn) as open_:
            await open_.over.wait()
            return open_.text

    @contextmanager
    def opened(self, turn: Turn, *, held: bool = False) -> Iterator[OpenTurn]:
        """Let clients act in a turn, for as long as the context lasts."""
        if self._open is not None:
            self._open.over.set()  # of that one the time was over
        open_ = self._open = OpenTurn(turn, held)
        self.wake()
        try:
            yield open_
        finally:
            open_.over.set()
            if held:
                self.is_used = False  # its program has ended, and hears no farewell
            if self._open is open_:
                self._open = None
            self.wake()

    def wake(self) -> None:
        """Let everybody who waits look again."""
        self._changes.notify()

    def leave(self) -> None:
        """Say that the room is over: nobody gets the turn any more."""
        self._left = True
        self.wake()

    async def follow(self) -> None:
        """Tell those who wait of each change that matters to them, until cancelled."""
        seen: tuple[object, ...] = ()
        while True:
            room = self.attendance
            now = (room.open_turn, room.turn_of, room.closed)
            if now != seen:
                seen = now
                if self._open is not None and not self._has_it(self._open):
                    self._open.over.set()
                self.wake()
            await room.change()

    def _has_it(self, open_: OpenTurn) -> bool:
        """Whether the room still says that a turn is open."""
        return self.attendance.open_turn == (open_.turn.number, open_.turn.attempt)

    # A client's side

    async def wait(self, report: Report, gone: Gone) -> Answer:
        """Answer once the seat has the turn, the room has closed, or ``wait_s`` are over."""
        self.is_used = True
        answer = self._at_once()
        if answer is not None:
            return answer
        if self._waiter is not None:
            if not self.takeover:
                return _refused(
                    _SEAT_TAKEN, "Another client of this seat waits for the turn already."
                )
            self._waiter.taken_over = True
            self.wake()
        waiter = self._waiter = _Waiter()
        try:
            with anyio.move_on_after(self.wait_s):
                return await self._wait(waiter, report, gone)
        finally:
            if self._waiter is waiter:
                self._waiter = None
        text = f"It is not your turn yet: {self._whose_turn()}. Call desk_wait again."
        return Answer(text, {"status": "waiting", "turn_of": self.attendance.turn_of})

    async def _wait(self, waiter: _Waiter, report: Report, gone: Gone) -> Answer:
        told, times = "", 0
        while True:
            if waiter.taken_over:
                text = "Another client of this seat waits for the turn now, in place of this one."
                return _refused(_SEAT_TAKEN, text)
            if gone.is_set:
                return _refused(_SEAT_TAKEN, "The client has gone away.")
            answer = self._at_once()
            if answer is not None:
                return answer
            change = self._changes.upcoming()
            if told != (told := self._whose_turn()):
                times += 1
                await report(times, told)
            with anyio.move_on_after(_PROGRESS_S) as scope:
                await change.wait()
            if scope.cancelled_caught:
                told = ""

    def _at_once(self) -> Answer | None:
        """Return what a client that wants the turn is answered without waiting, or None."""
        open_ = self._open
        if open_ is not None and not open_.ended and not open_.over.is_set():
            return Answer(turn_text(open_.turn), {"status": "turn", **turn_facts(open_.turn)})
        if open_ is not None and open_.held:
            return Answer("Your turn has ended.", {"status": "ended"})
        if self._is_over:
            self.is_told = True
            return Answer(
                f"{self._closing()} Nothing is left to do.", self._closing_facts("closed")
            )
        return None

    async def call(self, tool: object, arguments: object) -> Answer:
        """Make a call in the turn, and answer what the host replies."""
        self.is_used = True
        open_ = self._acting()
        if open_ is None:
            return self._not_your_turn()
        # Whatever it is: the host judges it.
        reply = await open_.turn.call(tool, arguments)  # type: ignore[arg-type]
        return Answer(reply.text, reply_facts(reply), is_refusal=not reply.ok)

    async def end(self, text: object) -> Answer:
        """End the turn with the seat's text, and answer once the room has taken it."""
        self.is_used = True
        open_ = self._acting()
        if open_ is None:
            return self._not_your_turn()
        if not isinstance(text, str) or not _is_utf8(text):
            problem = "desk_end takes one argument, text: a string that UTF-8 can hold."
            return _refused(CallFault.BAD_ARGUMENTS, problem)
        open_.text, open_.ended = text, True
        if open_.held:
            self.wake()
            return Answer("Your turn ends when your program does.", {"status": "ended"})
        open_.over.set()
        with anyio.move_on_after(_COMMIT_S):
            while self._has_it(open_) and not self._is_over:
                await self._changes.wait()
        if not self._is_over:
            return Answer("Your turn has ended. Call desk_wait for the next.", {"status": "ended"})
        # Most clients ask once more all the same, so the room still waits for that.
        return Answer(f"Your turn has ended. {self._closing()}", self._closing_facts("ended"))

    def _acting(self) -> OpenTurn | None:
        """Return the turn in which a client may act now, or None."""
        open_ = self._open
        if open_ is None or open_.ended or open_.over.is_set() or not self._has_it(open_):
            return None
        return open_

    # In words

    @property
    def _is_over(self) -> bool:
        return self._left or self.attendance.closed is not None

    def _closing(self) -> str:
        reason = self.attendance.closed
        return "The room has closed." if reason is None else f"The room has closed: {reason}."

    def _closing_facts(self, status: str) -> Json:
        return {"status": status, "closed": self.attendance.closed or "failed"}

    def _whose_turn(self) -> str:
        seat = self.attendance.turn_of
        return "nobody has the turn" if seat is None else f"@{seat} has the turn"

    def _not_your_turn(self) -> Answer:
        fault = CallFault.NOT_YOUR_TURN
        if self._is_over:
            self.is_told = True
            facts = {"ok": False, "rejection": fault, **self._closing_facts("closed")}
            return Answer(f"It is not your turn: {self._closing()}", facts, is_refusal=True)
        text = (
            f"It is not your turn: {self._whose_turn()}. Call desk_wait, which answers when it is."
        )
        facts = {"ok": False, "rejection": fault, "text": text, "turn_of": self.attendance.turn_of}
        return Answer(text, facts, is_refusal=True)


def _refused(reason: str, text: str) -> Answer:
    return Answer(text, {"ok": False, "rejection": reason, "text": text}, is_refusal=True)


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
