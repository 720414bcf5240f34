"""``deskroom explore``: play a desk in many orders that could happen, and say what breaks."""

from __future__ import annotations

import gc
import re
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from functools import lru_cache, partial
from itertools import chain, count
from pathlib import Path, PurePath
from typing import Any, Final

import click
from attrs import evolve, frozen

from deskroom.cli.output import EXIT_MISMATCH, configure_logs, print_json, shown_path
from deskroom.cli.progress import exploring
from deskroom.cli.screen import screen
from deskroom.cli.shared import LogOptions, log_options, set_up
from deskroom.errors import FileError, UsageError
from deskroom.explore.coverage import impossible, limits_never_met
from deskroom.explore.explore import (
    DEEP_EVERY,
    Chunk,
    Exploration,
    FoundFailure,
    bounds_of,
    explore_chunk,
    play_again,
)
from deskroom.explore.play import Explorer
from deskroom.explore.shrink import Memory, can_shrink, shrunk
from deskroom.explore.written import written
from deskroom.files import STDIN, write_file
from deskroom.render.explore import Report, WrittenFailure, explore_json, explore_lines
from deskroom.room import RealClock
from deskroom.scenario.format.explore import Explore
from deskroom.scenario.format.load import parse_explorable
from deskroom.scenario.format.model import Scenario
from deskroom.scenario.format.toml import read_toml

__all__ = ["explore_command"]

#: So many runs are one piece of work. It is the same for any number of processes, and so are the
#: runs behind which a command stops.
_CHUNK: Final = 25
_SECONDS: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|h|)")
_UNITS: Final = {"": 1, "s": 1, "m": 60, "h": 3600}
_NO_SLUG: Final = re.compile(r"[^0-9a-z]+")
_LONGEST_SLUG: Final = 60
#: Where failures are written unless it is said.
_FOLDER: Final = "explored"
#: The options that bound what varies; each is a key of ``[explore]`` too.
_BOUNDS: Final = {
    "turns": "The most turns of a run.",
    "delays": "The most turns of a run that take time, also past their deadline; 0 for none.",
    "late": "The most calls of a run that are made twice, or too late; 0 for none.",
    "kills": "How often at most the process is killed in a run; 0 for never.",
    "people": "How often at most a person speaks in between in a run; 0 for never.",
    "faults": "The most turns of a run that crash, are silent or are refused; 0 for none.",
    "scores": "The most broadcasts of a run that get other scores; 0 for none.",
}


@frozen(kw_only=True)
class _Work:
    """What one process needs to play some runs: plain values only."""

    text: str
    path: str
    bounds: Explore
    deep_every: int
    stops: bool


def _bound_options(command: Any) -> Any:  # noqa: ANN401 - a click command
    """Let the command take a bound for each thing that varies."""
    for key, help_ in reversed(_BOUNDS.items()):
        least = 1 if key == "turns" else 0
        option = click.option(
            f"--{key}", type=click.IntRange(min=least), metavar="N", help=f"{help_}"
        )
        command = option(command)
    return command


