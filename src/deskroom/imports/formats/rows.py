"""``rows``: the neutral form that any script can write, and rows in deskroom's own wire form.

One object a line: ``{"author", "text", "to"?}``; or the wire form, alone or behind the header of an
imported transcript. Any other key is an error that names it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from deskroom.errors import WireError, hint
from deskroom.imports.importer import Match, Options
from deskroom.imports.records import Left, Place, Record, Speaker, Yielded
from deskroom.imports.source import Source
from deskroom.runs.header import TranscriptHeader, is_header
from deskroom.wire import row_in

name: Final = "rows"
reads: Final = "lines of author, text, to; rows in deskroom's wire form"
looks_for: Final = "objects with `author` and `text`, or rows in the wire form"
example: Final = "deskroom import rows.jsonl -o run.jsonl"
is_sorted: Final = False
same_id: Final = "error"

_KEYS: Final = ("author", "text", "to")
_WIRE: Final = frozenset(("sequence", "chat_id", "parent", "author", "content", "audience"))


def sniff(source: Source) -> Match | None:
    """Say whether this is such a file."""
    first = next(iter(source.samples(1)), None)
    if not isinstance(first, dict):
        return None
    if is_header(first):
        return Match("the header of an imported transcript")
    if first.keys() == _WIRE:
        return Match("rows in the wire form")
    if {"author", "text"} <= first.keys() and isinstance(first["author"], str):
        return Match("objects with `author` and `text`", sure=first.keys() <= set(_KEYS))
    return None


def read(source: Source, options: Options) -> Iterator[Yielded]:  # noqa: ARG001 - one room
    """Yield the rows."""
    for place, value in source.values():
        if not isinstance(value, dict):
            raise source.error(place, "a row must be an object with `author` and `text`")
        if is_header(value):
            yield from _members(source, place, value)
        elif value.keys() == _WIRE:
            yield from _wire(source, place, value)
        else:
            yield _plain(source, place, value)


def _members(source: Source, place: Place, value: object) -> Iterator[Speaker]:
    """Yield who is on the desk of a transcript that was imported before."""
    try:
        header = TranscriptHeader.from_json(value)
    except WireError as error:
        raise source.error(place, f"this is not the header of a transcript: {error}") from None
    names = {one.id: one.name for one in header.speakers}
    for seat in header.seats:
        yield Speaker(key=seat.id, handle=seat.id, name=names.get(seat.id, seat.id), kind="agent")
    for person in header.people:
        name = names.get(person.id, person.label)
        yield Speaker(key=f"person:{person.id}", handle=person.id, name=name, kind="person")


def _plain(source: Source, place: Place, value: Mapping[str, Any]) -> Record:
    for key in value:
        if key not in _KEYS:
            problem = f"a row has the keys author, text and to; {key!r} is none of them"
            raise source.error(place, problem + hint(key, _KEYS))
    for key in ("author", "text"):
        if not isinstance(value.get(key), str):
            raise source.error(place, f"a row needs `{key}`, a string")
    to = value.get("to")
    if "to" in value and not (isinstance(to, list) and all(isinstance(one, str) for one in to)):
        raise source.error(place, "`to` must be a list of strings; leave it out for the room")
    author = value["author"]
    return Record(
        by=Speaker(key=author, name=author),
        text=value["text"],
        to=None if to is None else tuple(to),
        place=place,
    )


def _wire(source: Source, place: Place, value: Mapping[str, Any]) -> Iterator[Yielded]:
    try:
        row = row_in(value)
    except WireError as error:
        raise source.error(place, f"this is not a row: {error}") from None
    if row.author.id is None:
        yield Left(kind=f"{row.author.type} row", place=place)
        return
    is_person = row.author.type == "person"
    yield Record(
        by=Speaker(
            key=f"person:{row.author.id}" if is_person else row.author.id,
            handle=row.author.id,
            kind="person" if is_person else "agent",
        ),
        text=row.content,
        to=None if row.audience.kind == "desk" else tuple(row.audience.members),
        place=place,
    )
