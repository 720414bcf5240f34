"""Checking properties on a run of which no entries are known: a transcript, or what a room came to.

What a transcript does not know of a row is what the rules make of it: whom it names, who is next, and
at which hop. Each of its rows by a seat counts as a turn.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Final

from deskroom.core import TurnFor
from deskroom.core.reasons import OK, CallFault
from deskroom.core.transcript import Row
from deskroom.runs.audit_host import Judged, judge_rows
from deskroom.runs.properties.check import StepWatch, Violation
from deskroom.runs.properties.property import Property
from deskroom.runs.properties.step import Step
from deskroom.runs.properties.watch import RepeatMarker, closed_for_good, readers_of_row
from deskroom.runs.values import target_value
from deskroom.runs.view import RunView, ViewItem

__all__ = ["view_violations"]

#: What a call is answered with where it is none of its turn's, or where it is not refused.
_NOT_REFUSED: Final = frozenset((OK, CallFault.TURN_ENDED, CallFault.NOT_YOUR_TURN))


def view_violations(properties: Sequence[Property], view: RunView) -> tuple[Violation, ...]:
    """Return which properties a whole run does not hold, as far as is known of it.

    Raises ``FileError`` for a pattern that ran out of time.
    """
    if not properties:
        return ()
    watch = StepWatch(properties)
    marker = RepeatMarker()
    turns = _Turns(view, watch)
    judged: Mapping[int, Judged] = {}
    if any(item.row is not None and "next" not in item.facts for item in view.items):
        judged = {one.sequence: one for one in judge_rows(view)}
    for item in view.items:
        if item.row is not None:
            step = _row_step(item, item.row, judged.get(item.row.sequence))
            turns.before_row(step, item.row.sequence)
            watch.step(marker.marked(step, item.row))
        elif not item.is_row:
            step = _turn_step(item)
            turns.before(step)
            watch.step(step)
    turns.rest()
    watch.finish(closed_for_good(view.run.get("closed"), view.order))
    return watch.violations


class _Turns:
    """Says when turns were granted: as the run knows it, or else one for each of their steps."""

    def __init__(self, view: RunView, watch: StepWatch) -> None:
        self._grants = deque((turn.granted_at, turn.number) for turn in view.turns)
        self._are_known = bool(self._grants)
        self._watch = watch
        self._last = 0

    def before_row(self, step: Step, sequence: int) -> None:
        """Note the turns that were granted before a row."""
        while self._grants and self._grants[0][0] < sequence:
            self._watch.turn(self._grants.popleft()[1])
        self.before(step)

    def before(self, step: Step) -> None:
        """Note the turn of a step, if it has one."""
        if self._are_known:
            while self._grants and step.turn is not None and self._grants[0][1] <= step.turn:
                self._watch.turn(self._grants.popleft()[1])
        elif step.seat is not None:
            self._last = max(self._last + 1 if step.turn is None else step.turn, self._last)
            self._watch.turn(self._last)

    def rest(self) -> None:
        """Note the turn that has not ended."""
        for _, number in self._grants:
            self._watch.turn(number)


def _turn_step(item: ViewItem) -> Step:
    facts = item.facts
    author = facts.get("author", {})
    seat = item.seat or author.get("id")
    return Step(
        seat=seat,
        outcome=_text(facts.get("outcome")),
        refusals=_refused(facts),
        hop=facts.get("hop"),
        text=item.text,
        turn=item.turn,
        attempt=None if item.run_turn is None else item.run_turn.attempt,
        readers=(seat,),
    )


def _row_step(item: ViewItem, row: Row, judged: Judged | None) -> Step:
    facts, author = item.facts, row.author
    refusal = _text(facts.get("refusal"))
    following, why = _next(facts) if judged is None or "next" in facts else _decided(judged)
    mentions, hop = tuple(item.mentions), facts.get("hop")
    if judged is not None:
        pinging = (mention.target for mention in judged.mentions if not mention.quiet)
        mentions = tuple(map(target_value, pinging))
        hop = judged.hop
    return Step(
        seat=author.id if author.type == "agent" else None,
        person=author.id if author.type == "person" else None,
        kind=_text(facts.get("kind")) or _kind(row),
        outcome="spoke" if author.type == "agent" else None,
        audience=row.audience,
        mentions=mentions,
        next=following,
        why=why,
        refusals=_refused(facts, refusal),
        hop=hop,
        completes=facts.get("completes") is True,
        text=row.content,
        turn=item.turn,
        attempt=None if item.run_turn is None else item.run_turn.attempt,
        row=row.sequence,
        readers=readers_of_row(row),
    )


def _next(facts: Mapping[str, Any]) -> tuple[tuple[str, ...], str | None]:
    """Return who is next, and why nobody is, as the run recorded it."""
    following = facts.get("next")
    if isinstance(following, Mapping):
        return (), _text(following.get("none"))
    seats = (following,) if isinstance(following, str) else tuple(following or ())
    return seats, None if seats else "broadcast"


def _decided(judged: Judged) -> tuple[tuple[str, ...], str | None]:
    """Return who is next, and why nobody is, by the rules."""
    seats = judged.recipients or judged.candidates
    if seats:
        return seats, None
    if isinstance(judged.decision, TurnFor):
        return (judged.decision.target_id,), None
    return (), str(judged.decision.reason)


def _refused(facts: Mapping[str, Any], refusal: str | None = None) -> tuple[str, ...]:
    """Return each reason of a turn's refused calls, and why its row is not private."""
    refused = [reply for reply in facts.get("replies", ()) if reply not in _NOT_REFUSED]
    return tuple(dict.fromkeys(refused if refusal is None else [*refused, refusal]))


def _kind(row: Row) -> str:
    """Return what kind of row it is where its source does not say."""
    return {"agent": "seat", "system": "wrote"}.get(row.author.type, "person")


def _text(value: object) -> str | None:
    return None if value is None else str(value)
