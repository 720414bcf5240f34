"""The room as a user of the Python API has it, on both backends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio
import pytest
import structlog
from anyio.lowlevel import checkpoint
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from deskroom.core import (
    DESK,
    AsidePolicy,
    Author,
    DispatchPolicy,
    Mention,
    Person,
    Row,
    Target,
    TurnFor,
)
from deskroom.engine.entries import CallEntry, Entry, Raised, RowEntry
from deskroom.errors import DeskError, RoomClosed, RoomFailure, RosterError, UsageError
from deskroom.journal.verify import verify_entries
from deskroom.room import (
    ChairPolicy,
    Cue,
    LateCalls,
    Opening,
    Policy,
    Room,
    RoomResult,
    Script,
    ScriptedRouter,
    Seat,
    SimulatedClock,
    Turn,
)
from deskroom.room.acts import Act
from deskroom.testing import (
    ListJournal,
    RecordingSeat,
    ScriptedSeat,
    TakenTurn,
    broadcast,
    complete,
    dm,
    post,
    read,
)
from deskroom.testing.calls import CallPair

pytestmark = pytest.mark.anyio


def simulated(seats: Mapping[Any, Act], **options: Any) -> Room:
    """Return a room in simulated time."""
    return Room(seats, **{"opening": "go", "clock": SimulatedClock(), **options})


def said(result: RoomResult) -> list[str]:
    """Return every row as one line."""
    return [f"{row.author.id or row.author.kind}: {row.content}" for row in result.rows]


# What a room is made of


@pytest.mark.parametrize(
    "opening,by",
    [
        ("hello", "p"),
        (("q", "hello"), "q"),
        (Opening("q", "hello"), "q"),
    ],
)
async def test_an_opening_is_by_the_first_person_or_by_whom_it_names(opening: Any, by: str) -> None:
    """It is the first row, a desk row, and hands the turn on."""
    people = {"p": "Pat", "q": "Quin"}
    result = await simulated({"a": ScriptedSeat()}, opening=opening, people=people).run()
    assert Row(1, "desk", Author("person", by), "hello", DESK) == result.rows[0]
    assert TurnFor("a", 0) == result.decisions[0]


async def test_people_can_be_given_as_people() -> None:
    """A list of persons will do, and a label is a way to address one."""
    people = [Person("p", "Pat Q")]
    a = RecordingSeat(post("@pat_q hi"))
    room = simulated({"a": a}, people=people, desk="d", name="The Desk")
    result = await room.run()
    assert (Mention(Target("person", "p"), "@pat_q", 0),) == result.entries[1].mentions
    assert ("d", "The Desk", "d") == (
        room.setup.desk_id,
        room.setup.desk_name,
        result.rows[0].chat_id,
    )


async def test_seats_are_on_the_desk_in_the_order_given() -> None:
    """Ids and seats may be mixed; the first leads."""
    seats: dict[Any, Act] = {"b": ScriptedSeat(), Seat(id="a", name="Anna"): ScriptedSeat()}
    room = simulated(seats)
    result = await room.run()
    assert (("b", "a"), TurnFor("b", 0)) == (room.setup.active, result.decisions[0])


@pytest.mark.parametrize(
    "options,error,message",
    [
        ({"seats": {" ": None}}, RosterError, "the roster is invalid: empty_member_id (' ')"),
        (
            {"seats": {Seat(id="a"): None, Seat(id="a", name="A"): None}},
            RosterError,
            "the roster is invalid: duplicate_member_id ('a')",
        ),
        ({"people": {"": "X"}}, RosterError, "the roster is invalid: empty_person_id ('')"),
        (
            {"people": [Person("p", "X"), Person("p", "Y")]},
            RosterError,
            "the roster is invalid: duplicate_person_id ('p')",
        ),
        ({"desk": ""}, DeskError, "the desks are invalid: empty_desk_id ('')"),
        ({"name": ""}, DeskError, "the desks are invalid: empty_desk_name ('d')"),
        ({"desk": "main"}, DeskError, "the desks are invalid: reserved_desk_identity ('main')"),
        (
            {"opening": ("usr", "hi")},
            UsageError,
            "the opening's person 'usr' is not in this room; did you mean 'user'?",
        ),
        (
            {"opening": ("zz", "hi")},
            UsageError,
            "the opening's person 'zz' is not in this room",
        ),
        ({"opening": " \n"}, UsageError, "what a person says must not be blank"),
        (
            {"opening": "\ud800"},
            UsageError,
            "what a person says must be text that UTF-8 can hold",
        ),
        (
            {"opening": "hi", "people": {}},
            UsageError,
            "an opening is a person's words, and this room has no people",
        ),
        (
            {"policy": Policy(chair=ChairPolicy(by="usr"))},
            UsageError,
            "the chair's person 'usr' is not in this room; did you mean 'user'?",
        ),
        (
            {"policy": Policy(chair=ChairPolicy(rounds=1)), "people": {}},
            UsageError,
            "a chair that nudges speaks for a person, and this room has no people",
        ),
        (
            {"policy": Policy(participants=("a", "bb"))},
            UsageError,
            "the participant 'bb' is not in this room; did you mean 'b'?",
        ),
        (
            {"policy": Policy(participants=("old",))},
            UsageError,
            "the participant 'old' is not in this room",
        ),
        ({"seats": {}}, UsageError, "a room needs a seat"),
        (
            {"seats": {"a\nb": ScriptedSeat([])}},
            UsageError,
            "the id 'a\\nb' of a seat holds U+000A, which no id may hold",
        ),
        (
            {"seats": {"a": None}},
            UsageError,
            "the seat 'a' is played by an async function of a turn, not by an object of type NoneType",
        ),
        (
            {"seats": {"a": ScriptedSeat}},
            UsageError,
            "the seat 'a' is played by an async function of a turn, not by the class ScriptedSeat; make an object of it",
        ),
        (
            {"seats": {"a": print}},
            UsageError,
            "the seat 'a' is played by an async function of a turn, not by the function print, which is not async",
        ),
    ],
)
async def test_a_room_that_cannot_be_is_refused_when_it_is_made(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    """Each name that is nobody's gets the nearest one that is."""
    seats = dict.fromkeys(
        (Seat(id="a"), Seat(id="b"), Seat(id="old", retired=True)), ScriptedSeat([])
    )
    made: dict[str, Any] = {"seats": seats, "desk": "d", **options}
    with pytest.raises(error) as raised:
        Room(made.pop("seats"), **made)
    assert message == str(raised.value)


