"""Files to sweep, and the results that one process comes to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deskroom.cli.main import _run

#: A desk on which the policy decides how far the work gets.
ROUTED = """\
format = 1
title = "A hand-over that wakes nobody"
order = "routed"
desk = { id = "d", name = "D", people = [{ id = "sam", label = "Sam" }], seats = [{ id = "writer" }, { id = "checker" }] }
opening = { by = "sam", message = "@writer begin" }

[[property]]
name = "the checker is heard"
eventually = { seat = "checker" }

[[turn]]
seat = "writer"
say = "the draft is ready"

[[turn]]
seat = "checker"
calls = [{ tool = "desk_complete_episode", message = "The draft is good." }]
"""

#: One that is drawn.
EXPLORED = """\
format = 1
title = "Whatever a desk says"
order = "routed"
desk = { id = "d", name = "D", people = [{ id = "sam", label = "Sam" }], seats = [{ id = "lead" }, { id = "writer" }, { id = "checker" }] }
opening = { by = "sam", message = "@lead begin" }
policy = { chair = { rounds = 2 } }

[explore]
talk = true
turns = 12

[[property]]
name = "only the lead completes"
never = { seat = ["writer", "checker"], completes = true }

[[turn]]
seat = "lead"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, in which both files are."""
    (tmp_path / "routed.toml").write_text(ROUTED, encoding="utf-8")
    (tmp_path / "explored.toml").write_text(EXPLORED, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


GRID = (
    "explored.toml",
    "--set",
    "policy.chair.every=0,3",
    "--set",
    "policy.dispatch.max_hops=2..4",
)


@pytest.fixture
def swept(folder: Path) -> Callable[..., bytes]:
    """Return a function that sweeps the explored file, and returns the bytes of its results."""

    def sweep(name: str, *options: str, seeds: int = 20) -> bytes:
        code = _run(["sweep", *GRID, "--seeds", str(seeds), "-o", name, *options])
        assert 0 == code
        return (folder / name).read_bytes()

    return sweep
