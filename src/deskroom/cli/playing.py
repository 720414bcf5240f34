"""Playing one file for ``deskroom replay``: what it came to, as text to print and as values.

Nothing is printed here, so a file may be played in any process.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from attrs import evolve, field, frozen

from deskroom.cli.output import shown_path
from deskroom.cli.shared import check_seat
from deskroom.core import OPERATOR, Viewer
from deskroom.engine.entries import Journal, MemoryJournal
from deskroom.errors import FileError
from deskroom.render.replay import (
    mismatch_line,
    mismatch_lines,
    replay_json,
    replay_lines,
    scenario_title,
)
from deskroom.render.screen import PLAIN, Screen
from deskroom.render.text import one_line
from deskroom.scenario import Replay, Scenario, load_scenario, replay_scenario
from deskroom.scenario.format.model import EXPECTS_NOTHING

if TYPE_CHECKING:
    from deskroom.runs.diff import Comparison
    from deskroom.scenario.edit.update import Change
    from deskroom.scenario.play.whatif import Setting

__all__ = ["FileResult", "Options", "play", "wrong"]

Status = Literal["passed", "failed", "wrong"]


@frozen(kw_only=True)
class Options:
    """How to play and what to show, and where."""

    backend: Literal["asyncio", "trio"] | None = None
    viewer: Viewer = OPERATOR
    quiet: bool = False
    verbose: bool = False
    all_: bool = False
    as_json: bool = False
    fail_on_unused: bool = False
    journal_path: str | None = None
    update: bool = False
    pin: bool = False
    settings: tuple[Setting, ...] = ()
    diff: bool = False
    repeat: int = 1
    warns: bool = True
    timed: bool = False
    screen: Screen = PLAIN

    @property
    def writes(self) -> bool:
        """Whether what comes out is written into the file."""
        return self.update or self.pin


@frozen(kw_only=True)
class FileResult:
    """What came of one file.

    ``shown`` is what to print about it, or ``error`` where the file is wrong. ``problems`` are the
    lines that say what came out otherwise; ``warning`` is about the file, and goes to stderr;
    ``document`` is its part of the JSON. ``duration_s`` is how many seconds
    all of it took, where that is asked for.
    """

    path: str
    status: Status
    document: dict[str, Any] = field(factory=dict, repr=False)
    shown: str = field(default="", repr=False)
    error: str | None = None
    warning: str | None = None
    problems: tuple[str, ...] = ()
    rows: int = 0
    turns: int = 0
    changes: int = 0
    duration_s: float = 0


def play(path: str, options: Options) -> FileResult:
    """Play a file and return what came of it, also where the file is wrong."""
    if not options.timed:
        return _play(path, options)
    from deskroom.room import RealClock

    clock = RealClock()
    return evolve(_play(path, options), duration_s=clock.now())


def _play(path: str, options: Options) -> FileResult:
    try:
        scenario = load_scenario(path)
        check_seat(path, [seat.id for seat in scenario.desk.seats], options.viewer)
        if options.diff:
            return _what_if(scenario, options)
        return _replay(_changed(scenario, options), options)
    except FileError as error:
        return wrong(error)


def wrong(error: FileError) -> FileResult:
    """Return what is wrong with a file."""
    path = shown_path(error.path)
    problem = {"line": error.line, "column": error.column, "problem": error.problem}
    line = one_line(str(error))
    document = {"path": path, "status": "error", "error": problem}
    return FileResult(path=path, status="wrong", document=document, error=line, problems=(line,))


def _changed(scenario: Scenario, options: Options) -> Scenario:
    """Return a scenario with the policy that is asked for."""
    if not options.settings:
        return scenario
    from deskroom.scenario.play.whatif import with_settings

    return with_settings(scenario, options.settings)


# --- as it is ----------------------------------------------------------------------------------


def _replay(scenario: Scenario, options: Options) -> FileResult:
    replay = _played(scenario, options)
    replay, changes = _updated(replay, options)
    path, viewer = shown_path(scenario.path), options.viewer
    problems = tuple(mismatch_line(mismatch, viewer) for mismatch in replay.mismatches)
    document: dict[str, Any] = {}
    lines: list[str] = []
    if options.as_json:
        document = {**replay_json(replay, path, viewer), **_updates(changes, path, options)}
    else:
        if not options.quiet:
            verbose = options.verbose
            lines += replay_lines(replay, options.screen, viewer=viewer, verbose=verbose)
        more = None if options.all_ else "--all shows them"
        lines += _change_lines(changes, options)
        lines += mismatch_lines(replay.mismatches, viewer, options.screen, more=more)
    return FileResult(
        path=path,
        status="passed" if replay.ok else "failed",
        document=document,
        shown="".join(f"{line}\n" for line in lines),
        warning=_warning(replay.scenario) if options.warns else None,
        problems=problems,
        rows=len(replay.run.rows),
        turns=replay.run.granted,
        changes=len(changes),
    )


def _warning(scenario: Scenario) -> str | None:
    if not scenario.expects_nothing:
        return None
    return one_line(f"{scenario.path}:1:1: warning: {EXPECTS_NOTHING}")


def _updated(replay: Replay, options: Options) -> tuple[Replay, tuple[Change, ...]]:
    if not options.writes:
        return replay, ()
    from deskroom.scenario.edit.update import update_file

    update = update_file(
        replay, update=options.update, pin=options.pin, fail_on_unused=options.fail_on_unused
    )
    return update.replay, update.changes


def _updates(changes: tuple[Change, ...], path: str, options: Options) -> dict[str, Any]:
    if not options.writes:
        return {}
    from deskroom.render.update import change_json

    return {"updates": [change_json(change, path, options.viewer) for change in changes]}


def _change_lines(changes: tuple[Change, ...], options: Options) -> Iterator[str]:
    if changes:
        from deskroom.render.update import change_line

        yield from (change_line(change, options.viewer) for change in changes)


def _played(scenario: Scenario, options: Options) -> Replay:
    """Play a scenario, as often as that is asked for; a play unlike the first is a mismatch."""
    unused = options.fail_on_unused
    with contextlib.ExitStack() as stack:
        journal: Journal | None = None
        if options.journal_path is not None:
            from deskroom.journal import JournalFile

            journal = stack.enter_context(JournalFile.create(options.journal_path))
        elif options.repeat > 1:
            journal = MemoryJournal()
        replay = replay_scenario(
            scenario, backend=options.backend, journal=journal, fail_on_unused=unused
        )
    if options.repeat == 1:
        return replay
    from deskroom.scenario.play.repeat import journal_lines, repeat_mismatch

    lines = journal_lines(replay.run.journal)
    for number in range(2, options.repeat + 1):
        again = replay_scenario(scenario, backend=options.backend, journal=MemoryJournal())
        mismatch = repeat_mismatch(scenario.path, number, lines, journal_lines(again.run.journal))
        if mismatch is not None:
            return evolve(replay, mismatches=(*replay.mismatches, mismatch))
    return replay


# --- under another policy ----------------------------------------------------------------------


def _what_if(scenario: Scenario, options: Options) -> FileResult:
    """Play a scenario as it is and under another policy, and say what differs."""
    from deskroom.render.diff import diff_lines
    from deskroom.runs.diff import compare_runs

    before = replay_scenario(scenario, backend=options.backend)
    after = replay_scenario(_changed(scenario, options), backend=options.backend)
    comparison = compare_runs(before.view(options.viewer), after.view(options.viewer))
    lines = list(diff_lines(comparison, options.screen, all_=True))
    path = shown_path(scenario.path)
    problems = () if comparison.same else tuple(diff_lines(comparison, all_=True))
    if not options.quiet:
        lines = [scenario_title(scenario), *lines, ""]
    elif comparison.same:
        lines = []
    return FileResult(
        path=path,
        status="passed" if comparison.same else "failed",
        document=_diff_document(scenario, comparison, path) if options.as_json else {},
        shown="" if options.as_json else "".join(f"{line}\n" for line in lines),
        problems=problems,
        rows=sum(item.is_row for item in comparison.b.items),
        turns=after.run.granted,
    )


def _diff_document(scenario: Scenario, comparison: Comparison, path: str) -> dict[str, Any]:
    from deskroom.render.diff import diff_json

    return {
        "path": path,
        "title": scenario.title,
        "status": "passed" if comparison.same else "failed",
        "diff": diff_json(comparison, shown_path, all_=True),
    }
