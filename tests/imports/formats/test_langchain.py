"""LangChain's messages in their three forms, and the states of LangGraph that hold them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from deskroom.errors import FileError

Read = Callable[..., Any]

CLASSES = {"ai": "AIMessage", "human": "HumanMessage", "system": "SystemMessage"}
SCALE = {"name": "scale", "args": {}, "id": "c1", "type": "tool_call"}


def flat(kind: str, content: object, name: str | None = None, **more: object) -> dict[str, Any]:
    """Return a message as `model_dump` gives it."""
    data = {"content": content, "type": kind, "name": name, "additional_kwargs": {}}
    return {**data, "response_metadata": {}, **more}


def in_dict(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message as `messages_to_dict` gives it."""
    return {"type": message["type"], "data": dict(message)}


def dumped(message: Mapping[str, Any], version: int = 1) -> dict[str, Any]:
    """Return a message as `dumps` gives it: what is empty is left out."""
    kwargs = {key: value for key, value in message.items() if value}
    name = CLASSES[message["type"]]
    path = ["langchain", "schema", "messages", name]
    if version > 1:
        path = ["langchain_core", "messages", message["type"], name]
    return {"lc": version, "type": "constructor", "id": path, "kwargs": kwargs}


TALK = [
    flat("system", "You pack.", id="s"),
    flat("human", "go", id="h"),
    flat("ai", "@w weigh it", "p", id="a1"),
    flat("ai", "31 kg", "w", id="a2"),
]
ROWS = [("user", "go"), ("p", "@w weigh it"), ("w", "31 kg")]


@pytest.mark.parametrize(
    "form", [dict, in_dict, dumped, lambda m: dumped(m, 2)], ids=["flat", "dict", "lc1", "lc2"]
)
def test_each_form_of_a_message_is_read(
    read_rows: Read, form: Callable[[Mapping[str, Any]], dict[str, Any]]
) -> None:
    """As a list, and one a line."""
    messages = [form(one) for one in TALK]
    lines = "".join(json.dumps(one) + "\n" for one in messages)
    for content in (messages, lines):
        read = read_rows(content)
        assert (read.format, read.rows, read.left) == ("langchain", ROWS, {"system": 1})
        assert (read.seats, read.people) == (["p", "w"], ["user"])


def test_who_has_no_name_is_user_or_assistant(read_rows: Read) -> None:
    """A ChatMessage is called by its role."""
    read = read_rows(
        [
            flat("human", "go"),
            flat("ai", "yes"),
            flat("chat", "no", role="critic"),
            flat("chat", "well", role="user"),
            flat("chat", "Be brief.", role="developer"),
        ]
    )
    assert read.rows == [("user", "go"), ("assistant", "yes"), ("critic", "no"), ("user", "well")]
    assert (read.people, read.left) == (["user"], {"system": 1})


def test_a_human_with_a_name_is_a_person_unless_it_speaks_as_an_agent(read_rows: Read) -> None:
    """Supervisors give an agent's words on as those of a human."""
    read = read_rows([flat("human", "go", "mara"), flat("human", "31", "w"), flat("ai", "ok", "w")])
    assert (read.seats, read.people) == (["w"], ["mara"])


def test_blocks_are_joined_with_nothing_and_strings_are_lines(read_rows: Read) -> None:
    """Reasoning and pictures beside text are counted; a call beside text is a row."""
    text = {"type": "text", "text": "31 "}
    read = read_rows(
        [
            flat(
                "ai", [text, {"type": "reasoning", "reasoning": "hm"}, {**text, "text": "kg"}], "w"
            ),
            flat("ai", [text, {"type": "tool_use", "name": "scale", "input": {}}], "w"),
            flat("ai", [{"type": "tool_use", "name": "scale", "input": {}}], "w"),
            flat("ai", [{"type": "thinking", "thinking": "hm"}], "w"),
            flat("ai", ["one", "two"], "w"),
            flat("human", [text, {"type": "image_url", "image_url": {"url": "data:x"}}], "w"),
            flat("human", [{"type": "image", "base64": "eA==", "mime_type": "image/png"}], "w"),
            flat("human", [{"type": "audio", "base64": "eA==", "mime_type": "audio/wav"}], "w"),
        ]
    )
    assert [said for _, said in read.rows] == [
        "31 kg", "31", "one\ntwo", "31", "[image]", "[audio]"
    ]  # fmt: skip
    assert read.left == {"reasoning": 2, "tool call": 1, "image": 1}


