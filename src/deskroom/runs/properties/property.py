"""What a property says, as the file has it."""

from __future__ import annotations

from typing import Literal

from attrs import field, frozen

from deskroom.runs.properties.matcher import Audiences, Matcher, OneOf

__all__ = ["Property"]


@frozen(kw_only=True, cache_hash=True)
class Property:
    """A name, and one thing that must hold: of every step, of some, of none, or of how many.

    Exactly one of ``never``, ``always``, ``eventually``, ``after`` and ``count`` is there. ``when``
    goes with ``always``, ``then`` and ``within`` (in turns) with ``after``, the bounds with
    ``count``. ``path``, ``line`` and ``column`` are where it stands.
    """

    name: str
    never: Matcher | None = None
    always: Matcher | None = None
    when: Matcher | None = None
    eventually: Matcher | None = None
    after: Matcher | None = None
    then: Matcher | None = None
    within: int | None = None
    count: Matcher | None = None
    at_least: int | None = None
    at_most: int | None = None
    path: str = field(default="", eq=False, repr=False)
    line: int = field(default=1, eq=False, repr=False)
    column: int | None = field(default=None, eq=False, repr=False)

    @property
    def kind(self) -> Literal["never", "always", "eventually", "after", "count"]:
        """Which of them it is."""
        if self.never is not None:
            return "never"
        if self.always is not None:
            return "always"
        if self.eventually is not None:
            return "eventually"
        return "after" if self.after is not None else "count"

    @property
    def matchers(self) -> tuple[Matcher, ...]:
        """All of its matchers."""
        parts = (
            self.never,
            self.always,
            self.when,
            self.eventually,
            self.after,
            self.then,
            self.count,
        )
        return tuple(part for part in parts if part is not None)

    @property
    def seats(self) -> tuple[str, ...]:
        """The seats that it asks about by id, each once."""
        named: list[str] = []
        for matcher in self.matchers:
            for wanted in (matcher.seat, matcher.next):
                if isinstance(wanted, OneOf):
                    named += [one for one in wanted.values if isinstance(one, str)]
            if isinstance(matcher.audience, Audiences):
                parties = [one for one in matcher.audience.values if isinstance(one, tuple)]
                named += [seat for party in parties for seat in party]
        return tuple(dict.fromkeys(named))
