"""What the plugin does to a session as a whole: with others, and with nothing for it to do."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., pytest.RunResult]

LOADED = """
import sys

def pytest_unconfigure(config):
    print("loaded", *sorted(sys.modules), file=open("loaded.txt", "w"))
"""

#: What a replay needs, and no session without one.
LIGHT = {
    "deskroom",
    "deskroom._lazy",
    "deskroom._version",
    "deskroom.errors",
    "deskroom.lookalike",
    "deskroom.printable",
    "deskroom.pytest_plugin",
}
HEAVY = {"anyio", "attr", "attrs", "regex", "rich", "structlog", "tree_sitter"}


def test_a_session_without_a_scenario_loads_nothing_of_the_room(
    pytester: pytest.Pytester, process: Run
) -> None:
    """Only the plugin itself, the errors and the version: no library."""
    pytester.makeconftest(LOADED)
    pytester.makepyfile("def test_it(): pass")
    assert pytest.ExitCode.OK == process().ret
    loaded = set((pytester.path / "loaded.txt").read_text().split())
    ours = {name for name in loaded if name.partition(".")[0] == "deskroom"}
    assert LIGHT == ours
    assert set() == HEAVY & loaded


def test_a_scenario_that_is_collected_and_not_run_loads_nothing_either(
    pytester: pytest.Pytester, process: Run, scenario: str
) -> None:
    """Deselecting them leaves a session as it was, but for what finds them."""
    pytester.makeconftest(LOADED)
    pytester.makefile(".scenario.toml", x=scenario)
    process("-m", "not deskroom").assert_outcomes(deselected=1)
    loaded = set((pytester.path / "loaded.txt").read_text().split())
    finder = {"deskroom.scenario", "deskroom.scenario.format", "deskroom.scenario.format.find"}
    ours = {name for name in loaded if name.partition(".")[0] == "deskroom"}
    assert LIGHT | finder == ours
    assert set() == HEAVY & loaded


def test_scenarios_are_shared_out_to_the_workers_of_xdist(
    pytester: pytest.Pytester, process: Run, scenario: str
) -> None:
    """Folders that are named are collected by each worker alike, and failures read the same."""
    pytester.makepyprojecttoml(
        """
        [tool.pytest.ini_options]
        filterwarnings = ["error"]
        testpaths = ["tests"]
        deskroom_scenarios = ["rooms"]
        """
    )
    wrong = scenario.replace("rows = 1", "rows = 2")
    for name, text in {"tests/a.scenario": scenario, "rooms/b": scenario, "rooms/c": wrong}.items():
        path = pytester.path / f"{name}.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    result = process("-n", "2", plugins=("xdist",))
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["rooms/c.toml:15:1: run: rows: expected 2, got 1; *"])


def test_a_session_without_tests_ends_as_it_always_does(inner: Run) -> None:
    """Neither the option nor the ini option needs to be there."""
    assert pytest.ExitCode.NO_TESTS_COLLECTED == inner().ret


@pytest.mark.slow
@pytest.mark.usefixtures("installed")
def test_pytest_finds_the_plugin_of_an_installed_package(
    pytester: pytest.Pytester, scenario: str
) -> None:
    """By its entry point; under its name it can be left out."""
    pytester.makefile(".scenario.toml", x=scenario)
    command = (sys.executable, "-m", "pytest", "-W", "ignore")
    pytester.run(*command).assert_outcomes(passed=1)
    result = pytester.run(*command, "-p", "no:deskroom")
    assert pytest.ExitCode.NO_TESTS_COLLECTED == result.ret


def test_the_package_names_the_plugin() -> None:
    """The entry point is in the project's own settings, for whoever installs it."""
    settings = Path(__file__).parents[2] / "pyproject.toml"
    assert 'deskroom = "deskroom.pytest_plugin"' in settings.read_text()


@pytest.mark.anyio
async def test_a_session_may_be_started_inside_a_loop(
    pytester: pytest.Pytester, inner: Run, scenario: str
) -> None:
    """As a notebook does: a scenario is played on a loop of its own, in a thread."""
    pytester.makefile(".scenario.toml", x=scenario)
    inner().assert_outcomes(passed=1)
