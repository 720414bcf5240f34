"""Properties that can never fail in their file, and such as can never be met.

Only what the file alone decides is said: its desk, its policy, its order. What seats say is left
open, so a warning holds for every run of the file, explored ones included.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Final

from deskroom.core.reasons import AsideReason
from deskroom.runs.properties import (
    Audiences,
    Bounds,
    Matcher,
    NextSeat,
    OneOf,
    Pattern,
    Property,
)
from deskroom.scenario.check.context import CheckContext
from deskroom.scenario.check.warning import WarningKind

__all__ = ["warn_of_properties"]

#: The keys that only a seat's turn has, those of what a person says, and those of any row.
_OF_TURNS: Final = ("seat", "outcome", "hop", "refusal")
_OF_ROWS: Final = ("kind", "audience", "mentions", "next", "why")
_PERSONAL: Final = ("opening", "person", "nudge")
#: A mention is never of its author, nor of a seat that acts no more; a hop never overflows.
_NEVER_WHY: Final = ("self_mention", "target_inactive", "hop_overflow")
#: Patterns that are found in anything.
_ANYTHING: Final = ("", ".*", "^", "$", "^.*", ".*$", "^.*$", "(?s).*")
_ASIDES: Final = tuple(map(str, AsideReason))


def warn_of_properties(context: CheckContext) -> None:
    """Warn of each property that is the same for every run of the file."""
    for at, one in enumerate(context.partial.properties):
        for kind, problem in _problems(one, context):
            context.warnings.at_value(("property", at), kind, problem)


def _problems(one: Property, context: CheckContext) -> Iterator[tuple[WarningKind, str]]:
    match one.kind:
        case "never" if one.never is not None:
            reason = unmatched(one.never, context)
            if reason:
                yield "cannot_fail", f"this can never fail: {reason}"
            elif _matches_all(one.never):
                yield "cannot_match", "this can never be met: every row and turn matches"
        case "always" if one.always is not None:
            yield from _always(one, one.always, context)
        case "eventually" if one.eventually is not None:
            reason = unmatched(one.eventually, context)
            if reason:
                yield "cannot_match", f"this can never be met: {reason}"
        case "after" if one.after is not None and one.then is not None:
            reason = unmatched(one.after, context)
            if reason:
                yield "cannot_fail", f"this can never fail: {reason}"
                return
            reason = unmatched(one.then, context)
            if reason:
                yield "cannot_match", f"what then asks for never comes: {reason}"
        case _:
            if one.count is not None:
                yield from _count(one, one.count, context)


def _always(
    one: Property, always: Matcher, context: CheckContext
) -> Iterator[tuple[WarningKind, str]]:
    reason = None if one.when is None else unmatched(one.when, context)
    if reason:
        yield "cannot_fail", f"this can never fail: {reason}"
    elif _matches_all(always):
        yield "cannot_fail", "this can never fail: every row and turn matches"
    else:
        reason = unmatched(always, context)
        if reason:
            yield "cannot_match", f"this can never be met: {reason}"


def _count(
    one: Property, matcher: Matcher, context: CheckContext
) -> Iterator[tuple[WarningKind, str]]:
    reason = unmatched(matcher, context)
    most = 0 if reason else _most(matcher, context)
    why = reason or f"at most {most} can match"
    if one.at_least is not None and one.at_least > most:
        yield "cannot_match", f"this can never be met: {why}"
    elif not one.at_least and (one.at_most is None or one.at_most >= most):
        problem = why if one.at_most is not None else "at_least = 0 is always met"
        yield "cannot_fail", f"this can never fail: {problem}"


def _most(matcher: Matcher, context: CheckContext) -> float:
    """Return how many steps of one run can match at most."""
    policy = context.policy
    if matcher.kind == OneOf(("nudge",)):
        return policy.chair.rounds
    if matcher.kind == OneOf(("opening",)):
        return 1
    if any(getattr(matcher, key) is not None for key in _OF_TURNS):
        # Each turn comes to one step, and its retry to another.
        return policy.max_turns * (2 if policy.silence == "retry" else 1)
    return math.inf


def _matches_all(matcher: Matcher) -> bool:
    text = matcher.text
    return matcher.keys == ("text",) and text is not None and _is_found_everywhere(text)


def _is_found_everywhere(text: Pattern) -> bool:
    return not text.negated and text.pattern in _ANYTHING


# --- matchers ----------------------------------------------------------------------------------


def unmatched(matcher: Matcher, context: CheckContext) -> str | None:
    """Return why no row and no turn of any run can match, as a clause, or None."""
    return next((reason for find in _REASONS for reason in find(matcher, context)), None)


def _contradictions(matcher: Matcher, _: CheckContext) -> Iterator[str]:
    stated = matcher.keys
    of_turn = next((key for key in _OF_TURNS if key in stated), None)
    of_row = next((key for key in _OF_ROWS if key in stated), None)
    kinds = _wanted(matcher.kind)
    if matcher.person is not None and of_turn is not None:
        yield f"what a person says has no {of_turn}"
    if matcher.person is not None and matcher.completes:
        yield "a person completes nothing"
    if matcher.person is not None and kinds is not None and not _among(_PERSONAL, kinds):
        yield f"no person says a row of kind {', '.join(kinds)}"
    if of_turn is not None and kinds is not None and "seat" not in kinds:
        yield f"only a row of kind seat has a {of_turn}"
    if matcher.row is False:
        if of_row is not None:
            yield f"what has no row has no {of_row}"
        if matcher.completes:
            yield "what completes has a row"
        if matcher.repeats_private:
            yield "what has no row repeats nothing in public"
        if matcher.person is not None:
            yield "what a person says is a row"
    outcomes = _wanted(matcher.outcome)
    if outcomes is not None:
        if matcher.row is False and outcomes == ("spoke",):
            yield "a turn that spoke has a row"
        has_row = matcher.row or of_row is not None or matcher.completes
        if has_row and "spoke" not in outcomes:
            yield f"a turn that ended as {', '.join(outcomes)} has no row"
    if isinstance(matcher.next, NextSeat) and matcher.next.any and matcher.why is not None:
        yield "there is no reason why nobody is next where somebody is"


def _seats(matcher: Matcher, context: CheckContext) -> Iterator[str]:
    retired = [seat.id for seat in context.desk.seats if seat.retired]
    seats = _wanted(matcher.seat)
    is_listed = context.partial.order == "listed"
    if seats and not is_listed and all(seat in retired for seat in seats):
        yield f"{', '.join(seats)} is retired and gets no turn"
    following = _wanted(matcher.next)
    if following and all(one in retired for one in following):
        yield f"{', '.join(following)} is retired and never next"


def _rows(matcher: Matcher, context: CheckContext) -> Iterator[str]:
    policy, kinds = context.policy, _wanted(matcher.kind)
    if kinds == ("nudge",):
        if context.partial.order == "listed":
            yield "in listed order the chair never speaks"
        elif policy.chair.rounds == 0:
            yield "the chair never speaks, as its rounds are 0"
    if kinds == ("opening",) and context.partial.opening is None:
        yield "the file has no opening"
    if not context.desk.people and (
        matcher.person is not None or (kinds and not _among(("seat", "wrote"), kinds))
    ):
        yield "the desk has no people"


def _private(matcher: Matcher, context: CheckContext) -> Iterator[str]:
    policy = context.policy.aside
    audience = matcher.audience
    allows = policy.enabled and policy.max_members > 0 and policy.max_messages > 0
    wants_aside = isinstance(audience, Audiences) and (
        audience.negated == ("desk" in audience.values)
    )
    if wants_aside and not allows:
        yield "the policy allows no asides"
    if isinstance(audience, Audiences) and not audience.negated:
        parties = [one for one in audience.values if not isinstance(one, str)]
        if parties and all(len(set(one)) > policy.max_members for one in parties):
            yield f"an aside has at most {policy.max_members} members"
    if matcher.repeats_private and not allows:
        yield "the policy allows no asides"
    refusals = _wanted(matcher.refusal)
    if refusals and not policy.enabled and all(one in _ASIDES[1:] for one in refusals):
        yield "the policy allows no asides, so each is refused as disabled"
    if refusals == ("disabled",) and policy.enabled:
        yield "the policy allows asides"


def _dispatch(matcher: Matcher, context: CheckContext) -> Iterator[str]:
    policy = context.policy.dispatch
    hop, reasons = matcher.hop, _wanted(matcher.why)
    least: Any = None
    if isinstance(hop, Bounds):
        least = hop.at_least
    elif isinstance(hop, OneOf) and not hop.negated:
        least = min(hop.values)
    if least is not None and least > policy.max_hops:
        yield f"no turn has a hop above max_hops, which is {policy.max_hops}"
    if reasons and all(reason in _NEVER_WHY for reason in reasons):
        yield f"no row has the reason {', '.join(reasons)}: such a mention does not count"
    if reasons == ("disabled",) and policy.enabled:
        yield "a mention hands on the turn here"


def _texts(matcher: Matcher, _: CheckContext) -> Iterator[str]:
    text = matcher.text
    if text is not None and text.negated and text.pattern in _ANYTHING:
        yield "the pattern is found in anything"


_REASONS: Final[tuple[Callable[[Matcher, CheckContext], Iterator[str]], ...]] = (
    _contradictions,
    _seats,
    _rows,
    _private,
    _dispatch,
    _texts,
)


def _wanted(value: object) -> tuple[Any, ...] | None:
    """Return the values that a key must have one of, or None where any may do."""
    return value.values if isinstance(value, OneOf) and not value.negated else None


def _among(some: tuple[str, ...], values: tuple[Any, ...]) -> bool:
    return any(one in values for one in some)
