"""Properties that can never fail in their file, and those that can never be met.

Only the desk and the policy are looked at, and not what seats are listed to say: a property is there
for what nobody listed.
"""

from __future__ import annotations

from typing import Any, Final

from attrs import frozen

from deskroom.printable import counted
from deskroom.runs.properties import (
    Audiences,
    Matcher,
    NextSeat,
    NoSeat,
    OneOf,
    Pattern,
    Property,
    SameAs,
)
from deskroom.scenario.check.context import CheckContext
from deskroom.scenario.check.possible import Possible, matches_all_text
from deskroom.scenario.format.position import KeyPath
from deskroom.scenario.format.problems import quoted

__all__ = ["warn_of_properties"]

_NEVER_FAILS: Final = "so this property can never fail"
_NEVER_MET: Final = "so this property can never be met"


def warn_of_properties(context: CheckContext) -> None:
    """Warn of each property that holds whatever happens, or that nothing can meet."""
    possible = Possible(context)
    for at, one in enumerate(context.partial.properties):
        _Warning(context, possible, ("property", at), one).warn()


@frozen(eq=False)
class _Warning:
    """One property, and where its warnings go."""

    context: CheckContext
    possible: Possible
    path: KeyPath
    of: Property

    def warn(self) -> None:
        """Warn of it, at the most once beside patterns that say nothing."""
        self._of_patterns()
        one = self.of
        if one.never is not None:
            self._is_impossible("never", one.never, _NEVER_FAILS)
        elif one.always is not None:
            self._of_always(one.always, one.when)
        elif one.eventually is not None:
            self._is_impossible("eventually", one.eventually, _NEVER_MET)
        elif one.after is not None and one.then is not None:
            self._of_after(one.after, one.then)
        elif one.count is not None:
            self._of_count(one.count)

    def _of_patterns(self) -> None:
        for key in ("never", "always", "when", "eventually", "after", "then", "count"):
            matcher: Matcher | None = getattr(self.of, key)
            pattern = None if matcher is None else matcher.text
            if pattern is not None and not pattern.negated and matches_all_text(pattern):
                problem = "this has no effect: the pattern matches every text"
                self.context.warnings.at_value((*self.path, key, "text"), "no_effect", problem)

    def _of_always(self, always: Matcher, when: Matcher | None) -> None:
        if when is not None and self._is_impossible("when", when, _NEVER_FAILS):
            return
        what = "no step matches this" if when is None else "what when matches never matches this"
        if self._is_impossible("always", always, _NEVER_MET, what=what, given=when):
            return
        if self.possible.is_certain(always, when):
            what = "every step" if when is None else "all that when matches"
            self._cannot_fail("always", f"{what} matches this, {_NEVER_FAILS}", "certain")

    def _of_after(self, after: Matcher, then: Matcher) -> None:
        if self._is_impossible("after", after, _NEVER_FAILS):
            return
        ends = "so this property fails wherever after matches"
        if self._is_impossible("then", then, ends):
            return
        for key in then.keys:
            wanted = getattr(then, key)
            if isinstance(wanted, SameAs) and not self.possible.has(wanted.key, after):
                problem = f"what after matches has no {wanted.key}, {ends}"
                self._cannot_match(("then", key, "same_as"), problem, "contradiction")
                return
        most = self.context.policy.max_turns
        if self.of.within is not None and self.of.within >= most:
            turns = counted(most, "turn")
            problem = f"at most {turns} are granted, so only the close of the room ends this wait"
            self.context.warnings.at_value((*self.path, "within"), "no_effect", problem)

    def _of_count(self, count: Matcher) -> None:
        least, most = self.of.at_least, self.of.at_most
        if self._is_impossible("count", count, _NEVER_MET if least else _NEVER_FAILS):
            return
        reached = self.possible.most([count])
        if least is not None and least > reached:
            problem = f"at most {counted(int(reached), 'step')} can match, {_NEVER_MET}"
            self._cannot_match(("at_least",), problem, "count")
        elif not least and (most is None or most >= reached):
            key, clause = "at_least", "no count is below 0"
            if most is not None:
                key, clause = "at_most", f"at most {counted(int(reached), 'step')} can match"
            self._cannot_fail(key, f"{clause}, {_NEVER_FAILS}", "count")

    # --- what cannot match -------------------------------------------------------------------

    def _is_impossible(
        self,
        part: str,
        matcher: Matcher,
        ends: str,
        *,
        what: str = "no step matches this",
        given: Matcher | None = None,
    ) -> bool:
        """Warn if nothing matches; return whether it is so."""
        if self.possible.sorts([matcher] if given is None else [given, matcher]):
            return False
        for key in matcher.keys:
            if not self.possible.key_sorts(key, getattr(matcher, key)):
                why = self._why(key, getattr(matcher, key))
                problem = f"no step has this: {why[1]}, {ends}"
                self._warn_as(ends, (part, key), problem, why[0])
                return True
        clash = "" if given is not None else ", for it asks for what does not go together"
        self._warn_as(ends, (part,), f"{what}{clash}, {ends}", "contradiction")
        return True

    def _why(self, key: str, wanted: Any) -> tuple[str, str]:  # noqa: ANN401 - of a matcher
        """Return a code and a clause for why no step has what is wanted under one key."""
        possible = self.possible
        if isinstance(wanted, Pattern):
            return "text", "the pattern matches every text"
        if key == "kind":
            return "no_nudges", "the chair never speaks, as its rounds are 0"
        if key == "hop":
            return "max_hops", f"max_hops is {possible.max_hops}"
        if key == "repeats_private" or (isinstance(wanted, Audiences) and possible.no_asides):
            return "no_asides", possible.no_asides
        if isinstance(wanted, Audiences):
            return "audience", "an aside cannot be to these seats"
        if key == "refusal":
            return "refusal", self._why_no_refusal(wanted)
        if key == "why" or (isinstance(wanted, OneOf) and _is_reason(wanted)):
            return "reason", "a row at this desk never goes to nobody for this reason"
        if isinstance(wanted, NextSeat):
            return "reason", "each row goes to somebody"
        return "retired", _retired(wanted)

    def _why_no_refusal(self, wanted: OneOf) -> str:
        if set(wanted.values) <= {"turn_ended", "not_your_turn"}:
            return "a late call does not count as one of a turn"
        aside = self.context.policy.aside
        if aside.enabled:
            return "asides are enabled"
        return "where asides are not enabled, that is what they are refused for (disabled)"

    # --- saying it -----------------------------------------------------------------------------

    def _warn_as(self, ends: str, steps: KeyPath, problem: str, reason: str) -> None:
        if ends == _NEVER_FAILS:
            self.context.warnings.at_value((*self.path, *steps), "cannot_fail", problem, reason)
        else:
            self._cannot_match(steps, problem, reason)

    def _cannot_fail(self, key: str, problem: str, reason: str) -> None:
        self.context.warnings.at_value((*self.path, key), "cannot_fail", problem, reason)

    def _cannot_match(self, steps: KeyPath, problem: str, reason: str) -> None:
        self.context.warnings.at_value((*self.path, *steps), "cannot_match", problem, reason)


def _is_reason(wanted: OneOf) -> bool:
    return all(isinstance(one, NoSeat) for one in wanted.values)


def _retired(wanted: Any) -> str:  # noqa: ANN401 - a value of a matcher
    """Return a clause that names the retired seats that are asked for."""
    values = wanted.values if isinstance(wanted, OneOf) and not wanted.negated else ()
    named = [quoted(one) for one in values if isinstance(one, str)]
    if not named:
        return "no seat is left to have it"
    if len(named) == 1:
        return f"the seat {named[0]} is retired"
    return f"the seats {', '.join(named)} are retired"
