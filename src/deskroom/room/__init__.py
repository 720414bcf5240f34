"""The room: seat actors, the host actor, the chair and the clock, on bounded channels."""

from deskroom.room.clock import Clock, RealClock, SimulatedClock
from deskroom.room.entries import Entry, Journal, RowEntry
from deskroom.room.messages import Reply
from deskroom.room.policy import BroadcastPolicy, ChairPolicy, Policy
from deskroom.room.room import Room, RoomResult
from deskroom.room.router import Router, ScriptedRouter, lexical
from deskroom.room.script import Cue, Script
from deskroom.room.seat import Seat, Turn
from deskroom.room.setup import Opening
from deskroom.room.state import TurnRecord

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
