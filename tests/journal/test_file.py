from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest

from deskroom.core import Person
from deskroom.core.reasons import Outcome
from deskroom.engine.entries import (
    CallEntry,
    CloseEntry,
    EndEntry,
    Entry,
    HeaderEntry,
    RowEntry,
    TurnEntry,
)
from deskroom.engine.setup import Setup
from deskroom.errors import FileError, RoomFailure
from deskroom.journal import JournalError, JournalFile, Sync, Torn, read_journal, verify
from deskroom.journal.reader import JournalReader
from deskroom.room import Policy, Room, Seat, SimulatedClock
from deskroom.testing import ListJournal, ScriptedSeat, post

Values = list[dict[str, Any]]
GoOn = Callable[[Path], JournalFile]
Settled = Callable[[Iterable[Any]], Sequence[Any]]

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


def entries(path: Path) -> list[Entry]:
    """Return what a journal holds."""
    return [line.entry for line in read_journal(path)]


def problem(call: Callable[..., object], *arguments: Any, **options: Any) -> str:
    """Return the message of the journal's error, which names the file."""
    with pytest.raises(JournalError) as caught:
        call(*arguments, **options)
    assert isinstance(caught.value, FileError | RoomFailure)
    assert str(caught.value).startswith(caught.value.path)
    return str(caught.value).removeprefix(caught.value.path).removeprefix(": ")


# Writing


def test_what_is_written_is_read(path: Path) -> None:
    """Each entry has a line, in order; a line knows where its bytes end."""
    with JournalFile.create(path) as journal:
        for entry in (HEADER, GRANT, SILENT):
            journal.write(entry)
    lines = list(read_journal(path))
    assert [HEADER, GRANT, SILENT] == [line.entry for line in lines]
    assert [1, 2, 3] == [line.number for line in lines]
    raw = path.read_bytes().splitlines(keepends=True)
    assert [len(b"".join(raw[:n])) for n in (1, 2, 3)] == [line.end for line in lines]


def test_a_journal_is_not_written_over(path: Path) -> None:
    """The rows of an earlier run are not to be lost."""
    path.write_bytes(b"precious")
    expected = "there is such a journal: resume it, or name another file"
    assert expected == problem(JournalFile.create, path)
    assert b"precious" == path.read_bytes()


@pytest.mark.parametrize("name", ["no/such/folder.jsonl", "file/below.jsonl"])
def test_a_journal_that_cannot_be_made_says_why(tmp_path: Path, name: str) -> None:
    """The system's own words tell what is missing."""
    (tmp_path / "file").touch()
    assert problem(JournalFile.create, tmp_path / name).startswith("the journal cannot be made: ")
    assert [tmp_path / "file"] == list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "sync, on_disk", [("row", [1, 2, 3, 3]), ("close", [0, 0, 0, 3]), ("never", [0, 0, 0, 3])]
)
def test_how_soon_an_entry_is_in_the_file_is_the_users_choice(
    path: Path, sync: Sync, on_disk: list[int]
) -> None:
    """Another reader finds each line at once, or all of them once the journal is closed."""
    found: list[int] = []
    journal = JournalFile.create(path, sync=sync)
    for entry in (HEADER, GRANT, SILENT):
        journal.write(entry)
        found.append(path.read_bytes().count(b"\n"))
    journal.close()
    assert on_disk == [*found, len(entries(path))]


@pytest.mark.parametrize("sync", ["close", "never"])
def test_what_is_gathered_is_written_when_it_is_much(path: Path, sync: Sync) -> None:
    """A long run takes no more memory for its journal than a short one."""
    sizes = []
    with JournalFile.create(path, sync=sync) as journal:
        journal.write(HEADER)
        for _ in range(40):
            journal.write(EndEntry(1, 1, "a", Outcome.SILENT, "x" * 4000))
            sizes.append(path.stat().st_size)
    assert 0 == sizes[0]
    grown = sorted({size for size in sizes if size})
    assert len(grown) in {2, 3}
    assert all(size >= 64 * 1024 for size in grown)
    assert 41 == len(entries(path))


