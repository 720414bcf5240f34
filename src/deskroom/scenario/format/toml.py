"""A TOML file, read so that nothing in it can hurt: its data, and where each key stands.

A file that cannot be read gives one ``FileError`` and gives it soon. ``tomllib`` itself is slow or
greedy on a few shapes (a key of many parts; tables by the million) and runs out of stack on deep
nesting, so the marks that make these shapes are counted before it sees the text.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Final

from attrs import field, frozen

from deskroom.errors import FileError
from deskroom.files import read_bytes
from deskroom.scenario.format.position import STRING, Index, KeyPath, Place, place_of

__all__ = ["MAX_FILE_BYTES", "Document", "Location", "Places", "parse_toml", "read_toml"]

#: A larger file is refused unread.
MAX_FILE_BYTES: Final = 16 * 1024 * 1024
#: A mark is one of ``= . , [ { #`` outside strings. Those that make a key or a table, all but the
#: comma and the hash, cost up to 2 kB and 15 microseconds in ``tomllib`` and where places are found.
_MAX_MARKS: Final = 1_000_000
_MAX_KEYS: Final = 200_000
_MAX_NESTING: Final = 100
_MAX_KEY_PARTS: Final = 100
_MAX_NUMBER: Final = 1000

#: Patterns that few texts need; ``re`` compiles them when they are first used.
_MARK: Final = rf"(?x) {STRING} | (?P<mark> [=.,\[\]{{}}] | \#[^\n]*+ )"
_MAYBE_LONG_NUMBER: Final = re.compile(rf"[0-9A-Fa-f_]{{{_MAX_NUMBER + 1}}}")
_BARE: Final = rf"(?x) {STRING} | \#[^\n]*+ | (?P<bare> [0-9A-Za-z_]++ )"

_TOMLLIB_PLACE: Final = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)\Z")
#: What ``tomllib`` says where a key is given twice, of which it names only some.
_GIVEN_TWICE: Final = re.compile(r"Cannot (declare|overwrite|mutate|redefine)|Duplicate")
_KEY_TUPLE: Final = re.compile(r"\((?:'[\w-]+',? ?)+\)")
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
_SENTENCE_LENGTH: Final = 200
#: What is said where a scenario cannot be read and a simple sentence tells why.
_READ: Final[Mapping[str | None, str]] = {
    "no_file": "there is no such file",
    "folder": "this is a folder; a file is needed",
}


@frozen(eq=False)
class Document:
    """A TOML text as data. ``path`` is as the user gave it."""

    path: str
    text: str = field(repr=False)
    data: dict[str, Any] = field(repr=False)

    @cached_property
    def _index(self) -> Index:
        return Index(self.text)

    def key_at(self, path: KeyPath) -> Place:
        """Return the place of a key; of a key that is not there, its table's."""
        return self._index.key_at(path)

    def value_at(self, path: KeyPath) -> Place:
        """Return the place of a value (of a table: its header); if not there, its table's."""
        return self._index.value_at(path)


@frozen(eq=False)
class Location:
    """Where a value of a document stands, worked out when somebody asks, which few do."""

    document: Document
    path: KeyPath

    @property
    def place(self) -> Place:
        """The place of the value; of a table, that of its header."""
        return self.document.value_at(self.path)


class Places(Mapping[str, Place]):
    """Where each key of a table stands, in the order of the file, worked out when asked for."""

    def __init__(self, document: Document, path: KeyPath, table: Mapping[str, Any]) -> None:
        self._document = document
        self._path = path
        self._table = table

    def __getitem__(self, key: str) -> Place:
        if key not in self._table:
            raise KeyError(key)
        return self._document.key_at((*self._path, key))

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)


def read_toml(path: str | os.PathLike[str]) -> Document:
    """Read a TOML file. Raises ``FileError`` when it is missing, unreadable or not TOML."""
    name = os.fspath(path)
    raw = _read_bytes(name)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8")
        problem = f"the file is not UTF-8: found byte 0x{raw[error.start]:02x}"
        raise _error(name, "not_utf8", problem, place_of(before, len(before))) from None
    return parse_toml(text, name)


