"""A journal in memory that can be made to fail."""

from __future__ import annotations

from deskroom.engine.entries import Entry, MemoryJournal, RowEntry
from deskroom.errors import RoomFailure

__all__ = ["ListJournal"]


class ListJournal(MemoryJournal):
    """A journal that keeps its entries in a list, and can be made to fail once it is full.

    ``room_for`` is how many entries it can take; the next one raises ``RoomFailure``.
    """

    def __init__(self, *, room_for: int | None = None) -> None:
        super().__init__()
        self._room_for = room_for

    def write(self, entry: Entry) -> None:
        """Keep one entry."""
        if len(self.entries) == self._room_for:
            raise RoomFailure(f"the journal has room for {self._room_for} entries and is full")
        super().write(entry)

    @property
    def rows(self) -> list[RowEntry]:
        """The entries that hold a row, in order."""
        return [entry for entry in self.entries if isinstance(entry, RowEntry)]
