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
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from types import TracebackType
from typing import Final, Literal, Self

from filelock import lock_descriptor

from deskroom.engine.entries import CloseEntry, EndEntry, Entry, HeaderEntry, RoutedEntry, RowEntry
from deskroom.errors import FileError, RoomFailure, WireError
from deskroom.journal.chain import FIRST, checked, seal, unseal
from deskroom.wire import entry_in, entry_out

__all__ = ["JournalError", "JournalFile", "JournalReader", "Line", "Sync", "Torn", "read_journal"]

Sync = Literal["row", "close", "never"]

_GATHERED: Final = 64 * 1024
#: What a journal begins with; a file that does not is another's, however short its last line is.
_BEGINS: Final = b'{"kind":"header",'
#: What the lines begin with that hold no row and say nothing of the room as a whole.
_ROWLESS: Final = tuple(b'{"kind":"%s",' % kind for kind in (b"turn", b"call", b"end", b"routed"))
_SETTLES: Final = (HeaderEntry, RowEntry, EndEntry, RoutedEntry, CloseEntry)


class JournalError(FileError, RoomFailure):
    """A journal cannot be written, read or resumed. ``line`` is the first line at fault."""


class Line:
    """One line of a journal: its number from 1, its entry, and where its bytes end."""

    __slots__ = ("digest", "end", "entry", "number")

    def __init__(self, number: int, entry: Entry, digest: bytes, end: int) -> None:
        self.number = number
        self.entry = entry
        self.digest = digest
        self.end = end


class Torn(JournalError):
    """The last line has no end: a crash cut it short. Resuming cuts it off."""


class JournalReader:
    """Reads a journal from its start, as far as it has been written, as often as it is asked.

    Use it as a context manager. With ``only_rows`` the other lines of turns are checked against the
    chain, and neither decoded nor yielded. Everything raises ``JournalError`` for a line that is wrong.
    """

    def __init__(self, path: str | Path, *, only_rows: bool = False) -> None:
        self.path = str(path)
        self._only_rows = only_rows
        self._digest, self._end, self._lines = FIRST, 0, 0
        #: Whether bytes behind the last whole line have been seen.
        self.is_torn = False
        try:
            self._file = Path(path).open("rb")  # noqa: SIM115 - closed with the reader
        except OSError as error:
            raise JournalError(self.path, f"the journal cannot be read: {error.strerror}") from None

    def lines(self) -> Iterator[Line]:
        """Yield every whole line that has not been read yet."""
        self.is_torn = False
        try:
            self._file.seek(self._end)
            for raw in self._file:
                if not raw.endswith(b"\n"):
                    self._torn(raw)
                    return
                if self._only_rows and self._lines and raw.startswith(_ROWLESS):
                    self._skip(raw)
                else:
                    yield self._line(raw)
        except OSError as error:
            raise JournalError(self.path, f"the journal cannot be read: {error.strerror}") from None

    def _torn(self, raw: bytes) -> None:
        if self._lines == 0 and not (raw.startswith(_BEGINS) or _BEGINS.startswith(raw)):
            raise JournalError(self.path, "line 1 is bad: this is no journal", line=1)
        self.is_torn = True

    def _line(self, raw: bytes) -> Line:
        line = _line(self.path, self._lines + 1, raw, self._digest, self._end)
        self._digest, self._end, self._lines = line.digest, line.end, line.number
        return line

    def _skip(self, raw: bytes) -> None:
        number = self._lines + 1
        try:
            _, self._digest = checked(raw, self._digest)
        except WireError as error:
            problem = f"line {number} is bad: {error}"
            raise JournalError(self.path, problem, line=number) from None
        self._end, self._lines = self._end + len(raw), number

    def end(self) -> None:
        """Raise ``JournalError`` unless the file ends here with a whole line, of which it has one."""
        if self.is_torn:
            raise Torn(self.path, "the last line is cut short", line=self._lines + 1)
        if self._lines == 0:
            raise JournalError(self.path, "the file is empty, so it is no journal")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def read_journal(path: str | Path, *, only_rows: bool = False) -> Iterator[Line]:
    """Yield the lines of a journal, in order, each checked against the chain.

    Raises ``JournalError`` at the first line that is wrong, and ``Torn``, which is one, when that
    is a last line cut short by a crash.
    """
    with JournalReader(path, only_rows=only_rows) as reader:
        yield from reader.lines()
        reader.end()


def _line(path: str, number: int, raw: bytes, before: bytes, end: int) -> Line:
    try:
        value, digest = unseal(raw, before)
        entry = entry_in(value)
    except WireError as error:
        raise JournalError(path, f"line {number} is bad: {error}", line=number) from None
    if isinstance(entry, HeaderEntry) != (number == 1):
        wrong = "a second header" if number > 1 else "no header"
        raise JournalError(path, f"line {number} is bad: it is {wrong}", line=number)
    return Line(number, entry, digest, end + len(raw))


