"""Playing a scenario more than once: every play must write the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from deskroom.engine.entries import Entry
from deskroom.journal.chain import FIRST, seal
from deskroom.scenario.play.expect import Mismatch
from deskroom.wire import entry_out

__all__ = ["journal_lines", "repeat_mismatch"]


def journal_lines(entries: Sequence[Entry]) -> list[bytes]:
    """Return the lines that a journal of these entries holds."""
    lines = []
    before = FIRST
    for entry in entries:
        line, before = seal(entry_out(entry), before)
        lines.append(line)
    return lines


def repeat_mismatch(
    path: str, play: int, first: Sequence[bytes], again: Sequence[bytes]
) -> Mismatch | None:
    """Return how play number ``play`` differs from the first one, by the lines of their journals."""
    for number, (one, other) in enumerate(zip_longest(first, again), start=1):
        if one != other:
            return Mismatch(
                path=path,
                line=1,
                column=None,
                turn=None,
                seat=None,
                key="repeat",
                expected="the same journal",
                got=f"another line {number}",
                why=f"play {play} is not as play 1 was, though nothing in the file is left to chance",
            )
    return None
