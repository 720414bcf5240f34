from __future__ import annotations

from typing import Any

import pytest

from deskroom.core.reasons import NoTurnReason
from deskroom.runs.values import TURN_VALUES
from deskroom.scenario import Mismatch, Replay, parse_scenario, replay_scenario
from deskroom.scenario.format.model import Nobody, TurnExpect
from deskroom.scenario.play.expect import file_value, holds

#: The expectation of the turn below stands on line 9, its first key in column 12.
FILE = """\
format = 1
desk = {{ id = "d", name = "D", people = [{{ id = "sam", label = "Sam" }}], seats = [\
{{ id = "a" }}, {{ id = "b" }}, {{ id = "c" }}, {{ id = "gone", retired = true }}] }}
[policy]
aside = {{ enabled = true, max_members = 2, max_messages = 1 }}
on_refused_aside = "{fallback}"
turn_timeout_s = 60

[[turn]]
expect = {{ {expect} }}
seat = "a"
{turn}
"""

POST = 'say = "@b go on"'
DM = 'calls = [{ tool = "desk_dm", to = ["c", "b"], message = "psst" }]'
COMPLETION = 'calls = [{ tool = "desk_complete_episode", message = "done" }]'
BROADCAST = """\
calls = [{ tool = "desk_broadcast", message = "who can?" }]
scores = { b = 0.3, c = 0.9 }"""
NARRATION = 'text = "I shall"'
REFUSED = """\
calls = [{ tool = "desk_post", message = "" }, { tool = "desk_read" }, { tool = "shout" }]"""
CRASH = 'say = "@b go on"\ncrash = "boom"'
SLOW = 'say = "@b go on"\ntakes = 61'
LATE = 'say = "@b go on"\nlate = [{ tool = "desk_read" }, { tool = "desk_post", message = "x" }]'


def play(turn: str, expect: str, fallback: str = "refuse") -> Replay:
    """Play a scenario of one turn by the seat ``a``."""
    text = FILE.format(turn=turn, expect=expect, fallback=fallback)
    return replay_scenario(parse_scenario(text))


@pytest.mark.parametrize(
    "turn, key, right, wrong, expected, got",
    [
        (POST, "content", '"@b go on"', '"@b go"', "@b go", "@b go on"),
        (DM, "audience", '["c", "b"]', '"desk"', "desk", ["c", "b"]),
        (
            'say = "@sam (@here [@D @#d @gone @b and @b again"',
            "mentions",
            '["person:sam", "everyone", "desk:d", "b"]',
            '["b"]',
            ["b"],
            ["person:sam", "everyone", "desk:d", "b"],
        ),
        (POST, "mentions", '["b"]', "[]", [], ["b"]),
        (POST, "next", '"b"', '"c"', "c", "b"),
        (
            POST,
            "next",
            '"b"',
            '{ none = "no_direct_agent_mention" }',
            {"none": "no_direct_agent_mention"},
            "b",
        ),
        (
            'say = "`@b` @bb x@b @ @a"',
            "next",
            '{ none = "no_direct_agent_mention" }',
            '"b"',
            "b",
            {"none": "no_direct_agent_mention"},
        ),
        (DM, "next", '"c"', '"b"', "b", "c"),
        (
            'calls = [{ tool = "desk_dm", to = ["b"], message = "not @c" }]',
            "next",
            '{ none = "no_direct_agent_mention" }',
            '"c"',
            "c",
            {"none": "no_direct_agent_mention"},
        ),
        (BROADCAST, "next", '["c", "b"]', '["b", "c"]', ["b", "c"], ["c", "b"]),
        (BROADCAST, "next", '{ none = "broadcast" }', '"c"', "c", ["c", "b"]),
        (COMPLETION, "completes", "true", "false", False, True),
        (POST, "completes", "false", "true", True, False),
        (
            REFUSED,
            "refusal",
            '"unknown_tool"',
            '"empty_message"',
            "empty_message",
            "unknown_tool",
        ),
        (
            POST,
            "replies",
            '["ok"]',
            '["ok", "ok"]',
            ["ok", "ok"],
            ["ok"],
        ),
        (
            LATE,
            "replies",
            '["ok", "turn_ended", "turn_ended"]',
            '["ok"]',
            ["ok"],
            ["ok", "turn_ended", "turn_ended"],
        ),
        (
            REFUSED,
            "replies",
            '["empty_message", "ok", "unknown_tool"]',
            "[]",
            [],
            ["empty_message", "ok", "unknown_tool"],
        ),
        (
            SLOW,
            "replies",
            '["turn_ended"]',
            '["ok"]',
            ["ok"],
            ["turn_ended"],
        ),
        (POST, "outcome", '"spoke"', '"silent"', "silent", "spoke"),
        (NARRATION, "outcome", '"silent"', '"spoke"', "spoke", "silent"),
        (REFUSED, "outcome", '"refused"', '"silent"', "silent", "refused"),
        (CRASH, "outcome", '"failed"', '"spoke"', "spoke", "failed"),
        (SLOW, "outcome", '"timed_out"', '"spoke"', "spoke", "timed_out"),
    ],
)
def test_each_key_holds_or_is_one_mismatch(
    turn: str, key: str, right: str, wrong: str, expected: Any, got: Any
) -> None:
    """What came out passes; anything else is one mismatch with its place and both values."""
    assert () == play(turn, f"{key} = {right}").mismatches
    assert [("<text>", 9, 12, "1", "a", key, expected, got)] == [
        (m.path, m.line, m.column, m.turn, m.seat, m.key, m.expected, m.got)
        for m in play(turn, f"{key} = {wrong}").mismatches
    ]


