"""Checking properties while a run goes on: entry by entry, or step by step."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final

from attrs import define, evolve, field, frozen

from deskroom.core.audience import Audience
from deskroom.core.dispatch import NoTurn, TurnFor
from deskroom.core.reasons import OK, CloseReason, RowKind
from deskroom.core.transcript import Row
from deskroom.engine.entries import (
    CallEntry,
    EndEntry,
    Entry,
    RoutedEntry,
    RowEntry,
    TurnEntry,
)
from deskroom.errors import FileError
from deskroom.printable import counted
from deskroom.runs.audit_words import RepeatFinder
from deskroom.runs.properties.matcher import Fits, PatternTimeout, compiled
from deskroom.runs.properties.property import Property
from deskroom.runs.properties.step import Step
from deskroom.runs.run import Run
from deskroom.runs.values import target_value

__all__ = ["PropertyWatch", "StepWatch", "Violation", "final_close", "property_violations"]

#: Rooms that closed for one of these go on with nothing.
_OVER: Final = frozenset((CloseReason.COMPLETED, CloseReason.QUIET, CloseReason.MAX_TURNS))


@frozen(kw_only=True)
class Violation:
    """A property that did not hold: where it first showed, why, and how often it did.

    ``step`` is None where no step is to blame, but that none came. ``readers`` lists the seats that
    may be told of it, or None for all: of what follows from private rows, only who may read them.
    """

    of: Property
    problem: str
    step: Step | None = None
    times: int = 1
    readers: tuple[str, ...] | None = None

    @property
    def name(self) -> str:
        """The property's name."""
        return self.of.name


def final_close(run: Run) -> str | None:
    """Return why a run is over for good, or None where it could have gone on.

    A routed room whose script ran out had a seat that was next, and only nothing listed for it.
    """
    closed = run.closed
    if closed in _OVER or (closed == CloseReason.SCRIPT and run.order == "listed"):
        return str(closed)
    return None


def property_violations(properties: Sequence[Property], run: Run) -> tuple[Violation, ...]:
    """Return which properties a run does not hold, in their order. Its entries must be known.

    A run that has not closed, or was stopped, can still come to what it has not come to. Raises
    ``FileError`` for a pattern that ran out of time, since nothing follows from that.
    """
    if not properties:
        return ()
    watch = PropertyWatch(properties)
    for entry in run.journal:
        watch.take(entry)
    watch.finish(final_close(run))
    return watch.violations


class StepWatch:
    """Checks properties on steps, in the order of the run."""

    def __init__(self, properties: Sequence[Property]) -> None:
        self._checks = [_CHECKS[one.kind](one) for one in properties]
        self._hidden: list[tuple[str, ...]] = []

    def turn(self, number: int) -> None:
        """Note that a turn was granted."""
        for check in self._checks:
            check.turn(number)

    def step(self, step: Step) -> None:
        """Look at one step. Raises ``FileError`` for a pattern that ran out of time."""
        if step.readers is not None:
            self._hidden.append(step.readers)
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
            check.finish(closed, self._hidden)

    @property
    def violations(self) -> tuple[Violation, ...]:
        """What does not hold so far, in the order of the properties."""
        return tuple(check.found for check in self._checks if check.found is not None)


