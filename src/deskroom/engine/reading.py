"""Reading the end of a transcript without walking all of it."""

from __future__ import annotations

from collections.abc import Sequence

from deskroom.core.audience import Viewer
from deskroom.core.transcript import Row, SeenRow, project
from deskroom.engine.policy import Policy

__all__ = ["history_bounds", "last_seen"]


def history_bounds(rows: int, since: int | None, policy: Policy) -> tuple[int, int]:
    """Return where a grant's history starts and stops, counted in rows.

    The last ``window`` rows, or all since the seat's last grant if that is more, but never more
    than ``history_limit``.
    """
    start = rows - policy.window if since is None else min(rows - policy.window, since)
    return max(start, rows - policy.history_limit, 0), rows


def last_seen(rows: Sequence[Row], viewer: Viewer, limit: int) -> tuple[SeenRow, ...]:
    """Return the last ``limit`` entries of ``project(rows, viewer)``.

    A stretch from the end gives the same entries as the whole, except that its first one may be
    the rest of a longer stub. So one entry more than asked for is enough, and is then let go.
    """
    reach = limit + 1
    while True:
        seen = project(rows[max(len(rows) - reach, 0) :], viewer)
        if len(seen) > limit or reach >= len(rows):
            return seen[-limit:]
        reach *= 2
