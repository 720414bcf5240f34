"""``deskroom replay``: play scenarios, show what came out, and say what was not expected."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, Literal

import click
from attrs import define, field

from deskroom.cli.output import (
    EXIT_MISMATCH,
    EXIT_WRONG,
    configure_logs,
    print_json,
)
from deskroom.cli.playing import FileResult, Options, play, wrong
from deskroom.cli.progress import with_progress
from deskroom.cli.screen import screen
from deskroom.cli.shared import BACKENDS, LogOptions, log_options, print_passed_over, set_up
from deskroom.core import OPERATOR, Viewer
from deskroom.errors import UsageError
from deskroom.files import STDIN, can_read_again
from deskroom.printable import counted
from deskroom.render.rows import Status, styled_as
from deskroom.render.screen import Screen
from deskroom.render.text import one_line
from deskroom.scenario.format.find import search

if TYPE_CHECKING:
    from deskroom.scenario.play.whatif import Setting

__all__ = ["jobs_for", "play_files", "replay_command", "shuffled"]

_VERY_MANY: Final = 100
#: Enough that no process is long without work at the end, and few enough to cost nothing.
_CHUNKS_A_PROCESS: Final = 4


@define
class Tally:
    """What came of all files; ``left`` counts those that were not played, after one that failed."""

    exit_first: bool = False
    results: list[FileResult] = field(factory=list)
    left: int = 0

    def is_over(self) -> bool:
        """Whether one failed, and nothing is to be played after it."""
        return self.exit_first and any(result.status != "passed" for result in self.results[-1:])

    def add(self, result: FileResult) -> None:
        """Count one file, and print what there is to say of it."""
        for line in (result.error, result.warning):
            if line is not None:
                click.echo(line, err=True)
        if result.shown:
            click.echo(result.shown, nl=False)
        self.results.append(result)

    def total(self, name: str) -> int:
        """Return the sum of a number of all results."""
        return sum(getattr(result, name) for result in self.results)

    @property
    def counts(self) -> dict[str, int]:
        """How many files passed, failed and were wrong."""
        counted = Counter(result.status for result in self.results)
        return {"passed": counted["passed"], "failed": counted["failed"], "wrong": counted["wrong"]}

    @property
    def exit_code(self) -> int:
        """2 outranks 1: what could not be played may hide anything."""
        counts = self.counts
        if counts["wrong"]:
            return EXIT_WRONG
        return EXIT_MISMATCH if counts["failed"] else 0


@click.command("replay")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "-q",
    "--quiet",
    is_flag=True,
    help="Print only mismatches, errors, warnings about files, and the summary.",
)
@click.option("-v", "--verbose", is_flag=True, help="Print every message in full, and seats' text.")
@click.option("--all", "all_", is_flag=True, help="Print all mismatches of a file, not only 20.")
@click.option(
    "-x", "--exitfirst", "exit_first", is_flag=True, help="Stop at the first file that fails."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead.")
@click.option("--as", "seat", metavar="SEAT", help="Show only what this seat may read.")
@click.option("--fail-on-unused", is_flag=True, help="A listed turn left over is a mismatch.")
@click.option(
    "--update",
    is_flag=True,
    help="Write what came out into expectations that differ, or are empty.",
)
@click.option(
    "--pin", is_flag=True, help="Write what came out where nothing is expected: turns and the run."
)
@click.option(
    "--set",
    "given",
    multiple=True,
    metavar="KEY=VALUE",
    help="Play under another policy, for example policy.dispatch.max_hops=2 (a value in TOML).",
)
@click.option("--diff", is_flag=True, help="Compare with and without --set, and show what differs.")
@click.option(
    "--journal", "journal_path", metavar="FILE", help="Keep every entry of one scenario in a file."
)
@click.option("--junit", "junit_path", metavar="FILE", help="Write the results as JUnit XML too.")
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Use N processes.  [default: 1; from 100 files on, one for each core]",
)
@click.option(
    "--repeat",
    type=click.IntRange(min=1),
    default=1,
    metavar="N",
    help="Play each N times; every play must write the same bytes.",
)
@click.option("--shuffle", "seed", metavar="SEED", help="Play the files in another order.")
@click.option(
    "--backend",
    type=click.Choice(BACKENDS),
    help="Play with actors on this event loop, to the same entries.  [default: no loop at all]",
)
@log_options
def replay_command(
    paths: tuple[str, ...],
    *,
    quiet: bool,
    verbose: bool,
    all_: bool,
    exit_first: bool,
    as_json: bool,
    seat: str | None,
    fail_on_unused: bool,
    update: bool,
    pin: bool,
    given: tuple[str, ...],
    diff: bool,
    journal_path: str | None,
    junit_path: str | None,
    jobs: int | None,
    repeat: int,
    seed: str | None,
    backend: Literal["asyncio", "trio"] | None,
    log_format: str | None,
    log_level: str | None,
) -> int:
    """Play scenario files, and every scenario in the folders named, and compare what comes out.

    PATH may be `-`, which reads a scenario from stdin.

    Each scenario is shown as a table: the rows in order, who spoke to whom, who is next and why.
    A row or turn with a mismatch is marked where it stands. The mismatch names the file and line, the
    turn as the log numbers it, what was expected, what came out, and the host's reason; of a message
    that came out otherwise the words that differ are marked, `[-expected-]` and `{+got+}`.

    With --update, expectations that differ are rewritten in place, and `expect = {}` is filled; with
    --pin, each turn without any and the run get what `record` would write. Comments and layout stay,
    and what is wrong with a script is only reported. Read what was written before you keep it.

    \b
    Exit codes: 0 all as expected, 1 a mismatch, 2 a file that is wrong (2 outranks 1).
    """  # noqa: D301 - click reads this mark
    # Quiet is quiet: what a script makes happen, such as a turn that times out, is no news.
    level = "error" if quiet else "warning"
    logs = set_up(log_format, log_level, backend, default_level=level)
    options = Options(
        backend=backend,
        viewer=OPERATOR if seat is None else Viewer("agent", seat),
        quiet=quiet,
        verbose=verbose,
        all_=all_,
        as_json=as_json,
        fail_on_unused=fail_on_unused,
        journal_path=journal_path,
        update=update,
        pin=pin,
        settings=_settings(given),
        diff=diff,
        repeat=repeat,
        warns=logs.warns,
        timed=junit_path is not None,
        screen=screen(),
    )
    _check(options)
    tally = Tally(exit_first=exit_first)
    files = shuffled(_found(paths, tally), seed)
    if journal_path is not None and len(files) > 1:
        raise UsageError(f"--journal keeps one scenario, and {len(files)} were named")
    if update and not all(can_read_again(file) for file in files):
        raise UsageError("--update writes into files, and stdin or a pipe is none")
    # A process of a pool has no stdin. It may also have written into a file that is not to be played,
    # or have logged about it.
    is_heard = options.writes or logs.level not in {"error", "critical"}
    alone = STDIN in files or (exit_first and is_heard)
    _play_all(files, options, tally, 1 if alone else jobs_for(jobs, len(files)), logs)
    _finish(tally, options, seed)
    if junit_path is not None:
        _write_junit(tally, junit_path)
    return tally.exit_code


def _settings(given: Sequence[str]) -> tuple[Setting, ...]:
    if not given:
        return ()
    from deskroom.scenario.play.whatif import parse_setting

    return tuple(parse_setting(text) for text in given)


def _check(options: Options) -> None:
    """Refuse options that contradict each other."""
    if options.diff and not options.settings:
        raise UsageError("--diff shows what --set changes: say what to change")
    if options.writes and options.settings:
        name = "--update" if options.update else "--pin"
        raise UsageError(f"{name} writes what comes of a file as it is: leave out --set")
    for name, used in (("--journal", options.journal_path), ("--repeat", options.repeat > 1)):
        if options.diff and used:
            raise UsageError(f"--diff plays each file twice, so it cannot go with {name}")


def _found(paths: Iterable[str], tally: Tally) -> list[str]:
    """Return every file to play. A path where there is none is an error that stops no other."""
    found = search(paths)
    print_passed_over(found)
    for error in found.errors:
        if not tally.is_over():
            tally.add(wrong(error))
    return [str(file) for file in found.files]


def shuffled(files: Sequence[str], seed: str | None) -> list[str]:
    """Return the files in an order that the seed and their number decide, the same everywhere."""
    if seed is None:
        return list(files)

    def key(at: int) -> bytes:
        return sha256(f"{seed}\n{at}".encode("utf-8", "surrogatepass")).digest()

    return [files[at] for at in sorted(range(len(files)), key=key)]


# --- playing -----------------------------------------------------------------------------------


def jobs_for(asked: int | None, files: int) -> int:
    """Return how many processes to use. A process pays for itself only where there is much to do."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(asked or (1 if files < _VERY_MANY else cores or 1), files)


