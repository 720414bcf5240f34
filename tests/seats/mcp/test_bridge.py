"""Clients of MCP that speak to a room over stdio, with the SDK's own client."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from deskroom.render.tools import tools_as
from deskroom.room import ChairPolicy, Policy, Room, RoomResult
from deskroom.seats import McpSeat, McpServer

pytestmark = pytest.mark.slow

Play = Callable[[Room, McpServer, Callable[[Room], Awaitable[object]]], RoomResult]

BOTH = pytest.mark.parametrize("mode", ["auto", "legacy"])
ONCE = Policy(chair=ChairPolicy(rounds=0))
DESKROOM = shutil.which("deskroom") or "deskroom"


def stdio(seat: McpSeat, mode: Any, **options: Any) -> Client:
    """Return a client that starts ``deskroom mcp`` and speaks to it."""
    arguments = ["mcp", seat.id, "--url", seat.server.url]
    env = {**os.environ, "DESKROOM_TOKEN": seat.token}
    command = StdioServerParameters(command=DESKROOM, args=arguments, env=env)
    return Client(command, mode=mode, **options)


@BOTH
def test_a_client_plays_over_stdio(mode: str, play: Play) -> None:
    """Tools, prompt, transcript and progress are forwarded; the rows are those that it says."""
    server = McpServer(wait_s=0.3)
    a, b = server.seat("a"), server.seat("b")
    seen: dict[str, Any] = {}
    reported = []

    async def report(progress: float, total: float | None, message: str | None) -> None:
        reported.append((progress, message))

    async def player(_: Room) -> None:
        async with stdio(a, mode) as client, stdio(b, mode) as other:
            seen["tools"] = [tool.name for tool in (await client.list_tools()).tools]
            seen["prompts"] = [prompt.name for prompt in (await client.list_prompts()).prompts]
            seen["resource"] = bool((await client.read_resource("deskroom://transcript")).contents)
            await other.call_tool("desk_wait", progress_callback=report)
            await client.call_tool("desk_wait")
            refused = await other.call_tool("desk_post", {"message": "x"})
            seen["refused"] = refused.structured_content["rejection"]
            await client.call_tool("desk_post", {"message": "enough — ünd"})
            await client.call_tool("desk_end", {"text": "t"})
            seen["end"] = (await client.call_tool("desk_wait")).structured_content

    result = play(Room({"a": a, "b": b}, opening="@a go", policy=ONCE), server, player)
    assert ["@a go", "enough — ünd"] == [row.content for row in result.rows]
    assert {
        "tools": [tool["name"] for tool in tools_as("mcp")["tools"]] + ["desk_wait", "desk_end"],
        "prompts": ["take_part"],
        "resource": True,
        "refused": "not_your_turn",
        "end": {"status": "closed", "closed": "quiet"},
    } == seen
    assert [(1, "@a has the turn")] == reported


def test_changes_of_the_transcript_come_over_stdio(play: Play) -> None:
    """A client of the newest protocol hears of them as over HTTP."""
    server = McpServer()
    a = server.seat("a")
    uris = []

    async def player(_: Room) -> None:
        async with (
            stdio(a, "auto") as client,
            client.listen(resource_subscriptions=["deskroom://transcript"]) as changes,
        ):
            await client.call_tool("desk_post", {"message": "enough"})
            await client.call_tool("desk_end")
            event: Any = await anext(changes)
            uris.append(event.uri)

    play(Room({"a": a}, opening="@a go", policy=ONCE), server, player)
    assert ["deskroom://transcript"] == uris


@BOTH
def test_a_client_that_is_killed_in_its_turn_comes_back(mode: str, play: Play) -> None:
    """What it has said stands, and whoever comes back has the turn still."""
    server = McpServer()
    a = server.seat("a")
    turns = []

    async def player(_: Room) -> None:
        env = {**os.environ, "DESKROOM_TOKEN": a.token}
        command = [DESKROOM, "mcp", "a", "--url", a.url]
        async with await anyio.open_process(command, env=env) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            for line in OPENING[mode]:
                await process.stdin.send(line.encode() + b"\n")
                await process.stdout.receive()
            process.kill()
        async with stdio(a, mode) as client:
            again = (await client.call_tool("desk_wait")).structured_content
            turns.append((again["status"], again["turn"], again["attempt"]))
            await client.call_tool("desk_end")

    result = play(Room({"a": a}, opening="@a go", policy=ONCE), server, player)
    assert [("turn", 1, 1)] == turns
    assert ["@a go", "before"] == [row.content for row in result.rows]


META = (
    '"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", '
    '"io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"}, '
    '"io.modelcontextprotocol/clientCapabilities": {}}'
)
SAY = (
    '{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": '
    '{"name": "desk_post", "arguments": {"message": "before"}%s}}'
)
HELLO = (
    '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": '
    '"2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}'
)
OPENING = {"auto": [SAY % f", {META}"], "legacy": [HELLO, SAY % ""]}


def run(seat: str, url: str, token: str | None, given: str = "") -> tuple[int, str, str]:
    """Run the command to its end."""
    env = {name: value for name, value in os.environ.items() if name != "DESKROOM_TOKEN"}
    env |= {} if token is None else {"DESKROOM_TOKEN": token}
    command = [DESKROOM, "mcp", seat, "--url", url]
    done = subprocess.run(
        command, env=env, input=given, capture_output=True, text=True, timeout=20, check=False
    )
    return done.returncode, done.stdout, done.stderr


def test_what_is_wrong_is_one_sentence(play: Play) -> None:
    """No room, no token, another seat's token or address: exit code 2, and no token is shown."""
    server = McpServer()
    a, b = server.seat("a"), server.seat("b")
    tried = [run("a", "http://127.0.0.1:9", "some-token"), run("a", "http://127.0.0.1:9", None)]
    tried += [run("a", "http://example.com:80", "some-token"), run("a", "x", "some-token")]

    async def player(room: Room) -> None:
        for seat, url, token in (
            ("a", a.url, b.token),
            ("b", a.url, b.token),
            ("c", server.url, b.token),
            ("a", a.url, "wr\u00f6ng"),
        ):
            tried.append(await anyio.to_thread.run_sync(run, seat, url, token))
        room.stop()

    play(Room({"a": a, "b": b}, opening="@a go"), server, player)
    assert [(2, "")] * 8 == [(code, out) for code, out, _ in tried]
    errors = [err for _, _, err in tried]
    assert [1] * 8 == [err.count("\n") for err in errors]
    assert [True] * 8 == [err.startswith("deskroom: ") for err in errors]
    assert [] == [err for err in errors for t in (a.token, b.token, "some-token") if t in err]


