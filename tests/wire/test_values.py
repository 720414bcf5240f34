from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.core import (
    DESK,
    EVERYONE,
    Audience,
    Author,
    Decision,
    Mention,
    NoTurn,
    Row,
    Target,
    TurnFor,
    agent,
)
from deskroom.core.wire import (
    Fields,
    audience_in,
    audience_out,
    author_in,
    author_out,
    decision_in,
    decision_out,
    mention_in,
    mention_out,
    row_in,
    row_out,
)
from deskroom.errors import WireError

MENTION = Mention(agent("bob"), "@bob", 3)
MENTION_OUT = {
    "target": {"kind": "agent", "id": "bob"},
    "text": "@bob",
    "offset": 3,
    "quiet": False,
}
ROW = Row(7, "d", Author("agent", "ada"), "hi", Audience("aside", ["bob"]), 2)
ROW_OUT = {
    "sequence": 7,
    "chat_id": "d",
    "parent": 2,
    "author": {"type": "agent", "id": "ada"},
    "content": "hi",
    "audience": {"kind": "aside", "members": ["bob"]},
}


def test_simple_fields_are_read_by_type() -> None:
    """Text, numbers, flags, words, lists and nulls each have a reader."""
    fields = Fields({"t": "x", "n": 7, "f": True, "l": ["a", "b"], "z": None, "o": {"t": "y"}})
    assert (fields.text("t"), fields.number("n"), fields.flag("f")) == ("x", 7, True)
    assert (fields.count("n"), fields.texts("l"), fields.word("t", "w", "x")) == (
        7,
        ("a", "b"),
        "x",
    )
    assert (fields.maybe_text("z"), fields.maybe_text("t")) == (None, "x")
    assert (fields.maybe_number("z"), fields.maybe_number("n")) == (None, 7)
    assert (fields.has("z"), fields.has("q"), fields.raw("l")) == (True, False, ["a", "b"])
    assert fields.object("o").text("t") == "y"
    assert Fields({"n": 0}).count("n") == 0


@pytest.mark.parametrize(
    "ask,value,problem",
    [
        ("text", 1, "a.x must be a string"),
        ("text", None, "a.x must be a string"),
        ("number", "1", "a.x must be an integer"),
        ("number", True, "a.x must be an integer"),
        ("number", 1.0, "a.x must be an integer"),
        ("count", -1, "a.x must not be negative"),
        ("flag", 1, "a.x must be true or false"),
        ("flag", None, "a.x must be true or false"),
        ("texts", "ab", "a.x must be a list of strings"),
        ("texts", ["a", 1], "a.x must be a list of strings"),
        ("objects", {}, "a.x must be a list of objects"),
        ("objects", [{}, []], "a.x[1] must be an object"),
        ("object", [], "a.x must be an object"),
        ("maybe_text", 1, "a.x must be a string"),
        ("maybe_number", "", "a.x must be an integer"),
    ],
)
def test_what_does_not_fit_is_told_with_its_path(ask: str, value: object, problem: str) -> None:
    """A flag is no number, and a path leads to the field at fault."""
    with pytest.raises(WireError) as caught:
        getattr(Fields({"x": value}, "a"), ask)("x")
    assert str(caught.value) == problem


def test_a_word_is_one_of_those_expected() -> None:
    """Any other is told with the list."""
    with pytest.raises(WireError) as caught:
        Fields({"x": "c"}).word("x", "a", "b")
    assert str(caught.value) == "x must be one of a, b"


def test_a_missing_field_and_a_line_of_another_kind_are_told() -> None:
    """At the top there is no path before the name."""
    with pytest.raises(WireError) as missing:
        Fields({}).text("x")
    with pytest.raises(WireError) as other:
        Fields([])
    assert [str(missing.value), str(other.value)] == ["x is missing", "the line must be an object"]


def test_a_key_that_nobody_asked_for_is_told() -> None:
    """Looking whether a field is there does not ask for it."""
    fields = Fields({"x": 1, "y": 2}, "a")
    fields.number("x")
    assert fields.has("y")
    with pytest.raises(WireError) as caught:
        fields.end()
    assert str(caught.value) == "a.y is not a field here"
    fields.number("y")
    fields.end()


def test_what_is_nested_is_of_the_same_class() -> None:
    """A reader with more questions keeps them further down."""

    class More(Fields):
        pass

    fields = More({"o": {}, "l": [{}]})
    assert [type(fields.object("o")), *map(type, fields.objects("l"))] == [More, More]


@pytest.mark.parametrize(
    "author,wire",
    [
        (Author("agent", "ada"), {"type": "agent", "id": "ada"}),
        (Author("person", "sam"), {"type": "person", "id": "sam"}),
        (Author("system", kind="workspace"), {"type": "system", "kind": "workspace"}),
        (Author("operator"), {"type": "operator"}),
    ],
)
def test_an_author_has_what_its_type_has(author: Author, wire: dict[str, Any]) -> None:
    """An agent or a person has an id, the system a kind, an operator neither."""
    assert author_out(author) == wire
    assert author_in(Fields(wire)) == author


@pytest.mark.parametrize(
    "wire,problem",
    [
        ({"type": "robot"}, "type must be one of agent, person, operator, system"),
        ({"type": "agent"}, "id is missing"),
        ({"type": "system"}, "kind is missing"),
        ({"type": "operator", "id": "o"}, "id is not a field here"),
        ({"type": "agent", "id": "a", "kind": "k"}, "kind is not a field here"),
    ],
)
def test_an_author_that_has_less_or_more_is_told(wire: dict[str, Any], problem: str) -> None:
    """No type gets a default."""
    with pytest.raises(WireError) as caught:
        author_in(Fields(wire))
    assert str(caught.value) == problem