@pytest.mark.parametrize(
    "table",
    [
        {"on_refused_aside": "publish"},
        {"close": "any"},
        {"silence": "ignore"},
        {"max_turns": 0},
        {"max_turns": 1.5},
        {"window": -1},
        {"turn_timeout_s": 0},
        {"turn_timeout_s": float("nan")},
        {"turn_timeout_s": float("inf")},
    ],
)
def test_a_policy_with_a_value_that_means_nothing_is_refused(table: dict[str, Any]) -> None:
    """A slip in a word or a number is an error and not another rule."""
    with pytest.raises(UsageError):
        Policy(**table)


def test_a_room_that_is_never_run_leaves_nothing_open() -> None:
    """Making one, or stopping one before it runs, warns of nothing when it is let go."""
    Room({"a": ScriptedSeat()})
    Room({"a": ScriptedSeat()}).stop()


# What comes of it


async def test_a_result_holds_all_that_was_said_and_decided() -> None:
    """Rows, decisions and entries go side by side; failures are by turn; routings by row."""
    error = ValueError("boom")
    seats = {
        "a": ScriptedSeat([broadcast("who?")]),
        "b": ScriptedSeat([dm("a", "psst")]),
        "c": ScriptedSeat(error),
    }
    policy = Policy(aside=AsidePolicy(enabled=True, max_members=1, max_messages=1))
    room = simulated(seats, policy=policy, router=ScriptedRouter([{"b": 1, "c": 0.5}]))
    result = await room.run()
    assert ["user: go", "a: who?", "b: psst"] == said(result)
    assert (result.rows, result.decisions) == (
        tuple(entry.row for entry in result.entries),
        tuple(entry.decision for entry in result.entries),
    )
    assert {2: ("b", "c")} == result.routed
    assert ({4: Raised("ValueError", "boom")}, {4: error}) == (result.failures, result.exceptions)
    assert (4, 0, "quiet", None, ()) == (
        result.granted,
        result.nudges,
        result.closed,
        result.error,
        result.unplayed,
    )
    assert ["go", "who?", "psst"] == [entry.content for entry in result.seen_by("a")]
    assert ["go", "who?", ""] == [entry.content for entry in result.seen_by("c")]
    assert "psst" not in repr(result)


async def test_a_room_runs_once() -> None:
    """A second run is a mistake, whether the first is over or not."""
    errors: list[str] = []

    async def a(turn: Turn) -> None:
        with pytest.raises(UsageError) as raised:
            await room.run()
        errors.append(str(raised.value))

    room = simulated({"a": a})
    await room.run()
    with pytest.raises(UsageError) as raised:
        await room.run()
    message = "a room runs once; make a new one to run it again"
    assert [message, message] == [*errors, str(raised.value)]


# A person speaks


async def test_what_is_said_before_the_run_opens_the_room() -> None:
    """A room without an opening waits for the first word, however late it comes."""
    for early in (True, False):
        room = simulated({"a": ScriptedSeat(), "b": ScriptedSeat()}, opening=None)
        rows: list[Row] = []

        async def say(room: Room = room, rows: list[Row] = rows) -> None:
            rows.append(await room.say("user", "@b hello"))

        async with anyio.create_task_group() as tasks:
            if early:
                tasks.start_soon(say)
                await anyio.wait_all_tasks_blocked()
                result = await room.run()
            else:

                async def later(room: Room = room) -> None:
                    await anyio.sleep(0.01)
                    await room.say("user", "@b hello")

                tasks.start_soon(later)
                result = await room.run()
        assert ["user: @b hello"] == said(result)
        assert ["b"] == [turn.seat for turn in result.turns]
        assert (list(result.rows) if early else []) == rows


