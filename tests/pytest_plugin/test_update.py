"""``--deskroom-update``: what came out goes into the files, as ``deskroom replay --update`` does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., pytest.RunResult]


def written(result: pytest.RunResult) -> list[str]:
    """Return what a session says that it wrote."""
    lines = result.outlines
    start = next((i for i, line in enumerate(lines) if " scenarios updated " in line), len(lines))
    stop = next((i for i in range(start + 1, len(lines)) if lines[i].startswith("=")), len(lines))
    return lines[start + 1 : stop]


@pytest.fixture
def wrong(scenario: str) -> str:
    """Return the scenario with two expectations that do not hold."""
    return scenario.replace('next = "b"', 'next = "a"').replace("rows = 1", "rows = 7")


def test_an_update_writes_what_came_out_and_passes(
    pytester: pytest.Pytester, inner: Run, scenario: str, wrong: str
) -> None:
    """It says what it wrote, and the next session passes without it."""
    path = pytester.makefile(".scenario.toml", x=wrong)
    result = inner("--deskroom-update")
    result.assert_outcomes(passed=1)
    assert [
        'x.scenario.toml:12:12: listed turn 1 (a): next: "a" → "b"',
        "x.scenario.toml:15:1: run: rows: 7 → 1",
    ] == written(result)
    assert scenario == path.read_text().rstrip("\n") + "\n"
    inner().assert_outcomes(passed=1)


def test_an_update_of_what_holds_writes_nothing(
    pytester: pytest.Pytester, inner: Run, scenario: str
) -> None:
    """The file is the same file, and nothing is said."""
    path = pytester.makefile(".scenario.toml", x=scenario)
    before = path.stat()
    result = inner("--deskroom-update")
    result.assert_outcomes(passed=1)
    assert [] == written(result)
    after = path.stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_without_the_option_nothing_is_written(
    pytester: pytest.Pytester, inner: Run, wrong: str
) -> None:
    """A session that was not asked to leaves files alone."""
    path = pytester.makefile(".scenario.toml", x=wrong)
    before = path.read_text()
    inner().assert_outcomes(failed=1)
    assert before == path.read_text()


def test_what_cannot_be_updated_away_still_fails(
    pytester: pytest.Pytester, inner: Run, scenario: str
) -> None:
    """A turn that is never played keeps what it expects, while the others are updated."""
    unplayed = scenario.replace('next = "b"', 'next = "a"').replace(
        "[expect]", '[policy]\nmax_turns = 1\n\n[[turn]]\nseat = "b"\nsay = "x"\n'
        'expect = { next = "a" }\n\n[expect]'
    )  # fmt: skip
    path = pytester.makefile(".scenario.toml", x=unplayed)
    result = inner("--deskroom-update")
    result.assert_outcomes(failed=1)
    assert ['x.scenario.toml:12:12: listed turn 1 (a): next: "a" → "b"'] == written(result)
    result.stdout.fnmatch_lines(["x.scenario.toml:17:1: listed turn 2 (b): turn: expected *"])
    assert 'expect = { next = "b" }' in path.read_text()


def test_a_file_that_is_wrong_is_not_touched(
    pytester: pytest.Pytester, inner: Run, wrong: str
) -> None:
    """Nothing came out that could be written."""
    path = pytester.makefile(".scenario.toml", x=wrong.replace("seats =", "seets ="))
    before = path.read_bytes()
    result = inner("--deskroom-update")
    result.assert_outcomes(errors=1)
    assert before == path.read_bytes()
    assert [] == written(result)


def test_a_file_that_changed_meanwhile_is_left_as_it_is(
    pytester: pytest.Pytester, inner: Run, wrong: str
) -> None:
    """Whoever edits it while it is played loses nothing; the test fails with the reason."""
    path = pytester.makefile(".scenario.toml", x=wrong)
    pytester.makeconftest(
        """
        import pathlib, pytest

        def pytest_runtest_call(item):
            with pathlib.Path("x.scenario.toml").open("a") as file:
                file.write("# a thought")
        """
    )
    result = inner("--deskroom-update")
    result.assert_outcomes(failed=1)
    assert path.read_text().endswith("# a thought")
    result.stdout.fnmatch_lines(["x.scenario.toml: the file was changed *"])


@pytest.mark.parametrize(
    "condition, name, is_left",
    [("", "known", True), ("True, ", "known", True), ("False, ", "known", False), ("", "x", False)],
)
def test_the_pin_of_an_expected_failure_is_left(
    condition: str, name: str, is_left: bool, pytester: pytest.Pytester, inner: Run, wrong: str
) -> None:
    """It says what is wanted; the summary says that it was left, and the next session is as before."""
    pytester.makeconftest(
        f"""
        import pytest

        def pytest_collection_modifyitems(items):
            for item in items:
                if item.name == "known":
                    item.add_marker(pytest.mark.xfail({condition}reason="t", strict=True))
        """
    )
    path = pytester.makefile(".scenario.toml", **{name: wrong})
    result = inner("--deskroom-update")
    result.assert_outcomes(**{"xfailed" if is_left else "passed": 1})
    assert is_left == (wrong.strip() == path.read_text().strip())
    left = ["known.scenario.toml: not updated: the test is marked as an expected failure"]
    assert left == written(result) if is_left else len(written(result)) == 2
    inner().assert_outcomes(**{"xfailed" if is_left else "passed": 1})


def test_a_worker_of_xdist_writes_and_the_summary_tells(
    pytester: pytest.Pytester, process: Run, scenario: str, wrong: str
) -> None:
    """The summary stands in the order of the files."""
    pytester.makefile(".scenario.toml", x=wrong, y=wrong, z=wrong)
    result = process("--deskroom-update", "-n", "1", plugins=("xdist",))
    result.assert_outcomes(passed=3)
    assert [f"{name}.scenario.toml" for name in "xxyyzz"] == [
        line.partition(":")[0] for line in written(result)
    ]
    texts = {Path(path).read_text().strip() for path in pytester.path.glob("*.scenario.toml")}
    assert {scenario.strip()} == texts


def test_an_empty_block_is_filled_and_nothing_else_is_pinned(
    pytester: pytest.Pytester, inner: Run, scenario: str
) -> None:
    """As on the command line; the known failure that is told is left here too."""
    empty = scenario.replace('{ next = "b" }', "{}")
    pytester.makefile(".scenario.toml", x=empty, known=empty)
    pytester.makeconftest(
        """
        import pytest

        def pytest_collection_modifyitems(items):
            for item in items:
                if item.name == "known":
                    item.add_marker(pytest.mark.xfail(reason="ticket 12"))
        """
    )
    result = inner("--deskroom-update")
    result.assert_outcomes(passed=1, xpassed=1)
    (left, *lines) = written(result)
    assert left.startswith("known.scenario.toml: not updated")
    assert ["audience", "next"] == [line.split(": ")[2] for line in lines]
    known = pytester.path / "known.scenario.toml"
    assert empty.rstrip("\n") == known.read_text().rstrip("\n")
    filled = scenario.replace('{ next = "b" }', '{ audience = "desk", next = "b" }')
    assert filled.rstrip("\n") == (pytester.path / "x.scenario.toml").read_text().rstrip("\n")
