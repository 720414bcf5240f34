from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

SCENARIOS = Path(__file__).parents[2] / "scenarios"
RUN = SCENARIOS / "run-28-routed.toml"


@pytest.fixture
def journal(run: Run, tmp_path: Path) -> Path:
    """Return the journal of that run."""
    path = tmp_path / "run.jsonl"
    run("run", "-q", RUN, "--journal", path)
    return path


def test_a_journal_a_scenario_and_a_transcript_of_one_run_are_the_same(
    run: Run, journal: Path, tmp_path: Path
) -> None:
    """Whatever a run is kept in; each may stand on either side."""
    transcript = tmp_path / "run.json"
    transcript.write_text(run("replay", "--json", RUN).out)
    for a, b in ((journal, RUN), (transcript, journal), (RUN, transcript)):
        ended = run("diff", a, b)
        assert (0, "rows: 8 the same\nthe same\n", "") == (ended.code, ended.out, ended.err)


def test_runs_that_differ_exit_with_1(run: Run, journal: Path) -> None:
    """The first difference is shown, or all of them."""
    other = SCENARIOS / "run-28.toml"
    ended = run("diff", journal, other)
    assert 1 == ended.code
    assert ended.out.startswith(f"{journal}:2: A: row 1: steven → desk: PE 1006 is yours.")
    assert ended.out.endswith("rows: 6 the same, 2 only in A\n")
    assert 2 == run("diff", journal, other, "--all").out.count("no such row")


def test_json_is_all_that_stdout_holds(run: Run, journal: Path, tmp_path: Path) -> None:
    """A journal that is cut short is told of on stderr."""
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(journal.read_bytes()[:-9])
    ended = run("diff", "--json", cut, RUN)
    document = json.loads(ended.out)
    assert (1, 1, False, {"closed": {"a": None, "b": "completed"}}) == (
        ended.code,
        document["format"],
        document["same"],
        document["run"],
    )
    assert "cut.jsonl" in document["a"]["path"]
    assert not document["a"]["path"].startswith("/")
    assert ended.err.endswith("warning: the last line is cut short; it is left out\n")


def test_what_a_seat_may_not_read_is_not_compared(run: Run, tmp_path: Path) -> None:
    """Its own view is; a seat that is at neither desk is an error."""
    text = RUN.read_text().replace("I measure depth", "I think depth")
    (tmp_path / "x.toml").write_text(text)
    assert [1, 0, 1] == [
        run("diff", RUN, tmp_path / "x.toml", *narrow).code
        for narrow in ((), ("--as", "lead"), ("--as", "solver"))
    ]
    ended = run("diff", RUN, tmp_path / "x.toml", "--as", "laed")
    assert (2, f"{RUN}: this desk has no seat 'laed'; did you mean 'lead'?\n") == (
        ended.code,
        ended.err,
    )


def test_a_file_that_holds_no_run_exits_with_2(run: Run, journal: Path, tmp_path: Path) -> None:
    """Whichever of the two it is."""
    (tmp_path / "x").write_text("hm")
    for a, b in ((journal, tmp_path / "x"), (tmp_path / "none", journal)):
        ended = run("diff", a, b)
        assert (2, "", 1) == (ended.code, ended.out, ended.err.count("\n"))
    assert 2 == run("diff", journal).code
