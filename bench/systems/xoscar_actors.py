"""xoscar: a host awaits a call on two actors of one pool in turn and keeps what they say."""

from __future__ import annotations

import asyncio

import xoscar
from bench.marks import LINE, Marks

__all__ = ["run"]

_MARKS: list[Marks] = []


class _Seat(xoscar.Actor):
    async def take(self, number: int) -> str:  # noqa: ARG002 - a call carries its turn
        _MARKS[-1].turn()
        return LINE


def run(turns: int, rooms: int, marks: Marks, variant: str) -> None:  # noqa: ARG001 - see systems
    """Play one conversation."""
    _MARKS.append(marks)
    asyncio.run(_converse(turns))


async def _converse(turns: int) -> None:
    pool = await xoscar.create_actor_pool("127.0.0.1", n_process=0)
    async with pool:
        address = pool.external_address
        seats = [
            await xoscar.create_actor(_Seat, address=address, uid=uid) for uid in ("a", "b")
        ]
        rows = []
        for number in range(turns):
            rows.append(await seats[number % 2].take(number))
