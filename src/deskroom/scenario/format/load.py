"""From a file to a ``Scenario``: every part that can be read is, and every problem is told."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeVar

from attrs import evolve, frozen

from deskroom.engine.policy import Policy
from deskroom.errors import FileError
from deskroom.scenario.format.convert import (
    Fitted,
    as_far_as_it_fits,
    refuse_unknown_keys,
    structured,
)
from deskroom.scenario.format.model import (
    MAX_TURNS,
    DeskSpec,
    Opening,
    OpeningExpect,
    RunExpect,
    Scenario,
    Turn,
    TurnExpect,
)
from deskroom.scenario.format.position import KeyPath
from deskroom.scenario.format.problems import Findings, ScenarioError, found
from deskroom.scenario.format.rules import (
    Names,
    check_active,
    check_desk,
    check_opening,
    check_order,
    check_policy,
    check_turn,
)
from deskroom.scenario.format.toml import Document, Places, Spot, parse_toml, read_toml
from deskroom.scenario.format.words import Order

__all__ = [
    "DOCUMENT_KEYS",
    "FORMAT",
    "Parts",
    "find_scenarios",
    "load_desk",
    "load_scenario",
    "load_setting",
    "parse_scenario",
    "read_parts",
]

T = TypeVar("T")
Expect = TypeVar("Expect", TurnExpect, OpeningExpect, RunExpect)

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
)
#: A file with no other key is a desk file.
_DESK_KEYS: Final = frozenset({"format", "title", "why", "desk"})


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
    if not _DESK_KEYS.issuperset(document.data):
        scenario = _scenario(document)
        return scenario.desk, scenario.policy
    reader = _Reader(document)
    if "format" in document.data:
        reader.format()
    reader.head()
    return reader.settled(reader.desk().part), Policy()


def find_scenarios(paths: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Return the files given, and every ``*.toml`` below the folders given, in path order.

    A file found twice is listed once. What does not exist is listed too: reading it says so, and
    the other files are still read. Raises ``FileError`` when there is nothing, or when a folder
    cannot be listed.
    """
    given = [Path(path) for path in paths]
    files: dict[Path, None] = {}
    for path in given:
        files.update(dict.fromkeys(_files_below(path) if _is_folder(path) else (path,)))
    if not files:
        where = str(given[0]) if given else "."
        raise FileError(where, "no scenario found: there is no *.toml file here")
    return list(files)


def _files_below(folder: Path) -> list[Path]:
    def refuse(error: OSError) -> None:
        raise FileError(str(error.filename), f"the folder cannot be listed: {error.strerror}")

    return sorted(
        Path(where, name)
        for where, _, names in os.walk(folder, onerror=refuse)
        for name in names
        if name.endswith(".toml")
    )


def _is_folder(path: Path) -> bool:
    """Whether this is a folder; of what cannot even be looked at, reading it will tell."""
    try:
        return path.is_dir()
    except OSError:
        return False


def _opened(path: str | os.PathLike[str]) -> Document:
    try:
        return read_toml(path)
    except FileError as error:
        raise ScenarioError([error]) from None


