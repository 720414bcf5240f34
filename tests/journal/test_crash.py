"""Whatever ends a run, its journal is whole and goes on; all of it with real processes and disks."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest

import deskroom
from deskroom.engine.entries import RoutedEntry, RowEntry, TurnEntry
from deskroom.errors import RoomFailure
from deskroom.journal import JournalError, JournalFile, read_journal, verify
from deskroom.room import Room, RoomResult, SimulatedClock, Turn
from deskroom.scenario import load_scenario
from deskroom.scenario.play.replay import run_scripted, scripted_room
from deskroom.testing import ScriptedRouter, ScriptedSeat, broadcast, post

pytestmark = pytest.mark.slow

Settled = Callable[[Iterable[Any]], Sequence[Any]]

HARNESS = Path(__file__).with_name("harness.py")

#: Two seats that talk for a while.
LONG = """\
format = 1
title = "A long talk"
desk = { id = "d", name = "D", seats = [{ id = "a" }, { id = "b" }] }
policy = { max_turns = 100000, dispatch = { max_hops = 100000 } }
[[turn]]
seat = "a"
say = "@b and so on, and so on, and so on"
repeat = 20000
"""


def environment() -> dict[str, str]:
    """Return an environment for processes that are killed, which therefore measure nothing."""
    source = str(Path(deskroom.__file__).resolve().parents[1])
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    return {**kept, "PYTHONPATH": source}


@pytest.fixture
def long(tmp_path: Path) -> Path:
    """Return a scenario that takes some seconds."""
    path = tmp_path / "long.toml"
    path.write_text(LONG)
    return path


@pytest.fixture
def short(tmp_path: Path) -> Path:
    """Return a scenario that writes some twenty kilobytes."""
    path = tmp_path / "short.toml"
    path.write_text(LONG.replace("20000", "40"))
    return path


def entries(path: Path) -> list[Any]:
    """Return what a journal holds, each line of which must be as it was written."""
    return [line.entry for line in read_journal(path)]


def command(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "deskroom", *map(str, arguments)],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        **options,
    )


def resumed(scenario: Path, path: Path) -> list[Any]:
    """Go on with a journal to the end, and return what it then holds."""
    with JournalFile.resume(path, sync="never") as journal:
        room = scripted_room(load_scenario(scenario), journal=journal, resume=journal.entries)
        anyio.run(run_scripted, room)
    verify(path)
    return entries(path)


def undisturbed(scenario: Path) -> list[Any]:
    """Return the entries of a run that nobody disturbed."""
    path = scenario.with_name("undisturbed.jsonl")
    with JournalFile.create(path, sync="never") as journal:
        anyio.run(run_scripted, scripted_room(load_scenario(scenario), journal=journal))
    return entries(path)


# Killed


def test_a_desk_that_is_killed_at_any_moment_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    """Hundreds of SIGKILLs, on either loop: the journal ends as that of a run nobody disturbed.

    The desk has asides, refusals, a retry, broadcasts, files, late calls, crashes, deadlines,
    persons and nudges; often what went on is killed as well. See the harness.
    """
    runs = [("asyncio", 130), ("asyncio", 130), ("trio", 40)]
    started = [
        subprocess.Popen(
            [sys.executable, HARNESS, backend, str(kills), str(seed), tmp_path],
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for seed, (backend, kills) in enumerate(runs)
    ]
    done = [process.communicate(timeout=110) for process in started]
    assert [(0, "")] * 3 == [
        (process.returncode, errors) for process, (_, errors) in zip(started, done, strict=True)
    ]
    found = [json.loads(out) for out, _ in done]
    assert sum(one["killed"] for one in found) >= 300
    assert all(one["turns"] >= 50 for one in found)
    # The moments are all over the journal.
    assert sum(one["lines"] for one in found) > 100


# Interrupted


@pytest.mark.parametrize(
    "backend, sync", [("asyncio", "row"), ("asyncio", "never"), ("trio", "row")]
)
def test_an_interrupt_leaves_a_journal_that_goes_on(
    long: Path, tmp_path: Path, backend: str, sync: str
) -> None:
    """Ctrl-C ends a run with 130 and how to resume it, at several moments; the journal is whole."""
    path = tmp_path / "run.jsonl"
    rows = 0
    for more in (1, 20_000):
        how, size = (["--resume"], path.stat().st_size) if path.exists() else ([], 0)
        process = _interruptible(
            "run", long, "--journal", path, "--sync", sync, "--backend", backend, "-q", *how
        )
        _wait_for(process, path, size + more)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        told = [line for line in err.split("\n") if line and "going on after row" not in line]
        resumes = f"to resume: deskroom run {long} --journal {path} --resume"
        assert (130, "", True, "interrupted") == (
            process.returncode,
            out,
            told[0].startswith(resumes),
            told[-1],
        )
        found = verify(path)
        assert found.closed is None
        assert found.rows >= rows
        rows = found.rows
    assert 0 < rows < 20000


def _interruptible(*arguments: object) -> subprocess.Popen[str]:
    # A shell that runs the tests in the background lets them ignore an interrupt.
    code = (
        "import runpy, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "runpy.run_module('deskroom', run_name='__main__')"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _wait_for(process: subprocess.Popen[str], path: Path, size: int) -> None:
    """Wait until a journal has some size, and its writer still runs."""
    while process.poll() is None and not (path.exists() and path.stat().st_size >= size):
        os.sched_yield()


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@pytest.mark.parametrize("after", range(1, 9))
def test_a_run_that_is_cancelled_leaves_a_journal_that_goes_on(
    tmp_path: Path, settled: Settled, backend: str, after: int
) -> None:
    """Whoever runs the room may cancel it, in a turn or between two."""
    path = tmp_path / "run.jsonl"

    def room(journal: JournalFile, done: Callable[[], None]) -> Room:
        async def talks(turn: Turn) -> None:
            await turn.read()
            if turn.number == 3:
                await turn.complete("done")
            else:
                await turn.post("@b x" if turn.seat.id == "a" else "@a y")

        written: list[object] = []
        write = journal.write

        class Counting:
            def write(self, entry: Any) -> None:
                write(entry)
                written.append(entry)
                if len(written) == after:
                    done()

        return Room(
            {"a": talks, "b": talks},
            opening="go",
            clock=SimulatedClock(),
            journal=Counting(),
            resume=journal.entries,
        )

    async def cancelled(journal: JournalFile) -> None:
        with anyio.CancelScope() as scope:
            await room(journal, scope.cancel).run()
        assert scope.cancelled_caught

    with JournalFile.create(path) as journal:
        anyio.run(cancelled, journal, backend=backend)
    assert verify(path).closed is None
    with JournalFile.resume(path) as journal:
        result = anyio.run(room(journal, lambda: None).run, backend=backend)
    verify(path)
    said = ["go", "@b x", "@a y", "done"]
    assert (said, "completed") == ([row.content for row in result.rows], result.closed)
    assert [1, 2, 3] == [e.turn for e in settled(entries(path)) if isinstance(e, TurnEntry)]


def test_a_router_that_fails_is_asked_again(tmp_path: Path) -> None:
    """The room closes as failed, its journal does not; going on asks for what is missing."""
    path = tmp_path / "run.jsonl"

    async def broken(message: str, candidates: Sequence[Any]) -> Mapping[str, float]:
        raise OSError("no route")

    def play(journal: JournalFile, router: Any) -> RoomResult:
        seats = {"a": ScriptedSeat([broadcast("who?")]), "b": ScriptedSeat([post("I")])}
        room = Room(
            seats | {"c": ScriptedSeat()},
            opening="go",
            clock=SimulatedClock(),
            router=router,
            journal=journal,
            resume=journal.entries,
        )
        return anyio.run(room.run)

    with JournalFile.create(path) as journal:
        result = play(journal, broken)
    assert ("failed", True) == (result.closed, isinstance(result.error, RoomFailure))
    assert "the router failed: OSError('no route')" == str(result.error)
    assert verify(path).closed is None
    kept = entries(path)
    assert isinstance(kept[-1], RowEntry)
    with JournalFile.resume(path) as journal:
        result = play(journal, ScriptedRouter([{"c": 0.9, "b": 0.8}]))
    assert "quiet" == result.closed
    after = entries(path)
    assert (kept, RoutedEntry(2, (("b", 0.8), ("c", 0.9)), ("c", "b"), 1)) == (
        after[: len(kept)],
        after[len(kept)],
    )
    verify(path)


# No room


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Return a function that mounts a real little disk with these options."""
    mounted: list[Path] = []

    def call(options: str) -> Path:
        folder = tmp_path / f"disk{len(mounted)}"
        folder.mkdir()
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            pytest.skip(f"this user may not mount a disk: {done.stderr.strip()}")
        mounted.append(folder)
        return folder

    try:
        yield call
    finally:
        for folder in mounted:
            subprocess.run(["umount", folder], check=True)


