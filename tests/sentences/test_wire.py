"""What a reader of JSON tells a person, sentence by sentence; other tests compare path and code."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from deskroom.core import DESK, Author, Mention, Person, Row, TurnFor, agent
from deskroom.core.reasons import CloseReason, RowKind
from deskroom.engine.entries import CloseEntry, HeaderEntry, RoutedEntry, RowEntry, TurnEntry
from deskroom.engine.policy import Policy
from deskroom.engine.script import Cue, Script
from deskroom.engine.setup import Seat, Setup
from deskroom.errors import WireError
from deskroom.journal.chain import FIRST, seal, unseal
from deskroom.wire import Fields, decode, entry_in, entry_out, row_in

HEADER = entry_out(
    HeaderEntry(
        Setup(
            desk_id="d",
            desk_name="D",
            seats=(Seat(id="a"),),
            people=(Person("sam", "Sam"),),
            policy=Policy(participants=("a",)),
            script=Script([Cue("a")], listed=True),
        )
    )
)
TURN = entry_out(TurnEntry(1, "a", 0, 1))
CLOSE = entry_out(CloseEntry(CloseReason.QUIET))
BOB, LATER = Mention(agent("b"), "@b", 0), Mention(agent("c"), "@c", 3)
ROW = RowEntry(
    Row(1, "d", Author("agent", "a"), "@b @c", DESK), RowKind.SEAT, TurnFor("b", 1, BOB), (BOB,)
)
ROUTED = entry_out(RoutedEntry(1, (("a", 0.5),), ("a",), 1))
LINE, AFTER = seal(CLOSE, FIRST)

Reading = Callable[[], object]


def changed(value: dict[str, Any], path: str, wrong: object) -> Reading:
    """Return the reading of an entry in which another thing stands at a path."""
    value = copy.deepcopy(value)
    place: Any = value
    *above, last = path.split(".")
    for key in above:
        place = place[int(key) if key.isdigit() else key]
    place[last] = wrong
    return lambda: entry_in(value)


SENTENCES: list[tuple[str, Reading]] = [
    # The line.
    ("this is no sealed line of a journal", lambda: unseal(b"{}\n", FIRST)),
    (
        "the digest does not fit: this line, or one before it, was changed",
        lambda: unseal(LINE, AFTER),
    ),
    ("this is no JSON object", lambda: decode(b"[]")),
    ("x stands twice in one object", lambda: decode(b'{"x":1,"x":2}')),
    ("NaN is no number of JSON", lambda: decode(b'{"x":NaN}')),
    ("1e999 is too large a number", lambda: decode(b'{"x":1e999}')),
    ("the line must be an object", lambda: entry_in([])),
    ("the row must be an object", lambda: row_in([])),
    ("the scenario must be an object", lambda: Fields(3, "the scenario")),
    # The field.
    ("hop is missing", lambda: entry_in({k: v for k, v in TURN.items() if k != "hop"})),
    ("newer is not a field here", changed(TURN, "newer", 1)),
    ("hop must be an integer", changed(TURN, "hop", True)),
    ("seat must be a string", changed(TURN, "seat", None)),
    ("cue must be an integer or null", changed(TURN, "cue", "1")),
    (
        "kind must be one of header, turn, call, excess, usage, end, row, routed, close",
        changed(TURN, "kind", "x"),
    ),
    (
        "reason must be one of completed, quiet, max_turns, script, stopped, failed",
        changed(CLOSE, "reason", "bored"),
    ),
    ("scores.a must be a number", changed(ROUTED, "scores.a", "1")),
    ("scores.a must be finite", changed(ROUTED, "scores.a", float("inf"))),
    ("recipients must be a list of strings", changed(ROUTED, "recipients", "a")),
    ("recipients[1] must be a string", changed(ROUTED, "recipients", ["a", 1])),
    # The row.
    ("row.audience must be an object", changed(entry_out(ROW), "row.audience", None)),
    ("row.audience.kind is missing", changed(entry_out(ROW), "row.audience", {})),
    ("decision.mention is no mention of the row", changed(entry_out(ROW), "decision.mention", 1)),
    (
        "mentions[0].at.@b must be a list of integers",
        changed(entry_out(ROW), "mentions.0.at", {"@b": 0}),
    ),
    (
        "mentions[0].at.@b[0] must not be negative",
        changed(entry_out(ROW), "mentions.0.at", {"@b": [-1]}),
    ),
    (
        "mentions must each stand at another place, in order",
        changed(entry_out(ROW), "mentions.0.at", {"@b": [0, 0]}),
    ),
    # The header.
    (
        "the journal has format 1, and this program reads format 2",
        changed(HEADER, "format", 1),
    ),
    ("desk is not valid: empty_desk_name ('d')", changed(HEADER, "desk.name", "")),
    (
        "policy is not valid: Policy.max_turns must be a whole number of at least 1, not 0; did you mean 1?",
        changed(HEADER, "policy.max_turns", 0),
    ),
    (
        "policy.participants must be a list of strings or null",
        changed(HEADER, "policy.participants", "a"),
    ),
    (
        "script.turns must not list more than 10000000 turns",
        changed(HEADER, "script.turns.0.times", 10_000_001),
    ),
    # What is not written.
    (
        "scores must name each seat once",
        lambda: entry_out(RoutedEntry(1, (("a", 1), ("a", 2)), (), 1)),
    ),
]


@pytest.mark.parametrize("sentence, read", SENTENCES, ids=[sentence for sentence, _ in SENTENCES])
def test_what_is_wrong_is_told(sentence: str, read: Reading) -> None:
    """The field, and what it must be."""
    with pytest.raises(WireError) as caught:
        read()
    assert sentence == str(caught.value)
