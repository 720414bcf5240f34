"""Steps as they are read off the entries of a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deskroom.runs.properties import PropertyWatch, property_violations
from deskroom.scenario import Replay

Broken = Callable[..., list[str]]
Played = Callable[..., Replay]

ASIDES = "aside = { enabled = true, max_members = 2, max_messages = 2 }"
COMPLETES = "calls = [{ tool = 'desk_complete_episode', message = 'done' }]"


# The three that every live desk wants


LEAD = "never = { completes = true, seat = { not = 'a' } }"


def test_only_the_lead_completes(broken: Broken) -> None:
    """Another seat's completion breaks it, and its plain row does not."""
    assert [] == broken("seat = 'a'\nsay = '@b x'", "seat = 'b'\nsay = '@a y'", must=LEAD)
    assert [] == broken(f"seat = 'a'\n{COMPLETES}", must=LEAD)
    assert ["row 3 (turn 2, b) matches x1"] == broken(
        "seat = 'a'\nsay = '@b x'", f"seat = 'b'\n{COMPLETES}", must=LEAD
    )


ANSWERS = """
after = { next = { any = true } }
then = { seat = { same_as = "next" }, outcome = "spoke" }
within = 2
"""


def test_who_is_asked_answers_within_two_turns(broken: Broken) -> None:
    """A silent turn is no answer, and a nudge asks as well."""
    nudged = "chair = { rounds = 1 }"
    assert [] == broken("seat = 'a'\nsay = 'x'", must=ANSWERS)
    assert [] == broken("seat = 'a'", "seat = 'a'\nsay = 'late'", must=ANSWERS, policy=nudged)
    assert ["the room closed (quiet), and nothing matched after row 2 (turn 1, a) x1"] == broken(
        "seat = 'a'\nsay = '@b x'", "seat = 'b'", must=ANSWERS
    )
    assert ["nothing matched within 1 turn after row 1 (sam) x1"] == broken(
        "seat = 'a'",
        "seat = 'a'\nsay = 'late'",
        must=ANSWERS.replace("within = 2", "within = 1"),
        policy=nudged,
    )


REPEATS = "never = { repeats_private = true }"
PRIVATE = (
    "seat = 'a'\ncalls = [{ tool = 'desk_dm', to = ['b'], message = 'the third valve leaks' }]"
)


def test_nothing_private_is_repeated_in_public(broken: Broken) -> None:
    """What is like it and not the same is no repetition."""
    assert [] == broken(PRIVATE, "seat = 'b'\nsay = 'the valves hold'", must=REPEATS, policy=ASIDES)
    assert ["row 3 (turn 2, b) matches x1"] == broken(
        PRIVATE, "seat = 'b'\nsay = 'THE THIRD VALVE LEAKS!'", must=REPEATS, policy=ASIDES
    )


# What a step has


@pytest.mark.parametrize(
    "never, expected",
    [
        ("kind = 'opening'", ["row 1 (sam) matches x1"]),
        ("person = 'sam', kind = 'opening', next = 'a'", ["row 1 (sam) matches x1"]),
        ("kind = 'nudge', person = 'sam', next = 'b'", ["row 4 (sam) matches x1"]),
        ("kind = 'wrote'", ["row 3 (turn 1, wrote) matches x1"]),
        ("kind = 'wrote', seat = 'a'", []),
        ("row = false", ["turn 2 (b) matches x1"]),
        ("outcome = 'refused'", ["turn 2 (b) matches x1"]),
        ("outcome = 'refused', text = 'hm'", ["turn 2 (b) matches x1"]),
        ("refusal = 'unknown_recipient', row = false", ["turn 2 (b) matches x1"]),
        ("refusal = 'empty_message'", ["row 2 (turn 1, a) matches x1"]),
        ("refusal = 'turn_ended'", []),
        (
            "seat = 'a', hop = 0, mentions = 'person:sam', outcome = 'spoke'",
            ["row 2 (turn 1, a) matches x1"],
        ),
        ("text = '^x', mentions = { not = 'a' }", ["row 2 (turn 1, a) matches x1"]),
        ("why = 'no_direct_agent_mention'", ["row 2 (turn 1, a) matches x1"]),
    ],
)
def test_a_step_is_a_row_with_its_turn_or_a_turn_without_one(
    broken: Broken, never: str, expected: list[str]
) -> None:
    """Of the calls only those of the turn count, and no late one."""
    turns = (
        (
            "seat = 'a'\ncalls = [{ tool = 'desk_post', message = '' }, "
            "{ tool = 'desk_post', message = 'x `@b` @sam' }]\nwrote = ['f']\n"
            "late = [{ tool = 'desk_post', message = 'more' }]"
        ),
        "seat = 'b'\ntext = 'hm'\ncalls = [{ tool = 'desk_dm', to = ['zz'], message = 'y' }]",
    )
    assert expected == broken(
        *turns, must=f"never = {{ {never} }}", policy="chair = { rounds = 1 }"
    )


