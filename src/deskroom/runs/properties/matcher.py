"""Whether a step is one that a property speaks of: every key of a matcher must fit."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, Literal

import regex
from attrs import field, fields, frozen

from deskroom.runs.properties.step import Step

__all__ = [
    "Audiences",
    "Bounds",
    "Fits",
    "Matcher",
    "NextSeat",
    "NoSeat",
    "OneOf",
    "Pattern",
    "PatternTimeout",
    "SameAs",
    "compiled",
]

#: So long may one search of a pattern in one message take.
PATTERN_TIMEOUT_S: Final = 1.0


class PatternTimeout(Exception):
    """A pattern ran out of time, so it is not known whether it matches."""

    def __init__(self, step: Step) -> None:
        super().__init__(f"the pattern took longer than {PATTERN_TIMEOUT_S:g} s on {step.name}")


@frozen
class OneOf:
    """One of some values; ``negated``: any other, but not none."""

    values: tuple[Any, ...]
    negated: bool = False


@frozen
class Bounds:
    """A number between two bounds, both included."""

    at_least: int | None = None
    at_most: int | None = None


@frozen
class SameAs:
    """Only behind ``after``: what the step had that ``after`` matched."""

    key: Literal["seat", "person", "next", "mentions"]


@frozen
class NoSeat:
    """Nobody is next, for this reason."""

    none: str


@frozen
class NextSeat:
    """Whether some seat is next at all."""

    any: bool


@frozen
class Audiences:
    """The desk, any aside, or the aside to exactly these seats, in any order."""

    values: tuple[Literal["desk", "aside"] | tuple[str, ...], ...]
    negated: bool = False


@frozen
class Pattern:
    """A regular expression that is found somewhere in what was said; ``negated``: nowhere."""

    pattern: str
    negated: bool = False


@frozen(kw_only=True, cache_hash=True)
class Matcher:
    """What a step must have; None: it does not matter. A key that a step does not have never fits."""

    seat: OneOf | SameAs | None = None
    person: OneOf | SameAs | None = None
    kind: OneOf | None = None
    row: bool | None = None
    outcome: OneOf | None = None
    audience: Audiences | None = None
    mentions: OneOf | SameAs | None = None
    next: OneOf | NextSeat | SameAs | None = None
    why: OneOf | None = None
    refusal: OneOf | None = None
    hop: OneOf | Bounds | None = None
    completes: bool | None = None
    text: Pattern | None = None
    repeats_private: bool | None = field(default=None)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that matter."""
        names = (one.name for one in fields(type(self)))
        return tuple(name for name in names if getattr(self, name) is not None)


#: Whether a step fits; the second step is the one that ``after`` matched.
Fits = Callable[[Step, Step | None], bool]


@lru_cache(maxsize=1024)
def compiled(matcher: Matcher) -> Fits:
    """Return the test of a matcher: all of its keys, the cheapest first. It is made once.

    The test raises ``PatternTimeout`` for a pattern that takes too long.
    """
    # What says most for least time comes first, and a pattern last.
    order = sorted(matcher.keys, key=lambda key: (key == "text", key not in _FIRST))
    tests = [_TESTS[key](getattr(matcher, key)) for key in order]
    if len(tests) == 1:
        return tests[0]

    def fits(step: Step, after: Step | None) -> bool:
        for test in tests:  # noqa: SIM110 - a generator costs more than the tests
            if not test(step, after):
                return False
        return True

    return fits


#: What a person's id stands behind in a list of mentions.
_PERSON: Final = "person:"

_FIRST: Final = ("row", "kind", "completes", "seat", "outcome")


def _of_one(get: Callable[[Step], Any], prefix: str = "") -> Callable[[Any], Fits]:
    """Return how a key is tested of which a step has one value, or none.

    ``prefix`` makes of a value what it is called in a list of mentions.
    """

    def make(wanted: Any) -> Fits:  # noqa: ANN401 - a value of a matcher
        if isinstance(wanted, SameAs):
            key = wanted.key
            return lambda step, after: (
                get(step) is not None and f"{prefix}{get(step)}" in _had(after, key)
            )
        if isinstance(wanted, Bounds):
            return lambda step, _: _is_between(get(step), wanted)
        values, negated = frozenset(wanted.values), wanted.negated
        return lambda step, _: get(step) is not None and (get(step) in values) != negated

    return make


