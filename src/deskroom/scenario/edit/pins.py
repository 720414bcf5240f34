"""What is worth expecting of a turn that was played, in the words of the file.

A recorded scenario and an update write the same things down: who could read the row and who was
next, and whatever else is out of the ordinary.
"""

from __future__ import annotations

from typing import Any

from deskroom.scenario.play.expect import TURN_VALUES, Played

__all__ = ["next_pin", "turn_pins"]


def turn_pins(played: Played) -> dict[str, Any]:
    """Return what to expect of one turn: keys and values of the file format."""
    if played.entry is None:
        pins = {"replies": _replies(played), "row": False, "outcome": _outcome(played)}
    elif played.entry.kind == "seat":
        pins = {
            "audience": TURN_VALUES["audience"](played),
            "next": next_pin(played),
            "completes": played.entry.completes or None,
            "refusal": played.entry.refusal,
            "replies": _replies(played),
        }
    else:
        pins = {"next": next_pin(played)}
    return {key: value for key, value in pins.items() if value is not None}


def next_pin(played: Played) -> Any:  # noqa: ANN401 - a value of the file format
    """Return who is next after a row; a broadcast that went to nobody is told by its reason."""
    value = TURN_VALUES["next"](played)
    return {"none": "broadcast"} if value == [] else value


def _replies(played: Played) -> list[str] | None:
    """Return the replies where one of them is a refusal."""
    replies = list(played.record.replies) if played.record else []
    return replies if any(word != "ok" for word in replies) else None


def _outcome(played: Played) -> str | None:
    return played.record.outcome if played.record else None
