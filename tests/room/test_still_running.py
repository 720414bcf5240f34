"""Seats that do not end although their room is over."""

from __future__ import annotations

import re

import anyio
import pytest
from structlog.testing import capture_logs

from deskroom.room import Policy, Room, Turn

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

WARNING = {
    "event": "seat.still_running",
    "log_level": "warning",
    "seat": "a",
    "after_s": 5,
    "waits_in": "shielded (test_still_running.py), in sleep",
}


async def shielded(turn: Turn) -> None:
    """Clean up for a long time, as code that may not be cut short does."""
    with anyio.CancelScope(shield=True):
        await anyio.sleep(5.4)


async def quick(turn: Turn) -> None:
    """Say that it is done."""
    await turn.complete("done")


def named(logs: list[dict[str, object]]) -> list[dict[str, object]]:
    """Return the warnings about seats that still run."""
    return [
        {key: _short(value) for key, value in log.items() if key != "room"}
        for log in logs
        if log["event"] == "seat.still_running"
    ]


def _short(value: object) -> object:
    """Return where a seat waits without what differs from place to place: the folder, the line."""
    return re.sub(r"\(\S*/(\w+\.py):\d+\)", r"(\1)", value) if isinstance(value, str) else value


async def test_a_room_that_waits_for_a_seat_names_it() -> None:
    """Its turn has timed out long ago, and whoever waits for the room hears what for."""
    policy = Policy(turn_timeout_s=0.05)
    with capture_logs() as logs:
        result = await Room({"a": shielded, "b": quick}, opening="@a go", policy=policy).run()
    assert ("quiet", [WARNING]) == (result.closed, named(list(map(dict, logs))))


async def test_a_room_that_is_cancelled_names_the_seat_that_holds_it() -> None:
    """As an interrupt does: nobody need guess why it does not end."""
    with capture_logs() as logs, anyio.move_on_after(0.1):
        await Room({"a": shielded, "b": quick}, opening="@a go").run()
    assert [WARNING] == named(list(map(dict, logs)))


async def test_a_seat_that_ends_in_time_is_not_waited_for() -> None:
    """Nothing is said of a seat that takes a moment to go, and the room ends with it."""

    async def slow(turn: Turn) -> None:
        with anyio.CancelScope(shield=True):
            await anyio.sleep(0.3)

    policy = Policy(turn_timeout_s=0.05)
    with capture_logs() as logs, anyio.fail_after(3):
        await Room({"a": slow, "b": quick}, opening="@a go", policy=policy).run()
    assert [] == named(list(map(dict, logs)))


async def test_a_room_may_leave_a_seat_behind() -> None:
    """With a grace period whoever waits for the room goes on; the seat is named, and reaches nobody."""
    gone = anyio.Event()

    async def stays(turn: Turn) -> None:
        with anyio.CancelScope(shield=True):
            await anyio.sleep(1)
            reply = await turn.post("too late")
        if not reply.ok:
            gone.set()

    policy = Policy(turn_timeout_s=0.05)
    with capture_logs() as logs, anyio.fail_after(0.9):
        room = Room({"a": stays, "b": quick}, opening="@a go", policy=policy)
        result = await room.run(grace_s=0.2)
    assert ("quiet", ["@a go"]) == (result.closed, [row.content for row in result.rows])
    assert [("a", 0.2)] == [(log["seat"], log["after_s"]) for log in named(list(map(dict, logs)))]
    with anyio.fail_after(3):
        await gone.wait()


async def test_with_a_grace_period_a_room_is_like_any_other() -> None:
    """Its seats end in time, and what one raises to end the room is raised."""
    with anyio.fail_after(3):
        result = await Room({"b": quick}, opening="@b go").run(grace_s=60)
    assert "completed" == result.closed

    async def fails(turn: Turn) -> None:
        raise AssertionError("so")

    room = Room({"a": fails}, opening="@a go", raise_from_seats=(AssertionError,))
    with pytest.raises(AssertionError, match="so"), anyio.fail_after(3):
        await room.run(grace_s=60)


async def test_a_room_that_is_cancelled_leaves_within_its_grace_period() -> None:
    """The seat that ignores its cancellation is left behind."""
    with anyio.fail_after(2), anyio.move_on_after(0.1) as scope:
        await Room({"a": shielded, "b": quick}, opening="@a go").run(grace_s=0.3)
    assert scope.cancelled_caught