def test_an_empty_file_that_was_there_before_is_left_where_it_is(tmp_path: Path) -> None:
    """It is no journal yet, and may become one; whose it is, the journal cannot know."""
    path = tmp_path / "run.jsonl"
    path.touch()
    JournalFile.create(path).close()
    assert (True, b"") == (path.exists(), path.read_bytes())


@pytest.mark.parametrize("opened", [JournalFile.create, JournalFile.resume])
def test_a_pipe_and_a_device_keep_no_journal(
    tmp_path: Path, opened: Callable[[Path], JournalFile]
) -> None:
    """Nobody waits for a reader, and what was there stays there."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, Path(os.devnull)):
        with pytest.raises(JournalError) as raised:
            opened(path)
        problem = "this is a pipe or a device, and a journal needs a file"
        assert (problem, True) == (raised.value.problem, path.exists())


def test_a_journal_in_which_nothing_was_written_is_taken_away(path: Path) -> None:
    """It leaves no empty file behind; a file that took its name meanwhile is not its own."""
    JournalFile.create(path).close()
    assert not path.exists()
    journal = JournalFile.create(path)
    path.rename(path.with_name("elsewhere.jsonl"))
    path.write_bytes(b"another's")
    journal.close()
    assert b"another's" == path.read_bytes()
    path.unlink()
    with JournalFile.create(path.with_name("gone.jsonl")) as journal:
        Path(journal.path).unlink()


def test_an_empty_file_can_be_begun_in(path: Path) -> None:
    """Whoever made it died before the first line."""
    path.touch()
    with JournalFile.create(path) as journal:
        journal.write(HEADER)
    assert [HEADER] == entries(path)


def test_a_closed_journal_takes_nothing(path: Path) -> None:
    """It does not gather what would never be written; closing it again is allowed."""
    with JournalFile.create(path, sync="never") as journal:
        journal.write(HEADER)
    journal.close()
    assert "the journal is closed" == problem(journal.write, GRANT)
    assert [HEADER] == entries(path)


def test_a_journal_that_has_failed_takes_nothing_more(path: Path) -> None:
    """What comes after a lost line would not be chained to anything."""
    journal = JournalFile.create(path)
    journal.write(HEADER)
    assert journal._file is not None
    fd = journal._file.fileno()
    with path.open("rb") as unwritable:
        kept = os.dup(fd)
        os.dup2(unwritable.fileno(), fd)
    assert problem(journal.write, GRANT).startswith("the journal cannot be written: ")
    os.dup2(kept, fd)
    os.close(kept)
    assert "the journal has failed and takes no more entries" == problem(journal.write, SILENT)
    journal.close()
    assert [HEADER] == entries(path)


def test_what_was_gathered_and_cannot_be_written_is_told_at_the_close(path: Path) -> None:
    """And the file is unlocked all the same."""
    journal = JournalFile.create(path, sync="close")
    journal.write(HEADER)
    assert journal._file is not None
    with path.open("rb") as unwritable:
        os.dup2(unwritable.fileno(), journal._file.fileno())
    assert problem(journal.close).startswith("the journal cannot be written: ")
    journal.close()
    assert not path.exists()


def test_a_journal_begins_with_one_header(path: Path) -> None:
    """A room that was not given the entries would begin anew, and one with others' goes on here."""
    with JournalFile.create(path) as journal:
        told = problem(journal.write, GRANT)
        assert told == (
            "the journal is new, and begins with a header: the room resumes another's entries"
        )
        journal.write(HEADER)
    with JournalFile.resume(path) as journal:
        told = problem(journal.write, HEADER)
        assert told == (
            "the journal begins with another header: give its entries to the room as resume"
        )
        journal.write(GRANT)
    assert [HEADER, GRANT] == entries(path)


