"""The OpenAI Agents SDK: items without a speaker, sessions, run states."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from deskroom.errors import FileError

Read = Callable[..., Any]


def asked(text: object) -> dict[str, object]:
    """Return what a person said."""
    return {"role": "user", "content": text}


def message(id: str, *texts: str) -> dict[str, Any]:
    """Return what an agent said."""
    content = [{"type": "output_text", "text": text, "annotations": []} for text in texts]
    return {"id": id, "type": "message", "role": "assistant", "content": content}


def called(tool: str, arguments: str = "{}") -> dict[str, object]:
    """Return a call of a tool."""
    return {"type": "function_call", "call_id": "c", "name": tool, "arguments": arguments}


def result(output: object) -> dict[str, object]:
    """Return what a tool gave."""
    return {"type": "function_call_output", "call_id": "c", "output": output}


HANDED = result('{"assistant": "Checker"}')


def test_the_output_of_a_hand_off_is_the_only_trace_of_a_speaker(read_rows: Read) -> None:
    """Until the first one it is `assistant`; another tool's output names nobody."""
    read = read_rows(
        [
            asked("How many?"),
            {"type": "reasoning", "id": "rs_1", "summary": []},
            message("msg_1", "One ", "moment."),
            called("transfer_to_checker"),
            HANDED,
            called("count"),
            result('{"assistant": "Nobody", "n": 1}'),
            message("msg_2", "41."),
            asked("Sure?"),
            called("transfer_to_triage"),
            result('{"assistant": "Triage desk"}'),
            message("msg_3", "Yes."),
        ]
    )

    assert read.rows == [
        ("user", "How many?"),
        ("assistant", "One moment."),
        ("Checker", "41."),
        ("user", "Sure?"),
        ("Triage_desk", "Yes."),
    ]
    assert (read.format, read.people) == ("openai-agents", ["user"])
    assert read.handoffs == [(2, "Checker")]
    assert read.left == {"reasoning": 1, "tool call": 3, "tool result": 3}


def test_every_other_kind_of_item_is_counted(read_rows: Read) -> None:
    """Calls, results, approvals and prompts are no rows, and a new kind is none either."""
    kinds = [
        "web_search_call",
        "computer_call_output",
        "mcp_list_tools",
        "mcp_approval_request",
        "compaction",
        "item_reference",
    ]
    items = [{"type": kind, "id": "1"} for kind in kinds]

    read = read_rows([{"role": "developer", "content": "Be good."}, *items, asked("Hi")])

    assert read.rows == [("user", "Hi")]
    assert read.left == {
        "system": 1,
        "tool call": 1,
        "tool result": 1,
        "tool list": 1,
        "approval request": 1,
        "compaction": 1,
        "item reference": 1,
    }


def test_what_a_nested_history_retells_is_not_said_again(read_rows: Read) -> None:
    """Only the person's words in it are rows, for they stand nowhere else."""
    retold = (
        "For context, here is the conversation so far between the user and the previous agent:\n"
        "<CONVERSATION HISTORY>\n1. user: How\nmany?\n2. {}\n</CONVERSATION HISTORY>"
    )

    read = read_rows([message("", retold), message("msg_1", "41."), called("x")])

    assert read.rows == [("user", "How\nmany?"), ("assistant", "41.")]
    assert read.left == {"retold history": 1, "tool call": 1}


def ran(kind: str, raw: object, agent: str, **more: object) -> dict[str, object]:
    """Return an item of a run."""
    return {"type": kind, "raw_item": raw, "agent": {"name": agent}, **more}


def test_a_run_state_says_who_wrote_each_item(read_rows: Read) -> None:
    """The input comes first; what a filter moved into it counts once, by its author."""
    items = [
        ran("message_output_item", message("msg_1", "One moment."), "Triage"),
        ran("handoff_output_item", HANDED, "Triage", target_agent={"name": "Checker"}),
        ran("message_output_item", message("msg_2", "41."), "Checker"),
        ran("tool_approval_item", called("sign"), "Checker"),
    ]
    state = {
        "$schemaVersion": "1.21",
        "original_input": [asked("How many?"), message("msg_1", "One moment.")],
        "generated_items": items[2:],
        "session_items": items,
    }

    read = read_rows(state)

    assert read.rows == [("user", "How many?"), ("Triage", "One moment."), ("Checker", "41.")]
    assert read.handoffs == [(2, "Checker")]
    assert read.left == {"tool result": 1, "approval request": 1}


def write_session(path: Path, table: str, rows: Sequence[tuple[str, object]]) -> Path:
    """Write a database of sessions whose table of items has a name."""
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"create table {table} (id integer primary key, session_id, message_data)")
        sql = f"insert into {table} (session_id, message_data) values (?, ?)"  # noqa: S608
        database.executemany(sql, [(id, json.dumps(item)) for id, item in rows])
        database.commit()
    return path


def test_a_session_database_may_call_its_tables_anything(read_rows: Read, tmp_path: Path) -> None:
    """Several sessions need one named; items that are encrypted are counted."""
    rows = [("s1", asked("1")), ("s2", asked("2")), ("s2", {"__enc__": 1, "payload": "x"})]
    path = write_session(tmp_path / "s.db", '"my ""items"""', rows)

    read = read_rows(path, room="s2")

    assert (read.format, read.rows) == ("openai-agents", [("user", "2")])
    assert read.left == {"encrypted item": 1}
    with pytest.raises(FileError) as caught:
        read_rows(path)
    assert (caught.value.kind, "s1, s2" in str(caught.value)) == ("several_rooms", True)


@pytest.mark.parametrize("wrong", [3, {"role": "user", "content": 3}, {"role": "who"}])
def test_an_item_that_is_none_is_an_error(read_rows: Read, wrong: object) -> None:
    """It is named with its place."""
    with pytest.raises(FileError):
        read_rows([asked("Hi"), wrong], name="openai-agents")


def test_calls_of_our_tools_are_what_was_said(read_rows: Read) -> None:
    """Their arguments are JSON in a string."""
    read = read_rows([asked("Hi"), called("desk_post", '{"message": "Hello"}')])

    assert (read.rows, read.left) == ([("user", "Hi"), ("assistant", "Hello")], {})
