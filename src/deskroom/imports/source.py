"""What an importer may look at: one input, read within bounds and never trusted.

An input is a file, a folder, a zip or an SQLite database, and nothing but it is opened. Nothing is
unpacked to disk, read as code, or guessed: what is not UTF-8 (or UTF-16 with its mark) is an error
that names the byte, until the user names the encoding.
"""

from __future__ import annotations

import codecs
import hashlib
import io
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import IO, Any, Final, Literal

from deskroom.errors import FileError, UsageError
from deskroom.imports.jsontext import parse_json
from deskroom.imports.limits import MOST_DOCUMENT_BYTES, MOST_HEAD_BYTES, MOST_LINE_BYTES
from deskroom.imports.records import Place
from deskroom.printable import one_line

__all__ = ["Shape", "Source", "check_encoding"]

#: ``json`` is one document, ``jsonl`` one value a line; ``text`` is whatever else can be text.
Shape = Literal["json", "jsonl", "text", "zip", "folder", "sqlite", "empty"]

_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_UTF8: Final = frozenset({"utf-8", "utf-8-sig"})
_SQLITE: Final = b"SQLite format 3\0"
_ZIPS: Final = (b"PK\x03\x04", b"PK\x05\x06")
_BLANKS: Final = " \t\r\n"
_MOST_SAMPLES: Final = 20
#: A list or an object of JSON, by how it begins; a line that begins with a time in brackets is none.
_AFTER_BRACKET: Final = '{["]'
_AFTER_BRACE: Final = '"}'


def check_encoding(name: str) -> str:
    """Return the name of an encoding of texts. Raises ``UsageError`` for another name."""
    try:
        codec = codecs.lookup(name)
        "".encode(name)
    except (LookupError, ValueError, TypeError):
        raise UsageError(f"there is no encoding of texts called {name!r}") from None
    return codec.name


