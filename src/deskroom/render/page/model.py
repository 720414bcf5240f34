"""The views of one run as the page's data: each a list of places in tables that they share.

Every viewer's view is made by the core. What two of them have alike is kept once, so the data grows
with the rows, however many seats may read them. A page for one seat holds its view alone.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any, Final

from attrs import define, field, frozen

from deskroom.core import OPERATOR, Viewer
from deskroom.engine.entries import CallEntry
from deskroom.printable import counted, one_line, printable
from deskroom.render.page.audit import audit_values
from deskroom.render.page.items import (
    Json,
    LaneKey,
    call_values,
    item_values,
    known,
    lane_of,
    row_values,
    turn_values,
)
from deskroom.render.page.mismatches import mismatch_values
from deskroom.runs.run import RunTurn
from deskroom.runs.view import RunView, ViewItem
from deskroom.scenario.sources import Source

__all__ = [
    "RunData",
    "TableSizes",
    "Tables",
    "dumped",
    "head_values",
    "joined",
    "run_data",
    "view_values",
]

#: How many rows, turns and items there are in tables.
TableSizes = tuple[int, int, int]

#: Longer runs are not written out for a page without scripts.
_MOST_LINES: Final = 500

#: Why a room closed, in words.
_CLOSED: Final = {
    "completed": "the work was completed",
    "quiet": "nobody was left to speak",
    "max_turns": "the most turns were played",
    "script": "the script was at its end",
    "stopped": "it was stopped",
    "failed": "it failed",
}


@frozen(kw_only=True)
class RunData:
    """One run for the page. ``text`` is its data as JSON, ``first`` what the first viewer is shown.

    ``rows`` and ``rowless`` count what that viewer sees: messages, and turns that became none.
    ``mismatches`` counts what came out otherwise; ``lines`` are the rows, for a page without
    scripts. ``title`` is empty where it is for others.
    """

    path: str
    title: str
    kind: str
    status: str
    rows: int
    rowless: int
    mismatches: int
    text: str = field(repr=False)
    lines: tuple[str, ...] = field(default=(), repr=False)


def run_data(source: Source, path: str, viewer: Viewer = OPERATOR) -> RunData:
    """Return a run as the page shows it, under the path that is to be shown.

    For the operator it holds a view for each seat as well; for a seat, its view and nothing else.
    """
    widest = source.view(viewer)
    viewers = [viewer]
    if viewer == OPERATOR:
        viewers += [Viewer("agent", seat) for seat in widest.seats or _authors(widest)]
    # A title is written by who knows all, so it may tell what a seat may not read.
    scenario = source.replay.scenario if source.replay and viewer == OPERATOR else None
    title = one_line(scenario.title) if scenario else ""
    tables = Tables(widest)
    views = [
        view_values(source, one, *tables.places(one))
        for one in (widest if one == viewer else source.view(one) for one in viewers)
    ]
    status = _status(source)
    head = head_values(
        widest, path, status, title=title, about=printable(scenario.why) if scenario else ""
    )
    return RunData(
        path=one_line(path),
        title=title,
        kind=widest.kind,
        status=status,
        rows=sum(item.hidden or 1 for item in widest.items if item.is_row),
        rowless=sum(not item.is_row for item in widest.items),
        mismatches=len(source.replay.mismatches) if source.replay else 0,
        text=joined(head, tables, views),
        lines=tuple(_plain_lines(widest)) if len(widest.items) <= _MOST_LINES else (),
    )


def head_values(
    widest: RunView, path: str, status: str, *, title: str = "", about: str = ""
) -> Json:
    """Return what the page says of a run as a whole, whoever reads it."""
    return {
        "path": one_line(path),
        "kind": widest.kind,
        "status": status,
        **known(title=title, why=about, order=widest.order),
    }


def _status(source: Source) -> str:
    if source.damage is not None:
        return "damaged"
    if source.replay is None:
        return "read"
    return "passed" if source.replay.ok else "failed"


def _plain_lines(view: RunView) -> Iterator[str]:
    """Yield a line for each item, for those who read the page without its scripts."""
    for item in view.items:
        name = one_line(lane_of(item.facts["author"])[1])
        audience = item.facts.get("audience", "desk")
        whom = audience if isinstance(audience, str) else ", ".join(map(one_line, audience))
        if item.row is not None:
            yield f"[{item.sequence}] {name} → {whom}: {printable(item.row.content)}"
        elif item.stub is not None:
            yield f"[{item.sequence}] {name} → {whom}: private, {counted(item.hidden, 'message')}"
        else:
            yield f"(turn {item.turn}) {name}: {item.facts['outcome']}"


def _authors(view: RunView) -> list[str]:
    """Return the seats of a run that does not know its desk: who spoke, and who was addressed."""
    found: dict[str, None] = {}
    for item in view.items:
        author, audience = item.facts["author"], item.facts.get("audience", "desk")
        if author["type"] == "agent":
            found[author["id"]] = None
        found.update(dict.fromkeys([] if isinstance(audience, str) else audience))
    return list(found)


def joined(head: Json, tables: Tables, views: list[Json], behind: TableSizes = (0, 0, 0)) -> str:
    """Return all of a run's data as JSON: what is encoded already is not encoded again.

    Of the tables only what was added ``behind`` so many rows, turns and items.
    """
    rows, turns, items = behind
    parts = [
        dumped({**head, "lanes": tables.lanes})[:-1],
        f'"views":{dumped(views)}',
        f'"rows":{tables.rows.text(rows)}',
        f'"turns":{tables.turns.text(turns)}',
        f'"items":{tables.items.text(items)}}}',
    ]
    return ",".join(parts)


def dumped(value: Any) -> str:  # noqa: ANN401 - JSON-ready values
    """Return a value as JSON in as few characters as that takes."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# --- tables that views share ------------------------------------------------------------------


