"""A bounded channel between two actors, with a sending and a receiving end.

It keeps its items itself: on anyio's memory object streams a turn costs nearly twice as much
(bench/README.md).
What matters is the waiting. A reader whose answer is being made meanwhile lets the event loop go
round once and looks again, which is cheapest; a ``patient`` one, which is likely to wait long,
would only look in vain and waits for a wakeup at once.
"""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

import anyio
from anyio.lowlevel import checkpoint
from attrs import define, field

__all__ = ["CLOSED", "Channel"]

T = TypeVar("T")

#: What using a closed channel raises.
CLOSED = (anyio.ClosedResourceError, anyio.EndOfStream)


@define(eq=False)
class _Sender(Generic[T]):
    """Somebody who found the channel full, with the item; ``sent`` says that it is in."""

    item: T
    wakeup: anyio.Event = field(factory=anyio.Event)
    sent: bool = False


class Channel(Generic[T]):
    """A channel of at most ``size`` items. Any number of tasks may send; one receives."""

    def __init__(self, size: int, *, patient: bool = False) -> None:
        #: What is there, oldest first. Others may look at it, and only the channel changes it.
        self.items: deque[T] = deque()
        self._size = size
        self._patient = patient
        self._closed = False
        # A reader that waits takes a place from it, and whoever wakes the reader gives one back.
        self._wakeup: anyio.Semaphore | None = None
        self._is_awaited = False
        # Made for the first sender who finds the channel full; few channels ever are.
        self._senders: deque[_Sender[T]] | None = None

    @property
    def is_awaited(self) -> bool:
        """Whether the reader waits for the next item, and for nothing else."""
        return self._is_awaited and not self.items

    def send_nowait(self, item: T) -> None:
        """Send an item. Raises ``anyio.WouldBlock`` when the channel is full."""
        if self._closed:
            raise anyio.ClosedResourceError
        if len(self.items) >= self._size:
            raise anyio.WouldBlock
        self.items.append(item)
        if self._is_awaited:
            self._wake()

    async def send(self, item: T) -> None:
        """Send an item, waiting only when the channel is full."""
        if len(self.items) < self._size or self._closed:
            self.send_nowait(item)
            return
        if self._senders is None:
            self._senders = deque()
        sender = _Sender(item)
        self._senders.append(sender)
        try:
            await sender.wakeup.wait()
        finally:
            if not sender.sent and sender in self._senders:
                self._senders.remove(sender)
        if not sender.sent:
            raise anyio.ClosedResourceError

    def receive_nowait(self) -> T:
        """Receive the next item.

        Raises ``anyio.WouldBlock`` when there is none, and one of ``CLOSED`` when none will come.
        """
        if not self.items:
            raise anyio.EndOfStream if self._closed else anyio.WouldBlock
        item = self.items.popleft()
        if self._senders:
            sender = self._senders.popleft()
            sender.sent = True
            self.items.append(sender.item)
            sender.wakeup.set()
        return item

    async def receive(self) -> T:
        """Receive the next item. Raises one of ``CLOSED`` when none will come."""
        if not (self.items or self._patient):
            await checkpoint()
        if not self.items:
            await self.wait()
        return self.receive_nowait()

    async def wait(self) -> None:
        """Wait until an item is there, or none will come."""
        while not self.items and not self._closed:
            self._wakeup = self._wakeup or anyio.Semaphore(0)
            self._is_awaited = True
            await self._wakeup.acquire()

    def _wake(self) -> None:
        if self._wakeup is not None and self._is_awaited:
            self._is_awaited = False
            self._wakeup.release()

    def close_sending(self) -> None:
        """Take no more items; those that are there can still be received."""
        self._closed = True
        while self._senders:
            self._senders.popleft().wakeup.set()
        self._wake()

    def close(self) -> None:
        """Close both ends: what is still there is gone."""
        self.items.clear()
        self.close_sending()
