"""Checking properties step by step: what each kind of property asks, and who may know the answer."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from attrs import define, evolve, field, frozen

from deskroom.errors import FileError
from deskroom.printable import counted
from deskroom.runs.properties.matcher import Fits, PatternTimeout, compiled
from deskroom.runs.properties.property import Property
from deskroom.runs.properties.step import Step

__all__ = ["StepWatch", "Violation"]

#: The keys that ask about what not all may know of a row that all may read.
_ASKED: Final = ("refusal", "repeats_private")


@frozen(kw_only=True)
class Violation:
    """A property that did not hold: where it first showed, why, and how often it did.

    ``step`` is None where no step is to blame, but that none came. ``readers`` lists the seats that
    may be told of it, or None for all: of what follows from private rows, only who may read them.
    ``times`` counts all; ``times_told`` those of which all ``readers`` may be told.
    """

    of: Property
    problem: str
    step: Step | None = None
    times: int = 1
    times_told: int = 1
    readers: tuple[str, ...] | None = None

    @property
    def name(self) -> str:
        """The property's name."""
        return self.of.name


class StepWatch:
    """Checks properties on steps, in the order of the run."""

    def __init__(self, properties: Sequence[Property]) -> None:
        #: The readers of each step so far that not all may read.
        self._hidden: list[tuple[str, ...]] = []
        self._checks = [self._check(one) for one in properties]
        #: Those that ask about what not all may know of a public row.
        self._asking = [check for check in self._checks if check.hidden is not self._hidden]

    def _check(self, one: Property) -> _Check:
        asks = _asks(one)
        return _CHECKS[one.kind](one, [] if asks else self._hidden, asks)

    def turn(self, number: int) -> None:
        """Note that a turn was granted."""
        for check in self._checks:
            check.turn(number)

    def step(self, step: Step) -> None:
        """Look at one step. Raises ``FileError`` for a pattern that ran out of time."""
        if step.readers is not None:
            self._hidden.append(step.readers)
        for check in self._asking:
            readers = check.readers(step)
            if readers is not None:
                check.hidden.append(readers)
        for check in self._checks:
            try:
                check.step(step)
            except PatternTimeout as timeout:
                one = check.of
                problem = f'property "{one.name}": {timeout}, so it is not known whether it holds'
                raise FileError(one.path, problem, line=one.line, column=one.column) from None

    def finish(self, closed: str | None) -> None:
        """Note why the run is over, if it is: what has not come can then come no more."""
        if closed is None:
            return
        for check in self._checks:
            check.finish(closed)

    @property
    def violations(self) -> tuple[Violation, ...]:
        """What does not hold so far, in the order of the properties."""
        return tuple(check.found for check in self._checks if check.found is not None)


@lru_cache(maxsize=1024)
def _asks(one: Property) -> tuple[str, ...]:
    """Return the keys of a property about what not all may know of a row that all may read."""
    stated = {key for matcher in one.matchers for key in matcher.keys}
    return tuple(key for key in _ASKED if key in stated)


# --- what each kind of property asks -----------------------------------------------------------


@define(eq=False)
class _Check:
    """One property, and what was found of it.

    ``hidden`` has the readers of each step so far that not all may read. ``asks`` are the keys of its
    matchers about what not all may know of a row that all may read.
    """

    of: Property
    hidden: list[tuple[str, ...]]
    asks: tuple[str, ...] = ()
    found: Violation | None = None

    def turn(self, number: int) -> None:
        """Note that a turn was granted."""

    def step(self, step: Step) -> None:
        """Look at one step."""

    def finish(self, closed: str) -> None:
        """Look back at a run that is over."""

    def readers(self, step: Step) -> tuple[str, ...] | None:
        """Return the seats that may know all that is asked of a step, or None for all.

        Which calls were refused is for the seat that made them, and that a row repeats private
        words for who may read these.
        """
        readers = step.readers
        if "refusal" in self.asks and step.seat is not None:
            readers = _shared([readers, (step.seat,)])
        if "repeats_private" in self.asks and readers is None and step.kind is not None:
            # Of a row that repeats nothing, only who reads everything can know it.
            readers = step.sources or ()
        return readers

    def fail(self, problem: str, step: Step | None, *, since: int | None = None) -> None:
        """Note a violation: the first is shown, and the others are counted.

        It follows from ``step``, and with ``since`` from all that was hidden behind so much.
        """
        readers = None if step is None else self.readers(step)
        if since is not None and len(self.hidden) > since:
            readers = _shared([readers, *self.hidden[since:]])
        found = self.found
        if found is None:
            self.found = Violation(of=self.of, problem=problem, step=step, readers=readers)
            return
        told = readers is None or (
            found.readers is not None and all(one in readers for one in found.readers)
        )
        self.found = evolve(
            found, times=found.times + 1, times_told=found.times_told + (1 if told else 0)
        )


