from __future__ import annotations

import contextlib
import re
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import deskroom.scenario
from deskroom.core.aside import AsidePolicy
from deskroom.core.dispatch import DispatchPolicy
from deskroom.core.roster import Desk, DeskSet, Member, Person, Roster
from deskroom.engine.policy import BroadcastPolicy, ChairPolicy, Policy
from deskroom.engine.setup import Seat
from deskroom.errors import DeskError, FileError, RosterError
from deskroom.scenario.format.find import find_scenarios
from deskroom.scenario.format.load import load_desk, load_scenario, parse_scenario
from deskroom.scenario.format.model import (
    Call,
    DeskSpec,
    Nobody,
    Opening,
    OpeningExpect,
    RunExpect,
    Scenario,
    Turn,
    TurnExpect,
)
from deskroom.scenario.format.position import Place
from deskroom.scenario.format.problems import MAX_PROBLEMS, KeyProblem, ScenarioError

#: Six lines; what a test adds begins at line 7.
DESK = """\
format = 1
[desk]
id = "d"
name = "D"
people = [{ id = "sam", label = "Sam" }]
seats = [{ id = "lead" }, { id = "solver" }, { id = "old", retired = true }]
"""
#: Three lines.
TURN = """\
[[turn]]
seat = "lead"
say = "hello"
"""
SEATS = "a seat of the desk (lead, solver, old)"

FULL = """\
format = 1
title = "Everything"
why = "Each key once"
order = "routed"

[desk]
id = "pe1006"
name = "PE 1006"
people = [{ id = "sam", label = "Sam" }, { id = "eve", label = "Eve" }]
seats = [
  { id = "lead", name = "LEAD", role = "leads", brief = "Lead it." },
  { id = "solver", fence = true },
  { id = "old", retired = true },
]

[policy]
dispatch = { enabled = false, max_hops = 3 }
on_refused_aside = "room"
chair = { rounds = 2, every = 5, by = "eve" }
broadcast = { router = "lexical", width = 3 }
close = "all"
participants = ["lead", "solver"]
max_turns = 7
window = 0
history_limit = 9
silence = "retry"
max_calls = 2
max_message_bytes = 100
turn_timeout_s = 2.5

[policy.aside]
enabled = true
max_members = 1
max_messages = 6
must_surface = true
require_thread = true

[opening]
by = "sam"
message = "@lead begin"
expect = { next = "lead" }

[[turn]]
seat = "lead"
say = ""
text = "thinking"
takes = 3
crash = "boom"
late = [{ tool = "desk_post", message = "too late" }]
wrote = ["a/b.txt"]
scores = { solver = 0.9, old = 1 }
repeat = 2
[turn.expect]
content = "hello"
audience = ["solver"]
mentions = ["solver", "person:sam", "desk:pe1006", "everyone"]
next = { none = "disabled" }
completes = true
refusal = "budget_spent"
replies = ["ok", "budget_spent"]
outcome = "spoke"

[[turn]]
person = "eve"
say = "go on"
expect = { next = "solver" }

[[turn]]
seat = "old"
calls = [{ tool = "no_such", to = 3, deep = [{ when = 1.5 }] }, { tool = "desk_read" }]
expect = { row = false, outcome = "refused" }

[[turn]]
seat = "solver"
expect = { audience = "desk", next = ["lead", "solver"], mentions = [] }

[expect]
rows = 5
turns = 4
nudges = 1
asides = 0
closed = "script"
"""


def problems(text: str) -> list[str]:
    """Return what is wrong with a scenario, in file order."""
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text)
    error = caught.value
    assert str(error.problems[0]) == str(error)
    assert all(problem.path == "<text>" for problem in error.problems)
    return [str(problem).removeprefix("<text>:") for problem in error.problems]


def with_policy(lines: str) -> str:
    """Return a scenario whose line 8 begins what stands under its policy."""
    return f"{DESK}[policy]\n{lines}\n{TURN}"


def with_turn(lines: str) -> str:
    """Return a scenario whose line 8 begins its only turn's keys."""
    return f"{DESK}[[turn]]\n{lines}\n"


def with_expect(lines: str) -> str:
    """Return a scenario whose line 11 begins what is expected of its only turn."""
    return f"{DESK}{TURN}[turn.expect]\n{lines}\n"


# --- what a file says --------------------------------------------------------------------------


def test_every_key_of_the_format_is_read() -> None:
    """A file that uses each key once becomes exactly these values."""
    lead = TurnExpect(
        content="hello",
        audience=("solver",),
        mentions=("solver", "person:sam", "desk:pe1006", "everyone"),
        next=Nobody(none="disabled"),
        completes=True,
        refusal="budget_spent",
        replies=("ok", "budget_spent"),
        outcome="spoke",
    )
    copies = [
        Turn(
            seat="lead",
            say="",
            text="thinking",
            takes=3,
            crash="boom",
            late=(Call(tool="desk_post", arguments={"message": "too late"}),),
            wrote=("a/b.txt",),
            scores={"solver": 0.9, "old": 1},
            repeat=2,
            expect=lead,
            number=1,
            label=label,
        )
        for label in ("1.1", "1.2")
    ]
    expected = Scenario(
        title="Everything",
        why="Each key once",
        order="routed",
        desk=DeskSpec(
            id="pe1006",
            name="PE 1006",
            people=(Person("sam", "Sam"), Person("eve", "Eve")),
            seats=(
                Seat(id="lead", name="LEAD", role="leads", brief="Lead it."),
                Seat(id="solver", fence=True),
                Seat(id="old", retired=True),
            ),
        ),
        policy=Policy(
            dispatch=DispatchPolicy(enabled=False, max_hops=3),
            aside=AsidePolicy(
                enabled=True, max_members=1, max_messages=6, must_surface=True, require_thread=True
            ),
            on_refused_aside="room",
            chair=ChairPolicy(rounds=2, every=5, by="eve"),
            broadcast=BroadcastPolicy(router="lexical", width=3),
            close="all",
            participants=("lead", "solver"),
            max_turns=7,
            window=0,
            history_limit=9,
            silence="retry",
            max_calls=2,
            max_message_bytes=100,
            turn_timeout_s=2.5,
        ),
        opening=Opening(by="sam", message="@lead begin", expect=OpeningExpect(next="lead")),
        turns=(
            *copies,
            Turn(person="eve", say="go on", number=2, label="2", expect=TurnExpect(next="solver")),
            Turn(
                seat="old",
                calls=(
                    Call(tool="no_such", arguments={"to": 3, "deep": [{"when": 1.5}]}),
                    Call(tool="desk_read"),
                ),
                number=3,
                label="3",
                expect=TurnExpect(row=False, outcome="refused"),
            ),
            Turn(
                seat="solver",
                number=4,
                label="4",
                expect=TurnExpect(audience="desk", next=("lead", "solver"), mentions=()),
            ),
        ),
        expect=RunExpect(rows=5, turns=4, nudges=1, asides=0, closed="script"),
        digest=sha256(FULL.encode()).hexdigest(),
    )
    assert expected == parse_scenario(FULL)