class Source(ABC):
    """One input. ``path`` is as the user gave it; of a member, with its name behind it."""

    def __init__(self, path: str, encoding: str | None = None) -> None:
        self.path = path
        self._encoding = encoding
        self._head: bytes | None = None
        self._shape: Shape | None = None
        self._document: list[Any] = []
        self._samples: list[Any] | FileError | None = None
        #: The number of a last line that was cut short, once it was met.
        self.cut_at: int | None = None
        #: How many of its bytes were read so far, since it was last opened.
        self.position = 0
        self.warnings: dict[tuple[int | None, str], None] = {}

    # --- what it is ------------------------------------------------------------------------

    @abstractmethod
    def open(self) -> IO[bytes]:
        """Open its bytes from the start. Raises ``FileError`` for what has none, as a folder."""

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.rstrip("/").rpartition("/")[2]

    @property
    def head(self) -> bytes:
        """Its first bytes, 64 KiB at most; empty for a folder."""
        if self._head is None:
            with self.open() as file:
                self._head = _read(file, MOST_HEAD_BYTES, self.path)
        return self._head

    @property
    def head_text(self) -> str:
        """Its head as text; half a character at the end is left out, broken bytes are U+FFFD."""
        return self.head.decode(self.encoding, errors="replace").removesuffix("\ufffd")

    @property
    def encoding(self) -> str:
        """The encoding of its text: the one given, else by its mark, else UTF-8."""
        if self._encoding is not None:
            return "utf-8-sig" if self._encoding == "utf-8" else self._encoding
        return next((name for mark, name in _MARKS if self.head.startswith(mark)), "utf-8")

    @property
    def shape(self) -> Shape:
        """What it looks like. JSON that breaks off, or breaks the rules, is JSON all the same."""
        if self._shape is None:
            self._shape = self._looked_at()
        return self._shape

    def _looked_at(self) -> Shape:
        if self.head.startswith(_SQLITE):
            return "sqlite"
        if self.head.startswith(_ZIPS):
            return "zip"
        start = self.head_text.lstrip("\ufeff" + _BLANKS)
        if not start:
            return "empty"
        if not _begins_json(start):
            return "text"
        return "jsonl" if self._is_lines() else "json"

    def _is_lines(self) -> bool:
        """Whether the first line is a whole value and another line follows."""
        found = 0
        for number, line in self.lines():
            if not line.strip(_BLANKS):
                continue
            if found:
                return True
            if not _is_whole(line, self.path, number):
                return False
            found = 1
        return False

    def described(self) -> str:
        """Say what was found in it, for the error when no format fits."""
        match self.shape:
            case "json" | "jsonl":
                return f"it is JSON{' lines' * (self.shape == 'jsonl')} with {self._keys()}"
            case "zip" | "folder":
                names = self.members()
                shown = ", ".join(map(one_line, names[:8])) + (" …" if len(names) > 8 else "")  # noqa: PLR2004
                return f"it is a {self.shape} with {shown or 'nothing in it'}"
            case "sqlite":
                return f"it is an SQLite database with the tables {', '.join(self.tables())}"
            case "empty":
                return "it is empty"
            case "text":
                first = next((line for line in self.head_text.split("\n") if line.strip()), "")
                return f"it is text that begins with {first.strip()[:60]!r}"

    def _keys(self) -> str:
        value = next(iter(self.samples(1)), None)
        if not isinstance(value, dict):
            return f"{type(value).__name__} values and no object"
        keys = ", ".join(one_line(str(key)[:40]) for key in list(value)[:12])
        return f"the keys {keys}" if keys else "objects without a key"

    # --- text ------------------------------------------------------------------------------

    def text(self) -> str:
        """Return its whole text. Raises ``FileError`` for more than 128 MiB or broken bytes."""
        raw = self.read_bytes()
        if self.encoding in _UTF8:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        try:
            return raw.decode(self.encoding).removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            if self.encoding not in _UTF8:
                raise self._undecodable(error, raw.count(b"\n", 0, error.start)) from None
            begin = raw.rfind(b"\n", 0, error.start) + 1
            line = raw.count(b"\n", 0, begin) + 1
            raise self._broken(raw[begin : error.end], error.start - begin, line) from None
        except UnicodeError as error:
            raise self._undecodable(error, 0) from None

    def lines(self) -> Iterator[tuple[int, str]]:
        r"""Yield each line with its number from 1, without its end (``\n`` or ``\r\n``).

        Only ``\n`` ends a line. One line is held at a time. Raises ``FileError`` for a line of more
        than 32 MiB, or broken bytes.
        """
        with self.open() as file:
            read = self._utf8_lines if self.encoding in _UTF8 else self._other_lines
            for number, line in read(file):
                yield number, line.removesuffix("\n").removesuffix("\r")

    def _utf8_lines(self, file: IO[bytes]) -> Iterator[tuple[int, str]]:
        number = self.position = 0
        while raw := _read_line(file, self.path, number + 1):
            number += 1
            self.position += len(raw)
            if number == 1:
                raw = raw.removeprefix(codecs.BOM_UTF8)
            try:
                yield number, raw.decode()
            except UnicodeDecodeError as error:
                raise self._broken(raw, error.start, number) from None

    def _broken(self, raw: bytes, at: int, line: int) -> FileError:
        column = len(raw[:at].decode(errors="replace")) + 1
        problem = (
            f"byte 0x{raw[at]:02X} is no UTF-8; name the encoding with --encoding NAME, "
            "such as cp1252 or utf-16"
        )
        return FileError(self.path, problem, line=line, column=column, kind="encoding")

    def _other_lines(self, file: IO[bytes]) -> Iterator[tuple[int, str]]:
        reader = io.TextIOWrapper(file, encoding=self.encoding, newline="\n")
        number = 0
        try:
            while line := reader.readline(MOST_LINE_BYTES + 1):
                number += 1
                if len(line) > MOST_LINE_BYTES:
                    raise _too_long(self.path, number)
                yield number, line.removeprefix("\ufeff") if number == 1 else line
        except UnicodeError as error:
            raise self._undecodable(error, number) from None
        finally:
            reader.detach()

    def _undecodable(self, error: UnicodeError, lines: int) -> FileError:
        reason = getattr(error, "reason", str(error))
        problem = (
            f"from here on the bytes are no {self.encoding} ({reason}); name the encoding with "
            "--encoding NAME"
        )
        return FileError(self.path, problem, line=lines + 1, kind="encoding")

    # --- JSON ------------------------------------------------------------------------------

    def json(self) -> Any:  # noqa: ANN401 - decoded JSON
        """Return the one document that it is; it is read once and must not be changed.

        Raises ``FileError`` with line and column for what is no JSON, breaks off, is nested more
        than 200 deep or larger than 128 MiB, holds a number of more than 4,000 digits or a key
        twice in one object.
        """
        if not self._document:
            self._document.append(parse_json(self.text(), self.path))
        return self._document[0]

    def json_lines(self) -> Iterator[tuple[Place, Any]]:
        """Yield the value on each line, with its place; blank lines are passed over.

        A last line that is cut short and has no end is left out with a warning. Raises
        ``FileError`` for a bad line anywhere else.
        """
        held: tuple[int, FileError] | None = None
        for number, line in self.lines():
            if held is not None and line.strip(_BLANKS):
                raise held[1]
            if not line.strip(_BLANKS):
                continue
            try:
                value = parse_json(line, self.path, line=number)
            except FileError as error:
                held = (number, error)
                continue
            yield Place(number, file=self._in_file), value
        if held is not None:
            self._cut_short(*held)

    def _cut_short(self, number: int, error: FileError) -> None:
        if self._ends_with_a_line() or error.kind != "cut" or number == 1:
            raise error
        self.cut_at = number
        self.warn(number, "the last line is cut short and is left out")

    def _ends_with_a_line(self) -> bool:
        """Whether its last byte is a line end."""
        last = b""
        with self.open() as file:
            if file.seekable():
                size = file.seek(0, io.SEEK_END)
                file.seek(max(size - 4, 0))
            while piece := file.read(1 << 20):
                last = (last + piece)[-4:]
        return last.rstrip(b"\0").endswith(b"\n")

    def values(self) -> Iterator[tuple[Place, Any]]:
        """Yield each value of JSON lines, each item of a list, or the one document.

        This is what most importers of messages want: the same for ``[{…}, {…}]`` and for one
        message a line.
        """
        if self.shape == "jsonl":
            yield from self.json_lines()
            return
        document = self.json()
        if isinstance(document, list):
            for at, value in enumerate(document):
                yield Place(pointer=f"/{at}", file=self._in_file), value
        else:
            yield Place(file=self._in_file), document

    def samples(self, most: int = _MOST_SAMPLES) -> Sequence[Any]:
        """Return the first values that ``values`` gives: what ``sniff`` looks at.

        Empty for what is not JSON. Raises ``FileError`` for JSON that is broken there.
        """
        if self.shape not in {"json", "jsonl"}:
            return ()
        if isinstance(self._samples, FileError):
            raise self._samples
        if self._samples is None:
            try:
                self._samples = [value for _, value in islice(self.values(), _MOST_SAMPLES)]
            except FileError as error:
                self._samples = error
                raise
        return self._samples[:most]

    # --- folders, zips, databases ----------------------------------------------------------

    def members(self) -> Sequence[str]:
        """Return the names of the files in a folder or zip, sorted, with ``/``; else nothing."""
        return ()

    def member(self, name: str) -> Source:
        """Return one of the members as a source. Raises ``FileError`` for a name that is not one."""
        raise FileError(self.path, f"there is no {name!r} in it", kind="no_file")

    def tables(self) -> Sequence[str]:
        """Return the names of the tables of a database, in its order; else nothing."""
        return ()

    def columns(self, table: str) -> Sequence[str]:  # noqa: ARG002
        """Return the names of the columns of a table; nothing for a table that is not there."""
        return ()

    def query(self, sql: str, parameters: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:  # noqa: ARG002
        """Yield the rows of a query of a database, opened read-only and as it stands."""
        raise FileError(self.path, "this is not an SQLite database", kind="format")

    # --- helpers ---------------------------------------------------------------------------

    @property
    def _in_file(self) -> str:
        """Its name in a place; empty for the input itself."""
        return ""

    def warn(self, line: int | None, problem: str) -> None:
        """Keep a warning for the user; the same one counts once, however often it is read."""
        self.warnings[line, problem] = None

    def error(self, place: Place, problem: str, *, kind: str = "format") -> FileError:
        """Return the error that something at a place is not as the format has it."""
        where = f"at {place.pointer}, " if place.pointer else ""
        return FileError(self.path, f"{where}{problem}", line=place.line, kind=kind)

    def read_bytes(self, most: int = MOST_DOCUMENT_BYTES) -> bytes:
        """Return all of its bytes. Raises ``FileError`` of kind ``too_large`` for more than that."""
        size = 0
        pieces = []
        with self.open() as file:
            while piece := _read(file, 1 << 20, self.path):
                size += len(piece)
                if size > most:
                    problem = f"the file is larger than {most >> 20} MiB, which is read at most"
                    raise FileError(self.path, problem, kind="too_large")
                pieces.append(piece)
        return b"".join(pieces)

    def digest(self) -> str:
        """Return the SHA-256 of its bytes, as ``sha256:…``."""
        total = hashlib.sha256()
        with self.open() as file:
            while piece := _read(file, 1 << 20, self.path):
                total.update(piece)
        return f"sha256:{total.hexdigest()}"


def _begins_json(start: str) -> bool:
    after = start[1:].lstrip(_BLANKS)[:1]
    if start[0] == "{":
        return not after or after in _AFTER_BRACE
    return start[0] == "[" and (not after or after in _AFTER_BRACKET)


def _is_whole(line: str, path: str, number: int) -> bool:
    try:
        parse_json(line, path, line=number)
    except FileError as error:
        return error.kind == "json" and line.rstrip(_BLANKS)[-1:] == "}" and line[:1] == "{"
    return True


def _read(file: IO[bytes], most: int, path: str) -> bytes:
    try:
        return file.read(most)
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileError(path, f"the file cannot be read: {reason}", kind="unreadable") from None


def _read_line(file: IO[bytes], path: str, number: int) -> bytes:
    try:
        line = file.readline(MOST_LINE_BYTES + 1)
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileError(path, f"the file cannot be read: {reason}", kind="unreadable") from None
    if len(line) > MOST_LINE_BYTES:
        raise _too_long(path, number)
    return line


def _too_long(path: str, number: int) -> FileError:
    problem = f"the line is longer than {MOST_LINE_BYTES >> 20} MiB, which is read at most"
    return FileError(path, problem, line=number, kind="too_large")
