from __future__ import annotations

import json
from typing import Any

import pytest

from deskroom.core import OPERATOR, Viewer
from deskroom.errors import FileError
from deskroom.render.replay import replay_json
from deskroom.runs.diff import compare_runs
from deskroom.runs.transcript import read_transcript
from deskroom.scenario import parse_scenario, replay_scenario

FILE = """\
format = 1
desk = { id = "d", name = "D", seats = [{ id = "a" }, { id = "b" }, { id = "c" }], people = [{ id = "sam", label = "Sam" }] }
policy = { aside = { enabled = true, max_members = 1, max_messages = 9 } }
[opening]
by = "sam"
message = "@a begin"
[[turn]]
seat = "a"
calls = [{ tool = "desk_dm", to = ["b"], message = "psst" }]
[[turn]]
seat = "b"
calls = [{ tool = "shout" }]
[[turn]]
seat = "c"
say = "@a done"
wrote = ["c.md"]
"""
ROW = {
    "sequence": 1,
    "chat_id": "d",
    "parent": None,
    "author": {"type": "agent", "id": "a"},
    "content": "hello",
    "audience": {"kind": "desk"},
}


def output(viewer: Viewer = OPERATOR, **changes: Any) -> str:
    """Return what ``deskroom replay --json`` prints for the file."""
    replayed = replay_json(replay_scenario(parse_scenario(FILE)), "x.toml", viewer)
    return json.dumps(
        {"format": 1, "scenarios": [{**replayed, **changes}], "summary": {}}, indent=2
    )


@pytest.mark.parametrize("seat", [None, "a", "c"])
def test_the_output_of_a_replay_is_the_same_run(seat: str | None) -> None:
    """What the operator and each seat may read of it, turns without a row and reasons included."""
    viewer = OPERATOR if seat is None else Viewer("agent", seat)
    read = read_transcript(output(viewer), "x.json")
    scenario = replay_scenario(parse_scenario(FILE)).view(viewer)
    comparison = compare_runs(read, scenario)
    assert (True, 4, 1) == (comparison.same, comparison.rows.same, comparison.turns.same)
    assert [item.facts for item in scenario.items] == [item.facts for item in read.items]
    assert [item.why for item in scenario.items if item.is_row] == [
        item.why for item in read.items if item.is_row
    ]
    assert ("x.json", "transcript", "listed", {"closed": "script"}) == (
        read.items[0].place,
        read.kind,
        read.order,
        read.run,
    )


def test_the_output_of_a_replay_says_whom_each_row_names() -> None:
    """As the run itself knows it."""
    named = [list(item.mentions) for item in read_transcript(output(), "x.json").items]
    view = replay_scenario(parse_scenario(FILE)).view()
    assert [list(item.mentions) for item in view.items] == named
    assert ["a"] in named


def test_rows_may_stand_one_a_line() -> None:
    """Each has its line; blank lines do not count as rows."""
    aside = {**ROW, "sequence": 2, "audience": {"kind": "aside", "members": ["b"]}}
    read = read_transcript(f"{json.dumps(ROW)}\n\n{json.dumps(aside)}\n", "x.jsonl")
    assert ["x.jsonl:1", "x.jsonl:3"] == [item.place for item in read.items]
    assert {
        "chat": "d",
        "parent": None,
        "author": {"type": "agent", "id": "a"},
        "content": "hello",
        "audience": ["b"],
    } == read.items[1].facts
    assert ("transcript", False, {}, None) == (read.kind, read.has_turns, read.run, read.seats)


def test_rows_may_stand_in_a_list() -> None:
    """It is one document then."""
    read = read_transcript(json.dumps([ROW, ROW], indent=1), "x.json")
    assert ["x.json", "x.json"] == [item.place for item in read.items]


def without(key: str) -> dict[str, Any]:
    """Return a row that lacks a key."""
    return {name: value for name, value in ROW.items() if name != key}


@pytest.mark.parametrize(
    "text, problem",
    [
        ("", "x: the file holds no row"),
        ("[]", "x: the file holds no row"),
        ("{", "x:1: this line is not JSON, so the file is not a transcript"),
        (json.dumps(ROW) + "\nhm\n", "x:2: this line is not JSON, so the file is not a transcript"),
        ("[" * 100_000, "x:1: this line is not JSON, so the file is not a transcript"),
        ("3", "x:1: this is not a row: the row must be an object"),
        (
            json.dumps(without("audience")),
            "x:1: this is not a row: audience is missing",
        ),
        (
            json.dumps([{**ROW, "mood": "good"}]),
            "x: this is not a row: mood is not a field here",
        ),
        ('{"scenarios": []}', "x: the file holds 0 scenarios; replay one alone to compare it"),
        (
            '{"scenarios": [{}, {}]}',
            "x: the file holds 2 scenarios; replay one alone to compare it",
        ),
        ('{"scenarios": 3}', "x: the file holds no scenarios; replay one alone to compare it"),
        (
            '{"scenarios": [3]}',
            "x: this is not the output of a replay: the scenario must be an object",
        ),
        (
            '{"scenarios": [{"status": "error"}]}',
            "x: the replay ended in an error, so the file holds no rows",
        ),
        (
            output(turns=[{"turn": 1}]),
            "x: this is not the output of a replay: the scenario.turns[0].row is missing",
        ),
        (
            output(rows=[{**without("audience"), "kind": "seat"}]),
            "x: this is not the output of a replay: the scenario.rows[0].audience is missing",
        ),
    ],
)
def test_what_is_no_transcript_is_an_error(text: str, problem: str) -> None:
    """It says where and what; an absent key is never a default."""
    with pytest.raises(FileError) as caught:
        read_transcript(text, "x")
    assert problem == str(caught.value)
