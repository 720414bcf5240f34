"""The turn machine: what a turn can be, what can happen to it, and what it then is.

The rules in words. A turn is granted and open. Each call is answered at once: a read changes
nothing, an accepted utterance is held and replaces the one held before, and a refused call only
matters while nothing is held. The turn ends when the seat says so, when it raises, when its
deadline passes or when the room is stopped; the state it ends in is its outcome. A call after
that is late: the host refuses it and the machine is not asked.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

__all__ = ["ENDED", "OUTCOMES", "TRANSITIONS", "TurnEvent", "TurnState", "advance"]


class TurnState(StrEnum):
    """What the room's current turn is. The value of an ended state is the outcome's word."""

    IDLE = "idle"
    OPEN = "open"
    DECLINED = "declined"
    HOLDING = "holding"
    SPOKE = "spoke"
    SILENT = "silent"
    REFUSED = "refused"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    STOPPED = "stopped"

    # An enum's own hash is a method in Python, and the table is asked several times a turn.
    __hash__ = str.__hash__


class TurnEvent(StrEnum):
    """What can happen to a turn."""

    GRANT = "grant"
    READ = "read"
    ACCEPT = "accept"
    REFUSE = "refuse"
    END = "end"
    RAISE = "raise"
    DEADLINE = "deadline"
    STOP = "stop"

    __hash__ = str.__hash__


_S = TurnState
_E = TurnEvent

#: (state, event) -> state. What is not in it cannot happen: see ``advance``.
TRANSITIONS: Final[dict[tuple[TurnState, TurnEvent], TurnState]] = {
    (_S.IDLE, _E.GRANT): _S.OPEN,
    (_S.IDLE, _E.STOP): _S.IDLE,
    (_S.OPEN, _E.READ): _S.OPEN,
    (_S.OPEN, _E.ACCEPT): _S.HOLDING,
    (_S.OPEN, _E.REFUSE): _S.DECLINED,
    (_S.OPEN, _E.END): _S.SILENT,
    (_S.OPEN, _E.RAISE): _S.FAILED,
    (_S.OPEN, _E.DEADLINE): _S.TIMED_OUT,
    (_S.OPEN, _E.STOP): _S.STOPPED,
    (_S.DECLINED, _E.READ): _S.DECLINED,
    (_S.DECLINED, _E.ACCEPT): _S.HOLDING,
    (_S.DECLINED, _E.REFUSE): _S.DECLINED,
    (_S.DECLINED, _E.END): _S.REFUSED,
    (_S.DECLINED, _E.RAISE): _S.FAILED,
    (_S.DECLINED, _E.DEADLINE): _S.TIMED_OUT,
    (_S.DECLINED, _E.STOP): _S.STOPPED,
    (_S.HOLDING, _E.READ): _S.HOLDING,
    (_S.HOLDING, _E.ACCEPT): _S.HOLDING,
    (_S.HOLDING, _E.REFUSE): _S.HOLDING,
    (_S.HOLDING, _E.END): _S.SPOKE,
    (_S.HOLDING, _E.RAISE): _S.FAILED,
    (_S.HOLDING, _E.DEADLINE): _S.TIMED_OUT,
    (_S.HOLDING, _E.STOP): _S.STOPPED,
    (_S.SPOKE, _E.GRANT): _S.OPEN,
    (_S.SILENT, _E.GRANT): _S.OPEN,
    (_S.REFUSED, _E.GRANT): _S.OPEN,
    (_S.FAILED, _E.GRANT): _S.OPEN,
    (_S.TIMED_OUT, _E.GRANT): _S.OPEN,
    (_S.SPOKE, _E.STOP): _S.SPOKE,
    (_S.SILENT, _E.STOP): _S.SILENT,
    (_S.REFUSED, _E.STOP): _S.REFUSED,
    (_S.FAILED, _E.STOP): _S.FAILED,
    (_S.TIMED_OUT, _E.STOP): _S.TIMED_OUT,
}

#: The states in which a turn can be left by its own seat or its deadline.
OUTCOMES: Final = (_S.SPOKE, _S.SILENT, _S.REFUSED, _S.FAILED, _S.TIMED_OUT)

#: The states in which no turn is open, so that every call is late or out of turn.
ENDED: Final = frozenset((_S.IDLE, _S.STOPPED, *OUTCOMES))


def advance(state: TurnState, event: TurnEvent) -> TurnState:
    """Return the state after an event. An event that the table has no row for is a fault of ours.

    Raises ``AssertionError``; the host asks only about a turn that is open, so no seat, person or
    scenario can cause it.
    """
    after = TRANSITIONS.get((state, event))
    if after is None:
        raise AssertionError(f"a turn that is {state.value} cannot take {event.value}")
    return after
