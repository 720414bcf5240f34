"""Who answers a person: the first seat named, or the lead (semantics 4; scenarios, routed order)."""

from __future__ import annotations

from collections.abc import Iterable

from deskroom.core.directory import Directory
from deskroom.core.dispatch import Decision, NoTurn, TurnFor, pinged_agents
from deskroom.core.mention import Mention
from deskroom.core.reasons import NoTurnReason
from deskroom.core.roster import Roster, lead

__all__ = ["direct_responder", "respond_to_person"]


def direct_responder(mentions: Iterable[Mention], roster: Roster) -> str | None:
    """Return the first active agent that is named, by offset; an invalid roster gives None."""
    first = _first_active(mentions, roster)
    return first.target.id if first else None


def respond_to_person(
    mentions: Iterable[Mention], directory: Directory, desk_id: str | None
) -> Decision:
    """Decide who answers a person's row: the direct responder, else the desk's lead, at hop 0."""
    first = _first_active(mentions, directory.roster)
    if first is not None:
        return TurnFor(first.target.id or "", 0, first)
    leader = lead(desk_id, directory.roster, directory.desks)
    return TurnFor(leader, 0) if leader is not None else NoTurn(NoTurnReason.NO_ACTIVE_SEAT)


def _first_active(mentions: Iterable[Mention], roster: Roster) -> Mention | None:
    if roster.fault is not None:
        return None
    active = [m for m in pinged_agents(mentions) if roster.is_active(m.target.id or "")]
    return min(active, key=lambda m: m.offset, default=None)
