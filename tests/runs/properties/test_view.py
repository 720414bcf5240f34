"""Properties of a run whose entries are not known: what a transcript leaves to the rules."""

from __future__ import annotations

import json
from typing import Any

import pytest

from deskroom.runs.properties import (
    Matcher,
    NextSeat,
    OneOf,
    Pattern,
    Property,
    SameAs,
    view_violations,
)
from deskroom.runs.transcript import read_transcript

SEATS = ("a", "b", "c")

# What a transcript does not know


HEADER = {
    "transcript": 1,
    "format": "rows",
    "version": "1",
    "room": None,
    "input": [],
    "desk": {
        "id": "shed",
        "name": "The shed",
        "seats": [{"id": id_, "name": None} for id_ in SEATS],
        "people": [{"id": "sam", "label": "Sam"}],
    },
    "speakers": [],
    "left": [],
    "repeated": 0,
    "handoffs": [],
    "completions": [3],
    "broadcasts": [],
}


def violations(*rows: str, to: dict[int, list[str]] | None = None, **says: Any) -> list[str]:
    """Return how a property does not hold of rows given as ``author: text``."""
    lines: list[Any] = [HEADER]
    for number, row in enumerate(rows, start=1):
        who, _, text = row.partition(": ")
        members = (to or {}).get(number)
        lines.append(
            {
                "sequence": number,
                "chat_id": "shed",
                "parent": None,
                "author": {"type": "person" if who == "sam" else "agent", "id": who},
                "content": text,
                "audience": {"kind": "aside", "members": members} if members else {"kind": "desk"},
            }
        )
    view = read_transcript("\n".join(map(json.dumps, lines)), "x.jsonl")
    found = view_violations([Property(name="p", **says)], view)
    return [f"{one.problem} x{one.times}" for one in found]


ROWS = ("sam: @a is it open?", "a: @b look", "b: it is open", "c: and locked")


@pytest.mark.parametrize(
    "keys, expected",
    [
        ({"next": OneOf(("a",))}, ["row 1 (sam) matches x1"]),
        ({"next": OneOf(("b",)), "hop": OneOf((0,))}, []),
        ({"next": OneOf(("b",)), "hop": OneOf((1,))}, []),
        ({"mentions": OneOf(("b",))}, ["row 2 (a) matches x1"]),
        ({"why": OneOf(("no_direct_agent_mention",))}, ["row 3 (b) matches x2"]),
        ({"next": NextSeat(any=False)}, ["row 3 (b) matches x2"]),
        ({"seat": OneOf(("b",)), "hop": OneOf((1,))}, ["row 3 (b) matches x1"]),
        ({"seat": OneOf(("c",)), "hop": OneOf((0,))}, ["row 4 (c) matches x1"]),
        ({"completes": True}, ["row 3 (b) matches x1"]),
        ({"kind": OneOf(("person",))}, ["row 1 (sam) matches x1"]),
        ({"kind": OneOf(("seat",)), "text": Pattern("lock")}, ["row 4 (c) matches x1"]),
    ],
)
def test_what_a_transcript_does_not_know_is_what_the_rules_make_of_it(
    keys: dict[str, Any], expected: list[str]
) -> None:
    """Whom a row names, who is next, and at which hop."""
    if keys == {"next": OneOf(("b",)), "hop": OneOf((0,))}:
        expected = ["row 2 (a) matches x1"]
    assert expected == violations(*ROWS, never=Matcher(**keys))


def test_each_row_by_a_seat_counts_as_a_turn() -> None:
    """So it can be said how soon who is asked answers."""
    says: dict[str, Any] = {
        "after": Matcher(next=NextSeat(any=True)),
        "then": Matcher(seat=SameAs("next")),
    }
    assert [] == violations(*ROWS, within=1, **says)
    late = ("sam: @a x", "c: y", "sam: well?", "a: z")
    assert ["nothing matched within 1 turn after row 1 (sam) x1"] == violations(
        *late, within=1, **says
    )
    assert [] == violations(*late, within=2, **says)


def test_what_a_transcript_may_still_come_to_is_not_decided() -> None:
    """It does not say that the room closed."""
    assert [] == violations(*ROWS, eventually=Matcher(text=Pattern("shut")))


def test_private_words_of_a_transcript_are_found() -> None:
    """As an audit finds them."""
    rows = ("a: the code is four seven", "b: THE CODE is: four, seven")
    says = Matcher(repeats_private=True)
    assert ["row 2 (b) matches x1"] == violations(*rows, to={1: ["b"]}, never=says)
    assert [] == violations(*rows, never=says)
