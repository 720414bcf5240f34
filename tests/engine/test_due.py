"""What comes next, asked of states that are put together by hand: the ladder, rung by rung."""

from __future__ import annotations

from typing import Any

import pytest

from deskroom.core import (
    DESK,
    Author,
    Decision,
    DispatchPolicy,
    Mention,
    NoTurn,
    Person,
    Row,
    TurnFor,
    agent,
)
from deskroom.core.reasons import CloseReason, NoTurnReason, Outcome, RowKind
from deskroom.engine.due import Await, next_due
from deskroom.engine.entries import (
    CloseEntry,
    EndEntry,
    Entry,
    RoutedEntry,
    RowEntry,
    TurnEntry,
)
from deskroom.engine.setup import Opening, Setup
from deskroom.engine.state import Pending, RoomState
from deskroom.room import ChairPolicy, Cue, Policy, Script, Seat

SEATS = (Seat(id="a"), Seat(id="b"), Seat(id="c"))
DEFAULTS = Policy()


def state(*entries: Entry, policy: Policy = DEFAULTS, **setup: Any) -> RoomState:
    """Return the state of a room after some entries."""
    made = {"seats": SEATS, "people": (Person("p", "Pat"),), "opening": Opening("p", "go"), **setup}
    room = RoomState(Setup(desk_id="d", desk_name="D", policy=policy, **made))
    for entry in entries:
        room.apply(entry)
    return room


def row(
    sequence: int,
    author: str,
    to: str | None = None,
    hop: int = 1,
    kind: RowKind = RowKind.SEAT,
    **rest: Any,
) -> RowEntry:
    """Return the entry of a row that hands the turn to ``to``."""
    decision = NoTurn(NoTurnReason.NO_DIRECT_AGENT_MENTION) if to is None else TurnFor(to, hop)
    who = Author("agent" if kind == "seat" else "person", author)
    return RowEntry(Row(sequence, "d", who, "x", DESK), kind, decision, **rest)


OPENING = row(1, "p", "a", 0, RowKind.OPENING)
GRANT = TurnEntry(1, "a", 0, 1)
SPOKE = row(2, "a", "b")
SILENT = EndEntry(1, 1, "a", Outcome.SILENT)
BROADCAST = RowEntry(
    Row(2, "d", Author("agent", "a"), "x", DESK),
    RowKind.SEAT,
    NoTurn(NoTurnReason.BROADCAST),
    broadcasting=True,
)
ROUTED = RoutedEntry(2, (), ("c", "b"), 1)
NUDGES = Policy(chair=ChairPolicy(rounds=2))


def next_row(room: RoomState) -> tuple[RowKind, str | None, Decision, list[str | None]]:
    """Return the row that is due: its kind, who says it, what is decided, and whom it names."""
    due = next_due(room)
    assert isinstance(due, RowEntry)
    assert (len(room.rows) + 1, "d", DESK) == (due.row.sequence, due.row.chat_id, due.row.audience)
    return due.kind, due.row.author.id, due.decision, [m.target.id for m in due.mentions]


def nudge(seat: str) -> tuple[RowKind, str, Decision, list[str]]:
    """Return a nudge that hands the turn to a seat, as ``next_row`` does."""
    return RowKind.NUDGE, "p", TurnFor(seat, 0, Mention(agent(seat), f"@{seat}", 0)), [seat]


def script(*cues: str, listed: bool = False) -> Script:
    """Return a script of seats' cues; ``p`` is the person."""
    return Script([Cue(person=c) if c == "p" else Cue(c) for c in cues], listed)


# Before the first turn


def test_a_room_begins_with_its_opening() -> None:
    """The opening is the first row, and it is appended once."""
    assert (RowKind.OPENING, "p", TurnFor("a", 0), []) == next_row(state())
    assert TurnEntry(1, "a", 0, 1, 1, None) == next_due(state(OPENING))


def test_a_room_without_an_opening_waits_for_a_person() -> None:
    """Nobody has opened it, so there is nothing to nudge about and nothing to close."""
    assert Await.PERSON == next_due(state(opening=None, policy=NUDGES))


def test_a_script_without_an_opening_waits_for_nobody() -> None:
    """A script says everything that will be said, so its room closes, after its nudges."""
    empty = script()
    assert CloseEntry(CloseReason.QUIET) == next_due(state(opening=None, script=empty))
    assert nudge("a") == next_row(state(opening=None, script=empty, policy=NUDGES))


def test_a_script_may_begin_with_a_person() -> None:
    """The first person cue does what an opening does."""
    room = state(opening=None, script=script("p", "a"))
    assert (RowKind.PERSON, "p", TurnFor("a", 0), []) == next_row(room)
    due = next_due(room)
    assert isinstance(due, RowEntry)
    assert 0 == due.cue


