"""Files, read and written so that nothing hangs, fills the memory or is seen half done.

What is read may be a file, a pipe, or stdin, which is called ``-``. A device is refused: it has no
end, or reading it does something. What is written is UTF-8, whatever the locale is.
"""

from __future__ import annotations

import os
import select
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Final, Literal, Protocol

from deskroom.errors import FileError

__all__ = [
    "STDIN",
    "can_read_again",
    "check_output",
    "open_file",
    "read_bytes",
    "read_lines",
    "reason_of",
    "write_file",
    "write_output",
]

#: The name under which every command that reads a file reads stdin.
STDIN: Final = "-"
#: How long to wait for somebody to write to a named pipe.
_PIPE_WAIT_MS: Final = 5000
#: What nobody else may read: a file that holds private rows.
_PRIVATE: Final = 0o600


class Readable(Protocol):
    """What lines are read from."""

    def readline(self, most: int, /) -> bytes:
        """Return a line with its end, or as much of it as is asked for."""
        ...


Kind = Literal["no_file", "folder", "device", "too_large", "unreadable"]


# --- reading -----------------------------------------------------------------------------------


def open_file(path: str, what: str = "file") -> IO[bytes]:
    """Open a file, a pipe, or stdin as ``-``, for reading from its start.

    Raises ``FileError``, which calls it a ``what``; its ``kind`` is ``no_file``, ``folder``,
    ``device`` or ``unreadable``.
    """
    try:
        if path == STDIN:
            # A descriptor of its own: closing it leaves stdin open.
            return os.fdopen(os.dup(sys.stdin.fileno() if sys.stdin else 0), "rb")
        _check_kind(path, os.stat(path).st_mode, what)  # noqa: PTH116 - a bare name, as it is given
        return os.fdopen(_opened(path, what), "rb")
    except (OSError, ValueError) as error:
        raise _unreadable(path, what, error) from None


def read_bytes(path: str, most: int, what: str = "file") -> bytes:
    """Return all of a file, a pipe, or stdin. Raises ``FileError`` as ``open_file`` does.

    Its kind is ``too_large`` for more than ``most`` bytes.
    """
    with open_file(path, what) as file:
        try:
            content = file.read(most + 1)
        except OSError as error:
            raise _unreadable(path, what, error) from None
    if len(content) > most:
        problem = f"the {what} is larger than {most >> 20} MiB"
        raise FileError(path, problem, kind="too_large")
    return content


def read_lines(file: Readable, path: str, most: int) -> Iterator[bytes]:
    """Yield the lines of an open file, each with its end; ``path`` is for the error.

    Raises ``FileError`` of kind ``too_large`` for a line of more than ``most`` bytes.
    """
    number = 0
    while line := file.readline(most + 1):
        number += 1
        if len(line) > most:
            problem = f"the line is longer than {most >> 20} MiB"
            raise FileError(path, problem, line=number, kind="too_large")
        yield line


def can_read_again(path: str) -> bool:
    """Whether reading this leaves it as it was: a pipe and stdin can be read once."""
    try:
        return path != STDIN and stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116 - as above
    except (OSError, ValueError):
        return True  # there is nothing to use up; opening it says why


def _check_kind(path: str, mode: int, what: str) -> None:
    if stat.S_ISDIR(mode):
        raise FileError(path, f"the {what} cannot be read: Is a directory", kind="folder")
    if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
        raise FileError(path, f"this is a device; a {what} is needed", kind="device")


