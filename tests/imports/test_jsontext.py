from __future__ import annotations

import math
from typing import Any

import pytest

from deskroom.errors import FileError
from deskroom.imports.jsontext import parse_json


@pytest.mark.parametrize(
    "text, place, kind",
    [
        ('{"a": "x', "f:1:7", "cut"),
        ('[\n {"a": 1},\n', "f:3:1", "cut"),
        ('{"a"', "f:1:5", "cut"),
        ('{"a": tru', "f:1:10", "cut"),
        ('{"a": 1}}', "f:1:9", "json"),
        ("{'a': 1}", "f:1:2", "json"),
        ('{"a": 1,\n "a": 2}', "f:2:2", "json"),
        ('{"x": ' + "9" * 6000 + "}", "f:1:7", "json"),
        ('["' + "9" * 6000 + '", -' + "9" * 6000 + "]", "f:1:6006", "json"),
        ("[" * 100_000, "f:1:201", "json"),
        ('{"a":' * 201, "f:1:1001", "json"),
    ],
)
def test_broken_json_is_an_error_with_its_place(text: str, place: str, kind: str) -> None:
    """What breaks off is told from what is wrong; nothing else is ever raised."""
    with pytest.raises(FileError) as caught:
        parse_json(text, "f")
    assert (place, kind) == (caught.value.place, caught.value.kind)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("[" * 200 + "]" * 200, 200),
        ('["[[[", "' + "{" * 500 + '"]', 1),
        ('{"a": 1e400}', 1),
    ],
)
def test_what_is_within_bounds_is_read(text: str, expected: int) -> None:
    """Brackets inside strings do not count as depth."""
    assert expected == depth_of(parse_json(text, "f"))


def depth_of(value: Any) -> int:
    """Return how deep lists and objects are nested."""
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(depth_of, value), default=0) if isinstance(value, list) else 0


def test_numbers_that_python_writes_are_read() -> None:
    """NaN and the infinities are no JSON, and Python's serialisers write them."""
    read = parse_json("[NaN, -Infinity]", "f", line=7)
    assert (True, -math.inf) == (math.isnan(read[0]), read[1])
