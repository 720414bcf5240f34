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
from typing import Any, Literal

import anyio
from anyio.abc import TaskGroup
from attrs import evolve

from deskroom.core.audience import DESK, Author, Viewer
from deskroom.core.directory import Target
from deskroom.core.dispatch import NoTurn, TurnFor
from deskroom.core.episode import choose_recipients
from deskroom.core.mention import Mention, resolve
from deskroom.core.responder import respond_to_person
from deskroom.core.text import is_blank
from deskroom.core.transcript import Row
from deskroom.errors import RoomFailure
from deskroom.room import messages as m
from deskroom.room import steps
from deskroom.room.calls import Accepted, Refusal, Speaker, judge
from deskroom.room.chair import nudge_text
from deskroom.room.clock import Clock
from deskroom.room.entries import (
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
from deskroom.room.log import logs_info
from deskroom.room.machine import ENDED, TurnEvent, TurnState, advance
from deskroom.room.reading import history_bounds, last_seen
from deskroom.room.router import Router, check_scores, lexical
from deskroom.room.seat import Act, HostInbox, Seat, SeatChannel, Turn, run_seat
from deskroom.room.sentences import accepted_text, read_text, refusal_text
from deskroom.room.state import RoomState, TurnRecord
from deskroom.speech.fence import extract_post
from deskroom.speech.tools import POST, served, tool_specs
from deskroom.speech.utterance import Read

__all__ = ["Host", "OnRow"]

OnRow = Callable[[RowEntry], Awaitable[object] | object]

_SILENT_NOTE = "You ended your last turn without a call, so nobody heard you. Speak in a call."
_TURN_ENDED = Refusal("turn_ended")
_NOT_YOUR_TURN = Refusal("not_your_turn")
_TOO_MANY_CALLS = Refusal("too_many_calls")


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
        self.inbox = HostInbox(inbox_size, clock)
        self._setup = state.setup
        self._policy = state.setup.policy
        self._acts = acts
        self._clock = clock
        self._log = log
        self._turn_log = log
        # A turn binds its own ids, which costs; nobody pays for a level that is off.
        self._logs_info = logs_info(log)
        self._journal = journal
        self._router = router
        self._on_row = on_row
        self._settle_after = settle
        order: Literal["listed", "routed"] = "listed" if state.is_listed else "routed"
        self._header = HeaderEntry(state.setup, None if state.script is None else order, scenario)
        self._authors = {seat.id: Author("agent", seat.id) for seat in state.setup.seats}
        self._viewers = {seat.id: Viewer("agent", seat.id) for seat in state.setup.seats}
        self._channels: dict[str, SeatChannel] = {}
        self._stale: set[str] = set()
        self._machine = TurnState.IDLE
        self._turn: Turn | None = None
        self._speaker: Speaker | None = None
        self._held: Accepted | None = None
        self._replaces = False
        self._stopping = False
        self._rung: m.Deadline | None = None
        self._open_channels: list[SeatChannel] = []
        self._tasks: TaskGroup | None = None

    # The loop

    async def run(self, tasks: TaskGroup) -> None:
        """Play the room until it closes. Seats run as tasks of ``tasks``.

        Raises ``RoomFailure`` when the journal, the router or the callback for rows fails.
        """
        self._tasks = tasks
        self._log.info("room.opened", seats=len(self._setup.seats))
        try:
            if not self.state.has_header:
                self._write(self._header)
            while self.state.closed is None:
                if self._may_be_interrupted():
                    await self._take_waiting()
                await self._do(self._next())
            self._log.info("room.closed", reason=self.state.closed, rows=len(self.state.rows))
        finally:
            self._leave()

    def _may_be_interrupted(self) -> bool:
        """Whether a person may speak now: after the opening, and not before a row about files."""
        opened = bool(self.state.rows) or self._setup.opening is None
        return opened and self.state.owed_wrote is None

    def stop(self) -> None:
        """Close the room before its next turn; an open turn ends here and becomes no row."""
        self._stopping = True
        # The mark counts; a message wakes a host that waits, and there is none before the room runs.
        if self._tasks is not None:
            with suppress(anyio.WouldBlock, anyio.ClosedResourceError):
                self.inbox.put_nowait(m.Stop())

    def _leave(self) -> None:
        """Turn away whoever still waits for an answer."""
        self._clock.disarm()
        with suppress(anyio.WouldBlock):
            while True:
                message = self.inbox.get_nowait()
                if isinstance(message, m.Word):
                    message.done.set()
        self.inbox.close()
        for channel in self._open_channels:
            channel.close()

    async def _take_waiting(self) -> None:
        """Take what arrived between two steps: words of people, and calls that come too late."""
        with suppress(anyio.WouldBlock):
            while True:
                await self._handle(self.inbox.get_nowait())

    def _next(self) -> steps.Step:
        step = steps.next_step(self.state)
        owed = isinstance(step, steps.Wrote | steps.Route)
        return steps.Close("stopped") if self._stopping and not owed else step

    async def _do(self, step: steps.Step) -> None:
        match step:
            case steps.Grant():
                await self._play(step)
            case steps.Open():
                await self._open()
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
                await self._handle(await self.inbox.get())
            case steps.Close():
                if self._settle_after and not self._stopping:
                    await self._settle()
                self._write(CloseEntry(step.reason))

    async def _settle(self) -> None:
        """Let the seats of a script finish what they still had to say, and tell them it is late."""
        end = m.Deadline(0, 0)
        self._rung = None
        self._clock.arm(math.inf, lambda: self._ring(end))
        while self._rung is not end:
            await self._handle(await self.inbox.get())

    def _write(self, entry: Entry) -> None:
        """Keep an entry, then act on it: the only way in which the state changes."""
        if self._journal is not None:
            self._journal.write(entry)
        self.state.apply(entry)

    async def _append(self, entry: RowEntry) -> None:
        self._write(entry)
        log = self._turn_log if entry.kind == "seat" else self._log
        log.info(
            "row.committed",
            sequence=entry.row.sequence,
            kind=entry.kind,
            audience=entry.row.audience.kind,
        )
        if self._on_row is not None:
            try:
                result = self._on_row(entry)
                if isawaitable(result):
                    await result
            except Exception as error:
                raise RoomFailure(f"the callback for rows failed: {error!r}") from error

    def _row(self, author: Author, content: str) -> Row:
        return Row(len(self.state.rows) + 1, self._setup.desk_id, author, content, DESK)

    # Rows that no turn makes

    async def _open(self) -> None:
        opening = self._setup.opening
        assert opening is not None  # noqa: S101 - the step says so
        await self._person_row("opening", opening.by, opening.message)

    async def _person_row(
        self, kind: RowKind, person: str, message: str, cue: int | None = None
    ) -> None:
        mentions = resolve(message, None, Target("person", person), self._setup.directory)
        decision = respond_to_person(mentions, self._setup.directory, self._setup.desk_id)
        row = self._row(Author("person", person), message)
        await self._append(RowEntry(row, kind, decision, mentions, cue=cue))

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
        seat = Target("agent", step.seat)
        mention = Mention(seat, f"@{step.seat}", 0)
        decision = TurnFor(step.seat, 0, mention)
        if step.pending is not None:
            decision = TurnFor(step.pending.seat, step.pending.hop)
        row = self._row(Author("person", self._setup.chair), text)
        await self._append(RowEntry(row, "nudge", decision, (mention,)))

    async def _wrote_row(self, entry: RowEntry | EndEntry) -> None:
        seat = entry.row.author.id if isinstance(entry, RowEntry) else entry.seat
        row = self._row(
            Author("system", kind="workspace"), f"{seat} wrote {', '.join(entry.wrote)}"
        )
        await self._append(RowEntry(row, "wrote", NoTurn("source_inactive"), turn=entry.turn))

    async def _route(self, entry: RowEntry) -> None:
        record = self.state.turns[-1]
        recipients: tuple[str, ...] = ()
        if record.hop < self._policy.dispatch.max_hops:
            recipients = await self._recipients(entry, record)
        self._write(RoutedEntry(entry.row.sequence, recipients, record.hop + 1))
        self._log.info("broadcast.routed", sequence=entry.row.sequence, recipients=len(recipients))

    async def _recipients(self, entry: RowEntry, record: TurnRecord) -> tuple[str, ...]:
        author = entry.row.author.id
        candidates = [self._setup.by_id[s] for s in self._setup.active if s != author]
        scores: Mapping[str, float]
        if self._router is not None:
            scores = await self._ask(self._router, entry.row.content, candidates)
        elif self._policy.broadcast.router == "lexical":
            scores = await lexical(entry.row.content, candidates)
        else:
            scores = self._scripted_scores(record)
        ids = [seat.id for seat in candidates]
        return choose_recipients(ids, scores, self._policy.broadcast.width)

    async def _ask(self, router: Router, message: str, candidates: list[Any]) -> dict[str, float]:
        try:
            scores = await router(message, tuple(candidates))
        except Exception as error:
            raise RoomFailure(f"the router failed: {error!r}") from error
        return check_scores(scores, candidates)

    def _scripted_scores(self, record: TurnRecord) -> Mapping[str, float]:
        script = self._setup.script
        return script.cues[record.cue].scores if script and record.cue is not None else {}

    # A turn

    async def _play(self, grant: steps.Grant) -> None:
        self._grant(grant)
        while self._machine not in ENDED:
            if self._stopping:
                self._machine = advance(self._machine, TurnEvent.STOP)
                break
            message = await self.inbox.get() if self._rung is None else self._rung
            await self._handle(message)
        self._clock.disarm()

    def _grant(self, grant: steps.Grant) -> None:
        seat = self._setup.by_id[grant.seat]
        self._write(
            TurnEntry(grant.turn, grant.seat, grant.hop, grant.trigger, grant.attempt, grant.cue)
        )
        self._machine = advance(self._machine, TurnEvent.GRANT)
        self._held = None
        self._rung = None
        self._speaker = self._speaker_for(grant.seat, grant.hop)
        if self._logs_info:
            self._turn_log = self._log.bind(turn=grant.turn, seat=grant.seat)
            self._turn_log.info("turn.granted", hop=grant.hop, attempt=grant.attempt)
        self._turn = self._channel(grant.seat).grant(self._grant_message(grant, seat))
        deadline = m.Deadline(grant.turn, grant.attempt)
        self._clock.arm(self._policy.turn_timeout_s, lambda: self._ring(deadline))

    def _speaker_for(self, seat: str, hop: int) -> Speaker:
        return Speaker(
            seat,
            hop,
            self._setup.by_id[seat].fence,
            self._setup.directory,
            self._setup.desk_id,
            self._policy,
            self.state.books,
        )

    def _ring(self, deadline: m.Deadline) -> None:
        # The mark counts; the message only wakes a host that waits, and a full inbox wakes it too.
        self._rung = deadline
        with suppress(anyio.WouldBlock):
            self.inbox.put_nowait(deadline)

    def _channel(self, seat: str) -> SeatChannel:
        """Return the seat's channel; its actor starts with its first turn.

        An actor that let a deadline pass is left to finish what it is at, and a new one takes the
        seat's next turn.
        """
        channel = self._channels.get(seat)
        if channel is None or seat in self._stale:
            calls = 0
            if channel is not None:
                channel.end_grants()
                calls = channel.calls
            channel = SeatChannel(self._setup.by_id[seat], self.inbox, self._clock, calls=calls)
            self._channels[seat] = channel
            self._open_channels.append(channel)
            self._stale.discard(seat)
            assert self._tasks is not None  # noqa: S101 - set when the host runs
            self._tasks.start_soon(run_seat, self._acts[seat], channel)
        return channel

    def _grant_message(self, grant: steps.Grant, seat: Seat) -> m.TurnGrant:
        rows = self.state.rows
        viewer = self._viewers[grant.seat]
        start, stop = history_bounds(len(rows), self.state.turns[-1].since, self._policy)
        trigger = grant.trigger or 0
        return m.TurnGrant(
            turn=grant.turn,
            attempt=grant.attempt,
            hop=grant.hop,
            trigger=m.History(rows, max(trigger - 1, 0), trigger, viewer),
            brief=seat.brief,
            history=m.History(rows, start, stop, viewer),
            tools=() if seat.fence else tool_specs(),
            note=_SILENT_NOTE if self.state.retry_of(grant.turn) else None,
            cue=grant.cue,
        )

    # Messages

    async def _handle(self, message: object) -> None:
        match message:
            case m.Call():
                self._call(message)
            case m.TurnEnd():
                await self._end(message)
            case m.Word():
                await self._word(message)
            case m.Deadline():
                self._deadline(message)
            case _:
                pass  # a stop only wakes the host

    def _is_open(self, turn: int, attempt: int, seat: str | None = None) -> bool:
        """Whether this is the turn that is open now."""
        record = self.state.open
        if self._machine in ENDED or record is None:
            return False
        same_seat = seat is None or record.seat == seat
        return record.number == turn and record.attempt == attempt and same_seat

    def _call(self, call: m.Call) -> None:
        record = self.state.record(call.turn, call.attempt, call.seat)
        verdict = self._judge(call, record)
        word = verdict.word if isinstance(verdict, Refusal) else "ok"
        late = verdict is _TURN_ENDED or verdict is _NOT_YOUR_TURN
        number = 0 if record is None else len(record.replies) + 1
        self._write(
            CallEntry(
                call.turn,
                call.attempt,
                call.seat,
                number,
                call.tool,
                call.arguments,
                word,
                late,
            )
        )
        if not late:
            self._move(verdict)
        call.reply_to(self._answer(call, verdict))
        if isinstance(verdict, Refusal):
            self._log.info("call.refused", turn=call.turn, seat=call.seat, reason=word)
        else:
            self._turn_log.info("call.accepted", call=number)

    def _judge(self, call: m.Call, record: TurnRecord | None) -> Accepted | Read | Refusal:
        if record is None:
            return _NOT_YOUR_TURN
        if not self._is_open(call.turn, call.attempt, call.seat):
            return _TURN_ENDED
        assert self._speaker is not None  # noqa: S101 - set with every grant
        if len(self.state.turns[-1].replies) >= self._policy.max_calls:
            return _TOO_MANY_CALLS
        return judge(call.tool, call.arguments, self._speaker)

    def _move(self, verdict: Accepted | Read | Refusal) -> None:
        if isinstance(verdict, Read):
            self._machine = advance(self._machine, TurnEvent.READ)
        elif isinstance(verdict, Refusal):
            self._machine = advance(self._machine, TurnEvent.REFUSE)
        else:
            self._machine = advance(self._machine, TurnEvent.ACCEPT)
            self._replaces = self._held is not None
            self._held = verdict

    def _answer(self, call: m.Call, verdict: Accepted | Read | Refusal) -> m.Reply:
        # A resumed room may hear of late calls before it has granted a turn.
        speaker = self._speaker or self._speaker_for(call.seat, 0)
        if isinstance(verdict, Refusal):
            text = refusal_text(verdict, speaker)
            return m.Reply(call.call_id, ok=False, text=text, rejection=verdict.word)
        if isinstance(verdict, Read):
            seen = last_seen(self.state.rows, self._viewers[call.seat], verdict.limit)
            return m.Reply(call.call_id, ok=True, text=read_text(seen), rows=seen)
        text = accepted_text(verdict, speaker, replaces=self._replaces)
        return m.Reply(call.call_id, ok=True, text=text)

    # The end of a turn

    async def _end(self, end: m.TurnEnd) -> None:
        if not self._is_open(end.turn, end.attempt, end.seat):
            return
        record = self.state.turns[-1]
        record.text, record.error = end.text, end.error
        fence = self._setup.by_id[end.seat].fence
        if fence and end.error is None:
            self._read_fence(end)
        event = TurnEvent.END if end.error is None else TurnEvent.RAISE
        self._machine = advance(self._machine, event)
        if self._machine is TurnState.SPOKE:
            await self._commit(end.wrote)
            return
        self._finish(end)
        if end.error is not None:
            self._log.warning(
                "turn.failed", turn=end.turn, seat=end.seat, error=type(end.error).__name__
            )

    def _deadline(self, deadline: m.Deadline) -> None:
        if self._rung is deadline and deadline.turn:
            self._rung = None
        if not self._is_open(deadline.turn, deadline.attempt):
            return
        record = self.state.turns[-1]
        self._machine = advance(self._machine, TurnEvent.DEADLINE)
        self._finish()
        self._stale.add(record.seat)
        assert self._turn is not None  # noqa: S101 - set with every grant
        if not self._turn.asleep:
            # It waits for something of its own; simulated time must not wait for that any more.
            self._clock.leave(self._turn)
        self._log.warning("turn.timed_out", turn=record.number, seat=record.seat)

    def _read_fence(self, end: m.TurnEnd) -> None:
        message = extract_post(end.text)
        if is_blank(message):
            return
        assert self._speaker is not None  # noqa: S101 - set with every grant
        tool, arguments = served(POST), {"message": message}
        verdict = judge(tool, arguments, evolve(self._speaker, fence=False))
        word = verdict.word if isinstance(verdict, Refusal) else "ok"
        self._write(
            CallEntry(end.turn, end.attempt, end.seat, 0, tool, arguments, word, source="fence")
        )
        self._move(verdict)
        if isinstance(verdict, Refusal):
            self._log.info("call.refused", turn=end.turn, seat=end.seat, reason=verdict.word)

    async def _commit(self, wrote: tuple[str, ...]) -> None:
        held, record = self._held, self.state.turns[-1]
        assert held is not None  # noqa: S101 - a turn that spoke holds what it said
        committed = held.committed
        row = Row(
            len(self.state.rows) + 1,
            self._setup.desk_id,
            self._authors[record.seat],
            committed.content,
            committed.audience,
        )
        await self._append(
            RowEntry(
                row,
                "seat",
                held.decision,
                committed.mentions,
                record.number,
                record.trigger,
                committed.completes_episode,
                committed.broadcasting,
                committed.refusal,
                wrote=wrote,
            )
        )

    def _finish(self, end: m.TurnEnd | None = None) -> None:
        """End a turn that becomes no row; one whose time was over has no end of its own."""
        record = self.state.turns[-1]
        outcome: Any = self._machine.value
        if self._held is not None:
            self._log.warning("turn.dropped", turn=record.number, seat=record.seat, why=outcome)
        entry = EndEntry(record.number, record.attempt, record.seat, outcome)
        if end is not None:
            entry = evolve(entry, text=end.text, wrote=end.wrote, error=_told(end.error))
        self._write(entry)
        self._turn_log.info("turn.ended", outcome=outcome)


def _told(error: Exception | None) -> str | None:
    """Return what an error says of itself, or its name; even to say it may fail."""
    if error is None:
        return None
    name = type(error).__name__
    try:
        return str(error) or name
    except Exception:  # noqa: BLE001 - whatever a seat raises costs its own turn
        return name
