"""What a run comes to in numbers: the figures of one view, as one value.

Each figure is made from what the viewer may know (a ``RunView``) and never from the whole run: of a
row that may not be read counts what is public of it. What is not known is None, and never 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import define, field, frozen

from deskroom.core import Viewer
from deskroom.core.reasons import OK, Outcome, RowKind
from deskroom.core.transcript import party_of
from deskroom.engine.entries import UsageEntry
from deskroom.runs.run import RunTurn
from deskroom.runs.values import author_value
from deskroom.runs.view import RunView, ViewItem, tells

__all__ = [
    "LEAST_EXCHANGE",
    "Asides",
    "Exchange",
    "Figures",
    "HandOff",
    "Naming",
    "Repeat",
    "Usage",
    "figures_of",
    "hand_offs_of",
]

#: Two seats that keep naming each other have each named the other twice, one after the other.
LEAST_EXCHANGE: Final = 4


@frozen
class Naming:
    """How many rows name a seat: ``rows`` of the ``of`` rows that can be read.

    A row names a seat when it has a mention of one that counts (it is not quiet), or is a private
    message to one. It does not matter whether that seat is active, or is given the turn.
    """

    rows: int
    of: int

    @property
    def share(self) -> float | None:
        """The share of them, from 0 to 1; None where there is no row."""
        return self.rows / self.of if self.of else None


@frozen
class Asides:
    """How many rows are private, and how many of those are ``settled``.

    An aside is settled by the first row behind it that is for the desk and by a seat of its party.
    """

    rows: int
    settled: int

    @property
    def unsettled(self) -> int:
        """How many were never settled."""
        return self.rows - self.settled


@frozen(kw_only=True)
class Exchange:
    """Two seats that keep naming each other.

    An exchange is an unbroken run of rows by seats, alternately by these two, each of which names
    the other one; rows by people, the chair and the system may stand between. Only exchanges of
    at least ``LEAST_EXCHANGE`` rows count: ``exchanges`` is how many there are. ``rows`` is the
    length of the longest of them, and ``first`` the sequence of its first row.
    """

    seats: tuple[str, str]
    rows: int
    exchanges: int
    first: int


@frozen(kw_only=True)
class Repeat:
    """A message that seats said more than once, in exactly these words.

    ``rows`` is how many rows have it, ``first`` the sequence of the first of them, and ``seats``
    are those who said it, in the order in which each first did.
    """

    content: str = field(repr=False)
    rows: int
    first: int
    seats: tuple[str, ...]


@frozen(kw_only=True)
class HandOff:
    """How often a row by ``source`` gave the turn to ``target``.

    ``source`` is a seat's id, ``person:ID``, ``operator`` or a part of the system; ``target`` is a
    seat's id.
    """

    source: str
    target: str
    turns: int


@frozen(kw_only=True)
class Usage:
    """What the turns of one seat took of a model: of ``turns`` of them something is known.

    ``requests`` were answered, and took ``seconds`` together.
    """

    seat: str
    turns: int
    requests: int
    tokens_in: int
    tokens_out: int
    seconds: float


@frozen(kw_only=True)
class Figures:
    """What a run comes to, as far as ``viewer`` may know. All counts are of whole things.

    Known of every run:

    * ``rows``: the rows. A stub counts the messages that it stands for.
    * ``rows_by``: the rows by their author, in the order in which each first spoke: a seat's id,
      ``person:ID``, ``operator`` or a part of the system. None where a stub hides whose they are.
    * ``asides``: the private rows, and how many were settled.
    * ``repeats``: the messages by seats that were said more than once, in order of the first row.

    Known of a journal and a scenario, and None of bare rows:

    * ``closed``: why the room closed; None as well while it is open.
    * ``naming``, ``seat_naming``: rows that name a seat, of all rows and of those by seats.
    * ``nudges``: the rows of the chair.
    * ``declined``: asides that the desk declined and that became rows for the whole desk, by reason.
    * ``exchanges``: the pairs of seats that keep naming each other, longest exchange first.
    * ``never_spoke``: the active seats without a row, in desk order.
    * ``turns``: how many turns were granted; one that was granted again counts once.
    * ``retries``: how often a turn was granted again.
    * ``outcomes``: how the grants ended, by outcome, all five of them; a turn that was silent and
      then spoke counts as both. A turn that has not ended is in none of them.
    * ``refusals``: refused calls by reason, the most frequent first: also those of turns that spoke,
      late ones, and calls in turns that were never the seat's. A seat knows its own only, and a
      person none: then it is None. Of the calls after one that was too many, 1,000 a turn count.
    * ``hops``: how many turns were granted at each hop, in order of the hop.
    * ``longest_chain``: the most turns in a row of which each was given by the row before, by a
      mention or a broadcast: one more than the highest hop. 0 in a room without turns.
    * ``hand_offs``: how often each author's rows gave each seat the turn, in order of the first.

    Known of a journal where seats said it, and None elsewhere:

    * ``usage``: what the turns of each such seat took of a model, in order of the first. A seat
      knows its own only.
    """

    viewer: Viewer
    rows: int
    rows_by: Mapping[str, int] | None
    asides: Asides
    repeats: tuple[Repeat, ...]
    closed: str | None
    naming: Naming | None
    seat_naming: Naming | None
    nudges: int | None
    declined: Mapping[str, int] | None
    exchanges: tuple[Exchange, ...] | None
    never_spoke: tuple[str, ...] | None
    turns: int | None
    retries: int | None
    outcomes: Mapping[str, int] | None
    refusals: Mapping[str, int] | None
    hops: Mapping[int, int] | None
    longest_chain: int | None
    hand_offs: tuple[HandOff, ...] | None
    usage: tuple[Usage, ...] | None = None

    @property
    def refused_calls(self) -> int | None:
        """How many calls were refused, for whatever reason."""
        return None if self.refusals is None else sum(self.refusals.values())

    @property
    def repeated(self) -> int:
        """How many rows say again what was said before."""
        return sum(repeat.rows - 1 for repeat in self.repeats)


def figures_of(view: RunView) -> Figures:
    """Return the figures of what a viewer may know of a run, in one walk over it."""
    rows = [item for item in view.items if item.is_row]
    readable = [item for item in rows if item.row is not None]
    turns = _turns(view)
    # Whom a row names is known with the desk.
    names = None if view.seats is None else _named(readable, view.seats)
    kinds = _facts(readable, "kind")
    refusals = _facts(readable, "refusal")
    hops = None if turns is None else _hops(turns)
    closed = view.run.get("closed")
    return Figures(
        viewer=view.viewer,
        rows=sum(item.hidden or 1 for item in rows),
        rows_by=_rows_by(rows, view.turns),
        asides=_asides(rows),
        repeats=_repeats(readable),
        closed=None if closed is None else str(closed),
        naming=None if names is None else _naming(readable, names),
        seat_naming=None if names is None else _naming(filter(_by_seat, readable), names),
        nudges=None if kinds is None else sum(kind == RowKind.NUDGE for kind in kinds),
        declined=None if refusals is None else _counts(filter(None, refusals)),
        exchanges=None if names is None else _exchanges(rows, names),
        never_spoke=_never_spoke(view, rows),
        turns=None if turns is None else len({turn.number for turn in turns}),
        retries=None if turns is None else len(turns) - len({turn.number for turn in turns}),
        outcomes=None if turns is None else _outcomes(turns),
        refusals=_refusals(view),
        hops=hops,
        longest_chain=None if hops is None else max(hops, default=-1) + 1,
        hand_offs=hand_offs_of(view),
        usage=_usage(view),
    )


def _by_seat(item: ViewItem) -> bool:
    author = item.row or item.stub
    return author is not None and author.author.type == "agent"


def _author(item: ViewItem) -> str:
    author = item.row or item.stub
    return "" if author is None else author_value(author.author)


def _facts(readable: Sequence[ViewItem], name: str) -> list[Any] | None:
    """Return a fact of every row that can be read, or None where it is not known of them all."""
    if all(name in item.facts for item in readable):
        return [item.facts[name] for item in readable]
    return None


def _counts(words: Iterable[str]) -> dict[str, int]:
    """Return how often each word comes, the most frequent first, those of one count by name."""
    counts = Counter(map(str, words))
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


# --- rows --------------------------------------------------------------------------------------


def _rows_by(rows: Sequence[ViewItem], turns: Sequence[RunTurn]) -> dict[str, int] | None:
    """Count rows by author. Whose rows a stub of several stands for, only the turns tell."""
    of_turn = {turn.row: turn.seat for turn in turns if turn.row is not None}
    counts: Counter[str] = Counter()
    for item in rows:
        counts[_author(item)] += 1
        if item.hidden > 1:
            if not turns:
                return None
            assert item.stub is not None  # noqa: S101 - only a stub hides rows
            assert item.stub.elided is not None  # noqa: S101 - as above
            hidden = range(item.stub.sequence + 1, item.stub.elided.through + 1)
            counts.update(of_turn[at] for at in hidden if at in of_turn)
    return dict(counts)


def _asides(rows: Sequence[ViewItem]) -> Asides:
    """Walk from the end: at every row, ``spoke`` holds the seats with a desk row behind it."""
    spoke: set[str] = set()
    count = settled = 0
    for item in reversed(rows):
        row = item.row or item.stub
        assert row is not None  # noqa: S101 - it is a row or a stub
        if row.audience.kind == "desk":
            if row.author.type == "agent" and row.author.id is not None:
                spoke.add(row.author.id)
            continue
        messages = item.hidden or 1
        count += messages
        told = item.stub is not None and item.stub.elided and item.stub.elided.settled_at
        if told or not spoke.isdisjoint(party_of(row.author, row.audience)):
            settled += messages
    return Asides(count, settled)


def _repeats(readable: Iterable[ViewItem]) -> tuple[Repeat, ...]:
    said: dict[str, list[ViewItem]] = {}
    for item in filter(_by_seat, readable):
        assert item.row is not None  # noqa: S101 - it can be read
        said.setdefault(item.row.content, []).append(item)
    return tuple(
        Repeat(
            content=content,
            rows=len(items),
            first=items[0].sequence or 0,
            seats=tuple(dict.fromkeys(map(_author, items))),
        )
        for content, items in said.items()
        if len(items) > 1
    )


def _never_spoke(view: RunView, rows: Iterable[ViewItem]) -> tuple[str, ...] | None:
    if view.seats is None:
        return None
    spoke = {_author(item) for item in rows if _by_seat(item)}
    spoke |= {turn.seat for turn in view.turns if turn.row is not None}
    active = view.seats if view.directory is None else view.directory.roster.active
    return tuple(seat for seat in active if seat not in spoke)


# --- who names whom ----------------------------------------------------------------------------

#: The seats that each row names, by the row's sequence.
Names = Mapping[int, frozenset[str]]


def _named(readable: Iterable[ViewItem], seats: Iterable[str]) -> Names:
    known = frozenset(seats)
    return {item.sequence or 0: known.intersection(item.mentions) for item in readable}


def _naming(items: Iterable[ViewItem], names: Names) -> Naming:
    naming = [bool(names[item.sequence or 0]) for item in items]
    return Naming(sum(naming), len(naming))


@define
class _Longest:
    rows: int = 0
    exchanges: int = 0
    first: int = 0


def _exchanges(rows: Iterable[ViewItem], names: Names) -> tuple[Exchange, ...]:
    longest: dict[tuple[str, str], _Longest] = {}
    for pair, length, first in _alternating(rows, names):
        if length >= LEAST_EXCHANGE:
            found = longest.setdefault(pair, _Longest())
            found.exchanges += 1
            if length > found.rows:
                found.rows, found.first = length, first
    exchanges = [
        Exchange(seats=pair, rows=one.rows, exchanges=one.exchanges, first=one.first)
        for pair, one in longest.items()
    ]
    return tuple(sorted(exchanges, key=lambda one: (-one.rows, one.first)))


def _alternating(
    rows: Iterable[ViewItem], names: Names
) -> Iterator[tuple[tuple[str, str], int, int]]:
    """Yield each run of rows by two seats that name each other: the pair, how many, the first.

    The seat whose id sorts first stands first in its pair.
    """
    before: ViewItem | None = None
    pair: tuple[str, str] | None = None
    length = first = 0
    for item in filter(_by_seat, rows):
        linked = before is not None and _name_each_other(before, item, names)
        one, other = sorted((_author(before or item), _author(item)))
        if pair is not None and not (linked and pair == (one, other)):
            yield pair, length, first
            pair = None
        if linked and pair is None:
            pair, length, first = (one, other), 1, (before or item).sequence or 0
        length += 1
        before = item
    if pair is not None:
        yield pair, length, first


def _name_each_other(before: ViewItem, item: ViewItem, names: Names) -> bool:
    """Whether each of two rows names the other's author. Whom a private row names is not known."""
    one, other = _author(before), _author(item)
    nobody: frozenset[str] = frozenset()
    return (
        one != other
        and other in names.get(before.sequence or 0, nobody)
        and one in names.get(item.sequence or 0, nobody)
    )


