from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from deskroom.scenario import load_scenario, replay_scenario

Run = Callable[..., Any]

ROOT: Final = Path(__file__).parents[2]

DESK: Final = """\
format = 1
order = "routed"

[desk]
id = "d"
name = "D"
people = [{ id = "sam", label = "Sam" }]
seats = [{ id = "lead" }, { id = "solver" }, { id = "checker" }]

[policy]
turn_timeout_s = 60
chair = { rounds = 2 }
aside = { enabled = true, max_members = 1, max_messages = 1 }

[opening]
by = "sam"
message = "go"

[[turn]]
seat = "lead"
say = "@solver go"

[[turn]]
seat = "solver"
say = "@checker done"

[[turn]]
seat = "checker"
say = "@lead it is right"

[[turn]]
seat = "lead"
calls = [{ tool = "desk_complete_episode", message = "it is done" }]

[[property]]
name = "the checker answers"
after = { seat = "solver", text = "done" }
then = { seat = "checker", outcome = "spoke" }
within = 1
"""


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a desk that breaks when somebody speaks in between; the command runs beside it."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "desk.toml"
    path.write_text(DESK)
    return path


def test_what_breaks_is_written_as_a_scenario_that_fails(run: Run, desk: Path) -> None:
    """By a plain replay, at the line of its property; the command says where, and ends with 1."""
    ended = run("explore", "desk.toml", "--seed", 1, "--runs", 100, "-q")
    assert 1 == ended.code
    (written,) = sorted(Path("explored").iterdir())
    replay = replay_scenario(load_scenario(str(written)))
    (mismatch,) = replay.mismatches
    assert ("property", "the checker answers") == (mismatch.key, mismatch.expected)
    assert f"  {written}:{mismatch.line}:1: property" in ended.out
    assert f"  written to {written} (made plain" in ended.out
    assert 1 == run("replay", "-q", written).code
    assert 0 == run("replay", "-q", "desk.toml").code


def test_the_same_seed_prints_and_writes_the_same_bytes(process: Run, desk: Path) -> None:
    """In another process, with another hash seed, and with any number of processes."""
    ends = []
    for jobs, hashes in (("1", "1"), ("2", "2"), ("3", "3")):
        command = ("explore", "desk.toml", "--seed", "3", "--runs", "120", "-j", jobs)
        ended = process(*command, cwd=desk.parent, PYTHONHASHSEED=hashes)
        files = {path.name: path.read_bytes() for path in (desk.parent / "explored").iterdir()}
        ends.append((ended.code, ended.out, ended.err, files))
    assert ends[0] == ends[1] == ends[2]
    assert 1 == ends[0][0]


def test_json_has_what_was_reached_and_what_never_was(run: Run, desk: Path) -> None:
    """No time, no machine: only what came of the runs."""
    ended = run("explore", "desk.toml", "--seed", 1, "--runs", 60, "--json")
    document = json.loads(ended.out)
    assert [
        "format",
        "path",
        "seed",
        "runs",
        "turns",
        "failures",
        "reached",
        "never",
        "limits_never_met",
    ] == list(document)
    assert (1, "desk.toml", 1, 60) == tuple(
        document[key] for key in ("format", "path", "seed", "runs")
    )
    assert 60 == document["reached"]["rows"]["opening"]
    assert "hop_limit_reached" in document["never"]["decisions"]
    assert "policy.aside.max_messages was never met (budget_spent)" in document["limits_never_met"]
    (failure,) = document["failures"]
    assert ("property", "the checker answers") == (failure["kind"], failure["name"])


def test_a_failure_is_remembered_and_played_first_but_never_under_a_seed(
    run: Run, desk: Path
) -> None:
    """It is forgotten once it fails no more."""
    assert 1 == run("explore", "desk.toml", "--runs", 200, "-q").code
    again = run("explore", "desk.toml", "--runs", 1, "--people", 1, "-q")
    assert "in a run that was remembered" in again.out
    assert "remembered" not in run("explore", "desk.toml", "--seed", 0, "--runs", 1, "-q").out
    # With the same parts but the property, the run holds; another file has another memory.
    desk.write_text(DESK.replace("within = 1", "within = 9"))
    assert "remembered" not in run("explore", "desk.toml", "--runs", 1, "-q").out


def test_x_stops_at_the_first_run_that_fails(run: Run, desk: Path) -> None:
    """The runs behind it are not played, with any number of processes."""
    ends = [
        json.loads(run("explore", "desk.toml", "--seed", 1, "-x", "--json", "-j", jobs).out)
        for jobs in (1, 2)
    ]
    assert ends[0] == ends[1]
    assert ends[0]["runs"] == ends[0]["failures"][0]["run"] + 1


