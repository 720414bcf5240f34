"""A table of text, as wide as it needs to be and no wider than the screen.

Made here and not by a library, which takes longer to load, and to lay out a table, than a scenario
takes to be played.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final

from deskroom.render.cells import cell_width, graphemes
from deskroom.render.screen import Screen

__all__ = ["cell_width", "table_lines", "wrapped"]

_WORD: Final = re.compile(r"\s*\S+\s*")

#: Between two cells of the heading, of the line below it, and of a row; and that line itself.
_BOX: Final = (" ┃ ", "━╇━", " │ ", "━")
_ASCII_BOX: Final = (" | ", "-+-", " | ", "-")

Cells = Sequence[str]


def table_lines(
    heading: Cells,
    rows: Sequence[Cells],
    screen: Screen,
    *,
    fixed: int = 1,
    styles: Sequence[str | None] = (),
) -> Iterator[str]:
    """Yield the lines of a table.

    The ``fixed`` first columns hold numbers: they stand at the right and keep their width. The
    others are wrapped, the widest of them first. ``styles`` are those of each row's first cell.
    """
    between, crossing, bar, dash = _BOX if screen.lines else _ASCII_BOX
    widths = _widths([heading, *rows], screen.width - len(bar) * (len(heading) - 1), fixed)
    yield from (screen.styled(line, "bold") for line in _row(heading, widths, between, fixed))
    yield crossing.join(dash * width for width in widths)
    for row, style in zip_longest(rows, styles):
        first, *more = _row(row, widths, bar, fixed)
        if style is not None:
            cell, rest = first[: widths[0]], first[widths[0] :]
            first = screen.styled(cell, style) + rest
        yield first
        yield from more


def _widths(rows: Sequence[Cells], room: int, fixed: int) -> list[int]:
    widths = [min(max(map(_text_width, column)), room) for column in zip(*rows, strict=True)]
    flexible = range(fixed, len(widths))
    while sum(widths) > room:
        widest = max(flexible, key=widths.__getitem__)
        if widths[widest] <= 1:
            break
        widths[widest] -= 1
    return widths


def _text_width(text: str) -> int:
    return max(map(cell_width, text.split("\n")))


def _row(row: Cells, widths: Sequence[int], between: str, fixed: int) -> Iterator[str]:
    columns = [wrapped(text, width) for text, width in zip(row, widths, strict=True)]
    for line in zip_longest(*columns, fillvalue=""):
        padding = [
            " " * (width - cell_width(cell)) for cell, width in zip(line, widths, strict=True)
        ]
        cells = [
            space + cell if at < fixed else cell + space
            for at, (cell, space) in enumerate(zip(line, padding, strict=True))
        ]
        yield between.join(cells).rstrip()


def wrapped(text: str, width: int) -> list[str]:
    """Return the lines of a text, none of them wider than ``width`` cells where that can be."""
    return [piece for line in text.split("\n") for piece in _folded(line, width)]


def _folded(line: str, width: int) -> Iterator[str]:
    """Yield a line in pieces of at most that width, broken between words where that is possible."""
    if cell_width(line) <= width:
        yield line
        return
    piece, used = "", 0
    for word in _WORD.findall(line):
        length = cell_width(word.rstrip())
        if piece and used + length > width:
            yield piece.rstrip()
            piece, used = "", 0
        if length > width:
            *full, word = _chopped(word, width)  # noqa: PLW2901 - its end is the word that is left
            yield from full
        piece += word
        used += cell_width(word)
    yield piece.rstrip()


def _chopped(word: str, width: int) -> list[str]:
    """Return a word in pieces of at most that width; one character may be wider."""
    pieces, used = [""], 0
    for start, end, cells in graphemes(word):
        if pieces[-1] and used + cells > width:
            pieces.append("")
            used = 0
        pieces[-1] += word[start:end]
        used += cells
    return pieces
