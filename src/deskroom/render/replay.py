"""A replayed scenario as a person reads it, and as a program does.

``viewer`` narrows either to what one seat may know; without it all is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from deskroom.core import OPERATOR, Viewer
from deskroom.core.episode import ALSO_ROUTED_ABOVE
from deskroom.render.rows import PRIVATE, run_table
from deskroom.render.screen import PLAIN, Screen
from deskroom.render.text import one_line, value_text
from deskroom.runs.run import RunTurn
from deskroom.runs.view import ViewItem, tells
from deskroom.scenario.format.model import Scenario
from deskroom.scenario.play.compare import Replay
from deskroom.scenario.play.expect import Mismatch
from deskroom.wire import audience_out, author_out, elision_out, row_out

__all__ = [
    "listed_label",
    "may_read",
    "mismatch_line",
    "replay_json",
    "replay_lines",
    "replay_table",
    "routing_json",
    "row_json",
    "scenario_title",
    "turn_json",
    "turn_title",
]

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
    return run_table(replay.view(viewer, lines=False), screen, verbose=verbose)


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
        "rows": [row_json(item) for item in view.items if item.is_row],
        "turns": [turn_json(turn, viewer, listed_label(replay, turn)) for turn in view.turns],
        "run": dict(view.totals),
        "unused": [turn.label for turn in replay.unused],
        "mismatches": [_mismatch_json(m, path, viewer) for m in replay.mismatches],
    }


def row_json(item: ViewItem) -> Json:
    """Return a row with what was decided about it, or a stub."""
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


def listed_label(replay: Replay, turn: RunTurn) -> str | None:
    """Return what the scenario calls a turn that it lists."""
    return None if turn.cue is None else replay.scenario.turns[turn.cue].label


def turn_json(turn: RunTurn, viewer: Viewer, listed: str | None) -> Json:
    """Return a turn that a viewer may know; ``listed`` is what the scenario calls it."""
    return {
        "turn": turn.number,
        "attempt": turn.attempt,
        "listed": listed,
        "seat": turn.seat,
        "hop": turn.hop,
        "trigger": turn.trigger,
        "outcome": turn.outcome,
        "replies": list(turn.replies) if tells(viewer, turn.seat) else None,
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
