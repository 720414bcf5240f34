"""What a room takes for its seats, as a type checker sees it: mypy reads this file with the rest."""

from __future__ import annotations

from collections.abc import Mapping

from deskroom.room import Room, Seat, Turn
from deskroom.room.acts import Act
from deskroom.testing import ScriptedSeat, simulated_room


async def act(turn: Turn) -> None:
    """Do nothing with a turn."""


SCRIPTED = ScriptedSeat([])
BY_ID: Mapping[str, Act] = {"a": act, "b": SCRIPTED}
BY_SEAT = {Seat(id="a"): act, Seat(id="b"): act}
BY_BOTH: dict[str | Seat, Act] = {"a": act, Seat(id="b"): SCRIPTED}


def test_seats_may_be_of_every_kind_that_the_docs_allow_and_of_several() -> None:
    """Keys are ids or seats, values functions or objects, in one dict or in one made before."""
    rooms = [
        Room({"a": act, "b": act}),
        Room({"a": act, "b": SCRIPTED}),
        Room({Seat(id="a"): act, Seat(id="b"): SCRIPTED}),
        Room({"a": act, Seat(id="b"): SCRIPTED}),
        Room(BY_ID),
        Room(BY_SEAT),
        Room(BY_BOTH),
        Room(dict.fromkeys("ab", act)),
        simulated_room({"a": act, Seat(id="b"): SCRIPTED}),
        simulated_room(BY_SEAT),
    ]
    assert [("a", "b")] * len(rooms) == [tuple(room.setup.by_id) for room in rooms]


def test_a_seat_is_an_id_or_a_seat() -> None:
    """Anything else is told by the type checker; the ignored error must be there."""
    _ = lambda: Room({3: act})  # type: ignore[dict-item]  # noqa: E731 - it is for mypy alone
