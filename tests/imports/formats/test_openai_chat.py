"""Chat messages with roles: who speaks, what parts say, what is no row."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deskroom.errors import FileError
from deskroom.imports.containers import open_source
from deskroom.imports.formats import openai_chat

Read = Callable[..., Any]

CALL = {"id": "c1", "type": "function", "function": {"name": "scale", "arguments": "{}"}}


def said(role: str, content: object, name: str | None = None, **more: object) -> dict[str, Any]:
    """Return a message."""
    return {"role": role, "content": content} | ({"name": name} if name else {}) | more


def test_a_name_is_the_speaker_whatever_the_role_is(read_rows: Read) -> None:
    """In a group chat everybody has the role `user`, and nobody is a person for that."""
    read = read_rows([said("user", "go", "boss"), said("user", "@boss yes", "planner")])
    assert read.format == "openai-chat"
    assert read.rows == [("boss", "go"), ("planner", "@boss yes")]
    assert (read.seats, read.people) == (["boss", "planner"], [])


@pytest.mark.parametrize("name", ["user", "User", "human"])
def test_user_and_human_are_people(read_rows: Read, name: str) -> None:
    """Those names are people's in a group chat, too."""
    read = read_rows([said("user", "go", name), said("user", "yes", "planner")])
    assert (read.seats, read.people) == (["planner"], [name])


def test_the_role_user_is_a_person_where_roles_tell_something(read_rows: Read) -> None:
    """It does where several speak as `assistant`, or where a message has no name."""
    several = [said("user", "go", "mara"), said("assistant", "a", "p"), said("assistant", "b", "w")]
    unnamed = [said("user", "go", "mara"), said("assistant", "yes")]
    group = [said("assistant", "go", "p"), said("user", "a", "w"), said("user", "b", "l")]
    assert read_rows(several).people == ["mara"]
    assert read_rows(unnamed).people == ["mara"]
    assert read_rows(group).people == []


def test_who_has_no_name_is_called_by_the_role(read_rows: Read) -> None:
    """Without names there are `user` and `assistant`; prompts and results are no rows."""
    read = read_rows(
        [
            said("system", "You pack."),
            said("developer", "Be brief."),
            said("user", "go"),
            said("assistant", None, tool_calls=[CALL]),
            said("tool", "31 kg", tool_call_id="c1"),
            said("function", "31 kg", "scale"),
            said("assistant", "31 kg"),
        ]
    )
    assert read.rows == [("user", "go"), ("assistant", "31 kg")]
    assert read.left == {"system": 2, "tool call": 1, "tool result": 2}


@pytest.mark.parametrize("empty", [None, "", "None"], ids=["null", "empty", "None"])
@pytest.mark.parametrize(
    "call", [{"tool_calls": [CALL]}, {"function_call": {"name": "scale", "arguments": "{}"}}]
)
def test_a_call_without_a_text_is_no_row(
    read_rows: Read, empty: object, call: dict[str, Any]
) -> None:
    """AG2 writes the text `None` beside a call; without a call it is a text like another."""
    read = read_rows([said("user", "None", "boss"), said("assistant", empty, "planner", **call)])
    assert read.rows == [("boss", "None")]
    assert read.left == {"tool call": 1}


def test_text_beside_a_call_is_a_row(read_rows: Read) -> None:
    """The others read it."""
    read = read_rows([said("user", "go", "boss"), said("user", "hm", "p", tool_calls=[CALL])])
    assert read.rows == [("boss", "go"), ("p", "hm")]
    assert read.left == {}


def test_a_result_is_none_even_with_the_role_of_a_speaker(read_rows: Read) -> None:
    """`tool_responses` beside the text make it a result."""
    response = {"tool_call_id": "c1", "role": "tool", "content": "31"}
    read = read_rows([said("user", "go", "p"), said("user", "31", "x", tool_responses=[response])])
    assert read.left == {"tool result": 1}
    assert read.seats == ["p"]


def test_parts_are_joined_with_new_lines(read_rows: Read) -> None:
    """A picture beside text is left out and counted; alone it stands for itself."""
    picture = {"type": "image_url", "image_url": {"url": "data:x"}}
    file = {"type": "file", "file": {"filename": "a  b.pdf", "file_data": "x"}}
    read = read_rows(
        [
            said(
                "user", [{"type": "text", "text": "one"}, picture, {"type": "text", "text": "two"}]
            ),
            said("user", [picture]),
            said("user", [file]),
            said("assistant", ["three", "four"]),
            said("assistant", [{"type": "refusal", "refusal": "I cannot."}]),
            said("assistant", None, refusal="Nor this."),
        ]
    )
    assert [text for _, text in read.rows] == [
        "one\ntwo", "[image]", "[file: a b.pdf]", "three\nfour", "I cannot.", "Nor this."
    ]  # fmt: skip
    assert read.left == {"image": 1}


