"""Faults planted in the engine: each is found again where exploring found it first."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from mutants.hunt import PINNED, pinned, play_pinned, replayed_under, written_under
from mutants.planted import MUTANTS, Mutant

ROOT: Final = Path(__file__).parents[2]


def test_every_planted_fault_is_pinned() -> None:
    """``python -m mutants --pin`` writes where each was found; there are at least 25."""
    assert [mutant.name for mutant in MUTANTS] == list(pinned())
    assert len(MUTANTS) >= 25
    assert PINNED.is_file()


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS, ids=[mutant.name for mutant in MUTANTS])
def test_a_planted_fault_is_found_where_it_is_pinned(mutant: Mutant) -> None:
    """By the invariant that it breaks, in one run of one file."""
    pin = pinned()[mutant.name]
    assert [pin] == play_pinned(mutant, [pin])


@pytest.mark.slow
def test_nothing_is_found_in_the_engine_as_it_is() -> None:
    """The same runs, without a fault: an alarm there would make all others worthless."""
    pins = list(pinned().values())
    assert [None] * len(pins) == play_pinned(None, pins)


@pytest.mark.slow
def test_the_full_hunt_finds_a_fault_from_scratch() -> None:
    """The command explores file by file until it is found, and says where."""
    command = [sys.executable, "-m", "mutants", "--only", "a hop is not counted"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert (0, "1 of 1 as they should be") == (done.returncode, done.stdout.splitlines()[-1])
    assert "decision: row 2 of solver" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "a hop is not counted",
        "an aside is shown to all",
        "a late call is taken",
        "a resumed turn is another turn",
        "a read shows every row",
        "every completion closes",
    ],
)
def test_what_a_fault_breaks_is_written_as_a_scenario_that_fails_by_a_plain_replay(
    name: str,
) -> None:
    """As long as the fault is there; in the engine as it is the scenario passes."""
    mutant = next(one for one in MUTANTS if one.name == name)
    pin = pinned()[name]
    text = written_under(mutant, pin)
    assert text is not None
    assert ("invariant", pin["found"]) in replayed_under(mutant, text)
    assert [] == replayed_under(None, text)
