"""``deskroom run`` with clients of MCP in its seats, also when it is killed, and ``deskroom mcp``."""

from __future__ import annotations

import contextlib
import json
import signal
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from deskroom.engine.entries import RowEntry
from deskroom.journal import Torn, read_journal, verify

pytestmark = pytest.mark.slow

Run = Callable[..., Any]
Started = Callable[..., "subprocess.Popen[bytes]"]

DESK = """\
format = 1
order = "routed"
desk = { id = "d", name = "D", people = [{ id = "sam", label = "Sam" }], seats = [{ id = "a" }, { id = "b" }] }
policy = { chair = { rounds = 0 } }
[opening]
by = "sam"
message = "@a begin"
[live.a]
kind = "mcp"
[live.b]
kind = "mcp"
"""
#: After so many turns the room is done.
TURNS = 6
SAID = ["@a begin", *(f"@{'ba'[turn % 2 - 1]} {turn}" for turn in range(1, TURNS)), "done"]


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """Return the scenario above as a file."""
    path = tmp_path / "desk.toml"
    path.write_text(DESK)
    return path


async def config(folder: Path, seat: str) -> dict[str, Any]:
    """Return where a seat is, once that is written."""
    path = folder / f"{seat}.json"
    while not path.exists():  # noqa: ASYNC110 - another process writes it
        await anyio.sleep(0.02)
    server: dict[str, Any] = json.loads(path.read_text())["mcpServers"]["desk"]
    return server


async def play(folder: Path, seat: str) -> str:
    """Play a seat as long as its room runs, coming back when that has gone away."""
    while True:
        try:
            return await sit(folder, seat)
        except* (httpx2.TransportError, OSError):
            pass
        except* Exception as group:  # noqa: BLE001 - a room that is killed cuts calls short
            assert "MCPError" in repr(group)  # noqa: PT017 - whatever else came is shown
        await anyio.sleep(0.05)


async def sit(folder: Path, seat: str) -> str:
    """Play a seat until its room closes, and return why it did."""
    server = await config(folder, seat)
    async with (
        httpx2.AsyncClient(headers=server["headers"], timeout=60, trust_env=False) as http,
        Client(streamable_http_client(server["url"], http_client=http)) as client,
    ):
        while True:
            facts: Any = (await client.call_tool("desk_wait")).structured_content
            if facts["status"] == "closed":
                return str(facts["closed"])
            if facts["status"] == "turn":
                turn = facts["turn"]
                said = f"@{'ba'[turn % 2 - 1]} {turn}" if turn < TURNS else "done"
                await client.call_tool("desk_post", {"message": said})
                await client.call_tool("desk_end", {"text": "t"})


async def both(folder: Path) -> set[str]:
    """Play both seats, and return why their rooms closed."""
    reasons: set[str] = set()

    async def one(seat: str) -> None:
        reasons.add(await play(folder, seat))

    with anyio.fail_after(50):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(one, "a")
            tasks.start_soon(one, "b")
    return reasons


def rows(journal: Path) -> list[str]:
    """Return what was said, up to a line that a crash has cut short."""
    entries: list[object] = []
    with contextlib.suppress(Torn):
        entries.extend(line.entry for line in read_journal(journal))
    return [entry.row.content for entry in entries if isinstance(entry, RowEntry)]


