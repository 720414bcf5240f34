"""What the tests of the journal share: a small one of everything, and a way to seal forged ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import anyio
import pytest

from deskroom.journal import JournalFile
from deskroom.journal.chain import FIRST, seal
from deskroom.scenario import Scenario, parse_scenario
from deskroom.scenario.play.replay import run_scripted, scripted_room

Values = list[dict[str, Any]]

#: An opening, an aside, a retry, files, a person, a broadcast, a late call, a nudge, a completion.
DESK = """\
format = 1
order = "routed"
desk = { id = "d", name = "D", people = [{ id = "sam", label = "Sam" }], seats = [\
{ id = "a" }, { id = "b" }, { id = "c", fence = true }] }
[policy]
silence = "retry"
aside = { enabled = true, max_members = 1, max_messages = 2 }
chair = { rounds = 2 }
broadcast = { width = 2 }
[opening]
by = "sam"
message = "@a begin"
[[turn]]
seat = "a"
calls = [{ tool = "shout", loud = true }, { tool = "desk_dm", to = ["b"], message = "psst" }]
late = [{ tool = "desk_read" }]
[[turn]]
seat = "b"
text = "hm"
[[turn]]
seat = "b"
say = "@c see x.py"
wrote = ["x.py"]
[[turn]]
person = "sam"
say = "@b and then?"
[[turn]]
seat = "b"
calls = [{ tool = "desk_broadcast", message = "who can?" }]
scores = { a = 0.5, c = 0.4 }
[[turn]]
seat = "a"
say = "I can"
crash = "boom"
[[turn]]
seat = "c"
text = "<<<POST it is done POST>>>"
[[turn]]
seat = "c"
text = "<<<POST @a finish it POST>>>"
[[turn]]
seat = "a"
calls = [{ tool = "desk_complete_episode", message = "done" }]
"""


@pytest.fixture(scope="session")
def desk() -> Scenario:
    """Return a scenario that leaves every kind of entry in a journal."""
    return parse_scenario(DESK, "desk.toml")


def played(scenario: Scenario, path: Path) -> bytes:
    """Play a scenario into a new journal and return its bytes."""
    with JournalFile.create(path, sync="never") as journal:
        anyio.run(run_scripted, scripted_room(scenario, journal=journal))
    return path.read_bytes()


@pytest.fixture(scope="session")
def sound(desk: Scenario, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the bytes of that scenario's journal."""
    return played(desk, tmp_path_factory.mktemp("sound") / "run.jsonl")


@pytest.fixture
def go_on(desk: Scenario) -> Callable[[Path], JournalFile]:
    """Return a function that goes on with a journal of the scenario to the end."""

    def call(path: Path) -> JournalFile:
        with JournalFile.resume(path, sync="never") as journal:
            room = scripted_room(desk, journal=journal, resume=journal.entries)
            anyio.run(run_scripted, room)
        return journal

    return call


@pytest.fixture(scope="session")
def values(sound: bytes) -> Callable[[], Values]:
    """Return a function that gives the journal's lines as fresh values, without their digests."""

    def call() -> Values:
        lines = [json.loads(line) for line in sound.splitlines()]
        return [{k: v for k, v in line.items() if k != "digest"} for line in lines]

    return call


@pytest.fixture
def forged(tmp_path: Path) -> Callable[[Iterable[dict[str, Any]]], Path]:
    """Return a function that writes a journal of any values, with a chain that holds."""

    def call(entries: Iterable[dict[str, Any]]) -> Path:
        path, digest = tmp_path / "forged.jsonl", FIRST
        with path.open("wb") as file:
            for value in entries:
                line, digest = seal(value, digest)
                file.write(line)
        return path

    return call
