from __future__ import annotations

from pathlib import Path
from typing import Final

from deskroom.engine.entries import RowEntry
from deskroom.explore.explore import FoundFailure, explore
from deskroom.explore.shrink import Memory, fails, shrunk
from deskroom.explore.written import written
from deskroom.scenario.format.explore import Explore
from deskroom.scenario.format.load import parse_explorable

DESK: Final = """\
format = 1
desk = { id = "d", name = "D", people = [{ id = "sam", label = "Sam" }], seats = [\
{ id = "a" }, { id = "b" }, { id = "c" }] }
order = "routed"
opening = { by = "sam", message = "go" }
explore = { talk = true, seed = 1, runs = 60 }

[policy]
close = "all"
aside = { enabled = true, max_members = 2, max_messages = 3 }
chair = { rounds = 3 }

[[property]]
name = "c never whispers"
never = { seat = "c", audience = "aside" }
"""


def found() -> tuple[FoundFailure, Explore]:
    """Return the first failure of that desk."""
    scenario = parse_explorable(DESK, "desk.toml")
    assert scenario.explore is not None
    (failure,) = explore(scenario).failures
    return failure, scenario.explore


def test_a_run_is_made_as_plain_as_it_can_be() -> None:
    """Nothing is left in it that the failure does not need, and it is the same each time."""
    scenario = parse_explorable(DESK, "desk.toml")
    failure, bounds = found()
    plain = shrunk(scenario, bounds, failure)
    assert fails(plain, failure)
    assert len(plain.choices) < len(failure.choices)
    assert plain.choices == shrunk(scenario, bounds, failure).choices
    assert all(turn.crash is None and not turn.takes for turn in plain.turns.values())
    assert () == plain.kill
    last = plain.run.journal[-1]
    assert isinstance(last, RowEntry)
    assert ("c", "aside") == (last.row.author.id, last.row.audience.kind)


def test_what_is_written_lists_no_turn_behind_the_failure() -> None:
    """It fails by a replay, and by that property alone."""
    scenario = parse_explorable(DESK, "desk.toml")
    failure, bounds = found()
    plain = shrunk(scenario, bounds, failure)
    result = written(plain, failure, explored="desk.toml", seed=1, path="found.toml")
    assert result is not None
    (mismatch,) = result.replay.mismatches
    assert ("property", "c never whispers", "c") == (
        mismatch.key,
        mismatch.expected,
        mismatch.seat,
    )
    assert "c" == result.replay.scenario.turns[-1].seat


def test_a_failure_is_kept_until_it_is_forgotten(tmp_path: Path) -> None:
    """Under what the runs are drawn from: another property, another memory."""
    scenario = parse_explorable(DESK, "desk.toml")
    failure, bounds = found()
    memory = Memory(scenario, bounds, tmp_path)
    memory.keep(failure.choices)
    assert [failure.choices] == list(Memory(scenario, bounds, tmp_path).choices())
    other = parse_explorable(DESK.replace('seat = "c", ', ""), "desk.toml")
    assert [] == list(Memory(other, bounds, tmp_path).choices())
    memory.forget(failure.choices)
    assert [] == list(memory.choices())
