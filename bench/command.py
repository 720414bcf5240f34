"""``python -m bench.command``: a turn through a program in a seat, beside the same lines through a bare pipe.

The program is kept, or started for each turn. Beside it the same program is fed the same lines with
nothing of a room around it.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from subprocess import PIPE
from time import perf_counter
from typing import Any, Final

import anyio
import click
from anyio.abc import Process

from bench.run import Spread
from deskroom import DispatchPolicy, Policy, Room
from deskroom.seats import CommandSeat

__all__ = ["main"]

#: Hands each turn on, until its input ends.
_PROGRAM: Final = """
import json, sys
for line in sys.stdin:
    other = "b" if json.loads(line)["seat"] == "a" else "a"
    print(json.dumps({"call": "desk_post", "arguments": {"message": f"@{other} so on"}}), flush=True)
    sys.stdin.readline()
    print(json.dumps({"end": ""}), flush=True)
"""
_COMMAND: Final = (sys.executable, "-c", _PROGRAM)
#: About as long as what the room says of a turn, and of a call.
_TURN: Final = json.dumps({"seat": "a", "told": "x" * 5000}).encode() + b"\n"
_REPLY: Final = json.dumps({"told": "x" * 120}).encode() + b"\n"


async def _room(turns: int, *, keep: bool) -> float:
    """Return the seconds that a turn takes; the first two, in which programs start, are left out."""
    times: list[float] = []
    policy = Policy(max_turns=turns + 2, window=1, dispatch=DispatchPolicy(max_hops=turns + 2))
    seats: Any = {id_: CommandSeat(command=_COMMAND, keep=keep) for id_ in "ba"}
    room = Room(
        seats, opening="@a begin", policy=policy, on_row=lambda _: times.append(perf_counter())
    )
    await room.run()
    return (times[-1] - times[2]) / (len(times) - 3)


async def _bare(turns: int, *, keep: bool) -> float:
    started = perf_counter()
    process = None
    for turn in range(turns + 1):
        if turn == 1:
            started = perf_counter()
        if process is None:
            process = await anyio.open_process(_COMMAND, stdin=PIPE, stdout=PIPE, stderr=PIPE)
        assert process.stdin is not None
        assert process.stdout is not None
        await process.stdin.send(_TURN)
        await process.stdout.receive()
        await process.stdin.send(_REPLY)
        await process.stdout.receive()
        if not keep:
            await _end(process)
            process = None
    took = perf_counter() - started
    if process is not None:
        await _end(process)
    return took / turns


async def _end(process: Process) -> None:
    process.terminate()
    await process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            await stream.aclose()


@click.command()
@click.option("--turns", default=100, show_default=True, help="How many turns a round has.")
@click.option("--rounds", default=5, show_default=True, help="How often each has its turn.")
def main(*, turns: int, rounds: int) -> None:
    """Measure a turn of a program in a seat, in times of a bare pipe to the same program."""
    for name, keep, count in (("kept", True, turns), ("started", False, max(4, turns // 5))):
        ratios = []
        for _ in range(rounds):
            bare = anyio.run(partial(_bare, count, keep=keep))
            room = anyio.run(partial(_room, count, keep=keep))
            ratios.append(room / bare)
            print(f"{name}: {room * 1000:.2f} ms a turn, {bare * 1000:.2f} ms without a room")
        print(f"{name}, in times of a bare pipe: {', '.join(Spread.of(ratios).figures)}")


if __name__ == "__main__":
    main()
