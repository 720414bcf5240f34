"""A roster and its desks, seen as names that a message can address.

The table of aliases is built once for a pair of roster and desks and then only looked up, so the
cost of a mention does not depend on how many seats there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Final, Literal, NamedTuple

from attrs import frozen

from deskroom.core.roster import DeskSet, Roster, validate_desks, validate_roster
from deskroom.core.text import WHITE_SPACE, is_alphanumeric, is_blank, slug

__all__ = ["EVERYONE", "TOKEN_ENDS", "Directory", "Target", "agent", "starts_a_name"]

#: What ends a token: white space, or one of these.
TOKEN_ENDS: Final = frozenset(WHITE_SPACE + ",;.?!:)]}'\"")
_EVERYONE_ALIASES: Final = ("everyone", "channel", "here")


class Target(NamedTuple):
    """What an alias stands for. ``id`` is None for everyone."""

    kind: Literal["agent", "person", "desk", "everyone"]
    id: str | None = None


#: Everyone in the room. It never starts a turn.
EVERYONE: Final = Target("everyone")


def agent(id: str) -> Target:
    """Return the target that stands for the member with this id."""
    return Target("agent", id)


def starts_a_name(character: str) -> bool:
    """Whether a token or an alias may begin with this character."""
    return character == "_" or is_alphanumeric(character)


@frozen(eq=False)
class Directory:
    """A roster with its desks; build one and pass it to every rule that reads both.

    It compares by identity: two rooms never share one by accident.
    """

    roster: Roster
    desks: DeskSet

    @cached_property
    def is_valid(self) -> bool:
        """Whether both the roster and the desks are valid."""
        return self.roster.fault is None and self.desks.fault is None

    def validate(self) -> None:
        """Raise ``RosterError`` or ``DeskError`` with the first fault, roster before desks."""
        validate_roster(self.roster)
        validate_desks(self.desks)

    def lookup(self, name: str, *, desk_only: bool = False) -> tuple[Target, ...]:
        """Return what a token's name stands for: nothing, one target, or several (ambiguous)."""
        return (self._desk_aliases if desk_only else self._aliases).get(name.lower(), ())

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every alias that a message can use, lower-cased, in the order it was registered."""
        return tuple(self._aliases)

    @cached_property
    def longest_name(self) -> int:
        """The length of the longest alias in characters."""
        return max(map(len, self.names))

    @cached_property
    def _aliases(self) -> dict[str, tuple[Target, ...]]:
        pairs = [*self._agents(), *self._people(), *self._desks()]
        return _table([*pairs, *((alias, EVERYONE) for alias in _EVERYONE_ALIASES)])

    @cached_property
    def _desk_aliases(self) -> dict[str, tuple[Target, ...]]:
        return _table(list(self._desks()))

    def _agents(self) -> Iterator[tuple[str, Target]]:
        for member in self.roster.members:
            if self.roster.is_active(member.id):
                yield member.id, agent(member.id)
                if member.name is not None and not is_blank(member.name):
                    yield member.name, agent(member.id)

    def _people(self) -> Iterator[tuple[str, Target]]:
        slugs = self.slugs
        for person in self.roster.people:
            target = Target("person", person.id)
            if not is_blank(person.label):
                yield person.label, target
            if person.id in slugs:
                yield slugs[person.id], target

    def _desks(self) -> Iterator[tuple[str, Target]]:
        for desk in self.desks.desks:
            target = Target("desk", desk.id)
            yield desk.id, target
            yield desk.name, target

    @cached_property
    def slugs(self) -> dict[str, str]:
        """Each person's slug by id; a repeat gets the first free of ``_2``, ``_3`` and so on."""
        taken: set[str] = set()
        count: dict[str, int] = {}
        slugs: dict[str, str] = {}
        for person in self.roster.people:
            base = slug(person.label)
            if not base:
                continue
            free = base
            # Where the last repeat stopped is remembered: a thousand equal labels stay linear.
            number = count.get(base, 1)
            while free in taken:
                number += 1
                free = f"{base}_{number}"
            count[base] = number
            taken.add(free)
            slugs[person.id] = free
        return slugs


def _table(pairs: list[tuple[str, Target]]) -> dict[str, tuple[Target, ...]]:
    table: dict[str, dict[Target, None]] = {}
    for alias, target in pairs:
        if alias and starts_a_name(alias[0]) and TOKEN_ENDS.isdisjoint(alias):
            table.setdefault(alias.lower(), {})[target] = None
    return {alias: tuple(targets) for alias, targets in table.items()}