INTERRUPTED = """
import signal, sys
from pathlib import Path
from deskroom.journal import JournalFile, Torn, read_journal
from deskroom.room import Policy, Seat
from deskroom.engine.entries import EndEntry, HeaderEntry
from deskroom.engine.setup import Setup

def interrupt(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
path = Path(sys.argv[1])
header = HeaderEntry(Setup(desk_id="d", desk_name="D", seats=(), people=(), policy=Policy()))
lines = torn = 0
for at in range(300):
    path.unlink(missing_ok=True)
    journal = JournalFile.create(path, sync=("never", "close", "row")[at % 3])
    journal.write(header)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0002 + at * 0.000007)
        while True:
            journal.write(EndEntry(1, 1, "a", "silent", "x" * 2000))
    except KeyboardInterrupt:
        signal.setitimer(signal.ITIMER_REAL, 0)
    journal.close()
    try:
        for line in read_journal(path):
            lines += 1
    except Torn:
        torn += 1
print(lines, torn)
"""


@pytest.mark.slow
def test_an_interrupt_at_any_moment_leaves_no_line_twice(path: Path) -> None:
    """Between a write and the note of it there is a moment, too."""
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, path], capture_output=True, text=True, check=False
    )
    assert "" == run.stderr
    assert int(run.stdout.split()[0]) > 1000


# Resuming


def test_a_journal_that_is_not_there_cannot_be_resumed(path: Path) -> None:
    """A name that is mistyped does not begin a new run."""
    assert "there is no journal to resume" == problem(JournalFile.resume, path)
    assert not path.exists()


def test_a_folder_is_no_journal(tmp_path: Path) -> None:
    """Neither to write nor to read."""
    for call in (JournalFile.resume, lambda path: list(read_journal(path))):
        assert "Is a directory" in problem(call, tmp_path)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="there is no such file here")
def test_a_file_that_breaks_while_it_is_read_is_told() -> None:
    """A bad sector, say; or the first byte of a process's own memory."""
    assert "the journal cannot be read: Input/output error" == problem(
        entries, Path("/proc/self/mem")
    )


def test_resuming_reads_all_that_is_there(path: Path) -> None:
    """The entries are those that were written, nothing is cut, and the chain goes on."""
    with JournalFile.create(path) as journal:
        journal.write(HEADER)
        journal.write(GRANT)
    with JournalFile.resume(path) as journal:
        assert ([HEADER, GRANT], None) == (journal.entries, journal.cut)
        journal.write(SILENT)
    assert [HEADER, GRANT, SILENT] == entries(path)


@pytest.mark.parametrize("data", [b"", b"{", b'{"kind":"head', b'{"kind":"header","format":1'])
def test_a_journal_of_which_nothing_is_left_begins_anew(path: Path, data: bytes) -> None:
    """A crash may come before the first line is whole, or there may have been no room for it."""
    path.write_bytes(data)
    with JournalFile.resume(path) as journal:
        assert ([], 1 if data else None) == (journal.entries, journal.cut)
        journal.write(HEADER)
    assert [HEADER] == entries(path)


@pytest.mark.parametrize("data", [b"my notes", b"{}", b'{"kind":"row"', b"\x00" * 9, b"\n"])
def test_a_file_that_is_no_journal_is_left_alone(path: Path, data: bytes) -> None:
    """It is not taken for a line that was cut short."""
    path.write_bytes(data)
    with pytest.raises(JournalError, match=r"run\.jsonl:1: line 1 is bad"):
        JournalFile.resume(path)
    with pytest.raises(JournalError, match=r"run\.jsonl:1: line 1 is bad"):
        entries(path)
    assert data == path.read_bytes()


def test_an_empty_file_is_no_journal_to_read(path: Path) -> None:
    """There is nothing in it to show or to verify."""
    path.touch()
    assert "the file is empty, so it is no journal" == problem(entries, path)


