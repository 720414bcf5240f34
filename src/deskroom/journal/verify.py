"""Checking a journal against the rules: each entry is what an engine gives for what happened.

What happened is read off the entry itself: a call that was made, a turn that ended, a message that
a person said. The engine then says which entry follows, and that is held against the one that
stands there. Nothing is decided here. Three things are taken as they are written: what seats and
people said, the scores of a router that is not the policy's own, and when a room was stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, ClassVar, Final, TypeVar

from attrs import evolve, frozen

from deskroom.core.reasons import AsideReason, CallFault, CloseReason, Outcome, RowKind
from deskroom.engine.calls import Refusal
from deskroom.engine.due import Await
from deskroom.engine.engine import Engine
from deskroom.engine.entries import (
    CallEntry,
    CloseEntry,
    EndEntry,
    Entry,
    ExcessEntry,
    HeaderEntry,
    RoutedEntry,
    RowEntry,
    TurnEntry,
    UsageEntry,
)
from deskroom.engine.kept import is_cut, is_cut_text
from deskroom.engine.messages import Call, TurnEnd
from deskroom.engine.setup import check_setup, check_text
from deskroom.errors import DeskroomError, UsageError
from deskroom.journal.differences import describe, difference
from deskroom.journal.reader import JournalError, Line, read_journal

__all__ = ["Differs", "Verified", "Verifier", "checked_lines", "verify", "verify_entries"]

_STOP: Final = CloseEntry(CloseReason.STOPPED)

E = TypeVar("E", bound=Entry)


class Differs(JournalError):
    """A line is not what the rules give.

    ``fact`` is the first field of its entry that differs; ``entry`` where none like it can come.
    """

    def __init__(self, path: str, number: int, fact: str, problem: str) -> None:
        super().__init__(path, f"line {number} differs: {problem}", line=number)
        self.fact = fact


@frozen
class Verified:
    """What a sound journal holds. ``closed`` is None for one that can be resumed."""

    lines: int
    rows: int
    turns: int
    closed: CloseReason | None


def verify(path: str | Path, *, file: IO[bytes] | None = None) -> Verified:
    """Check every line of a journal; ``file`` is the journal where it is open already.

    Raises ``JournalError`` with the first line that is wrong, and how.
    """
    return verify_entries((line.entry for line in read_journal(path, file=file)), path)


def verify_entries(entries: Iterable[Entry], path: str | Path) -> Verified:
    """Check entries that were read from a journal, the header first; ``path`` is for errors.

    Raises ``JournalError`` as ``verify`` does, and ``UsageError`` where there is no header.
    """
    verifier = Verifier(path)
    number = 0
    for number, entry in enumerate(entries, start=1):
        verifier.take(number, entry)
    state = verifier.engine.state
    return Verified(number, len(state.rows), state.granted, verifier.closed)


def checked_lines(lines: Iterable[Line], path: str | Path) -> Iterator[Line]:
    """Yield the lines of a journal as long as they are what the rules give.

    Raises ``JournalError`` at the first that is not.
    """
    verifier = Verifier(path)
    for line in lines:
        verifier.take(line.number, line.entry)
        yield line


class Verifier:
    """The entries that were checked so far, and what the rules say of the next one."""

    def __init__(self, path: str | Path) -> None:
        self._path = str(path)
        self._stopped = False
        self._engine: Engine | None = None
        #: The message that was read out of the open turn's text, and not yet its end.
        self._read_from_text: CallEntry | None = None
        #: The grant whose usage stands there already.
        self._used: tuple[int, int] | None = None

    @property
    def engine(self) -> Engine:
        """The room as the entries so far make it. Raises ``UsageError`` before the header."""
        if self._engine is None:
            raise UsageError("there is no header, and so nothing to check the entries against")
        return self._engine

    def take(self, number: int, entry: Entry) -> None:
        """Check the entry of one line and fold it in.

        Raises ``Differs`` when it is not what the rules give, and ``UsageError`` when the first is
        no header.
        """
        if self._engine is None and isinstance(entry, HeaderEntry):
            problem = self._begin(entry)
            if problem is not None:
                raise Differs(self._path, number, "setup", problem)
            return
        expected = self._expected(entry)
        if isinstance(expected, str):
            raise Differs(self._path, number, "entry", expected)
        if entry != expected:
            raise Differs(self._path, number, *difference(entry, expected))
        # A stop ends nothing: what comes next is checked as if it had not been.
        self._stopped = expected == _STOP
        if not self._stopped:
            self.engine.apply(expected)

    @property
    def closed(self) -> CloseReason | None:
        """Why the room closed, if the entries so far end there."""
        return CloseReason.STOPPED if self._stopped else self.engine.state.closed

    def _begin(self, header: HeaderEntry) -> str | None:
        try:
            check_setup(header.setup)
        except DeskroomError as error:
            return f"no room can be made of it: {error}"
        setup = header.setup
        if setup.script is not None:
            # A list of its own: what people say at their cues is filled in as it is read.
            setup = evolve(setup, script=evolve(setup.script, cues=list(setup.script.cues)))
        self._engine = Engine(setup, scenario=header.scenario, own_router=header.own_router)
        self._engine.apply(header)
        return None

    def _expected(self, entry: Entry) -> Entry | str:
        """Return the entry that the rules give here, or why they give none of this kind."""
        closed = self.engine.state.closed
        if closed is not None and not _opens_again(closed, entry):
            return f"the room closed before it ({closed})"
        return self._OF_KIND[type(entry)](self, entry)

    def _header(self, entry: HeaderEntry) -> str:  # noqa: ARG002 - there is only one anyway
        return "a journal has one header"

    def _turn(self, entry: TurnEntry) -> Entry | str:
        # Where a crash came between the message in a text and its row, the turn is granted again.
        self._read_from_text = None
        return self._due(entry, f"{entry.seat} is granted a turn")

    def _due(self, entry: E, what: str) -> E | str:
        """Return what is due, if it is an entry of this kind."""
        due = self.engine.due()
        return due if isinstance(due, type(entry)) else f"{what}, but {describe(due)}"

    # Turns

    def _call(self, entry: CallEntry) -> CallEntry | str:
        if entry.seat not in self.engine.setup.by_id:
            return f"{entry.seat!r} is not a seat of this room"
        if entry.source == "fence":
            return self._call_from_text(entry)
        if self.engine.state.open is None and not self.engine.may_be_interrupted:
            return f"{entry.seat} makes a call, but {describe(self.engine.due())}"
        call = Call(entry.turn, entry.attempt, entry.seat, 0, entry.tool, entry.arguments)
        expected = self.engine.judge_call(call)
        if expected is None:
            return f"a call of turn {entry.turn} is kept that is only counted"
        if entry.late != expected.late:
            state = "is not open" if expected.late else "is open, and the call counts as late"
            return f"{entry.seat} makes a call, but turn {entry.turn} {state}"
        if is_cut(entry.arguments) and expected.reply == CallFault.BAD_ARGUMENTS:
            # Why it was refused cannot be seen in what is left of it.
            return _refused_as(expected, entry.reply) if entry.reply in _CUT else expected
        return expected

    def _excess(self, entry: ExcessEntry) -> Entry | str:
        record = self.engine.state.open
        call = Call(entry.turn, entry.attempt, entry.seat, 0, None, None)
        if record is None or record.excess or entry.calls < 1 or not self.engine.is_excess(call):
            return f"calls of turn {entry.turn} are counted, but no call of it was one too many"
        return self.engine.excess(entry.calls)[0]

    def _usage(self, entry: UsageEntry) -> Entry | str:
        record = self.engine.state.open
        turn = (entry.turn, entry.attempt, entry.seat)
        if record is None or (record.number, record.attempt, record.seat) != turn:
            return (
                f"turn {entry.turn} of {entry.seat} is said to have used a model, but is not open"
            )
        if self._used == turn[:2]:
            return f"there is a second line about what turn {entry.turn} used"
        if entry.seconds < 0:
            return f"turn {entry.turn} used a model for less than 0 seconds"
        self._used = turn[:2]
        return entry

    def _call_from_text(self, entry: CallEntry) -> CallEntry | str:
        """A message that was read out of a text reads the same out of itself."""
        message = entry.arguments.get("message") if isinstance(entry.arguments, dict) else None
        text = message if isinstance(message, str) else ""
        if is_cut(entry.arguments):
            text = "x"  # what is left of the message cannot be read out of anything
        entries = self.engine.end(TurnEnd(entry.turn, entry.attempt, entry.seat, text))
        read = entries[0] if len(entries) > 1 else None
        if self._read_from_text is not None or not isinstance(read, CallEntry):
            return "no message can be read out of a text here"
        if is_cut(entry.arguments):
            read = _refused_as(read, CallFault.MESSAGE_TOO_LARGE)
            read = evolve(read, arguments=entry.arguments)
        self._read_from_text = read
        return read

    def _end(self, entry: EndEntry) -> Entry | str:
        record = self.engine.state.open
        turn = (entry.turn, entry.attempt, entry.seat)
        if record is None or (record.number, record.attempt, record.seat) != turn:
            return f"turn {entry.turn} of {entry.seat} ends, but it is not open"
        if entry.outcome == Outcome.TIMED_OUT and self._read_from_text is None:
            return self.engine.expire()
        ended = self._ended(TurnEnd(*turn, entry.text, entry.wrote, entry.error))
        if isinstance(ended, RowEntry):
            return f"turn {entry.turn} ends without a row, but its message was accepted"
        return ended

    def _ended(self, end: TurnEnd) -> Entry | str:
        before, self._read_from_text = self._read_from_text, None
        if before is not None and is_cut_text(end.text):
            # The message may stand in what was cut off, so it is taken as it was read.
            ended = self.engine.end(end._replace(text=""))[-1]
            assert isinstance(ended, EndEntry | RowEntry)  # noqa: S101 - one of them ends a turn
            return evolve(ended, text=end.text)
        *read, ended = self.engine.end(end)
        if read != ([] if before is None else [before]):
            return "the message read out of the text is not the one in the text"
        return ended

    # Rows

    def _row(self, entry: RowEntry) -> Entry | str:
        match entry.kind:
            case RowKind.SEAT:
                return self._seat_row(entry)
            case RowKind.PERSON if entry.cue is None:
                return self._person_row(entry)
            case RowKind.PERSON:
                return self._cued_row(entry)
            case RowKind.OPENING | RowKind.NUDGE | RowKind.WROTE:
                return self._due_row(entry)

    def _seat_row(self, entry: RowEntry) -> Entry | str:
        record = self.engine.state.open
        if record is None:
            return "a seat speaks, but no turn is open"
        turn = (record.number, record.attempt, record.seat)
        ended = self._ended(TurnEnd(*turn, entry.text, entry.wrote))
        if isinstance(ended, EndEntry):
            return f"turn {record.number} has a row, but no message of it was accepted"
        return ended

    def _person_row(self, entry: RowEntry) -> Entry | str:
        person = entry.row.author.id or ""
        if person not in [known.id for known in self.engine.setup.people]:
            return f"{person!r} is not a person of this room"
        if not self.engine.may_be_interrupted:
            return f"a person speaks, but {describe(self.engine.due())}"
        return _unsayable(entry) or self.engine.say(person, entry.row.content)

    def _cued_row(self, entry: RowEntry) -> Entry | str:
        script = self.engine.setup.script
        cues: Any = () if script is None else script.cues
        if entry.cue is None or not 0 <= entry.cue < len(cues):
            return f"there is no cue {entry.cue} in the script"
        cues[entry.cue] = evolve(cues[entry.cue], message=entry.row.content)
        return _unsayable(entry) or self._due_row(entry)

    def _due_row(self, entry: RowEntry) -> Entry | str:
        due = self._due(entry, f"there is a row of kind {entry.kind}")
        if isinstance(due, RowEntry) and due.kind != entry.kind:
            return f"there is a row of kind {entry.kind}, but {describe(due)}"
        return due

    def _routed(self, entry: RoutedEntry) -> Entry | str:
        engine, due = self.engine, self.engine.due()
        if isinstance(due, RoutedEntry):
            return due
        if due is not Await.SCORES:
            return f"row {entry.sequence} is routed, but {describe(due)}"
        policy = engine.setup.policy.broadcast
        if policy.router == "lexical" and not engine.own_router:
            return engine.route(engine.policy_scores())
        return engine.route(dict(entry.scores))

    def _close(self, entry: CloseEntry) -> Entry | str:
        if entry.reason == CloseReason.STOPPED:
            return entry
        return self._due(entry, f"the room closes ({entry.reason})")

    #: How the entry that should stand in the place of another is found.
    _OF_KIND: ClassVar[Mapping[type[Entry], Callable[[Verifier, Any], Entry | str]]] = {
        HeaderEntry: _header,
        TurnEntry: _turn,
        CallEntry: _call,
        ExcessEntry: _excess,
        UsageEntry: _usage,
        EndEntry: _end,
        RowEntry: _row,
        RoutedEntry: _routed,
        CloseEntry: _close,
    }


def _opens_again(closed: CloseReason, entry: Entry) -> bool:
    """Whether an entry may follow a close: a room that closed quiet is opened by a person's words."""
    return (
        closed is CloseReason.QUIET
        and isinstance(entry, RowEntry)
        and entry.kind == RowKind.PERSON
        and entry.cue is None
    )


def _unsayable(entry: RowEntry) -> str | None:
    """Return why no person can say what stands in a row, or None."""
    try:
        check_text(entry.row.content)
    except UsageError as error:
        return str(error)
    return None


#: Why a call can be refused that has arguments of the right shape, so many of them that they are cut.
_CUT: Final = frozenset(
    {
        CallFault.MESSAGE_TOO_LARGE,
        CallFault.EMPTY_MESSAGE,
        CallFault.NO_RECIPIENTS,
        CallFault.UNKNOWN_RECIPIENT,
        CallFault.SELF_RECIPIENT,
        *AsideReason,
    }
)


def _refused_as(call: CallEntry, reason: str) -> CallEntry:
    return evolve(call, reply=reason, verdict=Refusal(reason))