def test_reasoning_beside_text_is_counted(read_rows: Read) -> None:
    """It is no row, and is not dropped in silence."""
    read = read_rows([said("user", "go"), said("assistant", "31", reasoning_content="weigh")])
    assert read.left == {"reasoning": 1}


def test_nothing_said_is_counted_as_blank(read_rows: Read) -> None:
    """A null content without a call says nothing."""
    assert read_rows([said("user", "go"), said("assistant", None)]).left == {"blank": 1}


def test_a_role_with_an_address_is_a_speaker_who_hands_over(read_rows: Read) -> None:
    """Who&When's logs by hand have the address, thoughts and stops in the role."""
    read = read_rows(
        {
            "question": "What does it weigh?",
            "history": [
                said("human", "Weigh crate 12."),
                said("Orchestrator (thought)", "A plan."),
                said("Orchestrator (-> Scale)", "Please weigh it."),
                said("Scale", "31 kg"),
                said("Orchestrator (termination condition)", "Done."),
            ],
        }
    )
    assert read.rows == [
        ("human", "Weigh crate 12."),
        ("Orchestrator", "Please weigh it."),
        ("Scale", "31 kg"),
    ]
    assert read.handoffs == [(2, "Scale")]
    assert read.left == {"thought": 1, "note": 1}
    assert (read.seats, read.people) == (["Orchestrator", "Scale"], ["human"])


def test_a_transfer_is_a_hand_off_of_the_row_beside_or_before_it(read_rows: Read) -> None:
    """A tool called `transfer_to_NAME` hands over; no text has to name anybody."""
    hand = [{"id": "c", "type": "function", "function": {"name": "transfer_to_w"}}]
    read = read_rows(
        [
            said("user", "go"),
            said("assistant", "over", "p", tool_calls=hand),
            said("assistant", "ok", "w"),
            said("assistant", None, "w", tool_calls=[{"function": {"name": "transfer_to_p"}}]),
            said("assistant", None, "x", tool_calls=hand),
        ]
    )
    assert read.handoffs == [(2, "w"), (3, "p")]
    assert read.left == {"tool call": 2}


def test_calls_of_our_own_tools_are_what_was_said(read_rows: Read) -> None:
    """The text beside them is narration."""
    post = {"name": "desk_post", "arguments": '{"message": "@w weigh it"}'}
    broken = {"name": "desk_post", "arguments": "{"}
    read = read_rows(
        [
            said("user", "go"),
            said("assistant", "I post.", "p", tool_calls=[{"function": post}]),
            said("assistant", None, "w", tool_calls=[{"function": broken}]),
        ]
    )
    assert read.rows == [("user", "go"), ("p", "@w weigh it")]
    assert read.left["narration"] == 1


def test_several_conversations_need_a_room(read_rows: Read) -> None:
    """One a line, or in a list; they are numbered."""
    two = [
        {"messages": [said("user", "a"), said("assistant", "b")]},
        {"messages": [said("user", "c")]},
    ]
    lines = "".join(f'{{"messages": [{{"role": "user", "content": "{at}"}}]}}\n' for at in "xy")
    with pytest.raises(FileError) as error:
        read_rows(two)
    assert error.value.kind == "several_rooms"
    assert read_rows(two, room="2").rows == [("user", "c")]
    assert read_rows(lines, room="1").rows == [("user", "x")]


@pytest.mark.parametrize(
    "wrong",
    [
        [said("user", "a"), said("user", 3)],
        [said("user", "a"), 5],
        [said("user", "a"), {"role": []}],
    ],
)
def test_what_is_no_message_is_an_error_with_its_place(read_rows: Read, wrong: object) -> None:
    """It names the item."""
    with pytest.raises(FileError) as error:
        read_rows(wrong, name="openai-chat")
    assert "/1" in str(error.value)


@pytest.mark.parametrize(
    "foreign",
    [
        [said("user", "a"), {"type": "function_call", "name": "f", "arguments": "{}"}],
        [{"type": "message", "role": "user", "contents": [{"type": "text", "text": "a"}]}],
        [{"role": "user", "items": [{"content_type": "text", "text": "a"}], "content": "a"}],
        [{"role": "admin", "content": "a"}],
        [{"role": "user", "email": "a@example.org"}],
        {"messages": []},
        {"history": [{"version": 1}]},
    ],
)
def test_other_objects_with_a_role_are_not_recognised(tmp_path: Path, foreign: object) -> None:
    """Responses items, Agent Framework, Semantic Kernel and lists of users are something else."""
    path = tmp_path / "input.json"
    path.write_text(json.dumps(foreign))
    assert openai_chat.sniff(open_source(str(path))) is None