def test_the_shortest_scenario_has_the_defaults() -> None:
    """What a file does not say is what the format says by default."""
    scenario = parse_scenario(
        'format = 1\nturn = [{ seat = "a" }]\ndesk = { id = "d", name = "D", seats = [{ id = "a" }] }'
    )
    assert (
        Scenario(
            desk=DeskSpec(id="d", name="D", seats=(Seat(id="a"),)),
            turns=(Turn(seat="a", number=1, label="1"),),
            digest=scenario.digest,
        )
        == scenario
    )
    assert Policy() == scenario.policy
    assert (None, None, "listed", "", "") == (
        scenario.opening,
        scenario.expect,
        scenario.order,
        scenario.title,
        scenario.why,
    )


def test_a_partial_policy_keeps_the_other_defaults() -> None:
    """A table of the policy that names one key leaves the other keys as they are."""
    policy = parse_scenario(with_policy("chair = { rounds = 2 }\naside.max_members = 1")).policy
    assert policy == Policy(chair=ChairPolicy(rounds=2), aside=AsidePolicy(max_members=1))
    assert (True, 16) == (policy.dispatch.enabled, policy.dispatch.max_hops)


def test_the_desk_gives_a_roster_and_a_set_of_one_desk() -> None:
    """Seats are the members, retired ones too, and sit at the desk in their order."""
    desk = parse_scenario(DESK + TURN).desk
    members = (Member("lead"), Member("solver"), Member("old"))
    assert Roster(members, (Person("sam", "Sam"),), ("old",)) == desk.roster()
    assert DeskSet((Desk("d", "D", ("lead", "solver", "old")),)) == desk.desks()


def test_each_expectation_keeps_its_place() -> None:
    """A mismatch can point at the turn's header and at the key that it is about."""
    scenario = parse_scenario(FULL, "s.toml")
    assert "s.toml" == scenario.path
    assert [Place(43, 1), Place(43, 1), Place(63, 1), Place(68, 1), Place(73, 1)] == [
        turn.place for turn in scenario.turns
    ]
    first, second, person, *_ = (turn.expect for turn in scenario.turns)
    assert first is not None
    assert person is not None
    assert first is second
    assert {
        "content": Place(54, 1),
        "audience": Place(55, 1),
        "mentions": Place(56, 1),
        "next": Place(57, 1),
        "completes": Place(58, 1),
        "refusal": Place(59, 1),
        "replies": Place(60, 1),
        "outcome": Place(61, 1),
    } == first.places
    assert {"next": Place(66, 12)} == person.places
    assert scenario.opening is not None
    assert scenario.opening.expect is not None
    assert Place(38, 1) == scenario.opening.place
    assert {"next": Place(41, 12)} == scenario.opening.expect.places
    assert scenario.expect is not None
    assert Place(82, 1) == scenario.expect.places["closed"]


def test_a_repeated_turn_becomes_copies_with_names_of_their_own() -> None:
    """The copies are numbered within their turn, and a turn that runs once is not."""
    repeated = TURN + "repeat = 3\n"
    scenario = parse_scenario(DESK + TURN + repeated + TURN + TURN + "repeat = 1\n")
    assert ["1", "2.1", "2.2", "2.3", "3", "4"] == [turn.label for turn in scenario.turns]
    assert [1, 2, 2, 2, 3, 4] == [turn.number for turn in scenario.turns]


@pytest.mark.parametrize(
    "text",
    [
        with_turn('seat = "old"\nsay = "a retired seat may be listed"'),
        with_turn('seat = "lead"\nsay = " "'),
        with_turn('seat = "lead"\ncalls = [{ tool = "" }, { tool = "post", to = ["nobody"] }]'),
        with_turn('seat = "lead"\ncalls = []\ntakes = 0\nscores = { lead = -1.5 }\nexpect = {}'),
        with_expect("replies = []\nmentions = []\nnext = []"),
        with_expect('row = false\nrefusal = "unknown_recipient"\noutcome = "refused"'),
        with_expect('mentions = ["old", "lead", "lead"]\nnext = "old"'),
        with_policy("turn_timeout_s = 1\nmax_turns = 9223372036854775807"),
        'order = "routed"\n' + DESK + '[[turn]]\nperson = "sam"\nsay = "x"\n',
        'order = "routed"\n' + DESK + '[opening]\nby = "sam"\nmessage = "x"\n' + TURN,
        DESK.replace('"D"', '"General"').replace('"d"', '"General"') + TURN,
        DESK.replace('label = "Sam"', 'label = ""') + TURN + "[expect]\n",
    ],
)
def test_what_only_the_host_judges_is_accepted(text: str) -> None:
    """Silly but meaningful files are read: what they mean shows when they are played."""
    assert parse_scenario(text).turns


