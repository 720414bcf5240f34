"""Routers: whom a broadcast suits. A router scores; the choice itself is a rule of the core."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final

import regex

from deskroom.core.episode import broadcast_candidates, choose_recipients
from deskroom.core.transcript import Row
from deskroom.engine.setup import Seat, Setup
from deskroom.errors import RoomFailure, hint

__all__ = ["Router", "Routing", "ScriptedRouter", "check_scores", "lexical"]

#: Scores the candidates (each by id, absent counts as 0) for a message. Higher suits better.
Router = Callable[[str, Sequence[Seat]], Awaitable[Mapping[str, float]]]

_WORD: Final = regex.compile(r"[\p{Alphabetic}\p{N}]{3,}")


async def lexical(message: str, candidates: Sequence[Seat]) -> Mapping[str, float]:
    """Score each seat by the share of the message's words that its own description holds.

    A seat's description is its id, name, role and brief; words shorter than three letters and the
    case of letters do not count. Scores run from 0 to 1.
    """
    asked = _words([message])
    return {
        seat.id: _share(asked, _words([seat.id, seat.name, seat.role, seat.brief]))
        for seat in candidates
    }


class ScriptedRouter:
    """A router that knows its answers beforehand: one mapping of scores for each broadcast.

    A broadcast after the last mapping scores 0 everywhere.
    """

    def __init__(self, scores: Iterable[Mapping[str, float]]) -> None:
        self._scores = list(scores)
        self._asked = 0

    async def __call__(
        self,
        message: str,  # noqa: ARG002 - see Router
        candidates: Sequence[Seat],  # noqa: ARG002 - see Router
    ) -> Mapping[str, float]:
        """Return the next mapping."""
        self._asked += 1
        return self._scores[self._asked - 1] if self._asked <= len(self._scores) else {}


class Routing:
    """How one room routes its broadcasts: by a router of its user's, or by the one its policy names."""

    def __init__(self, setup: Setup, router: Router | None) -> None:
        self._setup = setup
        self._router = router

    async def recipients(self, row: Row, cue: int | None) -> tuple[str, ...]:
        """Return who takes up a row, in the order in which they are granted their turns.

        ``cue`` is the place in a script that the row was played from. Raises ``RoomFailure`` when
        the router fails or answers nonsense.
        """
        ids = broadcast_candidates(row, self._setup.active)
        candidates = [self._setup.by_id[seat] for seat in ids]
        scores = await self._scores(row.content, candidates, cue)
        return choose_recipients(ids, scores, self._setup.policy.broadcast.width)

    async def _scores(
        self, message: str, candidates: Sequence[Seat], cue: int | None
    ) -> Mapping[str, float]:
        if self._router is not None:
            return await _asked(self._router, message, candidates)
        if self._setup.policy.broadcast.router == "lexical":
            return await lexical(message, candidates)
        script = self._setup.script
        return script.cues[cue].scores if script and cue is not None else {}


async def _asked(router: Router, message: str, candidates: Sequence[Seat]) -> Mapping[str, float]:
    try:
        scores = await router(message, tuple(candidates))
    except Exception as error:
        raise RoomFailure(f"the router failed: {error!r}") from error
    return check_scores(scores, candidates)


def check_scores(scores: object, candidates: Sequence[Seat]) -> dict[str, float]:
    """Return what a router gave as plain scores.

    Raises ``RoomFailure`` for anything that is not a mapping of candidates to finite numbers: a
    router that answers nonsense must not quietly route to the first seat.
    """
    if not isinstance(scores, Mapping):
        raise RoomFailure(f"the router must return scores by seat id, not {type(scores).__name__}")
    known = [seat.id for seat in candidates]
    checked: dict[str, float] = {}
    for seat, score in scores.items():
        if seat not in known:
            near = hint(str(seat), known)
            raise RoomFailure(f"the router scored {seat!r}, which is no candidate{near}")
        checked[seat] = _number(seat, score)
    return checked


def _number(seat: str, score: object) -> float:
    if isinstance(score, int | float) and not isinstance(score, bool):
        # A whole number may be too large for a float.
        with suppress(OverflowError):
            if math.isfinite(score):
                return float(score)
    raise RoomFailure(f"the router scored {seat!r} as {score!r}, which is no finite number")


def _words(texts: Iterable[str | None]) -> frozenset[str]:
    return frozenset(word.lower() for text in texts if text for word in _WORD.findall(text))


def _share(asked: frozenset[str], known: frozenset[str]) -> float:
    return len(asked & known) / len(asked) if asked else 0.0
