"""The room: seat actors, the host actor, the chair and the clock, on bounded channels."""

from deskroom.engine.entries import Entry, Journal, RowEntry
from deskroom.engine.policy import BroadcastPolicy, ChairPolicy, Policy
from deskroom.engine.script import Cue, Script
from deskroom.engine.setup import Opening
from deskroom.engine.state import TurnRecord
from deskroom.room.clock import Clock, RealClock, SimulatedClock
from deskroom.room.messages import Reply
from deskroom.room.room import Room, RoomResult
from deskroom.room.router import Router, ScriptedRouter, lexical
from deskroom.room.seat import Seat, Turn

__all__ = [
    "BroadcastPolicy",
    "ChairPolicy",
    "Clock",
    "Cue",
    "Entry",
    "Journal",
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