# --- what is wrong at the top, the desk and the policy -----------------------------------------


@pytest.mark.parametrize(
    "text, expected",
    [
        (
            "",
            [
                "1:1: format: missing, expected 1",
                "1:1: desk: missing, expected a table",
                "1:1: turn: missing, expected one [[turn]] or more",
            ],
        ),
        ((DESK + TURN).replace("format = 1", "format = 2"), ["1:10: format: found 2, expected 1"]),
        (
            (DESK + TURN).replace("format = 1", "format = true"),
            ["1:10: format: found true, expected 1"],
        ),
        (
            'tittle = "x"\norder = "router"\nwhy = 3\n' + DESK + TURN,
            [
                (
                    "1:1: tittle: unknown key, expected one of format, title, why, order, desk, "
                    'policy, opening, turn, expect; did you mean "title"?'
                ),
                (
                    '2:9: order: found "router", expected one of listed, routed; '
                    'did you mean "routed"?'
                ),
                "3:7: why: found 3, expected a string",
            ],
        ),
        (DESK, ["1:1: turn: missing, expected one [[turn]] or more"]),
        ("turn = []\n" + DESK, ["1:8: turn: missing, expected one [[turn]] or more"]),
        ("turn = [3]\n" + DESK, ["1:9: turn[1]: found 3, expected a table"]),
        (
            DESK + '[turn]\nseat = "lead"\n',
            ["7:1: turn: found a table, expected a list of tables: [[turn]]"],
        ),
        (
            'order = "routed"\n' + DESK + TURN,
            ["1:9: order: a routed scenario needs [opening] or a person's turn first"],
        ),
        (
            DESK + TURN + '[expect]\nrows = -1\nturns = "3"\nclosed = "complete"\nnudge = 1\n',
            [
                "11:8: expect.rows: found -1, expected a number >= 0",
                '12:9: expect.turns: found "3", expected a whole number',
                (
                    '13:10: expect.closed: found "complete", expected one of completed, quiet, '
                    'max_turns, script, stopped, failed; did you mean "completed"?'
                ),
                (
                    "14:1: expect.nudge: unknown key, expected one of rows, turns, nudges, asides, "
                    'closed; did you mean "nudges"?'
                ),
            ],
        ),
        ("a = [\n", ["1:6: this is not TOML: invalid value"]),
    ],
)
def test_a_fault_at_the_top_is_told(text: str, expected: list[str]) -> None:
    """The keys at the top, the list of turns and what is expected of the run."""
    assert expected == problems(text)


@pytest.mark.parametrize(
    "desk, expected",
    [
        ('desk = "d"', ['2:8: desk: found "d", expected a table']),
        (
            (
                '[desk]\nname = "D"\nseat = []\n'
                'seats = [{ name = "L" }, 3, { id = 1, retired = 1, fence = "no" }]\n'
                'people = [{ id = "sam", lable = "Sam" }]'
            ),
            [
                "2:1: desk.id: missing, expected a string",
                (
                    "4:1: desk.seat: unknown key, expected one of id, name, seats, people; "
                    'did you mean "seats"?'
                ),
                "5:10: desk.seats[1].id: missing, expected a string",
                "5:26: desk.seats[2]: found 3, expected a table",
                "5:36: desk.seats[3].id: found 1, expected a string",
                "5:49: desk.seats[3].retired: found 1, expected true or false",
                '5:60: desk.seats[3].fence: found "no", expected true or false',
                "6:11: desk.people[1].label: missing, expected a string",
                (
                    "6:25: desk.people[1].lable: unknown key, expected one of id, label; "
                    'did you mean "label"?'
                ),
            ],
        ),
        (
            '[desk]\nid = "d"\nname = "D"\nseats = [{ id = "lead", retired = true }]',
            ["5:9: desk.seats: no seat of the desk is active"],
        ),
        (
            '[desk]\nid = "d"\nname = "D"\nseats = 1979-05-27',
            ["5:9: desk.seats: found a date or a time, expected a list"],
        ),
    ],
)
def test_a_fault_of_the_desk_is_told(desk: str, expected: list[str]) -> None:
    """The desk's shape; while it is wrong, no seat that a turn names is called unknown."""
    assert expected == problems(f"format = 1\n{desk}\n{TURN}")


@pytest.mark.parametrize(
    "old, new, kind, expected",
    [
        (
            *('"solver"', '"lead"', "duplicate_member_id"),
            '6:34: desk.seats[2].id: another seat has the id "lead" already',
        ),
        (
            *('"solver"', '" \\u2003"', "empty_member_id"),
            '6:34: desk.seats[2].id: a seat needs an id, found " \\u2003"',
        ),
        (
            *('"Sam" }', '"Sam" }, { id = "sam", label = "S" }', "duplicate_person_id"),
            '5:49: desk.people[2].id: another person has the id "sam" already',
        ),
        (
            *('"sam"', '""', "empty_person_id"),
            '5:18: desk.people[1].id: a person needs an id, found ""',
        ),
        ('"d"', '""', "empty_desk_id", '3:6: desk.id: a desk needs an id, found ""'),
        ('"D"', '""', "empty_desk_name", '4:8: desk.name: a desk needs a name, found ""'),
        (
            *('"d"', '"MAIN"', "reserved_desk_identity"),
            '3:6: desk.id: "MAIN" means the general chat and can name no desk',
        ),
        (
            *('"D"', '"General"', "reserved_desk_identity"),
            '4:8: desk.name: "General" means the general chat and can name no desk',
        ),
    ],
)
def test_an_invalid_roster_or_desk_keeps_its_kind(
    old: str, new: str, kind: str, expected: str
) -> None:
    """Each has its own word, and the error of the core behind it."""
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(DESK.replace(old, new) + TURN)
    assert f"<text>:{expected} ({kind})" == str(caught.value)
    assert kind == caught.value.kind
    cause = caught.value.problems[0].__cause__
    assert isinstance(cause, RosterError | DeskError)
    assert kind == cause.kind


