"""Whether an entry is what the room would write next.

The entries are folded one by one. Before each, what is due is worked out again from the state, as
the host works it out, and held against what is written. Three things are not in a journal: the
script (so in listed order anybody may be granted), what people say, and when a room is stopped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from attrs import define, field

from deskroom.core.episode import broadcast_candidates
from deskroom.core.text import is_blank
from deskroom.engine import steps
from deskroom.engine.calls import Accepted, Refusal, Speaker, judge
from deskroom.engine.entries import (
    CallEntry,
    CloseEntry,
    EndEntry,
    Entry,
    HeaderEntry,
    RoutedEntry,
    RowEntry,
    TurnEntry,
)
from deskroom.engine.machine import TRANSITIONS, TurnEvent, TurnState
from deskroom.engine.setup import Setup
from deskroom.engine.state import RoomState
from deskroom.journal import rows
from deskroom.journal.words import differs, grant_text, step_text
from deskroom.speech.fence import extract_post
from deskroom.speech.tools import POST, served
from deskroom.speech.utterance import Read

__all__ = ["Checker"]

_ENDINGS: Final = {
    "silent": TurnEvent.END,
    "refused": TurnEvent.END,
    "failed": TurnEvent.RAISE,
    "timed_out": TurnEvent.DEADLINE,
}


@define
class Checker:
    """The fold so far, and what it says of the next entry. ``order`` is that of the script."""

    setup: Setup
    order: Literal["listed", "routed"] | None
    state: RoomState = field(init=False)
    _machine: TurnState = TurnState.IDLE
    _accepted: Accepted | None = None
    _fenced: bool = False
    #: The cues that were played; all before the first that is missing were.
    _played: set[int] = field(factory=set)
    _head: int = 0

    def __attrs_post_init__(self) -> None:
        self.state = RoomState(self.setup)

    def take(self, entry: Entry) -> str | None:
        """Fold an entry in, or return what is wrong with it at this place."""
        if self.state.closed == "stopped":
            self.state.closed = None  # a room that was stopped can be gone on with
        problem = self._problem(entry)
        if problem is None:
            self.state.apply(entry)
        return problem

    def _problem(self, entry: Entry) -> str | None:
        if self.state.closed is not None:
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
        after = TRANSITIONS.get((self._machine, event))
        self._machine = after or self._machine
        return after is not None

    # What is due

    def _due(self) -> steps.Step:
        """What the host does next, as far as that does not depend on the script."""
        step = steps.next_step(self.state)
        if isinstance(step, steps.Wait) and self.order is not None:
            return steps.due_nudge(self.state) or steps.Close("quiet")
        return step

    def _is_free(self, step: steps.Step) -> bool:
        """Whether nothing is owed, so that a script may have its say."""
        owed = isinstance(step, steps.Wrote | steps.Route | steps.Open)
        again = self.state.open is not None or self.state.retry is not None
        return not (owed or again or step == steps.Close("completed"))

    def _said(self, step: steps.Step) -> str:
        if self.order == "listed" and self._is_free(step):
            return "the script says who is next"
        return step_text(step)

    def _cue_problem(self, cue: int | None, allowed: bool) -> str | None:
        """Say what is wrong with a cue; where ``allowed``, it counts as played."""
        if cue is None:
            return None
        if not allowed or cue < 0 or cue in self._played:
            return f"cue {cue} of the script is not due"
        self._played.add(cue)
        while self._head in self._played:
            self._head += 1
        return None

    # Turns

    def _turn(self, entry: TurnEntry) -> str | None:
        if entry.seat not in self.setup.by_id:
            return f"{entry.seat!r} is no seat of this room"
        step = self._due()
        if self.order == "listed" and self._is_free(step):
            if self.state.granted >= self.setup.policy.max_turns:
                return f"{entry.seat} was granted a turn, and no more turns are allowed"
            step = self._listed(entry)
        if not isinstance(step, TurnEntry):
            return f"{entry.seat} was granted a turn, and {self._said(step)}"
        given, wanted = _grant_facts(entry), _grant_facts(step)
        if given != wanted:
            return f"the grant is {grant_text(*given)}; the room decides {grant_text(*wanted)}"
        self._machine = TurnState.OPEN
        self._accepted, self._fenced = None, False
        return self._turn_cue(entry)

    def _listed(self, entry: TurnEntry) -> TurnEntry:
        """Return the grant that is due where the list decides who gets it."""
        last = self.state.last_said
        trigger = None if last is None else last.row.sequence
        hop = steps.hop_after(self.state, entry.seat)
        return TurnEntry(self.state.granted + 1, entry.seat, hop, trigger, 1, entry.cue)

    def _turn_cue(self, entry: TurnEntry) -> str | None:
        again = self.state.open
        if again is not None:
            return differs("the cue", entry.cue, again.cue)
        if entry.cue is None:
            scripted = self.order is not None and self.state.retry is None
            return "the grant has no cue of the script" if scripted else None
        listed = self.order == "listed"
        return self._cue_problem(
            entry.cue, self.order is not None and (not listed or entry.cue == self._head)
        )

    def _call(self, entry: CallEntry) -> str | None:
        if entry.seat not in self.setup.by_id:
            return f"{entry.seat!r} is no seat of this room"
        record = self.state.record(entry.turn, entry.attempt, entry.seat)
        is_open = record is not None and record is self.state.open
        if entry.late == is_open:
            return "the call is late and its turn is open" if is_open else "no such turn is open"
        fenced = entry.source == "fence"
        number = 0 if record is None or fenced else len(record.replies) + 1
        if entry.call_id != number:
            return f"it is call {entry.call_id} of its turn; the one due is {number}"
        if fenced and not self._may_be_fenced(entry):
            return "it is read out of a text, and the seat has tools or its text was read before"
        if not is_open:
            return differs("the reply", entry.reply, "turn_ended" if record else "not_your_turn")
        return self._open_call(entry)

    def _may_be_fenced(self, entry: CallEntry) -> bool:
        fence = self.setup.by_id[entry.seat].fence
        return fence and not (self._fenced or entry.late) and entry.tool == served(POST)

    def _open_call(self, entry: CallEntry) -> str | None:
        verdict = self._judged(entry)
        word = verdict.word if isinstance(verdict, Refusal) else "ok"
        if entry.reply != word:
            return differs("the reply", entry.reply, word)
        if isinstance(verdict, Accepted):
            self._accepted = verdict
        self._fenced = entry.source == "fence"
        self._moves(_event(verdict))
        return None

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
        turn = (entry.turn, entry.attempt, entry.seat)
        if record is None or (record.number, record.attempt, record.seat) != turn:
            return f"turn {entry.turn} of {entry.seat} ends, and it is not open"
        self._moves(_ENDINGS[entry.outcome])
        if entry.outcome != self._machine.value:
            return differs("the outcome", entry.outcome, self._machine.value)
        if (entry.error is not None) != (entry.outcome == "failed"):
            return "a turn says what its seat raised if it failed, and only then"
        if entry.outcome == "timed_out" and (entry.text or entry.wrote):
            return "a turn whose time was over has no end of its own"
        return self._unread(entry)

    def _unread(self, entry: EndEntry) -> str | None:
        """A seat without tools is heard through its text, unless it raised or hung."""
        fence = self.setup.by_id[entry.seat].fence and entry.outcome in {"silent", "refused"}
        if fence and is_blank(extract_post(entry.text)) == self._fenced:
            return "what was read out of the text is not what the text says"
        return None

    # Rows

    def _row(self, entry: RowEntry) -> str | None:
        due = self._row_due(entry)
        if isinstance(due, str):
            return due
        return rows.difference(entry, due) or self._row_cue(entry)

    def _row_due(self, entry: RowEntry) -> RowEntry | str:
        """Return the row that the room would write here, or why it would write none."""
        step = self._due()
        match entry.kind:
            case "seat":
                return self._seat_row(entry)
            case "nudge":
                if self.order == "listed":
                    return "the chair spoke, and it never does in listed order"
                return rows.nudge(self.state, step)
            case "wrote":
                return rows.wrote(self.state, step)
            case "opening":
                return rows.opening(self.state, step)
            case "person":
                return rows.person(self.state, step, entry)

    def _seat_row(self, entry: RowEntry) -> RowEntry | str:
        record = self.state.open
        if record is None or record.number != entry.turn:
            return f"it is the row of turn {entry.turn}, which is not open"
        self._moves(TurnEvent.END)
        if self._machine is not TurnState.SPOKE or self._accepted is None:
            return f"turn {entry.turn} has a row and no accepted call"
        return rows.seat(self.state, record, self._accepted, entry.wrote)

    def _row_cue(self, entry: RowEntry) -> str | None:
        if entry.cue is None:
            return None
        due = self.order is not None and entry.cue == self._head
        return self._cue_problem(entry.cue, due and self._is_free(self._due()))

    # Routing and the close

    def _routed(self, entry: RoutedEntry) -> str | None:
        step = self._due()
        if not isinstance(step, steps.Route) or step.entry.row.sequence != entry.sequence:
            return f"row {entry.sequence} was routed, and {self._said(step)}"
        policy, hop = self.setup.policy, self.state.turns[-1].hop
        candidates = list(broadcast_candidates(step.entry.row, self.setup.active))
        strangers = [seat for seat in entry.recipients if seat not in candidates]
        if strangers or len(set(entry.recipients)) != len(entry.recipients):
            return f"the recipients {list(entry.recipients)} are not among {candidates}"
        most = policy.broadcast.width if hop < policy.dispatch.max_hops else 0
        least = min(1, most, len(candidates))
        if not least <= len(entry.recipients) <= most:
            return f"{len(entry.recipients)} seats got it; between {least} and {most} may"
        return differs("the hop", entry.hop, hop + 1)

    def _close(self, entry: CloseEntry) -> str | None:
        step = self._due()
        if entry.reason in self._reasons(step):
            return None
        return f"the room closed as {entry.reason}, and {self._said(step)}"

    def _reasons(self, step: steps.Step) -> Iterator[str]:
        yield "stopped"
        if not self._is_free(step):
            if step == steps.Close("completed"):
                yield "completed"
        elif self.order == "listed":
            yield "script"
            if self.state.granted >= self.setup.policy.max_turns:
                yield "max_turns"
        else:
            if self.order == "routed" and (self.state.pending or self.state.queue):
                yield "script"
            if isinstance(step, steps.Close):
                yield step.reason


def _event(verdict: Accepted | Read | Refusal) -> TurnEvent:
    if isinstance(verdict, Read):
        return TurnEvent.READ
    return TurnEvent.REFUSE if isinstance(verdict, Refusal) else TurnEvent.ACCEPT


def _grant_facts(grant: TurnEntry) -> tuple[int, int, str, int, int | None]:
    return grant.turn, grant.attempt, grant.seat, grant.hop, grant.trigger
