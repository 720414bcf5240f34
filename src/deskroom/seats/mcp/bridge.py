"""Stdio for a seat of a room that runs: what a client writes goes to the room, and what comes back to it.

Messages are forwarded as they are, whichever version of the protocol they are in: each says, or its
session does, which headers its request has over HTTP.
"""

from __future__ import annotations

import os
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Final

import anyio
import httpx2
import mcp_types as types
from anyio.from_thread import BlockingPortal
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from attrs import define, field
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
)
from mcp.shared.message import ClientMessageMetadata, SessionMessage
from pydantic import ValidationError

from deskroom.errors import UsageError
from deskroom.room.attendance import Changes
from deskroom.room.tasks import one_error

__all__ = ["bridge"]

_CHUNK: Final = 65_536
#: A line that is longer than the server takes anyway is not waited for, in bytes.
_MOST_LINE: Final = 16 * 1024 * 1024
#: How long the room may be silent on an answer, in seconds: longer than it lets a client wait.
_READ_S: Final = 300.0
_LAST_ANSWERS_S: Final = 2.0
_CONNECT_S: Final = 10.0
_HEADERS: Final = {
    "accept": "application/json, text/event-stream",
    MCP_PROTOCOL_VERSION_HEADER: "2026-07-28",
}
_UNAUTHORIZED: Final = 401
_NOT_FOUND: Final = 404
_UNAVAILABLE: Final = 503


async def bridge(url: str, token: str) -> None:
    """Forward between stdin and stdout, and the seat at ``url``, until stdin ends.

    Raises ``UsageError`` where no room answers there, where the token does not open the seat, and
    once the room is gone.
    """
    try:
        headers = {"Authorization": f"Bearer {token}"}
        timeout = httpx2.Timeout(_CONNECT_S, read=_READ_S)
        # A proxy of the environment must see neither the token nor what is said.
        client = httpx2.AsyncClient(headers=headers, timeout=timeout, trust_env=False)
    except (ValueError, UnicodeError):
        raise UsageError("the token is no token: it has characters that none has") from None
    async with client:
        try:
            with one_error():
                await _knock(client, url)
                await _forward(client, url)
        except BrokenPipeError:
            return  # the client has gone
        except httpx2.TransportError:
            raise UsageError(f"no room answers at {url}: it has closed, or does not run") from None


async def _knock(client: httpx2.AsyncClient, url: str) -> None:
    """Ask whether the token opens the seat, before the client is told anything."""
    answer = await client.get(url, headers=_HEADERS)
    match answer.status_code:
        case code if code == _UNAUTHORIZED:
            raise UsageError(f"the token does not open the seat at {url}")
        case code if code == _NOT_FOUND:
            raise UsageError(f"no seat is at {url}")
        case code if code == _UNAVAILABLE:
            raise UsageError(f"the room of the seat at {url} does not run")


async def _forward(client: httpx2.AsyncClient, url: str) -> None:
    async with (
        _lines() as lines,
        streamable_http_client(url, http_client=client) as (incoming, outgoing),
        anyio.create_task_group() as tasks,
    ):
        versions = _Versions()
        out, answers = anyio.Lock(), Changes()

        async def answer(message: types.JSONRPCMessage) -> None:
            async with out:
                await _write(message)

        async def come_back() -> None:
            async for item in incoming:
                if isinstance(item, SessionMessage):
                    versions.note_answer(item.message)
                    await answer(item.message)
                    answers.notify()

        tasks.start_soon(come_back)
        async for line in lines:
            message = _message(line)
            if message is None:
                error = types.ErrorData(code=types.PARSE_ERROR, message="Parse error")
                await answer(types.JSONRPCError(jsonrpc="2.0", id=None, error=error))
                continue
            metadata = ClientMessageMetadata(headers=versions.headers(message))
            await outgoing.send(SessionMessage(message, metadata))
        # Whoever pipes a few requests in, and waits for no answer, gets those that are quick.
        with anyio.move_on_after(_LAST_ANSWERS_S):
            while versions.pending:
                await answers.wait()
        tasks.cancel_scope.cancel()


