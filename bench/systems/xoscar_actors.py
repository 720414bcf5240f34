"""xoscar: a host awaits a call on two actors of one pool in turn and keeps what they say.

With ``call`` a seat awaits a call on the host's own actor while its turn runs, as a seat of ours
does when it calls a tool and acts on the reply.
"""

from __future__ import annotations

import asyncio
from typing import Any

import xoscar

from bench.marks import LINE, Marks

__all__ = ["run"]

_MARKS: list[Marks] = []


class _Host(xoscar.Actor):
    def __init__(self) -> None:
        super().__init__()
        self.rows: list[str] = []

    async def post(self, message: str) -> str:
        self.rows.append(message)
        return "ok"


class _Seat(xoscar.Actor):
    def __init__(self, host: Any) -> None:  # noqa: ANN401 - an actor's reference
        super().__init__()
        self._host = host

    async def take(self, number: int) -> str:
        _MARKS[-1].turn()
        if self._host is not None:
            await self._host.post(LINE)
        return LINE


def run(turns: int, rooms: int, marks: Marks, variant: str) -> None:
    """Play one conversation."""
    _MARKS.append(marks)
    asyncio.run(_converse(turns, calls=variant == "call"))


async def _converse(turns: int, *, calls: bool) -> None:
    pool = await xoscar.create_actor_pool("127.0.0.1", n_process=0)
    async with pool:
        address = pool.external_address
        host = None
        if calls:
            host = await xoscar.create_actor(_Host, address=address, uid="host")
        seats = [
            await xoscar.create_actor(_Seat, host, address=address, uid=uid) for uid in ("a", "b")
        ]
        rows = []
        for number in range(turns):
            rows.append(await seats[number % 2].take(number))
