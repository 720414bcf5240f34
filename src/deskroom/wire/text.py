"""JSON as text: one object, in which no key stands twice and every number is finite."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any, Final

from deskroom.errors import WireError

__all__ = ["decode", "encode"]

Json = dict[str, Any]

_ENCODER: Final = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False)


def encode(value: Json) -> bytes:
    """Return an object as one line of ASCII, without an end."""
    return _ENCODER.encode(value).encode()


def decode(text: bytes) -> Json:
    """Return the object that a text is. Raises ``WireError`` for any other text."""
    try:
        value, end = _DECODER.raw_decode(decoded := text.decode())
    except (ValueError, RecursionError):
        raise WireError("this is no JSON", code="json") from None
    if end != len(decoded):
        raise WireError("this is no JSON", code="json")
    if type(value) is not dict:
        raise WireError("this is no JSON object", code="json")
    return value


def _object(pairs: list[tuple[str, Any]]) -> Json:
    value = dict(pairs)
    if len(value) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for at, key in enumerate(keys) if key in keys[:at])
        raise WireError("stands twice in one object", path=twice, code="twice")
    return value


def _float(digits: str) -> float:
    value = float(digits)
    if not isfinite(value):
        raise WireError(f"{digits} is too large a number", code="range")
    return value


def _constant(name: str) -> float:
    raise WireError(f"{name} is no number of JSON", code="range")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_float, parse_constant=_constant
)
