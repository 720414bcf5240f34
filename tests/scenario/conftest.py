"""Random rooms: scenarios of every kind that the format has."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve
from hypothesis import strategies as st

from deskroom.core import AsidePolicy, DispatchPolicy, Person
from deskroom.core.reasons import AsideReason, CallFault, NoTurnReason, Outcome, RowKind
from deskroom.room import BroadcastPolicy, ChairPolicy, Policy, Seat
from deskroom.runs.properties import (
    Audiences,
    Bounds,
    Matcher,
    NextSeat,
    NoSeat,
    OneOf,
    Pattern,
    Property,
    SameAs,
)
from deskroom.scenario import Call, DeskSpec, Opening, Scenario, Turn
from deskroom.scenario.format.model import Meanwhile

SEATS = ("a", "b", "c")
PEOPLE = (Person("sam", "Sam"), Person("kim", "Kim"))
TIMEOUT_S = 5

_WORDS = (
    "go on",
    "@a",
    "@b",
    "@c",
    "@a,",
    "@sam",
    "@everyone",
    "@#d",
    "@nobody",
    "`@b`",
    "**@c**",
    "x@b",
    "!aside",
    "line one\nline two",
    "a \n\tb\r",
    'say "it"',
    '"""',
    "back\\slash",
    "über \u202e \x7f",
    "<<<POST\n@b hi\nPOST>>>",
    "<<<POST",
    "   ",
)
messages = st.lists(st.sampled_from(_WORDS), max_size=3).map(" ".join)
words = messages.filter(lambda text: bool(text.strip()))
_recipients = st.lists(st.sampled_from((*SEATS, "@b", "sam", "zz", "")), max_size=3)
_calls = st.one_of(
    st.builds(lambda m: Call(tool="desk_post", arguments={"message": m}), messages),
    st.builds(lambda m: Call(tool="desk_broadcast", arguments={"message": m}), messages),
    st.builds(lambda m: Call(tool="desk_complete_episode", arguments={"message": m}), messages),
    st.builds(
        lambda to, m: Call(tool="desk_dm", arguments={"to": to, "message": m}),
        _recipients,
        messages,
    ),
    st.sampled_from(
        [
            Call(tool="desk_read", arguments={"limit": 3}),
            Call(tool="desk_close", arguments={"message": "done"}),
            Call(tool="shout", arguments={"volume": 11, "a b": [1.5, {"deep": True}]}),
            Call(tool="desk_post", arguments={"message": "@b hi", "to": ["b"]}),
            Call(tool="desk_post", arguments={"message": 3}),
            Call(tool="desk_post", arguments={}),
        ]
    ),
)
_scores = st.dictionaries(st.sampled_from(SEATS), st.sampled_from((0, 0.2, 0.3, 0.9)), max_size=3)


_spoken = st.builds(
    lambda person, say, at: Meanwhile(person=person.id, say=say, at=at),
    st.sampled_from(PEOPLE),
    words,
    st.sampled_from((0, 1, 2, "end")),
)


@st.composite
def _seat_turns(draw: st.DrawFn, ids: tuple[str, ...]) -> Turn:
    turn = Turn(
        seat=draw(st.sampled_from(ids)),
        text=draw(st.none() | words),
        takes=draw(st.sampled_from((*[0] * 7, 1, 3, TIMEOUT_S, TIMEOUT_S + 2, 12, 20))),
        crash=draw(st.sampled_from((*[None] * 8, "", "it broke\nhere"))),
        late=tuple(draw(st.just([]) | st.lists(_calls, max_size=2))),
        meanwhile=tuple(draw(st.just([]) | st.lists(_spoken, max_size=2))),
        wrote=tuple(draw(st.sampled_from(([], [], ["notes.md"], ["a b.txt", 'q"uote'])))),
        scores=draw(st.just({}) | _scores.map(lambda s: {k: v for k, v in s.items() if k in ids})),
        repeat=draw(st.sampled_from((1, 1, 1, 2))),
    )
    if draw(st.booleans()):
        return evolve(turn, say=draw(messages))
    return evolve(turn, calls=tuple(draw(st.lists(_calls, max_size=3))))


