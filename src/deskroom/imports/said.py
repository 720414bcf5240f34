"""What recorded calls of deskroom's own tools said: the last one that a host would take stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from deskroom.core.reasons import CallFault
from deskroom.imports.records import DeskCall, Left, Record
from deskroom.speech.parse import parse_call
from deskroom.speech.tools import OLD_NAMES, bare, tool_specs
from deskroom.speech.utterance import Read, Rejection, Utterance

__all__ = ["calls_in", "is_desk_tool", "said_by"]

#: What stands between the name of a server and that of its tool: ``mcp__room__…``, ``room.…``.
_SERVER: Final = re.compile(r"__|[./:]")
_PARAMETERS: Final = {
    spec.name: frozenset(parameter.name for parameter in spec.parameters) for spec in tool_specs()
}


def is_desk_tool(name: object) -> bool:
    """Whether a tool of this name is one of deskroom's."""
    return isinstance(name, str) and _bare_name(name) is not None


def _bare_name(name: str) -> str | None:
    """Return the bare name of one of our tools, also where a client put its server's name before."""
    found = bare(_SERVER.split(name)[-1])
    found = None if found is None else OLD_NAMES.get(found, found)
    return found if found in _PARAMETERS else None


def said_by(record: Record) -> tuple[Utterance | None, tuple[Left, ...]]:
    """Return what the calls of a record said, and what came of the others."""
    said: Utterance | None = None
    left: list[Left] = []
    for call in record.calls:
        kind, utterance = _read(call)
        if utterance is None:
            left.append(Left(kind, record.place))
            continue
        if said is not None:
            left.append(Left("replaced call", record.place))
        said = utterance
    return said, tuple(left)


def _read(call: DeskCall) -> tuple[str, Utterance | None]:
    """Return an utterance, or a word for what a call was that says nothing."""
    name = _bare_name(call.tool)
    if name is None:
        return CallFault.UNKNOWN_TOOL, None
    if not _fits(name, call.arguments):
        return CallFault.BAD_ARGUMENTS, None
    match parse_call(name, call.arguments):
        case Read():
            return "read of the desk", None
        case Rejection(kind=fault):
            return str(fault), None
        case utterance:
            return "", utterance


def _fits(tool: str, arguments: Mapping[str, Any]) -> bool:
    declared = _PARAMETERS.get(tool, frozenset())
    return all(key in declared and _is_typed(key, value) for key, value in arguments.items())


def _is_typed(key: str, value: object) -> bool:
    if value is None:
        return True
    if key == "to":
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    if key == "limit":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, str)


def calls_in(found: Iterable[tuple[object, object]]) -> tuple[DeskCall, ...]:
    """Return those of some recorded calls (name, decoded arguments) that are of our tools."""
    return tuple(
        DeskCall(tool=str(name), arguments=arguments if isinstance(arguments, dict) else {})
        for name, arguments in found
        if is_desk_tool(name)
    )
