"""A message with marks under its lines, in the cells that a terminal gives each character."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from attrs import frozen

from deskroom.printable import printable_characters
from deskroom.render.cells import cell_width, folds, graphemes

__all__ = ["MarkedLine", "marked_lines"]

_TAB: Final = 4  # columns, as the rules for indented code count them


@frozen
class MarkedLine:
    """One line as it is shown, in pieces of one mark each, and the marks to stand under it."""

    pieces: tuple[tuple[str, str], ...]
    marks: str


def marked_lines(
    message: str, spans: Iterable[tuple[int, int, str]], *, width: int | None = None
) -> Iterator[MarkedLine]:
    """Yield the lines of a message. A span is a half-open range of characters and its mark.

    Of spans that overlap the last one counts. A line wider than ``width`` cells goes on below its
    own marks, so that no terminal breaks one from the other; it is broken behind a space if it
    has one. A mark is as wide as what it stands under.
    """
    marks = [" "] * len(message)
    for start, end, mark in spans:
        marks[start:end] = mark * (end - start)
    at = 0
    for line in message.split("\n"):
        shown, owners = _shown(line, marks[at : at + len(line)])
        ranges = [(0, len(shown))] if width is None else folds(shown, width)
        yield from (_line(shown[start:end], owners[start:end]) for start, end in ranges)
        at += len(line) + 1


def _shown(line: str, marks: Sequence[str]) -> tuple[str, list[str]]:
    """Return a line as it is shown, controls as escapes, and the mark of each character in it."""
    pieces: list[str] = []
    owners: list[str] = []
    after_tab = 0
    for at, piece in enumerate(printable_characters(line)):
        if line[at] == "\t":
            # The column behind the last tab is a stop, so only what follows it counts.
            used = cell_width("".join(pieces[after_tab:]))
            piece = " " * (_TAB - used % _TAB)  # noqa: PLW2901 - spaces up to the next stop
            after_tab = at + 1
        pieces.append(piece)
        owners += marks[at] * len(piece)
    return "".join(pieces), owners


def _line(shown: str, owners: Sequence[str]) -> MarkedLine:
    """Return a line with marks. What is cut nowhere has the mark of its first character."""
    cells = graphemes(shown)
    marks = "".join(owners[start] * width for start, _, width in cells).rstrip()
    groups = groupby(cells, lambda cell: owners[cell[0]])
    pieces = ((mark, list(group)) for mark, group in groups)
    return MarkedLine(tuple((shown[g[0][0] : g[-1][1]], mark) for mark, g in pieces), marks)
