"""Changing tables of a TOML text in place: what is not changed keeps its bytes.

Each change is cut into the text at its own place, so comments, order and white space around it
stay whatever they are. What is written in a way that cannot be changed like this is left alone;
whoever calls reads the result again before it is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import frozen

from deskroom.scenario.format.position import Index, KeyPath, Span
from deskroom.scenario.format.write import toml_value

__all__ = ["Edit", "Unplaced", "edited"]

#: Where a table is, what it holds and what it is to hold.
Edit = tuple[KeyPath, Mapping[str, Any], Mapping[str, Any]]


class Unplaced(LookupError):
    """Something is written in a way in which it cannot be found again."""


@frozen
class _Cut:
    """A stretch of the text and what stands there instead."""

    start: int
    stop: int
    text: str


def edited(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with its tables changed. None of them is empty before or after.

    Raises ``Unplaced`` for a key that cannot be found in the text.
    """
    editor = _Editor(text)
    cuts = [cut for path, before, after in edits for cut in editor.table(path, before, after)]
    for cut in sorted(cuts, key=lambda cut: (cut.start, cut.stop), reverse=True):
        text = text[: cut.start] + cut.text + text[cut.stop :]
    return text


class _Editor:
    """Finds the cuts that change one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._index = Index(text)
        self._line_end = "\r\n" if "\r\n" in text else "\n"

    def table(
        self, path: KeyPath, before: Mapping[str, Any], after: Mapping[str, Any]
    ) -> Iterator[_Cut]:
        """Yield what makes a table say something else, in whichever way it is written."""
        span = self._span(path)
        if span.end is not None and before.keys() != after.keys():
            yield _Cut(span.value, span.end, self._rebuilt(path, span, before, after))
            return
        for key, value in before.items():
            if key in after and after[key] != value:
                yield from self._value((*path, key), value, after[key])
        if span.end is None:
            yield from self._lines(path, before, after)

    def _span(self, path: KeyPath) -> Span:
        span = self._index.span_of(path)
        if span is None:
            raise Unplaced(path)
        return span

    def _value(self, path: KeyPath, before: Any, after: object) -> Iterator[_Cut]:  # noqa: ANN401
        """Yield what gives a key another value; a table or a list keeps what is the same in it."""
        if isinstance(before, dict) and isinstance(after, dict):
            yield from self.table(path, before, after)
            return
        span = self._span(path)
        if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
            for at, (old, new) in enumerate(zip(before, after, strict=True)):
                if old != new:
                    yield from self._value((*path, at), old, new)
        elif span.end is not None:
            yield _Cut(span.value, span.end, toml_value(after))
        else:
            yield from self._joined(path, span, before, after)

    def _joined(
        self, path: KeyPath, span: Span, before: Mapping[str, Any], after: object
    ) -> Iterator[_Cut]:
        """Yield what puts a value in place of a table of one key that has lines of its own."""
        (inner,) = (self._span((*path, key)) for key in before)
        pair = f"{path[-1]} = {toml_value(after)}"
        if span.value == span.key:  # next.none = "broadcast"
            yield _Cut(span.key, inner.end or 0, pair)
            return
        header = ".".join(name for name in path[:-1] if isinstance(name, str))
        yield _Cut(span.value, self._text.index("]", span.key) + 1, f"[{header}]")
        yield _Cut(inner.key, inner.end or 0, pair)

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
        space = " " if self._text[span.value + 1].isspace() else ""
        return f"{{{space}{', '.join(pairs)}{space}}}"

    # Keys that have lines of their own

    def _lines(
        self, path: KeyPath, before: Mapping[str, Any], after: Mapping[str, Any]
    ) -> Iterator[_Cut]:
        """Yield the lines to take out, and those to put in behind the last line of the table."""
        spans = {key: self._span((*path, key)) for key in before}
        for key, span in spans.items():
            if key not in after:
                yield _Cut(self._line_start(span.key), self._next_line(span), "")
        added = [key for key in after if key not in before]
        if added:
            last = max(spans, key=lambda key: spans[key].key)
            at = self._next_line(spans[last])
            lines = [
                f"{self._before(spans[last])}{key} = {toml_value(after[key])}" for key in added
            ]
            # The last line of a file may have no end of its own.
            head = self._line_end if last in after and self._text[at - 1] != "\n" else ""
            yield _Cut(at, at, head + "".join(f"{line}{self._line_end}" for line in lines))

    def _before(self, span: Span) -> str:
        """Return what stands before a key on its line: white space, or the keys it is dotted to."""
        return self._text[self._line_start(span.key) : span.key]

    def _line_start(self, offset: int) -> int:
        return self._text.rfind("\n", 0, offset) + 1

    def _next_line(self, span: Span) -> int:
        end = span.value if span.end is None else span.end
        at = self._text.find("\n", end)
        return len(self._text) if at < 0 else at + 1
