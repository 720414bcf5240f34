"""Listed turns that are certainly never played.

Nothing is run: a warning follows from the file alone. In listed order there is one for every turn
behind a completion that certainly closes the desk, and for every turn past ``max_turns``. In routed
order there is one for every turn of a seat beyond those that the file can grant it (a row grants
one turn, or one to each recipient of a broadcast), for every turn of a seat behind its own closing
completion, for a seat's turns past ``max_turns``, and for every person's turn behind any of these,
since a person waits for all that is listed before.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from attrs import define, field, frozen

from deskroom.core import Target, TurnFor, resolve, respond_to_person
from deskroom.scenario.check.context import CheckContext, path_of
from deskroom.scenario.check.forecast import TurnForecast
from deskroom.scenario.format.model import Turn
from deskroom.scenario.format.problems import quoted

__all__ = ["warn_of_unreachable"]


@frozen
class _Why:
    """Why a turn is never played: a code, and a clause for people."""

    reason: Literal["closed", "max_turns", "retired", "no_grant", "few_grants", "waits"]
    clause: str


@frozen
class _NeverReached:
    """A listed turn of which at most ``reached`` copies are played, and why."""

    turn: Turn
    reached: int
    why: _Why


def warn_of_unreachable(context: CheckContext, forecasts: Mapping[int, TurnForecast]) -> None:
    """Warn of each listed turn that is never played, and of copies that are not.

    ``forecasts`` holds every seat's turn by its number.
    """
    if context.partial.order == "listed":
        for one in _listed(forecasts, context):
            _warn(one, context)
        return
    found = list(_routed(forecasts, context))
    for one in found:
        _warn(one, context)
    _warn_of_surplus(found, context)


def _warn_of_surplus(found: list[_NeverReached], context: CheckContext) -> None:
    """Warn where seats list more turns than the room grants; the room decides which are left."""
    policy = context.policy
    listed = sum(turn.repeat for turn in context.partial.turns if turn.seat is not None)
    dead = sum(one.turn.repeat - one.reached for one in found if one.turn.seat is not None)
    if policy.silence == "yield" and listed - dead > policy.max_turns:
        problem = f"seats list {listed} turns, and at most {policy.max_turns} are played"
        context.warnings.at_value(("policy", "max_turns"), "never_reached", problem, "max_turns")


def _warn(one: _NeverReached, context: CheckContext) -> None:
    copies, why = one.turn.repeat, one.why.clause
    path = path_of(one.turn, "repeat") if one.reached else path_of(one.turn)
    problem = f"this turn is never played: {why}"
    if one.reached:
        problem = f"at most {one.reached} of these {copies} turns are played: {why}"
    if one.turn.expect is not None:
        problem += "; its expectations can only fail"
    context.warnings.at_value(path, "never_reached", problem, one.why.reason)


def _closing(turn: Turn) -> _Why:
    return _Why("closed", f"turn {turn.number} completes and closes the desk")


def _spent(context: CheckContext) -> _Why:
    return _Why("max_turns", f"max_turns is {context.policy.max_turns}")


# --- listed order ------------------------------------------------------------------------------


def _listed(
    forecasts: Mapping[int, TurnForecast], context: CheckContext
) -> Iterator[_NeverReached]:
    walk = _Walk(context)
    for turn in context.partial.turns:
        reached = walk.play(turn, forecasts.get(turn.number)) if walk.over is None else 0
        if reached < turn.repeat and walk.over is not None:
            yield _NeverReached(turn, reached, walk.over)


@define
class _Walk:
    """A walk along the list: how many turns are granted for certain, and who is done.

    A turn that may be the retry of a silent one may cost no grant of its own.
    """

    context: CheckContext
    granted: int = 0
    done: set[str] = field(factory=set)
    before: TurnForecast | None = None
    over: _Why | None = None

    def play(self, turn: Turn, forecast: TurnForecast | None) -> int:
        """Count a turn and return how many of its copies can be played; set ``over`` after the last."""
        before, self.before = self.before, forecast
        if forecast is None:
            return turn.repeat
        free = self._may_be_retry(before, forecast)
        left = self.context.policy.max_turns - self.granted
        if left <= 0 and not free:
            self.over = _spent(self.context)
            return 0
        if self._closes(forecast):
            self.over = _closing(turn)
            return 1
        if self._retries and forecast.may_be_silent:
            # Each second copy may be the retry of the one before it.
            self.granted += (turn.repeat - free + 1) // 2
            return turn.repeat
        self.granted += turn.repeat - free
        if turn.repeat - free > left:
            self.over = _spent(self.context)
            return left + free
        return turn.repeat

    @property
    def _retries(self) -> bool:
        return self.context.policy.silence == "retry"

    def _may_be_retry(self, before: TurnForecast | None, forecast: TurnForecast) -> int:
        """Return 1 where the first copy may be played as the retry of the turn before it, else 0."""
        follows = before is not None and before.turn.seat == forecast.turn.seat
        return int(self._retries and follows and before is not None and before.may_be_silent)

    def _closes(self, forecast: TurnForecast) -> bool:
        """Whether this turn certainly closes the desk; a broadcast may give anybody new work."""
        if forecast.may_broadcast:
            self.done.clear()
        if not forecast.completes:
            return False
        self.done.add(forecast.turn.seat or "")
        policy = self.context.policy
        participants = policy.participants or self.context.directory.roster.active
        return policy.close == "first" or self.done.issuperset(participants)


# --- routed order ------------------------------------------------------------------------------


def _routed(
    forecasts: Mapping[int, TurnForecast], context: CheckContext
) -> Iterator[_NeverReached]:
    """Return what is never played. Each turn that is not may take others with it."""
    answering = _answering(context)
    silent: set[int] = set()
    while True:
        asked = Counter(seat for number, seat in answering if number not in silent)
        speaking = [p for number, p in forecasts.items() if number not in silent]
        grants = _most_grants(speaking, asked, context)
        found = list(_dead(forecasts, grants, context))
        before, silent = silent, {one.turn.number for one in found if not one.reached}
        if silent == before:
            return iter(found)


def _answering(context: CheckContext) -> list[tuple[int, str]]:
    """Return who answers each person's words, with the number of their turn (the opening's is 0)."""
    opening = context.partial.opening
    said = [] if opening is None else [(0, opening.by, opening.message)]
    for turn in context.partial.turns:
        if turn.person is not None:
            said.append((turn.number, turn.person, turn.say or ""))
        said += [(turn.number, one.person, one.say) for one in turn.meanwhile] * turn.repeat
    directory = context.directory
    decisions = [
        respond_to_person(
            resolve(text, None, Target("person", by), directory), directory, context.desk.id
        )
        for _, by, text in said
    ]
    return [
        (number, decision.target_id)
        for (number, _, _), decision in zip(said, decisions, strict=True)
        if isinstance(decision, TurnFor)
    ]


def _most_grants(
    speaking: Sequence[TurnForecast], asked: Counter[str], context: CheckContext
) -> dict[str, float]:
    """Return how often each seat can be granted a turn, at most.

    ``speaking`` are the turns that may be played, and ``asked`` is how often people's words go to
    each seat. A row grants one turn, or one to each recipient of a broadcast.
    """
    policy = context.policy
    reached = _reachable(speaking, asked, context)
    often = Counter(asked)
    everyone = policy.chair.rounds
    again: set[str] = set()
    for forecast in speaking:
        seat, copies = forecast.turn.seat or "", forecast.turn.repeat
        if seat in reached and policy.dispatch.max_hops > 0:
            everyone += copies if forecast.may_broadcast else 0
            if policy.dispatch.enabled:
                often.update(dict.fromkeys(forecast.seats, copies))
        if policy.silence == "retry" and forecast.may_be_silent:
            again.add(seat)
    return {seat: math.inf if seat in again else often[seat] + everyone for seat in reached}


def _reachable(
    speaking: Sequence[TurnForecast], asked: Counter[str], context: CheckContext
) -> frozenset[str]:
    """Return every seat that can be granted a turn at all, hop by hop from those who are asked."""
    policy, active = context.policy, context.directory.roster.active
    if policy.chair.rounds > 0:
        return frozenset(active)
    of_seat: dict[str, list[TurnForecast]] = {}
    for forecast in speaking:
        of_seat.setdefault(forecast.turn.seat or "", []).append(forecast)
    waiting = deque((seat, 0) for seat in asked)
    reached: set[str] = set()
    while waiting:
        seat, hop = waiting.popleft()
        if seat in reached:
            continue
        reached.add(seat)
        if hop >= policy.dispatch.max_hops:
            continue
        for forecast in of_seat.get(seat, ()):
            if forecast.may_broadcast:
                return frozenset(active)
            if policy.dispatch.enabled:
                waiting.extend((named, hop + 1) for named in sorted(forecast.seats))
    return frozenset(reached.intersection(active))


def _dead(
    forecasts: Mapping[int, TurnForecast], grants: Mapping[str, float], context: CheckContext
) -> Iterator[_NeverReached]:
    """Yield every turn that is not played, or not in all its copies, in file order."""
    listed = _PerSeat(grants, context)
    for turn in context.partial.turns:
        forecast = forecasts.get(turn.number)
        if forecast is None:
            if listed.blocked is not None:
                yield _NeverReached(turn, 0, listed.blocked)
            continue
        found = listed.play(forecast)
        if found is not None:
            yield found


@define
class _PerSeat:
    """A walk along the list of a routed scenario: a seat plays its own turns in order.

    ``grants`` is how often each seat can be granted a turn, at most; ``blocked`` is why no person
    behind here ever speaks.
    """

    grants: Mapping[str, float]
    context: CheckContext
    blocked: _Why | None = None
    closed: dict[str, _Why] = field(factory=dict)
    counts: dict[str, int] = field(factory=dict)
    total: int = 0

    def play(self, forecast: TurnForecast) -> _NeverReached | None:
        """Count a turn in; return it when it is not played in all its copies."""
        turn = forecast.turn
        seat, repeat = turn.seat or "", turn.repeat
        reached, why = self._reached(seat, repeat)
        if reached and self._closes(forecast):
            self.closed[seat] = _closing(turn)
            self.blocked = self.blocked or _closing(turn)
            reached, why = 1, _closing(turn)
        self.counts[seat] = self.counts.get(seat, 0) + repeat
        self.total += repeat
        if self._limit is not None and self.total > self._limit:
            self.blocked = self.blocked or _spent(self.context)
        if reached == repeat:
            return None
        how = "not played in all its copies" if reached else "never played"
        waits = _Why("waits", f"it waits for turn {turn.number}, which is {how}")
        self.blocked = self.blocked or waits
        return _NeverReached(turn, reached, why)

    def _reached(self, seat: str, repeat: int) -> tuple[int, _Why]:
        if self.context.seats[seat].retired:
            return 0, _Why("retired", f"the seat {quoted(seat)} is retired")
        grants = self.grants.get(seat, 0)
        if grants == 0:
            return 0, _Why("no_grant", f"nothing in this file gives {quoted(seat)} a turn")
        if seat in self.closed:
            return 0, self.closed[seat]
        limit = math.inf if self._limit is None else self._limit
        why = _spent(self.context)
        if grants < limit:
            limit, turns = grants, "turn" if grants == 1 else "turns"
            why = _Why("few_grants", f"this file gives {quoted(seat)} at most {grants} {turns}")
        left = max(limit - self.counts.get(seat, 0), 0)
        return int(min(repeat, left)), why

    @property
    def _limit(self) -> int | None:
        """How many listed turns can be played; a retry plays one without a grant of its own."""
        policy = self.context.policy
        return policy.max_turns if policy.silence == "yield" else None

    def _closes(self, forecast: TurnForecast) -> bool:
        """Whether this completion closes the desk, whatever was played before it."""
        policy, seat = self.context.policy, forecast.turn.seat
        participants = policy.participants or self.context.directory.roster.active
        alone = tuple(dict.fromkeys(participants)) == (seat,)
        return forecast.completes and (policy.close == "first" or alone)
