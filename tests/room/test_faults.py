"""What goes wrong in a seat, or is handed over by one, costs what it must and nothing else."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import anyio
import anyio.from_thread
import anyio.to_thread
import pytest

from deskroom.core import AsidePolicy, DispatchPolicy, NoTurn
from deskroom.core.reasons import CloseReason, NoTurnReason, Outcome
from deskroom.engine.entries import (
    CallEntry,
    CloseEntry,
    EndEntry,
    Entry,
    Raised,
    RoutedEntry,
    RowEntry,
)
from deskroom.errors import RoomClosed, UsageError
from deskroom.journal import verify_entries
from deskroom.room import (
    ChairPolicy,
    Clock,
    Policy,
    RealClock,
    Reply,
    Room,
    RoomResult,
    Seat,
    SimulatedClock,
    Turn,
)
from deskroom.room.acts import Act
from deskroom.testing import (
    ListJournal,
    RecordingSeat,
    ScriptedSeat,
    broadcast,
    complete,
    post,
    read,
)

BACKENDS = pytest.mark.parametrize("backend", ["asyncio", "trio"])


async def play(seats: Mapping[Any, Act], **options: Any) -> RoomResult:
    """Play a room in simulated time to its close."""
    return await Room(seats, **{"opening": "go", "clock": SimulatedClock(), **options}).run()


def said(result: RoomResult) -> list[str]:
    """Return every row as one line."""
    return [f"{row.author.id or row.author.kind}: {row.content}" for row in result.rows]


# What a seat raises that is no failure of its turn


class Verdict(BaseException):
    """What a test's outcome is: no ``Exception``."""


RAISED = [KeyboardInterrupt, SystemExit, GeneratorExit, Verdict, AssertionError]


def _simulated() -> Clock:
    return SimulatedClock(guard=False)


def _guarded() -> Clock:
    return SimulatedClock()


@BACKENDS
@pytest.mark.parametrize("clock", [_simulated, _guarded, RealClock])
@pytest.mark.parametrize("when", ["at once", "after a call", "after a nap", "in a task"])
@pytest.mark.parametrize("raised", RAISED)
def test_what_ends_the_room_leaves_it_as_itself_and_nothing_false_is_written(
    settled: Callable[[Iterable[Entry]], Sequence[Entry]],
    backend: str,
    clock: Callable[[], Clock],
    when: str,
    raised: type[BaseException],
) -> None:
    """Neither an end nor a close; what goes on from there is the run that nobody disturbed."""

    async def fail() -> None:
        raise raised("out")

    async def b(turn: Turn) -> None:
        if when != "at once":
            await turn.post("@a never a row")
        if when == "after a nap":
            await turn.sleep(0.001)
        if when != "in a task":
            raise raised("out")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(fail)
            await anyio.sleep_forever()

    def room(b: Act, journal: ListJournal, resume: Sequence[Entry] = ()) -> Room:
        a = ScriptedSeat([] if resume else [post("@b on")])
        seats: dict[str, Act] = {"a": a, "b": b}
        return Room(
            seats,
            opening="go",
            clock=clock(),
            journal=journal,
            resume=resume,
            raise_from_seats=(AssertionError,),
            policy=Policy(chair=ChairPolicy(rounds=1)),
        )

    def calm() -> Act:
        return ScriptedSeat([post("@a here")], [post("and here")])

    whole, journal = ListJournal(), ListJournal()
    anyio.run(room(calm(), whole).run, backend=backend)
    with pytest.raises(BaseException) as caught:  # noqa: PT011 - which one is held below
        anyio.run(room(b, journal).run, backend=backend)
    error: BaseException = caught.value
    while isinstance(error, BaseExceptionGroup):
        (error,) = error.exceptions
    assert (raised, "out") == (type(error), str(error))
    assert [] == [entry for entry in journal.entries if isinstance(entry, EndEntry | CloseEntry)]
    assert verify_entries(journal.entries, "run").closed is None

    kept = list(journal.entries)
    anyio.run(room(calm(), journal, kept).run, backend=backend)
    assert whole.entries == settled(journal.entries)
    verify_entries(journal.entries, "run")


@BACKENDS
@pytest.mark.parametrize("error", [AssertionError("no"), ValueError("no")])
def test_an_exception_costs_its_turn_where_the_room_is_not_told_otherwise(
    backend: str, error: Exception
) -> None:
    """By default everything does; ``raise_from_seats`` names what does not."""
    seats = {"a": ScriptedSeat(error)}
    result = anyio.run(Room(seats, opening="go", clock=SimulatedClock()).run, backend=backend)
    assert ({1: error}, CloseReason.QUIET) == (result.exceptions, result.closed)
    told = Room(seats, opening="go", clock=SimulatedClock(), raise_from_seats=(KeyError,))
    assert CloseReason.QUIET == anyio.run(told.run, backend=backend).closed


