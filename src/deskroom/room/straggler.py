"""What a seat still had to say when its process died: late calls, sent again by nobody's task."""

from __future__ import annotations

from collections.abc import Callable

import anyio
from anyio.abc import TaskStatus
from attrs import define

from deskroom.engine.state import TurnRecord
from deskroom.room.clock import Clock
from deskroom.room.messages import Call, Reply
from deskroom.room.seat import HostInbox

__all__ = ["Straggler"]


@define(eq=False)
class Straggler:
    """The calls (tool, arguments) that one ended turn still had to send."""

    record: TurnRecord
    calls: tuple[tuple[object, object], ...]
    after_s: float = 0
    # For the clock, as a turn has them.
    asleep: int = 0
    tracked: bool = False

    def put_all(self, inbox: HostInbox) -> None:
        """Put all calls into the host's inbox, which has room for those of one turn."""
        for tool, arguments in self.calls:
            inbox.put_nowait(self._call(tool, arguments, _unheard))

    async def run(self, inbox: HostInbox, clock: Clock, *, task_status: TaskStatus[None]) -> None:
        """Sleep, then send call by call, as the seat would have done."""
        if clock.census is not None:
            clock.census.enter(self)
        try:
            task_status.started()
            await clock.sleep(self.after_s, self)
            for tool, arguments in self.calls:
                await self._send(inbox, tool, arguments)
        except anyio.ClosedResourceError:
            return  # the room has closed
        finally:
            if clock.census is not None:
                clock.census.leave(self)

    async def _send(self, inbox: HostInbox, tool: object, arguments: object) -> None:
        answered = anyio.Event()
        await inbox.put(self._call(tool, arguments, lambda _: answered.set()))
        await answered.wait()

    def _call(self, tool: object, arguments: object, reply_to: Callable[[Reply], None]) -> Call:
        return Call(self.record, 0, tool, arguments, reply_to)


def _unheard(reply: Reply) -> None:
    """Take a reply whose caller is gone."""