class PropertyWatch:
    """Checks properties on the entries of a run, in their order."""

    def __init__(self, properties: Sequence[Property]) -> None:
        self._steps = StepWatch(properties)
        repeats = any(one.repeats_private for each in properties for one in each.matchers)
        self._repeats = RepeatFinder() if repeats else None
        self._open: TurnEntry | None = None
        self._refusals: list[str] = []
        #: Steps behind a broadcast that has not been routed; it is the first of them.
        self._waiting: deque[Step] = deque()

    @property
    def violations(self) -> tuple[Violation, ...]:
        """What does not hold so far, in the order of the properties."""
        return self._steps.violations

    def take(self, entry: Entry) -> None:
        """Look at one entry. Raises ``FileError`` for a pattern that ran out of time."""
        take = self._TAKES.get(type(entry))
        if take is not None:
            take(self, entry)

    def finish(self, closed: str | None) -> None:
        """Note that there are no more entries, and why the run is over, if it is."""
        self._let_go()
        self._steps.finish(closed)

    def _turn(self, entry: TurnEntry) -> None:
        self._let_go()
        self._open = entry
        self._refusals = []
        self._steps.turn(entry.turn)

    def _call(self, entry: CallEntry) -> None:
        if entry.reply != OK and not entry.late:
            self._refusals.append(entry.reply)

    def _end(self, entry: EndEntry) -> None:
        opened = self._open
        self._add(
            Step(
                seat=entry.seat,
                outcome=str(entry.outcome),
                refusals=tuple(self._refusals),
                hop=None if opened is None else opened.hop,
                text=entry.text,
                turn=entry.turn,
                attempt=entry.attempt,
                # What a seat failed to say it may have meant for few.
                readers=(entry.seat,),
            )
        )

    def _row(self, entry: RowEntry) -> None:
        step = _row_step(entry)
        if entry.kind is RowKind.SEAT and self._open is not None:
            refused = (*self._refusals, *([entry.refusal] if entry.refusal else []))
            step = step._replace(hop=self._open.hop, refusals=refused, attempt=self._open.attempt)
        if self._repeats is not None and self._repeats.take(entry.row):
            step = step._replace(repeats_private=True)
        if entry.broadcasting:
            self._let_go()
            self._waiting.append(step)
        else:
            self._add(step)

    def _routed(self, entry: RoutedEntry) -> None:
        if self._waiting and self._waiting[0].row == entry.sequence:
            why = None if entry.recipients else "broadcast"
            self._waiting[0] = self._waiting[0]._replace(next=entry.recipients, why=why)
        self._let_go()

    def _add(self, step: Step) -> None:
        if self._waiting:
            self._waiting.append(step)
        else:
            self._steps.step(step)

    def _let_go(self) -> None:
        while self._waiting:
            self._steps.step(self._waiting.popleft())

    _TAKES: ClassVar[Mapping[type[Entry], Callable[[PropertyWatch, Any], None]]] = {
        TurnEntry: _turn,
        CallEntry: _call,
        EndEntry: _end,
        RowEntry: _row,
        RoutedEntry: _routed,
    }


def _row_step(entry: RowEntry) -> Step:
    row, decision = entry.row, entry.decision
    is_seat = entry.kind is RowKind.SEAT
    pinging = [mention for mention in entry.mentions if not mention.quiet]
    return Step(
        seat=row.author.id if row.author.type == "agent" else None,
        person=row.author.id if row.author.type == "person" else None,
        kind=str(entry.kind),
        outcome="spoke" if is_seat else None,
        audience=row.audience,
        mentions=tuple(target_value(one.target) for one in sorted(pinging, key=_offset)),
        next=(decision.target_id,) if isinstance(decision, TurnFor) else (),
        why=str(decision.reason) if isinstance(decision, NoTurn) else None,
        completes=entry.completes,
        text=row.content,
        turn=entry.turn,
        row=row.sequence,
        readers=readers_of_row(row),
    )


def _offset(mention: Any) -> int:  # noqa: ANN401 - a mention
    offset: int = mention.offset
    return offset


def readers_of_row(row: Row) -> tuple[str, ...] | None:
    """Return the seats that may read a row, or None where all may."""
    audience: Audience = row.audience
    if audience.kind == "desk":
        return None
    return (*audience.members, *([row.author.id] if row.author.id else []))


# --- what each kind of property asks -----------------------------------------------------------


@define(eq=False)
class _Check:
    """One property, and what was found of it."""

    of: Property
    found: Violation | None = None

    def turn(self, number: int) -> None:
        """Note that a turn was granted."""

    def step(self, step: Step) -> None:
        """Look at one step."""

    def finish(self, closed: str, hidden: Sequence[tuple[str, ...]]) -> None:
        """Look back at a run that is over."""

    def fail(self, problem: str, step: Step | None, readers: tuple[str, ...] | None = None) -> None:
        """Note a violation: the first is shown, and the others are counted."""
        if self.found is not None:
            self.found = evolve(self.found, times=self.found.times + 1)
            return
        self.found = Violation(of=self.of, problem=problem, step=step, readers=readers)


