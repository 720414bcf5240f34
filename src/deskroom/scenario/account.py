"""An account of a run: its rows and its turns in order, from wherever they are known.

A journal and a replay know everything; a transcript may know the rows alone. So an event says what
is known of it as facts by name, and two events are compared by what both of them know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import evolve, field, frozen

from deskroom.core import OPERATOR, Row, Viewer, admits, project
from deskroom.core.transcript import SeenRow
from deskroom.engine.entries import EndEntry, Entry, HeaderEntry, RowEntry
from deskroom.engine.policy import Policy
from deskroom.engine.script import order_of
from deskroom.engine.state import RoomState, TurnRecord
from deskroom.errors import DeskroomError
from deskroom.scenario.play.expect import TURN_VALUES, Played
from deskroom.wire import author_out

__all__ = ["Account", "Event", "account_of_entries", "narrowed", "row_facts", "with_rowless"]

#: Facts that only the seat itself may read, of a turn of its own.
_OWN: Final = ("replies",)


@frozen(kw_only=True)
class Event:
    """One row, or one turn that became none.

    ``path`` and ``line`` are where it stands, if it has a line. ``facts`` holds what is known:
    ``author``, ``audience``, ``content``, ``next`` and so on, in the words of the file format.
    ``row`` is None for a turn without a row; ``hidden`` counts the messages that a stub stands for.
    """

    path: str = ""
    line: int | None = None
    seat: str | None
    sequence: int | None = None
    turn: int | None = None
    trigger: int | None = None
    row: Row | None = None
    facts: Mapping[str, Any]
    why: str | None = None
    hidden: int = 0

    @property
    def place(self) -> str:
        """``path`` or ``path:line``, as much as is known."""
        return self.path if self.line is None else f"{self.path}:{self.line}"

    @property
    def is_row(self) -> bool:
        """Whether it is a row, or a stub of rows, and no turn without one."""
        return self.sequence is not None


@frozen(kw_only=True)
class Account:
    """What is known of a run. ``kind`` is ``journal``, ``scenario`` or ``transcript``.

    ``run`` holds why the room closed, if that is known, and ``granted`` counts turns; ``seats`` are those of the desk, and
    ``policy`` what it decided by. ``has_turns`` says whether turns without a row are known.
    """

    path: str
    kind: str
    events: tuple[Event, ...] = field(repr=False)
    run: Mapping[str, Any] = field(factory=dict)
    granted: int = 0
    seats: tuple[str, ...] | None = None
    policy: Policy | None = None
    order: str | None = None
    has_turns: bool = True


# --- from entries ------------------------------------------------------------------------------

#: The line of an entry, if it has one, from its position and the turn that it belongs to.
LineOf = Callable[[int, Entry, TurnRecord | None], int | None]


def account_of_entries(
    entries: Sequence[Entry], *, path: str, kind: str, line_of: LineOf
) -> Account:
    """Return the account in a journal's entries. ``line_of`` says where each stands."""
    header = entries[0]
    assert isinstance(header, HeaderEntry)  # noqa: S101 - reading a journal has made sure
    state = RoomState(header.setup)
    at: dict[int, int] = {}
    ends: dict[tuple[int, int], int] = {}
    for position, entry in enumerate(entries):
        state.apply(entry)
        if isinstance(entry, RowEntry):
            at[entry.row.sequence] = position
        elif isinstance(entry, EndEntry):
            ends[entry.turn, entry.attempt] = position
            if entry.error is not None:
                state.turns[-1].error = DeskroomError(entry.error.text or entry.error.type)
    of_row = {record.row: record for record in state.turns if record.row is not None}
    rows = []
    for entry in state.entries:
        record = of_row.get(entry.row.sequence)
        line = line_of(at[entry.row.sequence], entry, record)
        rows.append(evolve(_row_event(state, entry, record), path=path, line=line))
    rowless = []
    for record in state.turns:
        end = ends.get((record.number, record.attempt))
        if record.row is None and end is not None:
            line = line_of(end, entries[end], record)
            rowless.append(evolve(_turn_event(state, record), path=path, line=line))
    return Account(
        path=path,
        kind=kind,
        events=tuple(with_rowless(rows, rowless)),
        run={"closed": state.closed},
        granted=state.granted,
        seats=tuple(header.setup.by_id),
        policy=header.setup.policy,
        order=order_of(header.setup.script),
    )


