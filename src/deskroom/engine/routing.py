"""Whom a broadcast goes to (scenarios, "Broadcast"): who can be reached, scores, and the choice."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final

import regex

from deskroom.core.episode import broadcast_candidates, choose_recipients
from deskroom.core.reasons import NoTurnReason
from deskroom.core.transcript import Row
from deskroom.engine.entries import RoutedEntry, RowEntry
from deskroom.engine.policy import Policy
from deskroom.engine.setup import Seat, Setup
from deskroom.errors import RoomFailure, hint

__all__ = [
    "can_reach",
    "candidates",
    "check_scores",
    "lexical_scores",
    "policy_scores",
    "route",
    "unreachable",
]

_WORD: Final = regex.compile(r"[\p{Alphabetic}\p{N}]{3,}")


def candidates(setup: Setup, row: Row) -> tuple[Seat, ...]:
    """Return the seats that a broadcast's row may go to, in desk order."""
    return tuple(
        setup.by_id[seat] for seat in broadcast_candidates(row.author, row.audience, setup.active)
    )


def can_reach(setup: Setup, row: Row, hop: int) -> bool:
    """Whether a broadcast made in a turn at ``hop`` can reach anybody, so that a router is asked."""
    return unreachable(candidates(setup, row), hop, setup.policy) is None


def unreachable(seats: Sequence[object], hop: int, policy: Policy) -> NoTurnReason | None:
    """Return why a broadcast made in a turn at ``hop`` can reach none of its candidates, if so."""
    if hop >= policy.dispatch.max_hops:
        return NoTurnReason.HOP_LIMIT_REACHED
    return None if seats else NoTurnReason.NO_ACTIVE_SEAT


def policy_scores(setup: Setup, broadcast: RowEntry, cue: int | None) -> Mapping[str, float]:
    """Return the scores of the router that the policy names.

    ``cue`` is the place in the script of the turn that made the broadcast; its scores are there.
    """
    if setup.policy.broadcast.router == "lexical":
        return lexical_scores(broadcast.row.content, candidates(setup, broadcast.row))
    return setup.script.cues[cue].scores if setup.script and cue is not None else {}


def route(setup: Setup, broadcast: RowEntry, scores: Mapping[str, float], hop: int) -> RoutedEntry:
    """Return who takes up a broadcast made in a turn at ``hop``, by the scores of a router.

    A candidate without a score has 0, and scores of other seats do not count.
    """
    ids = [seat.id for seat in candidates(setup, broadcast.row)]
    scored = {seat: float(scores.get(seat, 0)) for seat in ids}
    recipients = choose_recipients(ids, scored, setup.policy.broadcast.width)
    return RoutedEntry(broadcast.row.sequence, tuple(scored.items()), recipients, hop + 1)


def lexical_scores(message: str, seats: Sequence[Seat]) -> dict[str, float]:
    """Score each seat by the share of the message's words that its own description holds.

    A seat's description is its id, name, role and brief; words shorter than three letters and the
    case of letters do not count. Scores run from 0 to 1.
    """
    asked = _words([message])
    return {
        seat.id: _share(asked, _words([seat.id, seat.name, seat.role, seat.brief]))
        for seat in seats
    }


def check_scores(scores: object, seats: Sequence[Seat]) -> dict[str, float]:
    """Return what a router of the room's user gave, as plain scores.

    Raises ``RoomFailure`` for anything that is not a mapping of candidates to finite numbers: a
    router that answers nonsense must not quietly route to the first seat.
    """
    if not isinstance(scores, Mapping):
        raise RoomFailure(f"the router must return scores by seat id, not {type(scores).__name__}")
    known = [seat.id for seat in seats]
    checked: dict[str, float] = {}
    for seat, score in scores.items():
        if seat not in known:
            near = hint(str(seat), known)
            raise RoomFailure(f"the router scored {seat!r}, which is not a candidate{near}")
        checked[seat] = _number(seat, score)
    return checked


def _number(seat: str, score: object) -> float:
    if isinstance(score, int | float) and not isinstance(score, bool):
        # A whole number may be too large for a float.
        with suppress(OverflowError):
            if math.isfinite(score):
                return float(score)
    raise RoomFailure(f"the router scored {seat!r} as {score!r}, which is not a finite number")


def _words(texts: Iterable[str | None]) -> frozenset[str]:
    return frozenset(word.lower() for text in texts if text for word in _WORD.findall(text))


def _share(asked: frozenset[str], known: frozenset[str]) -> float:
    return len(asked & known) / len(asked) if asked else 0.0
