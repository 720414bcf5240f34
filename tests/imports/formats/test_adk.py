"""ADK's sessions, events and databases: parts, transfers and what is heard."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from deskroom.errors import FileError

Read = Callable[..., Any]


def event(author: str, *parts: object, **more: object) -> dict[str, Any]:
    """Return an event as `model_dump(by_alias=True)` gives it."""
    content = {"parts": list(parts), "role": "model"}
    return {"author": author, "invocationId": "e-1", "content": content, "actions": {}, **more}


def call(tool: str, **arguments: object) -> dict[str, object]:
    """Return a part that calls a tool."""
    return {"functionCall": {"name": tool, "args": arguments}}


def said(text: str, **more: object) -> dict[str, object]:
    """Return a text part."""
    return {"text": text, **more}


ANSWER = {"functionResponse": {"name": "scale", "response": {"result": 3}}}
TO_B = event("a", ANSWER, actions={"transferToAgent": "b"})
IMAGE = {"inlineData": {"data": "", "mimeType": "image/png"}}


def test_texts_are_joined_with_nothing_and_other_parts_are_counted(read_rows: Read) -> None:
    """A thought is none, a picture stands for itself only where it is alone."""
    read = read_rows(
        [
            event("user", said("Is it "), IMAGE, said("heavy?")),
            event("a", said("hm", thought=True), said("Look."), call("scale")),
            event("a", ANSWER),
            event("a", {"executableCode": {"code": "1"}}, {"codeExecutionResult": {"output": "1"}}),
            event("user", IMAGE, {"fileData": {"displayName": "a.pdf", "mimeType": "x/pdf"}}),
            event("a", said("par"), partial=True),
            event("a", errorCode="SAFETY"),
        ]
    )

    assert read.rows == [
        ("user", "Is it heavy?"),
        ("a", "Look."),
        ("user", "[image]\n[file: a.pdf]"),
    ]
    assert (read.format, read.people, read.seats) == ("adk", ["user"], ["a"])
    assert read.left == {
        "thought": 1,
        "function call": 1,
        "function response": 1,
        "executable code": 1,
        "code execution result": 1,
        "streamed piece": 1,
        "error": 1,
    }


def test_a_transfer_belongs_to_the_row_of_its_turn(read_rows: Read) -> None:
    """An agent that said nothing in its turn hands nothing over beside a text."""
    read = read_rows(
        [
            event("a", said("b, please")),
            TO_B,
            event("b", ANSWER, actions={"transfer_to_agent": "a"}),
            TO_B,
            event("b", said("done")),
        ]
    )

    assert read.handoffs == [(1, "b")]


def test_what_is_heard_is_a_row_once_it_is_whole(read_rows: Read) -> None:
    """Live sessions have transcriptions beside empty contents."""
    heard = [{"text": "Good", "finished": False}, {"text": "Good day", "finished": True}]
    events = [event("user", inputTranscription=one) for one in heard]

    assert read_rows(events).rows == [("user", "Good day")]


def test_sessions_are_rooms_in_either_spelling(read_rows: Read) -> None:
    """`model_dump_json()` writes snake case, `adk run --save_session` camel case."""
    camel = {"id": "s1", "appName": "x", "userId": "u", "events": [event("a", said("1"))]}
    snake = {"id": "s2", "app_name": "x", "events": [{**event("b", said("2")), "id": "7"}]}

    assert read_rows(camel).rows == [("a", "1")]
    assert read_rows([camel, snake], room="s2").rows == [("b", "2")]
    with pytest.raises(FileError) as caught:
        read_rows([camel, snake])
    assert (caught.value.kind, "s1, s2" in str(caught.value)) == ("several_rooms", True)


def test_a_database_is_read_in_the_order_in_which_it_was_written(
    read_rows: Read, tmp_path: Path
) -> None:
    """The same session id of two users is two rooms."""
    data = [json.dumps(event("a", said(text))) for text in ("1", "2", "other")]
    with closing(sqlite3.connect(tmp_path / "s.db")) as database:
        database.execute(
            "create table events (id, app_name, user_id, session_id, invocation_id, timestamp,"
            " event_data)"
        )
        for id, user, one in zip("ba1", "uuv", data, strict=True):
            values = (id, "x", user, "s", "e", 0, one)
            database.execute("insert into events values (?, ?, ?, ?, ?, ?, ?)", values)
        database.commit()

    read = read_rows(tmp_path / "s.db", room="x/u/s")

    assert (read.format, read.rows) == ("adk", [("a", "1"), ("a", "2")])
    assert read_rows(tmp_path / "s.db", room="x/v/s").rows == [("a", "other")]


def test_a_pickle_in_an_old_database_is_never_opened(read_rows: Read, tmp_path: Path) -> None:
    """Its transfers are known from the calls."""
    content = json.dumps({"parts": [said("b, please"), call("transfer_to_agent", agent_name="b")]})
    with closing(sqlite3.connect(tmp_path / "s.db")) as database:
        database.execute(
            "create table events (id, app_name, user_id, session_id, invocation_id, timestamp,"
            " author, actions, content, partial, error_code, error_message)"
        )
        values = ("1", "x", "u", "s", "e", 0, "a", b"cos\nsystem\n", content, None, None, None)
        database.execute(f"insert into events values ({', '.join('?' * 12)})", values)  # noqa: S608
        database.commit()

    read = read_rows(tmp_path / "s.db")

    assert (read.rows, read.handoffs) == ([("a", "b, please")], [(1, "b")])


def test_calls_of_our_tools_are_what_was_said(read_rows: Read) -> None:
    """The text beside them is narration."""
    read = read_rows([event("a", said("I post."), call("desk_post", message="Hello"))])

    assert (read.rows, read.left) == ([("a", "Hello")], {"narration": 1})
