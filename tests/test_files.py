from __future__ import annotations

import os
import resource
import signal
import stat
import threading
from pathlib import Path

import pytest

from deskroom.errors import FileError
from deskroom.files import (
    can_read_again,
    check_output,
    open_file,
    read_bytes,
    read_lines,
    write_file,
    write_output,
)


def mode(path: Path) -> int:
    """Return who may do what with a file."""
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_gets_what_new_files_get(tmp_path: Path) -> None:
    """Nothing else is left in the folder."""
    file = tmp_path / "x.toml"
    (tmp_path / "y").touch()
    write_file(str(file), "über\r\n")
    assert "über\r\n".encode() == file.read_bytes()
    assert mode(tmp_path / "y") == mode(file)
    assert ["x.toml", "y"] == sorted(file.name for file in tmp_path.iterdir())


def test_a_file_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    """It is replaced, so whoever has it open still reads the old one."""
    file = tmp_path / "x.toml"
    file.write_text("old")
    file.chmod(0o640)
    with file.open() as before:
        write_file(str(file), "new")
        assert ("old", "new", 0o640) == (before.read(), file.read_text(), mode(file))


def test_a_link_goes_on_pointing_at_its_file(tmp_path: Path) -> None:
    """The file behind it is written."""
    (tmp_path / "below").mkdir()
    file, link = tmp_path / "below" / "x.toml", tmp_path / "link.toml"
    file.write_text("old")
    link.symlink_to(file)
    write_file(str(link), "new")
    assert (True, "new") == (link.is_symlink(), file.read_text())


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    """As ``/dev/stdout`` may be one."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_file(str(pipe), "text")
    reader.join()
    assert (["text"], True) == (read, stat.S_ISFIFO(pipe.stat().st_mode))


def test_a_file_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    """Nothing is left behind, and the path is as it was given."""
    path = str(tmp_path / "none" / "x.toml")
    with pytest.raises(FileError) as caught:
        write_file(path, "text")
    assert f"{path}: the file cannot be written: No such file or directory" == str(caught.value)


def test_a_text_that_does_not_fit_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    """A folder stands where the file would be: what was written for it is taken away again."""
    (tmp_path / "x.toml").mkdir()
    with pytest.raises(FileError, match="Is a directory"):
        write_file(str(tmp_path / "x.toml"), "text")
    assert ["x.toml"] == [file.name for file in tmp_path.iterdir()]


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everything")
def test_a_file_that_is_not_to_be_written_stays(tmp_path: Path) -> None:
    """A folder that may be written does not change that."""
    file = tmp_path / "x.toml"
    file.write_text("old")
    file.chmod(0o400)
    with pytest.raises(FileError, match="permission denied"):
        write_file(str(file), "new")
    assert "old" == file.read_text()


def test_a_private_file_is_for_its_owner(tmp_path: Path) -> None:
    """Whatever the umask is; one that is there keeps its mode."""
    file = tmp_path / "x.toml"
    before = os.umask(0)
    try:
        write_file(str(file), "text", is_private=True)
    finally:
        os.umask(before)
    assert 0o600 == mode(file)
    file.chmod(0o644)
    write_file(str(file), "more", is_private=True)
    assert 0o644 == mode(file)


def test_a_file_that_is_there_may_not_be_replaced_unless_that_is_said(tmp_path: Path) -> None:
    """A link, a folder and a pipe are there as well."""
    (tmp_path / "file").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("file", "link", "folder", "pipe"):
        with pytest.raises(FileError) as caught:
            write_file(str(tmp_path / name), "new", may_replace=False)
        assert "exists" == caught.value.kind
    assert "old" == (tmp_path / "file").read_text()
    write_file(str(tmp_path / "new"), "new", may_replace=False)
    assert "new" == (tmp_path / "new").read_text()


# The output of a command


def test_an_output_is_new_private_and_text_or_bytes(tmp_path: Path) -> None:
    """A text is written as UTF-8; a file that is there keeps its mode."""
    text, picture = tmp_path / "x.svg", tmp_path / "x.png"
    write_output(str(text), "ü\n")
    write_output(str(picture), b"\x89PNG")
    assert ("ü\n".encode(), b"\x89PNG") == (text.read_bytes(), picture.read_bytes())
    assert (0o600, 0o600) == (mode(text), mode(picture))
    text.chmod(0o644)
    write_output(str(text), "new", force=True)
    assert ("new", 0o644) == (text.read_text(), mode(text))


def test_where_an_output_cannot_go_is_told_before_the_work(tmp_path: Path) -> None:
    """Only a file that is there can be forced; what is read is never written over."""
    (tmp_path / "file").write_text("old")
    (tmp_path / "source").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "source")
    kinds = {}
    for name in ("file", "source", "link", ".", "none/x", "new", "a\0b"):
        for force in (False, True):
            try:
                check_output(
                    str(tmp_path / name), force=force, sources=[str(tmp_path / "source"), "-"]
                )
            except FileError as error:
                kinds[name, force] = error.kind
    assert {
        ("file", False): "exists",
        ("source", False): "source",
        ("source", True): "source",
        ("link", False): "source",
        ("link", True): "source",
        (".", False): "folder",
        (".", True): "folder",
        ("none/x", False): "no_folder",
        ("none/x", True): "no_folder",
    } == kinds
    with pytest.raises(FileError, match="--force overwrites it"):
        write_output(str(tmp_path / "file"), "new")
    assert "old" == (tmp_path / "file").read_text()


def test_an_output_may_be_a_pipe(tmp_path: Path) -> None:
    """As ``/dev/stdout`` may be one: it is there, and nothing in it is overwritten."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_output(str(pipe), "text")
    reader.join()
    assert ["text"] == read


