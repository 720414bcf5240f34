"""Each system that is measured, in a file of its own.

A system is a module with ``def run(turns, rooms, marks, variant)``: play ``rooms`` conversations
of ``turns`` turns in one process and call ``marks.turn()`` whenever a seat speaks. Importing the
module imports the system, so each is measured in a process of its own.
"""

from __future__ import annotations

from typing import Final

from attrs import frozen

__all__ = ["SYSTEMS", "System"]


@frozen
class System:
    """One system: its module, what it has more than a scripted turn needs, and what it has not.

    ``largest`` is the longest conversation that is tried; ``many`` whether it can hold rooms side
    by side in one loop; ``is_ours`` whether another checkout has it too.
    """

    module: str
    what: str
    more: str
    lacks: str
    variant: str = ""
    largest: int = 10_000
    many: bool = False
    is_ours: bool = False


SYSTEMS: Final[dict[str, System]] = {
    "floor": System(
        "floor",
        "two bare tasks, three hand-overs, one JSON row appended",
        "",
        "any rule at all",
        largest=100_000,
        many=True,
    ),
    "deskroom": System(
        "room",
        "a room in memory",
        "",
        "",
        variant="memory",
        largest=1_000_000,
        many=True,
        is_ours=True,
    ),
    "deskroom, engine alone": System(
        "engine",
        "the engine of a room, driven directly",
        "",
        "actors: nobody waits for anybody",
        largest=100_000,
        is_ours=True,
    ),
    "deskroom, journal never": System(
        "room",
        "a room with a journal, sync = never",
        "a sealed journal of turns, calls and rows",
        "",
        variant="never",
        largest=100_000,
        is_ours=True,
    ),
    "deskroom, journal row": System(
        "room",
        "a room with a journal, sync = row",
        "the same, on the disk before the next grant",
        "",
        variant="row",
        is_ours=True,
    ),
    "autogen round robin": System(
        "autogen",
        "RoundRobinGroupChat",
        "a runtime with topics, serialised messages, tracing, state to save",
        "a hop, a reply to a call, a row that is committed before the next turn",
        variant="round_robin",
    ),
    "autogen selector": System(
        "autogen",
        "SelectorGroupChat with a function",
        "the same, and the choice by a model where there is no function",
        "a hop, a reply to a call, a row that is committed before the next turn",
        variant="selector",
    ),
    "autogen swarm": System(
        "autogen",
        "Swarm with hand-off messages",
        "the same",
        "a hop, a reply to a call, a row that is committed before the next turn",
        variant="swarm",
    ),
    "langgraph": System(
        "lang_graph",
        "a graph whose nodes hand on with Command(goto=...)",
        "state channels with reducers, checkpoints where one is given, streaming",
        "a hop limit a chain, a reply to a call, audiences",
    ),
    "pykka, one ask": System(
        "pykka_actors",
        "one ask a turn, from the caller to an actor",
        "threads, so that seats run side by side",
        "a call and a reply inside the turn, a transcript, routing",
        largest=100_000,
    ),
    "pykka, with a call": System(
        "pykka_actors",
        "the ask, and one from the seat to the host's actor inside it",
        "threads, so that seats run side by side",
        "a transcript that others read, routing",
        variant="call",
        largest=100_000,
    ),
    "xoscar, one call": System(
        "xoscar_actors",
        "one awaited call a turn, from the caller to an actor of a pool",
        "actors on other processes and machines under the same call",
        "a call and a reply inside the turn, a transcript, routing",
        largest=100_000,
    ),
    "xoscar, with a call": System(
        "xoscar_actors",
        "the call, and one from the seat to the host's actor inside it",
        "actors on other processes and machines under the same call",
        "a transcript that others read, routing",
        variant="call",
        largest=100_000,
    ),
}
