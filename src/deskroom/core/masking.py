"""Which parts of a message are code, and so mention nobody (semantics, section 3).

The rules are a small part of CommonMark: fences, indented blocks and inline spans. Work is done in
characters; ``code_ranges`` converts to UTF-8 bytes at the very end. Every step is linear in the
length of the message, whatever is in it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from enum import Enum, auto
from itertools import accumulate
from typing import Final

from deskroom.core.text import byte_length

__all__ = ["Spans", "code_ranges", "code_spans", "to_byte_offsets"]

#: Half-open ranges in characters, ascending.
Spans = tuple[tuple[int, int], ...]

# At least four columns: a tab always reaches the fourth.
_INDENTED: Final = re.compile(r" {0,3}\t| {4}")
_FENCE: Final = re.compile(r" {0,3}(?:(?P<ticks>`{3,})[^`]*|(?P<tildes>~{3,}).*)", re.DOTALL)
_HEADING: Final = re.compile(r"#{1,6}(?:[ \t]|$)")
_BREAK: Final = re.compile(r"(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})")
_UNDERLINE: Final = re.compile(r"(?:=+|-+)[ \t]*")
_ESCAPE_OR_RUN: Final = re.compile(r"\\.|`+", re.DOTALL)
_RUN: Final = re.compile(r"`+")


class _Kind(Enum):
    BLANK = auto()
    INDENTED = auto()
    HEADING = auto()
    BREAK = auto()
    UNDERLINE = auto()
    TEXT = auto()


def code_ranges(body: str) -> Spans:
    """Return the code in ``body`` as half-open UTF-8 byte ranges, by start and then end."""
    spans = code_spans(body)
    if not spans or body.isascii():
        return spans
    offsets = to_byte_offsets(body, sorted({offset for span in spans for offset in span}))
    return tuple((offsets[start], offsets[end]) for start, end in spans)


def to_byte_offsets(body: str, ascending: Sequence[int]) -> dict[int, int]:
    """Map character offsets, given in ascending order, to UTF-8 byte offsets."""
    if body.isascii():
        return {offset: offset for offset in ascending}
    mapped: dict[int, int] = {}
    last = total = 0
    for offset in ascending:
        total += byte_length(body[last:offset])
        mapped[offset] = total
        last = offset
    return mapped


def code_spans(body: str) -> Spans:
    """Return the code in ``body`` as half-open ranges of characters."""
    if not _may_hold_code(body):
        return ()
    blocks, boundaries = _blocks(*_lines(body))
    inline = _inline(body, blocks, boundaries) if "`" in body else []
    return tuple(sorted([*blocks, *inline]))


def _may_hold_code(body: str) -> bool:
    # Indented code needs a tab or four spaces; the other two need their own characters.
    return "`" in body or "~~~" in body or "\t" in body or "    " in body


def _lines(body: str) -> tuple[list[str], list[int]]:
    """Return the content of each line, and the edges: where each line begins, and the end."""
    lines = body.split("\n")
    edges = [0, *accumulate(len(line) + 1 for line in lines)]
    if lines[-1]:
        edges[-1] = len(body)
    else:
        lines.pop()
        edges.pop()
    return [line.rstrip("\r") for line in lines], edges


def _kind(content: str) -> _Kind:
    text = content.lstrip(" \t")
    if not text:
        return _Kind.BLANK
    if len(text) < len(content) and _INDENTED.match(content):
        return _Kind.INDENTED
    if text[0] not in "#=-_*":
        return _Kind.TEXT
    if _HEADING.match(text):
        return _Kind.HEADING
    # Three dashes are an underline as well; both end the block and both are boundaries.
    if _BREAK.fullmatch(text):
        return _Kind.BREAK
    return _Kind.UNDERLINE if _UNDERLINE.fullmatch(text) else _Kind.TEXT


def _blocks(lines: list[str], edges: list[int]) -> tuple[list[tuple[int, int]], list[int]]:
    """Return the fences and indented blocks, and the offsets that no inline span may cross."""
    blocks: list[tuple[int, int]] = []
    boundaries: list[int] = []
    paragraph_open = False
    at = 0
    while at < len(lines):
        kind = _kind(lines[at])
        after = at + 1
        if kind is _Kind.TEXT:
            fence = _fence_end(lines, at)
            if fence is not None:
                after = fence
                blocks.append((edges[at], edges[after]))
            paragraph_open = fence is None
        elif kind is _Kind.INDENTED:
            if not paragraph_open:
                last, after = _indented_end(lines, at)
                blocks.append((edges[at], edges[last + 1]))
        else:
            boundaries += (edges[at], edges[after])
            # A line that looks like an underline and has nothing above is a paragraph.
            paragraph_open = kind is _Kind.UNDERLINE and not paragraph_open
        at = after
    return blocks, boundaries


def _fence_end(lines: list[str], at: int) -> int | None:
    """Return the index after the fence that opens at this line, or None if none opens."""
    opener = _FENCE.fullmatch(lines[at])
    if opener is None:
        return None
    run = opener["ticks"] or opener["tildes"]
    closer = re.compile(rf" {{0,3}}{re.escape(run[0])}{{{len(run)},}}[ \t]*")
    for index in range(at + 1, len(lines)):
        if closer.fullmatch(lines[index]):
            return index + 1
    return len(lines)


def _indented_end(lines: list[str], at: int) -> tuple[int, int]:
    """Return the last line of the block that starts here, and the line after its blank tail.

    No span can cross that tail, since none can cross the block before it: it is no boundary.
    """
    last = index = at
    while index < len(lines):
        kind = _kind(lines[index])
        if kind is _Kind.INDENTED:
            last = index
        elif kind is not _Kind.BLANK:
            break
        index += 1
    return last, index


def _inline(
    body: str, blocks: list[tuple[int, int]], boundaries: list[int]
) -> Iterator[tuple[int, int]]:
    """Yield the inline spans between the blocks."""
    runs: dict[int, list[int]] = {}
    for run in _RUN.finditer(body):
        runs.setdefault(run.end() - run.start(), []).append(run.start())
    at = 0
    for start, end in [*blocks, (len(body), len(body))]:
        yield from _inline_between(body, at, start, runs, boundaries)
        at = end


def _inline_between(
    body: str, at: int, stop: int, runs: dict[int, list[int]], boundaries: list[int]
) -> Iterator[tuple[int, int]]:
    while (found := _ESCAPE_OR_RUN.search(body, at, stop)) is not None:
        at = found.end()
        if body[found.start()] == "\\":
            continue
        length = found.end() - found.start()
        edge = bisect_right(boundaries, found.start())
        limit = min(stop, boundaries[edge]) if edge < len(boundaries) else stop
        same = runs.get(length, [])
        closer = bisect_left(same, at)
        if closer < len(same) and same[closer] < limit:
            at = same[closer] + length
            yield found.start(), at
