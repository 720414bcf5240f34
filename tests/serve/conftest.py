"""A journal that tests write line by line, and a server of its page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Thread
from typing import Final

import pytest
from attrs import define

from deskroom.core import OPERATOR, Viewer
from deskroom.journal import JournalFile
from deskroom.scenario import parse_scenario, replay_scenario
from deskroom.serve import Follower, PageServer

SCENARIO: Final = """
format = 1
desk = { id = "d", name = "D", seats = [{ id = "ann" }, { id = "bob" }, { id = "cyd" }] }
policy = { aside = { enabled = true, max_members = 1, max_messages = 9 } }
[[turn]]
seat = "ann"
say = "@bob begin"
[[turn]]
seat = "bob"
calls = [{ tool = "desk_dm", to = ["ann"], message = "SECRET between bob and ann" }]
[[turn]]
seat = "ann"
crash = "SECRET of ann's own"
"""


@define
class Growing:
    """A journal of which so many lines are written as a test asks for."""

    path: Path
    lines: list[bytes]
    written: int = 0

    def grow(self, count: int = 1) -> None:
        """Write so many lines more."""
        with self.path.open("ab") as file:
            file.write(b"".join(self.lines[self.written : self.written + count]))
        self.written += count

    def grow_whole(self) -> None:
        """Write all that is left."""
        self.grow(len(self.lines) - self.written)


@pytest.fixture
def growing(tmp_path: Path) -> Growing:
    """Return a journal that has its first line."""
    whole = tmp_path / "whole.jsonl"
    with JournalFile.create(whole, sync="never") as journal:
        for entry in replay_scenario(parse_scenario(SCENARIO, "s.toml")).run.journal:
            journal.write(entry)
    made = Growing(tmp_path / "run.jsonl", whole.read_bytes().splitlines(keepends=True))
    made.grow()
    return made


@pytest.fixture
def serve() -> Iterator[Callable[..., PageServer]]:
    """Return a function that serves the page of a journal, which is followed."""
    running: list[tuple[PageServer, Thread, Follower]] = []

    def call(path: Path, viewer: Viewer = OPERATOR) -> PageServer:
        follower = Follower(str(path), path.name, viewer)
        follower.look()
        server = PageServer(follower).__enter__()
        thread = Thread(target=follower.follow, daemon=True)
        running.append((server, thread, follower))
        thread.start()
        return server

    yield call
    for server, thread, follower in running:
        server.__exit__()
        thread.join(10)
        assert not thread.is_alive()
        follower.close()


@pytest.fixture
def follow() -> Iterator[Callable[..., Follower]]:
    """Return a function that gives a follower of a journal, which has looked once."""
    with ExitStack() as stack:

        def call(path: Path, viewer: Viewer = OPERATOR) -> Follower:
            follower = stack.enter_context(Follower(str(path), path.name, viewer))
            follower.look()
            return follower

        yield call
