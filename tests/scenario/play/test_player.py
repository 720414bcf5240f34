"""Three drivers of one engine: actors on asyncio, actors on trio, and the player with no loop."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.engine.entries import Entry
from deskroom.errors import RoomFailure
from deskroom.runs import Run
from deskroom.scenario import Scenario, load_scenario, parse_scenario
from deskroom.scenario.play.meanwhile import count_said_in_open
from deskroom.scenario.play.player import ScriptPlayer
from deskroom.scenario.play.replay import run_scripted, scripted_engine, scripted_room
from deskroom.scenario.play.resume import unsent_calls
from deskroom.testing import ListJournal

ROOT: Final = Path(__file__).parents[3]
SHIPPED: Final = sorted([*ROOT.glob("scenarios/**/*.toml"), *ROOT.glob("docs/examples/*.toml")])


def acted(scenario: Scenario, backend: str, kept: Sequence[Entry] = ()) -> list[Entry]:
    """Return what actors make of a scenario, behind the entries of an earlier run."""
    journal = ListJournal()
    room = scripted_room(scenario, journal=journal, resume=tuple(kept))
    anyio.run(run_scripted, room, backend=backend)
    return journal.entries


def played(scenario: Scenario, kept: Sequence[Entry] = ()) -> list[Entry]:
    """Return what the player makes of it."""
    journal = ListJournal()
    engine = scripted_engine(scenario)
    for entry in kept:
        engine.apply(entry)
    late = unsent_calls(scenario, Run.from_entries(kept)) if kept else ()
    ScriptPlayer(scenario, engine, journal, late, count_said_in_open(kept, scenario.turns)).run()
    return journal.entries


@given(data=st.data())
def test_every_driver_makes_the_same_entries_of_a_scenario(
    scenarios: st.SearchStrategy[Scenario], data: st.DataObject
) -> None:
    """Whatever seats do, and however long they take for it."""
    scenario = data.draw(scenarios)
    expected = played(scenario)
    assert expected == acted(scenario, "asyncio")
    assert expected == acted(scenario, "trio")


@given(data=st.data())
def test_every_driver_goes_on_the_same_from_wherever_a_run_was_cut_off(
    scenarios: st.SearchStrategy[Scenario], data: st.DataObject
) -> None:
    """What seats still had to say is said at the same moment, too."""
    scenario = data.draw(scenarios)
    whole = played(scenario)
    # A room that closed has nothing to go on with.
    kept = whole[: data.draw(st.integers(0, len(whole) - 1))]
    expected = played(scenario, kept)
    assert expected == acted(scenario, "asyncio", kept)
    assert expected == acted(scenario, "trio", kept)


@pytest.mark.parametrize("path", SHIPPED, ids=[str(path.relative_to(ROOT)) for path in SHIPPED])
def test_every_driver_makes_the_same_entries_of_what_we_ship(path: Path) -> None:
    """Each file under ``scenarios`` and in the examples of the documents."""
    scenario = load_scenario(path)
    expected = played(scenario)
    assert expected == acted(scenario, "asyncio")
    assert expected == acted(scenario, "trio")


def test_a_journal_that_fails_ends_the_play() -> None:
    """What it kept is kept, and what could not be kept did not happen."""
    scenario = parse_scenario(
        'format = 1\ndesk = { id = "d", name = "D", seats = [{ id = "a" }] }\n'
        '[[turn]]\nseat = "a"\nsay = "x"\n'
    )
    journal = ListJournal(room_for=2)
    engine = scripted_engine(scenario)
    with pytest.raises(RoomFailure):
        ScriptPlayer(scenario, engine, journal).run()
    assert (2, [], None) == (len(journal.entries), engine.state.rows, engine.state.closed)