@pytest.mark.parametrize("force", [False, True])
def test_an_output_that_does_not_fit_leaves_nothing(tmp_path: Path, *, force: bool) -> None:
    """A limit on the size of files stands in for a full disk; a file that was there stays whole."""
    file = tmp_path / "x"
    if force:
        file.write_text("old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        with pytest.raises(FileError, match="the file cannot be written: "):
            write_output(str(file), "x" * 200, force=force)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert (["x"] if force else []) == [file.name for file in tmp_path.iterdir()]
    assert not force or "old" == file.read_text()


# Reading


@pytest.mark.parametrize(
    "path, kind",
    [
        ("none", "no_file"),
        (".", "folder"),
        ("/dev/zero", "device"),
        ("/dev/null", "device"),
        ("a\0b", "unreadable"),
        ("x" * 5000, "unreadable"),
        ("/dev/null/x", "unreadable"),
    ],
)
def test_what_cannot_be_read_has_a_code_for_why(path: str, kind: str) -> None:
    """Nothing is opened that does not end, or that reading changes."""
    with pytest.raises(FileError) as caught:
        open_file(path)
    assert (path, kind) == (caught.value.path, caught.value.kind)


def test_a_file_is_read_up_to_a_bound(tmp_path: Path) -> None:
    """So many bytes, and not one more."""
    file = tmp_path / "x"
    file.write_bytes(b"x" * 100)
    assert b"x" * 100 == read_bytes(str(file), 100)
    with pytest.raises(FileError) as caught:
        read_bytes(str(file), 99)
    assert "too_large" == caught.value.kind


def test_lines_are_read_up_to_a_bound(tmp_path: Path) -> None:
    """The line that is longer is named; those before it are read."""
    file = tmp_path / "x"
    file.write_bytes(b"one\ntwo\nthree")
    with open_file(str(file)) as opened:
        assert [b"one\n", b"two\n", b"three"] == list(read_lines(opened, "x", 5))
        opened.seek(0)
        lines = read_lines(opened, "x", 4)
        assert [b"one\n", b"two\n"] == [next(lines), next(lines)]
        with pytest.raises(FileError) as caught:
            next(lines)
    assert ("too_large", 3) == (caught.value.kind, caught.value.line)


def test_a_pipe_is_waited_for_as_long_as_somebody_is_about_to_write(tmp_path: Path) -> None:
    """A writer that comes a little later is in time."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Timer(0.3, lambda: pipe.write_text("text"))
    writer.start()
    assert b"text" == read_bytes(str(pipe), 100)
    writer.join()
    assert (False, False) == (can_read_again(str(pipe)), can_read_again("-"))
    assert (True, True) == (can_read_again(__file__), can_read_again("none"))
