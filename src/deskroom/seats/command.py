"""A seat played by a program, which is started for each turn, or once for all of them.

The program reads JSON from stdin, one object a line, and writes JSON lines to stdout; docs/live.md
has the protocol, and schema/command.schema.json its schema.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import anyio
from anyio.abc import TaskGroup
from attrs import define, field, frozen

from deskroom.errors import UsageError
from deskroom.render.tools import tools_as
from deskroom.room import Turn
from deskroom.room.attendance import Attendance
from deskroom.room.tasks import one_error
from deskroom.seats.facts import reply_facts, turn_facts
from deskroom.seats.guide import guide
from deskroom.seats.process import Program, ProgramError, start

if TYPE_CHECKING:
    from deskroom.seats.mcp import McpSeat
    from deskroom.seats.mcp.program import ProgramSeat

__all__ = ["CommandSeat"]

_SHOWN: Final = 200
_MIB: Final = 1024 * 1024


@define(eq=False)
class _Life:
    """What a seat's program needs while its room runs."""

    attendance: Attendance
    tasks: TaskGroup
    lock: anyio.Lock = field(factory=anyio.Lock)
    program: Program | None = None
    #: Where the program is a client of MCP.
    mcp: ProgramSeat | None = None


@frozen(kw_only=True, eq=False)
class CommandSeat:
    """A program that plays a seat. ``command`` is the program and its arguments; no shell is involved.

    With ``keep`` it is started once and gets turn after turn; otherwise it is started for each. Its
    environment is exactly ``env``, its working folder ``folder``. ``timeout_s`` seconds is how long a
    turn of it may take, beside the room's own limit, and ``max_output_bytes`` how much it may write
    to stdout in one. A program that fails, writes too much or takes too long is ended with all that
    it has started, and costs the seat its turn: ``ProgramError`` says how it ended, and what it last
    wrote to stderr.

    With ``mcp`` the program is a client of MCP (the extra ``mcp``, on asyncio), as an agent's own
    command line is: it reads its turn from stdin as text, acts with the tools of its seat, and ends its
    turn by ending. What it writes to stdout is the seat's text. In ``command`` and ``env``,
    ``{mcp_config}`` stands for a file that tells of the seat's server, and ``{mcp_url}`` for its
    address; in ``env`` alone ``{token}`` stands for the seat's token. ``mcp`` may also be a seat of a
    server that other seats share.
    """

    command: Sequence[str]
    keep: bool = False
    mcp: bool | McpSeat = False
    env: Mapping[str, str] = field(factory=dict, repr=False)
    folder: str = "."
    timeout_s: float | None = None
    max_output_bytes: int = 16 * _MIB
    #: At most one, while its room runs.
    _lives: list[_Life] = field(factory=list, init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        if (
            not self.command
            or isinstance(self.command, str)
            or not all(isinstance(word, str) for word in self.command)
        ):
            raise UsageError("a command is a list of texts: the program and its arguments")
        if self.mcp and self.keep:
            raise UsageError("a program that speaks MCP is started for each turn: keep or mcp")
        if self.mcp and any("{token}" in word for word in self.command):
            raise UsageError(
                "{token} must stand in env: process lists show the arguments of a program"
            )

    @property
    def needs_asyncio(self) -> str | None:
        """What needs asyncio, in words, or None."""
        return "a program that speaks MCP" if self.mcp else None

    @asynccontextmanager
    async def attend(self, attendance: Attendance) -> AsyncIterator[None]:
        """Keep what is started for as long as the room runs. A seat sits in one room at a time."""
        if self._lives:
            raise UsageError("this CommandSeat sits in a room already; make another one")
        with one_error():
            async with self._seated(attendance) as mcp, anyio.create_task_group() as tasks:
                life = _Life(attendance, tasks, mcp=mcp)
                self._lives.append(life)
                try:
                    yield
                finally:
                    self._lives.clear()
                    if life.program is not None:
                        await life.program.close()
                    tasks.cancel_scope.cancel()

    @asynccontextmanager
    async def _seated(self, attendance: Attendance) -> AsyncIterator[ProgramSeat | None]:
        """Serve the seat to its program, if that is a client of MCP."""
        if self.mcp is False:
            yield None
            return
        from deskroom.seats.mcp import McpServer
        from deskroom.seats.mcp.files import ConfigFolder
        from deskroom.seats.mcp.program import ProgramSeat

        seat = McpServer().seat(attendance.seat.id) if self.mcp is True else self.mcp
        folder = ConfigFolder()
        async with seat.attend(attendance):
            try:
                config = folder.write(seat.id, seat.config)
                yield ProgramSeat(seat=seat, attendance=attendance, config=config)
            finally:
                folder.remove()

    async def __call__(self, turn: Turn) -> str:
        """Play one turn, and return the seat's text."""
        life = next(iter(self._lives), None)
        if life is None:
            raise UsageError("a CommandSeat plays in a room that opens it")
        room_s = life.attendance.turn_timeout_s
        limit_s = room_s if self.timeout_s is None else min(self.timeout_s, room_s)
        with anyio.move_on_after(limit_s):
            # Of a turn whose time is over the program may still be ending.
            async with life.lock:
                if life.mcp is not None:
                    return await self._play_mcp(turn, life, life.mcp)
                return await (self._play_kept if self.keep else self._play_alone)(turn, life)
        raise ProgramError(f"{self.command[0]} took longer than {limit_s:g} s")

    async def _play_alone(self, turn: Turn, life: _Life) -> str:
        """Start the program for one turn; it may end the turn by ending."""
        program = await self._start(life)
        try:
            text = await self._converse(program, turn, life)
            status = 0 if text is not None else await program.ended()
            if status:
                await self._fail(program, _ended(status))
            return text or ""
        finally:
            await program.close()

    async def _play_kept(self, turn: Turn, life: _Life) -> str:
        """Give one more turn to the program, or to a new one where it has failed."""
        program = life.program = life.program or await self._start(life)
        program.begin()
        try:
            text = await self._converse(program, turn, life)
            if text is None:
                await self._fail(program, _ended(await program.ended(), "before its turn did"))
        except BaseException:
            # What it was about to say belongs to this turn: the next one gets a new program.
            life.program = None
            await program.close()
            raise
        return text or ""

    async def _play_mcp(self, turn: Turn, life: _Life, mcp: ProgramSeat) -> str:
        """Start the program for one turn, in which it acts as a client of the seat's server."""
        with mcp.seat.held(turn) as ended_with, one_error():
            program = await self._start(life)
            try:
                async with anyio.create_task_group() as tasks:
                    # It may write before it has read all, or read nothing at all.
                    tasks.start_soon(program.send_all, mcp.prompt(turn))
                    text = (await program.rest()).decode(errors="replace").strip()
                    status = await program.ended()
                    tasks.cancel_scope.cancel()
                if status:
                    await self._fail(program, _ended(status))
                return text or ended_with()
            finally:
                await program.close()

    async def _start(self, life: _Life) -> Program:
        command, env = tuple(self.command), self.env
        if life.mcp is not None:
            command, env = life.mcp.command(command), life.mcp.env(env)
        folder, most = self.folder, self.max_output_bytes
        return await start(command, life.tasks, env=env, folder=folder, most=most)

    async def _fail(self, program: Program, what: str) -> None:
        raise await program.failure(what)

    # The protocol

    async def _converse(self, program: Program, turn: Turn, life: _Life) -> str | None:
        """Give the program its turn, and answer its calls until it ends it.

        Returns its text, or None where it writes no more.
        """
        with one_error():
            async with anyio.create_task_group() as tasks:
                # It may write before it has read all, or read nothing at all.
                tasks.start_soon(program.send, _turn_line(turn, life.attendance))
                text = await self._answer(program, turn)
                tasks.cancel_scope.cancel()
        return text

    async def _answer(self, program: Program, turn: Turn) -> str | None:
        number = 0
        while (line := await program.line()) is not None:
            number += 1
            if not line.strip():
                continue
            match _message(line, program.name, number):
                case Called(tool, arguments):
                    reply = await turn.call(tool, arguments)
                    await program.send(_line({"type": "reply", **reply_facts(reply)}))
                case Wrote(path):
                    turn.wrote(path)
                case Ended(text):
                    return text
        return None


def _turn_line(turn: Turn, attendance: Attendance) -> bytes:
    tools = [] if turn.seat.fence else tools_as("mcp")["tools"]
    facts = {"type": "turn", **turn_facts(turn), "guide": guide(attendance), "tools": tools}
    return _line(facts)


class Called(NamedTuple):
    """The program calls a tool."""

    tool: Any
    arguments: Any


class Wrote(NamedTuple):
    """The program leaves a file behind."""

    path: str


class Ended(NamedTuple):
    """The program ends its turn, with its text."""

    text: str


def _message(line: bytes, name: str, number: int) -> Called | Wrote | Ended:
    """Return what a line says. Raises ``ProgramError`` for one that says nothing of the protocol."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise _odd(line, name, number, "is not JSON") from None
    if not isinstance(value, dict):
        raise _odd(line, name, number, "is not an object")
    match value:
        case {"call": tool, **rest} if rest.keys() <= {"arguments"}:
            return Called(tool, rest.get("arguments", {}))
        case {"wrote": str(path), **rest} if not rest:
            return Wrote(path)
        case {"end": str(text), **rest} if not rest:
            return Ended(text)
    raise _odd(line, name, number, "has neither call, wrote nor end")


def _odd(line: bytes, name: str, number: int, what: str) -> ProgramError:
    text = line[:_SHOWN].decode(errors="replace")
    more = "…" if len(line) > _SHOWN else ""
    return ProgramError(f"{name}: line {number} of its turn {what}: {text}{more}")


def _line(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )


def _ended(status: int, when: str = "") -> str:
    how = f"was ended by signal {-status}" if status < 0 else f"ended with exit status {status}"
    return f"{how} {when}".strip()
