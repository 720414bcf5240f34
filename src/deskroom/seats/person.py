"""People at a terminal: in a seat, or as people of the desk who speak at any time.

It needs prompt_toolkit, the extra ``person``, and asyncio, which that is made for.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from importlib.util import find_spec
from typing import Any, Final

import anyio
from attrs import define

from deskroom.core import OPERATOR, project
from deskroom.core.transcript import SeenRow
from deskroom.engine.entries import RowEntry
from deskroom.errors import RoomClosed, UsageError
from deskroom.render.screen import PLAIN, Screen
from deskroom.render.text import one_line, printable
from deskroom.render.transcript import transcript_line
from deskroom.room import Room, Turn
from deskroom.room.attendance import Attendance
from deskroom.room.tasks import one_error
from deskroom.seats.guide import guide
from deskroom.seats.typed import (
    COMMANDS,
    HELP,
    CallOf,
    Close,
    End,
    Help,
    Say,
    Typed,
    Unclear,
    read_typed,
)
from deskroom.speech.tools import READ, served

__all__ = ["PersonSeat", "Terminal"]

Print = Callable[[str], None]

_NEEDS_EXTRA: Final = (
    "a person at the terminal needs prompt_toolkit: pip install 'deskroom[person]'"
)
_NEEDS_ASYNCIO: Final = "a person at the terminal needs asyncio; leave out --backend trio"


@define(eq=False)
class _Sitting:
    """A turn that somebody at the terminal has; ``lines`` are what they type in it."""

    turn: Turn
    send: Any
    lines: Any
    has_spoken: bool = False


class Terminal:
    """One terminal, where people sit in seats or attend as people of the desk.

    ``session`` is the ``PromptSession`` to read from, one of its own where there is none; ``echo``
    prints a line above the prompt.
    """

    def __init__(
        self,
        *,
        session: Any = None,  # noqa: ANN401 - of an extra
        echo: Print = print,
        screen: Screen = PLAIN,
    ) -> None:
        self._session = session
        self._echo = echo
        self._screen = screen
        self._names: list[str] = []
        self._sitting: _Sitting | None = None
        self._room: Room | None = None
        self._people: list[str] = []
        self._gone = anyio.Event()
        self._readers = 0
        self._scope: anyio.CancelScope | None = None

    def seat(self) -> PersonSeat:
        """Return a seat that is played from here."""
        return PersonSeat(self)

    @asynccontextmanager
    async def attend(
        self, room: Room, people: Sequence[str], *, timeout_s: float = math.inf
    ) -> AsyncIterator[None]:
        """Let people of the desk speak into a room, and have it wait for them where it is quiet.

        They attend until they type ``/close``, or have said nothing for ``timeout_s`` seconds while
        the room waited.
        """
        self._room, self._people = room, list(people)
        self._names += [seat.id for seat in room.setup.seats]
        async with self.reading(), anyio.create_task_group() as tasks:
            for person in people:
                tasks.start_soon(self._stay, room, person, timeout_s)
            yield
            tasks.cancel_scope.cancel()

    async def _stay(self, room: Room, person: str, timeout_s: float) -> None:
        with room.attended(person, timeout_s=timeout_s):
            await self._gone.wait()

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[None]:
        """Read what is typed, for as long as anybody is here."""
        self._readers += 1
        if self._readers > 1:
            try:
                yield
            finally:
                self._readers -= 1
            return
        _check_loop()
        from prompt_toolkit.patch_stdout import patch_stdout

        self._session = self._session or _prompt_session(self._completions)
        with one_error():
            async with anyio.create_task_group() as tasks:
                with patch_stdout(raw=True):
                    tasks.start_soon(self._read)
                    try:
                        yield
                    finally:
                        self._readers -= 1
                        tasks.cancel_scope.cancel()

    async def _read(self) -> None:
        while True:
            try:
                line = await self._session.prompt_async(self._prompt)
            except EOFError:
                # The end of the input ends the turn, or else the attendance.
                line = "/end" if self._sitting is not None else "/close"
                if self._gone.is_set():
                    return
            await self._take(line)

    def _prompt(self) -> str:
        if self._sitting is not None:
            return f"{one_line(self._sitting.turn.seat.id)} (turn {self._sitting.turn.number})> "
        return f"{one_line(self._people[0])}> " if self._people else "> "

    def _completions(self) -> list[str]:
        return [f"@{name}" for name in dict.fromkeys(self._names)]

    async def _take(self, line: str) -> None:
        typed = read_typed(line, in_turn=self._sitting is not None)
        match typed:
            case Help():
                self._echo(HELP)
            case Unclear(problem):
                self._echo(printable(problem))
            case Close():
                self._gone.set()
            case Say(person, message):
                await self._say(person, message)
            case CallOf() | End():
                if self._sitting is not None:
                    await self._sitting.send.send(typed)

    async def _say(self, person: str | None, message: str) -> None:
        if self._room is None or not self._people:
            self._echo("It is not your turn.")
            return
        try:
            await self._room.say(self._people[0] if person is None else person, message)
        except (UsageError, RoomClosed) as error:
            self._echo(printable(str(error)))

    @contextmanager
    def _sits(self, turn: Turn) -> Iterator[_Sitting]:
        send, lines = anyio.create_memory_object_stream[Typed](16)
        sitting = self._sitting = _Sitting(turn, send, lines)
        self._refresh()
        try:
            yield sitting
        finally:
            if self._sitting is sitting:
                self._sitting = None
            send.close()
            lines.close()
            self._refresh()

    def _refresh(self) -> None:
        """Show another prompt; what was typed so far stays."""
        app = getattr(self._session, "app", None)
        if app is not None:
            app.invalidate()

    def show(self, seen: SeenRow) -> None:
        """Print an entry."""
        self._echo(transcript_line(seen, self._screen))

    def on_row(self, entry: RowEntry) -> None:
        """Print a row for the people who attend, who may read all; a room takes this as ``on_row``."""
        for seen in project([entry.row], OPERATOR):
            self.show(seen)
        named = [m.target.id for m in entry.mentions if m.target.kind == "person" and not m.quiet]
        for person in self._people:
            if person in named:
                self.echo(f"  {person}, this is addressed to you.")

    def echo(self, text: str) -> None:
        """Print a text, made safe for a terminal."""
        self._echo(printable(text))

    def knows(self, names: Sequence[str]) -> None:
        """Complete these names."""
        self._names += names


@define(eq=False)
class PersonSeat:
    """A seat played by somebody at a terminal; see ``Terminal.seat``.

    They see what the seat may read as it comes, and its turns. What they type is posted; commands
    begin with ``/``, and ``/help`` shows them.
    """

    _terminal: Terminal
    _attendance: Attendance | None = None

    @property
    def needs_asyncio(self) -> str:
        """What needs asyncio, for the error where a room is made on another loop."""
        return "a person at the terminal"

    @asynccontextmanager
    async def attend(self, attendance: Attendance) -> AsyncIterator[None]:
        """Show the room to whoever sits here, for as long as it runs."""
        self._attendance = attendance
        terminal = self._terminal
        terminal.knows([seat.id for seat in attendance.seats])
        async with terminal.reading(), anyio.create_task_group() as tasks:
            terminal.echo(guide(attendance))
            tasks.start_soon(self._follow, attendance)
            yield
            tasks.cancel_scope.cancel()

    async def _follow(self, attendance: Attendance) -> None:
        shown = 0
        while True:
            for seen in attendance.transcript_from(shown):
                self._terminal.show(seen)
            shown = attendance.rows
            await attendance.change()

    async def __call__(self, turn: Turn) -> str:
        """Play one turn with what is typed."""
        attendance = self._attendance
        if attendance is None:
            raise UsageError("a PersonSeat plays in a room that opens it")
        with self._terminal._sits(turn) as sitting:  # noqa: SLF001 - the seat is the terminal's own
            self._terminal.echo(f"It is your turn. {turn.note or ''}".strip())
            with anyio.move_on_after(attendance.turn_timeout_s):
                return await self._play(turn, sitting)
        self._terminal.echo("Your time is over.")
        return ""

    async def _play(self, turn: Turn, sitting: _Sitting) -> str:
        while True:
            typed: CallOf | End = await sitting.lines.receive()
            match typed:
                case CallOf(tool, arguments):
                    reply = await turn.call(tool, arguments)
                    self._terminal.echo(reply.text)
                    sitting.has_spoken |= reply.ok and tool != served(READ)
                    if sitting.has_spoken:
                        self._terminal.echo("An empty line ends your turn.")
                case End(text):
                    return text


def _prompt_session(names: Callable[[], list[str]]) -> Any:  # noqa: ANN401 - of an extra
    """Return what reads a line: Tab completes, Alt-Enter begins another line, Up brings back."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

    bindings = KeyBindings()

    @bindings.add("escape", "enter")
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    completer = WordCompleter(lambda: [*names(), *COMMANDS], WORD=True)
    return PromptSession(completer=completer, key_bindings=bindings, complete_while_typing=False)


def _check_loop() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        raise UsageError(_NEEDS_ASYNCIO) from None
    if find_spec("prompt_toolkit") is None:
        raise UsageError(_NEEDS_EXTRA)