# What a turn has left comes first


def test_a_row_about_files_comes_before_everything() -> None:
    """Even a broadcast's routing and the close wait for it."""
    entry = RowEntry(
        SPOKE.row,
        RowKind.SEAT,
        SPOKE.decision,
        turn=1,
        completes=True,
        broadcasting=True,
        wrote=("f",),
    )
    expected = RowEntry(
        Row(3, "d", Author("system", kind="workspace"), "a wrote f", DESK),
        RowKind.WROTE,
        NoTurn(NoTurnReason.SOURCE_INACTIVE),
        turn=1,
    )
    assert expected == next_due(state(OPENING, GRANT, entry))
    assert expected == next_due(state(OPENING, GRANT, entry), stopping=True)


def test_a_broadcast_is_routed_before_anything_else() -> None:
    """The choice comes before the close that the same row may cause."""
    policy = Policy(max_turns=1)
    room = state(OPENING, GRANT, BROADCAST, policy=policy)
    assert [Await.SCORES, Await.SCORES] == [next_due(room), next_due(room, stopping=True)]


@pytest.mark.parametrize(
    "setup",
    [
        {"policy": Policy(dispatch=DispatchPolicy(max_hops=0))},
        {"seats": (Seat(id="a"),)},
        {"seats": (Seat(id="a"), Seat(id="b", retired=True))},
    ],
)
def test_a_broadcast_that_can_reach_nobody_asks_no_router(setup: dict[str, Any]) -> None:
    """At the limit of hops, and where no other seat acts, it is routed to nobody at once."""
    assert RoutedEntry(2, (), (), 1) == next_due(state(OPENING, GRANT, BROADCAST, **setup))


def test_a_silent_turn_is_granted_again_as_the_same_turn() -> None:
    """The retry has the number, hop and trigger of the turn, whatever the limits say."""
    policy = Policy(silence="retry", max_turns=1)
    expected = TurnEntry(1, "a", 0, 1, 2, None)
    assert expected == next_due(state(OPENING, GRANT, SILENT, policy=policy))


def test_a_turn_that_a_crash_cut_short_is_granted_again() -> None:
    """A state with an open turn, as a journal may leave it, goes on with that turn."""
    assert TurnEntry(1, "a", 0, 1, 2, None) == next_due(state(OPENING, GRANT))
    cued = state(OPENING, TurnEntry(1, "a", 0, 1, 1, 0), script=script("a", "a"))
    assert TurnEntry(1, "a", 0, 1, 2, 0) == next_due(cued)


# Stopping


@pytest.mark.parametrize("entries", [(), (OPENING,), (OPENING, GRANT), (OPENING, GRANT, SPOKE)])
def test_a_room_that_is_stopping_closes_before_anybody_says_or_is_granted_more(
    entries: tuple[Entry, ...],
) -> None:
    """Neither an opening, nor an open turn, nor one that is pending is waited for."""
    expected = CloseEntry(CloseReason.STOPPED)
    assert expected == next_due(state(*entries), stopping=True)
    assert expected == next_due(state(*entries, policy=NUDGES, opening=None), stopping=True)


# The close, in its order


def test_a_completion_closes_before_everything_that_follows() -> None:
    """Script, limits, pending turn, queue and chair come after it."""
    done = row(2, "a", "b", completes=True)
    policy = Policy(max_turns=1, chair=ChairPolicy(rounds=1))
    room = state(OPENING, GRANT, done, policy=policy, script=script("a", "b"))
    assert CloseEntry(CloseReason.COMPLETED) == next_due(room)


def test_all_participants_must_complete_where_the_policy_says_all() -> None:
    """One of two is not enough, and a new assignment opens the room again."""
    policy = Policy(close="all", participants=("a", "b"))
    room = state(OPENING, GRANT, row(2, "a", "b", completes=True), policy=policy)
    assert TurnEntry(2, "b", 1, 2, 1, None) == next_due(room)
    room.apply(TurnEntry(2, "b", 1, 2))
    room.apply(row(3, "b", completes=True))
    assert CloseEntry(CloseReason.COMPLETED) == next_due(room)
    room.apply(RoutedEntry(3, (), ("a",), 2))
    assert TurnEntry(3, "a", 2, 3, 1, None) == next_due(room)


@pytest.mark.parametrize("queued", [False, True])
def test_a_script_that_has_nothing_left_for_who_is_next_closes_the_room(queued: bool) -> None:
    """The script comes before the limit of turns, for a pending and for a queued turn alike."""
    entries = (BROADCAST, RoutedEntry(2, (), ("b",), 1)) if queued else (SPOKE,)
    room = state(OPENING, GRANT, *entries, policy=Policy(max_turns=1), script=script("c"))
    assert CloseEntry(CloseReason.SCRIPT) == next_due(room)


