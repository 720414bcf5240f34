from __future__ import annotations

import copy
from typing import Any

import pytest

from deskroom.core import Person
from deskroom.engine.entries import HeaderEntry
from deskroom.engine.policy import Policy
from deskroom.engine.script import Cue, Script
from deskroom.engine.setup import Seat, Setup
from deskroom.errors import WireError
from deskroom.wire import FORMAT, encode, entry_in, entry_out
from deskroom.wire.header import MOST_TURNS


def header(script: Script | None = None) -> HeaderEntry:
    """Return the header of a small room."""
    setup = Setup(
        desk_id="d",
        desk_name="D",
        seats=(Seat(id="a"),),
        people=(Person("sam", "Sam"),),
        policy=Policy(),
        script=script,
    )
    return HeaderEntry(setup)


def test_a_header_begins_with_its_format() -> None:
    """So that a reader of any version can tell what follows."""
    assert b'{"kind":"header","format":2,"desk":{' == encode(entry_out(header()))[:36]
    assert 2 == FORMAT


def test_a_script_is_outlined_in_runs() -> None:
    """Who is listed and how often in a row; not what they say, and no scores."""
    cues = [Cue("a"), Cue("a", message="x"), Cue("a", scores={"b": 1}), Cue(person="sam"), Cue("a")]
    wire = entry_out(header(Script(cues, listed=True, most_late=3)))
    runs = [{"seat": "a", "times": 3}, {"person": "sam", "times": 1}, {"seat": "a", "times": 1}]
    assert {"order": "listed", "turns": runs} == wire["script"]
    read = entry_in(wire)
    assert isinstance(read, HeaderEntry)
    assert Script([Cue("a")] * 3 + [Cue(person="sam"), Cue("a")], listed=True) == read.setup.script


def test_a_turn_that_is_repeated_a_million_times_is_short() -> None:
    """The first line of a journal does not grow with the repeats of its script."""
    wire = entry_out(header(Script([Cue("a")] * 1_000_000, listed=False)))
    assert {"order": "routed", "turns": [{"seat": "a", "times": 1_000_000}]} == wire["script"]
    read = entry_in(wire)
    assert isinstance(read, HeaderEntry)
    assert read.setup.script is not None
    assert 1_000_000 == len(read.setup.script.cues)


Change = tuple[str | int, ...]


@pytest.mark.parametrize(
    "path, wrong, told",
    [
        (("format",), 1, ("", "format")),
        (("format",), 3, ("", "format")),
        (("format",), True, ("format", "type")),
        (("desk", "id"), "main", ("desk", "value")),
        (("desk", "name"), "", ("desk", "value")),
        (("desk", "people", 0, "id"), " ", ("desk", "value")),
        (("policy",), [], ("policy", "type")),
        (("policy", "max_turns"), True, ("policy.max_turns", "type")),
        (("policy", "max_turns"), 1.0, ("policy.max_turns", "type")),
        (("policy", "max_turns"), 0, ("policy", "value")),
        (("policy", "aside", "enabled"), 1, ("policy.aside.enabled", "type")),
        (("policy", "turn_timeout_s"), "600", ("policy.turn_timeout_s", "type")),
        (("policy", "turn_timeout_s"), float("nan"), ("policy.turn_timeout_s", "range")),
        (("policy", "chair", "by"), 5, ("policy.chair.by", "type")),
        (("policy", "participants"), ["a", 1], ("policy.participants[1]", "type")),
        (("opening",), "begin", ("opening", "type")),
        (("script",), [], ("script", "type")),
        (("script", "turns", 0), {"times": 1}, ("script.turns[0].seat", "missing")),
        (
            ("script", "turns", 0),
            {"seat": "a", "person": "sam", "times": 1},
            ("script.turns[0].seat", "unknown"),
        ),
        (("script", "turns", 0, "times"), MOST_TURNS + 1, ("script.turns", "range")),
    ],
)
def test_a_header_that_no_room_could_write_is_told(
    path: Change, wrong: Any, told: tuple[str, str]
) -> None:
    """A format that is not known is not read at all, and the rest is as valid as a room."""
    value = copy.deepcopy(entry_out(header(Script([Cue("a")], listed=True))))
    place: Any = value
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = wrong
    with pytest.raises(WireError) as caught:
        entry_in(value)
    assert told == (caught.value.path, caught.value.code)


def test_a_header_of_the_first_format_is_told_by_its_format() -> None:
    """Not by the first key in which the two differ."""
    value = entry_out(header()) | {"format": 1, "order": None}
    del value["script"]
    with pytest.raises(WireError) as caught:
        entry_in(value)
    assert "format" == caught.value.code
