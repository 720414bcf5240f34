"""Who was named and when they spoke, and which seats never did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import frozen

from deskroom.core.transcript import party_of
from deskroom.runs.audit_host import Judged
from deskroom.runs.view import ViewItem

__all__ = ["Naming", "namings_of", "silent_seats"]


@frozen(kw_only=True)
class Naming:
    """A row that names a seat, and the first row by that seat behind it.

    ``row`` is the sequence of the row that names it, ``answer`` of the seat's own, or None where it
    never spoke again. ``after`` counts the rows from one to the other (1: the very next one), or
    the rows that followed in vain.
    """

    row: int
    seat: str
    answer: int | None
    after: int


def namings_of(items: Sequence[ViewItem], judged: Mapping[int, Judged]) -> Iterator[Naming]:
    """Yield each mention that counts, in order: of a seat, by a row that the seat could read.

    A mention that is quiet, in code, or of somebody whom an aside does not reach is none. A seat
    that a private message is addressed to is named by it, where its text names no other.
    """
    rows = [item for item in items if item.is_row]
    places = list(_places(rows))
    # One walk from the end: at every row, this holds each seat's next row.
    ahead: dict[str, tuple[int, int]] = {}
    found: list[Naming] = []
    for item, place in zip(reversed(rows), reversed(places), strict=True):
        one = judged.get(item.sequence or 0) if item.row is not None else None
        for mention in reversed(one.mentions if one is not None else ()):
            seat = mention.target.id
            if mention.target.kind == "agent" and not mention.quiet and seat is not None:
                answer, at = ahead.get(seat, (None, places[-1]))
                found.append(
                    Naming(row=item.sequence or 0, seat=seat, answer=answer, after=at - place)
                )
        seen = item.row or item.stub
        if seen is not None and seen.author.type == "agent" and seen.author.id is not None:
            ahead[seen.author.id] = (item.sequence or 0, place)
    return reversed(found)


def _places(rows: Sequence[ViewItem]) -> Iterator[int]:
    """Yield how many rows there are up to each item; a stub stands for all that it hides."""
    count = 0
    for item in rows:
        count += item.hidden or 1
        yield count


def silent_seats(items: Sequence[ViewItem], active: Sequence[str]) -> tuple[str, ...]:
    """Return the active seats that have no row, as far as a viewer can tell."""
    spoken: set[str] = set()
    for item in items:
        seen = item.row or item.stub
        if seen is None:
            continue
        if item.hidden > 1:
            # Only the first author of several is shown, and any of them may have spoken.
            spoken |= party_of(seen.author, seen.audience)
        elif seen.author.type == "agent":
            spoken.add(seen.author.id or "")
    return tuple(seat for seat in active if seat not in spoken)
