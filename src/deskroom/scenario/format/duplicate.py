"""The key of a TOML text that is given twice: which it is, and where both of them stand.

``tomllib`` says only where it stopped. So the text is read a second time, by the rules of TOML for
what may be said again: a list of tables, and a table that was only named on the way to another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from attrs import define, field

from deskroom.scenario.format.position import (
    KeyPath,
    key_names,
    outline,
    parser,
    place_of,
    without_comments,
)
from deskroom.scenario.format.problems import KeyProblem, key_text

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["duplicate_error"]

#: How a key came to be: by a value, by a header, on the way to a deeper header, on the way to a
#: deeper key, or as a list of tables.
_Kind = Literal["value", "header", "implied", "dotted", "tables"]


def duplicate_error(text: str, path: str, last_line: int) -> KeyProblem | None:
    """Return the error for the first key that is given twice, or None where none is found.

    ``last_line`` is where reading stopped: what comes later is not the cause.
    """
    try:
        _Reader(text).read()
    except _Twice as twice:
        first, second = place_of(text, twice.first), place_of(text, twice.second)
        if second.line > last_line:
            return None
        problem = f"this is given twice; the first is at {first.line}:{first.column}"
        key = key_text(twice.path)
        return KeyProblem(path, problem, key=key, place=second, kind="duplicate_key")
    return None


class _Twice(Exception):
    """A key is given twice, at these offsets."""

    def __init__(self, path: KeyPath, first: int, second: int) -> None:
        self.path = path
        self.first = first
        self.second = second
        super().__init__(path)


@define
class _Given:
    """A key that was given, and what is inside it; of a list of tables, ``tables`` are these."""

    offset: int
    kind: _Kind
    inside: dict[str, _Given] = field(factory=dict)
    tables: list[_Given] = field(factory=list)


class _Reader:
    """Reads a text from the top, until a key is given twice."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._top = _Given(0, "header")

    def read(self) -> None:
        for node in parser().parse(outline(self._text)).root_node.named_children:
            if node.type == "pair":
                self._pair(node, self._top, ())
            elif node.type in {"table", "table_array_element"}:
                table, path = self._header(node)
                self._pairs(node, table, path)

    def _pairs(self, node: Node, table: _Given, path: KeyPath) -> None:
        for child in node.named_children:
            if child.type == "pair":
                self._pair(child, table, path)

    def _pair(self, node: Node, table: _Given, path: KeyPath) -> None:
        parts = without_comments(node)
        *above, (name, offset) = key_names(self._text, parts[0])
        for step, at in above:
            path = (*path, step)
            inner = table.inside.setdefault(step, _Given(at, "dotted"))
            if inner.kind != "dotted":
                raise _Twice(path, inner.offset, at)
            table = inner
        path = (*path, name)
        self._new(table, name, path, _Given(offset, "value"))
        self._value(parts[-1], path)

    def _value(self, node: Node, path: KeyPath) -> None:
        if node.type == "inline_table":
            self._pairs(node, _Given(node.start_byte, "value"), path)
        elif node.type == "array":
            for at, item in enumerate(without_comments(node)):
                self._value(item, (*path, at))

    def _header(self, node: Node) -> tuple[_Given, KeyPath]:
        *above, (name, offset) = key_names(self._text, without_comments(node)[0])
        table, path = self._descend(above)
        path = (*path, name)
        before = table.inside.get(name)
        if node.type == "table_array_element":
            if before is None or before.kind != "tables":
                before = self._new(table, name, path, _Given(offset, "tables"))
            before.tables.append(_Given(offset, "header"))
            return before.tables[-1], (*path, len(before.tables) - 1)
        if before is not None and before.kind == "implied":
            before.kind, before.offset = "header", offset
            return before, path
        return self._new(table, name, path, _Given(offset, "header")), path

    def _descend(self, names: Sequence[tuple[str, int]]) -> tuple[_Given, KeyPath]:
        """Return the table that the first parts of a header lead to."""
        table = self._top
        path: KeyPath = ()
        for name, offset in names:
            path = (*path, name)
            table = table.inside.setdefault(name, _Given(offset, "implied"))
            if table.kind == "value":
                raise _Twice(path, table.offset, offset)
            if table.kind == "tables":
                path = (*path, len(table.tables) - 1)
                table = table.tables[-1]
        return table, path

    def _new(self, table: _Given, name: str, path: KeyPath, given: _Given) -> _Given:
        before = table.inside.setdefault(name, given)
        if before is not given:
            raise _Twice(path, before.offset, given.offset)
        return given
