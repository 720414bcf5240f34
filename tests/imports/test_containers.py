from __future__ import annotations

import io
import os
import sqlite3
import struct
import sys
import zipfile
import zlib
from contextlib import closing
from pathlib import Path

import pytest

from deskroom.errors import FileError
from deskroom.imports.containers import open_source


def kind_of(problem: pytest.ExceptionInfo[FileError]) -> str | None:
    """Return the code of an error."""
    return problem.value.kind


def zipped(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    """Write a zip."""
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def zstandard(path: Path, name: str, content: bytes, size: int | None = None) -> Path:
    """Write a zip whose one member is packed by method 93; ``size`` is what it says of itself."""
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415 - one of the two is there
    else:
        from backports import zstd  # noqa: PLC0415 - as above
    packed = zstd.compress(content)
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(name, packed)
    raw = bytearray(stored.getvalue())
    crc = zlib.crc32(content)
    said = len(content) if size is None else size
    for at, method_at, crc_at, size_at in ((0, 8, 14, 22), (raw.rfind(b"PK\1\2"), 10, 16, 24)):
        struct.pack_into("<H", raw, at + method_at, 93)
        struct.pack_into("<I", raw, at + crc_at, crc)
        struct.pack_into("<I", raw, at + size_at, said)
    path.write_bytes(raw)
    return path


# --- text --------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_mark_at_the_start_says_the_encoding(encoding: str, tmp_path: Path) -> None:
    """Whole or line by line, the text is the same, and the mark is no part of it."""
    path = tmp_path / "x.txt"
    path.write_bytes("Zoë: 🤓\r\n\u2028two\n".encode(encoding))
    source = open_source(str(path))
    assert ("text", [(1, "Zoë: 🤓"), (2, "\u2028two")]) == (source.shape, list(source.lines()))
    assert "Zoë: 🤓\r\n\u2028two\n" == source.text()


def test_broken_bytes_are_named_until_the_encoding_is(tmp_path: Path) -> None:
    """Line and column count characters."""
    path = tmp_path / "x.txt"
    path.write_bytes("ok\nZoë für\n".encode("cp1252"))
    for read in (lambda s: list(s.lines()), lambda s: s.text()):
        with pytest.raises(FileError) as caught:
            read(open_source(str(path)))
        assert (f"{path}:2:3", "encoding") == (caught.value.place, kind_of(caught))
    assert "ok\nZoë für\n" == open_source(str(path), "cp1252").text()
    path.write_bytes(b"\xff\xfea\0b")
    with pytest.raises(FileError) as caught:
        list(open_source(str(path)).lines())
    assert "encoding" == kind_of(caught)


@pytest.mark.parametrize(
    "text, shape",
    [
        ("", "empty"),
        (" \n", "empty"),
        ("hello", "text"),
        ("[19:01] <zoe> hi", "text"),
        ("{name}: hi", "text"),
        ('{"a": 1}', "json"),
        ('{"a": 1}\n{"a": 2}\n', "jsonl"),
        ('[{"a": 1},\n{"a": 2}]\n', "json"),
        ('{\n"planner": "what",\n"planner', "json"),
        ('{"a": "cut', "json"),
    ],
)
def test_the_shape_of_a_text_is_what_its_beginning_says(
    text: str, shape: str, tmp_path: Path
) -> None:
    """A document that breaks off is JSON, however much its lines look like a log."""
    path = tmp_path / "x"
    path.write_text(text)
    assert shape == open_source(str(path)).shape


def test_a_last_line_that_was_cut_is_left_out_with_a_warning(tmp_path: Path) -> None:
    """A bad line anywhere else, or one with its end, is an error."""
    path = tmp_path / "x.jsonl"
    path.write_text('{"a": 1}\n\n{"a": 2}\n{"a": ')
    source = open_source(str(path))
    assert [{"a": 1}, {"a": 2}] == [value for _, value in source.json_lines()]
    assert (4, [4]) == (source.cut_at, [line for line, _ in source.warnings])
    for text, line in (('{"a": 1}\n{"a": \n{"a": 2}', 2), ('{"a": 1}\n{"a": \n', 2)):
        path.write_text(text)
        with pytest.raises(FileError) as caught:
            list(open_source(str(path)).json_lines())
        assert line == caught.value.line


# --- folders -----------------------------------------------------------------------------------


def test_a_folder_has_members_and_no_link_leads_out_of_it(tmp_path: Path) -> None:
    """Links inside are followed; what systems leave there is no member."""
    folder = tmp_path / "export"
    (folder / "b").mkdir(parents=True)
    (folder / "b" / "x.json").write_text("[1]")
    (folder / ".DS_Store").write_text("")
    (folder / "a.json").symlink_to("b/x.json")
    source = open_source(str(folder))
    assert ("folder", ("a.json", "b/x.json")) == (source.shape, source.members())
    assert [1] == source.member("b/x.json").json()
    with pytest.raises(FileError):
        source.member("../secret")
    (tmp_path / "secret").write_text("[2]")
    (folder / "link.json").symlink_to("../secret")
    with pytest.raises(FileError) as caught:
        open_source(str(folder)).members()
    assert "link" == kind_of(caught)


def test_a_pipe_in_a_folder_is_no_member(tmp_path: Path) -> None:
    """Nothing waits for it."""
    os.mkfifo(tmp_path / "pipe")
    assert () == open_source(str(tmp_path)).members()


# --- zips --------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_member_of_a_zip_is_read_in_memory(method: int, tmp_path: Path) -> None:
    """A name that leads elsewhere is a name; nothing is written."""
    path = zipped(tmp_path / "x.zip", {"../../up.json": b'{"a": 1}', "b/": b""}, method)
    source = open_source(str(path))
    assert ("zip", ("../../up.json",)) == (source.shape, source.members())
    assert {"a": 1} == source.member("../../up.json").json()
    assert ["x.zip"] == [one.name for one in tmp_path.iterdir()]


def test_zstandard_is_read(tmp_path: Path) -> None:
    """That is how Inspect packs its logs."""
    path = zstandard(tmp_path / "x.eval", "header.json", b'{"a": 1}')
    assert {"a": 1} == open_source(str(path)).member("header.json").json()


@pytest.mark.parametrize("size", [1, 7, 9, 1 << 31])
def test_a_zip_that_lies_about_a_size_is_refused(size: int, tmp_path: Path) -> None:
    """Its directory is not believed."""
    path = zstandard(tmp_path / "x.eval", "a", b'{"a": 1}', size)
    with pytest.raises(FileError) as caught:
        open_source(str(path)).member("a")
    assert "zip" == kind_of(caught)


def test_a_bomb_does_not_go_off(tmp_path: Path) -> None:
    """Neither packed way; what grows too much is not read on."""
    content = bytes(16 << 20)
    for path in (
        zipped(tmp_path / "a.zip", {"a": content}),
        zstandard(tmp_path / "b.zip", "a", content),
    ):
        with pytest.raises(FileError) as caught:
            open_source(str(path)).member("a")
        assert "too_large" == kind_of(caught)


def test_a_damaged_zip_is_an_error_of_ours(tmp_path: Path) -> None:
    """Wherever it was cut or changed."""
    path = zipped(tmp_path / "x.zip", {"a.json": b'{"a": 1}' * 50})
    whole = path.read_bytes()
    for at in range(0, len(whole), 3):
        for broken in (whole[:at], whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :]):
            path.write_bytes(broken)
            try:
                source = open_source(str(path))
                for name in source.members():
                    source.member(name)
            except FileError:
                continue


# --- databases ---------------------------------------------------------------------------------


def test_a_database_is_read_as_it_stands(tmp_path: Path) -> None:
    """It is not written to, and nothing appears beside it."""
    path = tmp_path / "a b?.db"
    with closing(sqlite3.connect(path)) as made:
        made.execute("create table messages (id, text)")
        made.execute("insert into messages values (1, 'hello')")
        made.commit()
    source = open_source(str(path))
    assert ("sqlite", ("messages",), ("id", "text"), ()) == (
        source.shape,
        source.tables(),
        source.columns("messages"),
        source.columns("x"),
    )
    assert [(1, "hello")] == list(source.query("select id, text from messages"))
    for sql in ("delete from messages", "select * from nothing", "attach 'x.db' as x"):
        with pytest.raises(FileError) as caught:
            list(source.query(sql))
        assert "database" == kind_of(caught)
    assert ["a b?.db"] == [one.name for one in tmp_path.iterdir()]
    path.write_bytes(path.read_bytes()[:100] + b"\xff" * 4000)
    with pytest.raises(FileError):
        open_source(str(path)).tables()