@define
class _Table:
    """Distinct values, each encoded once and known by its place."""

    encoded: list[str] = field(factory=list)
    places: dict[bytes, int] = field(factory=dict)

    def add(self, value: Json) -> int:
        """Return the place of a value, which is added if it is new."""
        text = dumped(value)
        key = sha256(text.encode()).digest()
        place = self.places.setdefault(key, len(self.encoded))
        if place == len(self.encoded):
            self.encoded.append(text)
        return place

    def text(self, behind: int = 0) -> str:
        """Return the table as a JSON list, or what was added behind the first values of it."""
        return f"[{','.join(self.encoded[behind:])}]"


class Tables:
    """The tables of a run, to which a run that grows only adds.

    Lanes are those of the widest view, so no other can add one.
    """

    def __init__(self, widest: RunView) -> None:
        self.rows, self.turns, self.items = _Table(), _Table(), _Table()
        self.lanes: list[Json] = []
        self._lanes: dict[LaneKey, int] = {}
        self._seen: dict[tuple[int | None, int | None], list[tuple[ViewItem, int]]] = {}
        for key, label in _members(widest):
            self._lane(key, label)
        self.grow(widest)

    @property
    def sizes(self) -> TableSizes:
        """How many rows, turns and items there are."""
        return len(self.rows.encoded), len(self.turns.encoded), len(self.items.encoded)

    def grow(self, widest: RunView) -> None:
        """Add the lanes of whoever acts in more of the widest view."""
        for item in widest.items:
            self._lane(lane_of(item.facts["author"]))

    def _lane(self, key: LaneKey, label: str | None = None) -> int:
        if key not in self._lanes:
            self._lanes[key] = len(self.lanes)
            type_, name = map(one_line, key)
            shown = one_line(label) if label and label != key[1] else None
            self.lanes.append({"type": type_, "name": name, **known(label=shown)})
        return self._lanes[key]

    def places(self, view: RunView) -> tuple[list[int], list[int]]:
        """Return where the items of one viewer's view stand in the tables.

        And, for the operator, the line of the file of each, or 0: the lines between two rows would
        tell a seat of calls that are not its own.
        """
        found = list(_with_events(view))
        places = [
            self._item(item, view) if isinstance(item, ViewItem) else self._event(*item)
            for item in found
        ]
        return places, [_line(item) for item in found] if view.viewer == OPERATOR else []

    def _item(self, item: ViewItem, view: RunView) -> int:
        known_items = self._seen.setdefault((item.sequence, item.turn), [])
        for other, place in known_items:
            if other == item:
                return place
        lane = self._lane(lane_of(item.facts["author"]))
        values = item_values(item, lane)
        row, turn = row_values(item, view.directory), turn_values(item)
        if row is not None:
            values["row"] = self.rows.add(row)
        if turn is not None:
            values["did"] = self.turns.add(turn)
        place = self.items.add(values)
        known_items.append((item, place))
        return place

    def _event(self, what: str, seat: str, values: Json) -> int:
        return self.items.add({"what": what, "lane": self._lane(("agent", seat)), **values})


