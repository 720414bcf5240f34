"""Both clocks by themselves, with a sleeper that stands for a turn and a ring that takes notes."""

from __future__ import annotations

import math
from collections.abc import Callable, Coroutine
from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint

from deskroom.errors import UsageError
from deskroom.room.clock import Activity, RealClock, SimulatedClock

pytestmark = pytest.mark.anyio


def always() -> bool:
    """Be a host that never has a message."""
    return True


async def settle() -> None:
    """Let every task run until it waits."""
    for _ in range(10):
        await checkpoint()


class Diary:
    """What happened, and at what simulated time."""

    def __init__(self, clock: SimulatedClock) -> None:
        self.clock = clock
        self.lines: list[tuple[str, float]] = []
        self.has_message = False

    def host_waits(self) -> None:
        """Have nothing to do, until there is a message."""
        self.has_message = False
        self.clock.host_waits(lambda: not self.has_message)

    def note(self, what: str) -> Callable[[], None]:
        """Return a ring that writes itself down."""
        return lambda: self.lines.append((what, self.clock.now()))

    def sleeper(
        self, name: str, seconds: float, work: Activity
    ) -> Callable[[], Coroutine[Any, Any, None]]:
        """Return a task that sleeps once, and writes down when it wakes."""

        async def sleep() -> None:
            await self.clock.sleep(seconds, work)
            self.note(name)()
            self.clock.finish(work)
            self.host_waits()

        return sleep


async def test_timers_wake_in_the_order_of_their_time_and_time_jumps_to_each() -> None:
    """Seats that sleep wake one at a time, soonest first, whatever order they went to sleep in."""
    diary = Diary(SimulatedClock(guard=False))
    async with anyio.create_task_group() as tasks:
        for name, seconds in (("late", 2400.0), ("soon", 0.5), ("now", 0.0)):
            work = diary.clock.start()
            tasks.start_soon(diary.sleeper(name, seconds, work))
        await settle()
        assert [] == diary.lines
        diary.host_waits()
    assert [("now", 0.0), ("soon", 0.5), ("late", 2400.0)] == diary.lines


async def test_timers_of_one_time_wake_in_the_order_in_which_they_were_set() -> None:
    """Ties are broken by who went to sleep first, on either backend."""
    diary = Diary(SimulatedClock(guard=False))
    async with anyio.create_task_group() as tasks:
        for name in "abcdef":
            work = diary.clock.start()
            tasks.start_soon(diary.sleeper(name, 5, work))
            await settle()
        diary.host_waits()
    assert [(name, 5.0) for name in "abcdef"] == diary.lines


async def test_time_stands_still_while_a_seat_is_at_work() -> None:
    """One seat that does not sleep keeps the others asleep until it is done."""
    diary = Diary(SimulatedClock(guard=False))
    busy, idle = diary.clock.start(), diary.clock.start()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(diary.sleeper("idle", 60, idle))
        await settle()
        diary.host_waits()
        await settle()
        assert ([], 0.0) == (diary.lines, diary.clock.now())
        diary.clock.finish(busy)
    assert [("idle", 60.0)] == diary.lines


async def test_time_stands_still_while_the_host_has_a_message() -> None:
    """Time jumps when the host waits, and not before."""
    diary = Diary(SimulatedClock(guard=False))
    work = diary.clock.start()
    diary.host_waits()
    diary.has_message = True
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(diary.sleeper("seat", 60, work))
        await settle()
        assert [] == diary.lines
        diary.host_waits()
    assert [("seat", 60.0)] == diary.lines


async def test_the_deadline_rings_before_a_timer_of_the_same_time() -> None:
    """A turn must be over by its deadline, so that comes first; a sooner timer still wakes."""
    diary = Diary(SimulatedClock(guard=False))
    diary.clock.set_deadline(60, diary.note("deadline"))
    async with anyio.create_task_group() as tasks:
        for name, seconds in (("sooner", 59.0), ("same", 60.0), ("later", 61.0)):
            work = diary.clock.start()
            tasks.start_soon(diary.sleeper(name, seconds, work))
        await settle()
        diary.host_waits()
        await settle()
        diary.host_waits()
    expected = [("sooner", 59.0), ("deadline", 60.0), ("same", 60.0), ("later", 61.0)]
    assert expected == diary.lines


