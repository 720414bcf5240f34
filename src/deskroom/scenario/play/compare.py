"""A scenario that was played, beside everything in it that came out otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from attrs import evolve, field, frozen

from deskroom.core import OPERATOR, Viewer
from deskroom.runs.run import Run, RunItem
from deskroom.runs.values import TURN_VALUES
from deskroom.runs.view import RunView, view_run
from deskroom.runs.why import router_clause, why, why_closed
from deskroom.scenario.format.model import RunExpect, Scenario, Turn, TurnExpect
from deskroom.scenario.format.position import Place
from deskroom.scenario.play.expect import Mismatch, file_value, holds, readers_of

if TYPE_CHECKING:
    from deskroom.runs.properties import Violation

__all__ = ["Replay", "compare", "readers", "violation_mismatch"]


@frozen(kw_only=True)
class Replay:
    """A scenario that was played, and every expectation that did not hold."""

    scenario: Scenario
    run: Run = field(repr=False)
    mismatches: tuple[Mismatch, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether everything came out as expected."""
        return not self.mismatches

    @property
    def unused(self) -> tuple[Turn, ...]:
        """The listed turns that were never played."""
        return tuple(self.scenario.turns[at] for at in self.run.unplayed)

    @cached_property
    def opening(self) -> RunItem:
        """What the opening came to; nothing where there is none."""
        first = next(iter(self.run.entries), None)
        return self.run.item(first if first is not None and first.kind == "opening" else None)

    @cached_property
    def played(self) -> tuple[RunItem, ...]:
        """What each listed turn came to, side by side with the scenario's turns."""
        turns = {turn.cue: turn for turn in self.run.turns if turn.cue is not None}
        spoken = {entry.cue: entry for entry in self.run.entries if entry.cue is not None}
        return tuple(
            self.run.item(spoken.get(cue), turns.get(cue))
            for cue in range(len(self.scenario.turns))
        )

    def view(self, viewer: Viewer = OPERATOR, *, lines: bool = True) -> RunView:
        """Return what a viewer may know of the run; finding ``lines`` reads the file once more."""
        line_of = self._line_of if lines else lambda _: None
        return view_run(self.run, viewer, path=self.scenario.path, line_of=line_of)

    def _line_of(self, item: RunItem) -> int | None:
        """Return the line on which the file lists what an item came of."""
        opening, entry = self.scenario.opening, item.entry
        if entry is not None and entry.kind == "opening":
            return opening.place.line if opening is not None else None
        cue = item.turn.cue if item.turn is not None else None
        if cue is None and entry is not None:
            cue = entry.cue
        return None if cue is None else self.scenario.turns[cue].place.line


def compare(scenario: Scenario, run: Run, *, fail_on_unused: bool = False) -> Replay:
    """Hold a run of a scenario's script against what the scenario expects."""
    replay = Replay(scenario=scenario, run=run)
    mismatches = (
        *_opening_mismatches(replay),
        *_turn_mismatches(replay, fail_on_unused=fail_on_unused),
        *_order_mismatches(replay),
        *_run_mismatches(replay),
        *_kill_mismatches(replay),
        *_property_mismatches(replay),
        *_invariant_mismatches(replay),
    )
    return evolve(replay, mismatches=mismatches)


def _opening_mismatches(replay: Replay) -> Iterator[Mismatch]:
    opening = replay.scenario.opening
    expect = opening.expect if opening is not None else None
    if expect is None or expect.next is None or holds("next", expect.next, replay.opening):
        return
    values = _values("next", expect.next, replay.opening)
    mismatch = _mismatch(replay, expect.places.get("next"), "opening", None, *values)
    yield _placed(mismatch, replay.opening)


def _turn_mismatches(replay: Replay, *, fail_on_unused: bool) -> Iterator[Mismatch]:
    for turn, item in zip(replay.scenario.turns, replay.played, strict=True):
        speaker = turn.seat or turn.person
        if not item.was_played:
            if turn.expect is not None or fail_on_unused:
                values = ("turn", "played", "unused", why(item))
                yield _mismatch(replay, turn.place, turn.label, speaker, *values)
            continue
        if turn.expect is None:
            continue
        for key in TURN_VALUES:
            expected = getattr(turn.expect, key)
            if expected is not None and not holds(key, expected, item):
                where = turn.expect.places.get(key) or turn.place
                values = _values(key, expected, item)
                mismatch = _mismatch(replay, where, turn.label, speaker, *values)
                scores = router_clause(item) if key == "next" else ""
                private_to = readers(turn.expect, speaker, item)
                yield _placed(evolve(mismatch, private_to=private_to, scores=scores), item)


