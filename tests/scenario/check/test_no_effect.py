from __future__ import annotations

from collections.abc import Callable

import pytest

Warned = Callable[..., list[str]]

TURN = '[[turn]]\nseat = "lead"\nsay = "hello"\n'
OPENING = '[opening]\nby = "sam"\nmessage = "begin"\n'
EMPTY = "this is empty, so it cannot fail"


def test_an_empty_expectation_cannot_fail(warned: Warned) -> None:
    """Of the opening, of a turn and of the run, however it is written."""
    turn_told = "this is empty: whatever comes of the turn, it cannot fail"
    assert [
        f"11:1: opening.expect: {EMPTY}",
        f"15:1: turn[1].expect: {turn_told}",
        f"16:2: expect: {EMPTY}",
    ] == warned(f"{OPENING}expect = {{}}\n{TURN}expect = {{}}\n[expect]\n")
    assert [f"11:7: turn[1].expect: {turn_told}"] == warned(f"{TURN}[turn.expect]\n")


def test_an_expectation_that_says_something_is_left_alone(warned: Warned) -> None:
    """Also where the rules let only one thing come of what is said: that is what is pinned."""
    lines = (
        f"{OPENING}expect = {{ next = 'lead' }}\n{TURN}"
        "expect = { mentions = [], completes = false, audience = 'desk', replies = ['ok'] }\n"
        "[expect]\nrows = 2\n"
    )
    assert [] == warned(lines)


@pytest.mark.parametrize(
    "order, policy, told",
    [
        ("listed", "", "this cannot fail: in listed order the chair never speaks"),
        ("routed", "", "this cannot fail: the chair has no rounds"),
        ("routed", "[policy.chair]\nrounds = 1\n", None),
    ],
)
def test_no_nudges_where_there_can_be_none(
    warned: Warned, order: str, policy: str, told: str | None
) -> None:
    """A chair that never speaks is no finding; that it did not speak, though it could, is one."""
    lines = f"{policy}{OPENING}{TURN}[expect]\nnudges = NUMBER\n"
    expected = [] if told is None else [f"15:1: expect.nudges: {told}"]
    assert expected == warned(lines.replace("NUMBER", "0"), order=order)
    assert [] == warned(lines.replace("NUMBER", "1"), order=order)


def test_no_asides_where_there_can_be_none(warned: Warned) -> None:
    """Only a policy that allows them makes their number a finding."""
    lines = f"{TURN}[expect]\nasides = 0\n"
    assert ["12:1: expect.asides: this cannot fail: the policy allows no aside"] == warned(lines)
    policy = "[policy.aside]\nenabled = true\nmax_members = 1\nmax_messages = 1\n"
    assert [] == warned(policy + lines)
    assert [] == warned(lines.replace("0", "1"))


@pytest.mark.parametrize(
    "policy, told",
    [
        (
            "aside = { max_members = 1 }",
            ("9:9: policy.aside: there are no asides: enabled = true is missing"),
        ),
        (
            "aside = { enabled = true }",
            ("9:9: policy.aside.max_members: every aside is refused: max_members is 0"),
        ),
        (
            "aside = { enabled = true, max_members = 1, max_messages = 0 }",
            ("9:59: policy.aside.max_messages: every aside is refused: max_messages is 0"),
        ),
        (
            "aside = { enabled = true, max_members = 1, max_messages = 1, require_thread = true }",
            "9:79: policy.aside.require_thread: every aside is refused: a room has no threads yet",
        ),
        ("chair = { every = 3 }", "9:19: policy.chair.every: the chair never speaks: rounds is 0"),
        (
            "chair = { rounds = 3, every = 1 }",
            ("9:9: policy.chair: in listed order the chair never speaks"),
        ),
        (
            'participants = ["lead"]',
            (
                '9:16: policy.participants: with close = "first" the first '
                "completion closes, of any seat"
            ),
        ),
    ],
)
def test_a_policy_that_does_nothing_is_told(warned: Warned, policy: str, told: str) -> None:
    """Each is a key that somebody wrote and that changes nothing."""
    assert [told] == warned(f"[policy]\n{policy}\n{TURN}")


@pytest.mark.parametrize(
    "policy",
    [
        "aside = { enabled = false, max_members = 1 }",
        "aside = { enabled = false }",
        "aside = {}",
        'close = "all"\nparticipants = ["lead"]',
        "chair = { rounds = 0 }",
    ],
)
def test_a_policy_that_is_meant_is_left_alone(warned: Warned, policy: str) -> None:
    """What is switched off by name is off on purpose."""
    assert [] == warned(f"[policy]\n{policy}\n{TURN}")
