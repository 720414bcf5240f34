"""For tests of a room: substitutes, which are real and patch nothing, and assertions.

Each substitute goes where its real counterpart goes. For example, in a test that awaits::

    solver = ScriptedSeat([post("@checker 42")])
    checker = ScriptedSeat([read(), complete("42 it is")])
    room = simulated_room({"solver": solver, "checker": checker}, opening="go")
    result = await room.run()
    assert_rows(result, [("user", "go"), ("solver", "@checker 42"), ("checker", "42 it is")])
    assert_next(result, ["solver", "checker", None])
    assert_closed(result, "completed")
    assert ["ok", "ok"] == checker.turns[0].words

With pytest, ``simulated_room`` is the fixture ``room``, and ``Replayer`` the fixture ``replay``.
"""

from deskroom.room import ScriptedRouter, SimulatedClock, lexical
from deskroom.testing.assertions import (
    assert_closed,
    assert_next,
    assert_ok,
    assert_properties,
    assert_refused,
    assert_rows,
)
from deskroom.testing.calls import broadcast, complete, dm, post, read
from deskroom.testing.journal import ListJournal
from deskroom.testing.make import Replayer, RoomFactory, simulated_room
from deskroom.testing.seats import Move, RecordingSeat, ScriptedSeat, TakenTurn, out_of_turn
from deskroom.testing.specs import NextSpec, RowSpec

__all__ = [
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
]
