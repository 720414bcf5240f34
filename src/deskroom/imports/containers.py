"""The kinds of input: a file, a folder, a zip with its members, an SQLite database.

Nothing is unpacked to disk. What a zip says of its sizes is not believed: limits are checked while
reading. A link in a folder that leads out of it is an error.
"""

from __future__ import annotations

import hashlib
import io
import os
import sqlite3
import stat
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import quote

from deskroom.errors import FileError
from deskroom.files import STDIN, open_file, reason_of
from deskroom.imports.limits import MOST_DOCUMENT_BYTES, MOST_MEMBERS, MOST_RATIO
from deskroom.imports.source import Shape, Source

__all__ = ["open_source"]

#: What is never worth a look in a folder or zip: what systems leave there.
_NOISE: Final = ("__MACOSX/", ".git/")
_NOISE_NAMES: Final = frozenset({".DS_Store", "Thumbs.db"})
_ZSTANDARD: Final = 93
_LOCAL_HEADER: Final = 30
_MEBIBYTE: Final = 1 << 20
#: Steps of a query, in millions, before it is given up.
_MOST_STEPS: Final = 4000


def open_source(path: str, encoding: str | None = None) -> Source:
    """Return an input. Raises ``FileError`` for one that is not there or cannot be read."""
    if path == STDIN:
        with open_file(path, "input") as file:
            return _BytesSource(path, _all_of(file, path), encoding)
    if Path(path).is_dir():
        return _FolderSource(path, encoding)
    plain = _FileSource(path, encoding)
    if plain.shape == "zip":
        return _ZipSource(path, encoding)
    if plain.shape == "sqlite":
        return _DatabaseSource(path, encoding)
    return plain


def _all_of(file: IO[bytes], path: str) -> bytes:
    content = file.read(MOST_DOCUMENT_BYTES + 1)
    if len(content) > MOST_DOCUMENT_BYTES:
        problem = f"more than {MOST_DOCUMENT_BYTES >> 20} MiB came in; give a file instead"
        raise FileError(path, problem, kind="too_large")
    return content


class _FileSource(Source):
    """A file by its path. A pipe is read once, and kept."""

    _kept: bytes | None = None

    def open(self) -> IO[bytes]:
        """Open the file."""
        if self._kept is not None:
            return io.BytesIO(self._kept)
        file = open_file(self.path, "input")
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return file
        with file:
            self._kept = _all_of(file, self.path)
        return io.BytesIO(self._kept)


class _BytesSource(Source):
    """Bytes in memory: stdin, or a member."""

    def __init__(
        self, path: str, content: bytes, encoding: str | None, member: str | None = None
    ) -> None:
        super().__init__(path, encoding)
        self._content = content
        self._member = member

    def open(self) -> IO[bytes]:
        """Open the bytes."""
        return io.BytesIO(self._content)

    @property
    def _in_file(self) -> str:
        return self._member or ""


class _MemberFile(_FileSource):
    """A file of a folder."""

    def __init__(self, path: str, encoding: str | None, member: str) -> None:
        super().__init__(path, encoding)
        self._member = member

    @property
    def _in_file(self) -> str:
        return self._member


# --- folders -----------------------------------------------------------------------------------


