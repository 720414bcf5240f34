from __future__ import annotations

from typing import Any

import pytest

from deskroom.core import Target
from deskroom.runs.values import TURN_VALUES, target_value
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

ROW_1 = "the last accepted call became row 1"
TO_B = "'@b' at byte 0 is the first seat named"
SILENT = "the seat made no call"
BOOM = "the seat raised boom"
OVER = "the seat took longer than turn_timeout_s"
REFUSALS = "no message was accepted: empty_message, ok, unknown_tool"


def play(turn: str, expect: str, fallback: str = "refuse") -> Replay:
    """Play a scenario of one turn by the seat ``a``."""
    text = FILE.format(turn=turn, expect=expect, fallback=fallback)
    return replay_scenario(parse_scenario(text))


@pytest.mark.parametrize(
    "turn, key, right, wrong, expected, got, why",
    [
        (POST, "content", '"@b go on"', '"@b go"', "@b go", "@b go on", ROW_1),
        (
            DM,
            "audience",
            '["c", "b"]',
            '"desk"',
            "desk",
            ["c", "b"],
            "the accepted call was a private one",
        ),
        (
            'say = "@sam (@here [@D @#d @gone @b and @b again"',
            "mentions",
            '["person:sam", "everyone", "desk:d", "b"]',
            '["b"]',
            ["b"],
            ["person:sam", "everyone", "desk:d", "b"],
            (
                "'@b' at byte 26 is the first seat named; @sam is the person sam and takes no turn; "
                "@here is everyone and takes no turn; @D is the desk d and takes no turn; "
                "@#d was named before and does not count again"
            ),
        ),
        (POST, "mentions", '["b"]', "[]", [], ["b"], TO_B),
        (POST, "next", '"b"', '"c"', "c", "b", TO_B),
        (
            POST,
            "next",
            '"b"',
            '{ none = "no_direct_agent_mention" }',
            {"none": "no_direct_agent_mention"},
            "b",
            TO_B,
        ),
        (
            'say = "`@b` @bb x@b @ @a"',
            "next",
            '{ none = "no_direct_agent_mention" }',
            '"b"',
            "b",
            {"none": "no_direct_agent_mention"},
            (
                "no seat is named by an @id that counts; @b` is inside code and is not read; "
                "@bb is nobody here; did you mean @b?; @b is not read: an @ counts only at the start, or after a space, "
                "a new line or one of ( [ {; @ is not read: no name stands right behind the @"
            ),
        ),
        (
            DM,
            "next",
            '"c"',
            '"b"',
            "b",
            "c",
            "the message is addressed to it",
        ),
        (
            'calls = [{ tool = "desk_dm", to = ["b"], message = "not @c" }]',
            "next",
            '{ none = "no_direct_agent_mention" }',
            '"c"',
            "c",
            {"none": "no_direct_agent_mention"},
            "no seat is named by an @id that counts; @c cannot read this and is not woken",
        ),
        (
            BROADCAST,
            "next",
            '["c", "b"]',
            '["b", "c"]',
            ["b", "c"],
            ["c", "b"],
            "the router chose c, b",
        ),
        (
            BROADCAST,
            "next",
            '{ none = "broadcast" }',
            '"c"',
            "c",
            ["c", "b"],
            "the router chose c, b",
        ),
        (
            COMPLETION,
            "completes",
            "true",
            "false",
            False,
            True,
            "the accepted call completes the work",
        ),
        (
            POST,
            "completes",
            "false",
            "true",
            True,
            False,
            "the accepted call does not complete the work",
        ),
        (
            REFUSED,
            "refusal",
            '"unknown_tool"',
            '"empty_message"',
            "empty_message",
            "unknown_tool",
            REFUSALS,
        ),
        (
            POST,
            "replies",
            '["ok"]',
            '["ok", "ok"]',
            ["ok", "ok"],
            ["ok"],
            ROW_1,
        ),
        (
            LATE,
            "replies",
            '["ok", "turn_ended", "turn_ended"]',
            '["ok"]',
            ["ok"],
            ["ok", "turn_ended", "turn_ended"],
            ROW_1,
        ),
        (
            REFUSED,
            "replies",
            '["empty_message", "ok", "unknown_tool"]',
            "[]",
            [],
            ["empty_message", "ok", "unknown_tool"],
            REFUSALS,
        ),
        (
            SLOW,
            "replies",
            '["turn_ended"]',
            '["ok"]',
            ["ok"],
            ["turn_ended"],
            OVER,
        ),
        (POST, "outcome", '"spoke"', '"silent"', "silent", "spoke", ROW_1),
        (NARRATION, "outcome", '"silent"', '"spoke"', "spoke", "silent", SILENT),
        (REFUSED, "outcome", '"refused"', '"silent"', "silent", "refused", REFUSALS),
        (CRASH, "outcome", '"failed"', '"spoke"', "spoke", "failed", BOOM),
        (SLOW, "outcome", '"timed_out"', '"spoke"', "spoke", "timed_out", OVER),
    ],
)
def test_each_key_holds_or_is_one_mismatch(
    turn: str, key: str, right: str, wrong: str, expected: Any, got: Any, why: str
) -> None:
    """What came out passes; anything else is one mismatch with its place, both values and why."""
    assert () == play(turn, f"{key} = {right}").mismatches
    assert [("<text>", 9, 12, "1", "a", key, expected, got, why)] == [
        (m.path, m.line, m.column, m.turn, m.seat, m.key, m.expected, m.got, m.why)
        for m in play(turn, f"{key} = {wrong}").mismatches
    ]


