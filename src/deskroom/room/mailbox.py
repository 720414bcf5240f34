"""A bounded channel with one reader, who knows how long it is likely to wait.

The channel is an anyio memory object stream; items go in through its ``_nowait`` half wherever
there is room. What differs is the waiting. ``take`` lets the event loop go round once and then
looks, which is cheapest where the answer is being made meanwhile. ``take_later`` waits for a bell
at once: a seat that is not next would only look in vain.
"""

from __future__ import annotations

from functools import cached_property
from typing import Generic, TypeVar

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

__all__ = ["CLOSING", "Mailbox"]

T = TypeVar("T")

#: What using a closed mailbox raises.
CLOSING = (anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream)


class Mailbox(Generic[T]):
    """A channel of at most ``size`` items. Any number of tasks may put; one takes.

    ``waiting`` counts the items that are there. Whoever found the channel full counts its own a
    moment late.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self.waiting = 0
        self._bell: anyio.Event | None = None

    @cached_property
    def _ends(self) -> tuple[MemoryObjectSendStream[T], MemoryObjectReceiveStream[T]]:
        # Made when first used: a stream must be closed, and a room that never runs closes nothing.
        return anyio.create_memory_object_stream[T](self._size)

    def put_nowait(self, item: T) -> None:
        """Put an item. Raises ``anyio.WouldBlock`` when the channel is full."""
        self._ends[0].send_nowait(item)
        self.waiting += 1
        self._ring()

    async def put(self, item: T) -> None:
        """Put an item, waiting only when the channel is full."""
        try:
            self.put_nowait(item)
        except anyio.WouldBlock:
            await self._ends[0].send(item)
            self.waiting += 1
            self._ring()

    def take_nowait(self) -> T:
        """Take the next item. Raises ``anyio.WouldBlock`` when there is none."""
        item = self._ends[1].receive_nowait()
        self.waiting -= 1
        return item

    async def take(self) -> T:
        """Take the next item, which is likely on its way. Raises one of ``CLOSING`` once closed."""
        item = await self._ends[1].receive()
        self.waiting -= 1
        return item

    async def take_later(self) -> T:
        """Take the next item, which may be long in coming. Raises one of ``CLOSING`` once closed."""
        while True:
            try:
                return self.take_nowait()
            except anyio.WouldBlock:
                self._bell = anyio.Event()
                await self._bell.wait()

    def _ring(self) -> None:
        if self._bell is not None:
            self._bell.set()
            self._bell = None

    def close_in(self) -> None:
        """Take no more items; those that are there can still be taken."""
        self._ends[0].close()
        self._ring()

    def close(self) -> None:
        """Close both ends."""
        for end in self._ends:
            end.close()
        self._ring()
