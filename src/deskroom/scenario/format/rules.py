"""What a scenario must be beyond its shape: names that exist, and keys that go together.

Only what the file itself decides is judged here. Tools, recipients and messages are not: what a
seat sends may be wrong on purpose, and then the host must say so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import Any, Final

from attrs import frozen

from deskroom.core.roster import Person, desk_faults, roster_faults
from deskroom.core.text import ascii_lower, is_blank
from deskroom.engine.policy import Policy
from deskroom.engine.setup import Seat
from deskroom.errors import DeskError, RosterError
from deskroom.lookalike import character_name
from deskroom.printable import control_in
from deskroom.scenario.format.model import (
    DOES_KEYS,
    ROW_KEYS,
    Alternative,
    DeskSpec,
    Nobody,
    Opening,
    Order,
    Turn,
    TurnExpect,
)
from deskroom.scenario.format.position import KeyPath
from deskroom.scenario.format.problems import Findings, did_you_mean, listing, quoted

__all__ = [
    "PERSON_KEYS",
    "Names",
    "check_active",
    "check_desk",
    "check_kill",
    "check_opening",
    "check_order",
    "check_policy",
    "check_turn",
]

#: The keys of a person's turn.
PERSON_KEYS: Final = frozenset({"person", "say", "expect"})
_DESK_PROBLEMS: Final = {
    "empty_member_id": "a seat needs an id, found {}",
    "duplicate_member_id": "another seat has the id {} already",
    "empty_person_id": "a person needs an id, found {}",
    "duplicate_person_id": "another person has the id {} already",
    "empty_desk_id": "a desk needs an id, found {}",
    "empty_desk_name": "a desk needs a name, found {}",
    "reserved_desk_identity": "{} is reserved for the general chat and cannot name a desk",
}


@frozen
class Names:
    """Who can be named in this file. Without a desk nothing is known, and nothing is judged."""

    desk: DeskSpec | None

    @cached_property
    def seats(self) -> Mapping[str, Seat]:
        """The seats by id."""
        return {seat.id: seat for seat in self.desk.seats} if self.desk else {}

    @cached_property
    def people(self) -> Mapping[str, Person]:
        """The people by id."""
        return {person.id: person for person in self.desk.people} if self.desk else {}

    @cached_property
    def mentionable(self) -> Mapping[str, None]:
        """Everything that an expected mention can be called."""
        desks = [f"desk:{self.desk.id}"] if self.desk else []
        people = [f"person:{id_}" for id_ in self.people]
        return dict.fromkeys([*self.seats, *people, *desks, "everyone"])

    def want_seat(self, findings: Findings, path: KeyPath, id_: str) -> None:
        """Add a problem unless this is a seat's id."""
        if self.desk is not None and id_ not in self.seats:
            findings.at_value(
                path, "unknown_name", _unknown_name(id_, "a seat of the desk", self.seats)
            )

    def want_seat_key(self, findings: Findings, path: KeyPath, id_: str) -> None:
        """Add a problem unless a key is a seat's id."""
        if self.desk is not None and id_ not in self.seats:
            problem = _unknown_name(id_, "a seat of the desk", self.seats)
            findings.at_key(path, "unknown_name", problem)

    def want_person(self, findings: Findings, path: KeyPath, id_: str) -> None:
        """Add a problem unless this is a person's id."""
        if self.desk is not None and id_ not in self.people:
            findings.at_value(
                path, "unknown_name", _unknown_name(id_, "a person of the desk", self.people)
            )

    def want_mention(self, findings: Findings, path: KeyPath, name: str) -> None:
        """Add a problem unless a mention's target can be called this."""
        if self.desk is not None and name not in self.mentionable:
            what = "a seat id, person:id, desk:id or everyone"
            findings.at_value(path, "unknown_name", _unknown_name(name, what, self.mentionable))


def _unknown_name(name: str, what: str, known: Iterable[str]) -> str:
    names = listing(known) or "the desk has none"
    return f"found {quoted(name)}, expected {what} ({names}){did_you_mean(name, known)}"


# --- the desk and the policy -------------------------------------------------------------------


def check_desk(findings: Findings, desk: DeskSpec) -> None:
    """Check that the desk's roster and the desk itself are valid, as the core sees it."""
    _check_ids(findings, desk)
    reported = Counter[tuple[str, str]]()
    for kind, id_ in roster_faults(desk.roster()):
        path = _path_of_id(desk, kind, id_, reported[kind, id_])
        reported[kind, id_] += 1
        findings.caused(path, _sentence(kind, id_), RosterError(kind, id_))
    for kind, id_ in desk_faults(desk.desks()):
        key = _desk_key(desk, kind)
        value = desk.id if key == "id" else desk.name
        findings.caused(("desk", key), _sentence(kind, value), DeskError(kind, id_))


