from __future__ import annotations

from typing import Any

import pytest

from deskroom.errors import WireError
from deskroom.wire import Fields


def test_simple_fields_are_read_by_type() -> None:
    """Text, numbers, flags, words, lists and nulls each have a question."""
    fields = Fields({"t": "x", "n": 7, "f": True, "l": ["a", "b"], "z": None, "o": {"t": "y"}})
    assert ("x", 7, True) == (fields.text("t"), fields.number("n"), fields.flag("f"))
    assert (7, ("a", "b"), "x") == (
        fields.count("n"),
        fields.texts("l"),
        fields.word("t", "w", "x"),
    )
    assert ("x", 7) == (fields.maybe_text("t"), fields.maybe_number("n"))
    assert (None, None) == (fields.maybe_text("z"), fields.maybe_number("z"))
    assert (None, True, False) == (fields.raw("z"), fields.has("z"), fields.has("y"))
    assert "y" == fields.object("o").text("t")


@pytest.mark.parametrize(
    "ask, value, told",
    [
        ("text", 1, ("a.x", "type")),
        ("maybe_text", False, ("a.x", "type")),
        ("number", True, ("a.x", "type")),
        ("number", 1.0, ("a.x", "type")),
        ("maybe_number", "1", ("a.x", "type")),
        ("count", -1, ("a.x", "range")),
        ("flag", 1, ("a.x", "type")),
        ("texts", "ab", ("a.x", "type")),
        ("texts", ["a", 1], ("a.x[1]", "type")),
        ("object", [], ("a.x", "type")),
        ("objects", {}, ("a.x", "type")),
        ("objects", [{}, 1], ("a.x[1]", "type")),
    ],
)
def test_another_type_is_told_with_its_path(ask: str, value: Any, told: tuple[str, str]) -> None:
    """Nothing is taken for something like it."""
    with pytest.raises(WireError) as caught:
        getattr(Fields({"x": value}, "a"), ask)("x")
    assert told == (caught.value.path, caught.value.code)


def test_a_word_that_is_not_listed_and_a_field_that_is_not_there_are_told() -> None:
    """Nothing has a default."""
    with pytest.raises(WireError) as word:
        Fields({"x": "c"}).word("x", "a", "b")
    with pytest.raises(WireError) as missing:
        Fields({}).text("x")
    with pytest.raises(WireError) as other:
        Fields([], "a")
    faults = [(error.value.path, error.value.code) for error in (word, missing, other)]
    assert [("x", "word"), ("x", "missing"), ("a", "type")] == faults


def test_what_is_nested_is_of_the_same_class() -> None:
    """A reader with more questions keeps them further down."""

    class More(Fields):
        pass

    fields = More({"o": {}, "l": [{}]})
    assert [More, More] == [type(fields.object("o")), *map(type, fields.objects("l"))]
