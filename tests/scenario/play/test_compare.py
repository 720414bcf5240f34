from __future__ import annotations

from typing import Any

import pytest

from deskroom.scenario import Mismatch, Replay, parse_scenario, replay_scenario


class Anything:
    """Equal to whatever it is compared with: the sentences are pinned elsewhere."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


ANY: Any = Anything()

HEAD = """\
format = 1
order = "{order}"
desk = {{ id = "d", name = "D", people = [{{ id = "sam", label = "Sam" }}], seats = [\
{{ id = "a" }}, {{ id = "b" }}, {{ id = "c" }}] }}
"""

#: Four rows: the opening, an aside, a nudge, and the one that closes the desk.
RUN = """\
[policy]
aside = { enabled = true, max_members = 1, max_messages = 1 }
chair = { rounds = 1 }
[opening]
by = "sam"
message = "@a begin"
[[turn]]
seat = "a"
calls = [{ tool = "desk_dm", to = ["c"], message = "psst" }]
[[turn]]
seat = "c"
text = "hm"
[[turn]]
seat = "b"
calls = [{ tool = "desk_complete_episode", message = "done" }]
"""


def play(body: str, *, order: str = "listed", fail_on_unused: bool = False) -> Replay:
    """Play a scenario whose body begins on line 4."""
    scenario = parse_scenario(HEAD.format(order=order) + body)
    return replay_scenario(scenario, fail_on_unused=fail_on_unused)


def test_a_scenario_without_expectations_is_as_expected() -> None:
    """Nothing was pinned, so nothing can differ."""
    replay = play('[[turn]]\nseat = "a"\nsay = "x"')
    assert ((), (), True) == (replay.mismatches, replay.unused, replay.ok)


# The opening and persons


def test_who_is_next_after_the_opening_is_compared() -> None:
    """A mismatch of the opening says so and points into its own table."""
    body = """\
[opening]
by = "sam"
message = "@b begin"
expect = {{ next = {} }}
[[turn]]
seat = "b"
say = "x"
"""
    assert play(body.format('"b"'), order="routed").ok
    assert (
        Mismatch(
            path="<text>",
            line=7,
            column=12,
            turn="opening",
            seat=None,
            key="next",
            expected="c",
            got="b",
            why=ANY,
            row=1,
        ),
    ) == play(body.format('"c"'), order="routed").mismatches


def test_an_opening_that_names_nobody_goes_to_the_lead() -> None:
    """The lead is who is next."""
    body = """\
[opening]
by = "sam"
message = "begin"
expect = { next = "b" }
[[turn]]
seat = "a"
say = "x"
"""
    (mismatch,) = play(body).mismatches
    assert "a" == mismatch.got


def test_who_is_next_after_a_person_is_compared() -> None:
    """A person's turn has the label of its place and the person for its speaker."""
    body = """\
[[turn]]
seat = "a"
say = "x"
[[turn]]
person = "sam"
say = "@gone @b go on"
expect = {{ next = {} }}
"""
    assert play(body.format('"b"')).ok
    assert (
        Mismatch(
            path="<text>",
            line=10,
            column=12,
            turn="2",
            seat="sam",
            key="next",
            expected="a",
            got="b",
            why=ANY,
            row=2,
        ),
    ) == play(body.format('"a"')).mismatches


# The run


@pytest.mark.parametrize(
    "key, right, wrong",
    [
        ("rows", 4, 5),
        ("turns", 3, 2),
        ("nudges", 1, 0),
        ("asides", 1, 0),
        ("closed", "completed", "quiet"),
    ],
)
def test_each_key_of_the_run_is_compared(key: str, right: object, wrong: object) -> None:
    """A run that came to something else is a mismatch without a turn."""

    def expecting(value: object) -> Replay:
        written = f'"{value}"' if isinstance(value, str) else value
        return play(f"{RUN}[expect]\n{key} = {written}", order="routed")

    assert () == expecting(right).mismatches
    assert (
        Mismatch(
            path="<text>",
            line=20,
            column=1,
            turn=None,
            seat=None,
            key=key,
            expected=wrong,
            got=right,
            why=ANY,
        ),
    ) == expecting(wrong).mismatches


@pytest.mark.parametrize(
    "body, closed",
    [
        ('[[turn]]\nseat = "a"\nsay = "x"', "script"),
        (
            '[policy]\nmax_turns = 1\n[[turn]]\nseat = "a"\nsay = "x"\n[[turn]]\nseat = "a"',
            "max_turns",
        ),
        (
            '[[turn]]\nseat = "a"\ncalls = [{ tool = "desk_complete_episode", message = "x" }]',
            "completed",
        ),
    ],
)
def test_why_a_listed_run_closed_is_compared(body: str, closed: str) -> None:
    """The reason is the one that the room closed with."""
    assert play(f'{body}\n[expect]\nclosed = "{closed}"').ok
    (mismatch,) = play(f'{body}\n[expect]\nclosed = "quiet"').mismatches
    assert ("quiet", closed) == (mismatch.expected, mismatch.got)


# Unused turns


UNUSED = """\
[[turn]]
seat = "a"
calls = [{{ tool = "desk_complete_episode", message = "done" }}]
[[turn]]
seat = "b"
say = "never"
{}
"""


