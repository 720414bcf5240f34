"""Who is in the room: what a first pass over the input learns of everybody in it.

Ids are given when all are known, in the order of the first row of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from attrs import define, field, frozen

from deskroom.core.roster import Person
from deskroom.core.text import is_blank, slug
from deskroom.engine.setup import Seat
from deskroom.errors import FileError, UsageError, hint
from deskroom.imports.ids import RESERVED, free_id, id_from
from deskroom.imports.limits import MOST_SPEAKERS
from deskroom.imports.mentions import Names, plain_text
from deskroom.imports.records import Kind, Record, Speaker
from deskroom.imports.said import said_by
from deskroom.printable import control_in
from deskroom.speech.utterance import Dm

__all__ = ["Cast", "Member", "Wishes", "desk_of", "names_for"]

_PEOPLE: Final = frozenset(("user", "human"))


@frozen(kw_only=True)
class Wishes:
    """What the user said of speakers: who is a person, who a seat, and whose id is which.

    ``people`` and ``seats`` are ids, names or keys; ``ids`` maps a name, handle or key to an id.
    ``desk_seats`` and ``desk_people`` are those of a desk that was given; empty where none was.
    """

    people: tuple[str, ...] = ()
    seats: tuple[str, ...] = ()
    ids: Mapping[str, str] = field(factory=dict)
    desk_id: str = "imported"
    desk_name: str = "Imported"
    desk_seats: tuple[Seat, ...] | None = None
    desk_people: tuple[Person, ...] = ()


@frozen(kw_only=True)
class Member:
    """A speaker with an id: a seat or a person. ``has_rows`` is false for one who only read."""

    id: str
    kind: str
    key: str
    shown: str
    has_rows: bool


@define
class _Found:
    speaker: Speaker
    first: int | None = None
    first_call: int | None = None

    @property
    def at(self) -> int | None:
        return self.first_call if self.first_call is not None else self.first


class Cast:
    """Everybody in the input, by the source's own keys."""

    def __init__(self) -> None:
        self._found: dict[str, _Found] = {}
        self._addressed: dict[str, None] = {}
        self._by_name: dict[str, str] = {}

    def meet(self, speaker: Speaker, path: str) -> None:
        """Keep a speaker; what is learnt later fills in what was not known."""
        found = self._found.get(speaker.key)
        if found is None:
            if len(self._found) >= MOST_SPEAKERS:
                problem = f"there are more than {MOST_SPEAKERS} speakers in it"
                raise FileError(path, problem, kind="too_large")
            self._found[speaker.key] = _Found(speaker)
        elif found.speaker is not speaker and found.speaker != speaker:
            found.speaker = _merged(found.speaker, speaker)

    def hear(self, record: Record, number: int, path: str) -> None:
        """Learn what a record says of its speaker and of those it went to."""
        self.meet(record.by, path)
        found = self._found[record.by.key]
        to = record.to
        if record.calls:
            said, _ = said_by(record)
            if said is not None and found.first_call is None:
                found.first_call = number
            to = said.to if isinstance(said, Dm) else to
        elif found.first is None and not is_blank(plain_text(record.text)):
            found.first = number
        for name in to or ():
            self._addressed[name] = None

    def settle(self, path: str) -> None:
        """End the pass: recipients are those whom their names mean, or somebody who only read."""
        for key, found in self._found.items():
            for name in _names_of(found.speaker):
                self._by_name.setdefault(name.lower(), key)
        keys = dict.fromkeys(self.key_of(name) for name in self._addressed)
        for key in keys:
            if key not in self._found:
                self.meet(Speaker(key=key, name=key), path)
        self._addressed = keys

    # --- what follows from it --------------------------------------------------------------

    def speaks_by_calls(self, key: str) -> bool:
        """Whether calls of our tools are recorded of a speaker: its other texts are narration."""
        return self._found[key].first_call is not None

    @property
    def participants(self) -> frozenset[str]:
        """The keys of all who take part."""
        return frozenset(self._found)

    def names_shown(self, key: str) -> tuple[str, ...]:
        """Return the names under which a text may mention a speaker."""
        speaker = self._found[key].speaker
        return tuple(name for name in (speaker.name, *speaker.also) if name)

    def key_of(self, name: str) -> str:
        """Return the key of whom a recipient or a hand-off names; the name itself for nobody."""
        if name in self._found:
            return name
        return self._by_name.get(name.removeprefix("@").lower(), name)

    def members(self, wishes: Wishes) -> tuple[Member, ...]:
        """Return those who get an id, in the order of their first rows; who only read come last.

        Raises ``UsageError`` where the user named somebody who is not there.
        """
        rows = sorted((found.at, key) for key, found in self._found.items() if found.at is not None)
        keys = [key for _, key in rows]
        keys += [key for key in self._addressed if self._found[key].at is None]
        giving = _Giving(wishes)
        members = [giving.member(self._found[key]) for key in keys]
        giving.check_all_used([name for m in members for name in (m.id, m.shown, m.key)])
        return tuple(members)


