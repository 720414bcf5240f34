"""The invariants of turns and calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from deskroom.core.dispatch import TurnFor
from deskroom.core.reasons import Outcome, RowKind
from deskroom.engine.entries import (
    CallEntry,
    EndEntry,
    Entry,
    ExcessEntry,
    TurnEntry,
)
from deskroom.engine.kept import is_cut
from deskroom.runs.invariants.base import Rules
from deskroom.runs.invariants.calls import answer
from deskroom.runs.invariants.model import Held, OpenTurn

__all__ = ["TurnRules"]


class TurnRules(Rules):
    """Looks at grants, calls and ends."""

    def _turn(self, entry: TurnEntry) -> None:
        model, before = self._model, self._model.open
        name = f"turn {entry.turn} of {entry.seat}"
        if entry.hop > max(self._setup.policy.dispatch.max_hops, 0):
            self._break("hop-bound", f"{name} has hop {entry.hop}")
        if model.files is not None:
            self._break("files-first", f"{name} is granted before the row about files")
        if model.unrouted is not None:
            self._break("routed-first", f"{name} is granted before the broadcast is routed")
        if before is not None and not self._resumed:
            self._break("one-turn", f"{name} is granted while turn {before.number} is open")
        again = before or model.retry
        if again is not None:
            self._granted_again(entry, again, name)
        else:
            self._granted_anew(entry, name)
        self._resumed = False
        self._open(entry, again if before is not None else None)

    def _granted_again(self, entry: TurnEntry, again: OpenTurn, name: str) -> None:
        expected = (again.number, again.attempt + 1, again.seat, again.hop, again.trigger)
        if (entry.turn, entry.attempt, entry.seat, entry.hop, entry.trigger) != expected:
            self._break("retry", f"{name} is granted again as another turn")
        cue = again.cue if self._model.open is not None else self._retry_cue(again.seat)
        if entry.cue != cue:
            self._break("order", f"{name} is granted again for listed turn {_listed(entry.cue)}")

    def _retry_cue(self, seat: str) -> int | None:
        model = self._model
        cue = model.next_cue(seat)
        if cue is None or model.due_person() is not None:
            return None
        return None if model.is_listed and cue != model.head else cue

    def _granted_anew(self, entry: TurnEntry, name: str) -> None:
        model, policy = self._model, self._setup.policy
        if (entry.turn, entry.attempt) != (model.granted + 1, 1):
            self._break("one-turn", f"{name} is granted as attempt {entry.attempt}")
        if model.granted >= policy.max_turns:
            self._break("max-turns", f"{name} is granted, and max_turns is {policy.max_turns}")
        if model.is_completed:
            self._break("close", f"{name} is granted, and the work is complete")
        if model.due_person() is not None:
            self._break("order", f"{name} is granted before a person who is due")
        if entry.trigger is not None and not 1 <= entry.trigger <= len(model.rows):
            self._break("row-first", f"{name} is granted because of row {entry.trigger}")
        if model.is_listed:
            self._granted_in_list(entry, name)
            return
        expected = model.pending or (model.queue[0] if model.queue else None)
        if expected is None:
            self._break("row-first", f"{name} is granted, and nobody is next")
        elif entry.seat != expected.seat or entry.trigger != expected.trigger:
            self._break("order", f"{name} is granted, and the turn is {expected.seat}'s")
        elif entry.hop != expected.hop:
            self._break("hop", f"{name} has hop {entry.hop}, and its row gave {expected.hop}")
        if entry.cue != model.next_cue(entry.seat):
            self._break("order", f"{name} plays listed turn {_listed(entry.cue)}")
        if self._cadence_is_due():
            self._break("nudge", f"{name} is granted, and the chair's cadence is due")

    def _granted_in_list(self, entry: TurnEntry, name: str) -> None:
        model = self._model
        script = self._setup.script
        assert script is not None  # noqa: S101 - the order is listed
        listed = script.cues[model.head].seat if model.head < len(model.played) else None
        if entry.cue != model.head or entry.seat != listed:
            self._break("order", f"{name} is granted, and the list has {listed}")
        last = next((one for one in reversed(model.entries) if one.kind != RowKind.WROTE), None)
        if entry.trigger != (None if last is None else last.row.sequence):
            self._break("row-first", f"{name} is granted because of row {entry.trigger}")
        hop = 0
        if last is not None and isinstance(last.decision, TurnFor):
            hop = last.decision.child_hop if last.decision.target_id == entry.seat else 0
        elif last is not None and last.row.sequence in model.routed:
            child, recipients = model.routed[last.row.sequence]
            hop = child if entry.seat in recipients else 0
        if entry.hop != hop:
            self._break("hop", f"{name} has hop {entry.hop}, and its row gives {hop}")

    def _open(self, entry: TurnEntry, cut: OpenTurn | None) -> None:
        model = self._model
        is_retry = cut.is_retry if cut is not None else model.retry is not None
        if cut is not None:
            model.had.pop((cut.number, cut.attempt), None)
            since = cut.since
        elif model.retry is not None:
            since = model.retry.since
        else:
            since = model.last_grant.get(entry.seat)
            model.granted = entry.turn
            model.since_chair += 1
            model.nudged = False
            if model.pending is None and model.queue and model.queue[0].seat == entry.seat:
                model.queue.popleft()
            model.pending = None
        if cut is None:
            model.play(entry.cue)
        model.last_grant[entry.seat] = len(model.rows)
        model.retry = None
        model.had[entry.turn, entry.attempt] = entry.seat, 0
        model.open = OpenTurn(
            entry.turn,
            entry.attempt,
            entry.seat,
            entry.hop,
            entry.trigger,
            entry.cue,
            is_retry=is_retry,
            granted_at=len(model.rows),
            since=since,
        )

    def _call(self, entry: CallEntry) -> None:
        model, turn = self._model, self._model.open
        name = f"a call of {entry.seat} in turn {entry.turn}"
        grant = (entry.turn, entry.attempt)
        is_open = turn is not None and (turn.number, turn.attempt, turn.seat) == (
            *grant,
            entry.seat,
        )
        had = model.had.get(grant)
        is_own = had is not None and had[0] == entry.seat
        if entry.late or not is_open:
            expected = "turn_ended" if is_own else "not_your_turn"
            if is_open or not entry.late or entry.reply != expected:
                self._break("late", f"{name} is answered {entry.reply}, expected {expected}")
            if had is not None and is_own:
                number = had[1] + 1
                model.had[grant] = entry.seat, number
                if entry.call_id != number:
                    self._break("late", f"{name} is numbered {entry.call_id}, not {number}")
            return
        assert turn is not None  # noqa: S101 - it is open
        if self._resumed:
            self._break("resume", f"{name} is answered before the turn is granted again")
        self._answered(entry, turn, name)

    def _answered(self, entry: CallEntry, turn: OpenTurn, name: str) -> None:
        model = self._model
        seat = self._setup.by_id[entry.seat]
        if entry.source == "call":
            number = model.had[turn.number, turn.attempt][1] + 1
            model.had[turn.number, turn.attempt] = turn.seat, number
            turn.calls += 1
            if entry.call_id != number:
                self._break("reply", f"{name} is numbered {entry.call_id}, not {number}")
        expected: str | int | Held
        if entry.source == "call" and turn.calls > self._setup.policy.max_calls:
            expected = "too_many_calls"
        elif entry.source == "call" and seat.fence:
            expected = "unknown_tool"
        elif is_cut(entry.arguments) or is_cut(entry.tool):
            expected = entry.reply  # why it was refused cannot be seen in what is left of it
        else:
            expected = answer(model, entry.seat, entry.tool, entry.arguments)
        reply = expected if isinstance(expected, str) else "ok"
        if entry.reply != reply:
            self._break("reply", f"{name} is answered {entry.reply}, expected {reply}")
        if isinstance(expected, Held):
            turn.held = expected
        elif isinstance(expected, str):
            turn.refused = True
            turn.excess = turn.excess or expected == "too_many_calls"

    def _excess(self, entry: ExcessEntry) -> None:
        turn = self._model.open
        if turn is None or not turn.excess or entry.calls < 1:
            self._break("reply", f"calls of turn {entry.turn} are counted, and none was too many")

    def _end(self, entry: EndEntry) -> None:
        model, turn = self._model, self._model.open
        name = f"turn {entry.turn} of {entry.seat}"
        if turn is None or (turn.number, turn.attempt, turn.seat) != (
            entry.turn,
            entry.attempt,
            entry.seat,
        ):
            self._break("one-turn", f"{name} ends, and is not open")
            return
        if self._resumed:
            self._break("resume", f"{name} ends before it is granted again")
        expected = Outcome.SILENT
        if entry.error is not None:
            expected = Outcome.FAILED
        elif entry.outcome == Outcome.TIMED_OUT:
            expected = Outcome.TIMED_OUT
        elif turn.held is not None:
            expected = Outcome.SPOKE
        elif turn.refused:
            expected = Outcome.REFUSED
        if entry.outcome != expected:
            self._break("outcome", f"{name} ends as {entry.outcome}, expected {expected}")
        if entry.outcome == Outcome.TIMED_OUT and (entry.wrote or entry.text):
            self._break("outcome", f"{name} timed out, and still says something")
        self._closed_turn(turn)
        model.files = entry if entry.wrote else None
        retries = self._setup.policy.silence == "retry" and not turn.is_retry
        model.retry = turn if retries and expected == Outcome.SILENT else None
        model.interrupted = model.interrupted and model.retry is not None

    #: What looks at each kind of entry.
    TAKES: ClassVar[Mapping[type[Entry], Callable[[Any, Any], None]]] = {
        TurnEntry: _turn,
        CallEntry: _call,
        ExcessEntry: _excess,
        EndEntry: _end,
    }


def _listed(cue: int | None) -> str:
    return "none" if cue is None else str(cue + 1)
