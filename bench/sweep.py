"""``python -m bench.sweep``: what a run of a sweep costs, beside the same run by hand, and who plays it.

A file is played under many policies that change nothing in it, so that every run is the same work. By
hand it is read once, and each run is given the figures, the properties and the digest that a line of a
sweep has, and nothing is kept; or it is only replayed, read each time, as by ``deskroom replay``, or once.
Rounds take turns, and every figure is a ratio within a round.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout
from hashlib import sha256
from io import StringIO
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Final

import click

from bench.run import Spread
from deskroom.cli.main import _run
from deskroom.engine.entries import MemoryJournal
from deskroom.runs.figures import figures_of
from deskroom.runs.properties import property_violations
from deskroom.scenario import load_scenario, replay_scenario
from deskroom.scenario.play.repeat import journal_lines
from deskroom.scenario.play.whatif import parse_setting, with_settings

__all__ = ["main"]

_HEAD: Final = """\
format = 1
title = "Two seats that hand over to each other"
order = "routed"
desk = { id = "d", name = "D", people = [{ id = "sam", label = "Sam" }], seats = [{ id = "a" }, { id = "b" }] }
opening = { by = "sam", message = "@a begin" }
policy = { dispatch = { max_hops = 100 } }
"""
_TURN: Final = """
[[turn]]
seat = "{}"
say = "@{} step {} of the work is done, go on with the next one"
"""


def _axes(runs: int) -> list[list[str]]:
    """Return two keys with values that change nothing, which make so many policies."""
    return [
        [f"policy.window={30 + number}" for number in range(10)],
        [f"policy.max_turns={100 + number}" for number in range(runs // 10)],
    ]


def _text(turns: int) -> str:
    pairs = ("ab", "ba")
    return _HEAD + "".join(_TURN.format(*pairs[at % 2], at) for at in range(turns))


def _timed(what: Callable[[], object]) -> float:
    begun = perf_counter()
    what()
    return perf_counter() - begun


def _replayed(path: str, runs: int) -> None:
    for _ in range(runs):
        replay_scenario(load_scenario(path))


def _replayed_alone(path: str, runs: int) -> None:
    scenario = load_scenario(path)
    for _ in range(runs):
        replay_scenario(scenario)


def _by_hand(path: str, runs: int) -> None:
    scenario = load_scenario(path)
    axes = [list(map(parse_setting, axis)) for axis in _axes(runs)]
    for settings in product(*axes):
        changed = with_settings(scenario, settings)
        replay = replay_scenario(changed, journal=MemoryJournal())
        figures_of(replay.view(lines=False))
        property_violations(scenario.properties, replay.run)
        sha256(b"".join(journal_lines(replay.run.journal))).hexdigest()


def _swept(path: str, runs: int, *options: str) -> None:
    results = Path("results.jsonl")
    results.unlink(missing_ok=True)
    sets = [
        f"--set={axis[0].partition('=')[0]}={','.join(value.partition('=')[2] for value in axis)}"
        for axis in _axes(runs)
    ]
    with redirect_stdout(StringIO()):
        code = _run(["sweep", path, *sets, "-o", str(results), *options])
    if code or len(results.read_bytes().splitlines()) != runs:
        raise RuntimeError(f"the sweep did not play {runs} runs: {code}")


@contextmanager
def _clusters(jobs: int) -> Iterator[tuple[str, ...]]:
    """Provide the addresses of a cluster of one worker process and of one of several, if Dask is there."""
    try:
        from distributed import LocalCluster  # noqa: PLC0415 - an extra
    except ImportError:
        print("distributed: not measured (it is not installed)")
        yield ()
        return
    options: Any = {"threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        LocalCluster(n_workers=1, **options) as one,
        LocalCluster(n_workers=jobs, **options) as many,
    ):
        yield (one.scheduler_address, many.scheduler_address)


@click.command()
@click.option("--runs", default=1_000, show_default=True, help="How many runs a sweep has.")
@click.option("--turns", default=20, show_default=True, help="How many turns a run has.")
@click.option("--rounds", default=5, show_default=True, help="How often each has its turn.")
@click.option("--jobs", default=2, show_default=True, help="How many processes, and Dask workers.")
@click.option("--dask/--no-dask", default=True, help="Also measure a Dask cluster on this machine.")
def main(*, runs: int, turns: int, rounds: int, jobs: int, dask: bool) -> None:
    """Measure a run of a sweep, in times of the same run by hand, and of who else plays it."""
    ratios: dict[str, list[float]] = {}
    with TemporaryDirectory() as folder, _clusters(jobs) if dask else nullcontext(()) as clusters:
        os.chdir(folder)
        path = "file.toml"
        Path(path).write_text(_text(turns), encoding="utf-8")
        ways: dict[str, Callable[[], None]] = {
            "read and replayed": lambda: _replayed(path, runs),
            "replayed": lambda: _replayed_alone(path, runs),
            "by hand": lambda: _by_hand(path, runs),
            "-j 1": lambda: _swept(path, runs, "-j", "1"),
            f"-j {jobs}": lambda: _swept(path, runs, "-j", str(jobs)),
        }
        for name, address in zip(("Dask, 1", f"Dask, {jobs}"), clusters, strict=False):
            ways[name] = lambda address=address: _swept(path, runs, "--dask", address)  # type: ignore[misc]
        for number in range(rounds + 1):
            took = {name: _timed(way) / runs for name, way in ways.items()}
            if not number:
                continue  # it only warms up
            told = (f"{name} {1000 * seconds:.2f}" for name, seconds in took.items())
            print(f"round {number}, in ms a run: {', '.join(told)}")
            beside = ("by hand", "read and replayed", "replayed")
            pairs = [*(("-j 1", other) for other in beside), (f"-j {jobs}", "-j 1")]
            pairs += [("Dask, 1", "-j 1"), (f"Dask, {jobs}", f"-j {jobs}")] if clusters else []
            for one, other in pairs:
                ratios.setdefault(f"{one}, in times of {other}", []).append(took[one] / took[other])
        os.chdir("/")
    for name, found in ratios.items():
        print(f"{name}: {', '.join(Spread.of(found).figures)}")


if __name__ == "__main__":
    main()