@click.command("explore")
@click.argument("path", metavar="FILE")
@click.option("--seed", type=click.IntRange(min=0), help="Draw the runs from this seed.")
@click.option("--runs", type=click.IntRange(min=1), metavar="N", help="Play so many runs.")
@click.option("--for", "for_", metavar="TIME", help="Play for so long instead: 60s, 5m, 1h.")
@click.option(
    "-j", "--jobs", type=click.IntRange(min=1), default=1, metavar="N", help="Use N processes."
)
@click.option(
    "--talk/--no-talk", default=None, help="Draw what seats say too; listed turns are left out."
)
@_bound_options
@click.option(
    "--deep",
    "deep_every",
    type=click.IntRange(min=0),
    default=DEEP_EVERY,
    show_default=True,
    metavar="N",
    help="Look at one in N runs as a whole: read back, verified, resumed.",
)
@click.option("-x", "--exitfirst", "stops", is_flag=True, help="Stop at the first run that fails.")
@click.option(
    "-o",
    "--output",
    "folder",
    metavar="FOLDER",
    default=_FOLDER,
    show_default=True,
    help="Write what fails into this folder, as scenarios.",
)
@click.option("-q", "--quiet", is_flag=True, help="Leave out what was reached how often.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead.")
@log_options
def explore_command(
    path: str,
    *,
    seed: int | None,
    runs: int | None,
    for_: str | None,
    jobs: int,
    talk: bool | None,
    deep_every: int,
    stops: bool,
    folder: str,
    quiet: bool,
    as_json: bool,
    log_format: str | None,
    log_level: str | None,
    **bounds: int | None,
) -> int:
    """Play a desk or a scenario in many orders that could happen, and say what breaks.

    Each run is drawn from the seed and its number: how long seats take, calls that come twice or too
    late, seats that crash or are silent, people who speak in between, a process that is killed and
    resumed, and with --talk what seats say. At each step the file's properties are checked, and what
    holds in every run of the host. What fails is made as plain as it can be and written as a scenario
    that fails by `deskroom replay`.

    The numbers come from the file's `[explore]` where the command does not give them. Without a seed
    one is drawn, and failures of earlier calls, which are kept in .hypothesis/, are played first; with
    one, the same is printed on any machine and with any number of processes.

    \b
    Exit codes: 0 nothing failed, 1 something did, 2 the file is wrong.
    """  # noqa: D301 - click reads this mark
    logs = set_up(log_format, log_level, default_level="error")
    if for_ is not None and runs is not None:
        raise UsageError("--runs and --for both say when to stop: give one of them")
    seconds = None if for_ is None else _seconds(for_)
    text = read_toml(path).text
    scenario = parse_explorable(text, path)
    asked = _bounds(bounds_of(scenario), seed=seed, runs=runs, talk=talk, **bounds)
    drawn = asked if asked.seed is not None else evolve(asked, seed=_drawn_seed())
    work = _Work(text=text, path=path, bounds=drawn, deep_every=deep_every, stops=stops)
    # What is remembered would make the same seed come to something else.
    memory = Memory(scenario, drawn) if asked.seed is None and can_shrink() else None
    remembered = list(_remembered(scenario, drawn, memory))
    exploration = Exploration()
    if not (remembered and stops):
        _explore(work, exploration, jobs, logs, seconds)
    report = _report(scenario, work, exploration, remembered, memory, folder)
    if as_json:
        print_json(explore_json(report, shown_path(path)))
    else:
        for line in explore_lines(report, screen(), quiet=quiet):
            click.echo(line)
    return EXIT_MISMATCH if report.failures else 0


def _seconds(text: str) -> float:
    match = _SECONDS.fullmatch(text.strip())
    seconds = float(match[1]) * _UNITS[match[2]] if match else 0
    if not seconds:
        raise UsageError(f"--for takes a time, such as 60s, 5m or 1h, not {text!r}")
    return seconds


def _bounds(bounds: Explore, **given: Any) -> Explore:  # noqa: ANN401 - values of the options
    """Return how to explore: what the command gives, else what the file does."""
    stated = {key: value for key, value in given.items() if value is not None}
    try:
        return evolve(bounds, **stated)
    except ValueError as error:
        raise UsageError(f"the file cannot be explored like this: {error}") from None


def _drawn_seed() -> int:
    """Return a seed that nobody chose: the one thing here that is drawn by chance."""
    from secrets import randbelow  # noqa: TID251 - it is printed, and gives the same again

    return randbelow(1_000_000)


# --- playing -----------------------------------------------------------------------------------


def _explore(
    work: _Work, exploration: Exploration, jobs: int, logs: LogOptions, seconds: float | None
) -> None:
    """Play all runs, and add up what comes of them in the order of their numbers."""
    clock = RealClock()
    numbers = _chunks(work.bounds.runs if seconds is None else None)
    if seconds is not None:
        numbers = _until(numbers, clock, seconds)
    total = None if seconds is not None else work.bounds.runs
    with exploring(total, seconds) as show, closing(_results(work, numbers, jobs, logs)) as results:
        for chunk in results:
            exploration.add(chunk)
            show(exploration.runs, exploration.turns, clock.now(), len(exploration.found))
            if work.stops and exploration.found:
                return


def _chunks(runs: int | None) -> Iterator[range]:
    for start in count(0, _CHUNK):
        if runs is not None and start >= runs:
            return
        yield range(start, start + _CHUNK if runs is None else min(start + _CHUNK, runs))


