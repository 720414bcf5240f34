"""What may come out otherwise in a run: each turn of a seat as it is drawn for that run.

A run first draws how much of each kind of disturbance it has, within the bounds of ``[explore]``; a
turn then takes its share. What is drawn is a listed turn like any other, so a run can be written
down as a scenario.
"""

from __future__ import annotations

from typing import Final, Literal

from attrs import define, evolve, frozen

from deskroom.engine.setup import Setup
from deskroom.explore.draws import Draws
from deskroom.explore.talk import Talk, person_words
from deskroom.scenario.format.explore import Explore
from deskroom.scenario.format.model import Call, Meanwhile, Turn
from deskroom.scenario.play.resume import listed_calls
from deskroom.speech.tools import BROADCAST, POST, served

__all__ = ["Budget", "Varying"]

#: One in so many turns takes a disturbance of each kind, as long as the run has some left.
_ODDS: Final = 4
_FAULTS: Final = ("silent", "crashes", "narrates", "refused", "refused first")
_CRASH: Final = "explored: the seat crashed"


@define
class Budget:
    """How much of each kind of disturbance a run still has."""

    delays: int
    late: int
    people: int
    faults: int
    scores: int

    @classmethod
    def drawn(cls, bounds: Explore, draws: Draws) -> Budget:
        """Draw how much one run has."""
        return cls(
            delays=draws.below(bounds.delays + 1),
            late=draws.below(bounds.late + 1),
            people=draws.below(bounds.people + 1),
            faults=draws.below(bounds.faults + 1),
            scores=draws.below(bounds.scores + 1),
        )


@frozen(eq=False)
class Varying:
    """Draws turns of one desk."""

    setup: Setup
    talk: Talk

    def turn(self, turn: Turn, budget: Budget, draws: Draws) -> Turn:
        """Return a turn as it comes in one run; what it uses up is taken from the budget."""
        if len(turn.one_of) > 1:
            turn = turn.doing(turn.one_of[draws.below(len(turn.one_of))])
        if budget.faults and draws.below(_ODDS) == _ODDS - 1:
            budget.faults -= 1
            turn = self._fault(turn, draws)
        if budget.late and draws.below(_ODDS) == _ODDS - 1:
            budget.late -= 1
            turn = self._late(turn, draws)
        if budget.delays and draws.below(_ODDS) == _ODDS - 1:
            budget.delays -= 1
            turn = evolve(turn, takes=self._takes(draws))
        if budget.people and self.setup.people and draws.below(_ODDS) == _ODDS - 1:
            budget.people -= 1
            turn = self._person(turn, draws)
        if budget.scores and _broadcasts(turn) and draws.below(2):
            budget.scores -= 1
            turn = evolve(turn, scores=self.talk.scores(draws))
        return turn

    def said(self, turn: Turn, number: int, draws: Draws) -> Turn:
        """Return a turn in which all that its seat says is drawn."""
        return self.talk.turn(self.setup.by_id[turn.seat or ""], number, draws)

    def _fault(self, turn: Turn, draws: Draws) -> Turn:
        """The seat says nothing, crashes, narrates, or makes a call that is refused, alone or first."""
        match _FAULTS[draws.below(len(_FAULTS))]:
            case "silent":
                return evolve(turn, say=None, calls=(), text=None, crash=None)
            case "crashes":
                return evolve(turn, crash=_CRASH)
            case "narrates":
                return evolve(turn, say=None, calls=(), text="thinking aloud", crash=None)
            case "refused":
                return evolve(turn, say=None, calls=(self.talk.call(draws),))
            case _:
                calls = (self.talk.call(draws), *listed_calls(turn))
                return evolve(turn, say=None, calls=calls)

    def _late(self, turn: Turn, draws: Draws) -> Turn:
        """A call of the turn is made again: at once, or too late."""
        calls = listed_calls(turn)
        call = calls[draws.below(len(calls))] if calls else _greeting()
        if draws.below(2) == 0 or not calls:
            return evolve(turn, late=(*turn.late, call))
        return evolve(turn, say=None, calls=(*calls, call))

    def _takes(self, draws: Draws) -> float:
        """A while, all but the deadline, the deadline itself, or long past it."""
        timeout_s = self.setup.policy.turn_timeout_s
        choices = (timeout_s / 2, timeout_s, timeout_s * 1.25, timeout_s * 3, timeout_s / 8)
        return choices[draws.below(len(choices))]

    def _person(self, turn: Turn, draws: Draws) -> Turn:
        """A person speaks before, between or behind the calls, or once the turn has ended."""
        people = self.setup.people
        person = people[draws.below(len(people))].id
        words = person_words(self.setup, draws)
        calls = len(listed_calls(turn))
        place = draws.below(calls + 2)
        at: int | Literal["end"] = "end" if place == 0 else place - 1
        # A seat that sleeps past its deadline makes no call in time.
        if turn.takes >= self.setup.policy.turn_timeout_s:
            at = 0
        spoken = Meanwhile(person=person, say=words, at=at)
        return evolve(turn, meanwhile=(*turn.meanwhile, spoken))


def _broadcasts(turn: Turn) -> bool:
    return any(call.tool == served(BROADCAST) for call in turn.calls)


def _greeting() -> Call:
    return Call(tool=served(POST), arguments={"message": "hello"})
