"""Playing what is left of a sweep, on any executor."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from itertools import groupby, islice
from typing import Any, Final, NamedTuple

from deskroom._version import __version__
from deskroom.errors import DeskroomError, FileError
from deskroom.sweep.grid import Grid, Work
from deskroom.sweep.play import Outcome, play_runs
from deskroom.sweep.results import Kept, ResultsFile

__all__ = ["Played", "left_of", "play_works"]

#: So many runs at most go to a worker at once: enough that sending them costs next to nothing.
_MOST_A_BATCH: Final = 16
#: So many batches a worker has at least, so that none is long without work at the end.
_BATCHES_A_WORKER: Final = 4
#: So many batches are handed over before one is back, and so many bytes of files with them.
_MOST_BATCHES: Final = 256
_MOST_BYTES: Final = 64 * 1024 * 1024

Batch = tuple[Work, ...]


class Played(NamedTuple):
    """A run that ended, and what came of it."""

    work: Work
    outcome: Outcome


# --- what is left ------------------------------------------------------------------------------


def left_of(grid: Grid, results: ResultsFile, *, append: bool = False) -> list[Work]:
    """Return the runs of a grid whose results are not in a file, in the order of the grid.

    Raises ``FileError`` where the file has a result of the same run from another text, or of another
    version of deskroom; and, unless the file is appended to, where it has one that is not of the grid.
    """
    strange = dict(results.kept)
    left = [work for work in grid if strange.pop(work.key, None) is None]
    if strange:
        _check_strange(grid, results.path, strange.values(), append=append)
    return left


def _check_strange(grid: Grid, path: str, strange: Iterable[Kept], *, append: bool) -> None:
    of_grid = {work.order for work in grid}
    for kept in strange:
        file, settings, seed = kept.order
        run = f"a run of {file}"
        if kept.order in of_grid:
            problem = (
                f"{run} is here from before {file} or deskroom changed; sweep into another file"
            )
            raise FileError(path, problem, line=kept.number, kind="stale")
        if not append:
            keys = ", ".join(key for key, *_ in settings)
            run += f" with {keys}" if keys else ""
            run += "" if seed < 0 else f" and seed {seed}" if keys else f" with seed {seed}"
            problem = (
                f"{run} is no part of this sweep; name another file, or keep both with --append"
            )
            raise FileError(path, problem, line=kept.number, kind="another_sweep")


# --- playing -----------------------------------------------------------------------------------


def play_works(works: Sequence[Work], executor: Executor | None, workers: int) -> Generator[Played]:
    """Yield each run as it ends. Without an executor they are played here, one after the other.

    Raises ``DeskroomError`` when the executor can go no further.
    """
    if executor is None:
        for work in works:
            yield Played(work, *play_runs(*_payload((work,))))
        return
    batches = _batches(works, workers)
    longest = max((len(work.file.text) for work in works), default=1)
    most = max(2, min(_MOST_BATCHES, _MOST_BYTES // max(1, longest)))
    try:
        pending = {executor.submit(play_runs, *_payload(b)): b for b in islice(batches, most)}
        while pending:
            # What was played is kept, also where the executor fails just then.
            for future in sorted(wait(pending, return_when=FIRST_COMPLETED).done, key=_has_failed):
                batch = pending.pop(future)
                outcomes = future.result()
                for following in islice(batches, 1):
                    pending[executor.submit(play_runs, *_payload(following))] = following
                yield from map(Played, batch, outcomes)
    except DeskroomError:
        raise
    except BrokenExecutor:
        raise DeskroomError("a process that played runs has died") from None
    except CancelledError:
        raise DeskroomError("the executor has given up runs that were not played") from None
    except Exception as error:
        # Of the executor's, or of a worker's: where the command plays by itself, it is raised as it is.
        said = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise DeskroomError(
            f"a worker failed (it needs deskroom {__version__}, as here): {said}"
        ) from error


def _has_failed(future: Future[Any]) -> bool:
    return future.cancelled() or future.exception() is not None


def _batches(works: Sequence[Work], workers: int) -> Iterator[Batch]:
    """Yield runs of one file together, a few at a time."""
    size = len(works) // (workers * _BATCHES_A_WORKER)
    size = max(1, min(_MOST_A_BATCH, size))
    for _, of_file in groupby(works, key=lambda work: work.file.path):
        while batch := tuple(islice(of_file, size)):
            yield batch


def _payload(batch: Batch) -> tuple[str, str, str, list[tuple[str, tuple[str, ...], int | None]]]:
    """Return what a worker needs, as plain values."""
    file = batch[0].file
    runs = [(work.key, work.point.texts, work.seed) for work in batch]
    return __version__, file.path, file.text, runs
