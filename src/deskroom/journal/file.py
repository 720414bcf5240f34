"""The journal file: append-only, one writer, and durable as far as its user asked for.

``sync`` says what a crash can cost:

* ``row``: every line reaches the operating system at once, and the disk before anything is done
  about a row, an end or a routing. A kill loses nothing; a power cut loses the open turn's calls.
* ``close``: lines are gathered in memory and reach the disk when the journal is closed. A kill
  loses what was gathered, up to 64 KiB.
* ``never``: as ``close``, and whether the disk has it is the operating system's business.

Lines that are lost are always the last ones, so what is left resumes.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from fcntl import F_GETFL, F_SETFL, fcntl
from functools import partial
from io import FileIO
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from types import TracebackType
from typing import Final, Literal, Self
from weakref import WeakSet

from filelock import lock_descriptor, unlock_descriptor

from deskroom.engine.entries import CloseEntry, EndEntry, Entry, HeaderEntry, RoutedEntry, RowEntry
from deskroom.files import reason_of
from deskroom.journal.chain import FIRST, seal
from deskroom.journal.reader import MAX_LINE_BYTES, JournalError, JournalReader
from deskroom.wire import entry_out

__all__ = ["JournalFile", "Sync"]

Sync = Literal["row", "close", "never"]

_GATHERED: Final = 64 * 1024
_SETTLES: Final = (HeaderEntry, RowEntry, EndEntry, RoutedEntry, CloseEntry)


#: Opens a file for its owner only. It is one call into C, so that no interrupt can come between the
#: opening and the file object that closes it.
_OPEN_PRIVATE: Final = partial(os.open, mode=0o600)
#: The journals that are open in this process.
_OPEN: Final[WeakSet[JournalFile]] = WeakSet()


def _no_time() -> float:
    return 0.0


class JournalFile:
    """A journal that is open for writing. Make one with ``create`` or ``resume``.

    The file itself is locked until it is closed, so a process that died blocks nobody. A process
    that is forked meanwhile holds no lock and cannot write. Use it as a context manager.

    ``timer`` gives seconds from whatever start; with one, ``sync_s`` says how long the disk took.
    """

    def __init__(
        self, path: str, file: FileIO, sync: Sync, timer: Callable[[], float] = _no_time
    ) -> None:
        self.path = path
        #: What was in the file when it was opened.
        self.entries: list[Entry] = []
        #: The number of a torn last line that was cut off, or None.
        self.cut: int | None = None
        #: How many seconds were spent on making the file durable.
        self.sync_s = 0.0
        self._file: FileIO | None = file
        self._place = os.path.abspath(path)  # noqa: PTH100 - a link stays one
        self._sync = sync
        self._timer = timer
        self._digest = FIRST
        self._size = 0
        self._header_bytes = 0
        self._torn_at: int | None = None
        self._gathered = bytearray()
        self._broken = False
        self._is_new = False
        _OPEN.add(self)

    @classmethod
    def create(
        cls, path: str | Path, *, sync: Sync = "row", timer: Callable[[], float] = _no_time
    ) -> Self:
        """Begin a new journal, which only its owner may read: it holds every private message.

        An empty file counts as none: whoever made it died before its first line. A file that was
        made here, and in which no line was written, is taken away again when it is closed. Raises
        ``JournalError`` if there is a journal already (its rows are not to be lost) or if none can
        be made.
        """
        shown = str(path)
        _refuse_what_is_no_file(path)
        try:
            is_new = not os.path.lexists(path)
            file = FileIO(path, "ab", opener=_OPEN_PRIVATE)
        except (OSError, ValueError) as error:
            raise JournalError(shown, f"the journal cannot be made: {reason_of(error)}") from None
        try:
            _lock(shown, file.fileno())
            _refuse_what_is_written(shown, file.fileno())
            if sync != "never":
                _sync_folder(Path(path).parent)
            journal = cls(shown, file, sync, timer)
        except BaseException:
            file.close()
            raise
        journal._is_new = is_new
        return journal

    @classmethod
    def resume(
        cls, path: str | Path, *, sync: Sync = "row", timer: Callable[[], float] = _no_time
    ) -> Self:
        """Open a journal to go on with it; its entries are in ``entries``.

        A last line that a crash cut short is cut off with the first write, and ``cut`` holds its
        number; of a journal that was just begun that may be all there is. Raises ``JournalError``
        for any other bad line, and then nothing is written; and when another process writes to it.
        """
        shown = str(path)
        _refuse_what_is_no_file(path)
        try:
            file = FileIO(path, "r+b")
        except FileNotFoundError:
            raise JournalError(shown, "there is no journal to resume") from None
        except (OSError, ValueError) as error:
            raise JournalError(
                shown, f"the journal cannot be written: {reason_of(error)}"
            ) from None
        try:
            _lock(shown, file.fileno())
            journal = cls(shown, file, sync, timer)
            journal._read_back()
            # Whatever somebody else does to the file, what is written goes to its end.
            fcntl(file, F_SETFL, fcntl(file, F_GETFL) | os.O_APPEND)
        except BaseException:
            file.close()
            raise
        return journal

    def _read_back(self) -> None:
        with JournalReader(self.path) as reader:
            for line in reader.lines():
                self.entries.append(line.entry)
                self._digest, self._size = line.digest, line.end
            if reader.is_torn:
                self.cut, self._torn_at = len(self.entries) + 1, self._size

    def write(self, entry: Entry) -> None:
        """Append one entry, durable as far as ``sync`` says.

        Raises ``JournalError`` when it cannot be kept. What was kept before stays and resumes; the
        journal takes no more.
        """
        file = self._checked(entry)
        line, digest = seal(entry_out(entry), self._digest)
        if len(line) > MAX_LINE_BYTES:
            problem = f"an entry is larger than {MAX_LINE_BYTES >> 20} MiB, and no line can hold it"
            raise JournalError(self.path, problem)
        self._digest = digest
        self._header_bytes = self._header_bytes or len(line)
        self._gathered += line
        try:
            if self._sync == "row":
                self._flush(file)
                if isinstance(entry, _SETTLES):
                    self._make_durable(file)
            elif len(self._gathered) >= _GATHERED:
                self._flush(file)
                self._check_unchanged(file)
        except OSError as error:
            raise self._failure(error) from error

    def _checked(self, entry: Entry) -> FileIO:
        """Return the open file; refuse what would leave one that nobody can read."""
        if self._file is None:
            raise JournalError(self.path, "the journal is closed")
        if self._broken:
            raise JournalError(self.path, "the journal has failed and takes no more entries")
        if isinstance(entry, HeaderEntry) != (self._digest == FIRST):
            problem = (
                "the journal begins with another header: give its entries to the room as resume"
                if isinstance(entry, HeaderEntry)
                else "the journal is new, and begins with a header: the room resumes another's entries"
            )
            raise JournalError(self.path, problem)
        return self._file

    def _flush(self, file: FileIO) -> None:
        """Write what was gathered.

        An interrupt may come between the write and the note of it. So the journal counts as broken
        until both are done: what is in the file then is whole, or torn, and nothing is in it twice.
        """
        if not self._gathered:
            return
        self._broken = True
        if self._torn_at is not None:
            file.truncate(self._torn_at)
            self._torn_at = None
        while self._gathered:
            written = os.write(file.fileno(), self._gathered)
            self._size += written
            del self._gathered[:written]
        self._broken = False

    def _make_durable(self, file: FileIO) -> None:
        before = self._timer()
        os.fsync(file.fileno())
        self.sync_s += self._timer() - before
        self._check_unchanged(file)

    def _check_unchanged(self, file: FileIO) -> None:
        """Raise ``JournalError`` unless the file still has its name, and holds what was written.

        What was changed in place, at the same length, is found by whoever reads it.
        """
        size = os.fstat(file.fileno()).st_size
        if not _is_there(self._place, file.fileno()):
            problem = "the journal was removed, or replaced by another file, while it was written"
        elif self._torn_at is None and size != self._size:
            done = "cut short" if size < self._size else "written to by somebody else"
            problem = (
                f"the journal was {done} while it was open: it has {size} bytes, not {self._size}"
            )
        else:
            return
        self._broken = True
        raise JournalError(self.path, problem)

    def _failure(self, error: OSError) -> JournalError:
        self._broken = True
        return JournalError(self.path, f"the journal cannot be written: {reason_of(error)}")

    def close(self) -> None:
        """Write what was gathered, make it durable unless ``sync`` is ``never``, and unlock.

        Raises ``JournalError`` when that fails, and when the file is not what was written.
        """
        file, self._file = self._file, None
        if file is None:
            return
        try:
            if not self._broken and (self._size or self._gathered):
                self._finish(file)
        except OSError as error:
            raise self._failure(error) from error
        finally:
            self._take_away_if_empty(file)
            # A child that was forked just now may not have let go of the file yet.
            unlock_descriptor(file.fileno())
            file.close()

    def _finish(self, file: FileIO) -> None:
        self._flush(file)
        if self._sync == "never":
            self._check_unchanged(file)
        else:
            self._make_durable(file)

    def _take_away_if_empty(self, file: FileIO) -> None:
        """Remove a file that was made here if not even its first line is whole."""
        has_line = os.fstat(file.fileno()).st_size >= max(self._header_bytes, 1)
        if self._is_new and not has_line and _is_there(self._place, file.fileno()):
            with suppress(OSError):
                Path(self._place).unlink()

    def _leave_to_parent(self) -> None:
        """Let go of the file in a process that was forked: what is to be written, its parent writes."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _refuse_what_is_no_file(path: str | Path) -> None:
    """Refuse a pipe, on which opening would wait for a reader, and a device, which keeps nothing."""
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):
        return  # opening it says why
    if not (S_ISREG(mode) or S_ISDIR(mode)):
        raise JournalError(str(path), "this is a pipe or a device, and a journal needs a file")


def _refuse_what_is_written(path: str, fd: int) -> None:
    if os.fstat(fd).st_size:
        raise JournalError(path, "there is such a journal: resume it, or name another file")


def _leave_all_to_parent() -> None:
    for journal in list(_OPEN):
        journal._leave_to_parent()  # noqa: SLF001 - of this file


os.register_at_fork(after_in_child=_leave_all_to_parent)


def _lock(path: str, fd: int) -> None:
    """Lock the journal itself: no other file has to be cleaned up, by anybody."""
    try:
        locked = lock_descriptor(fd, blocking=False)
    except OSError as error:
        raise JournalError(path, f"the journal cannot be locked: {reason_of(error)}") from None
    # The writer before may have taken its empty journal away just when we opened it.
    if not (locked and _is_there(path, fd)):
        raise JournalError(path, "another writer has this journal open")


def _is_there(path: str, fd: int) -> bool:
    """Whether an open file is still the one of this name."""
    try:
        return os.path.samestat(Path(path).stat(), os.fstat(fd))
    except OSError:
        return False


def _sync_folder(folder: Path) -> None:
    """Make the name of a new file as durable as what will be in it."""
    with suppress(OSError):  # not every system lets a folder be opened
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
