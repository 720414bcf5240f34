from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from deskroom.render.tools import tools_as
from deskroom.speech import tool_specs

Run = Callable[..., Any]

SERVED = [f"desk_{spec.name}" for spec in tool_specs()]


@pytest.mark.parametrize("format_", ["json-schema", "mcp", "openai", "anthropic"])
def test_each_form_is_printed_as_one_json_document(run: Run, format_: str) -> None:
    """It is the very document that the renderer makes, and stdout holds nothing else."""
    ended = run("tools", "--format", format_)
    assert (0, "", tools_as(format_)) == (ended.code, ended.err, json.loads(ended.out))
    assert ended.out.isascii()


def test_the_table_tells_all_of_every_tool(process: Run) -> None:
    """Names as they are served, what each takes, and the whole description, on any width."""
    wide = process("tools", COLUMNS="4000", PYTHONIOENCODING="utf-8").out
    for spec in tool_specs():
        assert f" desk_{spec.name} " in wide
        assert spec.description in wide
        assert all(parameter.description in wide for parameter in spec.parameters)
    assert "limit (whole number, or 20): How many" in wide
    assert "to (strings): The ids" in wide


def test_the_table_is_what_is_printed_unless_another_form_is_asked_for(run: Run) -> None:
    """The tools stand in the order in which seats are served them."""
    ended = run("tools")
    assert ended.out == run("tools", "--format", "table").out
    assert SERVED == [word for word in ended.out.split() if word.startswith("desk_")]


@pytest.mark.parametrize("format_", ["table", "json-schema", "mcp", "openai", "anthropic"])
def test_the_old_name_is_never_shown(run: Run, format_: str) -> None:
    """A seat is to learn the name that counts."""
    assert "desk_close" not in run("tools", "--format", format_).out
