"""A room, as a user of the Python API sees it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Self

import anyio
from attrs import field, frozen

from deskroom.core.audience import Viewer
from deskroom.core.dispatch import Decision
from deskroom.core.roster import Person, validate_desks, validate_roster
from deskroom.core.text import is_blank
from deskroom.core.transcript import Row, SeenRow, project
from deskroom.engine.entries import (
    CloseEntry,
    CloseReason,
    Entry,
    HeaderEntry,
    Journal,
    RowEntry,
)
from deskroom.engine.policy import Policy
from deskroom.engine.script import Script, order_of
from deskroom.engine.setup import Opening, Setup, difference
from deskroom.engine.state import RoomState, TurnRecord
from deskroom.errors import RoomClosed, RoomFailure, UsageError, hint
from deskroom.room.clock import Clock, RealClock, SimulatedClock
from deskroom.room.host import Host, OnRow
from deskroom.room.log import room_logger
from deskroom.room.messages import Word
from deskroom.room.router import Router
from deskroom.room.seat import Act, Seat
from deskroom.room.straggler import Straggler

__all__ = ["Room", "RoomResult"]


@frozen(kw_only=True)
class RoomResult:
    """What came of a run.

    ``rows`` and ``decisions`` go side by side; ``entries`` holds both with what triggered them.
    ``turns`` has a record for each grant, in order, with its outcome and what the seat raised.
    ``closed`` says why the room closed, and ``error`` what failed when that is ``failed``.
    ``setup`` is what the room was made of, and so what it decided by; ``state`` is the fold of it all.
    """

    closed: CloseReason
    rows: tuple[Row, ...] = field(repr=False)
    decisions: tuple[Decision, ...] = field(repr=False)
    entries: tuple[RowEntry, ...] = field(repr=False)
    turns: tuple[TurnRecord, ...] = field(repr=False)
    granted: int
    nudges: int
    routed: Mapping[int, tuple[str, ...]] = field(repr=False)
    unplayed: tuple[int, ...] = field(default=(), repr=False)
    error: RoomFailure | None = None
    setup: Setup = field(repr=False, eq=False)
    state: RoomState = field(repr=False, eq=False)

    @classmethod
    def of(cls, state: RoomState, error: RoomFailure | None) -> Self:
        """Return what a closed room's state amounts to."""
        return cls(
            closed=state.closed or "failed",
            rows=tuple(state.rows),
            decisions=tuple(entry.decision for entry in state.entries),
            entries=tuple(state.entries),
            turns=tuple(state.turns),
            granted=state.granted,
            nudges=state.nudges,
            routed={sequence: entry.recipients for sequence, entry in state.routed.items()},
            unplayed=tuple(state.script.unplayed()) if state.script is not None else (),
            error=error,
            setup=state.setup,
            state=state,
        )

    @property
    def failures(self) -> dict[int, Exception]:
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
    place of the one the policy names. ``on_row`` is called, and awaited if it can be, with every
    row as soon as it is there. ``clock`` is real unless given. ``journal`` keeps every entry, and
    ``resume`` takes the entries of an earlier run, whose end this room goes on from.

    Raises ``RosterError`` or ``DeskError`` for seats, people or a desk that cannot be, and
    ``UsageError`` where a name in the policy or the opening is nobody's, or where the entries to
    resume are those of another room.
    """

    def __init__(
        self,
        seats: Mapping[str, Act] | Mapping[Seat, Act],
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
        script: Script | None = None,
        scenario: str | None = None,
    ) -> None:
        acts = {(s if isinstance(s, Seat) else Seat(id=s)): act for s, act in seats.items()}
        known = _people(people)
        setup = Setup(
            desk_id=desk,
            desk_name=desk if name is None else name,
            seats=tuple(acts),
            people=known,
            policy=policy or Policy(),
            opening=_opening(opening, known),
            script=script,
        )
        _check(setup)
        self.setup = setup
        self.state = _restored(setup, resume)
        self._clock = clock or RealClock()
        self._task: int | None = None
        self._done = False
        self._stragglers: list[Straggler] = []
        self._host = Host(
            self.state,
            {seat.id: act for seat, act in acts.items()},
            self._clock,
            log=room_logger(desk),
            journal=journal,
            router=router,
            on_row=on_row,
            inbox_size=64 if script is None else max(64, script.most_late + 8),
            # Only simulated time can tell that nobody has anything left to say.
            settle=script is not None and isinstance(self._clock, SimulatedClock),
            scenario=scenario,
        )

    @property
    def header(self) -> HeaderEntry:
        """The first entry of this room's journal: what the room is made of."""
        return self._host.header()

    async def run(self) -> RoomResult:
        """Play the room until it closes, and return what came of it. A room runs once.

        A seat that raises or hangs costs its own turn. A router, a callback or a journal that
        fails closes the room: the result says ``failed`` and holds the error.
        """
        if self._task is not None:
            raise UsageError("a room runs once; make a new one to run it again")
        self._task = anyio.get_current_task().id
        failure: RoomFailure | None = None
        fault: Exception | None = None
        async with anyio.create_task_group() as tasks:
            for straggler in self._stragglers:
                await tasks.start(straggler.run, self._host.inbox, self._clock)
            try:
                await self._host.run(tasks)
            except RoomFailure as error:
                failure = error
            except Exception as error:  # noqa: BLE001 - raised again, outside the task group
                fault = error
            finally:
                self._done = True
            # Seats that only wait for a turn have been told that there is none, and end.
            if self._host.leaves_work or self._stragglers:
                tasks.cancel_scope.cancel()
        if fault is not None:
            raise fault
        if failure is not None:
            self.state.apply(CloseEntry("failed"))
        return RoomResult.of(self.state, failure)

    async def say(self, person: str, text: str) -> Row:
        """Speak into the room as a person, and return the row once it is there.

        The row is appended at once, even while a turn is open; what that turn hands on is then
        dropped, and the turn goes to the seat that the person names, or to the lead. Said before
        ``run``, it waits for the room to open. Raises ``RoomClosed`` when the room closes first,
        and ``UsageError`` for a stranger or a blank text.
        """
        ids = [known.id for known in self.setup.people]
        if person not in ids:
            raise UsageError(f"{person!r} is no person of this room{hint(person, ids)}")
        _check_text(text)
        if self._done:
            raise RoomClosed("the room has closed; nothing can be said any more")
        if self._task == anyio.get_current_task().id:
            raise UsageError(
                "say would wait for the very room that is waiting here; start it as a task instead"
            )
        word = Word(person, text)
        try:
            await self._host.inbox.put(word)
        except anyio.ClosedResourceError:
            raise RoomClosed("the room has closed; nothing can be said any more") from None
        await word.done.wait()
        if word.row is None:
            raise RoomClosed("the room closed before this was said")
        return word.row

    def straggle(
        self,
        record: TurnRecord,
        calls: Iterable[tuple[object, object]],
        *,
        after_s: float | None = None,
    ) -> None:
        """Send calls (tool, arguments) that a seat still had to send after a turn that has ended.

        This is for a resumed script: the process that was to send them has died. They are there
        when the room opens, or come that many seconds of the room's clock later, as from a seat
        that let its deadline pass.
        """
        straggler = Straggler(record, tuple(calls))
        if after_s is None:
            straggler.put_all(self._host.inbox)
        else:
            straggler.after_s = after_s
            self._stragglers.append(straggler)

    def stop(self) -> None:
        """Close the room now: an open turn becomes no row, and what is written stays written.

        A router or a callback that the room waits for is cancelled.
        """
        if not self._done:
            self._host.stop()


