"""The room: seat actors, the host actor, the chair and the clock, on bounded channels.

What needs an event loop is loaded when it is first used: a replay that drives the engine directly
does without it.
"""

from typing import TYPE_CHECKING

from deskroom._lazy import lazy
from deskroom.engine.entries import Entry, Journal, RowEntry
from deskroom.engine.messages import Reply
from deskroom.engine.policy import BroadcastPolicy, ChairPolicy, Policy
from deskroom.engine.script import Cue, Script
from deskroom.engine.setup import Opening, Seat
from deskroom.engine.state import TurnRecord

if TYPE_CHECKING:
    from deskroom.room.clock import Clock, RealClock, SimulatedClock
    from deskroom.room.late import LateCalls
    from deskroom.room.room import Room, RoomResult
    from deskroom.room.router import Router, ScriptedRouter, lexical
    from deskroom.room.seat import Turn

_LAZY = {
    "Clock": "deskroom.room.clock",
    "LateCalls": "deskroom.room.late",
    "RealClock": "deskroom.room.clock",
    "Room": "deskroom.room.room",
    "RoomResult": "deskroom.room.room",
    "Router": "deskroom.room.router",
    "ScriptedRouter": "deskroom.room.router",
    "SimulatedClock": "deskroom.room.clock",
    "Turn": "deskroom.room.seat",
    "lexical": "deskroom.room.router",
}

__all__ = [
    "BroadcastPolicy",
    "ChairPolicy",
    "Clock",
    "Cue",
    "Entry",
    "Journal",
    "LateCalls",
    "Opening",
    "Policy",
    "RealClock",
    "Reply",
    "Room",
    "RoomResult",
    "Router",
    "RowEntry",
    "Script",
    "ScriptedRouter",
    "Seat",
    "SimulatedClock",
    "Turn",
    "TurnRecord",
    "lexical",
]


__getattr__ = lazy(__name__, _LAZY)
