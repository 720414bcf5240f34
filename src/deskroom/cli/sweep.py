"""``deskroom sweep``: play files under many policies, keep a line a run, and say which serves best."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, closing, contextmanager
from pathlib import PurePath
from typing import Any, Final, Literal, NamedTuple

import click
from attrs import frozen

from deskroom.cli.output import EXIT_MISMATCH, EXIT_WRONG, print_json, shown_path
from deskroom.cli.progress import with_progress
from deskroom.cli.screen import screen
from deskroom.cli.shared import print_passed_over
from deskroom.errors import DeskroomError, FileError, UsageError
from deskroom.files import STDIN, check_output, write_output
from deskroom.printable import counted
from deskroom.render.sweep import (
    check_can_write_parquet,
    sweep_csv,
    sweep_json,
    sweep_lines,
    sweep_parquet,
)
from deskroom.render.text import one_line
from deskroom.scenario.format.find import search
from deskroom.sweep import (
    Grid,
    ResultLine,
    ResultsFile,
    Summary,
    SweptFile,
    parse_axis,
    parse_seeds,
    read_results,
)
from deskroom.sweep.run import Played, left_of, play_works

__all__ = ["sweep_command"]

_PICTURES: Final = (".svg", ".png")
#: So many runs that could not be played are told of, one by one.
_MOST_TOLD: Final = 20


@frozen(kw_only=True)
class _Given:
    """What the command line says, but for the files."""

    settings: tuple[str, ...]
    seeds: str | None
    output: str | None
    append: bool
    jobs: int | None
    executor: str | None
    dask: str | None
    as_json: bool
    csv: str | None
    parquet: str | None
    plot: str | None
    force: bool
    quiet: bool


#: What belongs to one of the two things that the command does.
_OF_SWEEPS: Final = {
    "settings": "--set",
    "seeds": "--seeds",
    "output": "-o",
    "append": "--append",
    "jobs": "-j",
    "executor": "--executor",
    "dask": "--dask",
    "quiet": "-q",
}
_OF_SUMMARIES: Final = {
    "as_json": "--json",
    "csv": "--csv",
    "parquet": "--parquet",
    "plot": "--plot",
    "force": "--force",
}


@click.command("sweep")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUES",
    help="Play under each of these values, in TOML: policy.chair.every=0,3..6 or "
    """'policy.close="first","all"'. Several keys make a grid.""",
)
@click.option(
    "--seeds",
    metavar="N",
    help="Play each file with [explore] with N seeds, from 0 on, or with 100..199.  "
    "[default: the file's own]",
)
@click.option("-o", "--output", metavar="RESULTS", help="Keep a line for each run in this file.")
@click.option("--append", is_flag=True, help="Keep results of other sweeps in that file, too.")
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Use N processes.  [default: one for each core]",
)
@click.option(
    "--executor",
    metavar="NAME",
    help="Play on the executor that package.module:factory returns.",
)
@click.option(
    "--dask", metavar="ADDRESS", help="Play on the Dask cluster whose scheduler is there."
)
@click.option("--summary", is_flag=True, help="Sum up results files; FILE is one of these.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON document.")
@click.option("--csv", metavar="FILE", help="Write the results as CSV, one line a run.")
@click.option("--parquet", metavar="FILE", help="Write them as Parquet.")
@click.option("--plot", metavar="FILE", help="Draw the summary into an .svg or .png.")
@click.option("--force", is_flag=True, help="Overwrite these files.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
def sweep_command(files: tuple[str, ...], *, summary: bool, **options: Any) -> int:  # noqa: ANN401 - click's
    """Play scenarios under many policies, and sum up which of these serves best.

    FILE is a scenario or a folder of them. Each is played under every policy that the values of
    --set make; one with an [explore] table with every seed as well. With `-o RESULTS` each run is a
    line with its settings, its figures (those of `stats`), whether each property held, and a digest.
    A sweep that was interrupted goes on where it stopped when the same command is given again.

    A range A..B holds whole numbers, A and B included. A text stands in quotes, and a comma within
    quotes or brackets is part of a value: 'policy.participants=["a","b"],["a"]' has two.

    The lines are in the order of files, settings and seeds once the sweep is complete, and are the
    same whoever played the runs. An executor is any of concurrent.futures.

    With --summary FILE is a results file, and what is printed is a line a policy.

    \b
    Exit codes: 0 every run was played, whether or not its properties held, 1 a run broke an invariant
    of the host, 2 a run could not be played or a file or the command is wrong, 130 interrupted.
    """  # noqa: D301 - click reads this mark
    given = _Given(**options)
    _check_together(given, summary=summary)
    return _sum_up(files, given) if summary else _sweep(files, given)


def _check_together(given: _Given, *, summary: bool) -> None:
    names = _OF_SWEEPS if summary else _OF_SUMMARIES
    wrong = [shown for name, shown in names.items() if getattr(given, name)]
    if wrong and summary:
        raise UsageError(f"{wrong[0]} is for sweeping: leave it out, or leave out --summary")
    if wrong:
        raise UsageError(f"{wrong[0]} is for a summary: give --summary and a results file")
    if not summary and given.output is None:
        raise UsageError("say where to keep the results: -o results.jsonl")
    if given.output == STDIN:
        raise UsageError("-o needs a file: results are read again when a sweep is resumed")
    who = [
        shown
        for shown, value in (
            ("-j", given.jobs),
            ("--executor", given.executor),
            ("--dask", given.dask),
        )
        if value is not None
    ]
    if len(who) > 1:
        raise UsageError(f"{' and '.join(who)} each say who plays the runs: give one of them")


# --- sweeping ----------------------------------------------------------------------------------


def _sweep(files: Sequence[str], given: _Given) -> int:
    grid = _grid(files, given)
    assert given.output is not None  # noqa: S101 - it is looked for first
    path = given.output
    check_output(path, force=True, sources=[file.scenario.path for file in grid.files])
    with ResultsFile.open(path) as results:
        if results.cut is not None:
            problem = "the line was cut short, and is cut off; its run is played again"
            click.echo(one_line(f"{path}:{results.cut}: {problem}"), err=True)
        works = left_of(grid, results, append=given.append)
        tally = _Tally(runs=len(grid), left=len(works))
        try:
            failed = _play(works, results, given, tally)
        except KeyboardInterrupt:
            told = f"{_kept(tally, results)}; to resume: {_same_command(files, given)}"
            # Behind the ^C that a terminal shows.
            click.echo(f"\n{one_line(told)}", err=True)
            raise click.Abort from None
        except FileError:
            raise
        except DeskroomError as error:
            if not results.kept:
                raise
            told = f"{error}; {_kept(tally, results)}, and the same command plays the others"
            raise DeskroomError(told) from error
        results.put_in_order()
        broken = sum(kept.breaks_invariant for kept in results.kept.values())
    if not given.quiet:
        click.echo(one_line(_sentence(grid, tally, failed, path)))
    if broken:
        runs = counted(broken, "run")
        click.echo(f"{runs} broke an invariant of the host, which no policy may", err=True)
    return EXIT_WRONG if failed else EXIT_MISMATCH if broken else 0


class _Tally(NamedTuple):
    """How many runs a sweep has, and how many of them were left when the command began."""

    runs: int
    left: int


def _grid(files: Sequence[str], given: _Given) -> Grid:
    axes = tuple(map(parse_axis, given.settings))
    seeds = None if given.seeds is None else parse_seeds(given.seeds)
    found = search(files)
    print_passed_over(found)
    if found.errors:
        raise found.errors[0]
    swept: dict[str, SweptFile] = {}
    for path in map(str, found.files):
        shown = shown_path(path)
        if shown in swept:
            raise UsageError(f"{shown} is named twice")
        swept[shown] = SweptFile.read(path, shown, seeds)
    return Grid(files=tuple(swept.values()), axes=axes)


def _play(works: Sequence[Any], results: ResultsFile, given: _Given, tally: _Tally) -> int:
    """Play what is left, and return how many runs could not be played."""
    failed = 0
    if not works:
        return 0
    with ExitStack() as stack:
        executor, workers = stack.enter_context(_executing(given, len(works)))
        played = stack.enter_context(closing(play_works(works, executor, workers)))
        before = tally.runs - tally.left
        for run in with_progress(
            _begun(played), tally.runs, "sweeping", before=before, time_left=True
        ):
            kind, text = run.outcome
            if kind != "error":
                results.add(run.work.key, run.work.order, text, broken=kind == "broken")
                continue
            failed += 1
            if failed <= _MOST_TOLD:
                click.echo(one_line(f"{text} ({_made_of(run)})"), err=True)
    if failed > _MOST_TOLD:
        click.echo(f"and {counted(failed - _MOST_TOLD, 'run')} more", err=True)
    return failed


def _begun(played: Generator[Played]) -> Iterator[Played]:
    """Return an iterator whose processes have been started: no thread is to be there before."""
    first = next(played, None)

    def every() -> Iterator[Played]:
        if first is not None:
            yield first
        yield from played

    return every()


def _made_of(run: Played) -> str:
    parts = [f"--set {text}" for text in run.work.point.texts]
    parts += [] if run.work.seed is None else [f"seed {run.work.seed}"]
    return " ".join(["a run of", run.work.file.path, *parts])


@contextmanager
def _executing(given: _Given, runs: int) -> Iterator[tuple[Executor | None, int]]:
    """Provide what plays the runs, and how many it plays at once; None plays them here."""
    cores = _cores()
    if given.dask is not None:
        from deskroom.sweep.cluster import dask_executor

        with dask_executor(given.dask) as (executor, threads):
            if not threads:
                told = f"{given.dask}: the cluster has no worker yet, and the sweep waits for one"
                click.echo(one_line(told), err=True)
            yield executor, max(1, threads)
    elif given.executor is not None:
        executor = _made(given.executor)
        try:
            yield executor, cores
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            raise
        else:
            executor.shutdown()
    elif min(given.jobs or cores, runs) <= 1:
        yield None, 1
    else:
        from deskroom.cli.pool import process_pool

        jobs = min(given.jobs or cores, runs)
        with process_pool(jobs, _nothing) as pool:
            yield pool, jobs


def _nothing() -> None:
    """Set up nothing in a process."""


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _made(name: str) -> Executor:
    """Return the executor that a factory makes. Its module may stand in the folder of the command."""
    from deskroom.seats.python import load_named

    if os.getcwd() not in sys.path:  # noqa: PTH109 - as sys.path has it
        sys.path.insert(0, os.getcwd())  # noqa: PTH109 - as above
    factory = load_named(name)
    if not callable(factory):
        raise UsageError(f"--executor {name}: this is no function that makes an executor")
    try:
        executor = factory()
    except Exception as error:
        raise UsageError(f"--executor {name}: {type(error).__name__}: {error}") from error
    if not isinstance(executor, Executor):
        kind = type(executor).__name__
        raise UsageError(
            f"--executor {name}: found {kind}, expected an Executor of concurrent.futures"
        )
    return executor


def _kept(tally: _Tally, results: ResultsFile) -> str:
    """Return how far the sweep is, in words."""
    return f"{len(results.kept)} of {counted(tally.runs, 'run')} are in {results.path}"


def _sentence(grid: Grid, tally: _Tally, failed: int, path: str) -> str:
    policies = grid.points_count
    under = "1 policy" if policies == 1 else f"{policies} policies"
    files = counted(len(grid.files), "file")
    line = f"{path}: {counted(tally.runs, 'run')} of {files} under {under}"
    if tally.left < tally.runs:
        line += f"; {tally.runs - tally.left} were there, {tally.left - failed} played now"
    if failed:
        line += f"; {failed} could not be played"
    return line


def _same_command(files: Sequence[str], given: _Given) -> str:
    """Return the command as a shell takes it."""
    options = [f"--set={text}" for text in given.settings]
    options += [] if given.seeds is None else [f"--seeds={given.seeds}"]
    options += [f"--output={given.output}"]
    options += ["--append"] if given.append else []
    options += [] if given.jobs is None else [f"--jobs={given.jobs}"]
    options += [] if given.executor is None else [f"--executor={given.executor}"]
    options += [] if given.dask is None else [f"--dask={given.dask}"]
    options += ["--quiet"] if given.quiet else []
    return shlex.join(["deskroom", "sweep", *options, "--", *files])


# --- summing up --------------------------------------------------------------------------------


def _sum_up(files: Sequence[str], given: _Given) -> int:
    outputs = [path for path in (given.csv, given.parquet, given.plot) if path not in {None, STDIN}]
    for path in filter(None, outputs):
        check_output(path, force=given.force, sources=files)
    if given.parquet is not None:
        check_can_write_parquet()
    picture = None if given.plot is None else _picture(given.plot)
    lines = _ordered(files)
    summary = Summary.of(lines)
    if given.plot is not None and picture is not None:
        from deskroom.render.sweep_plot import plot_sweep

        content = plot_sweep(summary, picture)
        write_output(given.plot, content, force=given.force, sources=files)
    if given.parquet is not None:
        write_output(given.parquet, sweep_parquet(lines), force=given.force, sources=files)
    if given.csv not in {None, STDIN}:
        write_output(str(given.csv), sweep_csv(lines), force=given.force, sources=files)
    if given.csv == STDIN:
        click.echo(sweep_csv(lines), nl=False)
    elif given.as_json:
        print_json(sweep_json(summary))
    else:
        for line in sweep_lines(summary, screen()):
            click.echo(line)
    return 0


def _picture(path: str) -> Literal["svg", "png"]:
    """Return what kind of picture a file is to be, before the work is done."""
    suffix = PurePath(path).suffix.lower()
    if suffix not in _PICTURES:
        raise UsageError(f"--plot writes an .svg or a .png, and the file is called {path!r}")
    from deskroom.render.plot import check_can_plot

    check_can_plot()
    return "svg" if suffix == ".svg" else "png"


def _ordered(files: Sequence[str]) -> list[ResultLine]:
    """Return the lines of all results files, each run once, in their order."""
    lines: dict[str, ResultLine] = {}
    for path in files:
        for number, line in read_results(path):
            if line is None:
                problem = "the line is cut short, and is left out"
                click.echo(one_line(f"{path}:{number}: {problem}"), err=True)
            elif lines.setdefault(line.key, line) != line:
                problem = "another file has this run with another result"
                raise FileError(path, problem, line=number, kind="contradiction")
    return sorted(lines.values(), key=lambda line: line.order)
