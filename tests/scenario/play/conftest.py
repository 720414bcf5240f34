"""What the tests of playing share: scenarios drawn by chance."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

from deskroom.core import AsidePolicy, DispatchPolicy, Person
from deskroom.room import BroadcastPolicy, ChairPolicy, Policy, Seat
from deskroom.scenario import Call, DeskSpec, Opening, Scenario, Turn

TEXTS = st.sampled_from(
    ["@a", "@b go", "@c go", "hello", "@sam hi", "!aside @b psst", "!aside", "", "x" * 70]
)
CALLS = st.one_of(
    st.builds(lambda text: Call(tool="desk_post", arguments={"message": text}), TEXTS),
    st.builds(lambda text: Call(tool="desk_broadcast", arguments={"message": text}), TEXTS),
    st.builds(lambda text: Call(tool="desk_complete_episode", arguments={"message": text}), TEXTS),
    st.builds(
        lambda to, text: Call(tool="desk_dm", arguments={"to": to, "message": text}),
        st.lists(st.sampled_from(["a", "b", "c", "zz"]), max_size=2),
        TEXTS,
    ),
    st.sampled_from([Call(tool="desk_read"), Call(tool="shout", arguments={"x": float("inf")})]),
)
TURNS = st.builds(
    Turn,
    seat=st.sampled_from("abc"),
    calls=st.lists(CALLS, max_size=3).map(tuple),
    text=st.sampled_from([None, "hm", "<<<POST @a fenced POST>>>"]),
    takes=st.sampled_from([0, 0, 0, 3, 5, 6, 12, 20]),
    crash=st.sampled_from([None, None, None, "boom"]),
    late=st.lists(CALLS, max_size=2).map(tuple),
    wrote=st.sampled_from([(), (), ("f",)]),
    scores=st.sampled_from([{}, {"a": 0.5, "c": 0.6}]),
)
WORDS = st.builds(Turn, person=st.just("sam"), say=st.sampled_from(["@b hi", "@c x", "all"]))
POLICIES = st.builds(
    Policy,
    dispatch=st.builds(DispatchPolicy, max_hops=st.integers(0, 4)),
    aside=st.builds(
        AsidePolicy,
        enabled=st.booleans(),
        max_members=st.integers(1, 2),
        max_messages=st.integers(1, 3),
        must_surface=st.booleans(),
    ),
    on_refused_aside=st.sampled_from(["refuse", "room"]),
    chair=st.builds(ChairPolicy, rounds=st.integers(0, 3), every=st.integers(0, 2)),
    broadcast=st.builds(
        BroadcastPolicy, router=st.sampled_from(["scripted", "lexical"]), width=st.integers(1, 3)
    ),
    close=st.sampled_from(["first", "all"]),
    max_turns=st.integers(1, 12),
    silence=st.sampled_from(["yield", "retry"]),
    max_calls=st.sampled_from([1, 16]),
    turn_timeout_s=st.just(5),
)


@st.composite
def drawn(draw: st.DrawFn) -> Scenario:
    """Draw a scenario with everything that a seat may do."""
    order = draw(st.sampled_from(["listed", "routed"]))
    opened = order == "routed" or draw(st.booleans())
    return Scenario(
        order=order,  # type: ignore[arg-type]
        desk=DeskSpec(
            id="d",
            name="D",
            seats=(Seat(id="a"), Seat(id="b", fence=draw(st.booleans())), Seat(id="c")),
            people=(Person("sam", "Sam"),),
        ),
        policy=draw(POLICIES),
        opening=Opening(by="sam", message="@a begin") if opened else None,
        turns=tuple(draw(st.lists(st.one_of(TURNS, TURNS, TURNS, WORDS), min_size=1, max_size=8))),
    )


@pytest.fixture(scope="session")
def scenarios() -> st.SearchStrategy[Scenario]:
    """Return the strategy that draws a scenario."""
    return drawn()
