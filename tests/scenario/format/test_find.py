"""Which files below a folder are scenarios, and which are passed over."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from deskroom.errors import FileError
from deskroom.scenario.format.find import (
    find_scenarios,
    is_editor_file,
    is_scenario,
    search,
    skips_folder,
)

SCENARIO = "format = 1\n"
OTHER = "[project]\nname = 'x'\n"


def write(folder: Path, text: str, *names: str) -> None:
    """Write one text into several files below a folder."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def below(folder: Path) -> list[str]:
    """Return what a search finds below a folder, as paths from there."""
    return [file.relative_to(folder).as_posix() for file in search([folder]).files]


def test_hidden_folders_environments_and_packages_are_not_looked_into(tmp_path: Path) -> None:
    """However deep they lie; a folder that merely has a name of that kind is looked into."""
    write(tmp_path, SCENARIO, "a.toml", ".hidden.toml", "build/b.toml", "venv/c.toml", "x/y/d.toml")
    write(tmp_path, SCENARIO, ".git/no.toml", "x/.venv/no.toml", "x/node_modules/y/no.toml")
    write(tmp_path, SCENARIO, "env/pyvenv.cfg", "env/lib/no.toml")
    write(tmp_path, SCENARIO, "conda/conda-meta/history", "conda/no.toml")
    expected = [".hidden.toml", "a.toml", "build/b.toml", "venv/c.toml", "x/y/d.toml"]
    assert expected == below(tmp_path)


def test_a_folder_that_is_named_is_looked_into_whatever_it_is(tmp_path: Path) -> None:
    """Whoever names a hidden folder means it."""
    write(tmp_path, SCENARIO, ".rooms/a.toml", ".rooms/pyvenv.cfg")
    assert ["a.toml"] == below(tmp_path / ".rooms")


def test_a_link_to_a_folder_is_not_followed(tmp_path: Path) -> None:
    """So none is found twice, and a link to the folder above it ends no search."""
    write(tmp_path, SCENARIO, "a/x.toml")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "link.toml").symlink_to(tmp_path / "a" / "x.toml")
    assert ["a/x.toml", "link.toml"] == below(tmp_path)
    assert skips_folder(tmp_path / "a" / "up")


@pytest.mark.parametrize(
    "name,expected",
    [
        (".#desk.toml", True),  # Emacs
        ("#desk.toml", True),
        ("~$desk.toml", True),  # Office
        ("._desk.toml", True),  # macOS
        ("desk~.toml", True),
        (".desk.toml", False),
        ("desk.toml", False),
        ("~desk.toml", False),
        ("de#sk.toml", False),
    ],
)
def test_what_an_editor_left_is_known_by_its_name(name: str, expected: bool) -> None:
    """Its locks and backups are passed over, and are not counted: nobody wrote them."""
    assert expected == is_editor_file(name)


def test_a_lock_that_leads_nowhere_stops_nothing(tmp_path: Path) -> None:
    """Emacs locks a file by a link to who edits it."""
    write(tmp_path, SCENARIO, "desk.toml")
    (tmp_path / ".#desk.toml").symlink_to("sam@host.1234")
    found = search([tmp_path])
    assert ((tmp_path / "desk.toml",), (), ()) == (found.files, found.passed_over, found.errors)


@pytest.mark.parametrize(
    "text,expected",
    [
        ("format = 1\n", True),
        ("\n# a comment\r\n  format=2", True),
        ('title = "T" # what it is\nwhy = ""\nformat = 1\n', True),
        ('title = """\nformat = 1\n"""\n', False),
        ('title = """\n"""\nformat = 1\n', True),
        ("[desk]\n", True),
        ("[desk.x]\n", True),
        ("[[turn]]\n", True),
        ("desk.id = 'd'\n", True),
        ('"turn" = 1\n', True),
        ("turn = []\n", True),
        ("[[turns]]\nseat = 'a'\n", False),
        ("[desktop]\n", False),
        ("[tool.desk]\nformat = 1\n", False),
        ("x = 1\nformat = 1\n", True),
        ("formats = 1\n", False),
        ("", False),
        ("x = \n", True),  # it does not parse
        ("format = \n", True),
        ("\ufeffx = 1", True),
        ("# " + "x" * 5000 + "\n[project]\n", False),
        ("# " + "x" * 5000 + "\nformat = 1\n", True),
    ],
)
def test_a_scenario_has_one_of_three_keys_at_its_top(
    text: str, expected: bool, tmp_path: Path
) -> None:
    """A file that does not parse may be one, so it is found, and reported when it is read."""
    file = tmp_path / "x.toml"
    file.write_text(text, newline="")
    assert expected == is_scenario(file)


def test_a_name_says_that_a_file_is_one(tmp_path: Path) -> None:
    """An empty file that is called a scenario is one that somebody has not written yet."""
    write(tmp_path, "", "x.scenario.toml", "y.toml")
    assert ["x.scenario.toml"] == below(tmp_path)


def test_what_is_no_scenario_is_passed_over_and_counted(tmp_path: Path) -> None:
    """Unless it is named, whichever way it was found first."""
    write(tmp_path, OTHER, "pyproject.toml", "a/ruff.toml")
    write(tmp_path, SCENARIO, "a/x.toml")
    (tmp_path / "bad.toml").write_bytes(b"\xff")
    found = search([tmp_path])
    assert (tmp_path / "a" / "x.toml", tmp_path / "bad.toml") == found.files
    assert (tmp_path / "a" / "ruff.toml", tmp_path / "pyproject.toml") == found.passed_over
    named = search([tmp_path, tmp_path / "pyproject.toml"])
    assert (*found.files, tmp_path / "pyproject.toml") == named.files
    assert (tmp_path / "a" / "ruff.toml",) == named.passed_over


def test_a_folder_of_other_files_holds_no_scenario(tmp_path: Path) -> None:
    """That is an error of the one folder, and the others are searched."""
    write(tmp_path, OTHER, "a/pyproject.toml")
    write(tmp_path, SCENARIO, "b/x.toml")
    found = search([tmp_path / "a", tmp_path / "b"])
    assert (tmp_path / "b" / "x.toml",) == found.files
    assert [("no_scenario", str(tmp_path / "a"))] == [
        (error.kind, error.path) for error in found.errors
    ]
    with pytest.raises(FileError, match="no scenario found"):
        find_scenarios([tmp_path / "a"])


def test_a_folder_that_cannot_be_listed_stops_no_other(tmp_path: Path) -> None:
    """Here one whose name became too long for the system while it was searched."""
    write(tmp_path, SCENARIO, "x.toml")
    folder = tmp_path
    name = "d" * 200
    here = Path.cwd()
    try:
        for _ in range(30):  # a path may have 4096 bytes
            os.chdir(folder)
            Path(name).mkdir()
            folder = Path(name)
    finally:
        os.chdir(here)
    found = search([tmp_path])
    assert (tmp_path / "x.toml",) == found.files
    assert ["unreadable"] == [error.kind for error in found.errors]
    with pytest.raises(FileError, match="cannot be listed"):
        find_scenarios([tmp_path])