@pytest.mark.parametrize(
    "lines, expected",
    [
        (
            'max_turn = 3\nwindow = -1\nhistory_limit = 1.0\nmax_calls = "3"\nmax_turns = 0',
            [
                (
                    "8:1: policy.max_turn: unknown key, expected one of dispatch, aside, "
                    "on_refused_aside, chair, broadcast, close, participants, max_turns, window, "
                    "history_limit, silence, max_calls, max_message_bytes, turn_timeout_s; "
                    'did you mean "max_turns"?'
                ),
                "9:10: policy.window: found -1, expected a number >= 0",
                "10:17: policy.history_limit: found 1.0, expected a whole number",
                '11:13: policy.max_calls: found "3", expected a whole number',
                "12:13: policy.max_turns: found 0, expected a number >= 1",
            ],
        ),
        ("turn_timeout_s = 0", ["8:18: policy.turn_timeout_s: found 0, expected a number > 0"]),
        (
            "turn_timeout_s = inf",
            ["8:18: policy.turn_timeout_s: found inf, expected a finite number"],
        ),
        (
            'silence = "yeild"\nclose = "any"\non_refused_aside = 1\nmax_message_bytes = true',
            [
                (
                    '8:11: policy.silence: found "yeild", expected one of yield, retry; '
                    'did you mean "yield"?'
                ),
                '9:9: policy.close: found "any", expected one of first, all',
                "10:20: policy.on_refused_aside: found 1, expected one of refuse, room",
                "11:21: policy.max_message_bytes: found true, expected a whole number",
            ],
        ),
        (
            (
                "dispatch = { enabled = 1, max_hops = -1 }\n"
                "aside = { max_members = 9223372036854775808, require_threads = true }\n"
                'chair = { every = -1, rounds = [] }\nbroadcast = { router = "script", width = 0 }'
            ),
            [
                "8:24: policy.dispatch.enabled: found 1, expected true or false",
                "8:38: policy.dispatch.max_hops: found -1, expected a number >= 0",
                (
                    "9:25: policy.aside.max_members: found a number of more than 64 bits, expected "
                    "a whole number"
                ),
                (
                    "9:46: policy.aside.require_threads: unknown key, expected one of enabled, "
                    "max_members, max_messages, must_surface, require_thread; "
                    'did you mean "require_thread"?'
                ),
                "10:19: policy.chair.every: found -1, expected a number >= 0",
                "10:32: policy.chair.rounds: found a list, expected a whole number",
                (
                    '11:24: policy.broadcast.router: found "script", expected one of scripted, '
                    'lexical; did you mean "scripted"?'
                ),
                "11:42: policy.broadcast.width: found 0, expected a number >= 1",
            ],
        ),
        (
            'chair.by = "Sma"',
            [
                (
                    '8:12: policy.chair.by: found "Sma", expected a person of the desk (sam); '
                    'did you mean "sam"?'
                )
            ],
        ),
        (
            'participants = ["lead", "old", "lead", "slover"]',
            [
                '8:25: policy.participants[2]: the seat "old" is retired',
                '8:32: policy.participants[3]: the seat "lead" is named twice',
                (
                    f'8:40: policy.participants[4]: found "slover", expected {SEATS}; '
                    'did you mean "solver"?'
                ),
            ],
        ),
        (
            "participants = []",
            ["8:16: policy.participants: found an empty list, expected one or more seat ids"],
        ),
        (
            'participants = { a = "lead" }',
            ["8:16: policy.participants: found a table, expected a list"],
        ),
    ],
)
def test_a_fault_of_the_policy_is_told(lines: str, expected: list[str]) -> None:
    """Types, ranges, words and names, each at its value; nothing is coerced."""
    assert expected == problems(with_policy(lines))


def test_who_speaks_for_a_person_must_be_there() -> None:
    """Without people no chair can nudge, nothing can be opened, and no person has a turn."""
    text = with_policy("chair = { rounds = 1 }\n[opening]\nby = 'sam'\nmessage = 'x'")
    text += '[[turn]]\nperson = "sam"\nsay = "x"\n'
    assert [
        "7:20: policy.chair.rounds: a chair that nudges needs a person on the desk",
        '9:6: opening.by: found "sam", expected a person of the desk (there is none)',
        '15:10: turn[2].person: found "sam", expected a person of the desk (there is none)',
    ] == problems(text.replace('people = [{ id = "sam", label = "Sam" }]\n', ""))


@pytest.mark.parametrize(
    "lines, expected",
    [
        (
            'by = "Sm"\nmessage = " \\u2003"\nexpect = { next = "leed" }',
            [
                (
                    '8:6: opening.by: found "Sm", expected a person of the desk (sam); '
                    'did you mean "sam"?'
                ),
                "9:11: opening.message: found a blank text, expected a message",
                f'10:19: opening.expect.next: found "leed", expected {SEATS}; did you mean "lead"?',
            ],
        ),
        (
            'messge = "x"\nexpect = { content = "x" }',
            [
                "7:1: opening.by: missing, expected a string",
                "7:1: opening.message: missing, expected a string",
                (
                    "8:1: opening.messge: unknown key, expected one of by, message, expect; "
                    'did you mean "message"?'
                ),
                "9:12: opening.expect.content: unknown key, expected one of next",
            ],
        ),
    ],
)
def test_a_fault_of_the_opening_is_told(lines: str, expected: list[str]) -> None:
    """The opening has a person, a message, and nothing expected but who is next."""
    assert expected == problems(f"{DESK}[opening]\n{lines}\n{TURN}")