def _of_many(get: Callable[[Step], tuple[str, ...]]) -> Callable[[Any], Fits]:
    """Return how a key is tested of which a step has several values: one of them must fit."""

    def make(wanted: Any) -> Fits:  # noqa: ANN401 - a value of a matcher
        if isinstance(wanted, NextSeat):
            return lambda step, _: step.kind is not None and bool(get(step)) == wanted.any
        if isinstance(wanted, SameAs):
            key = wanted.key
            return lambda step, after: any(one in _had(after, key) for one in get(step))
        values, negated = frozenset(wanted.values), wanted.negated
        if negated:
            return lambda step, _: bool(get(step)) and values.isdisjoint(get(step))
        return lambda step, _: not values.isdisjoint(get(step))

    return make


def _next(wanted: OneOf | NextSeat | SameAs) -> Fits:
    """A seat that is next, or ``{ none = reason }``."""
    if isinstance(wanted, OneOf) and any(isinstance(one, NoSeat) for one in wanted.values):
        reasons = frozenset(one.none for one in wanted.values if isinstance(one, NoSeat))
        seats = frozenset(one for one in wanted.values if isinstance(one, str))
        negated = wanted.negated
        return lambda step, _: (
            step.kind is not None
            and (step.why in reasons or not seats.isdisjoint(step.next)) != negated
        )
    return _of_many(lambda step: step.next)(wanted)


def _audience(wanted: Audiences) -> Fits:
    simple = {one for one in wanted.values if isinstance(one, str)}
    parties = {frozenset(one) for one in wanted.values if not isinstance(one, str)}

    def fits(step: Step, _: Step | None) -> bool:
        audience = step.audience
        if audience is None:
            return False
        among = audience.kind in simple or (
            audience.kind == "aside" and frozenset(audience.members) in parties
        )
        return among != wanted.negated

    return fits


def _text(wanted: Pattern) -> Fits:
    pattern = regex.compile(wanted.pattern)
    negated = wanted.negated

    def fits(step: Step, _: Step | None) -> bool:
        try:
            found = pattern.search(step.text, timeout=PATTERN_TIMEOUT_S) is not None
        except TimeoutError:
            raise PatternTimeout(step) from None
        return found != negated

    return fits


def _flag(get: Callable[[Step], bool]) -> Callable[[Any], Fits]:
    def make(wanted: Any) -> Fits:  # noqa: ANN401 - true or false
        return lambda step, _: get(step) == wanted

    return make


def _had(after: Step | None, key: str) -> tuple[str, ...]:
    """Return whom a step had under a key, as a list of mentions calls them."""
    if after is None:
        return ()
    if key == "seat":
        return () if after.seat is None else (after.seat,)
    if key == "person":
        return () if after.person is None else (f"{_PERSON}{after.person}",)
    found: tuple[str, ...] = getattr(after, key)
    return found


def _is_between(number: int | None, bounds: Bounds) -> bool:
    if number is None or (bounds.at_least is not None and number < bounds.at_least):
        return False
    return bounds.at_most is None or number <= bounds.at_most


_TESTS: Final[dict[str, Callable[[Any], Fits]]] = {
    "seat": _of_one(lambda step: step.seat),
    "person": _of_one(lambda step: step.person, _PERSON),
    "kind": _of_one(lambda step: step.kind),
    "row": _flag(lambda step: step.kind is not None),
    "outcome": _of_one(lambda step: step.outcome),
    "audience": _audience,
    "mentions": _of_many(lambda step: step.mentions),
    "next": _next,
    "why": _of_one(lambda step: step.why),
    "refusal": _of_many(lambda step: step.refusals),
    "hop": _of_one(lambda step: step.hop),
    "completes": _flag(lambda step: step.completes),
    "text": _text,
    "repeats_private": _flag(lambda step: step.repeats_private),
}
