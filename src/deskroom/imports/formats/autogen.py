"""``autogen``: AutoGen 0.4 to 0.7, the messages of its teams.

Messages as they dump themselves (a list, or one a line), a ``TaskResult`` with them, or the saved
state of a team. What ends in ``Event`` is no row; what agents send one another is, a summary of tool
calls too. In a saved state the room is the manager's ``message_thread``: each agent's own
``llm_context`` repeats it, and a team inside an agent is another room.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from deskroom.imports.importer import Match, Options, pick_room
from deskroom.imports.parts import arguments_of, as_json
from deskroom.imports.records import DeskCall, Left, Place, Record, Speaker, Yielded
from deskroom.imports.said import is_desk_tool
from deskroom.imports.source import Source

name: Final = "autogen"
reads: Final = "AutoGen 0.4 to 0.7 (autogen-agentchat): messages, results, saved team state"
looks_for: Final = "messages with `source` and `type`, such as TextMessage, or a saved team state"
example: Final = "deskroom import messages.jsonl -o run.jsonl"
is_sorted: Final = False
same_id: Final = "error"

_MESSAGES: Final = ("TextMessage", "MultiModalMessage", "StopMessage", "HandoffMessage")
_SUMMARY: Final = "ToolCallSummaryMessage"
_REQUEST: Final = "ToolCallRequestEvent"
_NO_CONTENT: Final = (
    "this message has no type and no content: TaskResult.model_dump() of AutoGen 0.5 to 0.7.1 "
    'leaves them out; dump each message instead: [m.model_dump(mode="json") for m in '
    "result.messages]"
)


def sniff(source: Source) -> Match | None:
    """Say whether this is such a file."""
    values = source.samples()
    first = next(iter(values), None)
    if not isinstance(first, dict):
        return None
    if _is_state(first):
        return Match("the saved state of a team")
    if all(_is_message(value) or _is_result(value) for value in values):
        return Match("a result with messages" if _is_result(first) else "messages with `source`")
    return None


def read(source: Source, options: Options) -> Iterator[Yielded]:
    """Yield the messages: loose ones, those of results, or those of a saved state."""
    reading = _Reading(source)
    loose = False
    for place, value in source.values():
        if not isinstance(value, dict):
            raise source.error(place, "a message must be an object with `source` and `type`")
        if _is_state(value):
            yield from reading.thread(*_thread(source, place, value, options))
        elif "messages" not in value or "source" in value:
            loose = True
            yield from reading.message(place, value)
        elif loose:
            # A stream of messages ends with the result, which repeats them.
            yield Left("TaskResult", place)
        else:
            yield from reading.thread(place, value["messages"], "messages")


def _is_message(value: object) -> bool:
    """Whether it is a message, or what is left of one where the dump lost its content."""
    if not isinstance(value, dict) or not isinstance(value.get("source"), str):
        return False
    kind = value.get("type")
    if kind is None:
        return "models_usage" in value and "content" not in value
    return isinstance(kind, str) and ("models_usage" in value or _is_kind(kind))


def _is_kind(kind: str) -> bool:
    return kind.startswith(("StructuredMessage", *_MESSAGES, _SUMMARY)) or kind.endswith("Event")


def _is_result(value: object) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        return False
    messages = value["messages"][:20]
    return "role" not in value and bool(messages) and all(map(_is_message, messages))


def _is_state(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("agent_states"), dict)


def _thread(
    source: Source, place: Place, state: Mapping[str, Any], options: Options
) -> tuple[Place, object, str]:
    """Return the messages of a saved team, with where they stand."""
    states = {
        key: one
        for key, one in state["agent_states"].items()
        if isinstance(one, dict) and "message_thread" in one
    }
    if not states:
        problem = "no state in `agent_states` has a `message_thread`: save the state of the team"
        raise source.error(place, problem)
    key = next(iter(states)) if len(states) == 1 else pick_room(source, states, options.room)
    pointer = f"{place.pointer}/agent_states/{key.replace('~', '~0').replace('/', '~1')}"
    return Place(place.line, pointer, place.file), states[key]["message_thread"], "message_thread"


class _Reading:
    """One pass: who just called tools of ours, for the summary of those calls says nothing more."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._called = ""

    def thread(self, place: Place, messages: object, key: str) -> Iterator[Yielded]:
        if not isinstance(messages, list):
            raise self._source.error(place, f"`{key}` must be a list of messages")
        for at, message in enumerate(messages):
            yield from self.message(
                Place(place.line, f"{place.pointer}/{key}/{at}", place.file), message
            )

    def message(self, place: Place, value: object) -> Iterator[Yielded]:
        if not isinstance(value, dict) or not isinstance(value.get("source"), str):
            raise self._source.error(place, "a message must be an object with `source`, a string")
        kind = value.get("type")
        if kind is None and "content" not in value:
            raise self._source.error(place, _NO_CONTENT, kind="no_content")
        if not isinstance(kind, str):
            raise self._source.error(place, "a message needs `type`, a string")
        called, self._called = self._called, self._called if kind.endswith("Event") else ""
        by = value["source"]
        if kind == _REQUEST:
            yield from self._request(place, value)
        elif kind.endswith("Event") or (kind == _SUMMARY and self._is_ours(value, called)):
            yield Left(kind, place)
        else:
            yield from self._row(place, value, kind, _speaker(by))

    def _request(self, place: Place, value: Mapping[str, Any]) -> Iterator[Yielded]:
        """Yield calls of our tools as what was said; other calls are left out."""
        calls = list(_calls(value.get("content"), self._source.path))
        ours = tuple(call for call in calls if is_desk_tool(call.tool))
        if ours:
            self._called = value["source"]
            yield Record(by=_speaker(value["source"]), text="", place=place, calls=ours)
        if len(ours) < len(calls) or not calls:
            yield Left(_REQUEST, place)

    def _is_ours(self, value: Mapping[str, Any], called: str) -> bool:
        calls = list(_calls(value.get("tool_calls"), self._source.path))
        if calls:
            return any(is_desk_tool(call.tool) for call in calls)
        return bool(called) and called == value["source"]

    def _row(
        self, place: Place, value: Mapping[str, Any], kind: str, by: Speaker
    ) -> Iterator[Yielded]:
        content = value.get("content")
        text, pictures = _text(content)
        if text is None:
            if kind not in {*_MESSAGES, _SUMMARY}:
                yield Left(kind, place)
                return
            problem = f"`content` of a {kind} must be a string or a list of parts"
            raise self._source.error(place, problem)
        if pictures:
            yield Left("image", place, pictures)
        target = value.get("target")
        id = value.get("id")
        yield Record(
            by=by,
            text=text,
            place=place,
            id=id if isinstance(id, str) and id else None,
            handoff=target if kind == "HandoffMessage" and isinstance(target, str) else None,
        )


def _text(content: object) -> tuple[str | None, int]:
    """Return a content as text, and how many pictures beside it are left out.

    Structured content is the JSON that the others read. None for what is no content.
    """
    if isinstance(content, str):
        return content, 0
    if isinstance(content, dict):
        return as_json(content), 0
    if not isinstance(content, list):
        return None, 0
    texts = [part for part in content if isinstance(part, str)]
    pictures = [part for part in content if isinstance(part, dict) and "data" in part]
    if len(texts) + len(pictures) != len(content):
        return None, 0
    if any(text.strip() for text in texts):
        return "\n".join(texts), len(pictures)
    return "\n".join("[image]" for _ in pictures), 0


def _speaker(source: str) -> Speaker:
    is_person = source.lower() in {"user", "human"}
    return Speaker(key=source, name=source, kind="person" if is_person else "unknown")


def _calls(calls: object, path: str) -> Iterator[DeskCall]:
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict) and isinstance(call.get("name"), str):
            yield DeskCall(tool=call["name"], arguments=arguments_of(call.get("arguments"), path))
