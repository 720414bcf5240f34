from __future__ import annotations

import contextlib
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import deskroom.scenario
from deskroom.core.aside import AsidePolicy
from deskroom.core.dispatch import DispatchPolicy
from deskroom.core.reasons import AsideReason, CloseReason, NoTurnReason, Outcome
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
    """Return place, kind and key of what is wrong with a scenario, in file order."""
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text)
    error = caught.value
    assert str(error.problems[0]) == str(error)
    assert all(problem.path == "<text>" for problem in error.problems)
    return [
        f"{problem.line}:{problem.column} {problem.kind} {getattr(problem, 'key', None)}"
        for problem in error.problems
    ]


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
        next=Nobody(none=NoTurnReason.DISABLED),
        completes=True,
        refusal=AsideReason.BUDGET_SPENT,
        replies=("ok", AsideReason.BUDGET_SPENT),
        outcome=Outcome.SPOKE,
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
                expect=TurnExpect(row=False, outcome=Outcome.REFUSED),
            ),
            Turn(
                seat="solver",
                number=4,
                label="4",
                expect=TurnExpect(audience="desk", next=("lead", "solver"), mentions=()),
            ),
        ),
        expect=RunExpect(rows=5, turns=4, nudges=1, asides=0, closed=CloseReason.SCRIPT),
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


# --- what is wrong with the desk ---------------------------------------------------------------


@pytest.mark.parametrize(
    "old, new, kind, expected",
    [
        ('"solver"', '"lead"', "duplicate_member_id", "6:34 {} desk.seats[2].id"),
        ('"solver"', '" \\u2003"', "empty_member_id", "6:34 {} desk.seats[2].id"),
        (
            '"Sam" }',
            '"Sam" }, { id = "sam", label = "S" }',
            "duplicate_person_id",
            "5:49 {} desk.people[2].id",
        ),
        ('"sam"', '""', "empty_person_id", "5:18 {} desk.people[1].id"),
        ('"d"', '""', "empty_desk_id", "3:6 {} desk.id"),
        ('"D"', '""', "empty_desk_name", "4:8 {} desk.name"),
        ('"d"', '"MAIN"', "reserved_desk_identity", "3:6 {} desk.id"),
        ('"D"', '"General"', "reserved_desk_identity", "4:8 {} desk.name"),
    ],
)
def test_an_invalid_roster_or_desk_keeps_its_kind(
    old: str, new: str, kind: str, expected: str
) -> None:
    """Each has the code of the core, and the error of the core behind it."""
    text = DESK.replace(old, new) + TURN
    assert [expected.format(kind)] == problems(text)
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text)
    assert kind == caught.value.kind
    cause = caught.value.problems[0].__cause__
    assert isinstance(cause, RosterError | DeskError)
    assert kind == cause.kind


# --- what is wrong with a turn -----------------------------------------------------------------


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
    text = with_expect(f"{why}\n{key} = {value}")
    assert [f"12:1 needs_a_row turn[1].expect.{key}"] == problems(text)


# --- how problems are gathered -----------------------------------------------------------------


def test_problems_come_in_file_order_whatever_finds_them() -> None:
    """Wrong turns, names that do not exist and the table above them are all reported."""
    text = "[[turn]]\nseat = 'nobody'\n[[turn]]\nsaay = 1\n[expect]\nrow = 1\n" + DESK.removeprefix(
        "format = 1\n"
    ).replace("seats", "\nseats")
    assert [
        "1:1 missing_key format",
        "2:8 unknown_name turn[1].seat",
        "3:1 missing_key turn[2]",
        "4:1 unknown_key turn[2].saay",
        "6:1 unknown_key expect.row",
    ] == problems(text)


def test_a_problem_carries_its_facts() -> None:
    """Kind, key and place can be read without parsing the message, and of the first at once."""
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(DESK + TURN.replace("lead", "leda"), "s.toml")
    problem = caught.value.problems[0]
    assert isinstance(problem, KeyProblem)
    facts = ("unknown_name", "turn[1].seat", "s.toml:8:8")
    assert facts == (problem.kind, problem.key, problem.place)
    assert facts == (caught.value.kind, caught.value.key, caught.value.place)
    assert str(problem).startswith("s.toml:8:8: turn[1].seat: found ")


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
def test_a_file_of_problems_is_reported_soon(text: str) -> None:
    """Past some number more problems are of no use to anybody, and none is looked for."""
    assert MAX_PROBLEMS == len(problems(text))


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
    """What is wrong with the file itself is reported the same way, without line and column."""
    path = tmp_path / "none.toml"
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path)
    assert (str(path), "no_file", 1) == (
        caught.value.place,
        caught.value.kind,
        len(caught.value.problems),
    )