def parse_toml(text: str, path: str = "<text>") -> Document:
    """Read a TOML text. Raises ``FileError`` with the line and column of the first fault."""
    if text.startswith("\ufeff"):
        problem = "the file begins with a byte order mark; save it as UTF-8 without one"
        raise _error(path, "byte_order_mark", problem, Place(1, 1))
    surrogate = None if text.isascii() else _SURROGATE.search(text)
    if surrogate is not None:
        problem = "the text contains half of a surrogate pair, which is not a character"
        raise _error(path, "surrogate", problem, place_of(text, surrogate.start()))
    _refuse_long_numbers(text, path)
    too_deep = _count_marks(text, path)
    return Document(path, text, _load(text, path, too_deep))


def _read_bytes(path: str) -> bytes:
    try:
        return read_bytes(path, MAX_FILE_BYTES)
    except FileError as error:
        raise FileError(path, _READ.get(error.kind, error.problem), kind=error.kind) from None


def _refuse_long_numbers(text: str, path: str) -> None:
    """A number of many digits cannot be printed, and TOML's whole numbers have 64 bits."""
    if _MAYBE_LONG_NUMBER.search(text) is None:
        return
    for match in re.finditer(_BARE, text):
        bare = match["bare"]
        if bare is not None and len(bare) > _MAX_NUMBER and bare[0].isdigit():
            problem = f"a number has {len(bare)} characters; at most {_MAX_NUMBER} are read"
            raise _error(path, "too_long", problem, place_of(text, match.start()))


def _count_marks(text: str, path: str) -> int | None:
    """Refuse too many marks; return the offset where values begin to nest too deeply, if any."""
    if _has_few_marks(text):
        return None
    too_deep: int | None = None
    marks = keys = nesting = dots = 0
    for match in re.finditer(_MARK, text):
        mark = match["mark"]
        if mark is None:
            continue
        marks += mark not in "]}"
        keys += mark in "=.[{"
        dots = dots + 1 if mark == "." else 0
        nesting += (mark in "[{") - (mark in "]}")
        if nesting > _MAX_NESTING and too_deep is None:
            too_deep = match.start()
        if marks > _MAX_MARKS or keys > _MAX_KEYS:
            most = f"{_MAX_KEYS:,} keys and tables"
            if marks > _MAX_MARKS:
                most = f"{_MAX_MARKS:,} keys, values and tables"
            problem = f"the file has more than {most}"
            raise _error(path, "too_large", problem, place_of(text, match.start()))
        if dots > _MAX_KEY_PARTS:
            problem = f"a key has more than {_MAX_KEY_PARTS} parts"
            raise _error(path, "too_long", problem, place_of(text, match.start()))
    return too_deep


def _has_few_marks(text: str) -> bool:
    """Whether no limit can be met, wherever the marks stand: so it is in nearly every file."""
    opened = text.count("[") + text.count("{")
    few = opened <= _MAX_NESTING and text.count(".") <= _MAX_KEY_PARTS
    return few and len(text) <= _MAX_KEYS


def _load(text: str, path: str, too_deep: int | None) -> dict[str, Any]:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(text, path, str(error)) from None
    except RecursionError:
        raise _too_deep(text, path, too_deep or 0) from None
    if too_deep is not None:
        raise _too_deep(text, path, too_deep)
    return data


def _too_deep(text: str, path: str, offset: int) -> FileError:
    problem = f"values are nested more than {_MAX_NESTING} levels deep"
    return _error(path, "too_deep", problem, place_of(text, offset))


def _syntax_error(text: str, path: str, message: str) -> FileError:
    """Turn what ``tomllib`` says into an error of ours, with its place as numbers."""
    found = _TOMLLIB_PLACE.search(message)
    if _GIVEN_TWICE.match(message):
        from deskroom.scenario.format.duplicate import duplicate_error  # noqa: PLC0415 - rarely used

        last_line = int(found[1]) if found is not None and found[1] else text.count("\n") + 1
        twice = duplicate_error(text, path, last_line)
        if twice is not None:
            return twice
    sentence = message if found is None else message[: found.start()]
    sentence = _KEY_TUPLE.sub(lambda key: ".".join(re.findall(r"[\w-]+", key[0])), sentence)
    sentence = f"this is not TOML: {sentence[:1].lower()}{sentence[1:_SENTENCE_LENGTH]}"
    if found is None or found[1] is None:
        return _error(path, "not_toml", sentence, place_of(text, len(text.rstrip("\r\n"))))
    return _error(path, "not_toml", sentence, Place(int(found[1]), int(found[2])))


def _error(path: str, kind: str, problem: str, place: Place) -> FileError:
    return FileError(path, problem, line=place.line, column=place.column, kind=kind)
