"""Checking a journal against the rules: each entry is what the room would decide today.

The journal is folded entry by entry; before each, its own facts are worked out again from the
state and the calls, and held against what is written.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from attrs import define, field, frozen

from deskroom.core import DESK, Decision, NoTurn, TurnFor, resolve, respond_to_person
from deskroom.core.directory import Target
from deskroom.journal.file import JournalError, Line, read_journal
from deskroom.room.calls import Accepted, Refusal, Speaker, judge
from deskroom.room.chair import choose_seat
from deskroom.room.entries import (
    CallEntry,
    CloseEntry,
    CloseReason,
    EndEntry,
    Entry,
    HeaderEntry,
    RoutedEntry,
    RowEntry,
    TurnEntry,
)
from deskroom.room.machine import TRANSITIONS, TurnEvent, TurnState
from deskroom.room.setup import Setup
from deskroom.room.state import Pending, RoomState
from deskroom.room.steps import hop_after, is_completed
from deskroom.speech.utterance import Read

__all__ = ["Verified", "verify"]

_ENDINGS: Final = {
    "silent": TurnEvent.END,
    "refused": TurnEvent.END,
    "failed": TurnEvent.RAISE,
    "timed_out": TurnEvent.DEADLINE,
}


@frozen
class Verified:
    """What a sound journal holds. ``closed`` is None for one that can be gone on with."""

    lines: int
    rows: int
    turns: int
    closed: CloseReason | None


def verify(path: str | Path) -> Verified:
    """Check every line of a journal.

    Raises ``JournalError`` with the first line that is wrong, and how.
    """
    checker: _Checker | None = None
    lines = 0
    for line in read_journal(path):
        lines = line.number
        if checker is None:
            assert isinstance(line.entry, HeaderEntry)  # noqa: S101 - reading has made sure
            checker = _Checker(line.entry.setup, line.entry.order)
        else:
            _check(str(path), line, checker)
    assert checker is not None  # noqa: S101 - an empty journal cannot be read
    state = checker.state
    return Verified(lines, len(state.rows), state.granted, state.closed)


def _check(path: str, line: Line, checker: _Checker) -> None:
    problem = checker.problem(line.entry)
    if problem is not None:
        raise JournalError(path, f"line {line.number} differs: {problem}", line=line.number)
    checker.state.apply(line.entry)


@define
class _Checker:
    """The fold so far, and what it says of the next entry."""

    setup: Setup
    order: str | None
    state: RoomState = field(init=False)
    machine: TurnState = TurnState.IDLE
    accepted: Accepted | None = None

    def __attrs_post_init__(self) -> None:
        self.state = RoomState(self.setup)

    def problem(self, entry: Entry) -> str | None:
        """Return what is wrong with an entry at this place, or None."""
        if self.state.closed is not None and self.state.closed != "stopped":
            return f"the room was closed ({self.state.closed}) before it"
        match entry:
            case TurnEntry():
                return self._turn(entry)
            case CallEntry():
                return self._call(entry)
            case EndEntry():
                return self._end(entry)
            case RowEntry():
                return self._row(entry)
            case RoutedEntry():
                return self._routed(entry)
            case CloseEntry():
                return self._close(entry)
            case HeaderEntry():
                return "a journal has one header"

    def _moves(self, event: TurnEvent) -> bool:
        after = TRANSITIONS.get((self.machine, event))
        if after is None:
            return False
        self.machine = after
        return True

    # Turns

    def _turn(self, entry: TurnEntry) -> str | None:
        if entry.seat not in self.setup.by_id:
            return f"{entry.seat!r} is no seat of this room"
        again = self.state.open or self.state.retry
        if again is not None:
            wanted = (again.number, again.attempt + 1, again.seat, again.hop, again.trigger)
        else:
            due = self._due(entry.seat)
            if due is None:
                return f"no turn is due, and {entry.seat} was granted one"
            wanted = (self.state.granted + 1, 1, due.seat, due.hop, due.trigger)
        given = (entry.turn, entry.attempt, entry.seat, entry.hop, entry.trigger)
        if given != wanted:
            return f"the grant is {_grant_text(given)}; the room decides {_grant_text(wanted)}"
        self.machine = TurnState.OPEN
        self.accepted = None
        return None

    def _due(self, seat: str) -> Pending | None:
        if self.order != "listed":
            return self.state.pending or (self.state.queue[0] if self.state.queue else None)
        last = self.state.last_said
        trigger = None if last is None else last.row.sequence
        return Pending(seat, hop_after(self.state, seat), trigger)

    def _call(self, entry: CallEntry) -> str | None:
        record = self.state.record(entry.turn, entry.attempt, entry.seat)
        open_ = record is not None and record is self.state.open
        if entry.late == open_:
            return "the call is late and its turn is open" if open_ else "no such turn is open"
        if not open_:
            word = "not_your_turn" if record is None else "turn_ended"
            return _differs("the reply", entry.reply, word)
        verdict = self._judged(entry)
        word = verdict.word if isinstance(verdict, Refusal) else "ok"
        if isinstance(verdict, Accepted):
            self.accepted = verdict
        self._moves(_event(verdict))
        return _differs("the reply", entry.reply, word)

    def _judged(self, entry: CallEntry) -> Accepted | Read | Refusal:
        record = self.state.turns[-1]
        policy = self.setup.policy
        if entry.source == "call" and len(record.replies) >= policy.max_calls:
            return Refusal("too_many_calls")
        fence = self.setup.by_id[entry.seat].fence and entry.source == "call"
        speaker = Speaker(
            entry.seat,
            record.hop,
            fence,
            self.setup.directory,
            self.setup.desk_id,
            policy,
            self.state.books,
        )
        return judge(entry.tool, entry.arguments, speaker)

    def _end(self, entry: EndEntry) -> str | None:
        record = self.state.open
        if record is None or (record.number, record.attempt, record.seat) != (
            entry.turn,
            entry.attempt,
            entry.seat,
        ):
            return f"turn {entry.turn} ends, and it is not open"
        if not self._moves(_ENDINGS[entry.outcome]):
            return f"turn {entry.turn} ends, and it is not open"
        return _differs("the outcome", entry.outcome, self.machine.value)

    # Rows

    def _row(self, entry: RowEntry) -> str | None:
        sequence = len(self.state.rows) + 1
        if entry.row.sequence != sequence:
            return f"the sequence is {entry.row.sequence}; the one due is {sequence}"
        if entry.row.chat_id != self.setup.desk_id:
            return f"the row is on {entry.row.chat_id!r}; the desk is {self.setup.desk_id!r}"
        match entry.kind:
            case "seat":
                return self._seat_row(entry)
            case "nudge":
                return self._nudge_row(entry)
            case "wrote":
                owed = self.state.owed_wrote is not None
                return None if owed else "no turn has left files behind"
            case "opening" | "person":
                return self._person_row(entry)

    def _seat_row(self, entry: RowEntry) -> str | None:
        record = self.state.open
        if record is None or record.number != entry.turn:
            return f"it is the row of turn {entry.turn}, which is not open"
        if not self._moves(TurnEvent.END) or self.machine is not TurnState.SPOKE:
            return f"turn {entry.turn} has a row and no accepted call"
        assert self.accepted is not None  # noqa: S101 - a turn that spoke has accepted a call
        committed = self.accepted.committed
        author = entry.row.author
        return (
            _differs("the author", (author.type, author.id), ("agent", record.seat))
            or _differs("the trigger", entry.trigger, record.trigger)
            or _differs("the content", entry.row.content, committed.content, show=False)
            or _differs("the audience", entry.row.audience, committed.audience)
            or _differs("the refusal", entry.refusal, committed.refusal)
            or _differs("completes", entry.completes, committed.completes_episode)
            or _differs("broadcasting", entry.broadcasting, committed.broadcasting)
            or _differs("the mentions", entry.mentions, committed.mentions)
            or _decision_differs(entry.decision, self.accepted.decision)
        )

    def _person_row(self, entry: RowEntry) -> str | None:
        person = entry.row.author.id or ""
        if person not in [known.id for known in self.setup.people]:
            return f"{person!r} is no person of this room"
        if entry.row.audience != DESK:
            return "the row is private, and a person's row never is"
        author = Target("person", person)
        mentions = resolve(entry.row.content, None, author, self.setup.directory)
        decision = respond_to_person(mentions, self.setup.directory, self.setup.desk_id)
        return _differs("the mentions", entry.mentions, mentions) or _decision_differs(
            entry.decision, decision
        )

    def _nudge_row(self, entry: RowEntry) -> str | None:
        state = self.state
        if state.rounds_left <= 0:
            return "the chair has no nudge left"
        seat = choose_seat(state.nudges + 1, self.setup.active, state.spoken, state.last_author)
        if not entry.row.content.startswith(f"@{seat}"):
            return f"the nudge does not begin with @{seat}, whom the chair chooses"
        wanted = (seat, 0) if state.pending is None else (state.pending.seat, state.pending.hop)
        decision = entry.decision
        given = (decision.target_id, decision.child_hop) if isinstance(decision, TurnFor) else None
        return _differs("the decision", given, wanted)

    def _routed(self, entry: RoutedEntry) -> str | None:
        broadcast = self.state.unrouted
        if broadcast is None or broadcast.row.sequence != entry.sequence:
            return f"row {entry.sequence} waits for no routing"
        policy, hop = self.setup.policy, self.state.turns[-1].hop
        author = broadcast.row.author.id
        candidates = [seat for seat in self.setup.active if seat != author]
        strangers = [seat for seat in entry.recipients if seat not in candidates]
        if strangers or len(set(entry.recipients)) != len(entry.recipients):
            return f"the recipients {list(entry.recipients)} are not among {candidates}"
        most = policy.broadcast.width if hop < policy.dispatch.max_hops else 0
        least = min(1, most, len(candidates))
        if not least <= len(entry.recipients) <= most:
            return f"{len(entry.recipients)} seats got it; between {least} and {most} may"
        return _differs("the hop", entry.hop, hop + 1)

    def _close(self, entry: CloseEntry) -> str | None:
        completed = is_completed(self.state)
        if (entry.reason == "completed") != completed and entry.reason not in ("stopped", "failed"):
            said = "is" if completed else "is not"
            return f"the room closed as {entry.reason}, and the episode {said} complete"
        return None


def _event(verdict: Accepted | Read | Refusal) -> TurnEvent:
    if isinstance(verdict, Read):
        return TurnEvent.READ
    return TurnEvent.REFUSE if isinstance(verdict, Refusal) else TurnEvent.ACCEPT


def _differs(what: str, written: object, decided: object, *, show: bool = True) -> str | None:
    if written == decided:
        return None
    if not show:
        return f"{what} is not what the accepted call said"
    return f"{what} is {written!r}; the room decides {decided!r}"


def _decision_differs(written: Decision, decided: Decision) -> str | None:
    if written == decided:
        return None
    return f"the decision is {_decision_text(written)}; the room decides {_decision_text(decided)}"


def _decision_text(decision: Decision) -> str:
    if isinstance(decision, NoTurn):
        return f"nobody ({decision.reason})"
    return f"{decision.target_id} at hop {decision.child_hop}"


def _grant_text(grant: tuple[int, int, str, int, int | None]) -> str:
    turn, attempt, seat, hop, trigger = grant
    return f"turn {turn} (attempt {attempt}) to {seat} at hop {hop} for row {trigger}"