@pytest.mark.parametrize(
    "call",
    [
        {"tool_calls": [SCALE]},
        {"invalid_tool_calls": [{"name": "scale", "args": "{", "id": "c1", "error": None}]},
        {"additional_kwargs": {"function_call": {"name": "scale", "arguments": "{}"}}},
        {"additional_kwargs": {"tool_calls": [{"function": {"name": "scale", "arguments": "{}"}}]}},
    ],
    ids=["calls", "invalid", "function", "openai"],
)
def test_a_call_without_a_text_is_no_row(read_rows: Read, call: dict[str, Any]) -> None:
    """As LangChain has it, or as the provider sent it."""
    read = read_rows(
        [
            flat("human", "go"),
            flat("ai", "", "w", **call),
            flat("tool", "31", "scale", tool_call_id="c1", status="success"),
            flat("function", "31", "scale"),
        ]
    )
    assert read.rows == [("user", "go")]
    assert read.left == {"tool call": 1, "tool result": 2}


def test_the_same_id_is_a_replacement_and_a_removal_is_counted(read_rows: Read) -> None:
    """A message with an id that was there stands in the place of the first."""
    read = read_rows(
        [
            flat("human", "go", id="1"),
            flat("ai", "thirty", "w", id="2"),
            flat("ai", "thanks", "p", id="3"),
            flat("ai", "31", "w", id="2"),
            flat("remove", "", id="3"),
        ]
    )
    assert read.rows == [("user", "go"), ("w", "31"), ("p", "thanks")]
    assert read.left == {"deletion": 1}


def test_pieces_of_a_streamed_message_are_one_row(read_rows: Read) -> None:
    """Pieces with one id that follow one another are one message; another id is another."""
    pieces = [("1", "31"), ("1", ""), ("1", " kg"), ("2", "ok")]
    chunks = [flat("AIMessageChunk", text, "w", id=id) for id, text in pieces]
    read = read_rows([flat("human", "go"), *chunks, flat("ai", "bye", "w", id="3")])
    assert [said for _, said in read.rows] == ["go", "31 kg", "ok", "bye"]


def test_a_transfer_is_a_hand_off(read_rows: Read) -> None:
    """Beside the text, or after it; a tool's name has the agent's in small letters and `_`."""
    over = [{"name": "transfer_to_front_desk", "args": {}, "id": "c"}]
    back = [{"name": "transfer_back_to_w", "args": {}, "id": "d"}]
    read = read_rows(
        [
            flat("ai", "over", "w", tool_calls=over),
            flat("ai", "yes", "Front Desk"),
            flat("ai", "", "Front Desk", tool_calls=back),
        ]
    )
    assert read.handoffs == [(1, "Front_Desk"), (2, "w")]


def test_calls_of_our_own_tools_are_what_was_said(read_rows: Read) -> None:
    """The text beside them is narration."""
    post = [{"name": "desk_post", "args": {"message": "@w weigh it"}, "id": "c"}]
    read = read_rows([flat("human", "go"), flat("ai", "I post.", "p", tool_calls=post)])
    assert read.rows == [("user", "go"), ("p", "@w weigh it")]
    assert read.left == {"narration": 1}


# --- LangGraph ---------------------------------------------------------------------------------


def config(checkpoint: str, thread: str = "t", namespace: str = "") -> dict[str, Any]:
    """Return the config that a snapshot has."""
    ids = {"thread_id": thread, "checkpoint_ns": namespace, "checkpoint_id": checkpoint}
    return {"configurable": ids}


def snapshot(messages: Sequence[object], step: int, thread: str = "t") -> dict[str, Any]:
    """Return a StateSnapshot as `_asdict` gives it; it holds a state of a subgraph, too."""
    inner = [["id", "sub", [], None, [], [{"messages": [flat("ai", "inside", "s")]}, []], None]]
    return {
        "values": {"messages": list(messages), "count": step} if messages else {},
        "next": ["w"],
        "config": config(str(step), thread),
        "metadata": {"source": "loop", "step": step},
        "created_at": f"2026-03-02T09:00:{step + 1:02}+00:00",
        "parent_config": None,
        "tasks": inner,
        "interrupts": [],
    }


