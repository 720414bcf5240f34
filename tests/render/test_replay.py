from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from deskroom.core import OPERATOR, Viewer
from deskroom.render.replay import (
    failure_lines,
    mismatch_line,
    mismatch_lines,
    replay_json,
    replay_table,
)
from deskroom.render.screen import Screen
from deskroom.scenario import (
    Mismatch,
    Replay,
    Scenario,
    load_scenario,
    parse_scenario,
    replay_scenario,
)

SHIPPED = sorted((Path(__file__).parents[2] / "scenarios").glob("*.toml"))

#: A bit of everything: an aside, files, refusals, silence, a nudge, a broadcast, a completion.
FILE = """\
format = 1
title = "A bit of everything"
order = "routed"
desk = { id = "d", name = "D", people = [{ id = "sam", label = "Sam" }], seats = [\
{ id = "a" }, { id = "b" }, { id = "c" }] }
[policy]
aside = { enabled = true, max_members = 1, max_messages = 1 }
chair = { rounds = 1 }
[opening]
by = "sam"
message = "@a begin"
[[turn]]
seat = "a"
calls = [{ tool = "desk_dm", to = ["b"], message = "psst" }]
text = "tell nobody"
[[turn]]
seat = "b"
calls = [{ tool = "desk_dm", to = ["a"], message = "hush" }]
text = "I try"
[[turn]]
seat = "b"
calls = [{ tool = "desk_broadcast", message = "who can?" }]
scores = { c = 0.9 }
wrote = ["x.py"]
[[turn]]
seat = "c"
calls = [{ tool = "desk_complete_episode", message = "@a \\u001b[31mdone, @a" }]
[[turn]]
seat = "a"
say = "never"
[expect]
rows = 6
closed = "completed"
"""


@pytest.fixture(scope="module")
def replay() -> Replay:
    """Return the scenario above, played."""
    played = replay_scenario(parse_scenario(FILE, "x.toml"))
    assert () == played.mismatches
    return played


def drawn(replay: Replay, viewer: Viewer = OPERATOR, *, verbose: bool = False) -> list[list[str]]:
    """Return the cells of every line of the table, drawn 200 characters wide, but for the turn."""
    lines = list(replay_table(replay, Screen(width=200), viewer=viewer, verbose=verbose))
    cells = [[cell.strip() for cell in line.split("│")] for line in lines[2:]]
    return [[row, *rest] for row, _, *rest in cells]


NUDGE = "@b the room has not heard you yet. Say what you have, or who should go on."

SCORES = "scores: c 0.9, a 0 (the best, and others above 0.20, at most 2 seats)"

A, B, C = (Viewer("agent", seat) for seat in "abc")


def test_the_table_tells_who_spoke_to_whom_what_and_who_is_next(replay: Replay) -> None:
    """Rows stand in order with their reasons; a turn that became no row stands where it was."""
    assert [
        ["1", "sam → desk", "@a begin", "a: '@a' at byte 0 is the first seat named"],
        ["2", "a → b", "psst", "b: the message is addressed to it"],
        ["-", "b", "(refused) budget_spent", ""],
        ["3", "sam → desk", NUDGE, "b: the chair chose it"],
        ["", "(nudge)", "", ""],
        ["4", "b → desk", "who can?", "c: the router chose c"],
        ["", "", "", SCORES],
        ["5", "workspace → desk", "b wrote x.py", ""],
        ["6", "c → desk", "@a \\x1b[31mdone, @a", "completes"],
        ["", "", "", "a: '@a' at byte 0 is the first seat named"],
    ] == drawn(replay)


def test_a_table_numbers_rows_and_turns(replay: Replay) -> None:
    """The turn is the one that was granted, as in the log; what no seat said has none."""
    lines = list(replay_table(replay, Screen(width=200)))[2:]
    numbers = [tuple(cell.strip() for cell in line.split("│")[:2]) for line in lines]
    assert [("1", ""), ("2", "1"), ("-", "2"), ("3", ""), ("4", "3"), ("5", "3"), ("6", "4")] == [
        pair for pair in numbers if pair[0]
    ]


def test_a_verbose_table_holds_what_seats_wrote_outside_their_calls(replay: Replay) -> None:
    """The text follows what came of the turn, whether or not that is a row."""
    cells = [row[2] for row in drawn(replay, verbose=True)]
    assert ["psst", "text: tell nobody"] == cells[1:3]
    assert ["(refused) budget_spent", "text: I try"] == cells[3:5]


