"""Changing tables of a TOML text in place: what is not changed keeps its bytes.

Each change is cut into the text at its own place, so comments, order and white space around it
stay whatever they are. A comment inside what is written anew moves above it. What is written in a
way that cannot be changed like this is left alone; whoever calls reads the result again before it
is used.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from deskroom.scenario.format.patch_list import Cut, list_cuts
from deskroom.scenario.format.position import STRING, Index, KeyPath, Span
from deskroom.scenario.format.write import LINE_WIDTH, toml_value

__all__ = ["Edit", "Unplaced", "edited"]

#: Where a table is, what it holds and what it is to hold.
Edit = tuple[KeyPath, Mapping[str, Any], Mapping[str, Any]]

_COMMENT: Final = re.compile(rf"{STRING} | (?P<comment> \#[^\r\n]*+ )", re.VERBOSE)


class Unplaced(LookupError):
    """Something is written in a way in which it cannot be found again."""


def edited(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with its tables changed. None of them is empty after.

    Raises ``Unplaced`` for a key that cannot be found in the text.
    """
    editor = _Editor(text)
    cuts = [cut for path, before, after in edits for cut in editor.table(path, before, after)]
    cuts += editor.moved_comments()
    pieces: list[str] = []
    at = 0
    for cut in sorted(cuts, key=lambda cut: (cut.start, cut.stop)):
        pieces += (text[at : cut.start], cut.text)
        at = cut.stop
    return "".join([*pieces, text[at:]])


