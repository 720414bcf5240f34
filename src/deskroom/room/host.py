"""The host: one actor that grants turns, answers calls, appends rows and decides who is next.

It asks ``steps.next_step`` what comes next and does it; while a turn is open it takes messages one
by one. Whatever it decides it first writes to the journal and then folds into the state, so that
a row exists before anybody acts on it.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from inspect import isawaitable
from typing import Any, TypeVar

import anyio
from anyio.abc import TaskGroup

from deskroom.core.audience import DESK, Author
from deskroom.core.directory import Target
from deskroom.core.dispatch import NoTurn, TurnFor
from deskroom.core.mention import Mention, resolve
from deskroom.core.responder import respond_to_person
from deskroom.core.transcript import Row
from deskroom.engine import steps
from deskroom.engine.calls import Refusal, Speaker
from deskroom.engine.chair import nudge_text
from deskroom.engine.entries import (
    CallEntry,
    CloseEntry,
    EndEntry,
    Entry,
    HeaderEntry,
    Journal,
    RoutedEntry,
    RowEntry,
    RowKind,
    TurnEntry,
)
from deskroom.engine.machine import TurnEvent, TurnState
from deskroom.engine.sentences import files_text
from deskroom.engine.state import RoomState, TurnRecord
from deskroom.errors import RoomFailure
from deskroom.room import messages as m
from deskroom.room.channels import Channels
from deskroom.room.clock import Clock
from deskroom.room.log import logs_info
from deskroom.room.open_turn import NOT_YOUR_TURN, TURN_ENDED, OpenTurn, Verdict, refusal_reply
from deskroom.room.router import Router, Routing
from deskroom.room.seat import Act, CountedInbox, HostInbox, Seat

__all__ = ["Host", "OnRow"]

T = TypeVar("T")

OnRow = Callable[[RowEntry], Awaitable[object] | object]

_SILENT_NOTE = "You ended your last turn without a call, so nobody heard you. Speak in a call."


class Host:
    """The host actor of one room. ``run`` plays the room to its close."""

    def __init__(
        self,
        state: RoomState,
        acts: Mapping[str, Act],
        clock: Clock,
        *,
        log: Any,  # noqa: ANN401 - structlog's loggers are made at run time
        journal: Journal | None = None,
        router: Router | None = None,
        on_row: OnRow | None = None,
        inbox_size: int = 64,
        settle: bool = False,
        scenario: str | None = None,
    ) -> None:
        self.state = state
        census = clock.census
        self.inbox = (
            HostInbox(inbox_size, clock)
            if census is None
            else CountedInbox(inbox_size, clock, census)
        )
        self._setup = state.setup
        self._policy = state.setup.policy
        self._channels = Channels(state, acts, self.inbox, clock)
        self._clock = clock
        self._journal = journal
        self._routing = Routing(state.setup, router)
        self._on_row = on_row
        self._settles = settle
        self._scenario = scenario
        self._log = self._turn_log = log
        # A turn binds its own ids, which costs; nobody pays for a level that is off.
        self._logs_info = logs_info(log)
        self._authors = {seat.id: Author("agent", seat.id) for seat in self._setup.seats}
        self._speakers = {seat.id: self._speaker(seat) for seat in self._setup.seats}
        self._turn: OpenTurn | None = None
        self._rung = False
        self._stopping = False
        # Around a wait for what is not the room's own: a router, or a callback for rows.
        self._outside: anyio.CancelScope | None = None
        self._leaves_debts = False
        self._tasks: TaskGroup | None = None
        #: Whether the room left somebody at work when it closed.
        self.leaves_work = False

    def _speaker(self, seat: Seat) -> Speaker:
        setup = self._setup
        books = self.state.books
        return Speaker(seat.id, 0, seat.fence, setup.directory, setup.desk_id, self._policy, books)

    # The loop

    async def run(self, tasks: TaskGroup) -> None:
        """Play the room until it closes. Seats run as tasks of ``tasks``.

        Raises ``RoomFailure`` when the journal, the router or the callback for rows fails.
        """
        self._tasks = tasks
        self._log.info("room.opened", seats=len(self._setup.seats))
        try:
            if not self.state.has_header:
                self._write(self.header())
            while self.state.closed is None:
                if self.inbox.items and self._may_be_interrupted():
                    await self._take_waiting()
                await self._do(self._next())
            self._log.info("room.closed", reason=self.state.closed, rows=len(self.state.rows))
        finally:
            self._leave()

    def header(self) -> HeaderEntry:
        """Return the first entry: what the room is made of."""
        return HeaderEntry(self._setup, self._scenario)

    def _may_be_interrupted(self) -> bool:
        """Whether a person may speak now: after the opening, and not before a row about files."""
        opened = bool(self.state.rows) or self._setup.opening is None
        return opened and self.state.owed_wrote is None

    def stop(self) -> None:
        """Close the room before its next turn; an open turn ends here and becomes no row.

        What a turn owes is still done, unless it waits for a router or a callback just now.
        """
        self._stopping = True
        if self._outside is not None:
            self._outside.cancel()
        # The mark counts; a message wakes a host that waits, and there is none before the room runs.
        if self._tasks is not None:
            with suppress(anyio.WouldBlock, anyio.ClosedResourceError):
                self.inbox.put_nowait(m.Wake())

    def _leave(self) -> None:
        """Turn away whoever still waits for an answer."""
        self._clock.disarm()
        with suppress(anyio.WouldBlock):
            while True:
                message = self.inbox.take_nowait()
                if isinstance(message, m.Word):
                    message.done.set()
        self.inbox.close()
        self.leaves_work = not self._channels.are_idle
        self._channels.close()

    async def _take_waiting(self) -> None:
        """Take what arrived between two steps: words of people, and calls that come too late."""
        while True:
            try:
                message = self.inbox.take_nowait()
            except anyio.WouldBlock:
                return
            await self._handle(message)

    def _next(self) -> steps.Step:
        step = steps.next_step(self.state)
        if not self._stopping:
            return step
        is_owed = isinstance(step, steps.Wrote | steps.Route) and not self._leaves_debts
        return step if is_owed else steps.Close("stopped")

    async def _do(self, step: steps.Step) -> None:
        match step:
            case TurnEntry():
                await self._play(step)
            case steps.Open():
                opening = self._setup.opening
                assert opening is not None  # noqa: S101 - the step says so
                await self._person_row("opening", opening.by, opening.message)
            case steps.Speak():
                cue = self._setup.script.cues[step.cue]  # type: ignore[union-attr]
                await self._person_row("person", cue.person or "", cue.message, step.cue)
            case steps.Wrote():
                await self._wrote_row(step.entry)
            case steps.Route():
                await self._route(step.entry)
            case steps.Nudge():
                await self._nudge(step)
            case steps.Wait():
                await self._handle(await self.inbox.take())
            case steps.Close():
                if self._settles and not self._stopping:
                    await self._settle()
                self._write(CloseEntry(step.reason))

    async def _settle(self) -> None:
        """Let the seats of a script finish what they still had to say, and tell them it is late."""
        self._rung = False
        self._clock.arm(math.inf, self._ring)
        while not self._rung:
            await self._handle(await self.inbox.take())

    def _write(self, entry: Entry) -> None:
        """Keep an entry, then act on it: the only way in which the state changes."""
        if self._journal is not None:
            self._journal.write(entry)
        self.state.apply(entry)

    async def _append(self, entry: RowEntry, log: Any) -> None:  # noqa: ANN401 - see __init__
        self._write(entry)
        if self._logs_info:
            log.info(
                "row.committed",
                sequence=entry.row.sequence,
                kind=entry.kind,
                audience=entry.row.audience.kind,
            )
        if self._on_row is not None:
            await self._tell(self._on_row, entry)

    async def _tell(self, on_row: OnRow, entry: RowEntry) -> None:
        try:
            result = on_row(entry)
            if isawaitable(result):
                await self._unless_stopped(result)
        except Exception as error:
            raise RoomFailure(f"the callback for rows failed: {error!r}") from error

    async def _unless_stopped(self, wait: Awaitable[T]) -> T | None:
        """Wait for what is not the room's own; a stop meanwhile ends that, and gives None.

        What is owed then stays owed, to a room that goes on from here.
        """
        with anyio.CancelScope() as self._outside:
            return await wait
        self._leaves_debts = True
        return None

    # Rows that no turn makes

    async def _say(self, author: Author, content: str, **facts: Any) -> None:  # noqa: ANN401
        """Append a desk row with the facts of its entry."""
        row = Row(len(self.state.rows) + 1, self._setup.desk_id, author, content, DESK)
        await self._append(RowEntry(row, **facts), self._log)

    async def _person_row(
        self, kind: RowKind, person: str, message: str, cue: int | None = None
    ) -> None:
        mentions = resolve(message, None, Target("person", person), self._setup.directory)
        decision = respond_to_person(mentions, self._setup.directory, self._setup.desk_id)
        author = Author("person", person)
        await self._say(author, message, kind=kind, decision=decision, mentions=mentions, cue=cue)

    async def _word(self, word: m.Word) -> None:
        """Append what a person said, and let whoever said it go on, even if the room now fails."""
        before = len(self.state.rows)
        try:
            await self._person_row("person", word.person, word.message)
        finally:
            word.row = self.state.rows[before] if len(self.state.rows) > before else None
            word.done.set()

    async def _nudge(self, step: steps.Nudge) -> None:
        text = nudge_text(
            step.seat, has_spoken=step.seat in self.state.spoken, narrated=self.state.narrated
        )
        mention = Mention(Target("agent", step.seat), f"@{step.seat}", 0)
        decision = TurnFor(step.seat, 0, mention)
        if step.pending is not None:
            decision = TurnFor(step.pending.seat, step.pending.hop)
        author = Author("person", self._setup.chair)
        await self._say(author, text, kind="nudge", decision=decision, mentions=(mention,))

    async def _wrote_row(self, entry: RowEntry | EndEntry) -> None:
        seat = entry.row.author.id if isinstance(entry, RowEntry) else entry.seat
        author = Author("system", kind="workspace")
        decision = NoTurn("source_inactive")
        text = files_text(seat, entry.wrote)
        await self._say(author, text, kind="wrote", decision=decision, turn=entry.turn)

    async def _route(self, entry: RowEntry) -> None:
        record = self.state.turns[-1]
        recipients: tuple[str, ...] | None = ()
        if record.hop < self._policy.dispatch.max_hops:
            recipients = await self._unless_stopped(self._routing.recipients(entry.row, record.cue))
        if recipients is None:
            return
        self._write(RoutedEntry(entry.row.sequence, (), recipients, record.hop + 1))
        self._turn_log.info(
            "broadcast.routed", sequence=entry.row.sequence, recipients=len(recipients)
        )

    # A turn

    async def _play(self, grant: TurnEntry) -> None:
        turn = self._grant(grant)
        while not turn.has_ended:
            # A seat that calls and calls never lets the host wait.
            self._clock.check()
            if self._stopping:
                turn.end(TurnEvent.STOP)
            elif self._rung:
                self._time_out(turn)
            else:
                message = await self.inbox.take()
                # The most usual message, and one whose answer waits for nothing.
                if isinstance(message, m.Call):
                    self._call(message)
                else:
                    await self._handle(message)
        self._clock.disarm()

    def _grant(self, grant: TurnEntry) -> OpenTurn:
        seat = grant.seat
        self._write(grant)
        if self._logs_info:
            self._turn_log = self._log.bind(turn=grant.turn, seat=seat)
            self._turn_log.info("turn.granted", hop=grant.hop, attempt=grant.attempt)
        assert self._tasks is not None  # noqa: S101 - set when the host runs
        record = self.state.turns[-1]
        note = _SILENT_NOTE if self.state.retry_of(grant.turn) else None
        handle = self._channels.grant(record, note, self._tasks)
        speaker = self._speakers[seat]
        speaker.hop = grant.hop
        turn = self._turn = OpenTurn(record, speaker, handle)
        self._rung = False
        self._clock.arm(self._policy.turn_timeout_s, self._ring)
        return turn

    def _ring(self) -> None:
        # The mark counts; the message only wakes a host that waits, and a full inbox wakes it too.
        self._rung = True
        with suppress(anyio.WouldBlock):
            self.inbox.put_nowait(m.Wake())

    # Messages

    async def _handle(self, message: object) -> None:
        match message:
            case m.Call():
                self._call(message)
            case m.TurnEnd():
                await self._end(message)
            case m.Word():
                await self._word(message)
            case _:  # it only wakes; what it is about is looked at before the next message
                pass

    def _open_turn(self, record: TurnRecord) -> OpenTurn | None:
        """Return the open turn if this is its record."""
        now = self._turn
        return now if now is not None and now.record is record and not now.has_ended else None

    def _call(self, call: m.Call) -> None:
        turn = self._open_turn(call.turn)
        if turn is None:
            self._late_call(call)
            return
        verdict = turn.judge(call)
        number = len(turn.record.replies) + 1
        self._write(_call_entry(call, number, verdict))
        call.reply_to(turn.take(call, verdict, self.state))
        if self._logs_info:
            self._log_call(verdict, number)

    def _log_call(self, verdict: Verdict, number: int) -> None:
        if isinstance(verdict, Refusal):
            self._turn_log.info("call.refused", call=number, reason=verdict.word)
        else:
            self._turn_log.info("call.accepted", call=number)

    def _late_call(self, call: m.Call) -> None:
        """Refuse a call for which no turn is open."""
        record = self.state.record(call.turn.number, call.turn.attempt, call.turn.seat)
        verdict = NOT_YOUR_TURN if record is None else TURN_ENDED
        # A stop leaves the open turn to be granted again: what its seat still says is in no turn.
        if record is None or record is not self.state.open:
            number = 0 if record is None else len(record.replies) + 1
            self._write(_call_entry(call, number, verdict, late=True))
        seat = call.turn.seat
        call.reply_to(refusal_reply(call, verdict, self._speakers[seat]))
        self._log.info("call.refused", turn=call.turn.number, seat=seat, reason=verdict.word)

    async def _end(self, end: m.TurnEnd) -> None:
        turn = self._open_turn(end.turn)
        if turn is None:
            return
        record = turn.record
        record.text, record.error = end.text, end.error
        if end.error is None and self._setup.by_id[record.seat].fence:
            self._read_fence(turn, end)
        turn.end(TurnEvent.END if end.error is None else TurnEvent.RAISE)
        if turn.machine is TurnState.SPOKE:
            author = self._authors[record.seat]
            entry = turn.row_entry(len(self.state.rows) + 1, author, end.wrote)
            await self._append(entry, self._turn_log)
            if self._logs_info:
                self._turn_log.info("turn.ended", outcome="spoke")
            return
        self._finish(turn, end)
        if end.error is not None:
            self._log.warning(
                "turn.failed", turn=record.number, seat=record.seat, error=type(end.error).__name__
            )

    def _read_fence(self, turn: OpenTurn, end: m.TurnEnd) -> None:
        entry = turn.read_fence(end)
        if entry is not None:
            self._write(entry)
            if entry.reply != "ok":
                self._turn_log.info("call.refused", call=0, reason=entry.reply)

    def _time_out(self, turn: OpenTurn) -> None:
        turn.end(TurnEvent.DEADLINE)
        self._finish(turn, None)
        seat = turn.record.seat
        self._channels.leave_behind(seat, turn.turn)
        self._log.warning("turn.timed_out", turn=turn.record.number, seat=seat)

    def _finish(self, turn: OpenTurn, end: m.TurnEnd | None) -> None:
        """End a turn that becomes no row."""
        entry = turn.end_entry(end)
        if turn.held is not None:
            self._log.warning("turn.dropped", turn=entry.turn, seat=entry.seat, why=entry.outcome)
        self._write(entry)
        self._turn_log.info("turn.ended", outcome=entry.outcome)


def _call_entry(call: m.Call, number: int, verdict: Verdict, *, late: bool = False) -> CallEntry:
    word = verdict.word if isinstance(verdict, Refusal) else "ok"
    turn = call.turn
    return CallEntry(
        turn.number, turn.attempt, turn.seat, number, call.tool, call.arguments, word, late
    )
