"""``telegram``: a chat, or all of them, as Telegram Desktop exports them in JSON.

A text is a string, or a list of strings and entities: code gets its backticks back, a link its
address, and a mention by name becomes one of ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from deskroom.imports.importer import Match, Options, pick_room
from deskroom.imports.picks import list_at, object_at, string_at
from deskroom.imports.records import Left, Mark, Place, Record, Speaker, Text, Yielded
from deskroom.imports.source import Source

name: Final = "telegram"
reads: Final = "Telegram Desktop: result.json of one chat, or of a whole account"
looks_for: Final = "a chat with `type`, `id` and `messages` that have `from_id`, or `chats`"
example: Final = "deskroom import result.json -o run.jsonl"
is_sorted: Final = False
same_id: Final = "error"

_TICKS: Final = re.compile("`+")
_TYPES: Final = frozenset(("message", "service"))


def sniff(source: Source) -> Match | None:
    """Say whether this is such an export."""
    if source.shape != "json":
        return None
    value = next(iter(source.samples(1)), None)
    if not isinstance(value, dict):
        return None
    if _chats(value):
        return Match("an account with `chats`")
    messages = list_at(value, "messages")
    looks = "id" in value and "type" in value and bool(messages)
    if looks and all(_is_message(one) for one in messages[:20]):
        return Match("a chat with messages by `from_id`")
    return None


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and value.get("type") in _TYPES and "date" in value


def _chats(document: object) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = [
        chat
        for key in ("chats", "left_chats")
        for chat in list_at(object_at(document, key), "list")
        if isinstance(chat, dict) and isinstance(chat.get("messages"), list)
    ]
    return found if object_at(document, "chats") else []


def read(source: Source, options: Options) -> Iterator[Yielded]:
    """Yield the messages of a chat, in the order of the file."""
    document = source.json()
    chats = _chats(document) or [document]
    names = _names(chats)
    room = pick_room(source, names, options.room, noun="chat")
    chat = chats[names.index(room)] if room in names else chats[0]
    for at, value in enumerate(list_at(chat, "messages")):
        place = Place(pointer=f"/messages/{at}")
        if not _is_message(value):
            raise source.error(place, "a message of Telegram has a `type` and a `date`")
        yield from _message(place, value)


def _names(chats: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what each chat is called; of several of one name, with their ids."""
    names = [string_at(chat, "name") or string_at(chat, "type") or "chat" for chat in chats]
    return [
        one if names.count(one) == 1 else f"{one} {chat.get('id')}"
        for one, chat in zip(names, chats, strict=True)
    ]


def _message(place: Place, value: Mapping[str, Any]) -> Iterator[Yielded]:
    if value["type"] == "service":
        yield Left("system", place)
        return
    pieces = tuple(_pieces(value.get("text")))
    said = any(isinstance(piece, Mark) or piece.strip() for piece in pieces)
    shown = list(_shown(value))
    if said and shown:
        yield Left(shown[0][0], place, len(shown))
    text: Text = pieces if said else "\n".join(label for _, label in shown)
    key = string_at(value, "from_id") or string_at(value, "from", "actor") or "unknown"
    number = value.get("id")
    id_ = str(number) if isinstance(number, int) else None
    author = Speaker(key=key, name=string_at(value, "from") or key)
    yield Record(by=author, text=text, id=id_, place=place)


# --- texts -------------------------------------------------------------------------------------


def _pieces(text: object) -> Iterator[str | Mark]:
    for piece in text if isinstance(text, list) else [text]:
        if isinstance(piece, str):
            yield piece
        elif isinstance(piece, dict):
            yield _entity(piece)


def _entity(piece: Mapping[str, Any]) -> str | Mark:
    text = string_at(piece, "text")
    match string_at(piece, "type"):
        case "mention_name" if isinstance(piece.get("user_id"), int):
            return Mark(key=f"user{piece['user_id']}", otherwise=text)
        case "code":
            return _ticked(text)
        case "pre":
            fence = "`" * max(3, _longest(text) + 1)
            return f"{fence}{string_at(piece, 'language')}\n{text.rstrip(chr(10))}\n{fence}"
        case "text_link" if string_at(piece, "href") not in {"", text}:
            return f"{text} ({string_at(piece, 'href')})"
        case _:
            return text


def _ticked(text: str) -> str:
    ticks = "`" * (_longest(text) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _longest(text: str) -> int:
    return max((len(run) for run in _TICKS.findall(text)), default=0)


def _shown(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what a message shows beside its text: what it is, and how it is told."""
    if value.get("photo"):
        yield "photo", "[photo]"
    if string_at(value, "media_type") == "sticker":
        emoji = string_at(value, "sticker_emoji")
        yield "sticker", f"[sticker: {emoji}]" if emoji else "[sticker]"
    elif value.get("file"):
        named = string_at(value, "file_name") or _base(string_at(value, "file"))
        what = named or string_at(value, "media_type").replace("_", " ")
        yield "file", f"[file: {what}]" if what else "[file]"
    question = string_at(object_at(value, "poll"), "question")
    if question:
        yield "poll", f"[poll: {question}]"
    if object_at(value, "location_information"):
        place = string_at(value, "place_name")
        yield "location", f"[location: {place}]" if place else "[location]"
    contact = object_at(value, "contact_information")
    if contact:
        shown = f"{string_at(contact, 'first_name')} {string_at(contact, 'last_name')}".strip()
        yield "contact", f"[contact: {shown}]" if shown else "[contact]"


def _base(path: str) -> str:
    """Return the name of a file that is there; of one that is not, a sentence stands in its place."""
    return "" if path.startswith("(") else path.rpartition("/")[2]