class _Editor:
    """Finds the cuts that change one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._index = Index(text)
        self._line_end = "\r\n" if "\r\n" in text else "\n"
        self._moved: dict[int, list[str]] = {}
        # The last line of a file may have no end of its own.
        self._is_open = not text.endswith("\n")

    def table(
        self, path: KeyPath, before: Mapping[str, Any], after: Mapping[str, Any]
    ) -> Iterator[Cut]:
        """Yield what makes a table say something else, in whichever way it is written."""
        if not path:
            yield from self._tables(before, after)
            return
        span = self._span(path)
        if span.end is not None and before.keys() != after.keys():
            rebuilt = self._rebuilt(path, span, before, after)
            yield self._anew(path, span.value, span.end, rebuilt)
            return
        for key, value in before.items():
            if key in after and after[key] != value:
                yield from self._value((*path, key), value, after[key])
        if span.end is None:
            yield from self._lines(path, span, before, after)

    def moved_comments(self) -> Iterator[Cut]:
        """Yield the comments of what is written anew, each on a line of its own above it."""
        for offset, comments in self._moved.items():
            yield Cut(offset, offset, self._comment_lines(offset, comments))

    def _span(self, path: KeyPath) -> Span:
        span = self._index.span_of(path)
        if span is None:
            raise Unplaced(path)
        return span

    def _value(self, path: KeyPath, before: Any, after: object) -> Iterator[Cut]:  # noqa: ANN401
        """Yield what gives a key another value; a table or a list keeps what is the same in it."""
        if isinstance(before, dict) and isinstance(after, dict):
            yield from self.table(path, before, after)
            return
        span = self._span(path)
        if (
            isinstance(before, list)
            and isinstance(after, list)
            and self._is_kept(span, before, after)
        ):
            if len(before) == len(after):
                for at, (old, new) in enumerate(zip(before, after, strict=True)):
                    if old != new:
                        yield from self._value((*path, at), old, new)
                return
            items = [self._span((*path, at)) for at in range(len(before))]
            yield from list_cuts(self._text, span.value, items, before, after)
        elif span.end is not None:
            yield self._anew(path, span.value, span.end, toml_value(after))
        else:
            yield from self._joined(path, span, before, after)

    def _is_kept(self, span: Span, before: list[Any], after: list[Any]) -> bool:
        """Whether a list is changed item by item: it has a layout, or as many items as before."""
        return len(before) == len(after) or "\n" in self._text[span.value : span.end]

    def _joined(
        self, path: KeyPath, span: Span, before: Mapping[str, Any], after: object
    ) -> Iterator[Cut]:
        """Yield what puts a value in place of a table of one key that has lines of its own."""
        (inner,) = (self._span((*path, key)) for key in before)
        pair = f"{path[-1]} = {toml_value(after)}"
        if span.value == span.key:  # next.none = "broadcast"
            yield Cut(span.key, inner.end or 0, pair)
            return
        header = ".".join(name for name in path[:-1] if isinstance(name, str))
        yield Cut(span.value, self._text.index("]", span.key) + 1, f"[{header}]")
        yield Cut(inner.key, inner.end or 0, pair)

    # What is written anew

    def _anew(self, path: KeyPath, start: int, stop: int, text: str) -> Cut:
        """Return the cut, and note the comments that would be lost with it."""
        lost = Counter(_comments(self._text[start:stop])) - Counter(_comments(text))
        if lost:
            line = self._line_start(self._first_on_its_line(path).key)
            self._moved.setdefault(line, []).extend(lost.elements())
        return Cut(start, stop, text)

    def _first_on_its_line(self, path: KeyPath) -> Span:
        """Return the innermost key or item around a value that nothing stands before."""
        for length in range(len(path), 0, -1):
            span = self._span(path[:length])
            if not self._before(span).strip(" \t"):
                return span
        return self._span(path)

    def _comment_lines(self, offset: int, comments: Iterable[str]) -> str:
        indent = self._indent(offset)
        return "".join(f"{indent}{comment}{self._line_end}" for comment in comments)

    # Keys of an inline table

    def _rebuilt(
        self, path: KeyPath, span: Span, before: Mapping[str, Any], after: Mapping[str, Any]
    ) -> str:
        """Return an inline table with other keys: what it keeps is as it was, to the byte."""
        pairs = []
        for key, value in after.items():
            kept = self._span((*path, key)) if before.get(key) == value else None
            raw = self._text[kept.value : kept.end] if kept and kept.end is not None else None
            pairs.append(f"{key} = {raw or toml_value(value)}")
        space = " " if self._text[span.value + 1].isspace() or not before else ""
        return f"{{{space}{', '.join(pairs)}{space}}}"

    # Keys that have lines of their own

    def _lines(
        self, path: KeyPath, span: Span, before: Mapping[str, Any], after: Mapping[str, Any]
    ) -> Iterator[Cut]:
        """Yield the lines to take out, and those to put in behind the last line of the table."""
        spans = {key: self._span((*path, key)) for key in before}
        for key, inner in spans.items():
            if key not in after:
                yield self._without(inner)
        added = {key: after[key] for key in after if key not in before}
        if not added:
            return
        ends = {key: self._last_line((*path, key), before[key]) for key in before}
        last = max((key for key in ends if ends[key]), key=lambda key: ends[key], default=None)
        at = self._next_line(span) if last is None else ends[last]
        start = self._indent(self._line_start(span.value))
        if last is not None:
            start = self._before(spans[last])
        text = "".join(self._added(path, span, start, key, added[key]) for key in added)
        yield Cut(at, at, self._line_before(at, is_kept=last is None or last in after) + text)

    def _line_before(self, at: int, *, is_kept: bool) -> str:
        """Return the end of the line before an offset, where it has none and is not taken out."""
        if at < len(self._text) or not self._is_open or not is_kept:
            return ""
        self._is_open = False
        return self._line_end

    def _without(self, span: Span) -> Cut:
        """Return what takes out a key. A comment inside a value of several lines stays."""
        start, stop = self._line_start(span.key), self._next_line(span)
        raw = self._text[start:stop]
        is_long = "\n" in self._text[span.key : span.end]
        return Cut(start, stop, self._comment_lines(start, _comments(raw)) if is_long else "")

    def _added(self, path: KeyPath, span: Span, start: str, key: str, value: object) -> str:
        """Return a new key as a line, or as a table of its own where the line would be too long."""
        line = f"{start}{key} = {toml_value(value)}"
        has_header = span.value != span.key
        if not isinstance(value, dict) or not has_header or len(line) <= LINE_WIDTH:
            return f"{line}{self._line_end}"
        header = ".".join(name for name in (*path, key) if isinstance(name, str))
        return self._block(header, value, start)

    def _block(self, header: str, pairs: Mapping[str, Any], start: str = "") -> str:
        """Return a table with a header of its own, below an empty line."""
        lines = [f"[{header}]", *(f"{key} = {toml_value(pairs[key])}" for key in pairs)]
        return self._line_end + "".join(f"{start}{line}{self._line_end}" for line in lines)

    def _tables(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Cut]:
        """Yield the tables that are put in at the end of the file."""
        at = len(self._text)
        for key in after:
            if key not in before:
                head = self._line_before(at, is_kept=True)
                yield Cut(at, at, head + self._block(key, after[key]))

    def _last_line(self, path: KeyPath, value: object) -> int:
        """Return where the lines of a key end, or 0 for one that has a header of its own."""
        span = self._span(path)
        if span.end is not None:
            return self._next_line(span)
        if span.value != span.key or not isinstance(value, dict):
            return 0
        return max(self._last_line((*path, key), value[key]) for key in value)

    def _before(self, span: Span) -> str:
        """Return what stands before a key on its line: white space, or the keys it is dotted to."""
        return self._text[self._line_start(span.key) : span.key]

    def _indent(self, line: int) -> str:
        rest = self._text[line:].lstrip(" \t")
        return self._text[line : len(self._text) - len(rest)]

    def _line_start(self, offset: int) -> int:
        return self._text.rfind("\n", 0, offset) + 1

    def _next_line(self, span: Span) -> int:
        end = span.value if span.end is None else span.end
        at = self._text.find("\n", end)
        return len(self._text) if at < 0 else at + 1


def _comments(text: str) -> list[str]:
    found = (match["comment"] for match in _COMMENT.finditer(text))
    return [comment.rstrip() for comment in found if comment is not None]
