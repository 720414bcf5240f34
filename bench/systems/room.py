"""A room of ours: two seats that hand the turn to each other.

``rooms`` play side by side in one loop, or, in the variant ``in a row``, one after the other.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final, Literal

import anyio

from bench.marks import LINE, Marks
from deskroom import DispatchPolicy, Policy, Room, Turn
from deskroom.journal import JournalFile

__all__ = ["run", "write"]


def run(turns: int, rooms: int, marks: Marks, variant: str) -> None:
    """Play rooms in memory, or one with a journal."""
    if variant in _PLAYERS:
        anyio.run(_PLAYERS[variant], turns, rooms, marks)
        return
    with tempfile.TemporaryDirectory() as folder:
        _play(Path(folder) / "run.jsonl", turns, marks, "never" if variant == "never" else "row")


def write(path: str, turns: int) -> None:
    """Write the journal of one room."""
    _play(Path(path), turns, Marks(turns), "never")


def _play(path: Path, turns: int, marks: Marks, sync: Literal["never", "row"]) -> None:
    with JournalFile.create(path, sync=sync) as journal:
        anyio.run(_room(turns, marks, journal).run)


async def _at_once(turns: int, rooms: int, marks: Marks) -> None:
    async with anyio.create_task_group() as tasks:
        for _ in range(rooms):
            tasks.start_soon(_room(turns, marks).run)


async def _in_a_row(turns: int, rooms: int, marks: Marks) -> None:
    for _ in range(rooms):
        await _room(turns, marks).run()


_PLAYERS: Final = {"memory": _at_once, "in a row": _in_a_row}


def _room(turns: int, marks: Marks, journal: JournalFile | None = None) -> Room:
    async def first(turn: Turn) -> None:
        marks.turn()
        await turn.post(f"@second {LINE}")

    async def second(turn: Turn) -> None:
        marks.turn()
        await turn.post(f"@first {LINE}")

    policy = Policy(max_turns=turns, dispatch=DispatchPolicy(max_hops=2**31))
    seats = {"first": first, "second": second}
    return Room(seats, opening="@first begin", policy=policy, journal=journal)