@define(eq=False)
class _Never(_Check):
    fits: Fits = field(init=False)

    def __attrs_post_init__(self) -> None:
        assert self.of.never is not None  # noqa: S101 - it is of this kind
        self.fits = compiled(self.of.never)

    def step(self, step: Step) -> None:
        if self.fits(step, None):
            self.fail(f"{step.name} matches", step)


@define(eq=False)
class _Always(_Check):
    fits: Fits = field(init=False)
    when: Fits | None = field(init=False)

    def __attrs_post_init__(self) -> None:
        one = self.of
        assert one.always is not None  # noqa: S101 - it is of this kind
        self.fits = compiled(one.always)
        self.when = None if one.when is None else compiled(one.when)

    def step(self, step: Step) -> None:
        if (self.when is None or self.when(step, None)) and not self.fits(step, None):
            self.fail(f"{step.name} does not match", step)


@define(eq=False)
class _Eventually(_Check):
    fits: Fits = field(init=False)
    is_met: bool = False

    def __attrs_post_init__(self) -> None:
        assert self.of.eventually is not None  # noqa: S101 - it is of this kind
        self.fits = compiled(self.of.eventually)

    def step(self, step: Step) -> None:
        self.is_met = self.is_met or self.fits(step, None)

    def finish(self, closed: str) -> None:
        if not self.is_met:
            problem = f"nothing matched before the room closed ({closed})"
            self.fail(problem, None, since=0)


@define(eq=False)
class _After(_Check):
    after: Fits = field(init=False)
    then: Fits = field(init=False)
    within: int = field(init=False)
    granted: int = 0
    #: The steps that wait for their answer, each with the last turn in which it may come, and with
    #: how many steps were hidden before it.
    waiting: deque[tuple[Step, int, int]] = field(factory=deque)

    def __attrs_post_init__(self) -> None:
        one = self.of
        assert one.after is not None  # noqa: S101 - it is of this kind
        assert one.then is not None  # noqa: S101 - they go together
        self.after, self.then = compiled(one.after), compiled(one.then)
        self.within = one.within or 0

    def turn(self, number: int) -> None:
        self.granted = number
        while self.waiting and self.waiting[0][1] < number:
            step, _, since = self.waiting.popleft()
            turns = counted(self.within, "turn")
            self.fail(f"nothing matched within {turns} after {step.name}", step, since=since)

    def step(self, step: Step) -> None:
        if self.waiting:
            left = [one for one in self.waiting if not self.then(step, one[0])]
            if len(left) < len(self.waiting):
                self.waiting = deque(left)
        if self.after(step, None):
            self.waiting.append((step, self.granted + self.within, len(self.hidden)))

    def finish(self, closed: str) -> None:
        for step, _, since in self.waiting:
            problem = f"the room closed ({closed}), and nothing matched after {step.name}"
            self.fail(problem, step, since=since)


@define(eq=False)
class _Count(_Check):
    fits: Fits = field(init=False)
    number: int = 0

    def __attrs_post_init__(self) -> None:
        assert self.of.count is not None  # noqa: S101 - it is of this kind
        self.fits = compiled(self.of.count)

    def step(self, step: Step) -> None:
        if not self.fits(step, None):
            return
        self.number += 1
        most = self.of.at_most
        if most is not None and self.number > most:
            steps = counted(most, "step")
            self.fail(f"{step.name} matches, after {steps} that did", step, since=0)

    def finish(self, closed: str) -> None:
        least = self.of.at_least
        if least is not None and self.number < least:
            steps = counted(self.number, "step")
            problem = f"{steps} matched before the room closed ({closed}), and not {least}"
            self.fail(problem, None, since=0)


_CHECKS: Final[Mapping[str, type[_Check]]] = {
    "never": _Never,
    "always": _Always,
    "eventually": _Eventually,
    "after": _After,
    "count": _Count,
}


def _shared(readers: Iterable[tuple[str, ...] | None]) -> tuple[str, ...] | None:
    """Return the seats that are in every list, or None where there is none to be in."""
    shared: tuple[str, ...] | None = None
    for some in readers:
        if some is not None:
            shared = some if shared is None else tuple(one for one in shared if one in some)
    return shared