@define
class _Versions:
    """Which version of the protocol is spoken: the newest says so with each request."""

    #: The requests that are not answered yet.
    pending: set[types.RequestId] = field(factory=set)

    _initializing: types.RequestId | None = None
    #: What a session of an older version has agreed on.
    _agreed: str | None = None

    def headers(self, message: types.JSONRPCMessage) -> dict[str, str] | None:
        """Return the headers that a message's request needs."""
        if not isinstance(message, types.JSONRPCRequest):
            return None if self._agreed is None else {MCP_PROTOCOL_VERSION_HEADER: self._agreed}
        self.pending.add(message.id)
        if message.method == "initialize":
            self._initializing, self._agreed = message.id, None
            return None
        params = message.params or {}
        meta = params.get("_meta")
        version = meta.get(types.PROTOCOL_VERSION_META_KEY) if isinstance(meta, Mapping) else None
        if not isinstance(version, str):
            return None if self._agreed is None else {MCP_PROTOCOL_VERSION_HEADER: self._agreed}
        headers = {MCP_PROTOCOL_VERSION_HEADER: version, MCP_METHOD_HEADER: message.method}
        name = params.get(NAME_BEARING_METHODS.get(message.method, ""))
        if isinstance(name, str):
            headers[MCP_NAME_HEADER] = encode_header_value(name)
        return headers

    def note_answer(self, message: types.JSONRPCMessage) -> None:
        """Note that a request is answered, and what ``initialize`` has agreed on."""
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self.pending -= {message.id}
        if isinstance(message, types.JSONRPCResponse) and message.id == self._initializing:
            version = message.result.get("protocolVersion")
            self._agreed = version if isinstance(version, str) else None


def _message(line: bytes) -> types.JSONRPCMessage | None:
    try:
        message: types.JSONRPCMessage = types.jsonrpc_message_adapter.validate_json(
            line, by_name=False
        )
    except ValidationError:
        return None
    return message


# Stdin is read by a thread that nothing has to wait for, and without a buffer that Python would want
# to lock when it ends: whatever a client does with its pipe, this program ends when its room does.


@asynccontextmanager
async def _lines() -> AsyncIterator[MemoryObjectReceiveStream[bytes]]:
    send, receive = anyio.create_memory_object_stream[bytes](16)
    async with BlockingPortal() as portal, send, receive:
        reader = _Reader(portal, send)
        threading.Thread(target=reader.run, daemon=True).start()
        try:
            yield receive
        finally:
            reader.stopped = True
            await portal.stop(cancel_remaining=True)


@define(eq=False)
class _Reader:
    """Reads lines from stdin, and sends each to the loop."""

    portal: BlockingPortal
    send: MemoryObjectSendStream[bytes]
    stopped: bool = False
    _unread: bytearray = field(factory=bytearray)

    def run(self) -> None:
        """Read until stdin ends, or nobody wants more."""
        try:
            while chunk := os.read(0, _CHUNK):
                self._take(chunk)
            self._take(b"\n")  # the last line may have no end
            self.portal.call(self.send.aclose)
        except (OSError, RuntimeError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            return  # the program ends
        except BaseException:
            if not self.stopped:
                raise

    def _take(self, chunk: bytes) -> None:
        *lines, rest = (bytes(self._unread) + chunk).split(b"\n")
        self._unread = bytearray(rest)
        for line in lines:
            if line.strip():
                self.portal.call(self.send.send, line)
        if len(self._unread) > _MOST_LINE:
            self.portal.call(self.send.aclose)
            raise OSError


async def _write(message: types.JSONRPCMessage) -> None:
    text = message.model_dump_json(by_alias=True, exclude_unset=True)
    await anyio.to_thread.run_sync(_write_all, text.encode() + b"\n")


def _write_all(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]
