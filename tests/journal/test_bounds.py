"""What there is an end to: what a seat can make a journal hold, and what is read of a strange file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.journal.test_owner import HEADER

from deskroom.engine.entries import CallEntry, ExcessEntry
from deskroom.journal import JournalError, JournalFile, read_journal, verify
from deskroom.journal.reader import MAX_LINE_BYTES
from deskroom.journal.tail import read_tails
from deskroom.room import Policy, Room, Turn


@pytest.mark.anyio
@pytest.mark.parametrize("message", ["hi", "x" * 100_000], ids=["short", "long"])
async def test_a_seat_that_calls_for_ever_makes_a_short_journal(
    tmp_path: Path, message: str
) -> None:
    """It is answered until its deadline, and its calls are counted."""

    async def endless(turn: Turn) -> None:
        while True:
            await turn.post(message)

    path = tmp_path / "run.jsonl"
    policy = Policy(turn_timeout_s=0.5, max_message_bytes=1000)
    with JournalFile.create(path) as journal:
        seats = {"a": endless, "b": endless}
        result = await Room(seats, opening="@a go", journal=journal, policy=policy).run()
    counted = [line.entry for line in read_journal(path) if isinstance(line.entry, ExcessEntry)]
    assert [result.turns[0].excess] == [entry.calls for entry in counted]
    assert result.turns[0].excess > 0
    assert path.stat().st_size < 20_000
    assert 1 == verify(path).turns


@pytest.mark.anyio
async def test_a_seat_that_calls_for_ever_after_its_turn_makes_a_short_journal(
    tmp_path: Path,
) -> None:
    """Its late calls are answered alike, and so many of them are kept."""

    async def endless(turn: Turn) -> None:
        while (await turn.read()).rejection != "turn_ended":
            pass
        for _ in range(2000):
            await turn.post("x" * 100_000)

    async def waiting(turn: Turn) -> None:
        await turn.sleep(2)

    path = tmp_path / "run.jsonl"
    policy = Policy(turn_timeout_s=0.1)
    seats = {"a": endless, "b": waiting}
    with JournalFile.create(path, sync="never") as journal:
        await Room(seats, opening="@a go", journal=journal, policy=policy).run()
    assert path.stat().st_size < 1_000_000
    assert 1 == verify(path).turns


def test_a_line_without_an_end_is_read_only_so_far(tmp_path: Path) -> None:
    """Whether it looks like a journal's or not."""
    path = tmp_path / "run.jsonl"
    for beginning, problem in (
        (b'{"kind":"header",', f"it is longer than {MAX_LINE_BYTES >> 20} MiB"),
        (b"", "this is no journal"),
    ):
        path.write_bytes(beginning)
        os.truncate(path, 8 * MAX_LINE_BYTES)
        for read in (verify, lambda path: list(read_tails(path))):
            with pytest.raises(JournalError) as caught:
                read(path)
            assert caught.value.line in {None, 1}
        with pytest.raises(JournalError, match=problem):
            verify(path)


def test_an_entry_that_no_line_can_hold_is_not_written(tmp_path: Path) -> None:
    """What nobody could read back is no entry; the journal is as it was."""
    path = tmp_path / "run.jsonl"
    with JournalFile.create(path) as journal:
        journal.write(HEADER)
        before = path.read_bytes()
        message = "x" * (MAX_LINE_BYTES + 1)
        with pytest.raises(JournalError, match="no line can hold it"):
            journal.write(CallEntry(1, 1, "a", 1, "desk_post", {"message": message}))
    assert before == path.read_bytes()
