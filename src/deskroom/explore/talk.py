"""What seats may say at a desk: a grammar of messages and calls, drawn choice by choice.

It puts mentions of every kind at every edge at which a mention begins or fails to, and calls of
every kind, right and wrong. The first choice of each list is the plainest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from deskroom.core.directory import Directory
from deskroom.engine.policy import Policy
from deskroom.engine.setup import Seat, Setup
from deskroom.explore.draws import Draws
from deskroom.scenario.format.model import Call, Turn
from deskroom.speech.tools import BROADCAST, COMPLETE_EPISODE, DM, POST, READ, served

__all__ = ["Talk", "person_words"]

#: Where a mention stands in a message; {m} is the mention and {n} another.
_EDGES: Final = (
    "{m} go on",
    "{m}",
    "I ask {m}, then {n}.",
    "({m}) and [{n}]",
    "done? {m}!",
    "`{m}` is code, {n} is not",
    "```\n{m}\n```\n{n} look",
    "    {m} in a block\n\n{n}",
    "mail x{m} or **{n}**",
    "{m}{n}",
    "thanks {m}\n{n} too",
)
#: What is wrong with a call: no such tool, arguments that it does not take, and of a wrong type.
_MALFORMED: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("send", {"message": "hello"}),
    (served(POST), {"message": "   "}),
    (served(POST), {"message": "@all look", "to": ["everyone"]}),
    (served(POST), {"message": 7}),
    (served(POST), {}),
    (served(DM), {"to": [], "message": "to nobody"}),
    (served(DM), {"to": "someone", "message": "to one"}),
    (served(DM), {"to": ["nobody-here"], "message": "to a stranger"}),
    (served(READ), {"limit": "all"}),
    (served(BROADCAST), {"message": "x" * 400}),
)
#: How many calls a turn makes.
_COUNTS: Final = (1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 0)
#: What a call is: a word for what takes more than a message, else the tool.
_KINDS: Final = (
    *[served(POST)] * 14,
    *["dm"] * 3,
    "aside",
    served(COMPLETE_EPISODE),
    *[served(BROADCAST)] * 2,
    "read",
    *["wrong"] * 2,
)
#: What a message hands the turn on with: nothing, plainly, or at any edge. Without the second no run
#: would be long.
_FORMS: Final = ("none", "plain", "plain", "plain", "plain", "any", "any", "any")
#: How many seats a private message is addressed to.
_MEMBERS: Final = (1, 1, 1, 1, 2, 2, 4)
#: What is rare comes up once in so many times.
_ODDS: Final = 5
_SCORES: Final = (0.0, 0.1, 0.2, 0.21, 0.5, 0.9)


class Talk:
    """Draws what the seats of one desk do in their turns."""

    def __init__(self, setup: Setup) -> None:
        self._policy: Policy = setup.policy
        self._seats = tuple(seat.id for seat in setup.seats)
        self._mentions = tuple(_mentions(setup.directory, setup.seats))

    def turn(self, seat: Seat, number: int, draws: Draws) -> Turn:
        """Return one turn of a seat. ``number`` makes each private message one of its own."""
        if seat.fence:
            return self._fence_turn(seat, draws)
        count = _COUNTS[draws.below(len(_COUNTS))]
        calls = tuple(self._drawn(f"{number}.{at}", draws) for at in range(1, count + 1))
        text = "thinking aloud" if not calls and draws.below(2) else None
        scores = {}
        if any(call.tool == served(BROADCAST) for call in calls):
            scores = self.scores(draws)
        wrote = ("notes.md",) if draws.below(_ODDS) == _ODDS - 1 else ()
        return Turn(seat=seat.id, calls=calls, text=text, scores=scores, wrote=wrote)

    def scores(self, draws: Draws) -> dict[str, float]:
        """Return scores of a router for some seats."""
        drawn = {seat: _SCORES[draws.below(len(_SCORES))] for seat in self._seats}
        return {seat: score for seat, score in drawn.items() if score}

    def call(self, draws: Draws) -> Call:
        """Return a call that is refused, whatever came before."""
        tool, arguments = _MALFORMED[draws.below(len(_MALFORMED))]
        return Call(tool=tool, arguments=arguments)

    def _fence_turn(self, seat: Seat, draws: Draws) -> Turn:
        message = self._message(draws)
        form = draws.below(4)
        texts = (f"<<<POST\n{message}\nPOST>>>", message, f"<<<POST {message} <<<POST", "")
        return Turn(seat=seat.id, text=texts[form])

    def _drawn(self, number: str, draws: Draws) -> Call:
        draws.begin()
        call = self._call(number, draws)
        draws.end()
        return call

    def _call(self, number: str, draws: Draws) -> Call:
        """Return one call; a private message has the ``number`` in it, so that it is one of its own."""
        match _KINDS[draws.below(len(_KINDS))]:
            case "dm":
                to = self._members(draws)
                message = f"private {number}: {self._message(draws)}"
                return Call(tool=served(DM), arguments={"to": to, "message": message})
            case "aside":
                message = f"!aside private {number}: {self._message(draws)}"
                return Call(tool=served(POST), arguments={"message": message})
            case "read":
                limit = draws.below(4)
                return Call(tool=served(READ), arguments={"limit": limit} if limit else {})
            case "wrong":
                return self.call(draws)
            case tool:
                return Call(tool=tool, arguments={"message": self._message(draws)})

    def _members(self, draws: Draws) -> list[str]:
        """Return to whom a private message goes; it may be its author, or nobody who acts."""
        count = _MEMBERS[draws.below(len(_MEMBERS))]
        return [self._seats[draws.below(len(self._seats))] for _ in range(count)]

    def _message(self, draws: Draws) -> str:
        form = _FORMS[draws.below(len(_FORMS))]
        if form == "none":
            return "hello"
        edge = _EDGES[0] if form == "plain" else _EDGES[draws.below(len(_EDGES))]
        first = self._mention(draws)
        second = self._mention(draws) if "{n}" in edge else first
        return edge.format(m=first, n=second)

    def _mention(self, draws: Draws) -> str:
        is_any = draws.below(_ODDS) == _ODDS - 1
        known = self._mentions if is_any else self._mentions[: len(self._seats)]
        return known[draws.below(len(known))]


def _mentions(directory: Directory, seats: Sequence[Seat]) -> list[str]:
    """Return one mention of everyone and everything, seats first, and some of nobody."""
    found = [f"@{seat.id}" for seat in seats]
    found += [f"@{seat.name}" for seat in seats if seat.name]
    found += [f"@{seat.id.upper()}" for seat in seats[:1]]
    found += [f"@{slug}" for slug in directory.slugs.values() if slug]
    found += [f"@#{desk.id}" for desk in directory.desks.desks]
    return [*dict.fromkeys(found), "@everyone", "@nobody-here", "@"]


#: What a person says who speaks in between.
_PERSON: Final = ("go on", "{m} take over", "stop here, {m}", "@everyone wait", "{m} and {n}")


def person_words(setup: Setup, draws: Draws) -> str:
    """Return what a person says who speaks in between."""
    seats = [f"@{seat.id}" for seat in setup.seats]
    form = _PERSON[draws.below(len(_PERSON))]
    if "{m}" not in form:
        return form
    first = seats[draws.below(len(seats))]
    second = seats[draws.below(len(seats))] if "{n}" in form else first
    return form.format(m=first, n=second)
