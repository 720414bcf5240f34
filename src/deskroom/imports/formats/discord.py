"""``discord``: a channel as DiscordChatExporter writes it in JSON.

Mentions stand in the text as ``@nickname``, or as ``<@id>`` where the exporter was told not to resolve
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from deskroom.imports.importer import Match, Options
from deskroom.imports.picks import list_at, object_at, string_at
from deskroom.imports.records import Left, Mark, Place, Record, Speaker, Text, Yielded
from deskroom.imports.source import Source

name: Final = "discord"
reads: Final = "DiscordChatExporter 2: a channel in JSON"
looks_for: Final = "a document with `guild`, `channel` and `messages`"
example: Final = "deskroom import kiln.json -o run.jsonl"
is_sorted: Final = True
same_id: Final = "error"

_MARK: Final = re.compile(r"<@!?(\d+)>")
#: What people and bots write; every other type is told by Discord itself. A number is a type that
#: the exporter did not know: 20 and 23 are commands, which a bot answers.
_SAID: Final = frozenset(
    (
        "Default",
        "Reply",
        "ChatInputCommand",
        "ContextMenuCommand",
        "ThreadStarterMessage",
        "20",
        "23",
    )
)


def sniff(source: Source) -> Match | None:
    """Say whether this is such a file."""
    if source.shape != "json":
        return None
    value = next(iter(source.samples(1)), None)
    if not isinstance(value, dict) or not {"channel", "messages"} <= value.keys():
        return None
    if "guild" in value and isinstance(value["channel"], dict):
        return Match("an export with `guild`, `channel` and `messages`")
    return None


def read(source: Source, options: Options) -> Iterator[Yielded]:  # noqa: ARG001 - one room
    """Yield the messages; they are sorted by their time, and then by their id."""
    document = source.json()
    for at, value in enumerate(list_at(document, "messages")):
        place = Place(pointer=f"/messages/{at}")
        if not isinstance(value, dict) or not object_at(value, "author"):
            raise source.error(place, "a message of Discord has an `author`")
        yield from _message(source, place, value)


def _message(source: Source, place: Place, value: Mapping[str, Any]) -> Iterator[Yielded]:
    kind = value.get("type")
    if str(kind) not in _SAID:
        # A join is told like a topic or a pin: the export has no more of it than a sentence.
        yield Left("system", place)
        return
    mentioned = {}
    for one in list_at(value, "mentions"):
        speaker = _speaker(one)
        mentioned[speaker.key] = speaker
        yield speaker
    content = string_at(value, "content")
    shown = list(_shown(value))
    if content.strip() and shown:
        yield Left("file", place, len(shown))
    text: Text = _text(content, mentioned) if content.strip() else "\n".join(shown)
    yield Record(
        by=_speaker(value["author"]),
        text=text,
        id=string_at(value, "id") or None,
        place=place,
        order=_order(source, place, value),
    )


def _speaker(value: object) -> Speaker:
    handle = string_at(value, "name")
    shown = string_at(value, "nickname") or handle
    key = string_at(value, "id") or handle
    return Speaker(key=key, name=shown, handle=handle or None)


def _order(source: Source, place: Place, value: Mapping[str, Any]) -> tuple[Any, ...]:
    stamp, id_ = string_at(value, "timestamp"), string_at(value, "id")
    try:
        when = datetime.fromisoformat(stamp)
    except ValueError:
        raise source.error(place, "a message of Discord has a `timestamp`") from None
    when = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    return when.isoformat(timespec="microseconds"), len(id_), id_


def _text(content: str, mentioned: Mapping[str, Speaker]) -> Text:
    pieces: list[str | Mark] = []
    at = 0
    for found in _MARK.finditer(content):
        key = found[1]
        otherwise = f"@{mentioned[key].name}" if key in mentioned else found[0]
        pieces += [content[at : found.start()], Mark(key=key, otherwise=otherwise)]
        at = found.end()
    return (*pieces, content[at:])


def _shown(value: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a message shows beside its text."""
    for one in list_at(value, "attachments"):
        named = string_at(one, "fileName")
        yield f"[file: {named}]" if named else "[file]"
    for one in list_at(value, "stickers"):
        yield f"[sticker: {string_at(one, 'name')}]"
    question = string_at(object_at(object_at(value, "poll"), "question"), "text")
    if question:
        yield f"[poll: {question}]"
