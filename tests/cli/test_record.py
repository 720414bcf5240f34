from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

SCENARIOS = Path(__file__).parents[2] / "scenarios"


@pytest.fixture
def journal(run: Run, tmp_path: Path) -> Path:
    """Return the journal of a routed run, with a nudge and an aside."""
    path = tmp_path / "run.jsonl"
    assert 0 == run("run", "-q", SCENARIOS / "run-28-routed.toml", "--journal", path).code
    return path


def test_a_journal_becomes_a_scenario_on_stdout(run: Run, journal: Path, tmp_path: Path) -> None:
    """It replays, and its own journal becomes the same scenario."""
    ended = run("record", journal)
    assert (0, "") == (ended.code, ended.err)
    assert ended == run("record", journal, "-o", "-")
    assert ended.out.startswith(
        'format = 1\ntitle = "A recorded run of PE 1006"\norder = "routed"\n'
    )
    (tmp_path / "x.toml").write_text(ended.out)
    assert 0 == run("replay", "-q", tmp_path / "x.toml").code
    assert 0 == run("run", "-q", tmp_path / "x.toml", "--journal", tmp_path / "again.jsonl").code
    assert ended.out == run("record", tmp_path / "again.jsonl").out


def test_a_scenario_is_written_and_not_over_another(
    run: Run, journal: Path, tmp_path: Path
) -> None:
    """Unless that is asked for; stdout says what was made."""
    output = tmp_path / "x.toml"
    ended = run("record", journal, "-o", output)
    assert (0, f"{output}: 6 turns, 8 rows; it replays to the same\n") == (ended.code, ended.out)
    text = output.read_text()
    output.write_text("mine")
    ended = run("record", journal, "-o", output)
    assert (2, f"{output}: there is such a file already; --force overwrites it\n", "mine") == (
        ended.code,
        ended.err,
        output.read_text(),
    )
    assert 0 == run("record", journal, "-o", output, "--force").code
    assert text == output.read_text()


def test_a_journal_is_never_written_over(run: Run, journal: Path, tmp_path: Path) -> None:
    """Nor is a folder."""
    before = journal.read_bytes()
    (tmp_path / "link").symlink_to(journal)
    for output, problem in (
        (journal, "this file is read by the command; name another one"),
        (tmp_path / "link", "this file is read by the command; name another one"),
        (tmp_path, "this is a folder; name a file"),
    ):
        ended = run("record", journal, "-o", output, "--force")
        assert (2, f"{output}: {problem}\n") == (ended.code, ended.err)
    assert before == journal.read_bytes()


def test_a_journal_that_is_cut_short_is_recorded_so_far(
    run: Run, journal: Path, tmp_path: Path
) -> None:
    """What is lost is told on stderr and in the file."""
    lines = journal.read_bytes().splitlines(keepends=True)
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(b"".join(lines[:10]) + lines[10][:-9])
    ended = run("record", cut, "-o", tmp_path / "x.toml")
    assert (
        0,
        [
            f"{cut}:11: warning: the last line is cut short; it is left out",
            f"{cut}: warning: The recorded room did not close; this one closes by its rules.",
        ],
    ) == (ended.code, ended.err.splitlines()[:2])
    assert "did not close" in (tmp_path / "x.toml").read_text()


def test_the_first_turn_and_row_are_counted_well(run: Run, journal: Path, tmp_path: Path) -> None:
    """One of each is no plural."""
    text = (
        'format = 1\ndesk = { id = "d", name = "D", seats = [{ id = "a" }] }\n'
        '[[turn]]\nseat = "a"\nsay = "hm"\n'
    )
    (tmp_path / "x.toml").write_text(text)
    run("run", "-q", tmp_path / "x.toml", "--journal", tmp_path / "x.jsonl")
    ended = run("record", tmp_path / "x.jsonl", "-o", tmp_path / "y.toml")
    assert ended.out.endswith(": 1 turn, 1 row; it replays to the same\n")


def test_what_is_no_sound_journal_is_an_error(run: Run, journal: Path, tmp_path: Path) -> None:
    """Its line is named, and nothing is written."""
    raw = journal.read_bytes()
    header = raw[: raw.index(b"\n") + 1]
    files = {
        "none": None,
        "empty": b"",
        "torn": header[:-5],
        "header": header,
        "toml": b"format = 1\n",
        "changed": raw.replace(b"@solver the", b"@theory the", 1),
    }
    problems = []
    for name, content in files.items():
        if content is not None:
            (tmp_path / name).write_bytes(content)
        ended = run("record", tmp_path / name, "-o", tmp_path / "x.toml")
        assert 2 == ended.code
        problems.append(ended.err.splitlines()[-1].replace(f"{tmp_path}/", ""))
    assert [
        "none: the journal cannot be read: No such file or directory",
        "empty: the file is empty, so it is no journal",
        "torn:1: the last line is cut short",
        "header: no turn was played to its end, so there is nothing to replay",
        "toml:1: line 1 is bad: this is no sealed line of a journal",
    ] == problems[:-1]
    assert problems[-1].startswith("changed:4: line 4 is bad: the digest does not fit")
    assert not (tmp_path / "x.toml").exists()
