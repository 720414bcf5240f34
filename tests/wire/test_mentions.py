from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.core import (
    DESK,
    EVERYONE,
    Author,
    Desk,
    DeskSet,
    Directory,
    Member,
    Mention,
    Roster,
    Row,
    TurnFor,
    agent,
    resolve,
)
from deskroom.core.reasons import RowKind
from deskroom.engine.entries import RowEntry
from deskroom.errors import WireError
from deskroom.wire import encode, entry_out
from deskroom.wire.mentions import MENTIONS

BOB = {"kind": "agent", "id": "bob"}


def test_the_places_of_one_text_are_counted_from_each_to_the_next() -> None:
    """The mentions of one target are one object, unless some of them are quiet."""
    mentions = (
        Mention(agent("bob"), "@bob", 3),
        Mention(EVERYONE, "@here", 8),
        Mention(agent("bob"), "@Bob", 14, quiet=True),
        Mention(agent("bob"), "@bob", 19, quiet=True),
        Mention(agent("bob"), "@bob", 24, quiet=True),
    )
    wire = [
        {"target": BOB, "quiet": False, "at": {"@bob": [3]}},
        {"target": {"kind": "everyone"}, "quiet": False, "at": {"@here": [8]}},
        {"target": BOB, "quiet": True, "at": {"@Bob": [14], "@bob": [19, 5]}},
    ]
    assert wire == MENTIONS.write(mentions)
    assert mentions == MENTIONS.read(wire)


TARGETS = st.sampled_from([EVERYONE, agent("a"), agent("b"), agent("")])
MANY = st.lists(
    st.builds(
        Mention, TARGETS, st.sampled_from(["@a", "@A", ""]), st.integers(0, 99), st.booleans()
    ),
    max_size=30,
    unique_by=lambda mention: mention.offset,
).map(lambda mentions: tuple(sorted(mentions, key=lambda mention: mention.offset)))


@given(MANY)
def test_any_mentions_survive_their_wire_form(mentions: tuple[Mention, ...]) -> None:
    """In the order in which they stand in the message."""
    assert mentions == MENTIONS.read(json.loads(json.dumps(MENTIONS.write(mentions))))


def directory(*ids: str) -> Directory:
    """Return a directory of one desk."""
    return Directory(
        Roster([Member(id_) for id_ in ids], [], []), DeskSet([Desk("desk", "Desk", ids)])
    )


def variants(name: str, count: int) -> str:
    """Return a message that names one seat, each time in other capitals."""
    names = []
    for number in range(count):
        letters = enumerate(name)
        names.append("".join(c.upper() if number >> at & 1 else c for at, c in letters))
    return " ".join(f"@{name}" for name in names)


@pytest.mark.parametrize(
    "message, ids, most",
    [
        ("@b " * 100_000, ["b"], 1.0),
        ("@b @c @d " * 30_000, ["b", "c", "d"], 1.0),
        ("@b" + " " * 50_000 + "@b", ["b"], 1.0),
        # Whoever is out to make it long gets less than twice the message.
        (variants("abcdefghijklmnop", 60_000), ["abcdefghijklmnop"], 2.0),
    ],
    ids=["one", "three", "apart", "capitals"],
)
def test_mentions_are_about_as_long_as_their_message(
    message: str, ids: list[str], most: float
) -> None:
    """A message that names one seat a hundred thousand times does not become ten of it."""
    mentions = resolve(message, None, None, directory(*ids))
    assert message.count("@") == len(mentions)
    wire = MENTIONS.write(mentions)
    assert len(encode({"mentions": wire})) < most * len(message) + 200
    assert mentions == MENTIONS.read(wire)


def test_a_full_message_makes_a_line_of_about_its_size_twice() -> None:
    """Once the message itself, once whom it names."""
    message = "@b " * (1_048_576 // 3)
    mentions = resolve(message, None, None, directory("b"))
    row = Row(1, "d", Author("agent", "a"), message, DESK)
    entry = RowEntry(row, RowKind.SEAT, TurnFor("b", 1, mentions[0]), mentions)
    assert len(encode(entry_out(entry))) < 2 * 1_048_576


@pytest.mark.parametrize(
    "mentions",
    [
        (Mention(EVERYONE, "@here", 5), Mention(agent("b"), "@b", 0)),
        (Mention(EVERYONE, "@here", 5), Mention(agent("b"), "@b", 5)),
    ],
    ids=["order", "place"],
)
def test_mentions_out_of_order_are_not_written(mentions: tuple[Mention, ...]) -> None:
    """They would be read in another order."""
    with pytest.raises(WireError) as caught:
        MENTIONS.write(mentions)
    assert "value" == caught.value.code


GROUP: dict[str, Any] = {"target": BOB, "quiet": False, "at": {"@bob": [0, 4]}}


@pytest.mark.parametrize(
    "change, path, code",
    [
        ({"at": {"@bob": 3}}, "[0].at.@bob", "type"),
        ({"at": {"@bob": []}}, "[0].at.@bob", "type"),
        ({"at": {"@bob": [True]}}, "[0].at.@bob[0]", "type"),
        ({"at": {"@bob": [0, 1.0]}}, "[0].at.@bob[1]", "type"),
        ({"at": {"@bob": [0, -1]}}, "[0].at.@bob[1]", "range"),
        ({"at": {"@bob": [0, 0]}}, "", "value"),
        ({"at": {"@bob": [4], "@Bob": [4]}}, "", "value"),
        ({"at": []}, "[0].at", "type"),
        ({"quiet": 0}, "[0].quiet", "type"),
        ({"text": "@bob"}, "[0].text", "unknown"),
        ({"target": {"kind": "agent"}}, "[0].target.id", "missing"),
        ({"target": {"kind": "everyone", "id": "x"}}, "[0].target.id", "unknown"),
    ],
)
def test_what_are_no_mentions_is_told(change: dict[str, Any], path: str, code: str) -> None:
    """No two at one place, none before the message, and each key there is."""
    with pytest.raises(WireError) as caught:
        MENTIONS.read([GROUP | change])
    assert (path, code) == (caught.value.path, caught.value.code)
