from __future__ import annotations

import json
from typing import Any

import pytest

from deskroom.render.screen import Screen
from deskroom.render.tools import TOOL_FORMATS, input_schema, tool_lines, tools_as
from deskroom.speech import tool_specs

SPECS = {spec.name: spec for spec in tool_specs()}
NAMES = [f"desk_{name}" for name in SPECS]


def said(name: str, parameter: str) -> str:
    """Return what a seat is told of a parameter."""
    found = SPECS[name].parameter(parameter)
    assert found is not None
    return found.description


def test_the_arguments_of_a_private_message_are_a_schema() -> None:
    """Both are required, at least one id is, and nothing else may be given."""
    assert {
        "type": "object",
        "properties": {
            "to": {
                "type": "array",
                "items": {"type": "string"},
                "description": said("dm", "to"),
                "minItems": 1,
            },
            "message": {"type": "string", "description": said("dm", "message")},
        },
        "required": ["to", "message"],
        "additionalProperties": False,
    } == input_schema(SPECS["dm"])


def test_the_argument_of_a_read_may_be_left_out_or_out_of_bounds() -> None:
    """The default counts then, or the nearest bound; so the schema states none."""
    assert {
        "type": "object",
        "properties": {
            "limit": {
                "type": "integer",
                "description": said("read", "limit"),
                "default": 20,
            }
        },
        "required": [],
        "additionalProperties": False,
    } == input_schema(SPECS["read"])


@pytest.mark.parametrize("name", ["post", "broadcast", "complete_episode"])
def test_the_other_tools_take_a_message(name: str) -> None:
    """One required string, described."""
    assert {
        "type": "object",
        "properties": {"message": {"type": "string", "description": said(name, "message")}},
        "required": ["message"],
        "additionalProperties": False,
    } == input_schema(SPECS[name])


def test_json_schemas_stand_alone() -> None:
    """Each says which draft it is, and its title is the tool."""
    assert [
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": f"desk_{spec.name}",
            "description": spec.description,
            **input_schema(spec),
        }
        for spec in tool_specs()
    ] == tools_as("json-schema")


@pytest.mark.parametrize(
    "format_, key",
    [("mcp", "inputSchema"), ("openai", "parameters"), ("anthropic", "input_schema")],
)
def test_each_form_names_describes_and_constrains_every_tool(format_: str, key: str) -> None:
    """The three facts stand where the protocol or the API looks for them, and nothing else does."""
    expected = [
        {"name": f"desk_{spec.name}", "description": spec.description, key: input_schema(spec)}
        for spec in tool_specs()
    ]
    assert expected == bare(format_, tools_as(format_))


def bare(format_: str, tools: Any) -> list[Any]:
    """Take off what each form puts around its tools."""
    if format_ == "mcp":
        assert ["tools"] == list(tools)
        return list(tools["tools"])
    if format_ == "openai":
        assert [{"type", "function"}] * len(tools) == [set(tool) for tool in tools]
        assert ["function"] * len(tools) == [tool["type"] for tool in tools]
        return [tool["function"] for tool in tools]
    return list(tools)


@pytest.mark.parametrize("format_", TOOL_FORMATS)
def test_each_form_is_json_and_names_the_served_tools(format_: str) -> None:
    """Names carry the namespace, and the old name is never advertised."""
    text = json.dumps(tools_as(format_), allow_nan=False)
    assert [f'"{name}"' in text for name in NAMES] == [True] * 5
    assert "desk_close" not in text
    assert not any(f'"{name}"' in text for name in SPECS)


def test_the_forms_are_those_that_are_asked_for() -> None:
    """A table is for people and is the command line's own."""
    assert ["json-schema", "mcp", "openai", "anthropic"] == list(TOOL_FORMATS)


@pytest.mark.parametrize("width", [20, 40, 80, 120])
def test_what_is_to_be_read_fits_the_screen(width: int) -> None:
    """Each tool begins a paragraph with its name; words are not broken."""
    drawn = list(tool_lines(Screen(width=width)))
    assert max(map(len, drawn)) <= max(width, len("desk_complete_episode"))
    assert NAMES == [line for line in drawn if line and not line.startswith(" ")]
    words = " ".join(drawn).split()
    assert words == " ".join(tool_lines(Screen(width=4000))).split()


def test_in_colour_only_the_names_are_bold() -> None:
    """So the words are the same without."""
    drawn = list(tool_lines(Screen(color=True)))
    assert [f"\x1b[1m{name}\x1b[0m" for name in NAMES] == [d for d in drawn if "\x1b" in d]
