"""One room of an input as rows of ours: what every importer's records go through.

The first pass learns who is there; each later one gives the rows, one at a time. What is kept grows
with the speakers, and by some twenty bytes for each message that has an id. Only a format whose rows
must be sorted, or may be replaced later, is held as a whole, within a limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import Final

from attrs import define, evolve, field, frozen

from deskroom.core.mention import tokens
from deskroom.core.reasons import CallFault
from deskroom.core.roster import Person
from deskroom.core.text import byte_length, is_blank, trim_start
from deskroom.engine.policy import Policy
from deskroom.engine.setup import Seat
from deskroom.errors import DeskroomError, FileError
from deskroom.imports.cast import Cast, Member, Wishes, desk_of, names_for
from deskroom.imports.importer import Importer, Options
from deskroom.imports.limits import MOST_HELD_BYTES, MOST_HELD_ROWS
from deskroom.imports.mentions import plain_text
from deskroom.imports.records import Handoff, Left, Place, Record, Speaker, Yielded
from deskroom.imports.said import said_by
from deskroom.imports.seen import Seen
from deskroom.imports.source import Source
from deskroom.scenario.edit.expressible import is_text
from deskroom.speech.utterance import Broadcast, CompleteEpisode, Dm

__all__ = ["ImportedRoom", "ImportedRow", "LeftOut", "open_room"]

_ASIDE: Final = "!aside"


@frozen(kw_only=True)
class ImportedRow:
    """A row: who said what, and to whom; ``number`` counts from 1.

    ``to`` is None for the room, else the ids of the seats that could read it beside its author;
    empty for people alone. ``handoff`` is whom the source handed the turn to: an id, or the source's
    own name of somebody without one.
    """

    number: int
    author: str
    kind: str
    text: str
    to: tuple[str, ...] | None = None
    handoff: str | None = None
    completes: bool = False
    broadcasts: bool = False
    place: Place = Place()


@define
class LeftOut:
    """What is left out so far: by kind, how often and where first; and what was stored twice."""

    kinds: dict[str, tuple[int, Place]] = field(factory=dict)
    repeated: int = 0

    def add(self, left: Left) -> None:
        """Count something in."""
        if left.count > 0:
            before, place = self.kinds.get(left.kind, (0, left.place))
            self.kinds[left.kind] = (before + left.count, place)


@frozen(kw_only=True)
class ImportedRoom:
    """A room from elsewhere: who is in it, and its rows, read anew at each call of ``rows``."""

    importer: Importer
    sources: tuple[Source, ...]
    members: tuple[Member, ...]
    seats: tuple[Seat, ...]
    people: tuple[Person, ...]
    wishes: Wishes
    cast: Cast = field(repr=False)
    items: Callable[[], Iterable[tuple[Source, Yielded]]] = field(repr=False)
    max_message_bytes: int

    def rows(self, left: LeftOut, mentioned: dict[str, str] | None = None) -> Iterator[ImportedRow]:
        """Yield the rows, and count into ``left`` what is left out.

        ``mentioned`` gets each foreign name that was rewritten, with its id.
        """
        return _Reading(self, left).rows({} if mentioned is None else mentioned)


def open_room(
    sources: Sequence[Source],
    importer: Importer,
    options: Options,
    wishes: Wishes,
    *,
    max_message_bytes: int = Policy().max_message_bytes,
    watched: Callable[[Source], None] | None = None,
) -> ImportedRoom:
    """Read an input once, and return its room. ``watched`` is called as items are read.

    Raises ``FileError`` for an input that is wrong, has no row, or has several rooms and none
    named; ``UsageError`` where the user named a speaker who is not there.
    """

    def items() -> Iterator[tuple[Source, Yielded]]:
        for source in sources:
            for item in _items(source, importer, options):
                if watched is not None:
                    watched(source)
                yield source, item

    kept: Callable[[], Iterable[tuple[Source, Yielded]]] = items
    if importer.is_sorted or importer.same_id == "replace":
        held = _held(items(), importer)
        kept = lambda: held  # noqa: E731 - a list as it is
    path = sources[0].path
    cast = Cast()
    for number, (source, item) in enumerate(kept()):
        if isinstance(item, Record):
            cast.hear(item, number, source.path)
        elif isinstance(item, Speaker):
            cast.meet(item, source.path)
    cast.settle(path)
    members = cast.members(wishes)
    seats, people = desk_of(members, wishes)
    if not any(member.has_rows for member in members):
        raise FileError(path, "there is no row in it", kind="no_rows")
    return ImportedRoom(
        importer=importer,
        sources=tuple(sources),
        members=members,
        seats=seats,
        people=people,
        wishes=wishes,
        cast=cast,
        items=kept,
        max_message_bytes=max_message_bytes,
    )


def _items(source: Source, importer: Importer, options: Options) -> Iterator[Yielded]:
    """Yield what an importer reads. Raises ``FileError`` where it fails, whosever it is."""
    try:
        yield from importer.read(source, options)
    except (DeskroomError, GeneratorExit):
        raise
    except Exception as error:  # noqa: BLE001 - code of anybody, and input of anybody
        problem = (
            f"this is not as the importer {importer.name!r} expects it: "
            f"{type(error).__name__}: {str(error)[:200]}"
        )
        raise FileError(source.path, problem, kind="format") from None


# --- what must be held as a whole --------------------------------------------------------------


def _held(
    items: Iterable[tuple[Source, Yielded]], importer: Importer
) -> list[tuple[Source, Yielded]]:
    """Return all of it: rows sorted, later versions in the place of the first, the rest in front."""
    rows: list[tuple[Source, Record]] = []
    rest: list[tuple[Source, Yielded]] = []
    at_id: dict[str, int] = {}
    size = 0
    for source, item in items:
        if isinstance(item, Handoff):
            _attach(rows, rest, source, item)
            continue
        if not isinstance(item, Record):
            rest.append((source, item))
            continue
        size += len(plain_text(item.text))
        if len(rows) >= MOST_HELD_ROWS or size > MOST_HELD_BYTES:
            raise FileError(
                source.path, _too_much(importer), line=item.place.line, kind="too_large"
            )
        at = None if item.id is None else at_id.get(item.id)
        if at is not None and (item.edit or importer.same_id == "replace"):
            rows[at] = (source, evolve(item, order=rows[at][1].order, edit=False))
            continue
        if item.id is not None and at is None:
            at_id[item.id] = len(rows)
        rows.append((source, item))
    if importer.is_sorted:
        try:
            rows.sort(key=lambda pair: pair[1].order)
        except TypeError:
            raise FileError(rows[0][0].path, "its rows cannot be put in order") from None
    return [*rest, *rows]


def _attach(
    rows: list[tuple[Source, Record]],
    rest: list[tuple[Source, Yielded]],
    source: Source,
    item: Handoff,
) -> None:
    if rows and rows[-1][1].by.key == item.by:
        rows[-1] = (rows[-1][0], evolve(rows[-1][1], handoff=item.to))
    else:
        rest.append((source, Left("hand-off", item.place)))


def _too_much(importer: Importer) -> str:
    return (
        f"rows of {importer.name} have to be held to put them in order: {MOST_HELD_ROWS} of them, "
        f"or {MOST_HELD_BYTES >> 20} MiB, at most"
    )


# --- a pass over the rows ----------------------------------------------------------------------


class _Reading:
    """One pass: records in, rows out."""

    def __init__(self, room: ImportedRoom, left: LeftOut) -> None:
        self._room = room
        self._left = left
        self._ids = {member.key: member.id for member in room.members}
        self._kinds = {member.key: member.kind for member in room.members}
        self._names = names_for(room.cast, room.members, room.wishes)
        self._seen = Seen()
        self._numbers = count(1)

    def rows(self, mentioned: dict[str, str]) -> Iterator[ImportedRow]:
        """Yield the rows. One is held back, for a hand-off may follow it."""
        last: ImportedRow | None = None
        last_key = ""
        for source, item in self._room.items():
            if isinstance(item, Left):
                self._leave(source, item)
            elif isinstance(item, Handoff):
                if last is not None and last_key == item.by:
                    last = evolve(last, handoff=self._handed(item.to))
                else:
                    self._leave(source, Left("hand-off", item.place))
            elif isinstance(item, Record):
                row = self._row(source, item)
                if row is None:
                    continue
                if last is not None:
                    yield last
                last, last_key = row, item.by.key
        mentioned.update(self._names.used)
        if last is not None:
            yield last

    def _row(self, source: Source, record: Record) -> ImportedRow | None:
        text, to, utterance = record.text, record.to, None
        if record.calls:
            utterance, left = said_by(record)
            for one in left:
                self._leave(source, one)
            if utterance is None:
                return None
            if not is_blank(plain_text(record.text)):
                self._leave(source, Left("narration", record.place))
            text = utterance.message
            to = utterance.to if isinstance(utterance, Dm) else _marked(text, to)
        elif is_blank(plain_text(text)):
            self._leave(source, Left("blank", record.place))
            return None
        elif self._room.cast.speaks_by_calls(record.by.key):
            self._leave(source, Left("narration", record.place))
            return None
        if self._is_known(source, record, text):
            return None
        written = self._names.rewritten(text)
        fault = self._fault(plain_text(text), written)
        if fault is not None:
            self._leave(source, Left(fault, record.place))
            return None
        return ImportedRow(
            number=next(self._numbers),
            author=self._ids[record.by.key],
            kind=self._kinds[record.by.key],
            text=written,
            to=self._readers(record.by.key, to),
            handoff=None if record.handoff is None else self._handed(record.handoff),
            completes=record.completes or isinstance(utterance, CompleteEpisode),
            broadcasts=isinstance(utterance, Broadcast),
            place=self._placed(source, record.place),
        )

    def _leave(self, source: Source, left: Left) -> None:
        self._left.add(evolve(left, place=self._placed(source, left.place)))

    def _placed(self, source: Source, place: Place) -> Place:
        if len(self._room.sources) == 1 or place.file:
            return place
        return evolve(place, file=source.path)

    def _is_known(self, source: Source, record: Record, text: object) -> bool:
        """Whether this message was there before. Raises ``FileError`` for one that differs."""
        if record.id is None:
            return False
        said = text if isinstance(text, str) else plain_text(record.text)
        same = self._seen.add(record.id, f"{record.by.key}\0{said}\0{record.to}")
        if same is None:
            return False
        if not same:
            problem = f"the message {record.id[:60]!r} is there twice, with another text"
            raise source.error(record.place, problem, kind="same_id")
        self._left.repeated += 1
        return True

    def _fault(self, said: str, written: str) -> str | None:
        """Return the host's word for a text that it would refuse."""
        if not is_text(said):
            return CallFault.BAD_ARGUMENTS
        most = self._room.max_message_bytes
        if byte_length(said) > most or byte_length(written) > most:
            return CallFault.MESSAGE_TOO_LARGE
        return None

    def _readers(self, author: str, to: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """Return the seats of a private row; None for the room, which everybody's list is."""
        if to is None:
            return None
        keys = [self._room.cast.key_of(name) for name in to]
        if {author, *keys} >= self._room.cast.participants:
            return None
        seats = (self._ids[key] for key in keys if self._kinds.get(key) == "agent")
        return tuple(dict.fromkeys(id for id in seats if id != self._ids[author]))

    def _handed(self, name: str) -> str:
        return self._ids.get(self._room.cast.key_of(name), name)


def _marked(text: str, to: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Return to whom a post of ours went that marks itself as an aside: those it names."""
    if to is None and trim_start(text).startswith(_ASIDE):
        return tuple(token.name for token in tokens(text))
    return to
