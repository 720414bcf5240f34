"""What a seat may be given and told: the rows that admit it, and no words of any other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from deskroom.core.text import is_blank
from deskroom.core.transcript import Row, SeenRow
from deskroom.engine.messages import Call, Reply, TurnGrant
from deskroom.runs.invariants.model import Model, OpenTurn

__all__ = ["grant_faults", "repeated_private", "reply_faults"]

#: A shorter message may come up by itself.
_LEAST: Final = 12


def grant_faults(model: Model, turn: OpenTurn, grant: TurnGrant) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with what a seat is given: the invariant, and how it is broken."""
    policy = model.setup.policy
    count = policy.window
    if turn.since is not None:
        count = max(count, turn.granted_at - turn.since)
    count = min(count, policy.history_limit, turn.granted_at)
    rows = model.rows[turn.granted_at - count : turn.granted_at]
    name = f"turn {turn.number} of {turn.seat}"
    yield from _seen_faults(rows, grant.history, turn.seat, f"the history of {name}")
    trigger = [] if turn.trigger is None else model.rows[turn.trigger - 1 : turn.trigger]
    yield from _seen_faults(trigger, grant.trigger, turn.seat, f"the trigger of {name}")


def reply_faults(model: Model, call: Call, reply: Reply) -> Iterator[str]:
    """Yield how a reply tells a seat more than it may know."""
    for seen in reply.rows:
        row = model.rows[seen.sequence - 1] if seen.sequence <= len(model.rows) else None
        if row is None or (seen.content and not _admits(row, call.seat)):
            yield f"a read of {call.seat} shows row {seen.sequence}, which it may not read"
    for row in model.private:
        content = row.content
        if len(content) < _LEAST or content not in reply.text or _admits(row, call.seat):
            continue
        # What a seat says itself may come back to it.
        if content not in str(call.arguments):
            yield f"a reply to {call.seat} holds the words of row {row.sequence}"


def repeated_private(model: Model, text: str) -> bool:
    """Whether a text of the host's own holds the words of a private row."""
    return any(len(row.content) >= _LEAST and row.content in text for row in model.private)


def _seen_faults(
    rows: Sequence[Row], seen: Sequence[SeenRow], seat: str, what: str
) -> Iterator[tuple[str, str]]:
    shown = [(one.sequence, one.content) for one in seen if one.elided is None]
    expected = [
        (row.sequence, row.content)
        for row in rows
        if not is_blank(row.content) and _admits(row, seat)
    ]
    if shown != expected:
        may = [sequence for sequence, _ in expected]
        extra = [sequence for sequence, _ in shown if sequence not in may]
        name = "privacy" if any(_hidden(rows, one, seat) for one in extra) else "history"
        yield name, f"{what} shows rows {[one for one, _ in shown]}, expected {may}"
    if any(one.content for one in seen if one.elided is not None):
        yield "privacy", f"{what} shows the words of a row that {seat} may not read"


def _hidden(rows: Sequence[Row], sequence: int, seat: str) -> bool:
    return any(row.sequence == sequence and not _admits(row, seat) for row in rows)


def _admits(row: Row, seat: str) -> bool:
    """Whether a seat may read a row (semantics, section 6)."""
    if row.audience.kind == "desk":
        return True
    is_author = row.author.type == "agent" and row.author.id == seat
    return is_author or seat in row.audience.members
