from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from tests.cli.conftest import environment

from deskroom.sweep import ResultsFile

Run = Callable[..., Any]

ROUTED = """\
format = 1
title = "A hand-over that wakes nobody"
order = "routed"
desk = { id = "d", name = "D", people = [{ id = "sam", label = "Sam" }], seats = [{ id = "writer" }, { id = "checker" }] }
opening = { by = "sam", message = "@writer begin" }
[[property]]
name = "the checker is heard"
eventually = { seat = "checker" }
[[turn]]
seat = "writer"
say = "the draft is ready"
[[turn]]
seat = "checker"
calls = [{ tool = "desk_complete_episode", message = "The draft is good." }]
"""
EXPLORED = """\
format = 1
title = "Whatever a desk says"
order = "routed"
desk = { id = "d", name = "D", people = [{ id = "sam", label = "Sam" }], seats = [{ id = "lead" }, { id = "writer" }] }
opening = { by = "sam", message = "@lead begin" }
policy = { chair = { rounds = 2 } }
[explore]
talk = true
turns = 20
seed = 7
[[turn]]
seat = "lead"
"""
ROUNDS = ("--set", "policy.chair.rounds=0..2")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, in which both files are."""
    (tmp_path / "routed.toml").write_text(ROUTED, encoding="utf-8")
    (tmp_path / "explored.toml").write_text(EXPLORED, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def results(name: str = "x.jsonl") -> list[dict[str, Any]]:
    """Return the lines of a results file."""
    return [json.loads(line) for line in Path(name).read_text(encoding="utf-8").splitlines()]


def test_every_policy_of_a_file_is_a_line(run: Run) -> None:
    """A property that does not hold is a result, and no failure of the sweep."""
    ended = run("sweep", "routed.toml", *ROUNDS, "-o", "x.jsonl", "-j", "1")
    told = "x.jsonl: 3 runs of 1 file under 3 policies\n"
    assert (0, told, "") == (ended.code, ended.out, ended.err)
    assert [
        (0, "quiet", {"the checker is heard": False}),
        (1, "completed", {"the checker is heard": True}),
        (2, "completed", {"the checker is heard": True}),
    ] == [
        (line["settings"]["policy.chair.rounds"], line["figures"]["closed"], line["properties"])
        for line in results()
    ]


def test_a_line_has_the_figures_of_stats_and_the_digest_of_the_journal(run: Run) -> None:
    """Both can be had again with the settings of the line."""
    run("sweep", "routed.toml", *ROUNDS, "-o", "x.jsonl", "-j", "1")
    run("replay", "routed.toml", "--set", "policy.chair.rounds=1", "--journal", "j.jsonl")
    done = subprocess.run(["sha256sum", "j.jsonl"], capture_output=True, text=True, check=True)
    assert results()[1]["digest"] == done.stdout.split()[0]
    (figures,) = json.loads(run("stats", "--json", "j.jsonl").out)["runs"]
    assert results()[1]["figures"] == {
        key: value for key, value in figures.items() if key not in {"path", "kind", "damaged_line"}
    }


def test_a_file_with_explore_is_played_with_seeds(run: Run) -> None:
    """With its own seed where none is given; a folder stands for its files."""
    assert 0 == run("sweep", ".", "-o", "x.jsonl", "-q").code
    made_of = [(line["file"], line["seed"]) for line in results()]
    assert [("explored.toml", 7), ("routed.toml", None)] == made_of
    assert 0 == run("sweep", "explored.toml", "--seeds", "5..6", "-o", "y.jsonl", "-q").code
    assert [5, 6] == [line["seed"] for line in results("y.jsonl")]
    digests = [line["digest"] for line in results("y.jsonl")]
    assert 2 == len(set(digests))


def test_a_desk_without_turns_can_be_swept_if_it_is_explored(run: Run) -> None:
    """What its seats say is drawn."""
    desk = ROUTED.partition("opening")[0].replace('order = "routed"\n', "")
    Path("desk.toml").write_text(f"{desk}[explore]\ntalk = true\n", encoding="utf-8")
    assert 0 == run("sweep", "desk.toml", *ROUNDS, "--seeds", "2", "-o", "x.jsonl", "-q").code
    assert 6 == len(results())
    Path("desk.toml").write_text(desk, encoding="utf-8")
    ended = run("sweep", "desk.toml", "-o", "y.jsonl")
    problem = "desk.toml:1:1: turn: missing, expected at least one [[turn]]\n"
    assert (2, "", problem) == (ended.code, ended.out, ended.err)


@pytest.mark.slow
def test_a_file_may_come_through_a_pipe() -> None:
    """It is read once, and its text goes to whoever plays it."""
    code = f"cat routed.toml | {sys.executable} -m deskroom sweep - --set policy.chair.rounds=0..2 -o x.jsonl -j 2"
    done = subprocess.run(
        ["sh", "-c", code], env=environment(), capture_output=True, text=True, check=False
    )
    told = "x.jsonl: 3 runs of 1 file under 3 policies\n"
    assert (0, told, "") == (done.returncode, done.stdout, done.stderr)
    assert ["-"] * 3 == [line["file"] for line in results()]


def test_a_sweep_goes_on_where_it_stopped(run: Run) -> None:
    """What is there is not played again; a torn line is; the result is that of one go."""
    command = ("sweep", "explored.toml", *ROUNDS, "--seeds", "10", "-j", "1", "-o")
    assert 0 == run(*command, "whole.jsonl").code
    whole = Path("whole.jsonl").read_bytes()
    lines = whole.splitlines(keepends=True)
    # In the order in which they happened to end, and the last one torn.
    Path("x.jsonl").write_bytes(b"".join([lines[20], *lines[3:9], lines[29][:80]]))
    ended = run(*command, "x.jsonl")
    told = "x.jsonl: 30 runs of 1 file under 3 policies; 7 were there, 23 played now\n"
    torn = "x.jsonl:8: the line was cut short, and is cut off; its run is played again\n"
    assert (0, told, torn) == (ended.code, ended.out, ended.err)
    assert whole == Path("x.jsonl").read_bytes()
    ended = run(*command, "x.jsonl")
    told = "x.jsonl: 30 runs of 1 file under 3 policies; 30 were there, 0 played now\n"
    assert (0, told, "", whole) == (ended.code, ended.out, ended.err, Path("x.jsonl").read_bytes())


def test_a_grid_that_grew_plays_only_what_is_new(run: Run) -> None:
    """More seeds, more values or more files: what was played is part of it."""
    run("sweep", "explored.toml", "--set", "policy.chair.rounds=1", "--seeds", "3", "-o", "x.jsonl")
    ended = run("sweep", "explored.toml", *ROUNDS, "--seeds", "5", "-o", "x.jsonl")
    told = "x.jsonl: 15 runs of 1 file under 3 policies; 3 were there, 12 played now\n"
    assert (0, told) == (ended.code, ended.out)
    expected = [(rounds, seed) for rounds in range(3) for seed in range(5)]
    assert expected == [(*line["settings"].values(), line["seed"]) for line in results()]


def test_results_of_another_sweep_are_not_mixed_in_by_accident(run: Run) -> None:
    """With --append they are."""
    run("sweep", "routed.toml", *ROUNDS, "-o", "x.jsonl")
    before = Path("x.jsonl").read_bytes()
    other = ("sweep", "routed.toml", "--set", "policy.max_turns=5,6", "-o", "x.jsonl")
    ended = run(*other)
    problem = (
        "x.jsonl:1: a run of routed.toml with policy.chair.rounds is no part of this sweep; "
        "name another file, or keep both with --append\n"
    )
    assert (2, "", problem) == (ended.code, ended.out, ended.err)
    assert before == Path("x.jsonl").read_bytes()
    assert 0 == run(*other, "--append").code
    assert before == b"".join(Path("x.jsonl").read_bytes().splitlines(keepends=True)[:3])
    assert 5 == len(results())


def test_results_of_a_file_that_has_changed_are_told_of(run: Run) -> None:
    """Also with --append: one run has one result."""
    run("sweep", "routed.toml", *ROUNDS, "-o", "x.jsonl")
    Path("routed.toml").write_text(f"# mended\n{ROUTED}", encoding="utf-8")
    for options in ((), ("--append",)):
        ended = run("sweep", "routed.toml", *ROUNDS, "-o", "x.jsonl", *options)
        problem = (
            "x.jsonl:1: a run of routed.toml is here from before routed.toml or deskroom changed; "
            "sweep into another file\n"
        )
        assert (2, "", problem) == (ended.code, ended.out, ended.err)


def test_one_sweep_at_a_time_writes_a_file(run: Run) -> None:
    """The other one says so at once."""
    with ResultsFile.open("x.jsonl"):
        ended = run("sweep", "routed.toml", "-o", "x.jsonl")
    problem = "x.jsonl: another sweep is writing this file\n"
    assert (2, "", problem) == (ended.code, ended.out, ended.err)


SLOW_PATTERN = """\
[[property]]
name = "no such text"
never = { text = "(a|aa)+$" }
"""


def test_a_run_that_cannot_be_played_has_no_line_and_the_others_are_played(run: Run) -> None:
    """Here a pattern runs out of time, from which nothing follows. The exit code is 2."""
    long = ROUTED.replace("the draft is ready", f"{'a' * 60}!").replace(
        "[[property]]", f"{SLOW_PATTERN}[[property]]"
    )
    Path("slow.toml").write_text(long, encoding="utf-8")
    ended = run("sweep", "slow.toml", "routed.toml", *ROUNDS, "-o", "x.jsonl", "-j", "1")
    assert 2 == ended.code
    assert "x.jsonl: 6 runs of 2 files under 3 policies; 3 could not be played\n" == ended.out
    first, *_ = errors = ended.err.splitlines()
    assert 3 == len(errors)
    assert first.startswith("slow.toml:6:1: ")
    assert first.endswith("(a run of slow.toml --set policy.chair.rounds=0)")
    assert ["routed.toml"] * 3 == [line["file"] for line in results()]


def test_a_broken_invariant_of_the_host_is_1(run: Run) -> None:
    """No run breaks one; here a line says that its run did."""
    command = ("sweep", "explored.toml", *ROUNDS, "-o", "x.jsonl")
    run(*command)
    text = Path("x.jsonl").read_text(encoding="utf-8")
    Path("x.jsonl").write_text(text.replace('"invariants":[]', '"invariants":["a row once"]', 1))
    ended = run(*command)
    told = "1 run broke an invariant of the host, which no policy may\n"
    assert (1, told) == (ended.code, ended.err)
    assert "breaks an invariant of the host: rounds=0\n" in run("sweep", "--summary", "x.jsonl").out


@pytest.mark.parametrize(
    "arguments, problem",
    [
        (("routed.toml",), "say where to keep the results: -o results.jsonl"),
        (
            ("routed.toml", "-o", "-"),
            "-o needs a file: results are read again when a sweep is resumed",
        ),
        (
            ("routed.toml", "-o", "x.jsonl", "--csv", "x.csv"),
            "--csv is for a summary: give --summary and a results file",
        ),
        (
            ("--summary", "x.jsonl", "--seeds", "3"),
            "--seeds is for sweeping: leave it out, or leave out --summary",
        ),
        (
            ("routed.toml", "-o", "x.jsonl", "-j", "2", "--dask", "here:1"),
            "-j and --dask each say who plays the runs: give one of them",
        ),
        (
            ("routed.toml", "-o", "x.jsonl", "--set", "policy.chair.every=0,x"),
            (
                '--set policy.chair.every=x: found "x", expected a value in TOML; '
                "a text needs quotes: 'policy.chair.every=\"x\"'"
            ),
        ),
        (
            ("--summary", "x.jsonl", "--plot", "x.pdf"),
            "--plot writes an .svg or a .png, and the file is called 'x.pdf'",
        ),
    ],
)
def test_what_cannot_be_done_is_told_before_anything_is(
    run: Run, arguments: tuple[str, ...], problem: str
) -> None:
    """In one sentence, with the exit code 2."""
    ended = run("sweep", *arguments)
    assert (2, "", f"deskroom: {problem}\n") == (ended.code, ended.out, ended.err)
    assert not Path("x.jsonl").exists()


@pytest.mark.parametrize(
    "arguments, problem",
    [
        (
            ("routed.toml", "--seeds", "3"),
            (
                "routed.toml: --seeds is for files with an [explore] table: "
                "without one, every run of a file is the same"
            ),
        ),
        (("none.toml",), "none.toml: there is no such file"),
        (
            ("routed.toml", "-o", "routed.toml"),
            "routed.toml: this file is read by the command; name another one",
        ),
    ],
)
def test_a_file_that_cannot_be_swept_is_told_with_its_name(
    run: Run, arguments: tuple[str, ...], problem: str
) -> None:
    """Nothing is written."""
    ended = run("sweep", "-o", "x.jsonl", *arguments)
    assert (2, "", f"{problem}\n") == (ended.code, ended.out, ended.err)
    assert not Path("x.jsonl").exists()


def test_a_file_is_swept_once_however_it_is_named(run: Run, folder: Path) -> None:
    """Its results would be in the file twice."""
    ended = run("sweep", "routed.toml", folder / "routed.toml", "-o", "x.jsonl")
    assert (2, "", "deskroom: routed.toml is named twice\n") == (ended.code, ended.out, ended.err)


# --- killed and interrupted --------------------------------------------------------------------


def soon(holds: Callable[[], bool]) -> None:
    """Wait until something holds, but not for ever."""
    for _ in range(6000):
        if holds():
            return
        Event().wait(0.01)
    pytest.fail("it took more than a minute")


def whole_lines(name: str = "x.jsonl") -> int:
    """Return how many lines of a file are whole."""
    try:
        return Path(name).read_bytes().count(b"\n")
    except FileNotFoundError:
        return 0


LONG = ("sweep", "explored.toml", *ROUNDS, "--seeds", "400", "-o", "x.jsonl")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_sweep_that_is_killed_goes_on_and_plays_no_run_twice(
    run: Run, started: Callable[..., subprocess.Popen[bytes]], jobs: str
) -> None:
    """A process that is killed writes nothing more, and holds no lock."""
    command = started(*LONG, "-j", jobs)
    soon(lambda: whole_lines() >= 50)
    command.send_signal(signal.SIGKILL)
    command.wait()
    there = whole_lines()
    assert 50 <= there < 1200
    ended = run(*LONG, "-j", "1")
    told = f"x.jsonl: 1200 runs of 1 file under 3 policies; {there} were there, {1200 - there} played now\n"
    assert (0, told) == (ended.code, ended.out)
    expected = [(rounds, seed) for rounds in range(3) for seed in range(400)]
    assert expected == [(*line["settings"].values(), line["seed"]) for line in results()]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_says_how_to_go_on(
    run: Run, started: Callable[..., subprocess.Popen[bytes]], jobs: str
) -> None:
    """The command that it prints does the rest."""
    command = started(*LONG, "-j", jobs, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    soon(lambda: whole_lines() >= 20)
    command.send_signal(signal.SIGINT)
    out, err = command.communicate(timeout=60)
    there = whole_lines()
    again = (
        f"deskroom sweep --set=policy.chair.rounds=0..2 --seeds=400 --output=x.jsonl --jobs={jobs}"
        " -- explored.toml"
    )
    told = f"\n{there} of 1200 runs are in x.jsonl; to resume: {again}\ninterrupted\n"
    assert (130, b"", told) == (command.returncode, out, err.decode())
    ended = run(*again.split()[1:])
    assert (0, 1200) == (ended.code, len(results()))
    assert f"{there} were there" in ended.out


def test_a_long_sweep_shows_how_much_is_left(
    started: Callable[..., subprocess.Popen[bytes]],
) -> None:
    """On a terminal: the runs of all, and the time."""
    ours, theirs = pty.openpty()
    command = started(*LONG, "-j", "2", stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    shown = b""
    while True:
        try:
            block = os.read(ours, 4096)
        except OSError:
            break
        shown += block
    out, _ = command.communicate(timeout=60)
    os.close(ours)
    assert (0, b"x.jsonl: 1200 runs of 1 file under 3 policies\n") == (command.returncode, out)
    assert b"sweeping" in shown
    assert b"/1200" in shown
    assert b"0:00:0" in shown


# --- summing up --------------------------------------------------------------------------------


TABLE = """\
3 runs of 1 file under 3 policies
rounds ┃ runs ┃ closed         ┃ turns    ┃ spoke ┃ broken
━━━━━━━╇━━━━━━╇━━━━━━━━━━━━━━━━╇━━━━━━━━━━╇━━━━━━━╇━━━━━━━
     0 │    1 │ quiet 100%     │ 1 (1-1)  │ 50%   │ 100%
     1 │    1 │ completed 100% │ 2 (2-2)* │ 100%* │
     2 │    1 │ completed 100% │ 2 (2-2)* │ 100%* │
