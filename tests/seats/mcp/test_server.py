"""Clients of MCP in the seats of real rooms, over HTTP, with the SDK's own client."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from deskroom.core import AsidePolicy
from deskroom.engine.entries import CallEntry, Entry
from deskroom.errors import UsageError
from deskroom.render.tools import tools_as
from deskroom.room import ChairPolicy, Policy, Room, RoomResult, Seat
from deskroom.seats import McpServer
from deskroom.testing import ScriptedSeat, post

pytestmark = pytest.mark.slow

Connect = Callable[..., AbstractAsyncContextManager[Client]]
Play = Callable[[Room, McpServer, Callable[[Room], Awaitable[object]]], RoomResult]

BOTH = pytest.mark.parametrize("mode", ["auto", "legacy"])
#: The room closes after one turn that nobody goes on from.
ONCE = Policy(chair=ChairPolicy(rounds=0))
TRANSCRIPT = "deskroom://transcript"


class Kept(list[Entry]):
    """A journal in memory."""

    def write(self, entry: Entry) -> None:
        self.append(entry)


def facts(result: Any) -> dict[str, Any]:
    """Return what a call was answered, as structured content, with whether it was refused."""
    assert isinstance(result.structured_content, dict)
    return {**result.structured_content, "is_error": result.is_error}


async def speak(client: Client, *messages: str) -> list[str]:
    """Wait for turn after turn, say a message in each, and return how each wait ended."""
    said = iter(messages)
    ends = []
    while True:
        status = facts(await client.call_tool("desk_wait"))["status"]
        ends.append(status)
        if status == "closed":
            return ends
        if status == "turn":
            await client.call_tool("desk_post", {"message": next(said)})
            await client.call_tool("desk_end", {"text": "notes"})


@BOTH
def test_four_clients_play_one_room(mode: str, connect: Connect, play: Play) -> None:
    """Each seat has its own client, and all of them hear that the room has closed."""
    server = McpServer()
    seats = {id_: server.seat(id_) for id_ in "abcd"}
    room = Room(seats, opening="@a go", policy=ONCE)
    ends: dict[str, list[str]] = {}

    async def one(id_: str, *messages: str) -> None:
        async with connect(seats[id_].url, seats[id_].token, mode) as client:
            ends[id_] = await speak(client, *messages)

    async def player(_: Room) -> None:
        async with anyio.create_task_group() as tasks:
            for id_, next_ in ("ab", "bc", "cd", "da"):
                tasks.start_soon(one, id_, f"@{next_} from {id_}", "enough")

    result = play(room, server, player)
    assert ["@a go", "@b from a", "@c from b", "@d from c", "@a from d", "enough"] == [
        row.content for row in result.rows
    ]
    assert {"a": ["turn", "turn", "closed"]} | {id_: ["turn", "closed"] for id_ in "bcd"} == ends
    assert ["notes"] * 5 == [turn.text for turn in result.turns]


@BOTH
def test_the_tools_are_those_of_the_tool_surface(mode: str, connect: Connect, play: Play) -> None:
    """Names, descriptions and schemas are what every seat is served, with two more behind them."""
    server = McpServer()
    seats: Any = {Seat(id="a"): server.seat("a"), Seat(id="f", fence=True): server.seat("f")}
    listed: dict[str, Any] = {}

    async def player(room: Room) -> None:
        for id_ in "af":
            async with connect(server.url_of(id_), server.token_of(id_), mode) as client:
                tools = (await client.list_tools()).tools
                listed[id_] = [
                    t.model_dump(mode="json", by_alias=True, exclude_none=True) for t in tools
                ]
        room.stop()

    play(Room(seats, opening="@a go"), server, player)
    surface = tools_as("mcp")["tools"]
    assert surface == listed["a"][: len(surface)]
    assert ["desk_wait", "desk_end"] == [tool["name"] for tool in listed["a"][len(surface) :]]
    assert ["desk_wait", "desk_end"] == [tool["name"] for tool in listed["f"]]


def test_desk_wait_gives_the_facts_of_the_turn(connect: Connect, play: Play) -> None:
    """In words and as JSON; whoever asks again in the turn is given the same."""
    server = McpServer()
    a = server.seat("a")
    seen = []

    async def player(_: Room) -> None:
        for _time in range(2):
            async with connect(a.url, a.token) as client:
                result = await client.call_tool("desk_wait")
                seen.append((result.content[0].text, facts(result)))  # type: ignore[union-attr]
        async with connect(a.url, a.token) as client:
            await client.call_tool("desk_end")

    policy = ONCE
    play(Room({Seat(id="a", brief="Be kind."): a}, opening="@a go", policy=policy), server, player)
    (text, given), again = seen
    assert (text, given) == again
    assert "@a go" in text
    row = {
        "sequence": 1,
        "author": {"type": "person", "id": "user"},
        "audience": {"kind": "desk"},
        "content": "@a go",
    }
    assert {
        "status": "turn",
        "turn": 1,
        "attempt": 1,
        "seat": "a",
        "hop": 0,
        "brief": "Be kind.",
        "note": None,
        "trigger": row,
        "history": [row],
        "is_error": False,
    } == given


@BOTH
def test_a_call_out_of_turn_is_refused(mode: str, connect: Connect, play: Play) -> None:
    """It says who has the turn; so does the end of a turn that is not there."""
    server = McpServer()
    a, b = server.seat("a"), server.seat("b")
    refused = []

    async def player(room: Room) -> None:
        async with connect(b.url, b.token, mode) as client:
            refused.append(facts(await client.call_tool("desk_post", {"message": "me"})))
            refused.append(facts(await client.call_tool("desk_end")))
        room.stop()

    result = play(Room({"a": a, "b": b}, opening="@a go"), server, player)
    expected = [("not_your_turn", "a", True)] * 2
    assert expected == [(one["rejection"], one["turn_of"], one["is_error"]) for one in refused]
    assert 1 == len(result.rows)


ODD = [{"message": 7}, {"message": "x", "too": "much"}, [], "text", None, {"to": 1, "message": "x"}]


@BOTH
def test_the_host_judges_what_a_client_emits(mode: str, play: Play, connect: Connect) -> None:
    """Arguments of any shape, and tools that are not there, reach the host and its journal."""
    server = McpServer()
    a = server.seat("a")
    replies = []
    journal = Kept()

    async def player(_: Room) -> None:
        async with connect(a.url, a.token, mode) as client:
            await client.call_tool("desk_wait")
            await client.list_tools()
            emitted = [*(("desk_post", arguments) for arguments in ODD), ("desk_pots", {})]
            replies.extend([await raw(client, *call) for call in emitted])
            await client.call_tool("desk_end")

    play(Room({"a": a}, opening="@a go", policy=ONCE, journal=journal), server, player)
    assert ["bad_arguments"] * 6 + ["unknown_tool"] == [
        reply["structuredContent"]["rejection"] for reply in replies
    ]
    kept = [(e.tool, e.arguments) for e in journal if isinstance(e, CallEntry)]
    assert [("desk_post", arguments) for arguments in ODD] + [("desk_pots", {})] == kept


async def raw(client: Client, tool: str, arguments: object) -> dict[str, Any]:
    """Call a tool with arguments that the SDK's own client would not send."""
    session = client.session
    data: dict[str, Any] = {"method": "tools/call", "params": {"name": tool, "arguments": {}}}
    options: Any = {}
    session._stamp(data, options)
    data["params"]["arguments"] = arguments
    return await session._dispatcher.send_raw_request(data["method"], data["params"], options)


