"""Expectations that cannot fail whatever the seats say, and policies that do nothing."""

from __future__ import annotations

from collections.abc import Iterator

from deskroom.scenario.check.context import CheckContext, path_of
from deskroom.scenario.format.model import EXPECTS_NOTHING, expect_nothing
from deskroom.scenario.format.position import KeyPath

__all__ = ["warn_of_expectations", "warn_of_no_expectation", "warn_of_policy"]


def warn_of_expectations(context: CheckContext) -> None:
    """Warn of expectations that hold whatever the seats say.

    That the rules let only one thing come of what they do say makes no expectation idle: pinning
    that is what a scenario is for.
    """
    for path, problem in _idle_expectations(context):
        context.warnings.at_key(path, "cannot_fail", problem)


def _idle_expectations(context: CheckContext) -> Iterator[tuple[KeyPath, str]]:
    parts, policy = context.parts, context.policy
    opening = parts.opening
    if opening is not None and opening.expect is not None and not opening.expect.places:
        yield ("opening", "expect"), "this is empty, so it cannot fail"
    for turn in parts.turns:
        if turn.expect is not None and not turn.expect.places:
            problem = "this is empty: whatever comes of the turn, it cannot fail"
            yield path_of(turn, "expect"), problem
    if parts.expect is None:
        return
    if not parts.expect.places:
        yield ("expect",), "this is empty, so it cannot fail"
    if parts.expect.nudges == 0 and parts.order == "listed":
        yield ("expect", "nudges"), "this cannot fail: in listed order the chair never speaks"
    elif parts.expect.nudges == 0 and policy.chair.rounds == 0:
        yield ("expect", "nudges"), "this cannot fail: the chair has no rounds"
    if parts.expect.asides == 0 and not policy.aside.enabled:
        yield ("expect", "asides"), "this cannot fail: the policy allows no aside"


def warn_of_no_expectation(context: CheckContext) -> None:
    """Warn of a whole scenario that expects nothing."""
    parts = context.parts
    if expect_nothing(parts.opening, parts.turns, parts.expect):
        context.warnings.at_value(("expect",), "expects_nothing", EXPECTS_NOTHING)


def warn_of_policy(context: CheckContext) -> None:
    """Warn of what a policy says in vain."""
    for steps, problem in _idle_policies(context):
        context.warnings.at_value(("policy", *steps), "no_effect", problem)


def _idle_policies(context: CheckContext) -> Iterator[tuple[KeyPath, str]]:
    policy, listed = context.policy, context.parts.order == "listed"
    yield from _idle_aside(context)
    if policy.chair.every > 0 and policy.chair.rounds == 0:
        yield ("chair", "every"), "the chair never speaks: rounds is 0"
    elif policy.chair.rounds > 0 and listed:
        yield ("chair",), "in listed order the chair never speaks"
    if policy.participants is not None and policy.close == "first":
        yield ("participants",), 'with close = "first" the first completion closes, of any seat'


def _idle_aside(context: CheckContext) -> Iterator[tuple[KeyPath, str]]:
    aside = context.policy.aside
    stated = context.parts.document.data.get("policy", {}).get("aside", {})
    if not aside.enabled:
        if stated.keys() - {"enabled"} and "enabled" not in stated:
            yield ("aside",), "there are no asides: enabled = true is missing"
    elif aside.max_members == 0:
        yield ("aside", "max_members"), "every aside is refused: max_members is 0"
    elif aside.max_messages == 0:
        yield ("aside", "max_messages"), "every aside is refused: max_messages is 0"
    elif aside.require_thread:
        problem = "every aside is refused: a room has no threads yet"
        yield ("aside", "require_thread"), problem
