from __future__ import annotations

import anyio
import pytest
from anyio.lowlevel import checkpoint

from deskroom.room.mailbox import CLOSING, Mailbox

pytestmark = pytest.mark.anyio


async def taken(box: Mailbox[int], *, later: bool) -> int:
    """Take one item in either way."""
    return await (box.take_later() if later else box.take())


@pytest.mark.parametrize("later", [False, True])
async def test_items_come_out_in_the_order_in_which_they_went_in(later: bool) -> None:
    """The box counts what is in it, and what is taken is gone."""
    box: Mailbox[int] = Mailbox(3)
    for item in range(3):
        box.put_nowait(item)
    assert 3 == len(box.items)
    assert [0, 1, 2] == [await taken(box, later=later) for _ in range(3)]
    assert 0 == len(box.items)
    with pytest.raises(anyio.WouldBlock):
        box.take_nowait()
    box.close()


@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize("ticks", range(4))
async def test_a_reader_that_waits_gets_what_is_put(later: bool, ticks: int) -> None:
    """However long it has waited, the next item wakes it, and the one after that too."""
    box: Mailbox[int] = Mailbox(1)
    got: list[int] = []

    async def read() -> None:
        got.extend([await taken(box, later=later), await taken(box, later=later)])

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read)
        for item in range(2):
            for _ in range(ticks):
                await checkpoint()
            await box.put(item)
    assert ([0, 1], 0) == (got, len(box.items))
    box.close()


@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize("ticks", range(4))
async def test_who_finds_the_box_full_waits_and_loses_nothing(later: bool, ticks: int) -> None:
    """More writers than places, and a reader that now and then finds nothing."""
    box: Mailbox[int] = Mailbox(2)
    got: list[int] = []

    async def write(item: int) -> None:
        for _ in range(item % 3):
            await checkpoint()
        await box.put(item)

    async with anyio.create_task_group() as tasks:
        for item in range(20):
            tasks.start_soon(write, item)
        with anyio.fail_after(10):
            while len(got) < 20:
                for _ in range(ticks):
                    await checkpoint()
                got.append(await taken(box, later=later))
    assert (list(range(20)), 0) == (sorted(got), len(box.items))
    box.close()


@pytest.mark.parametrize("later", [False, True])
async def test_a_reader_of_a_box_that_closes_is_told(later: bool) -> None:
    """It takes what is there first, and hears of the close whether it waits or comes later."""
    box: Mailbox[int] = Mailbox(2)
    ended: list[str] = []

    async def read() -> None:
        assert 1 == await taken(box, later=later)
        for _ in range(2):
            try:
                await taken(box, later=later)
            except CLOSING:
                ended.append("closed")

    async with anyio.create_task_group() as tasks:
        box.put_nowait(1)
        tasks.start_soon(read)
        await anyio.wait_all_tasks_blocked()
        box.close_in()
    assert ["closed", "closed"] == ended
    box.close()


async def test_a_closed_box_takes_nothing() -> None:
    """Who puts something in is told, and closing it again is nothing."""
    box: Mailbox[int] = Mailbox(1)
    box.close()
    with pytest.raises(CLOSING):
        await box.put(1)
    with pytest.raises(CLOSING):
        box.take_nowait()
    box.close()
