"""Making a run that failed as plain as it can be, and remembering it.

Hypothesis does both: a run is a list of choices, of which smaller and fewer are plainer, and what it
has shrunk it keeps in its database of examples, under the scenario and what failed. It draws nothing
here: it is only handed the choices of a run that failed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from attrs import evolve

from deskroom.explore.draws import ListedDraws
from deskroom.explore.explore import FoundFailure
from deskroom.explore.play import Explorer, Played
from deskroom.scenario.format.explore import Explore
from deskroom.scenario.format.model import Scenario
from deskroom.scenario.play.resume import script_digest

if TYPE_CHECKING:
    from hypothesis.database import ExampleDatabase

__all__ = ["DATABASE", "Memory", "can_shrink", "fails", "shrunk"]

#: Where failures are remembered, in the folder in which the command runs.
DATABASE: Final = Path(".hypothesis") / "deskroom"


def can_shrink() -> bool:
    """Whether Hypothesis is installed, which the extra ``explore`` brings."""
    return find_spec("hypothesis") is not None


def shrunk(scenario: Scenario, bounds: Explore, found: FoundFailure) -> Played:
    """Return the plainest run that still fails as this one did.

    Without Hypothesis, or where it cannot be made to fail again, it is the run as it was found.
    """
    explorer = Explorer(scenario, bounds)
    played = explorer.play(ListedDraws(found.choices), deep=True)
    if not can_shrink() or not fails(played, found):
        return played
    # What shows at each step need not be looked for in the run as a whole, which takes longer.
    deep = not fails(explorer.play(ListedDraws(found.choices), deep=False), found)
    plainest = _found_by_hypothesis(explorer, found, deep=deep)
    return explorer.play(ListedDraws(plainest), deep=True, looks_for=found.key)


def fails(played: Played, found: FoundFailure) -> bool:
    """Whether a run fails as another did."""
    return any((fault.kind, fault.name) == found.key for fault in played.failures)


def _found_by_hypothesis(explorer: Explorer, found: FoundFailure, *, deep: bool) -> tuple[int, ...]:
    """Return the plainest choices that Hypothesis finds to fail in the same way.

    Its engine is handed the choices directly: what it offers to tests would draw others first.
    """
    from random import Random  # noqa: TID251 - with a fixed seed, so that it shrinks alike

    from hypothesis import HealthCheck, Phase, Verbosity, settings
    from hypothesis.internal.conjecture.data import ConjectureData
    from hypothesis.internal.conjecture.engine import ConjectureRunner, RunIsComplete

    plainest = found.choices

    def play(data: ConjectureData) -> None:
        nonlocal plainest
        played = explorer.play(_HypothesisDraws(data), deep=deep, looks_for=found.key)
        if not fails(played, found):
            return
        if (len(played.choices), played.choices) < (len(plainest), plainest):
            plainest = played.choices
        data.mark_interesting(("explored", "", 0, (), ()))  # type: ignore[arg-type]

    runner = ConjectureRunner(
        play,
        settings=settings(
            database=None,
            deadline=None,
            phases=(Phase.shrink,),
            suppress_health_check=list(HealthCheck),
            verbosity=Verbosity.quiet,
        ),
        random=Random(0),  # noqa: S311 - nothing is kept secret by it
    )
    with suppress(RunIsComplete):
        runner.cached_test_function(found.choices)
        runner.shrink_interesting_test_cases()
    return plainest


class _HypothesisDraws:
    """Choices that Hypothesis makes while it looks for plainer ones."""

    def __init__(self, data: Any) -> None:  # noqa: ANN401 - Hypothesis' own
        self._data = data
        self.taken: list[int] = []

    def below(self, bound: int) -> int:
        value: int = self._data.draw_integer(0, bound - 1)
        self.taken.append(value)
        return value

    def begin(self) -> None:
        self._data.start_span(1)

    def end(self) -> None:
        self._data.stop_span()


class Memory:
    """The failures that are remembered of one scenario, explored within the same bounds."""

    def __init__(self, scenario: Scenario, bounds: Explore, folder: Path = DATABASE) -> None:
        from hypothesis.database import DirectoryBasedExampleDatabase

        self._database: ExampleDatabase = DirectoryBasedExampleDatabase(folder)
        self._key = _key(scenario, bounds)

    def choices(self) -> Iterator[tuple[int, ...]]:
        """Yield the choices of each failure, the plainest first."""
        from hypothesis.database import choices_from_bytes

        for stored in sorted(self._database.fetch(self._key), key=lambda one: (len(one), one)):
            choices = choices_from_bytes(stored)
            if choices is not None and all(type(one) is int for one in choices):
                yield tuple(one for one in choices if isinstance(one, int))

    def keep(self, choices: Sequence[int]) -> None:
        """Remember a failure."""
        from hypothesis.database import choices_to_bytes

        self._database.save(self._key, choices_to_bytes(choices))

    def forget(self, choices: Sequence[int]) -> None:
        """Forget what fails no more."""
        from hypothesis.database import choices_to_bytes

        self._database.delete(self._key, choices_to_bytes(choices))


def _key(scenario: Scenario, bounds: Explore) -> bytes:
    """Return what a scenario's failures are remembered under: all that a run is drawn from."""
    drawn = evolve(bounds, runs=1, seed=0)
    parts = (
        script_digest(scenario),
        [turn.one_of for turn in scenario.turns],
        scenario.desk,
        scenario.policy,
        scenario.opening,
        scenario.properties,
        drawn,
    )
    return sha256(repr(parts).encode("utf-8", "surrogatepass")).digest()
