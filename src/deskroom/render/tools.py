"""The tool surface in the form of each place that takes tools, all walked from ``tool_specs()``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from deskroom.render.cells import folds
from deskroom.render.screen import Screen
from deskroom.speech import Parameter, ToolSpec, tool_specs
from deskroom.speech.tools import served

__all__ = ["TOOL_FORMATS", "input_schema", "tool_lines", "tools_as"]

Json = dict[str, Any]

_TYPES: Final[Mapping[str, Json]] = {
    "string": {"type": "string"},
    "strings": {"type": "array", "items": {"type": "string"}},
    "integer": {"type": "integer"},
}


def tools_as(format_: str) -> Any:  # noqa: ANN401 - each format has a JSON shape of its own
    """Return every served tool in one of ``TOOL_FORMATS``, as JSON-ready values."""
    return TOOL_FORMATS[format_]()


def input_schema(spec: ToolSpec) -> Json:
    """Return the JSON Schema of a tool's arguments. Undeclared arguments are not allowed.

    What fits it has the shape that the host takes, and what does not is refused. A message may
    still be refused for what it says, a blank one for example.
    """
    return {
        "type": "object",
        "properties": {parameter.name: _property(parameter) for parameter in spec.parameters},
        "required": [parameter.name for parameter in spec.parameters if parameter.required],
        "additionalProperties": False,
    }


def _property(parameter: Parameter) -> Json:
    schema: Json = {**_TYPES[parameter.type], "description": parameter.description}
    if parameter.default is not None:
        schema["default"] = parameter.default
    if parameter.type == "strings":
        schema["minItems"] = 1
    return schema


def _json_schema() -> list[Json]:
    return [
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": served(spec.name),
            "description": spec.description,
            **input_schema(spec),
        }
        for spec in tool_specs()
    ]


def _mcp() -> Json:
    return {"tools": [_named(spec, "inputSchema") for spec in tool_specs()]}


def _openai() -> list[Json]:
    return [{"type": "function", "function": _named(spec, "parameters")} for spec in tool_specs()]


def _anthropic() -> list[Json]:
    return [_named(spec, "input_schema") for spec in tool_specs()]


def _named(spec: ToolSpec, schema_key: str) -> Json:
    return {
        "name": served(spec.name),
        "description": spec.description,
        schema_key: input_schema(spec),
    }


TOOL_FORMATS: Final[Mapping[str, Callable[[], Any]]] = {
    "json-schema": _json_schema,
    "mcp": _mcp,
    "openai": _openai,
    "anthropic": _anthropic,
}


# --- for people --------------------------------------------------------------------------------

_KINDS: Final[Mapping[str, str]] = {
    "strings": "strings",
    "string": "string",
    "integer": "whole number",
}


def tool_lines(screen: Screen) -> Iterator[str]:
    """Yield what a seat is told of each tool, and what the tool takes, in lines to read."""
    for number, spec in enumerate(tool_specs()):
        if number:
            yield ""
        yield screen.styled(served(spec.name), "bold")
        yield from _paragraph(spec.description, screen.width, "  ")
        for parameter in spec.parameters:
            yield ""
            yield from _paragraph(_parameter(parameter), screen.width, "  ", "    ")


def _parameter(parameter: Parameter) -> str:
    default = "" if parameter.required else f", or {parameter.default}"
    return f"{parameter.name} ({_KINDS[parameter.type]}{default}): {parameter.description}"


def _paragraph(text: str, width: int, first: str, rest: str | None = None) -> Iterator[str]:
    """Yield a text in lines of that width, the first behind one indent and the rest behind another."""
    rest = first if rest is None else rest
    indent = first
    for start, end in folds(text, max(width - len(first), 2), max(width - len(rest), 2)):
        yield indent + text[start:end]
        indent = rest
