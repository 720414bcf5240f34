from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import deskroom
from deskroom import errors
from deskroom.errors import (
    AsideRefused,
    DeskError,
    DeskroomError,
    EpisodeError,
    FileError,
    RoomClosed,
    RoomFailure,
    RosterError,
    SeatCancelled,
    UsageError,
    WireError,
    hint,
    nearest,
)
from deskroom.scenario.format.problems import did_you_mean

ALL = [
    AsideRefused("disabled"),
    DeskError("empty_desk_id", ""),
    EpisodeError("stale_assignment", "ada"),
    FileError("a.toml", "is wrong"),
    RoomClosed("closed"),
    SeatCancelled("cancelled"),
    RoomFailure("failed"),
    RosterError("empty_member_id", " "),
    UsageError("misused"),
    WireError("x is missing"),
]


def test_every_error_has_one_root() -> None:
    """Whoever catches the root catches all that deskroom raises on purpose, and no more."""
    assert all(isinstance(error, DeskroomError) for error in ALL)
    assert DeskroomError.__bases__ == (Exception,)
    assert {type(error).__name__ for error in ALL} | {"DeskroomError", "hint", "nearest"} == set(
        errors.__all__
    )


def test_whose_fault_it_is_decides_the_class() -> None:
    """Only a closed room is a kind of misuse; the other kinds stand beside each other."""
    assert issubclass(RoomClosed, UsageError)
    kinds = (
        AsideRefused,
        DeskError,
        EpisodeError,
        FileError,
        RoomFailure,
        RosterError,
        UsageError,
        WireError,
    )
    assert all(kind.__bases__ == (DeskroomError,) for kind in kinds)


@pytest.mark.parametrize(
    "error,facts,message",
    [
        (
            RosterError("duplicate_member_id", "ada"),
            {"kind": "duplicate_member_id", "id": "ada"},
            "the roster is invalid: duplicate_member_id ('ada')",
        ),
        (
            DeskError("reserved_desk_identity", "Main"),
            {"kind": "reserved_desk_identity", "id": "Main"},
            "the desks are invalid: reserved_desk_identity ('Main')",
        ),
        (
            AsideRefused("budget_spent"),
            {"reason": "budget_spent"},
            "the aside was refused: budget_spent",
        ),
        (
            EpisodeError("unknown_participant", "zed"),
            {"kind": "unknown_participant", "participant": "zed"},
            "the episode cannot take this event: unknown_participant ('zed')",
        ),
    ],
)
def test_an_error_carries_its_facts(
    error: DeskroomError, facts: dict[str, str], message: str
) -> None:
    """A program reads the attributes, a person the sentence."""
    assert {name: getattr(error, name) for name in facts} == facts
    assert str(error) == message


@pytest.mark.parametrize(
    "line,column,place",
    [(None, None, "a b.toml"), (3, None, "a b.toml:3"), (3, 14, "a b.toml:3:14")],
)
def test_a_file_error_names_the_place_as_far_as_it_is_known(
    line: int | None, column: int | None, place: str
) -> None:
    """Path, line and column stand before the problem, with colons between."""
    error = FileError("a b.toml", "what is wrong", line=line, column=column)
    assert error.place == place
    assert str(error) == f"{place}: what is wrong"
    assert (error.path, error.problem, error.line, error.column) == (
        "a b.toml",
        "what is wrong",
        line,
        column,
    )


@pytest.mark.parametrize(
    "name,expected",
    [
        ("solvr", "Solver"),
        ("SOLVER", "Solver"),
        ("chekcer", "checker"),
        ("zzz", None),
        ("", None),
        ("x" * 1_000_000, None),
        ("checker" + "r" * 3, "checker"),
    ],
)
def test_the_nearest_name_is_found_whatever_its_case(name: str, expected: str | None) -> None:
    """A slip is mended, a stranger is not, and a name without end is answered at once."""
    assert nearest(name, ["Solver", "checker", "y" * 1_000_000]) == expected


def test_of_names_that_differ_in_case_the_first_is_nearest() -> None:
    """The answer is one of the known names, as it was given."""
    assert nearest("ada", iter(["Ada", "ADA"])) == "Ada"
    assert nearest("ada", []) is None


def test_the_hint_of_an_error_names_what_is_near_or_says_something_else() -> None:
    """A stranger gets the words that are given for one, and none where none are."""
    assert "; did you mean 'solver'?" == hint("solvr", ["solver", "checker"])
    assert ("", "; there is none") == (
        hint("zzz", ["a"]),
        hint("zz", [], otherwise="; there is none"),
    )


def test_a_name_that_looks_the_same_is_offered_first_with_what_differs() -> None:
    """Nobody is asked whether they meant the very word that they read."""
    looks = "b\u03bfb"
    assert "bob" == nearest(looks, ["b\u03bfo", "bob"])
    differs = ", which differs in a look-alike letter, U+03BF (GREEK SMALL LETTER OMICRON)?"
    assert f"; did you mean 'bob'{differs}" == hint(looks, ["bob"])
    assert f'; did you mean "bob"{differs}' == did_you_mean(looks, ["bob"])


SOURCE = Path(deskroom.__file__).parent
CALLED = re.compile(r"[A-Za-z_][\w.]*(?=\()")


def sentences() -> Iterator[str]:
    """Yield the texts of every error that says how the Python API is to be used."""
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in {
                "UsageError",
                "RoomClosed",
            }:
                texts = (part for part in ast.walk(node) if isinstance(part, ast.Constant))
                yield from (part.value for part in texts if isinstance(part.value, str))


def test_what_an_error_recommends_can_be_imported_from_where_it_says() -> None:
    """A name alone would send whoever reads it searching."""
    recommended = [name for text in sentences() for name in CALLED.findall(text)]
    assert ["deskroom.scenario.play_scenario"] == recommended
    for name in recommended:
        module, _, attribute = name.rpartition(".")
        assert attribute in import_module(module).__all__
