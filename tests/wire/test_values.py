from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.core import DESK, Audience, Author, Elision, Row
from deskroom.errors import WireError
from deskroom.wire import (
    audience_in,
    audience_out,
    author_in,
    author_out,
    elision_out,
    row_in,
    row_out,
)

ROW = Row(7, "d", Author("agent", "ada"), "hi", Audience("aside", ["bob"]), 2)
ROW_OUT = {
    "sequence": 7,
    "chat_id": "d",
    "parent": 2,
    "author": {"type": "agent", "id": "ada"},
    "content": "hi",
    "audience": {"kind": "aside", "members": ["bob"]},
}


@pytest.mark.parametrize(
    "author, wire",
    [
        (Author("agent", "a"), {"type": "agent", "id": "a"}),
        (Author("person", "p"), {"type": "person", "id": "p"}),
        (Author("operator"), {"type": "operator"}),
        (Author("system", kind="workspace"), {"type": "system", "kind": "workspace"}),
    ],
)
def test_authors_are_written_and_read(author: Author, wire: dict[str, Any]) -> None:
    """Each kind of author has just the keys that say who it is."""
    assert wire == author_out(author)
    assert author == author_in(wire)


@pytest.mark.parametrize(
    "audience, wire",
    [
        (DESK, {"kind": "desk"}),
        (Audience("aside", ["b", "a"]), {"kind": "aside", "members": ["b", "a"]}),
        (Audience("aside"), {"kind": "aside", "members": []}),
    ],
)
def test_audiences_are_written_and_read(audience: Audience, wire: dict[str, Any]) -> None:
    """The members of an aside keep their order."""
    assert wire == audience_out(audience)
    assert audience == audience_in(wire)


def test_a_row_has_the_reference_form() -> None:
    """Its keys, and their order, are those of the utterance surface."""
    assert (ROW_OUT, list(ROW_OUT)) == (row_out(ROW), list(row_out(ROW)))
    assert ROW == row_in(ROW_OUT)


def test_a_stub_says_what_it_stands_for() -> None:
    """All three numbers are there, also where nothing has settled it."""
    wire = {"through": 3, "messages": 2, "settled_at": None}
    assert wire == elision_out(Elision(3, 2, None))


@pytest.mark.parametrize(
    "change, path, code",
    [
        ({"author": {"type": "agent"}}, "author.id", "missing"),
        ({"author": {"type": "operator", "id": "x"}}, "author.id", "unknown"),
        ({"author": {"type": "system", "id": "x"}}, "author.kind", "missing"),
        ({"author": {"type": "desk"}}, "author.type", "word"),
        ({"author": {"id": "a"}}, "author.type", "missing"),
        ({"audience": None}, "audience", "type"),
        ({"audience": {}}, "audience.kind", "missing"),
        ({"audience": {"kind": "aside"}}, "audience.members", "missing"),
        ({"audience": {"kind": "desk", "members": []}}, "audience.members", "unknown"),
        ({"audience": {"kind": "aside", "members": "bob"}}, "audience.members", "type"),
        ({"audience": {"kind": "aside", "members": ["b", 1]}}, "audience.members[1]", "type"),
        ({"sequence": True}, "sequence", "type"),
        ({"sequence": 1.0}, "sequence", "type"),
        ({"edited": True}, "edited", "unknown"),
    ],
)
def test_what_is_no_row_is_told_with_its_path(change: dict[str, Any], path: str, code: str) -> None:
    """An author or an audience that is not whole must not come to mean another."""
    with pytest.raises(WireError) as caught:
        row_in(ROW_OUT | change)
    assert (path, code) == (caught.value.path, caught.value.code)


@pytest.mark.parametrize("read", [row_in, author_in, audience_in])
def test_only_an_object_is_read(read: Any) -> None:
    """A list or a text is none."""
    with pytest.raises(WireError) as caught:
        read([])
    assert "type" == caught.value.code


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
    assert row_in(json.loads(json.dumps(row_out(row)))) == row