class _Giving:
    """Gives ids and kinds, one speaker after another."""

    def __init__(self, wishes: Wishes) -> None:
        self._wishes = wishes
        self._wished = {name.lower(): id for name, id in wishes.ids.items()}
        self._joined = {id.lower(): id for id in wishes.ids.values()}
        self._taken = {*RESERVED, wishes.desk_id.lower(), wishes.desk_name.lower()}
        self._kinds: dict[str, Kind] = {name.lower(): "person" for name in wishes.people}
        self._kinds |= {name.lower(): "agent" for name in wishes.seats}
        self._unused = {name.lower(): name for name in (*wishes.people, *wishes.seats)}
        self._count = 0

    def member(self, found: _Found) -> Member:
        self._count += 1
        speaker = found.speaker
        id, kind = self._given(speaker)
        return Member(
            id=id,
            kind=kind,
            key=speaker.key,
            shown=speaker.name or speaker.handle or speaker.key,
            has_rows=found.at is not None,
        )

    def _given(self, speaker: Speaker) -> tuple[str, str]:
        wished = next(
            (self._wished[n.lower()] for n in _names_of(speaker) if n.lower() in self._wished), None
        )
        base = id_from(speaker.handle or speaker.name or speaker.key) or f"speaker_{self._count}"
        if self._wishes.desk_seats is not None:
            return self._on_desk(speaker, wished, base)
        id = wished or self._joined.get(base.lower()) or free_id(base, self._taken)
        self._taken.add(id.lower())
        return id, self._kind(speaker, id)

    def _kind(self, speaker: Speaker, id: str) -> str:
        for name in (id, *_names_of(speaker)):
            if name.lower() in self._kinds:
                self._unused.pop(name.lower(), None)
                return self._kinds[name.lower()]
        if speaker.kind != "unknown":
            return speaker.kind
        return "person" if id.lower() in _PEOPLE else "agent"

    def _on_desk(self, speaker: Speaker, wished: str | None, base: str) -> tuple[str, str]:
        """Return whom of the desk that was given a speaker is."""
        names = [wished] if wished is not None else [*_names_of(speaker), base]
        kind = self._kind(speaker, base)
        seats = [
            (seat.id, "agent", (seat.id, seat.name or "")) for seat in self._wishes.desk_seats or ()
        ]
        people = [
            (p.id, "person", (p.id, p.label, slug(p.label))) for p in self._wishes.desk_people
        ]
        known = people + seats if kind == "person" else seats + people
        for id, what, called in known:
            if {name.lower() for name in names} & {name.lower() for name in called if name}:
                return id, what
        ids = [id for id, _, _ in known]
        otherwise = f"; say who it is with --map {names[0]!r}=ID"
        problem = (
            f"the desk has no seat or person {names[0]!r}{hint(base, ids, otherwise=otherwise)}"
        )
        raise UsageError(f"{problem} (there are {', '.join(ids)})")

    def check_all_used(self, known: Iterable[str]) -> None:
        """Raise for the name of a person or seat that no speaker has."""
        for name in self._unused.values():
            names = list(dict.fromkeys(known))
            raise UsageError(
                f"there is no speaker {name!r}{hint(name, names)} (there are {', '.join(names[:40])})"
            )


def _merged(old: Speaker, new: Speaker) -> Speaker:
    """Return a speaker with what is known of it now: the first name stays, others are added."""
    also = dict.fromkeys((*old.also, *new.also, *([new.name] if new.name else ())))
    also.pop(old.name or new.name, None)
    return Speaker(
        key=old.key,
        name=old.name or new.name,
        handle=old.handle or new.handle,
        kind=new.kind if old.kind == "unknown" else old.kind,
        also=tuple(also),
    )


def _names_of(speaker: Speaker) -> tuple[str, ...]:
    names = (speaker.key, speaker.handle or "", speaker.name, *speaker.also)
    return tuple(name for name in names if name)


def names_for(cast: Cast, members: Sequence[Member], wishes: Wishes) -> Names:
    """Return how a text may name the members: their keys, and the shown names that are one's own."""
    ids = {member.id.lower() for member in members}
    owners: dict[str, list[tuple[str, str]]] = {}
    for member in members:
        for name in cast.names_shown(member.key):
            owners.setdefault(name.lower(), []).append((name, member.id))
    shown = dict(wishes.ids)
    for lowered, found in owners.items():
        if lowered not in ids and len({id for _, id in found}) == 1:
            shown.setdefault(*found[0])
    return Names({**wishes.ids, **{member.key: member.id for member in members}}, shown)


def desk_of(
    members: Sequence[Member], wishes: Wishes
) -> tuple[tuple[Seat, ...], tuple[Person, ...]]:
    """Return the seats and people of the desk: the one given, or one derived from the members.

    A seat keeps its original name where that is nobody else's; a person is called by its label, so
    that has to be one that its id is made of.
    """
    if wishes.desk_seats is not None:
        return wishes.desk_seats, wishes.desk_people
    once = {member.id: member for member in reversed(members)}
    members = list(dict.fromkeys(once[member.id] for member in members))
    called = [name.lower() for m in members for name in {m.id.lower(), m.shown.lower()}]
    seats = tuple(
        Seat(id=m.id, name=m.shown if _is_own_name(m, called) else None)
        for m in members
        if m.kind == "agent"
    )
    people = tuple(
        Person(m.id, m.shown if slug(m.shown) == m.id.lower() else m.id)
        for m in members
        if m.kind == "person"
    )
    return seats, people


def _is_own_name(member: Member, called: Sequence[str]) -> bool:
    return (
        member.shown != member.id
        and control_in(member.shown) is None
        and not is_blank(member.shown)
        and called.count(member.shown.lower()) == 1
        and member.shown.lower() not in RESERVED
    )
