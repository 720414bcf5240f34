"""From a file to a ``Scenario``: every part that can be read is, and every problem is reported."""

from __future__ import annotations

import os
from hashlib import sha256
from typing import Final, TypeVar

from attrs import evolve, frozen

from deskroom.engine.policy import Policy
from deskroom.errors import FileError, nearest
from deskroom.runs.properties.property import Property
from deskroom.scenario.format.convert import Converted, convert, refuse_unknown_keys
from deskroom.scenario.format.explore import Explore
from deskroom.scenario.format.live import LIVE_KEYS, Live, LiveSeat
from deskroom.scenario.format.model import (
    MAX_TURNS,
    DeskSpec,
    Opening,
    Order,
    RunExpect,
    Scenario,
    Turn,
)
from deskroom.scenario.format.position import KeyPath
from deskroom.scenario.format.problems import Findings, ScenarioError, found
from deskroom.scenario.format.rules import (
    Names,
    check_active,
    check_desk,
    check_kill,
    check_opening,
    check_order,
    check_policy,
    check_turn,
)
from deskroom.scenario.format.rules_live import check_live_people, check_live_seat
from deskroom.scenario.format.toml import Document, parse_toml, read_toml

__all__ = [
    "DOCUMENT_KEYS",
    "FORMAT",
    "PartialScenario",
    "load_desk",
    "load_explorable",
    "load_properties",
    "load_scenario",
    "load_setting",
    "parse_explorable",
    "parse_scenario",
    "read_partial",
]

T = TypeVar("T")

#: The only version of the format, and the keys at the top of a scenario.
FORMAT: Final = 1
DOCUMENT_KEYS: Final = (
    "format",
    "title",
    "why",
    "order",
    "desk",
    "policy",
    "opening",
    "turn",
    "expect",
    "property",
    "kill",
    "invariants",
    "explore",
    "live",
)
#: A file with no other key is a desk file.
_DESK_KEYS: Final = frozenset({"format", "title", "why", "desk", "property", "explore"})


def load_scenario(path: str | os.PathLike[str]) -> Scenario:
    """Read a scenario file. Raises ``ScenarioError``, which holds every problem of the file."""
    return _scenario(_opened(path))


def parse_scenario(text: str, path: str = "<text>") -> Scenario:
    """Read a scenario from a text; ``path`` is what its errors call it.

    Raises ``ScenarioError``.
    """
    try:
        document = parse_toml(text, path)
    except FileError as error:
        raise ScenarioError([error]) from None
    return _scenario(document)


def load_desk(path: str | os.PathLike[str]) -> DeskSpec:
    """Read the desk of a desk file or of a scenario; either must be right as a whole.

    Raises ``ScenarioError``.
    """
    return load_setting(path)[0]


def load_setting(path: str | os.PathLike[str]) -> tuple[DeskSpec, Policy]:
    """Read the desk and the policy of a scenario, or a desk file's desk with the default policy.

    Raises ``ScenarioError``.
    """
    document = _opened(path)
    if not _is_desk_file(document):
        scenario = _scenario(document)
        return scenario.desk, scenario.policy
    reader = _Reader(document)
    if "format" in document.data:
        reader.format()
    refuse_unknown_keys(reader.findings, (), document.data, DOCUMENT_KEYS)
    reader.head()
    desk = reader.desk().part
    reader.properties(Names(desk))
    reader.explore()
    if desk is None or reader.findings:
        raise reader.findings.error()
    return desk, Policy()


def load_explorable(path: str | os.PathLike[str]) -> Scenario:
    """Read what can be explored: a scenario, or the desk of a desk file as a scenario without turns.

    Raises ``ScenarioError``.
    """
    return _explorable(_opened(path))


def parse_explorable(text: str, path: str = "<text>") -> Scenario:
    """Read what can be explored from a text; ``path`` is what its errors call it.

    Raises ``ScenarioError``.
    """
    try:
        document = parse_toml(text, path)
    except FileError as error:
        raise ScenarioError([error]) from None
    return _explorable(document)


def _explorable(document: Document) -> Scenario:
    if not _is_desk_file(document):
        return _scenario(document)
    reader = _Reader(document)
    if "format" in document.data:
        reader.format()
    refuse_unknown_keys(reader.findings, (), document.data, DOCUMENT_KEYS)
    head, desk = reader.head(), reader.desk().part
    properties, explore = reader.properties(Names(desk)), reader.explore()
    if desk is not None:
        check_active(reader.findings, desk)
    if desk is None or reader.findings:
        raise reader.findings.error()
    return Scenario(
        title=head.title,
        why=head.why,
        order="routed",
        desk=desk,
        turns=(),
        properties=properties,
        explore=explore,
        path=document.path,
        digest=sha256(document.text.encode()).hexdigest(),
    )