def checkpoint(messages: Sequence[object], step: int, namespace: str = "") -> dict[str, Any]:
    """Return a CheckpointTuple as `_asdict` gives it."""
    values = {"messages": list(messages), "branch:to:w": None}
    return {
        "config": config(str(step), "t", namespace),
        "checkpoint": {"v": 4, "ts": f"2026-03-02T09:00:{step:02}", "channel_values": values},
        "metadata": {"source": "loop", "step": step},
        "parent_config": None,
        "pending_writes": [],
    }


NEWEST = snapshot(TALK, 2)
HISTORY = [NEWEST, snapshot(TALK[:2], 1), snapshot([], -1)]


@pytest.mark.parametrize(
    "state",
    [
        {"messages": TALK},
        NEWEST,
        list(NEWEST.values()),
        HISTORY,
        HISTORY[::-1],
        [list(one.values()) for one in HISTORY],
        checkpoint(TALK, 3),
        checkpoint(TALK, 3)["checkpoint"],
        list(checkpoint(TALK, 3).values()),
        [checkpoint([flat("ai", "inside", "s")], 9, "sub:1"), checkpoint(TALK, 3)],
        [{"messages": TALK[:2]}, {"messages": TALK}],
        [{"type": "checkpoint", "step": 1, "payload": NEWEST},
         {"type": "task", "step": 2, "payload": {"input": {"messages": TALK[:1]}}}],
        [{"start": {"messages": TALK[:2]}}, {"p": {"messages": TALK[2]}}, {"w": {"messages": TALK[3:]}}],
        [[one, {"langgraph_node": "p"}] for one in TALK],
        {"values": [dumped(one) for one in TALK], "next": []},
    ],
    ids=["state", "snapshot", "tuple", "history", "reversed", "tuples", "checkpoint", "bare",
         "checkpoint-tuple", "subgraph", "values", "debug", "updates", "stream", "message-graph"],
)  # fmt: skip
def test_each_thing_that_holds_messages_is_one_room(read_rows: Read, state: object) -> None:
    """Of a history it is the newest state, in whatever order; subgraphs are not looked at."""
    read = read_rows(state)
    assert (read.format, read.rows) == ("langchain", ROWS)


def test_a_history_can_be_lines(read_rows: Read) -> None:
    """One snapshot a line."""
    assert read_rows("".join(json.dumps(one) + "\n" for one in HISTORY)).rows == ROWS


def test_several_threads_need_a_room(read_rows: Read) -> None:
    """They are named by their ids."""
    two = [snapshot(TALK, 2, "t1"), snapshot(TALK[:2], 1, "t2")]
    with pytest.raises(FileError) as error:
        read_rows(two)
    assert error.value.kind == "several_rooms"
    assert read_rows(two, room="t2").rows == ROWS[:1]


def test_several_lists_of_messages_need_a_room_where_none_is_called_messages(
    read_rows: Read,
) -> None:
    """A state with one list has one room, whatever the list is called."""
    assert read_rows({"talk": TALK, "n": 1}).rows == ROWS
    with pytest.raises(FileError) as error:
        read_rows({"talk": TALK, "notes": TALK[:2]})
    assert error.value.kind == "several_rooms"
    assert read_rows({"talk": TALK, "notes": TALK[:2]}, room="notes").rows == ROWS[:1]


@pytest.mark.parametrize(
    "wrong",
    [
        [TALK[1], 5],
        [TALK[1], {"lc": 1, "id": [], "kwargs": 3}],
        [TALK[1], {"lc": 1, "type": "constructor", "id": [3], "kwargs": {}}],
        [TALK[1], flat("ai", 3)],
    ],
)
def test_what_is_no_message_is_an_error_with_its_place(read_rows: Read, wrong: object) -> None:
    """It names the item."""
    with pytest.raises(FileError) as error:
        read_rows(wrong, name="langchain")
    assert "/1" in str(error.value)


@pytest.mark.parametrize(
    "state", [{"values": {"messages": []}}, [{"a": 1}], {"lc": 1}, [[{"content": "x"}, {}]]]
)
def test_a_state_without_messages_is_an_error(read_rows: Read, state: object) -> None:
    """Nothing is made up where nothing is held."""
    with pytest.raises(FileError):
        read_rows(state, name="langchain")
