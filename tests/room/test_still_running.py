"""Seats that do not end although their room is over."""

from __future__ import annotations

import anyio
import pytest
from structlog.testing import capture_logs

from deskroom.room import Policy, Room, Turn

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

WARNING = {"event": "seat.still_running", "log_level": "warning", "seat": "a", "after_s": 5}


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
        {key: value for key, value in log.items() if key != "room"}
        for log in logs
        if log["event"] == "seat.still_running"
    ]


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
