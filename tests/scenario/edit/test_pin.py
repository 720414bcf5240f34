"""Expectations that nobody has written yet: empty blocks are filled, missing ones are put in."""

from __future__ import annotations

import re
from typing import Any

import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deskroom.scenario import Scenario, parse_scenario, replay_scenario
from deskroom.scenario.check import check_text
from deskroom.scenario.edit.pins import next_pin, run_pins, turn_pins
from deskroom.scenario.edit.update import is_outdated, update_text
from deskroom.scenario.format.write import scenario_toml
from deskroom.scenario.play.expect import file_value

HEAD = """\
format = 1
desk = { id = "d", name = "D", seats = [{ id = "a" }, { id = "b" }], people = [{ id = "sam", label = "Sam" }] }
"""
OPENING = '[opening]\nby = "sam"\nmessage = "@a go" # words\n'
TURN = '[[turn]]\nseat = "a"\nsay = "@b go on"\n'
CALLS = "".join(
    f'[[turn.calls]]\ntool = "{tool}"\nmessage = "x"\n'
    for tool in ("desk_post", "shout", "desk_post")
)


def changed(body: str, **options: Any) -> str:
    """Return the text below the head once what came out is written, which then holds."""
    text = HEAD + body
    update = update_text(replay_scenario(parse_scenario(text)), text, **options)
    assert replay_scenario(parse_scenario(update.text)).ok
    assert sorted(re.findall("#.*", text)) == sorted(re.findall("#.*", update.text))
    return update.text.removeprefix(HEAD)


# Empty blocks


@pytest.mark.parametrize(
    "body, expected",
    [
        (
            f"{TURN}expect = {{}} # new\n",
            f'{TURN}expect = {{ audience = "desk", next = "b" }} # new\n',
        ),
        (
            f"{TURN}  [turn.expect] # new\n  # what?\n",
            f'{TURN}  [turn.expect] # new\n  audience = "desk"\n  next = "b"\n  # what?\n',
        ),
        (f"{TURN}[turn.expect]", f'{TURN}[turn.expect]\naudience = "desk"\nnext = "b"\n'),
        (
            f"{OPENING}expect = {{}}\n{TURN}",
            f'{OPENING}expect = {{ next = "a" }}\n{TURN}',
        ),
        (
            f"{OPENING}[opening.expect]\r\n{TURN}",
            f'{OPENING}[opening.expect]\r\nnext = "a"\r\n{TURN}',
        ),
        (f"{TURN}[expect]\n", f'{TURN}[expect]\nrows = 1\nturns = 1\nclosed = "script"\n'),
        (
            f"expect = {{}}\n{TURN}",
            f'expect = {{ rows = 1, turns = 1, closed = "script" }}\n{TURN}',
        ),
        (
            'turn = [{ seat = "b", expect = {} }]\n',
            'turn = [{ seat = "b", expect = { row = false, outcome = "silent" } }]\n',
        ),
    ],
)
def test_an_update_fills_an_empty_block(body: str, expected: str) -> None:
    """However it is written, with what a recording would write. Nothing else is added."""
    assert expected == changed(body)


def test_an_empty_block_is_out_of_date() -> None:
    """And a turn without one is not: whoever left it out did not ask."""
    for body, expected in ((f"{TURN}expect = {{}}\n", True), (TURN, False)):
        assert expected == is_outdated(replay_scenario(parse_scenario(HEAD + body)))


# What is put in


@pytest.mark.parametrize(
    "body, expected",
    [
        (
            TURN,
            (
                f'{TURN}expect = {{ audience = "desk", next = "b" }}\n\n'
                '[expect]\nrows = 1\nturns = 1\nclosed = "script"\n'
            ),
        ),
        (
            f"{OPENING}{TURN}expect = {{ completes = false }}\n[expect]\nrows = 2\n",
            (
                f'{OPENING}expect = {{ next = "a" }}\n{TURN}expect = {{ completes = false }}\n'
                "[expect]\nrows = 2\n"
            ),
        ),
        (
            (
                'opening.by = "sam"\nopening.message = "@a go"\nexpect.rows = 2\n'
                '  [[turn]]\n  seat = "a"\n  scores.b = 1\n\n# next\n[[turn]]\nperson = "sam"\nsay = "x"'
            ),
            (
                'opening.by = "sam"\nopening.message = "@a go"\nopening.expect = { next = "a" }\n'
                'expect.rows = 2\n  [[turn]]\n  seat = "a"\n  scores.b = 1\n'
                '  expect = { row = false, outcome = "silent" }\n\n# next\n[[turn]]\nperson = "sam"\n'
                'say = "x"\nexpect = { next = "a" }\n'
            ),
        ),
        (
            'expect.rows = 1\nturn = [\n  { seat = "a", say = "x" }, # one\n]\n',
            (
                'expect.rows = 1\nturn = [\n  { seat = "a", say = "x", expect = { audience = "desk", '
                'next = { none = "no_direct_agent_mention" } } }, # one\n]\n'
            ),
        ),
        (
            f'expect.rows = 1\n[[turn]]\nseat = "a"\n{CALLS}[turn.scores]\nb = 1\n',
            (
                'expect.rows = 1\n[[turn]]\nseat = "a"\n\n[turn.expect]\naudience = "desk"\n'
                'next = { none = "no_direct_agent_mention" }\nreplies = ["ok", "unknown_tool", "ok"]\n'
                f"{CALLS}[turn.scores]\nb = 1\n"
            ),
        ),
    ],
)
def test_a_pin_puts_in_what_is_missing(body: str, expected: str) -> None:
    """The turns without any, the opening and the run; what is long gets a table of its own."""
    assert expected == changed(body, pin=True)


