from __future__ import annotations

import json
from datetime import date
from types import MappingProxyType
from typing import Any

import pytest

from deskroom.engine.arguments import plain


class Odd:
    """Something that no JSON holds."""


def nested(depth: int) -> Any:
    """Return a list in a list in a list."""
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value, written",
    [
        ({"message": "x"}, {"message": "x"}),
        ({"message": "\ud800"}, {"message": "\ud800"}),
        (MappingProxyType({"message": "é"}), {"message": "é"}),
        ({"to": ("a", "b"), "message": "x"}, {"to": ["a", "b"], "message": "x"}),
        ({"limit": 10**5000}, {"limit": 2**63 - 1}),
        ({"limit": -(10**5000)}, {"limit": 1 - 2**63}),
        ({"limit": True, "x": [None, 1.5, False]}, {"limit": True, "x": [None, 1.5, False]}),
        (None, None),
        ("text", "text"),
        # What JSON cannot hold, or would not give back.
        (Odd(), {"not_json": "Odd"}),
        ({"message": Odd()}, {"not_json": "dict"}),
        ({1: "x"}, {"not_json": "dict"}),
        ({"x": float("nan")}, {"not_json": "dict"}),
        ({"x": float("inf")}, {"not_json": "dict"}),
        ({"when": date(2026, 1, 1)}, {"not_json": "dict"}),
        ({"message": "\ud83d\ude00"}, {"not_json": "dict"}),
        ({"\ud83d\ude00": 1}, {"not_json": "dict"}),
        ("\ud83d\ude00", {"not_json": "str"}),
        (b"bytes", {"not_json": "bytes"}),
        ({1, 2}, {"not_json": "set"}),
        (nested(64), nested(64)),
        (nested(65), {"not_json": "list"}),
        ({"message": nested(10**5)}, {"not_json": "dict"}),
    ],
)
def test_what_a_seat_emitted_is_kept_as_json_gives_it_back(value: Any, written: Any) -> None:
    """What cannot be kept is named, so that it is refused again when it is looked at again."""
    assert written == plain(value)
    assert written == json.loads(json.dumps(plain(value), allow_nan=False))


def test_what_holds_itself_is_not_followed_for_ever() -> None:
    """A list that is in itself has no end."""
    value: list[Any] = []
    value.append(value)
    assert {"not_json": "list"} == plain(value)
