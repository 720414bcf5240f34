"""``slack``: the export of a workspace, as a folder or a zip, or one day of one channel.

A channel is a folder with a file for each day. What Slack writes in place of a name, a link or a
character is read back; threads stand where their messages were sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from typing import Any, Final

from deskroom.imports.importer import Match, Options, pick_room
from deskroom.imports.picks import list_at, object_at, string_at
from deskroom.imports.records import Left, Mark, Place, Record, Speaker, Text, Yielded
from deskroom.imports.source import Source

name: Final = "slack"
reads: Final = "Slack: the export of a workspace (folder or zip), or one day of a channel"
looks_for: Final = "a folder or zip with `users.json` and a folder a channel, or messages with `ts`"
example: Final = "deskroom import export.zip --room kiln -o run.jsonl"
is_sorted: Final = True
same_id: Final = "error"

_DAY: Final = re.compile(r"(?:(?P<top>.*)/)?(?P<room>[^/]+)/\d{4}-\d\d-\d\d\.json\Z")
_LISTS: Final = ("channels", "groups", "mpims", "dms")
#: What Slack puts between angle brackets: a mention, a channel, a link, or something special.
_TOKEN: Final = re.compile(r"<([^<>\n]*)>")
_TS: Final = re.compile(r"(\d+)(?:\.(\d+))?\Z")
_JOINS: Final = frozenset(
    ("channel_join", "channel_leave", "group_join", "group_leave", "channel_convert_to_private")
)
#: Subtypes of messages that somebody wrote; any other is the system's.
_SAID: Final = frozenset(
    (
        "bot_message",
        "file_comment",
        "file_share",
        "me_message",
        "reply_broadcast",
        "slackbot_response",
        "thread_broadcast",
    )
)
_EVERYBODY: Final = frozenset(("here", "channel", "everyone"))

Users = Mapping[str, Speaker]


def sniff(source: Source) -> Match | None:
    """Say whether this is such an export."""
    if source.shape in {"folder", "zip"}:
        members = source.members()
        has_users = any(member.rpartition("/")[2] == "users.json" for member in members)
        days = any(_DAY.match(member) for member in members)
        return Match("days of channels beside `users.json`") if has_users and days else None
    if source.shape not in {"json", "jsonl"}:
        return None
    values = source.samples()
    if values and all(_is_message(value) for value in values):
        return Match("messages with a `ts` of Slack")
    return None


def _is_message(value: object) -> bool:
    return (
        isinstance(value, dict)
        and value.get("type") == "message"
        and isinstance(value.get("ts"), str)
        and _TS.match(value["ts"]) is not None
    )


def read(source: Source, options: Options) -> Iterator[Yielded]:
    """Yield the messages of a channel, day by day; they are sorted by their time."""
    if source.shape not in {"folder", "zip"}:
        for place, value in source.values():
            yield from _message(source, place, value, {}, {}, {})
        return
    days = [(found["room"], member) for member in source.members() if (found := _DAY.match(member))]
    room = pick_room(
        source, list(dict.fromkeys(one for one, _ in days)), options.room, noun="channel"
    )
    users, bots, channels = _directory(source)
    for of, member in days:
        if of != room:
            continue
        for place, value in source.member(member).values():
            where = Place(place.line, place.pointer, member)
            yield from _message(source, where, value, users, bots, channels)


# --- who and where -----------------------------------------------------------------------------


def _directory(source: Source) -> tuple[Users, Mapping[str, str], Mapping[str, str]]:
    """Return the users by id, the ids of users by that of their bot, and the channels' names."""
    users: dict[str, Speaker] = {}
    bots: dict[str, str] = {}
    channels: dict[str, str] = {}
    for member in source.members():
        kind = member.rpartition("/")[2].removesuffix(".json")
        if kind == "users":
            for user in _objects(source.member(member)):
                speaker = _speaker(user)
                users[speaker.key] = speaker
                bot = string_at(object_at(user, "profile"), "bot_id")
                if bot:
                    bots[bot] = speaker.key
        elif kind in _LISTS:
            for channel in _objects(source.member(member)):
                channels[string_at(channel, "id")] = string_at(channel, "name")
    return users, bots, channels


def _objects(source: Source) -> Iterator[Mapping[str, Any]]:
    if source.shape in {"json", "jsonl"}:
        yield from (value for _, value in source.values() if isinstance(value, dict))


def _speaker(user: Mapping[str, Any]) -> Speaker:
    profile = object_at(user, "profile")
    handle = string_at(user, "name")
    shown = string_at(profile, "real_name") or string_at(user, "real_name") or handle
    also = tuple(one for one in [string_at(profile, "display_name")] if one)
    return Speaker(key=string_at(user, "id"), name=shown, handle=handle or None, also=also)


def _author(value: Mapping[str, Any], users: Users, bots: Mapping[str, str]) -> Speaker:
    bot = string_at(value, "bot_id")
    key = string_at(value, "user") or bots.get(bot, "") or bot or string_at(value, "username")
    if key in users:
        return users[key]
    profile = object_at(value, "user_profile", "bot_profile")
    shown = string_at(value, "username") or string_at(profile, "real_name", "display_name", "name")
    return Speaker(key=key, name=shown or key, handle=string_at(profile, "name") or None)


# --- messages ----------------------------------------------------------------------------------


