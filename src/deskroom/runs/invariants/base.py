"""What the invariants of turns, rows and the close share: the run so far, and what is broken."""

from __future__ import annotations

from typing import Final

from deskroom.engine.setup import Setup
from deskroom.runs.invariants.model import Model, OpenTurn
from deskroom.runs.invariants.rules import Broken

__all__ = ["MOST_BROKEN", "Rules"]

#: So many are enough to see what is wrong; one that is broken makes others look so.
MOST_BROKEN: Final = 20


class Rules:
    """The run so far, and what it broke."""

    def __init__(self, setup: Setup, *, own_router: bool = False) -> None:
        self.broken: list[Broken] = []
        self._model = Model(setup)
        self._setup = setup
        self._own_router = own_router
        self._count = 0
        self._resumed = False
        #: Whether the seat of the open turn has raised.
        self._raised = False

    def _break(self, name: str, problem: str) -> None:
        if len(self.broken) < MOST_BROKEN:
            self.broken.append(Broken(name, problem, self._count))

    def _closed_turn(self, turn: OpenTurn) -> None:
        self._raised = False
        self._model.open = None
        self._model.last = turn

    def _to_nudge(self) -> str | None:
        """Return whom the next nudge is for (scenarios.md, "Chair")."""
        model, active = self._model, self._setup.active
        if (model.nudges + 1) % 2 == 1:
            for seat in active:
                if seat not in model.spoken:
                    return seat
        if model.last_author in active:
            return model.last_author
        return next(iter(active), None)

    def _cadence_is_due(self) -> bool:
        model, policy = self._model, self._setup.policy.chair
        if model.pending is None or policy.every <= 0 or model.since_chair < policy.every:
            return False
        has_chair = policy.by is not None or bool(self._setup.people)
        return model.nudges < policy.rounds and has_chair and self._to_nudge() is not None
