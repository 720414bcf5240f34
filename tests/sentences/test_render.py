"""The sentences that tell people what came out of a run, and why: each is pinned here and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from deskroom.core import OPERATOR, NoTurn, Viewer
from deskroom.core.reasons import NoTurnReason, Outcome
from deskroom.engine.entries import EndEntry, Raised, RoutedEntry, RowEntry
from deskroom.render.diff import diff_lines
from deskroom.render.replay import mismatch_line, mismatch_title, replay_json, replay_table
from deskroom.render.screen import Screen
from deskroom.render.transcript import ended_line
from deskroom.runs.diff import compare_runs
from deskroom.runs.values import TURN_VALUES
from deskroom.runs.why import router_clause, scores_clause, why, why_closed
from deskroom.scenario import Replay, parse_scenario, replay_scenario

#: One run with a bit of everything: row 1 is the opening, and what comes of each turn is below.
FILE = """\
format = 1
desk = { id = "d", name = "D", people = [{ id = "sam", label = "Sam" }], seats = [\
{ id = "a" }, { id = "b" }, { id = "c" }, { id = "gone", retired = true }] }
[policy]
aside = { enabled = true, max_members = 1, max_messages = 1 }
on_refused_aside = "room"
turn_timeout_s = 60
dispatch = { max_hops = 3 }
[opening]
by = "sam"
message = "begin"
expect = { next = "b" }
"""
NO_NAME = "no @id in it names a seat"
POST = 'say = "@b go on"'
DM = 'calls = [{ tool = "desk_dm", to = ["b"], message = "psst" }]'
BROADCAST = 'calls = [{ tool = "desk_broadcast", message = "who can?" }]'
COMPLETE = 'calls = [{ tool = "desk_complete_episode", message = "done" }]'


def play(*turns: str, expect: str = "", order: str = "listed") -> Replay:
    """Play turns of seat a in the room above; the last of them expects something."""
    listed = [f'[[turn]]\nseat = "a"\n{turn}\n' for turn in turns]
    text = f'order = "{order}"\n{FILE}{"".join(listed)}'
    return replay_scenario(parse_scenario(text + expect, "x.toml"))


@pytest.mark.parametrize(
    "turns, key, clause",
    [
        # The row itself.
        ([POST], "content", "the last accepted call became row 2"),
        ([POST], "audience", "the accepted call was for the whole desk"),
        ([DM], "audience", "the accepted call was a private one"),
        ([DM, DM], "audience", "the desk declined to keep it private: budget_spent"),
        ([DM, DM], "refusal", "the desk declined to keep it private: budget_spent"),
        ([COMPLETE], "completes", "the accepted call completes the work"),
        ([POST], "completes", "the accepted call does not complete the work"),
        # Who is next.
        ([POST], "next", "'@b' at byte 0 is the first seat named"),
        ([DM], "next", "the message is addressed to it"),
        (
            [DM.replace("psst", "not @c")],
            "next",
            f"{NO_NAME}; @c cannot read this and is not woken",
        ),
        ([f"{BROADCAST}\nscores = {{ b = 0.9 }}"], "next", "the router chose b"),
        ([BROADCAST], "next", "the router chose b"),
        (['say = "hm"'], "next", NO_NAME),
        (['say = "@gone x"'], "next", f"{NO_NAME}; @gone is nobody here"),
        (
            ['say = "**@b** `@c` @x @a"'],
            "mentions",
            (
                f"{NO_NAME}; @b** is not read: an @ counts only at the start, or after a space, a "
                "new line or one of ( [ {; @c` is inside code and is not read; @x is nobody here; "
                "@a is the author itself"
            ),
        ),
        # No row.
        ([""], "row", "the seat made no call"),
        (['calls = [{ tool = "shout" }]'], "row", "no message was accepted: unknown_tool"),
        (['crash = "boom"'], "row", "the seat raised ScriptedCrash: boom"),
        ([f"{POST}\ntakes = 61"], "row", "the seat took longer than turn_timeout_s"),
    ],
)
def test_a_turn_says_why_it_came_out_so(turns: list[str], key: str, clause: str) -> None:
    """The host's reason, for each key that can be expected."""
    assert key in TURN_VALUES
    assert clause == why(play(*turns).played[-1], key)


def row(replay: Replay, kind: str) -> RowEntry:
    """Return the last row of a kind."""
    return next(entry for entry in reversed(replay.run.entries) if entry.kind == kind)


@pytest.mark.parametrize(
    "policy, kind, clause",
    [
        ("", "opening", "nobody was named, and it leads the desk"),
        ("", "wrote", "a row about files starts no turn"),
        ("chair = { rounds = 1 }", "nudge", "the chair chose it"),
        ("chair = { rounds = 1, every = 1 }", "nudge", "its turn waited for the chair"),
    ],
)
def test_a_row_that_no_seat_spoke_says_why_it_came_out_so(
    policy: str, kind: str, clause: str
) -> None:
    """The opening, a nudge, a row about files."""
    text = FILE.replace("[policy]", f"[policy]\n{policy}").replace('expect = { next = "b" }', "")
    turns = f'[[turn]]\nseat = "a"\n{POST}\nwrote = ["f"]\n[[turn]]\nseat = "b"\nsay = "hm"\n'
    turns += '[[turn]]\nseat = "c"\n'
    replay = replay_scenario(parse_scenario(f'order = "routed"\n{text}{turns}'))
    assert clause == why(replay.run.item(row(replay, kind)))


