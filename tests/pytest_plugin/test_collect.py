"""Which files are tests, and what they are called."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deskroom.scenario.format.find import search

Run = Callable[..., pytest.RunResult]


def write(pytester: pytest.Pytester, text: str, *names: str) -> None:
    """Write one text into several files, each named from the session's folder."""
    for name in names:
        path = pytester.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def collected(inner: Run, *arguments: object) -> list[str]:
    """Return the node ids that a session collects, in order."""
    ids = inner("--collect-only", "-q", *arguments).outlines
    return [line for line in ids if "::" in line]


def test_a_scenario_is_known_by_its_name_wherever_it_is(
    pytester: pytest.Pytester, inner: Run, scenario: str
) -> None:
    """``*.scenario.toml`` is one test, named after the file; any other TOML file is none."""
    write(pytester, scenario, "hops.scenario.toml", "a/b/deep.scenario.toml", ".scenario.toml")
    write(pytester, "not = 'a scenario'", "settings.toml", "a/scenario.toml", "x.scenario.tom")
    assert [
        ".scenario.toml::.scenario.toml",
        "a/b/deep.scenario.toml::deep",
        "hops.scenario.toml::hops",
    ] == collected(inner)


def test_every_toml_file_in_a_folder_that_is_named_is_a_scenario(
    pytester: pytest.Pytester, inner: Run, scenario: str
) -> None:
    """The folders are relative to the rootdir, and are searched to the bottom."""
    pytester.makeini("[pytest]\ndeskroom_scenarios = rooms ./more/../other one.toml")
    write(pytester, scenario, "rooms/x.toml", "rooms/deep/er/y.toml", "other/z.scenario.toml")
    write(pytester, scenario, "one.toml", "two.toml", "rooms-too/no.toml", "rooms/no.txt")
    write(pytester, scenario, "more/no.toml")
    assert [
        "one.toml::one",
        "other/z.scenario.toml::z",
        "rooms/deep/er/y.toml::y",
        "rooms/x.toml::x",
    ] == collected(inner)


@pytest.mark.parametrize("table", ["tool.pytest", "tool.pytest.ini_options"])
def test_the_folders_can_be_a_list_in_pyproject(
    table: str, pytester: pytest.Pytester, inner: Run, scenario: str
) -> None:
    """In TOML a name may hold a space. pytest 8 reads the second of the two tables only."""
    pytester.makepyprojecttoml(f"[{table}]\ndeskroom_scenarios = ['my rooms', 'b']")
    write(pytester, scenario, "my rooms/x.toml", "b/y.toml")
    assert ["b/y.toml::y", "my rooms/x.toml::x"] == collected(inner)


def test_folders_outside_the_test_paths_are_collected_too(
    pytester: pytest.Pytester, inner: Run, scenario: str, tmp_path: Path
) -> None:
    """A session that names no path runs them all, and none of them twice."""
    (tmp_path / "far.toml").write_text(scenario)
    pytester.makeini(
        f"[pytest]\ntestpaths = tests\ndeskroom_scenarios = tests/rooms rooms {tmp_path}"
    )
    write(pytester, scenario, "tests/rooms/x.toml", "rooms/y.toml")
    assert ["tests/rooms/x.toml::x", "rooms/y.toml::y", "far.toml::far"] == [
        line.rsplit("../", maxsplit=1)[-1].replace(f"{tmp_path.name}/", "")
        for line in collected(inner)
    ]


