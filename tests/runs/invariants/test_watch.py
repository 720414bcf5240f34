"""Each invariant is broken by a journal that was forged, and by no run of the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final, TypeVar

import anyio
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from deskroom.core.audience import DESK, Audience, Author
from deskroom.core.dispatch import NoTurn, TurnFor
from deskroom.core.reasons import CloseReason, NoTurnReason, Outcome, RowKind
from deskroom.core.transcript import SeenRow
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
from deskroom.engine.messages import Call, Reply
from deskroom.explore.draws import SeededDraws
from deskroom.explore.explore import bounds_of
from deskroom.explore.play import Explorer
from deskroom.runs.invariants import INVARIANTS, Broken, InvariantWatch
from deskroom.scenario import load_scenario, replay_scenario
from deskroom.scenario.format.load import load_explorable
from deskroom.testing import ListJournal

ROOT: Final = Path(__file__).parents[3]
SHIPPED: Final = sorted([*ROOT.glob("scenarios/**/*.toml"), *ROOT.glob("docs/examples/*.toml")])

Forge = Callable[[Sequence[Entry]], Iterator[Sequence[Entry]]]
E = TypeVar("E", bound=Entry)


def broken(entries: Iterable[Entry]) -> list[Broken]:
    """Return what some entries break."""
    entries = list(entries)
    header = entries[0]
    assert isinstance(header, HeaderEntry)
    watch = InvariantWatch(header.setup, own_router=header.own_router)
    for entry in entries:
        watch.take(entry)
    watch.finish()
    return watch.broken


@cache
def runs() -> Sequence[Sequence[Entry]]:
    """Return the entries of some runs in which much happens, none of them killed."""
    found = []
    for name in ("busy", "open", "private", "still"):
        scenario = load_explorable(ROOT / f"mutants/desks/{name}.toml")
        explorer = Explorer(scenario, evolve(bounds_of(scenario), kills=0))
        for number in range(25):
            played = explorer.play(SeededDraws(11, number), deep=False)
            assert () == played.failures
            header, *entries = played.run.journal
            script = explorer.setup.script
            assert isinstance(header, HeaderEntry)
            assert script is not None
            # The scores that are drawn stand in the script of their run alone.
            own = evolve(script, cues=tuple(script.cues))
            found.append([evolve(header, setup=evolve(header.setup, script=own)), *entries])
    return found


# --- no false alarm ----------------------------------------------------------------------------


@pytest.mark.parametrize("path", SHIPPED, ids=[str(path.relative_to(ROOT)) for path in SHIPPED])
def test_nothing_that_we_ship_breaks_anything(path: Path) -> None:
    """Each file's replay, from its first entry to its last, and nobody kills it."""
    scenario = evolve(load_scenario(path), kill=())
    assert [] == broken(replay_scenario(scenario).run.journal)


@settings(max_examples=60)
@given(data=st.data())
def test_no_room_breaks_anything(
    room_plans: st.SearchStrategy[object], data: st.DataObject
) -> None:
    """Whatever seats of a room of actors do, with people who speak at any time."""
    plan = data.draw(room_plans)
    journal = ListJournal()
    anyio.run(plan.room(journal).run)  # type: ignore[attr-defined]
    assert [] == broken(journal.entries)


# --- one forgery for each invariant ------------------------------------------------------------


def each(kind: type[E], change: Callable[[E], Entry | None]) -> Forge:
    """Return the forgery that changes one entry of a kind, where that can be; None: not there."""

    def forge(entries: Sequence[Entry]) -> Iterator[Sequence[Entry]]:
        for at, entry in enumerate(entries):
            changed = change(entry) if isinstance(entry, kind) else None
            if changed is not None:
                yield [*entries[:at], changed, *entries[at + 1 :]]

    return forge


def without(wanted: Callable[[Entry], bool]) -> Forge:
    """Return the forgery that drops one entry."""

    def forge(entries: Sequence[Entry]) -> Iterator[Sequence[Entry]]:
        for at, entry in enumerate(entries):
            if wanted(entry):
                yield [*entries[:at], *entries[at + 1 :]]

    return forge


