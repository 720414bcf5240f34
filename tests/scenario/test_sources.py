from __future__ import annotations

import json
from pathlib import Path

import pytest

from deskroom.errors import FileError
from deskroom.journal import JournalFile
from deskroom.runs.diff import compare_runs
from deskroom.scenario import load_scenario, replay_scenario
from deskroom.scenario.sources import read_run, read_source

FILE = """\
desk = { id = "d", name = "D", seats = [{ id = "a" }, { id = "b" }] }
format = 1
[[turn]]
seat = "a"
say = "@b go"
[[turn]]
seat = "b"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with one run as a scenario, a journal and rows."""
    scenario = tmp_path / "x.toml"
    scenario.write_text(FILE)
    with JournalFile.create(tmp_path / "x.jsonl") as journal:
        result = replay_scenario(load_scenario(scenario), journal=journal).run
    (row,) = result.rows
    (tmp_path / "rows").write_text(
        json.dumps(
            {
                "sequence": 1,
                "chat_id": "d",
                "parent": None,
                "author": {"type": "agent", "id": "a"},
                "content": row.content,
                "audience": {"kind": "desk"},
            }
        )
    )
    return tmp_path


@pytest.mark.parametrize(
    "name, kind, places",
    [
        ("x.toml", "scenario", ["x.toml:3", "x.toml:6"]),
        ("x.jsonl", "journal", ["x.jsonl:4", "x.jsonl:6"]),
        ("rows", "transcript", ["rows:1"]),
    ],
)
def test_a_run_is_read_from_whatever_holds_it(
    folder: Path, name: str, kind: str, places: list[str]
) -> None:
    """What a file is, its content says."""
    view, torn = read_run(str(folder / name))
    assert (kind, None) == (view.kind, torn)
    assert places == [item.place.removeprefix(f"{folder}/") for item in view.items]
    whole, _ = read_run(str(folder / "x.toml"))
    assert compare_runs(whole, view).same


def test_a_scenario_may_have_any_name(folder: Path) -> None:
    """What begins with a bracket may be a table's header."""
    (folder / "x").write_text(
        FILE.replace("desk = {", "[desk]\n#").replace("format", "[x]\nformat")
    )
    (folder / "y").write_text(FILE)
    assert "scenario" == read_run(str(folder / "y"))[0].kind
    with pytest.raises(FileError, match="x:"):
        read_run(str(folder / "x"))


def test_a_journal_that_is_cut_short_is_read_so_far(folder: Path) -> None:
    """The last line, which has no end, is left out; nothing else may be missing."""
    raw = (folder / "x.jsonl").read_bytes()
    (folder / "cut").write_bytes(raw[:-9])
    view, torn = read_run(str(folder / "cut"))
    assert ("the last line is cut short", 2) == (torn and torn.problem, len(view.items))
    assert {"closed": None} == view.run
    (folder / "cut").write_bytes(raw[:-9].replace(b"@b go", b"@b xx"))
    with pytest.raises(FileError, match="is bad: the digest does not fit"):
        read_run(str(folder / "cut"))
    header = raw[: raw.index(b"\n")]
    (folder / "cut").write_bytes(header)
    with pytest.raises(FileError, match="cut:1: the last line is cut short"):
        read_run(str(folder / "cut"))


@pytest.mark.parametrize(
    "content, problem",
    [
        (b"\xff", "the file is not UTF-8"),
        (b"hello", "the file holds no run"),
        (b"{", "this line is not JSON"),
    ],
)
def test_a_file_that_holds_no_run_is_an_error(tmp_path: Path, content: bytes, problem: str) -> None:
    """It names the file."""
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(FileError) as caught:
        read_run(str(tmp_path / "x"))
    assert str(caught.value).startswith(f"{tmp_path}/x")
    assert problem in str(caught.value)


@pytest.mark.parametrize("name", ["none", ".", "a\0b"])
def test_a_path_that_is_no_file_is_an_error(tmp_path: Path, name: str) -> None:
    """No traceback, whatever it is."""
    with pytest.raises(FileError, match="the file cannot be read"):
        read_run(f"{tmp_path}/{name}")


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_scenario_is_played_on_either_backend(folder: Path, backend: str) -> None:
    """What comes out is the same."""
    view, _ = read_run(str(folder / "x.toml"), backend=backend)  # type: ignore[arg-type]
    assert 2 == len(view.items)


def test_an_opening_and_a_person_stand_where_they_are_listed(tmp_path: Path) -> None:
    """A nudge or a row about files is listed nowhere."""
    text = FILE.replace("seats", 'people = [{ id = "sam", label = "Sam" }], seats').replace(
        '[[turn]]\nseat = "b"\n',
        '[opening]\nby = "sam"\nmessage = "hm"\n[[turn]]\nperson = "sam"\nsay = "hm"\n',
    )
    (tmp_path / "x.toml").write_text(text)
    view, _ = read_run(str(tmp_path / "x.toml"))
    assert [6, 3, 9] == [item.line for item in view.items]


def test_a_source_holds_what_stands_before_a_wrong_line(folder: Path) -> None:
    """It says what is wrong, as ``verify`` does; a journal whose first line is wrong is none."""
    raw = (folder / "x.jsonl").read_bytes()
    (folder / "x.jsonl").write_bytes(raw.replace(b"@b go", b"@b xx"))
    source = read_source(str(folder / "x.jsonl"))
    assert source.damage is not None
    assert 3 == source.damage.line
    assert ("journal", 0, 1) == (source.kind, len(source.view().items), len(source.view().turns))
    (folder / "x.jsonl").write_bytes(b"x" + raw)
    with pytest.raises(FileError):
        read_source(str(folder / "x.jsonl"))


def test_the_source_of_a_scenario_has_its_replay(folder: Path) -> None:
    """A journal and a transcript have none."""
    replays = [read_source(str(folder / name)).replay for name in ("x.toml", "x.jsonl", "rows")]
    assert [True, False, False] == [replay is not None for replay in replays]
