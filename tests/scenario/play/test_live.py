from __future__ import annotations

from pathlib import Path

import pytest

from deskroom.engine.entries import MemoryJournal
from deskroom.errors import FileError
from deskroom.journal import JournalFile, verify
from deskroom.room import RoomResult, Turn
from deskroom.runs.run import Run
from deskroom.scenario import parse_scenario, replay_scenario
from deskroom.scenario.edit.record import record_run
from deskroom.scenario.play.live import live_room, live_scenario

pytestmark = pytest.mark.anyio

FILE = """\
format = 1
order = "listed"
desk = { id = "d", name = "D", seats = [{ id = "a" }, { id = "b" }, { id = "old", retired = true }], people = [{ id = "sam", label = "Sam" }] }

[opening]
by = "sam"
message = "@a begin"

[[turn]]
seat = "a"
takes = 300
say = "@b is it 7?"

[[turn]]
seat = "b"
say = "@a yes"

[[turn]]
seat = "a"
calls = [{ tool = "desk_complete_episode", message = "It is 7." }]

[live.b]
kind = "python"
function = "nowhere:to_be_found"
"""

SCENARIO = parse_scenario(FILE, "x.toml")


async def doubts(turn: Turn) -> None:
    """Say something else than the script."""
    await turn.post("@a no, 8")


async def silent(turn: Turn) -> None:
    """Say nothing."""


def said(result: RoomResult) -> tuple[str, list[str]]:
    """Return why the room closed and what was said."""
    return result.closed, [row.content for row in result.rows]


async def test_one_seat_plays_live_and_the_others_their_script(tmp_path: Path) -> None:
    """Its listed turns are taken out; time is simulated for the script; the journal is sound."""
    path = tmp_path / "j.jsonl"
    scenario = live_scenario(SCENARIO, ["b"])
    with JournalFile.create(path) as journal:
        result = await live_room(scenario, {"b": doubts}, journal=journal).run()
    assert ("completed", ["@a begin", "@b is it 7?", "@a no, 8", "It is 7."]) == said(result)
    assert ("completed", 3) == ((verified := verify(path)).closed, verified.turns)
    assert "nowhere" not in path.read_text()
    assert '"live"' not in path.read_text()


async def test_what_was_recorded_replays() -> None:
    """The live seat's words are listed turns in the scenario that is made of the run."""
    journal = MemoryJournal()
    await live_room(live_scenario(SCENARIO, ["b"]), {"b": doubts}, journal=journal).run()
    recorded = record_run(Run.from_entries(journal.entries))
    replay = replay_scenario(parse_scenario(recorded.text, "y.toml"))
    assert ([], ["a", "b", "a"]) == (
        list(replay.mismatches),
        [turn.seat for turn in replay.scenario.turns],
    )


async def test_a_live_seat_has_no_end_of_its_script() -> None:
    """A scripted one that has no turn left closes the room; a live one never does."""
    result = await live_room(live_scenario(SCENARIO, ["a", "b"]), {"a": doubts, "b": doubts}).run()
    assert "quiet" == result.closed
    shorter = FILE[: FILE.index('[[turn]]\nseat = "a"\ncalls')]
    scenario = live_scenario(parse_scenario(shorter, "x.toml"), ["b"])
    result = await live_room(scenario, {"b": doubts}).run()
    assert ("script", ["@a begin", "@b is it 7?", "@a no, 8"]) == said(result)


async def test_it_resumes_where_it_stopped() -> None:
    """The entries are those of a run that was not interrupted."""
    whole = MemoryJournal()
    scenario = live_scenario(SCENARIO, ["b"])
    await live_room(scenario, {"b": doubts}, journal=whole).run()
    for cut in range(1, len(whole.entries)):
        resumed = MemoryJournal()
        room = live_room(scenario, {"b": doubts}, journal=resumed, resume=whole.entries[:cut])
        result = await room.run()
        assert ("completed", "It is 7.") == (result.closed, result.rows[-1].content)
        assert 4 == len(result.rows)


@pytest.mark.parametrize("seat", ["bb", "old"])
def test_only_a_seat_that_plays_can_be_live(seat: str) -> None:
    """It must be at the desk, and act."""
    with pytest.raises(FileError, match=f"'{seat}'"):
        live_scenario(SCENARIO, [seat])