def test_an_unused_turn_with_an_expectation_is_a_mismatch() -> None:
    """It points at the turn itself; an empty expectation is one, too."""
    for expect in ('expect = { next = "a" }', "expect = {}"):
        replay = play(UNUSED.format(expect))
        assert ["2"] == [turn.label for turn in replay.unused]
        assert (
            Mismatch(
                path="<text>",
                line=7,
                column=1,
                turn="2",
                seat="b",
                key="turn",
                expected="played",
                got="unused",
                why=ANY,
            ),
        ) == replay.mismatches


def test_an_unused_turn_without_an_expectation_is_no_mismatch() -> None:
    """It is told as unused, and fails only when that is asked for."""
    assert play(UNUSED.format("")).ok
    replay = play(UNUSED.format(""), fail_on_unused=True)
    assert [("2", "turn", "unused")] == [(m.turn, m.key, m.got) for m in replay.mismatches]


def test_an_unused_turn_of_a_person_is_told_too() -> None:
    """What a person was to say after the close was never said."""
    body = UNUSED.format("") + '[[turn]]\nperson = "sam"\nsay = "x"\nexpect = { next = "a" }'
    (mismatch,) = play(body).mismatches
    assert ("3", "sam", "unused") == (mismatch.turn, mismatch.seat, mismatch.got)


# Repeated turns


def test_each_copy_of_a_repeated_turn_has_its_own_name() -> None:
    """A mismatch in a copy names the copy; all of them point at the one place in the file."""
    body = """\
[[turn]]
seat = "b"
say = "x"
[[turn]]
seat = "a"
say = "x"
repeat = 3
expect = { next = "b" }
"""
    assert [("2.1", 11), ("2.2", 11), ("2.3", 11)] == [
        (mismatch.turn, mismatch.line) for mismatch in play(body).mismatches
    ]


def test_an_unused_copy_has_its_own_name() -> None:
    """Of a repeated turn, the copies that were not played are unused."""
    body = '[policy]\nmax_turns = 2\n[[turn]]\nseat = "a"\nsay = "x"\nrepeat = 4'
    assert ["1.3", "1.4"] == [turn.label for turn in play(body).unused]


# The order of a routed script


DRY = """\
[opening]
by = "sam"
message = "@a begin"
[[turn]]
seat = "a"
say = "@{} go on"
[[turn]]
seat = "b"
say = "x"
"""


def test_a_seat_without_a_listed_turn_is_an_order_mismatch() -> None:
    """It points at the first turn that is left, and says whose it is."""
    replay = play(DRY.format("c"), order="routed")
    assert "script" == replay.run.closed
    assert (
        Mismatch(
            path="<text>",
            line=10,
            column=1,
            turn="2",
            seat="b",
            key="order",
            expected="b",
            got="c",
            why=ANY,
            row=2,
        ),
    ) == replay.mismatches


def test_a_recipient_without_a_listed_turn_is_an_order_mismatch() -> None:
    """A broadcast's queue is no other than a mention."""
    body = """\
[opening]
by = "sam"
message = "@a begin"
[[turn]]
seat = "a"
calls = [{ tool = "desk_broadcast", message = "who can?" }]
scores = { c = 0.9, b = 0.1 }
[[turn]]
seat = "b"
say = "x"
"""
    (mismatch,) = play(body, order="routed").mismatches
    assert ("order", "b", "c") == (mismatch.key, mismatch.expected, mismatch.got)


def test_a_script_that_is_used_up_is_no_mismatch() -> None:
    """The room closes with script when nobody has a turn left."""
    replay = play(DRY.format("b").replace('say = "x"', 'say = "@a x"'), order="routed")
    assert ("script", ()) == (replay.run.closed, replay.mismatches)


def test_turns_left_over_at_another_close_are_no_order_mismatch() -> None:
    """A room that fell quiet granted nobody out of order."""
    replay = play(DRY.format("nobody"), order="routed")
    assert ("quiet", (), ["2"]) == (
        replay.run.closed,
        replay.mismatches,
        [turn.label for turn in replay.unused],
    )


# All together


def test_mismatches_come_in_the_order_of_the_file() -> None:
    """The opening first, then turn by turn, then the order, then the run."""
    body = """\
[opening]
by = "sam"
message = "@a begin"
expect = { next = "b" }
[[turn]]
seat = "a"
say = "@c go on"
expect = { content = "x", next = "b" }
[[turn]]
seat = "b"
say = "x"
expect = {}
[expect]
rows = 9
"""
    assert [
        ("opening", "next"),
        ("1", "content"),
        ("1", "next"),
        ("2", "turn"),
        ("2", "order"),
        (None, "rows"),
    ] == [(m.turn, m.key) for m in play(body, order="routed").mismatches]


def test_what_was_played_goes_beside_the_listed_turns() -> None:
    """Each listed turn has its grant and its row, where it had them."""
    replay = play(RUN, order="routed")
    assert [("a", "spoke", 2), ("c", "silent", None), ("b", "spoke", 4)] == [
        (one.turn.seat, one.turn.outcome, one.entry.row.sequence if one.entry else None)
        for one in replay.played
        if one.turn
    ]
    assert replay.opening.entry is not None
    assert "@a begin" == replay.opening.entry.row.content
