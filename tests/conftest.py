"""How every test runs: hypothesis repeats itself exactly, and async tests run on both backends.

Beside that, rooms drawn by chance, to hold the rules of several layers against.
"""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest
from attrs import frozen
from hypothesis import Phase, settings
from hypothesis import strategies as st

from deskroom.core import AsidePolicy, DispatchPolicy, Person
from deskroom.engine.entries import Entry, Journal
from deskroom.room import (
    ChairPolicy,
    Cue,
    Opening,
    Policy,
    Room,
    Script,
    Seat,
    SimulatedClock,
    Turn,
)
from deskroom.testing import broadcast, complete, dm, post, read
from deskroom.testing.calls import CallPair

# The same examples in each run, on each machine: what fails once fails again.
settings.register_profile("default", deadline=None, derandomize=True, max_examples=100)
settings.register_profile("ci", settings.get_profile("default"))
# For work on what fails: `HYPOTHESIS_PROFILE=raw` shows a failure as it was found, at once.
settings.register_profile(
    "raw", settings.get_profile("default"), phases=[Phase.explicit, Phase.generate]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(autouse=True)
def _unconfigured() -> Iterator[None]:
    """Leave structlog unconfigured, for the next test in this process; ``capture_logs`` does not."""
    yield
    if "structlog" in sys.modules:
        sys.modules["structlog"].reset_defaults()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what starts processes as slow."""
    for item in items:
        if {"process", "started"} & set(getattr(item, "fixturenames", ())):
            item.add_marker("slow")


@pytest.fixture(params=["asyncio", "trio"], scope="session")
def anyio_backend(request: pytest.FixtureRequest) -> str:
    """Return the backend that a test marked with ``anyio`` runs on."""
    return str(request.param)


@frozen
class Plan:
    """One turn of a seat: its calls, and how it goes on."""

    calls: tuple[CallPair, ...]
    then: Literal["end", "text", "raise", "wrote", "nap", "hang", "late", "person", "narrate"]


@frozen
class RoomPlan:
    """A room whose seats do as planned. With cues it plays a script, in listed or routed order."""

    seats: tuple[Seat, ...]
    policy: Policy
    opening: str | None
    plans: tuple[Plan, ...]
    order: Literal["live", "listed", "routed"]
    cues: tuple[str, ...]

    def room(self, journal: Journal | None = None, resume: Iterable[Entry] = ()) -> Room:
        """Return a room in simulated time, fresh or going on from earlier entries."""
        taken = {seat.id: 0 for seat in self.seats}

        async def act(turn: Turn) -> str:
            if self.order == "live":
                at = taken[turn.seat.id]
                taken[turn.seat.id] += 1
                at = at * len(self.seats) + list(taken).index(turn.seat.id)
                return await self._act(room, turn, at) if at < len(self.plans) else ""
            return "" if turn.cue is None else await self._act(room, turn, turn.cue)

        room = Room(
            dict.fromkeys(self.seats, act),
            people=[Person("p", "Pat")],
            opening=None if self.opening is None else Opening("p", self.opening),
            policy=self.policy,
            clock=SimulatedClock(guard=False),
            journal=journal,
            resume=resume,
            script=self._script(),
        )
        return room

    def _script(self) -> Script | None:
        if self.order == "live":
            return None
        cues = [
            Cue(person="p", message=f"@b word {at}") if who == "p" else Cue(who, scores={"a": 0.5})
            for at, who in enumerate(self.cues)
        ]
        return Script(cues, self.order == "listed", most_late=1)

    async def _act(self, room: Room, turn: Turn, at: int) -> str:
        plan = self.plans[at % len(self.plans)]
        if plan.then == "narrate":
            return "only thinking"
        for tool, arguments in plan.calls:
            await turn.call(tool, arguments)  # type: ignore[arg-type]
        match plan.then:
            case "raise":
                raise ValueError(at)
            case "wrote":
                turn.wrote(f"file-{at}")
            case "nap":
                await turn.sleep(5)
            case "hang":
                await turn.sleep(2400)
                await turn.post("too late")
            case "late":
                turn.call_late(*post("late"))
            case "person":
                await room.say("p", f"@c wait {at}")
            case "text":
                return "<<<POST @b fenced POST>>>"
            case "end" | "narrate":
                pass
        return ""


TEXTS = st.sampled_from(
    ["@a", "@b go", "@c go", "hello", "@p hi", "`@a`", "!aside @b psst", "!aside", "", "x" * 99]
)
CALLS = st.one_of(
    st.builds(post, TEXTS),
    st.builds(post, TEXTS),
    st.builds(broadcast, TEXTS),
    st.builds(complete, TEXTS),
    st.builds(dm, st.lists(st.sampled_from(["a", "b", "c", "zz"]), max_size=2), TEXTS),
    st.builds(read, st.integers(1, 5)),
    st.just(("desk_nothing", None)),
)
ENDS = st.sampled_from(
    ["end", "end", "text", "raise", "wrote", "nap", "hang", "late", "person", "narrate"]
)
PLANS = st.builds(Plan, st.lists(CALLS, max_size=3).map(tuple), ENDS)
POLICIES = st.builds(
    Policy,
    dispatch=st.builds(DispatchPolicy, enabled=st.just(True), max_hops=st.integers(0, 3)),
    aside=st.builds(
        AsidePolicy,
        enabled=st.booleans(),
        max_members=st.integers(1, 2),
        max_messages=st.integers(1, 3),
        must_surface=st.booleans(),
    ),
    on_refused_aside=st.sampled_from(["refuse", "room"]),
    chair=st.builds(ChairPolicy, rounds=st.integers(0, 3), every=st.integers(0, 2)),
    close=st.sampled_from(["first", "all"]),
    participants=st.sampled_from([None, ("a", "b")]),
    max_turns=st.integers(1, 10),
    window=st.integers(0, 3),
    history_limit=st.sampled_from([0, 4, 512]),
    silence=st.sampled_from(["yield", "retry"]),
    max_calls=st.sampled_from([2, 16]),
    max_message_bytes=st.sampled_from([64, 2**20]),
)
DESKS = st.sampled_from(
    [
        (Seat(id="a"), Seat(id="b"), Seat(id="c")),
        (Seat(id="a"), Seat(id="b", fence=True), Seat(id="c", brief="be kind")),
        (Seat(id="a"), Seat(id="b"), Seat(id="c"), Seat(id="zz", retired=True)),
    ]
)
CUES = st.lists(st.sampled_from("aabbccp"), min_size=1, max_size=8).map(tuple)


@pytest.fixture(scope="session")
def room_plans() -> st.SearchStrategy[RoomPlan]:
    """Return the strategy that draws a room with everything a seat and a policy can do."""
    return st.builds(
        RoomPlan,
        DESKS,
        POLICIES,
        st.sampled_from(["go", "@c go"]),
        st.lists(PLANS, min_size=1, max_size=8).map(tuple),
        st.sampled_from(["live", "listed", "routed"]),
        CUES,
    )


@pytest.fixture(scope="session")
def settled() -> Callable[[Iterable[Entry]], Sequence[Entry]]:
    """Return the function that takes crashes out of a room's entries: see the harness."""
    harness = runpy.run_path(str(Path(__file__).parent / "journal" / "harness.py"))
    result: Callable[[Iterable[Any]], Sequence[Any]] = harness["settled"]
    return result
