"""Whom a row names, as the host would have it: of words that are a row already.

A private row was let through wherever it comes from, so the aside policy is not asked here.
"""

from __future__ import annotations

from deskroom.core import Decision, Mention, Row, Target, TurnFor, agent, resolve
from deskroom.core.dispatch import first_pinged_agent
from deskroom.core.text import byte_length
from deskroom.engine.setup import Setup
from deskroom.runs.audit_desk import FITTED
from deskroom.speech import (
    CommitRequest,
    Committed,
    Dm,
    Post,
    commit_utterance_to_room,
    publish,
)

__all__ = ["committed_row", "is_handed", "person_mentions"]


def committed_row(setup: Setup, row: Row, seat: str, *, handed_to: object = None) -> Committed:
    """Return what a seat's row is as an utterance: whom its text names, or whom it is addressed to.

    ``handed_to`` is a seat to which the source handed the turn. It counts as an address: where the
    text names no other seat, and only if the seat may read the row.
    """
    committed = _committed(setup, row, seat)
    handed = _handed(setup, row, seat, handed_to)
    if handed is None or first_pinged_agent(committed.mentions) is not None:
        return committed
    return committed._replace(mentions=(*committed.mentions, handed))


def _committed(setup: Setup, row: Row, seat: str) -> Committed:
    if row.audience.kind == "desk":
        return publish(Post(row.content), agent(seat), setup.directory)
    nobody = Committed(row.content, row.audience, ())
    if not row.audience.members:
        return nobody  # it went to people alone
    request = CommitRequest(
        utterance=Dm(row.content, row.audience.members),
        speaker_id=seat,
        directory=setup.directory,
        desk_id=setup.desk_id,
        policy=FITTED.aside,
    )
    committed = commit_utterance_to_room(request)
    return committed if committed.refusal is None else nobody


def _handed(setup: Setup, row: Row, seat: str, to: object) -> Mention | None:
    """Return a hand-off as a mention behind the text. It has no text of its own."""
    if not isinstance(to, str) or to == seat or not setup.directory.roster.is_active(to):
        return None
    if row.audience.kind == "aside" and to not in row.audience.members:
        return None
    return Mention(agent(to), "", byte_length(row.content))


def is_handed(decision: Decision) -> bool:
    """Whether a decision comes from a hand-off that the source recorded."""
    if not isinstance(decision, TurnFor) or decision.mention is None:
        return False
    return not decision.mention.text


def person_mentions(setup: Setup, row: Row, *, is_nudge: bool) -> tuple[Mention, ...]:
    """Return whom the row of anybody but a seat names.

    Of a nudge only the first ``@`` is an address. A private row names those that it is addressed
    to, if its text names none of them.
    """
    author = Target("person", row.author.id) if row.author.type == "person" else None
    found = resolve(row.content, None, author, setup.directory)
    if is_nudge:
        return tuple(mention for mention in found if mention.offset == 0)
    if row.audience.kind == "desk":
        return found
    members = [agent(member) for member in row.audience.members]
    admitted = tuple(mention for mention in found if mention.target in members)
    if first_pinged_agent(admitted) is not None:
        return admitted
    return tuple(Mention(one, f"@{one.id}", at) for at, one in enumerate(members))
