from __future__ import annotations

from collections.abc import Callable

import pytest

Warned = Callable[..., list[str]]


def said(message: str) -> str:
    """Return a turn of the lead's in which the message stands at column 8 of line 10."""
    return f'[[turn]]\nseat = "lead"\nsay = "{message}"\n'


@pytest.mark.parametrize(
    "message, column, reason",
    [
        ("@cheker go", 8, "unknown"),
        ("hi @cheker, go", 11, "unknown"),
        ("hi @bob, go", 11, "unknown"),
        ("@checker，再算", 8, "unknown"),
        ("@solver2 and @sol", 8, "unknown"),
        ("the **@checker** is", 14, "no_opener"),
        ("_@SOL_", 9, "no_opener"),
        ("hi,\\u00A0@checker", 7, "no_opener"),
        ("ask@solver.", 11, "no_opener"),
        ("`@solver go`", 9, "masked"),
        ("see `x` and `@checker.run`", 21, "masked"),
        ("@**checker** go", 8, "no_name"),
        ("@ solver", 8, "no_name"),
    ],
)
def test_what_a_reader_takes_for_a_seat_is_reported_at_its_own_place(
    warned: Warned, message: str, column: int, reason: str
) -> None:
    """The reason is the one that the room would give, and the place is that of the ``@``."""
    assert [f"10:{column} turn[1].say no_mention {reason}"] == warned(said(message))


@pytest.mark.parametrize(
    "message",
    [
        "hello",
        "@checker go, and @solver too, and @checker again",
        "@sam_lee, @here and @#d listen",
        "I am @lead",
        "mail me at someone@example.org or bob@x",
        "`@property` and @types/node",
        "5 @ 3, or @",
        "(@checker)",
    ],
)
def test_what_names_somebody_or_never_meant_to_is_left_alone(warned: Warned, message: str) -> None:
    """A mail address, a decorator in code and an ``@`` that stands alone are no names of seats."""
    assert [] == warned(said(message))


def test_a_name_that_may_mean_two_is_reported_where_it_is_used(warned: Warned) -> None:
    """The desk is warned of too: that is where it can be mended."""
    found = warned(
        said("@bob go"), seats='{ id = "lead" }, { id = "bob" }, { id = "b", name = "Bob" }'
    )
    assert "10:8 turn[1].say no_mention ambiguous" == found[1]


def test_a_name_that_may_mean_two_people_is_no_seats(warned: Warned) -> None:
    """Nobody would take the turn in any case, so only the desk is warned of."""
    assert [] == warned(said("@d go"), seats='{ id = "lead" }')


def test_a_retired_seat_is_named_in_vain(warned: Warned) -> None:
    """It is told by its id and by its name."""
    seats = '{ id = "lead" }, { id = "old", name = "Elder", retired = true }'
    assert [
        "10:8 turn[1].say no_mention unknown",
        "10:17 turn[1].say no_mention unknown",
    ] == warned(said("@old and @elder go"), seats=seats)


def test_the_same_slip_is_reported_once_a_message(warned: Warned) -> None:
    """Said again, it needs no second line."""
    assert 1 == len(warned(said("@cheker, @cheker and @cheker")))


def test_a_turn_that_pins_its_mentions_is_left_alone(warned: Warned) -> None:
    """Whoever lists which ``@`` count knows that the others do not."""
    turn = said("**@checker** and `@solver`")
    assert [] == warned(f"{turn}expect = {{ mentions = [] }}\n")
    assert 2 == len(warned(f"{turn}expect = {{ audience = 'desk' }}\n"))


def test_the_place_is_found_in_long_strings_and_behind_white_space(warned: Warned) -> None:
    """The room trims a message, and what it reads there is what is told."""
    turns = (
        "[[turn]]\nseat = 'lead'\nsay = '''\n\n    @checker\n  and\n  **@checker** go\n'''\n"
        '[[turn]]\nseat = "lead"\nsay = """  x\n\n    @solver"""\n'
        "[[turn]]\nseat = 'lead'\nsay = '''x **@solver**'''\n"
    )
    assert [
        "14:5 turn[1].say no_mention no_opener",
        "20:5 turn[2].say no_mention masked",
        "23:14 turn[3].say no_mention no_opener",
    ] == warned(turns)


def test_people_are_read_as_seats_are(warned: Warned) -> None:
    """In the opening and in their turns; the room does not trim what they say."""
    lines = (
        "[opening]\nby = 'sam'\nmessage = '@cheker begin'\n"
        "[[turn]]\nperson = 'sam'\nsay = '    @checker go on'\n"
    )
    assert [
        "10:12 opening.message no_mention unknown",
        "13:12 turn[1].say no_mention masked",
    ] == warned(lines)


def test_the_message_of_each_call_that_is_served_is_read(warned: Warned) -> None:
    """Arguments that are no text, and tools that are not there, hold no message."""
    lines = """\
[[turn]]
seat = "lead"
calls = [
    { tool = "desk_post", message = "@cheker" },
    { tool = "desk_broadcast", message = "@cheker" },
    { tool = "desk_read" },
    { tool = "desk_post", message = 3 },
    { tool = "desk_pst", message = "@cheker" },
    { tool = "other", message = "@cheker" },
]
late = [{ tool = "desk_post", message = "@cheker" }]
"""
    found = [line for line in warned(lines) if "no_mention" in line]
    assert [
        "11:38 turn[1].calls[1].message no_mention unknown",
        "12:43 turn[1].calls[2].message no_mention unknown",
    ] == found


def test_a_private_message_cannot_name_who_may_not_read_it(warned: Warned) -> None:
    """Its recipients may be named in it, however they are written in the address."""
    lines = """\
[policy]
aside = { enabled = true, max_members = 2, max_messages = 2 }
[[turn]]
seat = "lead"
calls = [{ tool = "desk_dm", to = [" @solver"], message = "@SOL, hide it from @checker" }]
"""
    assert ["12:79 turn[1].calls[1].message no_mention cannot_read"] == warned(lines)
    assert [] == warned(lines.replace("[policy]\n", '[policy]\non_refused_aside = "room"\n'))


@pytest.mark.parametrize("to", ["3", '[3, "solver"]', "[]", '"solver"'])
def test_an_address_that_is_none_hides_nothing(warned: Warned, to: str) -> None:
    """Only that the call is refused is reported."""
    lines = f"""\
[policy]
aside = {{ enabled = true, max_members = 2, max_messages = 2 }}
[[turn]]
seat = "lead"
calls = [{{ tool = "desk_dm", to = {to}, message = "@checker" }}]
"""
    assert [True] == ["refused_call" in line for line in warned(lines)]


def test_a_fence_seat_is_read_out_of_its_text(warned: Warned) -> None:
    """Only what lies between the marks is a message, and only for such a seat."""
    seats = '{ id = "lead", fence = true }, { id = "solver" }, { id = "checker" }'
    text = '[[turn]]\nseat = "SEAT"\ntext = "@cheker? <<<POST @solve go POST>>>"\n'
    assert ["10:8 turn[1].text no_mention unknown"] == warned(
        text.replace("SEAT", "lead"), seats=seats
    )
    assert [] == warned(text.replace("SEAT", "solver"), seats=seats)
    assert [] == warned('[[turn]]\nseat = "lead"\n', seats=seats)


def test_a_blank_message_names_nobody(warned: Warned) -> None:
    """That it is refused is another warning."""
    assert ["10:7 turn[1].say refused_call empty_message"] == warned(said("  "))