async def test_a_deadline_that_was_taken_back_does_not_ring() -> None:
    """With nothing to jump to, time stands still however long the host waits."""
    diary = Diary(SimulatedClock(guard=False))
    diary.clock.set_deadline(60, diary.note("deadline"))
    diary.clock.clear_deadline()
    diary.host_waits()
    assert ([], 0.0) == (diary.lines, diary.clock.now())


async def test_an_endless_deadline_rings_once_nothing_else_is_due_and_takes_no_time() -> None:
    """It comes after every timer and leaves the time where the last one put it."""
    diary = Diary(SimulatedClock(guard=False))
    diary.clock.set_deadline(math.inf, diary.note("end"))
    work = diary.clock.start()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(diary.sleeper("seat", 1e9, work))
        await settle()
        diary.host_waits()
        await settle()
        diary.host_waits()
    assert [("seat", 1e9), ("end", 1e9)] == diary.lines


async def test_two_tasks_of_one_turn_may_sleep_at_once() -> None:
    """Each wakes at its own time, and time stands still while one of them is awake."""
    diary = Diary(SimulatedClock(guard=False))
    work, busy = diary.clock.start(), diary.clock.start()

    async def nap(name: str, seconds: float) -> None:
        await diary.clock.sleep(seconds, work)
        diary.note(name)()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(nap, "long", 20)
        tasks.start_soon(nap, "short", 10)
        await settle()
        diary.host_waits()
        await settle()
        assert ([], 2) == (diary.lines, work.asleep)
        diary.clock.finish(busy)
        await settle()
        assert ([("short", 10.0)], 1) == (diary.lines, work.asleep)
        diary.host_waits()
    assert ([("short", 10.0), ("long", 20.0)], 0) == (diary.lines, work.asleep)


async def test_a_sleep_that_is_cancelled_leaves_the_seat_at_work() -> None:
    """The timer is gone, and time does not jump to where it was."""
    diary = Diary(SimulatedClock(guard=False))
    work = diary.clock.start()
    diary.clock.set_deadline(60, diary.note("deadline"))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(diary.sleeper("seat", 5, work))
        await settle()
        tasks.cancel_scope.cancel()
    assert 0 == work.asleep
    diary.host_waits()
    assert [] == diary.lines
    diary.clock.finish(work)
    assert [("deadline", 60.0)] == diary.lines


async def test_a_seat_that_is_cancelled_just_as_it_wakes_is_counted_once() -> None:
    """A sleep that is over when it is cancelled changes nothing more."""
    clock = SimulatedClock(guard=False)
    work = clock.start()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(clock.sleep, 5, work)
        await settle()
        clock.host_waits(always)
        tasks.cancel_scope.cancel()
    assert (0, 5.0) == (work.asleep, clock.now())
    clock.set_deadline(60, lambda: None)
    clock.host_waits(always)
    assert 5.0 == clock.now()
    clock.finish(work)
    assert 65.0 == clock.now()


async def test_a_seat_that_is_not_counted_may_sleep_and_leave() -> None:
    """A turn that was counted out still wakes in its time, and nobody else is counted out by it."""
    diary = Diary(SimulatedClock(guard=False))
    work, busy = diary.clock.start(), diary.clock.start()
    diary.clock.finish(work)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(diary.sleeper("late", 5, work))
        await settle()
        diary.host_waits()
        await settle()
        assert [] == diary.lines
        diary.clock.finish(busy)
    assert ([("late", 5.0)], 0) == (diary.lines, work.asleep)


async def test_a_seat_that_leaves_while_a_task_of_it_sleeps_is_counted_out_once() -> None:
    """The sleeping task was not at work, and is not at work when it wakes."""
    diary = Diary(SimulatedClock(guard=False))
    work, other = diary.clock.start(), diary.clock.start()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(diary.sleeper("late", 5, work))
        tasks.start_soon(diary.sleeper("other", 9, other))
        await settle()
        diary.clock.finish(work)
        diary.host_waits()
    assert [("late", 5.0), ("other", 9.0)] == diary.lines


@pytest.mark.parametrize("clock", [SimulatedClock(), RealClock()], ids=["simulated", "real"])
@pytest.mark.parametrize("seconds", [-0.001, math.inf, math.nan, "1", None])
async def test_a_seat_can_sleep_for_a_finite_time_that_is_not_negative(
    clock: SimulatedClock | RealClock, seconds: float
) -> None:
    """Anything else is a mistake of the seat's author."""
    with pytest.raises(UsageError, match="a seat can sleep for 0 or more seconds, not "):
        await clock.sleep(seconds, Activity())


