from __future__ import annotations

import pytest
from attrs import evolve

from deskroom.core import OPERATOR, Viewer
from deskroom.render.diff import diff_json, diff_lines
from deskroom.runs.diff import Comparison, compare_runs
from deskroom.scenario import parse_scenario, replay_scenario

HEAD = """\
format = 1
desk = { id = "d", name = "D", seats = [{ id = "a" }, { id = "b" }, { id = "c" }], people = [{ id = "sam", label = "Sam" }] }
"""
ASIDES = """\
[policy]
aside = { enabled = true, max_members = 1, max_messages = 1 }
"""
DM = """\
[[turn]]
seat = "a"
calls = [{ tool = "desk_dm", to = ["b"], message = "psst\\u001b" }]
"""
TWICE = f"{DM}repeat = 2\n"
REST = """\
[[turn]]
seat = "b"
calls = [{ tool = "shout" }, { tool = "desk_complete_episode", message = "done" }]
wrote = ["b.md"]
"""


def compared(a: str, b: str, viewer: Viewer = OPERATOR) -> Comparison:
    """Compare two scenarios that share their head."""
    one, other = (
        replay_scenario(parse_scenario(HEAD + text, f"{name}.toml")).view(viewer)
        for name, text in (("a", a), ("b", b))
    )
    return compare_runs(one, other)


def test_the_first_difference_has_both_rows_and_why() -> None:
    """Each begins with its place; then comes a summary."""
    comparison = compared(
        ASIDES + TWICE + REST, ASIDES + 'on_refused_aside = "room"\n' + TWICE + REST
    )
    assert [
        "a.toml:5: A: turn 2: a: (refused)",
        '    hop: 0; replies: ["budget_spent"]',
        "    why: no message was accepted: budget_spent",
        r"b.toml:6: B: row 2: a → desk: psst\x1b",
        '    next: "b"; hop: 0; refusal: "budget_spent"',
        "    why: the message is addressed to it",
        "    differs in: row, replies",
        "",
        'policy.on_refused_aside: "refuse" in A, "room" in B',
        "rows: 3 the same, 1 different",
    ] == list(diff_lines(comparison))


def test_all_differences_are_shown_when_asked_for() -> None:
    """A row that one run lacks says what that run has instead."""
    comparison = compared(ASIDES + DM + REST, ASIDES + REST + DM + '[[turn]]\nseat = "c"\n')
    assert [
        r"a.toml:5: A: row 1: a → b: psst\x1b",
        '    next: "b"; hop: 0',
        "    why: the message is addressed to it",
        "b.toml:5: B: no such row; instead row 1: b → desk: done",
        "",
        "a.toml:8: A: row 2: b → desk: done",
        (
            '    next: { none = "no_direct_agent_mention" }; hop: 1; completes; '
            'replies: ["unknown_tool", "ok"]'
        ),
        "    why: no @id in it names a seat",
        "b.toml:5: B: row 1: b → desk: done",
        (
            '    next: { none = "no_direct_agent_mention" }; hop: 0; completes; '
            'replies: ["unknown_tool", "ok"]'
        ),
        "    why: no @id in it names a seat",
        "    differs in: hop",
        "",
        "rows: 1 the same, 1 different, 1 only in A",
    ] == list(diff_lines(comparison, all_=True))
    assert "b.toml: B: no such row; the run ends before it (closed: completed)" in list(
        diff_lines(compared(ASIDES + REST, REST.replace('wrote = ["b.md"]', "")), all_=True)
    )


def test_a_run_that_is_the_same_says_so() -> None:
    """Turns without a row are counted where there are any."""
    silent = '[[turn]]\nseat = "c"\n'
    assert ["rows: 2 the same", "turns without a row: 1 the same", "the same"] == list(
        diff_lines(compared(silent + REST, silent + REST))
    )


def test_how_the_rooms_closed_is_told() -> None:
    """A journal may stop before that."""
    comparison = compared(ASIDES + DM + REST, ASIDES + DM)
    assert 'closed: "completed" in A, "script" in B' in list(diff_lines(comparison))
    cut = evolve(comparison, run={"closed": ("quiet", None)})
    assert 'closed: "quiet" in A, not closed in B' in list(diff_lines(cut))


def test_a_seat_learns_nothing_of_what_it_may_not_read() -> None:
    """Not even that it differs."""
    other = DM.replace("psst", "hush").replace("shout", "cry")
    viewer = Viewer("agent", "c")
    comparison = compared(ASIDES + DM + REST, ASIDES + other + REST, viewer)
    assert comparison.same
    louder = compared(ASIDES + DM + REST, ASIDES + 'on_refused_aside = "room"\n' + REST, viewer)
    told = "\n".join(diff_lines(louder, all_=True))
    assert "A: row 1: a → b: (private)\n" in told
    assert "psst" not in told
    assert "psst" not in str(diff_json(louder, str, all_=True))


def test_what_is_shown_of_each_kind_of_row() -> None:
    """Nudges, rows about files and broadcasts; a stub of several messages."""
    wrote = '[[turn]]\nseat = "a"\nsay = "hm"\nwrote = ["a.md"]\n'
    cast = '[[turn]]\nseat = "a"\ncalls = [{ tool = "desk_broadcast", message = "who?" }]\n'
    limit = "[policy.dispatch]\nmax_hops = 0\n"
    lines = list(diff_lines(compared(limit + cast, wrote), all_=True))
    assert "b.toml:3: B: row 1: a → desk: hm" in lines
    assert "    next: nobody; hop: 0" in lines
    assert "b.toml: B: row 2: workspace → desk (wrote): a wrote a.md" in lines
    asides = ASIDES.replace("max_messages = 1", "max_messages = 9")
    stub = compared(asides + TWICE, asides + DM, Viewer("agent", "c"))
    assert "a.toml:5: A: row 1: a → b: (private, 2 messages)" in list(diff_lines(stub))


@pytest.mark.parametrize("all_", [False, True])
def test_json_holds_the_first_difference_and_on_request_all(all_: bool) -> None:
    """Every number of the summary is there, also a zero."""
    comparison = compared(ASIDES + DM + REST, ASIDES + REST)
    document = diff_json(comparison, lambda path: f"shown/{path}", all_=all_)
    assert all_ == ("differences" in document)
    assert 2 == len(document.pop("differences", [{}, {}]))
    first = document.pop("first")
    assert {
        "a": {"path": "shown/a.toml", "kind": "scenario", "rows": 3},
        "b": {"path": "shown/b.toml", "kind": "scenario", "rows": 2},
        "same": False,
        "run": {},
        "settings": [],
        "summary": {
            "rows": {"same": 1, "different": 1, "only_a": 1, "only_b": 0},
            "turns": {"same": 0, "different": 0, "only_a": 0, "only_b": 0},
        },
    } == document
    assert (None, [], 5, 1, "the message is addressed to it") == (
        first["b"],
        first["keys"],
        first["a"]["line"],
        first["a"]["sequence"],
        first["a"]["why"],
    )
    same = diff_json(compared(REST, REST), str)
    assert (True, None) == (same["same"], same["first"])
