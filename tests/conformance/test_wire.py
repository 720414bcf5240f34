from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.conformance.ops import OPS, answer
from deskroom.conformance.wire import Case, rejection_out, seen_out
from deskroom.core import (
    DESK,
    EVERYONE,
    AsidePolicy,
    Audience,
    Author,
    Desk,
    DeskSet,
    Elision,
    Member,
    Mention,
    Person,
    Roster,
    Row,
    SeenRow,
    Target,
    Viewer,
)
from deskroom.core.reasons import CallFault
from deskroom.errors import WireError
from deskroom.speech import Broadcast, Dm, Rejection

VECTORS = Path(__file__).parents[1] / "vectors" / "algebra.jsonl"


def one_of_each_op() -> dict[str, dict[str, Any]]:
    """Return the longest shipped case of each op, so that it has every kind of field."""
    longest: dict[str, str] = {}
    for line in VECTORS.read_text(encoding="utf-8").strip().split("\n"):
        op = json.loads(line)["op"]
        longest[op] = max(longest.get(op, ""), line, key=len)
    return {op: json.loads(line) for op, line in longest.items()}


CASES = one_of_each_op()
JUNK: st.SearchStrategy[object] = st.sampled_from(
    [None, True, 0, -1, 2**70, 1.5, "", "x", "\ud800", [], {}, [1], ["x"], [{}], {"kind": "agent"}]
)


