"""The engine of our rooms, driven directly: what the rules cost with no event loop and no actors."""

from __future__ import annotations

from bench.marks import LINE, Marks
from deskroom.core import Person
from deskroom.core.dispatch import DispatchPolicy
from deskroom.engine.due import Await
from deskroom.engine.engine import Engine
from deskroom.engine.entries import CallEntry, RowEntry, TurnEntry
from deskroom.engine.messages import Call, TurnEnd
from deskroom.engine.policy import Policy
from deskroom.engine.setup import Opening, Seat, Setup

__all__ = ["run"]


def run(turns: int, rooms: int, marks: Marks, variant: str) -> None:
    """Play rooms one after the other."""
    for _ in range(rooms):
        _play(turns, marks)


def _play(turns: int, marks: Marks) -> None:
    setup = Setup(
        desk_id="desk",
        desk_name="desk",
        seats=(Seat(id="first"), Seat(id="second")),
        people=(Person("user", "User"),),
        opening=Opening("user", "@first begin"),
        policy=Policy(max_turns=turns, dispatch=DispatchPolicy(max_hops=2**31)),
    )
    engine = Engine(setup)
    engine.apply(engine.header())
    say = {"first": f"@second {LINE}", "second": f"@first {LINE}"}
    while not engine.is_closed:
        due = engine.due()
        assert not isinstance(due, Await)
        engine.apply(due)
        if isinstance(due, TurnEntry):
            grant = engine.grant()
            seat = grant.seat.id
            marks.turn()
            called, _ = engine.call(
                Call(grant.turn, grant.attempt, seat, 1, "desk_post", {"message": say[seat]})
            )
            assert isinstance(called, CallEntry)
            engine.apply(called)
            for ended in engine.end(TurnEnd(grant.turn, grant.attempt, seat)):
                assert isinstance(ended, RowEntry)
                engine.apply(ended)