def load_properties(path: str | os.PathLike[str]) -> tuple[Property, ...]:
    """Read the properties of a scenario or of a desk file; either must be right as a whole.

    Raises ``ScenarioError``.
    """
    document = _opened(path)
    if not _is_desk_file(document):
        return _scenario(document).properties
    desk, _ = load_setting(path)
    return _Reader(document).properties(Names(desk))


def _is_desk_file(document: Document) -> bool:
    """Whether a file has nothing of a scenario but a desk, slips in the names of keys aside."""
    meant = {key if key in DOCUMENT_KEYS else nearest(key, DOCUMENT_KEYS) for key in document.data}
    return _DESK_KEYS.issuperset(meant - {None})


def _opened(path: str | os.PathLike[str]) -> Document:
    try:
        return read_toml(path)
    except FileError as error:
        raise ScenarioError([error]) from None


@frozen(kw_only=True)
class PartialScenario:
    """What could be read of a document. A part that could not be, completely, is None or a default.

    ``findings`` are the problems; ``turns`` holds each listed turn once, however often it is
    repeated.
    """

    document: Document
    findings: Findings
    title: str
    why: str
    order: Order
    desk: DeskSpec | None
    policy: Policy
    opening: Opening | None
    turns: tuple[Turn, ...]
    expect: RunExpect | None
    properties: tuple[Property, ...]
    kill: tuple[int, ...]
    invariants: bool
    explore: Explore | None
    live: Live | None


def read_partial(document: Document) -> PartialScenario:
    """Read every part of a document that can be read.

    Raises ``ScenarioError`` for a file of another version, of whose keys nothing is known, and where
    there are more problems than are of use.
    """
    reader = _Reader(document)
    reader.format()
    refuse_unknown_keys(reader.findings, (), document.data, DOCUMENT_KEYS)
    head = reader.head()
    desk = reader.desk()
    names = Names(desk.part)
    policy = reader.policy(names) or Policy()
    opening = reader.opening(names)
    expect = reader.expect()
    turns = reader.turns(names)
    properties = reader.properties(names)
    disturbed = reader.disturbed()
    explore = reader.explore()
    live = reader.live(names)
    check_order(reader.findings, head.order, document.data)
    if desk.part is not None:
        check_active(reader.findings, desk.part)
    return PartialScenario(
        document=document,
        findings=reader.findings,
        title=head.title,
        why=head.why,
        order=head.order,
        desk=desk.part if desk.complete else None,
        policy=policy,
        opening=opening,
        turns=tuple(turns),
        expect=expect,
        properties=properties,
        kill=disturbed.kill,
        invariants=disturbed.invariants,
        explore=explore,
        live=live,
    )


def _scenario(document: Document) -> Scenario:
    partial = read_partial(document)
    if partial.findings or partial.desk is None:
        raise partial.findings.error()
    return Scenario(
        title=partial.title,
        why=partial.why,
        order=partial.order,
        desk=partial.desk,
        policy=partial.policy,
        opening=partial.opening,
        turns=tuple(copy for turn in partial.turns for copy in _copies(turn)),
        expect=partial.expect,
        properties=partial.properties,
        kill=partial.kill,
        invariants=partial.invariants,
        explore=partial.explore,
        live=partial.live,
        path=document.path,
        invariants_place=document.key_at(("invariants",)) if partial.invariants else None,
        kill_place=document.key_at(("kill",)) if partial.kill else None,
        digest=sha256(document.text.encode()).hexdigest(),
    )


def _copies(turn: Turn) -> tuple[Turn, ...]:
    """Return the turn, or as many copies as it is repeated."""
    if turn.repeat == 1:
        return (turn,)
    copies = range(1, turn.repeat + 1)
    return tuple(evolve(turn, label=f"{turn.number}.{copy}") for copy in copies)


@frozen(kw_only=True)
class _Head:
    """The keys at the top that stand alone."""

    title: str = ""
    why: str = ""
    order: Order = "listed"


@frozen(kw_only=True)
class _Disturbed:
    """The keys at the top that say how a replay is disturbed and checked."""

    kill: tuple[int, ...] = ()
    invariants: bool = False


