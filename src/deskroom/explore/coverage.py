"""What the runs of an exploration reached, and what none of them did.

A property that holds in runs that never met a desk's limits says little. So each word that a run can
come to is counted: how turns ended, how calls were answered, who was next and why not, why rooms
closed, and what was done to them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from deskroom.core.dispatch import NoTurn
from deskroom.core.reasons import (
    OK,
    AsideReason,
    CallFault,
    CloseReason,
    NoTurnReason,
    Outcome,
    RowKind,
)
from deskroom.engine.entries import CallEntry, CloseEntry, EndEntry, Entry, RowEntry, TurnEntry
from deskroom.engine.policy import Policy
from deskroom.engine.setup import Setup
from deskroom.scenario.format.explore import Explore

__all__ = ["GROUPS", "count_entries", "impossible", "limits_never_met"]

#: Each group of words that is counted, in the order in which they are shown.
GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "rows": tuple(map(str, RowKind)),
    "outcomes": tuple(map(str, Outcome)),
    "replies": (OK, *map(str, CallFault), *map(str, AsideReason)),
    "published asides": tuple(map(str, AsideReason)),
    "decisions": ("turn", *map(str, NoTurnReason)),
    "closes": tuple(
        str(one) for one in CloseReason if one not in {CloseReason.STOPPED, CloseReason.FAILED}
    ),
    "disturbances": ("late calls", "granted again", "kills", "people in a turn"),
}


def count_entries(counts: Counter[tuple[str, str]], entries: Iterable[Entry], kills: int) -> None:
    """Add what one run reached."""
    is_open = False
    for entry in entries:
        if isinstance(entry, CallEntry):
            counts["replies", entry.reply] += 1
            if entry.late:
                counts["disturbances", "late calls"] += 1
        elif isinstance(entry, RowEntry):
            counts["rows", entry.kind] += 1
            if entry.kind is not RowKind.WROTE:
                decision = entry.decision
                word = str(decision.reason) if isinstance(decision, NoTurn) else "turn"
                counts["decisions", word] += 1
            if entry.kind is RowKind.SEAT:
                counts["outcomes", "spoke"] += 1
                is_open = False
            elif entry.kind is RowKind.PERSON and is_open:
                counts["disturbances", "people in a turn"] += 1
            if entry.refusal is not None:
                counts["published asides", entry.refusal] += 1
        elif isinstance(entry, TurnEntry):
            is_open = True
            if entry.attempt > 1:
                counts["disturbances", "granted again"] += 1
        elif isinstance(entry, EndEntry):
            counts["outcomes", entry.outcome] += 1
            is_open = False
        elif isinstance(entry, CloseEntry):
            counts["closes", entry.reason] += 1
    if kills:
        counts["disturbances", "kills"] += kills


def impossible(setup: Setup, bounds: Explore) -> frozenset[tuple[str, str]]:
    """Return what no run of a desk can come to within these bounds, so that it is not missed."""
    script = setup.script
    is_listed = script is not None and script.listed
    policy, aside = setup.policy, setup.policy.aside
    no: set[tuple[str, str]] = {
        ("decisions", "hop_overflow"),
        ("replies", "not_your_turn"),
        # A person's message is dispatched to somebody as long as a seat acts.
        ("decisions", "no_active_seat"),
        # No mention is of its author, and none of a seat that acts no more.
        ("decisions", "self_mention"),
        ("decisions", "target_inactive"),
    }
    can_be_inactive = is_listed and len(setup.active) < len(setup.seats)
    if not can_be_inactive:
        no.add(("decisions", "source_inactive"))
    if bounds.talk:
        # What is drawn has no end.
        no.add(("closes", "script"))
    # A call to a seat that acts no more is refused before its privacy is looked at.
    words = {str(reason) for reason in AsideReason}
    possible = words - {"target_inactive", "target_not_on_desk", "author_not_on_desk", "self_only"}
    possible -= set() if can_be_inactive else {"source_inactive"}
    possible = {"disabled"} if not aside.enabled else possible - {"disabled"}
    possible -= set() if aside.require_thread else {"thread_required"}
    possible -= set() if aside.must_surface else {"unsettled_aside"}
    if aside.max_members >= len(setup.active) - 1:
        possible -= {"audience_too_large"}
    no |= {("published asides", word) for word in words}
    no |= {("replies", word) for word in words}
    group = "replies" if policy.on_refused_aside == "refuse" else "published asides"
    no -= {(group, word) for word in possible}
    if policy.dispatch.enabled:
        no.add(("decisions", "disabled"))
    if not policy.chair.rounds or is_listed:
        no.add(("rows", "nudge"))
    if policy.silence != "retry" and not bounds.kills:
        no.add(("disturbances", "granted again"))
    if not bounds.kills:
        no.add(("disturbances", "kills"))
    if not (bounds.people and setup.people):
        no.add(("disturbances", "people in a turn"))
    if setup.opening is None:
        no.add(("rows", "opening"))
    if is_listed:
        no |= {("closes", "quiet")}
    return frozenset(no)


def limits_never_met(setup: Setup, counts: Mapping[tuple[str, str], int]) -> list[str]:
    """Return the limits that a policy sets and that no run met, each as a clause.

    Of limits that are at their defaults nothing is said: nobody chose them for this desk.
    """
    policy, usual = setup.policy, Policy()
    is_listed = setup.script is not None and setup.script.listed
    refused = "replies" if policy.on_refused_aside == "refuse" else "published asides"
    asides, surface = policy.aside.enabled, policy.aside.must_surface
    chair = policy.chair.rounds > 0 and not is_listed
    limits = (
        (asides, refused, "budget_spent", "policy.aside.max_messages"),
        (asides, refused, "audience_too_large", "policy.aside.max_members"),
        (asides and surface, refused, "unsettled_aside", "policy.aside.must_surface"),
        (
            policy.dispatch.enabled and policy.dispatch.max_hops != usual.dispatch.max_hops,
            "decisions",
            "hop_limit_reached",
            "policy.dispatch.max_hops",
        ),
        (policy.max_turns != usual.max_turns, "closes", "max_turns", "policy.max_turns"),
        (policy.max_calls != usual.max_calls, "replies", "too_many_calls", "policy.max_calls"),
        (
            policy.max_message_bytes != usual.max_message_bytes,
            "replies",
            "message_too_large",
            "policy.max_message_bytes",
        ),
        (
            policy.turn_timeout_s != usual.turn_timeout_s,
            "outcomes",
            "timed_out",
            "policy.turn_timeout_s",
        ),
        (chair, "rows", "nudge", "policy.chair.rounds"),
    )
    return [
        f"{key} was never met ({word})"
        for applies, group, word, key in limits
        if applies and not counts.get((group, word))
    ]