# --- what is wrong with a turn -----------------------------------------------------------------


@pytest.mark.parametrize(
    "lines, expected",
    [
        ('say = "x"', ["7:1: turn[1]: a turn needs a seat or a person"]),
        (
            'seat = "lead"\nperson = "sam"\nsay = "x"',
            ["9:1: turn[1].person: a turn has a seat or a person, not both"],
        ),
        (
            'seat = "SOLVR"',
            [f'8:8: turn[1].seat: found "SOLVR", expected {SEATS}; did you mean "solver"?'],
        ),
        (
            'person = "lead"\nsay = "x"',
            ['8:10: turn[1].person: found "lead", expected a person of the desk (sam)'],
        ),
        (
            'seat = "lead"\nsay = "x"\ncalls = []',
            ["10:1: turn[1].calls: a turn has say or calls, not both"],
        ),
        (
            'person = "sam"\ntakes = 1\nrepeat = 2\nexpect = { content = "x", next = "lead" }',
            [
                "7:1: turn[1].say: missing, expected what the person says",
                "9:1: turn[1].takes: only a turn of a seat has this key",
                "10:1: turn[1].repeat: only a turn of a seat has this key",
                "11:12: turn[1].expect.content: of a turn of a person only next can be expected",
            ],
        ),
        (
            'person = "sam"\nsay = "\\t"',
            ["9:7: turn[1].say: found a blank text, expected what the person says"],
        ),
        (
            'seat = "lead"\ncalls = [{ to = "x" }, { tool = 1 }, 3]\nlate = { tool = "x" }',
            [
                "9:10: turn[1].calls[1].tool: missing, expected a string",
                "9:33: turn[1].calls[2].tool: found 1, expected a string",
                "9:38: turn[1].calls[3]: found 3, expected a table with a tool",
                "10:8: turn[1].late: found a table, expected a list",
            ],
        ),
        (
            f'seat = "lead"\ncalls = [{{ tool = "x", {"a." * 60}b = {{ {"a." * 60}b = 1 }} }}]',
            ["9:10: turn[1].calls[1]: the arguments nest more than 100 deep"],
        ),
        (
            'seat = "lead"\ntakes = -1\nrepeat = 0\nscores = { solver = nan, old = "x" }',
            [
                "9:9: turn[1].takes: found -1, expected a number >= 0",
                "10:10: turn[1].repeat: found 0, expected a number >= 1",
                "11:21: turn[1].scores.solver: found nan, expected a finite number",
                '11:32: turn[1].scores.old: found "x", expected a finite number',
            ],
        ),
        (
            'seat = "lead"\nscores = 1\nwrote = ["a", 1]\ntext = 07:32:00\ntakes = true',
            [
                "9:10: turn[1].scores: found 1, expected a table",
                "10:15: turn[1].wrote[2]: found 1, expected a string",
                "11:8: turn[1].text: found a date or a time, expected a string",
                "12:9: turn[1].takes: found true, expected a finite number",
            ],
        ),
        (
            'seat = "lead"\nscores = { Lead = 1 }',
            [f'9:12: turn[1].scores.Lead: found "Lead", expected {SEATS}; did you mean "lead"?'],
        ),
        (
            'seat = "lead"\nrepeat = 1_000_000_000',
            ["9:10: turn[1].repeat: found 1000000000, expected a number <= 1000000"],
        ),
        (
            'seat = "lead"\nrepeat = 1_000_000\n[[turn]]\nseat = "lead"',
            ["10:1: turn[2].repeat: with this turn the file lists more than 1,000,000 turns"],
        ),
        (
            'seat = "lead"\n"\\u001b[1m" = 1',
            [
                (
                    '9:1: turn[1]."\\u001b[1m": unknown key, expected one of seat, person, say, calls, '
                    "text, takes, crash, late, wrote, scores, repeat, expect"
                )
            ],
        ),
    ],
)
def test_a_fault_of_a_turn_is_told(lines: str, expected: list[str]) -> None:
    """Who has the turn, what the turn holds, and what only a seat's turn may hold."""
    assert expected == problems(with_turn(lines))


REASONS = (
    "disabled, hop_limit_reached, source_inactive, no_direct_agent_mention, self_mention, "
    "target_inactive, hop_overflow, broadcast, no_active_seat"
)
REFUSALS = (
    "turn_ended, not_your_turn, too_many_calls, unknown_tool, bad_arguments, message_too_large, "
    "empty_message, no_recipients, unknown_recipient, self_recipient, disabled, source_inactive, "
    "author_not_on_desk, target_inactive, target_not_on_desk, self_only, no_audience, "
    "audience_too_large, thread_required, budget_spent, unsettled_aside"
)
TARGETS = (
    "a seat id, person:id, desk:id or everyone (lead, solver, old, person:sam, desk:d, everyone)"
)


