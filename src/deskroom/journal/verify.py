"""Checking a journal against the rules: each entry is what the room would decide today."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from attrs import frozen

from deskroom.engine.entries import CloseReason, Entry, HeaderEntry
from deskroom.engine.script import order_of
from deskroom.errors import UsageError
from deskroom.journal.checker import Checker
from deskroom.journal.file import JournalError, read_journal

__all__ = ["Verified", "verify", "verify_entries"]


@frozen
class Verified:
    """What a sound journal holds. ``closed`` is None for one that can be gone on with."""

    lines: int
    rows: int
    turns: int
    closed: CloseReason | None


def verify(path: str | Path) -> Verified:
    """Check every line of a journal.

    Raises ``JournalError`` with the first line that is wrong, and how.
    """
    return verify_entries((line.entry for line in read_journal(path)), path)


def verify_entries(entries: Iterable[Entry], path: str | Path) -> Verified:
    """Check entries that were read from a journal, the header first; ``path`` is for errors.

    Raises ``JournalError`` as ``verify`` does.
    """
    checker: Checker | None = None
    lines = 0
    for lines, entry in enumerate(entries, start=1):
        if checker is not None:
            problem = checker.take(entry)
            if problem is not None:
                raise JournalError(str(path), f"line {lines} differs: {problem}", line=lines)
        elif isinstance(entry, HeaderEntry):
            checker = Checker(entry.setup, order_of(entry.setup.script))
    if checker is None:
        raise UsageError("there is no header, and so nothing to hold the entries against")
    state = checker.state
    return Verified(lines, len(state.rows), state.granted, state.closed)
