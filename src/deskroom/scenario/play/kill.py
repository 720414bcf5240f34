"""Killing a process behind a line of its journal, and going on from what the journal holds.

Nothing but the journal survives: what is resumed is read back from its wire form, as from a file.
"""

from __future__ import annotations

from collections.abc import Sequence

from deskroom.engine.entries import Entry, MemoryJournal
from deskroom.errors import RoomFailure

__all__ = ["DyingJournal", "Killed", "reread"]


class Killed(RoomFailure):
    """The process died behind the line that was written last."""


class DyingJournal:
    """A journal whose process dies once it holds so many lines; ``None``: never."""

    def __init__(self, journal: MemoryJournal, line: int | None) -> None:
        self._journal = journal
        self._line = line

    def write(self, entry: Entry) -> None:
        """Append one entry. Raises ``Killed`` when it is the last of this process."""
        self._journal.write(entry)
        if len(self._journal.entries) == self._line:
            raise Killed(f"the process died behind line {self._line}")


def reread(entries: Sequence[Entry]) -> list[Entry]:
    """Return entries as they are read back from a journal."""
    if not entries:
        return []
    # Few files have their process killed.
    from deskroom.wire import entry_in, entry_out

    return [entry_in(entry_out(entry)) for entry in entries]
