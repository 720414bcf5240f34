from __future__ import annotations

from collections.abc import Callable

import pytest

Warned = Callable[..., list[str]]

NOT_READ = "an @ counts only at the start, or after a space, a new line or one of ( [ {"


def said(message: str) -> str:
    """Return a turn of the lead's in which the message stands at column 8 of line 10."""
    return f'[[turn]]\nseat = "lead"\nsay = "{message}"\n'


@pytest.mark.parametrize(
    "message, column, problem",
    [
        ("@cheker go", 8, "@cheker is nobody here; did you mean @checker?"),
        ("hi @cheker, go", 11, "@cheker is nobody here; did you mean @checker?"),
        ("hi @bob, go", 11, "@bob is nobody here."),
        ("@checker，再算", 8, "@checker，再算 is nobody here; did you mean @checker?"),
        ("@solver2 and @sol", 8, "@solver2 is nobody here; did you mean @solver?"),
        ("the **@checker** is", 14, f"@checker is not read: {NOT_READ}."),
        ("_@SOL_", 9, f"@sol is not read: {NOT_READ}."),
        ("hi,\\u00A0@checker", 7, f"@checker is not read: {NOT_READ}."),
        ("ask@solver.", 11, f"@solver is not read: {NOT_READ}."),
        ("`@solver go`", 9, "@solver is inside code and is not read."),
        ("see `x` and `@checker.run`", 21, "@checker is inside code and is not read."),
        (
            "@**checker** go",
            8,
            ("@**checker** is not read: no name stands right behind the @; did you mean @checker?"),
        ),
        ("@ solver", 8, "@ is not read: no name stands right behind the @; did you mean @solver?"),
    ],
)
def test_what_a_reader_takes_for_a_seat_is_told_at_its_own_place(
    warned: Warned, message: str, column: int, problem: str
) -> None:
    """The reason is the one that the room would give, and the place is that of the ``@``."""
    expected = f"10:{column}: turn[1].say: {problem.rstrip('.')}"
    assert [expected] == warned(said(message))


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


def test_a_name_that_may_mean_two_is_told_where_it_is_used(warned: Warned) -> None:
    """The desk is warned of too: that is where it can be mended."""
    told = warned(
        said("@bob go"), seats='{ id = "lead" }, { id = "bob" }, { id = "b", name = "Bob" }'
    )
    assert "10:8: turn[1].say: @bob may mean the seat bob or the seat b, so it is nobody" == told[1]


def test_a_name_that_may_mean_two_people_is_no_seats(warned: Warned) -> None:
    """Nobody would take the turn in any case, so only the desk is warned of."""
    told = warned(said("@d go"), seats='{ id = "lead" }')
    assert [] == told


def test_a_retired_seat_is_named_in_vain(warned: Warned) -> None:
    """It is told by its id and by its name."""
    seats = '{ id = "lead" }, { id = "old", name = "Elder", retired = true }'
    assert [
        "10:8: turn[1].say: @old is retired and can no longer be named",
        "10:17: turn[1].say: @elder is retired and can no longer be named",
    ] == warned(said("@old and @elder go"), seats=seats)


def test_the_same_slip_is_told_once_a_message(warned: Warned) -> None:
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
        f"14:5: turn[1].say: @checker is not read: {NOT_READ}",
        "20:5: turn[2].say: @solver is inside code and is not read",
        f"23:14: turn[3].say: @solver is not read: {NOT_READ}",
    ] == warned(turns)


def test_people_are_read_as_seats_are(warned: Warned) -> None:
    """In the opening and in their turns; the room does not trim what they say."""
    lines = (
        "[opening]\nby = 'sam'\nmessage = '@cheker begin'\n"
        "[[turn]]\nperson = 'sam'\nsay = '    @checker go on'\n"
    )
    assert [
        "10:12: opening.message: @cheker is nobody here; did you mean @checker?",
        "13:12: turn[1].say: @checker is inside code and is not read",
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
    told = [line for line in warned(lines) if "nobody here" in line]
    assert [
        "11:38: turn[1].calls[1].message: @cheker is nobody here; did you mean @checker?",
        "12:43: turn[1].calls[2].message: @cheker is nobody here; did you mean @checker?",
    ] == told


def test_a_private_message_cannot_name_who_may_not_read_it(warned: Warned) -> None:
    """Its recipients may be named in it, however they are written in the address."""
    lines = """\
[policy]
aside = { enabled = true, max_members = 2, max_messages = 2 }
[[turn]]
seat = "lead"
calls = [{ tool = "desk_dm", to = [" @solver"], message = "@SOL, hide it from @checker" }]
"""
    told = "@checker cannot read this private message and is not woken"
    assert [f"12:79: turn[1].calls[1].message: {told}"] == warned(lines)
    assert [] == warned(lines.replace("[policy]\n", '[policy]\non_refused_aside = "room"\n'))


@pytest.mark.parametrize("to", ["3", '[3, "solver"]', "[]", '"solver"'])
def test_an_address_that_is_none_hides_nothing(warned: Warned, to: str) -> None:
    """The call is refused, and that is told; nobody is told who can read it."""
    lines = f"""\
[policy]
aside = {{ enabled = true, max_members = 2, max_messages = 2 }}
[[turn]]
seat = "lead"
calls = [{{ tool = "desk_dm", to = {to}, message = "@checker" }}]
"""
    assert [True] == ["this call is refused" in line for line in warned(lines)]


def test_a_fence_seat_is_read_out_of_its_text(warned: Warned) -> None:
    """Only what lies between the marks is a message, and only for such a seat."""
    seats = '{ id = "lead", fence = true }, { id = "solver" }, { id = "checker" }'
    text = '[[turn]]\nseat = "SEAT"\ntext = "@cheker? <<<POST @solve go POST>>>"\n'
    assert ["10:8: turn[1].text: @solve is nobody here; did you mean @solver?"] == warned(
        text.replace("SEAT", "lead"), seats=seats
    )
    assert [] == warned(text.replace("SEAT", "solver"), seats=seats)
    assert [] == warned('[[turn]]\nseat = "lead"\n', seats=seats)


def test_a_blank_message_names_nobody(warned: Warned) -> None:
    """That it is refused is another warning."""
    told = warned(said("  "))
    assert 1 == len(told)
    assert "empty_message" in told[0]
