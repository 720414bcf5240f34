"""``openai-chat``: messages with ``role`` and ``content``, as the chat completions API has them.

So write AG2 (AutoGen 0.2 too) its group chats, LangChain what it converts, and Who&When its logs. A
``name`` is the speaker, whatever the role says: in a group chat everybody is ``user``. The role
``user`` tells people only where several speak as ``assistant``, or a message has no name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from deskroom.imports.importer import Match, Options, pick_room
from deskroom.imports.parts import Said, arguments_of, handed_to, said_in
from deskroom.imports.records import DeskCall, Handoff, Left, Place, Record, Speaker, Yielded
from deskroom.imports.said import is_desk_tool
from deskroom.imports.source import Source

name: Final = "openai-chat"
reads: Final = "OpenAI chat messages, AG2 and AutoGen 0.2 group chats, Who&When logs"
looks_for: Final = "messages with `role` and `content`, alone or under `messages` or `history`"
example: Final = "deskroom import groupchat.json -o run.jsonl"
is_sorted: Final = False
same_id: Final = "error"

_HOLDERS: Final = ("messages", "history", "chat_history")
_PROMPTS: Final = frozenset(("system", "developer"))
_RESULTS: Final = frozenset(("tool", "function"))
_PEOPLE: Final = frozenset(("user", "human"))
_KNOWN: Final = _PROMPTS | _RESULTS | _PEOPLE | {"assistant"}
#: Keys that messages of other formats have beside ``role``.
_FOREIGN: Final = frozenset(("type", "contents", "items", "content_type", "parts", "source_id"))
#: Who&When's logs by hand have the address in the role: ``Orchestrator (-> WebSurfer)``.
_ROLE: Final = re.compile(
    r"([^()]{0,99}[^()\s]) ?\((?:-> ?([^()]{1,99})|(thought)|([^()]{0,99}condition))\)"
)


def sniff(source: Source) -> Match | None:
    """Say whether this is such a file."""
    values = source.samples()
    if values and all(_is_message(value) for value in values):
        known = any(value["role"] in _KNOWN for value in values)
        return Match("messages with `role` and `content`") if known else None
    held = [_held(value) for value in values]
    if not held or not all(
        messages and all(map(_is_message, messages[:20])) for _, messages in held
    ):
        return None
    return Match(f"messages with `role` and `content` under `{held[0][0]}`")


def read(source: Source, options: Options) -> Iterator[Yielded]:
    """Yield the messages of the one conversation."""
    if _holds(next(iter(source.samples(1)), None)):
        rooms = (str(at) for at, _ in enumerate(source.values(), start=1))
        room = int(pick_room(source, rooms, options.room, noun="conversation"))
        yield from _Reading(source).read(_conversation(source, room))
    else:
        yield from _Reading(source).read(source.values())


def _is_message(value: object) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("role"), str)
        and any(key in value for key in ("content", "tool_calls", "function_call"))
        and not _FOREIGN & value.keys()
    )


def _held(value: object) -> tuple[str, list[Any]]:
    """Return the messages of a conversation with the key that they are under."""
    if isinstance(value, dict):
        for key in _HOLDERS:
            if isinstance(value.get(key), list):
                return key, value[key]
    return "", []


def _holds(value: object) -> bool:
    return isinstance(value, dict) and "role" not in value and any(key in value for key in _HOLDERS)


def _conversation(source: Source, room: int) -> Iterator[tuple[Place, Any]]:
    for at, (place, value) in enumerate(source.values(), start=1):
        if at != room:
            continue
        key, messages = _held(value)
        if not key:
            raise source.error(place, "a conversation needs `messages`, a list")
        for number, message in enumerate(messages):
            pointer = f"{place.pointer}/{key}/{number}"
            yield Place(place.line, pointer, place.file), message


class _Reading:
    """One pass: who spoke last, for a hand-off without a text, and who has which role."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._last = ""
        self._roles: dict[str, set[str]] = {}
        self._is_named = True

    def read(self, values: Iterator[tuple[Place, Any]]) -> Iterator[Yielded]:
        for place, value in values:
            if not isinstance(value, dict) or not isinstance(value.get("role"), str):
                raise self._source.error(place, "a message must be an object with `role`, a string")
            yield from self._message(place, value)
        yield from self._people()

    def _message(self, place: Place, value: Mapping[str, Any]) -> Iterator[Yielded]:
        role = value["role"].lower()
        if role in _PROMPTS:
            yield Left("system", place)
            return
        if role in _RESULTS or value.get("tool_responses"):
            yield Left("tool result", place)
            return
        found = None if _name(value) or role in _KNOWN else _ROLE.fullmatch(value["role"])
        if found is not None and found[2] is None:
            yield Left("thought" if found[3] else "note", place)
            return
        speaker = _speaker(value) if found is None else Speaker(key=found[1], name=found[1])
        handoff = None if found is None else found[2].strip()
        yield from self._spoken(place, value, speaker, handoff)

    def _spoken(
        self, place: Place, value: Mapping[str, Any], speaker: Speaker, handoff: str | None
    ) -> Iterator[Yielded]:
        said = self._said(place, value)
        for kind in said.left:
            yield Left(kind, place)
        calls = list(_calls(value, self._source.path))
        handoff = handed_to(call.tool for call in calls) or handoff
        ours = tuple(call for call in calls if is_desk_tool(call.tool))
        has_calls = bool(calls) or said.calls
        text = "" if has_calls and said.text == "None" else said.text
        if not text.strip() and not ours and (has_calls or said.left):
            if has_calls:
                yield Left("tool call", place)
            if handoff is not None and self._last == speaker.key:
                yield Handoff(by=speaker.key, to=handoff, place=place)
            return
        id, role = value.get("id"), value["role"].lower()
        self._last = speaker.key
        self._is_named = self._is_named and (bool(_name(value)) or role not in _KNOWN)
        self._roles.setdefault(speaker.key, set()).add(role)
        yield Record(
            by=speaker,
            text=text,
            place=place,
            id=id if isinstance(id, str) and id else None,
            handoff=handoff,
            calls=ours,
        )

    def _said(self, place: Place, value: Mapping[str, Any]) -> Said:
        said = said_in(value.get("content"), "\n")
        if said is None:
            problem = "`content` must be a string, a list of parts or null"
            raise self._source.error(place, problem)
        left = said.left
        reasoning = value.get("reasoning_content")
        if isinstance(reasoning, str) and reasoning.strip():
            left = (*left, "reasoning")
        text = said.text
        for other in (value.get("refusal"), _object(value.get("audio")).get("transcript")):
            if not text.strip() and isinstance(other, str):
                text = other
        return Said(text=text, left=left, calls=said.calls)

    def _people(self) -> Iterator[Speaker]:
        """Yield those who speak as ``user`` alone, where the roles tell people from agents."""
        assistants = sum(roles == {"assistant"} for roles in self._roles.values())
        if assistants > 1 or not self._is_named:
            for key, roles in self._roles.items():
                if roles == {"user"}:
                    yield Speaker(key=key, name=key, kind="person")


