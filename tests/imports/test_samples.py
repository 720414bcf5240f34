"""Every recorded sample gives its rows, to the byte; every broken one its error.

One format alone: ``pytest tests/imports/test_samples.py -k slack``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deskroom.engine.policy import Policy
from deskroom.errors import DeskroomError, FileError
from deskroom.imports.cast import Wishes
from deskroom.imports.containers import open_source
from deskroom.imports.importer import Options, find_importer, importers
from deskroom.imports.room import ImportedRoom, LeftOut, open_room
from deskroom.imports.scenario import import_scenario

SAMPLES = Path(__file__).parent / "samples"
CASES = sorted(path.parent for path in SAMPLES.glob("*/*/meta.json"))
BROKEN = sorted(path.parent for path in SAMPLES.glob("broken/*/expected.json"))
#: What the error or warning must say, in pieces; the sentences are pinned in ``sentences``.
SAYS = {
    "not-utf8": ["#kiln.log:2:34", "0xFC", "--encoding"],
    "nothing-in-it": ["empty.json", "no row"],
    "torn-last-line": ["cut short", "left out"],
    "truncated-document": ["messages.json:62:14", "ends inside a string"],
    "unknown-shape": ["no format fits", "who, said", "rows", "slack", "--from"],
}


def case_id(case: Path) -> str:
    """Return the name of a case."""
    return f"{case.parent.name}/{case.name}"


def read_meta(case: Path) -> dict[str, Any]:
    """Return what is said of a case."""
    loaded: dict[str, Any] = json.loads((case / "meta.json").read_text())
    return loaded


def expected_rows(case: Path) -> list[dict[str, Any]]:
    """Return the rows that must come out."""
    lines = (case / "expected.jsonl").read_text().split("\n")
    return [json.loads(line) for line in lines if line]


def imported(path: Path, *, room: str | None = None, name: str | None = None) -> ImportedRoom:
    """Open the room in a file."""
    source = open_source(str(path))
    importer, _ = find_importer(source, name)
    return open_room([source], importer, Options(room=room), Wishes())


def rows_of(room: ImportedRoom, left: LeftOut) -> list[dict[str, Any]]:
    """Return the rows as the samples write them."""
    return [
        {"author": row.author, "text": row.text} | ({} if row.to is None else {"to": list(row.to)})
        for row in room.rows(left)
    ]


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_a_sample_gives_its_rows_seats_and_people(case: Path) -> None:
    """It is recognised by its content; rows, names, what is left out and hand-offs are exact."""
    meta = read_meta(case)
    source = open_source(str(case / meta["input"].rstrip("/")))
    importer, _ = find_importer(source)
    assert meta["format"] == importer.name

    options = meta.get("options", {})
    room = imported(Path(source.path), room=options.get("sample") or options.get("session"))
    left = LeftOut()
    rows = list(room.rows(left))

    assert expected_rows(case) == rows_of(room, LeftOut())
    for kind, whats in (("agent", "seats"), ("person", "people")):
        named = [(m.id, m.shown) for m in room.members if m.kind == kind]
        assert [(one["id"], one.get("shown", one["id"])) for one in meta[whats]] == named
    assert meta["dropped"] == {kind: count for kind, (count, _) in left.kinds.items()}
    handoffs = [{"row": row.number, "to": row.handoff} for row in rows if row.handoff is not None]
    assert meta["handoffs"] == handoffs


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_a_sample_becomes_a_scenario_that_replays(case: Path) -> None:
    """Its public rows are all there, in order, and no private one has become public."""
    meta = read_meta(case)
    options = meta.get("options", {})
    path = case / meta["input"].rstrip("/")
    room = imported(path, room=options.get("sample") or options.get("session"))
    scenario = import_scenario(room, Policy())
    played = scenario.replay.run.rows
    public = [row.content for row in played if row.audience.kind == "desk"]
    assert [row["text"] for row in expected_rows(case) if "to" not in row] == public
    assert (True, len(played)) == (scenario.replay.ok, scenario.written.rows)


@pytest.mark.parametrize("case", BROKEN, ids=case_id)
def test_a_broken_sample_ends_as_it_must(case: Path) -> None:
    """Its error, or its warning beside the rows that are sound, says what it has to."""
    expected = json.loads((case / "expected.json").read_text())
    said, rows = "", None
    try:
        room = imported(case / expected["input"])
        rows = rows_of(room, LeftOut())
        said = " ".join(problem for source in room.sources for _, problem in source.warnings)
    except FileError as error:
        said = str(error)

    assert [] == [piece for piece in SAYS[case.name] if piece not in said]
    assert (expected["exit"] == 0) == (rows is not None)
    if rows is not None:
        assert expected_rows(case) == rows


@pytest.mark.parametrize("name", list(importers()))
def test_an_importer_refuses_hostile_json_in_a_sentence(name: str, tmp_path: Path) -> None:
    """Whatever shape the JSON has, an importer that is named ends in an error of ours."""
    shapes: list[Any] = [
        None, 1, "x", [], {}, [[]], [None], [{}], {"messages": 1}, {"history": [3]},
        [{"role": 1, "content": {"a": []}}], [{"type": "TextMessage", "source": []}],
        [{"author": {}, "text": []}], {"channels": {}}, {"events": [[]]}, {"samples": [{}]},
        {"resourceSpans": [{"scopeSpans": 1}]}, {"messages": [{"type": "message", "text": 3}]},
    ]  # fmt: skip
    for shape in shapes:
        path = tmp_path / "shape.json"
        path.write_text(json.dumps(shape))
        with pytest.raises(DeskroomError):
            rows_of(imported(path, name=name), LeftOut())
