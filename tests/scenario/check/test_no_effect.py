from __future__ import annotations

from collections.abc import Callable

import pytest

Warned = Callable[..., list[str]]

TURN = '[[turn]]\nseat = "lead"\nsay = "hello"\n'
OPENING = '[opening]\nby = "sam"\nmessage = "begin"\n'


def test_an_empty_expectation_cannot_fail(warned: Warned) -> None:
    """Of the opening, of a turn and of the run, however it is written."""
    assert [
        "11:1 opening.expect cannot_fail",
        "15:1 turn[1].expect cannot_fail",
        "16:2 expect cannot_fail",
    ] == warned(f"{OPENING}expect = {{}}\n{TURN}expect = {{}}\n[expect]\n")
    assert ["11:7 turn[1].expect cannot_fail"] == warned(f"{TURN}[turn.expect]\n")


def test_an_expectation_that_says_something_is_left_alone(warned: Warned) -> None:
    """Also where the rules let only one thing come of what is said: that is what is pinned."""
    lines = (
        f"{OPENING}expect = {{ next = 'lead' }}\n{TURN}"
        "expect = { mentions = [], completes = false, audience = 'desk', replies = ['ok'] }\n"
        "[expect]\nrows = 2\n"
    )
    assert [] == warned(lines)


@pytest.mark.parametrize(
    "order, policy, fails",
    [
        ("listed", "", False),
        ("routed", "", False),
        ("routed", "[policy.chair]\nrounds = 1\n", True),
    ],
)
def test_no_nudges_where_there_can_be_none(
    warned: Warned, order: str, policy: str, *, fails: bool
) -> None:
    """A chair that never speaks is no finding; that it did not speak, though it could, is one."""
    lines = f"{policy}{OPENING}{TURN}[expect]\nnudges = NUMBER\n"
    expected = [] if fails else ["15:1 expect.nudges cannot_fail"]
    assert expected == warned(lines.replace("NUMBER", "0"), order=order)
    assert [] == warned(lines.replace("NUMBER", "1"), order=order)


def test_no_asides_where_there_can_be_none(warned: Warned) -> None:
    """Only a policy that allows them makes their number a finding."""
    lines = f"{TURN}[expect]\nasides = 0\n"
    assert ["12:1 expect.asides cannot_fail"] == warned(lines)
    policy = "[policy.aside]\nenabled = true\nmax_members = 1\nmax_messages = 1\n"
    assert [] == warned(policy + lines)
    assert [] == warned(lines.replace("0", "1"))


@pytest.mark.parametrize(
    "policy, expected",
    [
        ("aside = { max_members = 1 }", "9:9 policy.aside"),
        ("aside = { enabled = true }", "9:9 policy.aside.max_members"),
        (
            "aside = { enabled = true, max_members = 1, max_messages = 0 }",
            "9:59 policy.aside.max_messages",
        ),
        (
            "aside = { enabled = true, max_members = 1, max_messages = 1, require_thread = true }",
            "9:79 policy.aside.require_thread",
        ),
        ("chair = { every = 3 }", "9:19 policy.chair.every"),
        ("chair = { rounds = 3, every = 1 }", "9:9 policy.chair"),
        ('participants = ["lead"]', "9:16 policy.participants"),
    ],
)
def test_a_policy_that_does_nothing_is_reported(warned: Warned, policy: str, expected: str) -> None:
    """Each is a key that somebody wrote and that changes nothing."""
    assert [f"{expected} no_effect"] == warned(f"[policy]\n{policy}\n{TURN}")


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
