"""What the tests of MCP seats share: the SDK's own client, and rooms that it plays in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Literal

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from deskroom.room import Room, RoomResult
from deskroom.seats import McpServer

Mode = Literal["auto", "legacy"]
Connect = Callable[..., AbstractAsyncContextManager[Client]]
Player = Callable[[Room], Awaitable[object]]
Play = Callable[[Room, McpServer, Player], RoomResult]


@pytest.fixture
def connect() -> Connect:
    """Return what connects the SDK's client to an address, with a token, over HTTP."""

    @asynccontextmanager
    async def connected(
        url: str, token: str, mode: Mode = "auto", **o: Any
    ) -> AsyncIterator[Client]:
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False) as http,
            Client(streamable_http_client(url, http_client=http), mode=mode, **o) as client,
        ):
            yield client

    return connected


@pytest.fixture
def play() -> Play:
    """Return what runs a room to its close while a player takes part from outside."""

    def played(room: Room, server: McpServer, player: Player) -> RoomResult:
        async def main() -> RoomResult:
            results: list[RoomResult] = []

            async def run() -> None:
                results.append(await room.run())

            with anyio.fail_after(50):
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(run)
                    await server.opened()
                    await player(room)
            (result,) = results
            return result

        return anyio.run(main)

    return played
