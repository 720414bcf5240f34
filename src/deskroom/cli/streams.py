"""Where output goes: UTF-8 unless it is a terminal, and one error for whatever cannot be written.

An ``OSError`` of stdout could come out of any line that prints, also in a running room. So stdout
itself turns it into an ``OutputError``, which each command lets through to its end.
"""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, Any, TextIO

from deskroom.errors import FileError, RoomFailure

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["OutputError", "discard_output", "set_up_streams"]


class OutputError(FileError, RoomFailure):
    """Stdout takes no more. Its ``kind`` is ``closed`` when whoever read it has left, else ``full``."""


def set_up_streams() -> None:
    """Replace stdout and stderr by streams that fail in words, or not at all."""
    sys.stdout = _guarded(sys.stdout, _Output)
    sys.stderr = _guarded(sys.stderr, _Remarks)


def discard_output() -> None:
    """Drop what could not be written: Python would complain again when it flushes at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


class _Output(io.RawIOBase):
    """A stream whose errors are those of the whole command."""

    def __init__(self, stream: io.RawIOBase) -> None:
        self._stream = stream

    def writable(self) -> bool:
        """It is for writing."""
        return True

    def fileno(self) -> int:
        """Return the descriptor behind it."""
        return self._stream.fileno()

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return self._stream.isatty()

    def write(self, data: ReadableBuffer, /) -> int | None:
        """Write bytes, and raise ``OutputError`` where that fails."""
        try:
            return self._stream.write(data)
        except OSError as error:
            return self._failed(error, data)

    def _failed(self, error: OSError, data: ReadableBuffer) -> int:  # noqa: ARG002 - for stderr
        kind = "closed" if isinstance(error, BrokenPipeError) else "full"
        problem = f"the output cannot be written: {error.strerror}"
        raise OutputError("stdout", problem, kind=kind) from None


class _Remarks(_Output):
    """A stream for what is said beside the output. Nobody could be told that it is lost."""

    def _failed(self, error: OSError, data: ReadableBuffer) -> int:  # noqa: ARG002 - see above
        return memoryview(data).nbytes


def _guarded(stream: TextIO, guard: type[_Output]) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper):
        return stream  # there is none, or a test has taken its place
    raw: Any = getattr(stream.buffer, "raw", stream.buffer)
    return io.TextIOWrapper(
        io.BufferedWriter(guard(raw)),
        encoding=stream.encoding if stream.isatty() else "utf-8",
        errors="backslashreplace",
        line_buffering=stream.line_buffering,
    )
