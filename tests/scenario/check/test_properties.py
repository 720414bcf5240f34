"""Warnings of properties that can never fail, and of such as can never be met."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from deskroom.engine.setup import Seat
from deskroom.runs.properties import Matcher, Property, property_violations
from deskroom.scenario import Scenario, parse_scenario, replay_scenario
from deskroom.scenario.check import check_text
from deskroom.scenario.check.context import CheckContext
from deskroom.scenario.check.possible import Possible
from deskroom.scenario.check.warning import Warnings
from deskroom.scenario.format.load import read_partial
from deskroom.scenario.format.toml import parse_toml
from deskroom.scenario.format.write import scenario_toml

Warned = Callable[..., list[str]]

SEATS = '{ id = "a" }, { id = "b" }, { id = "old", retired = true }'
#: Six lines behind those of the desk, so that a property's keys begin on line 16.
BODY = """\
[policy]
{policy}
[opening]
by = "sam"
message = "@a go"
[[property]]
name = "p"
"""


@pytest.fixture
def told(warned: Warned) -> Callable[..., list[str]]:
    """Return a function that says what is warned of about one property, without its place."""

    def check(lines: str, *, policy: str = "", order: str = "routed", turns: str = "") -> list[str]:
        turns = turns or '[[turn]]\nseat = "a"\nsay = "x"\n'
        body = BODY.format(policy=policy) + lines + "\n" + turns
        found = warned(body, seats=SEATS, order=order)
        return [one.split(maxsplit=1)[1] for one in found if " property[1]" in one]

    return check


ASIDES = "aside = { enabled = true, max_members = 1, max_messages = 2 }"


@pytest.mark.parametrize(
    "never, key, reason",
    [
        ('audience = "aside"', ".audience", "no_asides"),
        ('audience = ["b"]', ".audience", "no_asides"),
        ('audience = { not = "desk" }', ".audience", "no_asides"),
        ("repeats_private = true", ".repeats_private", "no_asides"),
        ('kind = "nudge"', ".kind", "no_nudges"),
        ("hop = 17", ".hop", "max_hops"),
        ("hop = { at_least = 17 }", ".hop", "max_hops"),
        ("hop = { at_least = 3, at_most = 3 }", "", ""),
        ('seat = "old"', ".seat", "retired"),
        ('mentions = "old"', ".mentions", "retired"),
        ('next = ["old"]', ".next", "retired"),
        ('next = { none = "disabled" }', ".next", "reason"),
        ('why = "hop_overflow"', ".why", "reason"),
        ('refusal = "turn_ended"', ".refusal", "refusal"),
        ('refusal = ["turn_ended", "not_your_turn"]', ".refusal", "refusal"),
        ('refusal = "budget_spent"', ".refusal", "refusal"),
        ('refusal = "disabled"', "", ""),
        ('text = { not = ".*" }', ".text", "text"),
        ('person = "sam", seat = "a"', "", "contradiction"),
        ('person = "sam", kind = "seat"', "", "contradiction"),
        ('person = "sam", completes = true', "", "contradiction"),
        ('row = false, kind = "seat"', "", "contradiction"),
        ('row = false, audience = "desk"', "", "contradiction"),
        ('row = true, outcome = "silent"', "", "contradiction"),
        ('outcome = "spoke", row = false', "", "contradiction"),
        ('seat = "a", next = "a"', "", "contradiction"),
        ('kind = "person", next = { any = false }', "", "contradiction"),
        ('next = { any = true }, why = "broadcast"', "", "contradiction"),
        ('hop = 1, kind = "opening"', "", "contradiction"),
        ('kind = "wrote", mentions = "a"', "", "contradiction"),
    ],
)
def test_what_no_step_can_be_is_told_with_the_key_to_blame(
    told: Warned, never: str, key: str, reason: str
) -> None:
    """Or of the whole matcher, where only together its keys cannot fit."""
    whole = f"property[1].never{key} cannot_fail {reason}"
    assert ([whole] if reason else []) == told(f"never = {{ {never} }}")


@pytest.mark.parametrize(
    "never, policy",
    [
        ('audience = "aside"', ASIDES),
        ('audience = ["b"]', ASIDES),
        ("repeats_private = true", ASIDES),
        ('kind = "nudge"', "chair = { rounds = 1 }"),
        ("hop = 17", "dispatch = { max_hops = 17 }"),
        ('next = { none = "disabled" }', "dispatch = { enabled = false }"),
        ('refusal = "budget_spent"', ASIDES),
        ('seat = "a", next = "b"', ""),
        ('row = true, refusal = "empty_message"', ""),
        ('completes = true, audience = "desk"', ""),
        ('person = "sam", kind = "nudge"', "chair = { rounds = 1 }"),
        ('text = "a.*"', ""),
        ('text = "^"', ""),
    ],
)
def test_what_some_step_can_be_is_left_alone(told: Warned, never: str, policy: str) -> None:
    """Though no listed turn is one: a property is there for what nobody listed."""
    assert [] == told(f"never = {{ {never} }}", policy=policy)


@pytest.mark.parametrize(
    "never, policy, reason",
    [
        ('audience = ["a", "b"]', ASIDES, "audience"),
        ('audience = ["old"]', ASIDES, "audience"),
        ('refusal = "disabled"', ASIDES, "refusal"),
        ('audience = "aside"', ASIDES.replace("_messages = 2", "_messages = 0"), "no_asides"),
        ('audience = "aside"', ASIDES.replace("_members = 1", "_members = 0"), "no_asides"),
        ('audience = "aside"', ASIDES.replace(" }", ", require_thread = true }"), "no_asides"),
    ],
)
def test_the_policy_decides_what_a_private_row_can_be(
    told: Warned, never: str, policy: str, reason: str
) -> None:
    """Whom it can be for, and why it can be refused."""
    found = told(f"never = {{ {never} }}", policy=policy)
    assert [reason] == [one.split()[-1] for one in found]


def test_a_retired_seat_has_a_turn_where_the_list_gives_it_one(told: Warned) -> None:
    """In listed order it is played as listed."""
    turns = '[[turn]]\nseat = "old"\nsay = "x"\nexpect = { row = false, outcome = "silent" }\n'
    assert [] == told('never = { seat = "old" }', order="listed", turns=turns)
    assert ["property[1].never.seat cannot_fail retired"] == told(
        'never = { seat = "old" }', order="listed"
    )


@pytest.mark.parametrize(
    "lines, expected",
    [
        ('always = { text = "a*" }', ["", ".text"]),
        ('always = { audience = "desk" }', []),
        ('when = { row = true }\nalways = { audience = "desk" }', [""]),
        ('when = { seat = "a" }\nalways = { hop = { at_least = 0, at_most = 16 } }', [""]),
        ('when = { seat = "a" }\nalways = { hop = { at_least = 0, at_most = 15 } }', []),
        ('when = { seat = "a" }\nalways = { seat = ["a", "b"] }', [""]),
        ('when = { seat = "a", row = true }\nalways = { outcome = "spoke" }', [""]),
        ('when = { seat = "a" }\nalways = { outcome = "spoke" }', []),
        ("always = { repeats_private = false }", [""]),
        ('when = { kind = "opening" }\nalways = { person = "sam" }', [""]),
    ],
)
def test_what_every_step_is_cannot_fail(told: Warned, lines: str, expected: list[str]) -> None:
    """Of all steps, or of those that ``when`` matches."""
    kinds = {"": "cannot_fail certain", ".text": "no_effect"}
    assert [f"property[1].always{one} {kinds[one]}" for one in expected] == told(lines)


@pytest.mark.parametrize(
    "lines, expected",
    [
        ('eventually = { kind = "nudge" }', "eventually.kind cannot_match no_nudges"),
        ('always = { kind = "nudge" }', "always.kind cannot_match no_nudges"),
        ('always = { seat = "old" }\nwhen = { row = true }', "always.seat cannot_match retired"),
        ('always = { seat = "b" }\nwhen = { seat = "a" }', "always cannot_match contradiction"),
        ('always = { row = true }\nwhen = { seat = "old" }', "when.seat cannot_fail retired"),
        (
            'after = { seat = "old" }\nthen = { seat = "a" }\nwithin = 9',
            "after.seat cannot_fail retired",
        ),
        (
            'after = { seat = "a" }\nthen = { seat = "old" }\nwithin = 9',
            "then.seat cannot_match retired",
        ),
        (
            'after = { row = false }\nthen = { seat = { same_as = "next" } }\nwithin = 9',
            "then.seat.same_as cannot_match contradiction",
        ),
        (
            'after = { next = { any = false } }\nthen = { seat = { same_as = "next" } }\nwithin = 9',
            "then.seat.same_as cannot_match contradiction",
        ),
        (
            'after = { person = "sam" }\nthen = { seat = { same_as = "seat" } }\nwithin = 9',
            "then.seat.same_as cannot_match contradiction",
        ),
        (
            'after = { seat = "a" }\nthen = { mentions = { same_as = "person" } }\nwithin = 9',
            "then.mentions.same_as cannot_match contradiction",
        ),
        ('after = { seat = "a" }\nthen = { seat = "b" }\nwithin = 10', "within no_effect"),
        ('count = { kind = "seat" }\nat_least = 11', "at_least cannot_match count"),
        ('count = { kind = "opening" }\nat_least = 2', "at_least cannot_match count"),
        ('count = { kind = "opening" }\nat_most = 1', "at_most cannot_fail count"),
        ('count = { kind = "seat" }\nat_most = 10', "at_most cannot_fail count"),
        ('count = { seat = "a" }\nat_least = 0', "at_least cannot_fail count"),
        ('count = { kind = "nudge" }\nat_least = 1', "count.kind cannot_match no_nudges"),
        ('count = { kind = "nudge" }\nat_most = 1', "count.kind cannot_fail no_nudges"),
        ('never = { text = ".*", seat = "a" }', "never.text no_effect"),
    ],
)
def test_each_kind_of_property_is_looked_at(told: Warned, lines: str, expected: str) -> None:
    """What never matches makes one property hold for ever, and another never."""
    assert [f"property[1].{expected}"] == told(lines, policy="max_turns = 10")


@pytest.mark.parametrize(
    "lines",
    [
        'after = { next = { any = true } }\nthen = { seat = { same_as = "next" } }\nwithin = 9',
        'after = { person = "sam" }\nthen = { mentions = { same_as = "person" } }\nwithin = 9',
        'count = { kind = "seat" }\nat_least = 10',
        'count = { kind = "seat" }\nat_most = 9',
        'count = { seat = "a" }\nat_most = 10',
        'count = { kind = "seat" }\nat_least = 1\nat_most = 10',
        'count = { kind = "person" }\nat_least = 1000',
        "eventually = { completes = true }",
    ],
)
def test_what_can_fail_and_can_hold_is_left_alone(told: Warned, lines: str) -> None:
    """At the boundary of each bound."""
    assert [] == told(lines, policy="max_turns = 10")


def test_nothing_is_told_of_a_file_with_errors() -> None:
    """What is wrong may be what would have made it right."""
    text = (
        'format = 1\ndesk = { id = "d", name = "D", seats = [{ id = "a" }] }\n'
        '[[property]]\nname = "p"\nnever = { kind = "nudge" }\n'
    )
    # It lists no turn.
    checked = check_text(text)
    assert (1, ()) == (len(checked.errors), checked.warnings)


# No warning is wrong


def possible_of(scenario: Scenario) -> Possible:
    """Return what steps of a scenario can be."""
    document = parse_toml(scenario_toml(scenario), "x.toml")
    partial = read_partial(document)
    assert partial.desk is not None
    return Possible(CheckContext(partial, partial.desk, Warnings(document)))


@pytest.mark.slow
@given(st.data())
@settings(max_examples=100)
def test_what_is_impossible_never_comes_and_what_is_certain_always_does(
    scenarios: Any, matchers: Any, data: st.DataObject
) -> None:
    """Whatever is played."""
    scenario = data.draw(scenarios)
    possible, run = possible_of(scenario), replay_scenario(scenario).run
    for matcher in data.draw(st.lists(matchers, min_size=8, max_size=8)):
        other: Matcher = data.draw(matchers)
        count = Property(name="count", count=matcher, at_least=0, at_most=0)
        found = property_violations([count], run)
        number = found[0].times if found else 0
        assert number <= possible.most([matcher])
        for when in (None, other):
            always = Property(name="always", always=matcher, when=when)
            if possible.is_certain(matcher, when):
                assert () == property_violations([always], run)


@pytest.mark.slow
@given(st.data())
@settings(max_examples=100)
def test_no_warning_is_wrong(scenarios: Any, properties: Any, data: st.DataObject) -> None:
    """What can never fail does not, and what can never be met is not."""
    asked = tuple(
        evolve(one, name=f"{one.name} {at}")
        for at, one in enumerate(data.draw(st.lists(properties, min_size=4, max_size=4)))
    )
    drawn: Scenario = data.draw(scenarios)
    ids = [seat.id for seat in drawn.desk.seats]
    more = tuple(Seat(id=id_) for id_ in "abc" if id_ not in ids)
    desk = evolve(drawn.desk, seats=(*drawn.desk.seats, *more))
    text = scenario_toml(evolve(drawn, desk=desk, properties=asked))
    scenario, checked = parse_scenario(text), check_text(text)
    assert () == checked.errors
    broken = [
        one.name for one in property_violations(scenario.properties, replay_scenario(scenario).run)
    ]
    for warning in checked.warnings:
        if warning.key.startswith("property[") and warning.kind == "cannot_fail":
            at = int(warning.key[len("property[") : warning.key.index("]")])
            assert scenario.properties[at - 1].name not in broken
