"""A channel by itself: its bound, its order, its two ends, and who waits."""

from __future__ import annotations

from collections.abc import Callable

import anyio
import pytest

from deskroom.room.channel import CLOSED, Channel

pytestmark = pytest.mark.anyio


async def test_a_channel_is_bounded_and_keeps_its_order() -> None:
    """Who finds it full waits, and nothing is lost or overtakes."""
    channel: Channel[int] = Channel(2)

    async def fill() -> None:
        for number in range(5):
            await channel.send(number)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(fill)
        await anyio.wait_all_tasks_blocked()
        with pytest.raises(anyio.WouldBlock):
            channel.send_nowait(99)
        got = [await channel.receive() for _ in range(5)]
    assert list(range(5)) == got
    with pytest.raises(anyio.WouldBlock):
        channel.receive_nowait()


@pytest.mark.parametrize("patient", [True, False])
async def test_a_reader_waits_for_the_next_item_and_others_can_see_that(patient: bool) -> None:
    """It is awaited only while there is nothing, and the item wakes the reader."""
    channel: Channel[str] = Channel(1, patient=patient)
    got: list[str] = []

    async def read() -> None:
        got.append(await channel.receive())

    awaited = [channel.is_awaited]
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read)
        await anyio.wait_all_tasks_blocked()
        awaited.append(channel.is_awaited)
        channel.send_nowait("x")
        awaited.append(channel.is_awaited)
    assert (["x"], [False, True, False]) == (got, awaited)


async def test_a_reader_that_was_cancelled_leaves_nothing_undone() -> None:
    """The next reader gets the item, and each item once."""
    channel: Channel[str] = Channel(1)
    with anyio.move_on_after(0.01):
        await channel.receive()
    channel.send_nowait("x")
    assert "x" == await channel.receive()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(channel.receive)
        await anyio.wait_all_tasks_blocked()
        channel.send_nowait("y")
    assert not channel.items


async def test_a_sender_that_was_cancelled_sends_nothing() -> None:
    """Its item is gone with it, and who waits behind it comes next."""
    channel: Channel[str] = Channel(1)
    channel.send_nowait("first")
    async with anyio.create_task_group() as tasks:
        with anyio.move_on_after(0.01):
            await channel.send("given up")
        tasks.start_soon(channel.send, "second")
        await anyio.wait_all_tasks_blocked()
        assert ["first", "second"] == [await channel.receive() for _ in range(2)]


def _close(channel: Channel[str]) -> None:
    channel.close()


def _close_sending(channel: Channel[str]) -> None:
    channel.close_sending()


@pytest.mark.parametrize("close,left", [(_close, []), (_close_sending, ["first"])])
async def test_a_channel_that_closes_lets_everybody_go(
    close: Callable[[Channel[str]], None], left: list[str]
) -> None:
    """Senders that wait are told so; what is there can be received if only sending is over."""
    channel: Channel[str] = Channel(1)
    channel.send_nowait("first")
    told: list[str] = []

    async def send() -> None:
        try:
            await channel.send("never")
        except anyio.ClosedResourceError:
            told.append("closed")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(send)
        tasks.start_soon(send)
        await anyio.wait_all_tasks_blocked()
        close(channel)
    assert ["closed", "closed"] == told
    with pytest.raises(anyio.ClosedResourceError):
        channel.send_nowait("never")
    with pytest.raises(anyio.ClosedResourceError):
        await channel.send("never")
    assert left == [await channel.receive() for _ in left]
    with pytest.raises(CLOSED):
        await channel.receive()


async def test_a_reader_that_waits_is_told_that_nothing_will_come() -> None:
    """The close wakes it."""
    channel: Channel[str] = Channel(1)
    told: list[str] = []

    async def read() -> None:
        try:
            await channel.receive()
        except CLOSED:
            told.append("closed")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read)
        await anyio.wait_all_tasks_blocked()
        channel.close()
    assert ["closed"] == told
