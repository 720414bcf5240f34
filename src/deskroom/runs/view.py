"""What a viewer may know of a run: the one projection, from which everything shown is made.

The operator sees all. Others see the rows that they may read with their decisions, stubs of the
rest, and how each turn ended; what happened in a turn beside its row is for its own seat. A
journal and a replay know everything; a transcript may know the rows alone. So an item says what is
known of it as facts by name, and two items are compared by what both of them know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve, field, frozen

from deskroom.core import OPERATOR, Directory, Row, TurnFor, Viewer, admits, project
from deskroom.core.transcript import Elision, SeenRow, settlements
from deskroom.engine.entries import CallEntry
from deskroom.engine.policy import Policy
from deskroom.runs.header import TranscriptHeader
from deskroom.runs.run import Run, RunItem, RunTurn
from deskroom.runs.values import TURN_VALUES, audience_value, mentions_of
from deskroom.runs.why import why
from deskroom.wire import author_out

__all__ = [
    "Routing",
    "RunView",
    "ViewItem",
    "in_order",
    "narrowed",
    "row_facts",
    "tells",
    "view_item",
    "view_run",
]

#: Says on which line of the file an item stands, if it stands on one.
LineOf = Callable[[RunItem], int | None]


@frozen
class Routing:
    """What a router gave for a broadcast, by candidate, and how many seats may be chosen."""

    scores: Mapping[str, float]
    width: int


@frozen(kw_only=True)
class ViewItem:
    """A row, a stub of rows, or a turn that became no row.

    ``path`` and ``line`` are where it stands, if that is known; ``seat`` whose turn it is. ``row``
    is there for a row that may be read, ``stub`` for one that may not. ``facts`` holds what is
    known, in the words of the file format: ``author``, ``audience``, ``content``, ``next``…
    ``text`` is what the seat said outside its calls. ``routing`` is there for a broadcast that a
    router was asked about. ``run_turn`` is the turn that the row ended, or that became no row; of
    another seat's, no call is known. ``chosen`` is where the mention that decided begins, in
    UTF-8 bytes; ``settled_at`` the row that settles an aside.
    """

    path: str = ""
    line: int | None = None
    seat: str | None
    sequence: int | None = None
    turn: int | None = None
    trigger: int | None = None
    granted_at: int = 0
    row: Row | None = None
    stub: SeenRow | None = None
    facts: Mapping[str, Any]
    mentions: Sequence[str] = ()
    why: str | None = None
    routing: Routing | None = None
    text: str = field(default="", repr=False)
    run_turn: RunTurn | None = field(default=None, repr=False)
    chosen: int | None = None
    settled_at: int | None = None

    @property
    def place(self) -> str:
        """``path`` or ``path:line``, as much as is known."""
        return self.path if self.line is None else f"{self.path}:{self.line}"

    @property
    def is_row(self) -> bool:
        """Whether it is a row, or a stub of rows, and no turn without one."""
        return self.sequence is not None

    @property
    def hidden(self) -> int:
        """How many messages the stub stands for; 0 for anything else."""
        return self.stub.elided.messages if self.stub and self.stub.elided else 0


@frozen(kw_only=True)
class RunView:
    """What one viewer may know of a run. ``kind`` is ``journal``, ``scenario`` or ``transcript``.

    ``items`` are its rows, and the turns without one where ``has_turns``. ``turns`` are all of its
    turns, and ``open`` is the one that has not ended. ``run`` holds why the room closed, if that is
    known, and ``failure`` what failed then; ``totals`` what it came to. ``seats`` are those of the
    desk, ``directory`` has its names, and ``policy`` and ``order`` are what it decided by.
    ``stray`` are calls in turns that were never the caller's. ``header`` is that of a transcript that
    was imported.
    """

    path: str
    kind: str
    viewer: Viewer = OPERATOR
    items: tuple[ViewItem, ...] = field(repr=False)
    turns: tuple[RunTurn, ...] = field(default=(), repr=False)
    open: RunTurn | None = None
    stray: tuple[CallEntry, ...] = field(default=(), repr=False)
    run: Mapping[str, Any] = field(factory=dict)
    totals: Mapping[str, Any] = field(factory=dict)
    failure: str | None = None
    seats: tuple[str, ...] | None = None
    directory: Directory | None = field(default=None, repr=False)
    policy: Policy | None = None
    order: str | None = None
    has_turns: bool = True
    header: TranscriptHeader | None = field(default=None, repr=False)


def view_run(
    run: Run,
    viewer: Viewer = OPERATOR,
    *,
    path: str = "",
    kind: str = "scenario",
    line_of: LineOf = lambda _: None,
) -> RunView:
    """Return what a viewer may know of a run. ``path`` is where it came from."""
    settled = settlements(run.rows)
    items = [view_item(item, path=path, line=line_of(item), settled=settled) for item in run.items]
    rows = (item for item in items if item.is_row)
    rowless = [item for item in items if not item.is_row]
    whole = RunView(
        path=path,
        kind=kind,
        items=tuple(in_order(rows, rowless)),
        turns=tuple(run.turns),
        open=run.turns[-1] if run.state.open is not None else None,
        stray=tuple(run.index.stray_calls()),
        run={"closed": run.closed},
        totals=run.totals,
        failure=None if run.failure is None else str(run.failure),
        seats=tuple(run.setup.by_id),
        directory=run.setup.directory,
        policy=run.setup.policy,
        order=run.order,
    )
    return narrowed(whole, viewer)


def view_item(
    item: RunItem,
    *,
    path: str = "",
    line: int | None = None,
    settled: Mapping[int, int | None] | None = None,
) -> ViewItem:
    """Return all that is known of a row or a turn; ``settled`` says which row settles an aside."""
    if item.entry is None:
        return _turn_item(item, path, line)
    return _row_item(item, settled or {}, path, line)


def _row_item(
    item: RunItem, settled: Mapping[int, int | None], path: str, line: int | None
) -> ViewItem:
    entry, turn = item.entry, item.turn
    assert entry is not None  # noqa: S101 - the caller has looked
    mention = entry.decision.mention if isinstance(entry.decision, TurnFor) else None
    facts = {
        **row_facts(entry.row),
        "kind": entry.kind,
        "next": TURN_VALUES["next"](item),
        "completes": entry.completes,
        "refusal": entry.refusal,
    }
    if turn is not None:
        facts |= {"hop": turn.hop, "replies": list(turn.replies)}
    return ViewItem(
        path=path,
        line=line,
        seat=turn.seat if turn else None,
        sequence=entry.row.sequence,
        turn=entry.turn,
        trigger=entry.trigger,
        row=entry.row,
        facts=facts,
        mentions=mentions_of(item) or (),
        why=why(item),
        routing=_routing(item),
        text=turn.text if turn else "",
        run_turn=turn,
        chosen=None if mention is None else mention.offset,
        settled_at=settled.get(entry.row.sequence),
    )


def _routing(item: RunItem) -> Routing | None:
    if item.routed is None or not item.routed.scores:
        return None
    return Routing(dict(item.routed.scores), item.setup.policy.broadcast.width)


def _turn_item(item: RunItem, path: str, line: int | None) -> ViewItem:
    turn = item.turn
    assert turn is not None  # noqa: S101 - what is no row is a turn
    return ViewItem(
        path=path,
        line=line,
        seat=turn.seat,
        turn=turn.number,
        trigger=turn.trigger,
        granted_at=turn.granted_at,
        facts={
            "author": {"type": "agent", "id": turn.seat},
            "outcome": turn.outcome,
            "hop": turn.hop,
            "replies": list(turn.replies),
        },
        why=why(item),
        text=turn.text,
        run_turn=turn,
    )


def row_facts(row: Row) -> dict[str, Any]:
    """Return what the row itself says."""
    return {
        "chat": row.chat_id,
        "parent": row.parent,
        "author": author_out(row.author),
        "audience": audience_value(row.audience),
        "content": row.content,
    }


def in_order(rows: Iterable[ViewItem], rowless: Sequence[ViewItem]) -> Iterator[ViewItem]:
    """Put the turns without a row among the rows.

    Each stands behind the row that brought it and behind the rows of the turns before it. So its
    place is the same whether it is read from a journal or from a transcript.
    """
    waiting = list(reversed(rowless))
    turn = sequence = 0
    for row in rows:
        while waiting and _comes_before(waiting[-1], row, turn, sequence):
            turn = max(turn, waiting[-1].turn or 0)
            yield waiting.pop()
        yield row
        if row.stub is not None and row.stub.elided is not None:
            # Of its rows only the last is known by number, and so is a turn that this one brought.
            sequence = row.stub.elided.through
            turn = max(turn, *((w.turn or 0) - 1 for w in waiting if w.trigger == sequence), 0)
        else:
            turn = max(turn, row.turn or 0)
            sequence = row.sequence or 0
    yield from reversed(waiting)


def _comes_before(rowless: ViewItem, row: ViewItem, turn: int, sequence: int) -> bool:
    brought = (rowless.trigger or 0) <= sequence
    number = rowless.turn or 0
    # The row about its files, and the row of its own retry, come after it.
    at = 0 if row.stub is not None else row.turn or 0
    if 0 < at < number:
        return False  # as the row about the files of the turn before it
    return brought and (turn >= number - 1 or at >= number)


# --- for a viewer ------------------------------------------------------------------------------


def tells(viewer: Viewer, seat: str | None) -> bool:
    """Whether a viewer may know what a seat did in its turn beside the row that came of it."""
    return viewer == OPERATOR or (viewer.kind == "agent" and viewer.id == seat)


def narrowed(view: RunView, viewer: Viewer) -> RunView:
    """Return a view with only what a viewer may know of it; a view may be narrowed again."""
    if viewer == OPERATOR:
        return view
    if any(item.stub is not None for item in view.items):
        items = tuple(_narrowed_alone(item, viewer) for item in view.items)
    else:
        items = tuple(_narrowed_items(view.items, viewer))
    return evolve(
        view,
        viewer=viewer,
        items=items,
        turns=tuple(_told(turn, viewer) for turn in view.turns),
        open=None if view.open is None else _told(view.open, viewer),
        stray=tuple(call for call in view.stray if tells(viewer, call.seat)),
        failure=None,
    )


def _narrowed_items(items: Sequence[ViewItem], viewer: Viewer) -> Iterator[ViewItem]:
    by_sequence = {item.sequence: item for item in items if item.row is not None}
    rows = [item.row for item in items if item.row is not None]
    seen = [_seen(by_sequence[row.sequence], row, viewer) for row in project(rows, viewer)]
    rowless = [_own(item, viewer) for item in items if not item.is_row]
    return in_order(seen, rowless)


def _seen(item: ViewItem, seen: SeenRow, viewer: Viewer) -> ViewItem:
    return _own(item, viewer) if seen.elided is None else _stub(item, seen)


def _narrowed_alone(item: ViewItem, viewer: Viewer) -> ViewItem:
    """Narrow one item of a view that has stubs already."""
    row = item.row
    if row is None or admits(row.audience, row.author, viewer):
        return _own(item, viewer)
    elided = Elision(row.sequence, 1, None)
    return _stub(item, SeenRow(row.sequence, row.author, "", row.audience, elided))


def _own(item: ViewItem, viewer: Viewer) -> ViewItem:
    """Leave out of a turn what only its own seat may know: its replies, and why it has no row.

    A router's scores tell of the seats' briefs, so they are for the operator only.
    """
    item = evolve(item, routing=None)
    if item.seat is None or tells(viewer, item.seat):
        return item
    facts = {key: value for key, value in item.facts.items() if key != "replies"}
    turn = None if item.run_turn is None else _public(item.run_turn)
    return evolve(item, facts=facts, text="", why=item.why if item.is_row else None, run_turn=turn)


def _stub(item: ViewItem, seen: SeenRow) -> ViewItem:
    facts = {key: item.facts[key] for key in ("author", "audience")}
    facts["messages"] = seen.elided.messages if seen.elided else 1
    # Of the turn only its number, so that turns without a row find their place behind it.
    return ViewItem(
        path=item.path,
        line=item.line,
        seat=item.seat,
        sequence=item.sequence,
        turn=item.turn,
        trigger=item.trigger,
        stub=seen,
        facts=facts,
    )


def _told(turn: RunTurn, viewer: Viewer) -> RunTurn:
    return turn if tells(viewer, turn.seat) else _public(turn)


def _public(turn: RunTurn) -> RunTurn:
    return turn._replace(replies=(), calls=(), late_after=(), text="", wrote=(), error=None)
