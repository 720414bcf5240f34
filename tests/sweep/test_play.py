from __future__ import annotations

import json

import pytest
from tests.sweep.conftest import ROUTED

from deskroom._version import __version__
from deskroom.errors import DeskroomError
from deskroom.sweep import play_runs


def test_a_worker_of_another_version_says_so() -> None:
    """It could come to other results."""
    with pytest.raises(DeskroomError) as raised:
        play_runs("9.9", "x.toml", ROUTED, [("k", (), None)])
    assert (
        f"a worker has deskroom {__version__}, and the sweep is of deskroom 9.9; "
        "install the same everywhere"
    ) == str(raised.value)


def test_plain_values_go_in_and_come_out() -> None:
    """Lists will do where tuples are sent, as JSON or another language has them."""
    runs = [["k", ["policy.chair.rounds=1"], None], ["l", ["policy.chair.by='pat'"], None]]
    line, error = play_runs(__version__, "x.toml", ROUTED, map(tuple, runs))  # type: ignore[arg-type]
    assert ("line", "completed") == (line[0], json.loads(line[1])["figures"]["closed"])
    assert "error" == error[0]
    assert error[1].startswith("x.toml: --set policy.chair.by='pat': policy.chair.by: ")


@pytest.mark.parametrize("asked, found", [("", None), ("invariants = true\n", [])])
def test_invariants_are_looked_at_where_the_file_asks(asked: str, found: list[str] | None) -> None:
    """Else nobody looked, which is null."""
    text = ROUTED.replace("desk =", f"{asked}desk =", 1)
    ((_, line),) = play_runs(__version__, "x.toml", text, [("k", (), None)])
    assert found == json.loads(line)["invariants"]
