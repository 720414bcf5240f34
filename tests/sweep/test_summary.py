from __future__ import annotations

from typing import Any

from tests.sweep.conftest import ROUTED

from deskroom.render.screen import Screen
from deskroom.render.sweep import short_keys, sweep_csv, sweep_json, sweep_lines
from deskroom.runs.figures import figures_of
from deskroom.runs.figures_json import figures_json
from deskroom.runs.run import Run
from deskroom.runs.view import view_run
from deskroom.scenario import parse_scenario, replay_scenario
from deskroom.sweep import ResultLine, Summary

BASE: dict[str, Any] = figures_json(
    figures_of(view_run(replay_scenario(parse_scenario(ROUTED)).run))
)


def line(
    every: int,
    turns: int,
    closed: str = "completed",
    *,
    silent: int = 0,
    held: bool = True,
    seed: int = 0,
    file: str = "x.toml",
    invariants: tuple[str, ...] | None = None,
) -> ResultLine:
    """Return a result with these figures."""
    never = [f"s{number}" for number in range(silent)]
    return ResultLine(
        file=file,
        seed=seed,
        settings={"policy.chair.every": every},
        seats=4,
        figures={**BASE, "turns": turns, "closed": closed, "never_spoke": never},
        properties={"it ends": held},
        invariants=invariants,
        digest="0",
        key=f"{file} {every} {seed}",
    )


LINES = [
    line(10, 2, "quiet", silent=2, seed=0),
    line(10, 3, "quiet", silent=2, seed=1, held=False),
    line(3, 6, seed=0),
    line(3, 9, seed=1),
    line(0, 5, seed=0),
    line(0, 8, seed=1, silent=1),
]


def test_a_policy_is_summed_up_over_files_and_seeds() -> None:
    """Why its runs closed, how many turns they took, who spoke and what did not hold."""
    one, _, last = Summary.of(LINES).policies
    assert {"policy.chair.every": 0} == one.settings
    assert (2, {"completed": 2}, 1.0) == (one.runs, one.closed, one.completed)
    assert (5, 6.5, 8) == (one.turns.least, one.turns.middle, one.turns.most)
    assert (0.875, 0.5, {}, 0) == (one.spoke, one.everyone, one.broken, one.breaking)
    assert ({"it ends": 1}, 1, 0.5, 0.0) == (last.broken, last.breaking, last.spoke, last.completed)


def test_the_order_of_the_lines_is_nothing_to_it() -> None:
    """Policies stand in the order of their values, and numbers in that of their size."""
    summary = Summary.of(LINES)
    assert summary == Summary.of(reversed(LINES))
    assert [0, 3, 10] == [one.settings["policy.chair.every"] for one in summary.policies]
    assert ((6, 1), ("it ends",)) == ((summary.runs, summary.files), summary.properties)


def test_a_desk_that_nobody_wakes_does_not_close_soonest() -> None:
    """Of those that complete most often, the one with the fewest turns in the middle does."""
    summary = Summary.of(LINES)
    fast, wide, quiet = summary.policies
    assert ((fast,), (wide,), (quiet,)) == (summary.soonest, summary.widest, summary.breaking)
    assert (quiet,) == Summary.of(LINES[:2]).soonest


def test_the_table_marks_the_best_and_says_which_breaks_what() -> None:
    """In the width of the screen."""
    expected = """\
6 runs of 1 file under 3 policies
every ┃ runs ┃ closed         ┃ turns      ┃ spoke ┃ broken
━━━━━━╇━━━━━━╇━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━╇━━━━━━━╇━━━━━━━
    0 │    2 │ completed 100% │ 6.5 (5-8)* │ 88%   │
    3 │    2 │ completed 100% │ 7.5 (6-9)  │ 100%* │
   10 │    2 │ quiet 100%     │ 2.5 (2-3)  │ 50%   │ 50%
turns: median (least-most) until the room closed; spoke: seats with a row
closes soonest: every=0
wakes everyone in every run: every=3
breaks 'it ends' (1 of 6 runs): every=10"""
    assert expected == "\n".join(sweep_lines(Summary.of(LINES)))
    narrow = list(sweep_lines(Summary.of(LINES), Screen(width=56)))
    assert all(len(one) <= 56 for one in narrow)
    assert "\x1b[31m   10\x1b[0m │" in "\n".join(sweep_lines(Summary.of(LINES), Screen(color=True)))


