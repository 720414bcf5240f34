"""A room's entries as JSON values, both ways; ``kind`` says which entry it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from deskroom.core.dispatch import NoTurn, TurnFor
from deskroom.core.mention import Mention
from deskroom.core.reasons import (
    OK,
    AsideReason,
    CallFault,
    CloseReason,
    NoTurnReason,
    Outcome,
    RowKind,
)
from deskroom.core.transcript import Row
from deskroom.engine.arguments import plain
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
from deskroom.errors import WireError
from deskroom.wire.codecs import (
    ANYTHING,
    COUNT,
    INTEGER,
    NUMBER,
    TEXT,
    Json,
    Maybe,
    Plain,
    Word,
    read_field,
)
from deskroom.wire.form import Form, OneOf, form_of
from deskroom.wire.header import Header
from deskroom.wire.mentions import MENTIONS
from deskroom.wire.values import ROW, checked_object

__all__ = ["entry_in", "entry_out"]

_SENT: Final = Plain(ANYTHING.noun, ANYTHING.types, write=plain)
_ENDS: Final = Word(outcome for outcome in Outcome if outcome is not Outcome.SPOKE)


# A row. The mention that a decision chose is one of the row's, so its index says which.


def _row_entry(
    row: Row,
    kind: Any,  # noqa: ANN401 - a RowKind
    decision: Any,  # noqa: ANN401 - as _DECISION reads it
    mentions: tuple[Mention, ...],
    *rest: Any,  # noqa: ANN401 - the fields of RowEntry after these
) -> RowEntry:
    if isinstance(decision, NoTurn):
        return RowEntry(row, kind, decision, mentions, *rest)
    target_id, child_hop, index = decision
    if index is not None and index >= len(mentions):
        raise WireError("is no mention of the row", path="decision.mention", code="range")
    chosen = None if index is None else mentions[index]
    return RowEntry(row, kind, TurnFor(target_id, child_hop, chosen), mentions, *rest)


_DECISION: Final = OneOf(
    "kind",
    {
        "one": Form(
            lambda *parts: parts,
            {"target_id": TEXT, "child_hop": INTEGER, "mention": Maybe(COUNT)},
            tag={"kind": "one"},
        ),
        "none": Form(NoTurn, {"reason": Word(NoTurnReason)}, tag={"kind": "none"}),
    },
    lambda parts: "none" if isinstance(parts, NoTurn) else "one",
)

_ROW_ENTRY: Final = form_of(
    RowEntry,
    make=_row_entry,
    tag={"kind": "row"},
    names={"source": "kind"},
    row=ROW,
    source=Word(RowKind),
    decision=Plain(_DECISION.noun, _DECISION.types, _DECISION.read),
    mentions=MENTIONS,
    refusal=Maybe(Word(AsideReason)),
)


class RowEntryForm:
    """A row entry. Its own kind is its ``source``, since ``kind`` is what all entries have."""

    noun = "an object"
    types = frozenset({dict})

    def read(self, value: Json) -> RowEntry:
        """Read a row entry."""
        return _ROW_ENTRY.read(value)

    def write(self, entry: RowEntry) -> Json:
        """Return a row entry as an object.

        Raises ``WireError`` when the decision's mention is none of the row's.
        """
        out = _ROW_ENTRY.write(entry)
        out["decision"] = _decision_out(entry)
        return out


def _decision_out(entry: RowEntry) -> Json:
    decision, index = entry.decision, None
    if isinstance(decision, NoTurn):
        return {"kind": "none", "reason": str(decision.reason)}
    if decision.mention is not None:
        if decision.mention not in entry.mentions:
            raise WireError("is no mention of the row", path="decision.mention", code="range")
        index = entry.mentions.index(decision.mention)
    return {
        "kind": "one",
        "target_id": decision.target_id,
        "child_hop": decision.child_hop,
        "mention": index,
    }


# All entries


class Scores:
    """The scores of a router, as an object: a number for each candidate, in their order."""

    noun = "an object"
    types = frozenset({dict})

    def read(self, value: Json) -> tuple[tuple[str, float], ...]:
        """Return each candidate with its score."""
        return tuple((seat, read_field(NUMBER, score, seat)) for seat, score in value.items())

    def write(self, scores: Sequence[tuple[str, float]]) -> Json:
        """Return scores as an object. Raises ``WireError`` if one seat has two."""
        out = dict(scores)
        if len(out) != len(scores):
            raise WireError("must name each seat once", path="scores", code="twice")
        return out


_ENTRY: Final = OneOf(
    "kind",
    {
        "header": Header(),
        "turn": form_of(TurnEntry, tag={"kind": "turn"}),
        "call": form_of(
            CallEntry,
            tag={"kind": "call"},
            tool=_SENT,
            arguments=_SENT,
            reply=Word((OK, *CallFault, *AsideReason)),
        ),
        "excess": form_of(ExcessEntry, tag={"kind": "excess"}, calls=COUNT),
        "usage": form_of(
            UsageEntry,
            tag={"kind": "usage"},
            requests=COUNT,
            tokens_in=COUNT,
            tokens_out=COUNT,
        ),
        "end": form_of(EndEntry, tag={"kind": "end"}, outcome=_ENDS),
        "row": RowEntryForm(),
        "routed": form_of(RoutedEntry, tag={"kind": "routed"}, scores=Scores()),
        "close": form_of(CloseEntry, tag={"kind": "close"}, reason=Word(CloseReason)),
    },
    lambda entry: _KINDS[type(entry)],
)
_KINDS: Final[Mapping[type, str]] = {
    HeaderEntry: "header",
    TurnEntry: "turn",
    CallEntry: "call",
    ExcessEntry: "excess",
    UsageEntry: "usage",
    EndEntry: "end",
    RowEntry: "row",
    RoutedEntry: "routed",
    CloseEntry: "close",
}


def entry_out(entry: Entry) -> Json:
    """Return an entry as JSON-ready values; ``kind`` says which it is.

    Raises ``WireError`` for a row whose mentions are out of order, or not those of its decision.
    """
    return _ENTRY.write(entry)


def entry_in(value: object) -> Entry:
    """Read an entry. Raises ``WireError`` for anything that is not exactly one."""
    entry: Entry = _ENTRY.read(checked_object(value, "the line"))
    return entry
