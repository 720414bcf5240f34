"""Strategies for Hypothesis: desks, what is said at them, calls, scenarios and rooms.

They draw what a user of deskroom may write and what a seat may send, right and wrong, and they shrink
towards the plainest: one seat, one post, "hello". This module needs Hypothesis, which the extra
``explore`` brings. For example::

    from hypothesis import given
    from deskroom.testing import strategies

    @given(strategies.rooms())
    def test_a_room_closes(drawn):
        result = anyio.run(drawn.room().run)
        assert result.closed != "failed"
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from attrs import evolve, frozen

from deskroom.core import AsidePolicy, DispatchPolicy, Person
from deskroom.core.text import is_blank
from deskroom.engine.entries import Entry, Journal
from deskroom.engine.policy import BroadcastPolicy, ChairPolicy, Policy
from deskroom.engine.setup import Seat
from deskroom.errors import UsageError
from deskroom.room import Room, SimulatedClock, Turn
from deskroom.scenario.format.model import Call, DeskSpec, Meanwhile, Opening, Scenario
from deskroom.scenario.format.model import Turn as ListedTurn
from deskroom.scenario.play.resume import listed_calls
from deskroom.speech.tools import BROADCAST, COMPLETE_EPISODE, DM, POST, READ, served

try:
    from hypothesis import strategies as st
except ImportError:  # pragma: no cover - the tests have it
    raise UsageError(
        "deskroom.testing.strategies needs Hypothesis; get it with: pip install 'deskroom[explore]'"
    ) from None

__all__ = [
    "DrawnRoom",
    "calls",
    "desks",
    "messages",
    "policies",
    "rooms",
    "scenarios",
    "turns",
]

_IDS: Final = ("a", "b", "c", "d", "e")
_PEOPLE: Final = (Person("sam", "Sam"), Person("kim", "Kim Ko"))
#: Where a mention stands in a message, the plainest first; {m} is the mention.
_EDGES: Final = (
    "{m} go on",
    "{m}",
    "I ask {m}, please",
    "({m})",
    "done? {m}!",
    "line one\n{m}",
    "`{m}`",
    "```\n{m}\n```",
    "    {m}",
    "x{m}",
    "**{m}**",
    '"{m}"',
)
_PLAIN: Final = ("hello", "über uns \u202e ende", "x" * 400, "   ", "line one\r\n\tline two")
_WRONG_ARGUMENTS: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"message": 3},
    {"message": "hello", "to": ["a"]},
    {"limit": "all"},
    {"to": "a", "message": "hello"},
)


@st.composite
def desks(
    draw: st.DrawFn, *, min_seats: int = 1, max_seats: int = 4, people: bool = True
) -> DeskSpec:
    """Draw a desk: its seats, some with names, roles, briefs, without tools or retired.

    The first seat always acts. Without ``people`` nobody but the seats is there.
    """
    ids = _IDS[: draw(st.integers(min_seats, max_seats))]
    seats = [
        Seat(
            id=id_,
            name=draw(st.sampled_from((None, None, f"SEAT-{id_}", f"Seat {id_}"))),
            role=draw(st.sampled_from((None, None, "it goes on"))),
            brief=draw(st.sampled_from((None, None, "be kind\nand brief"))),
            fence=draw(st.sampled_from((False, False, False, True))),
            retired=at > 0 and draw(st.sampled_from((False, False, False, True))),
        )
        for at, id_ in enumerate(ids)
    ]
    there = _PEOPLE[: draw(st.integers(1, 2))] if people else ()
    return DeskSpec(id="desk", name="Desk", seats=tuple(seats), people=there)


@lru_cache(maxsize=256)
def messages(desk: DeskSpec) -> st.SearchStrategy[str]:
    """Return messages for a desk: mentions of everybody at every edge, code, asides, odd texts."""
    names = [f"@{seat.id}" for seat in desk.seats]
    names += [f"@{seat.name}" for seat in desk.seats if seat.name]
    names += [f"@{desk.seats[0].id.upper()}", *(f"@{person.id}" for person in desk.people)]
    names += [f"@#{desk.id}", "@everyone", "@nobody-here", "@"]
    edges = st.builds(
        lambda edge, name: edge.format(m=name), st.sampled_from(_EDGES), st.sampled_from(names)
    )
    pieces = st.one_of(st.sampled_from(_PLAIN), edges)
    several = st.lists(pieces, min_size=1, max_size=3).map(" ".join)
    return st.one_of(pieces, several, several.map("!aside {}".format))


@lru_cache(maxsize=256)
def policies(desk: DeskSpec) -> st.SearchStrategy[Policy]:
    """Return policies for a desk: with few turns, hops and rounds, so that limits are met."""
    active = tuple(seat.id for seat in desk.seats if not seat.retired)
    chair = st.just(ChairPolicy())
    if desk.people:
        chair = st.builds(
            ChairPolicy,
            rounds=st.integers(0, 3),
            every=st.integers(0, 2),
            by=st.sampled_from((None, desk.people[-1].id)),
        )
    return st.builds(
        Policy,
        dispatch=st.builds(
            DispatchPolicy,
            enabled=st.sampled_from((True, True, True, False)),
            max_hops=st.sampled_from((16, 3, 1, 0)),
        ),
        aside=st.builds(
            AsidePolicy,
            enabled=st.booleans(),
            max_members=st.integers(1, 2),
            max_messages=st.integers(1, 3),
            must_surface=st.booleans(),
        ),
        on_refused_aside=st.sampled_from(("refuse", "room")),
        chair=chair,
        broadcast=st.builds(
            BroadcastPolicy,
            router=st.sampled_from(("scripted", "lexical")),
            width=st.integers(1, 3),
        ),
        close=st.sampled_from(("first", "all")),
        participants=st.sampled_from((None, active[:1])),
        max_turns=st.integers(1, 12),
        window=st.sampled_from((30, 2, 0)),
        history_limit=st.sampled_from((512, 4, 0)),
        silence=st.sampled_from(("yield", "retry")),
        max_calls=st.sampled_from((16, 2, 1)),
        max_message_bytes=st.sampled_from((1_048_576, 64)),
        turn_timeout_s=st.just(5),
    )


@lru_cache(maxsize=256)
def calls(desk: DeskSpec, *, malformed: bool = True) -> st.SearchStrategy[Call]:
    """Return calls of the tools that a seat of a desk is served.

    Some may still be refused, such as a private message to somebody who is not there. With
    ``malformed`` there are unknown tools and wrong arguments as well.
    """
    said = messages(desk)
    ids = [*(seat.id for seat in desk.seats), "nobody-here"]
    to = st.lists(st.sampled_from(ids), min_size=1, max_size=2)
    spoken = st.builds(
        lambda tool, message: Call(tool=served(tool), arguments={"message": message}),
        st.sampled_from((POST, POST, BROADCAST, COMPLETE_EPISODE)),
        said,
    )
    private = st.builds(
        lambda to, message: Call(tool=served(DM), arguments={"to": to, "message": message}),
        to,
        said,
    )
    reads = st.builds(
        lambda limit: Call(tool=served(READ), arguments={"limit": limit}), st.integers(1, 100)
    )
    if not malformed:
        return st.one_of(spoken, private, reads)
    wrong = st.builds(
        lambda tool, arguments: Call(tool=tool, arguments=arguments),
        st.sampled_from((served(POST), served(DM), served(READ), "desk_send")),
        st.sampled_from(_WRONG_ARGUMENTS),
    )
    return st.one_of(spoken, private, reads, wrong)


@st.composite
def turns(draw: st.DrawFn, desk: DeskSpec, *, malformed: bool = True) -> ListedTurn:
    """Draw a listed turn of a seat: what it says, when, and what goes wrong."""
    seat = draw(st.sampled_from([one.id for one in desk.seats]))
    called = calls(desk, malformed=malformed)
    scored = [one.id for one in desk.seats]
    turn = ListedTurn(
        seat=seat,
        text=draw(st.none() | _spoken(desk).map("<<<POST {} POST>>>".format)),
        takes=draw(st.sampled_from((0, 0, 0, 1, 5, 12))),
        crash=draw(st.sampled_from((None, None, None, "it broke"))),
        late=tuple(draw(st.just([]) | st.lists(called, max_size=1))),
        meanwhile=tuple(draw(st.lists(_meanwhile(desk), max_size=1))) if desk.people else (),
        wrote=tuple(draw(st.sampled_from(([], [], ["notes.md"])))),
        scores=draw(st.dictionaries(st.sampled_from(scored), st.sampled_from((0.1, 0.9)))),
    )
    if draw(st.booleans()):
        return evolve(turn, say=draw(messages(desk)))
    return evolve(turn, calls=tuple(draw(st.lists(called, max_size=3))))


def _spoken(desk: DeskSpec) -> st.SearchStrategy[str]:
    """Return what a person can say, who never says nothing."""
    return messages(desk).filter(lambda text: not is_blank(text))


def _meanwhile(desk: DeskSpec) -> st.SearchStrategy[Meanwhile]:
    people = [person.id for person in desk.people]
    places = st.sampled_from((0, 1, "end"))
    return st.builds(
        lambda person, say, at: Meanwhile(person=person, say=say, at=at),
        st.sampled_from(people),
        _spoken(desk),
        places,
    )


@st.composite
def scenarios(
    draw: st.DrawFn,
    *,
    desk: st.SearchStrategy[DeskSpec] | None = None,
    max_turns: int = 8,
    malformed: bool = True,
) -> Scenario:
    """Draw a scenario that the loader takes, and that a replay soon comes to the end of.

    It is in listed or in routed order and expects nothing. ``desk`` draws its desk, which needs a
    person.
    """
    there = draw(desks() if desk is None else desk)
    if not there.people:
        raise UsageError("a scenario that may be routed needs a person to open it")
    people = [person.id for person in there.people]
    spoken = st.builds(
        lambda person, say: ListedTurn(person=person, say=say),
        st.sampled_from(people),
        _spoken(there),
    )
    of_seats = turns(there, malformed=malformed)
    listed = draw(
        st.lists(st.one_of(of_seats, of_seats, of_seats, spoken), min_size=1, max_size=max_turns)
    )
    return Scenario(
        title="A drawn scenario",
        order=draw(st.sampled_from(("listed", "routed"))),
        desk=there,
        policy=draw(policies(there)),
        opening=Opening(by=people[0], message=draw(_spoken(there))),
        turns=tuple(listed),
    )


@frozen(kw_only=True)
class DrawnRoom:
    """A room whose seats do what was drawn, each its own turns in order, and then nothing.

    ``plan`` has the turns of each seat.
    """

    desk: DeskSpec
    policy: Policy
    opening: Opening
    plan: Mapping[str, Sequence[ListedTurn]]

    def room(self, *, journal: Journal | None = None, resume: Iterable[Entry] = ()) -> Room:
        """Return the room, in simulated time and not yet run; a room runs once."""
        taken = dict.fromkeys(self.plan, 0)

        async def act(turn: Turn) -> str:
            id_ = turn.seat.id
            at = taken[id_]
            taken[id_] += 1
            if at >= len(self.plan[id_]):
                return ""
            return await _play(turn, self.plan[id_][at])

        return Room(
            dict.fromkeys(self.desk.seats, act),
            people=self.desk.people,
            opening=(self.opening.by, self.opening.message),
            desk=self.desk.id,
            name=self.desk.name,
            policy=self.policy,
            clock=SimulatedClock(),
            journal=journal,
            resume=resume,
        )


async def _play(turn: Turn, listed: ListedTurn) -> str:
    for path in listed.wrote:
        turn.wrote(path)
    for late in listed.late:
        turn.call_late(late.tool, late.arguments)
    if listed.takes:
        await turn.sleep(listed.takes)
    for call in listed_calls(listed):
        await turn.call(call.tool, call.arguments)
    if listed.crash is not None:
        raise ValueError(listed.crash)
    return listed.text or ""


@st.composite
def rooms(
    draw: st.DrawFn,
    *,
    desk: st.SearchStrategy[DeskSpec] | None = None,
    max_turns: int = 4,
    malformed: bool = True,
) -> DrawnRoom:
    """Draw a room without a script, whose seats each have up to ``max_turns`` turns planned.

    ``desk`` draws its desk, which needs a person.
    """
    there = draw(desks() if desk is None else desk)
    if not there.people:
        raise UsageError("a room that is drawn needs a person to open it")
    planned = turns(there, malformed=malformed)
    plan: dict[str, Sequence[ListedTurn]] = {
        seat.id: tuple(
            evolve(turn, seat=seat.id) for turn in draw(st.lists(planned, max_size=max_turns))
        )
        for seat in there.seats
    }
    opening = Opening(by=there.people[0].id, message=draw(_spoken(there)))
    return DrawnRoom(desk=there, policy=draw(policies(there)), opening=opening, plan=plan)
