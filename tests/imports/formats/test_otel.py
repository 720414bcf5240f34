"""OpenTelemetry's GenAI spans: in OTLP and as the SDK shows them, with messages in each form."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from deskroom.errors import FileError

Read = Callable[..., Any]


def words(role: str, *parts: object) -> dict[str, object]:
    """Return a message of texts and other parts."""
    texts = ({"type": "text", "content": one} if isinstance(one, str) else one for one in parts)
    return {"role": role, "parts": list(texts)}


def span(
    id: str,
    name: str,
    start: int,
    *,
    parent: str = "",
    trace: str = "t1",
    asked: Sequence[object] = (),
    said: Sequence[object] = (),
    events: Sequence[object] = (),
    **more: str,
) -> dict[str, object]:
    """Return a span in OTLP; ``name`` begins with the operation."""
    operation, _, agent = name.partition(" ")
    attributes = {"gen_ai.operation.name": operation, **more}
    if operation == "invoke_agent":
        attributes["gen_ai.agent.name"] = agent
    for key, messages in (("input", asked), ("output", said)):
        if messages:
            attributes[f"gen_ai.{key}.messages"] = json.dumps(messages)
    return {
        "traceId": trace,
        "spanId": id,
        "parentSpanId": parent,
        "name": name,
        "startTimeUnixNano": str(start),
        "attributes": [{"key": k, "value": {"stringValue": v}} for k, v in attributes.items()],
        "events": list(events),
    }


def otlp(*spans: object, scope: str = "x") -> dict[str, object]:
    """Return a document of OTLP."""
    return {"resourceSpans": [{"scopeSpans": [{"scope": {"name": scope}, "spans": list(spans)}]}]}


GO = words("user", "go")
CALL = {"type": "tool_call", "id": "c", "name": "handoff_to_b", "arguments": "{}"}
ANSWER = {"type": "tool_call_response", "id": "c", "response": "1"}


def test_agents_speak_in_the_order_of_their_start(read_rows: Read) -> None:
    """The file has spans as they ended; spans of models repeat what agents say."""
    said = words("assistant", {"type": "reasoning", "content": "hm"}, "1", CALL)
    read = read_rows(
        otlp(
            span("m", "chat x", 3, parent="b", asked=[GO], said=[words("assistant", "2")]),
            span("b", "invoke_agent b", 2, asked=[said], said=[words("assistant", "2")]),
            span("a", "invoke_agent a", 1, asked=[GO], said=[said, words("tool", ANSWER)]),
        )
    )

    assert read.rows == [("user", "go"), ("a", "1"), ("b", "2")]
    assert (read.format, read.people, read.handoffs) == ("otel", ["user"], [(2, "b")])
    assert read.left == {"reasoning": 1, "tool call": 1, "tool result": 1}


def test_what_a_person_said_opens_each_run(read_rows: Read) -> None:
    """A run is a workflow, or an agent alone; a prompt within it is nobody's."""
    again = [GO, words("assistant", "1"), words("user", "and now?")]
    read = read_rows(
        otlp(
            span("w", "workflow.run", 1),
            span("a", "invoke_agent a", 2, parent="w", asked=[GO], said=[words("assistant", "1")]),
            span(
                "b",
                "invoke_agent b",
                3,
                parent="w",
                asked=[words("user", "Decide.")],
                said=[words("assistant", "2")],
            ),
            span("c", "invoke_agent a", 4, asked=again, said=[words("assistant", "3")]),
        )
    )

    assert read.rows == [
        ("user", "go"),
        ("a", "1"),
        ("b", "2"),
        ("user", "and now?"),
        ("a", "3"),
    ]


def test_an_agent_around_others_does_not_repeat_them(read_rows: Read) -> None:
    """A workflow that is used as an agent has their words as its own."""
    both = [words("assistant", "1"), words("assistant", "all")]

    read = read_rows(
        otlp(
            span("w", "invoke_agent w", 1, asked=[GO], said=both),
            span("a", "invoke_agent a", 2, parent="w", asked=[GO], said=both[:1]),
        )
    )

    assert read.rows == [("user", "go"), ("w", "all"), ("a", "1")]


def test_where_agents_are_silent_their_models_speak(read_rows: Read) -> None:
    """The author is the agent around; a person's words are those that nobody said before."""
    asked = [words("system", "Be good."), GO, words("assistant", "1"), words("user", "more")]
    read = read_rows(
        otlp(
            span("a", "invoke_agent a", 1),
            span("m", "chat x", 2, parent="a", asked=asked[:2], said=[words("assistant", "1")]),
            span("n", "chat x", 3, asked=asked, said=[words("assistant", "2")]),
        )
    )

    assert read.rows == [("user", "go"), ("a", "1"), ("user", "more"), ("assistant", "2")]
    assert read.left == {"system": 1}


