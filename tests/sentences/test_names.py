"""What is said of an id that no desk may have: each sentence is pinned here and nowhere else."""

from __future__ import annotations

import pytest

from deskroom.errors import FileError, UsageError
from deskroom.room import Room
from deskroom.scenario import parse_scenario
from deskroom.testing import ScriptedSeat

TURN = '[[turn]]\nseat = "a"\n'


@pytest.mark.parametrize(
    "seat, sentence",
    [
        ("b\u202egnp", "holds U+202E (RIGHT-TO-LEFT OVERRIDE), which no id may hold"),
        ("b\x1b", "holds U+001B, which no id may hold"),
    ],
)
def test_an_id_that_acts_on_a_terminal_is_named_with_what_it_holds(
    seat: str, sentence: str
) -> None:
    """By a room when it is built, and by a scenario file at its place."""
    with pytest.raises(UsageError) as wrong:
        Room({"a": ScriptedSeat([]), seat: ScriptedSeat([])})
    assert f"the id {seat!r} of a seat {sentence}" == str(wrong.value)
    written = seat.encode("unicode_escape").decode().replace("\\x1b", "\\u001b")
    desk = f'id = "d", name = "D", seats = [{{ id = "a" }}, {{ id = "{written}" }}]'
    with pytest.raises(FileError) as found:
        parse_scenario(f"format = 1\ndesk = {{ {desk} }}\n{TURN}", "x.toml")
    assert f'x.toml:2:62: desk.seats[2].id: "{written}" {sentence}' == str(found.value)
