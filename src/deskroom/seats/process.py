"""A program that plays a seat: started in a group of its own, read line by line, ended as a whole."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from shutil import which
from subprocess import PIPE
from typing import Final

import anyio
from anyio.abc import ByteReceiveStream, Process, TaskGroup
from anyio.lowlevel import checkpoint
from attrs import define, field

from deskroom.errors import DeskroomError

__all__ = ["Program", "ProgramError", "start"]

#: How much of the end of stderr is kept, in bytes.
_STDERR_KEPT: Final = 4096
#: How many seconds a program has to end once it is asked to.
_PATIENCE_S: Final = 2.0
#: How many seconds its pipes may take to end once it has.
_LAST_WORDS_S: Final = 0.2
_GONE = (anyio.BrokenResourceError, anyio.ClosedResourceError)


class ProgramError(DeskroomError):
    """What a program did wrong in its turn: it cannot be started, failed, or wrote too much."""


@define(eq=False)
class Program:
    """A program that runs. ``most`` bounds what it may write to stdout in a turn, in bytes."""

    name: str
    process: Process
    most: int
    _unread: bytearray = field(factory=bytearray)
    _written: int = 0
    _stderr: deque[int] = field(factory=lambda: deque(maxlen=_STDERR_KEPT))
    _stderr_ended: anyio.Event = field(factory=anyio.Event)
    _sending: anyio.Lock = field(factory=anyio.Lock)

    def begin(self) -> None:
        """Count what it writes from 0 again, for another turn."""
        self._written = len(self._unread)

    async def send(self, line: bytes) -> None:
        """Write a line to its stdin. A program that does not read it any more misses nothing."""
        assert self.process.stdin is not None  # noqa: S101 - it was started with one
        async with self._sending:
            with suppress(*_GONE):
                await self.process.stdin.send(line + b"\n")

    async def send_all(self, data: bytes) -> None:
        """Write all that it is told to its stdin, and close that."""
        assert self.process.stdin is not None  # noqa: S101 - it was started with one
        async with self._sending:
            with suppress(*_GONE):
                await self.process.stdin.send(data)
            with suppress(*_GONE):
                await self.process.stdin.aclose()

    async def line(self) -> bytes | None:
        """Return its next line without its end, or None once it writes no more.

        Raises ``ProgramError`` when it has written more than it may.
        """
        while (end := self._unread.find(b"\n")) < 0:
            more = await self._read()
            if not more:
                rest = bytes(self._unread)
                self._unread.clear()
                return rest or None
        line = bytes(self._unread[:end])
        del self._unread[: end + 1]
        return line

    async def rest(self) -> bytes:
        """Return all that it still writes. Raises ``ProgramError`` as ``line`` does."""
        while await self._read():
            pass
        rest = bytes(self._unread)
        self._unread.clear()
        return rest

    async def _read(self) -> bool:
        assert self.process.stdout is not None  # noqa: S101 - it was started with one
        try:
            chunk = await self.process.stdout.receive()
        except (anyio.EndOfStream, *_GONE):
            return False
        self._unread += chunk
        self._written += len(chunk)
        if self._written > self.most:
            raise ProgramError(f"{self.name} wrote more than {self.most} bytes in a turn")
        return True

    async def keep_stderr(self) -> None:
        """Read its stderr to the end, and keep the last of it."""
        stderr = self.process.stderr
        assert stderr is not None  # noqa: S101 - it was started with one
        async for chunk in _chunks(stderr):
            self._stderr.extend(chunk[-_STDERR_KEPT:])
        self._stderr_ended.set()

    async def failure(self, what: str) -> ProgramError:
        """Return the error that says what happened, with the end of what it wrote to stderr."""
        with anyio.move_on_after(_PATIENCE_S):
            await self._stderr_ended.wait()
        text = bytes(self._stderr).decode(errors="replace").strip()
        return ProgramError(f"{self.name} {what}" + (f"; its stderr ends: {text}" if text else ""))

    async def ended(self) -> int:
        """Wait until it ends, and return its exit status; below 0 it is the signal that ended it."""
        return await self.process.wait()

    async def close(self) -> None:
        """End it with all that it has started: asked first, and then killed. Nothing cuts this short."""
        with anyio.CancelScope(shield=True):
            self._signal(signal.SIGTERM)
            with anyio.move_on_after(_PATIENCE_S):
                await self.process.wait()
            # The program may have ended and left others of its group behind.
            self._signal(signal.SIGKILL)
            await self.process.wait()
            # A pipe whose end was never read would be left to the collector.
            with anyio.move_on_after(_LAST_WORDS_S):
                assert self.process.stdout is not None  # noqa: S101 - it was started with one
                async for _ in _chunks(self.process.stdout):
                    pass
                await self._stderr_ended.wait()
                await checkpoint()
            for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
                if stream is not None:
                    with suppress(*_GONE):
                        await stream.aclose()

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)


async def _chunks(stream: ByteReceiveStream) -> AsyncIterator[bytes]:
    with suppress(*_GONE):
        async for chunk in stream:
            yield chunk


async def start(
    command: Sequence[str], tasks: TaskGroup, *, env: Mapping[str, str], folder: str, most: int
) -> Program:
    """Start a program; its stderr is read in a task of ``tasks``, until it is closed.

    Its environment is exactly ``env``; its name is looked for where that has ``PATH``, else where ours
    has. Raises ``ProgramError`` when it cannot be started.
    """
    name = command[0]
    found = name if os.sep in name else which(name, path=env.get("PATH")) or name
    try:
        process = await anyio.open_process(
            [found, *command[1:]],
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            cwd=folder,
            env=dict(env),
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ProgramError(f"{name} cannot be started in {folder}: {reason}") from None
    program = Program(name, process, most)
    tasks.start_soon(program.keep_stderr)
    return program
