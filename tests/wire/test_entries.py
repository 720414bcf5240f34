from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Iterator
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
from deskroom.core.reasons import (
    OK,
    AsideReason,
    CallFault,
    CloseReason,
    NoTurnReason,
    Outcome,
    RowKind,
)
from deskroom.engine.entries import (
    CallEntry,
    CloseEntry,
    EndEntry,
    Entry,
    HeaderEntry,
    Raised,
    RoutedEntry,
    RowEntry,
    TurnEntry,
)
from deskroom.engine.policy import BroadcastPolicy, ChairPolicy, Policy
from deskroom.engine.script import Cue, Script
from deskroom.engine.setup import Opening, Seat, Setup
from deskroom.errors import WireError
from deskroom.wire import entry_in, entry_out

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


TARGETS = st.one_of(
    st.just(EVERYONE), st.builds(Target, st.sampled_from(["agent", "person", "desk"]), TEXTS)
)
#: Mentions as a message has them: in order, no two at one place.
MENTIONS = st.lists(
    st.builds(Mention, TARGETS, TEXTS, COUNTS, st.booleans()),
    max_size=4,
    unique_by=lambda mention: mention.offset,
).map(lambda mentions: tuple(sorted(mentions, key=lambda mention: mention.offset)))
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
CUES = st.one_of(st.builds(Cue, seat=TEXTS), st.builds(Cue, person=TEXTS))
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
    script=st.none() | st.builds(Script, st.lists(CUES, max_size=6), st.booleans()),
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
SCORES = st.dictionaries(TEXTS, st.floats(0, 1) | st.integers(0, 1), max_size=3).map(
    lambda scores: tuple(scores.items())
)


@st.composite
def row_entries(draw: st.DrawFn) -> RowEntry:
    """Return the entry of a row, whose decision is about one of its mentions."""
    mentions = draw(MENTIONS)
    chosen = draw(st.sampled_from([None, *mentions]))
    none = st.builds(NoTurn, st.sampled_from(NoTurnReason))
    return RowEntry(
        draw(st.builds(Row, WHOLE, TEXTS, AUTHORS, SAID, AUDIENCES, MAYBE)),
        draw(st.sampled_from(RowKind)),
        draw(none | st.builds(TurnFor, TEXTS, WHOLE, st.just(chosen))),
        mentions,
        draw(MAYBE),
        draw(MAYBE),
        draw(st.booleans()),
        draw(st.booleans()),
        draw(st.none() | st.sampled_from(AsideReason)),
        draw(MAYBE),
        draw(PATHS),
        draw(SAID),
    )


ENTRIES: list[tuple[str, st.SearchStrategy[Entry]]] = [
    (
        "header",
        st.builds(HeaderEntry, SETUPS, st.none() | TEXTS, st.booleans()),
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
            st.sampled_from([OK, *CallFault, *AsideReason]),
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
            st.none() | st.builds(Raised, TEXTS, SAID),
        ),
    ),
    ("row", row_entries()),
    ("routed", st.builds(RoutedEntry, WHOLE, SCORES, PATHS, WHOLE)),
    (
        "close",
        st.builds(
            CloseEntry,
            st.sampled_from(["completed", "quiet", "max_turns", "script", "stopped", "failed"]),
        ),
    ),
]


@pytest.mark.slow
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


# Strict: each key, at every level, of every kind of entry

