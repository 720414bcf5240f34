"""A run as a program reads it: what ``replay --json`` says of a scenario, and every call."""

from __future__ import annotations

from typing import Any

from deskroom.engine.arguments import plain
from deskroom.engine.entries import CallEntry
from deskroom.errors import FileError
from deskroom.render.replay import listed_label, row_json, turn_json
from deskroom.runs.run import RunTurn
from deskroom.runs.view import RunView, ViewItem, tells
from deskroom.scenario.play.compare import Replay
from deskroom.wire import row_out

__all__ = ["run_json"]

Json = dict[str, Any]


def run_json(
    view: RunView, path: str, *, replay: Replay | None = None, damage: FileError | None = None
) -> Json:
    """Return what a viewer may know of a run as JSON-ready values; what is not known is null.

    ``replay`` is there for a scenario, which names its turns; ``damage`` is what is wrong with the
    file. Of a row in a bare transcript only its own keys are there.
    """
    why = {
        (item.turn, item.run_turn.attempt): item.why
        for item in view.items
        if item.run_turn is not None and not item.is_row
    }
    return {
        "format": 1,
        "path": path,
        "kind": view.kind,
        "title": None if replay is None else replay.scenario.title,
        "order": view.order,
        "viewer": view.viewer.id,
        "rows": [_row(item) for item in view.items if item.is_row],
        "turns": [
            _turn(turn, view, replay, why.get((turn.number, turn.attempt))) for turn in view.turns
        ]
        or [_told(item) for item in view.items if not item.is_row],
        "stray_calls": [_call(call) for call in view.stray],
        "run": dict(view.totals or view.run),
        "failure": view.failure,
        "damage": None if damage is None else {"line": damage.line, "problem": damage.problem},
    }


def _row(item: ViewItem) -> Json:
    if item.row is not None and "kind" not in item.facts:
        return row_out(item.row)
    return row_json(item)


def _turn(turn: RunTurn, view: RunView, replay: Replay | None, why: str | None) -> Json:
    tells_all = tells(view.viewer, turn.seat)
    error = turn.error
    return {
        **turn_json(turn, view.viewer, None if replay is None else listed_label(replay, turn)),
        "why": why,
        "error": None if error is None else {"type": error.type, "text": error.text},
        "calls": [_call(call) for call in turn.calls] if tells_all else None,
        "text": turn.text if tells_all else None,
        "wrote": list(turn.wrote) if tells_all else None,
    }


def _told(item: ViewItem) -> Json:
    """Return a turn without a row, of a transcript that tells of no others."""
    return {
        "turn": item.turn,
        "seat": item.seat,
        "hop": item.facts.get("hop"),
        "trigger": item.trigger,
        "outcome": item.facts["outcome"],
        "replies": item.facts.get("replies"),
        "row": None,
    }


def _call(call: CallEntry) -> Json:
    return {
        "turn": call.turn,
        "attempt": call.attempt,
        "seat": call.seat,
        "call_id": call.call_id,
        "tool": plain(call.tool),
        "arguments": plain(call.arguments),
        "reply": str(call.reply),
        "late": call.late,
        "source": call.source,
    }
