"""A scenario takes the markers, hooks and options of any other test, and other plugins' too."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., pytest.RunResult]

MARK = """
import pytest

def pytest_collection_modifyitems(items):
    for item in items:
        item.add_marker(pytest.mark.{marker})
"""

#: A fixture that notes that it ran, in a conftest which asks for it by marker.
NOTED = (
    MARK.format(marker="usefixtures('noted')")
    + """
@pytest.fixture
def noted(tmp_path, request):
    with open("noted.txt", "a") as file:
        print(request.node.name, tmp_path.is_dir(), file=file)
    yield
    with open("noted.txt", "a") as file:
        print("after", file=file)
"""
)

#: What each marker makes of a scenario that holds, of one that does not, and of a wrong file.
MARKERS = {
    "skip": ("skipped", "skipped", "skipped"),
    "skip(reason='not today')": ("skipped", "skipped", "skipped"),
    "skipif(True, reason='not today')": ("skipped", "skipped", "skipped"),
    "skipif(False, reason='not today')": ("passed", "failed", "errors"),
    "skipif('config.getoption(\"verbose\") < 9', reason='a')": ("skipped", "skipped", "skipped"),
    "xfail": ("xpassed", "xfailed", "xfailed"),
    "xfail(reason='ticket 12', strict=True)": ("failed", "xfailed", "xfailed"),
    "xfail(False, reason='ticket 12', strict=True)": ("passed", "failed", "errors"),
    "xfail(run=False)": ("xfailed", "xfailed", "xfailed"),
    "xfail(raises=AssertionError)": ("xpassed", "xfailed", "errors"),
    "xfail(raises=pytest.fail.Exception)": ("xpassed", "xfailed", "xfailed"),
    "xfail(raises=OSError)": ("xpassed", "failed", "errors"),
    "parametrize('number', [1, 2])": ("passed", "failed", "errors"),
}


@pytest.fixture
def wrong(scenario: str) -> str:
    """Return a scenario that does not come out as it says."""
    return scenario.replace('next = "b"', 'next = "a"')


@pytest.mark.parametrize("marker", MARKERS)
def test_a_marker_means_what_it_means_for_any_test(
    marker: str, pytester: pytest.Pytester, inner: Run, scenario: str, wrong: str
) -> None:
    """Skipped, or expected to fail, in every form that pytest has."""
    pytester.makeconftest(MARK.format(marker=marker))
    pytester.makefile(".scenario.toml", holds=scenario, wrong=wrong, slip="format = 2")
    expected = dict.fromkeys(MARKERS[marker], 0)
    for outcome in MARKERS[marker]:
        expected[outcome] += 1
    inner().assert_outcomes(**expected)


def test_a_skipped_scenario_is_told_with_its_file(
    pytester: pytest.Pytester, inner: Run, scenario: str
) -> None:
    """In the short summary, like a function's."""
    pytester.makeconftest(MARK.format(marker="skip(reason='needs --runslow')"))
    pytester.makefile(".scenario.toml", x=scenario)
    assert "SKIPPED [1] x.scenario.toml: needs --runslow" in inner("-rs").outlines


def test_fixtures_are_set_up_around_a_scenario(
    pytester: pytest.Pytester, inner: Run, scenario: str
) -> None:
    """Those that a marker asks for, with what they ask for themselves."""
    pytester.makeconftest(NOTED)
    pytester.makefile(".scenario.toml", x=scenario)
    inner().assert_outcomes(passed=1)
    assert "x True\nafter\n" == (pytester.path / "noted.txt").read_text()


