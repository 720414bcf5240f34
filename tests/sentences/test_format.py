"""What is wrong with a scenario file, sentence by sentence; other tests compare kind, key and place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deskroom.errors import FileError
from deskroom.scenario import find_scenarios, load_scenario, parse_scenario
from deskroom.scenario.format.problems import ScenarioError
from deskroom.scenario.format.toml import parse_toml

#: Texts, and each problem of theirs as ``line:column kind: key: sentence``.
Cases = list[tuple[str, list[str]]]

PEOPLE = 'people = [{ id = "sam", label = "Sam" }]\n'
#: Six lines.
DESK = f"""\
format = 1
[desk]
id = "d"
name = "D"
{PEOPLE}seats = [{{ id = "lead" }}, {{ id = "solver" }}, {{ id = "old", retired = true }}]
"""
#: Three lines.
TURN = """\
[[turn]]
seat = "lead"
say = "hello"
"""


def with_desk(lines: str) -> str:
    """Return a scenario whose line 2 begins its desk."""
    return f"format = 1\n{lines}\n{TURN}"


def with_policy(lines: str) -> str:
    """Return a scenario whose line 8 begins what stands under its policy."""
    return f"{DESK}[policy]\n{lines}\n{TURN}"


def with_opening(lines: str) -> str:
    """Return a scenario whose line 8 begins its opening's keys."""
    return f"{DESK}[opening]\n{lines}\n{TURN}"


def with_turn(lines: str) -> str:
    """Return a scenario whose line 8 begins its only turn's keys."""
    return f"{DESK}[[turn]]\n{lines}\n"


def with_expect(lines: str) -> str:
    """Return a scenario whose line 11 begins what is expected of its only turn."""
    return f"{DESK}{TURN}[turn.expect]\n{lines}\n"


TOP: Cases = [
    (
        "",
        [
            "1:1 missing_key: format: missing, expected 1",
            "1:1 missing_key: desk: missing, expected a table",
            "1:1 missing_key: turn: missing, expected at least one [[turn]]",
        ],
    ),
    (
        (DESK + TURN).replace("format = 1", "format = 2"),
        ["1:10 unknown_value: format: found 2, expected 1"],
    ),
    (
        (DESK + TURN).replace("format = 1", "format = true"),
        ["1:10 unknown_value: format: found true, expected 1"],
    ),
    (
        'tittle = "x"\norder = "router"\nwhy = 3\n' + DESK + TURN,
        [
            '1:1 unknown_key: tittle: unknown key, expected one of format, title, why, order, desk, policy, opening, turn, expect, property, kill, invariants, explore, live; did you mean "title"?',
            '2:9 unknown_value: order: found "router", expected one of listed, routed; did you mean "routed"?',
            "3:7 wrong_type: why: found 3, expected a string",
        ],
    ),
    (DESK, ["1:1 missing_key: turn: missing, expected at least one [[turn]]"]),
    ("turn = []\n" + DESK, ["1:8 missing_key: turn: missing, expected at least one [[turn]]"]),
    ("turn = [3]\n" + DESK, ["1:9 wrong_type: turn[1]: found 3, expected a table"]),
    (
        DESK + '[turn]\nseat = "lead"\n',
        ["7:1 wrong_type: turn: found a table, expected a list of tables: [[turn]]"],
    ),
    (
        'order = "routed"\n' + DESK + TURN,
        [
            "1:9 needs_a_person: order: a routed scenario must begin with [opening] or with a person's turn"
        ],
    ),
    (
        DESK + TURN + '[expect]\nrows = -1\nturns = "3"\nclosed = "complete"\nnudge = 1\n',
        [
            "11:8 out_of_range: expect.rows: found -1, expected a number >= 0",
            '12:9 wrong_type: expect.turns: found "3", expected a whole number',
            '13:10 unknown_value: expect.closed: found "complete", expected one of completed, quiet, max_turns, script, stopped, failed; did you mean "completed"?',
            '14:1 unknown_key: expect.nudge: unknown key, expected one of rows, turns, nudges, asides, closed; did you mean "nudges"?',
        ],
    ),
    ("a = [\n", ["1:6 not_toml: this is not TOML: invalid value"]),
]