def _row_event(state: RoomState, entry: RowEntry, record: TurnRecord | None) -> Event:
    routed = state.routed.get(entry.row.sequence)
    played = Played(state.setup, record, entry, routed.recipients if routed else ())
    facts = {
        **row_facts(entry.row),
        "kind": entry.kind,
        "next": TURN_VALUES["next"](played),
        "completes": entry.completes,
        "refusal": entry.refusal,
    }
    if record is not None:
        facts |= {"hop": record.hop, "replies": list(record.replies)}
    return Event(
        seat=record.seat if record else None,
        sequence=entry.row.sequence,
        turn=entry.turn,
        trigger=entry.trigger,
        row=entry.row,
        facts=facts,
        why=played.why(),
    )


def _turn_event(state: RoomState, record: TurnRecord) -> Event:
    return Event(
        seat=record.seat,
        turn=record.number,
        trigger=record.trigger,
        facts={
            "author": {"type": "agent", "id": record.seat},
            "outcome": record.outcome,
            "hop": record.hop,
            "replies": list(record.replies),
        },
        why=Played(state.setup, record).why(),
    )


def row_facts(row: Row) -> dict[str, Any]:
    """Return what the row itself says."""
    audience = row.audience
    return {
        "chat": row.chat_id,
        "parent": row.parent,
        "author": author_out(row.author),
        "audience": "desk" if audience.kind == "desk" else list(audience.members),
        "content": row.content,
    }


def with_rowless(rows: Iterable[Event], rowless: Sequence[Event]) -> Iterator[Event]:
    """Put the turns without a row among the rows.

    Each stands behind the row that brought it and behind the rows of the turns before it. So its
    place is the same whether a journal or a transcript told of it.
    """
    waiting = list(reversed(rowless))
    turn = sequence = 0
    for row in rows:
        while waiting and _comes_before(waiting[-1], row, turn, sequence):
            turn = max(turn, waiting[-1].turn or 0)
            yield waiting.pop()
        yield row
        turn = max(turn, row.turn or 0)
        sequence = row.sequence or 0
    yield from reversed(waiting)


def _comes_before(rowless: Event, row: Event, turn: int, sequence: int) -> bool:
    brought = (rowless.trigger or 0) <= sequence
    number = rowless.turn or 0
    # The row about its files, and the row of its own retry, come after it.
    return brought and (turn >= number - 1 or (row.turn or 0) >= number)


# --- as a seat may read it ---------------------------------------------------------------------


def narrowed(account: Account, viewer: Viewer) -> Account:
    """Return the account with only what a viewer may read in it."""
    if viewer == OPERATOR:
        return account
    if any(event.hidden for event in account.events):
        events = tuple(_seen_alone(event, viewer) for event in account.events)
    else:
        events = tuple(_seen(account.events, viewer))
    return evolve(account, events=events)


def _seen(events: Sequence[Event], viewer: Viewer) -> Iterator[Event]:
    by_sequence = {event.sequence: event for event in events if event.row is not None}
    rows = [event.row for event in events if event.row is not None]
    seen = [
        _own_facts(by_sequence[row.sequence], viewer)
        if row.elided is None
        else _stub(by_sequence[row.sequence], row)
        for row in project(rows, viewer)
    ]
    rowless = [_own_facts(event, viewer) for event in events if not event.is_row]
    return with_rowless(seen, rowless)


def _seen_alone(event: Event, viewer: Viewer) -> Event:
    """Narrow one event of an account that has been narrowed before."""
    row = event.row
    if row is None or admits(row.audience, row.author, viewer):
        return _own_facts(event, viewer)
    return _hidden(event, 1)


def _own_facts(event: Event, viewer: Viewer) -> Event:
    """Leave out of a turn what only its own seat may read: its replies, and why it has no row."""
    if event.seat is None or event.seat == viewer.id:
        return event
    facts = {key: value for key, value in event.facts.items() if key not in _OWN}
    return evolve(event, facts=facts, why=event.why if event.is_row else None)


def _stub(event: Event, seen: SeenRow) -> Event:
    return _hidden(event, seen.elided.messages if seen.elided else 1)


def _hidden(event: Event, messages: int) -> Event:
    facts = {key: event.facts[key] for key in ("author", "audience")}
    return evolve(event, row=None, facts={**facts, "messages": messages}, why=None, hidden=messages)