PERSON, SYSTEM = Author("person", "sam"), Author("system", kind="workspace")
SAMPLES: list[Entry] = [
    HeaderEntry(
        Setup(
            desk_id="d",
            desk_name="D",
            seats=(Seat(id="a", name="A"), Seat(id="b", fence=True)),
            people=(Person("sam", "Sam"),),
            policy=Policy(participants=("a",)),
            opening=Opening("sam", "@a begin"),
            script=Script([Cue("a"), Cue("a"), Cue(person="sam")], listed=True),
        ),
        "0" * 32,
    ),
    TurnEntry(1, "a", 0, 1, cue=0),
    CallEntry(1, 1, "a", 1, "desk_post", {"message": "x"}),
    EndEntry(1, 1, "a", Outcome.FAILED, "hm", ("x.py",), Raised("OSError", "no")),
    RowEntry(
        Row(2, "d", Author("agent", "a"), "@b @here", Audience("aside", ["b"]), 1),
        RowKind.SEAT,
        TurnFor("b", 1, Mention(Target("agent", "b"), "@b", 0)),
        (Mention(Target("agent", "b"), "@b", 0), Mention(EVERYONE, "@here", 3)),
        turn=1,
        refusal=AsideReason.DISABLED,
        wrote=("x.py",),
    ),
    RowEntry(Row(1, "d", PERSON, "x", DESK), RowKind.OPENING, TurnFor("a", 0)),
    RowEntry(Row(1, "d", SYSTEM, "x", DESK), RowKind.WROTE, NoTurn(NoTurnReason.SOURCE_INACTIVE)),
    RowEntry(Row(1, "d", Author("operator"), "x", DESK), RowKind.NUDGE, TurnFor("a", 0)),
    RoutedEntry(2, (("a", 0.5), ("b", 1)), ("b", "a"), 1),
    CloseEntry(CloseReason.QUIET),
]


def written() -> Values:
    """Return the samples as JSON gives them back."""
    return [json.loads(json.dumps(entry_out(entry))) for entry in SAMPLES]


Path = tuple[str | int, ...]

#: Objects whose keys are names of the room's own, and what a seat sent: nothing of it is checked.
_OWN = {"at", "scores"}
_FREE = {("tool",), ("arguments",)}


