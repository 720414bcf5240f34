from __future__ import annotations

import pytest

from deskroom.engine.chair import choose_seat

ACTIVE = ("a", "b", "c")


@pytest.mark.parametrize(
    "number,has_spoken,last_author,expected",
    [
        (1, (), None, "a"),
        (1, ("a",), "a", "b"),
        (1, ("a", "c"), "c", "b"),
        (1, ("b", "c"), "c", "a"),
        (1, ("a", "b", "c"), "b", "b"),
        (2, (), None, "a"),
        (2, ("c",), "c", "c"),
        (2, ("a", "b"), "b", "b"),
        (3, ("c",), "c", "a"),
        (4, ("c",), "c", "c"),
    ],
)
def test_odd_nudges_go_to_whoever_was_not_heard_and_even_ones_to_the_last_speaker(
    number: int, has_spoken: tuple[str, ...], last_author: str | None, expected: str
) -> None:
    """The choice depends on the parity of the nudge, who has a row, and who had the last."""
    assert expected == choose_seat(number, ACTIVE, has_spoken, last_author)


def test_the_last_speaker_is_passed_over_once_it_is_retired() -> None:
    """A seat that no longer acts is not nudged: the lead is."""
    assert "a" == choose_seat(2, ACTIVE, ("x",), "x")


@pytest.mark.parametrize("number", [1, 2])
def test_nobody_is_chosen_where_no_seat_is_active(number: int) -> None:
    """A desk without active seats has nobody to nudge."""
    assert choose_seat(number, (), (), None) is None
