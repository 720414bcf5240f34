"""Looking on at a run: what must hold at each step, and of the run as a whole.

What holds in every run is in ``runs/invariants``, what must hold in this one in the file's
properties. Of the whole run it is asked whether its journal can be read back and verified, whether
folding it gives the room that made it, whether nobody sees more than they may, and whether a run
whose process died came to what it would have come to otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import zip_longest
from typing import Literal

from attrs import evolve, frozen

from deskroom.core import Row, Viewer
from deskroom.engine.entries import CallEntry, Entry, MemoryJournal
from deskroom.engine.setup import Setup
from deskroom.errors import DeskroomError, RoomFailure
from deskroom.journal.verify import Verifier
from deskroom.runs.invariants import Broken, InvariantWatch
from deskroom.runs.properties import Property, PropertyWatch, Violation, final_close
from deskroom.runs.run import Run
from deskroom.runs.view import narrowed, view_run
from deskroom.scenario.format.model import Scenario
from deskroom.scenario.play.kill import Killed, reread
from deskroom.scenario.play.meanwhile import count_said_in_open
from deskroom.scenario.play.player import ScriptPlayer
from deskroom.scenario.play.resume import unsent_calls
from deskroom.scenario.play.settle import settled

__all__ = ["Endless", "Enough", "Fault", "RunWatch", "run_faults", "unjudged", "whole_faults"]


@frozen(kw_only=True)
class Fault:
    """Something that did not hold: a property of the file, or an invariant of the host.

    ``name`` is the property's, or the invariant's in words of its own; ``violation`` is there for a
    property. ``entry`` is the line of the journal that showed it, from 1.
    """

    kind: Literal["property", "invariant"]
    name: str
    problem: str
    entry: int | None = None
    violation: Violation | None = None


class Endless(RoomFailure):
    """A run had more entries than any run may have."""


class Enough(RoomFailure):
    """A run came to the fault that was looked for, and need not go on."""


class RunWatch:
    """A journal in memory that looks at each entry; it may die behind one.

    ``entries`` are those of all processes, as a journal holds them.
    """

    def __init__(self, setup: Setup, properties: Sequence[Property], most: int) -> None:
        self.entries: list[Entry] = []
        self.dies_after: int | None = None
        #: The kind and the name of a fault behind which the run need not go on.
        self.looks_for: tuple[str, str] | None = None
        self._invariants = InvariantWatch(setup)
        self._properties = PropertyWatch(properties) if properties else None
        self._most = most
        self.granted = self._invariants.granted
        self.replied = self._invariants.replied
        self.ended = self._invariants.ended
        self.resumed = self._invariants.resumed

    def write(self, entry: Entry) -> None:
        """Keep one entry and look at it.

        Raises ``Killed`` when it is the last of this process, and ``Endless`` past all bounds.
        """
        entries = self.entries
        entries.append(entry)
        self._invariants.take(entry)
        if self._properties is not None:
            self._properties.take(entry)
        if self.looks_for is not None and self.looks_for in self._found():
            raise Enough("the fault has been found")
        if len(entries) == self.dies_after:
            raise Killed(f"the process died behind line {len(entries)}")
        if len(entries) > self._most:
            raise Endless("the run does not end")

    def fail(self, error: Exception) -> None:
        """Note that the host itself failed behind the last entry."""
        problem = f"the host fails with {type(error).__name__}"
        self._invariants.broken.append(Broken("ends", problem, len(self.entries)))

    def _found(self) -> list[tuple[str, str]]:
        properties = () if self._properties is None else self._properties.violations
        found = [("property", one.name) for one in properties]
        return [*found, *(("invariant", one.name) for one in self._invariants.broken)]

    def finish(self, run: Run) -> tuple[Fault, ...]:
        """Return what did not hold of a run: invariants first, each name once."""
        if self.looks_for not in self._found():
            self._invariants.finish()
        found = [
            Fault(kind="invariant", name=one.name, problem=one.problem, entry=one.entry)
            for one in self._invariants.broken
        ]
        if self._properties is not None:
            self._properties.finish(final_close(run))
            found += [
                Fault(kind="property", name=one.name, problem=one.problem, violation=one)
                for one in self._properties.violations
            ]
        return tuple({(one.kind, one.name): one for one in reversed(found)}.values())[::-1]


def run_faults(scenario: Scenario, run: Run) -> tuple[Fault, ...]:
    """Return what does not hold of a scenario's run that holds in every run.

    Its entries must be known. It is played once more, so that what its seats are given is seen too.
    """
    watch = RunWatch(run.setup, (), len(run.journal) + 1)
    try:
        play_watched(scenario, watch)
    except Exception as error:  # noqa: BLE001 - whatever fails here fails in the host
        watch.fail(error)
    faults = watch.finish(run)
    return faults or tuple(whole_faults(scenario, run))


def play_watched(scenario: Scenario, watch: RunWatch) -> None:
    """Play a scenario to its close, with everything looked at on the way."""
    from deskroom.scenario.play.replay import scripted_engine

    kills = iter(scenario.kill)
    while True:
        engine = scripted_engine(scenario, keeps_digest=False)
        before = reread(watch.entries)
        for entry in before:
            engine.apply(entry)
        late = unsent_calls(scenario, Run(engine.state, before)) if before else ()
        said = count_said_in_open(before, scenario.turns)
        if before:
            watch.resumed()
        watch.dies_after = next(kills, None)
        with suppress(Killed):
            ScriptPlayer(scenario, engine, watch, late, said, watch=watch, logs=False).run()
            return


def unjudged(entries: Sequence[Entry]) -> list[Entry]:
    """Return entries as a journal would give them back: the verdict on a call is not written."""
    return [
        evolve(entry, verdict=None) if isinstance(entry, CallEntry) else entry for entry in entries
    ]


def whole_faults(scenario: Scenario, run: Run) -> Iterator[Fault]:
    """Yield what does not hold of a scenario's run as a whole. Its entries must be known."""
    for name, problem in (
        *_journal_faults(run),
        *_view_faults(run),
        *_resume_faults(scenario, run),
    ):
        yield Fault(kind="invariant", name=name, problem=problem)


