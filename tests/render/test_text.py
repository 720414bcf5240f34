from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.render.text import head, one_line, printable, shortened, tail, value_text


@pytest.mark.parametrize(
    "text, shown",
    [
        ("plain words", "plain words"),
        ("Ψ(3) → 20302 ✓", "Ψ(3) → 20302 ✓"),
        ("two\nlines", "two\nlines"),
        ("a\tb", "a    b"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("over\rwritten", "over\\rwritten"),
        ("\x9b2J", "\\x9b2J"),
        ("txt\u202egnp", "txt\\u202egnp"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("\u2028\u2029\x85", "\\u2028\\u2029\\x85"),
        ("lone \udcff", "lone \\udcff"),
        ("own \ue000 use", "own \\ue000 use"),
        ("\U000e0001tag", "\\U000e0001tag"),
    ],
)
def test_what_a_terminal_acts_on_is_written_as_an_escape(text: str, shown: str) -> None:
    """Controls, format marks and surrogates cannot move the cursor or turn the line around."""
    assert shown == printable(text)


def test_one_line_has_no_line_end() -> None:
    """Line ends are written as escapes too."""
    assert "a\\nb\\rc\\x0bd" == one_line("a\nb\rc\x0bd")


@given(st.text(st.characters(categories=None)))
def test_shown_text_is_always_safe_to_print(text: str) -> None:
    """Whatever a seat says, no control but the line end is left, and it can be encoded."""
    shown = printable(text)
    assert [] == [c for c in shown if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160)]
    assert shown.encode().decode() == shown
    assert 1 == len(f"{one_line(text)}x".splitlines())


@pytest.mark.parametrize("text, shown", [("12345", "12345"), ("123456", "12345…"), ("", "")])
def test_a_text_is_cut_where_it_is_too_long(text: str, shown: str) -> None:
    """A mark says that there is more."""
    assert shown == shortened(text, 5)


@pytest.mark.parametrize(
    "value, written",
    [
        ("x", '"x"'),
        ('say "é"\n', '"say \\"é\\"\\n"'),
        (True, "true"),
        (False, "false"),
        (7, "7"),
        (None, "nothing"),
        ([], "[]"),
        (["a", "b"], '["a", "b"]'),
        ({"none": "disabled"}, '{ none = "disabled" }'),
    ],
)
def test_a_value_is_written_as_the_file_writes_it(value: Any, written: str) -> None:
    """What is missing is called nothing, since TOML has no word for it."""
    assert written == value_text(value)


def test_a_text_that_is_cut_keeps_the_place_that_matters() -> None:
    """Wherever it stands: at the beginning nothing else is needed."""
    text = f"{'x' * 4000} @b go {'y' * 4000}"
    shown = shortened(text, 240, 4001)
    assert f"{'x' * 60}…{'x' * 29} @b go {'y' * 114}…" == shown
    assert f"{'x' * 240}…" == shortened(text, 240, 100)
    assert shortened(f"{'x' * 4000}@b", 240, 4000).endswith("x@b")


def test_no_character_is_cut_from_its_accents() -> None:
    """Neither at the beginning nor at the end; a family of emoji is one character."""
    family = "👨\u200d👩\u200d👧"
    assert (family, "") == (head(family * 2, 6), head(family, 4))
    assert (family, "") == (tail(family * 2, 6), tail(family, 4))
    assert ("e\u0301", "e\u0301") == (head("e\u0301e\u0301", 3), tail("e\u0301e\u0301", 3))
