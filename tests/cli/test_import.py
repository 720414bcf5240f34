from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

SAMPLES = Path(__file__).parents[1] / "imports" / "samples"
ROWS = SAMPLES / "rows" / "jsonl" / "rows.jsonl"


def test_a_transcript_is_shown_compared_and_never_taken_for_a_journal(
    run: Run, tmp_path: Path
) -> None:
    """`show` and `diff` read it; `verify` and `--resume` refuse it."""
    made, scenario = tmp_path / "run.jsonl", tmp_path / "x.toml"
    assert (0, "") == ((ended := run("import", ROWS, "-o", made)).code, ended.out)
    assert 0o600 == made.stat().st_mode & 0o777
    assert 0 == run("import", ROWS, "-o", scenario).code
    assert 0 == run("check", scenario).code
    assert 0 == run("replay", "-q", scenario).code
    assert 0 == run("show", made).code
    assert 0 == run("diff", made, scenario).code
    assert 2 == run("verify", made).code
    assert 2 == run("run", scenario, "--journal", made, "--resume").code
    assert made.read_bytes().decode() == run("import", ROWS, "-o", "-").out


def test_what_is_left_out_fails_under_strict_alone(run: Run, tmp_path: Path) -> None:
    """The output is written all the same."""
    path = tmp_path / "rows.jsonl"
    path.write_text('{"author": "a", "text": "x"}\n{"author": "a", "text": " "}\n{"author": "a"')
    assert 0 == run("import", path, "-o", "-").code
    ended = run("import", path, "-o", tmp_path / "out.jsonl", "--strict")
    header = json.loads((tmp_path / "out.jsonl").read_text().partition("\n")[0])
    assert 1 == ended.code
    assert [("blank", 1, "line 2"), ("cut line", 1, "line 3")] == [
        tuple(one.values()) for one in header["left"]
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        [ROWS],
        ["-o", "-"],
        [ROWS, ROWS, "-o", "-"],
        [ROWS, "-o", "-", "--from", "row"],
        [ROWS, "-o", "-", "--encoding", "utf-x"],
        [ROWS, "-o", "-", "--encoding", "hex"],
        [ROWS, "-o", "-", "--map", "mara"],
        [ROWS, "-o", "-", "--map", "mara=a b"],
        [ROWS, "-o", "-", "--people", "nobody"],
        [ROWS, "-o", "-", "--people", "mara", "--seats", "mara"],
        [ROWS, "-o", "-", "--desk", "nowhere.toml"],
        [ROWS, "-o", ROWS],
        ["nowhere.jsonl", "-o", "-"],
    ],
)
def test_a_wrong_command_ends_with_2(arguments: list[object], run: Run) -> None:
    """And writes nothing to stdout."""
    ended = run("import", *arguments)
    assert (2, "") == (ended.code, ended.out)


def test_nothing_is_written_over(run: Run, tmp_path: Path) -> None:
    """Unless that is asked for."""
    (tmp_path / "out.jsonl").write_text("mine")
    assert 2 == run("import", ROWS, "-o", tmp_path / "out.jsonl").code
    assert "mine" == (tmp_path / "out.jsonl").read_text()
    assert 0 == run("import", ROWS, "-o", tmp_path / "out.jsonl", "--force").code


def test_the_desk_can_be_given(run: Run, tmp_path: Path) -> None:
    """Speakers are found on it, and its policy is the one to start from."""
    desk = tmp_path / "desk.toml"
    desk.write_text(
        'format = 1\ndesk = { id = "pumps", name = "Pumps", seats = [{ id = "dispatcher" }, '
        '{ id = "fit" }, { id = "electrician" }], people = [{ id = "mara", label = "Mara" }] }\n'
    )
    out = tmp_path / "x.toml"
    assert 2 == run("import", ROWS, "-o", out, "--desk", desk).code
    assert 0 == run("import", ROWS, "-o", out, "--desk", desk, "--map", "fitter=fit").code
    assert 0 == run("replay", "-q", out).code
    assert 'id = "pumps"\n' in out.read_text()
    assert "@fit look at the seal" in out.read_text()


def test_every_format_is_listed(run: Run) -> None:
    """With a version and an example."""
    ended = run("import", "--list")
    assert 0 == ended.code
    assert "    deskroom import rows.jsonl -o run.jsonl\n" in ended.out


def test_stdin_is_a_file_like_another(process: Run, tmp_path: Path) -> None:
    """And several files are one room, one after another."""
    assert 2 == process("import", "-", "-o", "-").code
    other = tmp_path / "more.jsonl"
    other.write_text('{"author": "mara", "text": "one more"}\n')
    ended = process("import", str(ROWS), str(other), "-o", "-")
    assert (0, 10) == (ended.code, len(ended.out.splitlines()))