def test_a_long_message_is_cut_unless_all_is_asked_for() -> None:
    """A table is to be read; the whole message is there with verbose."""
    body = FILE.replace("@a begin", f"@a {'x' * 300}y")
    played = replay_scenario(parse_scenario(body))
    short = "".join(row[2] for row in drawn(played)[:9])
    assert f"{'x' * 237}…" in short
    assert "y" not in short.split("psst")[0]
    assert f"{'x' * 300}y" in "".join(row[2] for row in drawn(played, verbose=True)[:9])


@pytest.mark.parametrize("viewer, sees", [(A, True), (B, True), (C, False)])
def test_a_private_row_is_shown_to_its_readers_only(
    replay: Replay, viewer: Viewer, *, sees: bool
) -> None:
    """Others see that a message went by, between whom, and nothing of it or of what it decided."""
    expected = ["psst", "b: the message is addressed to it"]
    if not sees:
        expected = ["(private)", "settled at [4]"]
    assert ["2", "a → b", *expected] == drawn(replay, viewer)[1]


def test_a_run_of_private_rows_is_one_stub() -> None:
    """In the table, in JSON, and wherever else a seat reads it."""
    twice = 'seat = "a"\ncalls = [{ tool = "desk_dm", to = ["b"], message = "psst" }]\n'
    text = FILE.replace("max_messages = 1", "max_messages = 2").replace('order = "routed"\n', "")
    text = text.replace(twice, f"{twice}repeat = 2\n")
    replay = replay_scenario(parse_scenario(text))
    cells = drawn(replay, C)
    assert ["2-3", "a → b", "(private, 2 messages)", "settled at [4]"] == cells[1]
    assert ["1", "2-3"] == [row[0] for row in cells[:2]]
    assert {"through": 3, "messages": 2, "settled_at": 4} == (
        replay_json(replay, "x.toml", C)["rows"][1]["elided"]
    )
    assert ["1", "2", "3"] == [row[0] for row in drawn(replay, B)[:3]]


def test_what_a_seat_failed_to_say_is_its_own(replay: Replay) -> None:
    """Another seat sees that a turn was refused, not how; text is shown to its author alone."""
    assert ["-", "b", "(refused) budget_spent", ""] in drawn(replay, B)
    assert ["-", "b", "(refused)", ""] in drawn(replay, A)
    own = [row[2] for row in drawn(replay, B, verbose=True)]
    assert ("text: I try" in own, "text: tell nobody" in own) == (True, False)


def test_a_row_that_could_not_be_private_says_so() -> None:
    """The reason stands before who is next."""
    body = FILE.replace("chair =", 'on_refused_aside = "room"\nchair =')
    cells = [row[3] for row in drawn(replay_scenario(parse_scenario(body)))]
    assert ["not private: budget_spent", "a: the message is addressed to it"] == cells[2:4]


def test_a_nudge_that_keeps_a_turn_waiting_says_so() -> None:
    """By cadence the chair speaks before the turn that somebody was named for."""
    body = FILE.replace("rounds = 1", "rounds = 1, every = 1")
    cells = [row[3] for row in drawn(replay_scenario(parse_scenario(body)))]
    assert "b: its turn waited for the chair" in cells


# What failed


MARKED = """\
format = 1
desk = { id = "d", name = "D", people = [{ id = "sam", label = "Sam" }], seats = [\
{ id = "a" }, { id = "b" }, { id = "c" }] }
policy.aside = { enabled = true, max_members = 1, max_messages = 9 }
[opening]
by = "sam"
message = "@a begin"
[[turn]]
seat = "a"
calls = [{ tool = "desk_dm", to = ["b"], message = "psst, the quick way" }]
expect = { content = "psst, the slow way", next = "c" }
[[turn]]
person = "sam"
say = "@b go on"
expect = { next = "b" }
[[turn]]
seat = "b"
crash = "boom"
expect = { outcome = "silent" }
[[turn]]
seat = "c"
expect = { outcome = "silent" }
[expect]
rows = 9
"""


@pytest.fixture(scope="module")
def marked() -> Replay:
    """Return a scenario in which a private row, a turn without a row and the run fail."""
    return replay_scenario(parse_scenario(MARKED, "x.toml"))


