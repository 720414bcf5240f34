from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

SCENARIOS = Path(__file__).parents[2] / "scenarios"

CLEAN = """\
format = 1
[desk]
id = "d"
name = "D"
seats = [{ id = "lead" }, { id = "checker" }]
[[turn]]
seat = "lead"
say = "@checker go"
expect = { next = "checker" }
"""
ODD = CLEAN.replace("@checker", "@cheker")
ODD_TOLD = "8:8: warning: turn[1].say: @cheker is nobody here; did you mean @checker?"
WRONG = CLEAN.replace("say", "sya")
WRONG_TOLD = (
    "8:1: turn[1].sya: unknown key, expected one of seat, person, say, calls, text, takes, crash, "
    'late, meanwhile, wrote, scores, one_of, repeat, expect; did you mean "say"?'
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a clean file, one with a warning, and one with an error."""
    (tmp_path / "deep").mkdir()
    (tmp_path / "a.toml").write_text(CLEAN)
    (tmp_path / "b.toml").write_text(ODD)
    (tmp_path / "deep" / "c.toml").write_text(WRONG)
    (tmp_path / "notes.txt").write_text("no scenario")
    return tmp_path


def test_everything_is_told_in_file_order_with_a_summary(run: Run, folder: Path) -> None:
    """An error and a warning each begin their own line with the place; folders are walked."""
    ended = run("check", folder)
    assert (2, "") == (ended.code, ended.err)
    assert [
        f"{folder}/b.toml:{ODD_TOLD}",
        f"{folder}/deep/c.toml:{WRONG_TOLD}",
        "3 scenarios: 1 error, 1 warning",
    ] == ended.out.splitlines()


@pytest.mark.parametrize(
    "text, options, code",
    [
        (CLEAN, [], 0),
        (CLEAN, ["--strict"], 0),
        (ODD, [], 0),
        (ODD, ["--strict"], 1),
        (WRONG, [], 2),
        (WRONG, ["--strict"], 2),
    ],
)
def test_the_exit_code_says_what_was_found(
    run: Run, tmp_path: Path, text: str, options: list[str], code: int
) -> None:
    """Warnings alone are no failure, unless they are asked to be; 2 outranks 1."""
    file = tmp_path / "x.toml"
    file.write_text(text)
    assert code == run("check", *options, file).code
    assert code == run("check", "--json", *options, file).code


def test_a_file_is_checked_once_and_a_path_without_one_stops_no_other(
    run: Run, folder: Path
) -> None:
    """What is not there is an error among the others."""
    empty = folder / "empty"
    empty.mkdir()
    clean = folder / "a.toml"
    ended = run("check", clean, empty, folder / "none.toml", clean)
    assert 2 == ended.code
    assert [
        f"{empty}: no scenario found: there is no *.toml file here",
        f"{folder}/none.toml: there is no such file",
        "3 scenarios: 2 errors, 0 warnings",
    ] == ended.out.splitlines()


def test_the_json_document_holds_every_fact(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing else is on stdout, and paths are relative."""
    monkeypatch.chdir(folder)
    ended = run("check", "--json", folder)
    assert "" == ended.err
    assert {
        "format": 1,
        "scenarios": [
            {"path": "a.toml", "errors": [], "warnings": []},
            {
                "path": "b.toml",
                "errors": [],
                "warnings": [
                    {
                        "line": 8,
                        "column": 8,
                        "kind": "no_mention",
                        "reason": "unknown",
                        "key": "turn[1].say",
                        "problem": "@cheker is nobody here; did you mean @checker?",
                    }
                ],
            },
            {
                "path": "deep/c.toml",
                "errors": [
                    {
                        "line": 8,
                        "column": 1,
                        "kind": "unknown_key",
                        "key": "turn[1].sya",
                        "problem": WRONG_TOLD.partition("sya: ")[2],
                    }
                ],
                "warnings": [],
            },
        ],
        "summary": {"scenarios": 3, "errors": 1, "warnings": 1},
    } == json.loads(ended.out)
    (folder / "b.toml").write_text("x")
    document = json.loads(run("check", "--json", "b.toml").out)
    assert [
        {
            "line": 1,
            "column": 2,
            "kind": "not_toml",
            "key": None,
            "problem": "this is not TOML: expected '=' after a key in a key/value pair",
        }
    ] == document["scenarios"][0]["errors"]


def test_the_shipped_scenarios_have_no_error(run: Run) -> None:
    """Each warning is about what its file shows."""
    ended = run("check", SCENARIOS)
    assert 0 == ended.code
    assert ": 0 errors, " in ended.out.splitlines()[-1]


def test_what_a_terminal_acts_on_is_escaped(run: Run, tmp_path: Path) -> None:
    """In names, in messages and in paths: one finding stays one line."""
    file = tmp_path / "x\n\x1b.toml"
    file.write_text(ODD.replace("@cheker", "@\u202echeker **@checker**"))
    ended = run("check", file)
    assert 2 == len(ended.out.splitlines())
    assert "x\\n\\x1b.toml:8:19: warning: " in ended.out


def test_nothing_is_played(run: Run, tmp_path: Path) -> None:
    """A turn that would take for ever, or raise, costs nothing and logs nothing."""
    file = tmp_path / "x.toml"
    file.write_text(f'{CLEAN}takes = 599\ncrash = "boom"\nrepeat = 1000000\n')
    ended = run("check", file)
    assert (0, "") == (ended.code, ended.err)
    assert "max_turns is 100" in ended.out


def test_help_tells_the_exit_codes(run: Run) -> None:
    """Who writes a script around it need not guess."""
    told = " ".join(run("check", "--help").out.split())
    assert "Exit codes: 0 no errors, 1 a warning under --strict, 2 an error (2 outranks 1)." in told
