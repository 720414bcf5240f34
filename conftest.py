"""Run the README as tests: its Python, its scenario, and the output it shows."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path

from sybil import Example, Sybil
from sybil.evaluators.python import PythonEvaluator
from sybil.parsers.markdown import CodeBlockParser

from deskroom.scenario import parse_scenario, replay_scenario

_REPLAYED = "scenarios/run-28.toml"


class _PythonBlocks(CodeBlockParser):
    """Runs a block and keeps what it printed for the text block that follows."""

    language = "python"

    def evaluate(self, example: Example) -> None:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            PythonEvaluator()(example)
        example.namespace["printed"] = printed.getvalue()


class _TextBlocks(CodeBlockParser):
    """Holds a text block against what was printed, or against the replay that comes first."""

    language = "text"

    def evaluate(self, example: Example) -> str | None:
        shown = [line.rstrip() for line in example.parsed.strip().splitlines()]
        printed = example.namespace.get("printed")
        if printed is not None:
            got = [line.rstrip() for line in printed.strip().splitlines()]
            return None if got == shown else f"the block before it printed:\n{printed}"
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
