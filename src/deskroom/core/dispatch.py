"""Who is next after a row (semantics, section 5)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from attrs import field, frozen
from attrs.validators import ge, instance_of

from deskroom.core.limits import with_sentences
from deskroom.core.mention import Mention
from deskroom.core.reasons import NoTurnReason
from deskroom.core.roster import Roster, validate_roster

__all__ = [
    "Decision",
    "DispatchPolicy",
    "NoTurn",
    "TurnFor",
    "first_pinged_agent",
    "mention_dispatch",
    "pinged_agents",
]

_LAST_HOP: Final = 2**32 - 1


@frozen(kw_only=True, field_transformer=with_sentences)
class DispatchPolicy:
    """Whether a mention starts a turn, and how many hops a chain of mentions may take."""

    enabled: bool = field(default=True, validator=instance_of(bool))
    max_hops: int = field(default=16, validator=[instance_of(int), ge(0)])


@frozen
class TurnFor:
    """One turn for ``target_id`` at ``child_hop``; ``mention`` is what chose it, if one did."""

    target_id: str
    child_hop: int
    mention: Mention | None = None


@frozen
class NoTurn:
    """Nothing is granted; ``reason`` is the first rule that said so."""

    reason: NoTurnReason


Decision = TurnFor | NoTurn


def mention_dispatch(
    policy: DispatchPolicy,
    roster: Roster,
    *,
    hop: int,
    author_id: str,
    mentions: Iterable[Mention],
) -> Decision:
    """Decide who gets the turn after a row by ``author_id`` at ``hop``.

    A bad first mention is never skipped for a later one. Raises ``RosterError`` for an invalid
    roster, once the policy has let the question through.
    """
    if not policy.enabled:
        return NoTurn(NoTurnReason.DISABLED)
    if hop >= policy.max_hops:
        return NoTurn(NoTurnReason.HOP_LIMIT_REACHED)
    validate_roster(roster)
    if not roster.is_active(author_id):
        return NoTurn(NoTurnReason.SOURCE_INACTIVE)
    first = first_pinged_agent(mentions)
    if first is None or first.target.id is None:
        return NoTurn(NoTurnReason.NO_DIRECT_AGENT_MENTION)
    if first.target.id == author_id:
        return NoTurn(NoTurnReason.SELF_MENTION)
    if not roster.is_active(first.target.id):
        return NoTurn(NoTurnReason.TARGET_INACTIVE)
    if hop >= _LAST_HOP:
        return NoTurn(NoTurnReason.HOP_OVERFLOW)
    return TurnFor(first.target.id, hop + 1, first)


def first_pinged_agent(mentions: Iterable[Mention]) -> Mention | None:
    """Return the first mention of an agent that is not quiet: by offset, and as listed on a tie."""
    first: Mention | None = None
    for mention in mentions:
        pings = mention.target.kind == "agent" and not mention.quiet
        if pings and (first is None or mention.offset < first.offset):
            first = mention
    return first


def pinged_agents(mentions: Iterable[Mention]) -> list[Mention]:
    """Return the mentions of agents that are not quiet, in the order given."""
    return [m for m in mentions if m.target.kind == "agent" and not m.quiet]
