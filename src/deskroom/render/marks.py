"""A message with marks under its lines, in the cells that a terminal gives each character."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from attrs import frozen
from rich.cells import cell_len, split_graphemes

from deskroom.render.text import printable

__all__ = ["MarkedLine", "marked_lines"]

_TAB = 4  # columns, as the rules for indented code count them


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
    own marks, so that no terminal breaks one from the other.
    """
    marks = [" "] * len(message)
    for start, end, mark in spans:
        marks[start:end] = mark * (end - start)
    at = 0
    for line in message.split("\n"):
        yield from _folded(_pieces(line, marks[at : at + len(line)]), width)
        at += len(line) + 1


def _pieces(line: str, marks: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each stretch of one mark as it is shown: tabs as spaces, controls as escapes."""
    at = column = 0
    for mark, group in groupby(marks):
        length = len(list(group))
        shown = ""
        for part in _tab_parts(line[at : at + length]):
            here = " " * (_TAB - column % _TAB) if part == "\t" else printable(part)
            column += cell_len(here)
            shown += here
        yield shown, mark
        at += length


def _tab_parts(text: str) -> Iterator[str]:
    for at, part in enumerate(text.split("\t")):
        if at:
            yield "\t"
        if part:
            yield part


def _folded(pieces: Iterable[tuple[str, str]], width: int | None) -> Iterator[MarkedLine]:
    if width is None:
        yield _line(pieces)
        return
    line: list[tuple[str, str]] = []
    used = 0
    for shown, mark in pieces:
        begin = 0
        for start, cells in _cells(shown):
            if used and used + cells > width:
                yield _line([*line, (shown[begin:start], mark)])
                line, used, begin = [], 0, start
            used += cells
        line.append((shown[begin:], mark))
    yield _line(line)


def _cells(shown: str) -> Iterator[tuple[int, int]]:
    """Yield where each character begins, with what belongs to it, and how many cells it takes."""
    if shown.isascii():
        yield from ((at, 1) for at in range(len(shown)))
    else:
        yield from ((start, cells) for start, _, cells in split_graphemes(shown)[0])


def _line(pieces: Iterable[tuple[str, str]]) -> MarkedLine:
    kept = tuple(piece for piece in pieces if piece[0])
    return MarkedLine(kept, "".join(mark * cell_len(shown) for shown, mark in kept).rstrip())
