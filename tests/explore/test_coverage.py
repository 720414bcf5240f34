from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Final

import pytest
from attrs import evolve

from deskroom.explore.coverage import GROUPS, count_entries, impossible, limits_never_met
from deskroom.explore.draws import SeededDraws
from deskroom.explore.explore import bounds_of
from deskroom.explore.play import Explorer
from deskroom.scenario import load_scenario, replay_scenario
from deskroom.scenario.format.explore import Explore
from deskroom.scenario.format.load import load_explorable

ROOT: Final = Path(__file__).parents[2]
DESKS: Final = sorted((ROOT / "mutants/desks").glob("*.toml"))


def test_each_entry_is_counted_under_its_word() -> None:
    """A listed run of six rows, one of them private, that closes complete."""
    run = replay_scenario(load_scenario(ROOT / "scenarios/run-28-with-completion.toml")).run
    counts: Counter[tuple[str, str]] = Counter()
    count_entries(counts, run.journal, kills=2)
    rows = [entry for entry in run.entries if entry.kind == "seat"]
    assert len(rows) == counts["outcomes", "spoke"] == counts["rows", "seat"]
    assert 1 == counts["closes", "completed"]
    assert 2 == counts["disturbances", "kills"]


@pytest.mark.parametrize("path", DESKS, ids=[path.stem for path in DESKS])
def test_nothing_that_is_called_impossible_is_ever_reached(path: Path) -> None:
    """Else a user would be told that all was reached that could be."""
    scenario = load_explorable(path)
    explorer = Explorer(scenario, bounds_of(scenario))
    counts: Counter[tuple[str, str]] = Counter()
    for number in range(150):
        played = explorer.play(SeededDraws(3, number), deep=False)
        count_entries(counts, played.run.journal, len(played.kill))
    no = impossible(explorer.setup, explorer.bounds)
    assert {} == {key: count for key, count in counts.items() if key in no}
    assert {} == {key: n for key, n in counts.items() if key[1] not in GROUPS[key[0]]}


def test_a_limit_that_the_policy_sets_and_no_run_met_is_told() -> None:
    """Those at their defaults are not: nobody chose them."""
    scenario = load_scenario(ROOT / "scenarios/run-28-routed.toml")
    setup = Explorer(scenario, Explore()).setup
    told = [line.split()[0] for line in limits_never_met(evolve(setup, policy=scenario.policy), {})]
    assert "policy.aside.max_messages" in told
    assert "policy.max_calls" not in told
    met = {("replies", "budget_spent"): 1}
    told = limits_never_met(evolve(setup, policy=scenario.policy), met)
    assert not [line for line in told if "max_messages" in line]
