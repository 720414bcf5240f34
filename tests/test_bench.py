"""The benchmark is run once at a tiny size, so that it cannot rot. Nothing here is timed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

pytestmark = pytest.mark.slow


def test_the_benchmark_runs_and_writes_what_it_measured(tmp_path: Path) -> None:
    """One command measures the floor and our rooms, prints its tables and writes JSON."""
    out = tmp_path / "results.json"
    ours = ["deskroom", "deskroom, engine alone", "deskroom, journal row"]
    only = [word for name in ours for word in ("--only", name)]
    done = subprocess.run(
        [sys.executable, "-m", "bench", "--tiny", "--out", str(out), *only],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "160"},
        capture_output=True,
        text=True,
        check=True,
    )
    results = json.loads(out.read_text(encoding="utf-8"))
    assert ["turn", "rooms", "growth", "missing", "commands"] == list(results)
    assert ["floor", *ours] == list(results["turn"]) == list(results["growth"])
    assert [["now"]] * 12 == [list(measured) for measured in results["commands"].values()]
    assert {} == results["missing"]
    rooms = ["one long room", "2 at once", "2 in a row", "3 at once", "3 in a row"]
    assert rooms == list(results["rooms"]["deskroom"]["turn_s"])
    assert "A scripted turn, in turns of the floor" in done.stdout


def test_another_checkout_is_measured_and_a_peer_that_is_not_installed_is_not(
    tmp_path: Path,
) -> None:
    """The rest is measured, and the table says what was left out."""
    out = tmp_path / "results.json"
    only = ["--only", "deskroom", "--only", "pykka, one ask"]
    command = ["--tiny", "--no-commands", "--before", str(ROOT), "--out", str(out), *only]
    subprocess.run([sys.executable, "-m", "bench", *command], cwd=ROOT, check=True)
    results = json.loads(out.read_text(encoding="utf-8"))
    missing = set(results["missing"])
    assert missing <= {"pykka, one ask"}
    assert {"floor", "deskroom", "deskroom, before", "pykka, one ask"} - missing == set(
        results["turn"]
    )