# --- turns -------------------------------------------------------------------------------------


@frozen
class _Turn:
    number: int
    seat: str
    hop: int
    outcome: str | None
    trigger: int | None


def _turns(view: RunView) -> list[_Turn] | None:
    """Return every grant, or None where they are not known.

    The output of a replay knows them by its rows; those behind a stub it does not know.
    """
    if view.turns or view.seats is not None:
        return [_Turn(t.number, t.seat, t.hop, t.outcome, t.trigger) for t in view.turns]
    if not view.has_turns or any(item.stub is not None for item in view.items):
        return None
    return [
        _Turn(
            item.turn or 0,
            item.seat or "",
            item.facts["hop"],
            item.facts.get("outcome", Outcome.SPOKE),
            item.trigger,
        )
        for item in view.items
        if "hop" in item.facts
    ]


def _outcomes(turns: Iterable[_Turn]) -> dict[str, int]:
    counts = Counter(turn.outcome for turn in turns)
    return {str(outcome): counts[outcome] for outcome in Outcome}


def _hops(turns: Iterable[_Turn]) -> dict[int, int]:
    of_turn = {turn.number: turn.hop for turn in turns}
    return dict(sorted(Counter(of_turn.values()).items()))


def _refusals(view: RunView) -> dict[str, int] | None:
    if view.viewer.kind == "person":
        return None
    if view.turns or view.seats is not None:
        told = (turn.replies for turn in view.turns if tells(view.viewer, turn.seat))
        replies = [reply for some in told for reply in some]
        replies += [call.reply for call in view.stray]
        return _counts(reply for reply in replies if reply != OK)
    items = [i for i in view.items if "hop" in i.facts and tells(view.viewer, i.seat)]
    if not items or not all("replies" in item.facts for item in items):
        return None
    return _counts(reply for item in items for reply in item.facts["replies"] if reply != OK)