@pytest.mark.parametrize("turn", [NARRATION, REFUSED, CRASH, SLOW])
def test_no_row_holds_for_a_turn_that_became_none(turn: str) -> None:
    """Silent, refused, failed and timed-out turns have no row."""
    assert () == play(turn, "row = false").mismatches


def test_no_row_is_a_mismatch_where_there_is_one() -> None:
    """The row that came of the turn is named."""
    (mismatch,) = play(POST, "row = false").mismatches
    assert (False, True, ROW_1) == (mismatch.expected, mismatch.got, mismatch.why)


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
    assert (expected, None, SILENT) == (mismatch.expected, mismatch.got, mismatch.why)


@pytest.mark.parametrize(
    "expect, wrong, why",
    [
        ('audience = "desk"', 'audience = ["b"]', "budget_spent"),
        ('refusal = "budget_spent"', 'refusal = "disabled"', "budget_spent"),
    ],
)
def test_an_aside_that_went_to_the_room_carries_its_refusal(
    expect: str, wrong: str, why: str
) -> None:
    """Under the fallback the call is answered ok and the row says why it is not private."""
    turns = f'{DM}\n[[turn]]\nexpect = {{ {{}} , replies = ["ok"] }}\nseat = "a"\n{DM}'
    assert () == play(turns.replace("{}", expect, 1), "", "room").mismatches
    (mismatch,) = play(turns.replace("{}", wrong, 1), "", "room").mismatches
    assert f"the desk declined to keep it private: {why}" == mismatch.why


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
    assert ([], "the router chose nobody") == (mismatch.got, mismatch.why)


def test_every_expectation_of_the_format_can_be_compared() -> None:
    """The keys that are compared are the keys of the model, in its order."""
    keys = [attribute.name for attribute in TurnExpect.__attrs_attrs__]
    assert keys[:-1] == list(TURN_VALUES)


@pytest.mark.parametrize(
    "target, word",
    [
        (Target("agent", "a"), "a"),
        (Target("person", "sam"), "person:sam"),
        (Target("desk", "d"), "desk:d"),
        (Target("everyone"), "everyone"),
    ],
)
def test_a_target_is_spelled_as_the_file_does(target: Target, word: str) -> None:
    """Agents stand bare; everybody else is named with the kind."""
    assert word == target_value(target)


@pytest.mark.parametrize(
    "expected, written",
    [(Nobody(none="broadcast"), {"none": "broadcast"}), (("a", "b"), ["a", "b"]), ("a", "a")],
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
