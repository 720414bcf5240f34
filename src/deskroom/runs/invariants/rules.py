"""The invariants, each by a name and a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from attrs import frozen

__all__ = ["INVARIANTS", "Broken"]

#: What holds in every run: the name of each invariant, and what it says.
INVARIANTS: Final[Mapping[str, str]] = {
    "one-row": "Each row stands once: sequences count from 1, and a turn has one row or none.",
    "one-turn": "One turn is open at a time; turns and their attempts count on without a gap.",
    "row-first": "A turn is granted because of a row that stands there already, and gave it.",
    "files-first": "The row about files comes right behind the turn that left them.",
    "routed-first": "A broadcast is routed before anything else is granted.",
    "hop": "A turn has the hop that its row gave: 0 after a person, one more after a mention.",
    "hop-bound": "No turn has a hop above max_hops.",
    "order": "The next turn is the next in the list, or the pending one, else the first queued.",
    "max-turns": "No more turns are granted than max_turns.",
    "outcome": "A turn ends as its calls and its seat say: spoke, silent, refused or failed.",
    "last-call": "The row of a turn is its last accepted call, word for word, to whom it went.",
    "reply": "A call is answered by the first rule that applies to it.",
    "late": "A call outside its turn changes nothing and is answered as such.",
    "decision": "A row hands on the turn by the first rule of dispatch that applies.",
    "mentions": "An aside mentions its members alone; a row mentions whom its text names.",
    "recipients": "A broadcast goes to the best candidates by their scores, in their order.",
    "person": "A person's row goes to the first seat that it names, or to the lead, at hop 0.",
    "nudge": "The chair nudges the seat that the rule for its number names.",
    "rounds": "The chair nudges only where nobody is next or its cadence is due, rounds times.",
    "retry": "Only a silent turn is granted again, once, where the policy says so.",
    "queues": "A room closes quiet only when nobody is pending, queued or to be nudged.",
    "close": "A room closes for the first reason that applies, and nothing but a person follows.",
    "privacy": "Nobody is given or told the words of a row that they may not read.",
    "history": "A seat is given the rows that its window and its last turn say, and no other.",
    "resume": "A room that was killed goes on to the entries of a run that nobody disturbed.",
    "fold": "Folding the entries, as a journal holds them, gives the room that wrote them.",
    "verified": "Every line of the journal is what the rules give.",
    "ends": "A run ends, and nothing fails in the host.",
}


@frozen
class Broken:
    """An invariant that a run broke: its name, how, and the line of the journal, from 1."""

    name: str
    problem: str
    entry: int