def test_a_scenario_is_loaded_under_the_path_given(tmp_path: Path) -> None:
    """The path in the errors of a file is the one that the user gave."""
    path = tmp_path / "s.toml"
    path.write_text(FULL, encoding="utf-8")
    assert parse_scenario(FULL, str(path)) == load_scenario(path)
    path.write_text(DESK, encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        load_scenario(str(path))
    assert f"{path}:1:1" == caught.value.place


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
        ("", "1:1 missing_key desk"),
        ("format = 3\ndesk = 1\n", "1:10 unknown_value format"),
        ('desk = { id = "main", name = "D" }', "1:15 reserved_desk_identity desk.id"),
        (DESK + "[policy]\n", "1:1 missing_key turn"),
        (DESK + "[[turn]]\n", "7:1 missing_key turn[1]"),
        ("desk = [", "1:9 not_toml None"),
    ],
)
def test_a_problem_of_a_desk_file_is_reported(tmp_path: Path, text: str, expected: str) -> None:
    """A desk file is checked like a scenario's desk, and a scenario as a whole."""
    path = tmp_path / "desk.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        load_desk(path)
    error = caught.value
    assert expected == f"{error.line}:{error.column} {error.kind} {error.key}"
    assert str(path) == error.path


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


def test_a_path_that_cannot_be_looked_at_is_listed_and_fails_when_read() -> None:
    """A name too long for the system stops no other file; reading it is one error."""
    path = Path("x" * 5000)
    assert [path] == find_scenarios([path])
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path)
    assert "unreadable" == caught.value.kind


def test_nothing_found_is_an_error(tmp_path: Path) -> None:
    """A folder without a TOML file is an error, and so is no path at all."""
    with pytest.raises(FileError) as caught:
        find_scenarios([tmp_path])
    assert (str(tmp_path), "no_scenario") == (caught.value.path, caught.value.kind)
    with pytest.raises(FileError) as caught:
        find_scenarios([])
    assert (".", "no_scenario") == (caught.value.path, caught.value.kind)


def test_the_package_names_its_public_parts() -> None:
    """What is exported exists, sorted and once."""
    names = deskroom.scenario.__all__
    assert sorted(set(names)) == sorted(names)
    assert all(hasattr(deskroom.scenario, name) for name in names)
    assert {"find_scenarios", "load_desk", "load_scenario", "parse_scenario"} <= set(names)


# --- all at once -------------------------------------------------------------------------------


def test_what_is_wrong_hides_nothing_else_of_its_turn() -> None:
    """A key is left out and the rest is checked: names, and what goes together."""
    text = DESK + (
        '[[turn]]\nseat = "leed"\nsay = "hi"\ntakes = -1\nwrote = [1]\n'
        '[[turn]]\nseat = "lead"\n'
        'expect = { next = { none = "no_such" }, outcome = "silent", content = "a" }\n'
        '[[turn]]\nperson = "nobody"\nsay = 3\nexpect = { rows = 1, next = "x" }\n'
    )
    assert [
        "8:8 unknown_name turn[1].seat",
        "10:9 out_of_range turn[1].takes",
        "11:10 wrong_type turn[1].wrote[1]",
        "14:28 unknown_value turn[2].expect.next.none",
        "14:61 needs_a_row turn[2].expect.content",
        "16:10 unknown_name turn[3].person",
        "17:7 wrong_type turn[3].say",
        "18:12 unknown_key turn[3].expect.rows",
        "18:29 unknown_name turn[3].expect.next",
    ] == problems(text)


def test_what_was_left_out_is_not_missed() -> None:
    """A key that is there and wrong is reported once, and not as one that is not there."""
    for wrong in ('seat = 3\nsay = "x"', 'person = 3\nsay = "x"', 'person = "sam"\nsay = 3'):
        assert 1 == len(problems(DESK + "[[turn]]\n" + wrong + "\n")), wrong
    desk = DESK.replace("people = [", "people = 3\nrest = [")
    assert ["5:10 wrong_type desk.people", "6:1 unknown_key desk.rest"] == problems(
        desk + '[[turn]]\nperson = "x"\nsay = "x"\n'
    )


def test_every_problem_of_a_desk_is_reported() -> None:
    """Each seat and each person that is wrong, and the desk itself."""
    text = (
        'format = 1\n[desk]\nid = "main"\nname = ""\n'
        'seats = [{ id = " " }, { id = "" }, { id = "a" }, { id = "a" }, { id = "a" }]\n'
        'people = [{ id = "", label = "" }, { id = "p", label = "x" }, { id = "p", label = "x" }]\n'
        '[[turn]]\nseat = "a"\nsay = "hi"\n'
    )
    assert [
        "3:6 reserved_desk_identity desk.id",
        "4:8 empty_desk_name desk.name",
        "5:17 empty_member_id desk.seats[1].id",
        "5:31 empty_member_id desk.seats[2].id",
        "5:58 duplicate_member_id desk.seats[4].id",
        "5:72 duplicate_member_id desk.seats[5].id",
        "6:18 empty_person_id desk.people[1].id",
        "6:70 duplicate_person_id desk.people[3].id",
    ] == problems(text)


def test_a_desk_with_an_unknown_key_still_has_its_names() -> None:
    """A turn of an unknown seat is reported along with it."""
    text = DESK.replace('{ id = "lead"', '{ id = "lead", brif = "x"', 1)
    assert ["6:25 unknown_key desk.seats[1].brif", "8:8 unknown_name turn[1].seat"] == problems(
        text + TURN.replace("lead", "leda")
    )