@pytest.mark.parametrize(
    "audience,wire",
    [
        (DESK, {"kind": "desk"}),
        (Audience("aside", ["b", "a"]), {"kind": "aside", "members": ["b", "a"]}),
        (Audience("aside"), {"kind": "aside", "members": []}),
    ],
)
def test_an_audience_keeps_its_order(audience: Audience, wire: dict[str, Any]) -> None:
    """Members are written in the order addressed, even when there are none."""
    assert audience_out(audience) == wire
    assert audience_in(Fields(wire)) == audience


@pytest.mark.parametrize(
    "wire,problem",
    [
        ({}, "kind is missing"),
        ({"kind": "all"}, "kind must be one of desk, aside"),
        ({"kind": "aside"}, "members is missing"),
        ({"kind": "desk", "members": []}, "members is not a field here"),
        ({"kind": "aside", "members": ["a"], "x": 1}, "x is not a field here"),
    ],
)
def test_an_absent_audience_never_means_everyone(wire: dict[str, Any], problem: str) -> None:
    """What does not say exactly who may read is no audience."""
    with pytest.raises(WireError) as caught:
        audience_in(Fields(wire))
    assert str(caught.value) == problem


@pytest.mark.parametrize(
    "target,wire",
    [
        (EVERYONE, {"kind": "everyone"}),
        (agent("bob"), {"kind": "agent", "id": "bob"}),
        (Target("person", "p"), {"kind": "person", "id": "p"}),
        (Target("desk", "d"), {"kind": "desk", "id": "d"}),
    ],
)
def test_a_mention_is_written_in_full(target: Target, wire: dict[str, Any]) -> None:
    """Everyone has no id, and quiet is always there."""
    mention = Mention(target, "@x", 3, quiet=True)
    out = {"target": wire, "text": "@x", "offset": 3, "quiet": True}
    assert mention_out(mention) == out
    assert mention_in(Fields(out)) == mention


@pytest.mark.parametrize(
    "change,problem",
    [
        ({"target": {"kind": "agent"}}, "target.id is missing"),
        ({"target": {"kind": "everyone", "id": "x"}}, "target.id is not a field here"),
        ({"quiet": None}, "quiet must be true or false"),
        ({"extra": 1}, "extra is not a field here"),
    ],
)
def test_a_mention_that_has_less_or_more_is_told(change: dict[str, Any], problem: str) -> None:
    """Paths lead into the target."""
    with pytest.raises(WireError) as caught:
        mention_in(Fields(MENTION_OUT | change))
    assert str(caught.value) == problem


@pytest.mark.parametrize(
    "decision,wire",
    [
        (NoTurn("self_mention"), {"kind": "none", "reason": "self_mention"}),
        (
            TurnFor("bob", 4, MENTION),
            {"kind": "one", "target_id": "bob", "child_hop": 4, "mention": MENTION_OUT},
        ),
        (
            TurnFor("bob", 0),
            {"kind": "one", "target_id": "bob", "child_hop": 0, "mention": None},
        ),
    ],
)
def test_a_decision_keeps_what_made_it(decision: Decision, wire: dict[str, Any]) -> None:
    """The chosen mention or the reason is written with it."""
    assert decision_out(decision) == wire
    assert decision_in(Fields(wire)) == decision


@pytest.mark.parametrize(
    "wire,problem",
    [
        ({"kind": "none"}, "reason is missing"),
        ({"kind": "one", "target_id": "b", "child_hop": 1}, "mention is missing"),
        ({"kind": "none", "reason": "r", "target_id": "b"}, "target_id is not a field here"),
    ],
)
def test_a_decision_that_has_less_or_more_is_told(wire: dict[str, Any], problem: str) -> None:
    """A missing mention is not the same as none."""
    with pytest.raises(WireError) as caught:
        decision_in(Fields(wire))
    assert str(caught.value) == problem


def test_a_row_is_written_in_full() -> None:
    """Every field is there, a parent that is none as null."""
    assert row_out(ROW) == ROW_OUT
    assert row_in(Fields(ROW_OUT)) == ROW
    root = Row(1, "d", Author("operator"), "", DESK)
    assert row_out(root)["parent"] is None
    assert row_in(Fields(row_out(root))) == root


@pytest.mark.parametrize("key", sorted(ROW_OUT))
def test_a_row_without_any_of_its_fields_is_told(key: str) -> None:
    """Nothing has a default."""
    with pytest.raises(WireError) as caught:
        row_in(Fields({name: value for name, value in ROW_OUT.items() if name != key}))
    assert str(caught.value) == f"{key} is missing"


def test_a_row_with_a_field_of_another_form_is_told() -> None:
    """A newer form is not read as if it were this one."""
    with pytest.raises(WireError) as caught:
        row_in(Fields(ROW_OUT | {"edited": True}))
    assert str(caught.value) == "edited is not a field here"


IDS = st.text(st.characters(codec=None), max_size=5)
ROWS = st.builds(
    Row,
    st.integers(),
    IDS,
    st.one_of(
        st.builds(Author, st.sampled_from(["agent", "person"]), IDS),
        st.builds(Author, st.just("system"), st.none(), IDS),
        st.just(Author("operator")),
    ),
    st.text(st.characters(codec=None)),
    st.one_of(st.just(DESK), st.builds(Audience, st.just("aside"), st.lists(IDS))),
    st.none() | st.integers(),
)


@given(ROWS)
def test_any_row_survives_its_wire_form(row: Row) -> None:
    """Through JSON and back every row is what it was, whatever its text holds."""
    assert row_in(Fields(json.loads(json.dumps(row_out(row))))) == row
