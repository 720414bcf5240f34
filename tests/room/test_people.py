"""People who attend a room, and a room that opens again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest

from deskroom.engine.entries import MemoryJournal
from deskroom.errors import RoomClosed, UsageError
from deskroom.journal import JournalFile, verify
from deskroom.room import Room, RoomResult, Turn
from deskroom.runs.run import Run
from deskroom.testing import ScriptedSeat, complete, post

pytestmark = pytest.mark.anyio


async def asks(turn: Turn) -> None:
    """Ask a person first, and complete with what they say."""
    if turn.number == 1:
        await turn.post("@sam for how many?")
    else:
        assert turn.trigger is not None
        await turn.complete(f"Booked: {turn.trigger.content}")


def room(**options: Any) -> Room:
    """Return a room with a seat that asks a person."""
    return Room({"a": asks}, people={"sam": "Sam"}, opening="@a book a table", **options)


def said(result: RoomResult) -> tuple[str, list[str]]:
    """Return why a room closed, and what was said in it."""
    return result.closed, [row.content for row in result.rows]


async def test_a_quiet_room_waits_for_a_person_who_attends() -> None:
    """Their words go on with the chain that has ended; without them it would have closed."""
    here = room()
    async with anyio.create_task_group() as tasks:

        async def person() -> None:
            with here.attended("sam"):
                await anyio.sleep(0.05)
                await here.say("sam", "four")

        tasks.start_soon(person)
        result = await here.run()
    assert (
        "completed",
        ["@a book a table", "@sam for how many?", "four", "Booked: four"],
    ) == said(result)


async def test_a_person_who_leaves_is_not_waited_for() -> None:
    """The room closes as quiet when the last one goes."""
    here = room()
    async with anyio.create_task_group() as tasks:

        async def person() -> None:
            with here.attended("sam"):
                await anyio.sleep(0.05)

        tasks.start_soon(person)
        result = await here.run()
    assert ("quiet", ["@a book a table", "@sam for how many?"]) == said(result)


async def test_a_person_is_waited_for_so_long() -> None:
    """Then the room closes, although they are still there."""
    here = room()
    with here.attended("sam", timeout_s=0.05), anyio.fail_after(3):
        result = await here.run()
    assert "quiet" == result.closed


async def test_a_room_nobody_opened_waits_so_long_for_a_person_who_attends() -> None:
    """It is stopped then: nothing was said, so nothing is quiet in it."""
    here = Room({"a": asks}, people={"sam": "Sam"})
    with here.attended("sam", timeout_s=0.05), anyio.fail_after(3):
        result = await here.run()
    assert ("stopped", []) == said(result)


async def test_only_people_of_the_desk_attend() -> None:
    """A stranger is refused at once."""
    with (
        pytest.raises(UsageError, match="'sm' is not a person of this room"),
        room().attended("sm"),
    ):
        pass


async def test_a_person_opens_a_room_again_that_closed_quiet(tmp_path: Path) -> None:
    """The journal goes on behind its close, and is what the rules give."""
    path = tmp_path / "j.jsonl"
    with JournalFile.create(path) as journal:
        assert "quiet" == (await room(journal=journal).run()).closed
    with JournalFile.resume(path) as journal:
        here = room(journal=journal, resume=journal.entries)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(here.say, "sam", "four")
            result = await here.run()
    rows = ["@a book a table", "@sam for how many?", "four", "Booked: four"]
    assert ("completed", rows) == said(result)
    assert ("completed", 4, 2) == (
        (verified := verify(path)).closed,
        verified.rows,
        verified.turns,
    )
    with JournalFile.resume(path) as journal:
        assert "completed" == Run.from_entries(journal.entries).closed


async def test_a_person_who_attends_is_waited_for_in_a_room_that_opens_again() -> None:
    """For so long as they attend, and no longer."""
    first = MemoryJournal()
    await room(journal=first).run()
    again = room(resume=first.entries)
    async with anyio.create_task_group() as tasks:

        async def person() -> None:
            with again.attended("sam"):
                await anyio.sleep(0.05)
                await again.say("sam", "four")

        tasks.start_soon(person)
        result = await again.run()
    assert "completed" == result.closed
    silent = room(resume=first.entries)
    with silent.attended("sam", timeout_s=0.05):
        assert "quiet" == (await silent.run()).closed


async def test_a_room_that_closed_otherwise_stays_closed() -> None:
    """What was completed is; whoever speaks hears so."""
    journal = MemoryJournal()
    seats = {"a": ScriptedSeat([complete("done")])}
    await Room(seats, people={"sam": "Sam"}, opening="@a go", journal=journal).run()
    again = Room(seats, people={"sam": "Sam"}, opening="@a go", resume=journal.entries)
    async with anyio.create_task_group() as tasks:

        async def late() -> None:
            with pytest.raises(RoomClosed):
                await again.say("sam", "and?")

        tasks.start_soon(late)
        result = await again.run()
    assert ("completed", ["@a go", "done"]) == said(result)


async def test_a_room_that_closed_quiet_stays_closed_where_nobody_speaks() -> None:
    """Running it again adds nothing."""
    first, second = MemoryJournal(), MemoryJournal()
    seats = {"a": ScriptedSeat([post("hm")])}
    await Room(seats, opening="@a go", journal=first).run()
    result = await Room(seats, opening="@a go", resume=first.entries, journal=second).run()
    assert ("quiet", []) == (result.closed, second.entries)