def places(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of everything within a JSON value."""
    within: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        within = list(value.items())
    elif isinstance(value, list):
        within = list(enumerate(value))
    for key, item in within:
        yield (*path, key)
        yield from places(item, (*path, key))


@pytest.mark.parametrize(
    "ask,value,problem",
    [
        ("maybe_mentions", {}, "a.x must be a list of objects"),
        ("author", {"kind": "desk", "id": "d"}, "a.x.kind must be one of agent, person, other"),
        ("author", {"kind": "agent"}, "a.x.id is missing"),
        ("target", {"kind": "x"}, "a.x.kind must be one of agent, person, desk, everyone"),
        (
            "utterance",
            {"kind": "read"},
            "a.x.kind must be one of dm, post, broadcast, complete_episode",
        ),
        ("utterance", {"kind": "dm", "message": "m"}, "a.x.to is missing"),
        ("viewer", {"kind": "agent"}, "a.x.id is missing"),
        ("policy", {"enabled": True, "max_members": -1}, "a.x.max_members must not be negative"),
        (
            "mentions",
            [{"target": {"kind": "everyone"}, "quiet": 0}],
            "a.x[0].quiet must be true or false",
        ),
    ],
)
def test_what_does_not_fit_is_told_with_its_path(ask: str, value: object, problem: str) -> None:
    """What the form of a vector does not have is told with where it stands."""
    with pytest.raises(WireError) as caught:
        getattr(Case({"x": value}, "a"), ask)("x")
    assert str(caught.value) == problem


def test_a_world_is_read_as_a_directory() -> None:
    """Members, people, the retired and the desks keep their order."""
    world = {
        "members": [{"id": "a", "name": None}, {"id": "b", "name": "B"}],
        "people": [{"id": "p", "label": "P"}],
        "retired": ["b"],
        "desks": [{"id": "d", "name": "D", "members": ["b", "a"]}],
    }
    directory = Case({"world": world}).directory("world")
    assert directory.roster == Roster([Member("a"), Member("b", "B")], [Person("p", "P")], ["b"])
    assert directory.desks == DeskSet([Desk("d", "D", ["b", "a"])])


def test_authors_targets_mentions_and_viewers_are_read() -> None:
    """Everyone and the operator have no id, and quiet may be left out."""
    fields = Case(
        {
            "other": {"kind": "other"},
            "person": {"kind": "person", "id": "p"},
            "operator": {"kind": "operator"},
            "mentions": [
                {"target": {"kind": "everyone"}, "text": "@here", "offset": 1},
                {"target": {"kind": "desk", "id": "d"}, "text": "@d", "offset": 2, "quiet": True},
            ],
            "none": None,
        },
    )
    mentions = (Mention(EVERYONE, "@here", 1), Mention(Target("desk", "d"), "@d", 2, quiet=True))
    assert fields.author("other") is None
    assert fields.author("person") == fields.target("person") == Target("person", "p")
    assert fields.mentions("mentions") == fields.maybe_mentions("mentions") == mentions
    assert fields.maybe_mentions("none") is None
    assert fields.viewer("operator") == Viewer("operator")
    assert fields.viewer("person") == Viewer("person", "p")


def test_policies_utterances_and_rows_are_read() -> None:
    """Every field has its place, and a desk row has no members."""
    policy = {
        "enabled": True,
        "max_members": 1,
        "max_messages": 2,
        "must_surface": True,
        "require_thread": False,
    }
    rows = [
        {"sequence": 1, "author": {"kind": "system"}, "content": "", "audience": {"kind": "desk"}},
        {
            "sequence": 2,
            "author": {"kind": "agent", "id": "a"},
            "content": "x",
            "audience": {"kind": "aside", "members": ["b"]},
        },
    ]
    fields = Case(
        {
            "policy": policy,
            "dm": {"kind": "dm", "to": ["b"], "message": "m"},
            "broadcast": {"kind": "broadcast", "message": "m"},
            "rows": rows,
        },
    )
    assert fields.policy("policy") == AsidePolicy(**policy)  # type: ignore[arg-type]
    assert fields.utterance("dm") == Dm("m", ["b"])
    assert fields.utterance("broadcast") == Broadcast("m")
    assert fields.rows("rows") == [
        Row(1, "", Author("system"), "", DESK),
        Row(2, "", Author("agent", "a"), "x", Audience("aside", ["b"])),
    ]


def test_answers_are_written_in_the_wire_form() -> None:
    """Ids that are not there are left out, and a stub says what it covers."""
    assert rejection_out(Rejection(CallFault.EMPTY_MESSAGE)) == {"kind": "empty_message"}
    assert rejection_out(Rejection(CallFault.UNKNOWN_TOOL, "x")) == {
        "kind": "unknown_tool",
        "name": "x",
    }
    assert rejection_out(Rejection(CallFault.UNKNOWN_RECIPIENT, "x")) == {
        "kind": "unknown_recipient",
        "id": "x",
    }
    assert seen_out(SeenRow(1, Author("system"), "x", DESK)) == {
        "sequence": 1,
        "author": {"kind": "system"},
        "content": "x",
        "audience": {"kind": "desk"},
        "elided": None,
    }
    stub = SeenRow(1, Author("agent", "a"), "", Audience("aside", ["b"]), Elision(3, 2, None))
    assert seen_out(stub)["elided"] == {"through": 3, "messages": 2, "settled_at": None}
    assert seen_out(stub)["author"] == {"kind": "agent", "id": "a"}


def test_there_is_a_shipped_case_of_every_op() -> None:
    """What is tried below tries all of them."""
    assert set(CASES) == set(OPS)


@given(st.sampled_from(sorted(CASES)), st.data())
def test_a_damaged_case_is_answered_or_told(op: str, data: st.DataObject) -> None:
    """Whatever is taken out or put in somewhere, the only error is that it is not a vector."""
    case = copy.deepcopy({key: value for key, value in CASES[op].items() if key != "want"})
    path = data.draw(st.sampled_from(sorted(places(case), key=str)))
    holder: Any = case
    for key in path[:-1]:
        holder = holder[key]
    if data.draw(st.booleans()):
        del holder[path[-1]]
    else:
        holder[path[-1]] = copy.deepcopy(data.draw(JUNK))
    with contextlib.suppress(WireError):
        got = answer(op, Case(case))
        assert json.loads(json.dumps(got)) == got
