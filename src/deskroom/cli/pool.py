"""Playing files in several processes, with the output of one.

Each process plays every n-th file, so nothing depends on which is the faster one, and sends back
what it printed; the command prints that in the order of the files. A process sends through a pipe
that holds little, so none runs far ahead, and it ends when nobody reads any more.
"""

from __future__ import annotations

import io
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from multiprocessing.connection import Connection
from typing import Any, Final, TextIO

from attrs import frozen

from deskroom.cli.playing import Options, Report
from deskroom.errors import DeskroomError

__all__ = ["Played", "Player", "in_processes", "serve"]

#: Plays files one after the other, and gives each report to a function.
Player = Callable[[Sequence[str], Options, Callable[[Report], None]], None]

#: A fork needs no second import; elsewhere than on Linux it is not safe.
_METHOD: Final = "fork" if sys.platform == "linux" else "spawn"


@frozen
class Played:
    """What playing one file printed, and its report."""

    out: str
    err: str
    report: Report


@frozen
class Failed:
    """A process cannot go on, and why."""

    problem: str


class Captured(io.StringIO):
    """Takes what is printed in place of a stream, and passes for it where somebody asks."""

    def __init__(self, encoding: str, *, is_terminal: bool) -> None:
        super().__init__()
        self._encoding = encoding
        self._is_terminal = is_terminal

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the stream that the text will end up in."""
        return self._encoding

    def isatty(self) -> bool:
        """Whether that stream is a terminal."""
        return self._is_terminal

    def taken(self) -> str:
        """Return what was written since the last time."""
        text = self.getvalue()
        self.seek(0)
        self.truncate()
        return text


def in_processes(
    player: Player,
    files: Sequence[str],
    options: Options,
    *,
    jobs: int,
    width: int,
    set_up: Callable[[], None],
) -> Iterator[Played]:
    """Yield what playing each file came to, in order.

    ``width`` is that of the tables, in columns; ``set_up`` is called in each process once its output is
    captured. Raises ``DeskroomError`` when a process dies or fails.
    """
    context: Any = multiprocessing.get_context(_METHOD)
    sys.stdout.flush()
    with ExitStack() as stack:
        pipes: list[Connection] = []
        for number in range(jobs):
            reader, writer = context.Pipe(duplex=False)
            stack.callback(reader.close)
            process = context.Process(
                target=_work,
                args=(
                    writer,
                    [*pipes, reader],
                    player,
                    files[number::jobs],
                    options,
                    width,
                    set_up,
                ),
                daemon=True,
            )
            process.start()
            writer.close()
            stack.callback(process.join)
            stack.callback(process.terminate)
            pipes.append(reader)
        for at, path in enumerate(files):
            yield _received(pipes[at % jobs], path)


def _received(pipe: Connection, path: str) -> Played:
    try:
        played = pipe.recv()
    except EOFError:
        raise DeskroomError(f"the process that was to play {path} has died") from None
    if isinstance(played, Failed):
        raise DeskroomError(played.problem)
    assert isinstance(played, Played)  # noqa: S101 - nothing else is sent
    return played


def _work(
    pipe: Connection,
    others: Sequence[Connection],
    player: Player,
    files: Sequence[str],
    options: Options,
    width: int,
    set_up: Callable[[], None],
) -> None:
    """Run as a process of its own. An interrupt is for the command, which then ends this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A copy of a reading end would keep the pipe open when the command has gone.
    for other in others:
        other.close()
    os.environ["COLUMNS"] = str(width)
    out, err = _like(sys.stdout), _like(sys.stderr)
    sys.stdout, sys.stderr = out, err
    set_up()
    with suppress(BrokenPipeError):
        serve(pipe, player, files, options, out, err)


def _like(stream: TextIO) -> Captured:
    return Captured(stream.encoding, is_terminal=stream.isatty())


def serve(
    pipe: Any,  # noqa: ANN401 - whatever can send
    player: Player,
    files: Sequence[str],
    options: Options,
    out: Captured,
    err: Captured,
) -> None:
    """Play files and send what each of them came to, or why none of them can be played."""

    def send(report: Report) -> None:
        pipe.send(Played(out.taken(), err.taken(), report))

    try:
        player(files, options, send)
    except DeskroomError as error:
        pipe.send(Failed(str(error)))
