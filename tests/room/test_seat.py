"""The seat's side of the channels: what a turn offers, and what a seat can and cannot break."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
import sniffio
from anyio.lowlevel import checkpoint

from deskroom.core import DESK, Author, SeenRow, Viewer
from deskroom.engine.chair import nudge_text
from deskroom.engine.entries import CallEntry, Raised
from deskroom.engine.messages import History, TurnGrant
from deskroom.errors import UsageError
from deskroom.room import ChairPolicy, Policy, Reply, Room, RoomResult, Seat, SimulatedClock, Turn
from deskroom.room.acts import Act
from deskroom.room.channel import Channel
from deskroom.room.clock import RealClock
from deskroom.room.seat import SeatChannel, run_seat
from deskroom.speech import tool_specs
from deskroom.testing import (
    ListJournal,
    RecordingSeat,
    ScriptedSeat,
    complete,
    dm,
    out_of_turn,
    post,
    read,
)

pytestmark = pytest.mark.anyio


async def silent(turn: Turn) -> None:
    """Play a turn without a word."""


def nudging(rounds: int) -> Policy:
    """Return a policy with a chair that nudges."""
    return Policy(chair=ChairPolicy(rounds=rounds))


async def play(seats: Mapping[Any, Act], **options: Any) -> RoomResult:
    """Play a room in simulated time to its close."""
    return await Room(seats, **{"opening": "go", "clock": SimulatedClock(), **options}).run()


# What a turn offers


async def test_a_turn_tells_a_seat_all_it_was_granted() -> None:
    """Number, attempt, hop, trigger, history, brief, note and tools are the grant's."""
    seat = Seat(id="b", brief="be kind")
    recording = RecordingSeat()
    await play({Seat(id="a"): ScriptedSeat([post("@b hi")]), seat: recording})
    (taken,) = recording.turns
    opening = SeenRow(1, Author("person", "user"), "go", DESK)
    trigger = SeenRow(2, Author("agent", "a"), "@b hi", DESK)
    assert (2, 1, 1) == (taken.number, taken.attempt, taken.hop)
    assert (trigger, (opening, trigger)) == (taken.trigger, taken.history)
    assert ("be kind", None, tool_specs()) == (taken.brief, taken.note, taken.tools)


async def test_a_turn_knows_its_seat_and_prints_short() -> None:
    """The seat is the whole of it, there is no cue without a script, and the history is read once."""
    seen: list[object] = []

    async def act(turn: Turn) -> None:
        seen.extend((turn.seat, repr(turn), turn.cue, turn.history is turn.history))

    await play({Seat(id="a", role="r"): act})
    assert [Seat(id="a", role="r"), "<Turn 1 of a>", None, True] == seen


async def test_the_methods_of_a_turn_call_the_tools_by_their_served_names() -> None:
    """Each method makes one call with the arguments that the tool declares."""
    journal = ListJournal()

    async def act(turn: Turn) -> None:
        await turn.post("one")
        await turn.broadcast("two")
        await turn.dm("b", "three")
        await turn.dm(iter(["b", "c"]), "four")
        await turn.read()
        await turn.read(5)
        await turn.complete("five")
        await turn.call("desk_post", message="six")
        await turn.call("desk_post", {"message": "seven"})
        await turn.call("desk_read")

    await play({"a": act, "b": silent, "c": silent}, journal=journal)
    calls = [(e.tool, e.arguments) for e in journal.entries if isinstance(e, CallEntry)]
    expected = [
        ("desk_post", {"message": "one"}),
        ("desk_broadcast", {"message": "two"}),
        ("desk_dm", {"to": ["b"], "message": "three"}),
        ("desk_dm", {"to": ["b", "c"], "message": "four"}),
        ("desk_read", {}),
        ("desk_read", {"limit": 5}),
        ("desk_complete_episode", {"message": "five"}),
        ("desk_post", {"message": "six"}),
        ("desk_post", {"message": "seven"}),
        ("desk_read", {}),
    ]
    assert expected == calls


