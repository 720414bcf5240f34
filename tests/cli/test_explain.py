from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import deskroom

Run = Callable[..., Any]
Start = Callable[..., subprocess.Popen[bytes]]

SCENARIOS = Path(__file__).parents[2] / "scenarios"
RUN_28 = SCENARIOS / "run-28.toml"

DESK = """\
[desk]
id = "d"
name = "D"
people = [{ id = "sam", label = "Sam" }, { id = "lead", label = "Lea" }]
seats = [{ id = "lead" }, { id = "solver" }]
"""


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """Return a file with a desk and nothing else."""
    file = tmp_path / "desk.toml"
    file.write_text(DESK)
    return file


def explained(run: Run, *arguments: object) -> dict[str, Any]:
    """Return what is explained, as values."""
    ended = run("explain", "--json", *arguments)
    assert (0, "") == (ended.code, ended.err)
    document = json.loads(ended.out)
    assert isinstance(document, dict)
    return document


def test_a_message_is_explained_under_a_scenarios_policy(run: Run, process: Run) -> None:
    """The code, each ``@``, who may read it, who is next and the reply."""
    said = ["`@solver`, @theory", "--from", "lead", "--desk", str(RUN_28)]
    ended = process("explain", *said, COLUMNS="", PYTHONIOENCODING="utf-8")
    assert (0, "") == (ended.code, ended.err)
    assert [
        "lead · desk_post, at hop 0",
        "",
        "  `@solver`, @theory",
        "  ~~~~~~~~~  ^^^^^^^",
        "  (~ is code, ^ is an @)",
        "",
        "  column 2, byte 1: masked: @solver` is inside code and is not read.",
        "  column 12, byte 11: mention: @theory is the seat theory, the first one named: it gets the turn.",
        "",
        "audience: desk",
        "next:     theory: '@theory' at byte 11 is the first seat named",
        "reply:    Accepted. The turn goes to theory. @solver` is inside code and is not read.",
    ] == ended.out.splitlines()
    dm = explained(run, "x", "--from", "lead", "--to", "theory", "--desk", RUN_28)
    assert (["theory"], "theory") == (dm["audience"], dm["next"])


def test_a_desk_file_gets_the_default_policy(run: Run, desk: Path) -> None:
    """Which allows no private talk; a refused message is explained all the same."""
    told = explained(run, "x", "--from", "lead", "--to", "solver", "--desk", desk)
    assert (False, "disabled") == (told["accepted"], told["refusal"])


def test_the_ways_to_say_it_are_options(run: Run, desk: Path) -> None:
    """Each is a tool, and only one can be chosen."""
    said = ["@solver", "--from", "lead", "--desk", desk]
    assert "desk_broadcast" == explained(run, *said, "--broadcast")["tool"]
    assert "desk_complete_episode" == explained(run, *said, "--complete")["tool"]
    assert ["solver", "lead"] == explained(run, *said, "--to", "solver", "--to", "lead")["to"]
    assert {"none": "hop_limit_reached"} == explained(run, *said, "--hop", "16")["next"]
    for both in (["--broadcast", "--complete"], ["--to", "solver", "--complete"]):
        ended = run("explain", *said, *both)
        assert (2, "") == (ended.code, ended.out)
        assert (
            "deskroom: --to, --broadcast and --complete exclude each other: give one of them\n"
            == ended.err
        )


def test_a_person_may_speak_too(run: Run, desk: Path) -> None:
    """Where a seat has the same id, the person is named as such."""
    told = explained(run, "hello", "--from", "sam", "--desk", desk)
    assert ({"kind": "person", "id": "sam"}, "lead") == (told["from"], told["next"])
    assert "seat" == explained(run, "x", "--from", "lead", "--desk", desk)["from"]["kind"]
    told = explained(run, "@solver", "--from", "person:lead", "--desk", desk)
    assert ({"kind": "person", "id": "lead"}, "solver") == (told["from"], told["next"])
    for extra in (["--broadcast"], ["--to", "lead"], ["--hop", "1"]):
        ended = run("explain", "x", "--from", "sam", *extra, "--desk", desk)
        assert (2, "") == (ended.code, ended.out)
        assert "sam is a person, who can only speak to the whole desk, at hop 0" in ended.err


