"""Where every key and value of a TOML text stands.

``tomllib`` tells no positions, so tree-sitter reads the text a second time, without what does not
matter for that: a string is shown to it as one of the same length that holds only ``x``, and
comments and empty lines as spaces. So every byte offset is a character offset, and a long text
makes no large tree.

Lists and inline tables are opened only when something inside them is asked for. What tree-sitter
cannot read has no place of its own and is found at the table around it.
"""

from __future__ import annotations

import re
import tomllib
from array import array
from bisect import bisect_right
from collections.abc import Iterable
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Final

from attrs import define, field, frozen

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

__all__ = [
    "STRING",
    "Index",
    "KeyPath",
    "Place",
    "Span",
    "key_names",
    "outline",
    "parser",
    "place_of",
    "without_comments",
]

#: The keys and 0-based list positions that lead from the top of a file to a value.
KeyPath = tuple[str | int, ...]

_KEYS: Final = frozenset({"bare_key", "dotted_key", "quoted_key"})
_HOLDERS: Final = frozenset({"array", "inline_table"})

# Each alternative matches wherever it may begin, closed or not, so a scan never turns back.
STRING: Final = r"""
      \"{3} (?: [^"\\] | \\[\s\S] | "(?!"") )*+ (?: "{3,5}+ | \\?\Z )
    | '{3}  (?: [^'] | '(?!'') )*+              (?: '{3,5}+ | \Z )
    | "     (?: [^"\\\n] | \\. )*+              "?
    | '     [^'\n]*+                            '?
"""
_HIDDEN: Final = rf"(?x) (?P<string> {STRING} ) | \#[^\n]*+ | \n\s++"


@frozen(order=True)
class Place:
    """A line and a column of a text, both 1-based and counted in characters."""

    line: int
    column: int


def place_of(text: str, offset: int) -> Place:
    """Return the place of one character offset; for many, ask an ``Index``."""
    return Place(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


@frozen
class Span:
    """The character offsets of a key, and of its value from the first to behind the last.

    Of a table with a header of its own, ``value`` is where the header begins, which is before the
    key in it. ``end`` is None for a table that is no inline one.
    """

    key: int
    value: int
    end: int | None


@define
class _Entry:
    """A key or a list element: the offsets of its key and its value, and what is inside."""

    key: int
    value: int
    end: int | None = None
    unopened: Node | None = None
    inside: dict[str | int, _Entry] = field(factory=dict)


class Index:
    """The places of the keys and values of one TOML text."""

    def __init__(self, text: str) -> None:
        self._text = text
        ends = (match.end() for match in re.finditer("\n", text))
        self._line_starts = array("Q", chain((0,), ends))
        self._root = _Entry(0, 0)
        self._read(parser().parse(outline(text)).root_node)

    def key_at(self, path: KeyPath) -> Place:
        """Return the place of a key; of a key that is not there, its table's."""
        entry, is_there = self._find(path)
        return self._place(entry.key if is_there else entry.value)

    def value_at(self, path: KeyPath) -> Place:
        """Return the place of a value (of a table: its header); if not there, its table's."""
        return self._place(self._find(path)[0].value)

    def span_of(self, path: KeyPath) -> Span | None:
        """Return where a key and its value begin and end, or None for a key that is not there."""
        entry, is_there = self._find(path)
        return Span(entry.key, entry.value, entry.end) if is_there else None

    def _place(self, offset: int) -> Place:
        line = bisect_right(self._line_starts, offset)
        return Place(line, offset - self._line_starts[line - 1] + 1)

    def _find(self, path: KeyPath) -> tuple[_Entry, bool]:
        entry = self._root
        for step in path:
            inner = self._opened(entry).get(step)
            if inner is None:
                return entry, False
            entry = inner
        return entry, True

    # --- reading the tree ----------------------------------------------------------------------

    def _read(self, root: Node) -> None:
        for node in root.named_children:
            if node.type == "pair":
                self._read_pair(node, self._root)
            elif node.type in {"table", "table_array_element"}:
                self._read_pairs(node, self._read_header(node))

    def _read_pairs(self, node: Node, table: _Entry) -> None:
        for child in node.named_children:
            if child.type == "pair":
                self._read_pair(child, table)

    def _read_pair(self, node: Node, table: _Entry) -> None:
        parts = without_comments(node)
        *above, (name, offset) = key_names(self._text, parts[0] if parts else node)
        self._descend(table, above).inside[name] = _entry(offset, parts[-1] if parts else node)

    def _read_header(self, node: Node) -> _Entry:
        key = next((child for child in node.named_children if child.type in _KEYS), node)
        *above, (name, offset) = key_names(self._text, key)
        named = _child(self._descend(self._root, above), name, offset)
        if node.type == "table_array_element":
            element = _Entry(offset, node.start_byte)
            named.inside[len(named.inside)] = element
            return element
        # Until now it may have been named only in passing, as the `a` of `[a.b]`.
        named.key, named.value = offset, node.start_byte
        return named

    def _descend(self, table: _Entry, names: Iterable[tuple[str, int]]) -> _Entry:
        for name, offset in names:
            inner = _child(table, name, offset)
            # A list of tables stands for its last table; anything else for itself.
            table = inner.inside.get(len(inner.inside) - 1, inner)
        return table

    def _opened(self, entry: _Entry) -> dict[str | int, _Entry]:
        node, entry.unopened = entry.unopened, None
        if node is not None and node.type == "inline_table":
            self._read_pairs(node, entry)
        elif node is not None:
            values = enumerate(without_comments(node))
            entry.inside.update((i, _entry(value.start_byte, value)) for i, value in values)
        return entry.inside


# --- what the tree says --------------------------------------------------------------------------


def key_names(text: str, key: Node) -> list[tuple[str, int]]:
    """Return the parts of a key with their offsets; `a.b.c` nests to the left in the tree."""
    parts: list[Node] = []
    while key.type == "dotted_key":
        key, *rest = key.named_children
        parts.extend(reversed(rest))
    parts.append(key)
    return [(_name(text, part), part.start_byte) for part in reversed(parts)]


def _name(text: str, part: Node) -> str:
    raw = text[part.start_byte : part.end_byte]
    if part.type != "quoted_key":
        return raw
    if "\\" not in raw:
        return raw[1:-1]
    try:
        return next(iter(tomllib.loads(f"{raw} = 0")))
    except tomllib.TOMLDecodeError:
        return raw


@cache
def parser() -> Parser:
    """Return the reader of TOML. A file in which nothing is wrong does without it."""
    import tree_sitter_toml  # noqa: PLC0415 - see above
    from tree_sitter import Language, Parser  # noqa: PLC0415 - see above

    return Parser(Language(tree_sitter_toml.language()))


def outline(text: str) -> bytes:
    """Return the text in ASCII, of the same length, with nothing in it but its structure."""
    return re.sub(_HIDDEN, _blank_out, text).encode("ascii", "replace")


def _blank_out(found: re.Match[str]) -> str:
    length = found.end() - found.start()
    if found["string"] is None:
        return found[0][0].replace("#", " ") + " " * (length - 1)
    return f"'{'x' * (length - 2)}'"


def without_comments(node: Node) -> list[Node]:
    """Return what a node holds but for the comments in it."""
    return [child for child in node.named_children if child.type != "comment"]


def _entry(key: int, value: Node) -> _Entry:
    held = value if value.type in _HOLDERS else None
    return _Entry(key, value.start_byte, value.end_byte, held)


def _child(table: _Entry, name: str, offset: int) -> _Entry:
    return table.inside.setdefault(name, _Entry(offset, offset))
