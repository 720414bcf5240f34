"""Checking properties while a run goes on, entry by entry."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final

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
from deskroom.runs.audit_words import RepeatFinder
from deskroom.runs.properties.check import StepWatch, Violation
from deskroom.runs.properties.property import Property
from deskroom.runs.properties.step import Step
from deskroom.runs.run import Run
from deskroom.runs.values import target_value

__all__ = [
    "PropertyWatch",
    "RepeatMarker",
    "closed_for_good",
    "final_close",
    "property_violations",
    "readers_of_row",
]

#: Rooms that closed for one of these go on with nothing.
_OVER: Final = frozenset((CloseReason.COMPLETED, CloseReason.QUIET, CloseReason.MAX_TURNS))


def closed_for_good(closed: str | None, order: str | None) -> str | None:
    """Return why a room is over for good, or None where it could have gone on.

    A routed room whose script ran out had a seat that was next, and only nothing listed for it.
    """
    if closed in _OVER or (closed == CloseReason.SCRIPT and order == "listed"):
        return str(closed)
    return None


def final_close(run: Run) -> str | None:
    """Return why a run is over for good, or None where it could have gone on."""
    return closed_for_good(run.closed, run.order)


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


class PropertyWatch:
    """Checks properties on the entries of a run, in their order."""

    def __init__(self, properties: Sequence[Property]) -> None:
        self._steps = StepWatch(properties)
        repeats = any(one.repeats_private for each in properties for one in each.matchers)
        self._repeats = RepeatMarker() if repeats else None
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
        if entry.reply != OK and not entry.late and entry.reply not in self._refusals:
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
            refused = tuple(self._refusals)
            if entry.refusal is not None and entry.refusal not in refused:
                refused = (*refused, entry.refusal)
            step = step._replace(hop=self._open.hop, refusals=refused, attempt=self._open.attempt)
        if self._repeats is not None:
            step = self._repeats.marked(step, entry.row)
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


class RepeatMarker:
    """Takes the rows of a run in order, and marks the steps that repeat private words."""

    def __init__(self) -> None:
        self._finder = RepeatFinder()
        self._readers: dict[int, tuple[str, ...]] = {}

    def marked(self, step: Step, row: Row) -> Step:
        """Return the step of a row, marked if the row repeats words of an aside before it."""
        readers = readers_of_row(row)
        if readers is not None:
            self._readers[row.sequence] = readers
        found = self._finder.take(row)
        if not found:
            return step
        sources = [seat for one in found for seat in self._readers[one.aside]]
        return step._replace(repeats_private=True, sources=tuple(dict.fromkeys(sources)))


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
