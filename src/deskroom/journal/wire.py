"""Entries as JSON values, both ways. Reading is strict: see ``deskroom.core.wire``."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

import cattrs
from attrs import asdict
from cattrs.errors import BaseValidationError

from deskroom.core import Person
from deskroom.core.wire import (
    Fields,
    decision_in,
    decision_out,
    mention_in,
    mention_out,
    row_in,
    row_out,
)
from deskroom.errors import WireError
from deskroom.room.entries import (
    CallEntry,
    CloseEntry,
    EndEntry,
    Entry,
    HeaderEntry,
    RoutedEntry,
    RowEntry,
    TurnEntry,
)
from deskroom.room.policy import Policy
from deskroom.room.seat import Seat
from deskroom.room.setup import Opening, Setup

__all__ = ["FORMAT", "entry_in", "entry_out"]

#: The version of the journal's format; a reader refuses any other.
FORMAT: Final = 1

Json = dict[str, Any]

_OUTCOMES: Final = ("silent", "refused", "failed", "timed_out")
_REASONS: Final = ("completed", "quiet", "max_turns", "script", "stopped", "failed")
_ROW_KINDS: Final = ("opening", "person", "seat", "nudge", "wrote")

_policies: Final = cattrs.Converter(forbid_extra_keys=True)


def entry_out(entry: Entry) -> Json:
    """Return an entry as JSON-ready values; ``kind`` says which it is."""
    kind, write = _WRITERS[type(entry)]
    return {"kind": kind, **write(entry)}


def entry_in(value: object) -> Entry:
    """Read an entry. Raises ``WireError`` for anything that is not exactly one."""
    fields = Fields(value)
    entry = _READERS[fields.word("kind", *_READERS)](fields)
    fields.end()
    return entry


# The header


def _header_out(entry: HeaderEntry) -> Json:
    setup = entry.setup
    return {
        "format": FORMAT,
        "desk": {
            "id": setup.desk_id,
            "name": setup.desk_name,
            "seats": [asdict(seat) for seat in setup.seats],
            "people": [{"id": person.id, "label": person.label} for person in setup.people],
        },
        "policy": _policy_out(setup.policy),
        "opening": None
        if setup.opening is None
        else {"by": setup.opening.by, "message": setup.opening.message},
        "order": entry.order,
        "scenario": entry.scenario,
    }


def _header_in(fields: Fields) -> HeaderEntry:
    if fields.number("format") != FORMAT:
        raise WireError(f"the format is {fields.number('format')}; this program reads {FORMAT}")
    desk = fields.object("desk")
    setup = Setup(
        desk_id=desk.text("id"),
        desk_name=desk.text("name"),
        seats=tuple(_seat_in(seat) for seat in desk.objects("seats")),
        people=tuple(_person_in(person) for person in desk.objects("people")),
        policy=_policy_in(fields),
        opening=_opening_in(fields),
    )
    desk.end()
    if setup.directory.roster.fault is not None or setup.directory.desks.fault is not None:
        raise WireError("the desk is not valid")
    order = None if fields.raw("order") is None else fields.word("order", "listed", "routed")
    return HeaderEntry(setup, order, fields.maybe_text("scenario"))


def _seat_in(fields: Fields) -> Seat:
    seat = Seat(
        id=fields.text("id"),
        name=fields.maybe_text("name"),
        role=fields.maybe_text("role"),
        brief=fields.maybe_text("brief"),
        fence=fields.flag("fence"),
        retired=fields.flag("retired"),
    )
    fields.end()
    return seat


def _person_in(fields: Fields) -> Person:
    person = Person(fields.text("id"), fields.text("label"))
    fields.end()
    return person


def _opening_in(fields: Fields) -> Opening | None:
    if fields.raw("opening") is None:
        return None
    opening = fields.object("opening")
    read = Opening(opening.text("by"), opening.text("message"))
    opening.end()
    return read


def _policy_out(policy: Policy) -> Json:
    out: Json = json.loads(json.dumps(asdict(policy)))
    return out


def _policy_in(fields: Fields) -> Policy:
    raw = fields.raw("policy")
    try:
        policy = _policies.structure(raw, Policy)
    except (BaseValidationError, TypeError, ValueError) as error:
        raise WireError(f"{fields.at('policy')} is not a policy: {error!r}") from None
    # Structuring fills in defaults; writing it again shows a key that was not there.
    if _policy_out(policy) != raw:
        raise WireError(f"{fields.at('policy')} must state every key, and no other")
    return policy


# Turns and calls


def _turn_out(entry: TurnEntry) -> Json:
    return {
        "turn": entry.turn,
        "attempt": entry.attempt,
        "seat": entry.seat,
        "hop": entry.hop,
        "trigger": entry.trigger,
        "cue": entry.cue,
    }


def _turn_in(fields: Fields) -> TurnEntry:
    return TurnEntry(
        turn=fields.number("turn"),
        attempt=fields.number("attempt"),
        seat=fields.text("seat"),
        hop=fields.number("hop"),
        trigger=fields.maybe_number("trigger"),
        cue=fields.maybe_number("cue"),
    )


def _call_out(entry: CallEntry) -> Json:
    return {
        "turn": entry.turn,
        "attempt": entry.attempt,
        "seat": entry.seat,
        "call_id": entry.call_id,
        "tool": _encodable(entry.tool),
        "arguments": _encodable(entry.arguments),
        "reply": entry.reply,
        "late": entry.late,
        "source": entry.source,
    }


def _call_in(fields: Fields) -> CallEntry:
    return CallEntry(
        turn=fields.number("turn"),
        attempt=fields.number("attempt"),
        seat=fields.text("seat"),
        call_id=fields.number("call_id"),
        tool=fields.raw("tool"),
        arguments=fields.raw("arguments"),
        reply=fields.text("reply"),
        late=fields.flag("late"),
        source=fields.word("source", "call", "fence"),
    )


def _encodable(value: object) -> Any:  # noqa: ANN401 - JSON-ready values
    """Return what a seat emitted if JSON can hold it; else what it was, so that it stays refused."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return {"not_json": type(value).__name__}
    return value


