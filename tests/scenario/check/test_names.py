from __future__ import annotations

from collections.abc import Callable

import pytest

from deskroom.scenario.check import check_text

Warned = Callable[..., list[str]]

#: A turn that nothing can be said against.
TURN = '[[turn]]\nseat = "lead"\nsay = "hello"\n'


@pytest.mark.parametrize(
    "name, fault",
    [
        ("Big Bob", "a space ends a mention"),
        ("Bob (2)", "a space ends a mention"),
        ("Bob,2", '"," ends a mention'),
        ("Bob\u3000", '"\\u3000" ends a mention'),
        ("Bob's", '"\'" ends a mention'),
        ("a@b", "an @ inside it breaks the mention"),
        ("#bob", 'a name cannot begin with "#"'),
        ("-bob", 'a name cannot begin with "-"'),
        (" bob", "a name cannot begin with a space"),
        ("  ", "it is blank"),
        ("", "it is blank"),
    ],
)
def test_a_name_that_no_message_can_use_is_told_with_the_mark_at_fault(
    warned: Warned, name: str, fault: str
) -> None:
    """The place is that of the name."""
    seats = f'{{ id = "lead", name = "{name}" }}'
    shown = name.replace("\u3000", "\\u3000")
    assert [
        f'7:32: desk.seats[1].name: no message can address a seat as "{shown}": {fault}'
    ] == warned(TURN, seats=seats)


def test_an_id_is_a_name_too(warned: Warned) -> None:
    """What cannot be said of a name cannot be said of an id."""
    assert [
        '7:17: desk.seats[1].id: no message can address a seat as "the lead": a space ends a mention'
    ] == warned(TURN.replace("lead", "the lead"), seats='{ id = "the lead" }')


@pytest.mark.parametrize("name", ["_x", "x-y", "x/y", "ß", "漢", "①", "2nd", "LEAD", "lead"])
def test_a_name_that_a_message_can_use_is_left_alone(warned: Warned, name: str) -> None:
    """Any letter or number may begin it, and only white space and some marks end it."""
    assert [] == warned(TURN, seats=f'{{ id = "lead", name = "{name}" }}')


def test_two_seats_with_one_name_are_told_at_the_second(warned: Warned) -> None:
    """The case of the letters does not count, as in a message."""
    seats = '{ id = "lead", name = "Bob" }, { id = "b", name = "BOB" }'
    assert [
        "7:60: desk.seats[2].name: @BOB may mean the seat lead or the seat b, so it is nobody"
    ] == warned(TURN, seats=seats)


def test_two_seats_with_one_name_that_cannot_be_used_are_told_as_well(warned: Warned) -> None:
    """They are shown under one name, even though no message can hold it."""
    seats = '{ id = "lead", name = "Big Bob" }, { id = "b", name = "big bob" }'
    assert [
        (
            '7:32: desk.seats[1].name: no message can address a seat as "Big Bob": '
            "a space ends a mention"
        ),
        (
            '7:64: desk.seats[2].name: no message can address a seat as "big bob": '
            "a space ends a mention"
        ),
        '7:64: desk.seats[2].name: the seat "lead" is called "big bob" as well',
    ] == warned(TURN, seats=seats)


@pytest.mark.parametrize(
    "seats, told",
    [
        (
            '{ id = "lead" }, { id = "b", name = "Lead" }',
            ("7:46: desk.seats[2].name: @Lead may mean the seat lead or the seat b"),
        ),
        (
            '{ id = "lead" }, { id = "B" }, { id = "b" }',
            ("7:48: desk.seats[3].id: @b may mean the seat B or the seat b"),
        ),
        (
            '{ id = "lead", name = "Sam_Lee" }',
            ("7:32: desk.seats[1].name: @Sam_Lee may mean the seat lead or the person sam"),
        ),
        (
            '{ id = "lead", name = "D" }',
            ("7:32: desk.seats[1].name: @D may mean the seat lead or the desk d"),
        ),
        (
            '{ id = "lead", name = "Here" }',
            ("7:32: desk.seats[1].name: @Here may mean the seat lead or everyone"),
        ),
        (
            '{ id = "lead" }, { id = "everyone" }',
            ("7:34: desk.seats[2].id: @everyone may mean the seat everyone or everyone"),
        ),
    ],
)
def test_a_name_that_means_something_else_as_well_is_told_once(
    warned: Warned, seats: str, told: str
) -> None:
    """A seat's id, a person's slug, the desk or everyone: whoever is named by it, nobody is."""
    assert [f"{told}, so it is nobody"] == warned(TURN, seats=seats)


def test_people_are_named_by_their_label_or_its_words(file: Callable[..., str]) -> None:
    """A person that neither can name is told, and so are two people with one name."""
    text = file(TURN).replace(
        '{ id = "sam", label = "Sam Lee" }',
        '{ id = "a", label = "!!" }, { id = "b", label = "Bob" }, { id = "c", label = "bob" }, '
        '{ id = "e", label = "Everyone" }',
    )
    assert [
        (
            '6:31: desk.people[1].label: no message can address a person as "!!": a name cannot begin '
            'with "!"'
        ),
        "6:88: desk.people[3].label: @bob may mean the person b or the person c, so it is nobody",
        "6:117: desk.people[4].label: @Everyone may mean the person e or everyone, so it is nobody",
    ] == [
        str(w).removeprefix("<text>:").replace(" warning:", "") for w in check_text(text).warnings
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