def test_a_pin_alone_leaves_what_is_there() -> None:
    """Also where it differs: that is what --update is for."""
    text = f'{HEAD}{TURN}expect = {{ next = "a" }}\n{TURN}'
    replay = replay_scenario(parse_scenario(text))
    update = update_text(replay, text, update=False, pin=True)
    assert ["next"] == [mismatch.key for mismatch in update.replay.mismatches]
    assert 'expect = { next = "a" }' in update.text
    both = update_text(replay, text, pin=True)
    assert () == both.replay.mismatches


def test_copies_get_what_they_have_in_common() -> None:
    """Each copy must hold what their one block says; one that is never played holds nothing."""
    aside = "policy.aside = { enabled = true, max_members = 1, max_messages = 1 }\n"
    call = 'calls = [{ tool = "desk_dm", to = ["b"], message = "psst" }]'
    body = f'{aside}expect.rows = 1\n[[turn]]\nseat = "a"\n{call}\nrepeat = 2\n'
    assert body == changed(body, pin=True)
    alike = "expect.rows = 2\n" + TURN + "repeat = 2\n"
    assert f'{alike}expect = {{ audience = "desk", next = "b" }}\n' == changed(alike, pin=True)
    unplayed = f"policy.max_turns = 1\nexpect.rows = 1\n{TURN}repeat = 2\n{TURN}"
    assert unplayed == changed(unplayed, pin=True)


def test_a_change_says_that_there_was_nothing() -> None:
    """And where it now stands."""
    text = HEAD + TURN
    update = update_text(replay_scenario(parse_scenario(text)), text, pin=True)
    assert [
        (6, "1", "audience", None, "desk"),
        (6, "1", "next", None, "b"),
        (9, None, "rows", None, 1),
        (10, None, "turns", None, 1),
        (11, None, "closed", None, "script"),
    ] == [(one.line, one.turn, one.key, one.before, one.after) for one in update.changes]


# Any scenario


def without_expectations(scenario: Scenario) -> Scenario:
    """Return a scenario that expects nothing."""
    opening = scenario.opening
    return evolve(
        scenario,
        opening=None if opening is None else evolve(opening, expect=None),
        turns=tuple(evolve(turn, expect=None) for turn in scenario.turns),
        expect=None,
    )


def stated(expect: Any) -> dict[str, Any] | None:
    """Return what a block says."""
    if expect is None:
        return None
    return {key: file_value(getattr(expect, key)) for key in expect.places}


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_whatever_is_played_gets_what_a_recording_would_write(
    scenarios: Any, data: st.DataObject
) -> None:
    """Then all of it holds, check does not miss an expectation, and a second time adds nothing."""
    text = scenario_toml(without_expectations(data.draw(scenarios)))
    assert "expects_nothing" in [warning.kind for warning in check_text(text).warnings]
    replay = replay_scenario(parse_scenario(text))
    update = update_text(replay, text, pin=True)
    if not replay.ok:  # the script is wrong
        assert text == update.text
        return
    pinned = replay_scenario(parse_scenario(update.text))
    assert () == pinned.mismatches
    assert () == update_text(pinned, update.text, pin=True).changes
    scenario = pinned.scenario
    assert run_pins(replay.run, scenario.order, scenario.policy) == stated(scenario.expect)
    if scenario.opening is not None:
        assert {"next": next_pin(replay.opening)} == stated(scenario.opening.expect)
    for turn, item in zip(scenario.turns, replay.played, strict=True):
        if turn.repeat == 1:
            assert (turn_pins(item) if item.was_played else None) == stated(turn.expect)
