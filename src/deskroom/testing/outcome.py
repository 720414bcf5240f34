"""What came of a room or of a replayed scenario, with the host's reason for each part of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from attrs import frozen

from deskroom.core import Audience, Author
from deskroom.engine.entries import RowEntry
from deskroom.engine.setup import Setup
from deskroom.engine.state import TurnRecord
from deskroom.room import RoomResult
from deskroom.scenario import Replay
from deskroom.scenario.play.expect import Played

__all__ = ["Outcome", "author_word", "whom"]

#: How a row came about that no seat spoke.
_HOW: Final[Mapping[str, str]] = {
    "opening": "it is the opening",
    "person": "a person spoke",
    "nudge": "the chair nudged",
    "wrote": "turn {turn} left files behind",
}


@frozen
class Outcome:
    """What came out. ``listed`` says that a script alone decided who was granted."""

    result: RoomResult
    listed: bool

    @classmethod
    def of(cls, result: RoomResult | Replay) -> Outcome:
        """Return the outcome of either."""
        came = result.result if isinstance(result, Replay) else result
        script = came.setup.script
        return cls(came, listed=script is not None and script.listed)

    @property
    def setup(self) -> Setup:
        """What the room was made of."""
        return self.result.setup

    @property
    def entries(self) -> tuple[RowEntry, ...]:
        """The rows, each with what triggered it and its decision."""
        return self.result.entries

    def played(self, entry: RowEntry) -> Played:
        """Return a row as the comparison of scenarios takes it."""
        recipients = self.result.routed.get(entry.row.sequence, ())
        return Played(self.setup, None, entry, recipients)

    def why_closed(self) -> str:
        """Return why the room closed, and when."""
        turns = "1 turn" if self.result.granted == 1 else f"{self.result.granted} turns"
        error = f": {self.result.error}" if self.result.error is not None else ""
        return f"the room closed with {self.result.closed!r} after {turns}{error}"

    def why_author(self, entry: RowEntry) -> str:
        """Return how it came that this row is its author's."""
        if entry.kind != "seat":
            return _HOW[entry.kind].format(turn=entry.turn)
        if self.listed or entry.trigger is None:
            return "the script lists the turn"
        brought = self.played(self.entries[entry.trigger - 1])
        return f"row {entry.trigger} brought the turn: {brought.why()}"

    def why_content(self, entry: RowEntry) -> str:
        """Return where a row's content comes from."""
        if entry.kind == "seat":
            return self.played(entry).why("content")
        return self.why_author(entry)

    def why_no_row(self, record: TurnRecord) -> str:
        """Return why a turn became no row."""
        return Played(self.setup, record).why()

    def rowless(self, rows: int) -> Iterator[str]:
        """Yield why each turn became no row that was granted when there were so many rows."""
        for record in self.result.turns:
            if record.row is None and record.granted_at == rows:
                why = self.why_no_row(record)
                yield f"turn {record.number} ({record.seat}) became no row: {why}"

    def last_words(self) -> Iterator[str]:
        """Yield what stood at the end: the last row's decision, and the turns after it."""
        if self.entries:
            last = self.entries[-1]
            author = author_word(last.row.author)
            yield f"row {last.row.sequence} ({author}) was the last: {self.played(last).why()}"
        yield from self.rowless(len(self.entries))

    def refusals(self, record: TurnRecord) -> list[str]:
        """Return how a turn's calls were answered, and why its row is not private, if that was so."""
        refusal = None if record.row is None else self.entries[record.row - 1].refusal
        return [*record.replies, *([] if refusal is None else [refusal])]

    def answers(self, record: TurnRecord) -> str:
        """Return how a turn's calls were answered and what became of it, as a line."""
        again = f", attempt {record.attempt}" if record.attempt > 1 else ""
        answered = ", ".join(record.replies) or "no call"
        became = self.why_no_row(record) if record.row is None else f"row {record.row}"
        return f"turn {record.number} ({record.seat}{again}): {answered}; {became}"


def author_word(author: Author) -> str:
    """Return an author as ``mentions`` spell it: agents bare, a person as ``person:sam``."""
    if author.type == "person":
        return f"person:{author.id}"
    return author.id or author.kind or author.type


def whom(audience: Audience) -> str | list[str]:
    """Return an audience as a scenario spells it."""
    return "desk" if audience.kind == "desk" else list(audience.members)
