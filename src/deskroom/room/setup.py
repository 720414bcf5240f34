"""What a room is made of, all of it fixed before it opens."""

from __future__ import annotations

from attrs import field, frozen

from deskroom.core.directory import Directory
from deskroom.core.roster import Desk, DeskSet, Member, Person, Roster
from deskroom.room.policy import Policy
from deskroom.room.script import Script
from deskroom.room.seat import Seat

__all__ = ["Opening", "Setup"]


@frozen
class Opening:
    """The first row: a person's words."""

    by: str
    message: str = field(repr=False)


@frozen(kw_only=True)
class Setup:
    """What a room is made of, all of it fixed before it opens."""

    desk_id: str
    desk_name: str
    seats: tuple[Seat, ...]
    people: tuple[Person, ...]
    policy: Policy
    opening: Opening | None = None
    script: Script | None = None
    directory: Directory = field(init=False, eq=False, repr=False)
    by_id: dict[str, Seat] = field(init=False, eq=False, repr=False)

    @directory.default
    def _directory(self) -> Directory:
        members = tuple(Member(seat.id, seat.name) for seat in self.seats)
        retired = tuple(seat.id for seat in self.seats if seat.retired)
        desk = Desk(self.desk_id, self.desk_name, tuple(seat.id for seat in self.seats))
        return Directory(Roster(members, self.people, retired), DeskSet((desk,)))

    @by_id.default
    def _by_id(self) -> dict[str, Seat]:
        return {seat.id: seat for seat in self.seats}

    @property
    def active(self) -> tuple[str, ...]:
        """The ids of the seats that act, in desk order."""
        return self.directory.roster.active

    @property
    def chair(self) -> str | None:
        """The person that the chair speaks for, or None when there is nobody."""
        if self.policy.chair.by is not None:
            return self.policy.chair.by
        return self.people[0].id if self.people else None