DESKS: Cases = [
    ('desk = "d"', ['2:8 wrong_type: desk: found "d", expected a table']),
    (
        (
            '[desk]\nname = "D"\nseat = []\n'
            'seats = [{ name = "L" }, 3, { id = 1, retired = 1, fence = "no" }]\n'
            'people = [{ id = "sam", lable = "Sam" }]'
        ),
        [
            "2:1 missing_key: desk.id: missing, expected a string",
            '4:1 unknown_key: desk.seat: unknown key, expected one of id, name, seats, people; did you mean "seats"?',
            "5:10 missing_key: desk.seats[1].id: missing, expected a string",
            "5:26 wrong_type: desk.seats[2]: found 3, expected a table",
            "5:36 wrong_type: desk.seats[3].id: found 1, expected a string",
            "5:49 wrong_type: desk.seats[3].retired: found 1, expected true or false",
            '5:60 wrong_type: desk.seats[3].fence: found "no", expected true or false',
            "6:11 missing_key: desk.people[1].label: missing, expected a string",
            '6:25 unknown_key: desk.people[1].lable: unknown key, expected one of id, label; did you mean "label"?',
        ],
    ),
    (
        '[desk]\nid = "d"\nname = "D"\nseats = [{ id = "lead", retired = true }]',
        ["5:9 no_active_seat: desk.seats: the desk needs a seat that is not retired"],
    ),
    (
        '[desk]\nid = "d"\nname = "D"\nseats = 1979-05-27',
        ["5:9 wrong_type: desk.seats: found a date or a time, expected a list"],
    ),
]

POLICIES: Cases = [
    (
        'max_turn = 3\nwindow = -1\nhistory_limit = 1.0\nmax_calls = "3"\nmax_turns = 0',
        [
            '8:1 unknown_key: policy.max_turn: unknown key, expected one of dispatch, aside, on_refused_aside, chair, broadcast, close, participants, max_turns, window, history_limit, silence, max_calls, max_message_bytes, turn_timeout_s; did you mean "max_turns"?',
            "9:10 out_of_range: policy.window: found -1, expected a number >= 0",
            "10:17 wrong_type: policy.history_limit: found 1.0, expected a whole number",
            '11:13 wrong_type: policy.max_calls: found "3", expected a whole number',
            "12:13 out_of_range: policy.max_turns: found 0, expected a number >= 1",
        ],
    ),
    (
        "turn_timeout_s = 0",
        ["8:18 out_of_range: policy.turn_timeout_s: found 0, expected a number > 0"],
    ),
    (
        "turn_timeout_s = inf",
        ["8:18 wrong_type: policy.turn_timeout_s: found inf, expected a finite number"],
    ),
    (
        'silence = "yeild"\nclose = "any"\non_refused_aside = 1\nmax_message_bytes = true',
        [
            '8:11 unknown_value: policy.silence: found "yeild", expected one of yield, retry; did you mean "yield"?',
            '9:9 unknown_value: policy.close: found "any", expected one of first, all',
            "10:20 wrong_type: policy.on_refused_aside: found 1, expected one of refuse, room",
            "11:21 wrong_type: policy.max_message_bytes: found true, expected a whole number",
        ],
    ),
    (
        (
            "dispatch = { enabled = 1, max_hops = -1 }\n"
            "aside = { max_members = 9223372036854775808, require_threads = true }\n"
            'chair = { every = -1, rounds = [] }\nbroadcast = { router = "script", width = 0 }'
        ),
        [
            "8:24 wrong_type: policy.dispatch.enabled: found 1, expected true or false",
            "8:38 out_of_range: policy.dispatch.max_hops: found -1, expected a number >= 0",
            "9:25 wrong_type: policy.aside.max_members: found a number of more than 64 bits, expected a whole number",
            '9:46 unknown_key: policy.aside.require_threads: unknown key, expected one of enabled, max_members, max_messages, must_surface, require_thread; did you mean "require_thread"?',
            "10:19 out_of_range: policy.chair.every: found -1, expected a number >= 0",
            "10:32 wrong_type: policy.chair.rounds: found a list, expected a whole number",
            '11:24 unknown_value: policy.broadcast.router: found "script", expected one of scripted, lexical; did you mean "scripted"?',
            "11:42 out_of_range: policy.broadcast.width: found 0, expected a number >= 1",
        ],
    ),
    (
        'chair.by = "Sma"',
        [
            '8:12 unknown_name: policy.chair.by: found "Sma", expected a person of the desk (sam); did you mean "sam"?'
        ],
    ),
    (
        'participants = ["lead", "old", "lead", "slover"]',
        [
            '8:25 retired_seat: policy.participants[2]: the seat "old" is retired and cannot take part',
            '8:32 named_twice: policy.participants[3]: the seat "lead" is named twice',
            '8:40 unknown_name: policy.participants[4]: found "slover", expected a seat of the desk (lead, solver, old); did you mean "solver"?',
        ],
    ),
    (
        "participants = []",
        [
            "8:16 empty_list: policy.participants: found an empty list, expected one or more seat ids"
        ],
    ),
    (
        'participants = { a = "lead" }',
        ["8:16 wrong_type: policy.participants: found a table, expected a list"],
    ),
]