def view_values(source: Source, view: RunView, places: Sequence[int], lines: Sequence[int]) -> Json:
    """Return one viewer's view, as places in the tables."""
    seat = view.viewer.id
    closed = view.run.get("closed")
    return {
        "spans": list(_spans(places)),
        **known(
            seat=None if seat is None else one_line(seat),
            lines=list(lines) if any(lines) else [],
            closed=closed,
            closed_why=_CLOSED.get(closed or ""),
            failure=None if view.failure is None else printable(view.failure),
            damage=_damage(source, view.viewer),
            audit=audit_values(source.whole, view.viewer),
            mismatches=list(mismatch_values(source.replay, view.viewer)),
            unused=[turn.label for turn in source.replay.unused] if source.replay else [],
        ),
    }


def _line(item: ViewItem | Event) -> int:
    """Return the line of the file on which an item stands, or 0."""
    return item.line or 0 if isinstance(item, ViewItem) else 0


def _members(view: RunView) -> Iterator[tuple[LaneKey, str | None]]:
    """Yield who is on the desk, people first, each with the name it is called by."""
    if view.directory is None:
        return
    roster = view.directory.roster
    yield from ((("person", person.id), person.label) for person in roster.people)
    yield from ((("agent", member.id), member.name) for member in roster.members)


def _damage(source: Source, viewer: Viewer) -> str | None:
    """Return what is wrong with a journal; what stands in the line is for the operator only."""
    if source.damage is None:
        return None
    if viewer == OPERATOR:
        return printable(f"line {source.damage.line}: {source.damage.problem}")
    return f"line {source.damage.line} is wrong"


def _spans(places: Sequence[int]) -> Iterator[list[int]]:
    """Yield each stretch of places that follow one another, as the first and how many."""
    start = 0
    for at in range(1, len(places) + 1):
        if at == len(places) or places[at] != places[at - 1] + 1:
            yield [places[start], at - start]
            start = at


# --- what is no item of its own ---------------------------------------------------------------

#: What happened beside the items: what it is, whose, and its values.
Event = tuple[str, str, Json]


def _with_events(view: RunView) -> Iterator[ViewItem | Event]:
    """Yield the items with each late call before the first row that came after it.

    Behind them stand calls in turns that were never the caller's, and the turn that has not ended.
    """
    late = deque(sorted(_late_calls(view.turns), key=lambda found: found[0]))
    for item in view.items:
        if item.sequence is not None:
            while late and late[0][0] < item.sequence:
                yield _late(late.popleft()[1])
        yield item
    yield from (_late(call) for _, call in late)
    yield from (_late(call) for call in view.stray)
    if view.open is not None:
        yield _open(view.open)


def _late_calls(turns: Iterable[RunTurn]) -> Iterator[tuple[int, CallEntry]]:
    for turn in turns:
        calls = (call for call in turn.calls if call.late)
        yield from zip(turn.late_after, calls, strict=False)


def _late(call: CallEntry) -> Event:
    return "late", call.seat, {"turn": call.turn, "call": call_values(call)}


def _open(turn: RunTurn) -> Event:
    calls = [call_values(call) for call in turn.calls]
    values = known(trigger=turn.trigger, hop=turn.hop, calls=calls)
    return "open", turn.seat, {"turn": turn.number, **values}
