"""Two texts as one, with the words that differ marked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.render.screen import Screen
from deskroom.render.worddiff import Piece, diff_legend, diff_text, word_diff, words


@pytest.mark.parametrize(
    "old, new, shown",
    [
        ("the quick brown fox", "the slow brown fox", "the [-quick-]{+slow+} brown fox"),
        ("one two three", "four five six", "[-one two three-]{+four five six+}"),
        ("@b go", "@b go on", "@b go{+ on+}"),
        ("", "new", "{+new+}"),
        ("the same", "the same", "the same"),
        # Without spaces.
        ("見積もりは三十分です", "見積もりは五十分です", "見積もりは[-三-]{+五+}十分です"),
        # White space alone.
        ("a  b", "a b", "a [- -]b"),
        ("a\tb", "a    b", "a[-\\t-]{+    +}b"),
        ("a\nb", "a b", "a[-\\n-]{+ +}b"),
        ("a\u00a0b", "a b", "a[-\\xa0-]{+ +}b"),
        # What looks the same.
        ("a\u200bb", "ab", "[-a\\u200bb-]{+ab+}"),
        ("x", "x\u200b", "x{+\\u200b+}"),
        ("p\u0430ypal", "paypal", "[-p\\u0430ypal-]{+paypal+}"),
        ("\u00e9", "e\u0301", "[-\\xe9-]{+e\\u0301+}"),
        ("a\\nb", "a\nb", "a[-\\\\nb-]{+\\nb+}"),
        # What a terminal acts on.
        ("\x1b[31mhm", "hm", "[-\\x1b[31mhm-]{+hm+}"),
    ],
)
def test_words_that_differ_are_marked(old: str, new: str, shown: str) -> None:
    """The old ones before the new ones; what cannot be told apart by looking is escaped."""
    assert shown == diff_text(old, new)


def test_a_terminal_has_colours_as_well() -> None:
    """The marks stay, for who sees no colours and for who copies the line."""
    screen = Screen(color=True)
    assert "a \x1b[31m[-b-]\x1b[0m\x1b[32m{+c+}\x1b[0m" == diff_text("a b", "a c", screen)
    assert "\x1b" not in diff_text("a b", "a c", Screen())
    assert "A [-…-], B {+…+}" == diff_legend("A", "B")


def test_no_character_is_taken_apart() -> None:
    """An accent belongs to its letter, and an emoji is one with all its parts."""
    assert ["e\u0301te\u0301", " ", "👨\u200d👩\u200d👧"] == words(
        "e\u0301te\u0301 👨\u200d👩\u200d👧"
    )


def test_of_a_long_text_only_what_differs_is_kept() -> None:
    """With a bit of what stands around it, and how much was left out."""
    text = "word " * 10_000
    shown = diff_text(f"{text}old {text}", f"{text}new {text}")
    assert "word [-old-]{+new+} word" in shown
    assert "…(49,960 characters)…" in shown
    assert len(shown) < 200
    assert "word " * 10_000 in "".join(
        piece.text for piece in word_diff(f"{text}old", f"{text}new", cut=False)
    )


def test_many_changes_are_counted() -> None:
    """A reader of twenty knows enough."""
    old = "".join(f"a{n} same{n} " for n in range(300))
    new = "".join(f"b{n} same{n} " for n in range(300))
    pieces = word_diff(old, new)
    assert (20, Piece("left_out", "… and 280 more changes")) == (
        sum(piece.kind == "old" for piece in pieces),
        pieces[-1],
    )


def test_texts_with_nothing_in_common_are_replaced_at_once() -> None:
    """However long they are: the search for the fewest edits has an end."""
    old, new = "ab " * 50_000, "cd, " * 50_000
    assert ["old", "left_out", "old"] == [piece.kind for piece in word_diff(old, new)[:3]]


TEXTS = st.text("ab @\n\u200bé日\u0301", max_size=60)


@given(TEXTS, TEXTS)
def test_nothing_is_lost(old: str, new: str) -> None:
    """Both texts are in the pieces, and only texts that are the same have nothing marked."""
    pieces = word_diff(old, new, cut=False)
    assert (old == new) == all(piece.kind == "same" for piece in pieces)
    assert old == "".join(words(old))
    assert [] == [piece for piece in pieces if "\n" in piece.text]
