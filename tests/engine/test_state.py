"""The fold: a room's entries, applied to a fresh state, give the state the room was in."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from deskroom.core import DESK, Author, Mention, NoTurn, Person, Row, TurnFor, agent
from deskroom.core.reasons import CloseReason, NoTurnReason, Outcome, RowKind
from deskroom.engine.engine import Engine
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
from deskroom.engine.setup import Opening, Setup
from deskroom.engine.state import Pending, RoomState
from deskroom.errors import UsageError
from deskroom.room import ChairPolicy, Cue, Policy, Room, Script, Seat
from deskroom.testing import ListJournal
from deskroom.wire import decode, encode, entry_in, entry_out

SEATS = (Seat(id="a"), Seat(id="b"), Seat(id="c"))
DEFAULTS = Policy()


def fresh(policy: Policy = DEFAULTS, **setup: Any) -> RoomState:
    """Return the state of a room that has not opened yet."""
    made = {"seats": SEATS, "people": (Person("p", "Pat"),), "opening": Opening("p", "go"), **setup}
    return RoomState(Setup(desk_id="d", desk_name="D", policy=policy, **made))


def row(
    sequence: int,
    author: str = "a",
    *,
    to: str | None = None,
    hop: int = 1,
    kind: RowKind = RowKind.SEAT,
    **rest: Any,
) -> RowEntry:
    """Return the entry of a desk row that hands the turn to ``to``."""
    type_ = "agent" if kind == "seat" else "person"
    decision = NoTurn(NoTurnReason.NO_DIRECT_AGENT_MENTION) if to is None else TurnFor(to, hop)
    made = Row(sequence, "d", Author(type_, author), "x", DESK)  # type: ignore[arg-type]
    return RowEntry(made, kind, decision, **rest)


def opening(to: str = "a") -> RowEntry:
    """Return the entry of an opening that goes to a seat."""
    return row(1, "p", to=to, hop=0, kind=RowKind.OPENING)


def folded(state: RoomState, *entries: Entry) -> RoomState:
    """Return a state with entries folded in."""
    for entry in entries:
        state.apply(entry)
    return state


def granted(turn: int, seat: str = "a", attempt: int = 1, cue: int | None = None) -> TurnEntry:
    """Return the entry of a grant at hop 0, brought by the first row."""
    return TurnEntry(turn, seat, 0, 1, attempt, cue)


def ended(turn: int, outcome: Outcome = Outcome.SILENT, seat: str = "a", **rest: Any) -> EndEntry:
    """Return the entry of a turn that ended without a row."""
    return EndEntry(turn, rest.pop("attempt", 1), seat, outcome, **rest)


# The fold of a whole room


def written(entry: Entry) -> Entry:
    """Return an entry as a journal gives it back."""
    return entry_in(decode(encode(entry_out(entry))))


class Shadow(ListJournal):
    """A journal that folds what it keeps, and holds that against the room before each entry."""

    room: Room
    again: Engine

    def write(self, entry: Entry) -> None:
        if self.entries:
            assert self.again == self.room.engine
            self.again.apply(written(entry))
        else:
            self.again = Engine.of([written(entry)])
        super().write(entry)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@given(data=st.data())
def test_the_entries_of_a_room_fold_to_its_state_at_every_prefix(
    room_plans: st.SearchStrategy[Any], backend: str, data: st.DataObject
) -> None:
    """After every entry, an engine folded from what a journal holds so far is the room's own."""
    journal = Shadow()
    journal.room = room = data.draw(room_plans).room(journal)
    anyio.run(room.run, backend=backend)
    assert journal.again == room.engine
    assert Engine.of(journal.entries) == room.engine
    assert Engine.of(journal.entries[:-1]) != room.engine


@pytest.mark.parametrize("entries", [[], [TurnEntry(1, "a", 0, None)]])
def test_a_fold_begins_with_the_header(entries: list[Entry]) -> None:
    """Without it nobody knows what the room is made of."""
    with pytest.raises(UsageError, match=r"^the first entry must be the header$"):
        Engine.of(entries)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@given(data=st.data())