def _until(numbers: Iterable[range], clock: RealClock, seconds: float) -> Iterator[range]:
    for at, chunk in enumerate(numbers):
        if at and clock.now() >= seconds:
            return
        yield chunk


def _results(
    work: _Work, numbers: Iterable[range], jobs: int, logs: LogOptions
) -> Generator[Chunk]:
    if jobs == 1:
        yield from map(partial(_play_chunk, work), numbers)
        return
    from deskroom.cli.pool import in_processes

    ready = partial(configure_logs, logs.format or "", logs.level or "")
    yield from in_processes(partial(_play_chunk, work), numbers, jobs=jobs, set_up=ready)


def _play_chunk(work: _Work, numbers: range) -> Chunk:
    scenario = _parsed(work.text, work.path)
    # What a run makes goes with it; to look through it again and again takes a fifth of the time.
    gc.disable()
    try:
        return explore_chunk(
            scenario, work.bounds, numbers, deep_every=work.deep_every, stops=work.stops
        )
    finally:
        gc.enable()


@lru_cache(maxsize=1)
def _parsed(text: str, path: str) -> Scenario:
    """Return the scenario of a text; a process plays many pieces of one."""
    return parse_explorable(text, path)


# --- what failed -------------------------------------------------------------------------------


def _remembered(
    scenario: Scenario, bounds: Explore, memory: Memory | None
) -> Iterator[FoundFailure]:
    """Yield the failures of earlier calls that still fail; the others are forgotten."""
    if memory is None:
        return
    known: list[tuple[str, str]] = []
    for choices in list(memory.choices()):
        played = play_again(scenario, bounds, choices)
        if not played.failures:
            memory.forget(choices)
        for fault in played.failures:
            if (fault.kind, fault.name) in known:
                continue
            known.append((fault.kind, fault.name))
            yield FoundFailure(
                kind=fault.kind, name=fault.name, problem=fault.problem, number=-1, choices=choices
            )


def _report(
    scenario: Scenario,
    work: _Work,
    exploration: Exploration,
    remembered: Iterable[FoundFailure],
    memory: Memory | None,
    folder: str,
) -> Report:
    explorer = Explorer(scenario, work.bounds)
    failures = {one.key: one for one in chain(exploration.failures, remembered)}
    return Report(
        path=work.path,
        seed=work.bounds.seed or 0,
        exploration=exploration,
        failures=[_write(scenario, work, one, memory, folder) for one in failures.values()],
        impossible=impossible(explorer.setup, explorer.bounds),
        limits=limits_never_met(evolve(explorer.setup, policy=scenario.policy), exploration.counts),
    )


def _write(
    scenario: Scenario, work: _Work, found: FoundFailure, memory: Memory | None, folder: str
) -> WrittenFailure:
    """Make a failure plain, remember it, and write it as a scenario."""
    before = play_again(scenario, work.bounds, found.choices)
    plain = shrunk(scenario, work.bounds, found)
    if memory is not None:
        memory.keep(plain.choices)
    path = str(PurePath(folder) / _file_name(work.path, found, work.bounds.seed or 0))
    result = written(plain, found, explored=work.path, seed=work.bounds.seed or 0, path=path)
    if result is not None:
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(folder, f"the folder cannot be made: {error.strerror}") from None
        write_file(path, result.text)
    return WrittenFailure(
        found=found,
        path=None if result is None else path,
        replay=None if result is None else result.replay,
        turns=(before.run.granted, plain.run.granted),
        is_shrunk=can_shrink(),
        is_remembered=found.number < 0,
    )


def _file_name(path: str, found: FoundFailure, seed: int) -> str:
    """Return what a failure's file is called: what was explored, what failed, and in which run."""
    name = "stdin" if path == STDIN else PurePath(path).name
    stem = name.removesuffix(".toml").removesuffix(".scenario")
    slug = _NO_SLUG.sub("-", found.name.lower()).strip("-")[:_LONGEST_SLUG] or found.kind
    run = "remembered" if found.number < 0 else f"{seed}-{found.number}"
    return f"{stem or 'desk'}-{slug}-{run}.scenario.toml"
