"""Assignments, completion, and who a broadcast goes to (semantics, section 9)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Self

from attrs import evolve, field, frozen

from deskroom.core.audience import Audience, Author, Viewer, admits
from deskroom.errors import EpisodeError

__all__ = [
    "ALSO_ROUTED_ABOVE",
    "Assignment",
    "Episode",
    "broadcast_candidates",
    "choose_recipients",
]

#: A seat other than the best is chosen only when it scores strictly above this.
ALSO_ROUTED_ABOVE: Final = 0.20


@frozen
class Assignment:
    """A participant's latest piece of work. ``number`` counts its assignments from 1."""

    number: int = 1
    is_open: bool = True


@frozen
class Episode:
    """Who still has work. Every participant begins with one open assignment.

    Each step returns a new episode. ``EpisodeError`` has kind ``unknown_participant`` or
    ``stale_assignment``.
    """

    _latest: Mapping[str, Assignment] = field(alias="latest")

    @classmethod
    def begin(cls, participants: Iterable[str]) -> Self:
        """Return a new episode in which everyone has one open assignment."""
        return cls({participant: Assignment() for participant in participants})

    @property
    def participants(self) -> tuple[str, ...]:
        """Who takes part, in the order given."""
        return tuple(self._latest)

    @property
    def is_complete(self) -> bool:
        """Whether every participant's latest assignment is closed."""
        return not any(assignment.is_open for assignment in self._latest.values())

    def latest(self, participant: str) -> Assignment:
        """Return a participant's latest assignment. Raises ``EpisodeError`` for a stranger."""
        assignment = self._latest.get(participant)
        if assignment is None:
            raise EpisodeError("unknown_participant", participant)
        return assignment

    def complete(self, participant: str, number: int | None = None) -> Self:
        """Close a participant's latest assignment; closing it again changes nothing.

        ``number``, if given, is the assignment the event was about: one that is not the latest
        raises ``EpisodeError``.
        """
        latest = self.latest(participant)
        if number is not None and number != latest.number:
            raise EpisodeError("stale_assignment", participant)
        if not latest.is_open:
            return self
        return self._with(participant, evolve(latest, is_open=False))

    def assign(self, participant: str) -> Self:
        """Give a participant a new open assignment, which reopens one that had completed."""
        return self._with(participant, Assignment(self.latest(participant).number + 1))

    def _with(self, participant: str, assignment: Assignment) -> Self:
        return evolve(self, latest={**self._latest, participant: assignment})


def broadcast_candidates(
    author: Author, audience: Audience, active: Sequence[str]
) -> tuple[str, ...]:
    """Return the seats that a broadcast may go to, in the order of ``active``.

    Its author is never one. A private row goes to none that may not read it: a body is never handed
    to a seat that is not admitted (semantics, section 7, step 6).
    """
    seats = [seat for seat in active if seat != author.id]
    return tuple(seat for seat in seats if admits(audience, author, Viewer("agent", seat)))


def choose_recipients(
    candidates: Sequence[str], scores: Mapping[str, float], width: int
) -> tuple[str, ...]:
    """Return who a broadcast goes to, best score first and ties in the order of candidates.

    The best candidate always gets it, even at 0; others only when scored strictly above 0.20, and
    no more than ``width`` seats in all. A candidate without a score has 0.
    """
    ranked = sorted(candidates, key=lambda seat: -scores.get(seat, 0.0))
    others = [seat for seat in ranked[1:] if scores.get(seat, 0.0) > ALSO_ROUTED_ABOVE]
    return tuple([*ranked[:1], *others][:width])