def test_a_script_that_is_cut_short_anywhere_can_be_played_to_the_same_rows(
    room_plans: st.SearchStrategy[Any], backend: str, data: st.DataObject
) -> None:
    """A room that goes on from the first entries of a run ends with the rows of the whole run."""
    plan = data.draw(room_plans)
    # Somebody who speaks in the middle of a turn would speak again when it is granted again.
    calm = tuple(evolve(p, then="end") if p.then == "person" else p for p in plan.plans)
    plan = evolve(plan, plans=calm, order=data.draw(st.sampled_from(["listed", "routed"])))
    journal = ListJournal()
    whole = anyio.run(plan.room(journal).run, backend=backend)
    cut = data.draw(st.integers(0, len(journal.entries) - 1))

    rest = ListJournal()
    again = anyio.run(plan.room(rest, journal.entries[:cut]).run, backend=backend)
    assert whole.rows == again.rows
    assert (whole.closed, whole.granted) == (again.closed, again.granted)
    headers = [e for e in (*journal.entries[:cut], *rest.entries) if isinstance(e, HeaderEntry)]
    assert 1 == len(headers)


# One entry at a time


def test_a_new_state_has_nothing_in_it() -> None:
    """Every participant has an open assignment, and there is nothing else yet."""
    state = fresh()
    assert ("a", "b", "c") == state.episode.participants
    assert (0, [], [], None, None) == (
        state.granted,
        state.rows,
        state.turns,
        state.pending,
        state.last_said,
    )


def test_the_setup_knows_who_acts_and_for_whom_the_chair_speaks() -> None:
    """Retired seats do not act; the chair speaks for whom the policy names, or the first person."""
    people = (Person("p", "Pat"), Person("q", "Quin"))
    seats = (Seat(id="a"), Seat(id="old", retired=True))
    setup = fresh(seats=seats, people=people).setup
    assert (("a",), "p") == (setup.active, setup.chair)
    assert "q" == fresh(Policy(chair=ChairPolicy(by="q")), people=people).setup.chair
    assert fresh(people=()).setup.chair is None


def test_an_opening_hands_the_turn_on_and_a_grant_uses_it_up() -> None:
    """The pending turn knows the row that brought it, and is gone once it is granted."""
    state = folded(fresh(), opening("b"))
    assert Pending("b", 0, 1) == state.pending
    state = folded(state, granted(1, "b"))
    assert state.pending is None
    assert state.open is state.turns[0]


def test_a_seat_row_ends_its_turn_and_hands_on() -> None:
    """The record gets its row and its outcome; who was named is pending."""
    state = folded(fresh(), opening(), granted(1), row(2, to="b", turn=1, trigger=1))
    assert ("spoke", 2) == (state.turns[0].outcome, state.turns[0].row)
    assert (None, Pending("b", 1, 2)) == (state.open, state.pending)
    assert (["a"], "a") == (list(state.spoken), state.last_author)


def test_calls_are_counted_for_the_turn_they_belong_to() -> None:
    """Late calls go to the turn that ended, calls out of turn and the host's own to none."""
    state = folded(
        fresh(),
        opening(),
        granted(1),
        CallEntry(1, 1, "a", 1, "desk_post", {}, "empty_message"),
        CallEntry(1, 1, "a", 0, "desk_post", {}, source="fence"),
        ended(1, Outcome.REFUSED),
        granted(2, "b"),
        CallEntry(1, 1, "a", 2, "desk_post", {}, "turn_ended", late=True),
        CallEntry(2, 1, "a", 3, "desk_post", {}, "not_your_turn", late=True),
        CallEntry(7, 1, "b", 1, "desk_post", {}, "not_your_turn", late=True),
        CallEntry(0, 1, "b", 2, "desk_post", {}, "not_your_turn", late=True),
        CallEntry(2, 2, "b", 3, "desk_post", {}, "not_your_turn", late=True),
        CallEntry(2, 1, "b", 4, "desk_read", {}),
    )
    assert [["empty_message", "turn_ended"], ["ok"]] == [list(t.replies) for t in state.turns]


def test_a_silent_turn_is_granted_once_more_where_the_policy_says_so() -> None:
    """The first silence is retried, the second is not, and both are one turn."""
    state = folded(fresh(Policy(silence="retry")), opening(), granted(1), ended(1))
    assert state.turns[0] is state.retry
    state = folded(state, granted(1, attempt=2))
    assert (None, 1, True) == (state.retry, state.granted, state.is_retry(state.turns[-1]))
    state = folded(state, ended(1, attempt=2))
    assert (None, ["silent", "silent"]) == (state.retry, [t.outcome for t in state.turns])
    state = folded(state, granted(2, "b"), ended(2, seat="b"))
    assert state.turns[2] is state.retry
    assert not state.is_retry(state.turns[2])