async def test_null_arguments_are_not_the_same_as_none_at_all() -> None:
    """A model that emits null for its arguments is told that they must be an object."""
    replies = []

    async def act(turn: Turn) -> None:
        replies.append(await turn.call("desk_read"))
        replies.append(await turn.call("desk_read", None))

    await play({"a": act})
    assert [None, "bad_arguments"] == [reply.rejection for reply in replies]


async def test_arguments_are_given_in_one_way_only() -> None:
    """An object and keywords at once are a mistake of the caller, not a refusal."""

    async def act(turn: Turn) -> None:
        await turn.call("desk_post", {"message": "m"}, to=["b"])

    result = await play({"a": act})
    message = "give a call one object of arguments, or keywords, and not both"
    assert {1: Raised("UsageError", message)} == result.failures


# Files


@pytest.mark.parametrize("path", [Path("f"), None, "", " ", "a\udc80", 7])
async def test_what_is_no_path_in_text_costs_the_seat_its_own_turn(path: Any) -> None:
    """A row could not name it, so the seat that gave it fails, and the room goes on."""

    async def act(turn: Turn) -> None:
        turn.wrote(path)

    result = await play({"a": act})
    assert ("failed", "quiet") == (result.turns[0].outcome, result.closed)
    message = f"a turn leaves behind a path in text, not {path!r}"
    assert {1: Raised("UsageError", message)} == result.failures


# Whatever a seat does costs its own turn only


def plain(turn: Turn) -> str:
    """Play a turn without being asynchronous."""
    return "text"


async def stream(turn: Turn) -> Any:
    """Be a generator instead of a coroutine."""
    yield "text"


async def crash(turn: Turn) -> None:
    """Raise in the middle of a turn."""
    await turn.post("@b never said")
    raise RuntimeError("boom")


async def crash_twice(turn: Turn) -> None:
    """Raise several errors at once."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(crash, turn)
        await anyio.sleep_forever()


async def closed(turn: Turn) -> None:
    """Raise what the channels raise when a room closes."""
    raise anyio.ClosedResourceError


class Unspeakable(Exception):
    """An error that cannot even be printed."""

    def __str__(self) -> str:
        raise ValueError


async def unspeakable(turn: Turn) -> None:
    """Raise what nobody can write down."""
    raise Unspeakable


@pytest.mark.parametrize("act", [crash, crash_twice, closed, unspeakable])
async def test_a_seat_that_cannot_be_played_fails_its_turn_and_the_room_goes_on(act: Any) -> None:
    """Whatever is raised ends as a failed turn without a row."""
    here = ScriptedSeat([post("here")])
    result = await play({"b": here, "a": act}, opening="@a go", policy=nudging(1))
    assert [("a", "failed"), ("b", "spoke")] == [(t.seat, t.outcome) for t in result.turns]
    assert result.failures == {1: result.turns[0].error}
    assert type(result.exceptions[1]).__name__ == result.failures[1].type
    assert ["@a go", "here"] == [result.rows[0].content, result.rows[2].content]
    assert "quiet" == result.closed


@pytest.mark.parametrize("act", [plain, stream, None, "seat"])
async def test_what_is_no_async_function_plays_no_seat(act: Any) -> None:
    """The room is refused when it is made, and not in the middle of a run."""
    with pytest.raises(UsageError, match="the seat 'a' is played by an async function of a turn"):
        Room({"a": act})


@pytest.mark.parametrize("said", [None, "", " \n", 7, {"text": "x"}])
async def test_what_a_seat_returns_is_its_text_only_if_it_is_one(said: Any) -> None:
    """Anything but text that says something is as good as nothing: the turn was not narrated."""

    async def act(turn: Turn) -> Any:
        return said

    result = await play({"a": act}, policy=nudging(1))
    assert (said if isinstance(said, str) else "") == result.turns[0].text
    assert nudge_text("a", has_spoken=False, narrated=[]) == result.rows[1].content


async def test_the_text_of_a_turn_is_kept_with_it() -> None:
    """Text outside a call becomes no row, and can be looked up in the record of the turn."""
    result = await play({"a": ScriptedSeat("thinking")})
    assert [("silent", "thinking")] == [(t.outcome, t.text) for t in result.turns]


# Calls at odd times


async def test_a_handle_that_is_kept_is_refused_once_its_turn_has_ended() -> None:
    """A call on an old turn is late, whoever's turn it is now."""
    kept: list[Turn] = []
    replies: list[Reply] = []

    async def a(turn: Turn) -> None:
        kept.append(turn)
        await turn.post("@b go")

    async def b(turn: Turn) -> None:
        replies.append(await kept[0].post("too late"))

    result = await play({"a": a, "b": b})
    assert [Reply(2, ok=False, text=replies[0].text, rejection="turn_ended")] == replies
    assert [["ok", "turn_ended"], []] == [list(turn.replies) for turn in result.turns]
    assert ["go", "@b go"] == [row.content for row in result.rows]


