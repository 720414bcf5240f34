from __future__ import annotations

from collections.abc import Callable

import pytest

from deskroom.scenario.check import check_text

Warned = Callable[..., list[str]]

#: A turn that nothing can be said against.
TURN = '[[turn]]\nseat = "lead"\nsay = "hello"\n'


@pytest.mark.parametrize(
    "name",
    ["Big Bob", "Bob (2)", "Bob,2", "Bob\u3000", "Bob's", "a@b", "#bob", "-bob", " bob", "  ", ""],
)
def test_a_name_that_no_message_can_use_is_reported(warned: Warned, name: str) -> None:
    """The place is that of the name."""
    seats = f'{{ id = "lead", name = "{name}" }}'
    assert ["7:32 desk.seats[1].name unaddressable"] == warned(TURN, seats=seats)


def test_an_id_is_a_name_too(warned: Warned) -> None:
    """What cannot be said of a name cannot be said of an id."""
    assert ["7:17 desk.seats[1].id unaddressable"] == warned(
        TURN.replace("lead", "the lead"), seats='{ id = "the lead" }'
    )


@pytest.mark.parametrize("name", ["_x", "x-y", "x/y", "ß", "漢", "①", "2nd", "LEAD", "lead"])
def test_a_name_that_a_message_can_use_is_left_alone(warned: Warned, name: str) -> None:
    """Any letter or number may begin it, and only white space and some marks end it."""
    assert [] == warned(TURN, seats=f'{{ id = "lead", name = "{name}" }}')


def test_two_seats_with_one_name_are_told_at_the_second(warned: Warned) -> None:
    """The case of the letters does not count, as in a message."""
    seats = '{ id = "lead", name = "Bob" }, { id = "b", name = "BOB" }'
    assert ["7:60 desk.seats[2].name ambiguous_name"] == warned(TURN, seats=seats)


def test_two_seats_with_one_name_that_cannot_be_used_are_told_as_well(warned: Warned) -> None:
    """They are shown under one name, even though no message can hold it."""
    seats = '{ id = "lead", name = "Big Bob" }, { id = "b", name = "big bob" }'
    assert [
        "7:32 desk.seats[1].name unaddressable",
        "7:64 desk.seats[2].name unaddressable",
        "7:64 desk.seats[2].name ambiguous_name",
    ] == warned(TURN, seats=seats)


@pytest.mark.parametrize(
    "seats, place",
    [
        ('{ id = "lead" }, { id = "b", name = "Lead" }', "7:46 desk.seats[2].name"),
        ('{ id = "lead" }, { id = "B" }, { id = "b" }', "7:48 desk.seats[3].id"),
        ('{ id = "lead", name = "Sam_Lee" }', "7:32 desk.seats[1].name"),
        ('{ id = "lead", name = "D" }', "7:32 desk.seats[1].name"),
        ('{ id = "lead", name = "Here" }', "7:32 desk.seats[1].name"),
        ('{ id = "lead" }, { id = "everyone" }', "7:34 desk.seats[2].id"),
    ],
)
def test_a_name_that_means_something_else_as_well_is_reported_once(
    warned: Warned, seats: str, place: str
) -> None:
    """A seat's id, a person's slug, the desk or everyone: whoever is named by it, nobody is."""
    assert [f"{place} ambiguous_name"] == warned(TURN, seats=seats)


def test_people_are_named_by_their_label_or_its_words(file: Callable[..., str]) -> None:
    """A person that neither can name is told, and so are two people with one name."""
    text = file(TURN).replace(
        '{ id = "sam", label = "Sam Lee" }',
        '{ id = "a", label = "!!" }, { id = "b", label = "Bob" }, { id = "c", label = "bob" }, '
        '{ id = "e", label = "Everyone" }',
    )
    assert [
        (6, 31, "desk.people[1].label", "unaddressable"),
        (6, 88, "desk.people[3].label", "ambiguous_name"),
        (6, 117, "desk.people[4].label", "ambiguous_name"),
    ] == [
        (w.line, w.column, w.key, w.kind)
        for w in check_text(text).warnings
        if w.kind != "expects_nothing"
    ]


def test_a_retired_seat_can_be_called_anything(warned: Warned) -> None:
    """Nobody names it, and a seat that takes its name over is the only one that has it."""
    seats = (
        '{ id = "lead", name = "Bob" }, { id = "b", name = "Bob", retired = true }, '
        '{ id = "c d", retired = true }'
    )
    assert [] == warned(TURN, seats=seats)


def test_a_desk_name_is_a_title(warned: Warned) -> None:
    """It may hold spaces, as in every file of these tests."""
    assert [] == warned(TURN)


LETTER = "a look-alike letter, U+043E (CYRILLIC SMALL LETTER O)"


@pytest.mark.parametrize(
    "second, told",
    [
        ('{ id = "b\u043eb" }', LETTER),
        ('{ id = "c", name = "B\u043eB" }', LETTER),
        (
            '{ id = "bo\u00adb" }',
            "an invisible character, U+00AD (SOFT HYPHEN)",
        ),
        (
            '{ id = "\uff42ob" }',
            "a look-alike letter, U+FF42 (FULLWIDTH LATIN SMALL LETTER B)",
        ),
    ],
)
def test_a_name_that_looks_like_anothers_is_told(second: str, told: str) -> None:
    """By its own place, with whose name it looks like and what differs."""
    warnings = look_alikes(f'{{ id = "lead" }}, {{ id = "bob" }}, {second}')
    assert [told] == [problem.partition("differs in ")[2] for _, problem in warnings]
    assert all('of the seat "bob", and' in problem for _, problem in warnings)


def test_people_are_looked_at_too_and_the_retired_are_not() -> None:
    """A person may look like a seat; a retired seat is never named."""
    people = '[{ id = "l\u0435ad", label = "Lead" }]'
    assert ["desk.people[1].id"] == [
        key for key, _ in look_alikes('{ id = "lead" }, { id = "old" }', people)
    ]
    retired = '{ id = "lead" }, { id = "l\u0435ad", retired = true }'
    assert [] == look_alikes(retired)


def look_alikes(seats: str, people: str = "[]") -> list[tuple[str, str]]:
    """Return the key and the problem of each name that looks like another."""
    desk = f'[desk]\nid = "d"\nname = "D"\npeople = {people}\nseats = [{seats}]\n'
    checked = check_text(f"format = 1\n{desk}{TURN}", "x.toml")
    return [(w.key, w.problem) for w in checked.warnings if w.kind == "look_alike"]
