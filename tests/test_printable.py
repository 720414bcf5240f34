from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.printable import control_in, one_line, printable


@given(st.text())
def test_nothing_that_a_terminal_acts_on_is_left_but_line_ends(text: str) -> None:
    """Controls, format marks and half characters are written as escapes."""
    left = {unicodedata.category(character) for character in printable(text).replace("\n", "")}
    assert set() == left & {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    assert "\n" not in one_line(text)


@pytest.mark.parametrize(
    "id_, control",
    [
        ("a\x1b[2J", "\x1b"),
        ("a\nb", "\n"),
        ("\x7f", "\x7f"),
        ("\x9b2J", "\x9b"),
        ("b\u202egnp", "\u202e"),
        ("\u2066b\u2069", "\u2066"),
        ("\u200fb", "\u200f"),
        ("a\u2028b", "\u2028"),
        ("\ud800", "\ud800"),
        ("a b", None),
        ("é漢👩\u200d👩", None),
        ("bo\u200bb", None),
        ("", None),
    ],
)
def test_an_id_may_hold_no_control_and_nothing_that_turns_the_line(
    id_: str, control: str | None
) -> None:
    """Joiners and spaces of no width belong to names in some scripts and emoji."""
    assert control == control_in(id_)
