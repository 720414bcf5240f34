"""May this utterance be private? The aside policy, as a ladder (semantics, section 6)."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import field, frozen
from attrs.validators import ge, instance_of

from deskroom.core.audience import Audience
from deskroom.core.directory import Directory
from deskroom.core.dispatch import pinged_agents
from deskroom.core.limits import with_sentences
from deskroom.core.mention import Mention
from deskroom.core.reasons import AsideReason
from deskroom.core.roster import effective_members

__all__ = ["AsideInput", "AsidePolicy", "Refused", "aside"]


@frozen(kw_only=True, field_transformer=with_sentences)
class AsidePolicy:
    """When a seat may speak in private. The default allows nothing.

    ``max_members`` counts who is addressed; ``max_messages`` the run of private rows that the
    desk has just seen; ``must_surface`` asks a party to speak to the desk before a new aside.
    """

    enabled: bool = field(default=False, validator=instance_of(bool))
    max_members: int = field(default=0, validator=[instance_of(int), ge(0)])
    max_messages: int = field(default=0, validator=[instance_of(int), ge(0)])
    must_surface: bool = field(default=False, validator=instance_of(bool))
    require_thread: bool = field(default=False, validator=instance_of(bool))


@frozen
class Refused:
    """No aside; ``reason`` is the first rule that said so."""

    reason: AsideReason


@frozen(kw_only=True)
class AsideInput:
    """What a seat asks for, and what the transcript says: see ``Bookkeeping``."""

    author_id: str
    desk_id: str | None
    mentions: tuple[Mention, ...]
    thread_root: int | None = None
    spent: int = 0
    unsettled: bool = False


def aside(policy: AsidePolicy, asked: AsideInput, directory: Directory) -> Audience | Refused:
    """Return the aside's audience, or the first reason against it.

    Raises ``RosterError`` or ``DeskError`` when the policy is on and the directory is invalid.
    """
    if not policy.enabled:
        return Refused(AsideReason.DISABLED)
    directory.validate()
    if not directory.roster.is_active(asked.author_id):
        return Refused(AsideReason.SOURCE_INACTIVE)
    on_desk = effective_members(asked.desk_id, directory.roster, directory.desks)
    if asked.author_id not in on_desk:
        return Refused(AsideReason.AUTHOR_NOT_ON_DESK)
    return _admitted(policy, asked, directory, frozenset(on_desk))


def _admitted(
    policy: AsidePolicy, asked: AsideInput, directory: Directory, on_desk: frozenset[str]
) -> Audience | Refused:
    members: dict[str, None] = {}
    named_self = False
    for id_ in _named(asked.mentions):
        if id_ == asked.author_id:
            named_self = True
        elif id_ not in members:
            if not directory.roster.is_active(id_):
                return Refused(AsideReason.TARGET_INACTIVE)
            if id_ not in on_desk:
                return Refused(AsideReason.TARGET_NOT_ON_DESK)
            members[id_] = None
    if not members:
        return Refused(AsideReason.SELF_ONLY if named_self else AsideReason.NO_AUDIENCE)
    if len(members) > policy.max_members:
        return Refused(AsideReason.AUDIENCE_TOO_LARGE)
    if policy.require_thread and asked.thread_root is None:
        return Refused(AsideReason.THREAD_REQUIRED)
    if asked.spent >= policy.max_messages:
        return Refused(AsideReason.BUDGET_SPENT)
    if policy.must_surface and asked.unsettled:
        return Refused(AsideReason.UNSETTLED_ASIDE)
    return Audience("aside", tuple(members))


def _named(mentions: Iterable[Mention]) -> list[str]:
    return [m.target.id or "" for m in sorted(pinged_agents(mentions), key=lambda m: m.offset)]