async def test_what_is_said_before_the_run_comes_after_the_opening() -> None:
    """The opening is the first row; the word takes over from it before anybody is granted."""
    room = simulated({"a": ScriptedSeat(), "b": ScriptedSeat()})
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(room.say, "user", "@b hello")
        await anyio.wait_all_tasks_blocked()
        result = await room.run()
    assert ["user: go", "user: @b hello"] == said(result)
    assert [("b", 2)] == [(turn.seat, turn.trigger) for turn in result.turns]


async def test_a_word_during_a_turn_is_a_row_at_once_and_drops_what_the_turn_hands_on() -> None:
    """The seat's own row comes after it, and the turn goes to whom the person named."""
    rows: list[Row] = []

    async def a(turn: Turn) -> None:
        await turn.post("@b go on")
        rows.append(await room.say("user", "@c wait"))
        rows.extend((await turn.read(1)).rows)  # type: ignore[arg-type]

    room = simulated({"a": a, "b": ScriptedSeat(), "c": ScriptedSeat()})
    result = await room.run()
    assert ["user: go", "user: @c wait", "a: @b go on"] == said(result)
    assert ["@c wait", "@c wait"] == [row.content for row in rows]
    assert [("a", 0, 1), ("c", 0, 2)] == [(t.seat, t.hop, t.trigger) for t in result.turns]
    assert "b" == getattr(result.decisions[2], "target_id", None)
    assert "person" == result.entries[1].kind


@pytest.mark.parametrize("move", [[], "thinking", [("x", None)], ValueError()])
async def test_a_word_during_a_turn_that_says_nothing_is_answered_next(move: Any) -> None:
    """Whatever becomes of the open turn, the person is answered by whom it named."""
    plays = ScriptedSeat(move)

    async def a(turn: Turn) -> str:
        await room.say("user", "@b hello")
        return await plays(turn)

    room = simulated({"a": a, "b": ScriptedSeat([post("here")])})
    result = await room.run()
    assert ["user: go", "user: @b hello", "b: here"] == said(result)


async def test_a_word_during_a_silent_turn_survives_its_retry() -> None:
    """The retry is the same turn: what it hands on is dropped, and the person is answered."""

    async def a(turn: Turn) -> None:
        if turn.attempt == 1:
            await room.say("user", "@c hello")
        else:
            await turn.post("@b go on")

    b, c = ScriptedSeat([post("b here")]), ScriptedSeat([post("c here")])
    room = simulated({"a": a, "b": b, "c": c}, policy=Policy(silence="retry"))
    result = await room.run()
    assert ["user: go", "user: @c hello", "a: @b go on", "c: c here"] == said(result)


async def test_a_word_between_turns_takes_the_place_of_the_turn_that_was_pending() -> None:
    """It is a row before the next grant, and who was named before is not granted."""

    async def on_row(entry: RowEntry) -> None:
        if entry.kind == "seat" and entry.row.sequence == 2:
            tasks.start_soon(room.say, "user", "@c hello")
            await anyio.wait_all_tasks_blocked()

    seats = {"a": ScriptedSeat([post("@b go on")]), "b": ScriptedSeat(), "c": ScriptedSeat()}
    room = simulated(seats, on_row=on_row)
    async with anyio.create_task_group() as tasks:
        result = await room.run()
    assert ["user: go", "a: @b go on", "user: @c hello"] == said(result)
    assert ["a", "c"] == [turn.seat for turn in result.turns]


@pytest.mark.parametrize(
    "person,text,message",
    [
        ("usr", "hi", "'usr' is not a person of this room; did you mean 'user'?"),
        ("a", "hi", "'a' is not a person of this room"),
        ("user", " \u2003", "what a person says must not be blank"),
        ("user", "", "what a person says must not be blank"),
        ("user", "\udfff", "what a person says must be text that UTF-8 can hold"),
    ],
)
async def test_a_stranger_or_a_blank_word_is_refused(person: str, text: str, message: str) -> None:
    """Nothing is said, and the caller hears why at once, even before the room runs."""
    room = simulated({"a": ScriptedSeat()})
    with pytest.raises(UsageError) as raised:
        await room.say(person, text)
    assert message == str(raised.value)
    assert ["user: go"] == said(await room.run())


async def test_after_the_close_nothing_can_be_said() -> None:
    """The task that ran the room and any other are told that it has closed."""
    room = simulated({"a": ScriptedSeat()})
    await room.run()
    errors = []

    async def say() -> None:
        with pytest.raises(RoomClosed) as raised:
            await room.say("user", "hello")
        errors.append(str(raised.value))

    await say()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(say)
    assert ["the room has closed; nothing can be said any more"] * 2 == errors


async def test_a_word_that_the_room_closed_on_raises() -> None:
    """Whoever still waits when the room closes is let go, a crowd of them too."""
    errors: list[RoomClosed] = []

    async def say(number: int) -> None:
        try:
            await room.say("user", f"word {number}")
        except RoomClosed as error:
            errors.append(error)

    def on_row(entry: RowEntry) -> None:
        for number in range(100):
            tasks.start_soon(say, number)

    # The room fails at its second row, with the words of the others still waiting.
    journal = ListJournal(room_for=2)
    room = simulated({"a": ScriptedSeat([complete("x")])}, on_row=on_row, journal=journal)
    async with anyio.create_task_group() as tasks:
        result = await room.run()
    assert ("failed", 100) == (result.closed, len(errors))


