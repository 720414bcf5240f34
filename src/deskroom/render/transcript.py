"""A transcript as lines for a person to read, in colour where there is any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from deskroom.core import SeenRow
from deskroom.engine.entries import EndEntry
from deskroom.engine.sentences import seen_line
from deskroom.render.screen import PLAIN, Screen
from deskroom.render.text import one_line, printable
from deskroom.runs.why import why_no_row

__all__ = ["ended_line", "transcript_line"]

_STYLES: Final = {"agent": "cyan", "person": "green", "operator": "green", "system": "dim"}
_ENDED: Final = {"failed": "red", "timed_out": "red"}


def transcript_line(seen: SeenRow, screen: Screen = PLAIN) -> str:
    """Return one entry; a stub is dim, an aside is in italics, a name has its author's colour.

    Only an entry begins at the left edge, so that no line of a message can pass for an entry.
    """
    line = printable(seen_line(seen)).replace("\n", "\n    ")
    if not screen.color:
        return line
    if seen.elided is not None:
        return screen.styled(line, "dim")
    head, _, content = line.partition(": ")
    if seen.audience.kind == "aside":
        content = screen.styled(content, "italic")
    return f"{screen.styled(head, _STYLES[seen.author.type])}: {content}"


def ended_line(ended: EndEntry, replies: Sequence[str], screen: Screen = PLAIN) -> str:
    """Return how a turn without a row ended, as its seat and the operator may know it."""
    why = why_no_row(ended.outcome, replies, ended.error)
    line = f"[turn {ended.turn}] {ended.seat} ({ended.outcome}): {why}"
    return screen.styled(one_line(line), _ENDED.get(ended.outcome, "dim"))