def _restored(setup: Setup, entries: Iterable[Entry]) -> RoomState:
    """Fold the entries of an earlier run; a room that was stopped is open again."""
    state = RoomState(setup)
    for entry in entries:
        if isinstance(entry, HeaderEntry):
            differs = difference(entry.setup, setup) or _order_difference(entry, setup.script)
            if differs is not None:
                raise UsageError(f"these entries are of another room: {differs}")
        state.apply(entry)
    if state.closed == "stopped":
        state.closed = None
    return state


def _order_difference(there: HeaderEntry, script: Script | None) -> str | None:
    """Return how the orders of two rooms' scripts differ, or that only one room has a script."""
    here, before = order_of(script), order_of(there.setup.script)
    if before == here:
        return None
    if here is None:
        return "it was played from a script, and this room has none"
    if before is None:
        return "it had no script, and this room plays one"
    return f"order is {before!r} there and {here!r} here"


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


def _check(setup: Setup) -> None:
    """Refuse what no room could run on; each name that is nobody's gets the nearest one."""
    validate_roster(setup.directory.roster)
    validate_desks(setup.directory.desks)
    people = [person.id for person in setup.people]
    if setup.opening is not None:
        _known("the opening's person", setup.opening.by, people)
        _check_text(setup.opening.message)
    if setup.policy.chair.by is not None:
        _known("the chair's person", setup.policy.chair.by, people)
    if setup.policy.chair.rounds and not people:
        raise UsageError("a chair that nudges speaks for a person, and this room has no people")
    for participant in setup.policy.participants or ():
        _known("the participant", participant, setup.active)


def _known(what: str, name: str, known: Iterable[str]) -> None:
    ids = list(known)
    if name not in ids:
        raise UsageError(f"{what} {name!r} is not in this room{hint(name, ids)}")


def _check_text(text: str) -> None:
    if is_blank(text):
        raise UsageError("a person's words must not be blank")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError("a person's words must be text that UTF-8 can hold") from None