def _play_all(
    files: Sequence[str], options: Options, tally: Tally, jobs: int, logs: LogOptions
) -> None:
    before = len(tally.results)
    if tally.is_over():
        tally.left = len(files)
        return
    with closing(_results(files, options, jobs, logs)) as results:
        for result in with_progress(results, len(files), "replaying"):
            tally.add(result)
            if tally.is_over():
                break
    tally.left = len(files) + before - len(tally.results)


def _results(
    files: Sequence[str], options: Options, jobs: int, logs: LogOptions
) -> Generator[FileResult]:
    """Yield what comes of each file, in order."""
    if jobs <= 1:
        yield from (play(path, options) for path in files)
        return
    from deskroom.cli.pool import in_processes

    size = -(-len(files) // (jobs * _CHUNKS_A_PROCESS))
    chunks = [files[at : at + size] for at in range(0, len(files), size)]
    play_chunk = partial(play_files, options=options)
    set_up = partial(configure_logs, logs.format or "", logs.level or "")
    for results in in_processes(play_chunk, chunks, jobs=jobs, set_up=set_up):
        yield from results


def play_files(files: Iterable[str], options: Options) -> list[FileResult]:
    """Play files one after the other."""
    return [play(path, options) for path in files]


# --- summing up --------------------------------------------------------------------------------


def _finish(tally: Tally, options: Options, seed: str | None) -> None:
    rows, turns, updated = (tally.total(name) for name in ("rows", "turns", "changes"))
    if options.as_json:
        summary: dict[str, Any] = {**tally.counts, "rows": rows, "turns": turns}
        if options.writes:
            summary["updates"] = updated
        if seed is not None:
            summary["shuffle"] = seed
        if tally.exit_first:
            summary["not_played"] = tally.left
        documents = [result.document for result in tally.results]
        print_json({"format": 1, "scenarios": documents, "summary": summary})
        return
    names = {"passed": "the same", "failed": "different"} if options.diff else {}
    counts = ", ".join(
        _counted(count, status, names.get(status, status), options.screen)
        for status, count in tally.counts.items()
        if count or status == "passed"
    )
    line = f"{counted(len(tally.results), 'scenario')}: {counts}; {counted(turns, 'turn')}, "
    line += counted(rows, "row")
    if options.writes:
        line += f"; {counted(updated, 'expectation')} updated"
    if seed is not None:
        line += f"; shuffled with seed {one_line(seed)}"
    if tally.is_over():
        line += f"; stopped there, {tally.left} not played"
    click.echo(line)


def _counted(count: int, status: str, name: str, screen: Screen) -> str:
    """Return how many files came to something, in its colour."""
    color: Status = "passed" if status == "passed" else "failed"
    return styled_as(f"{count} {name}", color if count else None, screen)


def _write_junit(tally: Tally, path: str) -> None:
    from deskroom.files import write_file
    from deskroom.render.junit import Case, junit_xml

    cases = [
        Case(
            path=result.path,
            status=result.status,
            lines=result.problems,
            duration_s=result.duration_s,
        )
        for result in tally.results
    ]
    write_file(path, junit_xml(cases), is_private=True)
