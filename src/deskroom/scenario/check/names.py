"""Names that no message can use, and names that may mean several."""

from __future__ import annotations

from collections.abc import Iterator

from deskroom.core import Note
from deskroom.core.directory import TOKEN_ENDS, starts_a_name
from deskroom.core.text import is_blank
from deskroom.engine.sentences import note_sentence
from deskroom.engine.setup import Seat
from deskroom.lookalike import difference, skeleton
from deskroom.scenario.check.context import CheckContext
from deskroom.scenario.format.position import KeyPath
from deskroom.scenario.format.problems import quoted

__all__ = ["warn_of_names"]


def warn_of_names(context: CheckContext) -> None:
    """Warn of each seat and person that cannot be named as the file might want.

    A desk's name is a title, and a retired seat is never named: neither is looked at.
    """
    _warn_of_look_alikes(context)
    reported: set[str] = set()
    for at in range(len(context.desk.seats) - 1, -1, -1):
        _warn_of_seat(context, at, reported)
    for at in range(len(context.desk.people) - 1, -1, -1):
        _warn_of_person(context, at, reported)


def _warn_of_seat(context: CheckContext, at: int, reported: set[str]) -> None:
    seat = context.desk.seats[at]
    if seat.retired:
        return
    for key, name in _names(seat):
        path: KeyPath = ("desk", "seats", at, key)
        fault = _fault(name)
        if fault is not None:
            problem = f"no message can address a seat as {quoted(name)}: {fault}"
            context.warnings.at_value(path, "unaddressable", problem)
            _warn_of_namesake(context, at, key, name)
        else:
            _warn_of_several(context, path, name, reported)


def _warn_of_look_alikes(context: CheckContext) -> None:
    """Warn of each name that a reader takes for an earlier one of somebody else."""
    earlier: dict[str, list[tuple[str, str]]] = {}
    for path, name, owner in _all_names(context):
        alike = earlier.setdefault(skeleton(name), [])
        for other, whose in alike:
            what = difference(name, other)
            if what is not None and whose != owner:
                problem = (
                    f"{quoted(name)} looks like {quoted(other)}, a name of {whose}, and differs in "
                    f"{what}"
                )
                context.warnings.at_value(path, "look_alike", problem)
                break
        alike.append((name, owner))


def _all_names(context: CheckContext) -> Iterator[tuple[KeyPath, str, str]]:
    """Yield where each name stands, the name, and whose it is; the retired are left out."""
    for at, seat in enumerate(context.desk.seats):
        if not seat.retired:
            for key, name in _names(seat):
                yield ("desk", "seats", at, key), name, f"the seat {quoted(seat.id)}"
    for at, person in enumerate(context.desk.people):
        owner = f"the person {quoted(person.id)}"
        yield ("desk", "people", at, "id"), person.id, owner
        yield ("desk", "people", at, "label"), person.label, owner


def _names(seat: Seat) -> Iterator[tuple[str, str]]:
    yield "id", seat.id
    if seat.name is not None:
        yield "name", seat.name


def _fault(name: str) -> str | None:
    """Return why a mention cannot hold this name, or None when it can."""
    if is_blank(name):
        return "it is blank"
    if not starts_a_name(name[0]):
        return f"a name cannot begin with {_mark(name[0])}"
    ender = next((mark for mark in name if mark in TOKEN_ENDS or mark == "@"), None)
    if ender == "@":
        return "an @ inside it breaks the mention"
    return None if ender is None else f"{_mark(ender)} ends a mention"


def _mark(character: str) -> str:
    return "a space" if character == " " else quoted(character)


def _warn_of_namesake(context: CheckContext, at: int, key: str, name: str) -> None:
    """Warn of the second of two seats that share a name which no message can use."""
    for earlier in context.desk.seats[:at]:
        names = [other.lower() for _, other in _names(earlier)]
        if not earlier.retired and not is_blank(name) and name.lower() in names:
            problem = f"the seat {quoted(earlier.id)} has the same name, {quoted(name)}"
            context.warnings.at_value(("desk", "seats", at, key), "ambiguous_name", problem)
            return


def _warn_of_person(context: CheckContext, at: int, reported: set[str]) -> None:
    person = context.desk.people[at]
    path: KeyPath = ("desk", "people", at, "label")
    slug = context.directory.slugs.get(person.id)
    fault = _fault(person.label)
    if fault is not None and slug is None:
        problem = f"no message can address a person as {quoted(person.label)}: {fault}"
        context.warnings.at_value(path, "unaddressable", problem)
    for name in (person.label, slug):
        if name is not None:
            _warn_of_several(context, path, name, reported)


def _warn_of_several(context: CheckContext, path: KeyPath, name: str, reported: set[str]) -> None:
    """Warn of a name that means several, once, at the last that has it: seats before people."""
    targets = context.directory.lookup(name)
    if len(targets) < 2 or name.lower() in reported:  # noqa: PLR2004 - one meaning is none too many
        return
    reported.add(name.lower())
    note = Note(f"@{name}", 0, "ambiguous", candidates=targets)
    context.warnings.at_value(path, "ambiguous_name", note_sentence(note).rstrip("."))
