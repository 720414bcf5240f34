"""A run as lines for a person to read: each entry, what was decided about it, and what went wrong.

An entry begins at the left edge, what the room did with it stands two cells in, and a text of several
lines goes on four cells in. So no line of a message can pass for an entry or for a decision.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from deskroom.core import SeenRow
from deskroom.core.reasons import OK, CallFault
from deskroom.core.text import is_blank
from deskroom.engine.arguments import plain
from deskroom.engine.entries import CallEntry, EndEntry
from deskroom.engine.sentences import seen_line
from deskroom.printable import counted
from deskroom.render.rows import next_name, routing_text
from deskroom.render.screen import PLAIN, Screen
from deskroom.render.table import wrapped
from deskroom.render.text import one_line, printable
from deskroom.runs.run import MOST_REPLIES, RunTurn
from deskroom.runs.stream import Happening, LateCall
from deskroom.runs.view import ViewItem
from deskroom.runs.why import MOST_SCORES, why_no_row

__all__ = [
    "closing_line",
    "ended_line",
    "happening_lines",
    "open_line",
    "row_lines",
    "transcript_line",
]

_STYLES: Final = {"agent": "cyan", "person": "green", "operator": "green", "system": "dim"}
_BAD: Final = frozenset(("refused", "failed", "timed_out"))
_DEEP: Final = "    "


def transcript_line(seen: SeenRow, screen: Screen = PLAIN, width: int | None = None) -> str:
    """Return one entry; a stub is dim, an aside is in italics, a name has its author's colour.

    It is wrapped to ``width`` cells, where there is a width.
    """
    text = printable(seen_line(seen))
    line = _folded(text, "", width)
    if not screen.color:
        return line
    if seen.elided is not None:
        return screen.styled(line, "dim")
    head, _, content = text.partition(": ")
    if not line.startswith(f"{head}: "):
        return screen.styled(line, _STYLES[seen.author.type])
    content = line[len(head) + 2 :]
    if seen.audience.kind == "aside":
        content = screen.styled(content, "italic")
    return f"{screen.styled(head, _STYLES[seen.author.type])}: {content}"


def ended_line(ended: EndEntry, replies: Sequence[str], screen: Screen = PLAIN) -> str:
    """Return how a turn without a row ended, as its seat and the operator may know it."""
    title = _title(ended.turn, ended.seat, ended.attempt)
    why = why_no_row(ended.outcome, replies, ended.error)
    line = _ended(title, ended.outcome, replies, why)
    return screen.styled(line, "red" if ended.outcome in _BAD else "dim")


def row_lines(item: Happening, screen: Screen = PLAIN, width: int | None = None) -> Iterator[str]:
    """Yield the line of a row or a stub, and nothing for anything else."""
    seen = _seen(item) if isinstance(item, ViewItem) else None
    if seen is not None:
        yield transcript_line(seen, screen, width)


def happening_lines(
    happening: Happening,
    screen: Screen = PLAIN,
    width: int | None = None,
    *,
    verbose: bool = False,
) -> Iterator[str]:
    """Yield the lines of what happened: a row with its decision, a turn without one, a late call.

    ``verbose`` adds every call with its reply, and what the seat said outside its calls.
    """
    if isinstance(happening, LateCall):
        yield _folded(_late_title(happening.call), "", width)
        notes = _call_notes("", happening.call) if verbose else iter(())
    elif happening.is_row:
        seen = _seen(happening)
        if seen is None:
            return
        yield transcript_line(seen, screen, width)
        notes = _row_notes(happening, verbose=verbose)
    else:
        style = "red" if happening.facts["outcome"] in _BAD else "dim"
        yield screen.styled(_folded(_turn_title(happening), "", width), style)
        notes = _turn_notes(happening) if verbose else iter(())
    for note in notes:
        yield screen.styled(_folded(note, "  ", width), "dim")


def open_line(turn: RunTurn) -> str:
    """Return what to say of the turn that has not ended."""
    return f"{_title(turn.number, turn.seat, turn.attempt)}: has not ended"


def closing_line(
    run: Mapping[str, Any], totals: Mapping[str, Any], failure: str | None = None
) -> str | None:
    """Return how a room closed, with its turns and rows where they are known; None if nothing is."""
    if "closed" not in run:
        return None
    closed = run["closed"]
    line = "not closed: it can be resumed" if closed is None else f"closed: {closed}"
    if failure is not None:
        line += f": {one_line(failure)}"
    if totals:
        line += f"; {counted(totals['turns'], 'turn')}, {counted(totals['rows'], 'row')}"
    return line


# --- what stands below an entry ----------------------------------------------------------------


def _seen(item: ViewItem) -> SeenRow | None:
    """Return a row as its reader sees it; blank ones are left out."""
    row = item.row
    if row is None:
        return item.stub
    if is_blank(row.content):
        return None
    return SeenRow(row.sequence, row.author, row.content, row.audience)


def _row_notes(item: ViewItem, *, verbose: bool) -> Iterator[str]:
    facts, turn = item.facts, item.run_turn
    if facts.get("completes"):
        yield "completes"
    if facts.get("refusal"):
        yield f"not private: {facts['refusal']}"
    name = next_name(item)
    if name is not None:
        nudge = "nudge " if facts.get("kind") == "nudge" else ""
        why = f": {printable(item.why)}" if item.why else ""
        yield f"{nudge}→ {name}{why}"
    if item.routing is not None:
        yield printable(routing_text(item.routing, most=None if verbose else MOST_SCORES))
    if verbose:
        yield from _turn_notes(item)
    elif turn is not None:
        refused = [reply for reply in turn.replies if reply != OK]
        if refused:
            yield f"refused calls: {_listed(refused)}"


def _listed(replies: list[str]) -> str:
    """Return replies, each reason once, with how often it was given."""
    counts = {reply: replies.count(reply) for reply in dict.fromkeys(replies)}
    return ", ".join(reply if n == 1 else f"{reply} ({n} times)" for reply, n in counts.items())


def _turn_title(item: ViewItem) -> str:
    turn = item.run_turn
    title = _title(item.turn, item.seat, 1 if turn is None else turn.attempt)
    return _ended(title, item.facts["outcome"], item.facts.get("replies", ()), item.why)


def _ended(title: str, outcome: str, replies: Sequence[str], why: str | None) -> str:
    if outcome == "refused":
        refused = [reply for reply in replies if reply != OK]
        why = f"no message was accepted: {_listed(refused)}" if refused else None
    return f"{title}: {outcome}" + (f": {one_line(why)}" if why else "")


def _title(number: int | None, seat: str | None, attempt: int) -> str:
    again = f", attempt {attempt}" if attempt > 1 else ""
    return f"turn {number} ({one_line(seat or '')}{again})"


def _late_title(call: CallEntry) -> str:
    what = "late call" if call.call_id else "call out of turn"
    return f"{_title(call.turn, call.seat, call.attempt)}: {what}: {call.reply}"


def _turn_notes(item: ViewItem) -> Iterator[str]:
    """Yield all that is known of what a seat did in its turn."""
    turn = item.run_turn
    if turn is None:
        if item.text:
            yield f"text: {printable(item.text)}"
        return
    brought = f", brought by [{turn.trigger}]" if turn.trigger is not None else ""
    again = f", attempt {turn.attempt}" if turn.attempt > 1 else ""
    number = f"turn {turn.number}{again}, " if item.is_row else ""
    yield f"{number}hop {turn.hop}{brought}"
    calls = [call for call in turn.calls if not call.late]
    for place, call in enumerate(calls, start=1):
        yield from _call_notes(
            f"call {place}: " if call.source == "call" else "out of its text: ", call
        )
    in_calls = sum(call.source == "call" for call in turn.calls)
    excess = len(turn.replies) - in_calls if turn.calls else 0
    if excess > 0:
        least = "at least " if excess == MOST_REPLIES else ""
        yield f"{least}{counted(excess, 'more call')}: {CallFault.TOO_MANY_CALLS}"
    if turn.text:
        yield f"text: {printable(turn.text)}"
    if turn.wrote:
        yield f"wrote: {', '.join(map(one_line, turn.wrote))}"


def _call_notes(title: str, call: CallEntry) -> Iterator[str]:
    tool = call.tool if isinstance(call.tool, str) else _json(call.tool)
    arguments = f"\n{_json(call.arguments)}" if call.arguments else ""
    reply = f": {call.reply}" if title else ""
    yield f"{title}{one_line(tool)}{reply}{arguments}"


def _json(value: Any) -> str:  # noqa: ANN401 - whatever a seat sent
    return one_line(json.dumps(plain(value), ensure_ascii=False))


# --- on the page -------------------------------------------------------------------------------


def _folded(text: str, indent: str, width: int | None) -> str:
    """Return a text behind an indent, its further lines deeper, wrapped where there is a width."""
    if width is None:
        return indent + text.replace("\n", f"\n{_DEEP}")
    room = max(width - len(_DEEP), 1)
    return indent + f"\n{_DEEP}".join(wrapped(text, room))