def test_bounds_of_the_command_count_and_those_of_the_file_else(run: Run, desk: Path) -> None:
    """With nothing that varies nothing breaks."""
    none = [f"--{key}=0" for key in ("delays", "late", "kills", "people", "faults", "scores")]
    assert 0 == run("explore", "desk.toml", "--seed", 1, "--runs", 30, *none).code
    keys = ("delays", "late", "kills", "people", "faults", "scores")
    table = "\n[explore]\nruns = 30\nseed = 1\n" + "".join(f"{key} = 0\n" for key in keys)
    desk.write_text(DESK + table)
    ended = run("explore", "desk.toml", "--json")
    assert (0, 30, 1) == (ended.code, *(json.loads(ended.out)[key] for key in ("runs", "seed")))
    assert 1 == run("explore", "desk.toml", "--people", 1, "--runs", 100, "-q").code


def test_for_ends_by_the_clock(run: Run, desk: Path) -> None:
    """At least one piece of work is done, and not for ever."""
    ended = run("explore", "desk.toml", "--seed", 1, "--for", "0.01s", "--json")
    runs = json.loads(ended.out)["runs"]
    assert runs >= 25
    assert 0 == runs % 25


@pytest.mark.parametrize(
    "options, problem",
    [
        (["--for", "soon"], "deskroom: --for takes a time, such as 60s, 5m or 1h, not 'soon'"),
        (
            ["--for", "1s", "--runs", "5"],
            "deskroom: --runs and --for both say when to stop: give one of them",
        ),
        (
            ["--turns", "100000"],
            "deskroom: the file cannot be explored like this: 'turns' must be <= 10000: 100000",
        ),
    ],
)
def test_what_cannot_be_asked_is_said(
    run: Run, desk: Path, options: list[str], problem: str
) -> None:
    """In one line, with nothing played and nothing written."""
    ended = run("explore", "desk.toml", *options)
    assert (2, problem + "\n") == (ended.code, ended.err)
    assert not Path("explored").exists()


def test_a_file_that_is_wrong_is_said_with_its_line(run: Run, desk: Path) -> None:
    """Nothing is played."""
    desk.write_text(DESK.replace('seat = "solver"', 'seat = "solvr"', 1))
    ended = run("explore", "desk.toml")
    assert 2 == ended.code
    assert ended.err.startswith('desk.toml:24:8: turn[2].seat: found "solvr", expected a seat')


def test_a_pattern_that_runs_out_of_time_is_an_error(run: Run, desk: Path) -> None:
    """It is no failure of the desk, and nothing is said to hold."""
    say = "a" * 40
    desk.write_text(
        DESK.replace("@checker done", say)
        + '\n[[property]]\nname = "slow"\nnever = { text = "(a|aa)+$b" }\n'.replace(
            "$b", "(a|aa)+b"
        )
    )
    ended = run("explore", "desk.toml", "--seed", 0, "--runs", 1)
    assert 2 == ended.code
    assert 'property "slow": the pattern took longer than 1 s on row' in ended.err


def test_a_desk_file_is_explored_by_what_its_seats_might_say(run: Run, tmp_path: Path) -> None:
    """There is nothing listed that could be played."""
    path = tmp_path / "only.toml"
    path.write_text(
        'desk = { id = "d", name = "D", seats = [{ id = "a" }, { id = "b" }] }\n'
        '[[property]]\nname = "never b"\nnever = { seat = "b" }\n'
    )
    ended = run("explore", path, "--seed", 1, "--runs", 20, "-q", "-o", tmp_path / "out")
    assert 1 == ended.code
    (written,) = (tmp_path / "out").iterdir()
    assert "person" not in written.read_text()
    assert 1 == run("replay", "-q", written).code


@pytest.mark.slow
def test_an_interrupt_ends_it_and_its_processes(started: Any, desk: Path) -> None:
    """With the exit code of an interrupt, and with no traceback."""
    process = started(
        "explore",
        str(desk),
        "--for",
        "60s",
        "-j",
        "2",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        process.wait(timeout=3)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert 130 == process.returncode
    assert "Traceback" not in err.decode()


def test_without_hypothesis_a_run_is_written_as_it_was_found(desk: Path) -> None:
    """And the command says what would make it plain."""
    code = (
        "from importlib import util\n"
        "found = util.find_spec\n"
        "util.find_spec = lambda name, *a: None if name == 'hypothesis' else found(name, *a)\n"
        "from deskroom.cli.main import main\n"
        "main(['explore', 'desk.toml', '--seed', '1', '--runs', '60', '-q'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=desk.parent, capture_output=True, text=True, check=False
    )
    assert 1 == done.returncode
    assert "as it was found; pip install 'deskroom[explore]' makes such runs plain" in done.stdout