@pytest.mark.parametrize("ticks", range(6))
async def test_a_word_that_finds_the_inbox_full_as_the_room_closes_raises(ticks: int) -> None:
    """However far the word had come, its speaker is let go."""
    errors: list[RoomClosed] = []

    async def say() -> None:
        try:
            await room.say("user", "hello")
        except RoomClosed as error:
            errors.append(error)

    room = simulated({"a": ScriptedSeat()})
    room.stop()
    async with anyio.create_task_group() as tasks:
        for _ in range(64):
            tasks.start_soon(say)
        await anyio.wait_all_tasks_blocked()
        for _ in range(20):
            tasks.start_soon(say)
        for _ in range(ticks):
            await checkpoint()
        result = await room.run()
    assert ("stopped", [], 84) == (result.closed, said(result), len(errors))


@pytest.mark.parametrize("appended", [True, False])
async def test_a_word_on_which_the_room_fails_does_not_leave_its_speaker_waiting(
    appended: bool,
) -> None:
    """The row is returned if it is there, and otherwise the room has closed."""
    heard: list[object] = []

    async def say() -> None:
        try:
            heard.append((await room.say("user", "hello")).content)
        except RoomClosed as error:
            heard.append(str(error))

    async def on_row(entry: RowEntry) -> None:
        if entry.row.content == "hello":
            raise ValueError

    async def a(turn: Turn) -> None:
        tasks.start_soon(say)
        await anyio.wait_all_tasks_blocked()

    # Header, opening and grant are kept; the person's row is the fourth entry.
    journal = ListJournal(room_for=None if appended else 3)
    room = simulated({"a": a}, on_row=on_row, journal=journal)
    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            result = await room.run()
    assert "failed" == result.closed
    assert ["hello" if appended else "the room closed before this was said"] == heard


async def test_a_callback_cannot_wait_for_the_room_that_waits_for_it() -> None:
    """Speaking from the callback would never end, so it is refused; a task of its own may."""
    errors: list[str] = []

    async def on_row(entry: RowEntry) -> None:
        if entry.kind != "opening":
            return
        with pytest.raises(UsageError) as raised:
            await room.say("user", "hello")
        errors.append(str(raised.value))
        tasks.start_soon(room.say, "user", "from a task")

    room = simulated({"a": ScriptedSeat([post("here")])}, on_row=on_row)
    async with anyio.create_task_group() as tasks:
        result = await room.run()
    expected = "say would wait for the very room that is waiting here; start it as a task instead"
    assert [expected] == errors
    assert ["user: from a task", "user: go"] == sorted(said(result))[-2:]


# Stopping


async def test_a_room_can_be_stopped_before_it_runs() -> None:
    """It then closes at once, without a row."""
    room = simulated({"a": ScriptedSeat()})
    errors: list[str] = []

    async def say() -> None:
        with pytest.raises(RoomClosed) as raised:
            await room.say("user", "hello")
        errors.append(str(raised.value))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(say)
        await anyio.wait_all_tasks_blocked()
        room.stop()
        result = await room.run()
    assert ("stopped", [], 0) == (result.closed, said(result), result.granted)
    assert ["the room closed before this was said"] == errors


async def test_a_room_can_be_stopped_during_a_turn() -> None:
    """The open turn becomes no row; what is written stays."""

    async def a(turn: Turn) -> None:
        await turn.post("never a row")
        room.stop()
        await anyio.sleep_forever()

    journal = ListJournal()
    room = simulated({"a": a}, journal=journal)
    with anyio.fail_after(10):
        result = await room.run()
    assert ("stopped", ["user: go"], [None]) == (
        result.closed,
        said(result),
        [turn.outcome for turn in result.turns],
    )
    kinds = ["Header", "Row", "Turn", "Call", "Close"]
    assert kinds == [type(entry).__name__.removesuffix("Entry") for entry in journal.entries]


async def test_what_a_seat_says_after_the_stop_is_in_no_turn() -> None:
    """It is not written down, so the journal is sound and the turn is granted again."""

    async def a(turn: Turn) -> None:
        if turn.attempt == 1:
            room.stop()
        await turn.post("said")

    journal = ListJournal()
    room = simulated({"a": a}, journal=journal)
    assert "stopped" == (await room.run()).closed
    kinds = ["Header", "Row", "Turn", "Close"]
    assert kinds == [type(entry).__name__.removesuffix("Entry") for entry in journal.entries]
    assert "stopped" == verify_entries(journal.entries, "run").closed
    room = simulated({"a": a}, journal=journal, resume=list(journal.entries))
    result = await room.run()
    assert ("quiet", ["user: go", "a: said"]) == (result.closed, said(result))
    assert "quiet" == verify_entries(journal.entries, "run").closed


