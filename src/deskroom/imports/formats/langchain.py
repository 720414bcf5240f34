"""``langchain``: LangChain's messages in each of their forms, and LangGraph's states that hold them.

A message is ``{"type", "data"}`` (``messages_to_dict``), ``{"lc", "id", "kwargs"}`` (``dumps``) or
flat (``model_dump``). It is read as data; nothing is constructed. Where they are held, in a state, a
snapshot or a checkpoint, is in ``deskroom.imports.langgraph``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from attrs import evolve

from deskroom.imports.importer import Match, Options
from deskroom.imports.langgraph import fields_of, is_message, is_state, messages_in
from deskroom.imports.parts import arguments_of, handed_to, said_in
from deskroom.imports.records import DeskCall, Handoff, Left, Place, Record, Speaker, Yielded
from deskroom.imports.said import is_desk_tool
from deskroom.imports.source import Source

name: Final = "langchain"
reads: Final = "LangChain messages (messages_to_dict, dumps, model_dump), LangGraph states"
looks_for: Final = "messages with `type` and `data`, or `lc` and `kwargs`, or a LangGraph state"
example: Final = "deskroom import messages.json -o run.jsonl"
is_sorted: Final = False
same_id: Final = "replace"

_PROMPTS: Final = frozenset(("system", "developer"))
_PEOPLE: Final = frozenset(("user", "human"))


def sniff(source: Source) -> Match | None:
    """Say whether this is such a file."""
    values = source.samples()
    if not values:
        return None
    if all(is_message(value) for value in values):
        return Match("messages of LangChain")
    document = source.json() if source.shape == "json" else None
    if is_state(document) or any(is_state(value) for value in values):
        return Match("a LangGraph state with messages")
    return None


def read(source: Source, options: Options) -> Iterator[Yielded]:
    """Yield the messages: those of the file, or of the newest state in it."""
    reading = _Reading(source)
    held: Record | None = None
    for place, value in messages_in(source, options):
        fields = fields_of(value)
        if fields is None:
            raise source.error(place, "this is not a message of LangChain")
        kind, data = fields
        piece = kind.endswith("Chunk")
        for item in reading.message(place, kind.removesuffix("MessageChunk").lower(), data):
            if not isinstance(item, Record) or not piece:
                yield from () if held is None else (held,)
                held = None
                yield item
            elif held is not None and item.id and (held.id, held.by) == (item.id, item.by):
                held = evolve(held, text=f"{held.text}{item.text}")
            else:
                yield from () if held is None else (held,)
                held = item
    yield from () if held is None else (held,)
    yield from reading.people()


class _Reading:
    """One pass: who spoke last, for a hand-off without a text, and who speaks as what."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._last = ""
        self._people: dict[str, None] = {}
        self._agents: set[str] = set()

    def message(self, place: Place, kind: str, data: Mapping[str, Any]) -> Iterator[Yielded]:
        role = data.get("role") if kind == "chat" else None
        if kind == "system" or (isinstance(role, str) and role.lower() in _PROMPTS):
            yield Left("system", place)
        elif kind in {"tool", "function"} or role in {"tool", "function"}:
            yield Left("tool result", place)
        elif kind == "remove":
            yield Left("deletion", place)
        else:
            yield from self._spoken(place, data, self._speaker(kind, role, data.get("name")))

    def _speaker(self, kind: str, role: object, named: object) -> Speaker:
        """Return the speaker; what a name is, that is called a human, is known at the end."""
        is_person = kind == "human" or (isinstance(role, str) and role.lower() in _PEOPLE)
        if not isinstance(named, str) or not named.strip():
            shown = role if isinstance(role, str) and role else "user" if is_person else "assistant"
            return Speaker(key=shown, name=shown, kind="person" if is_person else "agent")
        if is_person:
            self._people.setdefault(named)
            return Speaker(key=named, name=named)
        self._agents.add(named)
        # A tool that hands over has the name so: transfer_to_front_desk.
        plain = "_".join(named.lower().split())
        also = (plain,) if plain != named.lower() else ()
        return Speaker(key=named, name=named, kind="agent", also=also)

    def people(self) -> Iterator[Speaker]:
        """Yield those who never spoke as anything but a human."""
        for named in self._people:
            if named not in self._agents:
                yield Speaker(key=named, name=named, kind="person")

    def _spoken(self, place: Place, data: Mapping[str, Any], by: Speaker) -> Iterator[Yielded]:
        said = said_in(data.get("content"), "")
        if said is None:
            raise self._source.error(place, "`content` must be a string or a list of blocks")
        left = said.left
        extra = data.get("additional_kwargs")
        thought = extra.get("reasoning_content") if isinstance(extra, dict) else None
        if isinstance(thought, str) and thought.strip():
            left = (*left, "reasoning")
        for kind in left:
            yield Left(kind, place)
        calls = list(_calls(data, self._source.path))
        handoff = handed_to(call.tool for call in calls)
        ours = tuple(call for call in calls if is_desk_tool(call.tool))
        has_calls = bool(calls) or said.calls
        if not said.text.strip() and not ours and (has_calls or left):
            if has_calls:
                yield Left("tool call", place)
            if handoff is not None and self._last == by.key:
                yield Handoff(by=by.key, to=handoff, place=place)
            return
        id = data.get("id")
        self._last = by.key
        yield Record(
            by=by,
            text=said.text,
            place=place,
            id=id if isinstance(id, str) and id else None,
            handoff=handoff,
            calls=ours,
        )


def _calls(data: Mapping[str, Any], path: str) -> Iterator[DeskCall]:
    """Yield every call of a tool: as LangChain has them, else as the provider sent them."""
    known = [*_objects(data.get("tool_calls")), *_objects(data.get("invalid_tool_calls"))]
    for call in known:
        arguments = arguments_of(call.get("args"), path)
        yield DeskCall(tool=str(call.get("name", "")), arguments=arguments)
    if known:
        return
    extra = data.get("additional_kwargs")
    extra = extra if isinstance(extra, dict) else {}
    asked = [call.get("function") for call in _objects(extra.get("tool_calls"))]
    for function in _objects([*asked, extra.get("function_call")]):
        arguments = arguments_of(function.get("arguments"), path)
        yield DeskCall(tool=str(function.get("name", "")), arguments=arguments)


def _objects(values: object) -> list[Mapping[str, Any]]:
    return [one for one in values if isinstance(one, dict)] if isinstance(values, list) else []