@pytest.mark.slow
@pytest.mark.parametrize("kept", [None, 18, 6], ids=["all", "routed", "aside"])
def test_a_last_line_that_is_cut_short_at_any_byte_is_cut_off(
    sound: bytes, path: Path, go_on: GoOn, settled: Settled, kept: int | None
) -> None:
    """The last two lines of a journal, byte by byte: what is left goes on to the same rows."""
    lines = sound.splitlines(keepends=True)
    path.write_bytes(sound)
    whole = entries(path)
    wanted, lines = settled(whole), lines[:kept]
    data = b"".join(lines)
    start = len(data) - len(lines[-2]) - len(lines[-1])
    for size in range(start, len(data) + 1):
        path.write_bytes(data[:size])
        journal = go_on(path)
        torn = not data[:size].endswith(b"\n")
        assert (data[:size].count(b"\n") + 1 if torn else None) == journal.cut
        assert whole[: data[:size].count(b"\n")] == journal.entries
        assert wanted == settled(entries(path)), size
        if size % 16 == 0:
            verify(path)


def test_the_line_that_is_cut_short_stays_until_there_is_another(sound: bytes, path: Path) -> None:
    """Looking at a journal and leaving it changes nothing; reading it tells the line."""
    path.write_bytes(sound[:-9])
    with JournalFile.resume(path) as journal:
        assert sound.count(b"\n") == journal.cut
    assert sound[:-9] == path.read_bytes()
    with pytest.raises(Torn) as caught:
        entries(path)
    assert ("the last line is cut short", sound.count(b"\n")) == (
        caught.value.problem,
        caught.value.line,
    )


def spoiled(sound: bytes) -> Iterator[tuple[str, bytes, int]]:
    """Yield journals with one thing wrong, and the line it is in."""
    lines = sound.splitlines(keepends=True)
    yield "changed", sound.replace(b"psst", b"p5st", 1), 5
    yield "cut short in the middle", b"".join([*lines[:6], lines[6][:20], *lines[7:]]), 7
    yield "cut short in the middle, on a line", b"".join([*lines[:6], lines[6][:20], b"\n"]), 7
    yield "left out", b"".join([*lines[:6], *lines[7:]]), 7
    yield "changed, and the last cut short", sound.replace(b"psst", b"p5st", 1)[:-7], 5


def test_a_bad_line_is_told_and_nothing_is_written(sound: bytes, path: Path) -> None:
    """A journal that is not what was written is for a person to look at first."""
    for what, data, line in spoiled(sound):
        path.write_bytes(data)
        for call in (JournalFile.resume, entries):
            told = problem(call, path)
            assert told.startswith(f":{line}: line {line} is bad: "), what
        assert data == path.read_bytes()


@pytest.mark.parametrize(
    "change, told",
    [
        (lambda values: values[1:], ":1: line 1 is bad: it is no header"),
        (lambda values: [*values[:3], values[0]], ":4: line 4 is bad: it is a second header"),
        (
            lambda values: [*values[:3], {"kind": "note"}],
            ":4: line 4 is bad: kind must be one of header, turn, call, excess, usage, end, row, routed, close",
        ),
        (lambda values: [*values[:3], {"kind": "close"}], ":4: line 4 is bad: reason is missing"),
    ],
)
def test_a_sealed_line_that_is_no_entry_there_is_told(
    values: Callable[[], Values],
    forged: Callable[[Values], Path],
    change: Callable[[Values], Values],
    told: str,
) -> None:
    """A chain that holds does not make an entry."""
    path = forged(change(values()))
    assert told == problem(entries, path)
    assert told == problem(JournalFile.resume, path)


# One writer

