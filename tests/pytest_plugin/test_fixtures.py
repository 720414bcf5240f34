"""The fixtures ``room`` and ``replay``, in tests of every colour."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Run = Callable[..., pytest.RunResult]


def test_a_room_is_made_with_one_call(pytester: pytest.Pytester, inner: Run) -> None:
    """It is in simulated time, so a seat that takes its time costs the test none."""
    pytester.makepyfile(
        """
        import anyio
        from deskroom.testing import assert_closed, assert_rows

        def test_it(room):
            async def slow(turn):
                await turn.sleep(500)
                await turn.complete("done")

            made = room({"slow": slow}, opening=("sam", "go"), people={"sam": "Sam"})
            result = anyio.run(made.run)
            assert_rows(result, [("sam", "go"), ("slow", "done")])
            assert_closed(result, "completed")
        """
    )
    inner("-W", "error").assert_outcomes(passed=1)


def test_a_replay_is_found_beside_the_test_and_then_in_the_rootdir(
    pytester: pytest.Pytester, inner: Run, scenario: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever pytest was started; an absolute path is taken as it is."""
    pytester.makepyprojecttoml("[tool.pytest]\n")
    rows = scenario.replace("rows = 1", "rows = 5")
    pytester.makefile(".toml", both=rows, root=rows)
    tests = pytester.mkdir("tests")
    (tests / "both.toml").write_text(scenario)
    (tests / "test_it.py").write_text(
        """
def test_it(replay, pytestconfig):
    assert replay("both.toml").ok
    assert not replay("root.toml").ok
    assert not replay(pytestconfig.rootpath / "both.toml").ok
"""
    )
    inner("tests/test_it.py").assert_outcomes(passed=1)
    monkeypatch.chdir(pytester.mkdir("elsewhere"))
    inner("../tests/test_it.py").assert_outcomes(passed=1)


def test_the_fixtures_can_be_seen(pytester: pytest.Pytester, inner: Run) -> None:
    """``pytest --fixtures`` shows each with one line about it."""
    shown = inner("--fixtures").outlines
    about = [line for line in shown if line.startswith(("room ", "replay "))]
    assert 2 == len(about)


PYTHON_TESTS = """
import anyio
import pytest

from deskroom.testing import ScriptedSeat, assert_closed, assert_ok, complete


async def check(room, replay):
    assert_ok(await replay.play("x.scenario.toml"))
    assert_ok(replay("x.scenario.toml"))
    result = await room({"a": ScriptedSeat([complete("done")])}).run()
    assert_closed(result, "completed")


def test_without_a_loop(room, replay):
    assert_ok(replay("x.scenario.toml"))
    anyio.run(check, room, replay)


@pytest.mark.asyncio
async def test_of_pytest_asyncio(room, replay):
    await check(room, replay)


@pytest.mark.asyncio(loop_scope="module")
async def test_of_pytest_asyncio_in_a_loop_that_goes_on(room, replay):
    await check(room, replay)


@pytest.mark.anyio
async def test_of_anyio(anyio_backend, room, replay):
    await check(room, replay)
"""

STRICT = """
[tool.pytest]
strict = true
filterwarnings = ["error"]
addopts = ["--import-mode=importlib"]
asyncio_mode = "strict"
asyncio_default_fixture_loop_scope = "function"
"""


def test_the_fixtures_serve_every_kind_of_async_test(
    pytester: pytest.Pytester, process: Run, scenario: str
) -> None:
    """Under pytest-asyncio's strict mode, anyio's plugin, pytest's strict options and no warning."""
    pytester.makepyprojecttoml(STRICT)
    pytester.makefile(".scenario.toml", x=scenario)
    pytester.makepyfile(PYTHON_TESTS)
    # The file, and four tests, of which anyio's plugin runs its one on asyncio and on trio.
    process(plugins=("anyio", "pytest_asyncio.plugin")).assert_outcomes(passed=6)
