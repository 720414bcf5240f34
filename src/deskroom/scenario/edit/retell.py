"""From the entries of a run to the script that would give them again.

A journal says what each turn did and not what its seat had in mind: the text of a turn that
spoke, the scores of a broadcast and the times of day are not in it. So the script says as much as
it takes to get the same rows and decisions. What no script can say is left out and named.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from attrs import define, evolve, field, frozen

from deskroom.engine.entries import (
    CallEntry,
    CloseEntry,
    CloseReason,
    EndEntry,
    Entry,
    HeaderEntry,
    Outcome,
    RoutedEntry,
    RowEntry,
    TurnEntry,
)
from deskroom.engine.script import order_of
from deskroom.engine.setup import Setup
from deskroom.engine.state import RoomState, TurnRecord
from deskroom.scenario.edit.expressible import plain_text, written_call
from deskroom.scenario.format.model import Call, DeskSpec, Opening, Scenario, Turn
from deskroom.scenario.format.words import Order

__all__ = ["Told", "retell"]

#: A script that has to be cut short ends in a turn that is never played.
NOT_REACHED: Final = "Never played: max_turns closes the room before it."

_BEST_SCORES: Final = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3)


@define
class Part:
    """One turn of the script: of a seat, or a person's words.

    ``words`` are the replies to the calls that are listed, late ones last. ``listed`` is False for
    a retry that its script had nothing for, since it happens again without being listed.
    """

    seat: str | None = None
    person: str | None = None
    say: str | None = None
    listed: bool = True
    record: TurnRecord | None = field(default=None, eq=False)
    calls: list[Call] = field(factory=list)
    late: list[Call] = field(factory=list)
    words: list[str] = field(factory=list)
    late_words: list[str] = field(factory=list)
    outcome: Outcome | None = None
    text: str | None = None
    takes: float = 0
    crash: str | None = None
    wrote: tuple[str, ...] = ()
    scores: dict[str, float] = field(factory=dict)
    remarks: list[str] = field(factory=list, eq=False)

    def turn(self) -> Turn:
        """Return it as the file lists it."""
        say, calls = self.say, tuple(self.calls)
        if say is None and len(calls) == 1 and _is_say(calls[0]):
            say, calls = calls[0].arguments["message"], ()
        return Turn(
            seat=self.seat,
            person=self.person,
            say=say,
            calls=calls,
            text=self.text,
            takes=self.takes,
            crash=self.crash,
            late=tuple(self.late),
            wrote=self.wrote,
            scores=self.scores,
        )


@frozen(kw_only=True)
class Told:
    """What a journal tells: the script, the state that its entries fold into, and what is lost.

    ``parts`` are the turns in order; ``remarks`` is what the scenario cannot say. ``closed`` is None
    for a run that did not close by a rule: it was stopped, it failed, or its process died.
    """

    setup: Setup
    order: Order
    parts: tuple[Part, ...]
    rows: tuple[RowEntry, ...]
    closed: CloseReason | None
    state: RoomState
    remarks: tuple[str, ...]
    #: Why the rows may come in another order: what a person said while a turn was open.
    spoken_over: tuple[str, ...] = ()

    @property
    def listed(self) -> tuple[Part, ...]:
        """The parts that the file lists."""
        return tuple(part for part in self.parts if part.listed)

    def scenario(self) -> Scenario:
        """Return the scenario, without expectations."""
        setup = self.setup
        opening = setup.opening
        turns = [part.turn() for part in self.listed]
        if setup.policy.broadcast.router != "scripted":
            turns = [evolve(turn, scores={}) for turn in turns]
        never = self.never_played()
        return Scenario(
            title=f"A recorded run of {setup.desk_name}",
            order=self.order,
            desk=DeskSpec(
                id=setup.desk_id, name=setup.desk_name, seats=setup.seats, people=setup.people
            ),
            policy=setup.policy,
            opening=None if opening is None else Opening(by=opening.by, message=opening.message),
            turns=tuple(turns if never is None else [*turns, Turn(seat=never)]),
        )

    def never_played(self) -> str | None:
        """Return the seat that needs one listed turn more, so that ``max_turns`` is what closes."""
        if self.closed != "max_turns":
            return None
        if self.order == "listed":
            # Another seat than the last, whose retry would play it.
            last = self.state.turns[-1].seat
            others = [seat.id for seat in self.setup.seats if seat.id != last]
            return others[0] if others else last
        head = self.state.pending or (self.state.queue[0] if self.state.queue else None)
        return None if head is None else head.seat


def retell(entries: Iterable[Entry]) -> Told:
    """Return what the entries of a journal tell. They must be a journal's, in order."""
    entries = list(entries)
    header = entries[0]
    assert isinstance(header, HeaderEntry)  # noqa: S101 - reading a journal has made sure
    teller = _Teller(header)
    for entry in entries:
        teller.take(entry)
    return teller.told()


