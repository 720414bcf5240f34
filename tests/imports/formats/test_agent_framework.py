"""The Microsoft Agent Framework: contents, names, threads and sessions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deskroom.errors import FileError

Read = Callable[..., Any]


def message(author: str | None, *contents: object, role: object = "assistant") -> dict[str, Any]:
    """Return a message as `to_dict()` gives it."""
    named = {} if author is None else {"author_name": author}
    return {"type": "message", "role": role, "contents": list(contents), **named}


def text(said: str) -> dict[str, object]:
    """Return a text content."""
    return {"type": "text", "text": said, "additional_properties": {}}


CALL = {"type": "function_call", "call_id": "c1", "name": "scale", "arguments": "{}"}
RESULT = {"type": "function_result", "call_id": "c1", "result": "5"}
PICTURE = {"type": "uri", "uri": "https://x.invalid/y", "media_type": "image/png"}


def test_texts_are_joined_with_a_blank_and_other_contents_are_counted(read_rows: Read) -> None:
    """As `Message.text` joins them; a picture stands for itself only where it is alone."""
    read = read_rows(
        [
            message(None, text("Be good."), role="system"),
            message(None, text("How"), PICTURE, text("heavy?"), role="user"),
            message("planner", {"type": "text_reasoning", "text": "hm"}, text("Look."), CALL),
            message("planner", RESULT, role="tool"),
            message("planner", {"type": "mcp_server_tool_call"}, {"type": "usage"}),
            message(None, text("5 kg")),
            message(None, PICTURE, {"type": "hosted_file", "file_id": "f1"}, role="user"),
        ]
    )

    assert read.rows == [
        ("user", "How heavy?"),
        ("planner", "Look."),
        ("assistant", "5 kg"),
        ("user", "[image]\n[file: f1]"),
    ]
    assert (read.format, read.people) == ("agent-framework", ["user"])
    assert read.left == {
        "system": 1,
        "reasoning": 1,
        "tool call": 2,
        "tool result": 1,
        "usage": 1,
    }


def test_who_has_a_name_and_speaks_as_user_alone_is_a_person(read_rows: Read) -> None:
    """An agent's words may be handed to another one as those of a user."""
    read = read_rows(
        [
            message("sam", text("go"), role="user"),
            message("planner", text("1")),
            message("planner", text("2"), role="user"),
        ]
    )

    assert (read.people, read.seats) == (["sam"], ["planner"])


def test_a_hand_off_is_a_call_of_a_tool_that_begins_so(read_rows: Read) -> None:
    """Beside a text, or in the message behind it."""
    to = [{**CALL, "name": f"handoff_to_{name}"} for name in ("b", "c")]

    read = read_rows([message("a", text("1"), to[0]), message("b", text("2")), message("b", to[1])])

    assert read.handoffs == [(1, "b"), (2, "c")]


@pytest.mark.parametrize(
    "around",
    [
        lambda held: {"type": "agent_response", "messages": held},
        lambda held: {"type": "session", "session_id": "s", "state": {"m": {"messages": held}}},
        lambda held: {"service_thread_id": None, "chat_message_store_state": {"messages": held}},
    ],
    ids=["response", "session", "thread"],
)
def test_messages_are_found_in_what_holds_them(
    read_rows: Read, around: Callable[[object], object]
) -> None:
    """A response, a session, and a thread before 1.0, whose roles are objects."""
    old = {"type": "role", "value": "user"}

    assert read_rows(around([message(None, text("go"), role=old)])).rows == [("user", "go")]


def test_the_spelling_of_dot_net_is_read(read_rows: Read) -> None:
    """`authorName`, and the type of a content under `$type`."""
    contents = [{"$type": "text", "text": "hi"}, {"$type": "functionCall", "name": "x"}]

    read = read_rows([{"role": "assistant", "authorName": "a", "contents": contents}])

    assert (read.rows, read.left) == ([("a", "hi")], {"tool call": 1})


def test_several_sessions_need_one_named(read_rows: Read) -> None:
    """They are known by their ids."""
    sessions = [
        {"type": "session", "session_id": id, "state": {"m": {"messages": [message(id, text(id))]}}}
        for id in ("s1", "s2")
    ]

    assert read_rows(sessions, room="s2").rows == [("s2", "s2")]
    with pytest.raises(FileError) as caught:
        read_rows(sessions)
    assert (caught.value.kind, "s1, s2" in str(caught.value)) == ("several_rooms", True)