@pytest.mark.parametrize("number", [0, -1, 2, 3, 99])
async def test_a_call_for_a_turn_that_the_seat_never_had_is_out_of_turn(number: int) -> None:
    """A wrong number is refused, and belongs to no turn's replies."""
    replies: list[Reply] = []

    async def a(turn: Turn) -> None:
        await turn.post("@b go")

    async def b(turn: Turn) -> None:
        replies.append(await out_of_turn(turn, 1 if number == 2 else number).post("x"))
        replies.append(await turn.post("mine"))

    result = await play({"a": a, "b": b})
    assert ["not_your_turn", None] == [reply.rejection for reply in replies]
    assert [["ok"], ["ok"]] == [list(turn.replies) for turn in result.turns]
    assert "mine" == result.rows[-1].content


async def test_an_old_number_of_its_own_is_late_and_not_out_of_turn() -> None:
    """A seat that goes by the number of its earlier turn is told that that one has ended."""
    replies: list[Reply] = []

    async def a(turn: Turn) -> None:
        if turn.number == 1:
            await turn.post("@b go")
        else:
            replies.append(await out_of_turn(turn, 1).post("x"))

    result = await play({"a": a, "b": ScriptedSeat([post("@a back")])})
    assert ["turn_ended"] == [reply.rejection for reply in replies]
    assert [["ok", "turn_ended"], ["ok"], []] == [list(turn.replies) for turn in result.turns]


async def test_calls_noted_as_late_are_sent_when_the_turn_has_ended() -> None:
    """They are refused, counted with their turn, and change nothing."""

    async def a(turn: Turn) -> None:
        turn.call_late(*post("late"))
        turn.call_late("nonsense", None)
        await turn.post("in time")

    result = await play({"a": a})
    assert [["ok", "turn_ended", "turn_ended"]] == [list(turn.replies) for turn in result.turns]
    assert ["go", "in time"] == [row.content for row in result.rows]


async def test_a_seat_with_late_calls_can_be_granted_the_very_next_turn() -> None:
    """The late calls are answered before the next turn is granted to the same seat."""

    async def a(turn: Turn) -> None:
        if turn.number == 1:
            turn.call_late(*post("late"))
        else:
            await turn.post("again")

    result = await play({"a": a}, policy=nudging(1))
    assert [["turn_ended"], ["ok"]] == [list(turn.replies) for turn in result.turns]


async def test_several_tasks_of_a_turn_may_call_at_once_and_each_gets_its_own_reply() -> None:
    """The calls are answered one by one; the one answered last stands."""
    replies: dict[int, Reply] = {}

    async def a(turn: Turn) -> None:
        async def say(number: int) -> None:
            call = read(1) if number % 2 else post(f"@b {number}")
            replies[number] = await turn.call(*call)  # type: ignore[arg-type]

        async with anyio.create_task_group() as tasks:
            for number in range(10):
                tasks.start_soon(say, number)

    result = await play({"a": a, "b": silent})
    assert [bool(number % 2) for number in range(10)] == [
        bool(replies[number].rows) for number in range(10)
    ]
    last = max(replies, key=lambda number: replies[number].call_id if not number % 2 else 0)
    assert f"@b {last}" == result.rows[1].content