def signs(replay: Replay, viewer: Viewer = OPERATOR) -> list[tuple[str, str, str, str]]:
    """Return the sign, the row, the turn and the last line of the last cell, for each item."""
    found: list[list[str]] = []
    for line in list(replay_table(replay, Screen(width=300), viewer=viewer))[2:]:
        cells = [cell.strip() for cell in line.split("│")]
        if cells[1]:
            found.append([*cells[:3], cells[-1]])
        else:
            found[-1][-1] = cells[-1]
    return [(a, b, c, d) for a, b, c, d in found]


def test_what_fails_is_marked_where_it_stands(marked: Replay) -> None:
    """And what is as expected; a turn without a row says what was raised."""
    assert [
        ("", "1", "", "a: '@a' at byte 0 is the first seat named"),
        ("✗", "2", "1", '✗ next: expected "c"'),
        ("✓", "3", "", "b: '@b' at byte 0 is the first seat named"),
        ("✗", "-", "2", '✗ outcome: expected "silent"'),
        ("✓", "-", "3", "the seat made no call"),
    ] == signs(marked)
    lines = replay_table(marked, Screen(width=300))
    assert any("the seat raised ScriptedCrash: boom" in line for line in lines)


def test_a_mark_says_no_more_than_its_viewer_may_read(marked: Replay) -> None:
    """Another seat sees that a turn failed, as its mismatch line says, and not what was expected."""
    assert [
        ("✗", "2", "1", "not settled"),
        ("✗", "-", "2", ""),
        ("✓", "-", "3", "the seat made no call"),
    ] == [cells for at, cells in enumerate(signs(marked, C)) if at in {1, 3, 4}]
    lines = [mismatch_line(mismatch, C) for mismatch in marked.mismatches]
    assert [] == [line for line in lines if "slow" in line or "quick" in line]


def test_a_mismatch_of_a_message_marks_its_words(marked: Replay) -> None:
    """On the line of the mismatch; a turn is called by both of its numbers where they differ."""
    assert 'content: expected [-…-], got {+…+}: "psst, the [-slow-]{+quick+} way"; ' in (
        mismatch_line(marked.mismatches[0])
    )
    assert "turn 2 (b), listed turn 3: outcome: " in mismatch_line(marked.mismatches[2])


def test_a_screen_without_box_characters_has_ascii_signs(marked: Replay) -> None:
    """The words say what the signs would."""
    lines = list(replay_table(marked, Screen(width=300, lines=False)))[2:]
    found = [line[:4].strip() for line in lines]
    assert ["FAIL", "ok", "FAIL", "ok"] == [mark for mark in found if mark]


def test_a_narrow_screen_has_no_columns(marked: Replay) -> None:
    """What would stand side by side stands below one another, and no line is too long."""
    lines = list(replay_table(marked, Screen(width=40)))
    assert "✗ row 2 · turn 1 · a → b" in lines
    assert "✗ turn 2 · b" in lines
    assert 40 >= max(map(len, lines))


def test_a_failure_shows_the_rows_around_it() -> None:
    """So many at either side, and nothing between two that are far from one another."""
    turns = [f'[[turn]]\nseat = "a"\nsay = "row {n}"\n' for n in range(2, 20)]
    turns[3] += 'expect = { next = "b" }\n'
    turns[14] += 'expect = { next = "b" }\n'
    replay = replay_scenario(parse_scenario(MARKED.partition("[[turn]]")[0] + "".join(turns)))
    lines = list(failure_lines(replay, Screen(width=200), around=1))
    rows = [[cell.strip() for cell in line.split("│")[:2]] for line in lines if "│" in line]
    assert [
        ["", "4"],
        ["✗", "5"],
        ["", ""],
        ["", "6"],
        ["", ""],
        ["", "15"],
        ["✗", "16"],
        ["", ""],
        ["", "17"],
    ] == rows


def test_many_mismatches_are_summed_up() -> None:
    """The first twenty are shown, and the rest is counted by key."""
    turns = '[[turn]]\nseat = "a"\nsay = "hm"\nexpect = { next = "b", audience = ["c"] }\n' * 12
    replay = replay_scenario(parse_scenario(MARKED.partition("[[turn]]")[0] + turns, "x.toml"))
    assert 24 == len(list(mismatch_lines(replay.mismatches)))
    lines = list(mismatch_lines(replay.mismatches, more="--all shows them"))
    assert (21, "x.toml: 4 more mismatches (2 audience, 2 next); --all shows them") == (
        len(lines),
        lines[-1],
    )