# A callback that raises


@pytest.mark.anyio
async def test_whoever_waits_to_be_heard_gets_the_cause_of_a_room_that_fails(
    events: list[Any],
) -> None:
    """The result holds it, the log shows its traceback, and so does what ``say`` raises."""
    cause = ValueError("no more")
    errors: list[RoomClosed] = []

    async def say() -> None:
        try:
            await room.say("user", "hello")
        except RoomClosed as error:
            errors.append(error)

    async def on_row(entry: RowEntry) -> None:
        tasks.start_soon(say)
        await anyio.wait_all_tasks_blocked()
        raise cause

    room = Room({"a": ScriptedSeat()}, opening="go", clock=SimulatedClock(), on_row=on_row)
    async with anyio.create_task_group() as tasks:
        result = await room.run()
    await say()
    assert result.error is not None
    assert (CloseReason.FAILED, cause) == (result.closed, result.error.__cause__)
    assert [result.error, result.error] == [error.__cause__ for error in errors]
    (logged,) = [event for event in events if event["log_level"] == "error"]
    assert ("room.failed", result.error) == (logged["event"], logged["exc_info"])


# Deadlines


@pytest.mark.anyio
async def test_a_call_behind_the_deadline_is_late_however_late_the_host_looks() -> None:
    """A seat that held up the whole loop past its deadline is not told that it was accepted."""
    replies: list[Reply] = []

    async def a(turn: Turn) -> None:
        replies.append(await turn.post("@b in time"))
        threading.Event().wait(0.1)  # Nothing else runs meanwhile.
        replies.append(await turn.post("@b too late"))

    journal = ListJournal()
    seats: dict[str, Act] = {"b": ScriptedSeat([read()]), "a": a}
    policy = Policy(turn_timeout_s=0.05, chair=ChairPolicy(rounds=1))
    clock = RealClock()
    result = await play(seats, opening="@a go", clock=clock, policy=policy, journal=journal)
    assert [None, "turn_ended"] == [reply.rejection for reply in replies]
    assert [Outcome.TIMED_OUT, Outcome.SILENT] == [turn.outcome for turn in result.turns]
    kinds = [entry for entry in journal.entries if isinstance(entry, CallEntry | EndEntry)]
    assert [False, True, False] == [call.late for call in kinds if isinstance(call, CallEntry)]
    assert isinstance(kinds[1], EndEntry)


# What the rules say of calls and texts


@pytest.mark.anyio
async def test_a_completion_that_is_followed_by_another_call_counts_no_longer() -> None:
    """The reply to that call is the one of a message that replaced a completion."""
    a = RecordingSeat(complete("done"), post("not yet"))
    result = await play({"a": a})
    before, after = a.turns[0].replies
    assert (True, True) == (before.ok, after.ok)
    a = RecordingSeat(post("done"), post("not yet"))
    await play({"a": a})
    assert after.text != a.turns[0].replies[1].text
    assert (["user: go", "a: not yet"], False) == (said(result), result.entries[1].completes)


@pytest.mark.anyio
@pytest.mark.parametrize(
    "first,second,named",
    [
        ("thinking", [post("here")], False),
        ("thinking", [read()], False),
        ([read()], "thinking", False),
        ("thinking", [("x", None)], False),
        ("thinking", "thinking still", True),
        ("thinking", [], True),
        ([], "thinking", True),
    ],
)
async def test_who_only_narrated_is_told_by_turn_and_not_by_attempt(
    first: Any, second: Any, named: bool
) -> None:
    """A retry is the same turn, so a call in either attempt is a call of the turn."""
    policy = Policy(silence="retry", chair=ChairPolicy(rounds=1))
    result = await play({"a": ScriptedSeat(first, second, [post("hm")])}, policy=policy)
    (nudge,) = [entry.row.content for entry in result.entries if entry.kind == "nudge"]
    assert named == ("Mind that a " in nudge)


@pytest.mark.anyio
@pytest.mark.parametrize(
    "text,reason",
    [
        ("<<<POST " + "x" * 100 + " POST>>>", "message_too_large"),
        ("<<<POST !aside @b psst POST>>>", "disabled"),
        ("<<<POST \ud800 POST>>>", "bad_arguments"),
        ("<<<POST fine POST>>>", None),
    ],
)
async def test_the_refusal_of_a_fence_seats_text_is_that_of_its_turn(
    text: str, reason: str | None
) -> None:
    """It is no call, so there is no reply, and the reason is kept all the same."""
    seats = {Seat(id="a", fence=True): ScriptedSeat(text), Seat(id="b"): ScriptedSeat()}
    result = await play(seats, policy=Policy(max_message_bytes=64))
    assert (reason, []) == (result.turns[0].refusal, result.turns[0].replies)


