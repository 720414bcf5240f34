"""What an update wrote into a file, as lines for a person and as values for a program."""

from __future__ import annotations

from typing import Any

from deskroom.core import OPERATOR, Viewer
from deskroom.render.replay import may_read, turn_title
from deskroom.render.rows import PRIVATE
from deskroom.render.text import one_line, value_text
from deskroom.scenario.edit.update import Change

__all__ = ["change_json", "change_line"]


def change_line(change: Change, viewer: Viewer = OPERATOR) -> str:
    """Return a change as one line: where it now stands, which turn, and what became of it."""
    before, after = _readable(change, viewer)
    title = turn_title(change.turn, change.seat)
    shown = f"{value_text(before)} → {value_text(after)}"
    return one_line(f"{change.path}:{change.line}:{change.column}: {title}: {change.key}: {shown}")


def change_json(change: Change, path: str, viewer: Viewer = OPERATOR) -> dict[str, Any]:
    """Return a change as JSON-ready values; ``path`` is what to call the file."""
    before, after = _readable(change, viewer)
    return {
        "path": path,
        "line": change.line,
        "column": change.column,
        "turn": change.turn,
        "seat": change.seat,
        "key": change.key,
        "before": before,
        "after": after,
    }


def _readable(change: Change, viewer: Viewer) -> tuple[Any, Any]:
    if may_read(change.private_to, viewer):
        return change.before, change.after
    return PRIVATE, PRIVATE
