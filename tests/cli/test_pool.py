from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from threading import Event
from typing import Any

import click
import pytest

from deskroom.cli.playing import Options, Report
from deskroom.cli.pool import Captured, Failed, Played, serve
from deskroom.cli.replay import jobs_for
from deskroom.errors import DeskroomError

Run = Callable[..., Any]

SCENARIOS = Path(__file__).parents[2] / "scenarios"


def player(files: Sequence[str], options: Options, take: Callable[[Report], None]) -> None:
    """Print each file's name to both streams."""
    for path in files:
        click.echo(f"{path} {os.environ.get('COLUMNS')} {sys.stdout.isatty()}")
        click.echo(f"{path}!", err=True)
        take(Report(path=path, status="passed", document={}))


def failing(files: Sequence[str], options: Options, take: Callable[[Report], None]) -> None:
    """Play the first file only, and then fail."""
    player(files[:1], options, take)
    raise DeskroomError("the router failed")


class Pipe:
    """Keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def send(self, value: Any) -> None:
        """Keep a value."""
        self.sent.append(value)


def test_what_was_printed_is_sent_with_each_report() -> None:
    """Each has its own, and nothing of the one before."""
    out, err = Captured("ascii", is_terminal=True), Captured("utf-8", is_terminal=False)
    pipe = Pipe()
    with redirect_stdout(out), redirect_stderr(err):
        serve(pipe, player, ["x", "y"], Options(), out, err)
    assert [("x", "x!\n"), ("y", "y!\n")] == [(one.out.split()[0], one.err) for one in pipe.sent]
    assert ["x", "y"] == [one.report.path for one in pipe.sent]
    assert ("ascii", True, "") == (out.encoding, out.isatty(), out.taken())


def test_a_failure_is_sent_after_what_went_well() -> None:
    """Its sentence is."""
    pipe = Pipe()
    captured = Captured("utf-8", is_terminal=False)
    serve(pipe, failing, ["x", "y"], Options(), captured, captured)
    assert (Played, Failed("the router failed")) == (type(pipe.sent[0]), pipe.sent[1])


SCRIPT = """\
import os
import sys

import click

from deskroom.cli.playing import Options, Report
from deskroom.cli.pool import in_processes
from deskroom.errors import DeskroomError


def player(files, options, take):
    for path in files:
        if path == "dies":
            os._exit(3)
        if path == "fails":
            raise DeskroomError("the router failed")
        click.echo(f"{path} {os.environ['COLUMNS']} {sys.stdout.isatty()}")
        take(Report(path=path, status="passed", document={}))


try:
    for one in in_processes(
        player, sys.argv[1:], Options(), jobs=3, width=40, set_up=lambda: click.echo("lost", err=True)
    ):
        print(one.out, end="")
except DeskroomError as error:
    print(error)
"""


@pytest.mark.parametrize(
    "files, printed",
    [
        ("abcdefg", [f"{file} 40 False" for file in "abcdefg"]),
        (["a", "fails", "c"], ["a 40 False", "the router failed"]),
        (
            ["a", "b", "dies"],
            ["a 40 False", "b 40 False", "the process that was to play dies has died"],
        ),
    ],
)
def test_files_come_back_in_order(files: Sequence[str], printed: list[str]) -> None:
    """Whichever process played them; a process that fails or dies is told of in its place."""
    command = [sys.executable, "-c", SCRIPT, *files]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert printed == done.stdout.splitlines()


@pytest.mark.parametrize("options", [[], ["-q", "--json"], ["--as", "solver", "-v"]])
def test_several_processes_print_what_one_does(
    process: Run, tmp_path: Path, options: list[str]
) -> None:
    """The same bytes on both streams, logs and errors included."""
    for name in ("run-28", "masked-mention", "unknown-recipient", "run-28-routed"):
        shutil.copy(SCENARIOS / f"{name}.toml", tmp_path)
    shutil.copy(SCENARIOS / "field" / "seat-that-never-answers.toml", tmp_path)
    (tmp_path / "wrong.toml").write_text("format = 2\n")
    text = (tmp_path / "run-28.toml").read_text().replace('next = "solver"', 'next = "lead"')
    (tmp_path / "run-28.toml").write_text(text)
    ends = [
        process("replay", *options, "-j", jobs, "none.toml", ".", cwd=tmp_path, COLUMNS="90")
        for jobs in ("1", "3")
    ]
    assert ends[0] == ends[1]
    is_logged = "turn.timed_out" in ends[0].err
    assert (2, "-q" not in options) == (ends[0].code, is_logged)


def test_an_update_is_made_by_whichever_process_plays_the_file(
    process: Run, tmp_path: Path
) -> None:
    """JUnit and the summary hold all of them."""
    text = (
        'format = 1\ndesk = { id = "d", name = "D", seats = [{ id = "a" }] }\n'
        '[[turn]]\nseat = "a"\nsay = "hm"\nexpect = { next = "a" }\n'
    )
    for number in range(5):
        (tmp_path / f"{number}.toml").write_text(text)
    ended = process("replay", "-q", "-j", "2", "--update", ".", cwd=tmp_path)
    assert (0, 6) == (ended.code, len(ended.out.splitlines()))
    assert ended.out.endswith("5 scenarios: 5 passed; 5 turns, 5 rows; 5 expectations updated\n")
    assert ["0.toml", "1.toml"] == [line.split(":")[0] for line in ended.out.splitlines()[:2]]


def test_processes_end_with_the_command(started: Callable[..., Any], tmp_path: Path) -> None:
    """Also with one that is killed: nobody reads what they would send."""
    head = 'format = 1\ndesk = { id = "d", name = "D", seats = [{ id = "a" }] }\n[policy]\n'
    turn = '[[turn]]\nseat = "a"\nsay = "hm"\n'
    (tmp_path / "a.toml").write_text(f"{head}{turn}")
    for name in "bcd":
        (tmp_path / f"{name}.toml").write_text(f"{head}max_turns = 1000000\n{turn}repeat = 4000\n")
    command = started("replay", "-q", "-j", "2", str(tmp_path), stdout=subprocess.PIPE)
    children = Path(f"/proc/{command.pid}/task/{command.pid}/children")
    if not children.parent.exists():
        pytest.skip("only Linux tells the children of a process")
    soon(lambda: len(children.read_text().split()) == 2)
    ids = children.read_text().split()
    command.send_signal(signal.SIGKILL)
    command.wait()
    soon(lambda: not any(runs(id_) for id_ in ids))


def soon(holds: Callable[[], bool]) -> None:
    """Wait until something holds, but not for ever."""
    for _ in range(6000):
        if holds():
            return
        Event().wait(0.01)
    pytest.fail("it took more than a minute")


def runs(id_: str) -> bool:
    """Whether a process has not ended."""
    try:
        return "Z (zombie)" not in Path(f"/proc/{id_}/status").read_text()
    except OSError:
        return False


def test_many_files_get_a_process_for_each_core() -> None:
    """Unless a number is asked for; no process goes without a file."""
    cores = len(os.sched_getaffinity(0))
    assert [1, 1, min(cores, 100), 3, 2, 0] == [
        jobs_for(asked, files)
        for asked, files in ((None, 1), (None, 99), (None, 100), (3, 9), (9, 2), (None, 0))
    ]
