from __future__ import annotations

import tomllib
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from deskroom.core import AsidePolicy, Person
from deskroom.core.reasons import CallFault, CloseReason, NoTurnReason, Outcome
from deskroom.room import ChairPolicy, Policy, Seat
from deskroom.scenario import (
    Call,
    DeskSpec,
    Nobody,
    Opening,
    OpeningExpect,
    RunExpect,
    Scenario,
    Turn,
    TurnExpect,
    parse_scenario,
)
from deskroom.scenario.format.write import comment, scenario_toml, toml_value

DESK = DeskSpec(id="d", name="D", seats=(Seat(id="a"),))
FULL = Scenario(
    title="A desk",
    why="One line.\nAnother.",
    order="routed",
    desk=DeskSpec(
        id="pe1006",
        name="PE 1006",
        people=(Person("sam", "Sam"),),
        seats=(Seat(id="lead", name="LEAD"), Seat(id="old", fence=True, retired=True)),
    ),
    policy=Policy(
        aside=AsidePolicy(enabled=True, max_members=2),
        chair=ChairPolicy(rounds=1),
        close="all",
        participants=("lead",),
        turn_timeout_s=2.5,
    ),
    opening=Opening(by="sam", message="@lead begin", expect=OpeningExpect(next="lead")),
    turns=(
        Turn(
            seat="lead",
            say='two\nlines "here"',
            text="thinking",
            takes=1,
            wrote=("a.md", "b c.md"),
            expect=TurnExpect(audience="desk", next=Nobody(none=NoTurnReason.SELF_MENTION)),
        ),
        Turn(
            seat="lead",
            calls=(
                Call(tool="desk_dm", arguments={"to": ["old"], "message": "x" * 70}),
                Call(tool="desk_read", arguments={"limit": 3}),
            ),
            late=(Call(tool="desk_post", arguments={"message": "late"}),),
            crash="it broke",
            scores={"old": 0.3},
            repeat=2,
            expect=TurnExpect(
                row=False,
                outcome=Outcome.FAILED,
                replies=(CallFault.UNKNOWN_RECIPIENT, "ok", CallFault.TURN_ENDED) * 2,
            ),
        ),
        Turn(person="sam", say="and now?"),
    ),
    expect=RunExpect(rows=3, closed=CloseReason.SCRIPT),
)
TEXT = '''\
# Recorded.

format = 1
title = "A desk"
why = """
One line.
Another."""
order = "routed"

[desk]
id = "pe1006"
name = "PE 1006"
people = [{ id = "sam", label = "Sam" }]
seats = [
    { id = "lead", name = "LEAD" },
    { id = "old", fence = true, retired = true },
]

[policy]
close = "all"
participants = ["lead"]
turn_timeout_s = 2.5

[policy.aside]
enabled = true
max_members = 2

[policy.chair]
rounds = 1

[opening]
by = "sam"
message = "@lead begin"
expect = { next = "lead" }

[[turn]]
seat = "lead"
say = """
two
lines "here\\""""
text = "thinking"
takes = 1
wrote = ["a.md", "b c.md"]
expect = { audience = "desk", next = { none = "self_mention" } }

# The second turn.
[[turn]]
seat = "lead"
calls = [
    { tool = "desk_dm", to = ["old"], message = "XXX" },
    { tool = "desk_read", limit = 3 },
]
late = [{ tool = "desk_post", message = "late" }]
crash = "it broke"
scores = { old = 0.3 }
repeat = 2

[turn.expect]
replies = ["unknown_recipient", "ok", "turn_ended", "unknown_recipient", "ok", "turn_ended"]
row = false
outcome = "failed"

[[turn]]
person = "sam"
say = "and now?"

[expect]
rows = 3
closed = "script"
'''.replace("XXX", "x" * 70)


def test_a_scenario_is_laid_out_as_a_person_would() -> None:
    """Only what differs from the defaults is written; what is long gets lines of its own."""
    text = scenario_toml(FULL, remarks=["Recorded."], turn_remarks={1: ["The second turn."]})
    assert TEXT == text


def test_seats_with_long_briefs_get_tables_of_their_own() -> None:
    """A list of them would be hard to read."""
    seats = (Seat(id="a", brief="first\nsecond"), Seat(id="b"))
    text = scenario_toml(Scenario(desk=evolve(DESK, seats=seats), turns=(Turn(seat="b"),)))
    assert (
        '[desk]\nid = "d"\nname = "D"\n\n[[desk.seats]]\nid = "a"\nbrief = """\nfirst\nsecond"""\n\n'
        '[[desk.seats]]\nid = "b"\n\n[[turn]]\n' in text
    )
    assert seats == parse_scenario(text).desk.seats


@pytest.mark.parametrize(
    "value, written",
    [
        ("plain", '"plain"'),
        ('say "it"', r'"say \"it\""'),
        ("back\\slash", r'"back\\slash"'),
        ("tab\there", r'"tab\there"'),
        ("one\ntwo", '"""\none\ntwo"""'),
        ('"""\n"', '"""\n\\"\\""\n\\""""'),
        ("trailing \nspace", r'"trailing \nspace"'),
        ("ends in space\n ", r'"ends in space\n "'),
        ("a\r\nb", r'"a\r\nb"'),
        ("\x00\x7f\u202e\U000e0001", r'"\u0000\u007f\u202e\U000e0001"'),
        ("über 字", '"über 字"'),
        (True, "true"),
        (1.5, "1.5"),
        (1e22, "1e+22"),
        ([1, ["a"]], '[1, ["a"]]'),
        ({}, "{}"),
        ({"a b": {"c": []}, "": 1}, '{ "a b" = { c = [] }, "" = 1 }'),
    ],
)
def test_a_value_is_written_so_that_it_can_be_seen(value: Any, written: str) -> None:
    """A text of several lines looks like one, unless an editor could change it unseen."""
    assert written == toml_value(value)
    assert {"v": value} == tomllib.loads(f"v = {written}")


@given(
    st.recursive(
        st.text() | st.integers(-(2**63), 2**63 - 1) | st.booleans() | st.floats(allow_nan=False),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=6,
    ).filter(lambda value: "inf" not in repr(value))
)
def test_any_value_reads_as_it_was(value: object) -> None:
    """Whatever a seat may have said or sent."""
    assert {"v": value} == tomllib.loads(f"v = {toml_value(value)}\n")


def test_a_comment_is_one_line() -> None:
    """Nothing in it can end it."""
    assert r"# a\nb \u0000" == comment("a\nb \x00")
    assert "#" == comment("")


@pytest.mark.slow
@given(st.data())
def test_any_scenario_reads_as_it_was(scenarios: Any, data: st.DataObject) -> None:
    """Writing it again gives the same text, and every copy of a repeated turn is there."""
    scenario = data.draw(scenarios)
    text = scenario_toml(scenario)
    read = parse_scenario(text)
    turns = [turn for turn in scenario.turns for _ in range(turn.repeat)]
    assert turns == [evolve(turn, number=0, label="") for turn in read.turns]
    assert evolve(scenario, turns=(), digest="") == evolve(read, turns=(), digest="")