def _opened(path: str, what: str) -> int:
    """Open a file or a pipe, without waiting for ever for the pipe's other end."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        _check_opened(path, fd, what)
        os.set_blocking(fd, True)
    except BaseException:
        os.close(fd)
        raise
    return fd


def _check_opened(path: str, fd: int, what: str) -> None:
    mode = os.fstat(fd).st_mode
    _check_kind(path, mode, what)
    if stat.S_ISFIFO(mode) and not _has_writer(path, fd):
        problem = f"the {what} cannot be read: nobody has written to this pipe"
        raise FileError(path, problem, kind="unreadable")


def _has_writer(path: str, fd: int) -> bool:
    """Wait until something came through a named pipe, or its writer has closed it.

    A pipe that a shell has made has a writer from the start, however slow it is.
    """
    if path.startswith(("/dev/", "/proc/")):
        return True
    pipe = select.poll()
    pipe.register(fd, select.POLLIN)
    return bool(pipe.poll(_PIPE_WAIT_MS))


def _unreadable(path: str, what: str, error: Exception) -> FileError:
    kind: Kind = "no_file" if isinstance(error, FileNotFoundError) else "unreadable"
    if isinstance(error, IsADirectoryError):
        kind = "folder"
    return FileError(path, f"the {what} cannot be read: {reason_of(error)}", kind=kind)


def reason_of(error: Exception) -> str:
    """Return what the system says of a file, in words that are the same on every Python.

    A ``ValueError`` that is not about text is about the path: each version of Python says in its
    own way that a name cannot be given to the system.
    """
    if isinstance(error, ValueError) and not isinstance(error, UnicodeError):
        return "no file can have this name"
    return getattr(error, "strerror", None) or str(error)


# --- writing -----------------------------------------------------------------------------------


def write_output(
    path: str,
    content: str | bytes | Iterable[bytes],
    *,
    force: bool = False,
    sources: Iterable[str] = (),
) -> None:
    """Write what a command made into the file that it was asked to write: whole, or not at all.

    A new file is for its owner only. Raises ``FileError`` as ``check_output`` does (of kind
    ``exists`` also for a file that came up since that looked), and as ``write_file`` does.
    """
    check_output(path, force=force, sources=sources)
    may_replace = force or _is_special(path)
    try:
        write_file(path, content, is_private=True, may_replace=may_replace)
    except FileError as error:
        raise (_exists(path) if error.kind == "exists" else error) from None


def check_output(path: str, *, force: bool = False, sources: Iterable[str] = ()) -> None:
    """Say before the work is done that its output cannot be written there.

    Raises ``FileError``: of kind ``source`` for one of the files that are read, ``folder``,
    ``no_folder`` where its parent is none, and ``exists`` for a file, unless there is ``force``.
    What is no regular file, as a pipe, is written to as it is.
    """
    if any(_is_same_file(path, source) for source in sources):
        raise FileError(path, "this file is read by the command; name another one", kind="source")
    if os.path.isdir(path):  # noqa: PTH112 - a path as it is given
        raise FileError(path, "this is a folder; name a file", kind="folder")
    if not _has_parent(path):
        problem = "the file cannot be written: the parent folder does not exist"
        raise FileError(path, problem, kind="no_folder")
    if os.path.isfile(path) and not force:  # noqa: PTH113 - as above
        raise _exists(path)


def _exists(path: str) -> FileError:
    return FileError(path, "there is such a file already; --force overwrites it", kind="exists")


def _has_parent(path: str) -> bool:
    try:
        return Path(os.path.realpath(path)).parent.is_dir()
    except ValueError:
        return True  # no file can have this name, which is said when it is written


def _is_same_file(path: str, source: str) -> bool:
    try:
        return os.path.samefile(path, source)  # noqa: PTH121 - as above
    except (OSError, ValueError):
        return False  # one of them is not there


def _is_special(path: str) -> bool:
    return os.path.exists(path) and not os.path.isfile(path)  # noqa: PTH110, PTH113 - as above


def write_file(
    path: str,
    content: str | bytes | Iterable[bytes],
    *,
    is_private: bool = False,
    may_replace: bool = True,
) -> None:
    """Write a text, as UTF-8, or bytes as a file's whole content: at once, or not at all.

    Bytes may come in pieces, of which one is held at a time.

    A file that is there keeps its mode, and a link goes on pointing at it; a new one that
    ``is_private`` can be read by its owner only. What is no regular file (a pipe, a terminal) is
    written to as it is. Raises ``FileError`` when the file cannot be written, and, of kind
    ``exists``, when it is there and may not be replaced.
    """
    try:
        _write(path, _pieces(content), is_private=is_private, may_replace=may_replace)
    except FileExistsError:
        raise FileError(path, "there is such a file already", kind="exists") from None
    except (OSError, ValueError) as error:
        kind = "no_folder" if isinstance(error, FileNotFoundError) else "unwritable"
        raise FileError(
            path, f"the file cannot be written: {reason_of(error)}", kind=kind
        ) from None


def _pieces(content: str | bytes | Iterable[bytes]) -> Iterable[bytes]:
    if isinstance(content, str):
        return (content.encode(),)
    return (content,) if isinstance(content, bytes) else content


def _write(path: str, content: Iterable[bytes], *, is_private: bool, may_replace: bool) -> None:
    target = Path(os.path.realpath(path))
    mode = _mode(target)
    if mode is not None and not may_replace:
        raise FileExistsError
    if mode is not None and not stat.S_ISREG(mode):
        with target.open("wb") as file:
            file.writelines(content)
        return
    if mode is not None and not os.access(target, os.W_OK):
        raise PermissionError(13, "permission denied")
    new_mode = _PRIVATE if is_private else _new_file_mode()
    if not may_replace:
        _write_new(target, content, new_mode)
        return
    fd, name = tempfile.mkstemp(prefix=f".{target.name[:32]}.", suffix=".tmp", dir=target.parent)
    with ExitStack() as stack:
        stack.callback(Path(name).unlink, missing_ok=True)
        _fill(fd, content)
        Path(name).chmod(new_mode if mode is None else stat.S_IMODE(mode))
        Path(name).replace(target)


def _write_new(target: Path, content: Iterable[bytes], mode: int) -> None:
    fd = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        _fill(fd, content)
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def _fill(fd: int, content: Iterable[bytes]) -> None:
    with os.fdopen(fd, "wb") as file:
        file.writelines(content)
        file.flush()
        os.fsync(fd)


def _mode(target: Path) -> int | None:
    try:
        return target.stat().st_mode
    except FileNotFoundError:
        return None


def _new_file_mode() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