def twice(wanted: Callable[[Entry], bool]) -> Forge:
    """Return the forgery that repeats one entry."""

    def forge(entries: Sequence[Entry]) -> Iterator[Sequence[Entry]]:
        for at, entry in enumerate(entries):
            if wanted(entry):
                yield [*entries[: at + 1], *entries[at:]]

    return forge


def row(kind: RowKind, change: Callable[[RowEntry], RowEntry | None]) -> Forge:
    """Return the forgery that changes one row of a kind."""
    return each(RowEntry, lambda entry: change(entry) if entry.kind is kind else None)


def is_row(kind: RowKind) -> Callable[[Entry], bool]:
    """Return what says whether an entry is a row of a kind."""
    return lambda entry: isinstance(entry, RowEntry) and entry.kind is kind


def reason(wanted: str) -> Callable[[CloseEntry], CloseEntry | None]:
    """Return what gives a close another reason."""

    def change(entry: CloseEntry) -> CloseEntry | None:
        return None if entry.reason == wanted else CloseEntry(CloseReason(wanted))

    return change


FORGED: Final[dict[str, Forge]] = {
    "one-row": row(
        RowKind.SEAT,
        lambda entry: evolve(entry, row=evolve(entry.row, sequence=entry.row.sequence + 1)),
    ),
    "one-turn": each(TurnEntry, lambda entry: evolve(entry, turn=entry.turn + 1)),
    "row-first": without(lambda entry: isinstance(entry, RowEntry)),
    "files-first": without(is_row(RowKind.WROTE)),
    "routed-first": without(lambda entry: isinstance(entry, RoutedEntry)),
    "hop": each(
        TurnEntry, lambda entry: evolve(entry, hop=entry.hop + 1) if entry.attempt == 1 else None
    ),
    "hop-bound": each(TurnEntry, lambda entry: evolve(entry, hop=99)),
    "order": each(
        TurnEntry,
        lambda entry: evolve(entry, seat="lead") if entry.seat != "lead" else None,
    ),
    "max-turns": each(
        HeaderEntry,
        lambda entry: evolve(
            entry, setup=evolve(entry.setup, policy=evolve(entry.setup.policy, max_turns=1))
        ),
    ),
    "outcome": each(
        EndEntry,
        lambda entry: (
            evolve(entry, outcome=Outcome.SILENT) if entry.outcome == Outcome.REFUSED else None
        ),
    ),
    "last-call": row(
        RowKind.SEAT, lambda entry: evolve(entry, row=evolve(entry.row, content="something else"))
    ),
    "reply": each(
        CallEntry,
        lambda entry: (
            evolve(entry, reply="unknown_tool", verdict=None)
            if entry.reply == "ok" and not entry.late
            else None
        ),
    ),
    "late": each(
        CallEntry, lambda entry: evolve(entry, reply="not_your_turn") if entry.late else None
    ),
    "decision": row(
        RowKind.SEAT,
        lambda entry: (
            evolve(entry, decision=NoTurn(NoTurnReason.DISABLED))
            if isinstance(entry.decision, TurnFor)
            else None
        ),
    ),
    "mentions": row(
        RowKind.SEAT, lambda entry: evolve(entry, mentions=()) if entry.mentions else None
    ),
    "recipients": each(
        RoutedEntry,
        lambda entry: (
            evolve(entry, recipients=entry.recipients[::-1]) if len(entry.recipients) > 1 else None
        ),
    ),
    "person": row(
        RowKind.PERSON,
        lambda entry: (
            evolve(entry, decision=evolve(entry.decision, child_hop=1))
            if isinstance(entry.decision, TurnFor)
            else None
        ),
    ),
    "nudge": row(
        RowKind.NUDGE,
        lambda entry: evolve(entry, row=evolve(entry.row, author=Author("person", "nobody"))),
    ),
    "rounds": twice(is_row(RowKind.NUDGE)),
    "retry": each(
        TurnEntry, lambda entry: evolve(entry, seat="checker") if entry.attempt > 1 else None
    ),
    "queues": each(CloseEntry, reason("quiet")),
    "close": each(CloseEntry, reason("completed")),
    "privacy": row(
        RowKind.SEAT,
        lambda entry: (
            evolve(entry, row=evolve(entry.row, audience=DESK))
            if entry.row.audience.kind == "aside"
            else None
        ),
    ),
    "resume": twice(is_row(RowKind.OPENING)),
}
#: What is looked for when seats are given their turns, and of the run as a whole.
ELSEWHERE: Final = ("history", "fold", "verified", "ends")


