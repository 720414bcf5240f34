"""Rooms and replays for tests, with the defaults that a test wants."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, Protocol, TypedDict, Unpack

from deskroom.core import Person
from deskroom.errors import FileError, hint
from deskroom.room import Clock, Entry, Journal, Opening, Policy, Room, Router, SimulatedClock
from deskroom.room.acts import Seats
from deskroom.room.host import OnRow
from deskroom.scenario import Replay, Scenario, load_scenario, play_scenario, replay_scenario

__all__ = ["OPENING", "Replayer", "RoomFactory", "RoomOptions", "simulated_room"]

#: What the first person of a test's room says when the test does not care.
OPENING: Final = "Begin."


class RoomOptions(TypedDict, total=False):
    """What else a room takes; see ``Room``."""

    people: Mapping[str, str] | Iterable[Person]
    desk: str
    name: str | None
    policy: Policy | None
    router: Router | None
    on_row: OnRow | None
    journal: Journal | None
    resume: Iterable[Entry]
    raise_from_seats: tuple[type[Exception], ...]


def simulated_room(
    seats: Seats,
    *,
    opening: str | tuple[str, str] | Opening | None = OPENING,
    clock: Clock | None = None,
    **options: Unpack[RoomOptions],
) -> Room:
    """Return a room in simulated time, where a wait costs nothing.

    Everything is as in ``Room``, but for three defaults: the clock is a new ``SimulatedClock``; the
    first person opens with ``OPENING``, so that the room does not wait for a message which a test
    forgot (with ``opening=None`` it waits for the first ``say``); and an ``AssertionError`` in a
    seat fails the test, and not only the seat's turn.
    """
    options.setdefault("raise_from_seats", (AssertionError,))
    return Room(seats, opening=opening, clock=clock or SimulatedClock(), **options)


class RoomFactory(Protocol):
    """The type of the fixture ``room``: ``simulated_room``."""

    def __call__(
        self,
        seats: Seats,
        *,
        opening: str | tuple[str, str] | Opening | None = OPENING,
        clock: Clock | None = None,
        **options: Unpack[RoomOptions],
    ) -> Room:
        """Return a room in simulated time."""
        ...


class Replayer:
    """Replays scenarios that are named by path. A relative one is looked for in some folders.

    ``replay(path)`` needs no event loop, and works where one runs; ``await replay.play(path)`` plays
    with actors on the loop that is running, whichever it is.
    """

    def __init__(self, *folders: str | os.PathLike[str]) -> None:
        self._folders = [Path(folder) for folder in folders]

    def __call__(
        self, scenario: str | os.PathLike[str] | Scenario, *, fail_on_unused: bool = False
    ) -> Replay:
        """Replay a scenario, given as a file or as a value.

        What came out otherwise than expected is in the result; a file that is wrong raises
        ``ScenarioError``, and one that is nowhere ``FileError``.
        """
        loaded = self.load(scenario)
        return replay_scenario(loaded, fail_on_unused=fail_on_unused)

    async def play(
        self, scenario: str | os.PathLike[str] | Scenario, *, fail_on_unused: bool = False
    ) -> Replay:
        """Do the same with actors on the event loop that is running, asyncio's or trio's."""
        return await play_scenario(self.load(scenario), fail_on_unused=fail_on_unused)

    def load(self, scenario: str | os.PathLike[str] | Scenario) -> Scenario:
        """Return a scenario: read from the first folder that has it, or as it is."""
        if isinstance(scenario, Scenario):
            return scenario
        return load_scenario(_as_typed(self._find(Path(scenario))))

    def _find(self, path: Path) -> Path:
        candidates = [folder / path for folder in self._folders] or [path]
        for candidate in candidates:
            if candidate.exists():
                return candidate
        folders = list(dict.fromkeys(candidate.parent for candidate in candidates))
        known = (file.name for folder in folders for file in sorted(folder.glob("*.toml")))
        looked = " or in ".join(_as_typed(folder) for folder in folders)
        named = _as_typed(path) if path.is_absolute() else str(path)
        raise FileError(named, f"there is no such file in {looked}{hint(path.name, known)}")


def _as_typed(path: Path) -> str:
    """Return a path as it would be typed in the current folder."""
    try:
        return os.path.relpath(path)
    except OSError:  # the current folder is gone, as after a test that lived in it
        return str(path)
