"""What every command that reads a file takes for one: files, pipes and stdin, and no device."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import environment

Run = Callable[..., Any]

ROOT = Path(__file__).parents[2]
SCENARIO = ROOT / "scenarios" / "field" / "question-by-dm.toml"
VECTORS = ROOT / "tests" / "vectors" / "algebra.jsonl"

#: Every command that reads a file, with ``F`` where it stands, and what kind of file it reads.
READERS = [
    ("replay F", "scenario"),
    ("run -q F", "scenario"),
    ("check F", "scenario"),
    ("explain hi --from lead --desk F", "scenario"),
    ("diff F SCENARIO", "scenario"),
    ("verify F", "journal"),
    ("show F", "journal"),
    ("show --tail 2 F", "journal"),
    ("show --as lead F", "journal"),
    ("show --follow F", "journal"),
    ("record F", "journal"),
    ("diff F SCENARIO", "journal"),
    ("conform F", "vectors"),
]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a file of each kind."""
    journal = tmp_path_factory.mktemp("run") / "run.jsonl"
    assert 0 == deskroom(["run", "-q", str(SCENARIO), "--journal", str(journal)]).returncode
    return {"scenario": SCENARIO, "journal": journal, "vectors": VECTORS}


def deskroom(
    arguments: Sequence[str], stdin: bytes | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run the command as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "deskroom", *arguments],
        input=stdin,
        capture_output=True,
        env=environment(),
        timeout=30,
        check=False,
    )


def words(command: str, file: str) -> list[str]:
    """Return the words of a command that reads this file."""
    return [{"F": file, "SCENARIO": str(SCENARIO)}.get(word, word) for word in command.split()]


@pytest.mark.parametrize("command, kind", READERS)
def test_a_pipe_and_stdin_are_read_as_the_file_is(
    run: Run, command: str, kind: str, files: dict[str, Path]
) -> None:
    """So ``verify <(zcat j.gz)`` works, and so does ``record j | deskroom replay -``."""
    file = str(files[kind])
    read = run(*words(command, file))
    assert 0 == read.code
    pipe, end = os.pipe()
    with subprocess.Popen(["cat", file], stdout=end):
        os.close(end)
        piped = run(*words(command, f"/dev/fd/{pipe}"))
        os.close(pipe)
    assert (0, read.out) == (piped.code, piped.out.replace(f"/dev/fd/{pipe}", file))
    assert 0 == deskroom(words(command, "-"), files[kind].read_bytes()).returncode


@pytest.mark.parametrize("command, kind", READERS)
def test_a_device_is_refused(run: Run, command: str, kind: str) -> None:
    """It has no end: reading all of it fills the memory."""
    ended = run(*words(command, "/dev/zero"))
    assert (2, True) == (ended.code, "/dev/zero: this is a device" in ended.out + ended.err)


@pytest.mark.parametrize(
    "command",
    ["check F", "verify F", "show --tail 2 F", "record F", "diff F SCENARIO", "conform F"],
)
def test_what_never_ends_is_read_only_so_far(command: str) -> None:
    """Stdin may be a device, or a program that writes for ever."""
    with open("/dev/zero", "rb") as zero:  # noqa: PTH123 - a device
        done = subprocess.run(
            [sys.executable, "-m", "deskroom", *words(command, "-")],
            stdin=zero,
            capture_output=True,
            env=environment(),
            timeout=60,
            check=False,
        )
    assert done.returncode in {1, 2}
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["check F", "verify F", "diff F SCENARIO"])
def test_a_named_pipe_that_nobody_writes_to_is_not_waited_for(command: str, tmp_path: Path) -> None:
    """Not for ever: somebody may be about to open it."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    done = deskroom(words(command, str(path)))
    assert 2 == done.returncode
    assert b"nobody has written to this pipe" in done.stdout + done.stderr


def test_a_folder_is_searched_for_files_only(tmp_path: Path) -> None:
    """A pipe or a socket with the name of a scenario is none."""
    (tmp_path / "x.toml").write_bytes(SCENARIO.read_bytes())
    os.mkfifo(tmp_path / "y.toml")
    done = deskroom(["check", str(tmp_path)])
    assert (0, b"1 scenario: 0 errors, 0 warnings\n") == (done.returncode, done.stdout)


def test_several_journals_are_verified_at_once(tmp_path: Path, files: dict[str, Path]) -> None:
    """Each has a line, and the worst decides the exit code."""
    whole = files["journal"]
    torn = tmp_path / "torn.jsonl"
    torn.write_bytes(whole.read_bytes()[:-3])
    done = deskroom(["verify", str(whole), str(torn)])
    assert (1, 1, 1) == (done.returncode, done.stdout.count(b"\n"), done.stderr.count(b"\n"))
    done = deskroom(["verify", str(torn), str(whole), str(tmp_path / "none")])
    assert (2, 1, 2) == (done.returncode, done.stdout.count(b"\n"), done.stderr.count(b"\n"))


def test_stdin_is_no_file_to_update() -> None:
    """What came out could be written nowhere."""
    done = deskroom(["replay", "--update", "-"], SCENARIO.read_bytes())
    assert (2, b"") == (done.returncode, done.stdout)


def test_stdin_can_be_played_beside_files_in_processes(files: dict[str, Path]) -> None:
    """A process of a pool has no stdin, so none is used."""
    done = deskroom(["replay", "-q", "-j", "2", "-", str(SCENARIO)], SCENARIO.read_bytes())
    assert (0, b"2 scenarios: 2 passed; 10 turns, 12 rows\n") == (done.returncode, done.stdout)


def test_a_new_scenario_leaves_nothing_on_a_full_disk(tmp_path: Path) -> None:
    """Neither an empty file nor half of one."""
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", tmp_path],
        capture_output=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip("this user may not mount a disk")
    try:
        (tmp_path / "filler").write_bytes(b"x" * 4096)
        for arguments in (["new"], ["new", "--force"]):
            done = deskroom([*arguments, str(tmp_path / "x.toml")])
            assert (2, b"") == (done.returncode, done.stdout)
            assert ["filler"] == [file.name for file in tmp_path.iterdir()]
    finally:
        subprocess.run(["umount", tmp_path], check=True)