@BOTH
def test_waiting_answers_before_a_client_gives_up(mode: str, connect: Connect, play: Play) -> None:
    """It says whose turn it is, after the time that is set, and reports progress meanwhile."""
    server = McpServer(wait_s=0.2)
    a, b = server.seat("a"), server.seat("b")
    reported, waits = [], []

    async def report(progress: float, total: float | None, message: str | None) -> None:
        reported.append((progress, message))

    async def player(room: Room) -> None:
        async with connect(b.url, b.token, mode) as client:
            waits.append(facts(await client.call_tool("desk_wait", progress_callback=report)))
        room.stop()

    play(Room({"a": a, "b": b}, opening="@a go"), server, player)
    assert [{"status": "waiting", "turn_of": "a", "is_error": False}] == waits
    assert [(1, "@a has the turn")] == reported
    assert 50 == McpServer().wait_s


@pytest.mark.parametrize("takeover", [False, True])
@BOTH
def test_one_client_waits_at_a_time(
    mode: str, takeover: bool, connect: Connect, play: Play
) -> None:
    """A second one is refused, or, with takeover, ends the first."""
    server = McpServer(takeover=takeover)
    a, b = server.seat("a"), server.seat("b")
    ends: dict[str, Any] = {}

    async def wait(name: str) -> None:
        async with connect(b.url, b.token, mode) as client:
            result = facts(await client.call_tool("desk_wait"))
            ends[name] = result.get("rejection") or result["status"]

    async def player(room: Room) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait, "first")
            await anyio.sleep(0.5)
            tasks.start_soon(wait, "second")
            await anyio.sleep(0.5)
            room.stop()

    play(Room({"a": a, "b": b}, opening="@a go"), server, player)
    loser, winner = ("first", "second") if takeover else ("second", "first")
    assert {loser: "seat_taken", winner: "closed"} == ends


