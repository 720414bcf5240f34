"""The cells that text takes on a terminal, and where it may be cut."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

__all__ = ["cell_width", "folds", "graphemes"]

#: Each takes one cell, whatever the terminal.
_NARROW: Final = re.compile("[\x20-\x7e\xa0-\xac\xae-\u02ff·…→✓✗]*")
#: A joiner between letters. rich gives what stands behind any joiner no cells of its own, which is
#: right for emoji only.
_LETTER_JOINER: Final = re.compile("\u200d(?=[\u0300-\u1fff\ua000-\uabff\U00010000-\U0001afff])")


def cell_width(text: str) -> int:
    """Return how many cells of a terminal a line takes."""
    if _NARROW.fullmatch(text):
        return len(text)
    from rich.cells import cell_len  # noqa: PLC0415 - few texts need what takes long to load

    return cell_len(_LETTER_JOINER.sub("", text))


def graphemes(text: str) -> list[tuple[int, int, int]]:
    """Return what is cut nowhere: where it begins, where it ends, and how many cells it takes.

    That is a character with its marks, joiners and selectors, and an emoji of several others.
    """
    if _NARROW.fullmatch(text):
        return [(at, at + 1, 1) for at in range(len(text))]
    from rich.cells import split_graphemes  # noqa: PLC0415 - as above

    return split_graphemes(_LETTER_JOINER.sub("\u200c", text))[0]


def folds(text: str, first: int, rest: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield where the pieces of a line begin and end, cut behind a space where there is one.

    The first piece takes at most ``first`` cells, the others ``rest``, which is the same unless it
    is given; only what is cut nowhere may be wider. Spaces at the end of a piece
    fall away.
    """
    cells = graphemes(text)
    most, at = first, 0
    while at < len(cells):
        fits = _fitting(cells, at, most)
        cut = _behind_space(text, cells, at, fits)
        start = cells[at][0]
        yield start, start + len(text[start : cells[cut - 1][1]].rstrip())
        at, most = cut, rest or first
    if not cells:
        yield 0, 0


def _fitting(cells: list[tuple[int, int, int]], at: int, most: int) -> int:
    """Return the end of what fits in so many cells; something always does."""
    used, end = cells[at][2], at + 1
    while end < len(cells) and used + cells[end][2] <= most:
        used += cells[end][2]
        end += 1
    return end


def _behind_space(text: str, cells: list[tuple[int, int, int]], at: int, end: int) -> int:
    """Return where to cut a piece that may go up to ``end``: behind its last space, if it has one.

    Spaces that follow it fall away at the cut. An indent is no place for a cut.
    """
    while end < len(cells) and text[cells[end][0]].isspace():
        end += 1
    if end == len(cells):
        return end
    cut = end
    while cut > at and not text[cells[cut - 1][0]].isspace():
        cut -= 1
    return cut if text[cells[at][0] : cells[cut - 1][1]].strip() and cut > at else end
