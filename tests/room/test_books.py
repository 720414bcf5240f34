"""What a room keeps count of, held against the definitions over the whole of its transcript."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.core import AsidePolicy, Row
from deskroom.core.reasons import RowKind
from deskroom.core.text import is_blank
from deskroom.engine.entries import CallEntry, EndEntry, Entry, RowEntry, TurnEntry
from deskroom.room import ChairPolicy, Policy, Room, SimulatedClock
from deskroom.testing import ListJournal, ScriptedSeat, dm, post


def spent(rows: Sequence[Row]) -> int:
    """Return the length of the run of private rows at the end."""
    desk = [at for at, row in enumerate(rows, start=1) if row.audience.kind == "desk"]
    return len(rows) - max(desk, default=0)


def party(row: Row) -> frozenset[str]:
    """Return who takes part in an agent's aside."""
    assert row.author.id is not None
    return frozenset((*row.audience.members, row.author.id))


def unsettled(rows: Sequence[Row], author: str, addressed: Sequence[str]) -> bool:
    """Return what semantics 6 says, walking all rows."""
    asked = frozenset((*addressed, author))
    agents = [row for row in rows if row.author.type == "agent"]
    asides = [row for row in agents if row.audience.kind == "aside" and party(row) == asked]
    if asked == {author} or (asides and rows[-1] is asides[-1]):
        return False
    is_open = False
    for row in agents:
        if row in asides:
            is_open = True
        elif row.audience.kind == "desk" and row.author.id in asked:
            is_open = False
    return is_open


def narrated(room: Room, entries: Sequence[Entry]) -> list[str]:
    """Return who wrote text and made no call since the chair last spoke, by turn and not attempt."""
    ends = [entry for entry in entries if isinstance(entry, EndEntry)]
    ended = {(end.turn, end.attempt) for end in ends}
    made = [e for e in entries if isinstance(e, CallEntry) and e.source == "call" and not e.late]
    heard = {call.turn for call in made if (call.turn, call.attempt) in ended}
    spoke = {e.turn for e in entries if isinstance(e, RowEntry) and e.kind == RowKind.SEAT}
    seats: list[str] = []
    for entry in entries:
        if isinstance(entry, RowEntry) and entry.kind == RowKind.NUDGE:
            seats.clear()
        elif isinstance(entry, EndEntry) and not is_blank(entry.text):
            only = entry.turn not in heard | spoke
            if only and not room.setup.by_id[entry.seat].fence and entry.seat not in seats:
                seats.append(entry.seat)
    return seats


def counted(room: Room, entries: Sequence[Entry]) -> dict[str, Any]:
    """Return all that the room counts, from all of its entries at once."""
    told = [entry for entry in entries if isinstance(entry, RowEntry)]
    rows = [entry.row for entry in told]
    nudges = [at for at, e in enumerate(entries) if isinstance(e, RowEntry) and e.kind == "nudge"]
    grants = [(at, e.turn) for at, e in enumerate(entries) if isinstance(e, TurnEntry)]
    first = {turn: at for at, turn in reversed(grants)}
    since = max(nudges, default=-1)
    spoke = [entry.row.author.id for entry in told if entry.kind == "seat"]
    return {
        "spent": spent(rows),
        "last author": spoke[-1] if spoke else None,
        "never spoke": [seat for seat in room.setup.active if seat not in spoke],
        "narrated": narrated(room, entries),
        "granted": len(first),
        "nudges": len(nudges),
        "since the chair": sum(at > since for at in first.values()),
        "completions": sum(entry.completes for entry in told),
        "rows": len(rows),
    }


def kept(room: Room) -> dict[str, Any]:
    """Return the same as the room has kept it."""
    state = room.engine.state
    return {
        "spent": state.books.spent,
        "last author": state.last_author,
        "never spoke": [seat for seat in room.setup.active if seat not in state.spoken],
        "narrated": list(state.narrated),
        "granted": state.granted,
        "nudges": state.nudges,
        "since the chair": state.turns_since_chair,
        "completions": state.completions,
        "rows": len(state.rows),
    }


SEATS = ("a", "b", "c")
ADDRESSED = list(chain.from_iterable(combinations(SEATS, size) for size in range(3)))


class Audited(ListJournal):
    """A journal that holds the room's books against its entries, before each one it takes."""

    room: Room

    def write(self, entry: Entry) -> None:
        self.audit()
        super().write(entry)

    def audit(self) -> None:
        """Compare everything that is counted with what the entries say."""
        assert counted(self.room, self.entries) == kept(self.room)
        rows = [entry.row for entry in self.entries if isinstance(entry, RowEntry)]
        books = self.room.engine.state.books
        for author in SEATS:
            for addressed in ADDRESSED:
                expected = unsettled(rows, author, addressed)
                assert expected == books.unsettled(author, addressed), (author, addressed)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@given(data=st.data())
def test_what_a_room_counts_is_what_its_transcript_says_at_every_step(
    room_plans: st.SearchStrategy[Any], backend: str, data: st.DataObject
) -> None:
    """The budget, what was not settled, who spoke last, never or only to itself, and counts."""
    journal = Audited()
    journal.room = room = data.draw(room_plans).room(journal)
    anyio.run(room.run, backend=backend)
    journal.audit()


MESSAGES = st.sampled_from(["@a x", "@b x", "@c x", "x", "!aside @b @c x"])
WHISPERS = st.builds(dm, st.lists(st.sampled_from(SEATS), min_size=1, max_size=2), MESSAGES)
TURNS = st.lists(st.lists(st.one_of(WHISPERS, WHISPERS, st.builds(post, MESSAGES)), max_size=1))


@pytest.mark.slow
@given(
    moves=st.fixed_dictionaries(dict.fromkeys(SEATS, TURNS)),
    most=st.integers(1, 6),
    must_surface=st.booleans(),
)
def test_what_a_room_of_whispers_counts_is_what_its_transcript_says(
    moves: dict[str, Any], most: int, must_surface: bool
) -> None:
    """Long runs of private rows, between the same two and others, and what they leave unsettled."""
    journal = Audited()
    seats = {seat: ScriptedSeat(*turns) for seat, turns in moves.items()}
    policy = Policy(
        aside=AsidePolicy(
            enabled=True, max_members=2, max_messages=most, must_surface=must_surface
        ),
        chair=ChairPolicy(rounds=9),
        max_turns=12,
    )
    journal.room = room = Room(
        seats, opening="go", clock=SimulatedClock(), policy=policy, journal=journal
    )
    anyio.run(room.run)
    journal.audit()
