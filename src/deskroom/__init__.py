"""deskroom simulates a room of agents that share one transcript.

The names here are the Python API. Importing the package loads the pure core only; what needs the
actors is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deskroom._lazy import lazy
from deskroom._version import __version__
from deskroom.errors import (
    AsideRefused,
    DeskError,
    DeskroomError,
    EpisodeError,
    FileError,
    RoomClosed,
    RoomFailure,
    RosterError,
    SeatCancelled,
    UsageError,
)

if TYPE_CHECKING:
    from deskroom.core import AsidePolicy, DispatchPolicy, Person, Row
    from deskroom.room import (
        BroadcastPolicy,
        ChairPolicy,
        Opening,
        Policy,
        Reply,
        Room,
        RoomResult,
        Router,
        RowEntry,
        ScriptedRouter,
        Seat,
        SimulatedClock,
        Turn,
        TurnRecord,
        lexical,
    )
    from deskroom.scenario import Replay, Scenario, load_scenario, replay_scenario

_LAZY = {
    "deskroom.core": ("AsidePolicy", "DispatchPolicy", "Person", "Row"),
    "deskroom.room": (
        "BroadcastPolicy",
        "ChairPolicy",
        "Opening",
        "Policy",
        "Reply",
        "Room",
        "RoomResult",
        "Router",
        "RowEntry",
        "ScriptedRouter",
        "Seat",
        "SimulatedClock",
        "Turn",
        "TurnRecord",
        "lexical",
    ),
    "deskroom.scenario": ("Replay", "Scenario", "load_scenario", "replay_scenario"),
}
_HOME = {name: module for module, names in _LAZY.items() for name in names}

__all__ = [
    "AsidePolicy",
    "AsideRefused",
    "BroadcastPolicy",
    "ChairPolicy",
    "DeskError",
    "DeskroomError",
    "DispatchPolicy",
    "EpisodeError",
    "FileError",
    "Opening",
    "Person",
    "Policy",
    "Replay",
    "Reply",
    "Room",
    "RoomClosed",
    "RoomFailure",
    "RoomResult",
    "RosterError",
    "Router",
    "Row",
    "RowEntry",
    "Scenario",
    "ScriptedRouter",
    "Seat",
    "SeatCancelled",
    "SimulatedClock",
    "Turn",
    "TurnRecord",
    "UsageError",
    "__version__",
    "lexical",
    "load_scenario",
    "replay_scenario",
]


__getattr__ = lazy(__name__, _HOME)


def __dir__() -> list[str]:
    return sorted(__all__)
