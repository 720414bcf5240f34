"""Doing things in several processes, with the results in the order of what was asked."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from threading import Event, Thread
from typing import Any, Final, TypeVar

from deskroom.errors import DeskroomError

__all__ = ["in_processes", "process_pool"]

T = TypeVar("T")
R = TypeVar("R")

#: A fork needs no second import; elsewhere than on Linux it is not safe.
_METHOD: Final = "fork" if sys.platform == "linux" else "spawn"
#: So many things are asked for ahead of the one whose result is waited for, for each process.
_AHEAD: Final = 4
#: How often a process looks whether the command is still there.
_LOOK_S: Final = 0.5


def in_processes(
    function: Callable[[T], R],
    items: Iterable[T],
    *,
    jobs: int,
    set_up: Callable[[], None],
) -> Generator[R]:
    """Yield what a function returns for each item, in order. ``set_up`` is called in each process.

    Items may be made as they are needed. Raises ``DeskroomError`` when a process dies, or says why
    it cannot do its work.
    """
    waiting: deque[Future[R]] = deque()
    try:
        with process_pool(jobs, set_up) as pool:
            for item in items:
                waiting.append(pool.submit(partial(_do, function), item))
                if len(waiting) >= jobs * _AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
    except BrokenProcessPool:
        raise DeskroomError("a process that played scenarios has died") from None


@contextmanager
def process_pool(jobs: int, set_up: Callable[[], None]) -> Iterator[ProcessPoolExecutor]:
    """Provide processes, in each of which ``set_up`` is called once.

    They end with the command, whatever ends it; after an error nobody waits for what they do.
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


def _do(function: Callable[[Any], R], item: object) -> R:
    try:
        return function(item)
    except DeskroomError as error:
        # Only its sentence is sure to survive the way to the other process.
        raise DeskroomError(str(error)) from None
