"""Calls that a seat still had to make when its process died, sent again in a resumed room."""

from __future__ import annotations

from typing import Any

import anyio
from anyio.abc import TaskStatus
from attrs import field, frozen

from deskroom.engine.arguments import plain
from deskroom.engine.messages import Call, Reply
from deskroom.room.channel import CLOSED, Channel
from deskroom.room.clock import Clock
from deskroom.room.seat import CallPair, FromSeat
from deskroom.room.spoken import Spoken

__all__ = ["LateCalls"]


@frozen
class LateCalls:
    """The calls that one turn, which has ended, still had to make.

    They are there when the room opens, or come ``after_s`` seconds of the room's clock later, as
    from a seat that let its deadline pass. ``said`` is what people still had to say before them,
    each as ``(person, message)``.
    """

    turn: int
    attempt: int
    seat: str
    calls: tuple[CallPair, ...] = field(repr=False)
    after_s: float | None = None
    said: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    def send_all(self, host: Channel[Any]) -> None:
        """Send all at once; nobody waits for the replies."""
        for person, message in self.said:
            host.send_nowait(Spoken(person, message))
        for tool, arguments in self.calls:
            host.send_nowait(FromSeat(_Nobody(), self._call(tool, arguments)))

    async def run(self, host: Channel[Any], clock: Clock, *, task_status: TaskStatus[None]) -> None:
        """Sleep, then send call by call, each once the one before is answered."""
        activity = clock.start()
        try:
            task_status.started()
            await clock.sleep(self.after_s or 0, activity)
            for person, message in self.said:
                spoken = Spoken(person, message)
                await host.send(spoken)
                await spoken.done.wait()
            for tool, arguments in self.calls:
                caller = _Waiting()
                await host.send(FromSeat(caller, self._call(tool, arguments)))
                await caller.answered.wait()
        except CLOSED:
            return
        finally:
            clock.finish(activity)

    def _call(self, tool: object, arguments: object) -> Call:
        return Call(self.turn, self.attempt, self.seat, 0, plain(tool), plain(arguments))


class _Nobody:
    def deliver(self, reply: Reply) -> None:
        """Take a reply whose caller is gone."""


class _Waiting:
    def __init__(self) -> None:
        self.answered = anyio.Event()

    def deliver(self, reply: Reply) -> None:  # noqa: ARG002 - only that there is one
        """Note that the call was answered."""
        self.answered.set()
