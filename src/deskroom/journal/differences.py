"""What verifying says of an entry that differs from what the rules give: the fact, and a clause."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from attrs import fields

from deskroom.core import Audience, Author, NoTurn, TurnFor
from deskroom.core.reasons import RowKind
from deskroom.engine.due import Await, Due
from deskroom.engine.entries import CloseEntry, Entry, Raised, RoutedEntry, RowEntry, TurnEntry

__all__ = ["describe", "difference"]


def difference(entry: Entry, expected: Entry) -> tuple[str, str]:
    """Return the first fact in which two entries of one kind differ, and a clause about it."""
    return next(
        (name, _clause(name, stands, given))
        for name, stands, given in _facts(entry, expected)
        if stands != given
    )


def _facts(entry: Any, expected: Any) -> Iterator[tuple[str, Any, Any]]:  # noqa: ANN401 - entries
    for attribute in fields(type(entry)):
        stands, given = getattr(entry, attribute.name), getattr(expected, attribute.name)
        if attribute.name == "row":
            yield from _facts(stands, given)
        elif attribute.eq:
            yield attribute.name, stands, given


_NAMES: Final[Mapping[str, str]] = {
    "arguments": "one of the arguments",
    "broadcasting": "broadcasting",
    "call_id": "the number of the call",
    "chat_id": "the desk",
    "completes": "completes",
    "mentions": "the list of mentions",
    "recipients": "the list of recipients",
    "scores": "the list of scores",
    "wrote": "the list of files",
}
#: These may be long, and they are in the journal.
_NOT_SHOWN: Final = frozenset({"arguments", "content", "mentions", "text"})


def _clause(fact: str, stands: object, given: object) -> str:
    name = _NAMES.get(fact, f"the {fact}")
    stands_text, given_text = _plain(stands), _plain(given)
    if fact in _NOT_SHOWN or stands_text == given_text:
        return f"{name} is not what the rules give"
    return f"{name} is {stands_text}; by the rules it is {given_text}"


def _plain(value: object) -> str:
    match value:
        case Author():
            return " ".join(part for part in (value.type, value.id, value.kind) if part)
        case Audience():
            return "the desk" if value.kind == "desk" else f"an aside to {', '.join(value.members)}"
        case NoTurn():
            return f"nobody ({value.reason})"
        case TurnFor():
            return f"{value.target_id} at hop {value.child_hop}"
        case Raised():
            return value.type
        case _:
            return repr(value)


def describe(due: Due) -> str:
    """Return what comes next in a room, as a clause."""
    match due:
        case TurnEntry():
            return f"turn {due.turn} (attempt {due.attempt}) of {due.seat} is due"
        case RowEntry():
            return _ROWS[due.kind].format(who=due.row.author.id, turn=due.turn)
        case RoutedEntry():
            return f"row {due.sequence}, a broadcast, is to be routed"
        case CloseEntry():
            return f"the room closes ({due.reason})"
        case Await.SCORES:
            return "a broadcast is to be routed"
        case Await.PERSON:
            return "the room waits for a person to speak"


_ROWS: Final[Mapping[RowKind, str]] = {
    RowKind.OPENING: "the opening is due",
    RowKind.PERSON: "{who} is to speak",
    RowKind.SEAT: "turn {turn} has a row",
    RowKind.NUDGE: "a nudge is due",
    RowKind.WROTE: "the row about the files of turn {turn} is due",
}