# For programs


def test_a_row_holds_its_wire_form_and_its_decision(replay: Replay) -> None:
    """The reference form of a row comes first, then what the host made of it."""
    document = replay_json(replay, "x.toml")
    assert {
        "sequence": 2,
        "chat_id": "d",
        "parent": None,
        "author": {"type": "agent", "id": "a"},
        "content": "psst",
        "audience": {"kind": "aside", "members": ["b"]},
        "kind": "seat",
        "turn": 1,
        "trigger": 1,
        "mentions": ["b"],
        "next": "b",
        "why": "the message is addressed to it",
        "routing": None,
        "completes": False,
        "refusal": None,
    } == document["rows"][1]
    assert {
        "sequence": 5,
        "chat_id": "d",
        "parent": None,
        "author": {"type": "system", "kind": "workspace"},
        "content": "b wrote x.py",
        "audience": {"kind": "desk"},
        "kind": "wrote",
        "turn": 3,
        "trigger": None,
        "mentions": [],
        "next": {"none": "source_inactive"},
        "why": "a row about files starts no turn",
        "routing": None,
        "completes": False,
        "refusal": None,
    } == document["rows"][4]
    assert [["c"], "a", ["a"], True] == [
        document["rows"][3]["next"],
        document["rows"][5]["next"],
        document["rows"][5]["mentions"],
        document["rows"][5]["completes"],
    ]


def test_a_turn_holds_its_grant_and_what_became_of_it(replay: Replay) -> None:
    """A refused turn has its words and no row."""
    document = replay_json(replay, "x.toml")
    assert {
        "turn": 2,
        "attempt": 1,
        "listed": "2",
        "seat": "b",
        "hop": 1,
        "trigger": 2,
        "outcome": "refused",
        "replies": ["budget_spent"],
        "row": None,
    } == document["turns"][1]
    assert [1, 2, 3, 4] == [turn["turn"] for turn in document["turns"]]


def test_the_document_names_the_file_and_sums_up_the_run(replay: Replay) -> None:
    """Path, title and order come from the file; the counts are those that can be expected."""
    document = replay_json(replay, "a/x.toml")
    assert {
        "path": "a/x.toml",
        "title": "A bit of everything",
        "order": "routed",
        "status": "passed",
        "run": {"rows": 6, "turns": 4, "nudges": 1, "asides": 1, "closed": "completed"},
        "unused": ["5"],
        "mismatches": [],
    } == {key: value for key, value in document.items() if key not in ("rows", "turns")}


def test_a_mismatch_is_told_whole() -> None:
    """Every fact of it, under the path that the document has."""
    body = FILE.replace("rows = 6", "rows = 7")
    document = replay_json(replay_scenario(parse_scenario(body, "/abs/x.toml")), "x.toml")
    assert "failed" == document["status"]
    assert [
        {
            "path": "x.toml",
            "line": 31,
            "column": 1,
            "turn": None,
            "seat": None,
            "granted": None,
            "row": None,
            "key": "rows",
            "expected": 7,
            "got": 6,
            "why": "the room closed with 'completed' after 4 turns",
        }
    ] == document["mismatches"]


def test_a_seat_reads_stubs_for_what_is_private(replay: Replay) -> None:
    """A run of private rows is one stub, as the seat would read it in the room."""
    document = replay_json(replay, "x.toml", C)
    assert {
        "sequence": 2,
        "author": {"type": "agent", "id": "a"},
        "audience": {"kind": "aside", "members": ["b"]},
        "elided": {"through": 2, "messages": 1, "settled_at": 4},
    } == document["rows"][1]
    assert [None, None, None, ["ok"]] == [turn["replies"] for turn in document["turns"]]
    assert [["ok"], None, None, None] == [
        turn["replies"] for turn in replay_json(replay, "x.toml", A)["turns"]
    ]


# Mismatch lines


FACTS: dict[str, Any] = {
    "path": "dir/x.toml",
    "line": 4,
    "column": 12,
    "turn": "3",
    "seat": "a",
    "key": "next",
    "expected": ["b"],
    "got": None,
    "why": "because",
    "grant": (3, 1),
}