def test_it_ends_with_its_room(play: Play) -> None:
    """A client that asks once more is told, and the command says so and ends, stdin open or not."""
    server = McpServer()
    a = server.seat("a")
    ends: list[object] = []

    async def player(room: Room) -> None:
        env = {**os.environ, "DESKROOM_TOKEN": a.token}
        command = [DESKROOM, "mcp", "a", "--url", a.url]
        process = await anyio.open_process(command, env=env)
        assert process.stdin is not None
        assert process.stdout is not None
        await process.stdin.send(b"no JSON\n")
        ends.append(b"-32700" in await process.stdout.receive())
        room.stop()
        await anyio.sleep(1.5)
        await process.stdin.send((SAY % f", {META}").encode() + b"\n")
        ends.append(await process.wait())
        await process.aclose()

    play(Room({"a": a}, opening="@a go"), server, player)
    assert [True, 2] == ends


def test_piped_requests_are_answered() -> None:
    """Requests that are piped in get their answers before the command ends with its stdin."""
    server = McpServer()
    a = server.seat("a")
    results: list[tuple[int, str, str]] = []

    async def main() -> None:
        room = Room({"a": a}, opening="@a go")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(room.run)
            await server.opened()
            given = SAY % f", {META}"
            results.append(await anyio.to_thread.run_sync(run, "a", a.url, a.token, given))
            room.stop()

    anyio.run(main)
    ((code, out, err),) = results
    assert (0, True, "") == (code, '"id":2' in out and "Accepted" in out, err)
