from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

PASSES = """\
format = 1
desk = { id = "d", name = "D", seats = [{ id = "a" }, { id = "b" }] }

[[turn]]
seat = "a"
say = "@b go"
"""
FAILS = PASSES + 'expect = { next = "a" }\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of two scenarios, of which one fails."""
    below = tmp_path / "scenarios"
    below.mkdir()
    (below / "passes.toml").write_text(PASSES)
    (below / "fails.toml").write_text(FAILS)
    return below


def islands(page: Path) -> list[Any]:
    """Return the data of each run in a page."""
    found = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page.read_text())
    return [json.loads(text) for text in found]


def test_a_scenario_is_played_and_shown(run: Run, folder: Path, tmp_path: Path) -> None:
    """The page is for its owner only, and has the same bytes each time."""
    pages = [tmp_path / name for name in ("a.html", "b.html")]
    for page in pages:
        assert 0 == run("report", folder / "passes.toml", "-o", page).code
    assert pages[0].read_bytes() == pages[1].read_bytes()
    assert 0o600 == pages[0].stat().st_mode & 0o777
    assert ["passed"] == [data["status"] for data in islands(pages[0])]


def test_a_scenario_that_failed_is_shown_too(run: Run, folder: Path, tmp_path: Path) -> None:
    """Its page is written, and the exit code says that it failed."""
    page = tmp_path / "page.html"
    assert 1 == run("report", folder / "fails.toml", "-o", page).code
    assert ["next"] == [found["key"] for found in islands(page)[0]["views"][0]["mismatches"]]


def test_a_folder_gives_a_list_with_what_failed_first(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    """Each run is in the one page."""
    page = tmp_path / "page.html"
    assert 1 == run("report", folder, "-o", page).code
    assert ["failed", "passed"] == [data["status"] for data in islands(page)]


def test_a_file_that_is_wrong_is_told_in_the_list(run: Run, folder: Path, tmp_path: Path) -> None:
    """The others are shown, and the exit code is that of a wrong file."""
    (folder / "wrong.toml").write_text("format = 2\n[desk]\n")
    page = tmp_path / "page.html"
    ended = run("report", folder, "-o", page)
    assert (2, 2) == (ended.code, len(islands(page)))
    assert ended.err.startswith(f"{folder}/wrong.toml:1")
    assert "<bdi>line 1: " in page.read_text()


def test_a_file_that_is_no_run_gets_one_sentence(run: Run, tmp_path: Path) -> None:
    """Nothing is written."""
    file, page = tmp_path / "notes.txt", tmp_path / "page.html"
    file.write_text("hello")
    ended = run("report", file, "-o", page)
    assert (2, 1, False) == (ended.code, ended.err.count("\n"), page.exists())


def test_a_file_is_overwritten_only_with_force(run: Run, folder: Path, tmp_path: Path) -> None:
    """Without it what is there stays as it is."""
    page = tmp_path / "page.html"
    page.write_text("mine")
    assert 2 == run("report", folder / "passes.toml", "-o", page).code
    assert "mine" == page.read_text()
    assert 0 == run("report", folder / "passes.toml", "-o", page, "--force").code
    assert "mine" != page.read_text()


def test_a_full_disk_leaves_no_half_page(run: Run, folder: Path) -> None:
    """It is one sentence, and 2."""
    if not Path("/dev/full").exists():
        pytest.skip("there is no full disk")
    ended = run("report", folder / "passes.toml", "-o", "/dev/full")
    assert (2, 1) == (ended.code, ended.err.count("\n"))


def test_a_damaged_journal_is_shown_up_to_the_bad_line(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    """What is wrong is in the page, as ``verify`` says it, and the exit code is 1."""
    journal, page = tmp_path / "run.jsonl", tmp_path / "page.html"
    assert 0 == run("replay", "-q", folder / "passes.toml", "--journal", journal).code
    lines = journal.read_text().splitlines()
    journal.write_text("\n".join([*lines[:-1], lines[-1].replace("script", "quiet")]) + "\n")
    ended = run("report", journal, "-o", page)
    assert 1 == ended.code
    assert f"{journal}:{len(lines)}" in ended.err
    data = islands(page)[0]
    assert "damaged" == data["status"]
    assert data["views"][0]["damage"].startswith(f"line {len(lines)}: ")
    assert [f"line {len(lines)} is wrong"] * 2 == [view["damage"] for view in data["views"][1:]]


def test_the_output_of_a_replay_is_a_run(run: Run, folder: Path, tmp_path: Path) -> None:
    """A transcript is read as well, from stdin too; the page goes to stdout for `-`."""
    out = run("replay", folder / "passes.toml", "--json").out
    transcript = tmp_path / "run.json"
    transcript.write_text(out)
    ended = run("report", transcript, "-o", "-")
    assert (0, True) == (ended.code, ended.out.startswith("<!doctype html>"))


def test_a_seat_that_is_not_there_is_named(run: Run, folder: Path, tmp_path: Path) -> None:
    """The nearest seat is told, and nothing is written."""
    page = tmp_path / "page.html"
    ended = run("report", folder / "passes.toml", "--as", "bb", "-o", page)
    assert (2, False) == (ended.code, page.exists())
    assert "'b'" in ended.err
