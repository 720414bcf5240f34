"""Changing a list that has lines of its own: an item goes or comes, and every comment stays.

What goes takes its comma with it, and its line where nothing else stands there. What comes is put
behind the item before it: on a line of its own where the line ends there, else beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any, Final

from attrs import frozen

from deskroom.scenario.format.position import Span
from deskroom.scenario.format.write import toml_value

__all__ = ["Cut", "list_cuts"]

_COMMA: Final = re.compile(r"(?:\s|#[^\n]*+)*+,")
_SPACE: Final = re.compile(r"[ \t]*")
_LINE_REST: Final = frozenset("\r\n#")


@frozen
class Cut:
    """A stretch of the text and what stands there instead."""

    start: int
    stop: int
    text: str = ""


def list_cuts(
    text: str, start: int, items: Sequence[Span], before: Sequence[Any], after: Sequence[Any]
) -> Iterator[Cut]:
    """Yield what makes a list hold other items. It begins at ``start``; ``items`` are where they are."""
    editor = _ListEditor(text, start, items)
    values = [toml_value(value) for value in after]
    matcher = SequenceMatcher(None, [toml_value(value) for value in before], values, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            continue
        common = min(i2 - i1, j2 - j1)
        for at in range(common):
            item = items[i1 + at]
            yield Cut(item.value, item.end or 0, values[j1 + at])
        for at in range(i1 + common, i2):
            yield from editor.without(at)
        if j1 + common < j2:
            yield from editor.put_in(i1 + common, values[j1 + common : j2])


class _ListEditor:
    """Finds the cuts in one list."""

    def __init__(self, text: str, start: int, items: Sequence[Span]) -> None:
        self._text = text
        self._start = start
        self._items = items
        self._line_end = "\r\n" if "\r\n" in text else "\n"

    def without(self, at: int) -> Iterator[Cut]:
        """Yield what takes an item out."""
        start, end = self._items[at].value, self._end(at)
        stop = self._behind(at)
        if self._text[end : stop - 1].strip(" \t"):  # a comment stands between it and its comma
            yield Cut(start, end)
            yield Cut(stop - 1, stop)
            return
        rest = self._skip(stop)
        line = self._line(start)
        if self._text[line:start].strip(" \t"):
            ends = self._text[rest] in _LINE_REST or self._text[rest] == "]"
            yield Cut(self._skip_back(start), stop) if ends else Cut(start, rest)
        elif self._text[rest] in "\r\n":
            yield Cut(line, self._text.index("\n", rest) + 1)
        else:
            yield Cut(start, rest)

    def put_in(self, at: int, values: Sequence[str]) -> Iterator[Cut]:
        """Yield what puts values before the item at a position, or behind the last."""
        behind = self._behind(at - 1) if at else self._start + 1
        lacks_comma = at > 0 and behind == self._end(at - 1)
        rest = self._skip(behind)
        if self._text[rest] in _LINE_REST:
            if lacks_comma:
                yield Cut(behind, behind, ",")
            line = self._text.index("\n", rest) + 1
            lines = "".join(f"{self._indent()}{value},{self._line_end}" for value in values)
            yield Cut(line, line, lines)
        elif at == 0:
            yield Cut(rest, rest, "".join(f"{value}, " for value in values))
        elif lacks_comma:
            yield Cut(behind, behind, "".join(f", {value}" for value in values))
        else:
            yield Cut(behind, behind, "".join(f" {value}," for value in values))

    def _end(self, at: int) -> int:
        return self._items[at].end or 0

    def _behind(self, at: int) -> int:
        """Return the offset behind an item and its comma."""
        comma = _COMMA.match(self._text, self._end(at))
        return self._end(at) if comma is None else comma.end()

    def _indent(self) -> str:
        for item in self._items:
            before = self._text[self._line(item.value) : item.value]
            if not before.strip(" \t"):
                return before
        line = self._line(self._start)
        return self._text[line : self._skip(line)] + "    "

    def _line(self, offset: int) -> int:
        return self._text.rfind("\n", 0, offset) + 1

    def _skip(self, offset: int) -> int:
        space = _SPACE.match(self._text, offset)
        return offset if space is None else space.end()

    def _skip_back(self, offset: int) -> int:
        return len(self._text[:offset].rstrip(" \t"))
