"""The tool surface in the form of each place that takes tools, all walked from ``tool_specs()``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from deskroom.speech import Parameter, ToolSpec, tool_specs
from deskroom.speech.tools import served

__all__ = ["TOOL_FORMATS", "input_schema", "tools_as"]

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
