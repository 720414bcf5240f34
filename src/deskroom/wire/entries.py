"""Entries as JSON values, both ways. Reading is strict: see ``deskroom.core.wire``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from deskroom.core.wire import (
    Fields,
    decision_in,
    decision_out,
    mention_in,
    mention_out,
    row_in,
    row_out,
)
from deskroom.engine.entries import (
    CallEntry,
    CloseEntry,
    EndEntry,
    Entry,
    HeaderEntry,
    RoutedEntry,
    RowEntry,
    TurnEntry,
)
from deskroom.journal.arguments import encodable
from deskroom.journal.header import header_in, header_out

__all__ = ["entry_in", "entry_out"]

Json = dict[str, Any]

_OUTCOMES: Final = ("silent", "refused", "failed", "timed_out")
_REASONS: Final = ("completed", "quiet", "max_turns", "script", "stopped", "failed")
_ROW_KINDS: Final = ("opening", "person", "seat", "nudge", "wrote")


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
        "tool": encodable(entry.tool),
        "arguments": encodable(entry.arguments),
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
    HeaderEntry: ("header", header_out),
    TurnEntry: ("turn", _turn_out),
    CallEntry: ("call", _call_out),
    EndEntry: ("end", _end_out),
    RowEntry: ("row", _row_out),
    RoutedEntry: ("routed", _routed_out),
    CloseEntry: ("close", _close_out),
}

_READERS: Final[Mapping[str, Callable[[Fields], Entry]]] = {
    "header": header_in,
    "turn": _turn_in,
    "call": _call_in,
    "end": _end_in,
    "row": _row_in,
    "routed": _routed_in,
    "close": _close_in,
}
