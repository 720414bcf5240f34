"""Semantic Kernel's ChatHistory: items, names and hand-offs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Read = Callable[..., Any]


def item(kind: str, **more: object) -> dict[str, object]:
    """Return an item of a message."""
    return {"metadata": {}, "content_type": kind, **more}


def message(role: str, *items: object, name: str | None = None) -> dict[str, object]:
    """Return a message as `model_dump()` gives it."""
    return item("message", role=role, name=name, items=list(items))


def test_texts_are_joined_with_a_new_line_and_other_items_are_counted(read_rows: Read) -> None:
    """`name` is the speaker; without one it is the role."""
    call = item("function_call", name="scale-weigh", function_name="weigh", plugin_name="scale")
    history = {
        "messages": [
            message("system", item("text", text="Be good.")),
            message("user", item("text", text="How heavy?"), item("image", uri="x")),
            message("assistant", item("text", text="a"), call, item("text", text="b"), name="p"),
            message("tool", item("function_result", id="c1", result="9"), name="p"),
            message("assistant", item("reasoning", text="hm"), name="p"),
            message("user", item("image", uri="x"), item("file_reference"), name="sam"),
        ]
    }

    read = read_rows(history)

    assert read.rows == [("user", "How heavy?"), ("p", "a\nb"), ("sam", "[image]\n[file]")]
    assert (read.format, read.people, read.seats) == ("semantic-kernel", ["user", "sam"], ["p"])
    assert read.left == {"system": 1, "tool call": 1, "tool result": 1, "reasoning": 1}
    assert read.rows == read_rows(history["messages"]).rows


def test_a_hand_off_is_a_call_of_a_plugin(read_rows: Read) -> None:
    """Its name begins with that of the plugin."""
    call = item("function_call", name="Handoff-transfer_to_b", plugin_name="Handoff")

    read = read_rows([message("assistant", item("text", text="b, please"), call, name="a")])

    assert read.handoffs == [(1, "b")]


def test_the_spelling_of_dot_net_is_read(read_rows: Read) -> None:
    """Roles have a label, items a `$type`."""
    held = {
        "AuthorName": "p",
        "Role": {"Label": "assistant"},
        "Items": [{"$type": "TextContent", "Text": "hi"}, {"$type": "FunctionCallContent"}],
    }

    read = read_rows([held])

    assert (read.rows, read.left) == ([("p", "hi")], {"tool call": 1})