@pytest.mark.parametrize("outcome", ["refused", "failed", "timed_out"])
def test_only_silence_is_retried(outcome: Outcome) -> None:
    """A turn that was refused, failed or timed out is over."""
    state = folded(fresh(Policy(silence="retry")), opening(), granted(1), ended(1, outcome))
    assert state.retry is None


def test_a_person_who_speaks_while_a_turn_is_open_takes_over_what_comes_next() -> None:
    """The row of the open turn hands nothing on; the turn after it hands on again."""
    state = folded(
        fresh(),
        opening(),
        granted(1),
        row(2, "p", to="c", hop=0, kind=RowKind.PERSON),
        row(3, to="b"),
    )
    assert Pending("c", 0, 2) == state.pending
    state = folded(state, granted(2, "c"), row(4, "c", to="b"))
    assert Pending("b", 1, 4) == state.pending


@pytest.mark.parametrize("when", ["open", "between"])
def test_a_person_who_speaks_before_a_retry_takes_over_what_the_retry_hands_on(when: str) -> None:
    """A retry is the same turn, so a word before or during its first attempt still counts."""
    word = row(2, "p", to="c", hop=0, kind=RowKind.PERSON)
    first: list[Entry] = [word, ended(1)] if when == "open" else [ended(1), word]
    state = folded(fresh(Policy(silence="retry")), opening(), granted(1), *first)
    state = folded(state, granted(1, attempt=2), row(3, to="b"))
    assert Pending("c", 0, 2) == state.pending
    state = folded(state, granted(2, "c"), row(4, "c", to="b"))
    assert Pending("b", 1, 4) == state.pending


def test_a_person_who_speaks_between_turns_drops_what_was_pending() -> None:
    """The word decides who is next, and the turn after it hands on as usual."""
    state = folded(fresh(), opening(), granted(1), row(2, to="b"))
    state = folded(state, row(3, "p", to="c", hop=0, kind=RowKind.PERSON))
    assert Pending("c", 0, 3) == state.pending
    state = folded(state, granted(2, "c"), row(4, "c", to="a"))
    assert Pending("a", 1, 4) == state.pending


def test_a_nudge_gives_way_to_a_turn_that_is_pending() -> None:
    """It counts, it forgets who narrated, and hands on the turn only where none is pending."""
    narrated = ended(1, text="I will look into it.")
    state = folded(fresh(), opening(), granted(1), narrated)
    assert ({"a": 1}, 1) == (state.narrated, state.turns_since_chair)
    state = folded(state, row(2, "p", to="b", hop=0, kind=RowKind.NUDGE))
    assert (Pending("b", 0, 2), 1, 0, {}) == (
        state.pending,
        state.nudges,
        state.turns_since_chair,
        state.narrated,
    )
    state = folded(state, row(3, "p", to="c", hop=0, kind=RowKind.NUDGE))
    assert (Pending("b", 0, 2), 2) == (state.pending, state.nudges)


def test_a_seat_that_narrates_twice_is_named_once() -> None:
    """The list holds each seat once, in the order of their first such turn."""
    turns = [(1, "b"), (2, "a"), (3, "b")]
    entries = [
        e for n, s in turns for e in (granted(n, s), ended(n, seat=s, text="I will look into it."))
    ]
    assert {"b": 1, "a": 2} == folded(fresh(), opening("b"), *entries).narrated


def test_a_broadcast_waits_for_its_routing_and_queues_its_recipients() -> None:
    """The recipients queue in order, get an assignment each, and a grant takes the first."""
    state = folded(fresh(), opening(), granted(1))
    spoken = evolve(row(2, broadcasting=True), decision=NoTurn(NoTurnReason.BROADCAST))
    state = folded(state, spoken)
    assert spoken is state.unrouted
    routed = RoutedEntry(2, (), ("c", "b"), 1)
    state = folded(state, routed)
    assert (None, {2: routed}) == (state.unrouted, state.routed)
    assert [Pending("c", 1, 2), Pending("b", 1, 2)] == list(state.queue)
    assert [1, 2, 2] == [state.episode.latest(seat).number for seat in "abc"]
    state = folded(state, TurnEntry(2, "c", 1, 2))
    assert [Pending("b", 1, 2)] == list(state.queue)


def test_a_pending_turn_is_granted_before_the_queue_and_leaves_it_alone() -> None:
    """A turn handed on in the chain of one recipient does not use up the next in the queue."""
    state = folded(
        fresh(),
        opening(),
        granted(1),
        row(2, broadcasting=True),
        RoutedEntry(2, (), ("c", "b"), 1),
        granted(2, "c"),
        row(3, "c", to="b"),
        granted(3, "b"),
    )
    assert [Pending("b", 1, 2)] == list(state.queue)