@pytest.fixture(autouse=True)
def _needs_mount(request: pytest.FixtureRequest) -> None:
    if "disk" in request.fixturenames and not Path("/bin/mount").exists():
        pytest.skip("there is no mount command here")


@pytest.mark.parametrize("sync, free", [("row", 0), ("row", 8192), ("close", 0), ("never", 4096)])
def test_a_full_disk_ends_a_run_with_one_error(
    short: Path, disk: Callable[[str], Path], settled: Settled, sync: str, free: int
) -> None:
    """It names the journal and says what is wrong; with room again, the journal goes on."""
    folder = disk("size=64k")
    path, filler = folder / "run.jsonl", folder / "filler"
    filler.write_bytes(b"x" * (64 * 1024 - free))
    done = command("run", short, "--journal", path, "--sync", sync, "-q")
    expected = f"{path}: the journal cannot be written: No space left on device\n"
    assert (2, "", expected) == (done.returncode, done.stdout, done.stderr)
    if not path.exists():
        # Not even its first line could be written, so it was taken away.
        assert (0, []) == (free, [*folder.glob("*.jsonl")])
        return
    # Still no room: the same error, and nothing is lost by trying.
    whole = path.read_bytes().rfind(b"\n") + 1
    done = command("run", short, "--journal", path, "--sync", sync, "-q", "--resume")
    assert (2, expected) == (done.returncode, done.stderr.splitlines(keepends=True)[-1])
    assert path.stat().st_size >= whole
    filler.unlink()
    assert settled(undisturbed(short)) == settled(resumed(short, path))