OPENINGS: Cases = [
    (
        'by = "Sm"\nmessage = " \\u2003"\nexpect = { next = "leed" }',
        [
            '8:6 unknown_name: opening.by: found "Sm", expected a person of the desk (sam); did you mean "sam"?',
            "9:11 blank_text: opening.message: found a blank text, expected a message",
            '10:19 unknown_name: opening.expect.next: found "leed", expected a seat of the desk (lead, solver, old); did you mean "lead"?',
        ],
    ),
    (
        'messge = "x"\nexpect = { content = "x" }',
        [
            "7:1 missing_key: opening.by: missing, expected a string",
            "7:1 missing_key: opening.message: missing, expected a string",
            '8:1 unknown_key: opening.messge: unknown key, expected one of by, message, expect; did you mean "message"?',
            "9:12 unknown_key: opening.expect.content: unknown key, expected one of next",
        ],
    ),
]

TURNS: Cases = [
    ('say = "x"', ["7:1 missing_key: turn[1]: a turn needs a seat or a person"]),
    (
        'seat = "lead"\nperson = "sam"\nsay = "x"',
        ["9:1 conflicting_keys: turn[1].person: a turn has a seat or a person, not both"],
    ),
    (
        'seat = "SOLVR"',
        [
            '8:8 unknown_name: turn[1].seat: found "SOLVR", expected a seat of the desk (lead, solver, old); did you mean "solver"?'
        ],
    ),
    (
        'person = "lead"\nsay = "x"',
        ['8:10 unknown_name: turn[1].person: found "lead", expected a person of the desk (sam)'],
    ),
    (
        'seat = "lead"\nsay = "x"\ncalls = []',
        ["10:1 conflicting_keys: turn[1].calls: a turn has say or calls, not both"],
    ),
    (
        'person = "sam"\ntakes = 1\nrepeat = 2\nexpect = { content = "x", next = "lead" }',
        [
            "7:1 missing_key: turn[1].say: missing, expected what the person says",
            "9:1 not_for_a_person: turn[1].takes: a person's turn cannot have this key",
            "10:1 not_for_a_person: turn[1].repeat: a person's turn cannot have this key",
            "11:12 not_for_a_person: turn[1].expect.content: a person's turn can only expect next",
        ],
    ),
    (
        'person = "sam"\nsay = "\\t"',
        ["9:7 blank_text: turn[1].say: found a blank text, expected what the person says"],
    ),
    (
        'seat = "lead"\ncalls = [{ to = "x" }, { tool = 1 }, 3]\nlate = { tool = "x" }',
        [
            "9:10 missing_key: turn[1].calls[1].tool: missing, expected a string",
            "9:33 wrong_type: turn[1].calls[2].tool: found 1, expected a string",
            "9:38 wrong_type: turn[1].calls[3]: found 3, expected a table with a tool",
            "10:8 wrong_type: turn[1].late: found a table, expected a list",
        ],
    ),
    (
        f'seat = "lead"\ncalls = [{{ tool = "x", {"a." * 60}b = {{ {"a." * 60}b = 1 }} }}]',
        ["9:10 too_deep: turn[1].calls[1]: the arguments are nested more than 100 levels deep"],
    ),
    (
        'seat = "lead"\ntakes = -1\nrepeat = 0\nscores = { solver = nan, old = "x" }',
        [
            "9:9 out_of_range: turn[1].takes: found -1, expected a number >= 0",
            "10:10 out_of_range: turn[1].repeat: found 0, expected a number >= 1",
            "11:21 wrong_type: turn[1].scores.solver: found nan, expected a finite number",
            '11:32 wrong_type: turn[1].scores.old: found "x", expected a finite number',
        ],
    ),
    (
        'seat = "lead"\nscores = 1\nwrote = ["a", 1]\ntext = 07:32:00\ntakes = true',
        [
            "9:10 wrong_type: turn[1].scores: found 1, expected a table",
            "10:15 wrong_type: turn[1].wrote[2]: found 1, expected a string",
            "11:8 wrong_type: turn[1].text: found a date or a time, expected a string",
            "12:9 wrong_type: turn[1].takes: found true, expected a finite number",
        ],
    ),
    (
        'seat = "lead"\nscores = { Lead = 1 }',
        [
            '9:12 unknown_name: turn[1].scores.Lead: found "Lead", expected a seat of the desk (lead, solver, old); did you mean "lead"?'
        ],
    ),
    (
        'seat = "lead"\nrepeat = 1_000_000_000',
        ["9:10 out_of_range: turn[1].repeat: found 1000000000, expected a number <= 1000000"],
    ),
    (
        'seat = "lead"\nrepeat = 1_000_000\n[[turn]]\nseat = "lead"',
        [
            "10:1 too_many_turns: turn[2].repeat: the file lists more than 1,000,000 turns, this one included"
        ],
    ),
    (
        'seat = "lead"\n"\\u001b[1m" = 1',
        [
            '9:1 unknown_key: turn[1]."\\u001b[1m": unknown key, expected one of seat, person, say, calls, text, takes, crash, late, meanwhile, wrote, scores, one_of, repeat, expect'
        ],
    ),
]

