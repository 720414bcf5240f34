"""The turn machine: the stages of an open turn, what can happen to it, and how it ends.

The rules in words. A turn that is granted is open. Each call is answered at once: a read changes
nothing, an accepted utterance is held and replaces the one held before, and a refused call only
matters while nothing is held. The turn ends when its seat says so, when the seat raises, or when
the deadline passes. A room that is stopped or dies leaves its turn open, to be granted again.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Final

from deskroom.core.reasons import Outcome

__all__ = ["TRANSITIONS", "Stage", "TurnEvent", "advance"]


class Stage(Enum):
    """How far an open turn has come: nothing held, only refused calls, or an utterance held."""

    OPEN = auto()
    DECLINED = auto()
    HOLDING = auto()

    # An enum's own hash is a method in Python, and the table is asked several times a turn.
    __hash__ = object.__hash__


class TurnEvent(Enum):
    """What can happen to an open turn."""

    READ = auto()
    ACCEPT = auto()
    REFUSE = auto()
    END = auto()
    RAISE = auto()
    DEADLINE = auto()

    __hash__ = object.__hash__


_S, _E, _O = Stage, TurnEvent, Outcome

#: (stage, event) -> the stage after it, or the outcome that ends the turn.
TRANSITIONS: Final[dict[tuple[Stage, TurnEvent], Stage | Outcome]] = {
    (_S.OPEN, _E.READ): _S.OPEN,
    (_S.OPEN, _E.ACCEPT): _S.HOLDING,
    (_S.OPEN, _E.REFUSE): _S.DECLINED,
    (_S.OPEN, _E.END): _O.SILENT,
    (_S.OPEN, _E.RAISE): _O.FAILED,
    (_S.OPEN, _E.DEADLINE): _O.TIMED_OUT,
    (_S.DECLINED, _E.READ): _S.DECLINED,
    (_S.DECLINED, _E.ACCEPT): _S.HOLDING,
    (_S.DECLINED, _E.REFUSE): _S.DECLINED,
    (_S.DECLINED, _E.END): _O.REFUSED,
    (_S.DECLINED, _E.RAISE): _O.FAILED,
    (_S.DECLINED, _E.DEADLINE): _O.TIMED_OUT,
    (_S.HOLDING, _E.READ): _S.HOLDING,
    (_S.HOLDING, _E.ACCEPT): _S.HOLDING,
    (_S.HOLDING, _E.REFUSE): _S.HOLDING,
    (_S.HOLDING, _E.END): _O.SPOKE,
    (_S.HOLDING, _E.RAISE): _O.FAILED,
    (_S.HOLDING, _E.DEADLINE): _O.TIMED_OUT,
}


def advance(stage: Stage, event: TurnEvent) -> Stage | Outcome:
    """Return where a turn is after an event."""
    return TRANSITIONS[stage, event]
