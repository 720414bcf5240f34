"""What is wrong with a file, gathered: each problem has a place, a key, a kind and a sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final, Literal

from deskroom.errors import DeskError, FileError, RosterError, nearest
from deskroom.lookalike import which_differs
from deskroom.scenario.format.position import KeyPath, Place
from deskroom.scenario.format.toml import Document

__all__ = [
    "LAST_INTEGER",
    "MAX_PROBLEMS",
    "Findings",
    "KeyProblem",
    "ProblemKind",
    "ScenarioError",
    "did_you_mean",
    "found",
    "key_text",
    "listing",
    "quoted",
]

#: Collecting stops here: a file with so many problems has one cause or is no scenario.
MAX_PROBLEMS: Final = 500

_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_SHOWN: Final = 60  # characters of a value
_LISTED: Final = 12  # names in a list of valid ones
_COMPARED: Final = 50  # names looked at for the nearest one
#: TOML's whole numbers have 64 bits.
LAST_INTEGER: Final = 2**63 - 1

#: The kinds of problem that the format itself defines. The core adds those of a roster and of a
#: desk (``duplicate_member_id``), and a file that is not TOML has kinds of its own.
ProblemKind = Literal[
    "missing_key",
    "unknown_key",
    "wrong_type",
    "unknown_value",
    "unknown_name",
    "out_of_range",
    "blank_text",
    "empty_list",
    "named_twice",
    "retired_seat",
    "conflicting_keys",
    "not_for_a_person",
    "needs_a_row",
    "needs_a_person",
    "no_active_seat",
    "control_character",
    "too_deep",
    "too_many_turns",
]


class KeyProblem(FileError):
    """A file is wrong at one key.

    ``key`` is the key as the file writes it, with lists counted from 1 as turns are:
    ``turn[4].expect.next``. ``kind`` is a ``ProblemKind``, or that of the core's error.
    """

    def __init__(self, path: str, problem: str, *, key: str, place: Place, kind: str) -> None:
        self.key = key
        super().__init__(path, f"{key}: {problem}", line=place.line, column=place.column, kind=kind)


class ScenarioError(FileError):
    """A scenario file is wrong. ``problems`` holds everything that is, in file order.

    It reads as the first of them, or as the ``cause`` of that where this is known.
    """

    def __init__(self, problems: Iterable[FileError], cause: FileError | None = None) -> None:
        self.problems = tuple(problems)
        first = cause or self.problems[0]
        self.key: str | None = getattr(first, "key", None)
        super().__init__(
            first.path, first.problem, line=first.line, column=first.column, kind=first.kind
        )


class Findings:
    """The problems of one document, gathered in any order.

    Adding one more than is of use raises ``ScenarioError`` at once.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self._problems: list[tuple[KeyPath, KeyProblem]] = []
        self._misspelt: set[KeyPath] = set()

    def unknown_key(self, path: KeyPath, known: Sequence[str]) -> None:
        """Add a problem with a key that is not among the known ones, and note which was meant."""
        key = str(path[-1])
        problem = f"unknown key, expected one of {', '.join(known)}{did_you_mean(key, known)}"
        self.at_key(path, "unknown_key", problem)
        near = nearest(key, known)
        if near is not None:
            self._misspelt.add((*path[:-1], near))

    def at_value(self, path: KeyPath, kind: ProblemKind, problem: str) -> None:
        """Add a problem with a value; of a missing key, with the table it is missing from."""
        self._add(path, kind, problem, self.document.value_at(path))

    def at_key(self, path: KeyPath, kind: ProblemKind, problem: str) -> None:
        """Add a problem with a key that should not be there, or not in this way."""
        self._add(path, kind, problem, self.document.key_at(path))

    def caused(self, path: KeyPath, problem: str, cause: RosterError | DeskError) -> None:
        """Add a problem that a rule of the core found."""
        self._add(path, cause.kind, problem, self.document.value_at(path), cause)

    def _add(
        self,
        path: KeyPath,
        kind: str,
        problem: str,
        place: Place,
        cause: RosterError | DeskError | None = None,
    ) -> None:
        at = self.document.path
        new = KeyProblem(at, problem, key=key_text(path), place=place, kind=kind)
        new.__cause__ = cause
        self._problems.append((path, new))
        if len(self._problems) == MAX_PROBLEMS:
            raise self.error()

    def __len__(self) -> int:
        return len(self._problems)

    def error(self) -> ScenarioError:
        """Return the error that holds everything that was found, in file order."""
        found = sorted(self._problems, key=lambda pair: _in_file_order(pair[1]))
        cause = next(one for path, one in found if not self._follows(path, one))
        return ScenarioError([problem for _, problem in found], cause)

    def _follows(self, path: KeyPath, problem: KeyProblem) -> bool:
        """Whether something is only missed because the name of its key was misspelt."""
        meant: tuple[KeyPath, ...] = ()
        if problem.kind == "missing_key":  # of a turn itself, who has it
            meant = (path, (*path, "seat"), (*path, "person"))
        elif path == ("order",):
            meant = (("opening",), ("turn", 0, "person"))
        return not self._misspelt.isdisjoint(meant)


def _in_file_order(problem: FileError) -> tuple[int, int]:
    return problem.line or 0, problem.column or 0


# --- how keys and values are written ----------------------------------------------------------


def key_text(path: KeyPath) -> str:
    """Write a path as a person would: ``desk.seats[2].id``; lists count from 1."""
    written = ""
    for step in path:
        if isinstance(step, int):
            written += f"[{step + 1}]"
        else:
            key = step if _BARE_KEY.fullmatch(step) and len(step) <= _SHOWN else quoted(step)
            written += f".{key}" if written else key
    return written


def quoted(text: str) -> str:
    """Write a string as the file could hold it, cut where it is long."""
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    literal = json.dumps(shown, ensure_ascii=False)
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in literal)


def found(value: object) -> str:
    """Name a value of the file in a few words."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return quoted(value)
        case int() if abs(value) > LAST_INTEGER:
            return "a number of more than 64 bits"
        case int() | float():
            return str(value)
        case dict():
            return "a table"
        case list():
            return "a list"
        case _:
            return "a date or a time"


def listing(names: Iterable[str]) -> str:
    """List valid names, the first dozen of them."""
    first = [quoted(name)[1:-1] for name in islice(names, _LISTED + 1)]
    return ", ".join([*first[:_LISTED], "…"] if len(first) > _LISTED else first)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a hint with the known name most like ``name``, or nothing."""
    near = nearest(name, islice(known, _COMPARED))
    return "" if near is None else f"; did you mean {quoted(near)}{which_differs(name, near)}?"
