"""Whoever plays the runs of a sweep, its results are the same bytes."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from deskroom.cli.main import _run
from deskroom.cli.pool import process_pool
from deskroom.errors import DeskroomError
from deskroom.sweep import Grid, ResultsFile, SweptFile, parse_axis
from deskroom.sweep.grid import Work
from deskroom.sweep.run import Played, play_works

Swept = Callable[..., bytes]


@pytest.fixture
def module(folder: Path) -> Path:
    """Return a module of the folder's own with factories of executors, right and wrong ones."""
    path = folder / "own_executors.py"
    path.write_text(
        "from concurrent.futures import ThreadPoolExecutor\n"
        "def threads():\n    return ThreadPoolExecutor(3)\n"
        "def broken():\n    raise OSError('no cluster')\n"
        "def wrong():\n    return 7\n"
        "nothing = 7\n",
        encoding="utf-8",
    )
    return path


@pytest.mark.slow
def test_processes_threads_and_one_process_write_the_same_bytes(swept: Swept, module: Path) -> None:
    """One line a run, in the order of the grid."""
    alone = swept("alone.jsonl", "-j", "1")
    assert alone == swept("two.jsonl", "-j", "2")
    assert alone == swept("threads.jsonl", "--executor", "own_executors:threads")
    runs = [json.loads(line) for line in alone.splitlines()]
    points = [(every, hops, seed) for every in (0, 3) for hops in (2, 3, 4) for seed in range(20)]
    assert points == [(*run["settings"].values(), run["seed"]) for run in runs]


@pytest.mark.parametrize(
    "name, problem",
    [
        ("own_executors:broken", "--executor own_executors:broken: OSError: no cluster"),
        (
            "own_executors:wrong",
            "--executor own_executors:wrong: found int, expected an Executor of concurrent.futures",
        ),
        (
            "own_executors:nothing",
            "--executor own_executors:nothing: this is no function that makes an executor",
        ),
        ("own_executors:thread", "'own_executors' has no 'thread'; did you mean 'threads'?"),
        ("own_executors", "'own_executors' names no function; write package.module:function"),
    ],
)
def test_what_makes_no_executor_is_one_sentence(
    module: Path, capsys: pytest.CaptureFixture[str], name: str, problem: str
) -> None:
    """Nothing is played, and no file is left."""
    assert 2 == _run(["sweep", "routed.toml", "-o", "x.jsonl", "--executor", name])
    assert ("", f"deskroom: {problem}\n") == capsys.readouterr()
    assert not Path("x.jsonl").exists()


class Failing(ThreadPoolExecutor):
    """An executor that plays a few batches, and then no more."""

    left = 2

    def submit(self, *arguments: Any, **more: Any) -> Any:
        """Play one, or raise what an executor raises whose workers are gone."""
        if not self.left:
            return super().submit(_fail)
        self.left -= 1
        return super().submit(*arguments, **more)


def _fail() -> None:
    raise ConnectionError("the worker\nis gone")


def test_what_is_done_stays_when_an_executor_fails(
    swept: Swept, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same command plays the others."""
    alone = swept("alone.jsonl", "-j", "1")
    works = _works()
    with ResultsFile.open("x.jsonl") as results, Failing(1) as executor:
        played = play_works(works, executor, 1)
        with pytest.raises(DeskroomError) as raised:
            _add_all(played, results)
    assert (
        "a worker failed (it needs deskroom 0.1.0, as here): ConnectionError: the worker is gone"
        == str(raised.value)
    )
    # A batch has 16 runs.
    kept = len(results.kept)
    assert kept in {16, 32}
    capsys.readouterr()
    assert alone == swept("x.jsonl", "-j", "1")
    told = f"{kept} were there, {120 - kept} played now"
    assert f"x.jsonl: 120 runs of 1 file under 6 policies; {told}\n" == capsys.readouterr().out


def _works() -> list[Work]:
    axes = tuple(parse_axis(text) for text in GRID_SETTINGS)
    file = SweptFile.read("explored.toml", "explored.toml", range(20))
    return list(Grid(files=(file,), axes=axes))


GRID_SETTINGS = ("policy.chair.every=0,3", "policy.dispatch.max_hops=2..4")


@pytest.mark.slow
def test_a_process_that_dies_ends_the_sweep_with_a_sentence(folder: Path) -> None:
    """Whatever killed it: what it had was not played."""
    with process_pool(2, _no_set_up) as pool:
        os.kill(pool.submit(os.getpid).result(), signal.SIGKILL)
        with pytest.raises(DeskroomError) as raised:
            list(play_works(_works(), pool, 2))
    assert "a process that played runs has died" == str(raised.value)


def _add_all(played: Iterable[Played], results: ResultsFile) -> None:
    for run in played:
        results.add(run.work.key, run.work.order, run.outcome[1])


def _no_set_up() -> None:
    pass


# --- Dask --------------------------------------------------------------------------------------


@pytest.fixture
def cluster() -> Iterator[Any]:
    """Return a cluster of Dask with two worker processes on this machine."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        processes=True, n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as cluster:
        yield cluster


@pytest.mark.slow
def test_every_run_is_there_once_though_a_worker_of_dask_is_killed(
    swept: Swept, cluster: Any
) -> None:
    """Dask gives what the worker had to another one; the results are those of one process."""
    alone = swept("alone.jsonl", "-j", "1", seeds=100)
    first, _ = (worker.process.pid for worker in cluster.workers.values())
    killed: list[int] = []

    def kill() -> None:
        while not killed:
            done = _count("dask.jsonl")
            if done >= 100:
                os.kill(first, signal.SIGKILL)
                killed.append(done)
            Event().wait(0.005)

    killer = Thread(target=kill)
    killer.start()
    dask = swept("dask.jsonl", "--dask", cluster.scheduler_address, seeds=100)
    killer.join()
    assert killed[0] < 600
    assert alone == dask


def _count(name: str) -> int:
    try:
        return Path(name).read_bytes().count(b"\n")
    except FileNotFoundError:
        return 0


def test_a_scheduler_that_is_not_there_is_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And so is what is no address."""
    pytest.importorskip("distributed")
    assert 2 == _run(["sweep", "routed.toml", "-o", "x.jsonl", "--dask", "here"])
    problem = "found 'here', expected an address such as tcp://127.0.0.1:8786 (missing port number in address 'here')"
    assert ("", f"deskroom: --dask: {problem}\n") == capsys.readouterr()
    assert not Path("x.jsonl").exists()