EXPECTATIONS: Cases = [
    (
        (
            'next = 3\nrow = true\ncompletes = 1\noutcome = "spoken"\nmentions = "lead"\n'
            "content = 1\nxyz = 1"
        ),
        [
            "11:8 wrong_type: turn[1].expect.next: found 3, expected a seat id, { none = reason } or a list of seat ids",
            "12:7 wrong_type: turn[1].expect.row: found true, expected false; leave the key out where a row is expected",
            "13:13 wrong_type: turn[1].expect.completes: found 1, expected true or false",
            '14:11 unknown_value: turn[1].expect.outcome: found "spoken", expected one of spoke, silent, refused, failed, timed_out; did you mean "spoke"?',
            '15:12 wrong_type: turn[1].expect.mentions: found "lead", expected a list',
            "16:11 wrong_type: turn[1].expect.content: found 1, expected a string",
            "17:1 unknown_key: turn[1].expect.xyz: unknown key, expected one of content, audience, mentions, next, completes, refusal, replies, row, outcome",
        ],
    ),
    (
        'refusal = "ok"\nreplies = ["ok", "bugdet_spent"]',
        [
            '11:11 unknown_value: turn[1].expect.refusal: found "ok", expected one of turn_ended, not_your_turn, too_many_calls, unknown_tool, bad_arguments, message_too_large, empty_message, no_recipients, unknown_recipient, self_recipient, disabled, source_inactive, author_not_on_desk, target_inactive, target_not_on_desk, self_only, no_audience, audience_too_large, thread_required, budget_spent, unsettled_aside',
            '12:18 unknown_value: turn[1].expect.replies[2]: found "bugdet_spent", expected one of ok, turn_ended, not_your_turn, too_many_calls, unknown_tool, bad_arguments, message_too_large, empty_message, no_recipients, unknown_recipient, self_recipient, disabled, source_inactive, author_not_on_desk, target_inactive, target_not_on_desk, self_only, no_audience, audience_too_large, thread_required, budget_spent, unsettled_aside; did you mean "budget_spent"?',
        ],
    ),
    (
        'audience = "solver"\nnext = { none = "budget_spent" }',
        [
            '11:12 wrong_type: turn[1].expect.audience: found "solver", expected "desk" or a list of one or more seat ids; did you mean ["solver"]?',
            '12:17 unknown_value: turn[1].expect.next.none: found "budget_spent", expected one of disabled, hop_limit_reached, source_inactive, no_direct_agent_mention, self_mention, target_inactive, hop_overflow, broadcast, no_active_seat',
        ],
    ),
    (
        'audience = []\nnext = { non = "broadcast" }',
        [
            '11:12 empty_list: turn[1].expect.audience: found an empty list, expected "desk" or a list of one or more seat ids',
            "12:8 missing_key: turn[1].expect.next.none: missing, expected a string",
            '12:10 unknown_key: turn[1].expect.next.non: unknown key, expected one of none; did you mean "none"?',
        ],
    ),
    (
        (
            'next = "desk"\naudience = ["leda", "person:sam"]\n'
            'mentions = ["sam", "person:sma", "desk:e", "everyon"]'
        ),
        [
            '11:8 unknown_name: turn[1].expect.next: found "desk", expected a seat of the desk (lead, solver, old)',
            '12:13 unknown_name: turn[1].expect.audience[1]: found "leda", expected a seat of the desk (lead, solver, old); did you mean "lead"?',
            '12:21 unknown_name: turn[1].expect.audience[2]: found "person:sam", expected a seat of the desk (lead, solver, old)',
            '13:13 unknown_name: turn[1].expect.mentions[1]: found "sam", expected a seat id, person:id, desk:id or everyone (lead, solver, old, person:sam, desk:d, everyone)',
            '13:20 unknown_name: turn[1].expect.mentions[2]: found "person:sma", expected a seat id, person:id, desk:id or everyone (lead, solver, old, person:sam, desk:d, everyone); did you mean "person:sam"?',
            '13:34 unknown_name: turn[1].expect.mentions[3]: found "desk:e", expected a seat id, person:id, desk:id or everyone (lead, solver, old, person:sam, desk:d, everyone); did you mean "desk:d"?',
            '13:44 unknown_name: turn[1].expect.mentions[4]: found "everyon", expected a seat id, person:id, desk:id or everyone (lead, solver, old, person:sam, desk:d, everyone); did you mean "everyone"?',
        ],
    ),
    (
        'next = ["lead", "solvr"]',
        [
            '11:17 unknown_name: turn[1].expect.next[2]: found "solvr", expected a seat of the desk (lead, solver, old); did you mean "solver"?'
        ],
    ),
]

