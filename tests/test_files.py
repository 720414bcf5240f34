from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from deskroom.errors import FileError
from deskroom.files import write_file


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
