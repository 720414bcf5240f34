"""What becomes of a scenario that is run as a test."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deskroom.render.replay import failure_lines
from deskroom.scenario import load_scenario, replay_scenario

Run = Callable[..., pytest.RunResult]

MISMATCH = (
    'x.scenario.toml:12:12: turn 1 (a): next: expected "a", got "b"; '
    "'@b' at byte 0 is the first seat named"
)


def section(result: pytest.RunResult, title: str) -> list[str]:
    """Return the lines of a report from the one that holds its title to the next title."""
    lines = iter(result.outlines)
    for line in lines:
        if line.strip("_ ") == title:
            break
    found = []
    for line in lines:
        if line.startswith(("=", "_____")):
            break
        found.append(line)
    return found


def test_a_scenario_that_holds_passes(pytester: pytest.Pytester, inner: Run, scenario: str) -> None:
    """One file is one test."""
    pytester.makefile(".scenario.toml", x=scenario, y=scenario)
    inner().assert_outcomes(passed=2)


def test_a_failure_says_what_the_command_line_says(
    pytester: pytest.Pytester, inner: Run, scenario: str
) -> None:
    """It has a line for each mismatch, with the path as it is from where pytest was started."""
    wrong = scenario.replace('next = "b"', 'next = "a"').replace("rows = 1", "rows = 2")
    pytester.makefile(".scenario.toml", x=wrong)
    result = inner()
    result.assert_outcomes(failed=1)
    replay = replay_scenario(load_scenario("x.scenario.toml"))
    assert list(failure_lines(replay)) == section(result, "x")
    assert [
        MISMATCH,
        (
            "x.scenario.toml:15:1: run: rows: expected 2, got 1; "
            "the room closed with 'script' after 1 turn"
        ),
    ] == section(result, "x")[:2]


def test_the_summary_begins_with_the_first_mismatch(
    pytester: pytest.Pytester, inner: Run, scenario: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader of the last lines knows where to look."""
    monkeypatch.setenv("COLUMNS", "300")
    pytester.makefile(".scenario.toml", x=scenario.replace('next = "b"', 'next = "a"'))
    wanted = 'FAILED x.scenario.toml::x - turn 1 (a): next: expected "a", got "b"'
    assert wanted in inner().outlines


def test_a_file_that_is_wrong_is_an_error_and_stops_no_other(
    pytester: pytest.Pytester, inner: Run, scenario: str
) -> None:
    """It shows every problem of the file, each on its line, and no traceback."""
    wrong = scenario.replace("seats =", "seets =").replace('"@b', '"')
    pytester.makefile(".scenario.toml", wrong=wrong, y=scenario)
    result = inner()
    result.assert_outcomes(passed=1, errors=1)
    assert [
        (
            "wrong.scenario.toml:7:1: desk.seets: unknown key, expected one of id, name, seats, people;"
            ' did you mean "seats"?'
        ),
    ] == section(result, "ERROR at setup of wrong")


def test_a_file_that_is_gone_by_then_is_an_error(
    pytester: pytest.Pytester, inner: Run, scenario: str
) -> None:
    """It was collected, and another process took it away."""
    pytester.makefile(".scenario.toml", x=scenario)
    pytester.makeconftest(
        """
        import pathlib

        def pytest_collection_finish(session):
            pathlib.Path("x.scenario.toml").unlink()
        """
    )
    result = inner()
    result.assert_outcomes(errors=1)
    assert ["x.scenario.toml: there is no such file in ."] == section(result, "ERROR at setup of x")


def test_what_a_message_holds_cannot_break_the_line(
    pytester: pytest.Pytester, inner: Run, scenario: str
) -> None:
    """A control is shown as an escape, as on the command line."""
    text = scenario.replace('say = "@b over', 'say = "\\u001b[31m@b\\nover')
    pytester.makefile(".scenario.toml", x=text)
    result = inner()
    result.assert_outcomes(failed=1)
    assert "\x1b" not in result.stdout.str()


def test_a_test_may_leave_no_current_folder_behind(
    pytester: pytest.Pytester, inner: Run, scenario: str
) -> None:
    """Then the path is shown in full, and the scenario is replayed all the same."""
    pytester.makefile(".scenario.toml", x=scenario, y=scenario.replace("rows = 1", "rows = 7"))
    pytester.makeconftest(
        """
        import os, pathlib

        def pytest_collection_finish(session):
            pathlib.Path("gone").mkdir()
            os.chdir("gone")
            pathlib.Path("../gone").resolve().rmdir()

        def pytest_sessionfinish(session):
            os.chdir(session.config.rootpath)
        """
    )
    result = inner()
    result.assert_outcomes(passed=1, failed=1)
    assert section(result, "y")[0].startswith(f"{pytester.path}/y.scenario.toml:15:1: run: rows:")


def test_junit_tells_failures_from_errors(
    pytester: pytest.Pytester, inner: Run, scenario: str
) -> None:
    """A mismatch is a failure, a file that is wrong an error."""
    pytester.makefile(".scenario.toml", x=scenario.replace('next = "b"', 'next = "a"'), y="")
    inner("--junit-xml=junit.xml")
    xml = (pytester.path / "junit.xml").read_text()
    assert '<failure message="turn 1 (a): next' in xml
    assert '<error message="failed on setup with &quot;Failed: y.scenario.toml:1:1' in xml


def test_a_property_that_does_not_hold_is_a_failure(
    pytester: pytest.Pytester, inner: Run, scenario: str
) -> None:
    """As it is of a replay, with its line and the row."""
    never = '[[property]]\nname = "{name}"\nnever = {{ seat = "{seat}" }}\n'
    line = len(scenario.splitlines()) + 1
    pytester.makefile(".scenario.toml", x=scenario + never.format(name="a is silent", seat="a"))
    pytester.makefile(".scenario.toml", y=scenario + never.format(name="b is silent", seat="b"))
    result = inner()
    result.assert_outcomes(passed=1, failed=1)
    assert (
        f'x.scenario.toml:{line}:1: property "a is silent": row 1 (turn 1, a) matches'
        == (section(result, "x")[0])
    )
