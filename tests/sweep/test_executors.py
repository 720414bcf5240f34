"""Whoever plays the runs of a sweep, its results are the same bytes."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from tests.sweep.conftest import GRID

from deskroom.cli.main import _run
from deskroom.cli.pool import process_pool
from deskroom.errors import DeskroomError
from deskroom.sweep import Grid, SweptFile
from deskroom.sweep.grid import Work
from deskroom.sweep.run import play_works

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
        "nothing = 7\n"
        "class Failing(ThreadPoolExecutor):\n"
        "    left = 2\n"
        "    def submit(self, *arguments):\n"
        "        self.left -= 1\n"
        "        return super().submit(*(arguments if self.left >= 0 else (broken,)))\n"
        "def failing():\n    return Failing(1)\n",
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


def test_what_is_done_stays_when_an_executor_fails(
    swept: Swept, module: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same command plays the others."""
    alone = swept("alone.jsonl", "-j", "1")
    capsys.readouterr()
    command = [*GRID, "--seeds", "20", "-o", "x.jsonl", "--executor", "own_executors:failing"]
    assert 2 == _run(["sweep", *command])
    kept = _count("x.jsonl")
    assert 0 < kept < 120
    problem = "a worker failed (it needs deskroom 0.1.0, as here): OSError: no cluster"
    told = f"{kept} of 120 runs are in x.jsonl, and the same command plays the others"
    assert ("", f"deskroom: {problem}; {told}\n") == capsys.readouterr()
    assert alone == swept("x.jsonl", "-j", "1")
    told = f"{kept} were there, {120 - kept} played now"
    assert f"x.jsonl: 120 runs of 1 file under 6 policies; {told}\n" == capsys.readouterr().out


@pytest.mark.slow
def test_a_process_that_dies_ends_the_sweep_with_a_sentence(folder: Path) -> None:
    """Whatever killed it: what it had was not played."""
    with process_pool(2, _no_set_up) as pool:
        os.kill(pool.submit(os.getpid).result(), signal.SIGKILL)
        with pytest.raises(DeskroomError) as raised:
            list(play_works(_works(), pool, 2))
    assert "a process that played runs has died" == str(raised.value)


def _works() -> list[Work]:
    file = SweptFile.read("explored.toml", "explored.toml", range(20))
    return list(Grid(files=(file,)))


def _no_set_up() -> None:
    pass


# --- Dask --------------------------------------------------------------------------------------


@pytest.fixture
def cluster() -> Iterator[Any]:
    """Return a cluster of Dask with two worker processes on this machine."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        processes=True, n_workers=2, threads_per_worker=1, dashboard_address=":0"
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