@define(eq=False)
class _Never(_Check):
    fits: Fits = field(init=False)

    def __attrs_post_init__(self) -> None:
        assert self.of.never is not None  # noqa: S101 - it is of this kind
        self.fits = compiled(self.of.never)

    def step(self, step: Step) -> None:
        if self.fits(step, None):
            self.fail(f"{step.name} matches", step, step.readers)


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
            self.fail(f"{step.name} does not match", step, step.readers)


@define(eq=False)
class _Eventually(_Check):
    fits: Fits = field(init=False)
    is_met: bool = False

    def __attrs_post_init__(self) -> None:
        assert self.of.eventually is not None  # noqa: S101 - it is of this kind
        self.fits = compiled(self.of.eventually)

    def step(self, step: Step) -> None:
        self.is_met = self.is_met or self.fits(step, None)

    def finish(self, closed: str, hidden: Sequence[tuple[str, ...]]) -> None:
        if not self.is_met:
            problem = f"nothing matched before the room closed ({closed})"
            self.fail(problem, None, _who_sees_all(hidden))


@define(eq=False)
class _After(_Check):
    after: Fits = field(init=False)
    then: Fits = field(init=False)
    within: int = field(init=False)
    granted: int = 0
    #: The steps that wait for their answer, each with the last turn in which it may come.
    waiting: deque[tuple[Step, int]] = field(factory=deque)

    def __attrs_post_init__(self) -> None:
        one = self.of
        assert one.after is not None  # noqa: S101 - it is of this kind
        assert one.then is not None  # noqa: S101 - they go together
        self.after, self.then = compiled(one.after), compiled(one.then)
        self.within = one.within or 0

    def turn(self, number: int) -> None:
        self.granted = number
        while self.waiting and self.waiting[0][1] < number:
            step, _ = self.waiting.popleft()
            turns = counted(self.within, "turn")
            self.fail(f"nothing matched within {turns} after {step.name}", step, step.readers)

    def step(self, step: Step) -> None:
        if self.waiting:
            left = [one for one in self.waiting if not self.then(step, one[0])]
            if len(left) < len(self.waiting):
                self.waiting = deque(left)
        if self.after(step, None):
            self.waiting.append((step, self.granted + self.within))

    def finish(self, closed: str, hidden: Sequence[tuple[str, ...]]) -> None:
        for step, _ in self.waiting:
            problem = f"the room closed ({closed}), and nothing matched after {step.name}"
            self.fail(problem, step, _shared([step.readers, _who_sees_all(hidden)]))


@define(eq=False)
class _Count(_Check):
    fits: Fits = field(init=False)
    number: int = 0
    readers: list[tuple[str, ...] | None] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        assert self.of.count is not None  # noqa: S101 - it is of this kind
        self.fits = compiled(self.of.count)

    def step(self, step: Step) -> None:
        if not self.fits(step, None):
            return
        self.number += 1
        if step.readers is not None:
            self.readers.append(step.readers)
        most = self.of.at_most
        if most is not None and self.number > most:
            steps = counted(most, "step")
            self.fail(
                f"{step.name} matches, after {steps} that did",
                step,
                _shared([step.readers, *self.readers]),
            )

    def finish(self, closed: str, hidden: Sequence[tuple[str, ...]]) -> None:
        least = self.of.at_least
        if least is not None and self.number < least:
            steps = counted(self.number, "step")
            problem = f"{steps} matched before the room closed ({closed}), and not {least}"
            self.fail(problem, None, _who_sees_all(hidden))


_CHECKS: Final[Mapping[str, Callable[[Property], _Check]]] = {
    "never": _Never,
    "always": _Always,
    "eventually": _Eventually,
    "after": _After,
    "count": _Count,
}


def _who_sees_all(hidden: Sequence[tuple[str, ...]]) -> tuple[str, ...] | None:
    """Return who may read every private step: that nothing matched tells something of each."""
    return _shared(hidden)


def _shared(readers: Iterable[tuple[str, ...] | None]) -> tuple[str, ...] | None:
    """Return the seats that are in every list, or None where there is none to be in."""
    shared: tuple[str, ...] | None = None
    for some in readers:
        if some is not None:
            shared = some if shared is None else tuple(one for one in shared if one in some)
    return shared
