"""The server of a desk's MCP seats: one port of loopback, an address and a token for each seat."""

from __future__ import annotations

import asyncio
import secrets
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext
from typing import Any, Final

import anyio
from attrs import define, field, frozen
from attrs.validators import ge, gt, le

from deskroom.errors import UsageError
from deskroom.room import Turn
from deskroom.room.acts import check_loop
from deskroom.room.attendance import Attendance
from deskroom.room.tasks import one_error
from deskroom.seats.mcp.address import http_config, seat_path
from deskroom.seats.mcp.place import Place

try:
    import uvicorn
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from mcp.server.transport_security import TransportSecurityMiddleware

    from deskroom.seats.mcp.guard import Door, Guard, security_of
    from deskroom.seats.mcp.quiet import quiet
    from deskroom.seats.mcp.surface import Surface
except ImportError as error:
    missing = "a seat for clients of MCP needs the extra mcp: pip install 'deskroom[mcp]'"
    raise UsageError(missing) from error

__all__ = ["McpSeat", "McpServer"]

#: How long a room that has closed waits for its clients to be told so, in seconds.
_FAREWELL_S: Final = 1.0
#: How long answers that are being written may take after that.
_LAST_ANSWERS_S: Final = 1.0
#: A client that has sent nothing for so long has nothing more to ask, in seconds.
_QUIET_S: Final = 0.1
_MOST_PORT: Final = 65_535
#: Every browser and client takes a token in this alphabet; it has 256 bits.
_TOKEN_BYTES: Final = 32


class _Uvicorn(uvicorn.Server):
    """A server that leaves the signals of the process alone: they are its room's."""

    def capture_signals(self) -> Any:  # noqa: ANN401 - a context, whose type is the library's
        """Capture none."""
        return nullcontext()


@define(eq=False)
class _Life:
    """What there is of a server while its room runs."""

    guard: Guard
    port: int
    warn: Callable[..., None]
    tasks: anyio.abc.TaskGroup | None = None
    seats: list[tuple[Place, Surface]] = field(factory=list)
    opened: anyio.Event = field(factory=anyio.Event)
    may_end: anyio.Event = field(factory=anyio.Event)


@define(eq=False, kw_only=True)
class McpServer:
    """A server of MCP on this machine's loopback, for any number of seats of one room.

    It listens from just before the room's first turn until the room has closed. ``port`` 0 is any
    free one. ``wait_s`` is how long ``desk_wait`` keeps a client waiting before it answers
    ``waiting``; keep it below the time limit of the clients. With ``takeover``, a second
    ``desk_wait`` of a seat ends the first, and is otherwise refused. ``on_open`` is called once it
    listens. It needs asyncio, and the extra ``mcp``.
    """

    port: int = field(default=0, validator=[ge(0), le(_MOST_PORT)])
    wait_s: float = field(default=50.0, validator=gt(0))
    takeover: bool = False
    on_open: Callable[[McpServer], object] | None = None
    _doors: dict[str, Door] = field(factory=dict, init=False, repr=False)
    _life: _Life | None = field(default=None, init=False, repr=False)
    _opened: anyio.Event = field(factory=anyio.Event, init=False, repr=False)

    def seat(self, id: str) -> McpSeat:
        """Return what plays a seat, with a token of its own. Raises ``UsageError`` for a second."""
        if id in self._doors:
            raise UsageError(f"the server has the seat {id!r} already")
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        self._doors[id] = Door(token)
        return McpSeat(id=id, server=self, token=token)

    @property
    def seats(self) -> tuple[str, ...]:
        """The ids of its seats, in the order in which they were made."""
        return tuple(self._doors)

    @property
    def url(self) -> str:
        """Where it listens. Raises ``UsageError`` while it does not."""
        if self._life is None:
            raise UsageError("the server listens only while its room runs")
        return f"http://127.0.0.1:{self._life.port}"

    def url_of(self, seat: str) -> str:
        """Return the address of a seat. Raises ``UsageError`` while the server does not listen."""
        return self.url + seat_path(seat)

    def config_of(self, seat: str) -> dict[str, Any]:
        """Return the configuration of a client of a seat: address and token.

        Raises ``UsageError`` while the server does not listen.
        """
        return http_config(self.url_of(seat), self._doors[seat].token)

    def token_of(self, seat: str) -> str:
        """Return the token of a seat."""
        return self._doors[seat].token

    async def opened(self) -> None:
        """Wait until it listens."""
        await self._opened.wait()

    # Its life

    @asynccontextmanager
    async def attend(self, id: str, attendance: Attendance) -> AsyncIterator[Place]:
        """Serve a seat for as long as the context lasts; the first that is served opens the server.

        Raises ``UsageError`` on trio, and where the port cannot be listened on.
        """
        check_loop("a seat for clients of MCP")
        place = Place(attendance, self.wait_s, self.takeover)
        async with self._listening(attendance) as life:
            await self._open_door(id, place, life)
            try:
                yield place
            finally:
                place.leave()

    @asynccontextmanager
    async def _listening(self, attendance: Attendance) -> AsyncIterator[_Life]:
        if self._life is not None:
            yield self._life
            return
        listener = _listen(self.port)
        port = listener.getsockname()[1]
        security = TransportSecurityMiddleware(security_of(port))
        paths = {f"/seats/{seat}": door for seat, door in self._doors.items()}
        guard = Guard(paths, security, attendance.warn)
        life = self._life = _Life(guard, port, attendance.warn)
        # A task that is in nobody's group: it has to outlive whatever ends the room.
        task = asyncio.create_task(self._serve(life, listener))
        try:
            opened = asyncio.create_task(life.opened.wait())
            await asyncio.wait({task, opened}, return_when=asyncio.FIRST_COMPLETED)
            opened.cancel()
            if task.done():
                task.result()
            yield life
        finally:
            for place, _ in life.seats:
                place.leave()
            life.may_end.set()
            with anyio.CancelScope(shield=True):
                await task
            self._life = None
            self._opened = anyio.Event()

    async def _serve(self, life: _Life, listener: socket.socket) -> None:
        config = uvicorn.Config(
            life.guard,
            log_config=None,
            access_log=False,
            log_level=None,
            lifespan="off",
            server_header=False,
            ws="none",
            timeout_graceful_shutdown=1,
        )
        server = _Uvicorn(config)
        with one_error(), quiet(life.warn):
            async with anyio.create_task_group() as listening:
                listening.start_soon(server.serve, [listener])
                async with anyio.create_task_group() as life.tasks:
                    life.opened.set()
                    await life.may_end.wait()
                    await _say_farewell(life)
                    # Sessions end with their tasks; what is left are idle connections.
                    life.tasks.cancel_scope.cancel()
                for door in self._doors.values():
                    door.app = None
                server.should_exit = True

    async def _open_door(self, id_: str, place: Place, life: _Life) -> None:
        assert life.tasks is not None  # noqa: S101 - it is open
        surface = Surface(place)
        manager = StreamableHTTPSessionManager(
            surface.server, security_settings=security_of(life.port)
        )
        await life.tasks.start(_keep, manager)
        life.tasks.start_soon(place.follow)
        life.tasks.start_soon(surface.publish)
        life.seats.append((place, surface))
        door = self._doors[id_]
        door.wake = place.wake
        door.app = manager.handle_request
        if len(life.seats) == len(self._doors):
            self._opened.set()
            if self.on_open is not None:
                self.on_open(self)


