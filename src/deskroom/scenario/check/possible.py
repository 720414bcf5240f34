"""What a step of a run can be at all, as far as a file's desk and policy decide, whatever is said.

A step is of one of six sorts: a row of each kind, and a turn without a row. For each sort and each key
of a matcher it is asked whether some step can have what is wanted, and whether every step has it. Where
that is not known, some step can, and not every step does: so what is said to be impossible is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import regex
from attrs import frozen

from deskroom.core.reasons import AsideReason, CallFault, NoTurnReason, Outcome, RowKind
from deskroom.runs.properties import (
    Audiences,
    Bounds,
    Matcher,
    NextSeat,
    NoSeat,
    OneOf,
    Pattern,
    SameAs,
)
from deskroom.scenario.check.context import CheckContext

__all__ = ["ROWLESS", "SORTS", "Possible", "matches_all_text"]

#: A turn that ended without a row; the other sorts are kinds of rows.
ROWLESS: Final = "turn"
SORTS: Final = (*RowKind, ROWLESS)
_SEATS: Final = (RowKind.SEAT, ROWLESS)
_PEOPLE: Final = (RowKind.OPENING, RowKind.PERSON)
_NO_ROW: Final = tuple(one for one in Outcome if one != Outcome.SPOKE)
_FLAGS: Final = (False, True)
#: A call that comes too late is none of its turn's.
_LATE: Final = frozenset((CallFault.TURN_ENDED, CallFault.NOT_YOUR_TURN))
#: A pattern that looks at nothing but the text that it matches.
_PLAIN: Final = regex.compile(r"(?:[^\\^$()]|\\[wdsWDS.]|\((?![?*])|\(\?:|\))*+")


def matches_all_text(pattern: Pattern) -> bool:
    """Whether a pattern certainly matches every text; if it is negated, none.

    One that matches an empty text, and looks at nothing around it, matches at the end of any text.
    """
    if _PLAIN.fullmatch(pattern.pattern) is None:
        return False
    try:
        return regex.compile(pattern.pattern).search("", timeout=1) is not None
    except TimeoutError:
        return False


@frozen(eq=False)
class Possible:
    """What steps of the runs of one file can be."""

    context: CheckContext

    # --- the room --------------------------------------------------------------------------

    @cached_property
    def no_asides(self) -> str:
        """Why no row can be an aside, or nothing where one can."""
        aside = self.context.policy.aside
        if not aside.enabled:
            return "the policy allows no asides"
        if aside.max_members == 0:
            return "every aside is refused, since max_members is 0"
        if aside.max_messages == 0:
            return "every aside is refused, since max_messages is 0"
        if aside.require_thread:
            return "every aside is refused, since a room has no threads yet"
        return ""

    @cached_property
    def max_hops(self) -> int:
        """The highest hop of a turn."""
        return self.context.policy.dispatch.max_hops

    @cached_property
    def active(self) -> tuple[str, ...]:
        """The seats that can be next."""
        return tuple(seat.id for seat in self.context.desk.seats if not seat.retired)

    @cached_property
    def playing(self) -> tuple[str, ...]:
        """The seats that can have a turn: a retired one only where the list gives it one."""
        partial = self.context.partial
        listed = {turn.seat for turn in partial.turns} if partial.order == "listed" else set()
        return tuple(
            seat.id for seat in self.context.desk.seats if not seat.retired or seat.id in listed
        )

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """Why nobody can be next."""
        never = {NoTurnReason.HOP_OVERFLOW, NoTurnReason.NO_ACTIVE_SEAT}
        if self.context.policy.dispatch.enabled:
            never.add(NoTurnReason.DISABLED)
        return tuple(one for one in NoTurnReason if one not in never)

    @cached_property
    def refusals(self) -> tuple[str, ...]:
        """Why a call can be refused within its turn, or a row not be private."""
        faults = [one for one in CallFault if one not in _LATE]
        if not self.context.policy.aside.enabled:
            return (*faults, AsideReason.DISABLED)
        return (*faults, *(one for one in AsideReason if one != AsideReason.DISABLED))

    def most(self, matchers: Sequence[Matcher]) -> float:
        """Return how many steps of a run all of the matchers can match, at most."""
        policy = self.context.policy
        bounds = {
            RowKind.OPENING: 1,
            RowKind.NUDGE: policy.chair.rounds,
            RowKind.SEAT: policy.max_turns,
        }
        return sum(bounds.get(sort, math.inf) for sort in self.sorts(matchers))  # type: ignore[call-overload]

    # --- matchers --------------------------------------------------------------------------

    def sorts(self, matchers: Sequence[Matcher]) -> tuple[str, ...]:
        """Return the sorts of steps of which one may match all of the matchers."""
        wanted = _by_key(matchers)
        return tuple(sort for sort in SORTS if self._can(sort, wanted))

    def key_sorts(self, key: str, wanted: Any) -> tuple[str, ...]:  # noqa: ANN401 - of a matcher
        """Return the sorts of steps of which one may have what is wanted under one key."""
        return tuple(sort for sort in SORTS if self._can(sort, {key: [wanted]}))

    def is_certain(self, matcher: Matcher, when: Matcher | None) -> bool:
        """Whether every step matches, or every one that ``when`` matches."""
        given = [] if when is None else [when]
        return all(
            self._must(sort, key, getattr(matcher, key), when)
            for sort in self.sorts(given)
            for key in matcher.keys
        )

    def has(self, key: str, after: Matcher) -> bool:
        """Whether a step that a matcher matches can have something for ``same_as`` to point at."""
        sorts = self.sorts([after])
        if key == "seat":
            return any(sort in _SEATS for sort in sorts)
        if key == "person":
            return any(sort in (*_PEOPLE, RowKind.NUDGE) for sort in sorts)
        rows = [sort for sort in sorts if sort not in {ROWLESS, RowKind.WROTE}]
        if key == "next":
            return bool(rows) and not _wants_nobody(after)
        return bool(rows)

    def _can(self, sort: str, wanted: Mapping[str, Sequence[Any]]) -> bool:
        """Whether a step of a sort may have all that is wanted."""
        if sort == RowKind.NUDGE and self.context.policy.chair.rounds == 0:
            return False
        for key, values in wanted.items():
            if key in _DOMAINS:
                domain = _DOMAINS[key](self, sort)
                if not any(all(_fits(one, value) for value in values) for one in domain):
                    return False
            elif not all(_CAN[key](self, sort, value) for value in values):
                return False
        return self._goes_together(sort, wanted)

    def _goes_together(self, sort: str, wanted: Mapping[str, Sequence[Any]]) -> bool:
        """Whether keys that may each be had may be had together."""
        nexts, whys = wanted.get("next", ()), wanted.get("why", ())
        if whys and any(_wants_seat(one) for one in nexts):
            return False
        if wanted.get("repeats_private") == [True] and any(
            not _may_be_desk(one) for one in wanted.get("audience", ())
        ):
            return False
        if sort != RowKind.SEAT or "seat" not in wanted:
            return True
        authors = [seat for seat in self.playing if all(_fits(seat, one) for one in wanted["seat"])]
        others = (*nexts, *wanted.get("audience", ()))
        return any(all(_may_be_of(seat, one) for one in others) for seat in authors)

    def _must(
        self,
        sort: str,
        key: str,
        wanted: Any,  # noqa: ANN401 - a value of a matcher
        when: Matcher | None,
    ) -> bool:
        """Whether every step of a sort has what is wanted."""
        given = None if when is None else getattr(when, key)
        if given == wanted and not isinstance(wanted, SameAs):
            return True
        if key == "text":
            return matches_all_text(wanted) and not wanted.negated
        if key == "audience":
            return sort != ROWLESS and self._must_be_for(sort, wanted)
        if key not in _DOMAINS or key == "why":
            return False  # a step may have none
        domain = _DOMAINS[key](self, sort)
        given = [] if given is None else [given]
        return all(
            _fits(one, wanted) for one in domain or (None,) if all(_fits(one, g) for g in given)
        )

    def _must_be_for(self, sort: str, wanted: Audiences) -> bool:
        desk, aside = "desk" in wanted.values, "aside" in wanted.values
        if sort != RowKind.SEAT or self.no_asides:
            return desk != wanted.negated
        return not wanted.negated and desk and aside

    # --- domains: all that a key of a step may be; nothing where a step has no such thing ----

    def _seats(self, sort: str) -> Sequence[str]:
        return self.playing if sort in _SEATS else ()

    def _people(self, sort: str) -> Sequence[str]:
        people = [person.id for person in self.context.desk.people]
        if sort in _PEOPLE:
            return people
        if sort != RowKind.NUDGE:
            return ()
        chair = self.context.policy.chair.by
        return people[:1] if chair is None else [chair]

    def _kinds(self, sort: str) -> Sequence[str]:
        return () if sort == ROWLESS else (sort,)

    def _rows(self, sort: str) -> Sequence[bool]:
        return (sort != ROWLESS,)

    def _outcomes(self, sort: str) -> Sequence[str]:
        return {RowKind.SEAT: (Outcome.SPOKE,), ROWLESS: _NO_ROW}.get(sort, ())

    def _whys(self, sort: str) -> Sequence[str]:
        if sort in {ROWLESS, RowKind.NUDGE, *_PEOPLE}:
            return ()  # a person's row goes to the lead, if it names no seat
        return (NoTurnReason.SOURCE_INACTIVE,) if sort == RowKind.WROTE else self.reasons

    def _hops(self, sort: str) -> Sequence[int]:
        return range(self.max_hops + 1) if sort in _SEATS else ()

    def _completions(self, sort: str) -> Sequence[bool]:
        return _FLAGS if sort == RowKind.SEAT else (False,)

    def _repeats(self, sort: str) -> Sequence[bool]:
        can = sort not in {ROWLESS, RowKind.WROTE} and not self.no_asides
        return _FLAGS if can else (False,)

    # --- keys of which a step may have several values ----------------------------------------

    def _can_be_for(self, sort: str, wanted: Audiences) -> bool:
        if sort == ROWLESS:
            return False
        if sort != RowKind.SEAT or self.no_asides:
            return ("desk" in wanted.values) != wanted.negated
        return wanted.negated or any(
            isinstance(one, str) or self._is_party(one) for one in wanted.values
        )

    def _is_party(self, members: Sequence[str]) -> bool:
        party = set(members)
        is_small = len(party) <= self.context.policy.aside.max_members
        return is_small and party.issubset(self.active)

    def _can_name(self, sort: str, wanted: OneOf | SameAs) -> bool:
        if sort in {ROWLESS, RowKind.WROTE}:
            return False
        if isinstance(wanted, SameAs) or wanted.negated:
            return True
        retired = {seat.id for seat in self.context.desk.seats if seat.retired}
        return any(one not in retired for one in wanted.values)

    def _can_go_to(self, sort: str, wanted: OneOf | NextSeat | SameAs) -> bool:
        if sort == ROWLESS:
            return False
        goes = sort != RowKind.WROTE and not (sort == RowKind.SEAT and self.max_hops == 0)
        if isinstance(wanted, SameAs):
            return goes
        if isinstance(wanted, NextSeat):
            return goes if wanted.any else sort not in {RowKind.NUDGE, *_PEOPLE}
        if wanted.negated:
            return True
        seats = any(one in self.active for one in wanted.values if isinstance(one, str))
        reasons = {one.none for one in wanted.values if isinstance(one, NoSeat)}
        return (goes and seats) or not reasons.isdisjoint(self._whys(sort))

    def _can_be_refused(self, sort: str, wanted: OneOf) -> bool:
        return sort in _SEATS and any(_fits(one, wanted) for one in self.refusals)

    def _can_say(self, _sort: str, wanted: Pattern) -> bool:
        return not (wanted.negated and matches_all_text(wanted))


_DOMAINS: Final[Mapping[str, Callable[[Possible, str], Sequence[Any]]]] = {
    "seat": Possible._seats,  # noqa: SLF001 - this module's own
    "person": Possible._people,  # noqa: SLF001
    "kind": Possible._kinds,  # noqa: SLF001
    "row": Possible._rows,  # noqa: SLF001
    "outcome": Possible._outcomes,  # noqa: SLF001
    "why": Possible._whys,  # noqa: SLF001
    "hop": Possible._hops,  # noqa: SLF001
    "completes": Possible._completions,  # noqa: SLF001
    "repeats_private": Possible._repeats,  # noqa: SLF001
}
_CAN: Final[Mapping[str, Callable[[Possible, str, Any], bool]]] = {
    "audience": Possible._can_be_for,  # noqa: SLF001
    "mentions": Possible._can_name,  # noqa: SLF001
    "next": Possible._can_go_to,  # noqa: SLF001
    "refusal": Possible._can_be_refused,  # noqa: SLF001
    "text": Possible._can_say,  # noqa: SLF001
}


def _by_key(matchers: Iterable[Matcher]) -> dict[str, list[Any]]:
    wanted: dict[str, list[Any]] = {}
    for matcher in matchers:
        for key in matcher.keys:
            wanted.setdefault(key, []).append(getattr(matcher, key))
    return wanted


def _fits(value: Any, wanted: Any) -> bool:  # noqa: ANN401 - values of a step and of a matcher
    """Whether one value of a step is one that is wanted; None fits nothing."""
    if value is None or isinstance(wanted, bool):
        return value is wanted
    if isinstance(wanted, SameAs):
        return True
    if isinstance(wanted, Bounds):
        least, most = wanted.at_least, wanted.at_most
        return (least is None or value >= least) and (most is None or value <= most)
    found: bool = (value in wanted.values) != wanted.negated
    return found


def _wants_seat(wanted: OneOf | NextSeat | SameAs) -> bool:
    """Whether ``next`` asks for a seat, and so for a row that goes to somebody."""
    if isinstance(wanted, OneOf):
        return not any(isinstance(one, NoSeat) for one in wanted.values)
    return not isinstance(wanted, NextSeat) or wanted.any


def _wants_nobody(matcher: Matcher) -> bool:
    """Whether a matcher asks for a row that goes to nobody."""
    following = matcher.next
    if matcher.why is not None or (isinstance(following, NextSeat) and not following.any):
        return True
    if not isinstance(following, OneOf) or following.negated:
        return False
    return all(isinstance(one, NoSeat) for one in following.values)


def _may_be_desk(wanted: Audiences) -> bool:
    return ("desk" in wanted.values) != wanted.negated


def _may_be_of(author: str, wanted: Any) -> bool:  # noqa: ANN401 - a value of a matcher
    """Whether a row by a seat may go to this or be for this: never to itself."""
    values: Iterator[Any] | tuple[Any, ...]
    if isinstance(wanted, OneOf | Audiences) and not wanted.negated:
        values = wanted.values
        return any(author not in one if isinstance(one, tuple) else one != author for one in values)
    return True