@BOTH
def test_a_client_that_goes_away_while_it_waits_leaves_the_seat(
    mode: str, connect: Connect, play: Play
) -> None:
    """The next one may wait at once."""
    server = McpServer()
    a, b = server.seat("a"), server.seat("b")
    ends = []

    async def player(room: Room) -> None:
        with anyio.move_on_after(0.5):
            async with connect(b.url, b.token, mode) as client:
                await client.call_tool("desk_wait")
        await anyio.sleep(0.2)
        async with connect(b.url, b.token, mode) as client, anyio.create_task_group() as tasks:

            async def stop() -> None:
                await anyio.sleep(0.2)
                room.stop()

            tasks.start_soon(stop)
            ends.append(facts(await client.call_tool("desk_wait"))["status"])

    play(Room({"a": a, "b": b}, opening="@a go"), server, player)
    assert ["closed"] == ends


def test_a_turn_that_is_never_ended_times_out(connect: Connect, play: Play) -> None:
    """It costs the seat its turn; what it says afterwards is refused, and the room goes on."""
    server = McpServer()
    a = server.seat("a")
    late = []

    async def player(_: Room) -> None:
        async with connect(a.url, a.token) as client:
            await client.call_tool("desk_wait")
            await client.call_tool("desk_post", {"message": "never said"})
            late.append(facts(await client.call_tool("desk_wait"))["status"])
            await anyio.sleep(0.5)
            late.append(
                facts(await client.call_tool("desk_post", {"message": "late"}))["rejection"]
            )

    policy = Policy(turn_timeout_s=0.4, chair=ChairPolicy(rounds=0))
    seats: Any = {"a": a, "b": ScriptedSeat([post("x")])}
    result = play(Room(seats, opening="@a go", policy=policy), server, player)
    assert ["turn", "not_your_turn"] == late
    assert ["timed_out"] == [turn.outcome for turn in result.turns]


def test_the_brief_and_how_to_take_part_are_a_prompt(connect: Connect, play: Play) -> None:
    """It holds what only this seat is told, and the name of the tool to begin with."""
    server = McpServer()
    a, b = server.seat("a"), server.seat("b")
    texts: list[Any] = []

    async def player(room: Room) -> None:
        async with connect(a.url, a.token) as client:
            texts.append([prompt.name for prompt in (await client.list_prompts()).prompts])
            (message,) = (await client.get_prompt("take_part")).messages
            texts.append(getattr(message.content, "text", None))
            texts.append(client.instructions)
            with pytest.raises(MCPError):
                await client.get_prompt("other")
        room.stop()

    seats: Any = {Seat(id="a", brief="Find n."): a, Seat(id="b", brief="Secret."): b}
    play(Room(seats, opening="@b go"), server, player)
    names, text, instructions = texts
    assert ["take_part"] == names
    assert text == instructions
    assert ("Find n." in text, "Secret." in text, "desk_wait" in text) == (True, False, True)


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
def test_the_transcript_is_a_resource_that_tells_of_changes(connect: Connect, play: Play) -> None:
    """By the newest protocol and by an older one; an aside of others is a stub in it."""
    server = McpServer()
    a, b, c = server.seat("a"), server.seat("b"), server.seat("c")
    told: dict[str, list[str]] = {"auto": [], "legacy": []}
    transcripts = []

    async def handler(message: Any) -> None:
        if getattr(message, "method", None) == "notifications/resources/updated":
            told["legacy"].append(str(message.params.uri))

    async def player(room: Room) -> None:
        async with (
            connect(a.url, a.token) as speaker,
            connect(c.url, c.token) as modern,
            connect(c.url, c.token, "legacy", message_handler=handler) as older,
            modern.listen(resource_subscriptions=[TRANSCRIPT]) as changes,
        ):
            assert [TRANSCRIPT] == [str(r.uri) for r in (await older.list_resources()).resources]
            await older.session.subscribe_resource(TRANSCRIPT)
            await speaker.call_tool("desk_wait")
            dm = {"to": ["b"], "message": "for b alone"}
            assert (await speaker.call_tool("desk_dm", dm)).structured_content["rejection"] is None
            await speaker.call_tool("desk_end")
            event: Any = await anext(changes)
            told["auto"].append(event.uri)
            read = await modern.read_resource(TRANSCRIPT)
            transcripts.append(json.loads(read.contents[0].text))  # type: ignore[union-attr]
            await anyio.sleep(0.2)
            await older.session.unsubscribe_resource(TRANSCRIPT)
            with pytest.raises(MCPError):
                await modern.read_resource("deskroom://other")
            room.stop()
            assert [] == [one async for one in changes if one != event]

    policy = Policy(aside=AsidePolicy(enabled=True, max_members=1, max_messages=3))
    play(Room({"a": a, "b": b, "c": c}, opening="@a go", policy=policy), server, player)
    assert {"auto": [TRANSCRIPT], "legacy": [TRANSCRIPT]} == told
    (transcript,) = transcripts
    first, second = transcript["rows"]
    assert ("@a go", "elided" in second, "content" in second) == (first["content"], True, False)
    assert ("desk", "b", None) == (transcript["desk"], transcript["turn_of"], transcript["closed"])