def test_a_broadcast_goes_to_its_recipients(broken: Broken) -> None:
    """Whom it goes to is known only behind its row, and the step waits for it."""
    turns = (
        "seat = 'a'\ncalls = [{ tool = 'desk_broadcast', message = '@c x' }]\nscores = { b = 0.9 }",
        "seat = 'b'\nsay = 'y'",
    )
    assert ["row 2 (turn 1, a) matches x1"] == broken(*turns, must="never = { next = 'b' }")
    assert [] == broken(*turns, must="never = { next = 'c', kind = 'seat' }")
    assert [] == broken(*turns, must="never = { why = 'broadcast' }")
    assert [] == broken(
        *turns,
        must="after = { next = 'b' }\nthen = { seat = { same_as = 'next' } }\nwithin = 1",
    )


def test_a_broadcast_that_reaches_nobody_says_so(broken: Broken) -> None:
    """Nobody is next because it was a broadcast."""
    turn = "seat = 'a'\ncalls = [{ tool = 'desk_broadcast', message = 'x' }]"
    must = "never = { why = 'broadcast', next = { any = false } }"
    assert ["row 2 (turn 1, a) matches x1"] == broken(
        turn, must=must, policy="dispatch = { max_hops = 0 }"
    )


def test_a_retry_is_a_step_of_its_own_in_the_same_turn(broken: Broken) -> None:
    """So it costs no turn of ``within``."""
    turns = ("seat = 'a'", "seat = 'a'\nsay = '@b x'", "seat = 'b'\nsay = 'y'")
    assert ["turn 1 (a) matches x1"] == broken(
        *turns, must="never = { outcome = 'silent' }", policy="silence = 'retry'"
    )
    assert [] == broken(
        *turns,
        must="after = { kind = 'opening' }\nthen = { seat = 'b' }\nwithin = 2",
        policy="silence = 'retry'",
    )


def test_what_a_person_says_in_the_middle_of_a_turn_waits_for_the_next(broken: Broken) -> None:
    """The turn had been granted before."""
    turns = (
        "seat = 'a'\nsay = 'x'\nmeanwhile = [{ person = 'sam', say = '@b now' }]",
        "seat = 'b'\nsay = 'y'",
    )
    must = "after = { kind = 'person' }\nthen = { seat = 'b' }\nwithin = 1"
    assert [] == broken(*turns, must=must)
    assert ["the room closed (quiet), and nothing matched after row 2 (sam) x1"] == broken(
        *turns,
        must=must.replace("'b' }", "'c' }"),
    )


# How it ends


@pytest.mark.parametrize(
    "parts, closed",
    [
        ({}, "quiet"),
        ({"policy": "max_turns = 1"}, "max_turns"),
    ],
)
def test_a_room_that_closed_for_good_comes_to_nothing_more(
    broken: Broken, parts: dict[str, Any], closed: str
) -> None:
    """Whatever it closed for."""
    assert [f"nothing matched before the room closed ({closed}) x1"] == broken(
        "seat = 'a'\nsay = 'x'", must="eventually = { seat = 'b' }", **parts
    )


def test_a_routed_script_that_ran_out_decides_nothing(broken: Broken) -> None:
    """The seat that was next could have spoken."""
    assert [] == broken("seat = 'a'\nsay = '@b x'", must="eventually = { seat = 'b' }")


@pytest.mark.parametrize("line", range(1, 8))
def test_a_kill_changes_nothing(broken: Broken, line: int) -> None:
    """A turn that was cut short is granted again with the same number."""
    turns = (
        (
            "seat = 'a'\ncalls = [{ tool = 'desk_post', message = '' }, "
            "{ tool = 'desk_post', message = '@b x' }]"
        ),
        "seat = 'b'\nsay = 'y'",
    )
    must = ANSWERS.replace("within = 2", "within = 1")
    assert [] == broken(*turns, must=must, head=f"kill = [{line}]")
    once = "count = { refusal = 'empty_message' }\nat_most = 1"
    assert [] == broken(*turns, must=once, head=f"kill = [{line}]")


def test_a_watch_says_at_each_entry_what_is_broken(played: Played) -> None:
    """Exploring asks it on the way."""
    replay = played(
        "seat = 'a'\nsay = '@b x'",
        "seat = 'b'\nsay = 'y'",
        more="[[property]]\nname = 'p'\nnever = { seat = 'a' }",
    )
    watch = PropertyWatch(replay.scenario.properties)
    broken = []
    for entry in replay.run.journal:
        watch.take(entry)
        broken.append(bool(watch.violations))
    rows = [type(entry).__name__ for entry in replay.run.journal]
    assert rows.index("RowEntry", rows.index("RowEntry") + 1) == broken.index(True)


def test_without_properties_nothing_is_read() -> None:
    """A run of any length costs nothing."""
    run: Any = None
    assert () == property_violations((), run)