turns: median (least-most) until the room closed; spoke: seats with a row
closes soonest: rounds=1; rounds=2
wakes everyone in every run: rounds=1; rounds=2
breaks 'the checker is heard' (1 of 3 runs): rounds=0
"""


def test_a_summary_is_a_line_a_policy(run: Run) -> None:
    """Of a file whose lines are in any order, or whose last line is torn while it is written."""
    run("sweep", "routed.toml", *ROUNDS, "-o", "x.jsonl")
    ended = run("sweep", "--summary", "x.jsonl")
    assert (0, TABLE, "") == (ended.code, ended.out, ended.err)
    lines = Path("x.jsonl").read_bytes().splitlines(keepends=True)
    Path("x.jsonl").write_bytes(b"".join([*reversed(lines), lines[0][:40]]))
    ended = run("sweep", "--summary", "x.jsonl")
    torn = "x.jsonl:4: the line is cut short, and is left out\n"
    assert (0, TABLE, torn) == (ended.code, ended.out, ended.err)
    document = json.loads(run("sweep", "--summary", "x.jsonl", "--json").out)
    assert [False, True, True] == [one["closes_soonest"] for one in document["policies"]]


def test_several_files_are_summed_up_together(run: Run) -> None:
    """A run that is in both counts once; two results of one run are an error."""
    run("sweep", "routed.toml", *ROUNDS, "-o", "x.jsonl")
    lines = Path("x.jsonl").read_bytes().splitlines(keepends=True)
    Path("a.jsonl").write_bytes(b"".join(lines[:2]))
    Path("b.jsonl").write_bytes(b"".join(lines[1:]))
    assert TABLE == run("sweep", "--summary", "b.jsonl", "a.jsonl").out
    Path("b.jsonl").write_bytes(lines[1].replace(b'"turns":2', b'"turns":3'))
    ended = run("sweep", "--summary", "a.jsonl", "b.jsonl")
    problem = "b.jsonl:1: another file has this run with another result\n"
    assert (2, "", problem) == (ended.code, ended.out, ended.err)


def test_what_is_no_results_file_is_told(run: Run) -> None:
    """With its first line that no sweep writes."""
    ended = run("sweep", "--summary", "routed.toml")
    problem = "routed.toml:1: this is not a result of a sweep: this is no JSON\n"
    assert (2, "", problem) == (ended.code, ended.out, ended.err)


def test_results_are_written_as_csv_parquet_and_a_picture(run: Run) -> None:
    """The same bytes each time; none is overwritten unless that is asked for."""
    run("sweep", "routed.toml", *ROUNDS, "-o", "x.jsonl")
    outputs = {"--csv": "x.csv", "--parquet": "x.parquet", "--plot": "x.svg"}
    options = [part for pair in outputs.items() for part in pair]
    ended = run("sweep", "--summary", "x.jsonl", *options)
    assert (0, TABLE, "") == (ended.code, ended.out, ended.err)
    made = {name: Path(name).read_bytes() for name in outputs.values()}
    for option, name in outputs.items():
        ended = run("sweep", "--summary", "x.jsonl", option, name)
        problem = f"{name}: there is such a file already; --force overwrites it\n"
        assert (2, "", problem) == (ended.code, ended.out, ended.err)
    assert 0 == run("sweep", "--summary", "x.jsonl", *options, "--force").code
    assert made == {name: Path(name).read_bytes() for name in outputs.values()}
    ended = run("sweep", "--summary", "x.jsonl", "--csv", "-")
    assert (0, made["x.csv"].decode()) == (ended.code, ended.out)
    assert "rounds=1" in made["x.svg"].decode()


def test_parquet_has_the_rows_and_columns_of_the_csv(run: Run) -> None:
    """Each column of its own type."""
    parquet = pytest.importorskip("pyarrow.parquet")
    run("sweep", "routed.toml", *ROUNDS, "--set", 'policy.close="first","all"', "-o", "x.jsonl")
    run("sweep", "--summary", "x.jsonl", "--csv", "x.csv", "--parquet", "x.parquet")
    table = parquet.read_table("x.parquet")
    heading = Path("x.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
    assert (heading, 6) == (table.column_names, table.num_rows)
    types = {name: str(table.schema.field(name).type) for name in heading}
    expected = {
        "file": "string",
        "seed": "int64",
        "policy.chair.rounds": "int64",
        "policy.close": "string",
        "turns": "int64",
        "share_naming_a_seat": "double",
        "property the checker is heard": "bool",
    }
    assert expected == {name: types[name] for name in expected}
    assert [0, 0, 1, 1, 2, 2] == table["policy.chair.rounds"].to_pylist()


@pytest.mark.slow
@pytest.mark.parametrize(
    "module, arguments, extra",
    [
        ("pyarrow", ("--summary", "x.jsonl", "--parquet", "x.parquet"), "parquet"),
        ("matplotlib", ("--summary", "x.jsonl", "--plot", "x.svg"), "plot"),
        ("distributed", ("routed.toml", "-o", "y.jsonl", "--dask", "127.0.0.1:1"), "dask"),
    ],
)
def test_an_extra_that_is_not_installed_is_one_sentence(
    run: Run, module: str, arguments: tuple[str, ...], extra: str
) -> None:
    """The base install sweeps and sums up without it."""
    run("sweep", "routed.toml", *ROUNDS, "-o", "x.jsonl")
    code = f"import sys; sys.modules[{module!r}] = None; from deskroom.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "sweep", *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    told = f"deskroom: {module} is not installed; get it with: pip install 'deskroom[{extra}]'\n"
    assert (2, "", told) == (done.returncode, done.stdout, done.stderr)