@pytest.mark.anyio
async def test_a_late_call_does_not_hide_why_a_turn_was_refused() -> None:
    """The reason is that of the last call refused while the turn was open."""

    async def a(turn: Turn) -> None:
        await turn.dm("zz", "x")
        await turn.post(" ")
        turn.call_late(*post("late"))

    (turn,) = (await play({"a": a, "b": ScriptedSeat()})).turns
    assert ("empty_message", Outcome.REFUSED) == (turn.refusal, turn.outcome)
    assert ["unknown_recipient", "empty_message", "turn_ended"] == turn.replies


@pytest.mark.anyio
@pytest.mark.parametrize(
    "seats,policy,call,hop",
    [
        ("a", Policy(), broadcast("who?"), 1),
        ("ab", Policy(dispatch=DispatchPolicy(max_hops=0)), broadcast("who?"), 1),
        (
            "ab",
            Policy(
                aside=AsidePolicy(enabled=True, max_members=1, max_messages=1),
                dispatch=DispatchPolicy(max_hops=0),
            ),
            broadcast("!aside @b who?"),
            1,
        ),
    ],
)
async def test_a_broadcast_that_can_reach_nobody_is_told_so_and_asks_no_router(
    seats: str, policy: Policy, call: Any, hop: int
) -> None:
    """It is routed to nobody, without scores, and the reply speaks of no router."""

    async def router(message: str, candidates: Any) -> Mapping[str, float]:
        raise AssertionError

    a, journal = RecordingSeat(call), ListJournal()
    acts: dict[str, Act] = {id_: a if id_ == "a" else ScriptedSeat() for id_ in seats}
    result = await play(acts, policy=policy, router=router, journal=journal)
    assert ({2: ()}, CloseReason.QUIET) == (result.routed, result.closed)
    assert NoTurn(NoTurnReason.BROADCAST) == result.decisions[1]
    assert [RoutedEntry(2, (), (), hop)] == [
        entry for entry in journal.entries if isinstance(entry, RoutedEntry)
    ]
    (reply,) = a.turns[0].replies
    assert (True, False) == ("It wakes nobody: " in reply.text, "outer" in reply.text)


# What one seat hands over


class BadStr(str):
    """A text of which nothing can be asked."""

    __slots__ = ()

    def _raise(self, *_: object, **__: object) -> Any:
        raise RuntimeError("hostile")

    __str__ = __repr__ = __eq__ = __hash__ = __len__ = __iter__ = __contains__ = _raise
    __getitem__ = __format__ = __add__ = encode = strip = isascii = startswith = count = _raise


class BadInt(int):
    """A number that cannot be compared."""

    def _raise(self, *_: object) -> Any:
        raise RuntimeError("hostile")

    __lt__ = __gt__ = __le__ = __ge__ = __eq__ = __hash__ = __index__ = __int__ = __bool__ = _raise


class BadList(list[Any]):
    """A list that cannot be walked."""

    def __iter__(self) -> Iterator[Any]:
        raise RuntimeError("hostile")

    def __len__(self) -> int:
        raise RuntimeError("hostile")


class BadDict(dict[str, Any]):
    """An object whose items cannot be had."""

    def items(self) -> Any:
        raise RuntimeError("hostile")

    def __iter__(self) -> Iterator[Any]:
        raise RuntimeError("hostile")

    def __len__(self) -> int:
        raise RuntimeError("hostile")


class BadMapping(Mapping[str, Any]):
    """A mapping that is none."""

    def __getitem__(self, key: str) -> Any:
        raise RuntimeError("hostile")

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("hostile")

    def __len__(self) -> int:
        raise RuntimeError("hostile")


class Lying:
    """Something that says it is another thing, and raises when it is asked."""

    @property
    def __class__(self) -> Any:
        raise RuntimeError("hostile")

    @__class__.setter
    def __class__(self, value: Any) -> None:
        raise RuntimeError("hostile")


HOSTILE: dict[str, Callable[[], Any]] = {
    "str": lambda: BadStr("@b hi"),
    "int": lambda: BadInt(5),
    "list": lambda: BadList(["b"]),
    "dict": lambda: BadDict(message="x"),
    "mapping": BadMapping,
    "class": Lying,
}


