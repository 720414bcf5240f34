"""The state of a room: the fold of its entries.

``apply`` is the only thing that changes it, and an entry carries all that it needs; what it costs
does not depend on how long the transcript is. ``due.py`` reads it to say what comes next.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

from attrs import define, field

from deskroom.core.dispatch import TurnFor
from deskroom.core.episode import Episode
from deskroom.core.reasons import OK, CloseReason, Outcome, RowKind
from deskroom.core.text import is_blank
from deskroom.core.transcript import Bookkeeping, Row
from deskroom.engine.calls import Accepted, Refusal, Speaker, Verdict, judge, judge_post
from deskroom.engine.entries import (
    CallEntry,
    CloseEntry,
    EndEntry,
    Entry,
    ExcessEntry,
    HeaderEntry,
    Raised,
    RoutedEntry,
    RowEntry,
    TurnEntry,
    UsageEntry,
)
from deskroom.engine.machine import Stage, TurnEvent, advance
from deskroom.engine.script import ScriptPosition
from deskroom.engine.setup import Setup

__all__ = ["Pending", "RoomState", "TurnRecord", "event_of"]


class Pending(NamedTuple):
    """A turn that somebody is to get: at which hop, and which row brought it."""

    seat: str
    hop: int
    trigger: int | None


@define
class TurnRecord:
    """One granted turn, as far as it has come.

    ``replies`` holds the reply to each call, in order, late calls included: ``ok`` or a reason.
    ``excess`` counts the calls after the first ``too_many_calls``, which were answered alike.
    ``refusal`` is the reason of the last call refused while the turn was open. ``row`` is the
    sequence of the row it became; ``error`` what the seat raised; ``text`` what it said outside
    its calls. A retry or a resumed grant raises ``attempt``.
    """

    number: int
    seat: str
    hop: int
    trigger: int | None
    attempt: int
    cue: int | None
    outcome: Outcome | None = None
    replies: list[str] = field(factory=list)
    excess: int = 0
    refusal: str | None = None
    row: int | None = None
    error: Raised | None = field(default=None, repr=False)
    text: str = field(default="", repr=False)
    #: How many rows there were at this grant, and at the seat's grant before it.
    granted_at: int = field(default=0, repr=False)
    since: int | None = field(default=None, repr=False)
    #: Whether a call was made in time; late ones are no calls of the turn.
    called: bool = field(default=False, repr=False)
    #: While the turn is open: its stage, and the accepted call that stands.
    stage: Stage = field(default=Stage.OPEN, repr=False)
    held: Accepted | None = field(default=None, repr=False)


@define
class RoomState:
    """Everything the host knows. The fields are what the rules of scenarios.md speak of."""

    setup: Setup = field(eq=False)
    has_header: bool = False
    rows: list[Row] = field(factory=list)
    entries: list[RowEntry] = field(factory=list)
    turns: list[TurnRecord] = field(factory=list)
    #: How many turns have been granted; a turn that is granted again counts once.
    granted: int = 0
    books: Bookkeeping = field(factory=Bookkeeping)
    script: ScriptPosition | None = None
    pending: Pending | None = None
    queue: deque[Pending] = field(factory=deque)
    nudges: int = 0
    turns_since_chair: int = 0
    #: Seats that wrote text and made no call since the chair spoke, with the turn they did it in.
    narrated: dict[str, int] = field(factory=dict)
    spoken: dict[str, None] = field(factory=dict)
    last_author: str | None = None
    completions: int = 0
    #: The turn that is granted and has not ended.
    open: TurnRecord | None = None
    #: A person spoke while the turn was open: what the turn hands on is dropped.
    interrupted: bool = False
    #: What must be done before anything else: a row about files, a routing, a retry.
    unreported_files: RowEntry | EndEntry | None = None
    unrouted: RowEntry | None = None
    retry: TurnRecord | None = None
    closed: CloseReason | None = None
    routed: dict[int, RoutedEntry] = field(factory=dict)
    _first_of: list[int] = field(factory=list)
    _last_grant: dict[str, int] = field(factory=dict)
    episode: Episode = field(init=False)
    speakers: dict[str, Speaker] = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        setup, books = self.setup, self.books
        self.speakers = {
            seat.id: Speaker(
                seat.id, 0, seat.fence, setup.directory, setup.desk_id, setup.policy, books
            )
            for seat in setup.seats
        }
        participants = self.setup.policy.participants
        self.episode = Episode.begin(self.setup.active if participants is None else participants)
        if self.setup.script is not None:
            self.script = ScriptPosition(self.setup.script)

    @property
    def rounds_left(self) -> int:
        """How many nudges the chair still has."""
        return self.setup.policy.chair.rounds - self.nudges

    @property
    def is_listed(self) -> bool:
        """Whether a script alone decides who is granted."""
        return self.script is not None and self.script.script.listed

    def apply(self, entry: Entry) -> None:
        """Fold one entry in. A room that goes on behind a close was stopped, and is open again."""
        self.closed = None
        self._FOLDS[type(entry)](self, entry)

    def _header(self, entry: HeaderEntry) -> None:  # noqa: ARG002 - the setup is known already
        self.has_header = True

    def _close(self, entry: CloseEntry) -> None:
        self.closed = entry.reason

    def record(self, number: int, attempt: int, seat: str) -> TurnRecord | None:
        """Return a turn that this seat was granted, or None if it never was."""
        if not 1 <= number <= self.granted:
            return None
        for at in range(self._first_of[number - 1], len(self.turns)):
            record = self.turns[at]
            if record.number != number:
                return None
            if record.attempt == attempt and record.seat == seat:
                return record
        return None

    def _turn(self, entry: TurnEntry) -> None:
        resumed = self.open is not None
        if entry.turn == self.granted:
            since = self.turns[-1].since
        else:
            since = self._last_grant.get(entry.seat)
            self.granted = entry.turn
            self.turns_since_chair += 1
            self._first_of.append(len(self.turns))
            self._take(entry.seat)
        if resumed:
            # The grant that a crash cut short is as if it had never been, but for its number.
            self.turns.pop()
        elif entry.cue is not None and self.script is not None:
            self.script.play(entry.cue)
        self._last_grant[entry.seat] = len(self.rows)
        self.open = TurnRecord(
            entry.turn,
            entry.seat,
            entry.hop,
            entry.trigger,
            entry.attempt,
            entry.cue,
            granted_at=len(self.rows),
            since=since,
        )
        self.turns.append(self.open)
        self.speakers[entry.seat].hop = entry.hop
        self.retry = None

    def _take(self, seat: str) -> None:
        """A grant uses up what brought it: the pending turn, else the first in the queue."""
        if self.pending is None and self.queue and self.queue[0].seat == seat:
            self.queue.popleft()
        self.pending = None

    def _call(self, entry: CallEntry) -> None:
        if entry.late or self.open is None:
            late = self.record(entry.turn, entry.attempt, entry.seat)
            if late is not None:
                late.replies.append(entry.reply)
            return
        record = self.open
        if entry.source == "call":
            record.replies.append(entry.reply)
            record.called = True
        verdict = entry.verdict or self._judged(entry)
        stage = advance(record.stage, event_of(verdict))
        assert isinstance(stage, Stage)  # noqa: S101 - a call ends no turn
        record.stage = stage
        if isinstance(verdict, Accepted):
            record.held = verdict
        elif isinstance(verdict, Refusal):
            record.refusal = verdict.reason

    def _excess(self, entry: ExcessEntry) -> None:
        if self.open is not None:
            self.open.excess = entry.calls

    def _usage(self, entry: UsageEntry) -> None:
        """Change nothing: no rule asks what a turn took."""

    def _judged(self, entry: CallEntry) -> Verdict:
        """Judge a call that was read from a journal; a refusal there is enough to know."""
        if entry.reply != OK:
            return Refusal(entry.reply)
        speaker = self.speakers[entry.seat]
        if entry.source == "fence":
            return judge_post(entry.arguments, speaker)
        return judge(entry.tool, entry.arguments, speaker)

    def _end(self, entry: EndEntry) -> None:
        record = self._finish(entry.outcome)
        record.text, record.error = entry.text, entry.error
        self._count_narration(record)
        self.unreported_files = entry if entry.wrote else None
        if entry.outcome == Outcome.SILENT and self.setup.policy.silence == "retry":
            before = self.turns[-2] if len(self.turns) > 1 else None
            if before is None or before.number != record.number:
                self.retry = record
        # A retry is the same turn: what a person said meanwhile still counts against it.
        self.interrupted = self.interrupted and self.retry is not None

    def _count_narration(self, record: TurnRecord) -> None:
        """Note a seat that wrote text and made no call in its turn, its retry included.

        A fence seat's text is no narration.
        """
        attempts = self.turns[self._first_of[record.number - 1] :]
        if record.row is not None or any(attempt.called for attempt in attempts):
            if self.narrated.get(record.seat) == record.number:
                del self.narrated[record.seat]
        elif not (self.setup.by_id[record.seat].fence or is_blank(record.text)):
            self.narrated.setdefault(record.seat, record.number)

    def _finish(self, outcome: Outcome) -> TurnRecord:
        record = self.turns[-1]
        record.outcome = outcome
        record.stage, record.held = Stage.OPEN, None
        self.open = None
        return record

    def _row(self, entry: RowEntry) -> None:
        self.rows.append(entry.row)
        self.entries.append(entry)
        self.books.add(entry.row)
        match entry.kind:
            case RowKind.SEAT:
                self._seat_row(entry)
            case RowKind.NUDGE:
                self._nudge_row(entry)
            case RowKind.WROTE:
                self.unreported_files = None
            case RowKind.OPENING | RowKind.PERSON:
                self.pending = _pending(entry)
                self.interrupted = self.open is not None or self.retry is not None
                if entry.cue is not None and self.script is not None:
                    self.script.play(entry.cue)

    def _seat_row(self, entry: RowEntry) -> None:
        seat = entry.row.author.id or ""
        self.spoken[seat] = None
        self.last_author = seat
        if not self.interrupted:
            self.pending = _pending(entry)
        self.interrupted = False
        record = self._finish(Outcome.SPOKE)
        record.row, record.text = entry.row.sequence, entry.text
        self._count_narration(record)
        self.unreported_files = entry if entry.wrote else None
        self.unrouted = entry if entry.broadcasting else None
        if entry.completes:
            self.completions += 1
            if seat in self.episode.participants:
                self.episode = self.episode.complete(seat)

    def _nudge_row(self, entry: RowEntry) -> None:
        self.nudges += 1
        self.turns_since_chair = 0
        self.narrated.clear()
        if self.pending is None:
            self.pending = _pending(entry)

    def _routed(self, entry: RoutedEntry) -> None:
        self.unrouted = None
        self.routed[entry.sequence] = entry
        for seat in entry.recipients:
            if not self.is_listed:
                self.queue.append(Pending(seat, entry.hop, entry.sequence))
            if seat in self.episode.participants:
                self.episode = self.episode.assign(seat)

    def is_retry(self, record: TurnRecord) -> bool:
        """Whether a turn is granted again because it was silent."""
        return self.turns[self._first_of[record.number - 1]] is not record

    @property
    def last_said(self) -> RowEntry | None:
        """The last row that somebody said; a row about files says nothing."""
        for entry in reversed(self.entries):
            if entry.kind != RowKind.WROTE:
                return entry
        return None

    #: What each kind of entry changes.
    _FOLDS: ClassVar[Mapping[type[Entry], Callable[[RoomState, Any], None]]] = {
        HeaderEntry: _header,
        TurnEntry: _turn,
        CallEntry: _call,
        ExcessEntry: _excess,
        UsageEntry: _usage,
        EndEntry: _end,
        RowEntry: _row,
        RoutedEntry: _routed,
        CloseEntry: _close,
    }


def _pending(entry: RowEntry) -> Pending | None:
    decision = entry.decision
    if not isinstance(decision, TurnFor):
        return None
    return Pending(decision.target_id, decision.child_hop, entry.row.sequence)


def event_of(verdict: Verdict) -> TurnEvent:
    """Return what a call does to its turn."""
    if isinstance(verdict, Accepted):
        return TurnEvent.ACCEPT
    return TurnEvent.REFUSE if isinstance(verdict, Refusal) else TurnEvent.READ
