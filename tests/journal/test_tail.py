from __future__ import annotations

from pathlib import Path

import pytest

from deskroom.engine.entries import RowEntry
from deskroom.journal import JournalError, JournalFile, read_journal
from deskroom.journal.tail import read_tails
from deskroom.scenario import parse_scenario, replay_scenario

FILE = """\
format = 1
desk = { id = "d", name = "D", seats = [{ id = "a" }] }
policy = { max_turns = 9999 }
[[turn]]
seat = "a"
say = "step"
repeat = 1000
"""


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the bytes of a journal with 1000 rows."""
    path = tmp_path_factory.mktemp("long") / "run.jsonl"
    with JournalFile.create(path, sync="never") as journal:
        replay_scenario(parse_scenario(FILE), journal=journal)
    return path.read_bytes()


@pytest.fixture
def path(long: bytes, tmp_path: Path) -> Path:
    """Return the path of that journal."""
    path = tmp_path / "run.jsonl"
    path.write_bytes(long)
    return path


def test_each_tail_is_longer_and_ends_where_the_journal_does(path: Path) -> None:
    """They have the journal's last rows, and none of them is all of it."""
    rows = [line.entry for line in read_journal(path) if isinstance(line.entry, RowEntry)]
    tails = list(read_tails(path))
    assert len(tails) > 2
    assert sorted(len(tail.rows) for tail in tails) == [len(tail.rows) for tail in tails]
    for tail in tails:
        assert rows[-len(tail.rows) :] == list(tail.rows)
        assert not tail.is_torn
        assert "d" == tail.header.setup.desk_id
    assert len(tails[-1].rows) < len(rows)


def test_what_is_read_does_not_depend_on_what_stands_before(path: Path, long: bytes) -> None:
    """A byte that is wrong at the start is not found at the end."""
    path.write_bytes(long.replace(b'"content":"step"', b'"content":"stop"', 1))
    assert next(read_tails(path)).lines > 10


def test_a_line_that_is_wrong_is_found_from_the_end(path: Path, long: bytes) -> None:
    """Its number is not known, but how far it is from the end."""
    head, _, tail = long.rpartition(b'"content":"step"')
    path.write_bytes(head + b'"content":"stop"' + tail)
    with pytest.raises(JournalError) as caught:
        next(read_tails(path))
    assert "line 2 from the end is bad: the digest does not fit" in str(caught.value)


def test_a_last_line_that_is_cut_short_is_left_out(path: Path, long: bytes) -> None:
    """What stands before it is read."""
    path.write_bytes(long[:-9])
    tail = next(read_tails(path))
    assert (True, 1000) == (tail.is_torn, tail.rows[-1].row.sequence)


def test_a_short_journal_has_no_tail(path: Path, long: bytes) -> None:
    """It is read as a whole."""
    path.write_bytes(b"".join(long.splitlines(keepends=True)[:20]))
    assert [] == list(read_tails(path))


@pytest.mark.parametrize(
    "first, problem",
    [(b"{}\n", "line 1 is bad: "), (b'{"kind":"turn"}\n', "line 1 is bad: ")],
)
def test_a_file_that_is_no_journal_is_refused(
    path: Path, long: bytes, first: bytes, problem: str
) -> None:
    """By its first line."""
    path.write_bytes(first + long.split(b"\n", 1)[1])
    with pytest.raises(JournalError) as caught:
        next(read_tails(path))
    assert problem in str(caught.value)


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    """With the system's words."""
    with pytest.raises(JournalError, match="the journal cannot be read: No such file"):
        next(read_tails(tmp_path / "none"))
