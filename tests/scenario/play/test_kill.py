"""What disturbs a listed run: people in the middle of turns, and a process that is killed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from deskroom.engine.entries import Entry
from deskroom.journal import verify_entries
from deskroom.scenario import Scenario, parse_scenario, replay_scenario
from deskroom.testing import ListJournal

BACKENDS: Sequence[Literal["asyncio", "trio"] | None] = (None, "asyncio", "trio")

HEAD = """\
format = 1
order = "{order}"
{top}
desk = {{ id = "d", name = "D", people = [{{ id = "sam", label = "Sam" }}], seats = [\
{{ id = "a" }}, {{ id = "b" }}, {{ id = "c" }}] }}
opening = {{ by = "sam", message = "@a begin" }}
"""


def parsed(body: str, top: str = "", order: str = "routed") -> Scenario:
    """Return a scenario of the seats a, b, c and the person sam, who opens it."""
    return parse_scenario(HEAD.format(order=order, top=top) + body, "desk.toml")


def entries_of(
    scenario: Scenario, backend: Literal["asyncio", "trio"] | None = None
) -> list[Entry]:
    """Return the journal of a replay."""
    journal = ListJournal()
    replay_scenario(scenario, backend=backend, journal=journal)
    return journal.entries


def rows_of(scenario: Scenario, backend: Literal["asyncio", "trio"] | None) -> list[str]:
    """Return each row of a replay as one short line."""
    rows = replay_scenario(scenario, backend=backend).run.rows
    return [f"{row.author.id or 'files'}: {row.content}" for row in rows]


@pytest.mark.parametrize("backend", BACKENDS)
def test_people_speak_in_the_middle_of_a_turn(
    backend: Literal["asyncio", "trio"] | None,
) -> None:
    """Before a call, between two, before the end and behind it; what the turn hands on is dropped."""
    scenario = parsed(
        """
[[turn]]
seat = "a"
calls = [{ tool = "desk_read" }, { tool = "desk_post", message = "@b go" }]
meanwhile = [
    { person = "sam", say = "last", at = "end" },
    { person = "sam", say = "first" },
    { person = "sam", say = "second", at = 1 },
    { person = "sam", say = "@c third", at = 9 },
]
wrote = ["notes.md"]
[[turn]]
seat = "b"
say = "never"
"""
    )
    expected = [
        "sam: @a begin",
        "sam: first",
        "sam: second",
        "sam: @c third",
        "a: @b go",
        "files: a wrote notes.md",
        "sam: last",
    ]
    assert expected == rows_of(scenario, backend)
    assert ["a", "a", "a", "c", "b", {"none": "source_inactive"}, "a"] == [
        getattr(entry.decision, "target_id", None) or {"none": entry.decision.reason}  # type: ignore[union-attr]
        for entry in replay_scenario(scenario, backend=backend).run.entries
    ]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_turn_that_was_killed_is_granted_again_and_nobody_speaks_twice(
    backend: Literal["asyncio", "trio"] | None,
) -> None:
    """Line 4 is what sam says in the turn; the process dies there, and its seat begins anew."""
    body = """
[[turn]]
seat = "a"
calls = [{ tool = "desk_read" }, { tool = "desk_complete_episode", message = "done" }]
meanwhile = [{ person = "sam", say = "hurry" }]
"""
    run = replay_scenario(parsed(body, "kill = [4]"), backend=backend).run
    assert ["@a begin", "hurry", "done"] == [row.content for row in run.rows]
    assert [(1, 2, "spoke")] == [(turn.number, turn.attempt, turn.outcome) for turn in run.turns]
    kinds = [type(entry).__name__.removesuffix("Entry") for entry in run.journal]
    assert ["Header", "Row", "Turn", "Row", "Turn", "Call", "Call", "Row", "Close"] == kinds


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_line_that_the_journal_never_had_is_a_mismatch(
    backend: Literal["asyncio", "trio"] | None,
) -> None:
    """A kill that did not happen would prove nothing."""
    replay = replay_scenario(
        parsed('[[turn]]\nseat = "a"\nsay = "x"\n', "kill = [3, 40]"), backend=backend
    )
    (mismatch,) = replay.mismatches
    assert ("kill", 40, 7, 3) == (mismatch.key, mismatch.expected, mismatch.got, mismatch.line)


@given(data=st.data())
def test_every_driver_is_killed_alike(
    scenarios: st.SearchStrategy[Scenario], data: st.DataObject
) -> None:
    """Whatever seats and people do, and wherever the process dies."""
    scenario = data.draw(scenarios)
    most = len(entries_of(scenario))
    lines = sorted(data.draw(st.sets(st.integers(1, most), max_size=3)))
    scenario = evolve(scenario, kill=tuple(lines))
    expected = entries_of(scenario)
    verify_entries(expected, "run")
    assert expected == entries_of(scenario, "asyncio")
    assert expected == entries_of(scenario, "trio")


@given(data=st.data())
def test_a_run_that_is_killed_comes_to_what_it_comes_to(
    settled: Callable[[Iterable[Entry]], Sequence[Entry]],
    scenarios: st.SearchStrategy[Scenario],
    data: st.DataObject,
) -> None:
    """But for grants that were cut off, all is as if nobody had disturbed it."""
    drawn = data.draw(scenarios)
    scenario = evolve(drawn, turns=tuple(evolve(turn, meanwhile=()) for turn in drawn.turns))
    whole = entries_of(scenario)
    lines = sorted(data.draw(st.sets(st.integers(1, len(whole)), max_size=3)))
    assert whole == settled(entries_of(evolve(scenario, kill=tuple(lines))))
