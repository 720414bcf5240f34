from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from deskroom.journal import JournalFile
from deskroom.journal.chain import FIRST, seal
from deskroom.scenario import parse_scenario, replay_scenario

Run = Callable[..., Any]

TALK = """\
format = 1
desk = { id = "d", name = "D", people = [{ id = "sam", label = "Sam" }], seats = [\
{ id = "planner" }, { id = "coder" }] }
[opening]
by = "sam"
message = "@planner go"
[[turn]]
seat = "planner"
say = "step 4"
repeat = 13
"""


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the bytes of that talk's journal."""
    path = tmp_path_factory.mktemp("talk") / "run.jsonl"
    with JournalFile.create(path) as journal:
        replay_scenario(parse_scenario(TALK), journal=journal)
    return path.read_bytes()


@pytest.fixture
def path(talk: bytes, tmp_path: Path) -> Path:
    """Return the path of that journal."""
    path = tmp_path / "run.jsonl"
    path.write_bytes(talk)
    return path


def reseal(path: Path, change: Callable[[list[dict[str, Any]]], Any]) -> None:
    """Change the values of a journal, and seal them again."""
    values = [json.loads(line) for line in path.read_bytes().splitlines()]
    change(values)
    digest = FIRST
    with path.open("wb") as file:
        for value in values:
            value.pop("digest", None)
            line, digest = seal(value, digest)
            file.write(line)


def test_a_sound_journal_is_told_what_it_holds(run: Run, path: Path, talk: bytes) -> None:
    """Lines, rows and turns, and how the room closed."""
    lines = talk.count(b"\n")
    ended = run("verify", path)
    expected = f"{path}: {lines} lines, 14 rows, 13 turns; closed: script\n"
    assert (0, expected, "") == (ended.code, ended.out, ended.err)


def test_a_journal_that_stops_is_sound_too(run: Run, path: Path, talk: bytes) -> None:
    """It is told that it can be resumed; numbers and nouns agree."""
    path.write_bytes(talk.splitlines(keepends=True)[0])
    ended = run("verify", path)
    expected = f"{path}: 1 line, 0 rows, 0 turns; not closed: it can be resumed\n"
    assert (0, expected) == (ended.code, ended.out)
    path.write_bytes(b"".join(talk.splitlines(keepends=True)[:3]))
    assert ": 3 lines, 1 row, 1 turn; not closed" in run("verify", path).out


def test_json_holds_the_same(run: Run, path: Path, talk: bytes) -> None:
    """On stdout and nothing else, with no path of this machine."""
    with chdir(path.parent):
        ended = run("verify", path, "--json")
    lines = talk.count(b"\n")
    expected = {
        "path": "run.jsonl",
        "ok": True,
        "lines": lines,
        "rows": 14,
        "turns": 13,
        "closed": "script",
    }
    assert (0, expected, "") == (ended.code, json.loads(ended.out), ended.err)


def test_a_changed_byte_is_told_by_its_line(run: Run, path: Path, talk: bytes) -> None:
    """Exit code 1, and the line as other programs write it."""
    path.write_bytes(talk.replace(b"step 4", b"step 5", 1))
    line = talk[: talk.index(b"step 4")].count(b"\n") + 1
    problem = (
        f"line {line} is bad: the digest does not fit: this line, or one before it, was changed"
    )
    ended = run("verify", path)
    assert (1, "", f"{path}:{line}: {problem}\n") == (ended.code, ended.out, ended.err)
    with chdir(path.parent):
        ended = run("verify", "run.jsonl", "--json")
    expected = {"path": "run.jsonl", "ok": False, "line": line, "problem": problem}
    assert (1, expected, "") == (ended.code, json.loads(ended.out), ended.err)


def test_a_forged_decision_is_told_by_its_line(run: Run, path: Path) -> None:
    """Though the chain holds: what the rules decide today is something else."""

    def forge(values: list[dict[str, Any]]) -> None:
        values[1]["decision"] = {"kind": "none", "reason": "disabled"}

    reseal(path, forge)
    ended = run("verify", path)
    told = "line 2 differs: the decision is nobody (disabled); by the rules it is planner at hop 0"
    assert (1, "", f"{path}:2: {told}\n") == (ended.code, ended.out, ended.err)


@pytest.mark.parametrize(
    "command", [("record", "J"), ("diff", "J", "T"), ("run", "T", "--journal", "J", "--resume")]
)
def test_what_verify_refuses_no_command_reads(
    run: Run, path: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    """With the same sentence, and before anything is done with it."""
    scenario = tmp_path / "talk.toml"
    scenario.write_text(TALK)
    reseal(path, lambda values: values[1].update(decision={"kind": "none", "reason": "disabled"}))
    told = run("verify", path).err
    places = {"J": path, "T": scenario}
    ended = run(*(places.get(word, word) for word in command))
    assert (2, "", told) == (ended.code, ended.out, ended.err)


def test_a_last_line_that_is_cut_short_is_told(run: Run, path: Path, talk: bytes) -> None:
    """The journal resumes, and is not what was written."""
    path.write_bytes(talk[:-1])
    ended = run("verify", path)
    lines = talk.count(b"\n")
    told = f"{path}:{lines}: the last line is cut short\n"
    assert (1, "", told) == (ended.code, ended.out, ended.err)


@pytest.mark.parametrize(
    "make, told",
    [
        (lambda path: path.unlink(), "the journal cannot be read: No such file or directory"),
        (lambda path: path.write_bytes(b""), "the file is empty, so it is no journal"),
    ],
)
def test_what_cannot_be_read_is_another_exit_code(
    run: Run, path: Path, make: Callable[[Path], object], told: str
) -> None:
    """No line is at fault."""
    make(path)
    ended = run("verify", path)
    assert (2, "", f"{path}: {told}\n") == (ended.code, ended.out, ended.err)
    ended = run("verify", path, "--json")
    assert (2, None, told) == (
        ended.code,
        json.loads(ended.out)["line"],
        json.loads(ended.out)["problem"],
    )
