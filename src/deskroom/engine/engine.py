"""The host of one room as a value. It knows every rule of scenarios.md and does nothing itself.

A driver asks ``due`` what comes next, and hands in what happens: a call, the end of a turn, a
deadline that passed, a person's message, a router's scores, a stop. Each method returns the
entries that follow and changes nothing. The driver writes an entry to its journal, gives it to
``apply``, and only then acts on it: grants the turn, sends the reply, tells people. For example::

    engine = Engine(setup)
    engine.apply(engine.header())
    while not engine.is_closed:
        entry = engine.due()
        engine.apply(entry)
        if isinstance(entry, TurnEntry):
            grant = engine.grant()
            called, reply = engine.call(Call(grant.turn, 1, grant.seat.id, 1, served(POST), {...}))
            engine.apply(called)
            for ended in engine.end(TurnEnd(grant.turn, 1, grant.seat.id)):
                engine.apply(ended)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Self

from attrs import define, field

from deskroom.core.reasons import OK, CallFault, Outcome
from deskroom.core.text import is_blank
from deskroom.engine import rows
from deskroom.engine.calls import Accepted, Refusal, Verdict, judge, judge_post
from deskroom.engine.due import Due, next_due
from deskroom.engine.entries import (
    CallEntry,
    EndEntry,
    Entry,
    ExcessEntry,
    HeaderEntry,
    RoutedEntry,
    RowEntry,
)
from deskroom.engine.kept import MOST_LATE, kept, kept_error, kept_text
from deskroom.engine.machine import TurnEvent, advance
from deskroom.engine.messages import Call, History, Reply, TurnEnd, TurnGrant
from deskroom.engine.reading import history_bounds, last_seen
from deskroom.engine.routing import candidates, policy_scores, route
from deskroom.engine.sentences import SILENT_NOTE, accepted_text, read_text, refusal_text
from deskroom.engine.setup import Seat, Setup
from deskroom.engine.state import RoomState, TurnRecord, event_of
from deskroom.errors import UsageError
from deskroom.speech.fence import extract_post
from deskroom.speech.tools import POST, served

__all__ = ["Engine"]

_TURN_ENDED: Final = Refusal(CallFault.TURN_ENDED)
_NOT_YOUR_TURN: Final = Refusal(CallFault.NOT_YOUR_TURN)
_TOO_MANY_CALLS: Final = Refusal(CallFault.TOO_MANY_CALLS)


@define
class Engine:
    """One room's host. Two engines are equal when their states are.

    ``scenario`` is the digest of the script, for the header; ``own_router`` says that the room's
    user scores broadcasts, and not the router that the policy names.
    """

    setup: Setup = field(eq=False, repr=False)
    scenario: str | None = field(default=None, kw_only=True, eq=False)
    own_router: bool = field(default=False, kw_only=True, eq=False)
    state: RoomState = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.state = RoomState(self.setup)

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> Self:
        """Fold the entries of a journal, of which the first must be the header.

        Raises ``UsageError`` when it is not.
        """
        entries = iter(entries)
        header = next(entries, None)
        if not isinstance(header, HeaderEntry):
            raise UsageError("the first entry must be the header")
        engine = cls(header.setup, scenario=header.scenario, own_router=header.own_router)
        engine.apply(header)
        for entry in entries:
            engine.apply(entry)
        return engine

    def apply(self, entry: Entry) -> None:
        """Fold one entry in. Nothing else changes an engine."""
        self.state.apply(entry)

    # What comes next

    def header(self) -> HeaderEntry:
        """Return the first entry: what the room is made of."""
        return HeaderEntry(self.setup, self.scenario, self.own_router)

    def due(self, *, stopping: bool = False) -> Due:
        """Return the entry to write next, or what to wait for.

        With a turn open it is the grant that starts the turn anew: ask only while no seat is at
        work in it. A room that is ``stopping`` finishes what its last turn left and closes.
        """
        return next_due(self.state, stopping=stopping)

    @property
    def is_closed(self) -> bool:
        """Whether the room has closed."""
        return self.state.closed is not None

    @property
    def may_be_interrupted(self) -> bool:
        """Whether people and late calls may come now: after the opening, not before files' row."""
        opened = bool(self.state.rows) or self.setup.opening is None
        return opened and self.state.unreported_files is None

    # What happens

    def grant(self) -> TurnGrant:
        """Return what a seat is given with the turn that was granted last and is open."""
        state = self.state
        record = state.open
        assert record is not None  # noqa: S101 - a turn was granted
        viewer = state.speakers[record.seat].viewer
        start, stop = history_bounds(record.granted_at, record.since, self.setup.policy)
        trigger = state.rows[record.trigger - 1 : record.trigger] if record.trigger else []
        return TurnGrant(
            record.number,
            record.attempt,
            self.setup.by_id[record.seat],
            record.hop,
            record.cue,
            SILENT_NOTE if state.is_retry(record) else None,
            History(state.rows[start:stop], viewer),
            History(trigger, viewer),
        )

    def call(self, call: Call) -> tuple[CallEntry | None, Reply]:
        """Return the entry of a call and the reply to it, which goes out once that is applied.

        There is no entry for a call that comes once the room has closed, for one that is only
        counted (see ``is_excess``), and for the late ones of a turn that has had very many.
        """
        entry = self.judge_call(call)
        if entry is None:
            refusal = _TOO_MANY_CALLS if self.is_excess(call) else _TURN_ENDED
            return None, self._refusal(call, refusal)
        verdict = entry.verdict
        if isinstance(verdict, Accepted):
            held = None if self.state.open is None else self.state.open.held
            text = accepted_text(verdict, self.state.speakers[call.seat], replaced=held)
            return entry, Reply(call.call_id, True, text)
        if isinstance(verdict, Refusal):
            return entry, self._refusal(call, verdict)
        assert verdict is not None  # noqa: S101 - the call was judged just now
        seen = last_seen(self.state.rows, self.state.speakers[call.seat].viewer, verdict.limit)
        return entry, Reply(call.call_id, True, read_text(seen), rows=seen)

    def judge_call(self, call: Call) -> CallEntry | None:
        """Return the entry of a call, for a driver that has nobody to reply to: see ``call``."""
        state = self.state
        if state.closed is not None:
            return None
        record = state.open
        if record is None or not _is_of(call, record):
            past = state.record(call.turn, call.attempt, call.seat)
            refusal = _NOT_YOUR_TURN if past is None else _TURN_ENDED
            number = 0 if past is None else len(past.replies) + 1
            if number > self.setup.policy.max_calls + MOST_LATE:
                return None
            return _call_entry(call, number, refusal, late=True)
        verdict: Verdict
        left = self._calls_left(record)
        if left < 0:
            return None
        if left == 0:
            verdict = _TOO_MANY_CALLS
        else:
            verdict = judge(call.tool, call.arguments, state.speakers[call.seat])
        return _call_entry(call, len(record.replies) + 1, verdict)

    def is_excess(self, call: Call) -> bool:
        """Whether a call comes after one that was too many for its turn.

        It is refused alike. A driver counts such calls, and before the turn ends it writes how many
        they were: see ``excess``.
        """
        record = self.state.open
        if record is None or self.state.closed is not None or not _is_of(call, record):
            return False
        return self._calls_left(record) < 0

    def _calls_left(self, record: TurnRecord) -> int:
        """Return how many calls a turn still has; below 0 once one was too many."""
        return self.setup.policy.max_calls - len(record.replies)

    def excess(self, calls: int) -> list[Entry]:
        """Return the entry of the calls in the open turn that were only counted, if there were any."""
        record = self.state.open
        if record is None or not calls:
            return []
        return [ExcessEntry(record.number, record.attempt, record.seat, calls)]

    def _refusal(self, call: Call, refusal: Refusal) -> Reply:
        text = refusal_text(refusal, self.state.speakers[call.seat])
        return Reply(call.call_id, False, text, refusal.reason)

    def end(self, end: TurnEnd) -> list[Entry]:
        """Return what follows when a seat ends its turn: its row, or its end without one.

        Of a ``fence`` seat the message that is read out of its text comes first. An end of a turn
        that is not open is nothing.
        """
        record = self.state.open
        if record is None or self.state.closed is not None or not _is_of(end, record):
            return []
        entries: list[Entry] = []
        stage, held = record.stage, record.held
        if end.error is None and self.setup.by_id[record.seat].fence:
            read = self._read_fence(record, end.text)
            if read is not None:
                entries.append(read)
                assert read.verdict is not None  # noqa: S101 - it was judged just now
                stage = advance(stage, event_of(read.verdict))  # type: ignore[assignment]
                held = read.verdict if isinstance(read.verdict, Accepted) else held
        outcome = advance(stage, TurnEvent.END if end.error is None else TurnEvent.RAISE)
        if outcome is Outcome.SPOKE:
            assert held is not None  # noqa: S101 - the machine says so
            text = kept_text(end.text)
            entries.append(rows.seat_row(self.state, record, held, end.wrote, text))
        else:
            entries.append(_end_entry(record, outcome, end))  # type: ignore[arg-type]
        return entries

    def _read_fence(self, record: TurnRecord, text: str) -> CallEntry | None:
        """Read a fence seat's text as the one post that it is, if there is one in it."""
        message = extract_post(text)
        if is_blank(message):
            return None
        arguments = {"message": message}
        verdict = judge_post(arguments, self.state.speakers[record.seat])
        call = Call(record.number, record.attempt, record.seat, 0, served(POST), arguments)
        return _call_entry(call, 0, verdict, source="fence")

    def expire(self) -> EndEntry:
        """Return the end of the open turn when its deadline has passed."""
        record = self.state.open
        assert record is not None  # noqa: S101 - only an open turn has a deadline
        outcome = advance(record.stage, TurnEvent.DEADLINE)
        return EndEntry(record.number, record.attempt, record.seat, outcome)  # type: ignore[arg-type]

    def say(self, person: str, message: str) -> RowEntry:
        """Return the row of what a person says, at any time at which people may speak."""
        return rows.person_row(self.state, person, message)

    @property
    def broadcast(self) -> tuple[str, tuple[Seat, ...]]:
        """The message that waits for a router's scores, and the seats that can be scored."""
        entry = self.state.unrouted
        assert entry is not None  # noqa: S101 - scores are awaited
        return entry.row.content, candidates(self.setup, entry.row)

    def policy_scores(self) -> Mapping[str, float]:
        """Return the scores of the router that the policy names, for the broadcast that waits."""
        entry = self.state.unrouted
        assert entry is not None  # noqa: S101 - scores are awaited
        return policy_scores(self.setup, entry, self.state.turns[-1].cue)

    def route(self, scores: Mapping[str, float]) -> RoutedEntry:
        """Return who the broadcast that waits goes to, by the scores of a router."""
        entry = self.state.unrouted
        assert entry is not None  # noqa: S101 - scores are awaited
        return route(self.setup, entry, scores, self.state.turns[-1].hop)


def _is_of(message: Call | TurnEnd, record: TurnRecord) -> bool:
    return (
        message.turn == record.number
        and message.attempt == record.attempt
        and message.seat == record.seat
    )


def _call_entry(
    call: Call, number: int, verdict: Verdict, *, late: bool = False, source: str = "call"
) -> CallEntry:
    tool, arguments, reply = call.tool, call.arguments, OK
    if isinstance(verdict, Refusal):
        tool, arguments, reply = kept(tool), kept(arguments), verdict.reason
    return CallEntry(
        call.turn,
        call.attempt,
        call.seat,
        number,
        tool,
        arguments,
        reply,
        late,
        source,  # type: ignore[arg-type]
        verdict,
    )


def _end_entry(record: TurnRecord, outcome: Outcome, end: TurnEnd) -> EndEntry:
    text, error = kept_text(end.text), kept_error(end.error)
    return EndEntry(record.number, record.attempt, record.seat, outcome, text, end.wrote, error)