@pytest.mark.parametrize(
    "lines, expected",
    [
        (
            (
                'next = 3\nrow = true\ncompletes = 1\noutcome = "spoken"\nmentions = "lead"\n'
                "content = 1\nxyz = 1"
            ),
            [
                (
                    "11:8: turn[1].expect.next: found 3, expected a seat id, { none = reason } or a "
                    "list of seat ids"
                ),
                (
                    "12:7: turn[1].expect.row: found true, expected false, or no such key where a row "
                    "is expected"
                ),
                "13:13: turn[1].expect.completes: found 1, expected true or false",
                (
                    '14:11: turn[1].expect.outcome: found "spoken", expected one of spoke, silent, '
                    'refused, failed, timed_out; did you mean "spoke"?'
                ),
                '15:12: turn[1].expect.mentions: found "lead", expected a list',
                "16:11: turn[1].expect.content: found 1, expected a string",
                (
                    "17:1: turn[1].expect.xyz: unknown key, expected one of content, audience, "
                    "mentions, next, completes, refusal, replies, row, outcome"
                ),
            ],
        ),
        (
            'refusal = "ok"\nreplies = ["ok", "bugdet_spent"]',
            [
                f'11:11: turn[1].expect.refusal: found "ok", expected one of {REFUSALS}',
                (
                    f'12:18: turn[1].expect.replies[2]: found "bugdet_spent", expected one of ok, '
                    f'{REFUSALS}; did you mean "budget_spent"?'
                ),
            ],
        ),
        (
            'audience = "solver"\nnext = { none = "budget_spent" }',
            [
                (
                    '11:12: turn[1].expect.audience: found "solver", expected "desk" or a list of one '
                    'or more seat ids; did you mean ["solver"]?'
                ),
                f'12:17: turn[1].expect.next.none: found "budget_spent", expected one of {REASONS}',
            ],
        ),
        (
            'audience = []\nnext = { non = "broadcast" }',
            [
                (
                    '11:12: turn[1].expect.audience: found an empty list, expected "desk" or a list '
                    "of one or more seat ids"
                ),
                "12:8: turn[1].expect.next.none: missing, expected a string",
                (
                    "12:10: turn[1].expect.next.non: unknown key, expected one of none; "
                    'did you mean "none"?'
                ),
            ],
        ),
        (
            (
                'next = "desk"\naudience = ["leda", "person:sam"]\n'
                'mentions = ["sam", "person:sma", "desk:e", "everyon"]'
            ),
            [
                f'11:8: turn[1].expect.next: found "desk", expected {SEATS}',
                (
                    f'12:13: turn[1].expect.audience[1]: found "leda", expected {SEATS}; '
                    'did you mean "lead"?'
                ),
                f'12:21: turn[1].expect.audience[2]: found "person:sam", expected {SEATS}',
                f'13:13: turn[1].expect.mentions[1]: found "sam", expected {TARGETS}',
                (
                    f'13:20: turn[1].expect.mentions[2]: found "person:sma", expected {TARGETS}; '
                    'did you mean "person:sam"?'
                ),
                (
                    f'13:34: turn[1].expect.mentions[3]: found "desk:e", expected {TARGETS}; '
                    'did you mean "desk:d"?'
                ),
                (
                    f'13:44: turn[1].expect.mentions[4]: found "everyon", expected {TARGETS}; '
                    'did you mean "everyone"?'
                ),
            ],
        ),
        (
            'next = ["lead", "solvr"]',
            [
                (
                    f'11:17: turn[1].expect.next[2]: found "solvr", expected {SEATS}; '
                    'did you mean "solver"?'
                )
            ],
        ),
    ],
)
def test_a_fault_of_what_is_expected_is_told(lines: str, expected: list[str]) -> None:
    """Shapes, words and names of each key, with the nearest valid one."""
    assert expected == problems(with_expect(lines))


@pytest.mark.parametrize("why", ["row = false", 'outcome = "silent"', 'outcome = "timed_out"'])
@pytest.mark.parametrize(
    "key, value",
    [
        ("content", '""'),
        ("audience", '"desk"'),
        ("mentions", "[]"),
        ("next", '{ none = "disabled" }'),
        ("completes", "false"),
    ],
)
def test_nothing_of_a_row_can_be_expected_without_a_row(why: str, key: str, value: str) -> None:
    """A turn that is expected to have no row has no decision, audience or content."""
    assert [
        f"12:1: turn[1].expect.{key}: this cannot be expected of a turn without a row ({why})"
    ] == problems(with_expect(f"{why}\n{key} = {value}"))


def test_a_turn_that_spoke_has_a_row() -> None:
    """No row and the outcome ``spoke`` contradict each other."""
    assert [
        (
            '12:1: turn[1].expect.row: row = false contradicts outcome = "spoke", which is a turn '
            "with a row"
        )
    ] == problems(with_expect('outcome = "spoke"\nrow = false'))


# --- how problems are gathered -----------------------------------------------------------------


def test_problems_come_in_file_order_whatever_finds_them() -> None:
    """Turns that do not fit, names that are not there and the table above them are all told."""
    text = "[[turn]]\nseat = 'nobody'\n[[turn]]\nsaay = 1\n[expect]\nrow = 1\n" + DESK.removeprefix(
        "format = 1\n"
    ).replace("seats", "\nseats")
    assert [
        "1:1: format: missing, expected 1",
        f'2:8: turn[1].seat: found "nobody", expected {SEATS}',
        "3:1: turn[2]: a turn needs a seat or a person",
        (
            "4:1: turn[2].saay: unknown key, expected one of seat, person, say, calls, text, takes, "
            'crash, late, wrote, scores, repeat, expect; did you mean "say"?'
        ),
        (
            "6:1: expect.row: unknown key, expected one of rows, turns, nudges, asides, closed; did "
            'you mean "rows"?'
        ),
    ] == problems(text)


def test_a_problem_carries_its_facts() -> None:
    """Key, place and sentence can be read without parsing the message."""
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(DESK + TURN.replace("lead", "leda"), "s.toml")
    problem = caught.value.problems[0]
    assert isinstance(problem, KeyProblem)
    assert ("turn[1].seat", "s.toml:8:8", None) == (problem.key, problem.place, problem.kind)
    assert ("turn[1].seat", "s.toml:8:8", None) == (
        caught.value.key,
        caught.value.place,
        caught.value.kind,
    )
    assert f'turn[1].seat: found "leda", expected {SEATS}; did you mean "lead"?' == problem.problem


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        DESK + "[[turn]]\n" * 20_000,
        DESK + TURN + "wrote = [" + "1," * 20_000 + "]\n",
        DESK + TURN + "".join(f"key{number} = 1\n" for number in range(20_000)),
        with_policy("participants = [" + '"sea",' * 20_000 + "]"),
    ],
    ids=["turns", "elements", "keys", "names"],
)
def test_a_file_of_problems_is_told_soon(text: str) -> None:
    """Past some number more problems are of no use to anybody, and none is looked for."""
    assert MAX_PROBLEMS == len(problems(text))


