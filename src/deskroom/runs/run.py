"""A run: its rows, its turns with every call, who was next, and why the room closed.

The rules are those of ``RoomState``: a run is its fold, and adds only what the state does not
keep, which is read off the entries when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final, Literal, NamedTuple, Self

from attrs import define, field, frozen

from deskroom.core.reasons import CallFault, CloseReason, Outcome
from deskroom.core.transcript import Row
from deskroom.engine.entries import (
    CallEntry,
    EndEntry,
    Entry,
    HeaderEntry,
    Raised,
    RoutedEntry,
    RowEntry,
    TurnEntry,
    UsageEntry,
)
from deskroom.engine.script import order_of
from deskroom.engine.setup import Setup
from deskroom.engine.state import Pending, RoomState, TurnRecord
from deskroom.errors import RoomFailure, UsageError

__all__ = ["MOST_REPLIES", "Run", "RunItem", "RunTurn"]

#: No more replies to calls that were only counted are listed.
MOST_REPLIES: Final = 1000

#: A grant: the turn's number, the attempt, and the seat.
Grant = tuple[int, int, str]


class RunTurn(NamedTuple):
    """One granted turn. A turn that is granted again is another one of the same ``number``.

    ``replies`` has a reply for each call, ``ok`` or why it was refused; ``calls`` has the calls
    themselves, late ones included, where the entries of the run are known; ``late_after`` counts, for
    each late one, the rows before it. ``row`` is the sequence of the row it became, ``error`` what
    the seat raised. ``granted_at`` counts the rows before it. ``start`` and ``end`` are the
    positions of its first and last entry, counted from 0. ``usage`` is what it took of a model, if
    its seat said so.
    """

    number: int
    seat: str
    hop: int
    trigger: int | None
    attempt: int
    cue: int | None
    outcome: Outcome | None
    row: int | None
    granted_at: int
    replies: tuple[str, ...]
    calls: tuple[CallEntry, ...]
    late_after: tuple[int, ...]
    text: str
    wrote: tuple[str, ...]
    error: Raised | None
    start: int | None
    end: int | None
    usage: UsageEntry | None = None


@frozen(kw_only=True, eq=False)
class RunItem:
    """A row with the turn that it ended, if it ended one; or a turn that became no row.

    It may be neither: a listed turn that was never played. ``routed`` is there for a broadcast once
    it is settled whom it goes to. ``setup`` is what the room decided by.
    """

    setup: Setup = field(repr=False)
    entry: RowEntry | None = None
    turn: RunTurn | None = None
    routed: RoutedEntry | None = None

    @property
    def recipients(self) -> tuple[str, ...]:
        """Whom a broadcast goes to, in order."""
        return () if self.routed is None else self.routed.recipients

    @property
    def was_played(self) -> bool:
        """Whether there is a row or a turn."""
        return self.entry is not None or self.turn is not None


@frozen
class Run:
    """One run, as far as it has come. Runs are equal whose entries are.

    ``journal`` holds its entries from the header on, or nothing where only the state is known: then
    no call is known, only how it was answered. ``failure`` is what failed, in a room that closed with
    ``failed``; no entry holds it.
    """

    state: RoomState = field(eq=False, repr=False)
    journal: Sequence[Entry] = field(default=(), repr=False)
    failure: RoomFailure | None = field(default=None, kw_only=True)

    @classmethod
    def from_entries(cls, entries: Iterable[Entry]) -> Self:
        """Fold the entries of a journal. Raises ``UsageError`` where one cannot follow the others.

        A run that was closed and then resumed is open.
        """
        journal = list(entries)
        header = journal[0] if journal else None
        if not isinstance(header, HeaderEntry):
            raise UsageError("the entries of a run begin with its header")
        state = RoomState(header.setup)
        for number, entry in enumerate(journal, start=1):
            try:
                state.apply(entry)
            except (LookupError, AttributeError):
                raise UsageError(f"entry {number} cannot follow those before it") from None
        return cls(state, journal)

    @property
    def setup(self) -> Setup:
        """What the room is made of, and so what it decides by."""
        return self.state.setup

    @property
    def order(self) -> Literal["listed", "routed"] | None:
        """The order of the script that was played, or None where there is none."""
        return order_of(self.setup.script)

    @property
    def closed(self) -> CloseReason | None:
        """Why the room closed, if it did."""
        return self.state.closed

    @property
    def rows(self) -> Sequence[Row]:
        """The rows."""
        return self.state.rows

    @property
    def entries(self) -> Sequence[RowEntry]:
        """The rows, each with what triggered it and what was decided after it."""
        return self.state.entries

    @property
    def granted(self) -> int:
        """How many turns were granted; a turn that was granted again counts once."""
        return self.state.granted

    @property
    def nudges(self) -> int:
        """How many rows are the chair's."""
        return self.state.nudges

    @property
    def unplayed(self) -> Sequence[int]:
        """The turns of the script that were never played, by their place in it."""
        return () if self.state.script is None else self.state.script.unplayed()

    @property
    def due(self) -> Pending | None:
        """The turn that a row gave and nobody was granted, or None."""
        return self.state.pending or (self.state.queue[0] if self.state.queue else None)

    @property
    def totals(self) -> Mapping[str, int | str | None]:
        """What came out of the run as a whole, under the keys of a scenario's last table."""
        return {
            "rows": len(self.rows),
            "turns": self.granted,
            "nudges": self.nudges,
            "asides": sum(row.audience.kind == "aside" for row in self.rows),
            "closed": self.closed,
        }

    @cached_property
    def turns(self) -> Sequence[RunTurn]:
        """Every grant, in order; one that a crash cut short counts only if it is the last."""
        index = self.index
        return [_turn(record, self.entries, index) for record in self.state.turns]

    @cached_property
    def items(self) -> Sequence[RunItem]:
        """The rows in order, each with its turn; behind them the turns that became no row."""
        of_row = {turn.row: turn for turn in self.turns if turn.row is not None}
        rows = [self.item(entry, of_row.get(entry.row.sequence)) for entry in self.entries]
        rowless = (turn for turn in self.turns if turn.row is None and turn.outcome is not None)
        return [*rows, *(self.item(turn=turn) for turn in rowless)]

    def item(self, entry: RowEntry | None = None, turn: RunTurn | None = None) -> RunItem:
        """Return a row, a turn or both as an item; a turn brings the row that it became."""
        if entry is None and turn is not None and turn.row is not None:
            entry = self.entries[turn.row - 1]
        routed = None if entry is None else self.state.routed.get(entry.row.sequence)
        return RunItem(setup=self.setup, entry=entry, turn=turn, routed=routed)

    def line_of(self, item: RunItem) -> int | None:
        """Return the line of a journal's file on which an item stands, counted from 1."""
        if item.entry is not None:
            return self.index.rows[item.entry.row.sequence - 1] + 1
        return None if item.turn is None or item.turn.end is None else item.turn.end + 1

    @cached_property
    def index(self) -> Index:
        """Where each thing stands among the entries."""
        index = Index()
        for position, entry in enumerate(self.journal):
            if isinstance(entry, CallEntry):
                grant = (entry.turn, entry.attempt, entry.seat)
                index.calls.setdefault(grant, []).append(entry)
                if entry.late:
                    index.late_after.setdefault(grant, []).append(len(index.rows))
            elif isinstance(entry, TurnEntry):
                index.starts[entry.turn, entry.attempt, entry.seat] = position
            elif isinstance(entry, UsageEntry):
                index.usage[entry.turn, entry.attempt] = entry
            elif isinstance(entry, RowEntry):
                index.rows.append(position)
            elif isinstance(entry, EndEntry):
                index.ends[entry.turn, entry.attempt] = position, entry
        return index


