"""Calls that a process still had to send when it died, sent by the process that goes on."""

from __future__ import annotations

from typing import Any

import pytest

from deskroom.engine.entries import EndEntry, Entry
from deskroom.room import Cue, Room, RoomResult, Script, SimulatedClock, Turn
from deskroom.testing import ListJournal, ScriptedSeat, post

pytestmark = pytest.mark.anyio

SCRIPT = Script([Cue("a"), Cue("b")], listed=True, most_late=2)


def room(a: Any, **options: Any) -> Room:
    """Return a scripted room in simulated time; ``b`` takes ten seconds for its turn."""

    async def b(turn: Turn) -> None:
        await turn.sleep(10)
        await turn.post("b here")

    clock = SimulatedClock(guard=False)
    return Room({"a": a, "b": b}, opening="go", clock=clock, script=SCRIPT, **options)


async def cut_after_first_turn() -> list[Entry]:
    """Return the entries of a run up to the end of its first turn, which timed out."""

    async def a(turn: Turn) -> None:
        await turn.sleep(601)

    journal = ListJournal()
    await room(a, journal=journal).run()
    ends = [at for at, entry in enumerate(journal.entries) if isinstance(entry, EndEntry)]
    return journal.entries[: ends[0] + 1]


def replies(result: RoomResult) -> list[list[str]]:
    """Return the words of each turn's replies."""
    return [list(turn.replies) for turn in result.turns]


async def test_calls_that_were_due_are_there_when_the_room_opens() -> None:
    """They are late calls of the turn that has ended, answered before anything else."""
    rest = ListJournal()
    again = room(ScriptedSeat(), resume=await cut_after_first_turn(), journal=rest)
    again.straggle(again.state.turns[0], [post("x"), ("y", None)])
    result = await again.run()
    assert [["turn_ended", "turn_ended"], ["ok"]] == replies(result)
    kinds = [type(entry).__name__ for entry in rest.entries]
    assert ["CallEntry", "CallEntry", "TurnEntry", "CallEntry", "RowEntry", "CloseEntry"] == kinds


@pytest.mark.parametrize(
    "after_s,kinds",
    [
        (1, ["TurnEntry", "CallEntry", "CallEntry", "CallEntry", "RowEntry"]),
        (99, ["TurnEntry", "CallEntry", "RowEntry", "CallEntry", "CallEntry"]),
    ],
)
async def test_calls_that_were_not_due_yet_come_in_their_time(
    after_s: float, kinds: list[str]
) -> None:
    """They come while the next turn runs, or after it, as the seat would have sent them."""
    rest = ListJournal()
    again = room(ScriptedSeat(), resume=await cut_after_first_turn(), journal=rest)
    again.straggle(again.state.turns[0], [post("x"), post("y")], after_s=after_s)
    result = await again.run()
    assert [["turn_ended", "turn_ended"], ["ok"]] == replies(result)
    assert [*kinds, "CloseEntry"] == [type(entry).__name__ for entry in rest.entries]


async def test_calls_for_a_room_that_closes_first_are_let_go() -> None:
    """A room that fails takes no more calls, and is not held up by those that were to come."""
    entries = await cut_after_first_turn()
    again = room(ScriptedSeat(), resume=entries, journal=ListJournal(room_for=0))
    again.straggle(again.state.turns[0], [post("x")], after_s=1)
    result = await again.run()
    assert ("failed", [[]]) == (result.closed, replies(result))
