"""What each ``@`` of a row does, for whoever reads a run.

The reasons are ``core.explain``'s. A transcript that does not know its desk has no notes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from attrs import frozen

from deskroom.core import Directory, agent
from deskroom.core.explain import Note, mention_notes
from deskroom.core.text import byte_length
from deskroom.runs.view import ViewItem
from deskroom.runs.why import note_clause, reaches

__all__ = ["MOST_NOTES", "RowNote", "row_notes"]

#: A row may hold a million of them; nobody reads so many.
MOST_NOTES: Final = 200


@frozen(kw_only=True)
class RowNote:
    """One ``@`` of a row: where it stands, what it counts as, and the clause that says why.

    ``start`` and ``end`` count characters of the row's text, ``offset`` UTF-8 bytes. ``verdict``
    is that of ``core.explain``, or ``cannot_read`` for a seat that an aside does not reach.
    ``decided`` marks the mention that hands on the turn.
    """

    start: int
    end: int
    offset: int
    verdict: str
    why: str
    decided: bool = False


def row_notes(
    item: ViewItem, directory: Directory | None, *, limit: int = MOST_NOTES
) -> tuple[RowNote, ...]:
    """Return a note for each ``@`` of a row, in order; for its first ``limit`` ones.

    There are none for a stub, a turn without a row, and where the desk is not known.
    """
    row = item.row
    if row is None or directory is None or "@" not in row.content:
        return ()
    author = agent(row.author.id or "") if row.author.type == "agent" else None
    return tuple(_placed(item, islice(mention_notes(row.content, author, directory), limit)))


def _placed(item: ViewItem, notes: Iterator[Note]) -> Iterator[RowNote]:
    assert item.row is not None  # noqa: S101 - the caller has looked
    content = item.row.content
    last, offset = -1, 0
    for note in notes:
        # Every `@` has its note, so the next one is this one.
        start = content.index("@", last + 1)
        offset += byte_length(content[max(last, 0) : start])
        last = start
        unread = note.verdict == "mention" and not reaches(item.row, note)
        yield RowNote(
            start=start,
            end=start + len(note.text),
            offset=offset,
            verdict="cannot_read" if unread else note.verdict,
            why=note_clause(item.row, note),
            decided=item.chosen == offset,
        )
