"""What came out of a turn or a row, key by key, in the words of the scenario format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from deskroom.core import Audience, Author, Target, TurnFor
from deskroom.runs.run import RunItem

__all__ = [
    "TURN_VALUES",
    "audience_value",
    "author_value",
    "mentions_of",
    "next_of",
    "target_value",
]


def next_of(item: RunItem) -> Any:  # noqa: ANN401 - a value of the file format
    """Return a row's own decision: a seat id, ``{none = reason}``, or a broadcast's recipients."""
    entry = item.entry
    if entry is None:
        return None
    if entry.broadcasting:
        return list(item.recipients)
    if isinstance(entry.decision, TurnFor):
        return entry.decision.target_id
    return {"none": entry.decision.reason}


def target_value(target: Target) -> str:
    """Return a mention's target: a seat bare, others with their kind, as ``person:sam``."""
    if target.id is None:
        return target.kind
    return target.id if target.kind == "agent" else f"{target.kind}:{target.id}"


def author_value(author: Author) -> str:
    """Return an author as ``target_value`` spells it; what has no id is called by its kind."""
    if author.type == "person":
        return f"person:{author.id}"
    return author.id or author.kind or author.type


def audience_value(audience: Audience) -> str | list[str]:
    """Return an audience: ``desk``, or the seats of an aside."""
    return "desk" if audience.kind == "desk" else list(audience.members)


def mentions_of(item: RunItem) -> list[str] | None:
    """Return whom a row names, first to last; repeated mentions do not count."""
    if item.entry is None:
        return None
    pinging = [mention for mention in item.entry.mentions if not mention.quiet]
    return [target_value(mention.target) for mention in sorted(pinging, key=lambda m: m.offset)]


def _refusal(item: RunItem) -> str | None:
    """Return the row's refusal; of a turn that became no row, that of the last refused call."""
    if item.entry is not None:
        return item.entry.refusal
    refused = [reply for reply in item.turn.replies if reply != "ok"] if item.turn else []
    return refused[-1] if refused else None


#: What came out for each key of a turn's ``expect``; None where there is no row to ask about.
TURN_VALUES: Final[Mapping[str, Callable[[RunItem], Any]]] = {
    "content": lambda item: item.entry.row.content if item.entry else None,
    "audience": lambda item: audience_value(item.entry.row.audience) if item.entry else None,
    "mentions": mentions_of,
    "next": next_of,
    "completes": lambda item: item.entry.completes if item.entry else None,
    "refusal": _refusal,
    "replies": lambda item: list(item.turn.replies) if item.turn else None,
    "row": lambda item: item.entry is not None,
    "outcome": lambda item: item.turn.outcome if item.turn else None,
}
