"""A replayed scenario as a person reads it, and as a program does.

``viewer`` narrows either to what one seat may know; without it all is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from deskroom.core import OPERATOR, Viewer
from deskroom.core.episode import ALSO_ROUTED_ABOVE
from deskroom.render.screen import PLAIN, Screen
from deskroom.render.table import table_lines
from deskroom.render.text import one_line, printable, shortened, value_text
from deskroom.runs.run import RunTurn
from deskroom.runs.view import Routing, RunView, ViewItem, tells
from deskroom.runs.why import MOST_SCORES, scores_clause
from deskroom.scenario.format.model import Scenario
from deskroom.scenario.play.compare import Replay
from deskroom.scenario.play.expect import Mismatch
from deskroom.wire import audience_out, author_out, elision_out, row_out

__all__ = [
    "PRIVATE",
    "may_read",
    "mismatch_line",
    "private_text",
    "replay_json",
    "replay_lines",
    "replay_table",
    "routing_json",
    "routing_text",
    "scenario_title",
    "turn_title",
]

PRIVATE: Final = "(private)"
_SHORT: Final = 240
_HEADING: Final = ("#", "who → whom", "what", "next, and why")

Json = dict[str, Any]


# For people


def replay_lines(
    replay: Replay, screen: Screen, *, viewer: Viewer = OPERATOR, verbose: bool = False
) -> Iterator[str]:
    """Yield a replay as ``deskroom replay`` shows it: its title, its table, and how it closed."""
    yield screen.styled(scenario_title(replay.scenario), "bold")
    yield from replay_table(replay, screen, viewer=viewer, verbose=verbose)
    closed = f"closed: {replay.run.closed}"
    if replay.unused:
        closed += f"; unused: turn {', '.join(turn.label for turn in replay.unused)}"
    yield f"{closed}\n"


def scenario_title(scenario: Scenario) -> str:
    """Return what to call a scenario: its path, and its title if it has one."""
    title = f"{scenario.path} · {scenario.title}" if scenario.title else scenario.path
    return one_line(title)


def replay_table(
    replay: Replay, screen: Screen = PLAIN, *, viewer: Viewer = OPERATOR, verbose: bool = False
) -> Iterator[str]:
    """Yield the lines of a table of the rows of a replay, with who is next and why.

    Turns without a row stand between. ``verbose`` cuts no message, and adds what seats said outside
    their calls.
    """
    view = replay.view(viewer, lines=False)
    rows = [_cells(item, view, verbose=verbose) for item in _in_order(view)]
    return table_lines(_HEADING, rows, screen)


def _in_order(view: RunView) -> Iterator[ViewItem]:
    """Yield rows in order, and each turn that became no row where it was granted."""
    rowless = [item for item in view.items if not item.is_row]
    at = 0
    for item in view.items:
        if item.sequence is None:
            continue
        while at < len(rowless) and rowless[at].granted_at < item.sequence:
            yield rowless[at]
            at += 1
        yield item
    yield from rowless[at:]


def _cells(item: ViewItem, view: RunView, *, verbose: bool) -> tuple[str, str, str, str]:
    if item.stub is not None:
        return _stub_cells(item)
    if item.row is None:
        return _turn_cells(item, view, verbose=verbose)
    who = _who(item)
    if item.facts["kind"] == "nudge":
        who += "\n(nudge)"
    what = printable(item.row.content)
    what = _with_text(what, item.text) if verbose else shortened(what, _SHORT)
    return str(item.sequence), who, what, _next(item, verbose=verbose)


def _stub_cells(item: ViewItem) -> tuple[str, str, str, str]:
    elided = item.stub.elided if item.stub else None
    assert elided is not None  # noqa: S101 - only stubs come here
    number = str(item.sequence)
    if elided.through != item.sequence:
        number += f"-{elided.through}"
    settled = elided.settled_at
    end = "not settled" if settled is None else f"settled at [{settled}]"
    return number, _who(item), private_text(elided.messages), end


def private_text(messages: int) -> str:
    """Return what to show in place of messages that may not be read."""
    return PRIVATE if messages == 1 else f"(private, {messages} messages)"


def _turn_cells(item: ViewItem, view: RunView, *, verbose: bool) -> tuple[str, str, str, str]:
    replies = ", ".join(item.facts["replies"]) if tells(view.viewer, item.seat) else ""
    what = f"({item.facts['outcome']}) {replies}".strip()
    if verbose:
        what = _with_text(what, item.text)
    return "-", printable(item.seat or ""), what, ""


def _with_text(what: str, text: str) -> str:
    return f"{what}\ntext: {printable(text)}" if text else what


def _who(item: ViewItem) -> str:
    author, audience = item.facts["author"], item.facts["audience"]
    whom = audience if isinstance(audience, str) else ", ".join(audience)
    return printable(f"{author.get('id') or author.get('kind') or author['type']} → {whom}")


def _next(item: ViewItem, *, verbose: bool) -> str:
    following, why = item.facts["next"], printable(item.why or "")
    lines = ["completes"] if item.facts["completes"] else []
    if item.facts["refusal"]:
        lines.append(f"not private: {item.facts['refusal']}")
    if not isinstance(following, dict):
        name = ", ".join(following) if isinstance(following, list) else following
        lines.append(f"{printable(name or 'nobody')}: {why}")
    elif item.facts["kind"] != "wrote":
        lines.append(f"nobody: {why}")
    if item.routing is not None:
        lines.append(printable(routing_text(item.routing, most=None if verbose else MOST_SCORES)))
    return "\n".join(lines)


def routing_text(routing: Routing, *, most: int | None = MOST_SCORES) -> str:
    """Return the scores that decided about a broadcast, the best ``most`` of them."""
    return scores_clause(routing.scores, routing.width, most=most)


def mismatch_line(mismatch: Mismatch, viewer: Viewer = OPERATOR) -> str:
    """Return a mismatch as one line: where, which turn, expected, got, and why."""
    place = f"{mismatch.path}:{mismatch.line}"
    if mismatch.column is not None:
        place = f"{place}:{mismatch.column}"
    expected, got, why = _readable(mismatch, viewer)
    about = turn_title(mismatch.turn, mismatch.seat)
    shown = f"expected {value_text(expected)}, got {value_text(got)}; {why}"
    return one_line(f"{place}: {about}: {mismatch.key}: {shown}")


def turn_title(turn: str | None, seat: str | None) -> str:
    """Return what to call a turn by its label; ``run`` for the run as a whole."""
    if turn is None:
        return "run"
    if turn == "opening":
        return turn
    return f"turn {turn} ({seat})" if seat else f"turn {turn}"


def may_read(readers: Sequence[str] | None, viewer: Viewer) -> bool:
    """Whether a viewer may read what only these seats may; None means that all may."""
    return viewer.kind != "agent" or readers is None or viewer.id in readers


def _readable(mismatch: Mismatch, viewer: Viewer) -> tuple[Any, Any, str]:
    if not may_read(mismatch.private_to, viewer):
        return PRIVATE, PRIVATE, PRIVATE
    why = mismatch.why
    if mismatch.scores and viewer == OPERATOR:
        why = f"{why}; {mismatch.scores}"
    return mismatch.expected, mismatch.got, why


# For programs


def replay_json(replay: Replay, path: str, viewer: Viewer = OPERATOR) -> Json:
    """Return a replay as JSON-ready values. Nothing in it depends on the machine it ran on."""
    view = replay.view(viewer, lines=False)
    return {
        "path": path,
        "title": replay.scenario.title,
        "order": replay.scenario.order,
        "status": "passed" if replay.ok else "failed",
        "rows": [_row_json(item) for item in view.items if item.is_row],
        "turns": [_turn_json(replay.scenario, turn, view) for turn in view.turns],
        "run": dict(view.totals),
        "unused": [turn.label for turn in replay.unused],
        "mismatches": [_mismatch_json(m, path, viewer) for m in replay.mismatches],
    }


def _row_json(item: ViewItem) -> Json:
    if item.stub is not None and item.stub.elided is not None:
        return {
            "sequence": item.sequence,
            "author": author_out(item.stub.author),
            "audience": audience_out(item.stub.audience),
            "elided": elision_out(item.stub.elided),
        }
    assert item.row is not None  # noqa: S101 - what is no stub is a row
    return {
        **row_out(item.row),
        "kind": item.facts["kind"],
        "turn": item.turn,
        "trigger": item.trigger,
        "mentions": list(item.mentions),
        "next": item.facts["next"],
        "why": item.why,
        "routing": routing_json(item),
        "completes": item.facts["completes"],
        "refusal": item.facts["refusal"],
    }


def routing_json(item: ViewItem) -> Json | None:
    """Return how a broadcast was routed, where a router was asked and the viewer may know it."""
    if item.routing is None:
        return None
    return {
        "scores": dict(item.routing.scores),
        "recipients": item.facts["next"],
        "threshold": ALSO_ROUTED_ABOVE,
        "width": item.routing.width,
    }


def _turn_json(scenario: Scenario, turn: RunTurn, view: RunView) -> Json:
    return {
        "turn": turn.number,
        "attempt": turn.attempt,
        "listed": None if turn.cue is None else scenario.turns[turn.cue].label,
        "seat": turn.seat,
        "hop": turn.hop,
        "trigger": turn.trigger,
        "outcome": turn.outcome,
        "replies": list(turn.replies) if tells(view.viewer, turn.seat) else None,
        "row": turn.row,
    }


def _mismatch_json(mismatch: Mismatch, path: str, viewer: Viewer) -> Json:
    expected, got, why = _readable(mismatch, viewer)
    return {
        "path": path,
        "line": mismatch.line,
        "column": mismatch.column,
        "turn": mismatch.turn,
        "seat": mismatch.seat,
        "key": mismatch.key,
        "expected": expected,
        "got": got,
        "why": why,
    }
