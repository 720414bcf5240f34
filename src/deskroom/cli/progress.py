"""How far a long command has come: a bar on stderr, and only where that is a terminal."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, TypeVar

from deskroom.errors import FileError
from deskroom.files import can_read_again, open_file

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer
    from rich.progress import Progress

__all__ = ["Opener", "exploring", "reading", "with_progress"]

T = TypeVar("T")

#: Opens a file whose bytes are counted; None where they are not, or where it cannot be opened.
Opener = Callable[[str], IO[bytes] | None]

#: So few things are done, and so few bytes read, before anybody wonders.
_MANY: Final = 20
_MANY_BYTES: Final = 4 * 1024 * 1024
_BLOCK: Final = 256 * 1024


def with_progress(
    items: Iterable[T], total: int, doing: str, *, before: int = 0, time_left: bool = False
) -> Iterator[T]:
    """Yield things of which there are ``total``, and show how many of them are done.

    ``before`` were done already; what is yielded are the others. How much ``time_left`` there is can
    be shown as well.
    """
    if total - before <= _MANY or not sys.stderr.isatty():
        yield from items
        return
    with _bar(doing, of_bytes=False, time_left=time_left) as progress:
        yield from progress.track(items, total=total, completed=before)


@contextmanager
def exploring(
    total: int | None, seconds: float | None
) -> Iterator[Callable[[int, int, float, int], None]]:
    """Show how many runs were explored, and how many a second; of them ``total``, or for so long.

    What is yielded takes the runs and turns so far, the seconds they took, and what failed in them.
    """
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    with _bar("exploring", of_bytes=False, says=True) as progress:
        task = progress.add_task("exploring", total=total or seconds, said="")

        def show(runs: int, turns: int, now: float, failures: int) -> None:
            rate = runs / now if now else 0
            said = f"{rate:,.0f} runs a second, {turns:,} turns, {failures} failing"
            done = runs if total is not None else min(now, seconds or now)
            progress.update(task, completed=done, said=said)

        yield show


@contextmanager
def reading(paths: Sequence[str], doing: str, *, shown: bool = True) -> Iterator[Opener]:
    """Show how much has been read of files that are opened by the function that this yields.

    Nothing is shown of what comes through a pipe, whose length is not known.
    """
    total = sum(_size(path) for path in paths)
    if not shown or total < _MANY_BYTES or not sys.stderr.isatty():
        yield lambda _: None
        return
    with _bar(doing, of_bytes=True) as progress:
        task = progress.add_task(doing, total=total)
        yield lambda path: _counted(path, lambda count: progress.update(task, advance=count))


def _bar(doing: str, *, of_bytes: bool, says: bool = False, time_left: bool = False) -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    done = DownloadColumn() if of_bytes else MofNCompleteColumn()
    said = (TextColumn("{task.fields[said]}"),) if says else ()
    left = (TimeRemainingColumn(),) if time_left else ()
    columns = (TextColumn(doing), BarColumn(), done, *said, *left)
    # On one terminal with it, what is printed stands above the bar; else it goes where it went.
    return Progress(
        *columns,
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=sys.stdout.isatty(),
    )


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size if can_read_again(path) else 0
    except (OSError, ValueError):
        return 0


def _counted(path: str, count: Callable[[int], None]) -> IO[bytes] | None:
    if not can_read_again(path):
        return None
    try:
        file = open_file(path)
    except FileError:
        return None  # whoever reads it says why
    return io.BufferedReader(_Counted(file, count), _BLOCK)


class _Counted(io.RawIOBase):
    """A file that says how many bytes were read."""

    def __init__(self, file: IO[bytes], count: Callable[[int], None]) -> None:
        self._file = file
        self._count = count

    def readable(self) -> bool:
        """It is for reading."""
        return True

    def seekable(self) -> bool:
        """It is on a disk."""
        return True

    def seek(self, place: int, whence: int = 0, /) -> int:
        """Go to a place."""
        return self._file.seek(place, whence)

    def tell(self) -> int:
        """Return where it is."""
        return self._file.tell()

    def readinto(self, block: WriteableBuffer, /) -> int:
        """Read bytes, and count them."""
        room = memoryview(block)
        data = self._file.read(room.nbytes)
        room[: len(data)] = data
        self._count(len(data))
        return len(data)

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()
