"""A slip in the name of a key is told first, before what is missed for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deskroom.cli.main import _run
from deskroom.errors import FileError
from deskroom.scenario import (
    ScenarioError,
    check_scenario,
    load_desk,
    load_scenario,
    parse_scenario,
)

DESK = 'format = 1\ndesk = { id = "d", name = "D", people = [{ id = "sam", label = "S" }], '
SEATS = 'seats = [{ id = "a" }] }\n'
TURN = '[[turn]]\nseat = "a"\nsay = "hi"\n'
OPENING = '[opening]\nby = "sam"\nmessage = "go"\n'

CASES = {
    "turns": (DESK + SEATS + TURN.replace("turn", "turns"), ("unknown_key", "turns")),
    "desk": (f'format = 1\n{TURN}[desc]\nid = "d"\n', ("unknown_key", "desc")),
    "format": ((DESK + SEATS + TURN).replace("format", "fromat"), ("unknown_key", "fromat")),
    "id": (DESK + SEATS.replace("id", "idd") + TURN, ("unknown_key", "desk.seats[1].idd")),
    "seat": (DESK + SEATS + TURN.replace("seat", "saet"), ("unknown_key", "turn[1].saet")),
    "person": (
        f'{DESK}{SEATS}{TURN}[[turn]]\npreson = "sam"\nsay = "x"\n',
        ("unknown_key", "turn[2].preson"),
    ),
    "say": (
        f'{DESK}{SEATS}[[turn]]\nperson = "sam"\nsya = "x"\n',
        ("unknown_key", "turn[1].sya"),
    ),
    "message": (
        DESK + SEATS + OPENING.replace("message", "mesage") + TURN,
        ("unknown_key", "opening.mesage"),
    ),
    "opening": (
        f'order = "routed"\n{DESK}{SEATS}{OPENING.replace("opening", "openning")}{TURN}',
        ("unknown_key", "openning"),
    ),
    "first person": (
        f'order = "routed"\n{DESK}{SEATS}[[turn]]\npersn = "sam"\nsay = "x"\n',
        ("unknown_key", "turn[1].persn"),
    ),
    "another version": (
        f"format = 2\n{TURN.replace('turn', 'turns')}[desk]\nagents = 3\n",
        ("unknown_value", "format"),
    ),
    "twice": (DESK + SEATS + TURN + 'say = "x"\n', ("duplicate_key", "turn[1].say")),
}


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that writes one of the cases."""

    def write(case: str) -> Path:
        path = tmp_path / "x.toml"
        path.write_text(CASES[case][0])
        return path

    return write


def told(error: FileError) -> tuple[str | None, str | None]:
    """Return the kind and the key of the problem that an error reads as."""
    return error.kind, getattr(error, "key", None)


@pytest.mark.parametrize("case", CASES)
def test_the_cause_is_told_before_what_follows_from_it(
    case: str, file: Callable[[str], Path]
) -> None:
    """What follows from it would lead astray, the more so where it comes first in the file."""
    path = file(case)
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path)
    assert CASES[case][1] == told(caught.value)
    assert caught.value.problems == tuple(sorted(caught.value.problems, key=place))
    assert [str(one) for one in check_scenario(path).errors] == [
        str(one) for one in caught.value.problems
    ]


def place(error: FileError) -> tuple[int, int]:
    """Return where an error stands."""
    return error.line or 0, error.column or 0


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("command", ["replay", "run", "diff", "explain"])
def test_every_command_tells_the_cause(
    case: str, command: str, file: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """One line of those that check tells, and exit code 2."""
    path = str(file(case))
    arguments = {"diff": [path, path], "explain": ["hi", "--from", "a", "--desk", path]}
    code = _run([command, *arguments.get(command, [path])])
    assert 2 == code
    (line,) = capsys.readouterr().err.splitlines()
    kind, key = CASES[case][1]
    assert [line] == [str(one) for one in check_scenario(path).errors if told(one) == (kind, key)]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("[[turn]]\nseat = 'a'\n[[turns]]\n", ("missing_key", "format")),
        ("format = 1\n[[turn]]\nseat = 'a'\n[[turns]]\n", ("missing_key", "desk")),
        (DESK + SEATS + "[[turn]]\nsya = 'x'\n", ("missing_key", "turn[1]")),
        (DESK + SEATS + "[extra]\n", ("missing_key", "turn")),
    ],
)
def test_what_no_slip_explains_is_told_as_before(text: str, expected: tuple[str, str]) -> None:
    """A key that is there was not meant by another, nor one that is not like it."""
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text)
    assert expected == told(caught.value)


@pytest.mark.parametrize(
    "text, expected",
    [
        (f"tittle = 'T'\n{DESK}{SEATS}", ("unknown_key", "tittle")),
        (f"note = 'T'\n{DESK}{SEATS}", ("unknown_key", "note")),
        (f"polici = {{}}\n{DESK}{SEATS}", ("unknown_key", "polici")),
        ("format = 3\n[desk]\nx = 1\n", ("unknown_value", "format")),
    ],
)
def test_a_desk_file_with_a_slip_is_a_desk_file(
    text: str, expected: tuple[str, str], tmp_path: Path
) -> None:
    """It is told of the slip, and not that it has no turns; so is a file of another version."""
    path = tmp_path / "x.toml"
    path.write_text(text)
    with pytest.raises(ScenarioError) as caught:
        load_desk(path)
    assert expected == told(caught.value)
