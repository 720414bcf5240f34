"""What a seat emitted, as plain JSON values: what is judged is what a journal gives back.

It is copied, so a seat that changes its arguments afterwards changes nothing, and no method of a
class of the seat's own is called later, in the host.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["NOT_JSON", "plain"]

#: Stands for what JSON cannot hold. No tool has an argument of this name.
NOT_JSON: Final = "not_json"

#: Deeper arguments are no tool's, and every reader of JSON has an end of its own somewhere.
_MOST_NESTED: Final = 64
#: No tool tells larger integers apart.
_LARGEST: Final = 2**63 - 1
#: Two halves that JSON would join to one character, so that what is read is not what was written.
_SPLIT_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def plain(value: object) -> Any:  # noqa: ANN401 - JSON values
    """Return a copy of what a seat emitted in plain JSON values.

    What JSON cannot hold becomes ``{"not_json": <its type>}``, which no tool takes. Whatever a
    method of the value raises is raised.
    """
    if type(value) is str and value.isascii():
        return value
    if type(value) is dict:
        for key, text in value.items():
            if type(key) is not str or type(text) is not str or not text.isascii():
                break
        else:
            return dict(value)
    try:
        return _plain(value, _MOST_NESTED)
    except _NotJsonError:
        return {NOT_JSON: type(value).__name__}


class _NotJsonError(Exception):
    """A value that JSON cannot hold."""


def _plain(value: object, deeper: int) -> object:
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int):
        return max(-_LARGEST, min(int.__index__(value), _LARGEST))
    if isinstance(value, float) and math.isfinite(value):
        return float.__float__(value)
    if deeper == 0:
        raise _NotJsonError
    if isinstance(value, Mapping):
        return {_key(key): _plain(item, deeper - 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, deeper - 1) for item in value]
    raise _NotJsonError


def _text(value: str) -> str:
    """Return the characters themselves: a subclass of ``str`` may say otherwise of itself."""
    text = str.__str__(value)
    if _SPLIT_PAIR.search(text):
        raise _NotJsonError
    return text


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise _NotJsonError
    return _text(key)
