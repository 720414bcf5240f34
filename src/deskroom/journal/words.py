"""What is wrong with an entry, in words for whoever has to find out why."""

from __future__ import annotations

from deskroom.core import Audience, Decision, NoTurn
from deskroom.engine import steps
from deskroom.engine.entries import TurnEntry

__all__ = ["differs", "grant_text", "say", "say_content", "say_decision", "step_text"]


def differs(what: str, written: object, decided: object) -> str | None:
    """Return how what is written differs from what the room decides, or None."""
    return None if written == decided else say(what, written, decided)


def say(what: str, written: object, decided: object) -> str:
    """Return that a fact differs, and how."""
    return f"{what} is {_plain(written)}; the room decides {_plain(decided)}"


def _plain(value: object) -> str:
    if isinstance(value, Audience):
        return "the desk" if value.kind == "desk" else f"an aside to {', '.join(value.members)}"
    return repr(value)


def say_content(what: str, written: object, decided: object) -> str:  # noqa: ARG001 - as say
    """Return that a content differs; it may be long, and it stands in the journal."""
    return "the content is not what the room was told to say"


def say_decision(what: str, written: Decision, decided: Decision) -> str:
    """Return how a decision differs."""
    if _decision_text(written) == _decision_text(decided):
        return f"{what} names another mention than the room's: {decided!r}"
    return f"{what} is {_decision_text(written)}; the room decides {_decision_text(decided)}"


def _decision_text(decision: Decision) -> str:
    if isinstance(decision, NoTurn):
        return f"nobody ({decision.reason})"
    return f"{decision.target_id} at hop {decision.child_hop}"


def grant_text(turn: int, attempt: int, seat: str, hop: int, trigger: int | None) -> str:
    """Return a grant as words."""
    return f"turn {turn} (attempt {attempt}) to {seat} at hop {hop} for row {trigger}"


def step_text(step: steps.Step) -> str:
    """Return what is due, as a clause; in listed order a script may have its say first."""
    match step:
        case steps.Open():
            return "the room has not been opened"
        case steps.Wrote():
            return f"the row about the files of turn {step.entry.turn} is due"
        case steps.Route():
            return f"row {step.entry.row.sequence} waits for its routing"
        case steps.Nudge():
            return f"a nudge to {step.seat} is due"
        case TurnEntry():
            return f"turn {step.turn} of {step.seat} is due"
        case steps.Close():
            return f"the room closes ({step.reason})"
        case _:
            return "nothing is due until a person speaks"
