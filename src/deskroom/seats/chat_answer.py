"""What a server of the chat API answered: read strictly where the turn needs it, else passed by.

Servers differ in what they send beside the fields that are read here: reasoning, log probabilities,
refusals. None of that is needed, and none of it is sent back.
"""

from __future__ import annotations

import json
from typing import Any, Final

from attrs import field, frozen

from deskroom.errors import DeskroomError

__all__ = ["Answer", "ChatError", "Key", "ToolCall", "excerpt", "read_answer"]

_SHOWN: Final = 200
_KEY_SHOWN: Final = "[key]"


class ChatError(DeskroomError):
    """What went wrong with a model's server in a turn: it is not there, fails, or answers nonsense."""


@frozen
class Key:
    """The secret that a server is asked with. It is shown nowhere, whoever sends it back to us."""

    value: str | None = field(default=None, repr=False)

    def scrub(self, text: str) -> str:
        """Return a text without the key."""
        return text if self.value is None else text.replace(self.value, _KEY_SHOWN)

    def scrub_all(self, value: Any) -> Any:  # noqa: ANN401 - JSON values
        """Return JSON values without the key in any of their texts."""
        if self.value is None:
            return value
        if isinstance(value, str):
            return self.scrub(value)
        if isinstance(value, list):
            return [self.scrub_all(item) for item in value]
        if isinstance(value, dict):
            return {self.scrub(name): self.scrub_all(item) for name, item in value.items()}
        return value


@frozen
class ToolCall:
    """One call that a model makes.

    ``arguments`` is what goes to the host: JSON values, or the text itself where that is not JSON.
    """

    id: str
    name: str
    arguments: Any = field(repr=False)
    text: str = field(repr=False)

    @property
    def sent_back(self) -> dict[str, Any]:
        """Return it as the model is reminded of it.

        Several servers parse these arguments again, and fail at what is no object.
        """
        fits = isinstance(self.arguments, dict)
        text = self.text if fits else json.dumps({"not_json": self.text})
        return {
            "id": self.id,
            "type": "function",
            "function": {"name": self.name, "arguments": text},
        }


@frozen
class Answer:
    """A model's message. ``finish`` says why it ended; tokens are None where nobody counted them."""

    text: str = field(repr=False)
    calls: tuple[ToolCall, ...]
    finish: str | None
    tokens_in: int | None
    tokens_out: int | None

    @property
    def sent_back(self) -> dict[str, Any]:
        """Return the message as the next request repeats it."""
        message: dict[str, Any] = {"role": "assistant", "content": self.text or None}
        return {**message, "tool_calls": [call.sent_back for call in self.calls]}


def read_answer(body: bytes, key: Key) -> Answer:
    """Read the body of a response. Raises ``ChatError`` for what is no answer."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise ChatError(f"what it answered is not JSON: {excerpt(body, key)}") from None
    value = key.scrub_all(value)
    choices = value.get("choices") if isinstance(value, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(message, dict):
        raise ChatError(f"there is no message in what it answered: {excerpt(body, key)}")
    finish = first.get("finish_reason") if isinstance(first, dict) else None
    usage = value.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    return Answer(
        _content(message),
        tuple(_calls(message.get("tool_calls"), key)),
        finish if isinstance(finish, str) else None,
        _count(counts.get("prompt_tokens")),
        _count(counts.get("completion_tokens")),
    )


def _content(message: dict[str, Any]) -> str:
    """Return a message's text: its content, the texts of its parts, or its refusal."""
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    if content is None or content == "":
        content = message.get("refusal") or ""
    if not isinstance(content, str):
        raise ChatError(f"the content of its message is no text, but {type(content).__name__}")
    return content


def _calls(calls: object, key: Key) -> list[ToolCall]:
    if calls is None:
        return []
    if not isinstance(calls, list):
        raise ChatError(f"its tool_calls are no list, but {type(calls).__name__}")
    return [_call(call, number, key) for number, call in enumerate(calls, start=1)]


def _call(call: object, number: int, key: Key) -> ToolCall:
    function = call.get("function") if isinstance(call, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    if not isinstance(call, dict) or not isinstance(function, dict) or not isinstance(name, str):
        raise ChatError(f"call {number} of its tool_calls names no function")
    id_ = call.get("id")
    given = function.get("arguments")
    text = given if isinstance(given, str) else json.dumps(given)
    return ToolCall(
        # Some servers give none; it only ties the reply to the call, within one request.
        id_ if isinstance(id_, str) and id_ else f"call_{number}",
        name,
        key.scrub_all(_arguments(given)),
        text,
    )


def _arguments(given: Any) -> Any:  # noqa: ANN401 - JSON values
    """Return what a text of arguments holds; a text that is not JSON stays the text that it is."""
    if not isinstance(given, str):
        return given
    try:
        return json.loads(given)
    except (ValueError, RecursionError):
        return given


def _count(number: object) -> int | None:
    return number if type(number) is int and 0 <= number < 2**53 else None


def excerpt(body: bytes, key: Key) -> str:
    """Return the beginning of a body as one line, without the key."""
    text = key.scrub(body[: 64 * _SHOWN].decode(errors="replace"))
    text = " ".join(text.split())
    return f"{text[:_SHOWN]}…" if len(text) > _SHOWN else text or "nothing"
