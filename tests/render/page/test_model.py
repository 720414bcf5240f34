from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deskroom.core import OPERATOR, Viewer
from deskroom.render.page.model import run_data
from deskroom.render.page.page import PageEntry, page_html
from deskroom.runs.view import RunView
from deskroom.scenario.sources import Source, read_source

SHIPPED = sorted((Path(__file__).parents[3] / "scenarios").rglob("*.toml"))
RICH = Path(__file__).parents[2] / "browser" / "runs" / "rich.toml"

FILE = """\
format = 1
title = "Psst"
desk = { id = "d", name = "D", seats = [{ id = "a", name = "ANN" }, { id = "b" }, { id = "c" }], people = [{ id = "sam", label = "Sam" }] }

[policy.aside]
enabled = true
max_members = 1
max_messages = 9

[opening]
by = "sam"
message = "@a begin"

[[turn]]
seat = "a"
calls = [{ tool = "shout" }, { tool = "desk_dm", to = ["b"], message = "psst" }]

[[turn]]
seat = "c"
crash = "it broke"
late = [{ tool = "desk_post", message = "still here" }]

[[turn]]
seat = "b"
say = "done"
expect = { next = "a" }
"""


@pytest.fixture
def source(tmp_path: Path) -> Source:
    """Return the run of the file above."""
    path = tmp_path / "psst.toml"
    path.write_text(FILE)
    return read_source(str(path))


def data(source: Source, viewer: Viewer = OPERATOR) -> Any:
    """Return a run's data as the page reads it."""
    return json.loads(run_data(source, "psst.toml", viewer).text)


def shown(run: Any, at: int) -> list[Any]:
    """Return the items of a view, in order."""
    return [
        run["items"][place]
        for first, count in run["views"][at]["spans"]
        for place in range(first, first + count)
    ]


def test_there_is_a_view_for_the_operator_and_one_for_each_seat(source: Source) -> None:
    """People are on the desk as well, and read what the operator reads."""
    run = data(source)
    assert [None, "a", "b", "c"] == [view.get("seat") for view in run["views"]]
    assert [
        {"type": "person", "name": "sam", "label": "Sam"},
        {"type": "agent", "name": "a", "label": "ANN"},
        {"type": "agent", "name": "b"},
        {"type": "agent", "name": "c"},
    ] == run["lanes"]


def test_the_operators_view_holds_every_row_and_turn_where_it_happened(source: Source) -> None:
    """A late call stands behind its turn, before the next row."""
    run = data(source)
    assert [
        {"what": "row", "lane": 0, "seq": 1, "row": 0},
        {"what": "row", "lane": 1, "seq": 2, "turn": 1, "trigger": 1, "hop": 0, "row": 1, "did": 0},
        {
            "what": "turn",
            "lane": 3,
            "turn": 2,
            "trigger": 2,
            "hop": 0,
            "outcome": "failed",
            "why": "the seat raised ScriptedCrash: it broke",
            "did": 1,
        },
        {
            "what": "late",
            "lane": 3,
            "turn": 2,
            "call": {
                "tool": "desk_post",
                "arguments": [["message", "still here"]],
                "reply": "turn_ended",
                "late": True,
            },
        },
        {"what": "row", "lane": 2, "seq": 3, "turn": 3, "trigger": 2, "hop": 1, "row": 2, "did": 2},
    ] == [{key: item[key] for key in item if key != "line"} for item in shown(run, 0)]
    assert [10, 14, 18, 0, 23] == run["views"][0]["lines"]


def test_a_row_says_what_each_at_does_and_who_is_next(source: Source) -> None:
    """Its text is given in parts: at odd places stand those that a note is about."""
    assert {
        "kind": "opening",
        "text": ["", "@a", " begin"],
        "notes": [{"verdict": "mention", "why": "@a names a", "decided": True}],
        "next": ["a"],
        "why": "'@a' at byte 0 is the first seat named",
    } == data(source)["rows"][0]


