from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from datetime import date
from types import MappingProxyType
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from deskroom.core import (
    DESK,
    EVERYONE,
    AsidePolicy,
    Audience,
    Author,
    DispatchPolicy,
    Mention,
    NoTurn,
    Person,
    Row,
    Target,
    TurnFor,
)
from deskroom.engine.entries import (
    CallEntry,
    CloseEntry,
    EndEntry,
    Entry,
    HeaderEntry,
    RoutedEntry,
    RowEntry,
    TurnEntry,
)
from deskroom.engine.setup import Setup
from deskroom.errors import WireError
from deskroom.journal.arguments import encodable
from deskroom.journal.wire import entry_in, entry_out
from deskroom.room import BroadcastPolicy, ChairPolicy, Opening, Policy, Seat

Values = list[dict[str, Any]]

TEXTS = st.text(max_size=8)
#: What a seat says outside any call may hold anything, half a surrogate pair too.
SAID = st.one_of(TEXTS, st.sampled_from(["\ud800", "\udfffx", "é\u2028\x00"]))
WHOLE = st.integers(-(2**70), 2**70)
MAYBE = st.none() | WHOLE
COUNTS = st.integers(0, 2**40)


def json_values() -> st.SearchStrategy[Any]:
    """Return the strategy for what JSON can hold."""
    leaves = st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | SAID
    return st.recursive(
        leaves | st.integers(-(2**63) + 1, 2**63 - 1),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(SAID, inner, max_size=3),
        max_leaves=8,
    )


MENTIONS = st.builds(
    Mention,
    st.one_of(
        st.just(EVERYONE), st.builds(Target, st.sampled_from(["agent", "person", "desk"]), TEXTS)
    ),
    TEXTS,
    WHOLE,
    st.booleans(),
)
POLICIES = st.builds(
    Policy,
    dispatch=st.builds(DispatchPolicy, enabled=st.booleans(), max_hops=COUNTS),
    aside=st.builds(
        AsidePolicy,
        enabled=st.booleans(),
        max_members=COUNTS,
        max_messages=COUNTS,
        must_surface=st.booleans(),
        require_thread=st.booleans(),
    ),
    on_refused_aside=st.sampled_from(["refuse", "room"]),
    chair=st.builds(ChairPolicy, rounds=COUNTS, every=COUNTS, by=st.none() | TEXTS),
    broadcast=st.builds(
        BroadcastPolicy, router=st.sampled_from(["scripted", "lexical"]), width=st.integers(1, 9)
    ),
    close=st.sampled_from(["first", "all"]),
    participants=st.none() | st.lists(TEXTS, max_size=3).map(tuple),
    max_turns=st.integers(1, 9),
    window=COUNTS,
    history_limit=COUNTS,
    silence=st.sampled_from(["yield", "retry"]),
    max_calls=COUNTS,
    max_message_bytes=COUNTS,
    turn_timeout_s=st.one_of(
        st.integers(1, 10**9), st.floats(0, 1e9, exclude_min=True, allow_subnormal=False)
    ),
)
SEATS = st.builds(
    Seat,
    id=st.text("abc", min_size=1),
    name=st.none() | TEXTS,
    role=st.none() | SAID,
    brief=st.none() | SAID,
    fence=st.booleans(),
    retired=st.booleans(),
)
SETUPS = st.builds(
    Setup,
    desk_id=st.just("d"),
    desk_name=st.text("xyz", min_size=1),
    seats=st.lists(SEATS, max_size=3, unique_by=lambda seat: seat.id).map(tuple),
    people=st.lists(
        st.builds(Person, st.text("pq", min_size=1), TEXTS), max_size=2, unique_by=lambda p: p.id
    ).map(tuple),
    policy=POLICIES,
    opening=st.none() | st.builds(Opening, TEXTS, TEXTS),
)
DECISIONS = st.one_of(
    st.builds(NoTurn, TEXTS), st.builds(TurnFor, TEXTS, WHOLE, st.none() | MENTIONS)
)
AUTHORS = st.one_of(
    st.builds(Author, st.sampled_from(["agent", "person"]), TEXTS),
    st.builds(Author, st.just("system"), st.none(), TEXTS),
    st.just(Author("operator")),
)
AUDIENCES = st.one_of(
    st.just(DESK), st.builds(Audience, st.just("aside"), st.lists(TEXTS, max_size=3))
)
PATHS = st.lists(TEXTS, max_size=2).map(tuple)
ENTRIES: list[tuple[str, st.SearchStrategy[Entry]]] = [
    (
        "header",
        st.builds(
            HeaderEntry, SETUPS, st.sampled_from([None, "listed", "routed"]), st.none() | TEXTS
        ),
    ),
    ("turn", st.builds(TurnEntry, WHOLE, TEXTS, WHOLE, MAYBE, WHOLE, MAYBE)),
    (
        "call",
        st.builds(
            CallEntry,
            WHOLE,
            WHOLE,
            TEXTS,
            WHOLE,
            json_values(),
            json_values(),
            TEXTS,
            st.booleans(),
            st.sampled_from(["call", "fence"]),
        ),
    ),
    (
        "end",
        st.builds(
            EndEntry,
            WHOLE,
            WHOLE,
            TEXTS,
            st.sampled_from(["silent", "refused", "failed", "timed_out"]),
            SAID,
            PATHS,
            st.none() | SAID,
        ),
    ),
    (
        "row",
        st.builds(
            RowEntry,
            st.builds(Row, WHOLE, TEXTS, AUTHORS, TEXTS, AUDIENCES, MAYBE),
            st.sampled_from(["opening", "person", "seat", "nudge", "wrote"]),
            DECISIONS,
            st.lists(MENTIONS, max_size=2).map(tuple),
            MAYBE,
            MAYBE,
            st.booleans(),
            st.booleans(),
            st.none() | TEXTS,
            MAYBE,
            PATHS,
        ),
    ),
    ("routed", st.builds(RoutedEntry, WHOLE, PATHS, WHOLE)),
    (
        "close",
        st.builds(
            CloseEntry,
            st.sampled_from(["completed", "quiet", "max_turns", "script", "stopped", "failed"]),
        ),
    ),
]