@BACKENDS
@pytest.mark.parametrize("place", ["tool", "arguments", "message", "to", "limit", "text", "late"])
@pytest.mark.parametrize("kind", HOSTILE)
def test_whatever_a_seat_hands_over_costs_at_most_its_turn(
    backend: str, kind: str, place: str
) -> None:
    """Values whose methods raise are copied or refused on the seat's own side."""
    value = HOSTILE[kind]()

    async def a(turn: Turn) -> Any:
        match place:
            case "tool":
                await turn.call(value, {"message": "m"})
            case "arguments":
                await turn.call("desk_post", value)
            case "message":
                await turn.call("desk_post", {"message": value})
            case "to":
                await turn.call("desk_dm", {"message": "m", "to": [value]})
                await turn.call("desk_dm", {"message": "m", "to": value})
            case "limit":
                await turn.call("desk_read", {"limit": value})
            case "late":
                turn.call_late("desk_post", value)
            case _:
                return value
        return ""

    journal = ListJournal()
    seats: dict[str, Act] = {"b": ScriptedSeat([post("here")]), "a": a}
    room = Room(
        seats,
        opening="@a go",
        clock=SimulatedClock(),
        policy=Policy(chair=ChairPolicy(rounds=1)),
        journal=journal,
    )
    result = anyio.run(room.run, backend=backend)
    assert (CloseReason.QUIET, None) == (result.closed, result.error)
    assert "b: here" in said(result)
    assert CloseReason.QUIET == verify_entries(journal.entries, "run").closed


@BACKENDS
def test_a_text_that_lies_about_itself_is_the_text_that_it_holds(backend: str) -> None:
    """What a subclass of ``str`` holds is said, and what its methods say is not asked."""
    seats: dict[str, Act] = {"a": ScriptedSeat([post(BadStr("@b hi"))]), "b": ScriptedSeat()}
    result = anyio.run(Room(seats, opening="go", clock=SimulatedClock()).run, backend=backend)
    assert ["user: go", "a: @b hi"] == said(result)
    assert [str, str] == [type(row.content) for row in result.rows]


@BACKENDS
@pytest.mark.parametrize("reads", ["post", "read", "sleep"])
def test_a_call_from_another_thread_is_a_wrong_use_that_its_caller_hears_of(
    backend: str, reads: str
) -> None:
    """The room goes on, on both loops; through the loop's own door the call is fine."""
    errors: list[str] = []

    async def a(turn: Turn) -> None:
        def work() -> None:
            made: dict[str, Any] = {
                "post": lambda: turn.post("x"),
                "read": turn.read,
                "sleep": lambda: turn.sleep(1),
            }
            try:
                made[reads]().send(None)
            except UsageError as error:
                errors.append(str(error))
            anyio.from_thread.run(turn.post, "@b from a thread")

        await anyio.to_thread.run_sync(work)

    seats: dict[str, Act] = {"a": a, "b": ScriptedSeat()}
    result = anyio.run(Room(seats, opening="go", clock=RealClock()).run, backend=backend)
    expected = (
        "a turn belongs to the thread of its room; call it from there, for example through "
        "anyio.from_thread.run"
    )
    assert [expected] == errors
    assert (["user: go", "a: @b from a thread"], {}) == (said(result), result.failures)


@BACKENDS
def test_a_seat_that_uses_one_object_again_rewrites_nothing(backend: str) -> None:
    """Each entry keeps a copy of what was sent, at every depth."""

    async def a(turn: Turn) -> None:
        arguments: dict[str, Any] = {"to": ["b"], "message": "one"}
        await turn.call("desk_dm", arguments)
        arguments["to"].append("zz")
        arguments["message"] = "two"
        await turn.call("desk_dm", arguments)
        arguments.clear()

    journal = ListJournal()
    seats: dict[str, Act] = {"a": a, "b": ScriptedSeat()}
    room = Room(seats, opening="go", clock=SimulatedClock(), journal=journal)
    anyio.run(room.run, backend=backend)
    assert [{"to": ["b"], "message": "one"}, {"to": ["b", "zz"], "message": "two"}] == [
        entry.arguments for entry in journal.entries if isinstance(entry, CallEntry)
    ]


@BACKENDS
def test_what_a_seat_raises_need_not_be_printable(backend: str) -> None:
    """The name of its class is kept, and its text where there is one."""

    class Unspeakable(Exception):
        def __str__(self) -> str:
            raise RuntimeError("hostile")

    room = Room({"a": ScriptedSeat(Unspeakable())}, opening="go", clock=SimulatedClock())
    result = anyio.run(room.run, backend=backend)
    assert {1: Raised("Unspeakable", "")} == result.failures
    assert ["Unspeakable"] == [str(raised) for raised in result.failures.values()]