@pytest.mark.parametrize(
    "name, hint",
    [
        ("leed", "; did you mean 'lead'?"),
        ("Solver", "; did you mean 'solver'?"),
        ("zzz", "; it has lead, solver, sam, lead"),
        ("person:zzz", "; it has lead, solver, sam, lead"),
    ],
)
def test_who_is_not_at_the_desk_cannot_speak(run: Run, desk: Path, name: str, hint: str) -> None:
    """The nearest name is told; the command is wrong."""
    ended = run("explain", "x", "--from", name, "--desk", desk)
    assert (2, "") == (ended.code, ended.out)
    assert f"{desk}: this desk has no seat and no person '{name}'{hint}\n" == ended.err


def test_a_file_that_is_wrong_ends_with_2(run: Run, tmp_path: Path) -> None:
    """With its place; so does one that is not there."""
    file = tmp_path / "x.toml"
    file.write_text(DESK.replace("name", "nam"))
    ended = run("explain", "x", "--from", "lead", "--desk", file)
    assert (2, "") == (ended.code, ended.out)
    assert ended.err.startswith(f"{file}:3:1: desk.nam: ")
    assert 2 == run("explain", "x", "--from", "lead", "--desk", tmp_path / "none.toml").code
    for missing in (["x", "--from", "lead"], ["x", "--desk", file], ["--desk", file]):
        assert 2 == run("explain", *missing).code


@pytest.mark.parametrize(
    "given, message",
    [("@solver é\n".encode(), "@solver é"), (b"  \n\n", "  \n"), (b"", "")],
)
def test_a_message_can_come_from_stdin(
    started: Start, desk: Path, given: bytes, message: str
) -> None:
    """Without the one line end that a pipe puts behind it; what a person says is not trimmed."""
    command = started(
        "explain",
        "-",
        "--from",
        "sam",
        "--json",
        "--desk",
        str(desk),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, err = command.communicate(given, timeout=30)
    assert (0, b"", message) == (command.returncode, err, json.loads(out)["message"])


def test_stdin_must_be_utf_8(started: Start, desk: Path) -> None:
    """What is wrong is told in a line."""
    command = started(
        "explain",
        "-",
        "--from",
        "lead",
        "--desk",
        str(desk),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, err = command.communicate(b"ab\xff", timeout=30)
    assert (2, b"") == (command.returncode, out)
    assert err.startswith(b"deskroom: stdin is not UTF-8: byte 2 is wrong")


@pytest.mark.parametrize("plain", [False, True])
def test_a_terminal_gets_marks_and_colours_where_it_has_them(desk: Path, *, plain: bool) -> None:
    """A long line is broken together with its marks."""
    source = str(Path(deskroom.__file__).resolve().parents[1])
    variables = {**os.environ, "PYTHONPATH": source, "TERM": "xterm-256color", "COLUMNS": "20"}
    variables.pop("NO_COLOR", None)
    if plain:
        variables["NO_COLOR"] = "1"
    parent, child = pty.openpty()
    try:
        command = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "deskroom",
                "explain",
                "hello to you and `@x`",
                "--from",
                "lead",
                "--desk",
                str(desk),
            ],
            stdout=child,
            stderr=child,
            stdin=child,
            env=variables,
        )
        os.close(child)
        written = b""
        while True:
            try:
                chunk = os.read(parent, 65536)
            except OSError:
                break
            written += chunk
            if not chunk:
                break
        assert 0 == command.wait(timeout=30)
    finally:
        os.close(parent)
    if plain:
        assert b"  hello to you and\r\n  `@x`\r\n  ~~~~\r\n" in written
    else:
        assert b"\x1b[4;35m`@x`\x1b[0m\r\n\x1b[2m  ~~~~\x1b[0m\r\n" in written


def test_a_pipe_gets_whole_lines_unless_a_width_is_asked_for(process: Run, desk: Path) -> None:
    """As COLUMNS asks."""
    said = ["explain", "@solver go on", "--from", "lead", "--desk", str(desk)]
    whole = process(*said, COLUMNS="").out.splitlines()
    broken = process(*said, COLUMNS="40").out.splitlines()
    assert (True, True) == (max(map(len, whole)) > 80, max(map(len, broken)) <= 40)
    assert "".join(whole).replace(" ", "") == "".join(broken).replace(" ", "")