RULES: Cases = [
    (
        DESK.replace('"solver"', '"lead"') + TURN,
        ['6:34 duplicate_member_id: desk.seats[2].id: another seat has the id "lead" already'],
    ),
    (
        DESK.replace('"solver"', '" \\u2003"') + TURN,
        ['6:34 empty_member_id: desk.seats[2].id: a seat needs an id, found " \\u2003"'],
    ),
    (
        DESK.replace('"Sam" }', '"Sam" }, { id = "sam", label = "S" }') + TURN,
        ['5:49 duplicate_person_id: desk.people[2].id: another person has the id "sam" already'],
    ),
    (
        DESK.replace('"sam"', '""') + TURN,
        ['5:18 empty_person_id: desk.people[1].id: a person needs an id, found ""'],
    ),
    (
        DESK.replace('"d"', '""') + TURN,
        ['3:6 empty_desk_id: desk.id: a desk needs an id, found ""'],
    ),
    (
        DESK.replace('"D"', '""') + TURN,
        ['4:8 empty_desk_name: desk.name: a desk needs a name, found ""'],
    ),
    (
        DESK.replace('"d"', '"MAIN"') + TURN,
        [
            '3:6 reserved_desk_identity: desk.id: "MAIN" is reserved for the general chat and cannot name a desk'
        ],
    ),
    (
        DESK.replace('"D"', '"General"') + TURN,
        [
            '4:8 reserved_desk_identity: desk.name: "General" is reserved for the general chat and cannot name a desk'
        ],
    ),
    (
        (with_policy("chair = { rounds = 1 }") + '[opening]\nby = "sam"\nmessage = "x"\n').replace(
            PEOPLE, ""
        ),
        [
            "7:20 needs_a_person: policy.chair.rounds: the chair speaks for a person, and the desk has no people",
            '12:6 unknown_name: opening.by: found "sam", expected a person of the desk (the desk has none)',
        ],
    ),
    (
        with_expect('row = false\nnext = "lead"\ncontent = ""'),
        [
            "12:1 needs_a_row: turn[1].expect.next: this cannot be expected of a turn without a row (row = false)",
            "13:1 needs_a_row: turn[1].expect.content: this cannot be expected of a turn without a row (row = false)",
        ],
    ),
    (
        with_expect('outcome = "silent"\ncompletes = false'),
        [
            '12:1 needs_a_row: turn[1].expect.completes: this cannot be expected of a turn without a row (outcome = "silent")'
        ],
    ),
    (
        with_expect('outcome = "spoke"\nrow = false'),
        [
            '12:1 conflicting_keys: turn[1].expect.row: row = false contradicts outcome = "spoke": a turn that spoke has a row'
        ],
    ),
    (
        DESK + TURN + 'wrote = ["a.py", " "]\n',
        ['10:18 blank_text: turn[1].wrote[2]: found " ", expected the path of a file'],
    ),
    (
        DESK + TURN.replace("lead", "x" * 1000),
        [
            '8:8 unknown_name: turn[1].seat: found "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…", expected a seat of the desk (lead, solver, old)'
        ],
    ),
]

