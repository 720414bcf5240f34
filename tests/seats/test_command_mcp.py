"""Programs in seats that are clients of MCP, as an agent's own command line is."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from deskroom.errors import UsageError
from deskroom.room import ChairPolicy, Policy, Room, RoomResult
from deskroom.seats import CommandSeat, McpServer

pytestmark = pytest.mark.slow

#: Reads its prompt, finds its seat in the file, and speaks there with the SDK's own client.
AGENT = """
import asyncio, json, os, stat, sys
prompt = sys.stdin.read()
config = json.load(open(sys.argv[1]))["mcpServers"]["desk"]
notes = {"prompt": prompt, "mode": stat.S_IMODE(os.stat(sys.argv[1]).st_mode),
         "url": sys.argv[2] == config["url"], "args": sys.argv,
         "token": config["headers"]["Authorization"] == "Bearer " + os.environ["TOKEN"]}
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
async def main():
    async with httpx2.AsyncClient(headers=config["headers"], trust_env=False) as http:
        async with Client(streamable_http_client(config["url"], http_client=http)) as client:
            notes["wait"] = (await client.call_tool("desk_wait")).structured_content["status"]
            await client.call_tool("desk_post", {"message": "from an agent"})
            if sys.argv[3] == "ends":
                notes["end"] = (await client.call_tool("desk_end", {"text": "n"})).is_error
                late = await client.call_tool("desk_post", {"message": "too late"})
                notes["late"] = late.structured_content["rejection"]
asyncio.run(main())
print(json.dumps(notes) if sys.argv[3] != "silent" else "")
sys.exit(3 if sys.argv[3] == "fails" else 0)
"""
PLACES = ("{mcp_config}", "{mcp_url}")


def agent(how: str = "", **options: Any) -> CommandSeat:
    """Return a seat that is played by that program."""
    command = [sys.executable, "-c", AGENT, *PLACES, how]
    return CommandSeat(command=command, mcp=True, env={"TOKEN": "{token}"}, **options)


def play(*seats: CommandSeat, timeout_s: float = 20) -> RoomResult:
    """Play a room in which seats are such programs."""
    policy = Policy(turn_timeout_s=timeout_s, chair=ChairPolicy(rounds=0))
    return anyio.run(
        Room(dict(zip("abc", seats, strict=False)), opening="@a go", policy=policy).run
    )


def test_an_agent_takes_its_turn_as_a_client() -> None:
    """It is told where its seat is without its token in an argument; its stdout is the seat's text."""
    result = play(agent("ends"))
    assert ["@a go", "from an agent"] == [row.content for row in result.rows]
    notes = json.loads(result.turns[0].text)
    arguments = notes.pop("args")
    assert ("@a go" in notes.pop("prompt"), stat.S_IRUSR | stat.S_IWUSR) == (
        True,
        notes.pop("mode"),
    )
    assert {
        "url": True,
        "token": True,
        "wait": "turn",
        "end": False,
        "late": "not_your_turn",
    } == notes
    assert not Path(arguments[1]).exists()
    assert ("spoke", None) == (result.turns[0].outcome, result.turns[0].error)


def test_an_agent_that_fails_costs_its_turn() -> None:
    """Its exit status is in the failure, and what it called becomes no row."""
    result = play(agent("fails"))
    assert ["@a go"] == [row.content for row in result.rows]
    (turn,) = result.turns
    assert ("failed", True) == (turn.outcome, "exit status 3" in str(turn.error))


def test_programs_share_the_server_of_their_desk() -> None:
    """Each has its own seat of it."""
    server = McpServer()
    command = [sys.executable, "-c", AGENT, *PLACES, "silent"]
    seats = [
        CommandSeat(command=command, mcp=server.seat(id_), env={"TOKEN": "{token}"}) for id_ in "ab"
    ]
    result = play(*seats)
    assert ["@a go", "from an agent"] == [row.content for row in result.rows]
    assert "" == result.turns[0].text


def test_a_program_that_hangs_is_ended() -> None:
    """Its turn times out, and the room goes on."""
    command = [sys.executable, "-c", "import time; time.sleep(60)"]
    result = play(CommandSeat(command=command, mcp=True), timeout_s=0.5)
    assert ["timed_out"] == [turn.outcome for turn in result.turns]


def test_what_cannot_be_is_an_error() -> None:
    """A token in an argument, and a client that is kept; and none of it on trio."""
    for options in ({"command": ["x", "{token}"]}, {"command": ["x"], "keep": True}):
        with pytest.raises(UsageError):
            CommandSeat(mcp=True, **options)
    trio = pytest.importorskip("trio")
    with pytest.raises(UsageError):
        trio.run(Room({"a": agent()}, opening="@a go").run)