def _name(value: Mapping[str, Any]) -> str:
    """Return who is named as the speaker; OpenAI's Swarm calls it ``sender``."""
    for key in ("name", "sender"):
        found = value.get(key)
        if isinstance(found, str) and found.strip():
            return found
    return ""


def _speaker(value: Mapping[str, Any]) -> Speaker:
    role = value["role"]
    named = _name(value)
    if named:
        return Speaker(key=named, name=named, kind="person" if _is_person(named) else "unknown")
    return Speaker(key=role, name=role, kind="person" if _is_person(role) else "unknown")


def _is_person(name: str) -> bool:
    return name.lower() in _PEOPLE


def _calls(value: Mapping[str, Any], path: str) -> Iterator[DeskCall]:
    """Yield every call of a tool, also in the form before ``tool_calls``, and Anthropic's parts."""
    calls = value.get("tool_calls")
    asked = [_object(call).get("function") for call in _listed(calls)]
    if value.get("function_call"):
        asked.append(value["function_call"])
    for function in asked:
        given = _object(function)
        arguments = arguments_of(given.get("arguments"), path)
        yield DeskCall(tool=str(given.get("name", "")), arguments=arguments)
    for part in map(_object, _listed(value.get("content"))):
        if part.get("type") == "tool_use":
            arguments = arguments_of(part.get("input"), path)
            yield DeskCall(tool=str(part.get("name", "")), arguments=arguments)


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
