"""The file of a sweep's results: a line a run, appended as the runs end, and in order once all have.

Only the command that sweeps writes it, and each line at once: whatever ends the command, the lines
before are whole. A last line that was cut short is cut off when the sweep is resumed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from io import FileIO
from itertools import pairwise
from pathlib import Path
from stat import S_ISREG
from types import TracebackType
from typing import Final, NamedTuple, Self
from weakref import WeakSet

from filelock import lock_descriptor, unlock_descriptor

from deskroom.errors import FileError, WireError
from deskroom.files import check_output, open_file, read_lines, reason_of, write_file
from deskroom.sweep.lines import Order, ResultLine, line_in

__all__ = ["Kept", "ResultsFile", "read_results"]

#: No line that a sweep writes is longer.
_MAX_LINE_BYTES: Final = 64 * 1024 * 1024
#: A new file is for its owner only: figures quote what was said more than once.
_OPEN_PRIVATE: Final = partial(os.open, mode=0o600)
#: The files that are open in this process.
_OPEN: Final[WeakSet[ResultsFile]] = WeakSet()


class Kept(NamedTuple):
    """A line that is in the file: what it is of, and where it stands."""

    key: str
    order: Order
    number: int
    start: int
    end: int
    breaks_invariant: bool


def read_results(path: str) -> Iterator[tuple[int, ResultLine | None]]:
    """Yield each line of a results file with its number; None for a last one that was cut short.

    Raises ``FileError`` for any other line that no sweep writes.
    """
    for number, line, _ in _lines(path):
        yield number, line


def _lines(path: str) -> Iterator[tuple[int, ResultLine | None, bytes]]:
    """Yield each line with its number and its bytes."""
    with open_file(path, "results file") as file:
        for number, text in enumerate(read_lines(file, path, _MAX_LINE_BYTES), start=1):
            try:
                line = line_in(text.rstrip(b"\n"))
            except WireError as error:
                if not text.endswith(b"\n"):
                    yield number, None, text
                    return
                problem = f"this is not a result of a sweep: {error}"
                raise FileError(path, problem, line=number, kind="no_result") from None
            yield number, line, text


class ResultsFile:
    """A results file that is open for writing, and locked until it is closed.

    ``kept`` has its lines by their key, ``cut`` the number of a last line that was cut off.
    """

    def __init__(self, path: str, file: FileIO, *, is_new: bool) -> None:
        self.path = path
        self.kept: dict[str, Kept] = {}
        self.cut: int | None = None
        self._file: FileIO | None = file
        self._size = 0
        self._is_new = is_new
        _OPEN.add(self)

    @classmethod
    def open(cls, path: str) -> Self:
        """Open a results file, or make one.

        Raises ``FileError`` for one that no sweep wrote, that another sweep has open, or that cannot
        be written.
        """
        check_output(path, force=True)
        _refuse_what_is_no_file(path)
        is_new = not os.path.lexists(path)
        try:
            file = FileIO(path, "a+b", opener=_OPEN_PRIVATE)
        except (OSError, ValueError) as error:
            raise FileError(path, f"the file cannot be written: {reason_of(error)}") from None
        results = cls(path, file, is_new=is_new)
        try:
            results._lock()
            results._read_back()
        except BaseException:
            results.close()
            raise
        return results

    def _lock(self) -> None:
        """Lock the file itself: a sweep that died blocks nobody, and nothing is left to clean up."""
        file = self._opened()
        try:
            locked = lock_descriptor(file.fileno(), blocking=False)
        except OSError as error:
            raise FileError(self.path, f"the file cannot be locked: {reason_of(error)}") from None
        # The sweep before may have put its lines in order just when this one opened the file.
        if not (locked and self._is_there()):
            self._is_new = False
            raise FileError(self.path, "another sweep is writing this file", kind="locked")

    def _read_back(self) -> None:
        whole = True
        for number, line, text in _lines(self.path):
            if line is None:
                self.cut = number
                self._opened().truncate(self._size)
                return
            if line.key in self.kept:
                first = self.kept[line.key].number
                problem = f"the run of line {first} is there twice"
                raise FileError(self.path, problem, line=number, kind="twice")
            self._keep(line.key, line.order, len(text), broken=bool(line.invariants))
            whole = text.endswith(b"\n")
        if not whole:
            self._write(b"\n")
            last = list(self.kept.values())[-1]
            self.kept[last.key] = last._replace(end=last.end + 1)
            self._size += 1

    def _keep(self, key: str, order: Order, length: int, *, broken: bool) -> None:
        start, self._size = self._size, self._size + length
        self.kept[key] = Kept(key, order, len(self.kept) + 1, start, self._size, broken)

    def add(self, key: str, order: Order, text: str, *, broken: bool = False) -> None:
        """Append the line of a run that ended, unless it is there.

        ``order`` is its place, and ``broken`` says that it broke an invariant of the host. Raises
        ``FileError`` when it cannot be written, or the file is not what it was.
        """
        if key in self.kept:
            return
        raw = text.encode()
        self._check_unchanged()
        self._write(raw)
        self._keep(key, order, len(raw), broken=broken)

    def _write(self, raw: bytes) -> None:
        left = memoryview(raw)
        try:
            while left:
                left = left[os.write(self._opened().fileno(), left) :]
        except OSError as error:
            raise FileError(self.path, f"the file cannot be written: {reason_of(error)}") from None

    def _check_unchanged(self) -> None:
        size = os.fstat(self._opened().fileno()).st_size
        if not self._is_there():
            problem = "the file was removed, or replaced by another one, while it was written"
        elif size != self._size:
            problem = (
                f"the file was changed while it was written: it has {size} bytes, not {self._size}"
            )
        else:
            return
        raise FileError(self.path, problem, kind="changed")

    def _is_there(self) -> bool:
        """Whether the open file is still the one of its name."""
        try:
            return os.path.samestat(Path(self.path).stat(), os.fstat(self._opened().fileno()))
        except OSError:
            return False

    def put_in_order(self) -> None:
        """Rewrite the file with its lines in order, whole or not at all. Nothing is added behind."""
        ordered = sorted(self.kept.values(), key=lambda kept: kept.order)
        if all(one.start <= other.start for one, other in pairwise(ordered)):
            return
        self._check_unchanged()
        fd = self._opened().fileno()
        pieces = (os.pread(fd, kept.end - kept.start, kept.start) for kept in ordered)
        write_file(self.path, pieces, is_private=True)

    def close(self) -> None:
        """Make what was written durable, and unlock the file; one without a line is taken away."""
        file, self._file = self._file, None
        if file is None:
            return
        try:
            os.fsync(file.fileno())
        except OSError as error:
            raise FileError(self.path, f"the file cannot be written: {reason_of(error)}") from None
        finally:
            if self._is_new and not self.kept:
                with suppress(OSError):
                    Path(self.path).unlink()
            # A child that was forked just now may not have let go of the file yet.
            unlock_descriptor(file.fileno())
            file.close()

    def _opened(self) -> FileIO:
        assert self._file is not None  # noqa: S101 - nobody asks once it is closed
        return self._file

    def _leave_to_parent(self) -> None:
        """Let go of the file in a process that was forked."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> Self:
        """Return the file."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the file."""
        self.close()


def _refuse_what_is_no_file(path: str) -> None:
    """Refuse a pipe and a device: what is in them cannot be read again."""
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):
        return  # opening it says why
    if not S_ISREG(mode):
        problem = "results are read again when a sweep is resumed, and this is a pipe or a device"
        raise FileError(path, problem, kind="device")


def _leave_all_to_parent() -> None:
    for results in list(_OPEN):
        results._leave_to_parent()  # noqa: SLF001 - of this file


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_all_to_parent)
