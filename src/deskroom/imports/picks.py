"""What is picked out of decoded JSON of strangers: the kind that was asked for, or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

__all__ = ["list_at", "object_at", "sole_string", "string_at"]

_NOTHING: Final[Mapping[str, Any]] = {}


def object_at(value: object, *keys: str) -> Mapping[str, Any]:
    """Return the object under the first of some keys that has one, or else an empty one.

    Without a key, return the value itself if it is an object.
    """
    if not isinstance(value, dict):
        return _NOTHING
    if not keys:
        return value
    return next((value[key] for key in keys if isinstance(value.get(key), dict)), _NOTHING)


def list_at(value: object, *keys: str) -> Sequence[Any]:
    """Return the list under the first of some keys that has one, or else an empty one."""
    if not isinstance(value, dict):
        return ()
    return next((value[key] for key in keys if isinstance(value.get(key), list)), ())


def string_at(value: object, *keys: str) -> str:
    """Return the first string that is not empty under some keys, or else an empty one."""
    if not isinstance(value, dict):
        return ""
    return next((value[key] for key in keys if isinstance(value.get(key), str) and value[key]), "")


def sole_string(value: object) -> str:
    """Return a value that is a string, or else an empty one."""
    return value if isinstance(value, str) else ""
