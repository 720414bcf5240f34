"""The turn that is open: what its seat has been answered so far, and what it comes to.

Everything here is worked out from what is passed in; the host writes it down and sends it.
"""

from __future__ import annotations

from typing import Any

from attrs import evolve

from deskroom.core.audience import Author, Viewer
from deskroom.core.text import is_blank
from deskroom.core.transcript import Row
from deskroom.engine.calls import Accepted, Refusal, Speaker, judge
from deskroom.engine.entries import CallEntry, EndEntry, Raised, RowEntry
from deskroom.engine.machine import ENDED, TurnEvent, TurnState, advance
from deskroom.engine.reading import last_seen
from deskroom.engine.sentences import accepted_text, read_text, refusal_text
from deskroom.engine.state import RoomState, TurnRecord
from deskroom.room.messages import Call, Reply, TurnEnd
from deskroom.room.seat import Turn
from deskroom.speech.fence import extract_post
from deskroom.speech.tools import POST, served
from deskroom.speech.utterance import Read

__all__ = ["NOT_YOUR_TURN", "TURN_ENDED", "OpenTurn", "Verdict", "refusal_reply"]

Verdict = Accepted | Read | Refusal

TURN_ENDED = Refusal("turn_ended")
NOT_YOUR_TURN = Refusal("not_your_turn")
_TOO_MANY_CALLS = Refusal("too_many_calls")


class OpenTurn:
    """One granted turn, from its grant to its outcome.

    ``machine`` is where it is in the table of ``machine.py``; ``held`` is the accepted call that
    stands, and ``turn`` the handle that its seat has. Once it ``has_ended`` it takes no more calls.
    """

    def __init__(self, record: TurnRecord, speaker: Speaker, turn: Turn) -> None:
        self.record = record
        self.turn = turn
        self.held: Accepted | None = None
        self.machine = advance(TurnState.IDLE, TurnEvent.GRANT)
        self.has_ended = False
        self._speaker = speaker

    def judge(self, call: Call) -> Verdict:
        """Return what a call of this turn asks for, or why it is refused."""
        if len(self.record.replies) >= self._speaker.policy.max_calls:
            return _TOO_MANY_CALLS
        return judge(call.tool, call.arguments, self._speaker)

    def take(self, call: Call, verdict: Verdict, state: RoomState) -> Reply:
        """Move on by a verdict, and return the reply to the call."""
        if isinstance(verdict, Accepted):
            text = accepted_text(verdict, self._speaker, replaces=self.held is not None)
            self._move(verdict)
            return Reply(call.call_id, ok=True, text=text)
        self._move(verdict)
        if isinstance(verdict, Refusal):
            return refusal_reply(call, verdict, self._speaker)
        seen = last_seen(state.rows, Viewer("agent", self.record.seat), verdict.limit)
        return Reply(call.call_id, ok=True, text=read_text(seen), rows=seen)

    def _move(self, verdict: Verdict) -> None:
        if isinstance(verdict, Accepted):
            self.machine = advance(self.machine, TurnEvent.ACCEPT)
            self.held = verdict
        else:
            event = TurnEvent.READ if isinstance(verdict, Read) else TurnEvent.REFUSE
            self.machine = advance(self.machine, event)

    def read_fence(self, end: TurnEnd) -> CallEntry | None:
        """Read a fence seat's text as the one post that it is, if there is one in it."""
        message = extract_post(end.text)
        if is_blank(message):
            return None
        tool, arguments = served(POST), {"message": message}
        verdict = judge(tool, arguments, evolve(self._speaker, fence=False))
        self._move(verdict)
        word = verdict.word if isinstance(verdict, Refusal) else "ok"
        turn = self.record
        return CallEntry(
            turn.number, turn.attempt, turn.seat, 0, tool, arguments, word, source="fence"
        )

    def end(self, event: TurnEvent) -> None:
        """End the turn: as its seat says, because it raised, by its deadline, or by a stop."""
        self.machine = advance(self.machine, event)
        self.has_ended = self.machine in ENDED

    def row_entry(self, sequence: int, author: Author, wrote: tuple[str, ...]) -> RowEntry:
        """Return the row that a turn which spoke becomes: what was accepted last, decision and all."""
        held, record = self.held, self.record
        assert held is not None  # noqa: S101 - a turn that spoke holds what it said
        committed = held.committed
        row = Row(sequence, self._speaker.desk_id, author, committed.content, committed.audience)
        return RowEntry(
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

    def end_entry(self, end: TurnEnd | None) -> EndEntry:
        """Return the end of a turn that becomes no row; one whose time was over has no TurnEnd."""
        record = self.record
        outcome: Any = self.machine.value
        entry = EndEntry(record.number, record.attempt, record.seat, outcome)
        if end is None:
            return entry
        return evolve(
            entry,
            text=end.text,
            wrote=end.wrote,
            error=None if end.error is None else Raised.of(end.error),
        )


def refusal_reply(call: Call, refusal: Refusal, speaker: Speaker) -> Reply:
    """Return the reply to a call that is refused."""
    text = refusal_text(refusal, speaker)
    return Reply(call.call_id, ok=False, text=text, rejection=refusal.word)