def test_a_long_name_or_list_is_cut_in_a_message() -> None:
    """A message stays readable whatever the file holds."""
    seats = ", ".join(f'{{ id = "s{number}" }}' for number in range(100))
    text = f'format = 1\n[desk]\nid = "d"\nname = "D"\nseats = [{seats}]\n[[turn]]\n'
    assert [
        (
            f'7:8: turn[1].seat: found "{"x" * 60}…", expected a seat of the desk '
            "(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, …)"
        )
    ] == problems(f'{text}seat = "{"x" * 1000}"\n')


@pytest.mark.slow
def test_twenty_thousand_turns_are_read() -> None:
    """A long scenario is no problem, with an expectation in each turn."""
    scenario = parse_scenario(DESK + (TURN + 'expect = { next = "lead" }\n') * 20_000)
    assert 20_000 == len(scenario.turns)
    assert Place(7 + 4 * 19_999, 1) == scenario.turns[-1].place
    assert "20000" == scenario.turns[-1].label


@given(st.binary(max_size=200))
def test_random_bytes_raise_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes
) -> None:
    """Whatever bytes a file holds, loading it raises ``ScenarioError``."""
    path = tmp_path_factory.getbasetemp() / "random.toml"
    path.write_bytes(raw)
    with pytest.raises(ScenarioError):
        load_scenario(path)
    with pytest.raises(ScenarioError):
        load_desk(path)


TOKENS = tuple(dict.fromkeys(FULL.replace(",", " , ").split()))
JUNK = ("", "=", "[", "]", "{", "}", '"', "#", "1", "-1", "nan", "true", "'x'", "[[turn]]", "\n")


@given(st.data())
def test_a_mutated_file_raises_nothing_else(data: st.DataObject) -> None:
    """A valid file with pieces put in, left out or exchanged loads or raises ``ScenarioError``."""
    text = FULL
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        end = min(len(text), at + data.draw(st.sampled_from((0, 0, 1, 5, 40))))
        text = text[:at] + data.draw(st.sampled_from(TOKENS + JUNK)) + text[end:]
    try:
        scenario = parse_scenario(text)
    except ScenarioError as error:
        places = [(problem.line, problem.column) for problem in error.problems]
        lines = text.count("\n") + 1
        bad = [place for place in places if not 1 <= (place[0] or 0) <= lines]
    else:
        bad = []
        assert scenario.turns
    assert [] == bad


def test_a_value_of_another_kind_raises_nothing_else() -> None:
    """Each value of a valid file, exchanged for each kind of value, loads or is one error."""
    values = ('"x"', "1", "-1", "1.5", "nan", "true", "[]", "[1]", '["lead"]', "{}", "{ a = 1 }")
    lines = FULL.splitlines()
    loaded = 0
    for number, line in enumerate(lines):
        key, equals, _ = line.partition(" = ")
        for value in values if equals and not line.startswith(" ") else ():
            changed = [*lines[:number], f"{key} = {value}", *lines[number + 1 :]]
            with contextlib.suppress(ScenarioError):
                parse_scenario("\n".join(changed))
                loaded += 1
    assert 0 < loaded < len(lines) * len(values) // 2


# --- files -------------------------------------------------------------------------------------


def test_a_file_that_cannot_be_read_is_one_problem(tmp_path: Path) -> None:
    """What is wrong with the file itself is told the same way, without line and column."""
    path = tmp_path / "none.toml"
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path)
    assert f"{path}: there is no such file" == str(caught.value)
    assert 1 == len(caught.value.problems)


def test_a_scenario_is_loaded_under_the_path_given(tmp_path: Path) -> None:
    """The path in the errors of a file is the one that the user gave."""
    path = tmp_path / "s.toml"
    path.write_text(FULL, encoding="utf-8")
    assert parse_scenario(FULL, str(path)) == load_scenario(path)
    path.write_text(DESK, encoding="utf-8")
    with pytest.raises(ScenarioError, match="expected one"):
        load_scenario(str(path))


def test_a_desk_is_loaded_from_a_desk_file_and_from_a_scenario(tmp_path: Path) -> None:
    """A file with only a desk needs no format, and its seats may all be retired."""
    path = tmp_path / "desk.toml"
    path.write_text(FULL, encoding="utf-8")
    assert parse_scenario(FULL).desk == load_desk(path)
    path.write_text('title = "t"\n' + DESK.removeprefix("format = 1\n"), encoding="utf-8")
    assert parse_scenario(DESK + TURN).desk == load_desk(path)
    path.write_text('desk = { id = "d", name = "D" }\n', encoding="utf-8")
    assert DeskSpec(id="d", name="D") == load_desk(path)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("", "1:1: desk: missing, expected a table"),
        ("format = 3\ndesk = 1\n", "1:10: format: found 3, expected 1"),
        ('desk = { id = "main", name = "D" }', '1:15: desk.id: "main" means the general chat'),
        (DESK + "[policy]\n", "1:1: turn: missing, expected one [[turn]] or more"),
        (DESK + "[[turn]]\n", "7:1: turn[1]: a turn needs a seat or a person"),
        ("desk = [", "1:9: this is not TOML: invalid value"),
    ],
)
def test_a_fault_of_a_desk_file_is_told(tmp_path: Path, text: str, expected: str) -> None:
    """A desk file is checked like a scenario's desk, and a scenario as a whole."""
    path = tmp_path / "desk.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        load_desk(path)
    assert str(caught.value).startswith(f"{path}:{expected}")


