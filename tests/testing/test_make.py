from __future__ import annotations

import asyncio
import os
from pathlib import Path

import anyio
import pytest

import deskroom.testing
from deskroom.engine.entries import Raised
from deskroom.errors import FileError
from deskroom.room import SimulatedClock, Turn
from deskroom.scenario import ScenarioError, load_scenario
from deskroom.testing import Replayer, RoomFactory, simulated_room

SCENARIO = """\
format = 1
desk = { id = "d", name = "D", seats = [{ id = "a" }] }
turn = [{ seat = "a", say = "hello" }, { seat = "a", say = "again" }]
expect = { rows = 2 }
policy = { max_turns = 1 }
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, with one scenario that does not hold."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.toml").write_text(SCENARIO)
    return tmp_path


# Rooms


@pytest.mark.anyio
async def test_a_room_opens_and_keeps_simulated_time() -> None:
    """Its first person says a word, so that it does not wait for one."""
    slept = []

    async def nap(turn: Turn) -> None:
        await turn.sleep(599)
        slept.append((await turn.complete("rested")).ok)

    make: RoomFactory = simulated_room
    result = await make({"a": nap}).run()
    assert ["Begin.", "rested"] == [row.content for row in result.rows]
    assert [True] == slept


@pytest.mark.anyio
async def test_an_assertion_in_a_seat_fails_the_test_unless_it_is_asked_to_cost_a_turn() -> None:
    """It leaves the run as itself; a room that is told so takes it for any other failure."""

    async def strict(turn: Turn) -> None:
        raise AssertionError("not that far")

    with pytest.raises(AssertionError, match=r"^not that far$"):
        await simulated_room({"a": strict}).run()
    result = await simulated_room({"a": strict}, raise_from_seats=()).run()
    assert {1: Raised("AssertionError", "not that far")} == result.failures


@pytest.mark.anyio
async def test_a_room_takes_what_a_room_takes() -> None:
    """The opening and the clock can be given; with no opening the room waits for a person."""
    clock = SimulatedClock()

    async def nap(turn: Turn) -> None:
        await turn.sleep(7)
        await turn.complete("rested")

    room = simulated_room({"a": nap}, opening=None, clock=clock, people={"sam": "Sam"}, desk="d7")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(room.run)
        await room.say("sam", "@a rest")
    assert [("d7", "@a rest"), ("d7", "rested")] == [
        (row.chat_id, row.content) for row in room.engine.state.rows
    ]
    assert 7 == clock.now()


def test_two_rooms_have_two_clocks() -> None:
    """Time that passed in the one has not passed in the other."""

    async def nap(turn: Turn) -> None:
        await turn.sleep(400)
        await turn.complete("rested")

    for _ in range(2):
        assert "completed" == anyio.run(simulated_room({"a": nap}).run).closed


# Replays


def test_a_replay_tells_what_came_out_otherwise(folder: Path) -> None:
    """A mismatch is in the result, under the path as it is typed here."""
    replay = Replayer()("x.toml")
    assert [("x.toml", 4, "rows")] == [(m.path, m.line, m.key) for m in replay.mismatches]
    assert ["rows", "turn"] == [
        m.key for m in reversed(Replayer()(folder / "x.toml", fail_on_unused=True).mismatches)
    ]


@pytest.mark.anyio
async def test_a_replay_can_be_awaited(folder: Path) -> None:
    """It is played on the loop that is running, and comes out the same."""
    awaited = await Replayer(folder).play("x.toml", fail_on_unused=True)
    assert Replayer(folder)("x.toml", fail_on_unused=True).mismatches == awaited.mismatches


def test_a_scenario_can_be_given_as_a_value(folder: Path) -> None:
    """Then nothing is read."""
    scenario = load_scenario("x.toml")
    (folder / "x.toml").unlink()
    assert scenario == Replayer("nowhere")(scenario).scenario


def test_a_replay_leaves_the_loop_of_its_thread_alone(folder: Path) -> None:
    """A test that has set a loop and not run it still has it afterwards."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        Replayer(folder)("x.toml")
        assert loop is asyncio.get_event_loop()
    finally:
        asyncio.set_event_loop(None)
        loop.close()


def test_a_path_is_looked_for_folder_by_folder(folder: Path) -> None:
    """The first that has it wins; what the error says is where it is."""
    first, second = folder / "first", folder / "second"
    for where in (first, second):
        where.mkdir()
    (first / "x.toml").write_text("no scenario")
    (second / "y.toml").write_text("none")
    with pytest.raises(ScenarioError, match=r"\Afirst/x\.toml:1:4: this is not TOML"):
        Replayer(first, second)("x.toml")
    with pytest.raises(ScenarioError, match=r"\Asecond/y\.toml:1:5: this is not TOML"):
        Replayer(first, second)("y.toml")


@pytest.mark.parametrize(
    "path,problem",
    [
        ("xx.toml", "xx.toml: there is no such file in . or in more; did you mean 'x.toml'?"),
        ("zzzz", "zzzz: there is no such file in . or in more"),
        ("no/x.toml", "no/x.toml: there is no such file in no or in more/no"),
    ],
)
def test_a_file_that_is_nowhere_is_an_error(folder: Path, path: str, problem: str) -> None:
    """It says where it was looked for, and names the file that was meant."""
    with pytest.raises(FileError) as caught:
        Replayer(folder, folder / "more")(path)
    assert problem == str(caught.value)


def test_an_absolute_path_that_is_nowhere_is_told_once(folder: Path) -> None:
    """No folder changes where it points."""
    with pytest.raises(FileError) as caught:
        Replayer(folder, "/")(folder / "x.tom")
    assert "x.tom: there is no such file in .; did you mean 'x.toml'?" == str(caught.value)


def test_a_replay_needs_no_current_folder(folder: Path) -> None:
    """After a test that removed it, paths are shown in full."""
    gone = folder / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    assert str(folder / "x.toml") == Replayer(folder)("x.toml").mismatches[0].path


# What there is


def test_one_module_has_everything_a_test_needs() -> None:
    """Seats, calls, a router, a clock, a journal, rooms, replays and assertions."""
    assert [
        "ListJournal",
        "Move",
        "NextSpec",
        "RecordingSeat",
        "Replayer",
        "RoomFactory",
        "RowSpec",
        "ScriptedRouter",
        "ScriptedSeat",
        "SimulatedClock",
        "TakenTurn",
        "assert_closed",
        "assert_next",
        "assert_ok",
        "assert_properties",
        "assert_refused",
        "assert_rows",
        "broadcast",
        "complete",
        "dm",
        "lexical",
        "out_of_turn",
        "post",
        "read",
        "simulated_room",
    ] == deskroom.testing.__all__
    assert all(hasattr(deskroom.testing, name) for name in deskroom.testing.__all__)
