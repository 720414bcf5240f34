"""The room that a transcript is audited in: its own, or one made of those who speak."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from deskroom.core import Audience, Author, Person
from deskroom.core.aside import AsidePolicy
from deskroom.core.text import is_blank
from deskroom.engine.policy import Policy
from deskroom.engine.setup import Seat, Setup, check_setup
from deskroom.runs.view import RunView

__all__ = ["FITTED", "setup_of"]

_MANY: Final = 2**31 - 1
#: What a transcript is audited by whose policy is not known: it may be long, and hold asides.
FITTED: Final = Policy(
    aside=AsidePolicy(enabled=True, max_members=_MANY, max_messages=_MANY), max_turns=_MANY
)


def setup_of(view: RunView, policy: Policy | None = None) -> Setup:
    """Return the room of a view: its desk, or one made of those who speak and are spoken to.

    An agent that is not at a known desk becomes a retired seat: it may stand there, and never acts.
    Raises ``UsageError`` for a ``policy`` that the desk cannot have.
    """
    policy = policy or view.policy or FITTED
    seats = {} if view.directory is None else _seats_of(view)
    known = bool(seats)
    people = {} if view.directory is None else {p.id: p for p in view.directory.roster.people}
    for author, audience in _parties(view):
        if author.type == "person" and not is_blank(author.id or ""):
            people.setdefault(author.id or "", Person(author.id or "", author.id or ""))
        speaker = [author.id or ""] if author.type == "agent" else []
        for id_ in (*speaker, *audience.members):
            if not is_blank(id_):
                seats.setdefault(id_, Seat(id=id_, retired=known))
    desk = _desk(view)
    setup = Setup(
        desk_id=desk[0],
        desk_name=desk[1],
        seats=tuple(seats.values()),
        people=tuple(people.values()),
        policy=policy,
    )
    check_setup(setup)
    return setup


def _parties(view: RunView) -> Iterator[tuple[Author, Audience]]:
    for item in view.items:
        seen = item.row or item.stub
        if seen is not None:
            yield seen.author, seen.audience


def _seats_of(view: RunView) -> dict[str, Seat]:
    assert view.directory is not None  # noqa: S101 - the caller has looked
    roster = view.directory.roster
    return {
        member.id: Seat(id=member.id, name=member.name, retired=not roster.is_active(member.id))
        for member in roster.members
    }


def _desk(view: RunView) -> tuple[str, str]:
    if view.directory is not None and view.directory.desks.desks:
        desk = view.directory.desks.desks[0]
        return desk.id, desk.name
    chat = next((item.row.chat_id for item in view.items if item.row is not None), "")
    reserved = chat.lower() in {"", "main", "general"}
    return ("room", "room") if reserved else (chat, chat)
