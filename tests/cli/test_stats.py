from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
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


def figures(ended: Any) -> list[dict[str, Any]]:
    """Return the figures that a command printed as JSON, without where they are from."""
    document = json.loads(ended.out)
    assert 1 == document["format"]
    return [
        {key: value for key, value in one.items() if key not in {"path", "kind"}}
        for one in document["runs"]
    ]


def test_a_journal_and_a_scenario_of_one_run_have_the_same_figures(run: Run, journal: Path) -> None:
    """Also as one seat may know it."""
    for narrow in ((), ("--as", "lead")):
        ended = run("stats", "--json", RUN, journal, *narrow)
        one, other = figures(ended)
        assert (0, "", one) == (ended.code, ended.err, other)
        assert (8, 6, 1, 5) == tuple(one[k] for k in ("rows", "turns", "nudges", "longest_chain"))


def test_a_folder_is_a_line_a_run(run: Run) -> None:
    """In CSV as in the table; paths are relative, and stable in their order."""
    ended = run("stats", "--csv", SCENARIOS)
    lines = list(csv.DictReader(io.StringIO(ended.out)))
    assert (0, "") == (ended.code, ended.err)
    assert len(list(SCENARIOS.rglob("*.toml"))) == len(lines)
    assert sorted(line["run"] for line in lines) == [line["run"] for line in lines]
    assert len(lines) + 1 == run("stats", SCENARIOS).out.count("\n")


def test_a_damaged_journal_is_counted_up_to_the_bad_line(run: Run, journal: Path) -> None:
    """It is reported as ``verify`` does, and the exit code is 1."""
    lines = journal.read_bytes().splitlines(keepends=True)
    for damage in (lines[8][:-9], lines[8].replace(b'"', b"'"), b"hm\n"):
        journal.write_bytes(b"".join(lines[:8]) + damage)
        ended = run("stats", "--json", journal)
        assert 1 == ended.code
        assert ended.err.startswith(f"{journal}:9: ")
        assert 1 == ended.err.count("\n")
        (one,) = figures(ended)
        assert (9, None) == (one["damaged_line"], one["closed"])
        assert 0 < one["rows"] < 8


def test_a_file_that_is_no_run_is_one_sentence_and_2(run: Run, tmp_path: Path) -> None:
    """The others are counted all the same; 2 outranks 1."""
    wrong = tmp_path / "x.txt"
    wrong.write_bytes(b"\xff\xfe")
    for path in (wrong, tmp_path / "none", tmp_path):
        ended = run("stats", "--json", path, RUN)
        assert (2, 1, 1) == (ended.code, ended.err.count("\n"), len(figures(ended)))
        assert ended.err.startswith(f"{path}: ")
    ended = run("stats", RUN, "--as", "laed")
    assert (2, 1) == (ended.code, ended.err.count("\n"))
    assert "did you mean 'lead'?" in ended.err


def test_an_output_is_not_written_over(run: Run, tmp_path: Path) -> None:
    """Unless that is asked for; the run itself never is."""
    output, picture = tmp_path / "x.csv", tmp_path / "x.svg"
    for path, option in ((output, "-o"), (picture, "--plot")):
        assert 0 == run("stats", RUN, "--csv", option, path).code
        made = path.read_bytes()
        path.write_bytes(b"mine")
        ended = run("stats", RUN, "--csv", option, path)
        assert (2, "", b"mine") == (ended.code, ended.out, path.read_bytes())
        assert 0 == run("stats", RUN, "--csv", option, path, "--force").code
        assert made == path.read_bytes()
    assert run("stats", RUN, "--csv").out.encode() == output.read_bytes()
    mine = tmp_path / "mine.toml"
    mine.write_bytes(RUN.read_bytes())
    assert 2 == run("stats", mine, "-o", mine, "--force").code
    assert RUN.read_bytes() == mine.read_bytes()
    assert run("stats", RUN).out == run("stats", RUN, "-o", "-").out


@pytest.mark.parametrize("arguments", [("--json", "--csv"), ("--plot", "x.pdf"), ()])
def test_what_cannot_be_done_is_told_first(run: Run, arguments: tuple[str, ...]) -> None:
    """Nothing is counted or written."""
    runs = (RUN,) if arguments else (RUN, RUN.with_name("run-28.toml"), "--plot", "x.svg")
    ended = run("stats", *runs, *arguments)
    assert (2, "", 1) == (ended.code, ended.out, ended.err.count("\n"))
    assert not Path("x.svg").exists()


@pytest.mark.slow
def test_without_matplotlib_only_plots_are_missing(tmp_path: Path) -> None:
    """One sentence says how to get it; the base install counts without it."""
    code = (
        "import sys; sys.modules['matplotlib'] = None; from deskroom.cli.main import main; main()"
    )
    command = [sys.executable, "-c", code, "stats", str(RUN)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert (0, b"") == (done.returncode, done.stderr)
    picture = tmp_path / "x.svg"
    done = subprocess.run(
        [*command, "--plot", str(picture)], env=environment, capture_output=True, check=False
    )
    assert (2, b"", False) == (done.returncode, done.stdout, picture.exists())
    assert 1 == done.stderr.count(b"\n")