async def _keep(
    manager: StreamableHTTPSessionManager, *, task_status: anyio.abc.TaskStatus[None]
) -> None:
    async with manager.run():
        task_status.started()
        await anyio.sleep_forever()


async def _say_farewell(life: _Life) -> None:
    """Let clients that take part learn that the room has closed, and answers be written."""
    places = [place for place, _ in life.seats]
    with anyio.move_on_after(_FAREWELL_S):
        while any(place.is_used and not place.is_told for place in places):
            await life.guard.changes.wait()
    for _, surface in life.seats:
        surface.listeners.close()
    with anyio.move_on_after(_LAST_ANSWERS_S):
        while await _is_in_use(life.guard):
            pass


async def _is_in_use(guard: Guard) -> bool:
    """Whether a request is being answered, a session is open, or something has just come."""
    with anyio.move_on_after(
        _LAST_ANSWERS_S if guard.busy or guard.sessions else _QUIET_S
    ) as scope:
        await guard.changes.wait()
    return not scope.cancelled_caught


def _listen(port: int) -> socket.socket:
    """Return a socket that listens on loopback, and nowhere else."""
    # asyncio sends at once, without Nagle's delay, only where the protocol is named.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        # A room that is resumed on its port must not wait for what the one before left there.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise UsageError(
            f"port {port} of 127.0.0.1 cannot be listened on: {error.strerror}"
        ) from None
    listener.setblocking(False)
    return listener


@frozen(kw_only=True, eq=False)
class McpSeat:
    """A seat played by clients of MCP; ``McpServer.seat`` makes it.

    Whoever holds its ``token`` may act in its turns.
    """

    id: str
    server: McpServer = field(repr=False)
    token: str = field(repr=False)
    #: Those of the room that runs: at most one.
    _places: list[Place] = field(factory=list, init=False, repr=False)

    @property
    def needs_asyncio(self) -> str:
        """What needs asyncio, in words."""
        return "a seat for clients of MCP"

    @property
    def url(self) -> str:
        """Its address. Raises ``UsageError`` while its server does not listen."""
        return self.server.url_of(self.id)

    @property
    def config(self) -> dict[str, Any]:
        """The configuration of its client. Raises ``UsageError`` while its server does not listen."""
        return self.server.config_of(self.id)

    @asynccontextmanager
    async def attend(self, attendance: Attendance) -> AsyncIterator[None]:
        """Serve the seat for as long as its room runs. It sits in one room at a time."""
        if self._places:
            raise UsageError(f"the seat {self.id!r} of this server sits in a room already")
        if attendance.seat.id != self.id:
            raise UsageError(f"the seat {self.id!r} of a server cannot play {attendance.seat.id!r}")
        async with self.server.attend(self.id, attendance) as place:
            self._places.append(place)
            try:
                yield
            finally:
                self._places.clear()

    async def __call__(self, turn: Turn) -> str:
        """Play one turn: wait until a client ends it, and return the seat's text."""
        return await self._place.play(turn)

    @contextmanager
    def held(self, turn: Turn) -> Iterator[Callable[[], str]]:
        """Let clients act in a turn that lasts as long as the context does.

        Gives what returns the text with which one has ended it.
        """
        with self._place.opened(turn, held=True) as open_:
            yield lambda: open_.text

    @property
    def _place(self) -> Place:
        for place in self._places:
            return place
        raise UsageError("a seat for clients of MCP plays in a room that opens it")
