from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deskroom.scenario.check import CheckWarning, check_scenario, check_text
from deskroom.scenario.format.problems import MAX_PROBLEMS

File = Callable[..., str]

SHIPPED = Path(__file__).parents[3] / "scenarios"
TURN = '[[turn]]\nseat = "lead"\nsay = "hello"\n'
PINNED = 'expect = { audience = "desk" }\n'


def findings(text: str) -> tuple[list[str], list[str]]:
    """Return the errors and the warnings, each as place, kind and key."""
    checked = check_text(text, "x.toml")
    return (
        [f"{e.place} {e.kind} {getattr(e, 'key', None)}" for e in checked.errors],
        [f"{w.path}:{w.line}:{w.column} {w.kind} {w.key}" for w in checked.warnings],
    )


def test_a_file_that_nothing_can_be_said_against_is_clean(file: File) -> None:
    """It says so of itself."""
    checked = check_text(file(f"{TURN}{PINNED}"), "x.toml")
    assert ("x.toml", (), (), True) == (
        checked.path,
        checked.errors,
        checked.warnings,
        checked.is_clean,
    )


def test_a_warning_carries_its_facts(file: File) -> None:
    """Place, kind, key and sentence are data, and it reads as one line."""
    checked = check_text(file(f"{TURN}expect = {{}}\n{TURN}{PINNED}"), "x.toml")
    (warning,) = checked.warnings
    assert (
        CheckWarning("x.toml", 11, 1, "cannot_fail", "turn[1].expect", warning.problem) == warning
    )
    assert f"x.toml:11:1: warning: turn[1].expect: {warning.problem}" == str(warning)
    assert not checked.is_clean


def test_every_error_is_told_and_every_warning_that_they_leave_room_for(file: File) -> None:
    """What is wrong in one turn hides nothing that is suspicious in another."""
    text = file(
        '[[turn]]\nseat = "lead"\nsay = "@cheker"\n'
        '[[turn]]\nseat = "lead"\nsya = "x"\n'
        '[[turn]]\nseat = "solve"\ncalls = []\nwrote = []\n'
        '[[turn]]\nseat = "lead"\nwrote = []\n',
        seats='{ id = "lead" }, { id = "checker", name = "the checker" }',
    )
    errors, warnings = findings(text)
    assert [
        "x.toml:13:1 unknown_key turn[2].sya",
        "x.toml:15:8 unknown_name turn[3].seat",
    ] == errors
    assert [
        "x.toml:7:52 unaddressable desk.seats[2].name",
        "x.toml:10:8 no_mention turn[1].say",
        "x.toml:20:1 no_effect turn[4].wrote",
    ] == warnings


def test_nothing_is_warned_of_that_an_error_leaves_in_doubt(file: File) -> None:
    """Under a policy that is wrong no call can be judged, and behind an error no turn is lost."""
    done = (
        '[[turn]]\nseat = "lead"\ncalls = [{ tool = "desk_complete_episode", message = "x" }]\n'
        "expect = { completes = true }\n"
    )
    assert ([], ["x.toml:12:1 never_reached turn[2]"]) == findings(file(done + TURN))
    errors, warnings = findings(file(f"{done}{TURN}takes = -1\n"))
    assert (1, []) == (len(errors), warnings)
    errors, warnings = findings(file(f"[policy]\nmax_calls = -1\n{TURN}wrote = []\n"))
    assert (1, []) == (len(errors), warnings)
    errors, warnings = findings(file(f"[policies]\n{TURN}wrote = []\n"))
    assert (1, 1) == (len(errors), len(warnings))


@pytest.mark.parametrize(
    "broken",
    [
        ('id = "d"', "id = 3"),
        ('{ id = "checker" }', '{ id = "lead" }'),
        ('id = "d"', 'id = "main"'),
    ],
)
def test_without_a_desk_there_are_no_names_to_judge(file: File, broken: tuple[str, str]) -> None:
    """Only the errors are told."""
    errors, warnings = findings(file(TURN.replace("hello", "@cheker")).replace(*broken, 1))
    assert (1, []) == (len(errors), warnings)


def test_a_file_that_is_no_scenario_at_all_is_an_error(tmp_path: Path) -> None:
    """It is returned with its place, never raised."""
    path = tmp_path / "x.toml"
    missing = check_scenario(path)
    assert [(str(path), "no_file")] == [(error.path, error.kind) for error in missing.errors]
    path.write_text("a = \n")
    (error,) = check_scenario(path).errors
    assert (f"{path}:1:5", "not_toml") == (error.place, error.kind)
    assert "y.toml:1:5" == check_text("a = \n", "y.toml").errors[0].place


def test_there_is_an_end_to_what_is_told(file: File) -> None:
    """A file with very many slips has one cause."""
    checked = check_text(file(f"{TURN}wrote = []\n" * (MAX_PROBLEMS + 9)))
    assert ((), MAX_PROBLEMS) == (checked.errors, len(checked.warnings))
    checked = check_text(file('[[turn]]\nseat = "x"\n' * (MAX_PROBLEMS + 9)))
    assert (MAX_PROBLEMS, ()) == (len(checked.errors), checked.warnings)


def test_of_the_shipped_scenarios_only_what_they_show_is_told() -> None:
    """Each of these is what its file is about, or says of itself that it is never reached."""
    found = {
        path.relative_to(SHIPPED).as_posix(): [
            (w.kind, w.key) for w in check_scenario(path).warnings
        ]
        for path in sorted(SHIPPED.rglob("*.toml"))
        if check_scenario(path).warnings
    }
    assert {
        "field/two-seats-with-one-name.toml": [
            ("ambiguous_name", "desk.seats[3].name"),
            ("ambiguous_name", "desk.seats[4].name"),
        ],
        "legacy-close.toml": [("never_reached", "turn[2]")],
        "run-28-routed.toml": [("never_reached", "turn[7]")],
        "run-28.toml": [("never_reached", "turn[7]"), ("cannot_fail", "expect.nudges")],
    } == found