def _placed(mismatch: Mismatch, item: RunItem) -> Mismatch:
    """Return a mismatch with the numbers of the turn and the row that it is about."""
    grant = None if item.turn is None else (item.turn.number, item.turn.attempt)
    return evolve(mismatch, grant=grant, row=item.entry.row.sequence if item.entry else None)


def readers(expect: TurnExpect, seat: str | None, item: RunItem) -> tuple[str, ...] | None:
    """Return who may read about a turn: of a message meant to be private, only its readers."""
    came_out = readers_of(item)
    if not isinstance(expect.audience, tuple):
        return came_out
    meant = (*expect.audience, *([seat] if seat else []))
    return meant if came_out is None else tuple(reader for reader in came_out if reader in meant)


def _values(key: str, expected: Any, item: RunItem) -> tuple[str, Any, Any, str]:  # noqa: ANN401
    """Return the key, what was expected, what came out, and why."""
    return key, file_value(expected), TURN_VALUES[key](item), why(item, key)


def _mismatch(
    replay: Replay,
    where: Place | None,
    turn: str | None,
    seat: str | None,
    key: str,
    expected: Any,  # noqa: ANN401 - values of the file format
    got: Any,  # noqa: ANN401
    why: str,
) -> Mismatch:
    line, column = (where.line, where.column) if where else (1, None)
    return Mismatch(replay.scenario.path, line, column, turn, seat, key, expected, got, why)


def _order_mismatches(replay: Replay) -> Iterator[Mismatch]:
    """A routed script that ran dry for the seat that was granted while others had turns left."""
    due = replay.run.due
    if replay.scenario.order != "routed" or replay.run.closed != "script" or due is None:
        return
    left = next((turn for turn in replay.unused if turn.seat is not None), None)
    if left is not None:
        reason = f"row {due.trigger} gave the turn to {due.seat}, which has no listed turn left"
        values = ("order", left.seat, due.seat, reason)
        mismatch = _mismatch(replay, left.place, left.label, left.seat, *values)
        yield evolve(mismatch, row=due.trigger)


def _run_mismatches(replay: Replay) -> Iterator[Mismatch]:
    expect = replay.scenario.expect or RunExpect()
    for key, got in replay.run.totals.items():
        expected = getattr(expect, key)
        if expected is not None and expected != got:
            values = (key, expected, got, why_closed(replay.run))
            yield _mismatch(replay, expect.places.get(key), None, None, *values)


def _kill_mismatches(replay: Replay) -> Iterator[Mismatch]:
    """A process that was to be killed behind a line that its journal never had."""
    lines = len(replay.run.journal)
    for line in replay.scenario.kill:
        if line > lines:
            reason = f"the journal ended with line {lines}, and the process lived"
            values = ("kill", line, lines, reason)
            yield _mismatch(replay, replay.scenario.kill_place, None, None, *values)


def _property_mismatches(replay: Replay) -> Iterator[Mismatch]:
    if not replay.scenario.properties:
        return
    from deskroom.runs.properties import property_violations

    for violation in property_violations(replay.scenario.properties, replay.run):
        yield violation_mismatch(violation)


def violation_mismatch(violation: Violation) -> Mismatch:
    """Return a property that does not hold as a mismatch of the file it stands in."""
    of, step = violation.of, violation.step
    grant = None
    if step is not None and step.turn is not None:
        grant = (step.turn, step.attempt or 1)
    return Mismatch(
        path=of.path,
        line=of.line,
        column=of.column,
        turn=None,
        seat=None if step is None else step.seat,
        key="property",
        expected=of.name,
        got=violation.problem,
        why="",
        private_to=violation.readers,
        grant=grant,
        row=None if step is None else step.row,
        again=violation.times - 1,
        again_told=violation.times_told - 1,
    )


def _invariant_mismatches(replay: Replay) -> Iterator[Mismatch]:
    scenario = replay.scenario
    if not scenario.invariants:
        return
    # Few files ask for it.
    from deskroom.scenario.play.watch import run_faults

    for fault in run_faults(scenario, replay.run):
        values = ("invariant", fault.name, fault.problem, "")
        yield evolve(
            _mismatch(replay, scenario.invariants_place, None, None, *values), private_to=()
        )