def test_each_invariant_has_a_forgery() -> None:
    """Or a test of its own below, or in the tests of whole runs."""
    assert sorted(INVARIANTS) == sorted((*FORGED, *ELSEWHERE))


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_run_breaks_the_invariant(name: str) -> None:
    """Wherever the forgery can be made, something is found, and somewhere it is this by name."""
    names: dict[str, None] = {}
    for entries in runs():
        for forged in FORGED[name](entries):
            found = broken(forged)
            if name not in {"queues", "row-first", "order"}:
                assert found != []
            names |= dict.fromkeys(one.name for one in found)
        if name in names:
            break
    assert name in names


def test_a_run_without_a_close_does_not_end() -> None:
    """A watch that is told that all is over says so."""
    (entries, *_) = runs()
    assert "ends" in [one.name for one in broken(entries[:-1])]


def test_a_problem_says_which_turn_and_row_and_where_in_the_journal() -> None:
    """The entry is counted from 1, as the lines of a file are."""
    for entries in runs():
        for forged in FORGED["hop-bound"](entries):
            first = broken(forged)[0]
            at = next(
                n for n, one in enumerate(forged) if isinstance(one, TurnEntry) and one.hop == 99
            )
            assert ("hop-bound", at + 1) == (first.name, first.entry)
            assert first.problem.endswith("has hop 99")
            return


def test_what_a_seat_is_given_is_held_against_its_window_and_its_audience() -> None:
    """A row that it may not read is a breach of privacy; one too few or too many is history."""
    for entries in runs():
        names = _given_otherwise(entries)
        if {"history", "privacy"} <= names.keys():
            return
    raise AssertionError("no run had a private row in a seat's window")


def _given_otherwise(entries: Sequence[Entry]) -> dict[str, None]:
    header = entries[0]
    assert isinstance(header, HeaderEntry)
    engine, watch = Engine(header.setup), InvariantWatch(header.setup)
    names: dict[str, None] = {}
    for entry in entries:
        watch.take(entry)
        engine.apply(entry)
        if not isinstance(entry, TurnEntry):
            continue
        grant = engine.grant()
        watch.granted(grant)
        assert [] == watch.broken
        hidden = [seen for seen in grant.history if seen.elided is not None]
        watch.granted(grant._replace(history=tuple(grant.history)[1:]))  # type: ignore[arg-type]
        for seen in hidden:
            told = evolve(seen, content="what was said in private", elided=None)
            history = tuple(told if one is seen else one for one in grant.history)
            watch.granted(grant._replace(history=history))  # type: ignore[arg-type]
        names |= dict.fromkeys(one.name for one in watch.broken)
        watch.broken.clear()
    return names


def test_a_reply_that_tells_of_a_private_row_is_a_breach() -> None:
    """By the row itself, and by its words."""
    for entries in runs():
        private = [
            one.row
            for one in entries
            if isinstance(one, RowEntry) and one.row.audience.kind == "aside"
        ]
        header = entries[0]
        assert isinstance(header, HeaderEntry)
        seats = [seat for seat in header.setup.by_id if private]
        outsiders = [
            seat
            for seat in seats
            if seat not in (*private[0].audience.members, private[0].author.id)
        ]
        if not outsiders:
            continue
        watch = InvariantWatch(header.setup)
        for entry in entries:
            watch.take(entry)
        call = Call(1, 1, outsiders[0], 1, "desk_read", {})
        row_ = private[0]
        seen = SeenRow(row_.sequence, row_.author, row_.content, Audience("desk"))
        watch.replied(call, None, Reply(1, True, "here", rows=(seen,)))
        watch.replied(call, None, Reply(1, True, f"somebody said: {row_.content}"))
        assert ["privacy", "privacy"] == [one.name for one in watch.broken]
        return
    raise AssertionError("no run had a private row")
