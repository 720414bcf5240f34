"""Claims of completion: words that say the work is done, which the rules do not read as that.

Only the tool for it completes. What a seat writes in a message is words, however they
look; elsewhere a room may stop at them. The marks are few and plain, and a user can add others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import regex
from attrs import frozen

from deskroom.errors import UsageError
from deskroom.runs.view import ViewItem

__all__ = ["MARKS", "Claim", "Mark", "claims_of", "parse_claim"]

#: So much of a message is looked at, in characters: its start, and its end.
_MOST: Final = 20_000
#: What an expression of the user's own may take for one message, in seconds.
_MOST_S: Final = 1.0


@frozen
class Mark:
    """What a claim is recognised by: a name for it, and an expression."""

    name: str
    pattern: str

    def stands_in(self, text: str) -> bool:
        """Whether a text holds it; an expression that takes too long does not hold."""
        try:
            return regex.search(self.pattern, text, timeout=_MOST_S) is not None
        except TimeoutError:
            return False


#: The marks, in the order in which they are looked for; the first that stands in a row is named.
MARKS: Final = (
    Mark("TERMINATE", r"\bTERMINATE\b"),
    Mark("DONE", r"(?m)^[ \t*_#>\[(-]*(?:TASK[ _])?DONE\b"),
    Mark("FINAL ANSWER", r"(?im)^[ \t*_#>\[(-]*(?:the )?final answer\b"),
    Mark("ANSWER", r"(?m)^[ \t*_#>\[(-]*ANSWER\b"),
    Mark(
        "is complete",
        r"(?i)\b(?:task|work|job|episode|problem|project) (?:is |has been )?(?:now |all )?"
        r"(?:complete[d]?|done|finished|solved)\b",
    ),
    Mark("all done", r"(?i)\b(?:all done|we are done|we're done|nothing (?:is )?left to do)\b"),
)


def parse_claim(pattern: str) -> Mark:
    """Return a mark of the user's own. Raises ``UsageError`` for what is no expression."""
    try:
        regex.compile(pattern)
    except regex.error as error:
        raise UsageError(f"--claims {pattern!r}: this is no regular expression: {error}") from None
    return Mark(pattern, pattern)


@frozen(kw_only=True)
class Claim:
    """A row that says the work is done, where that did not count.

    ``mark`` is what it was recognised by. ``why`` is ``no_call`` for words alone, and
    ``not_a_participant`` for a completion by a seat whose completion ends nothing: under
    ``close = "all"`` only those of ``policy.participants`` count.
    """

    sequence: int
    seat: str
    mark: str
    why: str


def claims_of(
    items: Iterable[ViewItem], marks: Sequence[Mark], counted: frozenset[str] | None
) -> Iterator[Claim]:
    """Yield the claims in rows by seats. ``counted`` are whose completion counts; None: all."""
    for item in items:
        row = item.row
        if row is None or row.author.type != "agent":
            continue
        seat = row.author.id or ""
        if item.facts.get("completes"):
            if counted is not None and seat not in counted:
                yield Claim(
                    sequence=row.sequence, seat=seat, mark="completion", why="not_a_participant"
                )
            continue
        text = row.content
        if len(text) > 2 * _MOST:
            text = f"{text[:_MOST]}\n{text[-_MOST:]}"
        found = next((mark.name for mark in marks if mark.stands_in(text)), None)
        if found is not None:
            yield Claim(sequence=row.sequence, seat=seat, mark=found, why="no_call")
