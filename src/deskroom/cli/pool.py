"""Several processes, and playing files in them, with the results in the order of the files."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from threading import Event, Thread
from typing import Final

from deskroom.cli.playing import FileResult, Options
from deskroom.errors import DeskroomError

__all__ = ["play_in_processes", "process_pool"]

#: Plays files one after the other.
Player = Callable[[Sequence[str], Options], list[FileResult]]

#: A fork needs no second import; elsewhere than on Linux it is not safe.
_METHOD: Final = "fork" if sys.platform == "linux" else "spawn"
#: Enough that no process is long without work at the end, and few enough to cost nothing.
_CHUNKS_A_PROCESS: Final = 4
#: How often a process looks whether the command is still there.
_LOOK_S: Final = 0.5


def play_in_processes(
    player: Player,
    files: Sequence[str],
    options: Options,
    *,
    jobs: int,
    set_up: Callable[[], None],
) -> Generator[FileResult]:
    """Yield what each file came to, in order. ``set_up`` is called once in each process.

    Raises ``DeskroomError`` when a process dies, or says why it cannot play.
    """
    size = -(-len(files) // (jobs * _CHUNKS_A_PROCESS))
    chunks = [files[at : at + size] for at in range(0, len(files), size)]
    try:
        with process_pool(jobs, set_up) as pool:
            for results in pool.map(partial(_play, player, options), chunks):
                yield from results
    except BrokenProcessPool:
        raise DeskroomError("a process that played scenarios has died") from None


@contextmanager
def process_pool(jobs: int, set_up: Callable[[], None]) -> Iterator[ProcessPoolExecutor]:
    """Provide processes, in each of which ``set_up`` is called once.

    They end with the command, whatever ends it; after an error nobody waits for what they play.
    """
    pool = ProcessPoolExecutor(
        jobs,
        multiprocessing.get_context(_METHOD),
        initializer=_begin,
        initargs=(set_up, os.getpid()),
    )
    try:
        yield pool
    except BaseException:
        for process in multiprocessing.active_children():
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _begin(set_up: Callable[[], None], command: int) -> None:
    """Set a process up. An interrupt is for the command, which then ends this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with, args=(command,), daemon=True).start()
    set_up()


def _end_with(command: int) -> None:
    """End this process once the command has ended, which may have been killed."""
    while os.getppid() == command:
        Event().wait(_LOOK_S)
    os._exit(1)


def _play(player: Player, options: Options, files: Sequence[str]) -> list[FileResult]:
    try:
        return player(files, options)
    except DeskroomError as error:
        # Only its sentence is sure to survive the way to the other process.
        raise DeskroomError(str(error)) from None