class JournalFile:
    """A journal that is open for writing. Make one with ``create`` or ``resume``.

    The file itself is locked until it is closed, so a process that died blocks nobody. Use it as a
    context manager.
    """

    def __init__(self, path: str, fd: int, sync: Sync) -> None:
        self.path = path
        #: What was in the file when it was opened.
        self.entries: list[Entry] = []
        #: The number of a torn last line that was cut off, or None.
        self.cut: int | None = None
        self._fd = fd
        self._sync = sync
        self._digest = FIRST
        self._torn_at: int | None = None
        self._gathered = bytearray()
        self._broken = False
        self._is_new = False

    @classmethod
    def create(cls, path: str | Path, *, sync: Sync = "row") -> Self:
        """Begin a new journal.

        An empty file counts as none: whoever made it died before its first line. A file that was
        made here, and in which nothing was written, is taken away again when it is closed. Raises
        ``JournalError`` if there is a journal already (its rows are not to be lost) or if none can
        be made.
        """
        shown = str(path)
        _refuse_what_is_no_file(path)
        try:
            fd, is_new = _made_or_opened(path)
        except OSError as error:
            raise JournalError(shown, f"the journal cannot be made: {error.strerror}") from None
        _lock(shown, fd)
        if os.fstat(fd).st_size:
            os.close(fd)
            raise JournalError(shown, "there is such a journal: resume it, or name another file")
        if sync != "never":
            _sync_folder(Path(path).parent)
        journal = cls(shown, fd, sync)
        journal._is_new = is_new
        return journal

    @classmethod
    def resume(cls, path: str | Path, *, sync: Sync = "row") -> Self:
        """Open a journal to go on with it; its entries are in ``entries``.

        A last line that a crash cut short is cut off with the first write, and ``cut`` holds its
        number; of a journal that was just begun that may be all there is. Raises ``JournalError``
        for any other bad line, and then nothing is written; and when another process writes to it.
        """
        shown = str(path)
        _refuse_what_is_no_file(path)
        try:
            fd = os.open(path, os.O_WRONLY | os.O_APPEND)
        except FileNotFoundError:
            raise JournalError(shown, "there is no journal to resume") from None
        except OSError as error:
            raise JournalError(shown, f"the journal cannot be written: {error.strerror}") from None
        _lock(shown, fd)
        journal = cls(shown, fd, sync)
        try:
            journal._read_back()
        except BaseException:
            os.close(fd)
            raise
        return journal

    def _read_back(self) -> None:
        end = 0
        with JournalReader(self.path) as reader:
            for line in reader.lines():
                self.entries.append(line.entry)
                self._digest, end = line.digest, line.end
            if reader.is_torn:
                self.cut, self._torn_at = len(self.entries) + 1, end

    def write(self, entry: Entry) -> None:
        """Append one entry, durable as far as ``sync`` says.

        Raises ``JournalError`` when it cannot be kept. What was kept before stays and resumes; the
        journal takes no more.
        """
        self._check(entry)
        line, self._digest = seal(entry_out(entry), self._digest)
        self._gathered += line
        try:
            if self._sync == "row":
                self._flush(self._fd)
                if isinstance(entry, _SETTLES):
                    os.fsync(self._fd)
            elif len(self._gathered) >= _GATHERED:
                self._flush(self._fd)
        except OSError as error:
            raise self._failure(error) from error

    def _check(self, entry: Entry) -> None:
        """Refuse what would leave a file that nobody can read."""
        if self._fd < 0:
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

    def _flush(self, fd: int) -> None:
        """Write what was gathered.

        An interrupt may come between the write and the note of it. So the journal counts as broken
        until both are done: what is in the file then is whole, or torn, and nothing is in it twice.
        """
        if not self._gathered:
            return
        self._broken = True
        if self._torn_at is not None:
            os.ftruncate(fd, self._torn_at)
            self._torn_at = None
        while self._gathered:
            del self._gathered[: os.write(fd, self._gathered)]
        self._broken = False

    def _failure(self, error: OSError) -> JournalError:
        self._broken = True
        return JournalError(self.path, f"the journal cannot be written: {error.strerror}")

    def close(self) -> None:
        """Write what was gathered, make it durable unless ``sync`` is ``never``, and unlock."""
        fd, self._fd = self._fd, -1
        if fd < 0:
            return
        try:
            if not self._broken:
                self._flush(fd)
                if self._sync != "never":
                    os.fsync(fd)
        except OSError as error:
            raise self._failure(error) from error
        finally:
            if self._is_new and self._digest == FIRST and _is_there(self.path, fd):
                with suppress(OSError):
                    Path(self.path).unlink()
            os.close(fd)

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


def _made_or_opened(path: str | Path) -> tuple[int, bool]:
    """Return an open file, and whether it was made for that."""
    flags = os.O_WRONLY | os.O_APPEND
    try:
        return os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o666), True
    except FileExistsError:
        return os.open(path, flags | os.O_CREAT, 0o666), False


def _lock(path: str, fd: int) -> None:
    """Lock the journal itself: no other file has to be cleaned up, by anybody."""
    try:
        locked = lock_descriptor(fd, blocking=False)
    except OSError as error:
        os.close(fd)
        raise JournalError(path, f"the journal cannot be locked: {error.strerror}") from None
    # The writer before may have taken its empty journal away just when we opened it.
    if not (locked and _is_there(path, fd)):
        os.close(fd)
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
