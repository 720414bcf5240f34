from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

import pytest
from attrs import field, frozen
from attrs.validators import ge
from hypothesis import given
from hypothesis import strategies as st

from deskroom.errors import WireError
from deskroom.wire.codecs import TEXT
from deskroom.wire.form import Form, OneOf, form_of


class Color(StrEnum):
    """A closed list."""

    RED = "red"
    BLUE = "blue"


@frozen
class Part:
    """What a whole has."""

    name: str
    size: float = 1.0


@frozen(kw_only=True)
class Whole:
    """One of each annotation."""

    count: int = field(validator=ge(0))
    color: Color
    mode: Literal["fast", "slow"] = "fast"
    open: bool = False
    free: Any = None
    parts: tuple[Part, ...] = ()
    tags: tuple[str, ...] | None = None
    best: Part | None = None
    note: str = field(default="", eq=False)
    derived: str = field(init=False, eq=False, default="x")


WHOLE = form_of(Whole, tag={"kind": "whole"}, names={"hue": "color"})
VALUE = Whole(
    count=1, color=Color.RED, free=[1], parts=(Part("p"),), tags=("a",), best=Part("q", 2)
)
WIRE = {
    "kind": "whole",
    "count": 1,
    "hue": "red",
    "mode": "fast",
    "open": False,
    "free": [1],
    "parts": [{"name": "p", "size": 1.0}],
    "tags": ["a"],
    "best": {"name": "q", "size": 2},
}


def test_a_class_says_its_own_form() -> None:
    """Each field that counts in a comparison has a key, and what it holds is its annotation."""
    assert WIRE == WHOLE.write(VALUE)
    assert VALUE == WHOLE.read(WIRE)
    assert isinstance(WHOLE.read(WIRE).color, Color)


@pytest.mark.parametrize(
    "change, path, code",
    [
        ({"count": True}, "count", "type"),
        ({"count": -1}, "", "value"),
        ({"hue": "green"}, "hue", "word"),
        ({"hue": 1}, "hue", "type"),
        ({"mode": "idle"}, "mode", "word"),
        ({"open": 0}, "open", "type"),
        ({"parts": {}}, "parts", "type"),
        ({"parts": [{"name": "p", "size": 1}, None]}, "parts[1]", "type"),
        ({"parts": [{"name": "p"}]}, "parts[0].size", "missing"),
        ({"best": {"name": "p", "size": float("inf")}}, "best.size", "range"),
        ({"tags": "a"}, "tags", "type"),
        ({"note": ""}, "note", "unknown"),
        ({"derived": ""}, "derived", "unknown"),
    ],
)
def test_what_does_not_fit_is_told_with_its_path(
    change: dict[str, Any], path: str, code: str
) -> None:
    """The first wrong thing, in the order of the fields."""
    with pytest.raises(WireError) as caught:
        WHOLE.read(WIRE | change)
    assert (path, code) == (caught.value.path, caught.value.code)


JUNK: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, -1, 2**70, 1.5, "", "red", "fast", [], {}, [1], ["x"], [{}]]
)


@given(st.dictionaries(st.sampled_from([*WIRE, "newer"]), JUNK, max_size=2), st.data())
def test_the_fast_way_and_the_careful_one_agree(
    change: dict[str, Any], data: st.DataObject
) -> None:
    """Whatever is changed or left out, both read the same or tell the same."""
    value = WIRE | change
    for key in data.draw(st.lists(st.sampled_from([*WIRE][1:]), max_size=1)):
        value.pop(key, None)
    assert outcome(WHOLE.read, value) == outcome(WHOLE.careful, value)


def outcome(read: Any, value: Any) -> Any:
    """Return what is read, or what is wrong."""
    try:
        return read(value)
    except WireError as error:
        return error.path, error.code


def test_a_word_chooses_one_of_several_forms() -> None:
    """The word is written with the rest, and another one is told."""
    forms = OneOf(
        "is",
        {
            "text": Form(str, {"real": TEXT}, tag={"is": "text"}),
            "none": Form(lambda: None, {}, tag={"is": "none"}),
        },
        lambda _: "none",
    )
    assert {"is": "none"} == forms.write(None)
    assert (None, "x") == (forms.read({"is": "none"}), forms.read({"is": "text", "real": "x"}))
    faults = [outcome(forms.read, value) for value in ({}, {"is": 1}, {"is": "two"})]
    assert [("is", "missing"), ("is", "type"), ("is", "word")] == faults
