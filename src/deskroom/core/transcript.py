"""Rows, what a viewer reads of them, and what is counted as they are added (semantics 6 and 8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self

from attrs import define, evolve, field, frozen

from deskroom.core.audience import Audience, Author, Viewer, admits
from deskroom.core.text import is_blank

__all__ = ["Bookkeeping", "Elision", "Row", "SeenRow", "party_of", "project", "settlements"]

Party = frozenset[str]


@frozen
class Row:
    """One line of the transcript. It never changes once it is appended."""

    sequence: int
    chat_id: str
    author: Author
    content: str
    audience: Audience
    parent: int | None = None


@frozen
class Elision:
    """What a stub stands for.

    ``through`` is the last sequence it covers, ``messages`` how many rows, and ``settled_at`` the
    sequence of the first desk row after them by an agent of the party.
    """

    through: int
    messages: int
    settled_at: int | None


@frozen
class SeenRow:
    """A row as one viewer reads it; a stub has no content and says what was left out."""

    sequence: int
    author: Author
    content: str
    audience: Audience
    elided: Elision | None = None


def party_of(author: Author, audience: Audience) -> Party:
    """Return who takes part in an aside: its members, and its author if that is an agent."""
    if author.type == "agent" and author.id is not None:
        return frozenset((*audience.members, author.id))
    return frozenset(audience.members)


def project(rows: Sequence[Row], viewer: Viewer) -> tuple[SeenRow, ...]:
    """Return what ``viewer`` reads of ``rows``, in order.

    Blank rows are left out. A row that the viewer may not read becomes a stub, and neighbouring
    stubs of one party become one.
    """
    settled = settlements(rows)
    seen: list[SeenRow] = []
    last_party: Party | None = None
    for row in rows:
        if is_blank(row.content):
            continue
        if admits(row.audience, row.author, viewer):
            seen.append(SeenRow(row.sequence, row.author, row.content, row.audience))
            last_party = None
            continue
        party = party_of(row.author, row.audience)
        through = Elision(row.sequence, 1, settled[row.sequence])
        if party == last_party and (elided := seen[-1].elided) is not None:
            seen[-1] = evolve(seen[-1], elided=evolve(through, messages=elided.messages + 1))
        else:
            seen.append(SeenRow(row.sequence, row.author, "", row.audience, through))
        last_party = party
    return tuple(seen)


def settlements(rows: Sequence[Row]) -> dict[int, int | None]:
    """Map the sequence of each private row to that of the desk row that settles it, if one does.

    That is the first desk row behind it by an agent of its party.
    """
    settled: dict[int, int | None] = {}
    # One walk from the end: at every row, this holds the sequence of each agent's next desk row.
    spoke: dict[str, int] = {}
    for row in reversed(rows):
        if row.audience.kind != "desk":
            party = party_of(row.author, row.audience)
            settled[row.sequence] = min((spoke[m] for m in party if m in spoke), default=None)
        elif row.author.type == "agent" and row.author.id is not None:
            spoke[row.author.id] = row.sequence
    return settled


@define
class Bookkeeping:
    """What the aside policy needs to know of the transcript, kept as rows are added.

    Feed every row once, in order, to ``add``; blank rows count. ``spent`` is the length of the
    run of private rows at the tail.
    """

    spent: int = 0
    _last_aside: Party | None = None
    # Each agent's open parties: a desk row closes every party its author is in, and only those.
    _open: dict[str, dict[Party, None]] = field(factory=dict)

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Self:
        """Return the books of a whole transcript."""
        books = cls()
        for row in rows:
            books.add(row)
        return books

    def add(self, row: Row) -> None:
        """Count one more row."""
        agent_id = row.author.id if row.author.type == "agent" else None
        self._last_aside = None
        if row.audience.kind == "desk":
            self.spent = 0
            if agent_id in self._open:
                self._close(agent_id)
            return
        self.spent += 1
        if agent_id is not None:
            self._last_aside = party = party_of(row.author, row.audience)
            for member in party:
                self._open.setdefault(member, {})[party] = None

    def _close(self, agent_id: str) -> None:
        for party in self._open.pop(agent_id):
            for member in party:
                if member != agent_id:
                    self._open[member].pop(party, None)

    def unsettled(self, author_id: str, addressed: Iterable[str]) -> bool:
        """Whether this party still owes the desk a word from an aside it had before.

        A message that goes on with the aside at the tail is a continuation and owes nothing yet.
        """
        party = frozenset((*addressed, author_id))
        if party in ({author_id}, self._last_aside):
            return False
        return party in self._open.get(author_id, {})