def _journal_faults(run: Run) -> Iterator[tuple[str, str]]:
    """Read the run back as from its journal: each line must be the same, right, and give the room."""
    entries = reread(run.journal)
    # A header keeps of a script only what says who is next.
    pairs = zip(run.journal[1:], entries[1:], strict=True)
    for number, (entry, again) in enumerate(pairs, start=2):
        if entry != again and not isinstance(entry, CallEntry):
            yield "fold", f"line {number} is read back as another"
            return
    verifier = Verifier("the journal")
    try:
        for number, entry in enumerate(entries, start=1):
            verifier.take(number, entry)
    except DeskroomError as error:
        yield "verified", str(error)
        return
    # What was verified was folded, entry by entry.
    if verifier.engine.state != run.state:
        yield "fold", "the entries give another room than the one that wrote them"


def _view_faults(run: Run) -> Iterator[tuple[str, str]]:
    """Yield which seat is shown a row that it may not read, in what every output is made from."""
    if all(row.audience.kind == "desk" for row in run.rows):
        return
    whole = view_run(run)
    for seat in run.setup.by_id:
        shown = [item.row for item in narrowed(whole, Viewer("agent", seat)).items if item.row]
        for row in shown:
            if not _may_read(row, seat):
                yield "privacy", f"{seat} is shown row {row.sequence}"


def _may_read(row: Row, seat: str) -> bool:
    return row.audience.kind == "desk" or seat in (row.author.id, *row.audience.members)


def _resume_faults(scenario: Scenario, run: Run) -> Iterator[tuple[str, str]]:
    """Hold a run whose process died against one that nobody disturbed.

    What people said in a turn that was cut short stands before its next attempt, so such a run is
    another one.
    """
    if not scenario.kill or any(turn.meanwhile for turn in scenario.turns):
        return
    from deskroom.scenario.play.replay import play_script

    whole = MemoryJournal()
    play_script(evolve(scenario, kill=()), whole, keeps_digest=False, logs=False)
    pairs = zip_longest(settled(run.journal)[1:], whole.entries[1:])
    for number, (one, other) in enumerate(pairs, start=2):
        if one != other:
            yield (
                "resume",
                f"entry {number} is {_named(one)}, and undisturbed it is {_named(other)}",
            )
            return


def _named(entry: Entry | None) -> str:
    """Return what an entry is, without what anybody says in it."""
    if entry is None:
        return "nothing"
    kind = type(entry).__name__.removesuffix("Entry").lower()
    turn, row = getattr(entry, "turn", None), getattr(entry, "row", None)
    of_turn = "" if turn is None else f" of turn {turn}"
    return f"a {kind}{of_turn}" if row is None else f"row {row.sequence}{of_turn}"