def test_a_persons_cue_is_spoken_before_a_turn_that_is_pending() -> None:
    """Once everything listed before it was played, the person takes over."""
    cued = TurnEntry(1, "a", 0, 1, 1, 0)
    room = state(OPENING, cued, SPOKE, script=script("a", "p", "b"), policy=Policy(max_turns=1))
    assert (RowKind.PERSON, "p", TurnFor("a", 0), []) == next_row(room)


def test_the_limit_of_turns_closes_even_with_a_turn_pending() -> None:
    """The turn that is pending is not granted any more."""
    assert CloseEntry(CloseReason.MAX_TURNS) == next_due(
        state(OPENING, GRANT, SPOKE, policy=Policy(max_turns=1))
    )


def test_the_limit_of_turns_closes_a_room_with_nothing_pending_too() -> None:
    """The limit comes before the nudge and before quiet."""
    policy = Policy(max_turns=1, chair=ChairPolicy(rounds=1))
    assert CloseEntry(CloseReason.MAX_TURNS) == next_due(
        state(OPENING, GRANT, SILENT, policy=policy)
    )


def test_a_pending_turn_comes_before_the_queue() -> None:
    """The chain of one recipient ends before the next recipient is granted."""
    room = state(OPENING, GRANT, BROADCAST, ROUTED)
    assert TurnEntry(2, "c", 1, 2, 1, None) == next_due(room)
    room.apply(TurnEntry(2, "c", 1, 2))
    room.apply(row(3, "c", "a", 2))
    assert TurnEntry(3, "a", 2, 3, 1, None) == next_due(room)
    room.apply(TurnEntry(3, "a", 2, 3))
    room.apply(EndEntry(3, 1, "a", Outcome.SILENT))
    assert TurnEntry(4, "b", 1, 2, 1, None) == next_due(room)


def test_the_queue_comes_before_a_nudge() -> None:
    """The chair waits until every recipient had its turn."""
    room = state(OPENING, GRANT, BROADCAST, ROUTED, policy=NUDGES)
    assert TurnEntry(2, "c", 1, 2, 1, None) == next_due(room)


def test_a_chain_that_ends_is_nudged_on_until_the_rounds_are_used_up() -> None:
    """After the last round the room is quiet, and closes."""
    room = state(OPENING, GRANT, SILENT, policy=NUDGES)
    assert nudge("a") == next_row(room)
    room.apply(row(2, "p", "a", 0, RowKind.NUDGE))
    assert TurnEntry(2, "a", 0, 2, 1, None) == next_due(room)
    room.apply(TurnEntry(2, "a", 0, 2))
    room.apply(row(3, "a"))
    assert nudge("a") == next_row(room)
    room.apply(row(4, "p", "a", 0, RowKind.NUDGE))
    room.apply(TurnEntry(3, "a", 0, 4))
    room.apply(EndEntry(3, 1, "a", Outcome.SILENT))
    assert CloseEntry(CloseReason.QUIET) == next_due(room)


def test_a_chair_without_a_person_or_a_seat_is_silent() -> None:
    """There is nobody to speak for, or nobody to speak to."""
    ended = (OPENING, GRANT, SILENT)
    assert CloseEntry(CloseReason.QUIET) == next_due(state(*ended, policy=NUDGES, people=()))
    nobody = state(row(1, "p", None, 0, RowKind.OPENING), policy=NUDGES, seats=())
    assert CloseEntry(CloseReason.QUIET) == next_due(nobody)


# Cadence


def test_the_chair_speaks_before_a_pending_turn_once_enough_turns_have_run() -> None:
    """After two turns it speaks once; the pending turn stays as it was and comes next."""
    policy = Policy(chair=ChairPolicy(rounds=5, every=2))
    room = state(OPENING, GRANT, SPOKE, policy=policy)
    assert TurnEntry(2, "b", 1, 2, 1, None) == next_due(room)
    room.apply(TurnEntry(2, "b", 1, 2))
    room.apply(row(3, "b", "a", 2))
    pending = Pending("a", 2, 3)
    assert (RowKind.NUDGE, "p", TurnFor("a", 2), ["c"]) == next_row(room)
    room.apply(row(4, "p", "a", 2, RowKind.NUDGE))
    assert (pending, TurnEntry(3, "a", 2, 3, 1, None)) == (room.pending, next_due(room))


def test_a_cadence_without_rounds_left_does_not_hold_up_the_turn() -> None:
    """The pending turn is granted when the chair has nothing left to say."""
    policy = Policy(chair=ChairPolicy(rounds=0, every=1))
    assert TurnEntry(2, "b", 1, 2, 1, None) == next_due(state(OPENING, GRANT, SPOKE, policy=policy))