def _check_ids(findings: Findings, desk: DeskSpec) -> None:
    ids: list[tuple[KeyPath, str]] = [(("desk", "id"), desk.id)]
    ids += [(("desk", "seats", at, "id"), seat.id) for at, seat in enumerate(desk.seats)]
    ids += [(("desk", "people", at, "id"), person.id) for at, person in enumerate(desk.people)]
    for path, id_ in ids:
        control = control_in(id_)
        if control is not None:
            problem = f"{quoted(id_)} holds {character_name(control)}, which no id may hold"
            findings.at_value(path, "control_character", problem)


def _sentence(kind: str, value: str) -> str:
    return _DESK_PROBLEMS[kind].format(quoted(value))


def _path_of_id(desk: DeskSpec, kind: str, id_: str, reported: int) -> KeyPath:
    """Return the path of the next wrong id when ``reported`` were; of two equal, the second."""
    is_seat = kind.endswith("_member_id")
    ids = [seat.id for seat in desk.seats] if is_seat else [person.id for person in desk.people]
    positions = [at for at, one in enumerate(ids) if one == id_]
    at = positions[reported + kind.startswith("duplicate")]
    return ("desk", "seats" if is_seat else "people", at, "id")


def _desk_key(desk: DeskSpec, kind: str) -> str:
    if kind == "reserved_desk_identity":
        return "id" if ascii_lower(desk.id) in {"general", "main"} else "name"
    return "name" if kind == "empty_desk_name" else "id"


def check_policy(findings: Findings, policy: Policy, names: Names) -> None:
    """Check the names that a policy uses, and that its chair can speak."""
    chair = ("policy", "chair")
    if policy.chair.by is not None:
        names.want_person(findings, (*chair, "by"), policy.chair.by)
    elif policy.chair.rounds > 0 and names.desk is not None and not names.people:
        problem = "the chair speaks for a person, and the desk has no people"
        findings.at_value((*chair, "rounds"), "needs_a_person", problem)
    if policy.participants is not None:
        _check_participants(findings, policy.participants, names)


def _check_participants(findings: Findings, ids: tuple[str, ...], names: Names) -> None:
    path = ("policy", "participants")
    if not ids:
        problem = "found an empty list, expected one or more seat ids"
        findings.at_value(path, "empty_list", problem)
    seen: set[str] = set()
    for position, id_ in enumerate(ids):
        names.want_seat(findings, (*path, position), id_)
        seat = names.seats.get(id_)
        if seat is not None and seat.retired:
            problem = f"the seat {quoted(id_)} is retired and cannot take part"
            findings.at_value((*path, position), "retired_seat", problem)
        elif id_ in seen:
            problem = f"the seat {quoted(id_)} is named twice"
            findings.at_value((*path, position), "named_twice", problem)
        seen.add(id_)


# --- the opening and the turns -----------------------------------------------------------------


def check_opening(findings: Findings, opening: Opening, names: Names) -> None:
    """Check who opens, that there is something to say, and who is expected next."""
    names.want_person(findings, ("opening", "by"), opening.by)
    if is_blank(opening.message):
        problem = "found a blank text, expected a message"
        findings.at_value(("opening", "message"), "blank_text", problem)
    if opening.expect is not None:
        _check_next(findings, ("opening", "expect", "next"), opening.expect.next, names)


def check_turn(
    findings: Findings, path: KeyPath, turn: Turn, stated: Mapping[str, Any], names: Names
) -> None:
    """Check one turn; ``stated`` are the keys that the file gives it."""
    if turn.seat is not None and turn.person is not None:
        problem = "a turn has a seat or a person, not both"
        findings.at_key((*path, "person"), "conflicting_keys", problem)
    elif turn.seat is not None:
        _check_seat_turn(findings, path, turn, stated, names)
    elif turn.person is not None:
        _check_person_turn(findings, path, turn, stated, names)
    elif "seat" not in stated and "person" not in stated:
        findings.at_value(path, "missing_key", "a turn needs a seat or a person")
    if turn.expect is not None:
        _check_expect(findings, (*path, "expect"), turn.expect, names)


def _check_seat_turn(
    findings: Findings, path: KeyPath, turn: Turn, stated: Mapping[str, Any], names: Names
) -> None:
    names.want_seat(findings, (*path, "seat"), turn.seat or "")
    _check_what_it_does(findings, path, turn, stated, names)
    if "one_of" in stated:
        _check_alternatives(findings, path, turn, stated, names)


def _check_alternatives(
    findings: Findings, path: KeyPath, turn: Turn, stated: Mapping[str, Any], names: Names
) -> None:
    if stated["one_of"] == []:
        problem = "found an empty list, expected one or more tables"
        findings.at_value((*path, "one_of"), "empty_list", problem)
    for key in stated:
        if key in DOES_KEYS:
            problem = "a turn with one_of says in its tables what happens, and not beside them"
            findings.at_key((*path, key), "conflicting_keys", problem)
    # A list of which one item is wrong has been left out.
    for at, alternative in enumerate(turn.one_of):
        where = (*path, "one_of", at)
        _check_what_it_does(findings, where, alternative, stated["one_of"][at], names)


