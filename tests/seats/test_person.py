"""People at a terminal: their keys go through prompt_toolkit's own pipe."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from deskroom.core import AsidePolicy
from deskroom.errors import UsageError
from deskroom.room import Policy, Room, RoomResult, Turn
from deskroom.seats import Terminal
from deskroom.testing import ScriptedSeat, complete, dm, post

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


@pytest.fixture
def anyio_backend() -> str:
    """Return the only loop that a terminal runs on."""
    return "asyncio"


@contextmanager
def keyboard() -> Iterator[tuple[PipeInput, Terminal, list[str]]]:
    """Give a terminal with what is typed on it, and what it prints."""
    printed: list[str] = []
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        yield keys, Terminal(echo=printed.append), printed


def said(result: RoomResult) -> tuple[str, list[str]]:
    """Return why a room closed, and what was said in it."""
    return result.closed, [row.content for row in result.rows]


async def test_somebody_sits_in_a_seat() -> None:
    """They see the room, are answered, refusals included, and end their turn with an empty line."""
    with keyboard() as (keys, terminal, printed), anyio.fail_after(10):
        keys.send_text("/dm nobody psst\r/read 1\rit is 7\r@b it is 8\r\r")
        seats: dict[str, Any] = {"a": terminal.seat(), "b": ScriptedSeat([complete("8")])}
        result = await Room(seats, opening="@a what is it?").run()
    assert ("completed", ["@a what is it?", "@b it is 8", "8"]) == said(result)
    assert ["no", "ok", "ok", "ok"] == [
        "ok" if reply == "ok" else "no" for reply in result.turns[0].replies
    ]
    text = "\n".join(printed)
    for shown in (
        "You are the seat @a",
        "[1] user: @a what is it?",
        "It is your turn.",
        "An id in `to` is not an active seat.",
        "It replaces your earlier message of this turn.",
        "[3] b: 8",
    ):
        assert shown in text


async def test_whoever_sits_in_a_seat_sees_what_the_seat_may_read() -> None:
    """Of others' private words nothing but that they went by."""
    policy = Policy(aside=AsidePolicy(enabled=True, max_members=1, max_messages=9))
    with keyboard() as (keys, terminal, printed), anyio.fail_after(10):
        keys.send_text("hm\r\r")
        seats: dict[str, Any] = {
            "a": terminal.seat(),
            "b": ScriptedSeat([dm("c", "a secret of theirs")]),
            "c": ScriptedSeat([post("@a what do you say?")]),
        }
        await Room(seats, opening="@b go", policy=policy).run()
    text = "\n".join(printed)
    assert "secret" not in text
    assert "b → c · aside, 1 message · not settled" in text


async def asks(turn: Turn) -> None:
    """Ask a person first, and complete with what they say."""
    if turn.number == 1:
        await turn.post("@sam for how many?")
    else:
        await turn.complete(f"Booked: {turn.trigger.content if turn.trigger else ''}")


async def attended(keys_sent: str, act: Any = asks, **options: Any) -> tuple[RoomResult, str]:
    """Run a room that sam attends, with what is typed."""
    with keyboard() as (keys, terminal, printed), anyio.fail_after(10):
        room = Room(
            {"a": act},
            people={"sam": "Sam", "kim": "Kim"},
            opening="@a book a table",
            on_row=terminal.on_row,
        )
        async with terminal.attend(room, ["sam", "kim"], **options):
            keys.send_text(keys_sent)
            result = await room.run()
    return result, "\n".join(printed)


async def test_a_quiet_room_waits_for_the_people_who_attend() -> None:
    """A row that addresses one says so to them; what they type is said."""
    result, printed = await attended("four\r")
    rows = ["@a book a table", "@sam for how many?", "four", "Booked: four"]
    assert ("completed", rows) == said(result)
    assert "[2] a: @sam for how many?\n  sam, this is addressed to you." in printed


async def test_people_go_with_close() -> None:
    """The room closes as quiet then; the end of the input does the same."""
    for keys in ("/close\r", "\x04"):
        result, _ = await attended(keys)
        assert ("quiet", ["@a book a table", "@sam for how many?"]) == said(result)


async def test_one_of_several_people_speaks() -> None:
    """By name; a stranger is told so."""
    result, printed = await attended("/as km hm\r/as kim five\r")
    assert "Booked: five" == result.rows[-1].content
    assert "'km' is not a person of this room; did you mean 'kim'?" in printed


async def test_nobody_is_waited_for_longer_than_was_said() -> None:
    """They are still there, and the room closes."""
    result, _ = await attended("", timeout_s=0.2)
    assert "quiet" == result.closed


async def test_a_line_may_go_on_with_alt_enter() -> None:
    """Escape and Enter begin another line."""
    result, _ = await attended("four\x1b\rwith children\r")
    assert "four\nwith children" == result.rows[2].content


async def test_time_passes_for_people_too() -> None:
    """The turn is over, and they are told."""
    with keyboard() as (_, terminal, printed), anyio.fail_after(10):
        policy = Policy(turn_timeout_s=0.3)
        seats: dict[str, Any] = {"a": terminal.seat()}
        result = await Room(seats, opening="@a go", policy=policy).run()
    assert ["timed_out"] == [turn.outcome for turn in result.turns]
    assert "It is your turn." in printed


def test_a_terminal_needs_asyncio() -> None:
    """On another loop it is refused in a sentence, before the first turn."""

    async def play() -> None:
        seats: dict[str, Any] = {"a": Terminal().seat()}
        await Room(seats, opening="@a go").run()

    with pytest.raises(UsageError, match="a person at the terminal needs asyncio"):
        anyio.run(play, backend="trio")
