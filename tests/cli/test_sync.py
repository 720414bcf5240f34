"""What ``run`` says of the time that syncing takes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import environment

from deskroom.cli.run import sync_remark
from deskroom.core import Person
from deskroom.engine.entries import HeaderEntry
from deskroom.engine.setup import Setup
from deskroom.journal import JournalFile
from deskroom.room import Policy, Seat

SCENARIO = Path(__file__).parents[2] / "scenarios" / "field" / "question-by-dm.toml"


@pytest.mark.parametrize(
    "sync_s, total_s, is_told",
    [(0.9, 1.0, False), (1.0, 1.5, True), (2.0, 4.0, False), (2.1, 4.0, True), (0.0, 0.0, False)],
)
def test_syncing_is_told_of_where_it_took_most_of_a_second_or_more(
    sync_s: float, total_s: float, is_told: bool
) -> None:
    """It is no news that a short run, or a small part of a long one, waits for the disk."""
    assert is_told == (sync_remark(sync_s, total_s) is not None)


@pytest.mark.parametrize("sync, syncs", [("row", 2), ("close", 1), ("never", 0)])
def test_a_journal_counts_the_time_that_its_syncing_takes(
    tmp_path: Path, sync: str, syncs: int
) -> None:
    """By the timer that it is given; without one it counts nothing."""
    header = HeaderEntry(
        Setup(
            desk_id="d",
            desk_name="D",
            seats=(Seat(id="a"),),
            people=(Person("p", "Pat"),),
            policy=Policy(),
        )
    )
    ticks = iter(range(100))
    path = tmp_path / "run.jsonl"
    with JournalFile.create(path, sync=sync, timer=lambda: next(ticks)) as journal:  # type: ignore[arg-type]
        journal.write(header)
    assert float(syncs) == journal.sync_s
    with JournalFile.resume(path) as journal:
        pass
    assert 0.0 == journal.sync_s


@pytest.mark.slow
def test_a_slow_disk_is_told_of(tmp_path: Path) -> None:
    """Each sync takes a third of a second here."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("there is no strace to slow the disk down")
    done = subprocess.run(
        [
            *(strace, "-f", "-o", "/dev/null", "-e", "trace=fsync"),
            *("-e", "inject=fsync:delay_exit=300000", sys.executable, "-m", "deskroom"),
            *("run", "-q", SCENARIO, "--journal", tmp_path / "run.jsonl"),
        ],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    if "ptrace" in done.stderr:
        pytest.skip("this user may trace no process")
    assert 0 == done.returncode
    assert done.stderr.startswith(f"{tmp_path / 'run.jsonl'}: syncing to disk took ")
