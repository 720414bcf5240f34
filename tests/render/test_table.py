from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.render.screen import Screen
from deskroom.render.table import cell_width, table_lines


def test_a_table_is_as_wide_as_what_is_in_it() -> None:
    """Numbers stand at the right; a cell may have several lines; nothing stands at a line's end."""
    rows = [("1", "a → desk", "hm", "b: x\ny"), ("10", "b", "", "")]
    assert [
        " # ┃ who      ┃ what ┃ next",
        "━━━╇━━━━━━━━━━╇━━━━━━╇━━━━━",
        " 1 │ a → desk │ hm   │ b: x",
        "   │          │      │ y",
        "10 │ b        │      │",
    ] == list(table_lines(("#", "who", "what", "next"), rows, Screen(width=80)))


def test_a_screen_without_box_characters_gets_others() -> None:
    """Every line is ASCII where all the texts are."""
    lines = list(table_lines(("#", "what"), [("1", "hm")], Screen(lines=False)))
    assert ["# | what", "--+-----", "1 | hm"] == lines


def test_the_heading_is_bold_where_there_are_styles() -> None:
    """And nothing else is."""
    lines = list(table_lines(("#", "what"), [("1", "hm")], Screen(color=True)))
    assert ["\x1b[1m# ┃ what\x1b[0m", "━━╇━━━━━", "1 │ hm"] == lines


@pytest.mark.parametrize(
    "text, lines",
    [
        ("one two three", ["one two", "three"]),
        ("one  two", ["one  two"]),
        ("a longerthanthat word", ["a", "longerth", "anthat", "word"]),
        ("日本語日本語", ["日本語日", "本語"]),
        ("one\n\ntwo", ["one", "", "two"]),
        ("12345678 9", ["12345678", "9"]),
    ],
)
def test_long_texts_are_broken_between_words(text: str, lines: list[str]) -> None:
    """A word that is wider than its column is broken anywhere; a wide character counts twice."""
    table = list(table_lines(("#", "what"), [("1", text)], Screen(width=12)))
    assert lines == [line.partition("│")[2].strip() for line in table[2:]]


@given(
    st.lists(st.tuples(st.just("1"), *[st.text("aé日\n 0→", max_size=40)] * 3), max_size=4),
    st.integers(20, 60),
)
def test_no_line_is_wider_than_the_screen(rows: list[tuple[str, ...]], width: int) -> None:
    """Whatever is in it; and every row begins with its number."""
    lines = list(table_lines(("#", "a", "b", "c"), rows, Screen(width=width)))
    assert [] == [line for line in lines if cell_width(line) > width]
    assert len(rows) == sum(line.startswith("1") for line in lines)