@pytest.mark.parametrize(
    "changed, line",
    [
        ({}, 'dir/x.toml:4:12: turn 3 (a): next: expected ["b"], got nothing; because'),
        ({"column": None}, 'dir/x.toml:4: turn 3 (a): next: expected ["b"], got nothing; because'),
        (
            {"turn": "opening", "seat": None},
            'dir/x.toml:4:12: opening: next: expected ["b"], got nothing; because',
        ),
        (
            {"turn": None, "seat": None, "key": "rows", "expected": 1, "got": 2},
            "dir/x.toml:4:12: run: rows: expected 1, got 2; because",
        ),
        (
            {
                "got": "a\n\x1b[0m",
                "why": "'\r\n' said",
                "seat": "a\x07\n",
                "path": "x\n\udcff.toml",
            },
            (
                'x\\n\\udcff.toml:4:12: turn 3 (a\\x07\\n): next: expected ["b"], '
                "got \"a\\n\\u001b[0m\"; '\\r\\n' said"
            ),
        ),
    ],
)
def test_a_mismatch_is_one_line_that_begins_with_its_place(
    changed: dict[str, Any], line: str
) -> None:
    """Where, which turn, what was expected, what came out, and why; nothing a terminal acts on."""
    assert line == mismatch_line(Mismatch(**{**FACTS, **changed}))


@pytest.mark.parametrize(
    "viewer, shown",
    [
        (OPERATOR, 'expected ["b"], got nothing; because'),
        (A, 'expected ["b"], got nothing; because'),
        (C, 'expected "(private)", got "(private)"; (private)'),
    ],
)
def test_a_mismatch_about_a_private_row_is_told_to_its_readers(viewer: Viewer, shown: str) -> None:
    """Others learn that something about the turn differs, and nothing that was said in it."""
    mismatch = Mismatch(**FACTS, private_to=("a", "b"))
    assert f"dir/x.toml:4:12: turn 3 (a): next: {shown}" == mismatch_line(mismatch, viewer)


# Nothing private, whatever the scenario


def upset(scenario: Scenario) -> Scenario:
    """Return the scenario with expectations that fail: each turn gets what another one expects."""
    expects = [turn.expect for turn in scenario.turns]
    shifted = [expects[-1], *expects[:-1]]
    turns = [
        evolve(turn, expect=expect)
        for turn, expect in zip(scenario.turns, shifted, strict=True)
        if turn.seat is not None
    ]
    return evolve(scenario, turns=tuple(turns))


def secrets(replay: Replay, seat: str) -> set[str]:
    """Return every text that this seat may not read."""
    rows = [(row.content, {row.author.id, *row.audience.members}) for row in replay.run.rows]
    public = {row.content for row in replay.run.rows if row.audience.kind == "desk"}
    private = {content for content, readers in rows if seat not in readers}
    readable = public | {content for content, readers in rows if seat in readers}
    texts = {turn.text for turn in replay.run.turns if turn.seat != seat and turn.text.strip()}
    refused = {
        str(call.arguments["message"])
        for turn in replay.scenario.turns
        for call in turn.calls
        if "to" in call.arguments and seat not in (turn.seat, *call.arguments["to"])
    }
    return (private | texts | refused) - readable


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_no_seat_is_shown_what_it_may_not_read(path: Path) -> None:
    """In no form, in no mismatch, as expected or not: for every seat of every shipped scenario."""
    scenario = load_scenario(path)
    for played in (replay_scenario(scenario), replay_scenario(upset(scenario))):
        for seat in (spec.id for spec in scenario.desk.seats):
            viewer = Viewer("agent", seat)
            table = replay_table(played, Screen(width=5000), viewer=viewer, verbose=True)
            shown = [
                "\n".join(table),
                json.dumps(replay_json(played, "x.toml", viewer), ensure_ascii=False),
                *(mismatch_line(mismatch, viewer) for mismatch in played.mismatches),
            ]
            hidden = secrets(played, seat)
            assert [] == [secret for secret in hidden if any(secret in text for text in shown)]


def test_the_shipped_scenarios_have_something_to_hide() -> None:
    """The property above is about something: these scenarios hold texts that a seat may not read."""
    hiding = {
        path.stem
        for path in SHIPPED
        for played in [replay_scenario(load_scenario(path))]
        if any(secrets(played, spec.id) for spec in played.scenario.desk.seats)
    }
    assert {"run-28", "run-28-routed", "dm-names-an-outsider", "run-29-narration"} <= hiding
