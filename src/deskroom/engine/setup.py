"""What a room is made of, all of it fixed before it opens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from attrs import asdict, field, frozen

from deskroom.core.directory import Directory
from deskroom.core.roster import (
    Desk,
    DeskSet,
    Member,
    Person,
    Roster,
    validate_desks,
    validate_roster,
)
from deskroom.core.text import is_blank
from deskroom.engine.policy import Policy
from deskroom.engine.script import Script, order_of
from deskroom.errors import UsageError, hint
from deskroom.lookalike import character_name
from deskroom.printable import control_in

__all__ = ["Opening", "Seat", "Setup", "check_path", "check_setup", "check_text", "difference"]

_PARTS: Final = ("desk_id", "desk_name", "seats", "people", "opening", "policy")
_SHOWN: Final = 60


@frozen(kw_only=True)
class Seat:
    """A seat of the desk, in the words of the scenario format.

    ``brief`` is what the seat is told with every turn; ``role`` is for people and for routing. A
    ``fence`` seat has no tools: what it says is read out of its text. A ``retired`` one no longer
    acts and cannot be named.
    """

    id: str
    name: str | None = None
    role: str | None = None
    brief: str | None = None
    fence: bool = False
    retired: bool = False


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


def check_setup(setup: Setup) -> None:
    """Refuse what no room could run on; each name that is nobody's gets the nearest one.

    Raises ``RosterError``, ``DeskError`` or ``UsageError``.
    """
    _check_ids(setup)
    validate_roster(setup.directory.roster)
    validate_desks(setup.directory.desks)
    people = [person.id for person in setup.people]
    if setup.opening is not None:
        _known("the opening's person", setup.opening.by, people)
        check_text(setup.opening.message)
    if setup.policy.chair.by is not None:
        _known("the chair's person", setup.policy.chair.by, people)
    if setup.policy.chair.rounds and not people:
        raise UsageError("a chair that nudges speaks for a person, and this room has no people")
    _check_participants(setup.policy.participants or (), setup.active)
    if setup.script is not None:
        _check_cues(setup.script, setup.by_id, people)


def _check_participants(participants: tuple[str, ...], active: Iterable[str]) -> None:
    for at, participant in enumerate(participants):
        _known("the participant", participant, active)
        if participant in participants[:at]:
            raise UsageError(f"the participant {participant!r} is named twice")


def _check_cues(script: Script, seats: Iterable[str], people: Iterable[str]) -> None:
    """Each seat and each person is looked at once: a script may be long."""
    named = dict.fromkeys((cue.seat, cue.person) for cue in script.cues)
    for seat, person in named:
        if (seat is None) == (person is None):
            raise UsageError("a cue of a script is for a seat or for a person")
        if seat is not None:
            _known("the script's seat", seat, seats)
        if person is not None:
            _known("the script's person", person, people)
    for seat in script.unscripted:
        _known("the seat without a script", seat, seats)


def _check_ids(setup: Setup) -> None:
    """Refuse ids that could act on the terminal of whoever reads them."""
    ids = [("desk", setup.desk_id), *(("seat", seat.id) for seat in setup.seats)]
    for what, id_ in (*ids, *(("person", person.id) for person in setup.people)):
        control = control_in(id_)
        if control is not None:
            name = character_name(control)
            raise UsageError(f"the id {id_!r} of a {what} holds {name}, which no id may hold")


def check_text(text: str) -> None:
    """Raise ``UsageError`` for a text that no person can say."""
    if is_blank(text):
        raise UsageError("what a person says must not be blank")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError("what a person says must be text that UTF-8 can hold") from None


def check_path(path: object) -> str:
    """Return a path that a turn left behind. Raises ``UsageError`` for what no row could hold."""
    try:
        if isinstance(path, str) and not is_blank(path) and path.encode() is not None:
            return str.__str__(path)
    except UnicodeEncodeError:
        pass
    raise UsageError(f"a turn leaves behind a path in text, not {path!r}")


def _known(what: str, name: str, known: Iterable[str]) -> None:
    ids = list(known)
    if name not in ids:
        raise UsageError(f"{what} {name!r} is not in this room{hint(name, ids)}")


def difference(there: Setup, here: Setup) -> str | None:
    """Return the first part in which two rooms differ, for example a key of the policy, or None.

    Of their scripts only the order is compared, and who plays without one.
    """
    if order_of(there.script) != order_of(here.script):
        return _order_difference(order_of(there.script), order_of(here.script))
    if there.script is not None and here.script is not None:
        free = list(there.script.unscripted), list(here.script.unscripted)
        if free[0] != free[1]:
            return f"the seats without a script are {free[0]!r} there and {free[1]!r} here"
    for name in _PARTS:
        before, now = getattr(there, name), getattr(here, name)
        if before != now:
            return next(_leaves(name.replace("_", "."), _plain(before), _plain(now)))
    return None


def _order_difference(there: str | None, here: str | None) -> str:
    if here is None:
        return "it was played from a script, and this room has none"
    if there is None:
        return "it had no script, and this room plays one"
    return f"order is {there!r} there and {here!r} here"


def _plain(value: Any) -> Any:  # noqa: ANN401 - attrs instances, tuples and plain values
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return asdict(value) if hasattr(value, "__attrs_attrs__") else value


def _leaves(path: str, before: Any, now: Any) -> Iterator[str]:  # noqa: ANN401 - as _plain returns
    """Walk into two values and yield each leaf that differs."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in before:
            if before[key] != now[key]:
                yield from _leaves(f"{path}.{key}", before[key], now[key])
    elif isinstance(before, list) and isinstance(now, list):
        for at, (one, other) in enumerate(zip(before, now, strict=False), start=1):
            if one != other:
                yield from _leaves(f"{path}[{at}]", one, other)
        # One list goes on where the other ends.
        at = min(len(before), len(now))
        if at < len(before):
            yield f"{path}[{at + 1}] is {_short(before[at])} there, and there is none here"
        if at < len(now):
            yield f"{path}[{at + 1}] is {_short(now[at])} here, and there is none there"
    else:
        yield f"{path} is {_short(before)} there and {_short(now)} here"


def _short(value: object) -> str:
    text = repr(list(value) if isinstance(value, tuple) else value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