async def test_a_refused_sleep_leaves_no_trace() -> None:
    """Time still jumps as if the sleep had not been asked for."""
    diary = Diary(SimulatedClock(guard=False))
    work = diary.clock.start()
    with pytest.raises(UsageError):
        await diary.clock.sleep(-1, work)
    diary.clock.set_deadline(60, diary.note("deadline"))
    diary.host_waits()
    assert [] == diary.lines
    diary.clock.finish(work)
    assert [("deadline", 60.0)] == diary.lines


# Real time


class Bell:
    """Counts how often it was rung, and ends a wait with the first."""

    def __init__(self) -> None:
        self.rung = 0
        self.done = anyio.Event()

    def ring(self) -> None:
        """Ring."""
        self.rung += 1
        self.done.set()

    async def wait(self) -> None:
        """Wait until it was rung."""
        await self.done.wait()


async def test_real_time_passes_while_a_seat_sleeps() -> None:
    """The clock starts at 0 and shows at least what was slept."""
    clock = RealClock()
    assert clock.now() < 1
    before = clock.now()
    await clock.sleep(0.01, Activity())
    assert clock.now() - before >= 0.009


async def test_a_real_deadline_rings_once() -> None:
    """The wait goes on after it, and has nothing left to ring for."""
    clock = RealClock()
    bell = Bell()
    clock.set_deadline(0.01, bell.ring)
    await clock.wait_for(bell.wait)
    assert 1 == bell.rung
    with anyio.move_on_after(0.03):
        await clock.wait_for(anyio.sleep_forever)
    clock.check_deadline()
    assert 1 == bell.rung


async def test_a_real_deadline_can_be_taken_back_and_set_again() -> None:
    """The one set last is the one that rings, whether it is longer or shorter than before."""
    clock = RealClock()
    first, second, third = Bell(), Bell(), Bell()
    clock.set_deadline(0.02, first.ring)
    clock.clear_deadline()
    with anyio.move_on_after(0.05):
        await clock.wait_for(anyio.sleep_forever)
    clock.set_deadline(3600, second.ring)
    clock.set_deadline(0.01, third.ring)
    await clock.wait_for(third.wait)
    assert (0, 0, 1) == (first.rung, second.rung, third.rung)


async def test_what_comes_before_a_real_deadline_is_returned() -> None:
    """The wait is over, and the deadline still stands for the one after it."""
    clock = RealClock()
    bell = Bell()

    async def answer() -> str:
        await checkpoint()
        return "here"

    clock.set_deadline(0.02, bell.ring)
    assert ("here", 0) == (await clock.wait_for(answer), bell.rung)
    await clock.wait_for(bell.wait)
    assert 1 == bell.rung


async def test_a_host_that_never_waits_can_ask_whether_time_is_over() -> None:
    """A deadline that has passed rings when it is asked about, once, and not before it passes."""
    for clock in (RealClock(), SimulatedClock()):
        bell = Bell()
        clock.set_deadline(3600, bell.ring)
        clock.check_deadline()
        assert 0 == bell.rung
        clock.set_deadline(0, bell.ring)
        clock.check_deadline()
        clock.check_deadline()
        assert 1 == bell.rung


async def test_the_guard_of_simulated_time_rings_for_a_seat_that_hangs_for_real() -> None:
    """A seat at work stops simulated time; the wall clock ends its turn instead."""
    clock = SimulatedClock()
    bell = Bell()
    clock.start()
    clock.set_deadline(0.02, bell.ring)
    clock.host_waits(always)
    await clock.wait_for(bell.wait)
    assert (1, 0.0) == (bell.rung, clock.now())


async def test_without_a_guard_there_is_nothing_to_watch() -> None:
    """A clock that only simulates returns what is waited for, and a deadline can be taken back."""
    clock = SimulatedClock(guard=False)
    bell = Bell()
    clock.set_deadline(0, bell.ring)
    bell.done.set()
    await clock.wait_for(bell.wait)
    clock.check_deadline()
    clock.clear_deadline()
    assert (0, 0.0) == (bell.rung, clock.now())


def test_real_time_takes_no_notice_of_who_works() -> None:
    """Every turn is known to a real clock by the same thing, and nothing comes of counting it."""
    clock = RealClock()
    activity = clock.start()
    assert activity is clock.start()
    clock.finish(activity)
    clock.host_waits(always)
    assert (0, False) == (activity.asleep, activity.at_work)
