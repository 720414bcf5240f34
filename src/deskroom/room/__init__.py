"""The room: seat actors, the host actor, the chair and the clock, on bounded channels."""

from deskroom.engine.entries import Entry, Journal, RowEntry
from deskroom.engine.messages import Reply
from deskroom.engine.policy import BroadcastPolicy, ChairPolicy, Policy
from deskroom.engine.script import Cue, Script
from deskroom.engine.setup import Opening, Seat
from deskroom.engine.state import TurnRecord
from deskroom.room.clock import Clock, RealClock, SimulatedClock
from deskroom.room.late import LateCalls
from deskroom.room.room import Room, RoomResult
from deskroom.room.router import Router, ScriptedRouter, lexical
from deskroom.room.seat import Turn

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
