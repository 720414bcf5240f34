"""How the tests of the pytest plugin run it: pytest in this process, or one of its own."""

from __future__ import annotations

from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

# What an inner session is the first to import, it drops at its end; so all is imported here.
import deskroom.testing  # noqa: F401
from deskroom import pytest_plugin

SCENARIO = """\
format = 1
title = "one seat hands the turn to another"

[desk]
id = "d"
name = "D"
seats = [{ id = "a" }, { id = "b" }]

[[turn]]
seat = "a"
say = "@b over to you"
expect = { next = "b" }

[expect]
rows = 1
"""


@pytest.fixture
def scenario() -> str:
    """Return the text of a small scenario that holds."""
    return SCENARIO


@pytest.fixture
def inner(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., pytest.RunResult]:
    """Return a function that runs pytest in this process, with deskroom's plugin and no other."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def run(*arguments: object) -> pytest.RunResult:
        given = [str(argument) for argument in arguments]
        return pytester.runpytest_inprocess(*given, plugins=[pytest_plugin])

    return run


@pytest.fixture
def process(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., pytest.RunResult]:
    """Return a function that runs a pytest of its own, with deskroom's plugin and those named."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    source = str(Path(pytest_plugin.__file__).resolve().parents[1])
    monkeypatch.setenv("PYTHONPATH", source)

    def run(*arguments: str, plugins: tuple[str, ...] = ()) -> pytest.RunResult:
        loaded = [f"-p{name}" for name in ("deskroom.pytest_plugin", *plugins)]
        return pytester.runpytest_subprocess(*loaded, *arguments, timeout=100)

    return run


@pytest.fixture
def installed() -> None:
    """Skip a test where the package is run from its sources, so that pytest cannot find it."""
    if not metadata.entry_points(group="pytest11", name="deskroom"):
        pytest.skip("deskroom is not installed here")
