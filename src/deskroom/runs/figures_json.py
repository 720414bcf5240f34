"""The figures of a run as JSON-ready values; what is not known is null."""

from __future__ import annotations

from typing import Any

from attrs import asdict

from deskroom.runs.figures import Figures

__all__ = ["figures_json"]


def figures_json(figures: Figures) -> dict[str, Any]:
    """Return figures as JSON-ready values."""
    known = asdict(figures)
    known["viewer"] = figures.viewer.id
    for name, naming in (("naming", figures.naming), ("seat_naming", figures.seat_naming)):
        known[name] = naming and {**asdict(naming), "share": naming.share}
    known["asides"]["unsettled"] = figures.asides.unsettled
    known["hops"] = figures.hops and {str(hop): turns for hop, turns in figures.hops.items()}
    return known
