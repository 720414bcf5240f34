"""The benchmark is run once at a tiny size, so that it cannot rot. Nothing here is timed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_benchmark_runs_and_writes_what_it_measured(tmp_path: Path) -> None:
    """One command measures the floor and our rooms, prints its tables and writes JSON."""
    out = tmp_path / "results.json"
    ours = ["deskroom", "deskroom, engine alone", "deskroom, journal row"]
    only = [word for name in ours for word in ("--only", name)]
    done = subprocess.run(
        [sys.executable, "-m", "bench", "--tiny", "--out", str(out), *only, "--before", str(ROOT)],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "160"},
        capture_output=True,
        text=True,
        check=True,
    )
    results = json.loads(out.read_text(encoding="utf-8"))
    assert ["turn", "rooms", "growth", "missing", "commands"] == list(results)
    systems = ["floor", *ours, *(f"{name}, before" for name in ours)]
    assert systems == list(results["turn"]) == list(results["growth"])
    assert [["now", "before"]] * 9 == [list(measured) for measured in results["commands"].values()]
    assert {} == results["missing"]
    rooms = ["one long room", "2 at once", "2 in a row", "3 at once", "3 in a row"]
    assert rooms == list(results["rooms"]["deskroom"]["turn_s"])
    assert "A scripted turn, in turns of the floor" in done.stdout


def test_a_peer_that_is_not_installed_is_said_to_be_missing(tmp_path: Path) -> None:
    """The rest is measured, and the table says what was left out."""
    out = tmp_path / "results.json"
    subprocess.run(
        [
            sys.executable,
            "-m",
            "bench",
            "--tiny",
            "--no-commands",
            "--out",
            str(out),
            "--only",
            "pykka, one ask",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    results = json.loads(out.read_text(encoding="utf-8"))
    measured = list(results["turn"])
    assert measured in (["floor"], ["floor", "pykka, one ask"])
    assert ("pykka, one ask" in results["missing"]) == (measured == ["floor"])
