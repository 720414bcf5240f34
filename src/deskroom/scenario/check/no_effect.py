"""Expectations that cannot fail whatever the seats say, and policies that do nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from deskroom.scenario.check.context import CheckContext, path_of
from deskroom.scenario.format.model import EXPECTS_NOTHING, expect_nothing
from deskroom.scenario.format.position import KeyPath

__all__ = ["warn_of_expectations", "warn_of_no_expectation", "warn_of_policy"]

_EMPTY: Final = "this expects nothing, so it cannot fail"


def warn_of_expectations(context: CheckContext) -> None:
    """Warn of expectations that hold whatever the seats say.

    An expectation that holds because of what they do say is fine: pinning that is what a scenario
    is for.
    """
    for path, problem in _empty_expectations(context):
        context.warnings.at_key(path, "cannot_fail", problem)


def _empty_expectations(context: CheckContext) -> Iterator[tuple[KeyPath, str]]:
    partial, policy = context.partial, context.policy
    opening = partial.opening
    if opening is not None and opening.expect is not None and not opening.expect.places:
        yield ("opening", "expect"), _EMPTY
    for turn in partial.turns:
        if turn.expect is not None and not turn.expect.places:
            yield path_of(turn, "expect"), _EMPTY
    if partial.expect is None:
        return
    if not partial.expect.places:
        yield ("expect",), _EMPTY
    if partial.expect.nudges == 0 and partial.order == "listed":
        yield ("expect", "nudges"), "this cannot fail: in listed order the chair never speaks"
    elif partial.expect.nudges == 0 and policy.chair.rounds == 0:
        yield ("expect", "nudges"), "this cannot fail: the chair never speaks, as its rounds are 0"
    if partial.expect.asides == 0 and not policy.aside.enabled:
        yield ("expect", "asides"), "this cannot fail: the policy allows no asides"


def warn_of_no_expectation(context: CheckContext) -> None:
    """Warn of a whole scenario that expects nothing."""
    partial = context.partial
    holds = partial.properties or partial.invariants
    if not holds and expect_nothing(partial.opening, partial.turns, partial.expect):
        context.warnings.at_value(("expect",), "expects_nothing", EXPECTS_NOTHING)


def warn_of_policy(context: CheckContext) -> None:
    """Warn of keys of a policy that change nothing."""
    for steps, problem in _keys_without_effect(context):
        context.warnings.at_value(("policy", *steps), "no_effect", problem)


def _keys_without_effect(context: CheckContext) -> Iterator[tuple[KeyPath, str]]:
    policy, listed = context.policy, context.partial.order == "listed"
    yield from _aside_without_effect(context)
    if policy.chair.every > 0 and policy.chair.rounds == 0:
        yield ("chair", "every"), "this has no effect: the chair never speaks, as its rounds are 0"
    elif policy.chair.rounds > 0 and listed:
        yield ("chair",), "this has no effect: in listed order the chair never speaks"
    if policy.participants is not None and policy.close == "first":
        problem = 'this has no effect: with close = "first", any seat may close the desk'
        yield ("participants",), problem


def _aside_without_effect(context: CheckContext) -> Iterator[tuple[KeyPath, str]]:
    aside = context.policy.aside
    stated = context.partial.document.data.get("policy", {}).get("aside", {})
    if not aside.enabled:
        if stated.keys() - {"enabled"} and "enabled" not in stated:
            yield ("aside",), "this has no effect without enabled = true"
    elif aside.max_members == 0:
        yield ("aside", "max_members"), "every aside is refused: max_members is 0"
    elif aside.max_messages == 0:
        yield ("aside", "max_messages"), "every aside is refused: max_messages is 0"
    elif aside.require_thread:
        problem = "every aside is refused: a room has no threads yet"
        yield ("aside", "require_thread"), problem
