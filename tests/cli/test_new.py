from __future__ import annotations

import shlex
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

ORDERS = pytest.mark.parametrize("order", ["listed", "routed"])


@ORDERS
def test_what_is_written_passes_as_it_is(run: Run, tmp_path: Path, order: str) -> None:
    """It is checked without a warning, and played without a mismatch or a turn left over."""
    file = tmp_path / "mine.toml"
    ended = run("new", "--order", order, file)
    assert (0, "") == (ended.code, ended.err)
    assert f"wrote {file}; play it with: deskroom replay {file}\n" == ended.out
    assert order == tomllib.loads(file.read_text())["order"]
    checked = run("check", "--strict", file)
    assert (0, "1 scenario: 0 errors, 0 warnings\n") == (checked.code, checked.out)
    assert 0 == run("replay", "-q", "--fail-on-unused", file).code


@ORDERS
def test_it_names_the_keys_and_tools_that_most_files_need(run: Run, order: str) -> None:
    """Each comment stands above what it is about; the commands name the file."""
    text = run("new", "--order", order).out
    for word in ("seats", "say", "calls", "expect", "next", "audience", "completes", "replies"):
        assert f"{word} = " in text
    for word in (
        "desk_dm",
        "desk_broadcast",
        "desk_complete_episode",
        "deskroom schema",
        "#:schema",
    ):
        assert word in text
    assert "\n\n\n" not in text
    assert all(len(line) <= 100 for line in text.splitlines())
    assert "#   deskroom replay FILE " in text


def test_without_a_path_it_goes_to_stdout(run: Run, tmp_path: Path) -> None:
    """So it can be redirected; the order is the format's default."""
    printed = run("new").out
    assert printed == run("new", "-").out
    assert "listed" == tomllib.loads(printed)["order"]
    file = tmp_path / "mine.toml"
    run("new", file)
    assert printed.replace("FILE", "mine.toml") == file.read_text()


def test_a_file_that_is_there_is_left_alone(run: Run, tmp_path: Path) -> None:
    """Unless it is asked to be written over."""
    file = tmp_path / "mine.toml"
    file.write_text("mine")
    ended = run("new", file)
    assert (2, "") == (ended.code, ended.out)
    assert f"{file}: the file exists already; --force overwrites it\n" == ended.err
    assert "mine" == file.read_text()
    assert 0 == run("new", "--force", file).code
    assert file.read_text().startswith("# A scenario")


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_what_cannot_be_written_ends_with_2(run: Run, tmp_path: Path, force: list[str]) -> None:
    """A folder that is not there, a folder in place of a file, and a name that no file can have."""
    (tmp_path / "folder").mkdir()
    for path, problem in (
        (tmp_path / "none" / "x.toml", "the parent folder does not exist"),
        (tmp_path / "x\0.toml", "the file cannot be written: no file can have this name"),
        (tmp_path / "folder", None),
    ):
        ended = run("new", *force, path)
        assert (2, "", 1) == (ended.code, ended.out, ended.err.count("\n"))
        assert problem is None or problem in ended.err


@pytest.mark.parametrize("name", ["my case.toml", "x\ny.toml", "-x.toml", "é.toml"])
def test_a_name_that_a_comment_cannot_hold_is_not_written_into_it(
    run: Run, tmp_path: Path, name: str
) -> None:
    """A line end in it would end the comment, and a space the word."""
    file = tmp_path / name
    ended = run("new", file)
    assert 0 == ended.code
    # What it says to play is what a shell takes.
    if "\n" not in name:
        words = shlex.split(ended.out.partition("play it with: ")[2])
        assert ["deskroom", "replay", str(file)] == words
    assert "#   deskroom replay FILE " in file.read_text()
    assert 0 == run("check", "--strict", file).code


def test_the_command_it_names_plays_the_file_from_where_it_was_called(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder in the path stays, and a name that begins with a dash is no option."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    for name in ("sub/a.toml", "-x.toml"):
        told = run("new", "--", name).out.partition("play it with: deskroom ")[2]
        assert 0 == run(*shlex.split(told)).code
