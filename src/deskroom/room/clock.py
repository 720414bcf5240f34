"""Time, as a port: real for a live room, simulated for a replay. Nothing else reads time.

A room has one clock and one deadline at a time, that of its open turn. The clock is told when the
host waits and how many seats are at work. The simulated one needs no more to know that everything
is blocked: it then jumps to the next timer. A seat that waits for something of its own (a socket,
a thread) counts as at work, so simulated time stands still meanwhile, and its turn is timed by the
wall clock instead.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from heapq import heappop, heappush
from time import monotonic  # noqa: TID251 - this is the clock
from typing import Protocol, TypeVar

import anyio

from deskroom.errors import UsageError

__all__ = ["Census", "Clock", "RealClock", "SimulatedClock", "Sleeper"]

T = TypeVar("T")

Ring = Callable[[], None]


class Sleeper(Protocol):
    """Whoever may sleep: one turn of a seat, which several of its tasks may share."""

    asleep: int
    tracked: bool


class Clock(Protocol):
    """What a room asks of time. Seconds throughout; ``now`` starts at 0 when the room opens.

    ``census`` is told who works and who waits; None for a clock that runs whoever does.
    """

    @property
    def census(self) -> Census | None:
        """Who is to be told."""
        ...

    def now(self) -> float:
        """Return the seconds since the room opened."""
        ...

    async def sleep(self, seconds: float, sleeper: Sleeper) -> None:
        """Let a seat wait."""
        ...

    def arm(self, seconds: float, ring: Ring) -> None:
        """Set the one deadline: ``ring`` is called once that many seconds have passed."""
        ...

    def disarm(self) -> None:
        """Take the deadline back."""
        ...

    def check(self) -> None:
        """Ring if the deadline has passed; a host that never has to wait asks now and then."""
        ...

    async def watch(self, wait: Callable[[], Awaitable[T]]) -> T:
        """Wait for what ``wait`` returns, and ring if the deadline passes first.

        The wait that is cut short by a deadline is begun anew, so ``ring`` should end it.
        """
        ...


class Census(Protocol):
    """Who works and who waits, for a clock that lets time pass only while everybody waits."""

    def enter(self, sleeper: Sleeper) -> None:
        """Count a seat as at work."""
        ...

    def leave(self, sleeper: Sleeper) -> None:
        """Count a seat as done; a seat that is not counted is left alone."""
        ...

    def host_waits(self) -> None:
        """The host has nothing to do until it gets a message."""
        ...

    def host_works(self) -> None:
        """A message is there for the host."""
        ...


class RealClock:
    """Wall-clock time, which passes whoever works."""

    census = None

    def __init__(self) -> None:
        self._start = monotonic()
        self._deadline: tuple[float, Ring] | None = None

    def now(self) -> float:
        """Return the seconds since this clock was made."""
        return monotonic() - self._start

    async def sleep(self, seconds: float, sleeper: Sleeper) -> None:  # noqa: ARG002 - see Clock
        """Sleep for real. Raises ``UsageError`` for a negative or endless time."""
        await anyio.sleep(_checked(seconds))

    def arm(self, seconds: float, ring: Ring) -> None:
        """Set the deadline. This is all that a turn pays: nobody is woken for it."""
        self._deadline = (monotonic() + seconds, ring)

    def disarm(self) -> None:
        """Take the deadline back."""
        self._deadline = None

    def check(self) -> None:
        """Ring if the deadline has passed."""
        if self._deadline is not None and monotonic() >= self._deadline[0]:
            _, ring = self._deadline
            self._deadline = None
            ring()

    async def watch(self, wait: Callable[[], Awaitable[T]]) -> T:
        """Wait, and ring if the deadline passes first. A deadline set meanwhile does not count."""
        while self._deadline is not None:
            with anyio.move_on_after(max(0.0, self._deadline[0] - monotonic())):
                return await wait()
            self.check()
        return await wait()


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
        self._host_waits = False
        self._count = 0
        self._timers: list[tuple[float, int, _Timer]] = []
        self._deadline: tuple[float, Ring] | None = None
        self._guard = RealClock() if guard else None

    @property
    def census(self) -> Census:
        """The clock itself: it must know when everybody waits."""
        return self

    def now(self) -> float:
        """Return the simulated seconds since the room opened."""
        return self._now

    async def sleep(self, seconds: float, sleeper: Sleeper) -> None:
        """Wait in simulated time. Raises ``UsageError`` for a negative or endless time."""
        timer = _Timer(sleeper)
        self._count += 1
        heappush(self._timers, (self._now + _checked(seconds), self._count, timer))
        sleeper.asleep += 1
        if sleeper.asleep == 1 and sleeper.tracked:
            self._working -= 1
        self._jump_if_all_wait()
        try:
            await timer.rung.wait()
        finally:
            if not timer.rung.is_set():
                timer.rung.set()
                self._wake(sleeper)

    def _wake(self, sleeper: Sleeper) -> None:
        sleeper.asleep -= 1
        if sleeper.asleep == 0 and sleeper.tracked:
            self._working += 1

    def arm(self, seconds: float, ring: Ring) -> None:
        """Set the deadline, in simulated time and for the guard."""
        self._deadline = (self._now + seconds, ring)
        if self._guard is not None:
            self._guard.arm(seconds, ring)

    def disarm(self) -> None:
        """Take the deadline back."""
        self._deadline = None
        if self._guard is not None:
            self._guard.disarm()

    def check(self) -> None:
        """Let the guard ring if its deadline has passed."""
        if self._guard is not None:
            self._guard.check()

    async def watch(self, wait: Callable[[], Awaitable[T]]) -> T:
        """Wait under the guard; simulated time passes by itself."""
        return await (wait() if self._guard is None else self._guard.watch(wait))

    def enter(self, sleeper: Sleeper) -> None:
        """Count a seat as at work."""
        sleeper.tracked = True
        self._working += 1

    def leave(self, sleeper: Sleeper) -> None:
        """Count a seat as done; time may jump now."""
        if sleeper.tracked:
            sleeper.tracked = False
            if not sleeper.asleep:
                self._working -= 1
            self._jump_if_all_wait()

    def host_waits(self) -> None:
        """The host has nothing to do: if no seat works either, time jumps."""
        self._host_waits = True
        self._jump_if_all_wait()

    def host_works(self) -> None:
        """The host has a message, so time stands still."""
        self._host_waits = False

    def _jump_if_all_wait(self) -> None:
        if self._working > 0 or not self._host_waits:
            return
        while self._timers and self._timers[0][2].rung.is_set():
            heappop(self._timers)
        due = self._timers[0][0] if self._timers else math.inf
        if self._deadline is not None and self._deadline[0] <= due:
            at, ring = self._deadline
            self.disarm()
            self._now = at if math.isfinite(at) else self._now
            ring()
        elif self._timers:
            self._now, _, timer = heappop(self._timers)
            self._wake(timer.sleeper)
            timer.rung.set()


class _Timer:
    """One sleep: whose it is, and whether it is over."""

    __slots__ = ("rung", "sleeper")

    def __init__(self, sleeper: Sleeper) -> None:
        self.sleeper = sleeper
        self.rung = anyio.Event()


def _checked(seconds: object) -> float:
    if isinstance(seconds, int | float) and 0 <= seconds < math.inf:
        return seconds
    raise UsageError(f"a seat can sleep for 0 or more seconds, not {seconds!r}")
