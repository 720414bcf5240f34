"""Writing a file so that it is never seen half written."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import ExitStack
from pathlib import Path

from deskroom.errors import FileError

__all__ = ["write_file"]


def write_file(path: str, text: str) -> None:
    """Write a text as a file's whole content: at once, or not at all.

    A file that is there keeps its mode, and a link goes on pointing at it. What is no regular file
    (a pipe, a terminal) is written to as it is. Raises ``FileError`` when the file cannot be written.
    """
    try:
        _write(path, text.encode())
    except OSError as error:
        raise FileError(path, f"the file cannot be written: {error.strerror}") from None


def _write(path: str, content: bytes) -> None:
    target = Path(os.path.realpath(path))
    mode = _mode(target)
    if mode is not None and not stat.S_ISREG(mode):
        with target.open("wb") as file:
            file.write(content)
        return
    if mode is not None and not os.access(target, os.W_OK):
        raise PermissionError(13, "permission denied")
    fd, name = tempfile.mkstemp(prefix=f".{target.name[:32]}.", suffix=".tmp", dir=target.parent)
    with ExitStack() as stack:
        stack.callback(Path(name).unlink, missing_ok=True)
        with os.fdopen(fd, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(fd)
        Path(name).chmod(_new_file_mode() if mode is None else stat.S_IMODE(mode))
        Path(name).replace(target)


def _mode(target: Path) -> int | None:
    try:
        return target.stat().st_mode
    except FileNotFoundError:
        return None


def _new_file_mode() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
