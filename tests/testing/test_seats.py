from __future__ import annotations

import anyio
import pytest

from deskroom.core.reasons import CloseReason
from deskroom.engine.entries import CloseEntry, Raised
from deskroom.errors import RoomFailure
from deskroom.room import Policy, Turn
from deskroom.testing import (
    ListJournal,
    RecordingSeat,
    ScriptedSeat,
    broadcast,
    complete,
    dm,
    out_of_turn,
    post,
    read,
    simulated_room,
)


def test_a_scripted_seat_plays_a_move_a_turn_and_then_nothing() -> None:
    """A move is calls, a text outside any call, or an exception to raise."""
    error = ValueError("no more")
    seat = ScriptedSeat([post("@b hi"), read(3)], error)
    other = ScriptedSeat([post("@a hi")], "only thinking")
    room = simulated_room({"a": seat, "b": other}, opening="@a go")
    result = anyio.run(room.run)
    assert [["ok", "ok"], []] == [turn.words for turn in seat.turns]
    assert [["ok"]] == [turn.words for turn in other.turns]
    assert ({3: Raised("ValueError", "no more")}, {3: error}) == (
        result.failures,
        result.exceptions,
    )


def test_a_seat_that_has_played_its_last_move_is_silent() -> None:
    """So a room of such seats comes to its end."""
    seat = ScriptedSeat("only thinking")
    result = anyio.run(simulated_room({"a": seat}, policy=Policy(silence="retry")).run)
    assert ["only thinking", ""] == [turn.text for turn in result.turns]
    assert [1, 2] == [turn.attempt for turn in seat.turns]


def test_a_recording_seat_makes_the_same_calls_in_each_turn() -> None:
    """It keeps what it was granted and told, as it was then."""
    seat = RecordingSeat(post("@b over to you"))
    other = RecordingSeat(dm("a", "psst"), post("@a and back"))
    room = simulated_room({"a": seat, "b": other}, opening="@a go", policy=Policy(max_turns=4))
    anyio.run(room.run)
    assert [1, 3] == [turn.number for turn in seat.turns]
    assert [["disabled", "ok"]] * 2 == [turn.words for turn in other.turns]
    assert ["@a go", "@b over to you", "@a and back"] == [
        row.content for row in seat.turns[1].history
    ]


def test_calls_are_pairs_of_a_tool_and_its_arguments() -> None:
    """As a seat emits them."""
    assert ("desk_broadcast", {"message": "x"}) == broadcast("x")
    assert ("desk_dm", {"to": ["a", "b"], "message": "x"}) == dm(("a", "b"), "x")
    assert ("desk_complete_episode", {"message": "x"}) == complete("x")
    assert ("desk_read", {}) == read()


def test_a_seat_can_go_by_a_wrong_turn() -> None:
    """Its call is judged as that turn's."""
    words = []

    async def stray(turn: Turn) -> None:
        words.append((await out_of_turn(turn, 7).post("hello")).rejection)

    anyio.run(simulated_room({"a": stray}).run)
    assert ["not_your_turn"] == words


def test_a_list_journal_keeps_every_entry_until_it_is_full() -> None:
    """Its rows are the room's."""
    journal = ListJournal()
    result = anyio.run(simulated_room({"a": ScriptedSeat([complete("x")])}, journal=journal).run)
    assert result.entries == tuple(journal.rows)
    assert CloseEntry(CloseReason.COMPLETED) == journal.entries[-1]
    full = ListJournal(room_for=0)
    with pytest.raises(RoomFailure):
        full.write(CloseEntry(CloseReason.QUIET))
