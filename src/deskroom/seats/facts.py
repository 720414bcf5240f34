"""A turn and a transcript as JSON-ready values, as the seat may know them, for any protocol."""

from __future__ import annotations

from typing import Any

from deskroom.core.transcript import SeenRow
from deskroom.engine.messages import Reply
from deskroom.room import Turn
from deskroom.wire import audience_out, author_out, elision_out

__all__ = ["reply_facts", "seen_facts", "turn_facts"]

Json = dict[str, Any]


def seen_facts(seen: SeenRow) -> Json:
    """Return one entry of a transcript; a stub has ``elided`` in place of ``content``."""
    facts: Json = {
        "sequence": seen.sequence,
        "author": author_out(seen.author),
        "audience": audience_out(seen.audience),
    }
    if seen.elided is not None:
        return {**facts, "elided": elision_out(seen.elided)}
    return {**facts, "content": seen.content}


def turn_facts(turn: Turn) -> Json:
    """Return what a seat is given with its turn.

    ``trigger`` is the entry that brought it, or null; ``history`` are the last entries, that one
    included, as the seat may read them; ``note`` says why the turn is granted again, or is null.
    """
    return {
        "turn": turn.number,
        "attempt": turn.attempt,
        "seat": turn.seat.id,
        "hop": turn.hop,
        "brief": turn.brief,
        "note": turn.note,
        "trigger": None if turn.trigger is None else seen_facts(turn.trigger),
        "history": [seen_facts(seen) for seen in turn.history],
    }


def reply_facts(reply: Reply) -> Json:
    """Return the reply to a call; ``rows`` holds what a read returned, ``rejection`` a reason."""
    return {
        "call": reply.call_id,
        "ok": reply.ok,
        "text": reply.text,
        "rejection": reply.rejection,
        "rows": [seen_facts(seen) for seen in reply.rows],
    }
