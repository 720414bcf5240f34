"""Messages as OpenTelemetry's conventions for generative AI write them, in each of their forms.

``gen_ai.input.messages`` and ``gen_ai.output.messages`` (JSON in a string, or structured), on a span
or on its event; the older event for each message; and the numbered attributes before both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import frozen

from deskroom.errors import FileError
from deskroom.imports.jsontext import parse_json
from deskroom.imports.parts import arguments_of
from deskroom.imports.picks import list_at, object_at, string_at
from deskroom.imports.records import DeskCall
from deskroom.imports.said import calls_in, is_desk_tool
from deskroom.imports.spans import GenAIEvent, Span

__all__ = ["Message", "inputs_of", "outputs_of", "speaks"]

_INPUT: Final = "gen_ai.input.messages"
_OUTPUT: Final = "gen_ai.output.messages"
_SYSTEM: Final = "gen_ai.system_instructions"
_CHOICE: Final = "gen_ai.choice"
_ROLES: Final[Mapping[str, str]] = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
_NUMBERED: Final = re.compile(r"gen_ai\.(prompt|completion)\.(\d{1,6})\.(role|content)")
#: How a framework joins the texts of one message; a new line for the others.
_JOINTS: Final[Mapping[str, str]] = {
    "agent_framework": " ",
    "microsoft.agent_framework": " ",
    "gcp.vertex.agent": "",
}
_HANDS_TO: Final = re.compile(r"(?:handoff|transfer|transfer_back)_to_(.+)")
_WORDS: Final[Mapping[str, str]] = {
    "tool_call": "tool call",
    "function_call": "tool call",
    "tool_use": "tool call",
    "server_tool_call": "tool call",
    "tool_call_response": "tool result",
    "server_tool_call_response": "tool result",
    "function_result": "tool result",
    "tool_result": "tool result",
    "reasoning": "reasoning",
    "thinking": "reasoning",
    "text_reasoning": "reasoning",
}
_BLOBS: Final = frozenset(("blob", "uri", "file", "image", "audio", "video"))


@frozen(kw_only=True)
class Message:
    """A message: its text, and a word for each part that is none."""

    role: str
    text: str = ""
    silent: tuple[str, ...] = ()
    handoff: str | None = None
    calls: tuple[DeskCall, ...] = ()


def speaks(span: Span, events: Sequence[GenAIEvent]) -> bool:
    """Whether a span says what came out."""
    return bool(outputs_of(span, events))


def inputs_of(span: Span, events: Sequence[GenAIEvent]) -> Sequence[Message]:
    """Return what went in, instructions first."""
    joint = _joint(span)
    given: list[Any] = [{"role": "system", "parts": one} for one in _found(span, events, _SYSTEM)]
    given += [one for held in _found(span, events, _INPUT) for one in _listed(held)]
    given += [
        {**_body(event), "role": _ROLES[event.name]} for event in events if event.name in _ROLES
    ]
    given += _numbered(span.attributes, "prompt")
    return [_message(one, joint, "user") for one in given if isinstance(one, dict)]


def outputs_of(span: Span, events: Sequence[GenAIEvent]) -> Sequence[Message]:
    """Return what came out."""
    joint = _joint(span)
    given = [one for held in _found(span, events, _OUTPUT) for one in _listed(held)]
    if not given:
        given = [_chosen(_body(event)) for event in events if event.name == _CHOICE]
    given += _numbered(span.attributes, "completion")
    return [_message(one, joint, "assistant") for one in given if isinstance(one, dict)]


def _joint(span: Span) -> str:
    named = (string_at(span.attributes, key) for key in ("gen_ai.provider.name", "gen_ai.system"))
    return next((_JOINTS[one] for one in (span.scope, *named) if one in _JOINTS), "\n")


def _found(span: Span, events: Sequence[GenAIEvent], key: str) -> Iterator[Any]:
    """Yield an attribute of a span, or else of its events."""
    for held in (span.attributes, *(event.body for event in events)):
        if held.get(key):
            yield _decoded(held[key])
            return


def _decoded(value: object) -> Any:  # noqa: ANN401 - decoded JSON
    """Return what JSON in a string says; the string itself where it is no JSON."""
    if not isinstance(value, str) or value.lstrip()[:1] not in {"[", "{"}:
        return value
    try:
        return parse_json(value, "")
    except FileError:
        return value


def _listed(value: object) -> Sequence[Any]:
    if isinstance(value, str) and value:
        return [{"content": value}]
    return value if isinstance(value, list) else [value]


def _body(event: GenAIEvent) -> Mapping[str, Any]:
    """Return what an event says; some put all of it into one attribute, as JSON."""
    inner = _decoded(event.body.get("gen_ai.event.content"))
    return {**event.body, **object_at(inner)}


def _chosen(body: Mapping[str, Any]) -> Mapping[str, Any]:
    message = _decoded(body.get("message"))
    if isinstance(message, dict):
        return {"role": "assistant", **message}
    content = message if message is not None else body.get("content")
    calls = _decoded(body.get("tool_calls"))
    return {"role": "assistant", "content": content, "tool_calls": calls}


def _numbered(attributes: Mapping[str, Any], which: str) -> list[dict[str, Any]]:
    found: dict[int, dict[str, Any]] = {}
    for key, value in attributes.items():
        match = _NUMBERED.fullmatch(key)
        if match is not None and match[1] == which:
            found.setdefault(int(match[2]), {})[match[3]] = value
    return [found[number] for number in sorted(found)]


# --- a message ---------------------------------------------------------------------------------


def _message(value: Mapping[str, Any], joint: str, otherwise: str) -> Message:
    role = string_at(value, "role") or otherwise
    held = value.get("parts", value.get("content"))
    parts = _parts(held)
    texts = [text for part in parts if (text := _text(part)) is not None]
    shown = [_shown(part) for part in parts if _type(part) in _BLOBS]
    text = joint.join(texts)
    asked = [*(_call(part) for part in parts if _word(part) == "tool call"), *_asked(value)]
    silent = [word for part in parts if (word := _word(part)) and word != "tool call"]
    silent += ["tool call" for tool, _ in asked if not is_desk_tool(tool)]
    if role == "tool":
        silent = ["tool result"] * max(len(parts), 1)
    targets = [match[1] for tool, _ in asked if (match := _HANDS_TO.fullmatch(tool))]
    return Message(
        role=role,
        text=text if text.strip() or role == "tool" else "\n".join(shown) or text,
        silent=tuple(silent),
        handoff=targets[-1] if targets else None,
        calls=calls_in(iter(asked)),
    )


def _parts(held: object) -> Sequence[Any]:
    held = _decoded(held)
    if isinstance(held, dict):
        return [held]
    return held if isinstance(held, list) else [held] * (isinstance(held, str) and bool(held))


def _type(part: object) -> str:
    return string_at(part, "type") or ("text" if "text" in object_at(part) else "")


def _text(part: object) -> str | None:
    if isinstance(part, str):
        return part
    if _type(part) in {"text", "output_text", "input_text"}:
        return string_at(part, "content", "text")
    return None


def _word(part: object) -> str:
    """Return a word for a part that is no text for the others; empty for one that is."""
    kind = _type(part)
    if kind in _WORDS:
        return _WORDS[kind]
    if _text(part) is not None or kind in _BLOBS:
        return ""
    inner = object_at(part)
    if "toolUse" in inner:
        return "tool call"
    return "tool result" if "toolResult" in inner else "other part"


def _shown(part: object) -> str:
    kind = string_at(part, "modality") or string_at(part, "mime_type").partition("/")[0]
    kind = kind or _type(part)
    return f"[{kind}]" if kind in {"image", "audio", "video"} else "[file]"


def _call(part: object) -> tuple[str, Mapping[str, Any]]:
    inner = object_at(part, "toolUse") or object_at(part)
    arguments = inner.get("arguments", inner.get("input"))
    return string_at(inner, "name"), arguments_of(arguments, "")


def _asked(value: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the calls of a message in the form of OpenAI."""
    for call in list_at({"calls": _decoded(value.get("tool_calls"))}, "calls"):
        function = object_at(call, "function") or object_at(call)
        yield string_at(function, "name"), arguments_of(function.get("arguments"), "")