def test_a_fixture_of_every_test_is_one_of_a_scenario(
    pytester: pytest.Pytester, inner: Run, wrong: str
) -> None:
    """It may skip the scenario or mark it, as it may any test."""
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture(autouse=True)
        def known(request):
            if request.node.name == "not-here":
                pytest.skip("not here")
            request.applymarker(pytest.mark.xfail(reason="ticket 12", strict=True))
        """
    )
    pytester.makefile(".scenario.toml", x=wrong, **{"not-here": wrong})
    inner().assert_outcomes(xfailed=1, skipped=1)


def test_a_hook_may_fail_or_skip_a_scenario(
    pytester: pytest.Pytester, inner: Run, scenario: str
) -> None:
    """At each step of its run."""
    pytester.makeconftest(
        """
        import pytest

        def pytest_runtest_setup(item):
            if item.name == "a":
                pytest.skip("a is not set up")

        def pytest_runtest_call(item):
            if item.name == "b":
                pytest.fail("b is not called")

        def pytest_pyfunc_call(pyfuncitem):
            if pyfuncitem.name == "c":
                pytest.xfail("c is not played")

        def pytest_runtest_teardown(item):
            if item.name == "d":
                pytest.fail("d is not torn down")
        """
    )
    pytester.makefile(".scenario.toml", a=scenario, b=scenario, c=scenario, d=scenario)
    inner().assert_outcomes(skipped=1, failed=1, xfailed=1, passed=1, errors=1)


# --- options -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a b", "größer", "a.b", "a-(1)"])
def test_a_scenario_is_chosen_by_its_id(
    name: str, pytester: pytest.Pytester, inner: Run, scenario: str
) -> None:
    """Whatever the name of its file looks like, the id that a session prints is one to give."""
    pytester.makefile(".scenario.toml", other=scenario, **{name: scenario})
    ids = [line for line in inner("--collect-only", "-q").outlines if ".toml::" in line]
    assert 2 == len(ids)
    chosen = next(found for found in ids if not found.startswith("other"))
    inner(chosen).assert_outcomes(passed=1)


def test_the_last_failed_is_run_again(
    pytester: pytest.Pytester, inner: Run, scenario: str, wrong: str
) -> None:
    """With ``--lf`` and ``--sw``: by its id, which stays the same."""
    pytester.makefile(".scenario.toml", **{"a": scenario, "b[1]": wrong, "c": scenario})
    inner().assert_outcomes(passed=2, failed=1)
    inner("--lf").assert_outcomes(failed=1)
    inner("--ff", "-x").assert_outcomes(failed=1)
    pytester.makefile(".scenario.toml", **{"b[1]": scenario})
    inner("--lf").assert_outcomes(passed=1)
    pytester.makefile(".scenario.toml", **{"b[1]": wrong})
    inner("--sw").assert_outcomes(passed=1, failed=1)
    pytester.makefile(".scenario.toml", **{"b[1]": scenario})
    inner("--sw").assert_outcomes(passed=2, deselected=1)


@pytest.mark.parametrize(
    "options", ["--co", "--co -q", "--co -qq", "--setup-plan", "--fixtures-per-test"]
)
def test_a_session_that_only_looks_plays_nothing(
    options: str, pytester: pytest.Pytester, inner: Run, wrong: str
) -> None:
    """A scenario is listed, and so its failure is not seen."""
    pytester.makefile(".scenario.toml", x=wrong)
    result = inner(*options.split())
    assert pytest.ExitCode.OK == result.ret
    assert "FAIL" not in result.stdout.str()


def test_junit_has_the_real_time_of_the_playing(
    pytester: pytest.Pytester, inner: Run, scenario: str
) -> None:
    """Not the simulated time: a turn that hangs for 40 minutes costs none."""
    hangs = scenario.replace('say = "@b over', 'takes = 2400\nsay = "@b over').replace(
        "[[turn]]", "[policy]\nturn_timeout_s = 3000\n\n[[turn]]"
    )
    pytester.makefile(".scenario.toml", x=hangs)
    inner("--junit-xml=junit.xml").assert_outcomes(passed=1)
    xml = (pytester.path / "junit.xml").read_text()
    case = re.search(r'<testcase classname="x.scenario.toml" name="x" time="([0-9.]+)"', xml)
    assert case is not None
    assert 0 < float(case[1]) < 2400


# --- other plugins -----------------------------------------------------------------------------


def test_scenarios_are_shared_out_by_file(
    pytester: pytest.Pytester, process: Run, scenario: str, wrong: str
) -> None:
    """With xdist's ``--dist loadfile``, markers and all."""
    pytester.makeconftest(MARK.format(marker="xfail(strict=True)"))
    files = {f"wrong-{number}": wrong for number in range(4)}
    pytester.makefile(".scenario.toml", holds=scenario, **files)
    result = process("-n", "2", "--dist", "loadfile", plugins=("xdist",))
    result.assert_outcomes(xfailed=4, failed=1)
    assert pytest.ExitCode.TESTS_FAILED == result.ret


def test_a_scenario_is_run_again(
    pytester: pytest.Pytester, process: Run, scenario: str, wrong: str
) -> None:
    """With rerunfailures: its file is read again, and its fixtures are set up again."""
    pytester.makeconftest(
        NOTED
        + f"""
def pytest_runtest_teardown(item):
    if item.name == "mended":
        item.path.write_text({scenario!r})
"""
    )
    pytester.makefile(".scenario.toml", mended=wrong, stays=wrong)
    result = process("--reruns", "1", plugins=("pytest_rerunfailures",))
    result.assert_outcomes(passed=1, failed=1)
    assert 2 == result.parseoutcomes()["rerun"]
    assert 4 == (pytester.path / "noted.txt").read_text().count("after")


@pytest.mark.slow
@pytest.mark.parametrize("method, told", [("signal", ["1 failed", "1 passed"]), ("thread", [])])
def test_a_scenario_that_takes_too_long_is_ended(
    method: str, told: list[str], pytester: pytest.Pytester, process: Run, scenario: str
) -> None:
    """With timeout: by its signal, which fails that one test, or by its thread, which ends all."""
    marker = f"timeout(0.2, method={method!r}, func_only=True)"
    pytester.makeconftest("import deskroom.testing\n" + MARK.format(marker=marker))
    head, turn = scenario.replace('expect = { next = "b" }', "").split("[[turn]]")
    turns = 20_000 * f"[[turn]]{turn.partition('[expect]')[0]}"
    long = f"{head}[policy]\nmax_turns = 20_000\n{turns}"
    pytester.makefile(".scenario.toml", long=long, short=scenario)
    result = process("-s", plugins=("pytest_timeout",))
    assert pytest.ExitCode.TESTS_FAILED == result.ret
    assert "Timeout" in result.stdout.str() + result.stderr.str()
    assert told == re.findall(r"\d+ (?:failed|passed)", result.outlines[-1])


def test_scenarios_run_in_any_order(
    pytester: pytest.Pytester, process: Run, scenario: str, wrong: str
) -> None:
    """With randomly: beside functions, and failing alike."""
    pytester.makepyfile("def test_it(): pass")
    files = {f"s{number}": scenario for number in range(5)}
    pytester.makefile(".scenario.toml", wrong=wrong, **files)
    for seed in ("1", "2"):
        result = process("--randomly-seed", seed, plugins=("pytest_randomly",))
        result.assert_outcomes(passed=6, failed=1)


def test_the_test_extra_has_each_plugin_that_is_tested_here() -> None:
    """Whoever installs it can run all of this."""
    settings = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    for name in ("randomly", "rerunfailures", "timeout", "xdist"):
        assert f'"pytest-{name}>=' in settings