def _usage(view: RunView) -> tuple[Usage, ...] | None:
    used: dict[str, list[UsageEntry]] = {}
    for turn in view.turns:
        if turn.usage is not None and tells(view.viewer, turn.seat):
            used.setdefault(turn.seat, []).append(turn.usage)
    return tuple(_usage_of(seat, entries) for seat, entries in used.items()) or None


def _usage_of(seat: str, entries: Sequence[UsageEntry]) -> Usage:
    return Usage(
        seat=seat,
        turns=len(entries),
        requests=sum(entry.requests for entry in entries),
        tokens_in=sum(entry.tokens_in for entry in entries),
        tokens_out=sum(entry.tokens_out for entry in entries),
        seconds=round(sum(entry.seconds for entry in entries), 3),
    )


def hand_offs_of(view: RunView) -> tuple[HandOff, ...] | None:
    """Return how often each author's rows gave each seat the turn, in order of the first time.

    A turn counts where the row that brought it chose its seat: in a listed order the list may
    grant it to another. None where the turns are not known.
    """
    turns = _turns(view)
    if turns is None:
        return None
    items = {item.sequence: item for item in view.items if item.is_row}
    authors = {number: _author(item) for number, item in items.items()}
    authors |= {turn.row: turn.seat for turn in view.turns if turn.row is not None}
    counts: Counter[tuple[str, str]] = Counter()
    for turn in {turn.number: turn for turn in turns}.values():
        source = authors.get(turn.trigger)
        if source is not None and (turn.hop > 0 or _chose(items.get(turn.trigger), turn.seat)):
            counts[source, turn.seat] += 1
    return tuple(HandOff(source=s, target=t, turns=count) for (s, t), count in counts.items())


def _chose(item: ViewItem | None, seat: str) -> bool:
    chosen = None if item is None else item.facts.get("next")
    return chosen == seat or (isinstance(chosen, list) and seat in chosen)