@pytest.mark.parametrize(
    "scope, joined", [("x", "1\n2"), ("agent_framework", "1 2"), ("gcp.vertex.agent", "12")]
)
def test_parts_are_joined_as_the_framework_does(read_rows: Read, scope: str, joined: str) -> None:
    """Where none is known, with a new line."""
    said = span("a", "invoke_agent a", 1, said=[words("assistant", "1", "2")])

    assert read_rows(otlp(said, scope=scope)).rows == [("a", joined)]


def test_an_event_for_each_message_is_read(read_rows: Read) -> None:
    """As attributes of an event, and as JSON in one attribute of it."""

    def event(name: str, **attributes: str) -> dict[str, object]:
        held = [{"key": k, "value": {"stringValue": v}} for k, v in attributes.items()]
        return {"name": f"gen_ai.{name}", "timeUnixNano": "1", "attributes": held}

    choice = json.dumps({"message": {"content": "1", "tool_calls": [{"function": {"name": "x"}}]}})
    read = read_rows(
        otlp(
            span(
                "a",
                "chat x",
                1,
                events=[
                    event("system.message", content="Be good."),
                    event("user.message", content="go"),
                    event("choice", **{"gen_ai.event.content": choice}),
                ],
            )
        )
    )

    assert read.rows == [("user", "go"), ("assistant", "1")]
    assert read.left == {"system": 1, "tool call": 1}


def test_log_records_belong_to_their_span(read_rows: Read) -> None:
    """Their bodies are structured values of OTLP."""
    content = {"key": "content", "value": {"stringValue": "1"}}
    message = {"key": "message", "value": {"kvlistValue": {"values": [content]}}}
    record = {
        "traceId": "t1",
        "spanId": "a",
        "timeUnixNano": "2",
        "eventName": "gen_ai.choice",
        "body": {"kvlistValue": {"values": [message]}},
        "attributes": [],
    }
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}
    lines = "".join(f"{json.dumps(one)}\n" for one in (logs, otlp(span("a", "invoke_agent a", 1))))

    assert read_rows(lines).rows == [("a", "1")]


def test_spans_as_the_sdk_shows_them_are_read(read_rows: Read) -> None:
    """One object a line, with attributes as they are."""
    attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "a",
        "gen_ai.output.messages": json.dumps([words("assistant", "1")]),
    }
    shown: dict[str, object] = {
        "name": "invoke_agent a",
        "context": {"trace_id": "0x1", "span_id": "0x2"},
        "parent_id": None,
        "start_time": "2026-03-02T09:00:00.000000Z",
        "attributes": attributes,
        "events": [],
    }

    assert read_rows([shown]).rows == [("a", "1")]


def test_numbered_attributes_are_read(read_rows: Read) -> None:
    """As instrumentations wrote them before there were conventions."""
    numbered = {
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "go",
        "gen_ai.completion.0.content": "1",
    }

    read = read_rows(otlp(span("a", "chat x", 1, **numbered)))

    assert read.rows == [("user", "go"), ("assistant", "1")]


def test_conversations_and_traces_are_rooms(read_rows: Read) -> None:
    """Traces in which one agent speaks once are one room together."""
    first = [span(id, f"invoke_agent {id}", 1, said=[words("assistant", id)]) for id in "ab"]
    third = {**span("c", "invoke_agent c", 3, said=[words("assistant", "c")]), "traceId": "t2"}
    named = span("d", "invoke_agent d", 4, said=[words("assistant", "d")])
    key = {"key": "gen_ai.conversation.id", "value": {"stringValue": "k"}}
    named["attributes"] = [key, *named["attributes"]]  # type: ignore[misc]

    assert read_rows(otlp(first[0], third)).rows == [("a", "a"), ("c", "c")]
    assert read_rows(otlp(*first, third, named), room="t2").rows == [("c", "c")]
    assert read_rows(otlp(*first, third, named), room="k").rows == [("d", "d")]
    with pytest.raises(FileError) as caught:
        read_rows(otlp(*first, third, named))
    assert "t1, t2, k" in str(caught.value)


def test_without_captured_messages_the_error_says_what_is_missing(read_rows: Read) -> None:
    """That is how tracing is by default."""
    with pytest.raises(FileError) as caught:
        read_rows(otlp(span("a", "invoke_agent a", 1), span("b", "chat x", 2)))
    assert "gen_ai.output.messages" in str(caught.value)