def test_where_no_policy_is_better_none_is_marked() -> None:
    """And what every run keeps is told as that."""
    same = [line(every, 5, silent=1, seed=seed) for every in (0, 3) for seed in (0, 1)]
    assert (
        """\
turns: median (least-most) until the room closed; spoke: seats with a row
closes soonest: every policy
wakes most (75% of the seats): every policy
breaks a property: none""".splitlines()
        == list(sweep_lines(Summary.of(same)))[-4:]
    )
    assert "*" not in "".join(sweep_lines(Summary.of(same)))
    assert ["no run has ended"] == list(sweep_lines(Summary.of([])))


def test_a_broken_invariant_is_told_of_by_itself() -> None:
    """No policy may break one."""
    broken = Summary.of([line(0, 5, invariants=("a row once",)), line(3, 5, invariants=())])
    assert (0, 1) == (broken.policies[0].breaking, broken.policies[0].invariants)
    assert "breaks an invariant of the host: every=0" == list(sweep_lines(broken))[-1]


def test_headings_are_as_short_as_they_can_be() -> None:
    """Two keys that end alike keep what tells them apart."""
    keys = ("policy.chair.every", "policy.aside.enabled", "policy.dispatch.enabled", "policy.aside")
    assert ["every", "aside.enabled", "dispatch.enabled", "aside"] == list(
        short_keys(keys).values()
    )


def test_json_has_every_policy_and_what_it_is_best_at() -> None:
    """One document, with a version."""
    document = sweep_json(Summary.of(LINES))
    policies = document.pop("policies")
    assert {"format": 1, "runs": 6, "files": 1, "properties": ["it ends"]} == document
    assert {
        "settings": {"policy.chair.every": 10},
        "runs": 2,
        "closed": {"quiet": 2},
        "turns": {"min": 2, "median": 2.5, "max": 3},
        "spoke": 0.5,
        "everyone_spoke": 0.0,
        "broken": {"it ends": 1},
        "runs_breaking": 1,
        "runs_breaking_invariants": 0,
        "closes_soonest": False,
        "wakes_most": False,
    } == policies[2]


def test_a_csv_has_a_column_for_each_key_and_each_property() -> None:
    """What a line does not have is an empty cell."""
    other = line(0, 5, file="=y.toml")
    bare = ResultLine(
        file="z.toml",
        seed=None,
        settings={"policy.aside.enabled": True, "policy.participants": ["a", "b"]},
        seats=2,
        figures=BASE,
        properties={},
        invariants=None,
        digest="1",
        key="k",
    )
    heading, first, second = (one.split(",") for one in sweep_csv([other, bare]).splitlines()[:3])
    assert [
        *("file", "seed", "policy.chair.every", "policy.aside.enabled", "policy.participants"),
        *("seats", "closed", "rows"),
    ] == heading[:8]
    assert ["property it ends", "broken_invariants", "digest", "key"] == heading[-4:]
    assert ["'=y.toml", "0", "0", "", "", "4", "completed"] == first[:7]
    assert ["z.toml", "", "", "true"] == second[:4]
    assert ["true", "", "0", "=y.toml 0 0".replace("=", "'=")] == first[-4:]
    assert ["", "", "1", "k"] == second[-4:]


def test_a_run_that_is_still_open_is_counted_as_that() -> None:
    """No sweep writes one; a reader need not fail for it."""
    open_ = ResultLine(
        file="x.toml",
        seed=0,
        settings={},
        seats=0,
        figures={**BASE, "closed": None, "turns": None, "never_spoke": None},
        properties={},
        invariants=None,
        digest="",
        key="",
    )
    (policy,) = Summary.of([open_]).policies
    assert ({"open": 1}, 0, 0.0) == (policy.closed, policy.turns.most, policy.spoke)
    assert "closes soonest, of those that complete most often: the policy of the file" in list(
        sweep_lines(Summary.of([open_]))
    )


def test_figures_are_those_of_stats() -> None:
    """The seam between a worker and what is rendered: names and values."""
    run: Run = replay_scenario(parse_scenario(ROUTED)).run
    assert "quiet" == run.closed
    assert ("quiet", 1, ["checker"]) == (
        BASE["closed"],
        BASE["turns"],
        list(BASE["never_spoke"]),
    )