@st.composite
def _policies(draw: st.DrawFn, active: list[str]) -> Policy:
    return Policy(
        dispatch=DispatchPolicy(
            enabled=draw(st.sampled_from((True, True, True, False))),
            max_hops=draw(st.sampled_from((16, 16, 16, 0, 1, 3))),
        ),
        aside=AsidePolicy(
            enabled=draw(st.sampled_from((True, True, False))),
            max_members=draw(st.integers(1, 2)),
            max_messages=draw(st.integers(1, 3)),
            must_surface=draw(st.booleans()),
            require_thread=draw(st.sampled_from((False, False, False, True))),
        ),
        on_refused_aside=draw(st.sampled_from(("refuse", "room"))),
        chair=ChairPolicy(
            rounds=draw(st.integers(0, 3)),
            every=draw(st.sampled_from((0, 0, 1, 2))),
            by=draw(st.sampled_from((None, "kim"))),
        ),
        broadcast=BroadcastPolicy(
            router=draw(st.sampled_from(("scripted", "scripted", "lexical"))),
            width=draw(st.integers(1, 3)),
        ),
        close=draw(st.sampled_from(("first", "all"))),
        participants=draw(st.none() | st.just(tuple(active[:2]))),
        max_turns=draw(st.sampled_from((100, 100, 1, 2, 4))),
        silence=draw(st.sampled_from(("yield", "retry"))),
        max_calls=draw(st.sampled_from((16, 16, 16, 1, 0))),
        max_message_bytes=draw(st.sampled_from((*[1_048_576] * 5, 20))),
        turn_timeout_s=TIMEOUT_S,
    )


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    """Return any scenario that a file can hold, and that a replay soon comes to the end of."""
    ids = SEATS[: draw(st.integers(1, 3))]
    retired = draw(st.sampled_from((None, None, None, *ids[1:])))
    seats = [
        Seat(
            id=id_,
            name=draw(st.sampled_from((None, f"Seat {id_}"))),
            role=draw(st.sampled_from((None, "it goes on"))),
            brief=draw(st.sampled_from((None, None, "line one\nline two"))),
            fence=draw(st.sampled_from((False, False, False, True))),
            retired=id_ == retired,
        )
        for id_ in ids
    ]
    person_turns = st.builds(
        lambda person, say: Turn(person=person.id, say=say), st.sampled_from(PEOPLE), words
    )
    seat_turns = _seat_turns(ids)
    turns = draw(
        st.lists(
            st.one_of(seat_turns, seat_turns, seat_turns, person_turns), min_size=1, max_size=9
        )
    )
    order = draw(st.sampled_from(("listed", "routed")))
    opening = draw(st.none() | words.map(lambda message: Opening(by="sam", message=message)))
    if order == "routed" and opening is None:
        turns = [draw(person_turns), *turns]
    active = [seat.id for seat in seats if not seat.retired]
    return Scenario(
        title=draw(st.sampled_from(("", "A room"))),
        why=draw(st.sampled_from(("", "line one\nline two"))),
        order="listed" if order == "listed" else "routed",
        desk=DeskSpec(id="d", name="D", seats=tuple(seats), people=PEOPLE),
        policy=draw(_policies(active)),
        opening=opening,
        turns=tuple(turns),
    )


@pytest.fixture(scope="session", name="scenarios")
def _scenarios() -> Any:
    """Return a strategy for scenarios without expectations."""
    return scenarios()


# --- properties ------------------------------------------------------------------------------


def _one_of(*values: Any) -> st.SearchStrategy[OneOf]:
    """Return a strategy for one of some values, or for any other."""
    lists = st.lists(st.sampled_from(values), min_size=1, max_size=3, unique_by=repr)
    return st.builds(OneOf, lists.map(tuple), st.booleans())


_MENTIONS = (*SEATS, "person:sam", "person:kim", "desk:d", "everyone")
_KEYS: dict[str, st.SearchStrategy[Any]] = {
    "seat": _one_of(*SEATS),
    "person": _one_of("sam", "kim"),
    "kind": _one_of(*map(str, RowKind)),
    "row": st.booleans(),
    "outcome": _one_of(*map(str, Outcome)),
    "audience": st.builds(
        Audiences,
        st.sampled_from([("desk",), ("aside",), (("a",),), (("b", "c"),)]),
        st.booleans(),
    ),
    "mentions": _one_of(*_MENTIONS),
    "next": _one_of(*SEATS, NoSeat("broadcast"), NoSeat("no_direct_agent_mention"))
    | st.builds(NextSeat, st.booleans()),
    "why": _one_of(*map(str, NoTurnReason)),
    "refusal": _one_of(*map(str, (*CallFault, *AsideReason))),
    "hop": _one_of(0, 1, 2) | st.sampled_from([Bounds(1), Bounds(None, 2), Bounds(1, 2)]),
    "completes": st.booleans(),
    "text": st.builds(Pattern, st.sampled_from(["@", r"\bgo\b", "^$", ".*"]), st.booleans()),
    "repeats_private": st.booleans(),
}
_SAME = {
    key: st.builds(SameAs, st.sampled_from(["seat", "next", "mentions"]))
    for key in ("seat", "mentions", "next")
} | {"person": st.builds(SameAs, st.sampled_from(["person", "mentions"]))}


def _matchers(**more: st.SearchStrategy[Any]) -> st.SearchStrategy[Matcher]:
    """Return a strategy for matchers of one to three keys."""
    keys = {key: each | more[key] if key in more else each for key, each in _KEYS.items()}
    chosen = st.lists(st.sampled_from(sorted(keys)), min_size=1, max_size=3, unique=True)
    tables = chosen.flatmap(lambda names: st.fixed_dictionaries({n: keys[n] for n in names}))
    return tables.map(lambda table: Matcher(**table))


matchers_ = _matchers()
properties = st.one_of(
    st.builds(Property, name=st.just("never"), never=matchers_),
    st.builds(Property, name=st.just("always"), always=matchers_, when=st.none() | matchers_),
    st.builds(Property, name=st.just("eventually"), eventually=matchers_),
    st.builds(
        Property,
        name=st.just("after"),
        after=matchers_,
        then=_matchers(**_SAME),
        within=st.integers(1, 3),
    ),
    st.builds(
        lambda count, bounds: Property(
            name="count", count=count, at_least=min(bounds), at_most=max(bounds)
        ),
        matchers_,
        st.lists(st.integers(0, 4), min_size=1, max_size=2),
    ),
)


@pytest.fixture(scope="session", name="properties")
def _properties() -> Any:
    """Return a strategy for properties of any kind."""
    return properties


@pytest.fixture(scope="session", name="matchers")
def _any_matchers() -> Any:
    """Return a strategy for matchers of one to three keys."""
    return matchers_
