"""The published runs give the figures that were published, through ``stats`` and ``audit``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from deskroom.cli.main import _run

FOLDER = Path(__file__).parents[1] / "scenarios" / "published"

SEATS = ["lead", "solver", "theory", "checker"]


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Any:
    """Return a function that runs a command about a published run, and returns its JSON."""

    def call(command: str, name: str, *options: str) -> Any:
        capsys.readouterr()
        path = str(FOLDER / f"{name}.toml")
        assert 0 == _run([command, path, "--json", "--log-level", "error", *options])
        return json.loads(capsys.readouterr().out)

    return call


def figures(ask: Any, name: str) -> dict[str, Any]:
    """Return what ``stats`` counts of a run."""
    (run,) = ask("stats", name)["runs"]
    return dict(run)


def rows_of(audit: Mapping[str, Any]) -> dict[str, int]:
    """Return how many rows have each verdict, for those that some have."""
    return {name: one["rows"] for name, one in audit["verdicts"].items() if one["rows"]}


def test_each_file_is_told_of() -> None:
    """The list of sources and figures has a line for every file."""
    listed = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [] == [path.name for path in FOLDER.glob("*.toml") if f"| `{path.name}` |" not in listed]


def test_run_28_is_12_turns_23_rows_and_8_nudges(ask: Any) -> None:
    """It closes quiet; the lead's nine claims are words, and the chair answers eight of them."""
    run, audit = figures(ask, "run-28-quiet"), ask("audit", "run-28-quiet")
    assert (12, 23, 8, "quiet", 0) == (
        run["turns"],
        run["rows"],
        run["nudges"],
        run["closed"],
        run["asides"]["rows"],
    )
    assert ({"follows": 12, "person": 8}, None, 20) == (
        rows_of(audit),
        audit["first"],
        audit["judged"],
    )
    assert [("lead", "ANSWER", "no_call")] * 9 == [
        (claim["seat"], claim["mark"], claim["why"]) for claim in audit["claims"]
    ]
    assert (0, 0) == (audit["unanswered"], audit["asides"])


def test_run_28_with_a_completion_is_4_turns_and_7_rows(ask: Any) -> None:
    """The same claim is a call now: it closes the desk, and the audit has none to tell of."""
    run, audit = figures(ask, "run-28-completed"), ask("audit", "run-28-completed")
    assert (4, 7, 0, "completed") == (run["turns"], run["rows"], run["nudges"], run["closed"])
    assert ({"follows": 4}, [], "completed") == (
        rows_of(audit),
        audit["claims"],
        audit["table"][-1]["closes"],
    )


def test_run_26_has_31_rows_by_seats_of_which_28_name_a_peer(ask: Any) -> None:
    """None is private; the three that name nobody are followed by the chair, or by nobody."""
    run, audit = figures(ask, "run-26"), ask("audit", "run-26")
    assert ({"rows": 28, "of": 31}, 0) == (
        {key: run["seat_naming"][key] for key in ("rows", "of")},
        run["asides"]["rows"],
    )
    by_seats = [row for row in audit["table"] if row["author"]["type"] == "agent"]
    named = {one["row"] for one in audit["named"]} & {row["sequence"] for row in by_seats}
    assert (31, 28, 0) == (len(by_seats), len(named), audit["asides"])
    assert ({"follows": 31, "person": 2}, None) == (rows_of(audit), audit["first"])
    assert [{"none": "no_direct_agent_mention"}] * 3 == [
        row["next"] for row in by_seats if isinstance(row["next"], dict)
    ]


def test_run_29_narrates_and_the_seat_never_answers(ask: Any) -> None:
    """Two turns of four are silent; the solver is named by the lead and the chair, in vain."""
    run, audit = figures(ask, "run-29"), ask("audit", "run-29")
    assert (4, 2, 2, 5) == (
        run["turns"],
        run["outcomes"]["silent"],
        run["nudges"],
        run["rows"],
    )
    assert (["solver"], [(2, "solver", None, 3), (3, "solver", None, 2)]) == (
        audit["silent"],
        [
            (one["row"], one["seat"], one["answer"], one["after"])
            for one in audit["named"]
            if one["answer"] is None
        ],
    )


def test_two_of_four_seats_speak_in_sixteen_turns_until_a_chair_has_a_cadence(ask: Any) -> None:
    """Nobody breaks a rule in either; with the chair every seat has a row."""
    without, with_ = figures(ask, "sixteen-turns"), figures(ask, "sixteen-turns-chair")
    assert (16, 16, 0, 3) == (
        without["turns"],
        with_["turns"],
        without["nudges"],
        with_["nudges"],
    )
    assert (["theory", "checker"], []) == (without["never_spoke"], with_["never_spoke"])
    before, after = ask("audit", "sixteen-turns"), ask("audit", "sixteen-turns-chair")
    assert (["theory", "checker"], []) == (before["silent"], after["silent"])
    assert ({"follows": 16}, {"follows": 16, "person": 3}) == (rows_of(before), rows_of(after))


def test_the_audit_says_what_a_cadence_would_have_changed(ask: Any) -> None:
    """Of the desk without a chair: after four turns it would have spoken, to a seat unheard."""
    settings = ("--set", "policy.chair.rounds=4", "--set", "policy.chair.every=4")
    audit = ask("audit", "sixteen-turns", *settings)
    first, *_ = audit["changed"]
    assert (5, None, "theory") == (
        first["after"]["sequence"],
        first["before"]["nudged"],
        first["after"]["nudged"],
    )
    assert list(range(5, 18)) == [one["after"]["sequence"] for one in audit["changed"]]