@define
class Index:
    """Where grants, their ends and rows stand among the entries, and the calls of each grant.

    ``late_after`` counts the rows before each late call of a grant.
    """

    starts: dict[Grant, int] = field(factory=dict)
    ends: dict[tuple[int, int], tuple[int, EndEntry]] = field(factory=dict)
    rows: list[int] = field(factory=list)
    calls: dict[Grant, list[CallEntry]] = field(factory=dict)
    late_after: dict[Grant, list[int]] = field(factory=dict)
    usage: dict[tuple[int, int], UsageEntry] = field(factory=dict)

    def stray_calls(self) -> Iterable[CallEntry]:
        """Yield the calls of seats in turns that were never theirs."""
        for grant, calls in self.calls.items():
            if grant not in self.starts:
                yield from calls


def _replies(record: TurnRecord) -> tuple[str, ...]:
    """Return the reply to each call, those that were only counted included up to a bound."""
    replies = record.replies
    if not record.excess:
        return tuple(replies)
    first = replies.index(CallFault.TOO_MANY_CALLS)
    more = [CallFault.TOO_MANY_CALLS] * min(record.excess, MOST_REPLIES)
    return (*replies[:first], *map(str, more), *replies[first:])


def _turn(record: TurnRecord, entries: Sequence[RowEntry], index: Index) -> RunTurn:
    grant = (record.number, record.attempt, record.seat)
    end, ended = index.ends.get(grant[:2], (None, None))
    spoken = None if record.row is None else entries[record.row - 1]
    if spoken is not None and index.rows:
        end = index.rows[spoken.row.sequence - 1]
    last = spoken or ended
    return RunTurn(
        record.number,
        record.seat,
        record.hop,
        record.trigger,
        record.attempt,
        record.cue,
        record.outcome,
        record.row,
        record.granted_at,
        replies=_replies(record),
        calls=tuple(index.calls.get(grant, ())),
        late_after=tuple(index.late_after.get(grant, ())),
        text=record.text,
        wrote=() if last is None else last.wrote,
        error=record.error,
        start=index.starts.get(grant),
        end=end,
        usage=index.usage.get(grant[:2]),
    )