def test_files_are_found_in_path_order(tmp_path: Path) -> None:
    """Files as given, folders as all their TOML files below, each once, missing ones kept."""
    for name in ("b/z.toml", "b/a.toml", "b/c/d.toml", "b/c.toml", "b/note.md", "a.toml"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("format = 1")
    (tmp_path / "b" / "folder.toml").mkdir()
    names = ("gone.toml", "b/z.toml", "b", "a.toml", "b/note.md")
    expected = (
        "gone.toml",
        "b/z.toml",
        "b/a.toml",
        "b/c/d.toml",
        "b/c.toml",
        "a.toml",
        "b/note.md",
    )
    assert [tmp_path / name for name in expected] == find_scenarios(
        str(tmp_path / name) for name in names
    )


def test_a_path_that_cannot_be_looked_at_is_listed_and_told_when_read() -> None:
    """A name too long for the system stops no other file; reading it is one error."""
    path = Path("x" * 5000)
    assert [path] == find_scenarios([path])
    with pytest.raises(ScenarioError, match="the file cannot be read: File name too long"):
        load_scenario(path)


def test_nothing_found_is_an_error(tmp_path: Path) -> None:
    """A folder without a TOML file is an error, and so is no path at all."""
    with pytest.raises(FileError) as caught:
        find_scenarios([tmp_path])
    assert f"{tmp_path}: no scenario found: there is no *.toml file here" == str(caught.value)
    with pytest.raises(FileError, match="no scenario found"):
        find_scenarios([])


def test_the_package_names_its_public_parts() -> None:
    """What is exported exists, sorted and once."""
    names = deskroom.scenario.__all__
    assert sorted(set(names)) == sorted(names)
    assert all(hasattr(deskroom.scenario, name) for name in names)
    assert {"find_scenarios", "load_desk", "load_scenario", "parse_scenario"} <= set(names)


def test_a_path_that_is_blank_is_refused_at_its_place() -> None:
    """A turn leaves behind a path that a row can name."""
    text = DESK + TURN + 'wrote = ["a.py", " "]\n'
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text, "x.toml")
    line = text[: text.index("wrote")].count("\n") + 1
    expected = f'x.toml:{line}:18: turn[1].wrote[2]: found " ", expected a path'
    assert expected == str(caught.value)


# --- all at once -------------------------------------------------------------------------------


def test_what_does_not_fit_hides_nothing_else_of_its_turn() -> None:
    """A key is left out and the rest is judged: names, and what goes together."""
    text = DESK + (
        '[[turn]]\nseat = "leed"\nsay = "hi"\ntakes = -1\n'
        '[[turn]]\nseat = "lead"\n'
        'expect = { next = { none = "no_such" }, outcome = "silent", content = "a" }\n'
        '[[turn]]\nperson = "nobody"\nsay = 3\nexpect = { rows = 1, next = "x" }\n'
    )
    assert [
        f'8:8: turn[1].seat: found "leed", expected {SEATS}; did you mean "lead"?',
        "10:9: turn[1].takes: found -1, expected a number >= 0",
    ] == problems(text)[:2]
    keys = [problem.split(": ")[1] for problem in problems(text)]
    assert [
        "turn[1].seat",
        "turn[1].takes",
        "turn[2].expect.next.none",
        "turn[2].expect.content",
        "turn[3].person",
        "turn[3].say",
        "turn[3].expect.rows",
        "turn[3].expect.next",
    ] == keys


def test_what_was_left_out_is_not_missed() -> None:
    """A key that is there and does not fit is told once, and not as one that is not there."""
    for wrong in ('seat = 3\nsay = "x"', 'person = 3\nsay = "x"', 'person = "sam"\nsay = 3'):
        assert 1 == len(problems(DESK + "[[turn]]\n" + wrong + "\n")), wrong
    desk = DESK.replace("people = [", "people = 3\nrest = [")
    told = problems(desk + '[[turn]]\nperson = "x"\nsay = "x"\n')
    assert not any("a person of the desk" in line for line in told)


def test_every_fault_of_a_desk_is_told() -> None:
    """Each seat and each person that is wrong, and the desk itself."""
    text = (
        'format = 1\n[desk]\nid = "main"\nname = ""\n'
        'seats = [{ id = " " }, { id = "" }, { id = "a" }, { id = "a" }, { id = "a" }]\n'
        'people = [{ id = "", label = "" }, { id = "p", label = "x" }, { id = "p", label = "x" }]\n'
        '[[turn]]\nseat = "a"\nsay = "hi"\n'
    )
    kinds = [re.sub(r"^(\d+:\d+): ([^:]+): .* \((\w+)\)$", r"\1 \2 \3", p) for p in problems(text)]
    assert [
        "3:6 desk.id reserved_desk_identity",
        "4:8 desk.name empty_desk_name",
        "5:17 desk.seats[1].id empty_member_id",
        "5:31 desk.seats[2].id empty_member_id",
        "5:58 desk.seats[4].id duplicate_member_id",
        "5:72 desk.seats[5].id duplicate_member_id",
        "6:18 desk.people[1].id empty_person_id",
        "6:70 desk.people[3].id duplicate_person_id",
    ] == kinds


def test_a_desk_with_an_unknown_key_still_has_its_names() -> None:
    """A turn of a stranger is told along with it."""
    text = DESK.replace('{ id = "lead"', '{ id = "lead", brif = "x"', 1)
    keys = [line.split(": ")[1] for line in problems(text + TURN.replace("lead", "leda"))]
    assert ["desk.seats[1].brif", "turn[1].seat"] == keys
