"""The header of a transcript that was imported: its first line, before rows in the wire form.

It names the source, who is on the desk, what could not be carried, and what the source recorded
beside the texts: hand-offs and completions, by the number of their row.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from attrs import field, frozen

from deskroom.core.directory import Directory
from deskroom.core.roster import Desk, DeskSet, Member, Person, Roster
from deskroom.engine.setup import Seat
from deskroom.errors import WireError
from deskroom.wire import Fields

__all__ = ["TRANSCRIPT", "InputFile", "LeftKind", "SpeakerName", "TranscriptHeader", "is_header"]

#: The first key of the header; its value is the version of the header.
TRANSCRIPT: Final = "transcript"
_VERSION: Final = 1


@frozen(kw_only=True)
class InputFile:
    """One file that was read: its name, and the SHA-256 of its bytes, as ``sha256:…``."""

    name: str
    digest: str


@frozen(kw_only=True)
class LeftKind:
    """One kind of thing that no row could say: how many there were, and where the first."""

    kind: str
    count: int
    first: str


@frozen(kw_only=True)
class SpeakerName:
    """What the source calls somebody: its own key, and the name shown."""

    id: str
    key: str
    name: str


@frozen(kw_only=True)
class TranscriptHeader:
    """What is known of an imported transcript beside its rows.

    ``format`` and ``version`` are those of the importer; ``room`` is the one that was named.
    ``handoffs`` maps a row's number to whom the source handed the turn to (an id, or the source's
    own name for somebody without one); ``completions`` and ``broadcasts`` are numbers of rows.
    ``repeated`` counts messages that were stored twice and are there once. ``directory`` has the
    names of the desk.
    """

    format: str
    version: str
    room: str | None = None
    files: tuple[InputFile, ...]
    desk_id: str
    desk_name: str
    seats: tuple[Seat, ...]
    people: tuple[Person, ...]
    speakers: tuple[SpeakerName, ...] = ()
    left: tuple[LeftKind, ...] = ()
    repeated: int = 0
    handoffs: Mapping[int, str] = field(factory=dict)
    completions: frozenset[int] = frozenset()
    broadcasts: tuple[int, ...] = ()

    directory: Directory = field(init=False, eq=False, repr=False)

    @directory.default
    def _directory(self) -> Directory:
        members = tuple(Member(seat.id, seat.name) for seat in self.seats)
        desk = Desk(self.desk_id, self.desk_name, tuple(seat.id for seat in self.seats))
        return Directory(Roster(members, self.people), DeskSet((desk,)))

    def to_json(self) -> dict[str, Any]:
        """Return it as the object of the first line."""
        return {
            TRANSCRIPT: _VERSION,
            "format": self.format,
            "version": self.version,
            "room": self.room,
            "input": [{"name": file.name, "digest": file.digest} for file in self.files],
            "desk": {
                "id": self.desk_id,
                "name": self.desk_name,
                "seats": [{"id": seat.id, "name": seat.name} for seat in self.seats],
                "people": [{"id": person.id, "label": person.label} for person in self.people],
            },
            "speakers": [{"id": one.id, "key": one.key, "name": one.name} for one in self.speakers],
            "left": [
                {"kind": one.kind, "count": one.count, "first": one.first} for one in self.left
            ],
            "repeated": self.repeated,
            "handoffs": [{"row": row, "to": to} for row, to in self.handoffs.items()],
            "completions": sorted(self.completions),
            "broadcasts": list(self.broadcasts),
        }

    @classmethod
    def from_json(cls, value: object) -> TranscriptHeader:
        """Read a first line. Raises ``WireError`` for anything else."""
        fields = Fields(value, "the header")
        if fields.number(TRANSCRIPT) != _VERSION:
            raise WireError(f"must be {_VERSION}", path=TRANSCRIPT)
        desk = fields.object("desk")
        return cls(
            format=fields.text("format"),
            version=fields.text("version"),
            room=fields.maybe_text("room"),
            files=tuple(
                InputFile(name=one.text("name"), digest=one.text("digest"))
                for one in fields.objects("input")
            ),
            desk_id=desk.text("id"),
            desk_name=desk.text("name"),
            seats=tuple(
                Seat(id=one.text("id"), name=one.maybe_text("name"))
                for one in desk.objects("seats")
            ),
            people=tuple(
                Person(one.text("id"), one.text("label")) for one in desk.objects("people")
            ),
            speakers=tuple(
                SpeakerName(id=one.text("id"), key=one.text("key"), name=one.text("name"))
                for one in fields.objects("speakers")
            ),
            left=tuple(
                LeftKind(kind=one.text("kind"), count=one.number("count"), first=one.text("first"))
                for one in fields.objects("left")
            ),
            repeated=fields.number("repeated"),
            handoffs={one.number("row"): one.text("to") for one in fields.objects("handoffs")},
            completions=frozenset(_numbers(fields, "completions")),
            broadcasts=_numbers(fields, "broadcasts"),
        )


def _numbers(fields: Fields, key: str) -> tuple[int, ...]:
    values = fields.raw(key)
    if type(values) is not list or any(type(value) is not int for value in values):
        raise WireError("must be a list of integers", path=key, code="type")
    return tuple(values)


def is_header(value: object) -> bool:
    """Whether a line's object is the header of an imported transcript."""
    return isinstance(value, dict) and TRANSCRIPT in value