class _Reader:
    """Reads a document part by part. A part that is wrong is None, and its problems are added."""

    def __init__(self, document: Document) -> None:
        self._data = document.data
        self.findings = Findings(document)

    def format(self) -> None:
        if "format" not in self._data:
            self.findings.at_value(("format",), "missing_key", f"missing, expected {FORMAT}")
            return
        value = self._data["format"]
        if type(value) is not int or value != FORMAT:
            problem = f"found {found(value)}, expected {FORMAT}"
            self.findings.at_value(("format",), "unknown_value", problem)
            if type(value) is int:  # another version, which may have other keys
                raise self.findings.error()

    def head(self) -> _Head:
        stated = {key: self._data[key] for key in ("title", "why", "order") if key in self._data}
        return convert(self.findings, (), stated, _Head).part or _Head()

    def desk(self) -> Converted[DeskSpec]:
        """Return the desk. There is none where a key of its own is wrong or unknown.

        That key may have been meant for the seats or people without which others seem unknown.
        """
        if "desk" not in self._data:
            self.findings.at_value(("desk",), "missing_key", "missing, expected a table")
        desk = self._part("desk", DeskSpec, need_all_keys=True)
        if desk.part is not None:
            check_desk(self.findings, desk.part)
        return desk

    def policy(self, names: Names) -> Policy | None:
        policy = self._part("policy", Policy)
        if policy.part is not None:
            check_policy(self.findings, policy.part, names)
        return policy.part if policy.complete else None

    def opening(self, names: Names) -> Opening | None:
        opening = self._part("opening", Opening)
        if opening.part is not None:
            check_opening(self.findings, opening.part, names)
        return opening.part if opening.complete else None

    def expect(self) -> RunExpect | None:
        expect = self._part("expect", RunExpect)
        return expect.part if expect.complete else None

    def properties(self, names: Names) -> tuple[Property, ...]:
        if "property" not in self._data:
            return ()
        from deskroom.scenario.format.properties import read_properties

        return read_properties(self.findings, self._data["property"], names)

    def disturbed(self) -> _Disturbed:
        stated = {key: self._data[key] for key in ("kill", "invariants") if key in self._data}
        disturbed = convert(self.findings, (), stated, _Disturbed).part or _Disturbed()
        check_kill(self.findings, disturbed.kill)
        return disturbed

    def explore(self) -> Explore | None:
        explore = self._part("explore", Explore)
        return explore.part if explore.complete else None

    def turns(self, names: Names) -> list[Turn]:
        """Return the listed turns that could be read, each once."""
        listed = self._data.get("turn", [])
        if not isinstance(listed, list):
            problem = f"found {found(listed)}, expected a list of tables: [[turn]]"
            self.findings.at_value(("turn",), "wrong_type", problem)
            return []
        if not listed and not ({"live", "explore"} & self._data.keys()):
            problem = "missing, expected at least one [[turn]]"
            self.findings.at_value(("turn",), "missing_key", problem)
        turns: list[Turn] = []
        total = 0
        for position, stated in enumerate(listed):
            turn = self._turn(position, stated, names)
            if turn is not None:
                turns.append(turn)
                total = self._counted(total, turn)
        return turns

    def live(self, names: Names) -> Live | None:
        """Return who plays seats live. A key that is none of the table's own is a seat's."""
        stated = self._data.get("live")
        if not isinstance(stated, dict):
            return self._part("live", Live).part
        of_seats = {
            key: value
            for key, value in stated.items()
            if key not in LIVE_KEYS or isinstance(value, dict)
        }
        own = {key: value for key, value in stated.items() if key not in of_seats}
        live = convert(self.findings, ("live",), own, Live)
        seats = {}
        for id_, value in of_seats.items():
            seat = convert(self.findings, ("live", id_), value, LiveSeat)
            if seat.part is not None and isinstance(value, dict):
                check_live_seat(self.findings, id_, seat.part, value, names)
                seats[id_] = seat.part
        if live.part is None:
            return None
        check_live_people(self.findings, live.part, names)
        return evolve(live.part, seats=seats)

    def _turn(self, position: int, stated: object, names: Names) -> Turn | None:
        path: KeyPath = ("turn", position)
        turn = convert(self.findings, path, stated, Turn)
        if turn.part is not None and isinstance(stated, dict):
            check_turn(self.findings, path, turn.part, stated, names)
        if turn.part is None or not turn.complete or not turn.part.one_of:
            return turn.part if turn.complete else None
        return turn.part.doing(turn.part.one_of[0])

    def _counted(self, total: int, turn: Turn) -> int:
        if total <= MAX_TURNS < total + turn.repeat:
            problem = f"the file lists more than {MAX_TURNS:,} turns, this one included"
            path = ("turn", turn.number - 1, "repeat")
            self.findings.at_value(path, "too_many_turns", problem)
        return total + turn.repeat

    def _part(self, key: str, cls: type[T], *, need_all_keys: bool = False) -> Converted[T]:
        if key not in self._data:
            return Converted(None, complete=True)
        return convert(self.findings, (key,), self._data[key], cls, need_all_keys=need_all_keys)