def test_a_session_that_names_paths_keeps_to_them(
    pytester: pytest.Pytester, inner: Run, scenario: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same holds for one that is started in a folder of its own."""
    pytester.makeini("[pytest]\ntestpaths = tests\ndeskroom_scenarios = rooms")
    write(pytester, scenario, "tests/x.scenario.toml", "rooms/y.toml", "rooms/z.toml")
    assert ["tests/x.scenario.toml::x"] == collected(inner, "tests")
    assert ["rooms/z.toml::z"] == collected(inner, "rooms/z.toml")
    assert ["rooms/z.toml::z"] == collected(inner, "rooms/z.toml::z")
    monkeypatch.chdir(pytester.path / "tests")
    assert ["tests/x.scenario.toml::x"] == collected(inner)


@pytest.mark.parametrize(
    "named,hint",
    [
        ("roms", "; did you mean 'rooms'?"),
        ("zzz", ""),
        ("no/such", ""),
    ],
)
def test_a_folder_that_is_not_there_is_an_error(
    pytester: pytest.Pytester, inner: Run, named: str, hint: str
) -> None:
    """A slip in its name would leave its scenarios unrun, and nobody would see it."""
    pytester.mkdir("rooms")
    pytester.makeini(f"[pytest]\ndeskroom_scenarios = {named}")
    result = inner()
    assert pytest.ExitCode.USAGE_ERROR == result.ret
    problem = f"deskroom_scenarios: there is no {named!r} in {pytester.path}{hint}"
    assert f"ERROR: {problem}" in result.errlines


def test_scenarios_can_be_selected(pytester: pytest.Pytester, inner: Run, scenario: str) -> None:
    """By name, by the marker that each of them has, and by leaving them out."""
    write(pytester, scenario, "hops.scenario.toml", "aside.scenario.toml")
    pytester.makepyfile(test_python="def test_it(): pass")
    every = ["aside.scenario.toml::aside", "hops.scenario.toml::hops"]
    assert every[1:] == collected(inner, "-k", "hops")
    assert every == collected(inner, "-m", "deskroom", "--strict-markers")
    assert ["test_python.py::test_it"] == collected(inner, "-m", "not deskroom")
    assert every[:1] == collected(inner, "--ignore-glob=*hops*", "-m", "deskroom")


def test_collecting_reads_no_file(pytester: pytest.Pytester, inner: Run) -> None:
    """So a file that is wrong stops nothing, and a thousand of them are collected at once."""
    write(pytester, "this is no TOML", "bad.scenario.toml")
    assert ["bad.scenario.toml::bad"] == collected(inner)


def test_pytest_finds_the_files_that_a_replay_of_the_folder_finds(
    pytester: pytest.Pytester, inner: Run, scenario: str
) -> None:
    """Neither hidden folders nor environments; but folders whose names pytest does not look into."""
    pytester.makeini("[pytest]\ndeskroom_scenarios = rooms")
    write(pytester, scenario, "rooms/build/x.toml", "rooms/venv/deep/y.toml", "rooms/#z.toml")
    write(pytester, scenario, "rooms/.git/no.toml", "rooms/node_modules/no.toml", "rooms/e/no.toml")
    write(pytester, "", "rooms/e/pyvenv.cfg", "build/no.scenario.toml")
    write(pytester, "def test_it(): pass", "rooms/build/test_it.py", "rooms/test_this.py")
    (pytester.path / "rooms" / "up").symlink_to(pytester.path)
    found = search([pytester.path / "rooms"]).files
    assert ["rooms/build/x.toml", "rooms/venv/deep/y.toml"] == [
        file.relative_to(pytester.path).as_posix() for file in found
    ]
    assert [
        "rooms/build/x.toml::x",
        "rooms/test_this.py::test_it",
        "rooms/venv/deep/y.toml::y",
    ] == sorted(collected(inner))


def test_what_the_session_ignores_stays_ignored(
    pytester: pytest.Pytester, inner: Run, scenario: str
) -> None:
    """By an option, by a conftest, or by a list of the session's own."""
    pytester.makeini("[pytest]\ndeskroom_scenarios = rooms")
    write(pytester, scenario, "rooms/build/x.toml", "rooms/dist/y.toml")
    assert ["rooms/dist/y.toml::y"] == collected(inner, "--ignore=rooms/build")
    write(pytester, "collect_ignore = ['dist']", "rooms/conftest.py")
    assert ["rooms/build/x.toml::x"] == collected(inner)
    assert [] == collected(inner, "-o", "norecursedirs=build")


def test_a_file_that_is_no_scenario_is_passed_over_and_counted(
    pytester: pytest.Pytester, inner: Run, scenario: str
) -> None:
    """Unless it is named, by the session or in the ini file."""
    pytester.makeini("[pytest]\ndeskroom_scenarios = rooms named.toml")
    write(pytester, scenario, "rooms/x.toml")
    write(pytester, "[project]\n", "rooms/pyproject.toml", "other.toml", "named.toml")
    result = inner("--collect-only")
    result.stdout.fnmatch_lines(
        ["deskroom: passed over 1 TOML file with none of desk, format, turn"]
    )
    assert ["named.toml::named", "rooms/x.toml::x"] == collected(inner)
    assert ["rooms/pyproject.toml::pyproject"] == collected(inner, "rooms/pyproject.toml")
