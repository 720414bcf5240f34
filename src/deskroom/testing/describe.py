"""A run as a test's message tells it: how each part of it came about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from deskroom.engine.entries import RowEntry
from deskroom.room import RoomResult
from deskroom.runs.run import Run, RunTurn
from deskroom.runs.values import author_value
from deskroom.runs.why import why
from deskroom.scenario import Replay

__all__ = [
    "last_decision",
    "run_of",
    "turn_line",
    "turn_replies",
    "why_author",
    "why_content",
    "without_row",
]

#: How a row came about that no seat spoke.
_HOW: Final[Mapping[str, str]] = {
    "opening": "it is the opening",
    "person": "a person spoke",
    "nudge": "the chair nudged",
    "wrote": "turn {turn} left files behind",
}


def run_of(result: RoomResult | Replay) -> Run:
    """Return the run of either."""
    return result.run if isinstance(result, Replay) else Run(result.state, failure=result.error)


def why_author(run: Run, entry: RowEntry) -> str:
    """Return how it came that a row is its author's."""
    if entry.kind != "seat":
        return _HOW[entry.kind].format(turn=entry.turn)
    if run.order == "listed" or entry.trigger is None:
        return "the script lists the turn"
    brought = run.item(run.entries[entry.trigger - 1])
    return f"row {entry.trigger} brought the turn: {why(brought)}"


def why_content(run: Run, entry: RowEntry) -> str:
    """Return where a row's content comes from."""
    return why(run.item(entry), "content") if entry.kind == "seat" else why_author(run, entry)


def without_row(run: Run, rows: int) -> Iterator[str]:
    """Yield why each turn became no row that was granted when there were so many rows."""
    for turn in run.turns:
        if turn.row is None and turn.granted_at == rows:
            became = why(run.item(turn=turn))
            yield f"turn {turn.number} ({turn.seat}) became no row: {became}"


def last_decision(run: Run) -> Iterator[str]:
    """Yield what stood at the end: the last row's decision, and the turns after it."""
    if run.entries:
        last = run.entries[-1]
        author = author_value(last.row.author)
        yield f"row {last.row.sequence} ({author}) was the last: {why(run.item(last))}"
    yield from without_row(run, len(run.entries))


def turn_replies(run: Run, turn: RunTurn) -> list[str]:
    """Return how a turn's calls were answered, and why its row is not private, if that was so."""
    refusal = None if turn.row is None else run.entries[turn.row - 1].refusal
    return [*turn.replies, *([] if refusal is None else [refusal])]


def turn_line(run: Run, turn: RunTurn) -> str:
    """Return how a turn's calls were answered and what became of it, as a line."""
    again = f", attempt {turn.attempt}" if turn.attempt > 1 else ""
    answered = ", ".join(turn.replies) or "no call"
    became = why(run.item(turn=turn)) if turn.row is None else f"row {turn.row}"
    return f"turn {turn.number} ({turn.seat}{again}): {answered}; {became}"