async def test_a_call_that_is_cancelled_while_it_waits_does_not_mix_up_the_next_reply() -> None:
    """The reply that nobody waits for is passed over."""
    replies: list[Reply] = []

    async def a(turn: Turn) -> None:
        # Each time the call is given up a little later on its way to the host and back.
        for later in range(8):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(turn.post, f"given up {later}")
                for _ in range(later):
                    await checkpoint()
                tasks.cancel_scope.cancel()
            replies.append(await turn.read(1))
        replies.append(await turn.post("kept"))

    result = await play({"a": a}, policy=Policy(max_calls=99))
    assert [True] * 8 + [False] == [bool(reply.rows) for reply in replies]
    assert "kept" == result.rows[1].content


async def test_a_call_after_the_room_has_closed_is_refused_like_a_late_one() -> None:
    """A seat that outlives its room gets a reply, not an exception."""
    kept: list[Turn] = []

    async def a(turn: Turn) -> None:
        kept.append(turn)

    await play({"a": a})
    reply = await kept[0].post("x")
    expected = "The room has closed: this call was not taken."
    assert ("turn_ended", expected) == (reply.rejection, reply.text)


async def test_a_call_that_waits_when_the_room_closes_is_answered() -> None:
    """A task of a seat that the room does not know of gets a reply when the room closes."""
    replies: list[Reply] = []
    asked = anyio.Event()
    kept: list[Turn] = []

    async def a(turn: Turn) -> None:
        kept.append(turn)
        await turn.post("@b go")

    async def b(turn: Turn) -> None:
        asked.set()
        await anyio.sleep(0.01)

    async def late() -> None:
        await asked.wait()
        room.stop()
        replies.append(await kept[0].post("x"))

    room = Room({"a": a, "b": b}, opening="go")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(late)
        result = await room.run()
    assert "stopped" == result.closed
    assert ["turn_ended"] == [reply.rejection for reply in replies]


# The channels


async def test_words_that_fill_the_inbox_do_not_stop_simulated_time() -> None:
    """A seat that sleeps in simulated time wakes, however many messages waited for the host."""
    clock = SimulatedClock(guard=False)
    times: list[float] = []

    async def a(turn: Turn) -> None:
        await turn.sleep(60)
        times.append(clock.now())

    room = Room({"a": a}, clock=clock, policy=Policy(max_turns=1))
    rows: list[int] = []

    async def say(number: int) -> None:
        rows.append((await room.say("user", f"word {number}")).sequence)

    async with anyio.create_task_group() as tasks:
        for number in range(150):
            tasks.start_soon(say, number)
        await anyio.wait_all_tasks_blocked()
        with anyio.fail_after(20):
            await room.run()
    assert ([60.0], list(range(1, 151))) == (times, sorted(rows))


SEAT, VIEWER = Seat(id="a"), Viewer("agent", "a")
GRANT = TurnGrant(1, 1, SEAT, 0, None, None, History((), VIEWER), History((), VIEWER))


def channel(host: Channel[Any]) -> SeatChannel:
    """Return the channel of a seat to a host that is played by the test."""
    return SeatChannel(SEAT, host, SimulatedClock(guard=False))


async def test_a_reply_that_was_left_behind_is_passed_over() -> None:
    """Whoever calls next waits for the reply to its own call."""
    host: Channel[Any] = Channel(8)
    to_host = channel(host)
    to_host.deliver(Reply(99, ok=False, text="stale"))
    got: list[Reply] = []

    async def call() -> None:
        got.append(await to_host.call(GRANT, ("desk_read", {})))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(call)
        caller, message, _ = await host.receive()
        await anyio.wait_all_tasks_blocked()
        caller.deliver(Reply(message.call_id, ok=True, text="fresh"))
    assert ["fresh"] == [reply.text for reply in got]


async def test_a_reply_that_nobody_takes_gives_way_to_the_next() -> None:
    """The host is never held up by a seat that does not listen, and the seat gets its own reply."""
    host: Channel[Any] = Channel(8)
    to_host = channel(host)
    for number in range(5):
        to_host.deliver(Reply(99 + number, ok=True, text="of another call"))
    got: list[Reply] = []

    async def call() -> None:
        got.append(await to_host.call(GRANT, ("desk_read", {})))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(call)
        caller, message, _ = await host.receive()
        caller.deliver(Reply(message.call_id, ok=True, text="its own"))
    assert ["its own"] == [reply.text for reply in got]


