from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from deskroom.core import OPERATOR, Audience, Author, Row, Viewer
from deskroom.core.dispatch import NoTurn
from deskroom.core.reasons import CloseReason, NoTurnReason, Outcome, RowKind
from deskroom.engine.entries import (
    CallEntry,
    CloseEntry,
    EndEntry,
    Entry,
    ExcessEntry,
    HeaderEntry,
    Raised,
    RoutedEntry,
    RowEntry,
    TurnEntry,
)
from deskroom.render.transcript import happening_lines
from deskroom.runs.run import Run
from deskroom.runs.stream import Happening, LateCall, RunStream, gathered, ordered
from deskroom.runs.view import ViewItem, narrowed, view_run
from deskroom.scenario import load_scenario, parse_scenario, replay_scenario

SCENARIOS = sorted(Path("scenarios").rglob("*.toml"))

MISHAPS = """\
format = 1
order = "routed"
desk = { id = "d", name = "D", people = [{ id = "sam", label = "Sam" }], seats = [\
{ id = "a" }, { id = "b" }, { id = "c" }] }
policy = { aside = { enabled = true, max_members = 1, max_messages = 9 }, chair = { rounds = 9 }, max_calls = 2, turn_timeout_s = 5, silence = "retry" }
[opening]
by = "sam"
message = "@a go"
[[turn]]
seat = "a"
calls = [{ tool = "nope" }, { tool = "nope" }, { tool = "nope" }, { tool = "nope" }]
[[turn]]
seat = "a"
crash = "out of memory"
wrote = ["core.dump"]
[[turn]]
seat = "a"
say = "@b on"
late = [{ tool = "desk_post", message = "and one more" }]
[[turn]]
seat = "b"
calls = [{ tool = "desk_broadcast", message = "who?" }]
scores = { a = 0.3, c = 0.9 }
[[turn]]
seat = "c"
text = "thinking"
[[turn]]
seat = "c"
calls = [{ tool = "desk_dm", to = ["a"], message = "psst" }]
[[turn]]
seat = "a"
say = "@b and you?"
[[turn]]
seat = "b"
takes = 7
say = "too late"
"""


def run_of(path: Path | None) -> Run:
    """Return the run of a scenario that ships with the project, or of the one above."""
    scenario = parse_scenario(MISHAPS) if path is None else load_scenario(str(path))
    return replay_scenario(scenario).run


def streamed(run: Run) -> tuple[list[Happening], RunStream]:
    """Return what happened in a run, entry by entry."""
    stream = RunStream(run.setup, "x")
    happened = [
        one for line, entry in enumerate(run.journal, start=1) for one in stream.take(line, entry)
    ]
    return [*happened, *stream.end()], stream


@pytest.mark.parametrize("path", [None, *SCENARIOS], ids=str)
def test_a_streamed_run_is_the_run_that_is_folded_as_a_whole(path: Path | None) -> None:
    """The same items, turns, stray calls and totals, for whoever looks; only their order is its own."""
    run = run_of(path)
    happened, stream = streamed(run)
    whole = view_run(run, path="x", kind="journal", line_of=run.line_of)
    for viewer in (OPERATOR, *(Viewer("agent", seat) for seat in run.setup.by_id)):
        expected = narrowed(whole, viewer)
        view = narrowed(gathered(happened, stream, "journal"), viewer)
        # What settles an aside is only known of a whole run; it is in its stubs.
        items = [evolve(item, settled_at=None) for item in expected.items]
        assert sorted(items, key=lambda item: item.line or 0) == sorted(
            view.items, key=lambda item: item.line or 0
        )
        assert evolve(expected, items=()) == evolve(view, items=())


def test_what_happened_stands_where_it_ended() -> None:
    """A late call is an entry of its own, and a broadcast waits for whom it goes to."""
    happened, _ = streamed(run_of(None))
    told = [
        ("late", one.call.turn) if isinstance(one, LateCall) else (one.sequence, one.turn)
        for one in happened
    ]
    assert told == [
        (1, None),
        (None, 1),
        (2, None),
        (None, 2),
        (3, 2),
        (4, None),
        (5, 3),
        ("late", 3),
        (6, 4),
        (None, 5),
        (7, 5),
        (8, 6),
        (None, 7),
        ("late", 7),
    ]


