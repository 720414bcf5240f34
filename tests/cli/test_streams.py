from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import environment

from deskroom.cli.main import cli
from deskroom.journal import JournalFile, verify

Run = Callable[..., Any]

ROOT = Path(__file__).parents[2]
SCENARIO = str(ROOT / "scenarios" / "field" / "question-by-dm.toml")
VECTORS = str(ROOT / "tests" / "vectors" / "algebra.jsonl")
ROWS = str(ROOT / "tests" / "imports" / "samples" / "rows" / "jsonl" / "rows.jsonl")
FULL = "stdout: the output cannot be written: No space left on device\n"

#: One call of every command that prints, in its forms; ``J`` is a journal.
COMMANDS = [
    ["--help"],
    ["--version"],
    ["audit", "J"],
    ["audit", "--json", ROWS],
    ["replay", "--help"],
    ["replay", SCENARIO],
    ["replay", "-q", SCENARIO],
    ["replay", "--json", SCENARIO],
    ["replay", "-j", "2", SCENARIO, str(ROOT / "scenarios" / "legacy-close.toml")],
    ["replay", "--set", "policy.max_turns=2", "--diff", SCENARIO],
    ["run", SCENARIO],
    ["run", "--backend", "trio", SCENARIO],
    ["run", "-q", SCENARIO],
    ["check", SCENARIO],
    ["check", "--json", SCENARIO],
    ["diff", SCENARIO, "J"],
    ["explain", "hi", "--from", "lead", "--desk", SCENARIO],
    ["graph", "J"],
    ["graph", "--format", "json", "J"],
    ["import", "--list"],
    ["import", ROWS, "--from", "rows", "-o", "-"],
    ["mcp", "--help"],
    ["new"],
    ["record", "J"],
    ["report", "-o", "-", SCENARIO],
    ["watch", "J"],
    ["schema"],
    ["show", "J"],
    ["show", "--tail", "2", "J"],
    ["show", "--follow", "J"],
    ["explore", SCENARIO, "--seed", "1", "--runs", "5"],
    ["sweep", "--help"],
    ["stats", "J"],
    ["stats", "--csv", SCENARIO, "J"],
    ["tools"],
    ["tools", "--format", "mcp"],
    ["verify", "J"],
    ["verify", "--json", "J"],
    ["conform", VECTORS],
    ["conform", "--json", VECTORS],
]


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a journal of a whole run."""
    path = str(tmp_path_factory.mktemp("run") / "run.jsonl")
    assert 0 == deskroom("run", "-q", SCENARIO, "--journal", path).returncode
    return path


def deskroom(
    *arguments: str, stdout: int = subprocess.PIPE, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run the command as a process of its own, with a stdout that may be anything."""
    return subprocess.run(
        [sys.executable, "-m", "deskroom", *arguments],
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=environment(**variables),
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def test_every_command_is_tried() -> None:
    """A new one must be added above."""
    assert {words[0] for words in COMMANDS if not words[0].startswith("-")} == set(cli.commands)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_full_stdout_ends_with_one_line_and_2(arguments: list[str], journal: str) -> None:
    """There is no traceback, and the exit code does not say that all is well."""
    full = os.open("/dev/full", os.O_WRONLY)
    done = deskroom(*[journal if word == "J" else word for word in arguments], stdout=full)
    os.close(full)
    assert (2, FULL) == (done.returncode, done.stderr)


@pytest.mark.parametrize("arguments", COMMANDS[::3], ids=" ".join)
def test_a_stdout_that_nobody_reads_ends_with_141(arguments: list[str], journal: str) -> None:
    """As a process that a closed pipe kills, and as quietly."""
    reader, writer = os.pipe()
    os.close(reader)
    done = deskroom(*[journal if word == "J" else word for word in arguments], stdout=writer)
    os.close(writer)
    assert (141, "") == (done.returncode, done.stderr)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_run_whose_rows_cannot_be_shown_can_be_resumed(tmp_path: Path, backend: str) -> None:
    """Nothing false is in its journal, and the resumed one is the undisturbed one."""
    path, whole = tmp_path / "run.jsonl", tmp_path / "whole.jsonl"
    run = ("run", "--backend", backend, SCENARIO, "--journal")
    full = os.open("/dev/full", os.O_WRONLY)
    done = deskroom(*run, str(path), stdout=full)
    os.close(full)
    assert (2, FULL) == (done.returncode, done.stderr)
    assert (1, None) == (verify(path).rows, verify(path).closed)
    assert 0 == deskroom(*run, str(path), "--resume").returncode
    assert 0 == deskroom(*run, str(whole)).returncode
    assert whole.read_bytes() == path.read_bytes()


def test_a_full_stderr_changes_no_exit_code(tmp_path: Path) -> None:
    """What is said beside the output is lost, and nobody could be told so."""
    path = tmp_path / "bad.toml"
    path.write_text("format = 1\n")
    for arguments, code in (("replay", SCENARIO), 0), (("replay", str(path)), 2):
        with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device
            done = subprocess.run(
                [sys.executable, "-m", "deskroom", "--log-level", "debug", *arguments],
                stdout=subprocess.PIPE,
                stderr=full,
                env=environment(),
                check=False,
            )
        assert code == done.returncode


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-16"])
def test_what_goes_to_a_file_is_utf_8(tmp_path: Path, encoding: str) -> None:
    """A recording that was made under another locale is a scenario all the same."""
    path, journal = tmp_path / "x.toml", tmp_path / "run.jsonl"
    path.write_text(
        'format = 1\ntitle = "Ψ → 🎉"\n'
        'desk = { id = "d", name = "D", seats = [{ id = "ä" }, { id = "b" }] }\n'
        '[[turn]]\nseat = "ä"\nsay = "Ψ → 🎉"\n',
        encoding="utf-8",
    )
    assert 0 == deskroom("run", "-q", str(path), "--journal", str(journal)).returncode
    done = deskroom("record", str(journal), PYTHONIOENCODING=encoding, LC_ALL="C", PYTHONUTF8="0")
    assert "Ψ → 🎉" in done.stdout
    path.write_text(done.stdout, encoding="utf-8")
    assert 0 == deskroom("replay", "-q", str(path)).returncode


@pytest.mark.parametrize("command", sorted(cli.commands))
def test_the_help_of_a_command_holds_no_mark(run: Run, command: str) -> None:
    r"""Click takes ``\b`` out of a text only where the text is no raw string."""
    ended = run(command, "--help")
    assert (0, False) == (ended.code, "\\b" in ended.out or "\b" in ended.out)


def test_what_holds_private_rows_is_for_its_owner(tmp_path: Path, journal: str) -> None:
    """A journal, a recording and a report; a file that was there before keeps its mode."""
    before = os.umask(0)
    try:
        recording, report = tmp_path / "x.toml", tmp_path / "x.xml"
        assert 0 == deskroom("record", journal, "-o", str(recording)).returncode
        assert 0 == deskroom("replay", "-q", SCENARIO, "--junit", str(report)).returncode
        replayed = tmp_path / "replayed.jsonl"
        assert 0 == deskroom("replay", "-q", SCENARIO, "--journal", str(replayed)).returncode
        started = tmp_path / "new.toml"
        assert 0 == deskroom("new", str(started)).returncode
    finally:
        os.umask(before)
    files = (Path(journal), recording, report, replayed, started)
    assert [0o600, 0o600, 0o600, 0o600, 0o666] == [
        stat.S_IMODE(file.stat().st_mode) for file in files
    ]
    recording.chmod(0o640)
    assert 0 == deskroom("record", journal, "-o", str(recording), "--force").returncode
    assert 0o640 == stat.S_IMODE(recording.stat().st_mode)
    with JournalFile.resume(journal) as again:
        assert again.entries