def _check_what_it_does(
    findings: Findings,
    path: KeyPath,
    turn: Turn | Alternative,
    stated: Collection[str],
    names: Names,
) -> None:
    if "say" in stated and "calls" in stated:
        problem = "a turn has say or calls, not both"
        findings.at_key((*path, "calls"), "conflicting_keys", problem)
    for at, wrote in enumerate(turn.wrote):
        if is_blank(wrote):
            problem = f"found {quoted(wrote)}, expected the path of a file"
            findings.at_value((*path, "wrote", at), "blank_text", problem)
    for id_ in turn.scores:
        names.want_seat_key(findings, (*path, "scores", id_), id_)
    for at, spoken in enumerate(turn.meanwhile):
        names.want_person(findings, (*path, "meanwhile", at, "person"), spoken.person)
        if is_blank(spoken.say):
            problem = "found a blank text, expected what the person says"
            findings.at_value((*path, "meanwhile", at, "say"), "blank_text", problem)


def _check_person_turn(
    findings: Findings, path: KeyPath, turn: Turn, stated: Collection[str], names: Names
) -> None:
    names.want_person(findings, (*path, "person"), turn.person or "")
    for key in stated:
        if key not in PERSON_KEYS:
            problem = "a person's turn cannot have this key"
            findings.at_key((*path, key), "not_for_a_person", problem)
    if "say" not in stated:
        problem = "missing, expected what the person says"
        findings.at_value((*path, "say"), "missing_key", problem)
    elif turn.say is not None and is_blank(turn.say):
        problem = "found a blank text, expected what the person says"
        findings.at_value((*path, "say"), "blank_text", problem)
    for key in turn.expect.places if turn.expect else ():
        # An unknown key has been reported already.
        if key != "next" and hasattr(turn.expect, key):
            problem = "a person's turn can only expect next"
            findings.at_key((*path, "expect", key), "not_for_a_person", problem)


def _check_expect(findings: Findings, path: KeyPath, expect: TurnExpect, names: Names) -> None:
    _check_next(findings, (*path, "next"), expect.next, names)
    if isinstance(expect.audience, tuple):
        for position, id_ in enumerate(expect.audience):
            names.want_seat(findings, (*path, "audience", position), id_)
    for position, name in enumerate(expect.mentions or ()):
        names.want_mention(findings, (*path, "mentions", position), name)
    _check_contradictions(findings, path, expect)


def _check_next(
    findings: Findings, path: KeyPath, next_: str | Nobody | tuple[str, ...] | None, names: Names
) -> None:
    if isinstance(next_, str):
        names.want_seat(findings, path, next_)
    elif isinstance(next_, tuple):
        for position, id_ in enumerate(next_):
            names.want_seat(findings, (*path, position), id_)


def _check_contradictions(findings: Findings, path: KeyPath, expect: TurnExpect) -> None:
    """A turn that is expected to have no row has nothing of a row."""
    if expect.row is False:
        why = "row = false"
    elif expect.outcome not in {None, "spoke"}:
        why = f'outcome = "{expect.outcome}"'
    else:
        return
    if expect.outcome == "spoke":
        problem = f'{why} contradicts outcome = "spoke": a turn that spoke has a row'
        findings.at_key((*path, "row"), "conflicting_keys", problem)
    for key in ROW_KEYS:
        if getattr(expect, key) is not None:
            problem = f"this cannot be expected of a turn without a row ({why})"
            findings.at_key((*path, key), "needs_a_row", problem)


def check_kill(findings: Findings, lines: tuple[int, ...]) -> None:
    """Check that these are lines of a journal, each later than the one before."""
    for at, line in enumerate(lines):
        least = 1 + (lines[at - 1] if at else 0)
        if line < least:
            problem = f"found {line}, expected a line of the journal from {least} on, in order"
            findings.at_value(("kill", at), "out_of_range", problem)


# --- the whole ---------------------------------------------------------------------------------


def check_active(findings: Findings, desk: DeskSpec) -> None:
    """Check that a scenario has a seat that can act."""
    if all(seat.retired for seat in desk.seats):
        problem = "the desk needs a seat that is not retired"
        findings.at_value(("desk", "seats"), "no_active_seat", problem)


def check_order(findings: Findings, order: Order, data: Mapping[str, Any]) -> None:
    """Check that a person starts a routed scenario: in the opening, or in the first turn."""
    if order == "listed" or "opening" in data:
        return
    match data.get("turn"):
        case [dict() as first, *_] if "person" not in first:
            problem = "a routed scenario must begin with [opening] or with a person's turn"
            findings.at_value(("order",), "needs_a_person", problem)