#: Texts that cannot be read at all, and their one problem.
UNREADABLE: list[tuple[str, str]] = [
    ("a = 1\nb == 2\n", "2:4 not_toml: this is not TOML: invalid value"),
    (
        '"\xe9" = 1 x\n',
        "1:9 not_toml: this is not TOML: expected newline or end of document after a statement",
    ),
    ("a = '\xe9\n", '1:7 not_toml: this is not TOML: expected "\'"'),
    ('a = """x\n\n', "1:9 not_toml: this is not TOML: unterminated string"),
    ("a = [1,\n", "1:8 not_toml: this is not TOML: invalid value"),
    ("[turn]\n[turn]\n", "2:2 duplicate_key: turn: this is given twice; the first is at 1:2"),
    ("[a.b]\n[a.b]\n", "2:4 duplicate_key: a.b: this is given twice; the first is at 1:4"),
    ("a = 1\na = 2\n", "2:1 duplicate_key: a: this is given twice; the first is at 1:1"),
    ("a = '\x00'\n", "1:6 not_toml: this is not TOML: found invalid character '\\x00'"),
    ("a = 2020-02-30\n", "1:5 not_toml: this is not TOML: invalid date or datetime"),
    (
        "\ufeffa = 1\n",
        "1:1 byte_order_mark: the file begins with a byte order mark; save it as UTF-8 without one",
    ),
    (
        "a = 1\nb = '\ud800'\n",
        "2:6 surrogate: the text contains half of a surrogate pair, which is not a character",
    ),
    ("a = " + "[" * 5000, "1:105 too_deep: values are nested more than 100 levels deep"),
    ("a." * 200 + "b = 1", "1:202 too_long: a key has more than 100 parts"),
    ("a = " + "1" * 5000, "1:5 too_long: a number has 5000 characters; at most 1000 are read"),
    (
        "#\n" * 1_000_001,
        "1000001:1 too_large: the file has more than 1,000,000 keys, values and tables",
    ),
    (
        "[[a]]\n" * 100_001,
        "100001:1 too_large: the file has more than 200,000 keys and tables",
    ),
]


def report(text: str) -> list[str]:
    """Return every problem of a text, in file order."""
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text)
    return [f"{p.line}:{p.column} {p.kind}: {p.problem}" for p in caught.value.problems]


@pytest.mark.parametrize(
    "text, expected",
    [
        *TOP,
        *((with_desk(lines), expected) for lines, expected in DESKS),
        *((with_policy(lines), expected) for lines, expected in POLICIES),
        *((with_opening(lines), expected) for lines, expected in OPENINGS),
        *((with_turn(lines), expected) for lines, expected in TURNS),
        *((with_expect(lines), expected) for lines, expected in EXPECTATIONS),
        *RULES,
    ],
)
def test_a_problem_says_what_is_wrong(text: str, expected: list[str]) -> None:
    """The place, the key, what was found, what was expected, and the nearest name."""
    assert expected == report(text)


@pytest.mark.parametrize("text, expected", UNREADABLE)
def test_a_text_that_cannot_be_read_says_why(text: str, expected: str) -> None:
    """One problem, with its place."""
    with pytest.raises(FileError) as caught:
        parse_toml(text)
    assert (
        expected
        == f"{caught.value.line}:{caught.value.column} {caught.value.kind}: {caught.value.problem}"
    )


@pytest.mark.parametrize(
    "kind, sentence, make",
    [
        ("no_file", "there is no such file", lambda _: None),
        ("folder", "this is a folder; a file is needed", lambda path: path.mkdir()),
        (
            "not_utf8",
            "the file is not UTF-8: found byte 0xff",
            lambda path: path.write_bytes(b"a = 1\n\xff"),
        ),
        (
            "too_large",
            "the file is larger than 16 MiB",
            lambda path: path.write_bytes(b"#" * (16 * 2**20 + 1)),
        ),
    ],
)
def test_a_file_that_cannot_be_read_says_why(
    tmp_path: Path, kind: str, sentence: str, make: Callable[[Path], object]
) -> None:
    """The error names the file as the user did."""
    path = tmp_path / "x.toml"
    make(path)
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path)
    error = caught.value
    assert (str(path), kind, sentence) == (error.path, error.kind, error.problem)


def test_a_folder_without_scenarios_says_so(tmp_path: Path) -> None:
    """The error names the folder."""
    with pytest.raises(FileError) as caught:
        find_scenarios([tmp_path])
    assert f"{tmp_path}: no scenario found: there is no *.toml file here" == str(caught.value)
    assert "no_scenario" == caught.value.kind
