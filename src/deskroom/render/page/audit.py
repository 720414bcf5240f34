"""What an audit found of a transcript, for the page: rates, and where it first leaves the rules."""

from __future__ import annotations

from deskroom.core import Viewer
from deskroom.printable import printable
from deskroom.render.audit import divergence_reason, verdict_label
from deskroom.render.page.items import Json
from deskroom.runs.audit import VERDICTS, audit_run
from deskroom.runs.view import RunView

__all__ = ["audit_values"]


def audit_values(whole: RunView, viewer: Viewer) -> Json | None:
    """Return the rates of a transcript, as far as a viewer may know them.

    There is none for a run of ours, which was made by the rules.
    """
    if whole.kind != "transcript":
        return None
    audit = audit_run(whole, viewer)
    counts = [
        [verdict_label(verdict), audit.counts[verdict], first.sequence if first else None]
        for verdict in VERDICTS
        for first in [audit.first_of(verdict)]
        if audit.counts[verdict] or verdict != "closed"
    ]
    values: Json = {"judged": audit.judged, "counts": counts}
    if audit.first is not None:
        reason = printable(divergence_reason(audit.first))
        values["first"] = {"row": audit.first.sequence, "why": reason}
    return values
