"""deskroom simulates a room of agents that share one transcript.

The names here are the Python API. Importing the package loads the pure core only; what needs the
actors is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

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


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute can be anything
    if name not in _HOME:
        raise AttributeError(f"module 'deskroom' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