@pytest.mark.parametrize(
    "content, reason, clause",
    [
        ("@b", "source_inactive", "a is not an active seat"),
        ("@a", "self_mention", "a names itself; @a is the author itself"),
        ("@b", "disabled", "mentions start no turns in this room"),
        ("@b", "hop_limit_reached", "the chain of mentions is at its limit of 3 hops"),
        ("@b", "hop_overflow", "the chain of mentions is too long to count"),
        ("@b", "no_active_seat", "no seat can take it up"),
    ],
)
def test_a_row_that_starts_no_turn_says_why(content: str, reason: str, clause: str) -> None:
    """A person reads of the seat by its name; only a seat is addressed as "you"."""
    replay = play(f'say = "{content}"')
    entry = row(replay, "seat")
    decided = RowEntry(entry.row, entry.kind, NoTurn(NoTurnReason(reason)), entry.mentions)
    assert clause == why(replay.run.item(decided))


@pytest.mark.parametrize(
    "changes, clause",
    [
        ({}, "the router chose b"),
        ({"routed": None}, "no router has chosen yet"),
        (
            {"routed": RoutedEntry(2, (), (), 4)},
            "the chain of mentions is at its limit of 3 hops",
        ),
    ],
)
def test_a_broadcast_says_what_is_known_of_who_takes_it_up(
    changes: dict[str, Any], clause: str
) -> None:
    """A router is spoken of only where one was asked."""
    replay = play(BROADCAST)
    item = next(item for item in replay.run.items if item.entry is row(replay, "seat"))
    assert clause == why(evolve(item, **changes))


def test_a_broadcast_of_the_only_seat_says_that_nobody_can_take_it_up() -> None:
    """No router is asked, before anything is routed and after."""
    alone = FILE.replace('{ id = "b" }, { id = "c" }, ', "").replace('expect = { next = "b" }', "")
    replay = replay_scenario(parse_scenario(f'{alone}[[turn]]\nseat = "a"\n{BROADCAST}'))
    item = replay.run.items[-1]
    assert ["no seat can take it up"] * 2 == [why(item), why(evolve(item, routed=None))]
    assert "" == router_clause(item)


RULE = "(the best, and others above 0.20, at most 2 seats)"


@pytest.mark.parametrize(
    "scores, most, clause",
    [
        ({"b": 0.0}, None, f"scores: b 0 {RULE}"),
        ({"b": 0.1, "c": 1 / 3}, None, f"scores: c 0.3333, b 0.1 {RULE}"),
        ({"b": 0.1, "c": 1 / 3, "d": -1}, 1, f"scores: c 0.3333, and 2 more {RULE}"),
        (
            {"b": 1, "c": 0.2, "d": 0.20000001},
            None,
            f"scores: b 1, d 0.20000001, c 0.2 {RULE}",
        ),
    ],
)
def test_scores_are_a_clause(scores: dict[str, float], most: int | None, clause: str) -> None:
    """Best first, short, and never rounded across the threshold."""
    assert clause == scores_clause(scores, 2, most=most)
    one = RULE.replace("2 seats", "1 seat")
    assert clause.replace(RULE, one) == scores_clause(scores, 1, most=most)


def test_a_table_and_a_diff_show_scores_to_the_operator() -> None:
    """A seat that may read the row learns whom the router chose, and not how it scored others."""
    replay = play(f"{BROADCAST}\nscores = {{ b = 0.9 }}", expect='expect = { next = ["c"] }')
    shown = f"scores: b 0.9, c 0 {RULE}"
    table = [line.split("│") for line in replay_table(replay, Screen(width=200))]
    assert ["b: the router chose b", shown] == [line[-1].strip() for line in table[-3:-1]]
    assert mismatch_line(replay.mismatches[-1]).endswith(f"; the router chose b; {shown}")
    difference = compare_runs(replay.view(OPERATOR), play("").view(OPERATOR))
    assert f"    {shown}" in list(diff_lines(difference))
    viewer = Viewer("agent", "c")
    seen = [
        *replay_table(replay, Screen(width=200), viewer=viewer),
        mismatch_line(replay.mismatches[-1], viewer),
        *diff_lines(compare_runs(replay.view(viewer), play("").view(viewer))),
        str(replay_json(replay, "x.toml", viewer)),
    ]
    assert [] == [line for line in seen if "0.9" in line]


def test_a_turn_that_was_never_played_says_so() -> None:
    """As does one that the room closed upon; and the room says when it closed."""
    replay = play(COMPLETE, POST)
    open_ = replay.run.turns[0]._replace(row=None, outcome=None)
    assert "the turn was never played" == why(replay.played[1])
    assert "the room closed during the turn" == why(replay.run.item(turn=open_))
    assert "the room closed with 'completed' after 1 turn" == why_closed(replay.run)