@pytest.mark.parametrize("on_settling", ["stop", "say"])
async def test_a_script_can_be_stopped_or_spoken_into_while_its_seats_finish(
    on_settling: str,
) -> None:
    """A stop ends the wait for who sleeps still; a person's words are answered before the close."""
    journal = ListJournal()

    class Settling(ListJournal):
        def write(self, entry: Entry) -> None:
            journal.write(entry)
            if isinstance(entry, CallEntry) and entry.late and entry.call_id == 1:
                if on_settling == "stop":
                    room.stop()
                else:
                    tasks.start_soon(room.say, "user", "@b well?")

    async def a(turn: Turn) -> None:
        await turn.sleep(9999)
        await turn.post("late")
        await turn.sleep(9999)
        await turn.post("later")

    script = Script([Cue("a")], listed=False)
    seats: dict[str, Act] = {"a": a, "b": ScriptedSeat([post("here")])}
    room = simulated(seats, journal=Settling(), script=script, clock=SimulatedClock(guard=False))
    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            result = await room.run()
    assert result.closed == {"stop": "stopped", "say": "script"}[on_settling]
    assert result.closed == verify_entries(journal.entries, "run").closed
    assert (["turn_ended"] if on_settling == "stop" else ["turn_ended"] * 2) == [
        *result.turns[0].replies
    ]


async def test_a_room_that_waits_for_a_first_word_can_be_stopped() -> None:
    """The wait ends."""
    room = simulated({"a": ScriptedSeat()}, opening=None)

    async def stop() -> None:
        await anyio.wait_all_tasks_blocked()
        room.stop()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(stop)
        result = await room.run()
    assert ("stopped", []) == (result.closed, said(result))


async def test_a_room_can_be_stopped_from_its_callback_and_more_than_once() -> None:
    """The row that the callback was told of stays, and no turn is granted after it."""

    def on_row(entry: RowEntry) -> None:
        room.stop()
        room.stop()

    room = simulated({"a": ScriptedSeat([post("here")])}, on_row=on_row)
    result = await room.run()
    assert ("stopped", ["user: go"], 0) == (result.closed, said(result), result.granted)


async def test_what_a_turn_leaves_behind_is_still_done_when_the_room_is_stopped() -> None:
    """The row about its files, and the routing of its broadcast, come before the close."""

    async def a(turn: Turn) -> None:
        turn.wrote("f")
        await turn.broadcast("who?")

    def on_row(entry: RowEntry) -> None:
        if entry.kind == "seat":
            room.stop()

    room = simulated({"a": a, "b": ScriptedSeat()}, on_row=on_row)
    result = await room.run()
    assert ["user: go", "a: who?", "workspace: a wrote f"] == said(result)
    assert ("stopped", {2: ("b",)}, 1) == (result.closed, result.routed, result.granted)


async def test_stopping_a_closed_room_changes_nothing() -> None:
    """The result says what it said."""
    room = simulated({"a": ScriptedSeat()})
    result = await room.run()
    room.stop()
    assert ("quiet", "quiet") == (result.closed, room.engine.state.closed)


async def test_a_room_can_be_stopped_by_a_seat_as_it_is_cancelled() -> None:
    """The last words of a seat do not break the close."""

    async def a(turn: Turn) -> None:
        try:
            room.stop()
            await anyio.sleep_forever()
        finally:
            room.stop()

    room = simulated({"a": a})
    assert "stopped" == (await room.run()).closed


@pytest.mark.parametrize("hangs", ["router", "callback"])
async def test_a_stop_does_not_wait_for_what_is_not_the_rooms_own(hangs: str) -> None:
    """A router and a callback are cancelled; the routing is left to whoever goes on."""
    waits = anyio.Event()

    async def forever(*_: object) -> Mapping[str, float]:
        waits.set()
        await anyio.sleep_forever()
        return {}

    async def on_row(entry: RowEntry) -> None:
        if entry.kind == "seat":
            await forever()

    async def stop() -> None:
        await waits.wait()
        room.stop()

    def seats() -> Mapping[str, Act]:
        call = ("desk_broadcast", {"message": "who?"})
        return {"a": ScriptedSeat([call]), "b": ScriptedSeat([post("I")])}

    journal = ListJournal()
    options = {"router": forever} if hangs == "router" else {"on_row": on_row}
    room = simulated(seats(), journal=journal, **options)
    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(stop)
            result = await room.run()
    assert ("stopped", ["user: go", "a: who?"]) == (result.closed, said(result))
    assert "stopped" == verify_entries(journal.entries, "run").closed
    again = simulated(
        seats(), journal=journal, router=ScriptedRouter([{"b": 1}]), resume=list(journal.entries)
    )
    assert ["user: go", "a: who?", "b: I"] == said(await again.run())
    assert "quiet" == verify_entries(journal.entries, "run").closed


