"""A run as a graph, before it is written in any language: who takes part, and what passed.

It is made from what a viewer may know. Each participant has an alias (``s1``, ``p1``, ``o1``), so
that no name is ever part of a graph's own language; a name and a message are labels only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Literal

from attrs import asdict, field, frozen

from deskroom.core.reasons import RowKind
from deskroom.printable import counted, one_line
from deskroom.render.text import shortened
from deskroom.runs.figures import HandOff, hand_offs_of
from deskroom.runs.values import author_value
from deskroom.runs.view import RunView, ViewItem

__all__ = ["Event", "Graph", "Participant", "event_label", "graph_json", "graph_of", "plain_label"]

#: So much of a message and of a name is shown.
_MOST_TEXT: Final = 60
_MOST_NAME: Final = 40

#: Runs of white space, among it what a graph's language takes for the end of a line.
_SPACE: Final = re.compile(r"[\s\x85\u2028\u2029]+")

_ALIASES: Final = {"agent": "s", "person": "p", "operator": "o", "system": "o"}

EventKind = Literal["desk", "aside", "private", "broadcast", "nudge", "wrote", "no_row"]


@frozen
class Participant:
    """Somebody who takes part: a seat, a person, the operator or a part of the system."""

    alias: str
    kind: Literal["agent", "person", "operator", "system"]
    name: str


@frozen(kw_only=True)
class Event:
    """A row, a stub of rows (``private``), or a turn that became no row, with aliases of who it is.

    ``targets`` are whom an arrow goes to: the recipients of a broadcast, the readers of an aside, or
    the seat that a row gives the turn. ``text`` is the message, shortened and on one line; of a
    turn without a row how it ended. ``messages`` is how many rows it stands for. ``is_private``
    says that not everybody may read it; a broadcast may be private as well.
    """

    kind: EventKind
    source: str
    targets: tuple[str, ...] = ()
    row: int | None = None
    turn: int | None = None
    messages: int = 1
    is_private: bool = False
    text: str = field(default="", repr=False)


@frozen(kw_only=True)
class Graph:
    """A run as who takes part, what passed in order, and how often each gave each the turn.

    ``hand_offs`` have aliases, and are None where the turns are not known. ``closed`` is why the
    room closed, if it is known.
    """

    participants: tuple[Participant, ...]
    events: tuple[Event, ...]
    hand_offs: tuple[HandOff, ...] | None
    closed: str | None


class _Names:
    """The participants, each with an alias: seats in desk order, others as they come."""

    def __init__(self, seats: tuple[str, ...]) -> None:
        self.all: dict[str, Participant] = {}
        self._counts = {"s": 0, "p": 0, "o": 0}
        for seat in seats:
            self.alias(seat, "agent")

    def alias(self, value: str, kind: Any) -> str:  # noqa: ANN401 - a kind of author
        """Return the alias of an author, who is called as ``author_value`` says."""
        # A seat may be called what a part of the system is.
        key = value if kind in {"agent", "person"} else f"{kind}\n{value}"
        if key not in self.all:
            letter = _ALIASES[kind]
            self._counts[letter] += 1
            name = value.removeprefix("person:") if kind == "person" else value
            self.all[key] = Participant(f"{letter}{self._counts[letter]}", kind, name)
        return self.all[key].alias


def graph_of(view: RunView) -> Graph:
    """Return the graph of what a viewer may know of a run."""
    names = _Names(view.seats or ())
    events = tuple(_event(item, names) for item in view.items)
    hand_offs = hand_offs_of(view)
    if hand_offs is not None:
        hand_offs = tuple(
            HandOff(
                source=_source(one, names), target=names.alias(one.target, "agent"), turns=one.turns
            )
            for one in hand_offs
        )
    closed = view.run.get("closed")
    return Graph(
        participants=tuple(names.all.values()),
        events=events,
        hand_offs=hand_offs,
        closed=None if closed is None else str(closed),
    )


def _source(hand_off: HandOff, names: _Names) -> str:
    for kind in ("operator", "system"):
        if f"{kind}\n{hand_off.source}" in names.all and hand_off.source not in names.all:
            return names.alias(hand_off.source, kind)
    return names.alias(
        hand_off.source, "person" if hand_off.source.startswith("person:") else "agent"
    )


def _event(item: ViewItem, names: _Names) -> Event:
    seen = item.row or item.stub
    if seen is None:
        outcome = str(item.facts.get("outcome") or "open")
        seat = names.alias(item.seat or "", "agent")
        return Event(kind="no_row", source=seat, turn=item.turn, text=outcome.replace("_", " "))
    source = names.alias(author_value(seen.author), seen.author.type)
    members = tuple(names.alias(member, "agent") for member in seen.audience.members)
    if item.stub is not None:
        return Event(
            kind="private",
            source=source,
            targets=members,
            row=item.sequence,
            messages=item.hidden,
            is_private=True,
        )
    kind, targets = _kind_and_targets(item, members, names)
    return Event(
        kind=kind,
        source=source,
        targets=targets,
        row=item.sequence,
        turn=item.turn,
        is_private=seen.audience.kind != "desk",
        text=shortened(_SPACE.sub(" ", seen.content).strip(), _MOST_TEXT),
    )


def _kind_and_targets(
    item: ViewItem, members: tuple[str, ...], names: _Names
) -> tuple[EventKind, tuple[str, ...]]:
    chosen = item.facts.get("next")
    if isinstance(chosen, list):
        return "broadcast", tuple(names.alias(seat, "agent") for seat in chosen)
    if item.row is not None and item.row.audience.kind != "desk":
        return "aside", members
    targets = (names.alias(chosen, "agent"),) if isinstance(chosen, str) else ()
    kinds: Mapping[object, EventKind] = {RowKind.NUDGE: "nudge", RowKind.WROTE: "wrote"}
    return kinds.get(item.facts.get("kind"), "desk"), targets


# --- labels ------------------------------------------------------------------------------------


def event_label(event: Event) -> str:
    """Return what stands at an event's arrow: its row, what is special of it, and its text."""
    if event.kind == "no_row":
        turn = "a turn" if event.turn is None else f"turn {event.turn}"
        return f"{turn} {event.text}"
    if event.kind == "private":
        count = "" if event.messages == 1 else f", {counted(event.messages, 'message')}"
        return f"{event.row} (private{count})"
    marks = ["aside"] if event.is_private else []
    marks += [event.kind] if event.kind in {"broadcast", "nudge"} else []
    mark = f" ({', '.join(marks)})" if marks else ""
    return f"{event.row}{mark} {event.text}"


def plain_label(participant: Participant) -> str:
    """Return what a participant is called: who is no seat is marked as what it is."""
    name = shortened(one_line(_SPACE.sub(" ", participant.name)).strip(), _MOST_NAME) or "(no name)"
    mark = "" if participant.kind in {"agent", "operator"} else f" ({participant.kind})"
    return f"{name}{mark}"


# --- JSON --------------------------------------------------------------------------------------


def graph_json(graph: Graph) -> dict[str, Any]:
    """Return the graph as JSON-ready values."""
    return {
        "closed": graph.closed,
        "participants": [asdict(one) for one in graph.participants],
        "events": [_event_json(event) for event in graph.events],
        "hand_offs": None if graph.hand_offs is None else [asdict(one) for one in graph.hand_offs],
    }


def _event_json(event: Event) -> dict[str, Any]:
    return {**asdict(event), "targets": list(event.targets)}
