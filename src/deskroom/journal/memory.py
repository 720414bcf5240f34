"""A journal in memory."""

from __future__ import annotations

from deskroom.engine.entries import Entry

__all__ = ["MemoryJournal"]


class MemoryJournal:
    """A journal that only keeps its entries."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def write(self, entry: Entry) -> None:
        """Keep one entry."""
        self.entries.append(entry)
