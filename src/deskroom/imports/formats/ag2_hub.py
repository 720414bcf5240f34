"""``ag2-hub``: the folder of an AG2 1.x Hub on disk, or one channel's ``wal.jsonl``.

Passports tell names and who is a person, a channel's metadata who takes part. ``audience`` is who
could read an envelope beside its sender; null is the room. All that is neither a text nor a packet
of a workflow is left out under its own event type.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from deskroom.imports.importer import Match, Options, pick_room
from deskroom.imports.picks import list_at, object_at, sole_string, string_at
from deskroom.imports.records import Kind, Left, Place, Record, Speaker, Yielded
from deskroom.imports.source import Source

name: Final = "ag2-hub"
reads: Final = "AG2 1.x: the folder of a Hub, or a channel's wal.jsonl"
looks_for: Final = "a folder with `channels/ID/wal.jsonl`, or envelopes with `sender_id`"
example: Final = "deskroom import hub/ --room CHANNEL -o run.jsonl"
is_sorted: Final = False
same_id: Final = "error"

_WAL: Final = re.compile(r"(?P<root>(?:.*/)?)channels/(?P<channel>[^/]+)/wal\.jsonl")
_ENVELOPE: Final = frozenset(("channel_id", "sender_id", "audience", "event_type", "event_data"))
_TEXT: Final = "ag2.msg.text"
_PACKET: Final = "ag2.packet"
_KINDS: Final[Mapping[str, Kind]] = {"human": "person"}


def sniff(source: Source) -> Match | None:
    """Say whether this is such a folder or file."""
    if any(_WAL.fullmatch(member) for member in source.members()):
        return Match("a folder with `channels/ID/wal.jsonl`")
    values = source.samples()
    if values and all(isinstance(value, dict) and value.keys() >= _ENVELOPE for value in values):
        return Match("envelopes with `sender_id` and `event_type`")
    return None


def read(source: Source, options: Options) -> Iterator[Yielded]:
    """Yield the envelopes of one channel."""
    wals = [found for member in source.members() if (found := _WAL.fullmatch(member))]
    if not wals:
        yield from _loose(source, options)
        return
    channel = pick_room(source, (wal["channel"] for wal in wals), options.room, noun="channel")
    wal = next(wal for wal in wals if wal["channel"] == channel)
    known = _passports(source, wal["root"])
    metadata = f"{wal['root']}channels/{channel}/metadata.json"
    if metadata in source.members():
        for one in list_at(source.member(metadata).json(), "participants"):
            if key := string_at(one, "agent_id"):
                yield known.get(key) or Speaker(key=key, name=key)
    member = source.member(wal[0])
    for place, value in member.json_lines():
        yield from _envelope(source, place, value, known)
    for line, problem in member.warnings:
        source.warn(line, f"{wal[0]}: {problem}")


def _loose(source: Source, options: Options) -> Iterator[Yielded]:
    """Yield the envelopes of a file of them, whose senders have no names."""
    if source.shape not in {"json", "jsonl"}:
        raise source.error(Place(), "this is no folder with `channels/ID/wal.jsonl`")
    rooms = dict.fromkeys(string_at(value, "channel_id") for _, value in source.values())
    channel = pick_room(source, rooms, options.room, noun="channel")
    for place, value in source.values():
        if string_at(value, "channel_id") == channel:
            yield from _envelope(source, place, value, {})


def _passports(source: Source, root: str) -> Mapping[str, Speaker]:
    known = {}
    for member in source.members():
        if member.startswith(f"{root}agents/") and member.endswith("/passport.json"):
            passport = object_at(source.member(member).json())
            key = string_at(passport, "agent_id") or member.split("/")[-2]
            kind = _KINDS.get(string_at(passport, "kind"), "agent")
            known[key] = Speaker(key=key, name=string_at(passport, "name"), kind=kind)
    return known


def _envelope(
    source: Source, place: Place, value: object, known: Mapping[str, Speaker]
) -> Iterator[Yielded]:
    kind, sender = string_at(value, "event_type"), string_at(value, "sender_id")
    if not isinstance(value, dict) or not kind or not sender:
        raise source.error(place, "an envelope needs `event_type` and `sender_id`, strings")
    data = object_at(value, "event_data")
    text = {_TEXT: data.get("text"), _PACKET: data.get("body")}.get(kind)
    handoff = None
    if kind == _PACKET:
        routing = object_at(data, "routing")
        if string_at(routing, "kind") == "handoff":
            handoff = string_at(routing, "target") or None
    if kind not in {_TEXT, _PACKET} or (kind == _PACKET and not sole_string(text).strip()):
        yield Left(kind, place)
        return
    if not isinstance(text, str):
        raise source.error(place, "the text of an envelope must be a string")
    yield Record(
        by=known.get(sender) or Speaker(key=sender, name=sender),
        text=text,
        to=_readers(source, place, value, sender),
        id=string_at(value, "envelope_id") or None,
        handoff=handoff,
        place=place,
    )


def _readers(
    source: Source, place: Place, value: Mapping[str, Any], sender: str
) -> tuple[str, ...] | None:
    audience = value.get("audience")
    if audience is None:
        return None
    if not isinstance(audience, list) or not all(isinstance(one, str) for one in audience):
        raise source.error(place, "`audience` must be null or a list of ids")
    return tuple(one for one in audience if one != sender)
