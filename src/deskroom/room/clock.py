"""Time, as a port: real for a live room, simulated for a replay. Nothing else reads time.

A room has one clock and one deadline at a time, that of its open turn. A simulated clock is told
how many seats are at work and when the host waits; it needs no more to know that everything waits,
and then jumps to the next timer. A seat that waits for something of its own (a socket, a thread)
counts as at work, so simulated time stands still meanwhile, and its turn is timed by the wall
clock instead.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from heapq import heappop, heappush
from time import monotonic  # noqa: TID251 - this is the clock
from typing import Final, Protocol, TypeVar

import anyio
from attrs import define

from deskroom.errors import UsageError

__all__ = ["Activity", "Clock", "RealClock", "SimulatedClock"]

T = TypeVar("T")

OnDeadline = Callable[[], None]


@define(eq=False)
class Activity:
    """What a clock knows of one turn of a seat, which several of its tasks may share.

    ``asleep`` counts the tasks that sleep; ``at_work`` says whether the turn is counted at all.
    """

    asleep: int = 0
    at_work: bool = False


_UNCOUNTED: Final = Activity()


class Clock(Protocol):
    """What a room asks of time. Seconds throughout; ``now`` starts at 0 when the room opens."""

    def now(self) -> float:
        """Return the seconds since the room opened."""
        ...

    async def sleep(self, seconds: float, activity: Activity) -> None:
        """Let a seat wait. Raises ``UsageError`` for a negative or endless time."""
        ...

    def set_deadline(self, seconds: float, on_deadline: OnDeadline) -> None:
        """Set the one deadline: ``on_deadline`` is called once that many seconds have passed."""
        ...

    def clear_deadline(self) -> None:
        """Take the deadline back."""
        ...

    def check_deadline(self) -> None:
        """Call ``on_deadline`` if the deadline has passed; a host that never waits asks this."""
        ...

    async def wait_for(self, wait: Callable[[], Awaitable[T]]) -> T:
        """Return what ``wait`` returns; if the deadline passes first, call ``on_deadline``.

        ``wait`` is begun anew when a deadline cuts it short, so ``on_deadline`` should end it.
        """
        ...

    def start(self) -> Activity:
        """Count a turn as at work, and return what it is known by."""
        ...

    def finish(self, activity: Activity) -> None:
        """Count a turn as done; one that is not counted is left alone."""
        ...

    def host_waits(self, is_idle: Callable[[], bool]) -> None:
        """The host has nothing to do, as long as ``is_idle`` says so."""
        ...


class RealClock:
    """Wall-clock time, which passes whoever works."""

    def __init__(self) -> None:
        self._start = monotonic()
        self._deadline: tuple[float, OnDeadline] | None = None

    def now(self) -> float:
        """Return the seconds since this clock was made."""
        return monotonic() - self._start

    async def sleep(self, seconds: float, activity: Activity) -> None:  # noqa: ARG002 - see Clock
        """Sleep for real."""
        await anyio.sleep(_checked(seconds))

    def set_deadline(self, seconds: float, on_deadline: OnDeadline) -> None:
        """Set the deadline. This is all that a turn pays: nobody is woken for it."""
        self._deadline = (monotonic() + seconds, on_deadline)

    def clear_deadline(self) -> None:
        """Take the deadline back."""
        self._deadline = None

    def check_deadline(self) -> None:
        """Call ``on_deadline`` if the deadline has passed."""
        if self._deadline is not None and monotonic() >= self._deadline[0]:
            _, on_deadline = self._deadline
            self._deadline = None
            on_deadline()

    async def wait_for(self, wait: Callable[[], Awaitable[T]]) -> T:
        """Wait under the deadline. One that is set meanwhile does not count."""
        while self._deadline is not None:
            with anyio.move_on_after(max(0.0, self._deadline[0] - monotonic())):
                return await wait()
            self.check_deadline()
        return await wait()

    def start(self) -> Activity:
        """Count nothing: real time passes whoever works."""
        return _UNCOUNTED

    def finish(self, activity: Activity) -> None:
        """Count nothing."""

    def host_waits(self, is_idle: Callable[[], bool]) -> None:
        """Do nothing."""


class SimulatedClock:
    """Time that costs nothing: it jumps to the next timer whenever the whole room waits.

    Timers fire one at a time, in the order of their time and then of their setting, and the next
    one only when everything waits again; so nothing depends on how an event loop orders tasks.
    The deadline comes before a timer of the same time: a turn must be over by then.

    ``guard`` (default on) also times a turn by the wall clock, for seats that wait for something
    real. A scripted replay, where no seat does, turns it off.
    """

    def __init__(self, *, guard: bool = True) -> None:
        self._now = 0.0
        self._working = 0
        self._host_is_idle: Callable[[], bool] = _never
        self._count = 0
        self._timers: list[tuple[float, int, _Timer]] = []
        self._deadline: tuple[float, OnDeadline] | None = None
        self._guard = RealClock() if guard else None

    def now(self) -> float:
        """Return the simulated seconds since the room opened."""
        return self._now

    async def sleep(self, seconds: float, activity: Activity) -> None:
        """Wait in simulated time."""
        timer = _Timer(activity)
        self._count += 1
        heappush(self._timers, (self._now + _checked(seconds), self._count, timer))
        activity.asleep += 1
        if activity.asleep == 1 and activity.at_work:
            self._working -= 1
        self._jump_if_all_wait()
        try:
            await timer.wakeup.wait()
        finally:
            if not timer.wakeup.is_set():
                timer.wakeup.set()
                self._wake(activity)

    def _wake(self, activity: Activity) -> None:
        activity.asleep -= 1
        if activity.asleep == 0 and activity.at_work:
            self._working += 1

    def set_deadline(self, seconds: float, on_deadline: OnDeadline) -> None:
        """Set the deadline, in simulated time and for the guard."""
        self._deadline = (self._now + seconds, on_deadline)
        if self._guard is not None:
            self._guard.set_deadline(seconds, on_deadline)

    def clear_deadline(self) -> None:
        """Take the deadline back."""
        self._deadline = None
        if self._guard is not None:
            self._guard.clear_deadline()

    def check_deadline(self) -> None:
        """Ask the guard whether its deadline has passed."""
        if self._guard is not None:
            self._guard.check_deadline()

    async def wait_for(self, wait: Callable[[], Awaitable[T]]) -> T:
        """Wait under the guard; simulated time passes by itself."""
        return await (wait() if self._guard is None else self._guard.wait_for(wait))

    def start(self) -> Activity:
        """Count a turn as at work."""
        self._working += 1
        return Activity(at_work=True)

    def finish(self, activity: Activity) -> None:
        """Count a turn as done; time may jump now."""
        if activity.at_work:
            activity.at_work = False
            if not activity.asleep:
                self._working -= 1
            self._jump_if_all_wait()

    def host_waits(self, is_idle: Callable[[], bool]) -> None:
        """If no seat works either, let time jump."""
        self._host_is_idle = is_idle
        self._jump_if_all_wait()

    def _jump_if_all_wait(self) -> None:
        if self._working > 0 or not self._host_is_idle():
            return
        while self._timers and self._timers[0][2].wakeup.is_set():
            heappop(self._timers)
        due = self._timers[0][0] if self._timers else math.inf
        if self._deadline is not None and self._deadline[0] <= due:
            at, on_deadline = self._deadline
            self.clear_deadline()
            self._now = at if math.isfinite(at) else self._now
            on_deadline()
        elif self._timers:
            self._now, _, timer = heappop(self._timers)
            self._wake(timer.activity)
            timer.wakeup.set()


class _Timer:
    """One sleep: of which turn, and whether it is over."""

    __slots__ = ("activity", "wakeup")

    def __init__(self, activity: Activity) -> None:
        self.activity = activity
        self.wakeup = anyio.Event()


def _never() -> bool:
    return False


def _checked(seconds: object) -> float:
    if isinstance(seconds, int | float) and 0 <= seconds < math.inf:
        return seconds
    raise UsageError(f"a seat can sleep for 0 or more seconds, not {seconds!r}")
