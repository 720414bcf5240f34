"""What a sweep comes to: each policy over all of its files and seeds, and which is best at what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from statistics import median
from typing import Any, Final, Self

from attrs import define, field, frozen

from deskroom.core.reasons import CloseReason
from deskroom.sweep.lines import ResultLine

__all__ = ["BESTS", "PolicySummary", "Summary", "Turns"]

#: What a policy can be best at.
BESTS: Final = ("soonest", "everyone", "unbroken")


@frozen
class Turns:
    """How many turns the runs took: the fewest, the middle, and the most."""

    least: int
    middle: float
    most: int


@frozen(kw_only=True)
class PolicySummary:
    """One policy: what its runs came to.

    ``closed`` counts them by why they closed, the most frequent first. ``spoke`` is the share of seats
    with a row, ``everyone`` the share of runs in which every seat had one. ``broken`` counts the runs
    in which each property did not hold, of those that do not hold in all; ``breaking`` the runs in
    which any did not, ``invariants`` those that broke an invariant of the host.
    """

    settings: Mapping[str, Any]
    runs: int
    closed: Mapping[str, int]
    turns: Turns
    spoke: float
    everyone: float
    broken: Mapping[str, int]
    breaking: int
    invariants: int

    @property
    def completed(self) -> float:
        """The share of runs that closed because the work was completed."""
        return self.closed.get(str(CloseReason.COMPLETED), 0) / self.runs


@define
class _Tally:
    settings: Mapping[str, Any]
    order: Any
    closed: Counter[str] = field(factory=Counter)
    turns: list[int] = field(factory=list)
    silent: int = 0
    seats: int = 0
    everyone: int = 0
    broken: Counter[str] = field(factory=Counter)
    breaking: int = 0
    invariants: int = 0

    def add(self, line: ResultLine) -> None:
        never = len(line.figures["never_spoke"] or ())
        self.closed[line.figures["closed"] or "open"] += 1
        self.turns.append(line.figures["turns"] or 0)
        self.silent += never
        self.seats += line.seats
        self.everyone += not never
        self.broken.update(line.broken)
        self.breaking += bool(line.broken)
        self.invariants += bool(line.invariants)

    def summed(self) -> PolicySummary:
        runs = len(self.turns)
        return PolicySummary(
            settings=self.settings,
            runs=runs,
            closed=_ranked(self.closed),
            turns=Turns(min(self.turns), median(self.turns), max(self.turns)),
            spoke=1 - self.silent / self.seats if self.seats else 0.0,
            everyone=self.everyone / runs,
            broken=_ranked(self.broken),
            breaking=self.breaking,
            invariants=self.invariants,
        )


def _ranked(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


@frozen(kw_only=True)
class Summary:
    """All policies of a sweep, in their order, whoever's runs ended first.

    ``files`` counts the files, ``properties`` names those of any file, in order.
    """

    policies: tuple[PolicySummary, ...]
    files: int
    properties: tuple[str, ...]

    @classmethod
    def of(cls, lines: Iterable[ResultLine]) -> Self:
        """Sum up the lines of results, in whichever order they are."""
        tallies: dict[Any, _Tally] = {}
        files: set[str] = set()
        properties: set[str] = set()
        for line in lines:
            _, order, _ = line.order
            tally = tallies.setdefault(order, _Tally(line.settings, order))
            tally.add(line)
            files.add(line.file)
            properties.update(line.properties)
        ordered = sorted(tallies.values(), key=lambda tally: tally.order)
        return cls(
            policies=tuple(tally.summed() for tally in ordered),
            files=len(files),
            properties=tuple(sorted(properties)),
        )

    @property
    def runs(self) -> int:
        """The number of runs."""
        return sum(policy.runs for policy in self.policies)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that any policy sets, in the order in which they were first given."""
        return tuple(dict.fromkeys(key for policy in self.policies for key in policy.settings))

    @property
    def soonest(self) -> tuple[PolicySummary, ...]:
        """Those that close soonest: of those that complete most often, the fewest turns in the middle.

        A desk that nobody wakes closes sooner than any, and with nothing done.
        """
        most = max((policy.completed for policy in self.policies), default=0.0)
        able = [policy for policy in self.policies if policy.completed == most]
        least = min((policy.turns.middle for policy in able), default=0)
        return tuple(policy for policy in able if policy.turns.middle == least)

    @property
    def widest(self) -> tuple[PolicySummary, ...]:
        """Those under which the largest share of seats spoke."""
        most = max((policy.spoke for policy in self.policies), default=0.0)
        return tuple(policy for policy in self.policies if policy.spoke == most)

    @property
    def breaking(self) -> tuple[PolicySummary, ...]:
        """Those under which a property did not hold, or an invariant of the host."""
        return tuple(one for one in self.policies if one.breaking or one.invariants)
