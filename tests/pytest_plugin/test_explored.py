"""A scenario that asks to be explored is a second test."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Run = Callable[..., pytest.RunResult]

PROPERTY = """
[[property]]
name = "b never speaks"
never = { seat = "b" }

[explore]
runs = 20
talk = true
"""


def test_a_file_with_explore_is_two_tests(
    pytester: pytest.Pytester, inner: Run, scenario: str
) -> None:
    """A file without it is one."""
    pytester.makefile(".scenario.toml", x=scenario + "\n[explore]\nruns = 5\n", y=scenario)
    result = inner("-v")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["*x.scenario.toml::x-explored PASSED*"])


def test_a_run_that_fails_is_shown_as_a_scenario(
    pytester: pytest.Pytester, inner: Run, scenario: str
) -> None:
    """With the command that shows it again; the replay of the file itself passes."""
    pytester.makefile(".scenario.toml", x=scenario.replace("[expect]\nrows = 1\n", "") + PROPERTY)
    result = inner()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "x.scenario.toml: property 'b never speaks': run *",
            "to see it: deskroom explore x.scenario.toml --seed 0",
            "The run as a scenario:",
            'title = "Property does not hold: b never speaks"',
            'never = { seat = "b" }',
            'FAILED *x-explored - property "b never speaks" does not hold*',
        ]
    )


def test_the_same_runs_are_played_each_time(
    pytester: pytest.Pytester, inner: Run, scenario: str
) -> None:
    """A test must not depend on the day."""
    pytester.makefile(".scenario.toml", x=scenario + PROPERTY)
    lines = [
        [line for line in inner("-k", "explored").outlines if "run " in line and "property" in line]
        for _ in range(2)
    ]
    assert lines[0] == lines[1] != []


def test_a_text_that_only_looks_like_it_is_skipped(
    pytester: pytest.Pytester, inner: Run, scenario: str
) -> None:
    """A message may have such a line; the file is read when the test runs."""
    text = scenario.replace('say = "@b over to you"', 'say = """@b\n[explore]\n"""')
    pytester.makefile(".scenario.toml", x=text)
    inner().assert_outcomes(passed=1, skipped=1)


def test_a_file_that_is_wrong_fails_both(
    pytester: pytest.Pytester, inner: Run, scenario: str
) -> None:
    """Each says where."""
    pytester.makefile(".scenario.toml", x=scenario + "\n[explore]\nrnus = 5\n")
    result = inner()
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(['*explore.rnus: unknown key*did you mean "runs"?*'])
