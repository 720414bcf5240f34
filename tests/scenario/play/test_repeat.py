from __future__ import annotations

from deskroom.core.reasons import CloseReason, Outcome
from deskroom.engine.entries import CloseEntry, EndEntry
from deskroom.scenario.play.expect import Mismatch
from deskroom.scenario.play.repeat import journal_lines, repeat_mismatch

ONE = journal_lines([EndEntry(1, 1, "a", Outcome.SILENT), CloseEntry(CloseReason.QUIET)])


def mismatch(line: int) -> Mismatch:
    """Return the mismatch of play 3, whose journal has another line."""
    return Mismatch(
        path="x.toml",
        line=1,
        column=None,
        turn=None,
        seat=None,
        key="repeat",
        expected="the same journal",
        got=f"another line {line}",
        why="play 3 is not as play 1 was, though nothing in the file is left to chance",
    )


def test_the_same_journal_is_no_mismatch() -> None:
    """Byte by byte."""
    again = journal_lines([EndEntry(1, 1, "a", Outcome.SILENT), CloseEntry(CloseReason.QUIET)])
    assert (2, None) == (len(ONE), repeat_mismatch("x.toml", 3, ONE, again))


def test_another_journal_is_one() -> None:
    """The first line that differs is named, and nothing of what it says."""
    other = journal_lines(
        [EndEntry(1, 1, "a", Outcome.SILENT, text="hm"), CloseEntry(CloseReason.QUIET)]
    )
    assert mismatch(1) == repeat_mismatch("x.toml", 3, ONE, other)
    assert mismatch(2) == repeat_mismatch("x.toml", 3, ONE, ONE[:1])
    assert mismatch(3) == repeat_mismatch("x.toml", 3, ONE, [*ONE, b"more"])
