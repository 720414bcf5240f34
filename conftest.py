"""Run the README as tests: its Python, its scenario, and the output it shows."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

from sybil import Example, Sybil
from sybil.evaluators.python import PythonEvaluator
from sybil.parsers.markdown import CodeBlockParser

from deskroom.scenario import parse_scenario, replay_scenario

_REPLAYED = "scenarios/run-28.toml"
_PYTHON = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


class _PythonBlocks(CodeBlockParser):
    """Runs a block."""

    language = "python"

    def evaluate(self, example: Example) -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            PythonEvaluator()(example)


class _TextBlocks(CodeBlockParser):
    """Holds a text block against what the Python before it prints, or the replay if there is none.

    It runs that Python again: the examples of a page may be shared out to several processes.
    """

    language = "text"

    def evaluate(self, example: Example) -> str | None:
        shown = [line.rstrip() for line in example.parsed.strip().splitlines()]
        python = _PYTHON.findall(example.document.text[: example.start])
        if python:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(python[-1], {})  # noqa: S102 - the page's own example
            got = [line.rstrip() for line in printed.getvalue().strip().splitlines()]
            return None if got == shown else f"the block before it prints:\n{printed.getvalue()}"
        got = [line.rstrip() for line in _replay().splitlines()]
        missing = [line for line in shown if line not in got]
        return f"the replay prints no such lines: {missing}" if missing else None


class _TomlBlocks(CodeBlockParser):
    """Plays a scenario: it must come out as it says."""

    language = "toml"

    def evaluate(self, example: Example) -> str | None:
        mismatches = replay_scenario(parse_scenario(example.parsed)).mismatches
        return str(mismatches) if mismatches else None


def _replay() -> str:
    command = [sys.executable, "-m", "deskroom", "replay", _REPLAYED]
    environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}
    done = subprocess.run(  # noqa: S603 - our own command
        command,
        cwd=Path(__file__).parent,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    )
    return done.stdout


pytest_collect_file = Sybil(
    parsers=[_PythonBlocks(), _TextBlocks(), _TomlBlocks()], patterns=["README.md"]
).pytest()
