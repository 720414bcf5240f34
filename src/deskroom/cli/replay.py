"""``deskroom replay``: play scenarios, show what came out, and say what was not expected."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator
from typing import Any, Literal

import click
from attrs import define, field, frozen
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from deskroom.cli.output import (
    EXIT_MISMATCH,
    EXIT_WRONG,
    console,
    counted,
    print_error,
    print_json,
    shown_path,
)
from deskroom.cli.shared import backend_option, log_options, set_up
from deskroom.core import OPERATOR, Viewer
from deskroom.errors import FileError, UsageError, nearest
from deskroom.journal import JournalFile
from deskroom.render.replay import mismatch_line, replay_json, replay_table
from deskroom.render.text import one_line
from deskroom.scenario import Replay, Scenario, find_scenarios, load_scenario, replay_scenario

__all__ = ["replay_command"]

_MANY = 20


@frozen
class Options:
    """How to play and what to show."""

    backend: Literal["asyncio", "trio"]
    viewer: Viewer
    quiet: bool
    verbose: bool
    as_json: bool
    fail_on_unused: bool
    journal_path: str | None


@define
class Tally:
    """What came of a whole call."""

    passed: int = 0
    failed: int = 0
    wrong: int = 0
    rows: int = 0
    turns: int = 0
    documents: list[dict[str, Any]] = field(factory=list)

    @property
    def exit_code(self) -> int:
        """2 outranks 1: what could not be played may hide anything."""
        if self.wrong:
            return EXIT_WRONG
        return EXIT_MISMATCH if self.failed else 0


@click.command("replay", short_help="Play scenarios and compare what comes out.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("-q", "--quiet", is_flag=True, help="Print only mismatches, errors and the summary.")
@click.option("-v", "--verbose", is_flag=True, help="Print every message in full, and seats' text.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead.")
@click.option("--as", "seat", metavar="SEAT", help="Show only what this seat may read.")
@click.option("--fail-on-unused", is_flag=True, help="A listed turn left over is a mismatch.")
@click.option(
    "--journal", "journal_path", metavar="FILE", help="Keep every entry of one scenario in a file."
)
@backend_option
@log_options
def replay_command(
    paths: tuple[str, ...],
    *,
    quiet: bool,
    verbose: bool,
    as_json: bool,
    seat: str | None,
    fail_on_unused: bool,
    journal_path: str | None,
    backend: Literal["asyncio", "trio"],
    log_format: str | None,
    log_level: str | None,
) -> int:
    """Play scenario files, and every *.toml in the folders named, and compare what comes out.

    Each scenario is shown as a table: the rows in order, who spoke to whom, who is next and why.
    A mismatch names the file and line, what was expected, what came out, and the host's reason.

    \b
    Exit codes: 0 all as expected, 1 a mismatch, 2 a file that is wrong (2 outranks 1).
    """  # noqa: D301 - click reads this mark
    set_up(log_format, log_level, backend)
    viewer = OPERATOR if seat is None else Viewer("agent", seat)
    options = Options(backend, viewer, quiet, verbose, as_json, fail_on_unused, journal_path)
    tally = Tally()
    files = _found(paths, tally)
    if journal_path is not None and len(files) > 1:
        raise UsageError(f"--journal keeps one scenario, and {len(files)} were named")
    for path in _with_progress(files):
        _one(path, options, tally)
    _finish(tally, options)
    return tally.exit_code


def _found(paths: Iterable[str], tally: Tally) -> list[str]:
    """Return every file to play. A path where there is none is an error that stops no other."""
    files: list[str] = []
    for path in paths:
        try:
            files.extend(str(file) for file in find_scenarios([path]))
        except FileError as error:
            _wrong(error, tally)
    return list(dict.fromkeys(files))


def _with_progress(files: list[str]) -> Iterator[str]:
    if len(files) <= _MANY or not sys.stderr.isatty():
        yield from files
        return
    columns = (TextColumn("replaying"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield from progress.track(files)


def _one(path: str, options: Options, tally: Tally) -> None:
    try:
        scenario = load_scenario(path)
        _check_viewer(scenario, options.viewer)
        replay = _replay(scenario, options)
    except FileError as error:
        _wrong(error, tally)
        return
    tally.passed += replay.ok
    tally.failed += not replay.ok
    tally.rows += len(replay.result.rows)
    tally.turns += replay.result.granted
    if options.as_json:
        tally.documents.append(replay_json(replay, shown_path(path), options.viewer))
    else:
        _show(path, replay, options)


def _replay(scenario: Scenario, options: Options) -> Replay:
    with contextlib.ExitStack() as stack:
        journal = None
        if options.journal_path is not None:
            journal = stack.enter_context(JournalFile.create(options.journal_path))
        return replay_scenario(
            scenario,
            backend=options.backend,
            journal=journal,
            fail_on_unused=options.fail_on_unused,
        )


def _check_viewer(scenario: Scenario, viewer: Viewer) -> None:
    seats = [seat.id for seat in scenario.desk.seats]
    if viewer.kind == "agent" and viewer.id not in seats:
        near = nearest(viewer.id or "", seats)
        hint = f"; did you mean {near!r}?" if near else f"; its seats are {', '.join(seats)}"
        raise FileError(scenario.path, f"no seat {viewer.id!r} sits at this desk{hint}")


def _wrong(error: FileError, tally: Tally) -> None:
    tally.wrong += 1
    print_error(error)
    tally.documents.append(
        {
            "path": shown_path(error.path),
            "status": "error",
            "error": {"line": error.line, "column": error.column, "problem": error.problem},
        }
    )


def _show(path: str, replay: Replay, options: Options) -> None:
    if not options.quiet:
        _show_rows(path, replay, options)
    for mismatch in replay.mismatches:
        click.echo(mismatch_line(mismatch, options.viewer))


def _show_rows(path: str, replay: Replay, options: Options) -> None:
    out = console()
    title = f" · {replay.scenario.title}" if replay.scenario.title else ""
    out.print(one_line(f"{path}{title}"), style="bold", soft_wrap=True)
    out.print(replay_table(replay, viewer=options.viewer, verbose=options.verbose))
    closed = f"closed: {replay.result.closed}"
    if replay.unused:
        closed += f"; unused: turn {', '.join(turn.label for turn in replay.unused)}"
    out.print(f"{closed}\n", soft_wrap=True)


def _finish(tally: Tally, options: Options) -> None:
    counts = {"passed": tally.passed, "failed": tally.failed, "wrong": tally.wrong}
    if options.as_json:
        summary = {**counts, "rows": tally.rows, "turns": tally.turns}
        print_json({"format": 1, "scenarios": tally.documents, "summary": summary})
        return
    said = ", ".join(
        f"{count} {word}" for word, count in counts.items() if count or word == "passed"
    )
    total = sum(counts.values())
    turns, rows = counted(tally.turns, "turn"), counted(tally.rows, "row")
    click.echo(f"{counted(total, 'scenario')}: {said}; {turns}, {rows}")
