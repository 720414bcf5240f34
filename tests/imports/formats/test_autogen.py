"""AutoGen's messages, results and saved teams: what is a row, and what a dump has lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from deskroom.errors import FileError

Read = Callable[..., Any]


def message(
    source: str, content: object, kind: str = "TextMessage", **more: object
) -> dict[str, Any]:
    """Return a message as its `model_dump` gives it in 0.4."""
    return {"source": source, "models_usage": None, "content": content, "type": kind, **more}


CALL = {"id": "c1", "arguments": "{}", "name": "scale"}
RESULT = {"content": "31", "name": "scale", "call_id": "c1", "is_error": False}


def test_messages_are_rows_and_events_are_not(read_rows: Read) -> None:
    """Each type that AutoGen has, and one of somebody's own."""
    events = {
        "ToolCallRequestEvent": [CALL],
        "ToolCallExecutionEvent": [RESULT],
        "ThoughtEvent": "hm",
        "ModelClientStreamingChunkEvent": "31",
        "UserInputRequestedEvent": "",
        "MemoryQueryEvent": [{"content": "m", "mime_type": "text/plain"}],
        "SelectSpeakerEvent": ["planner"],
        "SelectorEvent": "planner",
        "CodeGenerationEvent": "print(1)",
        "OurOwnEvent": "x",
    }
    read = read_rows(
        [
            message("user", "go"),
            *(message("w", content, kind) for kind, content in events.items()),
            {
                "source": "w",
                "type": "CodeExecutionEvent",
                "result": {"exit_code": 0, "output": "1"},
            },
            message("w", "31", "ToolCallSummaryMessage"),
            message("w", "stop", "StopMessage"),
            message("w", "mine", "OurOwnMessage"),
        ]
    )
    assert read.format == "autogen"
    assert read.rows == [("user", "go"), ("w", "31"), ("w", "stop"), ("w", "mine")]
    assert read.left == dict.fromkeys([*events, "CodeExecutionEvent"], 1)
    assert (read.seats, read.people) == (["w"], ["user"])


def test_a_hand_off_stands_beside_its_row(read_rows: Read) -> None:
    """`target` is whom it hands to; it makes no row private."""
    read = read_rows(
        [message("p", "over", "HandoffMessage", target="w", context=[]), message("w", "ok")]
    )
    assert read.rows == [("p", "over"), ("w", "ok")]
    assert read.handoffs == [(1, "w")]


def test_parts_and_structured_content(read_rows: Read) -> None:
    """Texts are lines, pictures stand only for themselves, structured content is compact JSON."""
    picture = {"data": "iVBORw0KGgo="}
    read = read_rows(
        [
            message("user", ["look", picture, "here"], "MultiModalMessage"),
            message("user", [picture], "MultiModalMessage"),
            message(
                "w", {"kg": 31.0, "note": "é"}, "StructuredMessage[Weight]", format_string="{kg}"
            ),
        ]
    )
    assert [text for _, text in read.rows] == ["look\nhere", "[image]", '{"kg":31.0,"note":"é"}']
    assert read.left == {"image": 1}


def test_a_stream_ends_with_a_result_that_repeats_it(read_rows: Read) -> None:
    """In 0.4 messages have no id: the result after loose messages is not read again."""
    messages = [message("user", "go"), message("w", "31")]
    result = {"messages": messages, "stop_reason": None}
    stream = "\n".join(json.dumps(one) for one in [*messages, result])
    read = read_rows(stream + "\n")
    assert read.rows == [("user", "go"), ("w", "31")]
    assert read.left == {"TaskResult": 1}
    assert read_rows(result).rows == read.rows


def test_a_message_stored_twice_counts_once(read_rows: Read) -> None:
    """The same id with the same text is the same message."""
    one = message("user", "go", id="1")
    assert read_rows([one, message("w", "31", id="2"), one]).repeated == 1


@pytest.mark.parametrize("is_result", [True, False])
def test_a_result_that_lost_its_content_is_recognised_and_refused(
    read_rows: Read, *, is_result: bool
) -> None:
    """TaskResult.model_dump() of 0.5 to 0.7.1 has neither type nor content; it says what to dump."""
    lost: dict[str, Any] = {
        "id": "1",
        "source": "user",
        "models_usage": None,
        "metadata": {},
        "created_at": "x",
    }
    with pytest.raises(FileError) as error:
        read_rows({"messages": [lost], "stop_reason": None} if is_result else [lost])
    assert error.value.kind == "no_content"
    assert "0.5 to 0.7.1" in str(error.value)
    assert 'm.model_dump(mode="json") for m in result.messages' in str(error.value)


def test_a_saved_team_is_the_thread_of_its_manager(read_rows: Read) -> None:
    """What agents keep, and a team inside an agent, are not the room."""
    inner = {"agent_states": {"m/2": {"message_thread": [message("x", "inside")]}}}
    context = {"messages": [{"content": "go", "source": "user", "type": "UserMessage"}]}
    state = {
        "type": "TeamState",
        "version": "1.0.0",
        "agent_states": {
            "p/1": {"agent_state": {"llm_context": context}, "message_buffer": [message("w", "b")]},
            "society/1": {"agent_state": {"inner_team_state": inner}, "message_buffer": []},
            "group_chat_manager/1": {
                "type": "RoundRobinManagerState",
                "message_thread": [message("user", "go"), message("p", "31")],
            },
        },
    }
    assert read_rows(state).rows == [("user", "go"), ("p", "31")]
    with pytest.raises(FileError) as error:
        read_rows({"agent_states": {"p": {"agent_state": {}}}})
    assert "message_thread" in str(error.value)


def test_calls_of_our_own_tools_are_what_was_said(read_rows: Read) -> None:
    """The summary of such calls says nothing more; calls of other tools are left out beside them."""
    post = {"id": "c2", "arguments": '{"message": "@w weigh it"}', "name": "desk_post"}
    read = read_rows(
        [
            message("user", "go"),
            message("p", [CALL, post], "ToolCallRequestEvent"),
            message("p", [RESULT], "ToolCallExecutionEvent"),
            message("p", "posted", "ToolCallSummaryMessage"),
            message("w", "31", "ToolCallSummaryMessage", tool_calls=[CALL]),
            message("w", "posted", "ToolCallSummaryMessage", tool_calls=[post]),
        ]
    )
    assert read.rows == [("user", "go"), ("p", "@w weigh it"), ("w", "31")]
    assert read.left == {
        "ToolCallRequestEvent": 1,
        "ToolCallExecutionEvent": 1,
        "ToolCallSummaryMessage": 2,
    }


@pytest.mark.parametrize(
    "wrong",
    [
        [message("p", "a"), 1],
        [message("p", "a"), {"source": 3}],
        [message("p", "a"), message("p", 3)],
        [message("p", "a"), message("p", [3], "MultiModalMessage")],
        [message("p", "a"), message("p", "a") | {"type": 3}],
    ],
)
def test_what_is_no_message_is_an_error_with_its_place(read_rows: Read, wrong: object) -> None:
    """It names the item."""
    with pytest.raises(FileError) as error:
        read_rows(wrong, name="autogen")
    assert "/1" in str(error.value)