def test_a_disk_without_room_for_a_name_makes_no_journal(
    short: Path, disk: Callable[[str], Path]
) -> None:
    """Not even the file can be made."""
    folder = disk("size=64k,nr_inodes=1")
    done = command("run", short, "--journal", folder / "run.jsonl")
    expected = f"{folder}/run.jsonl: the journal cannot be made: No space left on device\n"
    assert (2, "", expected) == (done.returncode, done.stdout, done.stderr)


def test_a_limit_to_the_size_of_files_ends_a_run_with_one_error(
    short: Path, tmp_path: Path, settled: Settled
) -> None:
    """A line is cut short by it; it is cut off when the journal goes on."""
    path = tmp_path / "run.jsonl"

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))

    done = command("run", short, "--journal", path, preexec_fn=limit)
    assert (2, f"{path}: the journal cannot be written: File too large\n") == (
        done.returncode,
        done.stderr,
    )
    assert 5000 == path.stat().st_size
    *whole, cut = path.read_bytes().splitlines(keepends=True)
    assert not cut.endswith(b"\n")
    done = command("run", short, "--journal", path, "--resume", "-q")
    rows, torn = sum(b'"kind":"row"' in line for line in whole), len(whole) + 1
    told = f"{path}: going on after row {rows} (line {torn} was cut short, and is cut off)\n"
    assert (0, told) == (done.returncode, done.stderr)
    assert settled(undisturbed(short)) == settled(entries(path))


def test_nothing_can_be_written_in_a_folder_that_is_read_only(
    short: Path, disk: Callable[[str], Path], sound: bytes
) -> None:
    """Neither a new journal nor one that is there; it can still be read."""
    folder = disk("size=64k")
    (folder / "there.jsonl").write_bytes(sound)
    subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
    done = command("run", short, "--journal", folder / "run.jsonl")
    expected = f"{folder}/run.jsonl: the journal cannot be made: Read-only file system\n"
    assert (2, "", expected) == (done.returncode, done.stdout, done.stderr)
    done = command("run", short, "--journal", folder / "there.jsonl", "--resume")
    expected = f"{folder}/there.jsonl: the journal cannot be written: Read-only file system\n"
    assert (2, "", expected) == (done.returncode, done.stdout, done.stderr)
    assert [folder / "there.jsonl"] == list(folder.iterdir())
    assert "completed" == verify(folder / "there.jsonl").closed


def test_a_folder_that_a_user_may_not_write_in_makes_no_journal(
    short: Path, tmp_path: Path
) -> None:
    """Permissions say the same, to whoever they bind."""
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    if os.access(folder, os.W_OK):
        pytest.skip("permissions do not bind this user")
    with pytest.raises(JournalError, match="the journal cannot be made: Permission denied"):
        JournalFile.create(folder / "run.jsonl")