class _FolderSource(Source):
    """A folder: its files, however deep."""

    _names: tuple[str, ...] | None = None

    def open(self) -> IO[bytes]:
        """Raise ``FileError``: a folder has no bytes."""
        raise FileError(self.path, "this is a folder; a file is needed", kind="folder")

    @property
    def head(self) -> bytes:
        """Nothing."""
        return b""

    @property
    def shape(self) -> Shape:
        """A folder."""
        return "folder"

    def members(self) -> Sequence[str]:
        """Return the names of its files. Raises ``FileError`` for a link that leads out."""
        if self._names is None:
            self._names = tuple(sorted(self._walk()))
        return self._names

    def _walk(self) -> Iterator[str]:
        count = 0
        root = Path(os.path.realpath(self.path))
        for folder, _, files in os.walk(self.path, onerror=self._unreadable):
            for file in files:
                at = Path(folder, file)
                name = at.relative_to(self.path).as_posix()
                if _is_noise(name):
                    continue
                count += 1
                if count > MOST_MEMBERS:
                    raise _too_many(self.path)
                if at.is_symlink() and not Path(os.path.realpath(at)).is_relative_to(root):
                    raise FileError(str(at), "this link leads out of the folder", kind="link")
                if at.is_file():
                    yield name

    def _unreadable(self, error: OSError) -> None:
        problem = f"the folder cannot be read: {reason_of(error)}"
        raise FileError(self.path, problem, kind="unreadable")

    def member(self, name: str) -> Source:
        """Return a file of the folder."""
        if name not in self.members():
            return super().member(name)
        return _MemberFile(str(Path(self.path, name)), self._encoding, name)

    def digest(self) -> str:
        """Return the SHA-256 over the names of its files and what is in them."""
        total = hashlib.sha256()
        for name in self.members():
            total.update(f"{name}\0{self.member(name).digest()}\n".encode(errors="surrogateescape"))
        return f"sha256:{total.hexdigest()}"


def _is_noise(name: str) -> bool:
    return name.startswith(_NOISE) or name.rpartition("/")[2] in _NOISE_NAMES


def _too_many(path: str) -> FileError:
    problem = f"there are more than {MOST_MEMBERS} files in it, which are read at most"
    return FileError(path, problem, kind="too_large")


# --- zips --------------------------------------------------------------------------------------


class _ZipSource(_FileSource):
    """A zip: members are read into memory one at a time, within limits."""

    _infos: dict[str, zipfile.ZipInfo] | None = None

    def _looked_at(self) -> Shape:
        return "zip"

    def _entries(self) -> dict[str, zipfile.ZipInfo]:
        if self._infos is None:
            try:
                with self.open() as file, zipfile.ZipFile(file) as archive:
                    infos = archive.infolist()
            except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
                raise self._bad(error) from None
            if len(infos) > MOST_MEMBERS:
                raise _too_many(self.path)
            files = (info for info in infos if not info.is_dir() and not _is_noise(info.filename))
            self._infos = {info.filename: info for info in files}
        return self._infos

    def _bad(self, error: Exception) -> FileError:
        reason = str(error)[:120] or type(error).__name__
        return FileError(self.path, f"the zip is damaged: {reason}", kind="zip")

    def members(self) -> Sequence[str]:
        """Return the names of its files; they are names only, and no path is made of them."""
        return tuple(sorted(self._entries()))

    def member(self, name: str) -> Source:
        """Return a member, unpacked in memory. Raises ``FileError`` for one that is too large."""
        info = self._entries().get(name)
        if info is None:
            return super().member(name)
        path = f"{self.path}/{name}"
        with self.open() as file:
            content = _unpacked(file, info, path)
        return _BytesSource(path, content, self._encoding, name)


def _unpacked(file: IO[bytes], info: zipfile.ZipInfo, path: str) -> bytes:
    if info.flag_bits & 1:
        raise FileError(path, "this member of the zip is encrypted", kind="zip")
    try:
        packed = _packed(file, info, path)
        content = _grown(packed, info.compress_type, path)
    except (zlib.error, struct.error, EOFError, OSError) as error:
        raise FileError(path, f"this member of the zip is damaged: {error}", kind="zip") from None
    if len(content) != info.file_size:
        problem = (
            f"the zip says that this member has {info.file_size} bytes, and it has {len(content)}"
        )
        raise FileError(path, problem, kind="zip")
    if zlib.crc32(content) != info.CRC:
        raise FileError(path, "this member of the zip is damaged: its checksum differs", kind="zip")
    return content


