"""Who may reach a seat: what stands between the socket and the SDK's servers.

A request must come for this host and from no other page (Host and Origin), name a seat by its path,
and carry that seat's token. Nothing of a request is logged.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, Final

import anyio
from attrs import define, field
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.requests import Request

from deskroom.room.attendance import Changes
from deskroom.seats.mcp.place import Gone
from deskroom.seats.mcp.surface import GONE

__all__ = ["Door", "Guard", "security_of"]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_INVALID_REQUEST: Final = -32600
_SESSION: Final = "mcp-session-id"


def security_of(port: int) -> TransportSecuritySettings:
    """Return which Host and which Origin a request may have: this server's own, exactly."""
    hosts = [f"{name}:{port}" for name in ("127.0.0.1", "localhost")]
    return TransportSecuritySettings(
        allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts]
    )


@define(eq=False)
class Door:
    """The way to one seat: what opens it, and what is behind it once its room runs."""

    token: str = field(repr=False)
    app: App | None = None
    #: Lets whoever waits behind it look whether its client has gone.
    wake: Callable[[], None] = lambda: None


@define(eq=False)
class Guard:
    """The ASGI application of all seats. ``doors`` are by path."""

    doors: Mapping[str, Door]
    security: TransportSecurityMiddleware
    warn: Callable[..., None]
    #: How many requests are being answered, those that only listen left out.
    busy: int = 0
    #: The sessions of the older protocol that no client has ended.
    sessions: set[str] = field(factory=set)
    #: Wakes whoever waits for a request to be answered, or for a session to end.
    changes: Changes = field(factory=Changes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        request = Request(scope)
        refusal = await self.security.validate_request(request)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        door = self.doors.get(scope["path"])
        if door is None:
            await _refuse(send, 404, "there is no seat at this address")
        elif not _opens(door, request.headers.get("authorization", "")):
            await _refuse(send, 401, "this token does not open this seat")
        elif door.app is None:
            await _refuse(send, 503, "the room of this seat does not run")
        else:
            await self._serve(door, door.app, scope, receive, send)

    async def _serve(
        self, door: Door, app: App, scope: Scope, receive: Receive, send: Send
    ) -> None:
        gone = anyio.Event()
        scope[GONE] = Gone(gone)
        started = False
        is_answer = scope["method"] == "POST"

        async def watched() -> Message:
            message = await receive()
            if message["type"] == "http.disconnect":
                gone.set()
                door.wake()
            return message

        async def noted(message: Message) -> None:
            nonlocal started
            started = True
            if message["type"] == "http.response.start":
                self._note_session(scope, message)
            await send(message)

        self.busy += is_answer
        try:
            await app(scope, watched, noted)
        except Exception as error:  # noqa: BLE001 - whatever a client provokes costs it its request
            self.warn("mcp.request_failed", error=type(error).__name__)
            if not started:
                await _refuse(send, 500, "the request failed")
        finally:
            self.busy -= is_answer
            self.changes.notify()

    def _note_session(self, scope: Scope, answer: Message) -> None:
        session = Headers(raw=list(answer.get("headers", ()))).get(_SESSION, "")
        if scope["method"] == "DELETE" or answer["status"] == 404:  # noqa: PLR2004 - not found
            self.sessions.discard(Headers(scope=scope).get(_SESSION, ""))
        elif session and answer["status"] == 200:  # noqa: PLR2004 - fine
            self.sessions.add(session)


def _opens(door: Door, authorization: str) -> bool:
    kind, _, token = authorization.partition(" ")
    right = hmac.compare_digest(token.strip().encode(), door.token.encode())
    return kind.lower() == "bearer" and right


async def _refuse(send: Send, status: int, problem: str) -> None:
    """Answer with an error of JSON-RPC, which clients show as it is."""
    error = {"jsonrpc": "2.0", "id": None, "error": {"code": _INVALID_REQUEST, "message": problem}}
    headers = [(b"content-type", b"application/json")]
    if status == 401:  # noqa: PLR2004 - unauthorized
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(error).encode()})
