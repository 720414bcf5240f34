"""A run item by item, as its entries come: what is over is let go of.

The items are those of ``view_run``, in the order in which they ended, and calls that came late stand
between them. Whoever may not read everything is shown them through ``ordered``, which knows them
all: what a stub stands for is settled by what comes later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from attrs import define, evolve, field, frozen

from deskroom.core import Viewer
from deskroom.core.reasons import CallFault, CloseReason, Outcome, RowKind
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
from deskroom.engine.script import order_of
from deskroom.engine.setup import Setup
from deskroom.runs.run import MOST_REPLIES, RunItem, RunTurn
from deskroom.runs.view import RunView, ViewItem, narrowed, row_facts, tells, view_item

__all__ = ["Happening", "LateCall", "RunStream", "gathered", "ordered"]


@frozen(kw_only=True)
class LateCall:
    """A call that came when no turn of its seat was open; ``rows`` counts the rows before it."""

    line: int
    rows: int
    call: CallEntry


#: What an entry of a shown run is.
Happening = ViewItem | LateCall


@define
class _Open:
    """The turn that has not ended; ``excess`` are the calls that were only counted.

    ``line`` is that of its grant, where that was read.
    """

    grant: TurnEntry
    line: int | None
    granted_at: int
    calls: list[CallEntry] = field(factory=list)
    excess: int = 0
    usage: UsageEntry | None = None


@define
class RunStream:
    """Folds the entries of a room into what happened, each thing as soon as all of it is known.

    It decides nothing and checks nothing: entries that no room would write give items as well.
    With ``only_rows`` it gives the rows, and knows no more of them than a transcript does.
    """

    setup: Setup = field(repr=False)
    path: str = ""
    only_rows: bool = False
    #: How many rows and turns there were, and why the room closed if the last entry says so.
    rows: int = field(default=0, init=False)
    turns: int = field(default=0, init=False)
    closed: CloseReason | None = field(default=None, init=False)
    nudges: int = field(default=0, init=False)
    asides: int = field(default=0, init=False)
    _open: _Open | None = field(default=None, init=False)
    #: A broadcast that nobody routed yet, and what happened since.
    _unrouted: tuple[int, RowEntry, RunTurn | None] | None = field(default=None, init=False)
    _behind: list[Happening] = field(factory=list, init=False)

    def take(self, line: int, entry: Entry) -> Sequence[Happening]:
        """Fold in one entry, and return what is known now; ``line`` says where it stands."""
        self.closed = None
        return self._FOLDS[type(entry)](self, line, entry)

    def end(self) -> Sequence[Happening]:
        """Return what waited for an entry that does not come."""
        return self._settled(None)

    @property
    def open(self) -> RunTurn | None:
        """The turn that has not ended."""
        return None if self._open is None else self._ended(None, None, None)

    # Turns

    def _turn(self, line: int, entry: TurnEntry) -> Sequence[Happening]:
        # The grant that a crash cut short is as if it had never been.
        self.turns = max(self.turns, entry.turn)
        self._open = _Open(entry, line, self.rows)
        return self._settled(None)

    def _call(self, line: int, entry: CallEntry) -> Sequence[Happening]:
        if entry.late or self._open is None:
            return self._shown(LateCall(line=line, rows=self.rows, call=entry))
        self._open.calls.append(entry)
        return ()

    def _excess(self, _: int, entry: ExcessEntry) -> Sequence[Happening]:
        if self._open is not None:
            self._open.excess = entry.calls
        return ()

    def _usage(self, _: int, entry: UsageEntry) -> Sequence[Happening]:
        if self._open is not None:
            self._open.usage = entry
        return ()

    def _end(self, line: int, entry: EndEntry) -> Sequence[Happening]:
        self.turns = max(self.turns, entry.turn)
        if self._open is None:
            grant = TurnEntry(entry.turn, entry.seat, 0, None, entry.attempt)
            self._open = _Open(grant, None, self.rows)
        turn = self._ended(line, entry.outcome, entry)
        self._open = None
        return self._shown(self._item(line, turn=turn))

    def _ended(
        self, line: int | None, outcome: Outcome | None, last: EndEntry | RowEntry | None
    ) -> RunTurn:
        opened = self._open
        assert opened is not None  # noqa: S101 - the callers have looked
        grant, calls = opened.grant, opened.calls
        replies = [call.reply for call in calls if call.source == "call"]
        more = [str(CallFault.TOO_MANY_CALLS)] * min(opened.excess, MOST_REPLIES)
        return RunTurn(
            grant.turn,
            grant.seat,
            grant.hop,
            grant.trigger,
            grant.attempt,
            grant.cue,
            outcome,
            last.row.sequence if isinstance(last, RowEntry) else None,
            opened.granted_at,
            replies=(*replies, *more),
            calls=tuple(calls),
            late_after=(),
            text="" if last is None else last.text,
            wrote=() if last is None else last.wrote,
            error=last.error if isinstance(last, EndEntry) else None,
            start=None if opened.line is None else opened.line - 1,
            end=None if line is None else line - 1,
            usage=opened.usage,
        )

    # Rows

    def _row(self, line: int, entry: RowEntry) -> Sequence[Happening]:
        # They are counted by their numbers: what is folded may be the end of a journal.
        self.rows = entry.row.sequence
        self.turns = max(self.turns, entry.turn or 0)
        self.asides += entry.row.audience.kind == "aside"
        self.nudges += entry.kind == RowKind.NUDGE
        if self.only_rows:
            return (self._bare(line, entry),)
        turn = None
        if entry.kind == RowKind.SEAT and self._open is not None:
            turn = self._ended(line, Outcome.SPOKE, entry)
            self._open = None
        if entry.broadcasting:
            before = self._settled(None)
            self._unrouted = line, entry, turn
            return before
        return self._shown(self._item(line, entry, turn))

    def _bare(self, line: int, entry: RowEntry) -> ViewItem:
        row = entry.row
        return ViewItem(
            path=self.path,
            line=line,
            seat=None,
            sequence=row.sequence,
            row=row,
            facts=row_facts(row),
        )

    def _routed(self, _: int, entry: RoutedEntry) -> Sequence[Happening]:
        return self._settled(entry)

    def _settled(self, routed: RoutedEntry | None) -> Sequence[Happening]:
        """Return the broadcast that waited, and what happened since."""
        if self._unrouted is None:
            return ()
        line, entry, turn = self._unrouted
        if routed is not None and routed.sequence != entry.row.sequence:
            routed = None
        shown = [self._item(line, entry, turn, routed), *self._behind]
        self._unrouted, self._behind = None, []
        return shown

    def _item(
        self,
        line: int,
        entry: RowEntry | None = None,
        turn: RunTurn | None = None,
        routed: RoutedEntry | None = None,
    ) -> ViewItem:
        item = RunItem(setup=self.setup, entry=entry, turn=turn, routed=routed)
        return view_item(item, path=self.path, line=line)

    def _shown(self, happening: Happening) -> Sequence[Happening]:
        if self._unrouted is None:
            return (happening,)
        self._behind.append(happening)
        return ()

    # The room

    def _header(self, _: int, entry: HeaderEntry) -> Sequence[Happening]:  # noqa: ARG002 - it is known
        return ()

    def _close(self, _: int, entry: CloseEntry) -> Sequence[Happening]:
        self.closed = entry.reason
        return self._settled(None)

    _FOLDS: ClassVar[Mapping[type[Entry], Callable[[RunStream, int, Any], Sequence[Happening]]]] = {
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


def gathered(happenings: Iterable[Happening], stream: RunStream, kind: str) -> RunView:
    """Return all that happened as a view, with each late call at the turn that it was of."""
    found = list(happenings)
    items = [one for one in found if isinstance(one, ViewItem)]
    late: dict[tuple[int, int, str], list[LateCall]] = {}
    for one in found:
        if isinstance(one, LateCall):
            call = one.call
            late.setdefault((call.turn, call.attempt, call.seat), []).append(one)
    items = [_with_late(item, late) for item in items]
    turns = [item.run_turn for item in items if item.run_turn is not None]
    if stream.open is not None:
        turns.append(stream.open)
    setup = stream.setup
    return RunView(
        path=stream.path,
        kind=kind,
        items=tuple(items),
        turns=tuple(sorted(turns, key=lambda turn: (turn.number, turn.attempt))),
        open=stream.open,
        stray=tuple(one.call for calls in late.values() for one in calls),
        run={"closed": stream.closed},
        totals={
            "rows": stream.rows,
            "turns": stream.turns,
            "nudges": stream.nudges,
            "asides": stream.asides,
            "closed": stream.closed,
        },
        seats=tuple(setup.by_id),
        directory=setup.directory,
        policy=setup.policy,
        order=order_of(setup.script),
        has_turns=not stream.only_rows,
    )


def _with_late(item: ViewItem, late: dict[tuple[int, int, str], list[LateCall]]) -> ViewItem:
    """Return an item with the late calls of its turn, which are then no stray ones."""
    turn = item.run_turn
    found = None if turn is None else late.pop((turn.number, turn.attempt, turn.seat), None)
    if turn is None or found is None:
        return item
    turn = turn._replace(
        replies=(*turn.replies, *(one.call.reply for one in found)),
        calls=(*turn.calls, *(one.call for one in found)),
        late_after=tuple(one.rows for one in found),
    )
    facts = {**item.facts, "replies": list(turn.replies)}
    return evolve(item, run_turn=turn, facts=facts)


def ordered(happenings: Sequence[Happening], viewer: Viewer) -> list[Happening]:
    """Return what a viewer may know of what happened, in order; a stub stands where it begins."""
    items = tuple(one for one in happenings if isinstance(one, ViewItem))
    seen = narrowed(RunView(path="", kind="journal", items=items), viewer).items
    calls = (one for one in happenings if isinstance(one, LateCall))
    return sorted([*seen, *_told(calls, viewer)], key=lambda one: one.line or 0)


def _told(calls: Iterable[LateCall], viewer: Viewer) -> Iterator[LateCall]:
    return (one for one in calls if tells(viewer, one.call.seat))