@pytest.mark.parametrize("turn", [NARRATION, REFUSED, CRASH, SLOW])
def test_no_row_holds_for_a_turn_that_became_none(turn: str) -> None:
    """Silent, refused, failed and timed-out turns have no row."""
    assert () == play(turn, "row = false").mismatches


def test_no_row_is_a_mismatch_where_there_is_one() -> None:
    """The row that came of the turn is named."""
    (mismatch,) = play(POST, "row = false").mismatches
    assert (False, True) == (mismatch.expected, mismatch.got)


@pytest.mark.parametrize(
    "expect, expected",
    [
        ('content = "x"', "x"),
        ('audience = "desk"', "desk"),
        ("mentions = []", []),
        ('next = "b"', "b"),
        ("completes = true", True),
    ],
)
def test_a_row_that_is_missing_gives_nothing(expect: str, expected: object) -> None:
    """Whatever is expected of a row, of a silent turn there is nothing."""
    (mismatch,) = play(NARRATION, expect).mismatches
    assert (expected, None) == (mismatch.expected, mismatch.got)


@pytest.mark.parametrize(
    "expect, wrong, got",
    [
        ('audience = "desk"', 'audience = ["b"]', "desk"),
        ('refusal = "budget_spent"', 'refusal = "disabled"', "budget_spent"),
    ],
)
def test_an_aside_that_went_to_the_room_carries_its_refusal(
    expect: str, wrong: str, got: str
) -> None:
    """Under the fallback the call is answered ok and the row says why it is not private."""
    turns = f'{DM}\n[[turn]]\nexpect = {{ {{}} , replies = ["ok"] }}\nseat = "a"\n{DM}'
    assert () == play(turns.replace("{}", expect, 1), "", "room").mismatches
    (mismatch,) = play(turns.replace("{}", wrong, 1), "", "room").mismatches
    assert got == mismatch.got


def test_a_refusal_is_unsaid_where_nothing_was_refused() -> None:
    """A turn that spoke holds no refusal, whatever was refused before in it."""
    turn = 'calls = [{ tool = "desk_post", message = "" }, { tool = "desk_post", message = "x" }]'
    (mismatch,) = play(turn, 'refusal = "empty_message"').mismatches
    assert ("empty_message", None) == (mismatch.expected, mismatch.got)


def test_a_broadcast_that_goes_to_nobody_has_an_empty_list() -> None:
    """At the hop limit no one is asked; the list of recipients is empty."""
    limit = f"{BROADCAST}\n[policy.dispatch]\nmax_hops = 0"
    assert () == play(limit, "next = []").mismatches
    (mismatch,) = play(limit, 'next = ["b"]').mismatches
    assert [] == mismatch.got


def test_every_expectation_of_the_format_can_be_compared() -> None:
    """The keys that are compared are the keys of the model, in its order."""
    keys = [attribute.name for attribute in TurnExpect.__attrs_attrs__]
    assert keys[:-1] == list(TURN_VALUES)


@pytest.mark.parametrize(
    "expected, written",
    [
        (Nobody(none=NoTurnReason.BROADCAST), {"none": "broadcast"}),
        (("a", "b"), ["a", "b"]),
        ("a", "a"),
    ],
)
def test_an_expectation_is_told_as_the_file_writes_it(expected: object, written: object) -> None:
    """Nobody is a table again, and a tuple a list."""
    assert written == file_value(expected)


# Who may read about it


def readers(turn: str, expect: str, fallback: str = "refuse") -> list[tuple[str, ...] | None]:
    """Return who may read about each mismatch."""
    return [mismatch.private_to for mismatch in play(turn, expect, fallback).mismatches]


@pytest.mark.parametrize(
    "turn, expect, who",
    [
        (POST, 'next = "c"', None),
        (DM, 'content = "x"', ("c", "b", "a")),
        (REFUSED, "replies = []", ("a",)),
        (CRASH, 'content = "psst"', ("a",)),
        (POST, 'content = "psst", audience = ["b"]', ("b", "a")),
        (DM, 'content = "psst!", audience = ["b"]', ("b", "a")),
    ],
)
def test_a_mismatch_says_who_may_read_about_it(
    turn: str, expect: str, who: tuple[str, ...] | None
) -> None:
    """Of a private row only its readers; of what was meant to be private, too; else everybody."""
    assert {who} == set(readers(turn, expect))


def test_a_value_of_another_type_does_not_hold() -> None:
    """Python takes 1 for true, and a file does not."""
    (played,) = play(COMPLETION, "").played
    assert (True, False) == (holds("completes", True, played), holds("completes", 1, played))


def test_a_mismatch_is_a_value() -> None:
    """Two mismatches of the same facts are equal, so that tests can compare them whole."""
    facts: dict[str, Any] = {"turn": "1", "seat": "a", "key": "next", "expected": "b", "got": "c"}
    assert Mismatch(path="p", line=1, column=2, why="w", **facts) == Mismatch(
        path="p", line=1, column=2, why="w", **facts
    )