async def test_the_entries_of_a_script_are_those_of_another_room() -> None:
    """What would decide who is next is part of what a room is."""
    listed = Script([Cue(seat="a")], listed=True)
    journal = ListJournal()
    await simulated({"a": ScriptedSeat([post("hi")])}, script=listed, journal=journal).run()
    for script, differs in (
        (None, "it was played from a script, and this room has none"),
        (Script([Cue(seat="a")], listed=False), "order is 'listed' there and 'routed' here"),
    ):
        with pytest.raises(UsageError, match=f"^these entries are of another room: {differs}$"):
            simulated({"a": ScriptedSeat()}, script=script, resume=journal.entries)
    plain = ListJournal()
    await simulated({"a": ScriptedSeat()}, journal=plain).run()
    with pytest.raises(UsageError, match=r"it had no script, and this room plays one$"):
        simulated({"a": ScriptedSeat()}, script=listed, resume=plain.entries)


# The callback for rows


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_a_callback_hears_of_every_row_as_soon_as_it_is_there(kind: str) -> None:
    """It may be asynchronous, and the room waits for it before it goes on."""
    heard: list[tuple[str, int]] = []

    def hear(entry: RowEntry) -> None:
        heard.append((entry.row.content, len(room.engine.state.turns)))

    async def hear_later(entry: RowEntry) -> None:
        await checkpoint()
        hear(entry)

    seats = {"a": ScriptedSeat([post("@b on")]), "b": ScriptedSeat([post("here")])}
    room = simulated(seats, on_row=hear if kind == "sync" else hear_later)
    await room.run()
    assert [("go", 0), ("@b on", 1), ("here", 2)] == heard


async def test_a_callback_that_raises_closes_the_room() -> None:
    """The row is there, and the result says what failed and why."""
    error = ValueError("no")

    def on_row(entry: RowEntry) -> None:
        raise error

    result = await simulated({"a": ScriptedSeat()}, on_row=on_row).run()
    assert ("failed", ["user: go"]) == (result.closed, said(result))
    assert "the callback for rows failed: ValueError('no')" == str(result.error)
    assert isinstance(result.error, RoomFailure)
    assert result.error.__cause__ is error


async def test_a_callback_that_stops_the_room_and_then_raises_has_failed() -> None:
    """What failed is told, rather than that the room was to stop anyway."""

    def on_row(entry: RowEntry) -> None:
        room.stop()
        raise ValueError

    room = simulated({"a": ScriptedSeat()}, on_row=on_row)
    assert "failed" == (await room.run()).closed


# Failing and being cancelled


@pytest.mark.parametrize("room_for", range(7))
async def test_a_journal_that_fails_closes_the_room_with_what_it_kept(room_for: int) -> None:
    """Whatever could not be kept did not happen."""
    journal = ListJournal(room_for=room_for)
    seats = {"a": ScriptedSeat([post("@b on")]), "b": ScriptedSeat([complete("done")])}
    result = await simulated(seats, journal=journal).run()
    assert ("failed", room_for) == (result.closed, len(journal.entries))
    assert [entry.row for entry in journal.rows] == list(result.rows)


async def test_a_fault_of_a_journal_is_not_hidden() -> None:
    """What is no failure of a room is raised as it is, and not in a group."""

    class Broken(ListJournal):
        def write(self, entry: Entry) -> None:
            raise OSError("disk")

    room = simulated({"a": ScriptedSeat()}, journal=Broken())
    with pytest.raises(OSError, match="disk"):
        await room.run()
    with pytest.raises(RoomClosed):
        await room.say("user", "hello")


async def test_a_room_that_is_cancelled_from_outside_leaves_no_task() -> None:
    """Its seats are cancelled with it; nothing can be said, and stopping it is nothing."""
    before = len(anyio.get_running_tasks())
    ended: list[str] = []

    async def a(turn: Turn) -> None:
        try:
            scope.cancel()
            await anyio.sleep_forever()
        finally:
            ended.append("a")

    room = simulated({"a": a})
    with anyio.CancelScope() as scope:
        await room.run()
    assert (True, ["a"]) == (scope.cancelled_caught, ended)
    assert before == len(anyio.get_running_tasks())
    room.stop()
    with pytest.raises(RoomClosed):
        await room.say("user", "hello")


async def test_a_room_that_closes_leaves_no_task() -> None:
    """A seat that still hangs when the room closes is cancelled."""
    before = len(anyio.get_running_tasks())

    async def a(turn: Turn) -> None:
        await anyio.sleep_forever()

    result = await simulated({"a": a}, policy=Policy(turn_timeout_s=0.02)).run()
    assert ("quiet", ["timed_out"]) == (result.closed, [turn.outcome for turn in result.turns])
    assert before == len(anyio.get_running_tasks())


# Going on from an earlier run


async def test_a_room_that_was_stopped_can_be_gone_on_with() -> None:
    """The turn that was open is granted again under its number, and nothing is said twice."""

    async def stops(turn: Turn) -> None:
        await turn.post("never a row")
        room.stop()
        await anyio.sleep_forever()

    first, rest = ListJournal(), ListJournal()
    room = simulated({"a": stops, "b": ScriptedSeat()}, journal=first)
    assert "stopped" == (await room.run()).closed

    a = ScriptedSeat([post("@b here")])
    room = simulated({"a": a, "b": ScriptedSeat()}, journal=rest, resume=first.entries)
    result = await room.run()
    assert (["user: go", "a: @b here"], "quiet") == (said(result), result.closed)
    assert [(1, 2, 0)] == [(taken.number, taken.attempt, taken.hop) for taken in a.turns]
    assert [("a", ["ok"]), ("b", [])] == [(turn.seat, list(turn.replies)) for turn in result.turns]
    kinds = [type(entry).__name__.removesuffix("Entry") for entry in rest.entries]
    assert ["Turn", "Call", "Row", "Turn", "End", "Close"] == kinds


