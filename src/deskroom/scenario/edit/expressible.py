"""What a seat emitted, as a scenario file can hold it.

TOML has no null and no half of a surrogate pair, and an argument may not be called ``tool``. A
call that cannot be written is always refused, so another one that is refused alike stands for it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Final

from deskroom.scenario.format.model import Call
from deskroom.scenario.format.problems import LAST_INTEGER

__all__ = ["is_text", "plain_text", "written_call"]

#: As deep as a journal keeps them; a file may nest a little deeper, lists of calls included.
_MOST_NESTED: Final = 64
_SHOWN: Final = 200
#: The one argument of a stand-in. No tool has a parameter of this name, so it is refused as well.
_STAND_IN: Final = "arguments"


def is_text(value: str) -> bool:
    """Whether a text can be written as UTF-8."""
    try:
        return value.isascii() or value.encode() is not None
    except UnicodeEncodeError:
        return False


def plain_text(value: str) -> str:
    """Return a text with what UTF-8 cannot hold written as escapes."""
    return value if is_text(value) else value.encode(errors="backslashreplace").decode()


def written_call(tool: object, arguments: object) -> tuple[Call, str | None]:
    """Return a call as a file can list it, and what was changed about it, as a sentence."""
    remarks = []
    if not isinstance(tool, str):
        tool = _json(tool)
        remarks.append("The name of a tool was no text; it is one here.")
    elif not is_text(tool):
        tool = plain_text(tool)
        remarks.append("The name of a tool held what no file can hold; it is escaped here.")
    if not isinstance(arguments, Mapping) or not _can_be_keys_of_a_call(arguments):
        arguments = {_STAND_IN: _json(arguments)[:_SHOWN]}
        remarks.append("The arguments of a call cannot be written in TOML; here they are one text.")
    return Call(tool=tool, arguments=dict(arguments)), " ".join(remarks) or None


def _can_be_keys_of_a_call(arguments: Mapping[object, object]) -> bool:
    return "tool" not in arguments and _can_be_written(arguments, _MOST_NESTED)


def _can_be_written(value: object, deeper: int) -> bool:
    match value:
        case str():
            return is_text(value)
        case bool():
            return True
        case int():
            return abs(value) <= LAST_INTEGER
        case float():
            return math.isfinite(value)
        case list() | tuple():
            return deeper > 0 and all(_can_be_written(item, deeper - 1) for item in value)
        case Mapping():
            return deeper > 0 and all(
                isinstance(key, str) and is_text(key) and _can_be_written(item, deeper - 1)
                for key, item in value.items()
            )
        case _:
            return False


def _json(value: object) -> str:
    return plain_text(json.dumps(value, default=repr))
