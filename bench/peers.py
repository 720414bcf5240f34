"""``python -m bench.peers``: a turn with a fake model, here and in AutoGen and ADK.

One server on loopback answers all of them at once: first with a call of the only tool that counts,
then with a text. So each turn is two requests. It needs autogen-agentchat, autogen-ext[openai],
google-adk and litellm, which stand in no extra: they are large, and ADK's pins exclude others.
"""

from __future__ import annotations

import asyncio
import json
import logging
import multiprocessing
from collections.abc import Awaitable, Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from time import perf_counter
from typing import Any, Final

import click

from bench.run import Spread
from deskroom import ChairPolicy, Policy, Room
from deskroom.seats import ChatSeat

__all__ = ["main"]

Turn = Callable[[], Awaitable[object]]


class _Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        message: dict[str, Any] = {"role": "assistant", "content": "done"}
        if asked["messages"][-1]["role"] != "tool":
            name = asked["tools"][0]["function"]["name"]
            call = {"name": name, "arguments": '{"message": "so on"}'}
            calls = [{"id": "x", "type": "function", "function": call}]
            message = {"role": "assistant", "content": None, "tool_calls": calls}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}
        body = json.dumps(
            {
                "id": "x",
                "object": "chat.completion",
                "created": 0,
                "model": asked["model"],
                "choices": [choice],
                "usage": usage,
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


async def _deskroom(url: str, turns: int) -> float:
    """The chair gives the seat turn after turn; the first, in which all is set up, is left out."""
    times: list[float] = []
    policy = Policy(max_turns=turns + 1, window=1, chair=ChairPolicy(rounds=turns + 2))
    seats: Any = {"a": ChatSeat(base_url=url, model="m")}

    def note(entry: Any) -> None:  # noqa: ANN401 - a row with what was decided
        if entry.kind == "seat":
            times.append(perf_counter())

    await Room(seats, opening="@a go", policy=policy, on_row=note).run()
    return (times[-1] - times[0]) / (len(times) - 1)


async def _autogen(url: str, turns: int) -> float:
    from autogen_agentchat.agents import AssistantAgent
    from autogen_agentchat.messages import TextMessage
    from autogen_core import CancellationToken
    from autogen_core.model_context import BufferedChatCompletionContext
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    async def desk_post(message: str) -> str:
        return "Accepted."

    knows = dict.fromkeys(("vision", "json_output", "structured_output"), False)
    info: Any = {**knows, "function_calling": True, "family": "unknown"}
    client = OpenAIChatCompletionClient(model="m", base_url=url, api_key="x", model_info=info)
    agent = AssistantAgent(
        "a",
        client,
        tools=[desk_post],
        reflect_on_tool_use=True,
        model_context=BufferedChatCompletionContext(4),
    )
    asked = TextMessage(content="go", source="user")
    return await _timed(lambda: agent.on_messages([asked], CancellationToken()), turns)


async def _adk(url: str, turns: int) -> float:
    from google.adk.agents import Agent
    from google.adk.models.lite_llm import LiteLlm
    from google.adk.runners import InMemoryRunner
    from google.genai import types

    def desk_post(message: str) -> str:
        """Say something."""
        return "Accepted."

    model = LiteLlm(model="openai/m", api_base=url, api_key="x")
    agent = Agent(name="a", model=model, tools=[desk_post], include_contents="none")
    runner = InMemoryRunner(agent, app_name="bench")
    asked = types.Content(role="user", parts=[types.Part(text="go")])

    async def turn() -> None:
        session = await runner.session_service.create_session(app_name="bench", user_id="u")
        async for _ in runner.run_async(user_id="u", session_id=session.id, new_message=asked):
            pass

    return await _timed(turn, turns)


async def _timed(turn: Turn, turns: int) -> float:
    await turn()
    started = perf_counter()
    for _ in range(turns):
        await turn()
    return (perf_counter() - started) / turns


_PEERS: Final = {"AutoGen": _autogen, "ADK": _adk}


@click.command()
@click.option("--turns", default=100, show_default=True, help="How many turns a round has.")
@click.option("--rounds", default=5, show_default=True, help="How often each has its turn.")
def main(*, turns: int, rounds: int) -> None:
    """Measure a turn of AutoGen and ADK with a fake model, in times of a chat seat's."""
    logging.disable(logging.CRITICAL)
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=_serve, args=(theirs,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{ours.recv()}/v1"
    for name, peer in _PEERS.items():
        ratios = []
        for _ in range(rounds):
            here, there = asyncio.run(_deskroom(url, turns)), asyncio.run(peer(url, turns))
            ratios.append(there / here)
        print(f"{name}, in times of a chat seat's turn: {', '.join(Spread.of(ratios).figures)}")
    server.terminate()


if __name__ == "__main__":
    main()
