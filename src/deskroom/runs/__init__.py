"""One record of a run, and one projection of it for a viewer.

A ``Run`` is folded from entries, wherever they came from: a live room, a replay, a journal.
``RunView`` is what a viewer may know of it; whatever is shown of a run is made from that.
"""

from deskroom.runs.run import Run, RunItem, RunTurn
from deskroom.runs.view import RunView, ViewItem, narrowed, view_run

__all__ = ["Run", "RunItem", "RunTurn", "RunView", "ViewItem", "narrowed", "view_run"]