def test_a_turn_has_its_calls_with_their_replies(source: Source) -> None:
    """What became the row's text is not said twice."""
    assert {
        "calls": [
            {"tool": "shout", "arguments": [], "reply": "unknown_tool"},
            {
                "tool": "desk_dm",
                "arguments": [["to", '["b"]'], ["message", None]],
                "reply": "ok",
            },
        ]
    } == data(source)["turns"][0]


def test_of_a_private_row_another_seat_has_nothing_but_the_stub(source: Source) -> None:
    """Semantics, section 8: its sequence, author and audience, and what it stands for."""
    assert {
        "what": "stub",
        "lane": 1,
        "seq": 2,
        "through": 2,
        "messages": 1,
        "to": ["b"],
        "settled": 3,
    } == shown(data(source), 3)[1]


def test_a_page_for_a_seat_holds_its_view_alone(source: Source) -> None:
    """Neither the title, which who wrote it made for all to see, nor a line of the file is in it."""
    run = data(source, Viewer("agent", "c"))
    assert ["c"] == [view.get("seat") for view in run["views"]]
    assert (None, None) == (run.get("title"), run["views"][0].get("lines"))
    for word in ("psst", "shout", "Psst"):
        page = page_html([PageEntry(path="x", data=run_data(source, "x", Viewer("agent", "c")))])
        assert word not in page


def test_what_views_have_alike_is_there_once(source: Source) -> None:
    """Of each row there is one text, and of each turn one list of calls."""
    run = data(source)
    assert (3, 3) == (len(run["rows"]), len(run["turns"]))
    assert shown(run, 0)[0] is shown(run, 3)[0]


def test_a_mismatch_is_linked_to_its_row(source: Source) -> None:
    """What was expected and what came out stand side by side."""
    assert [
        {
            "about": "listed turn 3 (b)",
            "key": "next",
            "place": "line 26:12",
            "row": 3,
            "expected": [["old", "a"]],
            "got": [["new", "{ none = no_direct_agent_mention }"]],
            "why": "no @id in it names a seat",
        }
    ] == [
        {**found, "got": [[kind, text.replace('"', "")] for kind, text in found["got"]]}
        for found in data(source)["views"][0]["mismatches"]
    ]


def private(view: RunView, whole: RunView) -> list[str]:
    """Return what a viewer may not read, where it is long enough not to be said by chance."""
    stubs = [item.sequence for item in view.items if item.row is not None]
    seen = " ".join(item.row.content for item in view.items if item.row is not None)
    hidden = [item.row.content for item in whole.items if item.row and item.sequence not in stubs]
    return [text for text in hidden if len(text) > 3 and text not in seen]


@pytest.mark.parametrize("path", [*SHIPPED, RICH], ids=lambda path: path.stem)
def test_a_seats_page_holds_no_private_word_of_any_shipped_scenario(path: Path) -> None:
    """Anywhere in its bytes: whatever is not for the seat to read is not there."""
    source = read_source(str(path))
    for seat in source.whole.seats or ():
        viewer = Viewer("agent", seat)
        run = run_data(source, "x.toml", viewer)
        page = page_html([PageEntry(path="x.toml", data=run)])
        assert [] == [text for text in private(source.view(viewer), source.whole) if text in page]


def test_the_rows_of_a_transcript_are_enough(tmp_path: Path) -> None:
    """Its seats are those who spoke or were addressed; what is not known is left out."""
    path = tmp_path / "rows.jsonl"
    row = {
        "sequence": 1,
        "chat_id": "d",
        "parent": None,
        "author": {"type": "agent", "id": "a"},
        "content": "psst",
        "audience": {"kind": "aside", "members": ["b"]},
    }
    path.write_text(json.dumps(row))
    run = data(read_source(str(path)))
    assert [None, "a", "b"] == [view.get("seat") for view in run["views"]]
    assert [{"what": "row", "lane": 0, "seq": 1, "row": 0}] == shown(run, 0)
    assert [{"kind": "seat", "text": "psst", "to": ["b"]}] == run["rows"]
