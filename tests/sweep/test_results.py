from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deskroom.errors import FileError
from deskroom.sweep import ResultsFile, read_results
from deskroom.sweep.lines import line_in

Swept = Callable[..., bytes]


@pytest.fixture
def lines(swept: Swept) -> list[bytes]:
    """Return the lines of a sweep of twelve runs, which are in ``x.jsonl``."""
    return swept("x.jsonl", "-j", "1", seeds=2).splitlines(keepends=True)


def add(results: ResultsFile, line: bytes) -> None:
    """Append a line."""
    read = line_in(line.rstrip())
    results.add(read.key, read.order, line.decode())


def kept(*lines: bytes) -> list[tuple[int, int | None]]:
    """Return the seeds that are in a file of these lines, each with its number."""
    Path("x.jsonl").write_bytes(b"".join(lines))
    return [
        (number, None if line is None else line.seed) for number, line in read_results("x.jsonl")
    ]


def test_a_line_is_what_a_run_was_made_of_and_what_it_came_to(lines: list[bytes]) -> None:
    """No time, host or number stands in it."""
    line = json.loads(lines[1])
    figures = line.pop("figures")
    assert {
        "sweep": 1,
        "file": "explored.toml",
        "seed": 1,
        "settings": {"policy.chair.every": 0, "policy.dispatch.max_hops": 2},
        "seats": 3,
        "properties": {"only the lead completes": line["properties"]["only the lead completes"]},
        "invariants": [],
        "digest": line["digest"],
        "key": line["key"],
    } == line
    assert {"closed", "turns", "hops", "never_spoke"} < set(figures)


def test_a_last_line_that_was_cut_short_is_cut_off(lines: list[bytes]) -> None:
    """One that lacks only its end gets that."""
    assert [(1, 0), (2, None)] == kept(lines[0], lines[1][:-9])
    with ResultsFile.open("x.jsonl") as results:
        assert (1, 2) == (len(results.kept), results.cut)
    assert lines[0] == Path("x.jsonl").read_bytes()
    assert [(1, 0), (2, 1)] == kept(lines[0], lines[1][:-1])
    with ResultsFile.open("x.jsonl") as results:
        assert (2, None) == (len(results.kept), results.cut)
        add(results, lines[2])
    assert b"".join(lines[:3]) == Path("x.jsonl").read_bytes()


@pytest.mark.parametrize(
    "old, new, problem",
    [
        (b'"sweep":1', b'"sweep":2', "sweep is 2, and 1 is the version that is read"),
        (b"{", b"[", "this is no JSON"),
        (b'"seed":0,', b"", "seed is missing"),
        (b'"seed":0,', b'"seed":-1,', "seed must not be negative"),
        (b'"invariants":[]', b'"invariants":7', "invariants must be a list of strings or null"),
        (b'"nudges":', b'"nudges":"x","n":', "figures.nudges must be an integer or null"),
        (
            b'completes":',
            b'completes":3,"x":',
            "properties.only the lead completes must be true or false",
        ),
    ],
)
def test_any_other_line_that_no_sweep_wrote_is_an_error(
    lines: list[bytes], old: bytes, new: bytes, problem: str
) -> None:
    """It is told with its number, and nothing is written."""
    wrong = b"".join([lines[0].replace(old, new, 1), *lines[1:]])
    Path("x.jsonl").write_bytes(wrong)
    for read in (lambda: list(read_results("x.jsonl")), lambda: ResultsFile.open("x.jsonl")):
        with pytest.raises(FileError) as raised:
            read()
        assert f"x.jsonl:1: this is not a result of a sweep: {problem}" == str(raised.value)
    assert wrong == Path("x.jsonl").read_bytes()


def test_a_run_is_there_once(lines: list[bytes]) -> None:
    """A line that is added again is not written, and one that stands there twice is an error."""
    kept(*lines[:2])
    with ResultsFile.open("x.jsonl") as results:
        add(results, lines[1])
    assert b"".join(lines[:2]) == Path("x.jsonl").read_bytes()
    kept(*lines[:2], lines[0])
    with pytest.raises(FileError) as raised:
        ResultsFile.open("x.jsonl")
    assert "x.jsonl:3: the run of line 1 is there twice" == str(raised.value)


def test_one_sweep_writes_a_file(lines: list[bytes]) -> None:
    """The lock is the file's own and ends with the process; another may read."""
    with ResultsFile.open("x.jsonl"):
        with pytest.raises(FileError) as raised:
            ResultsFile.open("x.jsonl")
        assert 12 == len(list(read_results("x.jsonl")))
    assert "x.jsonl: another sweep is writing this file" == str(raised.value)
    ResultsFile.open("x.jsonl").close()


def test_a_file_that_is_changed_meanwhile_gets_no_more(lines: list[bytes]) -> None:
    """Nor does one that was removed: what is written would be lost."""
    kept(lines[0])
    with ResultsFile.open("x.jsonl") as results:
        with Path("x.jsonl").open("ab") as other:
            other.write(lines[1])
        with pytest.raises(FileError, match="the file was changed while it was written: it has"):
            add(results, lines[2])
        Path("x.jsonl").unlink()
        with pytest.raises(FileError, match="the file was removed, or replaced by another one"):
            add(results, lines[2])


def test_lines_are_put_in_order_whole_or_not_at_all(lines: list[bytes]) -> None:
    """A file that is in order stays as it is; its mode stays in either case."""
    kept(*reversed(lines))
    Path("x.jsonl").chmod(0o640)
    for _ in range(2):
        with ResultsFile.open("x.jsonl") as results:
            results.put_in_order()
        assert b"".join(lines) == Path("x.jsonl").read_bytes()
    assert 0o640 == Path("x.jsonl").stat().st_mode & 0o777


def test_a_new_file_is_for_its_owner_and_one_without_a_line_is_taken_away(folder: Path) -> None:
    """What was there before stays, though it is empty."""
    ResultsFile.open("x.jsonl").close()
    assert not Path("x.jsonl").exists()
    Path("y.jsonl").touch()
    ResultsFile.open("y.jsonl").close()
    assert Path("y.jsonl").exists()


@pytest.mark.parametrize(
    "name, problem",
    [
        (".", "this is a folder; name a file"),
        ("none/x.jsonl", "the file cannot be written: the parent folder does not exist"),
        (
            "pipe",
            "results are read again when a sweep is resumed, and this is a pipe or a device",
        ),
    ],
)
def test_what_can_hold_no_results_is_told(folder: Path, name: str, problem: str) -> None:
    """With what would."""
    os.mkfifo("pipe")
    with pytest.raises(FileError) as raised:
        ResultsFile.open(name)
    assert f"{name}: {problem}" == str(raised.value)


def test_a_process_that_is_forked_holds_no_lock(lines: list[bytes]) -> None:
    """So whoever kills the command can resume at once."""
    with ResultsFile.open("x.jsonl") as results:
        child: Any = os.fork() if hasattr(os, "fork") else None
        if child == 0:
            code = 0 if results._file is None else 1
            os._exit(code)
        assert (child, 0) == os.waitpid(child, 0)
        add(results, lines[0])
