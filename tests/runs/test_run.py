from __future__ import annotations

from typing import Any

import anyio
import pytest

from deskroom.core.reasons import CloseReason
from deskroom.engine.entries import CallEntry, CloseEntry, EndEntry, Raised
from deskroom.engine.state import Pending
from deskroom.errors import UsageError
from deskroom.room import SimulatedClock
from deskroom.runs import Run, RunItem
from deskroom.scenario import parse_scenario, replay_scenario
from deskroom.testing import (
    ListJournal,
    ScriptedSeat,
    dm,
    out_of_turn,
    post,
    simulated_room,
)

FILE = """\
format = 1
desk = { id = "d", name = "D", seats = [{ id = "a" }, { id = "b" }], people = [{ id = "sam", label = "Sam" }] }
[opening]
by = "sam"
message = "@a begin"
[[turn]]
seat = "a"
calls = [{ tool = "shout" }, { tool = "desk_post", message = "@b go" }]
late = [{ tool = "desk_read" }]
wrote = ["x.py"]
[[turn]]
seat = "b"
text = "hm"
[[turn]]
seat = "a"
crash = "boom"
[[turn]]
person = "sam"
say = "well?"
"""


@pytest.fixture(scope="module")
def run() -> Run:
    """Return the run of the file."""
    return replay_scenario(parse_scenario(FILE)).run


def test_a_run_holds_every_turn_with_its_calls(run: Run) -> None:
    """What was granted, what was called and replied, and what became of it."""
    spoke, silent, failed = run.turns
    assert (1, "a", 0, 1, 1, 0, "spoke", 2, ("x.py",), 1) == (
        spoke.number,
        spoke.seat,
        spoke.hop,
        spoke.trigger,
        spoke.attempt,
        spoke.cue,
        spoke.outcome,
        spoke.row,
        spoke.wrote,
        spoke.granted_at,
    )
    assert ("unknown_tool", "ok", "turn_ended") == spoke.replies
    assert [("shout", False), ("desk_post", False), ("desk_read", True)] == [
        (call.tool, call.late) for call in spoke.calls
    ]
    assert ("silent", None, "hm", None) == (silent.outcome, silent.row, silent.text, silent.error)
    assert ("failed", Raised("ScriptedCrash", "boom"), ()) == (
        failed.outcome,
        failed.error,
        failed.calls,
    )


def test_a_turn_knows_where_it_stands(run: Run) -> None:
    """The positions of its grant and of the entry that ended it."""
    kinds = [type(entry).__name__ for entry in run.journal]
    assert [("TurnEntry", "RowEntry"), ("TurnEntry", "EndEntry"), ("TurnEntry", "EndEntry")] == [
        (kinds[turn.start or 0], kinds[turn.end or 0]) for turn in run.turns
    ]


def test_items_are_the_rows_and_then_the_turns_without_one(run: Run) -> None:
    """A row brings the turn that it ended, and a line of a journal on which it stands."""

    def shown(item: RunItem) -> tuple[Any, Any]:
        row = item.entry.row.sequence if item.entry else None
        return row, item.turn.number if item.turn else None

    assert [(1, None), (2, 1), (3, None), (4, None), (None, 2), (None, 3)] == [
        shown(item) for item in run.items
    ]
    lines = [run.line_of(item) for item in run.items]
    assert [(run.index.rows[at] + 1) for at in range(4)] == lines[:4]
    assert [(turn.end or 0) + 1 for turn in run.turns[1:]] == lines[4:]


def test_totals_are_what_a_scenario_can_expect(run: Run) -> None:
    """Rows, turns, nudges, asides, and why it closed."""
    assert {"rows": 4, "turns": 3, "nudges": 0, "asides": 0, "closed": "script"} == run.totals
    assert ("listed", ()) == (run.order, tuple(run.unplayed))


def test_the_same_entries_are_the_same_run(run: Run) -> None:
    """Folded while it was played, or afterwards from its entries."""
    again = Run.from_entries(run.journal)
    assert run == again
    assert (run.turns, run.totals) == (again.turns, again.totals)


def test_a_run_that_was_resumed_after_its_close_is_open(run: Run) -> None:
    """Only a close that comes last counts."""
    closed = [*run.journal[:3], CloseEntry(CloseReason.STOPPED)]
    assert "stopped" == Run.from_entries(closed).closed
    assert Run.from_entries([*closed, *run.journal[3:5]]).closed is None


def test_a_run_that_was_cut_short_knows_what_was_due(run: Run) -> None:
    """The turn that its last row gave, and who had one open."""
    cut = Run.from_entries(run.journal[:2])
    assert Pending("a", 0, 1) == cut.due
    assert "a" == getattr(Run.from_entries(run.journal[:4]).state.open, "seat", None)


def test_entries_that_are_no_run_are_refused(run: Run) -> None:
    """A fold must not end in a traceback."""
    end = next(entry for entry in run.journal if isinstance(entry, EndEntry))
    for entries in ([], run.journal[1:]):
        with pytest.raises(UsageError, match="begin with its header"):
            Run.from_entries(entries)
    with pytest.raises(UsageError, match="entry 2 cannot follow those before it"):
        Run.from_entries([run.journal[0], end])


def test_a_broadcast_has_its_recipients() -> None:
    """In the order in which they are granted their turns."""
    turn = '[[turn]]\nseat = "a"\ncalls = [{ tool = "desk_broadcast", message = "?" }]\n'
    text = FILE[: FILE.index("[opening]")] + turn + "scores = { b = 0.9 }\n"
    run = replay_scenario(parse_scenario(text)).run
    assert [("b",)] == [item.recipients for item in run.items]


def test_calls_in_turns_that_were_never_the_seats_are_kept_apart() -> None:
    """They belong to no turn of the run."""

    async def a(turn: Any) -> None:
        await out_of_turn(turn, 9).post("not mine")
        await turn.post("mine")

    journal = ListJournal()
    anyio.run(simulated_room({"a": a}, journal=journal, clock=SimulatedClock()).run)
    run = Run.from_entries(journal.entries)
    assert [("a", 9, "not_your_turn")] == [
        (call.seat, call.turn, call.reply) for call in run.index.stray_calls()
    ]
    assert [["ok"]] == [[call.reply for call in turn.calls] for turn in run.turns]


def test_a_run_without_entries_knows_replies_and_no_calls() -> None:
    """As what a live room returns: its state is all there is."""
    acts = {"a": ScriptedSeat([dm("b", "psst"), post("done")])}
    result = anyio.run(simulated_room(acts, opening="@a go").run)
    run = Run(result.state)
    assert [("unknown_recipient", "ok")] == [turn.replies for turn in run.turns]
    assert [()] == [turn.calls for turn in run.turns]
    assert (None, None, [None]) == (run.turns[0].start, run.order, [t.end for t in run.turns])
    assert not any(isinstance(entry, CallEntry) for entry in run.journal)
