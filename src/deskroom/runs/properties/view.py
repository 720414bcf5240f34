"""Checking properties on a run of which no entries are known: a transcript, or what a room came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from deskroom.core.transcript import Row
from deskroom.runs.audit_words import RepeatFinder
from deskroom.runs.properties.property import Property
from deskroom.runs.properties.step import Step
from deskroom.runs.properties.watch import StepWatch, Violation, readers_of_row
from deskroom.runs.view import RunView, ViewItem

__all__ = ["view_violations"]

#: What a call is answered that came too late to be one of its turn.
_LATE: Final = frozenset(("turn_ended", "not_your_turn"))


def view_violations(
    properties: Sequence[Property], view: RunView, *, closed: str | None = None
) -> tuple[Violation, ...]:
    """Return which properties a whole run does not hold, as far as is known of it.

    ``closed`` is why it is over for good, or None where it can go on. Where no turns are known each
    row by a seat counts as one. Raises ``FileError`` for a pattern that ran out of time.
    """
    watch = StepWatch(properties)
    repeats = RepeatFinder()
    turns = 0
    for item in view.items:
        step = _step(item)
        if step is None:
            continue
        if item.row is not None and repeats.take(item.row):
            step = step._replace(repeats_private=True)
        if step.seat is not None:
            number = turns + 1 if step.turn is None else step.turn
            if number > turns:
                turns = number
                watch.turn(number)
        watch.step(step)
    watch.finish(closed)
    return watch.violations


def _step(item: ViewItem) -> Step | None:
    facts = item.facts
    turn = item.run_turn
    replies = [reply for reply in facts.get("replies", ()) if reply not in {"ok", *_LATE}]
    if item.row is None:
        if item.is_row:
            return None  # a stub: this is a whole run, so there is none
        return Step(
            seat=item.seat,
            outcome=_text(facts.get("outcome")),
            refusals=tuple(replies),
            hop=facts.get("hop"),
            text=item.text,
            turn=item.turn,
            attempt=None if turn is None else turn.attempt,
            readers=(item.seat,) if item.seat else None,
        )
    return _row_step(item, item.row, facts, replies)


def _row_step(item: ViewItem, row: Row, facts: Mapping[str, Any], replies: Sequence[str]) -> Step:
    is_seat = row.author.type == "agent"
    following = facts.get("next")
    seats = [following] if isinstance(following, str) else following
    why = following.get("none") if isinstance(following, Mapping) else None
    if isinstance(following, list) and not following:
        why = "broadcast"
    refusal = facts.get("refusal")
    return Step(
        seat=row.author.id if is_seat else None,
        person=row.author.id if row.author.type == "person" else None,
        kind=_text(facts.get("kind")) or _kind(row),
        outcome="spoke" if is_seat else None,
        audience=row.audience,
        mentions=tuple(item.mentions),
        next=tuple(seats) if isinstance(seats, list) else (),
        why=_text(why),
        refusals=(*replies, *([str(refusal)] if refusal else [])),
        hop=facts.get("hop"),
        completes=facts.get("completes") is True,
        text=row.content,
        turn=item.turn,
        attempt=None if item.run_turn is None else item.run_turn.attempt,
        row=row.sequence,
        readers=readers_of_row(row),
    )


def _kind(row: Row) -> str:
    """Return what kind of row it is where its source does not say."""
    return {"agent": "seat", "system": "wrote"}.get(row.author.type, "person")


def _text(value: object) -> str | None:
    return None if value is None else str(value)