async def test_a_room_that_had_closed_stays_closed() -> None:
    """There is nothing to go on with: the result is what it was, and nothing is written."""
    journal, rest = ListJournal(), ListJournal()
    whole = await simulated({"a": ScriptedSeat([complete("x")])}, journal=journal).run()
    room = simulated({"a": ScriptedSeat()}, journal=rest, resume=journal.entries)
    again = await room.run()
    assert (whole.rows, whole.closed, []) == (again.rows, again.closed, rest.entries)


@pytest.mark.parametrize("after_s,time", [(None, 0.0), (60, 60.0)])
async def test_calls_that_a_process_still_had_to_send_can_be_sent_by_the_next(
    after_s: float | None, time: float
) -> None:
    """They count as late calls of the turn that had ended, at once or after a while."""
    journal = ListJournal()
    script = Script([Cue("a"), Cue("b")], listed=True)
    whole = simulated(
        {"a": ScriptedSeat([post("x")]), "b": ScriptedSeat()}, journal=journal, script=script
    )
    await whole.run()
    # Up to the row of the first turn.
    kept = journal.entries[: journal.entries.index(journal.rows[1]) + 1]
    late = LateCalls(1, 1, "a", (post("late"), ("x", None)), after_s)
    clock = SimulatedClock(guard=False)
    seats = {"a": ScriptedSeat(), "b": ScriptedSeat()}
    room = simulated(seats, resume=kept, script=script, late_calls=[late], clock=clock)
    result = await room.run()
    assert [["ok", "turn_ended", "turn_ended"], []] == [list(turn.replies) for turn in result.turns]
    assert (["user: go", "a: x"], time) == (said(result), clock.now())


# Several rooms


async def test_two_rooms_in_one_loop_share_nothing() -> None:
    """Each is as it would be alone, though their turns run side by side."""

    def ping(other: str) -> Act:
        async def act(turn: Turn) -> None:
            await checkpoint()
            await turn.post(f"@{other} {turn.number}")

        return act

    def room() -> Room:
        return simulated({"a": ping("b"), "b": ping("a")}, policy=Policy(max_turns=6))

    alone = await room().run()
    results: list[RoomResult] = []

    async def run() -> None:
        results.append(await room().run())

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        tasks.start_soon(run)
    assert [alone.rows, alone.rows] == [result.rows for result in results]
    assert [6, 6] == [result.granted for result in results]


async def test_a_seat_may_run_a_room_of_its_own() -> None:
    """Time and turns of the inner room are its own."""
    inner_clock = SimulatedClock()

    async def sleeper(turn: Turn) -> None:
        await turn.sleep(500)
        await turn.post("inner")

    async def a(turn: Turn) -> None:
        result = await simulated({"x": sleeper}, clock=inner_clock).run()
        await turn.post(result.rows[-1].content)

    clock = SimulatedClock()
    result = await simulated({"a": a}, clock=clock).run()
    assert (["user: go", "a: inner"], 0.0, 500.0) == (said(result), clock.now(), inner_clock.now())


async def test_two_hundred_rooms_can_run_at_once() -> None:
    """Each closes by itself, with its own rows."""
    lines: dict[int, list[str]] = {}

    async def run(number: int) -> None:
        a = ScriptedSeat([post(f"@b {number}")])
        lines[number] = said(await simulated({"a": a, "b": RecordingSeat(complete("done"))}).run())

    async with anyio.create_task_group() as tasks:
        for number in range(200):
            tasks.start_soon(run, number)
    assert {n: ["user: go", f"a: @b {n}", "b: done"] for n in range(200)} == lines


async def test_a_room_of_two_thousand_seats_works() -> None:
    """Every seat has a turn, one after the other, and the last completes."""
    count = 2000

    async def act(turn: Turn) -> None:
        following = int(turn.seat.id[1:]) + 1
        if following == count:
            await turn.complete("done")
        else:
            await turn.post(f"@s{following} go on")

    policy = Policy(dispatch=DispatchPolicy(max_hops=count), max_turns=count, window=3)
    room = simulated({f"s{number}": act for number in range(count)}, policy=policy)
    with anyio.fail_after(30):
        result = await room.run()
    assert ("completed", count, count + 1) == (result.closed, result.granted, len(result.rows))


# Every room: the same on either backend, and private


@pytest.mark.slow
@given(data=st.data())
def test_a_room_is_the_same_on_either_backend(
    room_plans: st.SearchStrategy[Any], data: st.DataObject
) -> None:
    """The entries do not depend on the event loop, nor on how it orders tasks."""
    plan = data.draw(room_plans)
    journals = [ListJournal() for _ in range(4)]
    for journal, backend in zip(journals, ("asyncio", "trio", "trio", "asyncio"), strict=True):
        anyio.run(plan.room(journal).run, backend=backend)
    first = journals[0].entries
    assert [first] * 3 == [journal.entries for journal in journals[1:]]