# Listed order


def test_a_list_decides_who_is_granted() -> None:
    """Whoever was named, the next in the list has the turn, and the last row is its trigger."""
    room = state(
        OPENING, TurnEntry(1, "a", 0, 1, 1, 0), SPOKE, script=script("a", "c", listed=True)
    )
    assert TurnEntry(2, "c", 0, 2, 1, 1) == next_due(room)


def test_the_hop_in_a_list_goes_on_when_the_row_before_chose_this_seat() -> None:
    """A row about files in between does not count; a seat that was not chosen begins at 0."""
    made = Row(3, "d", Author("system", kind="workspace"), "a wrote f", DESK)
    wrote = RowEntry(made, RowKind.WROTE, NoTurn(NoTurnReason.SOURCE_INACTIVE))
    room = state(
        OPENING, TurnEntry(1, "a", 0, 1, 1, 0), SPOKE, wrote, script=script("a", "b", listed=True)
    )
    assert TurnEntry(2, "b", 1, 2, 1, 1) == next_due(room)


def test_the_hop_in_a_list_goes_on_for_the_recipients_of_a_broadcast() -> None:
    """A recipient goes on at the hop of the routing, somebody else begins at 0."""
    entries = (OPENING, TurnEntry(1, "a", 0, 1, 1, 0), BROADCAST, RoutedEntry(2, (), ("b",), 1))
    assert TurnEntry(2, "b", 1, 2, 1, 1) == next_due(
        state(*entries, script=script("a", "b", listed=True))
    )
    assert TurnEntry(2, "c", 0, 2, 1, 1) == next_due(
        state(*entries, script=script("a", "c", listed=True))
    )


def test_a_list_without_an_opening_begins_with_no_trigger() -> None:
    """The first grant has hop 0 and was brought by no row."""
    room = state(opening=None, script=script("b", listed=True))
    assert TurnEntry(1, "b", 0, None, 1, 0) == next_due(room)


def test_a_list_ends_with_its_last_turn_or_at_the_limit() -> None:
    """The end of the list closes with ``script``, unless the limit of turns comes first."""
    cued = TurnEntry(1, "a", 0, 1, 1, 0)
    assert CloseEntry(CloseReason.SCRIPT) == next_due(
        state(OPENING, cued, SPOKE, script=script("a", listed=True), policy=Policy(max_turns=1))
    )
    assert CloseEntry(CloseReason.MAX_TURNS) == next_due(
        state(
            OPENING, cued, SPOKE, script=script("a", "b", listed=True), policy=Policy(max_turns=1)
        )
    )


def test_the_chair_never_speaks_in_a_list() -> None:
    """Silence closes nothing and wakes no chair while the list goes on."""
    policy = Policy(chair=ChairPolicy(rounds=5, every=1))
    room = state(
        OPENING,
        TurnEntry(1, "a", 0, 1, 1, 0),
        SILENT,
        script=script("a", "b", listed=True),
        policy=policy,
    )
    assert TurnEntry(2, "b", 0, 1, 1, 1) == next_due(room)


@pytest.mark.parametrize("cues,cue", [(("a", "a"), 1), (("a", "b", "a"), None), (("a",), None)])
def test_a_retry_in_a_list_plays_the_next_cue_only_if_it_is_the_seats_own(
    cues: tuple[str, ...], cue: int | None
) -> None:
    """A retry must not take a cue out of its place in the list."""
    policy = Policy(silence="retry")
    room = state(
        OPENING,
        TurnEntry(1, "a", 0, 1, 1, 0),
        SILENT,
        script=script(*cues, listed=True),
        policy=policy,
    )
    assert TurnEntry(1, "a", 0, 1, 2, cue) == next_due(room)


def test_a_retry_in_routed_order_plays_the_seats_next_cue() -> None:
    """Other seats' cues in between do not matter there."""
    policy = Policy(silence="retry")
    room = state(
        OPENING, TurnEntry(1, "a", 0, 1, 1, 0), SILENT, script=script("a", "b", "a"), policy=policy
    )
    assert TurnEntry(1, "a", 0, 1, 2, 2) == next_due(room)


@pytest.mark.parametrize("listed", [True, False])
def test_a_retry_never_plays_a_cue_past_a_person_whose_words_are_due(listed: bool) -> None:
    """The person is heard after the retry, which plays nothing."""
    room = state(
        OPENING,
        TurnEntry(1, "a", 0, 1, 1, 0),
        SILENT,
        script=script("a", "p", "a", listed=listed),
        policy=Policy(silence="retry"),
    )
    assert TurnEntry(1, "a", 0, 1, 2, None) == next_due(room)
