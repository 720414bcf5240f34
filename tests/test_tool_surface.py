"""The tools are stated once: nothing but ``speech/tools.py`` holds a name, a text or a schema."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import deskroom
from deskroom.render.tools import TOOL_FORMATS, tools_as
from deskroom.speech import tool_specs
from deskroom.speech.tools import OLD_NAMES, POST, served

SOURCE = Path(deskroom.__file__).parent
HOME = SOURCE / "speech" / "tools.py"
MODULES = sorted(SOURCE.rglob("*.py"))
OTHERS = [path for path in MODULES if path != HOME]

NAMES = [spec.name for spec in tool_specs()] + list(OLD_NAMES)
SERVED = re.compile(rf"desk_(?:{'|'.join(NAMES)})\b|\bdesk_\Z")


#: ``say`` is short for one post, and the reader and writer of scenarios may say so.
BEHIND_SAY = "desk_post"


def strings(path: Path) -> Iterator[str]:
    """Yield every text that a module holds: literals, pieces of f-strings, and docstrings."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def documentation(path: Path) -> set[str]:
    """Return the docstrings of a module, which users of the Python API read and seats do not."""
    return {
        ast.literal_eval(node.value)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def names_in(path: Path) -> set[str]:
    """Return the names of tools that a module spells where it should not."""
    place = path.relative_to(SOURCE).as_posix()
    found = {name for text in strings(path) for name in SERVED.findall(text)}
    return found - {BEHIND_SAY} if place.startswith("scenario/") else found


def calls(path: Path, name: str) -> Iterator[ast.Call]:
    """Yield every call of a function by this name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == name:
            yield node


def sentences(text: str) -> set[str]:
    """Return the sentences of a text that are long enough to know it by."""
    return {part for part in re.split(r"(?<=\.)\s", text) if len(part) > 30}


def test_there_is_something_to_walk() -> None:
    """The walk below sees the whole package, and its pattern would see a name."""
    assert len(OTHERS) > 50
    assert HOME in MODULES
    assert [name for name in map(served, NAMES) if not SERVED.search(f"call {name} now")] == []
    assert any(SERVED.search(text) for text in strings(HOME))


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_no_other_module_states_a_tool(path: Path) -> None:
    """Neither a served name, nor the namespace to make one of, nor a sentence of a description."""
    told = {
        sentence
        for spec in tool_specs()
        for text in (spec.description, *(p.description for p in spec.parameters))
        for sentence in sentences(text)
    }
    assert set() == names_in(path)
    held = set(strings(path)) - documentation(path)
    assert [] == [text for text in held for sentence in told if sentence in text]


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_no_other_module_makes_a_tool_or_a_name_of_one(path: Path) -> None:
    """Specifications are made at home, and a served name is made of a name from there."""
    assert [] == [
        ast.unparse(call) for name in ("ToolSpec", "Parameter") for call in calls(path, name)
    ]
    assert [] == [
        ast.unparse(call)
        for call in calls(path, "served")
        if any(isinstance(argument, ast.Constant) for argument in call.args)
    ]


def test_the_schema_of_arguments_is_made_in_one_place() -> None:
    """Only the renderer that walks the specifications writes the keys of a schema of arguments.

    Importers read such words in what others recorded; they offer no tool to anybody.
    """
    keys = re.compile(r"\A(?:inputSchema|input_schema|parameters)\Z")
    ours = [path for path in MODULES if "imports" not in path.relative_to(SOURCE).parts]
    makers = {path.name for path in ours if any(keys.match(text) for text in strings(path))}
    assert {"tools.py"} == makers - {"__init__.py"}


def descriptions(value: Any) -> Iterator[str]:
    """Yield every description in a rendered document."""
    if isinstance(value, dict):
        if isinstance(value.get("description"), str):
            yield value["description"]
        for inner in value.values():
            yield from descriptions(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from descriptions(inner)


@pytest.mark.parametrize("format_", TOOL_FORMATS)
def test_a_description_is_the_same_string_in_every_form(format_: str) -> None:
    """Every rendered text is the specification's, whole, and each of those is there."""
    stated = [
        text
        for spec in tool_specs()
        for text in (spec.description, *(parameter.description for parameter in spec.parameters))
    ]
    assert stated == list(descriptions(tools_as(format_)))


def test_say_posts_by_the_name_that_is_served() -> None:
    """What a scenario's ``say`` is short for is looked up, not spelled again."""
    assert "desk_post" == served(POST)
    assert {"close": "complete_episode"} == OLD_NAMES
