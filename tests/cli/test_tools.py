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


@pytest.mark.parametrize("width", ["20", "40", "80", "4000"])
def test_the_list_tells_all_of_every_tool(process: Run, width: str) -> None:
    """Names as they are served, what each takes, and the whole description, on any width."""
    ended = process("tools", COLUMNS=width, PYTHONIOENCODING="utf-8")
    widest = max(map(len, ended.out.splitlines()))
    assert widest <= max(int(width), len("desk_complete_episode"))
    said = "".join(ended.out.split())
    for spec in tool_specs():
        assert f"desk_{spec.name}" in ended.out.splitlines()
        assert "".join(spec.description.split()) in said
        for parameter in spec.parameters:
            assert "".join(parameter.description.split()) in said
    assert "limit(wholenumber,or20):Howmany" in said
    assert "to(strings):Theids" in said


def test_the_list_is_what_is_printed_unless_another_form_is_asked_for(run: Run) -> None:
    """The tools stand in the order in which seats are served them."""
    ended = run("tools")
    assert ended.out == run("tools", "--format", "table").out
    assert SERVED == [word for word in ended.out.split() if word.startswith("desk_")]


@pytest.mark.parametrize("format_", ["table", "json-schema", "mcp", "openai", "anthropic"])
def test_the_old_name_is_never_shown(run: Run, format_: str) -> None:
    """A seat is to learn the name that counts."""
    assert "desk_close" not in run("tools", "--format", format_).out
