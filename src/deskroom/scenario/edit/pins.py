"""What is worth expecting of a turn or of a whole run, in the words of the file.

A recorded scenario and an update write the same things down: who could read the row and who was
next, whatever else is out of the ordinary, and what the run came to.
"""

from __future__ import annotations

from typing import Any

from deskroom.engine.policy import Policy
from deskroom.runs.run import Run, RunItem
from deskroom.runs.values import TURN_VALUES
from deskroom.scenario.format.model import Order

__all__ = ["next_pin", "run_pins", "turn_pins"]


def turn_pins(item: RunItem) -> dict[str, Any]:
    """Return what to expect of one turn: keys and values of the file format."""
    pins: dict[str, Any]
    if item.entry is None:
        outcome = item.turn.outcome if item.turn else None
        pins = {"replies": _replies(item), "row": False, "outcome": outcome}
    elif item.entry.kind == "seat":
        pins = {
            "audience": TURN_VALUES["audience"](item),
            "next": next_pin(item),
            "completes": item.entry.completes or None,
            "refusal": item.entry.refusal,
            "replies": _replies(item),
        }
    else:
        pins = {"next": next_pin(item)}
    return {key: value for key, value in pins.items() if value is not None}


def next_pin(item: RunItem) -> Any:  # noqa: ANN401 - a value of the file format
    """Return who is next after a row; of a broadcast that went to nobody, the reason."""
    value = TURN_VALUES["next"](item)
    return {"none": "broadcast"} if value == [] else value


def run_pins(run: Run, order: Order, policy: Policy) -> dict[str, Any]:
    """Return what to expect of the run, without what could not come out otherwise."""
    pins = dict(run.totals)
    if order == "listed" or policy.chair.rounds == 0:
        del pins["nudges"]
    if not policy.aside.enabled:
        del pins["asides"]
    return pins


def _replies(item: RunItem) -> list[str] | None:
    """Return the replies where one of them is a refusal."""
    replies = list(item.turn.replies) if item.turn else []
    return replies if any(reply != "ok" for reply in replies) else None
