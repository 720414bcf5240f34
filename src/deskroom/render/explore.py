"""What an exploration came to: what failed, what was reached how often, and what never was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from attrs import field, frozen

from deskroom.explore.coverage import GROUPS
from deskroom.explore.explore import Exploration, FoundFailure
from deskroom.printable import counted, one_line
from deskroom.render.replay import mismatch_line
from deskroom.render.rows import Status, sign, styled_as
from deskroom.render.screen import PLAIN, Screen
from deskroom.render.table import table_lines, wrapped
from deskroom.scenario.play.compare import Replay

__all__ = ["Report", "WrittenFailure", "explore_json", "explore_lines"]

#: The longest bar of the histogram, in cells, and what stands beside it.
_BAR: Final = 20
_BESIDE: Final = 54

Json = dict[str, Any]


@frozen(kw_only=True)
class WrittenFailure:
    """A failure and the scenario that it was written as: its path and its replay, if it could be.

    ``turns`` are how many the run had as it was found and as it was written.
    """

    found: FoundFailure
    path: str | None = None
    replay: Replay | None = field(default=None, repr=False)
    turns: tuple[int, int] = (0, 0)
    is_shrunk: bool = False
    is_remembered: bool = False


@frozen(kw_only=True)
class Report:
    """What an exploration of one file came to, for whoever runs it.

    ``impossible`` are words that no run of the desk can come to, and ``limits`` says which limits of
    the policy no run met.
    """

    path: str
    seed: int
    exploration: Exploration
    failures: Sequence[WrittenFailure] = ()
    impossible: frozenset[tuple[str, str]] = frozenset()
    limits: Sequence[str] = ()

    def never(self) -> dict[str, list[str]]:
        """What no run reached, though it could be, by group."""
        counts = self.exploration.counts
        return {
            group: [
                word
                for word in words
                if not counts[group, word] and (group, word) not in self.impossible
            ]
            for group, words in GROUPS.items()
        }


def explore_lines(report: Report, screen: Screen = PLAIN, *, quiet: bool = False) -> Iterator[str]:
    """Yield a report as ``deskroom explore`` shows it; quiet leaves out what was reached."""
    for failure in report.failures:
        yield from _failure_lines(failure, report, screen)
        yield ""
    if not quiet:
        yield from _histogram(report, screen)
        yield ""
    yield from _never_lines(report, screen)
    done = report.exploration
    found = counted(len(report.failures), "failure")
    status: Status = "failed" if report.failures else "passed"
    yield one_line(
        f"{counted(done.runs, 'run')} of {report.path} explored, {counted(done.turns, 'turn')} "
        f"(seed {report.seed}): "
    ) + styled_as(found, status, screen)


def _failure_lines(failure: WrittenFailure, report: Report, screen: Screen) -> Iterator[str]:
    found = failure.found
    mark = styled_as(sign("failed", screen), "failed", screen)
    runs = counted(report.exploration.runs, "run")
    if failure.is_remembered:
        where = "in a run that was remembered"
    else:
        where = f"in {found.runs:,} of {runs}, the first of them run {found.number}"
    what = f'{found.kind} "{found.name}"'
    yield f"{mark} {one_line(f'{what} does not hold {where}')}"
    if failure.replay is None or failure.path is None:
        yield f"  {one_line(found.problem)}"
        yield "  no scenario fails in this way by a plain replay"
        return
    for mismatch in failure.replay.mismatches:
        yield f"  {mismatch_line(mismatch, screen=screen)}"
    before, after = failure.turns
    how = f"made plain, from {counted(before, 'turn')} to {after:,}"
    if not failure.is_shrunk:
        how = "as it was found; pip install 'deskroom[explore]' makes such runs plain"
    yield f"  {one_line(f'written to {failure.path} ({how})')}"


def _histogram(report: Report, screen: Screen) -> Iterator[str]:
    counts = report.exploration.counts
    most = max(counts.values(), default=1)
    longest = min(_BAR, max(screen.width - _BESIDE, 1))
    rows = []
    for group, words in GROUPS.items():
        reached = [word for word in words if counts[group, word]]
        for at, word in enumerate(reached):
            count = counts[group, word]
            bar = ("█" if screen.lines else "#") * max(1, round(longest * count / most))
            rows.append([f"{count:,}", group if at == 0 else "", word, bar])
    yield from table_lines(["times", "reached", "", ""], rows, screen)


def _never_lines(report: Report, screen: Screen) -> Iterator[str]:
    for group, words in report.never().items():
        if words:
            yield from _wrapped(f"never reached, {group}: {', '.join(words)}", screen)
    for limit in report.limits:
        yield from _wrapped(limit, screen)


def _wrapped(text: str, screen: Screen) -> Iterator[str]:
    first, *more = wrapped(text, max(screen.width - 2, 20))
    yield first
    yield from (f"  {line}" for line in more)


def explore_json(report: Report, path: str) -> Json:
    """Return a report as JSON-ready values. Nothing in it depends on the machine it was made on."""
    counts = report.exploration.counts
    return {
        "format": 1,
        "path": path,
        "seed": report.seed,
        "runs": report.exploration.runs,
        "turns": report.exploration.turns,
        "failures": [_failure_json(failure) for failure in report.failures],
        "reached": {
            group: {word: counts[group, word] for word in words if counts[group, word]}
            for group, words in GROUPS.items()
        },
        "never": {group: words for group, words in report.never().items() if words},
        "limits_never_met": list(report.limits),
    }


def _failure_json(failure: WrittenFailure) -> Json:
    found = failure.found
    return {
        "kind": found.kind,
        "name": found.name,
        "problem": found.problem,
        "run": None if failure.is_remembered else found.number,
        "runs": found.runs,
        "scenario": failure.path,
        "turns": {"found": failure.turns[0], "written": failure.turns[1]},
    }