def objects(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the path of every object with a fixed set of keys."""
    if path in _FREE or (path and path[-1] in _OWN):
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


def fault(value: Any) -> tuple[str, str]:
    """Return where reading a value fails, and why."""
    with pytest.raises(WireError) as caught:
        entry_in(value)
    return caught.value.path, caught.value.code


def test_the_samples_are_read_as_they_were() -> None:
    """What is damaged below is right before."""
    assert SAMPLES == [entry_in(value) for value in written()]


def test_a_code_is_read_as_a_code() -> None:
    """A word of a closed list comes back as a member of its enumeration."""
    row = entry_in(written()[4])
    assert isinstance(row, RowEntry)
    assert (RowKind.SEAT, AsideReason.DISABLED) == (row.kind, row.refusal)
    assert [RowKind, AsideReason] == [type(row.kind), type(row.refusal)]


def test_a_missing_key_is_told_at_every_level() -> None:
    """There is no default for anything."""
    told = 0
    for value in written():
        for path in objects(value):
            for key in at(value, path):
                changed = copy.deepcopy(value)
                del at(changed, path)[key]
                where = (*path, key)
                # A run of a script is a seat's unless it is a person's.
                where = (*path, "seat") if key == "person" else where
                assert (named(where), "missing") == fault(changed)
                told += 1
    assert told > 130


def test_an_unknown_key_is_told_at_every_level() -> None:
    """A newer form is not read as if it were this one."""
    for value in written():
        for path in objects(value):
            changed = copy.deepcopy(value)
            at(changed, path)["newer"] = None
            assert (named((*path, "newer")), "unknown") == fault(changed)


WRONG: list[Any] = [None, True, -7, 1.5, "nonsense", [1], [[]], {"x": "y"}]


def test_a_wrong_type_is_told_with_its_field() -> None:
    """Whatever stands in a place that takes another type, the error has its path.

    A field that is null, or that may be, takes more than one; so does a time in seconds.
    """
    told = 0
    for value in written():
        for where in (path for path in fields(value) if path not in _FREE):
            right = at(value, where)
            for wrong in WRONG:
                if type(wrong) is type(right):
                    continue
                changed = copy.deepcopy(value)
                at(changed, where[:-1])[where[-1]] = wrong
                if where[-1] == "turn_timeout_s" and wrong == 1.5:
                    assert 1.5 == at(entry_out(entry_in(changed)), where)
                elif right is not None and wrong is not None:
                    path, code = fault(changed)
                    assert (True, "type") == (path.startswith(named(where)), code), where
                    told += 1
                elif not _is_read(changed):
                    assert fault(changed)[0].startswith(named(where)), where
    assert told > 550


def fields(value: Any) -> Iterator[Path]:
    """Yield the path of every field."""
    for path in objects(value):
        for key in at(value, path):
            yield (*path, key)


def _is_read(value: Any) -> bool:
    try:
        entry_in(value)
    except WireError:
        return False
    return True


@pytest.mark.parametrize(
    "sample, path, wrong, code",
    [
        (0, ("script", "order"), "random", "word"),
        (0, ("script", "turns", 0, "times"), -1, "range"),
        (0, ("policy", "max_turns"), 0, "value"),
        (0, ("policy", "turn_timeout_s"), 0, "value"),
        (0, ("policy", "broadcast", "router"), "best", "word"),
        (2, ("reply",), "fine", "word"),
        (2, ("source",), "text", "word"),
        (3, ("outcome",), "spoke", "word"),
        (4, ("source",), "host", "word"),
        (4, ("refusal",), "mood", "word"),
        (4, ("decision", "kind"), "two", "word"),
        (4, ("decision", "mention"), 2, "range"),
        (4, ("decision", "mention"), -1, "range"),
        (4, ("mentions", 1, "target", "kind"), "room", "word"),
        (4, ("row", "author", "type"), "guest", "word"),
        (4, ("row", "audience", "kind"), "all", "word"),
        (6, ("decision", "reason"), "tired", "word"),
        (8, ("scores", "a"), True, "type"),
        (8, ("scores", "a"), "1", "type"),
        (8, ("scores", "a"), float("inf"), "range"),
        (9, ("reason",), "bored", "word"),
    ],
)
def test_a_value_that_cannot_be_is_told(sample: int, path: Path, wrong: Any, code: str) -> None:
    """Of the right type, and still none of the words or numbers that may stand there."""
    value = written()[sample]
    at(value, path[:-1])[path[-1]] = wrong
    where = path[:-1] if code == "value" else path
    assert (named(where), code) == fault(value)


@pytest.mark.parametrize(
    "value, told",
    [
        (None, ("", "type")),
        ([], ("", "type")),
        ("header", ("", "type")),
        ({}, ("kind", "missing")),
        ({"kind": "note"}, ("kind", "word")),
        ({"kind": 1}, ("kind", "type")),
        ({"kind": ["turn"]}, ("kind", "type")),
    ],
)
def test_what_is_no_entry_is_told(value: Any, told: tuple[str, str]) -> None:
    """Not even the kind is guessed."""
    assert told == fault(value)


JUNK: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, -1, 10**400, 1.5, "", "\ud800", "agent", [], {}, [[]], [{}], {"": 1}]
)


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the path of everything within a value."""
    items: Any = ()
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield (*path, key)
        yield from places(item, (*path, key))


@given(st.sampled_from(SAMPLES), st.data())
def test_a_damaged_entry_is_read_or_told(entry: Entry, data: st.DataObject) -> None:
    """Whatever stands anywhere, the only error is that it is no entry."""
    value = json.loads(json.dumps(entry_out(entry)))
    for _ in range(data.draw(st.integers(1, 2))):
        path = data.draw(st.sampled_from(sorted(places(value), key=str)))
        at(value, path[:-1])[path[-1]] = copy.deepcopy(data.draw(JUNK))
    with contextlib.suppress(WireError):
        read = entry_in(value)
        # What a seat sent is cut to what a tool can tell apart.
        if not isinstance(read, CallEntry):
            assert value == json.loads(json.dumps(entry_out(read)))


def test_a_row_is_not_written_with_a_mention_of_another() -> None:
    """The index of a mention that the row does not have would be somebody else's."""
    row = SAMPLES[4]
    assert isinstance(row, RowEntry)
    with pytest.raises(WireError) as caught:
        entry_out(evolve(row, mentions=()))
    assert ("decision.mention", "range") == (caught.value.path, caught.value.code)


def test_scores_of_one_seat_are_not_written_twice() -> None:
    """One of the two would be lost."""
    with pytest.raises(WireError) as caught:
        entry_out(RoutedEntry(1, (("a", 1), ("a", 2)), (), 1))
    assert "twice" == caught.value.code


def test_a_tool_that_is_no_name_is_kept_as_what_it_was() -> None:
    """A seat may emit anything as a tool."""
    call = CallEntry(1, 1, "a", 1, object(), object(), "unknown_tool")
    kept = evolve(call, tool={"not_json": "object"}, arguments={"not_json": "object"})
    assert kept == entry_in(json.loads(json.dumps(entry_out(call))))
