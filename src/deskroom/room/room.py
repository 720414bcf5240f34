"""A room, as a user of the Python API sees it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager, suppress
from typing import Self

import anyio
from anyio.abc import TaskGroup
from attrs import field, frozen

from deskroom.core.audience import Viewer
from deskroom.core.dispatch import Decision
from deskroom.core.reasons import CloseReason
from deskroom.core.roster import Person
from deskroom.core.transcript import Row, SeenRow, project
from deskroom.engine.engine import Engine
from deskroom.engine.entries import CloseEntry, Entry, HeaderEntry, Journal, Raised, RowEntry
from deskroom.engine.policy import Policy
from deskroom.engine.script import Script
from deskroom.engine.setup import Opening, Seat, Setup, check_setup, check_text, difference
from deskroom.engine.state import RoomState, TurnRecord
from deskroom.errors import FileError, RoomClosed, RoomFailure, UsageError, hint
from deskroom.room.acts import Attending, Seats, check_acts
from deskroom.room.attendance import Attendance
from deskroom.room.clock import Clock, RealClock, SimulatedClock
from deskroom.room.host import Host, OnRow
from deskroom.room.late import LateCalls
from deskroom.room.log import RoomLog
from deskroom.room.router import Router
from deskroom.room.spoken import Spoken
from deskroom.room.tasks import one_error, seat_tasks

__all__ = ["Room", "RoomResult"]


@frozen(kw_only=True)
class RoomResult:
    """What came of a run.

    ``rows`` and ``decisions`` go side by side; ``entries`` holds both with what triggered them.
    ``turns`` has a record for each grant, in order, with its outcome and what the seat raised;
    ``exceptions`` holds the exceptions themselves, as far as this process saw them raised, by the
    number of the turn that each cost. ``state`` is the fold of it all. ``closed`` says why the room closed, and ``error`` what
    failed when that is ``failed``. ``setup`` is what the room was made of, and so what it decided
    by.
    """

    closed: CloseReason
    rows: tuple[Row, ...] = field(repr=False)
    entries: tuple[RowEntry, ...] = field(repr=False)
    turns: tuple[TurnRecord, ...] = field(repr=False)
    granted: int
    nudges: int
    routed: Mapping[int, tuple[str, ...]] = field(repr=False)
    unplayed: tuple[int, ...] = field(default=(), repr=False)
    exceptions: Mapping[int, Exception] = field(factory=dict, eq=False, repr=False)
    error: RoomFailure | None = None
    setup: Setup = field(repr=False, eq=False)
    state: RoomState = field(repr=False, eq=False)

    @classmethod
    def of(
        cls,
        engine: Engine,
        error: RoomFailure | None = None,
        exceptions: Mapping[int, Exception] | None = None,
    ) -> Self:
        """Return what a closed room's state amounts to."""
        state = engine.state
        return cls(
            closed=state.closed or CloseReason.FAILED,
            rows=tuple(state.rows),
            entries=tuple(state.entries),
            turns=tuple(state.turns),
            granted=state.granted,
            nudges=state.nudges,
            routed={sequence: entry.recipients for sequence, entry in state.routed.items()},
            unplayed=tuple(state.script.unplayed()) if state.script is not None else (),
            exceptions=exceptions or {},
            error=error,
            setup=state.setup,
            state=state,
        )

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """What was decided after each row."""
        return tuple(entry.decision for entry in self.entries)

    @property
    def failures(self) -> dict[int, Raised]:
        """What seats raised, by the number of the turn that it cost."""
        return {turn.number: turn.error for turn in self.turns if turn.error is not None}

    def seen_by(self, seat: str) -> tuple[SeenRow, ...]:
        """Return the transcript as a seat may read it."""
        return project(self.rows, Viewer("agent", seat))