def _end_out(entry: EndEntry) -> Json:
    return {
        "turn": entry.turn,
        "attempt": entry.attempt,
        "seat": entry.seat,
        "outcome": entry.outcome,
        "text": entry.text,
        "wrote": list(entry.wrote),
        "error": entry.error,
    }


def _end_in(fields: Fields) -> EndEntry:
    return EndEntry(
        turn=fields.number("turn"),
        attempt=fields.number("attempt"),
        seat=fields.text("seat"),
        outcome=fields.word("outcome", *_OUTCOMES),
        text=fields.text("text"),
        wrote=fields.texts("wrote"),
        error=fields.maybe_text("error"),
    )


# Rows


def _row_out(entry: RowEntry) -> Json:
    return {
        "row": row_out(entry.row),
        "source": entry.kind,
        "decision": decision_out(entry.decision),
        "mentions": [mention_out(mention) for mention in entry.mentions],
        "turn": entry.turn,
        "trigger": entry.trigger,
        "completes": entry.completes,
        "broadcasting": entry.broadcasting,
        "refusal": entry.refusal,
        "cue": entry.cue,
        "wrote": list(entry.wrote),
    }


def _row_in(fields: Fields) -> RowEntry:
    return RowEntry(
        row=row_in(fields.object("row")),
        kind=fields.word("source", *_ROW_KINDS),
        decision=decision_in(fields.object("decision")),
        mentions=tuple(mention_in(mention) for mention in fields.objects("mentions")),
        turn=fields.maybe_number("turn"),
        trigger=fields.maybe_number("trigger"),
        completes=fields.flag("completes"),
        broadcasting=fields.flag("broadcasting"),
        refusal=fields.maybe_text("refusal"),
        cue=fields.maybe_number("cue"),
        wrote=fields.texts("wrote"),
    )


def _routed_out(entry: RoutedEntry) -> Json:
    return {
        "sequence": entry.sequence,
        "recipients": list(entry.recipients),
        "hop": entry.hop,
    }


def _routed_in(fields: Fields) -> RoutedEntry:
    return RoutedEntry(
        sequence=fields.number("sequence"),
        recipients=fields.texts("recipients"),
        hop=fields.number("hop"),
    )


def _close_out(entry: CloseEntry) -> Json:
    return {"reason": entry.reason}


def _close_in(fields: Fields) -> CloseEntry:
    return CloseEntry(fields.word("reason", *_REASONS))


_WRITERS: Final[Mapping[type, tuple[str, Callable[[Any], Json]]]] = {
    HeaderEntry: ("header", _header_out),
    TurnEntry: ("turn", _turn_out),
    CallEntry: ("call", _call_out),
    EndEntry: ("end", _end_out),
    RowEntry: ("row", _row_out),
    RoutedEntry: ("routed", _routed_out),
    CloseEntry: ("close", _close_out),
}

_READERS: Final[Mapping[str, Callable[[Fields], Entry]]] = {
    "header": _header_in,
    "turn": _turn_in,
    "call": _call_in,
    "end": _end_in,
    "row": _row_in,
    "routed": _routed_in,
    "close": _close_in,
}
