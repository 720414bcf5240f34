"""Routers of a room's user: whom a broadcast suits. A router scores; the choice is the engine's."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

from deskroom.engine.routing import check_scores, lexical_scores
from deskroom.engine.setup import Seat
from deskroom.errors import RoomFailure

__all__ = ["Router", "ScriptedRouter", "ask", "lexical"]

#: Scores the candidates (each by id, absent counts as 0) for a message. Higher suits better.
Router = Callable[[str, Sequence[Seat]], Awaitable[Mapping[str, float]]]


async def lexical(message: str, candidates: Sequence[Seat]) -> Mapping[str, float]:
    """Score each seat by the share of the message's words that its own description holds.

    This is the router that a policy names ``lexical``: see ``lexical_scores``.
    """
    return lexical_scores(message, candidates)


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


async def ask(router: Router, message: str, candidates: Sequence[Seat]) -> Mapping[str, float]:
    """Return a router's scores. Raises ``RoomFailure`` when it fails or answers nonsense."""
    try:
        scores = await router(message, tuple(candidates))
    except Exception as error:
        raise RoomFailure(f"the router failed: {error!r}") from error
    return check_scores(scores, candidates)