@frozen
class Whisper:
    """A private message that can be told in two ways, which nobody but its party may tell apart."""

    tool: str
    to: tuple[str, ...]
    texts: tuple[str, str]

    def call(self, telling: int) -> CallPair:
        """Return the call in one of the two tellings."""
        if self.tool == "dm":
            return dm(self.to, self.texts[telling])
        return post(f"!aside {' '.join(f'@{id_}' for id_ in self.to)} {self.texts[telling]}")


SECRETS = st.sampled_from(["s3cret", "s3cret " * 40, "the s3cret\n\nof é", "- s3cret `x`"])
PARTIES = st.lists(st.sampled_from("abc"), min_size=1, max_size=2, unique=True).map(tuple)
WHISPERS = st.builds(Whisper, st.sampled_from(["dm", "post"]), PARTIES, st.tuples(SECRETS, SECRETS))
PUBLIC = st.builds(post, st.sampled_from(["@a hi", "@b hi", "@c hi", "@d hi", "hi"]))
OTHERS_CALLS = st.one_of(WHISPERS, WHISPERS, PUBLIC)
WATCHERS_CALLS = st.one_of(
    PUBLIC, st.builds(read, st.integers(1, 9)), st.builds(dm, PARTIES, st.just("from d"))
)


def moves(calls: st.SearchStrategy[Any]) -> st.SearchStrategy[list[list[Any]]]:
    """Return the strategy for what a seat does in its turns."""
    return st.lists(st.lists(calls, max_size=2), max_size=4)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@given(data=st.data())
def test_what_is_said_in_private_cannot_be_told_from_outside(
    backend: str, data: st.DataObject
) -> None:
    """Two rooms that differ only in what asides say are one room to every seat outside them.

    The seat ``d`` is in none of those asides. All that it is granted, told and shown, and all that
    is logged at info level, is the same.
    """
    plans = {id_: data.draw(moves(OTHERS_CALLS)) for id_ in "abc"}
    plans["d"] = data.draw(moves(WATCHERS_CALLS))
    policy = Policy(
        aside=AsidePolicy(
            enabled=True,
            max_members=data.draw(st.integers(1, 2)),
            max_messages=data.draw(st.integers(1, 6)),
            must_surface=data.draw(st.booleans()),
        ),
        chair=ChairPolicy(rounds=4, every=data.draw(st.integers(0, 3))),
        silence=data.draw(st.sampled_from(["yield", "retry"])),
        max_turns=14,
        window=data.draw(st.integers(0, 5)),
    )

    def told(telling: int) -> tuple[list[TakenTurn], list[Any]]:
        seats = {
            id_: ScriptedSeat(
                *[
                    [call.call(telling) if isinstance(call, Whisper) else call for call in turn]
                    for turn in turns
                ]
            )
            for id_, turns in plans.items()
        }
        with capture_logs() as events:
            room = simulated(seats, opening="@d look around", policy=policy)
            anyio.run(room.run, backend=backend)
        structlog.reset_defaults()
        return seats["d"].turns, events

    shown, events = told(0)
    assert (shown, events) == told(1)
    assert "s3cret" not in repr([(t.history, t.trigger, t.replies) for t in shown])


@pytest.mark.parametrize("policy", [Policy(), Policy(on_refused_aside="room", max_calls=3)])
async def test_no_log_event_holds_what_anybody_said(policy: Policy, events: list[Any]) -> None:
    """Messages, texts, errors, recipients and paths stay out of every event."""

    async def a(turn: Turn) -> str:
        turn.wrote("s3cret.txt")
        await turn.call("desk_s3cret", {"s3cret": "s3cret"})
        await turn.dm("s3cret", "s3cret")
        await turn.dm("b", "s3cret")
        await turn.broadcast("s3cret")
        await turn.post("@b s3cret")
        turn.call_late(*post("s3cret"))
        return "s3cret"

    async def b(turn: Turn) -> None:
        await turn.post("s3cret")
        raise ValueError("s3cret")

    async def c(turn: Turn) -> None:
        await turn.post("s3cret")
        await turn.sleep(9999)

    fence = Seat(id="f", fence=True)
    seats: dict[Any, Act] = {Seat(id="a"): a, Seat(id="b"): b, Seat(id="c"): c}
    seats[fence] = ScriptedSeat("!aside s3cret")
    policy = Policy(
        on_refused_aside=policy.on_refused_aside,
        max_calls=policy.max_calls,
        chair=ChairPolicy(rounds=4),
    )
    result = await simulated(
        seats, policy=policy, opening="s3cret", people={"user": "s3cret"}
    ).run()
    assert result.granted > 4
    assert {"debug", "info", "warning"} >= {event["log_level"] for event in events}
    assert [] == [event for event in events if "s3cret" in repr(event)]
    names = {event["event"] for event in events}
    assert {"room.opened", "turn.granted", "call.refused", "row.committed", "room.closed"} <= names
