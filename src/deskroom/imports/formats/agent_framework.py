"""``agent-framework``: messages, threads and sessions of the Microsoft Agent Framework.

``author_name`` is the speaker; without one it is the role. Texts of a message are joined with a
blank, as ``Message.text`` joins them. The spelling of .NET is read as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import define, field

from deskroom.imports.importer import Match, Options, pick_room
from deskroom.imports.parts import arguments_of
from deskroom.imports.picks import list_at, object_at, string_at
from deskroom.imports.records import Handoff, Left, Place, Record, Yielded
from deskroom.imports.roles import PROMPTS, Roles
from deskroom.imports.said import calls_in, is_desk_tool
from deskroom.imports.source import Source

name: Final = "agent-framework"
reads: Final = "Microsoft Agent Framework 1.0 to 1.23: messages, responses, threads, sessions"
looks_for: Final = "messages with `role` and `contents`, alone or in a thread or session"
example: Final = "deskroom import messages.json -o run.jsonl"
is_sorted: Final = False
same_id: Final = "error"

_HANDS_TO: Final = "handoff_to_"
_UPDATES: Final = ("agent_response_update", "agent_run_response_update", "chat_response_update")
_WORDS: Final[Mapping[str, str]] = {
    "text_reasoning": "reasoning",
    "function_call": "tool call",
    "function_result": "tool result",
    "function_approval_request": "approval request",
    "function_approval_response": "approval response",
    "oauth_consent_request": "approval request",
    "user_input_request": "approval request",
    "error": "error",
    "usage": "usage",
    "hosted_vector_store": "file",
}
_CALLS: Final = ("_tool_call",)
_RESULTS: Final = ("_tool_result", "_command_output")
_BLOBS: Final = frozenset(("data", "uri", "hosted_file"))
#: How deep in a thread or session the messages stand.
_DEPTH: Final = 4


def sniff(source: Source) -> Match | None:
    """Say whether this is such a file."""
    values = source.samples()
    if values and all(map(_is_message, values)):
        return Match("messages with `role` and `contents`")
    if values and all(_held(value) for value in values):
        return Match("messages with `role` and `contents` in a thread or session")
    return None


def read(source: Source, options: Options) -> Iterator[Yielded]:
    """Yield the messages of the one conversation."""
    reading = _Reading(source)
    first = next(iter(source.samples(1)), None)
    if not _is_message(first) and _held(first):
        yield from reading.read(_conversation(source, options))
    else:
        yield from reading.read(source.values())


def _is_message(value: object) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("contents"), list):
        return False
    return bool(_role(value)) or string_at(value, "type") in _UPDATES


def _role(value: object) -> str:
    """Return the role: a string, or an object with it before 1.0."""
    return string_at(value, "role") or string_at(object_at(value, "role"), "value")


def _held(value: object, depth: int = 0) -> Sequence[Any]:
    """Return the messages in a response, thread or session."""
    if not isinstance(value, dict) or depth > _DEPTH:
        return ()
    messages = list_at(value, "messages")
    if messages and all(map(_is_message, messages[:20])):
        return messages
    return next((found for one in value.values() if (found := _held(one, depth + 1))), ())


def _conversation(source: Source, options: Options) -> Iterator[tuple[Place, Any]]:
    names = [
        string_at(value, "session_id", "service_thread_id", "response_id") or str(at)
        for at, (_, value) in enumerate(source.values(), start=1)
    ]
    if len(set(names)) < len(names):
        names = [str(at) for at in range(1, len(names) + 1)]
    wanted = pick_room(source, names, options.room, noun="conversation")
    for (place, value), named in zip(source.values(), names, strict=True):
        if named == wanted:
            for at, message in enumerate(_held(value)):
                yield Place(place.line, f"{place.pointer}/messages/{at}", place.file), message


@define
class _Reading:
    """One pass: who speaks in which role, and who wrote the last row."""

    _source: Source
    _roles: Roles = field(factory=Roles)
    _last: str = ""

    def read(self, values: Iterator[tuple[Place, Any]]) -> Iterator[Yielded]:
        for place, value in values:
            if not _is_message(value):
                problem = "a message needs `role`, and `contents`, a list"
                raise self._source.error(place, problem)
            yield from self._message(place, value)
        yield from self._roles.people()

    def _message(self, place: Place, value: Mapping[str, Any]) -> Iterator[Yielded]:
        role, contents = _role(value), value["contents"]
        if string_at(value, "type") in _UPDATES:
            yield Left("streamed piece", place)
            return
        if role in PROMPTS:
            yield Left("system", place)
            return
        ours = calls_in(_calls(contents, self._source.path))
        silent = [word for one in contents if (word := _word(one, role))]
        for word in silent:
            yield Left(word, place)
        text = "" if role == "tool" else _text(contents)
        handoff = _handed_to(contents)
        by = self._roles.speaker(string_at(value, "author_name", "authorName"), role)
        if text.strip() or ours or not (silent or handoff):
            self._last = by.key
            yield Record(
                by=by,
                text=text,
                id=string_at(value, "message_id", "messageId") or None,
                handoff=handoff,
                calls=ours,
                place=place,
            )
        elif handoff and self._last == by.key:
            yield Handoff(by=by.key, to=handoff, place=place)


def _type(content: object) -> str:
    if isinstance(content, str):
        return "text"
    named = string_at(content, "type", "$type")
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in named).removeprefix("_")


def _word(content: object, role: str) -> str:
    """Return a word for a content that is no text for the others; empty for one that is."""
    kind = _type(content)
    if kind == "function_call" and is_desk_tool(string_at(content, "name")):
        return ""
    if role == "tool":
        return "tool result"
    if kind == "text" or kind in _BLOBS:
        return ""
    if kind.endswith(_CALLS):
        return "tool call"
    return "tool result" if kind.endswith(_RESULTS) else _WORDS.get(kind, "other part")


def _text(contents: Sequence[Any]) -> str:
    said = [
        one if isinstance(one, str) else string_at(one, "text")
        for one in contents
        if _type(one) == "text"
    ]
    text = " ".join(said)
    if text.strip():
        return text
    return "\n".join(_shown(one) for one in contents if _type(one) in _BLOBS) or text


def _shown(content: object) -> str:
    media = string_at(content, "media_type", "mediaType")
    if not media:
        media = string_at(content, "uri").removeprefix("data:")
    kind = media.partition("/")[0]
    if kind in {"image", "audio", "video"}:
        return f"[{kind}]"
    named = string_at(content, "name", "filename", "file_id")
    return f"[file: {named}]" if named else "[file]"


def _calls(contents: Sequence[Any], path: str) -> Iterator[tuple[object, object]]:
    for one in contents:
        if _type(one) == "function_call":
            yield string_at(one, "name"), arguments_of(object_at(one).get("arguments"), path)


def _handed_to(contents: Sequence[Any]) -> str | None:
    """Return whom the last call of a tool such as ``handoff_to_NAME`` names."""
    called = [string_at(one, "name") for one in contents if _type(one) == "function_call"]
    targets = [one.removeprefix(_HANDS_TO) for one in called if one.startswith(_HANDS_TO)]
    return targets[-1] or None if targets else None