@frozen(kw_only=True)
class Parts:
    """What could be read of a document. A part that could not, as a whole, is None or its default.

    ``findings`` says what is wrong; ``turns`` holds each listed turn once, however often it is
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


def read_parts(document: Document) -> Parts:
    """Read every part of a document that can be read.

    Raises ``ScenarioError`` only when there is more wrong than is of use.
    """
    reader = _Reader(document)
    reader.known_keys()
    reader.format()
    head = reader.head() or _Head()
    desk = reader.desk()
    names = Names(desk.part)
    policy = reader.policy(names) or Policy()
    opening = reader.opening(names)
    expect = reader.expect()
    turns = reader.turns(names)
    check_order(reader.findings, head.order, document.data)
    if desk.part is not None:
        check_active(reader.findings, desk.part)
    return Parts(
        document=document,
        findings=reader.findings,
        title=head.title,
        why=head.why,
        order=head.order,
        desk=desk.part if desk.whole else None,
        policy=policy,
        opening=opening,
        turns=tuple(turns),
        expect=expect,
    )


def _scenario(document: Document) -> Scenario:
    parts = read_parts(document)
    if parts.findings or parts.desk is None:
        raise parts.findings.error()
    return Scenario(
        title=parts.title,
        why=parts.why,
        order=parts.order,
        desk=parts.desk,
        policy=parts.policy,
        opening=parts.opening,
        turns=tuple(copy for turn in parts.turns for copy in _copies(turn)),
        expect=parts.expect,
        path=document.path,
        digest=sha256(document.text.encode()).hexdigest(),
    )


def _copies(turn: Turn) -> Iterator[Turn]:
    """Return the turn, or as many copies as it is repeated."""
    if turn.repeat == 1:
        yield turn
        return
    for copy in range(1, turn.repeat + 1):
        yield evolve(turn, label=f"{turn.number}.{copy}")


@frozen(kw_only=True)
class _Head:
    """The keys at the top that stand alone."""

    title: str = ""
    why: str = ""
    order: Order = "listed"


class _Reader:
    """Reads a document part by part; a part that does not fit is None and its problems are told."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._data = document.data
        self.findings = Findings(document)

    def settled(self, part: T | None) -> T:
        """Return a part that was read, once nothing in the whole document is wrong."""
        if part is None or self.findings:
            raise self.findings.error()
        return part

    def known_keys(self) -> None:
        refuse_unknown_keys(self.findings, (), self._data, DOCUMENT_KEYS)

    def format(self) -> None:
        if "format" not in self._data:
            self.findings.at_value(("format",), f"missing, expected {FORMAT}")
            return
        value = self._data["format"]
        if type(value) is not int or value != FORMAT:
            self.findings.at_value(("format",), f"found {found(value)}, expected {FORMAT}")

    def head(self) -> _Head | None:
        stated = {key: self._data[key] for key in ("title", "why", "order") if key in self._data}
        return structured(self.findings, (), stated, _Head)

    def desk(self) -> Fitted[DeskSpec]:
        if "desk" not in self._data:
            self.findings.at_value(("desk",), "missing, expected a table")
        desk = self._part("desk", DeskSpec, only_inside=True)
        if desk.part is not None:
            check_desk(self.findings, desk.part)
        return desk

    def policy(self, names: Names) -> Policy | None:
        policy = self._part("policy", Policy)
        if policy.part is not None:
            check_policy(self.findings, policy.part, names)
        return policy.part if policy.whole else None

    def opening(self, names: Names) -> Opening | None:
        fitted = self._part("opening", Opening)
        opening = fitted.part
        if opening is None:
            return None
        check_opening(self.findings, opening, names)
        if not fitted.whole:
            return None
        expect = opening.expect and self._placed(("opening", "expect"), opening.expect)
        return evolve(opening, expect=expect, spot=Spot(self._document, ("opening",)))

    def expect(self) -> RunExpect | None:
        expect = self._part("expect", RunExpect)
        if expect.part is None or not expect.whole:
            return None
        return self._placed(("expect",), expect.part)

    def turns(self, names: Names) -> list[Turn]:
        """Return the listed turns that could be read, each once."""
        listed = self._data.get("turn", [])
        if not isinstance(listed, list):
            problem = f"found {found(listed)}, expected a list of tables: [[turn]]"
            self.findings.at_value(("turn",), problem)
            return []
        if not listed:
            self.findings.at_value(("turn",), "missing, expected one [[turn]] or more")
        turns: list[Turn] = []
        total = 0
        for position, stated in enumerate(listed):
            turn = self._turn(position, stated, names)
            if turn is not None:
                turns.append(turn)
                total = self._counted(total, turn)
        return turns

    def _turn(self, position: int, stated: object, names: Names) -> Turn | None:
        path: KeyPath = ("turn", position)
        fitted = as_far_as_it_fits(self.findings, path, stated, Turn)
        turn = fitted.part
        if turn is None or not isinstance(stated, Mapping):
            return None
        expect = turn.expect and self._placed((*path, "expect"), turn.expect)
        number = position + 1
        spot = Spot(self._document, path)
        turn = evolve(turn, expect=expect, number=number, label=str(number), spot=spot)
        check_turn(self.findings, path, turn, stated, names)
        return turn if fitted.whole else None

    def _counted(self, total: int, turn: Turn) -> int:
        if total <= MAX_TURNS < total + turn.repeat:
            problem = f"with this turn the file lists more than {MAX_TURNS:,} turns"
            self.findings.at_value(("turn", turn.number - 1, "repeat"), problem)
        return total + turn.repeat

    def _part(self, key: str, type_: type[T], *, only_inside: bool = False) -> Fitted[T]:
        if key not in self._data:
            return Fitted(None, whole=True)
        return as_far_as_it_fits(
            self.findings, (key,), self._data[key], type_, only_inside=only_inside
        )

    def _placed(self, path: KeyPath, expect: Expect) -> Expect:
        """Tell an expectation where each of its keys stands in the file."""
        stated: Any = self._data
        for step in path:
            stated = stated[step]
        return evolve(expect, places=Places(self._document, path, stated))