class Room:
    """A room of seats that share one transcript.

    ``seats`` maps each seat to the async function that plays it: by id, or by a ``Seat`` where it
    has a name, a role or a brief. Their order is the desk's; the first leads it. ``people`` maps
    ids to labels. ``opening`` is the first row, as ``(person, message)`` or as a message by the
    first person; a room without one waits for the first ``say``. ``router`` scores broadcasts in
    place of the one the policy names. ``on_row`` is called, and awaited if it can be, with the
    ``RowEntry`` of every row as soon as the row is there. ``clock`` is real unless given.
    ``journal`` keeps every entry, and ``resume`` takes the entries of an earlier run, whose end
    this room goes on from; ``late_calls`` are what its seats still had to say.

    What a seat raises costs its turn. ``raise_from_seats`` lists exceptions that end the room
    instead and leave ``run``, for example ``AssertionError`` in a test; the turn then stays open in
    the journal, as after a crash. So does whatever is no ``Exception``, always.

    Raises ``RosterError`` or ``DeskError`` for seats, people or a desk that cannot be, and
    ``UsageError`` where a name in the policy or the opening is nobody's, or where the entries to
    resume are those of another room.
    """

    def __init__(
        self,
        seats: Seats,
        *,
        people: Mapping[str, str] | Iterable[Person] = (Person("user", "User"),),
        opening: str | tuple[str, str] | Opening | None = None,
        desk: str = "desk",
        name: str | None = None,
        policy: Policy | None = None,
        router: Router | None = None,
        on_row: OnRow | None = None,
        clock: Clock | None = None,
        journal: Journal | None = None,
        resume: Iterable[Entry] = (),
        late_calls: Iterable[LateCalls] = (),
        script: Script | None = None,
        scenario: str | None = None,
        raise_from_seats: tuple[type[Exception], ...] = (),
    ) -> None:
        acts = {(s if isinstance(s, Seat) else Seat(id=s)): act for s, act in seats.items()}
        known = _people(people)
        self.setup = Setup(
            desk_id=desk,
            desk_name=desk if name is None else name,
            seats=tuple(acts),
            people=known,
            policy=policy or Policy(),
            opening=_opening(opening, known),
            script=script,
        )
        check_setup(self.setup)
        if not acts:
            raise UsageError("a room needs a seat")
        check_acts(acts)
        self.engine = Engine(self.setup, scenario=scenario, own_router=router is not None)
        _resume(self.engine, resume)
        self._clock = clock or RealClock()
        self._acts: dict[Seat, object] = dict(acts)
        self._task: int | None = None
        self._done = False
        self._failure: RoomFailure | None = None
        self._log = RoomLog(desk)
        self._host = Host(
            self.engine,
            {seat.id: act for seat, act in acts.items()},
            self._clock,
            log=self._log,
            journal=journal,
            router=router,
            on_row=on_row,
            inbox_size=64 if script is None else max(64, script.most_late + 8),
            # Only simulated time can tell that nobody has anything left to say.
            settles=script is not None and isinstance(self._clock, SimulatedClock),
            ends_room=raise_from_seats,
        )
        self._late_calls = list(late_calls)
        for late in self._late_calls:
            if late.after_s is None:
                late.send_all(self._host.inbox)

    @property
    def header(self) -> HeaderEntry:
        """The first entry of this room's journal: what the room is made of."""
        return self.engine.header()

    async def run(self, *, grace_s: float | None = None) -> RoomResult:
        """Play the room until it closes, and return what came of it. A room runs once.

        A seat that raises or hangs costs its own turn. A router, a callback or a journal that
        fails closes the room: the result says ``failed`` and holds the error, whose cause is what
        was raised. Once the room is over, seats that are still at work are cancelled; one that
        does not end is named in a warning after 5 seconds, with what it waits in. With ``grace_s``
        it is waited for so many seconds and then left behind: it goes on by itself, and reaches
        nobody any more.

        A room that resumes one that closed ``quiet`` opens again if a person speaks before it runs,
        or is ``attended``.

        Raises ``UsageError`` when it is called again, and what a seat raised to end the room (see
        ``raise_from_seats``), or because it could not be opened.
        """
        if self._task is not None:
            raise UsageError("a room runs once; make a new one to run it again")
        self._task = anyio.get_current_task().id
        fault: Exception | None = None
        with one_error():
            async with seat_tasks(grace_s) as tasks:
                delayed = [late for late in self._late_calls if late.after_s is not None]
                for late in delayed:
                    await tasks.start(late.run, self._host.inbox, self._clock)
                try:
                    await self._play(tasks)
                except RoomFailure as error:
                    self._failure = error
                except Exception as error:  # noqa: BLE001 - raised again, outside the task group
                    fault = error
                finally:
                    self._done = True
                    if self._host.leaves_work:
                        # A group that is left behind takes no more tasks once a seat has ended it.
                        with suppress(RuntimeError):
                            tasks.start_soon(self._host.watch_seats, grace_s)
                # Seats that only wait for a turn have been told that there is none, and end.
                if self._host.leaves_work or delayed:
                    tasks.cancel_scope.cancel()
        if fault is not None:
            raise fault
        if self._failure is not None:
            # A file that cannot be written says all in its sentence; other code needs a traceback.
            if not isinstance(self._failure, FileError) and not isinstance(
                self._failure.__cause__, OSError
            ):
                self._log.error("room.failed", self._failure)
            self.engine.apply(CloseEntry(CloseReason.FAILED))
        return RoomResult.of(self.engine, self._failure, self._host.exceptions)

    async def _play(self, tasks: TaskGroup) -> None:
        """Play the room, with the seats that have a life around their turns opened."""
        async with AsyncExitStack() as seats:
            for seat, act in self._acts.items():
                if isinstance(act, Attending):
                    changes = self._host.watch()
                    attendance = Attendance(seat, self.engine, changes, self._log.warning)
                    await seats.enter_async_context(act.attend(attendance))
            await self._host.run(tasks)

    @contextmanager
    def attended(self, person: str, *, timeout_s: float = math.inf) -> Iterator[None]:
        """Say that a person attends the room, for as long as the context lasts.

        Where the room would close ``quiet`` it then waits for words of theirs instead, at most
        ``timeout_s`` seconds. Raises ``UsageError`` for a stranger.
        """
        self._check_person(person)
        with self._host.attended(timeout_s):
            yield

    def _check_person(self, person: str) -> None:
        ids = [known.id for known in self.setup.people]
        if person not in ids:
            raise UsageError(f"{person!r} is not a person of this room{hint(person, ids)}")

    async def say(self, person: str, text: str) -> Row:
        """Speak into the room as a person, and return the row once it is there.

        The row is appended at once, even while a turn is open; what that turn hands on is then
        dropped, and the turn goes to the seat that the person names, or to the lead. Said before
        ``run``, it waits for the room to open. Raises ``RoomClosed`` when the room closes first,
        with what failed as its cause if the room failed, and ``UsageError`` for a stranger or a
        blank text.
        """
        self._check_person(person)
        check_text(text)
        if self._done:
            raise self._closed("the room has closed; nothing can be said any more")
        if self._task == anyio.get_current_task().id:
            raise UsageError(
                "say would wait for the very room that is waiting here; start it as a task instead"
            )
        spoken = Spoken(person, text)
        try:
            await self._host.inbox.send(spoken)
        except anyio.ClosedResourceError:
            raise self._closed("the room has closed; nothing can be said any more") from None
        await spoken.done.wait()
        if spoken.row is None:
            raise self._closed("the room closed before this was said")
        return spoken.row

    def _closed(self, problem: str) -> RoomClosed:
        error = RoomClosed(problem)
        error.__cause__ = self._failure
        return error

    def stop(self) -> None:
        """Close the room now: an open turn becomes no row, and what is written stays written.

        A router or a callback that the room waits for is cancelled.
        """
        if not self._done:
            self._host.stop()


def _resume(engine: Engine, entries: Iterable[Entry]) -> None:
    """Fold the entries of an earlier run. A stop ends nothing: the room goes on from there."""
    for entry in entries:
        if isinstance(entry, HeaderEntry):
            differs = difference(entry.setup, engine.setup)
            if differs is not None:
                raise UsageError(f"these entries are of another room: {differs}")
        if entry != CloseEntry(CloseReason.STOPPED):
            engine.apply(entry)


def _people(people: Mapping[str, str] | Iterable[Person]) -> tuple[Person, ...]:
    if isinstance(people, Mapping):
        return tuple(Person(id_, label) for id_, label in people.items())
    return tuple(people)


def _opening(
    opening: str | tuple[str, str] | Opening | None, people: tuple[Person, ...]
) -> Opening | None:
    if opening is None or isinstance(opening, Opening):
        return opening
    if isinstance(opening, str):
        if not people:
            raise UsageError("an opening is a person's words, and this room has no people")
        return Opening(people[0].id, opening)
    return Opening(*opening)