def test_only_its_own_token_opens_a_seat(
    play: Play, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither no token, nor a wrong one, nor another seat's; nor another Host or Origin."""
    server = McpServer()
    a, b = server.seat("a"), server.seat("b")
    answers = []
    caplog.set_level(logging.DEBUG)

    async def player(room: Room) -> None:
        port = server.url.rpartition(":")[2]
        own = {"Authorization": f"Bearer {a.token}"}
        tries: list[dict[str, str]] = [
            own,
            {},
            {"Authorization": "Bearer wrong-token"},
            {"Authorization": f"Bearer {b.token}"},
            {"Authorization": f"Basic {a.token}"},
            {**own, "Host": "evil.example"},
            {**own, "Host": f"evil.example:{port}"},
            {**own, "Host": "127.0.0.1:1"},
            {**own, "Origin": "http://evil.example"},
            {**own, "Origin": "null"},
            {**own, "Origin": f"http://localhost:{port}"},
        ]
        async with httpx2.AsyncClient(trust_env=False) as http:
            for headers in tries:
                version = {"MCP-Protocol-Version": "2026-07-28"}
                answers.append((await http.get(a.url, headers={**version, **headers})).status_code)
            answers.append((await http.get(f"{server.url}/seats/c", headers=own)).status_code)
        room.stop()

    play(Room({"a": a, "b": b}, opening="@a go"), server, player)
    fine, wrong_token, wrong_host, wrong_origin = 405, 401, 421, 403
    assert [
        fine,
        *[wrong_token] * 4,
        *[wrong_host] * 3,
        *[wrong_origin] * 2,
        fine,
        404,
    ] == answers
    told = [caplog.text, *capsys.readouterr()]
    ours = "\n".join(line for text in told for line in text.splitlines() if "http" not in line)
    assert [] == [t for t in (a.token, b.token, "wrong-token") if t in ours]


def test_a_server_needs_asyncio_and_its_own_seat() -> None:
    """On trio the room is not built; a seat of another id is none of its room."""
    trio = pytest.importorskip("trio")
    server = McpServer()
    a = server.seat("a")

    async def build() -> None:
        Room({"a": a}, opening="@a go")

    with pytest.raises(UsageError):
        trio.run(build)
    with pytest.raises(UsageError):
        trio.run(Room({"a": a}, opening="@a go").run)
    with pytest.raises(UsageError):
        anyio.run(Room({"b": a}, opening="@b go").run)
    with pytest.raises(UsageError):
        server.seat("a")
    with pytest.raises(UsageError):
        _ = a.url
    assert "token" not in repr(a)
    assert a.token not in repr(server)


def test_a_port_that_is_taken_is_an_error(play: Play) -> None:
    """In one sentence, before the first turn."""
    server = McpServer()
    a = server.seat("a")
    errors = []

    async def player(room: Room) -> None:
        port = int(server.url.rpartition(":")[2])
        other = McpServer(port=port)
        with pytest.raises(UsageError) as error:
            await Room({"a": other.seat("a")}, opening="@a go").run()
        errors.append(str(error.value))
        room.stop()

    play(Room({"a": a}, opening="@a go"), server, player)
    assert 1 == len(errors)
