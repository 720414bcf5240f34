from __future__ import annotations

import subprocess
import sys

import anyio
import pytest
from attrs import evolve
from hypothesis import find, given, settings
from hypothesis import strategies as st

from deskroom.core import Person
from deskroom.engine.setup import Seat, check_setup
from deskroom.errors import UsageError
from deskroom.journal import verify_entries
from deskroom.scenario import parse_scenario, replay_scenario
from deskroom.scenario.format.model import Call, DeskSpec, Scenario
from deskroom.scenario.format.write import scenario_toml
from deskroom.scenario.play.replay import scenario_setup
from deskroom.testing import ListJournal, strategies

DESK = DeskSpec(id="d", name="D", seats=(Seat(id="a"), Seat(id="b")), people=(Person("s", "S"),))


@given(scenario=strategies.scenarios())
def test_a_drawn_scenario_is_a_file(scenario: Scenario) -> None:
    """It is written, read back as the same, and replays to its close."""
    check_setup(scenario_setup(scenario))
    read = parse_scenario(scenario_toml(scenario))
    assert scenario.turns == tuple(_unplaced(read))
    assert (scenario.desk, scenario.policy, scenario.opening) == (
        read.desk,
        read.policy,
        read.opening,
    )
    assert replay_scenario(read).run.closed is not None


def _unplaced(scenario: Scenario) -> list[object]:
    return [evolve(turn, number=0, label="") for turn in scenario.turns]


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@settings(max_examples=40)
@given(drawn=strategies.rooms())
def test_a_drawn_room_runs_to_its_close(drawn: strategies.DrawnRoom, backend: str) -> None:
    """On either backend, and its journal is sound."""
    journal = ListJournal()
    result = anyio.run(drawn.room(journal=journal).run, backend=backend)
    assert result.closed in {"completed", "quiet", "max_turns"}
    verify_entries(journal.entries, "run")


@given(data=st.data())
def test_well_formed_calls_have_the_arguments_of_their_tool(data: st.DataObject) -> None:
    """Whether they are taken depends on the room alone."""
    call = data.draw(strategies.calls(DESK, malformed=False))
    keys = {"desk_dm": ["to", "message"], "desk_read": ["limit"]}
    assert keys.get(call.tool, ["message"]) == list(call.arguments)


@given(desk=strategies.desks(min_seats=2, max_seats=3, people=False))
def test_a_desk_is_as_it_was_asked_for(desk: DeskSpec) -> None:
    """Its first seat acts, so a room can be made of it."""
    assert len(desk.seats) in {2, 3}
    assert not desk.seats[0].retired
    assert () == desk.people


def test_what_fails_shrinks_to_the_plainest() -> None:
    """A message to what it must name, a call to one post, a desk to two seats."""
    quiet = settings(derandomize=True, database=None)
    assert "@b go on" == find(strategies.messages(DESK), lambda text: "@b" in text, settings=quiet)
    call = find(strategies.calls(DESK), lambda one: one.tool == "desk_dm", settings=quiet)
    assert Call(tool="desk_dm", arguments={"to": ["a"], "message": "hello"}) == call
    desk = find(strategies.desks(), lambda one: any(s.retired for s in one.seats), settings=quiet)
    assert (Seat(id="a"), Seat(id="b", retired=True)) == desk.seats


def test_a_scenario_needs_somebody_who_opens_it() -> None:
    """A desk without people is refused in words."""
    drawn = strategies.scenarios(desk=strategies.desks(people=False))
    with pytest.raises(UsageError, match="needs a person to open it"):
        find(drawn, lambda _: True, settings=settings(database=None))


def test_testing_itself_needs_no_hypothesis() -> None:
    """Only this module does, and says how to get it."""
    code = (
        "import sys; sys.modules['hypothesis'] = None\n"
        "import deskroom.testing\n"
        "try: import deskroom.testing.strategies\n"
        "except Exception as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "get it with: pip install 'deskroom[explore]'" in done.stdout
