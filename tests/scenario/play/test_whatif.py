from __future__ import annotations

import pytest
from attrs import evolve

from deskroom.core import AsidePolicy
from deskroom.errors import FileError, UsageError
from deskroom.room import ChairPolicy, Policy
from deskroom.scenario import Scenario, parse_scenario
from deskroom.scenario.play.whatif import parse_setting, with_settings

FILE = """\
format = 1
desk = { id = "d", name = "D", seats = [{ id = "a" }], people = [{ id = "sam", label = "Sam" }] }

[policy]
max_turns = 7
aside = { enabled = true, max_members = 2 }

[[turn]]
seat = "a"
"""


def changed(*given: str) -> Policy:
    """Return the policy of the file with these settings."""
    scenario = parse_scenario(FILE, "x.toml")
    return with_settings(scenario, [parse_setting(text) for text in given]).policy


def as_it_is() -> Policy:
    """Return the policy of the file."""
    return Policy(max_turns=7, aside=AsidePolicy(enabled=True, max_members=2))


@pytest.mark.parametrize(
    "given, policy",
    [
        ((), as_it_is()),
        (("policy.max_turns=2",), evolve(as_it_is(), max_turns=2)),
        ((" policy . max_turns = 2 # two",), evolve(as_it_is(), max_turns=2)),
        (("policy.max_turns=2", "policy.max_turns=3"), evolve(as_it_is(), max_turns=3)),
        (('policy.close="all"',), evolve(as_it_is(), close="all")),
        (("policy.turn_timeout_s=0.5",), evolve(as_it_is(), turn_timeout_s=0.5)),
        (('policy.participants=["a"]',), evolve(as_it_is(), participants=("a",))),
        (
            ("policy.aside.max_members=3",),
            evolve(as_it_is(), aside=AsidePolicy(enabled=True, max_members=3)),
        ),
        (
            ("policy.aside={max_messages=4}", 'policy.chair={rounds=1,by="sam"}'),
            evolve(
                as_it_is(),
                aside=AsidePolicy(enabled=True, max_members=2, max_messages=4),
                chair=ChairPolicy(rounds=1, by="sam"),
            ),
        ),
    ],
)
def test_what_is_set_takes_the_place_of_what_the_file_says(
    given: tuple[str, ...], policy: Policy
) -> None:
    """Key by key: whatever is not set stays as the file has it."""
    assert policy == changed(*given)


def test_nothing_else_of_the_scenario_changes() -> None:
    """The script and what it expects are the same."""
    scenario = parse_scenario(FILE)
    other = with_settings(scenario, [parse_setting("policy.max_turns=2")])
    assert scenario == evolve(other, policy=scenario.policy)


KEY = "expected a key of the policy, such as policy.dispatch.max_hops"


@pytest.mark.parametrize(
    "text, problem",
    [
        ("max_turns", 'found "max_turns", expected KEY=VALUE'),
        ("=2", 'found "", expected one key, such as policy.dispatch.max_hops'),
        ("a b=2", 'found "a b", expected one key, such as policy.dispatch.max_hops'),
        ("title='x'", f'found "title", {KEY}'),
        (
            "dispatch.max_hops=2",
            f'found "dispatch.max_hops", {KEY}; did you mean "policy.dispatch.max_hops"?',
        ),
        ("max_hops=2", f'found "max_hops", {KEY}; did you mean "policy.dispatch.max_hops"?'),
        ("polcy.window=2", f'found "polcy.window", {KEY}; did you mean "policy.window"?'),
        (
            "policy.dispatch.max_hop=2",
            (
                "policy.dispatch.max_hop: unknown key, expected one of enabled, max_hops; "
                'did you mean "max_hops"?'
            ),
        ),
        ("policy=2", "policy: found 2, expected a table"),
        ("policy.max_turns=0", "policy.max_turns: found 0, expected a number >= 1"),
        ("policy.max_turns=true", "policy.max_turns: found true, expected a whole number"),
        ("policy.max_turns={a=1}", "policy.max_turns: found a table, expected a whole number"),
        (
            "policy.close='al'",
            'policy.close: found "al", expected one of first, all; did you mean "all"?',
        ),
        (
            "policy.close=all",
            'found "all", expected a value in TOML; a text needs quotes: \'policy.close="all"\'',
        ),
        ("policy.close=", 'found "", expected a value in TOML'),
        ("policy.max_turns=2\nx=3", 'found "2\\nx=3", expected one value in TOML'),
        ("policy.max_turns=2\n[policy.x]", 'found "2\\n[policy.x]", expected one value in TOML'),
    ],
)
def test_what_is_no_setting_is_an_error(text: str, problem: str) -> None:
    """It reads as the loader's do, with the nearest name."""
    with pytest.raises(UsageError) as caught:
        parse_setting(text)
    assert f"--set {text}: {problem}" == str(caught.value)


@pytest.mark.parametrize(
    "text, problem",
    [
        (
            'policy.chair.by="sm"',
            'policy.chair.by: found "sm", expected a person of the desk (sam); did you mean "sam"?',
        ),
        (
            'policy.participants=["b"]',
            'policy.participants[1]: found "b", expected a seat of the desk (a)',
        ),
    ],
)
def test_a_name_that_the_desk_has_not_got_is_an_error(text: str, problem: str) -> None:
    """It is the file's, since another may have it."""
    with pytest.raises(FileError) as caught:
        changed(text)
    assert f"x.toml: --set {text}: {problem}" == str(caught.value)


def test_settings_are_for_any_scenario() -> None:
    """A chair that speaks for the first person needs one."""
    nobody: Scenario = parse_scenario(
        FILE.replace(', people = [{ id = "sam", label = "Sam" }]', "")
    )
    with pytest.raises(FileError, match=r"policy\.chair\.rounds"):
        with_settings(nobody, [parse_setting("policy.chair.rounds=1")])
