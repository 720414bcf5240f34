"""``python -m bench.mcp``: what a turn costs through MCP, beside the same calls on the bare SDK.

A turn is three calls: to wait for it, to post a message, and to end it. The bare server answers each
at once, with as many bytes as a room does, and knows no room. Over stdio ours is a process that forwards
to the room over HTTP; the bare one is the server itself, and also, as a fairer floor, the cost of both of
its transports. Rounds take turns, and every figure is a ratio within a round.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import perf_counter
from typing import Any

import anyio
import click
import httpx2
import mcp_types as types
import uvicorn
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from deskroom import ChairPolicy, DispatchPolicy, Policy, Room
from deskroom.render.tools import tools_as
from deskroom.seats import McpServer

_TURNS = 200
_FACTS = {
    "desk_wait": {"status": "turn", "turn": 1, "history": [{"content": "@a go on"}] * 10},
    "desk_post": {"call": 1, "ok": True, "text": "Accepted.", "rejection": None, "rows": []},
    "desk_end": {"status": "ended"},
}


def bare() -> Server[Any]:
    """Return a server with tools of those names, on the SDK alone."""

    async def list_tools(_: object, __: object) -> types.ListToolsResult:
        served = tools_as("mcp")["tools"]
        more = [{**served[0], "name": name} for name in ("desk_wait", "desk_end")]
        tools = [types.Tool.model_validate(tool) for tool in (*served, *more)]
        return types.ListToolsResult(tools=tools)

    async def call_tool(_: object, params: types.CallToolRequestParams) -> types.CallToolResult:
        facts = _FACTS[params.name]
        content = [types.TextContent(text=str(facts))]
        return types.CallToolResult(content=content, structured_content=facts)

    return Server("bare", on_list_tools=list_tools, on_call_tool=call_tool)


async def turns(client: Client, count: int) -> float:
    """Play so many turns, and return the seconds that one takes."""
    await client.list_tools()
    begun = perf_counter()
    for _ in range(count):
        await client.call_tool("desk_wait")
        await client.call_tool("desk_post", {"message": "@a go on"})
        await client.call_tool("desk_end", {"text": "t"})
    return (perf_counter() - begun) / count


@asynccontextmanager
async def connected(url: str, token: str) -> AsyncIterator[Client]:
    """Connect the SDK's client to an address."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        yield client


async def bare_http(count: int) -> float:
    """Play over HTTP with the bare server."""
    app = bare().streamable_http_app()
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, access_log=False))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(server._serve)  # noqa: SLF001 - leaves signals alone
        while not server.started:  # noqa: ASYNC110 - it has no event
            await anyio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        url = f"http://127.0.0.1:{port}/mcp"
        async with connected(url, "none") as client:
            took = await turns(client, count)
        server.should_exit = True
    return took


async def bare_stdio(count: int) -> float:
    """Play over stdio with the bare server, in a process of its own."""
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "bench.mcp", "--serve"], env=dict(os.environ)
    )
    async with Client(command) as client:
        return await turns(client, count)


async def ours(count: int, *, stdio: bool) -> float:
    """Play in a room, over HTTP or over stdio."""
    server = McpServer()
    seat = server.seat("a")
    hops = DispatchPolicy(max_hops=100_000)
    policy = Policy(dispatch=hops, chair=ChairPolicy(rounds=100_000))
    room = Room({"a": seat}, opening="@a go", policy=policy)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(room.run)
        await server.opened()
        if stdio:
            command = StdioServerParameters(
                command=shutil.which("deskroom") or "deskroom",
                args=["mcp", "a", "--url", seat.url],
                env={**os.environ, "DESKROOM_TOKEN": seat.token},
            )
            async with Client(command) as client:
                took = await turns(client, count)
        else:
            async with connected(seat.url, seat.token) as client:
                took = await turns(client, count)
        room.stop()
    return took


async def serve() -> None:
    """Serve the bare tools over stdio."""
    server = bare()
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


async def measure(rounds: int, count: int) -> None:
    """Print each round's figures, and the medians of their ratios."""
    ratios: dict[str, list[float]] = {"HTTP": [], "stdio": [], "stdio, both transports": []}
    for number in range(1, rounds + 1):
        floor, http = await bare_http(count), await ours(count, stdio=False)
        pipe, stdio = await bare_stdio(count), await ours(count, stdio=True)
        ratios["HTTP"].append(http / floor)
        ratios["stdio"].append(stdio / pipe)
        ratios["stdio, both transports"].append(stdio / (pipe + floor))
        told = [f"{1000 * took:.2f}" for took in (floor, http, pipe, stdio)]
        print(f"round {number}: bare HTTP, ours, bare stdio, ours, in ms a turn: {', '.join(told)}")
    for name, found in ratios.items():
        print(f"{name}: {min(found):.2f}, {statistics.median(found):.2f}, {max(found):.2f}")


@click.command()
@click.option("--rounds", default=5, show_default=True)
@click.option("--turns", "count", default=_TURNS, show_default=True)
@click.option("--serve", "serves", is_flag=True, hidden=True)
def main(*, rounds: int, count: int, serves: bool) -> None:
    """Measure what a turn costs through MCP, as ratios to the bare SDK's."""
    if serves:
        anyio.run(serve)
    else:
        anyio.run(measure, rounds, count)


if __name__ == "__main__":
    main()
