"""One item of a view as plain values for the page: JSON-ready, and every text safe to be shown.

What is not known, or is as it mostly is, is left out. Nothing here looks at a whole run: an item
says what its viewer may know. Of a stub nothing is given but what a stub is (semantics, section 8).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from deskroom.core import Directory
from deskroom.core.episode import ALSO_ROUTED_ABOVE
from deskroom.engine.entries import CallEntry
from deskroom.printable import one_line, printable
from deskroom.runs.notes import RowNote, row_notes
from deskroom.runs.run import RunTurn
from deskroom.runs.view import Routing, ViewItem

__all__ = ["Json", "LaneKey", "call_values", "item_values", "lane_of", "row_values", "turn_values"]

Json = dict[str, Any]
#: Who a lane is for: the type of author, and its id, or its kind.
LaneKey = tuple[str, str]

_KINDS: Final = {"agent": "seat", "person": "person", "system": "wrote", "operator": "person"}


def known(**values: Any) -> Json:  # noqa: ANN401 - JSON-ready values
    """Return the values that say something: no empty list or text, no None and no False."""
    return {
        name: value
        for name, value in values.items()
        if value not in (None, "", [], {}) and value is not False
    }


def lane_of(author: Mapping[str, Any]) -> LaneKey:
    """Return in whose lane an author's rows stand."""
    return author["type"], author.get("id") or author.get("kind") or author["type"]


def item_values(item: ViewItem, lane: int) -> Json:
    """Return what stands in a lane, without the row itself and what is only for its own seat."""
    if item.stub is not None:
        return _stub(item, lane)
    return {
        "what": "row" if item.is_row else "turn",
        "lane": lane,
        **known(
            seq=item.sequence,
            turn=item.turn,
            trigger=item.trigger,
            hop=item.facts.get("hop"),
            outcome=_text(item.facts.get("outcome")),
            why=None if item.is_row else _text(item.why),
            attempt=None if item.run_turn is None else _again(item.run_turn),
            routing=_routing(item.routing, item.facts.get("next")),
        ),
    }


def _again(turn: RunTurn) -> int | None:
    return turn.attempt if turn.attempt > 1 else None


def _stub(item: ViewItem, lane: int) -> Json:
    elided = item.stub.elided if item.stub else None
    assert elided is not None  # noqa: S101 - a stub says what it stands for
    return {
        "what": "stub",
        "lane": lane,
        "seq": item.sequence,
        "through": elided.through,
        "messages": elided.messages,
        **known(to=_names(item.facts["audience"]), settled=elided.settled_at),
    }


def _routing(routing: Routing | None, chosen: Any) -> Json | None:  # noqa: ANN401 - a decision
    if routing is None:
        return None
    ranked = sorted(routing.scores, key=lambda seat: -routing.scores[seat])
    of = chosen if isinstance(chosen, list) else []
    scores = [[one_line(seat), routing.scores[seat], seat in of] for seat in ranked]
    return {"scores": scores, "width": routing.width, "above": ALSO_ROUTED_ABOVE}


# --- the row ----------------------------------------------------------------------------------


def row_values(item: ViewItem, directory: Directory | None) -> Json | None:
    """Return what a row says and what came of it, for all who may read it; None for no row."""
    if item.row is None:
        return None
    facts, row = item.facts, item.row
    notes = row_notes(item, directory)
    following = facts.get("next")
    return {
        "kind": facts.get("kind") or _KINDS[row.author.type],
        "text": _parts(row.content, notes),
        **known(
            to=_names(facts["audience"]),
            notes=[_note(note) for note in notes],
            next=_next(following),
            none=following["none"] if isinstance(following, dict) else None,
            why=_text(item.why),
            completes=facts.get("completes"),
            refusal=_text(facts.get("refusal")),
            settled=item.settled_at,
            parent=row.parent,
        ),
    }


def _parts(content: str, notes: Sequence[RowNote]) -> str | list[str]:
    """Return a text, or its parts: what is between the notes, and at odd places what they mark."""
    if not notes:
        return printable(content)
    parts, at = [], 0
    for note in notes:
        # One `@` may stand inside what another's note shows; each character is shown once.
        start = max(at, note.start)
        end = max(start, note.end)
        parts += [printable(content[at:start]), printable(content[start:end])]
        at = end
    return [*parts, printable(content[at:])]


def _note(note: RowNote) -> Json:
    return {"verdict": note.verdict, "why": printable(note.why), **known(decided=note.decided)}


def _next(following: Any) -> list[str]:  # noqa: ANN401 - a decision
    if isinstance(following, list):
        return [one_line(seat) for seat in following]
    return [one_line(following)] if isinstance(following, str) else []


def _names(audience: str | Sequence[str]) -> list[str]:
    """Return the members of an aside; none for the desk."""
    return [] if isinstance(audience, str) else [one_line(member) for member in audience]


def _text(text: str | None) -> str | None:
    return None if text is None else printable(str(text))


# --- the turn ---------------------------------------------------------------------------------


def turn_values(item: ViewItem) -> Json | None:
    """Return what a seat did in its turn, for those who may know it; None where that is not known."""
    if "replies" not in item.facts:
        return None
    turn, said = item.run_turn, item.row.content if item.row else None
    replies = list(item.facts["replies"])
    calls = [] if turn is None else [call_values(call, said) for call in turn.calls]
    return {
        "calls": calls,
        **known(
            # Where no call is known, or calls were only counted, there is at least how they ended.
            replies=list(map(one_line, replies)) if turn is None or not calls else [],
            more=len(replies) - len(calls) if 0 < len(calls) < len(replies) else None,
            text=printable(item.text),
            wrote=[] if turn is None else [one_line(path) for path in turn.wrote],
            error=None if turn is None or turn.error is None else printable(str(turn.error)),
        ),
    }


def call_values(call: CallEntry, said: str | None = None) -> Json:
    """Return a call with its reply. An argument that became the row's text is given as None."""
    tool = call.tool if isinstance(call.tool, str) else _json(call.tool)
    return {
        "tool": one_line(tool),
        "arguments": list(_arguments(call.arguments, said)),
        "reply": call.reply,
        **known(late=call.late, fence=call.source == "fence"),
    }


def _arguments(arguments: Any, said: str | None) -> Iterator[list[str | None]]:  # noqa: ANN401 - as it was sent
    if not isinstance(arguments, dict):
        yield ["", printable(_json(arguments))]
        return
    for name, value in arguments.items():
        is_said = isinstance(value, str) and said is not None and value.strip() == said
        shown = value if isinstance(value, str) else _json(value)
        yield [one_line(str(name)), None if is_said else printable(shown)]


def _json(value: Any) -> str:  # noqa: ANN401 - as it was sent
    return json.dumps(value, ensure_ascii=False)
