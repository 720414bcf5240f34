"""A bounded channel with one reader, who knows how long it is likely to wait.

It keeps its items itself, so that handing one over costs no more than a queue and a look. What
matters is the waiting. ``take`` lets the event loop go round once and then looks, which is
cheapest where the answer is being made meanwhile. ``take_later`` waits for a bell at once: a seat
that is not next would only look in vain.
"""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

import anyio
from anyio.lowlevel import checkpoint
from attrs import define, field

__all__ = ["CLOSING", "Mailbox"]

T = TypeVar("T")

#: What using a closed mailbox raises.
CLOSING = (anyio.ClosedResourceError, anyio.EndOfStream)


@define(eq=False)
class _Waiting(Generic[T]):
    """Somebody who found the box full, with what they wanted to put; ``taken`` says it is in."""

    item: T
    bell: anyio.Event = field(factory=anyio.Event)
    taken: bool = False


class Mailbox(Generic[T]):
    """A channel of at most ``size`` items. Any number of tasks may put; one takes.

    ``items`` holds what is there; whoever finds it full waits, and comes in first.
    """

    def __init__(self, size: int) -> None:
        self.items: deque[T] = deque()
        self._size = size
        self._closed = False
        # A reader that waits takes a place from it, and whoever wakes the reader gives one back.
        self._bell: anyio.Semaphore | None = None
        self._is_awaited = False
        # Made for the first who finds the box full; few boxes ever are.
        self._waiting: deque[_Waiting[T]] | None = None

    @property
    def is_awaited(self) -> bool:
        """Whether the reader waits for the next item, and for nothing else."""
        return self._is_awaited and not self.items

    def put_nowait(self, item: T) -> None:
        """Put an item. Raises ``anyio.WouldBlock`` when the channel is full."""
        if self._closed:
            raise anyio.ClosedResourceError
        if len(self.items) >= self._size:
            raise anyio.WouldBlock
        self.items.append(item)
        if self._is_awaited:
            self._ring()

    async def put(self, item: T) -> None:
        """Put an item, waiting only when the channel is full."""
        if len(self.items) < self._size or self._closed:
            self.put_nowait(item)
            return
        if self._waiting is None:
            self._waiting = deque()
        place = _Waiting(item)
        self._waiting.append(place)
        try:
            await place.bell.wait()
        finally:
            if not place.taken and place in self._waiting:
                self._waiting.remove(place)
        if not place.taken:
            raise anyio.ClosedResourceError

    def take_nowait(self) -> T:
        """Take the next item.

        Raises ``anyio.WouldBlock`` when there is none, and one of ``CLOSING`` when none will come.
        """
        if not self.items:
            raise anyio.EndOfStream if self._closed else anyio.WouldBlock
        item = self.items.popleft()
        if self._waiting:
            place = self._waiting.popleft()
            place.taken = True
            self.items.append(place.item)
            place.bell.set()
        return item

    async def take(self) -> T:
        """Take the next item, which is likely on its way. Raises one of ``CLOSING`` once closed."""
        if not self.items:
            await checkpoint()
        return self.take_nowait() if self.items else await self.take_later()

    async def take_later(self) -> T:
        """Take the next item, which may be long in coming. Raises one of ``CLOSING`` once closed."""
        while not self.items and not self._closed:
            self._bell = self._bell or anyio.Semaphore(0)
            self._is_awaited = True
            await self._bell.acquire()
        return self.take_nowait()

    def _ring(self) -> None:
        if self._bell is not None and self._is_awaited:
            self._is_awaited = False
            self._bell.release()

    def close_in(self) -> None:
        """Take no more items; those that are there can still be taken."""
        self._closed = True
        while self._waiting:
            self._waiting.popleft().bell.set()
        self._ring()

    def close(self) -> None:
        """Close both ends: what is still there is gone."""
        self.items.clear()
        self.close_in()
