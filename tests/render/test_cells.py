from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.printable import one_line
from deskroom.render.cells import cell_width, folds, graphemes


@pytest.mark.parametrize(
    "text, width",
    [
        ("", 0),
        ("abc", 3),
        ("\u6f22\u5b57", 4),
        ("e\u0301", 1),
        ("\u26a0\ufe0f", 2),
        ("1\ufe0f\u20e3", 2),
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467", 2),
        ("\U0001f9d1\U0001f3fd\u200d\U0001f680", 2),
        ("\U0001f1e9\U0001f1ea", 2),
        ("\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", 2),
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", 7),
        ("\u0915\u094d\u200d\u0937", 2),
        ("\u09b0\u200d\u09cd\u09af", 2),
    ],
)
def test_text_takes_cells(text: str, width: int) -> None:
    """Wide characters two, marks and joiners none, an emoji of several two, letters their own."""
    assert width == cell_width(text)
    assert width == sum(cells for _, _, cells in graphemes(text))


@pytest.mark.parametrize(
    "text, first, rest, pieces",
    [
        ("hello you there", 6, None, ["hello", "you", "there"]),
        ("aaaaaaaaaa bb", 4, None, ["aaaa", "aaaa", "aa", "bb"]),
        ("a b c d e f", 3, 5, ["a b", "c d e", "f"]),
        ("\u6f22\u5b57\u6f22\u5b57 \u5b57", 5, None, ["\u6f22\u5b57", "\u6f22\u5b57", "\u5b57"]),
        ("  abcdef", 4, None, ["  ab", "cdef"]),
        ("abcdef   ", 6, None, ["abcdef"]),
        ("ab ", 4, None, ["ab"]),
        ("", 4, None, [""]),
        ("x\u26a0\ufe0f", 2, None, ["x", "\u26a0\ufe0f"]),
    ],
)
def test_a_line_is_cut_behind_spaces_and_never_inside_a_character(
    text: str, first: int, rest: int | None, pieces: list[str]
) -> None:
    """A word that is too long is cut where the line ends."""
    assert pieces == [text[start:end] for start, end in folds(text, first, rest)]


@given(st.text(max_size=40).map(one_line), st.integers(2, 12), st.integers(2, 12))
def test_pieces_fit_and_lose_nothing_but_spaces(text: str, first: int, rest: int) -> None:
    """Whatever the characters."""
    pieces = [text[start:end] for start, end in folds(text, first, rest)]
    assert "".join(text.split()) == "".join("".join(pieces).split())
    assert cell_width(pieces[0]) <= first
    assert all(cell_width(piece) <= rest for piece in pieces[1:])
