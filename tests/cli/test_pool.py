from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from deskroom.cli.replay import jobs_for

Run = Callable[..., Any]

SCENARIOS = Path(__file__).parents[2] / "scenarios"


SCRIPT = """\
import os
import sys

from deskroom.cli.pool import in_processes
from deskroom.errors import DeskroomError


def play(name):
    if name == "dies":
        os._exit(3)
    if name == "fails":
        raise DeskroomError("the router failed")
    return name


try:
    for name in in_processes(play, iter(sys.argv[1:]), jobs=3, set_up=lambda: None):
        print(name)
except DeskroomError as error:
    print(error)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "files, printed",
    [
        ("abcdefg", [*"abcdefg"]),
        ([*"abcdefg"] * 10, [*"abcdefg"] * 10),
        (["a", "fails", "c"], ["a", "the router failed"]),
        (["dies"], ["a process that played scenarios has died"]),
    ],
)
def test_files_come_back_in_order(files: Sequence[str], printed: list[str]) -> None:
    """Whichever process played them; a process that fails or dies is told of."""
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
