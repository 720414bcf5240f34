"""Who is there: members, people, desks, and how they are looked up (semantics, section 2).

A roster or a set of desks may be invalid; it can still be held and asked about. Each rule that
depends on validity says so by calling ``validate_roster`` or ``validate_desks``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final

from attrs import field, frozen

from deskroom.core.text import as_ids, ascii_lower, is_blank
from deskroom.errors import DeskError, RosterError

__all__ = [
    "Desk",
    "DeskSet",
    "Member",
    "Person",
    "Roster",
    "effective_members",
    "is_general_chat",
    "lead",
    "validate_desks",
    "validate_roster",
]

_GENERAL: Final = "General"
_RESERVED: Final = ("general", "main")


@frozen
class Member:
    """An agent that may sit at a desk. ``name`` is a second way to address it."""

    id: str
    name: str | None = None


@frozen
class Person:
    """A human being. ``label`` is shown, and its slug is a way to address the person."""

    id: str
    label: str


def _members(members: Iterable[Member]) -> tuple[Member, ...]:
    return tuple(members)


def _people(people: Iterable[Person]) -> tuple[Person, ...]:
    return tuple(people)


@frozen
class Roster:
    """Everyone who can be addressed; ``retired`` holds the ids of members that no longer act."""

    members: tuple[Member, ...] = field(default=(), converter=_members)
    people: tuple[Person, ...] = field(default=(), converter=_people)
    retired: tuple[str, ...] = field(default=(), converter=as_ids)

    @cached_property
    def active(self) -> tuple[str, ...]:
        """The ids of the members that act, in roster order."""
        retired = frozenset(self.retired)
        return tuple(m.id for m in self.members if m.id not in retired)

    @cached_property
    def _active_ids(self) -> frozenset[str]:
        return frozenset(self.active)

    def is_active(self, member_id: str) -> bool:
        """Whether ``member_id`` is listed and not retired."""
        return member_id in self._active_ids

    @cached_property
    def fault(self) -> tuple[str, str] | None:
        """The first thing wrong, as (kind, id), or None when the roster is valid."""
        return next(roster_faults(self), None)


@frozen
class Desk:
    """A place where members talk. Its members are ids, in order; the first active one leads."""

    id: str
    name: str
    members: tuple[str, ...] = field(default=(), converter=as_ids)


def _desks(desks: Iterable[Desk]) -> tuple[Desk, ...]:
    return tuple(desks)


@frozen
class DeskSet:
    """The desks that exist beside the general chat."""

    desks: tuple[Desk, ...] = field(default=(), converter=_desks)

    @cached_property
    def fault(self) -> tuple[str, str] | None:
        """The first thing wrong, as (kind, desk id), or None when the set is valid."""
        return next(desk_faults(self), None)

    def find(self, key: str) -> Desk | None:
        """Return the desk with this exact id, else the only one with this exact name."""
        for desk in self.desks:
            if desk.id == key:
                return desk
        named = [desk for desk in self.desks if desk.name == key]
        return named[0] if len(named) == 1 else None


def validate_roster(roster: Roster) -> None:
    """Raise ``RosterError`` with the first fault of an invalid roster."""
    if roster.fault is not None:
        raise RosterError(*roster.fault)


def validate_desks(desks: DeskSet) -> None:
    """Raise ``DeskError`` with the first fault of an invalid set of desks."""
    if desks.fault is not None:
        raise DeskError(*desks.fault)


def is_general_chat(key: str | None) -> bool:
    """Whether a desk key means the general chat, where every active member is."""
    return not key or ascii_lower(key) in _RESERVED


def effective_members(key: str | None, roster: Roster, desks: DeskSet) -> tuple[str, ...]:
    """Return who is at a desk: its active members in order, without repeats.

    An unknown or ambiguous key names nobody.
    """
    if is_general_chat(key):
        return tuple(dict.fromkeys(roster.active))
    desk = desks.find(key or "")
    if desk is None:
        return ()
    return tuple(dict.fromkeys(m for m in desk.members if roster.is_active(m)))


def lead(key: str | None, roster: Roster, desks: DeskSet) -> str | None:
    """Return the first effective member of a desk, or None when nobody is there."""
    return next(iter(effective_members(key, roster, desks)), None)


def roster_faults(roster: Roster) -> Iterator[tuple[str, str]]:
    """Yield everything wrong with a roster as (kind, id), the first of which makes it invalid."""
    for noun, ids in (
        ("member", [m.id for m in roster.members]),
        ("person", [p.id for p in roster.people]),
    ):
        seen: set[str] = set()
        for id_ in ids:
            if is_blank(id_):
                yield f"empty_{noun}_id", id_
            if id_ in seen:
                yield f"duplicate_{noun}_id", id_
            seen.add(id_)


def desk_faults(desks: DeskSet) -> Iterator[tuple[str, str]]:
    """Yield everything wrong with a set of desks as (kind, desk id)."""
    seen: set[str] = set()
    for desk in desks.desks:
        if not desk.id:
            yield "empty_desk_id", desk.id
        if not desk.name:
            yield "empty_desk_name", desk.id
        if desk.id in seen:
            yield "duplicate_desk_id", desk.id
        if _is_reserved(desk):
            yield "reserved_desk_identity", desk.id
        seen.add(desk.id)


def _is_reserved(desk: Desk) -> bool:
    if desk.id == _GENERAL and desk.name == _GENERAL:
        return False
    return ascii_lower(desk.id) in _RESERVED or ascii_lower(desk.name) in _RESERVED
