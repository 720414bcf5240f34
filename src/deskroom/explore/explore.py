"""Exploring a scenario: many runs, each from its number alone, and what did not hold in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from attrs import define, evolve, field, frozen

from deskroom.explore.coverage import count_entries
from deskroom.explore.draws import ListedDraws, SeededDraws
from deskroom.explore.play import Explorer, Played
from deskroom.scenario.format.explore import Explore
from deskroom.scenario.format.model import Scenario
from deskroom.scenario.play.watch import Fault

__all__ = [
    "Chunk",
    "Exploration",
    "FoundFailure",
    "bounds_of",
    "explore",
    "explore_chunk",
    "play_again",
    "play_explored",
]

#: Of so many runs one is looked at as a whole: read back, verified, played again undisturbed.
DEEP_EVERY: Final = 8


@frozen(kw_only=True)
class FoundFailure:
    """Something that did not hold, in the first of the runs that showed it.

    ``runs`` is how many did. ``choices`` give the run again.
    """

    kind: str
    name: str
    problem: str
    number: int
    choices: tuple[int, ...] = field(repr=False)
    runs: int = 1

    @property
    def key(self) -> tuple[str, str]:
        """What tells one from another."""
        return self.kind, self.name


@frozen(kw_only=True)
class Chunk:
    """What came of some runs, as plain values that go from one process to another."""

    runs: int
    turns: int
    counts: Counter[tuple[str, str]]
    failures: tuple[FoundFailure, ...]


@define
class Exploration:
    """What came of all runs so far, added up in the order of their numbers."""

    runs: int = 0
    turns: int = 0
    counts: Counter[tuple[str, str]] = field(factory=Counter)
    found: dict[tuple[str, str], FoundFailure] = field(factory=dict)

    def add(self, chunk: Chunk) -> None:
        """Add some runs, all of them behind those so far."""
        self.runs += chunk.runs
        self.turns += chunk.turns
        self.counts.update(chunk.counts)
        for one in chunk.failures:
            before = self.found.get(one.key)
            if before is None:
                self.found[one.key] = one
            else:
                self.found[one.key] = evolve(before, runs=before.runs + one.runs)

    @property
    def failures(self) -> Sequence[FoundFailure]:
        """What did not hold, in the order in which it was found."""
        return sorted(self.found.values(), key=lambda one: one.number)


def bounds_of(scenario: Scenario) -> Explore:
    """Return how a file asks to be explored; one that does not say has every default."""
    return scenario.explore or Explore()


def explore_chunk(
    scenario: Scenario,
    bounds: Explore,
    numbers: Iterable[int],
    *,
    deep_every: int = DEEP_EVERY,
    stops: bool = False,
) -> Chunk:
    """Play the runs of some numbers. With ``stops`` the first that fails is the last.

    One in ``deep_every`` is looked at as a whole, and 0 means none.
    """
    explorer = Explorer(scenario, bounds)
    counts: Counter[tuple[str, str]] = Counter()
    failures: dict[tuple[str, str], FoundFailure] = {}
    runs = turns = 0
    for number in numbers:
        draws = SeededDraws(bounds.seed or 0, number)
        deep = deep_every > 0 and number % deep_every == 0
        played = explorer.play(draws, deep=deep)
        runs += 1
        turns += played.run.granted
        count_entries(counts, played.run.journal, len(played.kill))
        for fault in played.failures:
            found = _found(fault, number, played)
            before = failures.get(found.key)
            failures[found.key] = found if before is None else evolve(before, runs=before.runs + 1)
        if failures and stops:
            break
    return Chunk(runs=runs, turns=turns, counts=counts, failures=tuple(failures.values()))


def _found(fault: Fault, number: int, played: Played) -> FoundFailure:
    return FoundFailure(
        kind=fault.kind,
        name=fault.name,
        problem=fault.problem,
        number=number,
        choices=played.choices,
    )


def explore(scenario: Scenario, bounds: Explore | None = None) -> Exploration:
    """Explore a scenario in this process: as many runs as the bounds say, from their seed.

    Raises ``FileError`` for a pattern of a property that ran out of time.
    """
    bounds = bounds or bounds_of(scenario)
    exploration = Exploration()
    exploration.add(explore_chunk(scenario, bounds, range(bounds.runs)))
    return exploration


def play_explored(scenario: Scenario, seed: int, number: int) -> Played:
    """Play one run of a scenario as its ``[explore]`` has it, with everything looked at."""
    bounds = evolve(bounds_of(scenario), seed=seed)
    return Explorer(scenario, bounds).play(SeededDraws(seed, number), deep=True)


def play_again(scenario: Scenario, bounds: Explore, choices: Sequence[int]) -> Played:
    """Play a run of the choices that were made in it, with everything looked at."""
    return Explorer(scenario, bounds).play(ListedDraws(choices), deep=True)
