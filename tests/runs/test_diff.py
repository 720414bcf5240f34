from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from deskroom.core import DESK, Author, Elision, SeenRow
from deskroom.room import ChairPolicy, Policy
from deskroom.runs import RunView, ViewItem, diff
from deskroom.runs.diff import Comparison, Count, Setting, compare_runs
from deskroom.scenario import parse_scenario, replay_scenario

HEAD = """\
format = 1
desk = { id = "d", name = "D", seats = [{ id = "a" }, { id = "b" }] }
"""


def run(*says: str, head: str = "") -> RunView:
    """Return a run in which seats a and b say this in turn; blank says nothing."""
    turns = "".join(
        f'[[turn]]\nseat = "{"ab"[at % 2]}"\n' + (f'say = "{text}"\n' if text else "")
        for at, text in enumerate(says)
    )
    return replay_scenario(parse_scenario(HEAD + head + turns, "x.toml")).view()


def told(comparison: Comparison) -> list[Any]:
    """Return each difference: what a has, what b has, and which facts differ."""

    def one(item: ViewItem | None) -> Any:
        return None if item is None else item.facts.get("content", item.facts.get("outcome"))

    return [(one(found.a), one(found.b), found.keys) for found in comparison.differences]


def test_a_run_is_the_same_as_itself() -> None:
    """Rows and turns without one are counted apart."""
    comparison = compare_runs(run("one", "", "three"), run("one", "", "three"))
    assert (True, (), Count(same=2), Count(same=1), {}, ()) == (
        comparison.same,
        comparison.differences,
        comparison.rows,
        comparison.turns,
        comparison.run,
        comparison.settings,
    )


def test_decisions_may_differ_where_rows_do_not() -> None:
    """Another policy lets a mention start no turn."""
    other = run("@b go", "@a go", head="[policy.dispatch]\nmax_hops = 1\n")
    comparison = compare_runs(run("@b go", "@a go"), other)
    assert [("@a go", "@a go", ("next",))] == told(comparison)
    assert (Count(same=1, different=1), (Setting(key="policy.dispatch.max_hops", a=16, b=1),)) == (
        comparison.rows,
        comparison.settings,
    )


@pytest.mark.parametrize(
    "a, b, differences, rows, turns",
    [
        (
            ("one", "two", "three"),
            ("one", "", "three"),
            [("two", "silent", ("row", "replies"))],
            Count(same=2, different=1),
            Count(),
        ),
        (("one", "two"), ("one",), [("two", None, ())], Count(same=1, only_a=1), Count()),
        (("one",), ("one", ""), [(None, "silent", ())], Count(same=1), Count(only_b=1)),
        (
            ("one", "two", "three", "four"),
            ("one", "four", "three", "four"),
            [("two", "four", ("content",))],
            Count(same=3, different=1),
            Count(),
        ),
        (
            ("", ""),
            ("one", ""),
            [("silent", "one", ("row", "replies"))],
            Count(different=1),
            Count(same=1),
        ),
    ],
)
def test_rows_are_matched_by_who_said_what(
    a: tuple[str, ...], b: tuple[str, ...], differences: list[Any], rows: Count, turns: Count
) -> None:
    """A row that only one run has does not make every row behind it differ."""
    comparison = compare_runs(run(*a), run(*b))
    assert differences == told(comparison)
    assert (rows, turns) == (comparison.rows, comparison.turns)


def test_a_missing_row_says_what_there_is_instead() -> None:
    """Or nothing, where the run ends before it."""
    (found,) = compare_runs(run("one", "two", "one"), run("one", "x", "one")).differences
    assert found.instead is None
    long, short = run("one", "x", "one", "two", "one"), run("one", "two", "one")
    missing = compare_runs(long, short).differences
    assert ["x", "one"] == [found.a.facts["content"] for found in missing if found.a is not None]
    first = missing[0].instead
    assert first is not None
    assert "two" == first.facts["content"]
    assert [found.instead for found in compare_runs(short, long).differences] == [first, first]
    (gone,) = compare_runs(run("one"), run("one", "two")).differences
    assert (None, True) == (gone.instead, gone.is_row)


def test_what_only_one_side_knows_is_not_compared() -> None:
    """Rows alone say nothing of decisions and turns."""
    whole = run("@b go", "", "hm")
    rows = evolve(
        whole,
        has_turns=False,
        run={},
        order=None,
        policy=None,
        items=tuple(
            evolve(item, facts={key: item.facts[key] for key in ("author", "content")})
            for item in whole.items
            if item.is_row
        ),
    )
    comparison = compare_runs(whole, rows)
    assert (True, Count(same=2), Count()) == (comparison.same, comparison.rows, comparison.turns)


def test_how_the_rooms_closed_is_compared() -> None:
    """It is a difference of the run as a whole."""
    one = run("one")
    comparison = compare_runs(one, evolve(one, run={"closed": None}))
    assert (False, {"closed": ("script", None)}) == (comparison.same, comparison.run)


def test_settings_explain_and_are_no_difference() -> None:
    """Orders and policies, key by key."""
    one = run("one")
    policy = Policy(close="all", participants=("a",), chair=ChairPolicy(every=2))
    comparison = compare_runs(one, evolve(one, order="routed", policy=policy))
    assert comparison.same
    assert (
        Setting(key="order", a="listed", b="routed"),
        Setting(key="policy.chair.every", a=0, b=2),
        Setting(key="policy.close", a="first", b="all"),
        Setting(key="policy.participants", a=None, b=["a"]),
    ) == comparison.settings


def test_a_stub_is_no_row_that_can_be_read() -> None:
    """Of the two a viewer sees something else."""
    one = run("one")
    (row,) = one.items
    hidden = SeenRow(1, Author("agent", "a"), "", DESK, Elision(1, 1, None))
    stub = evolve(row, row=None, stub=hidden, facts={"author": row.facts["author"]})
    comparison = compare_runs(one, evolve(one, items=(stub,)))
    assert [("one", None, ("content",))] == told(comparison)


def test_runs_too_long_to_match_are_compared_by_place() -> None:
    """Matching takes the square of what differs."""
    length = int(diff._MOST_PAIRS**0.5) + 2
    (row,) = run("one").items

    def many(word: str) -> RunView:
        texts = [f"{word} {number}" for number in range(length)]
        items = [evolve(row, facts={**row.facts, "content": text}) for text in texts]
        return evolve(run("one"), items=(*items[1:], items[0]))

    comparison = compare_runs(many("a"), many("b"))
    assert Count(different=length) == comparison.rows
