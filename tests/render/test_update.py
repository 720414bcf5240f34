from __future__ import annotations

import pytest
from attrs import evolve

from deskroom.core import OPERATOR, Viewer
from deskroom.render.update import change_json, change_line
from deskroom.scenario.edit.update import Change

CHANGE = Change(
    path="a/x.toml",
    line=3,
    column=12,
    turn="2",
    seat="a",
    key="next",
    before="b",
    after={"none": "self_mention"},
    private_to=("a", "b"),
)


@pytest.mark.parametrize(
    "change, line",
    [
        (CHANGE, 'a/x.toml:3:12: listed turn 2 (a): next: "b" → { none = "self_mention" }'),
        (
            evolve(CHANGE, before=None),
            'a/x.toml:3:12: listed turn 2 (a): next: nothing → { none = "self',
        ),
        (
            evolve(CHANGE, after=None, seat=None),
            'a/x.toml:3:12: listed turn 2: next: "b" → nothing',
        ),
        (evolve(CHANGE, turn="opening", after=["b"]), 'a/x.toml:3:12: opening: next: "b" → ["b"]'),
        (
            evolve(CHANGE, turn=None, key="rows", before=1, after=2),
            "a/x.toml:3:12: run: rows: 1 → 2",
        ),
        (
            evolve(CHANGE, after="x\ny\x1b"),
            'a/x.toml:3:12: listed turn 2 (a): next: "b" → "x\\ny\\u001b"',
        ),
    ],
)
def test_a_change_is_one_line_that_begins_with_its_place(change: Change, line: str) -> None:
    """Before and after are written as the file writes them."""
    assert change_line(change).startswith(line)
    assert "\n" not in change_line(change)


def test_a_change_as_json() -> None:
    """The path is the caller's word for the file."""
    assert {
        "path": "x.toml",
        "line": 3,
        "column": 12,
        "turn": "2",
        "seat": "a",
        "key": "next",
        "before": "b",
        "after": {"none": "self_mention"},
    } == change_json(CHANGE, "x.toml")


def test_a_private_change_is_told_to_its_readers() -> None:
    """Another seat learns that there was one."""
    other = Viewer("agent", "c")
    assert "a/x.toml:3:12: listed turn 2 (a): next: (private) → (private)" == change_line(
        CHANGE, other
    ).replace('"', "")
    told = change_json(CHANGE, "x.toml", other)
    assert ("(private)", "(private)") == (told["before"], told["after"])
    for viewer in (OPERATOR, Viewer("agent", "b"), Viewer("person", "sam")):
        assert "b" == change_json(CHANGE, "x.toml", viewer)["before"]