HOLDER = """
import sys
from deskroom.journal import JournalFile
journal = getattr(JournalFile, sys.argv[1])(sys.argv[2])
print("open", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(path: Path) -> Iterator[Callable[[str], subprocess.Popen[str]]]:
    """Return a function that lets another process open the journal, and keep it open."""
    running: list[subprocess.Popen[str]] = []

    def call(how: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, how, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        running.append(process)
        assert process.stdout is not None
        assert "open\n" == process.stdout.readline()
        return process

    yield call
    for process in running:
        process.kill()
        process.communicate()


TAKEN = "another writer has this journal open"


@pytest.mark.parametrize("how", ["create", "resume"])
def test_a_journal_has_one_writer(
    path: Path, sound: bytes, holder: Callable[[str], subprocess.Popen[str]], how: str
) -> None:
    """A second one is told so, anybody may read, and a writer that was killed blocks nobody."""
    if how == "resume":
        path.write_bytes(sound)
    before = path.read_bytes() if path.exists() else b""
    process = holder(how)
    assert TAKEN == problem(JournalFile.resume, path)
    assert before == path.read_bytes()
    if how == "resume":
        assert sound.count(b"\n") == len(entries(path))
    process.send_signal(signal.SIGKILL)
    process.wait()
    with JournalFile.resume(path) as journal:
        assert before.count(b"\n") == len(journal.entries)
    assert [path] == list(path.parent.iterdir())


def test_a_process_is_one_writer_too(path: Path) -> None:
    """Two rooms in one process cannot share a journal, whether it was made or resumed."""
    with JournalFile.create(path) as journal:
        journal.write(HEADER)
        assert TAKEN == problem(JournalFile.resume, path)
    with JournalFile.resume(path):
        assert TAKEN == problem(JournalFile.resume, path)
    with JournalFile.resume(path) as journal:
        assert [HEADER] == journal.entries


# Reading while it is written


def test_a_reader_goes_on_where_it_was(path: Path) -> None:
    """It yields what is new each time, and leaves a line alone until it is whole."""
    with JournalFile.create(path) as journal, JournalReader(path) as reader:
        assert [] == list(reader.lines())
        with pytest.raises(JournalError, match="empty"):
            reader.end()
        journal.write(HEADER)
        journal.write(GRANT)
        assert [1, 2] == [line.number for line in reader.lines()]
        reader.end()
        assert [] == list(reader.lines())
        whole = path.read_bytes()
        journal.write(SILENT)
        line = path.read_bytes()[len(whole) :]
        path.write_bytes(whole + line[:5])
        assert ([], True) == (list(reader.lines()), reader.is_torn)
        path.write_bytes(whole + line)
        assert [(3, SILENT)] == [(new.number, new.entry) for new in reader.lines()]
        assert not reader.is_torn
        reader.end()


def test_a_reader_may_stop_anywhere(path: Path) -> None:
    """What it was not asked for is read the next time."""
    with JournalFile.create(path) as journal:
        for entry in (HEADER, GRANT, SILENT):
            journal.write(entry)
    with JournalReader(path) as reader:
        assert 1 == next(reader.lines()).number
        assert [2, 3] == [line.number for line in reader.lines()]


# With a room


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_room_keeps_its_entries_in_a_journal_as_it_would_in_a_list(
    path: Path, backend: str
) -> None:
    """What is read is what the room wrote; only how its seats are played is not in it."""

    def room(journal: Any) -> Room:
        seats = {"a": ScriptedSeat([post("@b é\u2028")]), "b": ScriptedSeat("hm", [post("x")])}
        return Room(seats, opening="go", clock=SimulatedClock(), journal=journal)

    kept = ListJournal()
    anyio.run(room(kept).run, backend=backend)
    with JournalFile.create(path) as journal:
        anyio.run(room(journal).run, backend=backend)
    assert kept.entries == entries(path)
    kinds = [HeaderEntry, RowEntry, TurnEntry, CallEntry, RowEntry, TurnEntry, EndEntry, CloseEntry]
    assert kinds == [type(entry) for entry in entries(path)]
