"""The end of a journal, read from its end: what it costs does not depend on what stands before.

The lines that are read are checked against the chain from the first of them on; of those before
it only the header is read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from attrs import field, frozen

from deskroom.engine.entries import Entry, HeaderEntry, RowEntry
from deskroom.errors import FileError, WireError
from deskroom.files import can_read_again, open_file, reason_of
from deskroom.journal.chain import FIRST, unseal
from deskroom.journal.reader import MAX_LINE_BYTES, JournalError
from deskroom.wire import entry_in

__all__ = ["Tail", "read_tails"]

#: How many bytes are read at first; then twice as many, and so on.
_FIRST_READ: Final = 64 * 1024
_DIGEST: Final = re.compile(rb'"digest":"([0-9a-f]{16})"\}\Z')


@frozen(kw_only=True)
class Tail:
    """The entries in the last whole lines of a journal; ``is_torn`` says that more follows."""

    header: HeaderEntry
    entries: tuple[Entry, ...] = field(repr=False)
    is_torn: bool

    @property
    def rows(self) -> tuple[RowEntry, ...]:
        """The rows among them."""
        return tuple(entry for entry in self.entries if isinstance(entry, RowEntry))

    @property
    def lines(self) -> int:
        """How many lines were read."""
        return len(self.entries)


def read_tails(path: str | Path) -> Iterator[Tail]:
    """Yield the end of a journal, and then again and again twice as much of it.

    It stops before it would be all of the journal, and yields nothing of one that comes through a
    pipe. Raises ``JournalError`` for a line that is wrong.
    """
    if not can_read_again(str(path)):
        return
    try:
        with open_file(str(path), "journal") as file:
            first = file.readline(MAX_LINE_BYTES + 1)
            size = file.seek(0, os.SEEK_END)
            length = _FIRST_READ
            # So much is held at once; whoever needs more reads the journal from its start.
            while length + len(first) < size and length <= MAX_LINE_BYTES:
                file.seek(size - length)
                yield _tail(str(path), first, file.read(length))
                length *= 2
    except OSError as error:
        problem = f"the journal cannot be read: {reason_of(error)}"
        raise JournalError(str(path), problem) from None
    except FileError as error:
        raise JournalError(str(path), error.problem, kind=error.kind) from None


def _tail(path: str, first: bytes, block: bytes) -> Tail:
    try:
        header = entry_in(unseal(first, FIRST)[0])
    except WireError as error:
        raise JournalError(path, f"line 1 is bad: {error}", line=1) from None
    if not isinstance(header, HeaderEntry):
        raise JournalError(path, "line 1 is bad: it is no header", line=1)
    *lines, rest = block.split(b"\n")
    digest = b""
    while lines and not digest:
        # The first may be half a line; all that the next one hangs on is its digest.
        found = _DIGEST.search(lines.pop(0))
        digest = found[1] if found else b""
    entries: list[Entry] = []
    for back, line in enumerate(lines):
        try:
            value, digest = unseal(line + b"\n", digest)
            entries.append(entry_in(value))
        except WireError as error:
            number = len(lines) - back
            problem = f"line {number} from the end is bad: {error}"
            raise JournalError(path, problem) from None
    return Tail(header=header, entries=tuple(entries), is_torn=bool(rest))