@pytest.mark.parametrize("kind, entries", ENTRIES, ids=[kind for kind, _ in ENTRIES])
@given(data=st.data())
def test_every_entry_survives_its_wire_form(
    kind: str, entries: st.SearchStrategy[Entry], data: st.DataObject
) -> None:
    """Written, through JSON and read again, an entry is what it was."""
    entry = data.draw(entries)
    written = entry_out(entry)
    assert kind == written["kind"]
    assert entry == entry_in(json.loads(json.dumps(written)))


# Strict: each key, at every level, of every kind of entry that a room writes


Path = tuple[str | int, ...]

#: Keys whose values are a seat's own, so that nothing about them is checked.
_FREE = {("tool",), ("arguments",)}


def objects(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the path of every object in a value that is read strictly."""
    if path in _FREE:
        return
    if isinstance(value, dict):
        yield path
        for key, item in value.items():
            yield from objects(item, (*path, key))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from objects(item, (*path, at))


def at(value: Any, path: Path) -> Any:
    """Return what stands at a path."""
    for key in path:
        value = value[key]
    return value


def named(path: Path) -> str:
    """Return a path as errors name it."""
    text = ""
    for key in path:
        text += f"[{key}]" if isinstance(key, int) else f".{key}"
    return text.lstrip(".")


def problem(value: Any) -> str:
    """Return what reading a value complains about."""
    with pytest.raises(WireError) as caught:
        entry_in(value)
    return str(caught.value)


@pytest.fixture(scope="module")
def kinds(values: Callable[[], Values]) -> Values:
    """Return one entry for each set of keys that a room writes, so that all levels are there."""
    shapes: dict[str, dict[str, Any]] = {}
    for value in values():
        shapes.setdefault(str([(path, sorted(at(value, path))) for path in objects(value)]), value)
    return list(shapes.values())


def test_a_missing_key_is_told_at_every_level(kinds: Values) -> None:
    """There is no default for anything."""
    told = 0
    for value in kinds:
        for path in objects(value):
            for key in at(value, path):
                changed = copy.deepcopy(value)
                del at(changed, path)[key]
                assert f"{named((*path, key))} is missing" == problem(changed)
                told += 1
    assert told > 150


def test_an_unknown_key_is_told_at_every_level(kinds: Values) -> None:
    """A newer form is not read as if it were this one."""
    for value in kinds:
        for path in objects(value):
            changed = copy.deepcopy(value)
            at(changed, path)["newer"] = None
            assert f"{named((*path, 'newer'))} is not a field here" == problem(changed)


WRONG: list[Any] = [None, True, -7, 1.5, "nonsense", [1], [[]], {"x": 1}]


def test_a_wrong_type_is_told_with_its_field(kinds: Values) -> None:
    """Whatever stands in a place that takes another type, the error begins with its path.

    A field that is null, or that may be, takes more than one; so does a time in seconds.
    """
    told = 0
    for value in kinds:
        for where in fields(value):
            right = at(value, where)
            for wrong in WRONG:
                if type(wrong) is type(right):
                    continue
                changed = copy.deepcopy(value)
                at(changed, where[:-1])[where[-1]] = wrong
                if where[-1] == "turn_timeout_s" and wrong == 1.5:
                    assert 1.5 == at(entry_out(entry_in(changed)), where)
                elif right is not None and wrong is not None:
                    assert problem(changed).startswith(f"{named(where)} must be "), where
                    told += 1
                elif not _is_read(changed):
                    assert problem(changed).startswith(f"{named(where)}"), where
    assert told > 800


def fields(value: Any) -> Iterator[Path]:
    """Yield the path of every field whose type is checked."""
    for path in objects(value):
        for key in at(value, path):
            if (*path, key) not in _FREE:
                yield (*path, key)


def _is_read(value: Any) -> bool:
    try:
        entry_in(value)
    except WireError:
        return False
    return True


@pytest.mark.parametrize(
    "value, told",
    [
        (None, "the line must be an object"),
        ([], "the line must be an object"),
        ("header", "the line must be an object"),
        ({}, "kind is missing"),
        ({"kind": "note"}, "kind must be one of header, turn, call, end, row, routed, close"),
        ({"kind": 1}, "kind must be a string"),
        (
            {"kind": "close", "reason": "bored"},
            "reason must be one of completed, quiet, max_turns, script, stopped, failed",
        ),
    ],
)
def test_what_is_no_entry_is_told(value: Any, told: str) -> None:
    """Not even the kind is guessed."""
    assert told == problem(value)


@pytest.mark.parametrize(
    "change, told",
    [
        ({"format": 2}, "the format is 2; this program reads 1"),
        ({"order": "random"}, "order must be one of listed, routed"),
        ({"policy": None}, "policy must be an object"),
        ({"policy": []}, "policy must be an object"),
    ],
)
def test_a_header_of_another_form_is_told(
    values: Callable[[], Values], change: dict[str, Any], told: str
) -> None:
    """A format that is not known is not read at all."""
    assert told == problem(values()[0] | change)


@pytest.mark.parametrize(
    "path, wrong, told",
    [
        (("max_turns",), True, "policy.max_turns must be an integer"),
        (("max_turns",), 1.0, "policy.max_turns must be an integer"),
        (("max_turns",), "5", "policy.max_turns must be an integer"),
        (("max_turns",), 0, "the policy is not valid: 'max_turns' must be >= 1: 0"),
        (("aside", "enabled"), 1, "policy.aside.enabled must be true or false"),
        (("turn_timeout_s",), "600", "policy.turn_timeout_s must be a number"),
        (("turn_timeout_s",), True, "policy.turn_timeout_s must be a number"),
        (
            ("turn_timeout_s",),
            float("nan"),
            "the policy is not valid: 'turn_timeout_s' must be > 0: nan",
        ),
        (
            ("broadcast", "router"),
            "best",
            "policy.broadcast.router must be one of scripted, lexical",
        ),
        (("chair", "by"), 5, "policy.chair.by must be a string"),
        (("participants",), ["a", 1], "policy.participants must be a list of strings"),
    ],
)
def test_a_policy_is_read_as_strictly_as_the_rest(
    values: Callable[[], Values], path: Path, wrong: Any, told: str
) -> None:
    """What a program would take for the same thing is still not what is written."""
    header = values()[0]
    at(header["policy"], path[:-1])[path[-1]] = wrong
    assert told == problem(header)


@pytest.mark.parametrize(
    "change, told",
    [
        ({"id": "main"}, "the desk is not valid: reserved_desk_identity ('main')"),
        ({"name": ""}, "the desk is not valid: empty_desk_name ('d')"),
        ({"people": [{"id": " ", "label": ""}]}, "the desk is not valid: empty_person_id (' ')"),
    ],
)
def test_a_desk_that_no_room_runs_on_is_told(
    values: Callable[[], Values], change: dict[str, Any], told: str
) -> None:
    """A header is as valid as the room that wrote it."""
    header = values()[0]
    header["desk"] |= change
    assert told == problem(header)


# What seats emit


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
    assert written == encodable(value)
    assert written == json.loads(json.dumps(encodable(value), allow_nan=False))


def test_what_holds_itself_is_not_followed_for_ever() -> None:
    """A list that is in itself has no end."""
    value: list[Any] = []
    value.append(value)
    assert {"not_json": "list"} == encodable(value)


def test_a_tool_that_is_no_name_is_kept_as_what_it_was() -> None:
    """A seat may emit anything as a tool."""
    call = CallEntry(1, 1, "a", 1, Odd(), Odd(), "unknown_tool")
    kept = evolve(call, tool={"not_json": "Odd"}, arguments={"not_json": "Odd"})
    assert kept == entry_in(json.loads(json.dumps(entry_out(call))))
