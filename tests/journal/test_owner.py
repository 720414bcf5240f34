"""Who may read and write a journal while it is open: its owner, and the process that opened it."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from deskroom.core import Person
from deskroom.core.reasons import Outcome
from deskroom.engine.entries import EndEntry, HeaderEntry, TurnEntry
from deskroom.engine.setup import Setup
from deskroom.journal import JournalError, JournalFile, Sync, read_journal
from deskroom.room import Policy, Seat

HEADER = HeaderEntry(
    Setup(
        desk_id="d",
        desk_name="D",
        seats=(Seat(id="a"),),
        people=(Person("p", "Pat"),),
        policy=Policy(),
    )
)
GRANT = TurnEntry(1, "a", 0, None)
SILENT = EndEntry(1, 1, "a", Outcome.SILENT)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a journal may be made."""
    return tmp_path / "run.jsonl"


def test_only_its_owner_may_read_a_journal(path: Path) -> None:
    """It holds every private message, whatever the umask is."""
    before = os.umask(0)
    try:
        with JournalFile.create(path) as journal:
            journal.write(HEADER)
    finally:
        os.umask(before)
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)


# What others do to the file


def _removed(path: Path) -> None:
    path.unlink()


def _replaced(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    other.replace(path)


def _emptied(path: Path) -> None:
    os.truncate(path, 0)


def _cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 1)


def _appended(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"x")


CHANGES = [
    (_removed, "was removed, or replaced"),
    (_replaced, "was removed, or replaced"),
    (_emptied, "was cut short"),
    (_cut, "was cut short"),
    (_appended, "was written to by somebody else"),
]


@pytest.mark.parametrize("change, expected", CHANGES)
def test_a_journal_that_somebody_changes_fails_at_the_next_row(
    path: Path, change: Callable[[Path], None], expected: str
) -> None:
    """Whoever runs the room hears of it at once, and not when the rows are looked for."""
    journal = JournalFile.create(path)
    journal.write(HEADER)
    change(path)
    with pytest.raises(JournalError, match=expected):
        journal.write(SILENT)
    with pytest.raises(JournalError, match="takes no more entries"):
        journal.write(SILENT)
    journal.close()


@pytest.mark.parametrize("sync", ["row", "close", "never"])
@pytest.mark.parametrize("change, expected", CHANGES)
def test_a_journal_that_somebody_changed_fails_when_it_is_closed(
    path: Path, change: Callable[[Path], None], expected: str, sync: Sync
) -> None:
    """So a run whose journal is gone does not end well, however it syncs."""
    with JournalFile.create(path, sync=sync) as journal:
        journal.write(HEADER)
    journal = JournalFile.resume(path, sync=sync)
    journal.write(GRANT)
    change(path)
    with pytest.raises(JournalError, match=expected):
        journal.close()
    journal.close()


def test_a_journal_under_a_relative_path_is_found_from_another_folder(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program may change its folder while a room runs."""
    monkeypatch.chdir(path.parent)
    with JournalFile.create(path.name) as journal:
        journal.write(HEADER)
        monkeypatch.chdir("/")
        journal.write(SILENT)
    assert [HEADER, SILENT] == [line.entry for line in read_journal(path)]


# Other processes


def test_a_forked_child_neither_locks_nor_writes(path: Path) -> None:
    """It outlives its parent here, and the journal is free again once the parent has closed it."""
    journal = JournalFile.create(path, sync="close")
    journal.write(HEADER)
    gate, opened = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(opened)
            journal.write(GRANT)
        except JournalError:
            journal.close()
            os.read(gate, 1)  # until the parent lets it go
            os._exit(0)
        os._exit(1)
    try:
        journal.close()
        with JournalFile.resume(path) as again:
            assert [HEADER] == again.entries
    finally:
        os.close(opened)
        _, status = os.waitpid(child, 0)
        os.close(gate)
    assert 0 == os.waitstatus_to_exitcode(status)


def test_the_fork_of_a_parent_that_was_killed_blocks_nobody(path: Path) -> None:
    """What was kept is resumed while the child still runs."""
    code = (
        "import os, sys, time\n"
        "from deskroom.journal import JournalFile\n"
        "from tests.journal.test_owner import HEADER\n"
        "journal = JournalFile.create(sys.argv[1])\n"
        "journal.write(HEADER)\n"
        "ready, done = os.pipe()\n"
        "child = os.fork()\n"
        "if child: os.read(ready, 1); print(child, flush=True)\n"
        "else: os.write(done, b'.')\n"
        "time.sleep(60)\n"
    )
    root = Path(__file__).parents[2]
    parent = subprocess.Popen(
        [sys.executable, "-c", code, path],
        env={**os.environ, "PYTHONPATH": f"{root / 'src'}:{root}"},
        stdout=subprocess.PIPE,
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    try:
        with pytest.raises(JournalError, match="another writer"):
            JournalFile.resume(path)
        parent.kill()
        parent.wait()
        with JournalFile.resume(path) as journal:
            assert [HEADER] == journal.entries
    finally:
        os.kill(child, signal.SIGKILL)
        parent.stdout.close()


#: Makes journals one after the other while a timer interrupts it ever later.
INTERRUPTED = """
import gc, os, signal, sys, warnings
from pathlib import Path
from deskroom.journal import JournalFile
warnings.simplefilter("ignore", ResourceWarning)
armed = False
def interrupt(*_):
    global armed
    if armed:
        armed = False
        raise KeyboardInterrupt
signal.signal(signal.SIGALRM, interrupt)
folder, ways = Path(sys.argv[1]), 0
open_before = len(os.listdir("/proc/self/fd"))
for at in range(1, 400):
    journal = None
    try:
        armed = True
        signal.setitimer(signal.ITIMER_REAL, at * 1e-6)
        journal = JournalFile.create(folder / f"{at}.jsonl", sync="never")
        armed = False
    except KeyboardInterrupt:
        ways += 1
    if journal is not None:
        journal.close()
del journal
gc.collect()
print(ways > 0, len(os.listdir("/proc/self/fd")) - open_before)
"""


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts descriptors as Linux does")
def test_an_interrupt_while_a_journal_is_made_leaks_no_descriptor(tmp_path: Path) -> None:
    """A locked file that nobody can close would block every later run in this process."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, tmp_path],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ("True 0\n", "", 0) == (done.stdout, done.stderr, done.returncode)
