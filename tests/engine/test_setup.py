from __future__ import annotations

from typing import Any

import pytest

from deskroom.core import AsidePolicy, Person
from deskroom.engine.setup import Setup, check_setup, difference
from deskroom.errors import UsageError
from deskroom.room import ChairPolicy, Cue, Opening, Policy, Room, Script, Seat
from deskroom.testing import ListJournal, ScriptedSeat

MADE: dict[str, Any] = {
    "desk_id": "d",
    "desk_name": "D",
    "seats": (Seat(id="a"), Seat(id="b", brief="be kind")),
    "people": (Person("p", "Pat"),),
    "policy": Policy(),
    "opening": Opening("p", "go"),
}


def setup(**changed: Any) -> Setup:
    """Return what a room is made of."""
    return Setup(**{**MADE, **changed})


def test_two_rooms_of_the_same_parts_do_not_differ() -> None:
    """What stands in a script is not compared: who goes on may bring a longer one."""
    assert difference(setup(), setup()) is None
    played, longer = Script([], listed=True), Script([Cue("a")], listed=True)
    assert difference(setup(script=played), setup(script=longer)) is None


@pytest.mark.parametrize(
    "changed,told",
    [
        ({"desk_id": "e"}, "desk.id is 'd' there and 'e' here"),
        ({"desk_name": "E"}, "desk.name is 'D' there and 'E' here"),
        (
            {"seats": (Seat(id="a"), Seat(id="b"))},
            "seats[2].brief is 'be kind' there and None here",
        ),
        (
            {"policy": Policy(aside=AsidePolicy(enabled=True))},
            "policy.aside.enabled is False there and True here",
        ),
        (
            {"policy": Policy(window=5, max_turns=7)},
            "policy.max_turns is 100 there and 7 here",
        ),
        ({"opening": Opening("p", "GO")}, "opening.message is 'go' there and 'GO' here"),
        (
            {"script": Script([], listed=True)},
            "it had no script, and this room plays one",
        ),
        ({"people": (Person("p", "Pam"),)}, "people[1].label is 'Pat' there and 'Pam' here"),
    ],
)
def test_the_first_part_that_differs_is_named_with_both_values(
    changed: dict[str, Any], told: str
) -> None:
    """The path leads to the very key."""
    assert told == difference(setup(), setup(**changed))


def test_the_order_of_two_scripts_is_compared() -> None:
    """It decides who is granted, so it is part of what a room is."""
    listed, routed = Script([], listed=True), Script([], listed=False)
    told = difference(setup(script=listed), setup(script=routed))
    assert "order is 'listed' there and 'routed' here" == told
    told = difference(setup(script=listed), setup())
    assert "it was played from a script, and this room has none" == told


def test_a_long_value_is_cut() -> None:
    """A part that is there only once is shown as far as a line goes."""
    told = difference(setup(), setup(opening=None))
    assert told is not None
    assert told.startswith("opening is {'by': 'p', 'message': 'go'} there and None here")
    told = difference(setup(), setup(opening=Opening("p", "x" * 999)))
    assert told is not None
    assert told.endswith("…" + " here")
    assert len(told) < 200


def test_entries_of_another_room_are_refused() -> None:
    """A room goes on only from entries that are its own."""
    journal = ListJournal()
    room = Room({"a": ScriptedSeat()}, opening="go", journal=journal)
    journal.write(room.header)
    with pytest.raises(UsageError) as raised:
        Room(
            {"a": ScriptedSeat()},
            opening="go",
            policy=Policy(chair=ChairPolicy(rounds=1)),
            resume=journal.entries,
        )
    expected = "these entries are of another room: policy.chair.rounds is 0 there and 1 here"
    assert expected == str(raised.value)


@pytest.mark.parametrize(
    "changed",
    [
        {"desk_id": "d\x1b[2J"},
        {"seats": (Seat(id="a"), Seat(id="b\u202egnp"))},
        {"people": (Person("p\x07", "Pat"),), "opening": None},
    ],
)
def test_an_id_that_acts_on_a_terminal_is_refused(changed: dict[str, Any]) -> None:
    """Of the desk, of a seat, of a person; a name or a label is for people to read."""
    with pytest.raises(UsageError, match="which no id may hold"):
        check_setup(setup(**changed))
    check_setup(setup(desk_name="D\x1b", seats=(Seat(id="a", name="A\x07"), Seat(id="b"))))
