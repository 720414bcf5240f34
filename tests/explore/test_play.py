"""Runs that are explored: each is a scenario, and the same from the same choices."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from deskroom.engine.entries import Entry, HeaderEntry, MemoryJournal, RowEntry, TurnEntry
from deskroom.explore.draws import ListedDraws, SeededDraws
from deskroom.explore.explore import bounds_of
from deskroom.explore.play import Explorer, Played
from deskroom.scenario import Scenario, parse_scenario
from deskroom.scenario.format.explore import Explore
from deskroom.scenario.format.load import load_explorable, parse_explorable
from deskroom.scenario.format.write import scenario_toml
from deskroom.scenario.play.replay import play_script

ROOT: Final = Path(__file__).parents[2]
FILES: Final = [
    *sorted((ROOT / "mutants/desks").glob("*.toml")),
    *sorted((ROOT / "scenarios").glob("*.toml")),
    *sorted((ROOT / "docs/examples").glob("*.toml")),
]
NAMES: Final = [str(path.relative_to(ROOT)) for path in FILES]
TALK: Final = Explore(talk=True)


def comparable(entries: Sequence[Entry]) -> list[Entry]:
    """Return entries without the header, and without the places in a script that has been cut."""
    return [
        evolve(entry, cue=None) if isinstance(entry, RowEntry | TurnEntry) else entry
        for entry in entries
        if not isinstance(entry, HeaderEntry)
    ]


def replayed(played: Played) -> list[Entry]:
    """Return what the written scenario of a run replays to."""
    scenario = parse_scenario(scenario_toml(played.scenario), "explored.toml")
    kept = MemoryJournal()
    play_script(scenario, kept, keeps_digest=False, logs=False)
    return kept.entries


@pytest.mark.parametrize("talk", [False, True], ids=["listed", "talk"])
@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_a_run_is_written_as_a_scenario_that_replays_to_it(path: Path, talk: bool) -> None:
    """Entry by entry, kills and people in turns included; and nothing fails in what we ship."""
    scenario = load_explorable(path)
    explorer = Explorer(scenario, evolve(bounds_of(scenario), talk=talk, kills=2, people=2))
    for number in range(6):
        played = explorer.play(SeededDraws(5, number))
        assert () == tuple(one for one in played.failures if one.kind == "invariant")
        assert comparable(played.run.journal) == comparable(replayed(played))


@settings(max_examples=30)
@given(data=st.data())
def test_any_scenario_can_be_explored(
    scenarios: st.SearchStrategy[Scenario], data: st.DataObject
) -> None:
    """Whatever its policy, seats and turns: no invariant breaks, and the run can be written."""
    scenario = data.draw(scenarios)
    talk = data.draw(st.booleans())
    explorer = Explorer(scenario, Explore(turns=12, talk=talk, kills=2, people=2, late=2))
    played = explorer.play(SeededDraws(data.draw(st.integers(0, 2**32)), 0))
    assert () == played.failures
    assert comparable(played.run.journal) == comparable(replayed(played))


def test_the_same_choices_give_the_same_run() -> None:
    """From the seed and from the list of choices, also after other runs."""
    explorer = Explorer(load_explorable(ROOT / "mutants/desks/busy.toml"), TALK)
    first = explorer.play(SeededDraws(1, 2))
    explorer.play(SeededDraws(1, 3))
    again = explorer.play(SeededDraws(1, 2))
    listed = explorer.play(ListedDraws(first.choices))
    assert first.run.journal == again.run.journal == listed.run.journal
    assert first.choices == again.choices == listed.choices


def test_no_choice_at_all_is_the_plainest_run() -> None:
    """Without a disturbance a listed run is the one that the file lists."""
    scenario = load_explorable(ROOT / "scenarios/run-28-routed.toml")
    plain = Explorer(scenario, Explore()).play(ListedDraws([]))
    kept = MemoryJournal()
    play_script(scenario, kept, keeps_digest=False, logs=False)
    assert comparable(kept.entries) == comparable(plain.run.journal)


def test_with_every_bound_at_0_nothing_is_disturbed() -> None:
    """Only what the file lists happens, whatever the seed."""
    scenario = load_explorable(ROOT / "scenarios/run-28-routed.toml")
    none = Explore(delays=0, late=0, kills=0, people=0, faults=0, scores=0)
    explorer = Explorer(scenario, none)
    runs = [explorer.play(SeededDraws(seed, 0)).run.journal for seed in range(5)]
    assert all(runs[0] == run for run in runs)


def test_a_desk_file_talks_and_somebody_opens() -> None:
    """A desk without people gets one, since nobody else may open it."""
    text = 'format = 1\ndesk = { id = "d", name = "D", seats = [{ id = "a" }, { id = "b" }] }\n'
    played = Explorer(parse_explorable(text), Explore()).play(SeededDraws(0, 0))
    assert ("user", "begin") == (played.run.rows[0].author.id, played.run.rows[0].content)
    assert [person.id for person in played.scenario.desk.people] == ["user"]
    assert played.scenario.order == "routed"
