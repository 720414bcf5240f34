from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import deskroom

Run = Callable[..., Any]
Start = Callable[..., subprocess.Popen[bytes]]

SCENARIOS = Path(__file__).parents[2] / "scenarios"
PIPE = subprocess.PIPE

LONG = """\
format = 1
desk = { id = "d", name = "D", seats = [{ id = "a" }, { id = "b" }] }
[policy]
max_turns = 1000000
[[turn]]
seat = "a"
say = "@b go on"
repeat = 50000
"""


@pytest.mark.parametrize("argument", ["--version", "--help", "-h"])
def test_a_command_that_only_tells_ends_well(run: Run, argument: str) -> None:
    """Asking for help or for the version is no error, and nothing goes to stderr."""
    ended = run(argument)
    assert (0, "") == (ended.code, ended.err)


def test_the_version_is_the_packages(process: Run) -> None:
    """``python -m deskroom`` is the command, under its own name."""
    ended = process("--version")
    assert (0, f"deskroom, version {deskroom.__version__}\n") == (ended.code, ended.out)


def test_help_teaches_the_exit_codes(run: Run) -> None:
    """The command as a whole names all of them, and how to begin."""
    told = " ".join(run("--help").out.split())
    assert (
        "Exit codes: 0 all as expected 1 something came out otherwise "
        "2 a file or the command itself is wrong 130 interrupted" in told
    )
    assert "Begin with: deskroom new first.toml" in told


@pytest.mark.parametrize(
    "command, codes",
    [
        ("replay", "0 all as expected, 1 a mismatch, 2 a file that is wrong (2 outranks 1)."),
        ("conform", "0 all match, 1 a mismatch, 2 a file that is no file of vectors."),
    ],
)
def test_help_of_a_command_teaches_its_exit_codes(run: Run, command: str, codes: str) -> None:
    """Who writes a script around it need not guess."""
    ended = run(command, "--help")
    assert 0 == ended.code
    assert f"Exit codes: {codes}" in " ".join(ended.out.split())


def test_help_of_tools_says_what_is_printed(run: Run) -> None:
    """Every form is listed."""
    told = " ".join(run("tools", "--help").out.split())
    assert "Print the tools that a seat is served" in told
    assert "[table|json-schema|mcp|openai|anthropic]" in told


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["rplay"],
        ["replay"],
        ["replay", "--as"],
        ["replay", "--backend", "curio", "x"],
        ["replay", "--log-level", "loud", "x"],
        ["--log-format", "xml", "tools"],
        ["conform"],
        ["tools", "--format", "yaml"],
        ["tools", "extra"],
    ],
)
def test_a_command_that_is_wrong_ends_with_2(run: Run, arguments: list[str]) -> None:
    """What would be right goes to stderr, and nothing to stdout."""
    ended = run(*arguments)
    assert (2, "") == (ended.code, ended.out)
    assert ended.err.startswith(("Usage: deskroom", "Error: "))


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_an_interrupt_ends_a_long_run_with_130(
    tmp_path: Path, started: Start, backend: str
) -> None:
    """Ctrl-C in the middle of many turns ends at once, with one word and no traceback."""
    file = tmp_path / "long.toml"
    file.write_text(LONG)
    command = started(
        "replay", "--log-level", "info", "--backend", backend, str(file), stdout=PIPE, stderr=PIPE
    )
    assert command.stderr is not None
    assert b"room.opened" in command.stderr.readline()
    command.send_signal(signal.SIGINT)
    out, err = command.communicate(timeout=30)
    assert (130, b"") == (command.returncode, out)
    assert b"interrupted" == err.splitlines()[-1]
    assert b"Traceback" not in err


@pytest.mark.parametrize(
    "arguments", [["replay", str(SCENARIOS)], ["replay", "--json", str(SCENARIOS)], ["tools"]]
)
def test_a_reader_that_leaves_early_gets_no_traceback(started: Start, arguments: list[str]) -> None:
    """As with ``| head -1``: what was asked for is there, and stderr is empty."""
    command = started("--log-level", "error", *arguments, stdout=PIPE, stderr=PIPE)
    assert command.stdout is not None
    assert command.stderr is not None
    assert command.stdout.readline().strip()
    command.stdout.close()
    assert b"" == command.stderr.read()
    assert command.wait(timeout=30) in {0, 141}


def test_an_installed_command_runs_the_same_function() -> None:
    """The entry point that the package declares is the one that ``python -m`` calls."""
    pyproject = (SCENARIOS.parent / "pyproject.toml").read_text()
    assert 'deskroom = "deskroom.__main__:main"' in pyproject


IMPORTING = """\
import os, runpy, signal, sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == "deskroom.cli.main":
            os.kill(os.getpid(), signal.SIGINT)

# A shell that runs the tests in the background lets them ignore an interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Interrupt())
sys.argv = ["deskroom", "--version"]
runpy.run_module("deskroom", run_name="__main__")
"""


def test_an_interrupt_while_the_command_is_imported_ends_it_like_any_other() -> None:
    """There is one word and the code of an interrupt, and no traceback."""
    ended = subprocess.run(
        [sys.executable, "-c", IMPORTING], capture_output=True, text=True, check=False
    )
    assert (130, "", "interrupted\n") == (ended.returncode, ended.stdout, ended.stderr)
