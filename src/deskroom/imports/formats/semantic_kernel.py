"""``semantic-kernel``: a ChatHistory, or a list of its messages, as JSON.

``name`` is the speaker; without one it is the role. Text items are joined with a new line. A hand-off
is a call of ``transfer_to_NAME``. The spelling of .NET is read as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import define, field

from deskroom.imports.importer import Match, Options, pick_room
from deskroom.imports.parts import arguments_of, handed_to
from deskroom.imports.picks import list_at, object_at, string_at
from deskroom.imports.records import Handoff, Left, Place, Record, Yielded
from deskroom.imports.roles import PROMPTS, Roles
from deskroom.imports.said import calls_in, is_desk_tool
from deskroom.imports.source import Source

name: Final = "semantic-kernel"
reads: Final = "Semantic Kernel 1.x: ChatHistory.serialize(), messages of group chats"
looks_for: Final = "messages with `role` and `items`, alone or under `messages`"
example: Final = "deskroom import history.json -o run.jsonl"
is_sorted: Final = False
same_id: Final = "error"

_ITEMS: Final = ("items", "Items")
_HOLDERS: Final = ("messages", "Messages", "chat_history", "ChatHistory")
_WORDS: Final[Mapping[str, str]] = {
    "function_call": "tool call",
    "function_result": "tool result",
    "reasoning": "reasoning",
    "annotation": "annotation",
    "streaming_annotation": "annotation",
}
_BLOBS: Final[Mapping[str, str]] = {
    "image": "[image]",
    "audio": "[audio]",
    "binary": "[file]",
    "file_reference": "[file]",
    "streaming_file_reference": "[file]",
}
_TEXTS: Final = frozenset(("text", "streaming_text"))


def sniff(source: Source) -> Match | None:
    """Say whether this is such a file."""
    values = source.samples()
    if values and all(map(_is_message, values)):
        return Match("messages with `role` and `items`")
    if values and all(_held(value) for value in values):
        return Match("a history whose messages have `role` and `items`")
    return None


def read(source: Source, options: Options) -> Iterator[Yielded]:
    """Yield the messages of the one history."""
    reading = _Reading(source)
    if not _held(next(iter(source.samples(1)), None)):
        yield from reading.read(source.values())
        return
    rooms = (str(at) for at, _ in enumerate(source.values(), start=1))
    wanted = int(pick_room(source, rooms, options.room, noun="history"))
    for at, (place, value) in enumerate(source.values(), start=1):
        if at == wanted:
            pointer = f"{place.pointer}/messages"
            held = enumerate(_held(value))
            yield from reading.read(
                (Place(place.line, f"{pointer}/{number}", place.file), one) for number, one in held
            )


def _is_message(value: object) -> bool:
    if not isinstance(value, dict) or not _role(value):
        return False
    return any(isinstance(value.get(key), list) and _are_items(value[key]) for key in _ITEMS)


def _are_items(items: Sequence[Any]) -> bool:
    return all(_type(one) for one in items)


def _role(value: object) -> str:
    """Return the role: a string, in .NET an object with a label."""
    held = object_at(value, "role", "Role")
    return (string_at(value, "role", "Role") or string_at(held, "label", "Label")).lower()


def _held(value: object) -> Sequence[Any]:
    messages = list_at(value, *_HOLDERS)
    return messages if messages and all(map(_is_message, messages[:20])) else ()


@define
class _Reading:
    """One pass: who speaks in which role, and who wrote the last row."""

    _source: Source
    _roles: Roles = field(factory=Roles)
    _last: str = ""

    def read(self, values: Iterator[tuple[Place, Any]]) -> Iterator[Yielded]:
        for place, value in values:
            if not _is_message(value):
                problem = "a message needs `role`, and `items`, a list of typed contents"
                raise self._source.error(place, problem)
            yield from self._message(place, value)
        yield from self._roles.people()

    def _message(self, place: Place, value: Mapping[str, Any]) -> Iterator[Yielded]:
        role, items = _role(value), list_at(value, *_ITEMS)
        if role in PROMPTS:
            yield Left("system", place)
            return
        ours = calls_in(_calls(items, self._source.path))
        silent = [word for one in items if (word := _word(one, role))]
        for word in silent:
            yield Left(word, place)
        text = "" if role == "tool" else _text(items)
        handoff = handed_to(tool for tool, _ in _calls(items, self._source.path))
        by = self._roles.speaker(string_at(value, "name", "AuthorName", "authorName"), role)
        if text.strip() or ours or not (silent or handoff):
            self._last = by.key
            yield Record(by=by, text=text, handoff=handoff, calls=ours, place=place)
        elif handoff and self._last == by.key:
            yield Handoff(by=by.key, to=handoff, place=place)


def _type(item: object) -> str:
    """Return what an item is: ``function_call``; in .NET ``FunctionCallContent``."""
    named = string_at(item, "content_type", "$type").removesuffix("Content")
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in named).removeprefix("_")


def _word(item: object, role: str) -> str:
    """Return a word for an item that is no text for the others; empty for one that is."""
    kind = _type(item)
    if kind == "function_call" and is_desk_tool(_tool(item)):
        return ""
    if role == "tool":
        return "tool result"
    return "" if kind in _TEXTS or kind in _BLOBS else _WORDS.get(kind, "other part")


def _text(items: Sequence[Any]) -> str:
    text = "\n".join(string_at(one, "text", "Text") for one in items if _type(one) in _TEXTS)
    if text.strip():
        return text
    return "\n".join(_BLOBS[kind] for one in items if (kind := _type(one)) in _BLOBS) or text


def _tool(item: object) -> str:
    """Return the name of a function without that of its plugin."""
    named = string_at(item, "function_name", "FunctionName", "name", "Name")
    plugin = string_at(item, "plugin_name", "PluginName")
    return named.removeprefix(f"{plugin}-").removeprefix(f"{plugin}.") if plugin else named


def _calls(items: Sequence[Any], path: str) -> Iterator[tuple[str, Any]]:
    for one in items:
        if _type(one) == "function_call":
            arguments = object_at(one).get("arguments", object_at(one).get("Arguments"))
            yield _tool(one), arguments_of(arguments, path)