def test_a_desk_of_clients(desk: Path, tmp_path: Path, started: Started) -> None:
    """It says where each seat is, in files for its owner alone, which it removes in the end."""
    folder, journal = tmp_path / "clients", tmp_path / "run.jsonl"
    options = ["--journal", str(journal), "--mcp-dir", str(folder)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = started("run", str(desk), *options, **pipes)
    servers = {seat: anyio.run(config, folder, seat) for seat in "ab"}
    names = ["a.json", "a.stdio.json", "b.json", "b.stdio.json"]
    assert names == sorted(path.name for path in folder.iterdir())
    modes = {stat.S_IMODE((folder / name).stat().st_mode) for name in names}
    assert {0o600} == modes
    stdio = json.loads((folder / "a.stdio.json").read_text())["mcpServers"]["desk"]
    assert ["mcp", "a", "--url", servers["a"]["url"]] == stdio["args"]
    tokens = [server["headers"]["Authorization"].split()[1] for server in servers.values()]
    assert tokens[0] == stdio["env"]["DESKROOM_TOKEN"]
    command_line = Path(f"/proc/{process.pid}/cmdline").read_bytes().decode()
    assert {"quiet"} == anyio.run(both, folder)
    out, err = (text.decode() for text in process.communicate(timeout=20))
    assert 0 == process.returncode
    assert [f"{seat}: waits for a client of MCP at {servers[seat]['url']}" for seat in "ab"] == [
        line.partition(";")[0] for line in err.splitlines()
    ]
    assert [] == list(folder.iterdir())
    assert SAID == rows(journal)
    told = (out, err, command_line, journal.read_text())
    assert [] == [text for text in told for token in tokens if token in text]


def test_killed_at_any_moment_nothing_is_lost_or_said_twice(
    desk: Path, tmp_path: Path, started: Started
) -> None:
    """The same clients go on with the room that resumes, from what the journal holds."""
    folder, journal = tmp_path / "clients", tmp_path / "run.jsonl"
    command = ["run", str(desk), "--journal", str(journal), "--mcp-dir", str(folder)]
    reasons: set[str] = set()
    kept: list[list[str]] = []

    async def until(lines: int) -> None:
        while not journal.exists() or journal.read_bytes().count(b"\n") < lines:  # noqa: ASYNC110
            await anyio.sleep(0.001)

    async def main() -> None:
        async with anyio.create_task_group() as tasks:

            async def clients() -> None:
                reasons.update(await both(folder))

            tasks.start_soon(clients)
            for lines in (4, 8, 13):
                resume = ["--resume"] if journal.exists() else []
                process = started(*command, *resume, stderr=subprocess.DEVNULL)
                await until(lines)
                process.send_signal(signal.SIGKILL)
                process.wait()
                for path in folder.iterdir():
                    path.unlink()  # of a room that is gone
                kept.append(rows(journal))
            started(*command, "--resume", stderr=subprocess.DEVNULL)

    anyio.run(main)
    assert {"quiet"} == reasons
    assert SAID == rows(journal)
    assert [SAID[: len(before)] for before in kept] == kept
    assert verify(journal).rows == len(SAID)


def test_an_interrupt_ends_it_in_order(desk: Path, tmp_path: Path, started: Started) -> None:
    """A client that waits is told, no file is left, and the command to resume has all options."""
    folder, journal = tmp_path / "clients", tmp_path / "run.jsonl"
    options = ["--journal", str(journal), "--mcp-dir", str(folder), "--takeover"]
    process = started("run", str(desk), *options, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    ends: list[str] = []

    async def main() -> None:
        server = await config(folder, "b")
        async with (
            httpx2.AsyncClient(headers=server["headers"], timeout=60, trust_env=False) as http,
            Client(streamable_http_client(server["url"], http_client=http)) as client,
            anyio.create_task_group() as tasks,
        ):

            async def interrupt() -> None:
                await anyio.sleep(0.5)
                process.send_signal(signal.SIGINT)

            tasks.start_soon(interrupt)
            facts: Any = (await client.call_tool("desk_wait")).structured_content
            ends.append(facts["status"])

    anyio.run(main)
    _, err = process.communicate(timeout=20)
    assert (["closed"], 130) == (ends, process.returncode)
    command = next(line for line in err.decode().splitlines() if line.startswith("to resume: "))
    assert [f"--mcp-dir={folder}", "--takeover"] == command.split()[-2:]
    assert [] == list(folder.iterdir())
    assert "Traceback" not in err.decode()


def test_what_cannot_run_says_so(desk: Path, run: Run, tmp_path: Path) -> None:
    """On trio, before anything starts; where the folder is none; and without a token."""
    ended = run("run", desk, "--backend", "trio", "--journal", tmp_path / "run.jsonl")
    assert (2, "", 1) == (ended.code, ended.out, ended.err.count("\n"))
    assert not (tmp_path / "run.jsonl").exists()
    ended = run("run", desk, "--mcp-dir", desk)
    assert (2, "", 1) == (ended.code, ended.out, ended.err.count("\n"))