def test_a_broadcast_waits_for_whom_it_goes_to() -> None:
    """And what happens meanwhile waits behind it; nothing waits for a grant or the end."""
    run = run_of(None)
    at = next(n for n, entry in enumerate(run.journal) if isinstance(entry, RoutedEntry))
    before, routed = run.journal[:at], run.journal[at]
    spoken = next(entry for entry in before if isinstance(entry, RowEntry))
    stream = RunStream(run.setup)
    for line, entry in enumerate(before, start=1):
        stream.take(line, entry)
    assert [] == list(stream.take(at + 1, spoken))
    whole = stream.take(at + 2, routed)
    assert [["c", "a"], "a"] == [one.facts["next"] for one in whole if isinstance(one, ViewItem)]
    stream = RunStream(run.setup)
    for line, entry in enumerate(before, start=1):
        stream.take(line, entry)
    assert [[]] == [one.facts["next"] for one in stream.end() if isinstance(one, ViewItem)]


def test_a_seat_is_told_of_its_own_late_calls_only() -> None:
    """They are no rows, so nobody else can know of them."""
    happened, _ = streamed(run_of(None))
    late = [one for one in happened if isinstance(one, LateCall)]
    assert {"a", "b"} == {one.call.seat for one in late}
    for seat in ("a", "b", "c"):
        seen = ordered(happened, Viewer("agent", seat))
        assert {seat} & {"a", "b"} == {one.call.seat for one in seen if isinstance(one, LateCall)}


def test_only_the_rows_are_given_where_nothing_else_is_asked_for() -> None:
    """They know no more than a transcript does."""
    run = run_of(None)
    stream = RunStream(run.setup, only_rows=True)
    entries = [entry for entry in run.journal if isinstance(entry, RowEntry)]
    happened = [one for n, entry in enumerate(entries, start=1) for one in stream.take(n, entry)]
    assert [entry.row for entry in entries] == [
        one.row for one in happened if isinstance(one, ViewItem)
    ]
    assert not gathered(happened, stream, "journal").has_turns


# Entries that no room would write

SETUP = replay_scenario(parse_scenario(MISHAPS)).run.setup
SEATS = st.sampled_from(["a", "b", "nobody"])
SMALL = st.integers(0, 3)
ROWS = st.builds(
    Row,
    SMALL,
    st.just("d"),
    st.builds(Author, st.sampled_from(["agent", "system"]), SEATS),
    st.sampled_from(["@a hi", "", "@nobody"]),
    st.one_of(st.just(Audience("desk")), st.builds(Audience, st.just("aside"), st.tuples(SEATS))),
)
ENTRIES: st.SearchStrategy[Entry] = st.one_of(
    st.builds(TurnEntry, SMALL, SEATS, SMALL, SMALL),
    st.builds(
        CallEntry, SMALL, SMALL, SEATS, SMALL, st.none(), st.just({"a": 1}), late=st.booleans()
    ),
    st.builds(ExcessEntry, SMALL, SMALL, SEATS, SMALL),
    st.builds(
        EndEntry,
        SMALL,
        SMALL,
        SEATS,
        st.sampled_from(Outcome),
        error=st.one_of(st.none(), st.just(Raised("E", "x"))),
    ),
    st.builds(
        RowEntry,
        ROWS,
        st.sampled_from(RowKind),
        st.builds(NoTurn, st.sampled_from(NoTurnReason)),
        broadcasting=st.booleans(),
        turn=st.one_of(st.none(), SMALL),
    ),
    st.builds(RoutedEntry, SMALL, st.just((("a", 0.5),)), st.just(("a",)), SMALL),
    st.builds(CloseEntry, st.sampled_from(CloseReason)),
)


@given(st.lists(ENTRIES, max_size=12))
def test_entries_that_no_room_would_write_are_shown_as_well(entries: list[Entry]) -> None:
    """The chain of a journal says that they are as they were written, and nothing of the rules."""
    stream = RunStream(SETUP)
    journal = [HeaderEntry(SETUP), *entries]
    happened = [one for n, entry in enumerate(journal, start=1) for one in stream.take(n, entry)]
    happened += stream.end()
    rows = sum(isinstance(entry, RowEntry) for entry in entries)
    assert rows == sum(isinstance(one, ViewItem) and one.is_row for one in happened)
    for viewer in (OPERATOR, Viewer("agent", "a")):
        gathered(happened, stream, "journal")
        for one in ordered(happened, viewer):
            assert all(isinstance(line, str) for line in happening_lines(one, verbose=True))