@pytest.mark.parametrize(
    "turns, expect, line",
    [
        (
            [POST],
            'expect = { next = "c" }',
            (
                "x.toml:16:12: turn 1 (a): next: "
                'expected "c", got "b"; \'@b\' at byte 0 is the first seat named'
            ),
        ),
        (
            [COMPLETE, POST],
            "expect = {}",
            (
                'x.toml:16:1: listed turn 2 (a): turn: expected "played", got "unused"; '
                "the turn was never played"
            ),
        ),
        (
            [POST],
            "[expect]\nrows = 3",
            "x.toml:17:1: run: rows: expected 3, got 2; the room closed with 'script' after 1 turn",
        ),
        (
            [""],
            'expect = { content = "psst" }',
            (
                'x.toml:16:12: turn 1 (a): content: expected "psst", got nothing; '
                "the seat made no call"
            ),
        ),
    ],
)
def test_a_mismatch_is_one_line(turns: list[str], expect: str, line: str) -> None:
    """Where, which turn, which key, expected, got, why."""
    replay = play(*turns, expect=expect)
    assert line in map(mismatch_line, replay.mismatches)
    assert (
        'x.toml:12:12: opening: next: expected "b", got "a"; '
        "nobody was named, and it leads the desk"
    ) == mismatch_line(replay.mismatches[0])


def test_a_script_that_the_host_does_not_follow_is_one_line() -> None:
    """It names the row that chose otherwise."""
    replay = play(POST, POST, order="routed")
    assert (
        'x.toml:16:1: listed turn 2 (a): order: expected "a", got "b"; '
        "row 2 gave the turn to b, which has no listed turn left"
    ) == mismatch_line(replay.mismatches[-1])


def test_what_a_viewer_may_not_read_is_one_line() -> None:
    """Of a mismatch and of a table: that there is something, and nothing of what it is."""
    replay = play(DM, expect='expect = { next = "c" }')
    viewer = Viewer("agent", "c")
    assert 'x.toml:16:12: turn 1 (a): next: expected "(private)", got "(private)"; (private)' == (
        mismatch_line(replay.mismatches[-1], viewer)
    )
    assert (
        "✗ │   2 │    1 │ a → b      │ (private) │ not settled"
        == list(replay_table(replay, Screen(width=90), viewer=viewer))[-1]
    )


@pytest.mark.parametrize(
    "outcome, replies, error, line",
    [
        ("silent", [], None, "turn 2 (a): silent: the seat made no call"),
        (
            "refused",
            ["blank_message", "self_dm"],
            None,
            "turn 2 (a): refused: no message was accepted: blank_message, self_dm",
        ),
        (
            "failed",
            ["ok"],
            Raised("Oops", "bo\x1bom\n"),
            "turn 2 (a): failed: the seat raised Oops: bo\\x1bom\\n",
        ),
        (
            "timed_out",
            [],
            None,
            "turn 2 (a): timed_out: the seat took longer than turn_timeout_s",
        ),
    ],
)
def test_a_turn_without_a_row_is_one_line(
    outcome: str, replies: list[str], error: Raised | None, line: str
) -> None:
    """Its number as in the log, whose it was, how it ended and why; red where something broke."""
    ended = EndEntry(2, 1, "a", Outcome(outcome), error=error)
    assert line == ended_line(ended, replies)
    assert (outcome != "silent") == ("\x1b[31m" in ended_line(ended, replies, Screen(color=True)))


def test_two_texts_are_told_apart_by_their_words() -> None:
    """In a mismatch and in a diff; what is marked how stands before them."""
    one, other = play('say = "@b go on"'), play('say = "@b go off"')
    marked = ': "@b go [-on-]{+off+}"'
    lines = list(diff_lines(compare_runs(one.view(), other.view())))
    assert f"    A [-…-], B {{+…+}}{marked}" in lines
    differs = play('say = "@b go off"', expect='expect = { content = "@b go on" }').mismatches[-1]
    assert (
        f"x.toml:16:12: turn 1 (a): content: expected [-…-], got {{+…+}}{marked}; "
        "the last accepted call became row 2"
    ) == mismatch_line(differs)
    assert f"turn 1 (a): content{marked}" == mismatch_title(differs, is_brief=True)


def test_two_runs_are_told_apart_in_lines() -> None:
    """The first difference with both rows and why, then what the rooms decided by, and counts."""
    quiet = 'say = "hm"'
    one, other = play(POST, quiet).view(OPERATOR), play(POST, "").view(OPERATOR)
    assert [
        "x.toml:16: A: row 3: a → desk: hm",
        '    next: { none = "no_direct_agent_mention" }; hop: 0',
        f"    why: {NO_NAME}",
        "x.toml:16: B: turn 2: a: (silent)",
        "    hop: 0",
        "    why: the seat made no call",
        "    differs in: row, replies",
        "",
        "rows: 2 the same, 1 different",
    ] == list(diff_lines(compare_runs(one, other)))