def _packed(file: IO[bytes], info: zipfile.ZipInfo, path: str) -> bytes:
    """Return the packed bytes of a member, which stand behind a header of their own."""
    if info.compress_size > MOST_DOCUMENT_BYTES:
        raise _too_large(path)
    file.seek(info.header_offset)
    header = file.read(_LOCAL_HEADER)
    if header[:4] != b"PK\x03\x04":
        raise EOFError("its header is not where the zip says")
    name_size, extra_size = struct.unpack("<HH", header[26:30])
    file.seek(name_size + extra_size, io.SEEK_CUR)
    packed = file.read(info.compress_size)
    if len(packed) != info.compress_size:
        raise EOFError("it is cut short")
    return packed


def _grown(packed: bytes, method: int, path: str) -> bytes:
    most = min(MOST_DOCUMENT_BYTES, max(_MEBIBYTE, len(packed) * MOST_RATIO))
    if method == zipfile.ZIP_STORED:
        return packed
    if method == zipfile.ZIP_DEFLATED:
        inflater = zlib.decompressobj(-zlib.MAX_WBITS)
        content = inflater.decompress(packed, most + 1)
        finished = inflater.eof
    elif method == _ZSTANDARD:
        content, finished = _zstandard(packed, most + 1, path)
    else:
        problem = f"this member of the zip is packed by method {method}; 0, 8 and 93 are read"
        raise FileError(path, problem, kind="zip")
    if len(content) > most:
        raise _too_large(path)
    if not finished:
        raise EOFError("it is cut short")
    return content


def _zstandard(packed: bytes, most: int, path: str) -> tuple[bytes, bool]:
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415 - few files need it
    else:
        from backports import zstd  # noqa: PLC0415 - few files need it
    content = b""
    finished = True
    # A member may be several frames, one behind the other.
    while packed and len(content) < most:
        reader = zstd.ZstdDecompressor()
        try:
            content += reader.decompress(packed, most - len(content))
        except zstd.ZstdError as error:
            problem = f"this member of the zip is damaged: {error}"
            raise FileError(path, problem, kind="zip") from None
        finished, packed = reader.eof, reader.unused_data if reader.eof else b""
    return content, finished


def _too_large(path: str) -> FileError:
    problem = (
        f"this member of the zip grows to more than {MOST_DOCUMENT_BYTES >> 20} MiB, or to more "
        f"than {MOST_RATIO} times its size, and is not read"
    )
    return FileError(path, problem, kind="too_large")


# --- databases ---------------------------------------------------------------------------------


class _DatabaseSource(_FileSource):
    """An SQLite database, opened read-only and as it stands: nothing is written beside it."""

    def _looked_at(self) -> Shape:
        return "sqlite"

    def tables(self) -> Sequence[str]:
        """Return the names of its tables."""
        found = self.query("select name from sqlite_master where type = 'table' order by rowid")
        return tuple(str(row[0]) for row in found)

    def columns(self, table: str) -> Sequence[str]:
        """Return the names of the columns of a table."""
        found = self.query("select name from pragma_table_info(?)", (table,))
        return tuple(str(row[0]) for row in found)

    def query(self, sql: str, parameters: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query. Raises ``FileError`` for a database that is damaged."""
        try:
            with closing(self._connection()) as connection:
                yield from connection.execute(sql, parameters)
        except (sqlite3.Error, UnicodeDecodeError, OverflowError) as error:
            problem = f"the database cannot be read: {error}"
            raise FileError(self.path, problem, kind="database") from None

    def _connection(self) -> sqlite3.Connection:
        where = quote(str(Path(self.path).absolute()), errors="surrogateescape")
        connection = sqlite3.connect(f"file:{where}?mode=ro&immutable=1", uri=True)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_DOCUMENT_BYTES)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.execute("pragma trusted_schema = off")
        connection.execute("pragma query_only = on")
        steps = iter(range(_MOST_STEPS))
        connection.set_progress_handler(lambda: next(steps, None) is None, 1_000_000)
        return connection
