"""What a seat emitted, as JSON gives it back: a journal must say what was judged, and no more."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["encodable"]

#: Deeper arguments are no tool's, and every reader of JSON has an end of its own somewhere.
_MOST_NESTED: Final = 64
#: No tool tells larger integers apart.
_LARGEST: Final = 2**63 - 1
#: Two halves that JSON would join to one character, so that what is read is not what was written.
_SPLIT_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def encodable(value: object) -> Any:  # noqa: ANN401 - JSON-ready values
    """Return what a seat emitted as JSON gives it back; else what it was, so that it stays refused.

    Arguments that a tool takes are always kept.
    """
    if type(value) is dict and all(
        type(key) is type(text) is str and text.isascii() for key, text in value.items()
    ):
        return value
    try:
        return _json_ready(value, _MOST_NESTED)
    except (TypeError, ValueError):
        return {"not_json": type(value).__name__}


def _json_ready(value: object, deeper: int) -> object:
    if isinstance(value, str):
        if _SPLIT_PAIR.search(value):
            raise ValueError(value)
        return value
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return _number(value)
    if deeper == 0:
        raise ValueError(value)
    if isinstance(value, Mapping):
        return {_key(key): _json_ready(item, deeper - 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_json_ready(item, deeper - 1) for item in value]
    raise TypeError(value)


def _key(key: object) -> object:
    if not isinstance(key, str):
        raise TypeError(key)
    return _json_ready(key, 0)


def _number(value: float) -> float:
    if isinstance(value, int):
        return max(-_LARGEST, min(value, _LARGEST))
    if math.isfinite(value):
        return value
    raise ValueError(value)
