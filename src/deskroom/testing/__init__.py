"""Substitutes for tests of a room: real seats and a real journal, nothing patched.

Each of them goes where its real counterpart goes. For example, in a test that awaits::

    solver = ScriptedSeat([post("@checker 42")])
    checker = ScriptedSeat([read(), complete("42 it is")])
    journal = ListJournal()
    room = Room({"solver": solver, "checker": checker}, opening="go", journal=journal)
    assert "completed" == (await room.run()).closed
    assert ["ok", "ok"] == checker.turns[0].words
"""

from deskroom.testing.calls import broadcast, complete, dm, post, read
from deskroom.testing.journal import ListJournal
from deskroom.testing.seats import Move, RecordingSeat, ScriptedSeat, TakenTurn, out_of_turn

__all__ = [
    "ListJournal",
    "Move",
    "RecordingSeat",
    "ScriptedSeat",
    "TakenTurn",
    "broadcast",
    "complete",
    "dm",
    "out_of_turn",
    "post",
    "read",
]