def _message(
    source: Source,
    place: Place,
    value: object,
    users: Users,
    bots: Mapping[str, str],
    channels: Mapping[str, str],
) -> Iterator[Yielded]:
    if not _is_message(value):
        raise source.error(place, 'a message of Slack has `"type": "message"` and a `ts`')
    assert isinstance(value, dict)  # noqa: S101 - it was looked at just now
    subtype = string_at(value, "subtype")
    if subtype == "message_changed":
        inner = {"type": "message", **object_at(value, "message")}
        if _is_message(inner):
            for one in _message(source, place, inner, users, bots, channels):
                yield _edited(one)
        return
    if subtype in {"message_deleted", "tombstone"}:
        yield Left("deleted", place)
        return
    if subtype in _JOINS:
        yield Left("joined or left", place)
        return
    if subtype and subtype not in _SAID:
        yield Left("system", place)
        return
    files = list_at(value, "files") or (
        [value["file"]] if isinstance(value.get("file"), dict) else []
    )
    raw = string_at(value, "text")
    if raw.strip() and files:
        yield Left("file", place, len(files))
    text: Text = _text(raw, channels)
    if not raw.strip():
        text = _instead(value, files, channels)
    ts = value["ts"]
    author = _author(value, users, bots)
    yield Record(by=author, text=text, id=ts, place=place, order=_order(ts))


def _edited(one: Yielded) -> Yielded:
    if not isinstance(one, Record):
        return one
    return Record(by=one.by, text=one.text, id=one.id, place=one.place, order=one.order, edit=True)


def _order(ts: str) -> tuple[int, int]:
    found = _TS.match(ts)
    assert found is not None  # noqa: S101 - the caller has looked
    return int(found[1]), int((found[2] or "0").ljust(6, "0"))


def _instead(value: Mapping[str, Any], files: Sequence[Any], channels: Mapping[str, str]) -> Text:
    """Return what stands in place of a text: the files, or what the message shows beside it."""
    if files:
        return "\n".join(_file(file) for file in files)
    shown = "\n".join(_attachment(one) for one in list_at(value, "attachments")).strip()
    if shown:
        return _text(shown, channels)
    return tuple(_rich(list_at(value, "blocks"), channels))


def _file(file: object) -> str:
    named = string_at(file, "name", "title")
    return f"[file: {named}]" if named else "[file]"


def _attachment(value: object) -> str:
    parts = [string_at(value, key) for key in ("pretext", "title", "text")]
    return "\n".join(filter(None, parts)) or string_at(value, "fallback")


# --- what stands in a text ---------------------------------------------------------------------


def _text(raw: str, channels: Mapping[str, str]) -> Text:
    pieces: list[str | Mark] = []
    at = 0
    for found in _TOKEN.finditer(raw):
        pieces.append(unescape_slack(raw[at : found.start()]))
        pieces.append(_token(found[1], channels))
        at = found.end()
    pieces.append(unescape_slack(raw[at:]))
    return tuple(pieces)


def unescape_slack(text: str) -> str:
    """Return a text with the three characters that Slack escapes put back, and no others."""
    return re.sub(r"&(?:lt|gt|amp);", lambda found: unescape(found[0]), text)


def _token(inner: str, channels: Mapping[str, str]) -> str | Mark:
    target, _, label = inner.partition("|")
    label = unescape_slack(label)
    if target.startswith("@"):
        return Mark(key=target[1:], otherwise=f"@{label.removeprefix('@') or target[1:]}")
    if target.startswith("#"):
        return f"#{label or channels.get(target[1:]) or target[1:]}"
    if target.startswith("!"):
        word = target[1:].partition("^")[0]
        if word in _EVERYBODY:
            return Mark(key=f"@{word}", otherwise=f"@{word}")
        return label or target[1:]
    url = unescape_slack(target)
    bare = url.removeprefix("mailto:").removeprefix("tel:")
    if label in {"", url, bare} or url.removeprefix("http://").removeprefix("https://") == label:
        return label or bare
    return f"{label} ({url})"


def _rich(blocks: Sequence[Any], channels: Mapping[str, str]) -> Iterator[str | Mark]:
    """Yield what rich text says, for a message whose text is only there."""
    for block in blocks:
        if string_at(block, "type") == "rich_text":
            yield from _elements(list_at(block, "elements"), channels)
        elif object_at(block, "text"):
            yield f"{string_at(object_at(block, 'text'), 'text')}\n"


def _elements(elements: Sequence[Any], channels: Mapping[str, str]) -> Iterator[str | Mark]:
    for element in elements:
        match string_at(element, "type"):
            case "text":
                text = string_at(element, "text")
                is_code = object_at(element, "style").get("code") is True
                yield f"`{text}`" if is_code else text
            case "link":
                url = string_at(element, "url")
                label = string_at(element, "text")
                yield f"{label} ({url})" if label and label != url else url
            case "user":
                key = string_at(element, "user_id")
                yield Mark(key=key, otherwise=f"@{key}")
            case "broadcast":
                whom = f"@{string_at(element, 'range')}"
                yield Mark(key=whom, otherwise=whom)
            case "channel":
                key = string_at(element, "channel_id")
                yield f"#{channels.get(key) or key}"
            case "emoji":
                yield f":{string_at(element, 'name')}:"
            case "rich_text_preformatted":
                yield "```\n"
                yield from _elements(list_at(element, "elements"), channels)
                yield "\n```\n"
            case _:
                yield from _elements(list_at(element, "elements"), channels)
                yield "\n"
