"""The floor: what three hand-overs and one line cost, with no rule at all.

Two bare tasks on memory streams of buffer 1 hand over a grant, a call and a reply with plain
awaits; a row is encoded as JSON and appended to a buffered file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio

from bench.marks import LINE, Marks

__all__ = ["run"]


def run(turns: int, rooms: int, marks: Marks, variant: str) -> None:
    """Play conversations side by side in one loop, or, ``in a row``, one after the other."""
    anyio.run(_in_a_row if variant == "in a row" else _at_once, turns, rooms, marks)


async def _at_once(turns: int, rooms: int, marks: Marks) -> None:
    async with anyio.create_task_group() as tasks:
        for _ in range(rooms):
            tasks.start_soon(_converse, turns, marks)


async def _in_a_row(turns: int, rooms: int, marks: Marks) -> None:
    for _ in range(rooms):
        await _converse(turns, marks)


async def _converse(turns: int, marks: Marks) -> None:
    grant_in, grant_out = anyio.create_memory_object_stream[int](1)
    call_in, call_out = anyio.create_memory_object_stream[dict[str, str]](1)
    reply_in, reply_out = anyio.create_memory_object_stream[str](1)

    async def seat() -> None:
        async for _ in grant_out:
            marks.turn()
            await call_in.send({"tool": "desk_post", "message": LINE})
            await reply_out.receive()

    async def host(file: Any) -> None:  # noqa: ANN401 - a text file
        for number in range(1, turns + 1):
            await grant_in.send(number)
            call = await call_out.receive()
            row = {
                "sequence": number,
                "author": "a",
                "content": call["message"],
                "audience": "desk",
            }
            file.write(json.dumps(row) + "\n")
            await reply_in.send("ok")
        grant_in.close()

    with Path("/dev/null").open("w", encoding="utf-8") as file:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(seat)
            tasks.start_soon(host, file)
    for stream in (grant_in, grant_out, call_in, call_out, reply_in, reply_out):
        stream.close()