def test_a_listed_script_queues_nobody() -> None:
    """In listed order the list grants, and a broadcast's recipients only get assignments."""
    script = Script([Cue("a"), Cue("b")], listed=True)
    state = folded(
        fresh(script=script),
        granted(1, cue=0),
        row(1, broadcasting=True),
        RoutedEntry(1, (), ("b",), 1),
    )
    assert ([], 2) == (list(state.queue), state.episode.latest("b").number)
    assert [1] == state.script.unplayed() if state.script else False


def test_a_recipient_that_takes_no_part_gets_no_assignment() -> None:
    """Only participants have assignments; others are granted a turn all the same."""
    state = folded(
        fresh(Policy(participants=("a",))),
        opening(),
        granted(1),
        row(2, broadcasting=True),
        RoutedEntry(2, (), ("b",), 1),
    )
    assert (("a",), [Pending("b", 1, 2)]) == (state.episode.participants, list(state.queue))


def test_a_completion_closes_the_assignment_of_a_participant() -> None:
    """The author's work is done; a completion by somebody else only counts."""
    policy = Policy(participants=("a",), close="all")
    state = folded(fresh(policy), opening("b"), granted(1, "b"), row(2, "b", completes=True))
    assert (1, False) == (state.completions, state.episode.is_complete)
    state = folded(state, granted(2), row(3, completes=True))
    assert (2, True) == (state.completions, state.episode.is_complete)


@pytest.mark.parametrize("spoke", [True, False])
def test_files_left_behind_get_a_row(spoke: bool) -> None:
    """The entry that ends the turn is kept until the row about its files is there."""
    end: Entry = row(2, wrote=("f",)) if spoke else ended(1, Outcome.FAILED, wrote=("f",))
    state = folded(fresh(), opening(), granted(1), end)
    assert end is state.unreported_files
    last = state.last_said
    made = Row(len(state.rows) + 1, "d", Author("system", kind="workspace"), "a wrote f", DESK)
    state = folded(
        state, RowEntry(made, RowKind.WROTE, NoTurn(NoTurnReason.SOURCE_INACTIVE), turn=1)
    )
    assert state.unreported_files is None
    assert last is state.last_said


def test_a_grant_remembers_where_the_seat_last_looked() -> None:
    """``since`` is how many rows there were at the seat's grant before; a retry keeps it."""
    state = folded(
        fresh(Policy(silence="retry")),
        opening(),
        granted(1),
        row(2, to="b"),
        granted(2, "b"),
        row(3, "b", to="a"),
        granted(3),
        ended(3),
        granted(3, attempt=2),
    )
    assert [None, None, 1, 1] == [turn.since for turn in state.turns]


def test_a_grant_that_a_crash_cut_short_is_replaced_by_the_next_attempt() -> None:
    """The number and the cue stay, the calls of the first attempt are gone."""
    script = Script([Cue("a"), Cue("a")], listed=False)
    state = folded(
        fresh(script=script),
        opening(),
        granted(1, cue=0),
        CallEntry(1, 1, "a", 1, "desk_post", {}),
        granted(1, attempt=2, cue=0),
    )
    assert [(1, 2, 0, [])] == [(t.number, t.attempt, t.cue, t.replies) for t in state.turns]
    assert [1] == state.script.unplayed() if state.script else False
    assert (1, False) == (state.granted, state.is_retry(state.turns[0]))


def test_a_cue_of_a_person_is_played_by_the_row() -> None:
    """A word that the script lists is used up when it is spoken."""
    script = Script([Cue(person="p", message="x"), Cue("a")], listed=False)
    state = folded(fresh(script=script), row(1, "p", to="a", hop=0, kind=RowKind.PERSON, cue=0))
    assert state.script is not None
    assert (1, [1]) == (state.script.head, state.script.unplayed())


def test_a_close_says_why() -> None:
    """The reason is what is kept."""
    assert "quiet" == folded(fresh(), CloseEntry(CloseReason.QUIET)).closed


def test_entries_do_not_show_what_was_said_in_a_call() -> None:
    """What a seat sent stays out of a traceback and of a log."""
    call = CallEntry(1, 1, "a", 1, "desk_post", {"message": "secret"})
    assert "secret" not in repr(call)
    assert "secret" not in repr(Opening("p", "secret"))
    assert Mention(agent("a"), "@a", 0) == Mention(agent("a"), "@a", 0)
