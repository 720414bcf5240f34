"""``python -m bench.chat``: a turn through a ``chat`` seat, beside the same calls of the bare client.

A server on loopback, in a process of its own, answers at once: first with a call, then with a text. Both
sides send the same two requests a turn, with the same messages and tools, in rounds that take turns.
"""

from __future__ import annotations

import json
import multiprocessing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from time import perf_counter
from typing import Any, Final

import anyio
import click
import openai

from bench.run import Spread
from deskroom import DispatchPolicy, Policy, Room
from deskroom.render.tools import tools_as
from deskroom.seats import ChatSeat

__all__ = ["main"]

#: About as long as what a seat is told, and as the reply to its call.
_MESSAGES: Final[list[Any]] = [
    {"role": "system", "content": "You are the seat @a. " + "How to take part. " * 45},
    {"role": "user", "content": "It is your turn. " * 10},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "x",
                "type": "function",
                "function": {"name": "desk_post", "arguments": '{"message": "@b and so on"}'},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "x", "content": "Accepted. When the turn ends, b is next."},
]


class _Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Otherwise the body waits for the kernel to hear that the headers have arrived.
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        message: dict[str, Any] = {"role": "assistant", "content": "done"}
        if asked["messages"][-1]["role"] == "user":
            other = "b" if "the seat @a" in asked["messages"][0]["content"] else "a"
            call = {"name": "desk_post", "arguments": json.dumps({"message": f"@{other} so on"})}
            calls = [{"id": "x", "type": "function", "function": call}]
            message = {"role": "assistant", "content": None, "tool_calls": calls}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        body = json.dumps(
            {
                "id": "x",
                "object": "chat.completion",
                "created": 0,
                "model": "m",
                "choices": [choice],
                "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12},
            }
        ).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def _serve(ready: Connection) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Model)
    ready.send(server.server_address[1])
    server.serve_forever()


async def _room(url: str, turns: int) -> float:
    """Return the seconds that a turn takes; the first, in which all is set up, is left out."""
    started: list[float] = []
    policy = Policy(max_turns=turns + 1, window=1, dispatch=DispatchPolicy(max_hops=turns + 1))
    seats: Any = {"b": ChatSeat(base_url=url, model="m"), "a": ChatSeat(base_url=url, model="m")}
    room = Room(
        seats, opening="@a begin", policy=policy, on_row=lambda _: started.append(perf_counter())
    )
    await room.run()
    return (started[-1] - started[1]) / max(1, len(started) - 2)


async def _bare(url: str, turns: int) -> float:
    tools: Any = tools_as("openai")
    async with openai.AsyncOpenAI(base_url=url, api_key="none") as client:
        started = 0.0
        for turn in range(turns + 1):
            if turn == 1:
                started = perf_counter()
            first = await client.chat.completions.create(
                model="m", messages=_MESSAGES[:2], tools=tools
            )
            assert first.choices[0].message.tool_calls
            await client.chat.completions.create(model="m", messages=_MESSAGES, tools=tools)
    return (perf_counter() - started) / turns


@click.command()
@click.option("--turns", default=200, show_default=True, help="How many turns a round has.")
@click.option("--rounds", default=7, show_default=True, help="How often each has its turn.")
def main(*, turns: int, rounds: int) -> None:
    """Measure a turn of a chat seat, in times of the bare client's."""
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=_serve, args=(theirs,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{ours.recv()}/v1"
    ratios = []
    for _ in range(rounds):
        room, bare = anyio.run(_room, url, turns), anyio.run(_bare, url, turns)
        ratios.append(room / bare)
    server.terminate()
    print("chat, in times of the bare client: " + ", ".join(Spread.of(ratios).figures))


if __name__ == "__main__":
    main()