class _Teller:
    """Folds entries into parts."""

    def __init__(self, header: HeaderEntry) -> None:
        self._header = header
        self._state = RoomState(header.setup)
        self._parts: list[Part] = []
        self._of_turn: dict[tuple[int, int, str], Part] = {}
        self._remarks: list[str] = []
        self._spoken_over: list[str] = []
        self._closed: CloseReason | None = None

    def take(self, entry: Entry) -> None:
        """Take the next entry."""
        self._closed = None
        match entry:
            case TurnEntry():
                self._turn(entry)
                return
            case CallEntry():
                self._call(entry)
            case EndEntry():
                self._end(entry)
            case RowEntry():
                self._row(entry)
            case RoutedEntry():
                self._routed(entry)
            case CloseEntry():
                self._closed = entry.reason
            case HeaderEntry():
                pass
        self._state.apply(entry)

    def told(self) -> Told:
        """Return what all of it amounts to."""
        open_ = self._state.open
        if open_ is not None:
            self._drop(self._part(open_))
            self._remarks.append(
                f"Turn {open_.number} ({open_.seat}) had not ended, so it is left out."
            )
        if self._state.unrouted is not None:
            self._remarks.append(
                f"Row {self._state.unrouted.row.sequence}, a broadcast, had gone to nobody yet when "
                "the recorded room ended; here it is routed."
            )
        if self._closed in {"stopped", "failed"} or self._closed is None:
            self._remarks.insert(0, self._how_it_ended())
            self._closed = None
        header = self._header
        return Told(
            setup=header.setup,
            order=order_of(header.setup.script) or "routed",
            parts=tuple(self._parts),
            rows=tuple(self._state.entries),
            closed=self._closed,
            state=self._state,
            remarks=tuple(self._remarks),
            spoken_over=tuple(self._spoken_over),
        )

    def _how_it_ended(self) -> str:
        how = {None: "did not close", "stopped": "was stopped", "failed": "failed"}[self._closed]
        return f"The recorded room {how}; this one closes by its rules."

    # Turns

    def _turn(self, entry: TurnEntry) -> None:
        open_ = self._state.open
        if open_ is not None:
            # A crash cut this grant short; the one that follows is the one that counts.
            self._drop(self._part(open_))
        self._state.apply(entry)
        from_script = self._header.setup.script is not None
        part = Part(
            seat=entry.seat,
            listed=entry.cue is not None or not from_script,
            record=self._state.turns[-1],
        )
        self._parts.append(part)
        self._of_turn[entry.turn, entry.attempt, entry.seat] = part

    def _part(self, record: TurnRecord) -> Part:
        return self._of_turn[record.number, record.attempt, record.seat]

    def _drop(self, part: Part) -> None:
        self._parts = [other for other in self._parts if other is not part]

    def _call(self, entry: CallEntry) -> None:
        part = self._of_turn.get((entry.turn, entry.attempt, entry.seat))
        if part is None:
            self._remarks.append(
                f"A call of {entry.seat} in turn {entry.turn}, which was not its own, is left out."
            )
            return
        if entry.source == "fence":
            part.text = _message(entry.arguments)
            return
        call, remark = written_call(entry.tool, entry.arguments)
        if remark is not None and (said := f"{remark} The reply is the same.") not in part.remarks:
            part.remarks.append(said)
        if not entry.late:
            part.calls.append(call)
            part.words.append(entry.reply)
        elif part.outcome == "timed_out":
            # A seat that sleeps through its turn makes all of its calls too late.
            part.calls.append(call)
            part.words.append(entry.reply)
        else:
            part.late.append(call)
            part.late_words.append(entry.reply)

    def _end(self, entry: EndEntry) -> None:
        part = self._of_turn[entry.turn, entry.attempt, entry.seat]
        part.outcome = entry.outcome
        part.wrote = entry.wrote
        if entry.text:
            part.text = plain_text(entry.text)
            if part.text != entry.text:
                part.remarks.append("The text held what no file can hold; it is escaped here.")
        if entry.outcome == "failed":
            part.crash = plain_text(
                "failed" if entry.error is None else entry.error.text or entry.error.type
            )
        if entry.outcome == "timed_out":
            timeout = self._header.setup.policy.turn_timeout_s
            part.takes = timeout + 1
            if part.calls:
                count = "1 call" if len(part.calls) == 1 else f"{len(part.calls)} calls"
                part.remarks.append(
                    f"Before its time was over the seat had made {count}. They came to nothing and "
                    "are left out: a script can only wait before its calls."
                )
                part.calls.clear()
                part.words.clear()

    # Rows

    def _row(self, entry: RowEntry) -> None:
        if entry.kind == "seat":
            part = self._part(self._state.turns[-1])
            part.outcome = "spoke"
            part.wrote = entry.wrote
        elif entry.kind == "person":
            self._person(entry)

    def _person(self, entry: RowEntry) -> None:
        person = entry.row.author.id or ""
        over = self._state.open or self._state.retry
        if over is not None:
            self._spoken_over.append(
                f"{person} said row {entry.row.sequence} while turn {over.number} ({over.seat}) "
                "was open, and in a scenario a person speaks between turns"
            )
        self._parts.append(Part(person=person, say=entry.row.content))

    def _routed(self, entry: RoutedEntry) -> None:
        part = self._part(self._state.turns[-1])
        count = len(entry.recipients)
        scores = _BEST_SCORES if count <= len(_BEST_SCORES) else range(count, 0, -1)
        part.scores = dict(zip(entry.recipients, scores, strict=False))


def _is_say(call: Call) -> bool:
    return (
        call.tool == "desk_post"
        and call.arguments.keys() == {"message"}
        and isinstance(call.arguments["message"], str)
    )


def _message(arguments: Any) -> str:  # noqa: ANN401 - arguments of any shape
    message = arguments.get("message") if isinstance(arguments, Mapping) else None
    return plain_text(message) if isinstance(message, str) else ""