async def test_calls_to_a_room_that_has_closed_are_let_go() -> None:
    """A seat that is late with its late calls, and one that calls, are not held up."""
    host: Channel[Any] = Channel(8)
    host.close()
    reply = await channel(host).call(GRANT, post("x"), post("y"))
    assert (False, "turn_ended") == (reply.ok, reply.rejection)


async def test_an_actor_whose_room_closes_as_its_turn_ends_is_done() -> None:
    """The end of the turn reaches nobody, and the actor ends quietly and is counted out."""
    host: Channel[Any] = Channel(8)
    to_host = channel(host)
    to_host.grant(GRANT)
    counted = [to_host.activity.at_work]
    host.close()
    await run_seat(silent, to_host, (), lambda: None)
    assert [True, False] == [*counted, to_host.activity.at_work]


@pytest.mark.parametrize("tasks", [1, 2])
@pytest.mark.parametrize("ends", ["stopped", "quiet", "cancelled"])
async def test_a_seat_that_calls_until_it_is_heard_holds_up_nobody_when_the_room_ends(
    tasks: int, ends: str
) -> None:
    """It is told so for ever, and others go on all the same: the room that ends, above all."""

    async def ask(turn: Turn) -> None:
        while not (await turn.dm(["b"], "a word")).ok:
            pass

    async def a(turn: Turn) -> None:
        async with anyio.create_task_group() as group:
            for _ in range(tasks):
                group.start_soon(ask, turn)

    async def stop() -> None:
        await anyio.sleep(0.02)
        room.stop()

    timeout = 0.02 if ends == "quiet" else 60
    room = Room({"a": a, "b": silent}, opening="go", policy=Policy(turn_timeout_s=timeout))
    closed = "cancelled"
    with anyio.fail_after(20):
        async with anyio.create_task_group() as group:
            if ends == "stopped":
                group.start_soon(stop)
            with anyio.move_on_after(0.02 if ends == "cancelled" else 20):
                closed = (await room.run()).closed
    assert ends == closed


async def test_a_seat_that_waits_for_a_cancelled_task_fails_by_itself() -> None:
    """On asyncio that raises what a cancellation raises; it costs the seat its own turn."""
    if sniffio.current_async_library() != "asyncio":
        pytest.skip("trio has no task that another may wait for")

    async def a(turn: Turn) -> None:
        await turn.post("@b over to you")
        job = asyncio.ensure_future(asyncio.sleep(9))
        job.cancel()
        await job

    for clock in (SimulatedClock(), RealClock()):
        result = await play({"a": a, "b": silent}, clock=clock, policy=nudging(1))
        assert ("quiet", None) == (result.closed, result.error)
        assert ["failed", "failed"] == [turn.outcome for turn in result.turns]
        message = "the seat waited for a task that was cancelled"
        assert Raised("SeatCancelled", message) == result.failures[1]
        assert isinstance(result.exceptions[1].__cause__, asyncio.CancelledError)


# The substitutes


async def test_the_substitutes_play_and_record() -> None:
    """A scripted seat plays one move a turn and keeps each grant with its replies."""
    b: Callable[[Turn], Awaitable[str]] = ScriptedSeat(
        [dm("a", "psst"), post("@a hi")], "thinking", ValueError("boom")
    )
    assert isinstance(b, ScriptedSeat)
    a = RecordingSeat(read(1), post("@b go"))
    result = await play({"a": a, "b": b}, policy=nudging(3))
    assert [["disabled", "ok"], [], [], [], []] == [taken.words for taken in b.turns]
    outcomes = [turn.outcome for turn in result.turns if turn.seat == "b"]
    assert ["spoke", "silent", "failed", "silent", "silent"] == outcomes
    assert ["ok", "ok"] == a.turns[0].words
    assert result.granted == len(a.turns) + len(b.turns)


async def test_a_journal_in_memory_can_be_full() -> None:
    """It keeps what it has room for, and the room fails at the entry after that."""
    journal = ListJournal(room_for=3)
    result = await play({"a": ScriptedSeat([complete("x")])}, journal=journal)
    assert ("failed", 3) == (result.closed, len(journal.entries))
    assert "the journal has room for 3 entries and is full" == str(result.error)
    assert ["go"] == [entry.row.content for entry in journal.rows]
