"""How the tests of the command line run it: in this process, or as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

import deskroom
from deskroom.cli.main import _run


@frozen
class Ended:
    """How a command ended: its exit code, and all that it wrote."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """Return a function that runs the command line in this process."""

    def call(*arguments: object) -> Ended:
        capsys.readouterr()
        code = _run([str(argument) for argument in arguments])
        written = capsys.readouterr()
        return Ended(code, written.out, written.err)

    return call


@pytest.fixture
def process() -> Callable[..., Ended]:
    """Return a function that runs ``python -m deskroom``; keywords are environment variables."""

    def call(*arguments: str | bytes, cwd: Path | None = None, **variables: str) -> Ended:
        done = subprocess.run(
            [sys.executable, "-m", "deskroom", *arguments],
            cwd=cwd,
            env=environment(**variables),
            capture_output=True,
            timeout=60,
            check=False,
        )
        out, err = (text.decode(errors="surrogateescape") for text in (done.stdout, done.stderr))
        return Ended(done.returncode, out, err)

    return call


@pytest.fixture
def started() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Return a function that starts ``python -m deskroom``; what still runs is ended afterwards."""
    running: list[subprocess.Popen[bytes]] = []

    def call(*arguments: str, **pipes: Any) -> subprocess.Popen[bytes]:
        # A shell that runs the tests in the background lets them ignore an interrupt.
        code = (
            "import runpy, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
            "runpy.run_module('deskroom', run_name='__main__')"
        )
        process = subprocess.Popen(
            [sys.executable, "-c", code, *arguments], env=environment(), **pipes
        )
        running.append(process)
        return process

    yield call
    for process in running:
        process.kill()
        process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def environment(**variables: str) -> dict[str, str]:
    """Return this process's environment, in which the package is found from any folder."""
    source = str(Path(deskroom.__file__).resolve().parents[1])
    return {**os.environ, "PYTHONPATH": source, **variables}
