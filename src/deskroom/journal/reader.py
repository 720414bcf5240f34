"""Reading a journal, line by line, each checked against the chain."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final, Self

from deskroom.engine.entries import Entry, HeaderEntry
from deskroom.errors import FileError, RoomFailure, WireError
from deskroom.files import open_file, reason_of
from deskroom.journal.chain import FIRST, body_of, checked, unseal
from deskroom.wire import entry_in

__all__ = [
    "MAX_LINE_BYTES",
    "JournalError",
    "JournalReader",
    "Line",
    "Torn",
    "begins_journal",
    "read_journal",
]

#: A longer line is neither written nor read.
MAX_LINE_BYTES: Final = 64 * 1024 * 1024
#: How much is read of a first line before it is known to be a journal's.
_FIRST_READ: Final = 64 * 1024
#: What a journal begins with; a file that does not is another's, however short its last line is.
_BEGINS: Final = b'{"kind":"header",'
#: What a transcript begins with that `deskroom import` wrote.
_IMPORTED: Final = b'{"transcript":'
#: What the lines begin with that hold no row and say nothing of the room as a whole.
_ROWLESS: Final = tuple(
    b'{"kind":"%s",' % kind for kind in (b"turn", b"call", b"excess", b"usage", b"end", b"routed")
)
#: How a call's line ends that was accepted in time, before its digest; its arguments stand before.
_ACCEPTED: Final = b',"reply":"ok","late":false,"source":"call"'
_CALL: Final = b'{"kind":"call",'


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

    A pipe, and stdin as ``-``, can be read once. ``file`` is the journal where it is open already.
    Use it as a context manager. With ``only_rows`` the other lines of turns are checked against the
    chain, and neither decoded nor yielded; without ``accepted`` calls, those are not.
    Everything raises ``JournalError`` for a line that is wrong.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        only_rows: bool = False,
        accepted: bool = True,
        file: IO[bytes] | None = None,
    ) -> None:
        self.path = str(path)
        self._only_rows = only_rows
        self._accepted = accepted
        self._digest, self._end, self._lines = FIRST, 0, 0
        #: Whether bytes behind the last whole line have been seen.
        self.is_torn = False
        try:
            self._file = file or open_file(self.path, "journal")
        except FileError as error:
            raise JournalError(self.path, error.problem, kind=error.kind) from None
        #: Whether more can come once the end was seen.
        self.can_grow = self._file.seekable()

    def lines(self) -> Iterator[Line]:
        """Yield every whole line that has not been read yet."""
        self.is_torn = False
        try:
            if self.can_grow:
                self._file.seek(self._end)
            while raw := self._read_line():
                if not raw.endswith(b"\n"):
                    self._torn(raw)
                    return
                if self._lines and self._is_passed_over(raw):
                    self._skip(raw)
                else:
                    yield self._line(raw)
        except OSError as error:
            raise JournalError(
                self.path, f"the journal cannot be read: {reason_of(error)}"
            ) from None

    def _is_passed_over(self, raw: bytes) -> bool:
        if self._only_rows:
            return raw.startswith(_ROWLESS)
        return not self._accepted and raw.startswith(_CALL) and body_of(raw).endswith(_ACCEPTED)

    def _read_line(self) -> bytes:
        """Return the next line, which may have no end.

        Of a file that does not begin as a journal does, no more than a beginning is read.
        """
        raw = self._file.readline(MAX_LINE_BYTES + 1 if self._lines else _FIRST_READ)
        if not self._lines and raw.startswith(_IMPORTED):
            problem = "this is an imported transcript and no journal: it has rows and no decisions"
            raise JournalError(self.path, problem, kind="transcript")
        if not self._lines and raw.startswith(_BEGINS) and not raw.endswith(b"\n"):
            raw += self._file.readline(MAX_LINE_BYTES)
        if len(raw) > MAX_LINE_BYTES:
            number = self._lines + 1
            problem = f"line {number} is bad: it is longer than {MAX_LINE_BYTES >> 20} MiB"
            raise JournalError(self.path, problem, line=number)
        return raw

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


def begins_journal(first: bytes) -> bool:
    """Whether a file's first bytes are those of a journal, damaged or not, or of one just begun."""
    return bool(first) and (first.startswith(_BEGINS[:9]) or _BEGINS.startswith(first))


def read_journal(
    path: str | Path,
    *,
    only_rows: bool = False,
    accepted: bool = True,
    file: IO[bytes] | None = None,
) -> Iterator[Line]:
    """Yield the lines of a journal, in order, each checked against the chain.

    ``file`` is the journal where it is open already; it is closed at the end. Which lines are passed
    over, ``JournalReader`` says. Raises ``JournalError`` at the first line that is wrong, and ``Torn``, which is one, when that
    is a last line cut short by a crash.
    """
    with JournalReader(path, only_rows=only_rows, accepted=accepted, file=file) as reader:
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
