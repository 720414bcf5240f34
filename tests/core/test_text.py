from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.core.text import (
    ASCII_WHITE_SPACE,
    WHITE_SPACE,
    as_ids,
    ascii_lower,
    byte_length,
    is_alphanumeric,
    is_blank,
    slug,
    trim,
    trim_start,
)

# Unicode's White_Space property, as the rules list it.
LISTED = {
    *range(0x9, 0xE),
    *(0x20, 0x85, 0xA0, 0x1680),
    *range(0x2000, 0x200B),
    *(0x2028, 0x2029, 0x202F, 0x205F, 0x3000),
}
ANY_TEXT = st.text(st.characters(codec=None))


def test_white_space_is_the_unicode_property_and_nothing_else() -> None:
    """Of all code points exactly the listed ones are white space, U+001C to U+001F not among them."""
    assert {ord(c) for c in WHITE_SPACE} == LISTED
    assert {n for n in range(0x110000) if is_blank(chr(n))} == LISTED
    assert not is_blank("\x1c")


def test_a_vertical_tab_is_not_ascii_white_space() -> None:
    """What may open a mention leaves out U+000B, though it is white space elsewhere."""
    assert set(ASCII_WHITE_SPACE) == set("\t\n\f\r ")


def test_trimming_takes_white_space_from_the_ends_only() -> None:
    """Both ends or the start are trimmed, what looks like white space and is none stays."""
    assert trim("\u3000 \x85a b\u2028\n") == "a b"
    assert trim_start("\xa0\v a ") == "a "
    assert trim("\x1ca\u200b") == "\x1ca\u200b"
    assert trim("\n\t ") == ""


@pytest.mark.parametrize("character", ["a", "Z", "7", "é", "東", "½", "²", "ⅷ", "٣", "Ⓐ", "🄰"])
def test_letters_and_numbers_are_alphanumeric(character: str) -> None:
    """Letters, digits, fractions, numerals and circled letters all may begin a name."""
    assert is_alphanumeric(character)


@pytest.mark.parametrize("character", ["ा", "\u0345"])
def test_other_alphabetic_counts_though_isalnum_misses_it(character: str) -> None:
    """A vowel sign is Unicode Alphabetic even where Python's own test says no."""
    assert not character.isalnum()
    assert is_alphanumeric(character)


@pytest.mark.parametrize("character", ["_", "-", "@", " ", "\u0300", "\u200b", "\ud800", "∀", "。"])
def test_marks_and_signs_are_not_alphanumeric(character: str) -> None:
    """Punctuation, combining accents, invisible characters and lone surrogates are no letters."""
    assert not is_alphanumeric(character)


def test_ascii_lowering_leaves_other_scripts_alone() -> None:
    """Only A to Z change; letters that lower-case to ASCII elsewhere in Unicode do not."""
    assert ascii_lower("MAIN general") == "main general"
    assert ascii_lower("İÀ\u212aB") == "İÀ\u212ab"
    assert ascii_lower("straße") == "straße"


def test_byte_length_counts_utf8_and_never_fails() -> None:
    """ASCII, wide characters and even a lone surrogate have a length in bytes."""
    assert [byte_length(text) for text in ("", "abc", "é", "東", "🙂", "\ud800")] == [
        0,
        3,
        2,
        3,
        4,
        3,
    ]


def test_one_string_is_not_a_list_of_ids() -> None:
    """A forgotten pair of brackets is reported and not read as a list of letters."""
    assert as_ids(i for i in ("a", "b")) == ("a", "b")
    with pytest.raises(TypeError, match="not the string 'solver'"):
        as_ids("solver")


@pytest.mark.parametrize(
    "label,expected",
    [
        ("Ada Lovelace", "ada_lovelace"),
        ("A / B / C", "a_b_c"),
        ("😀 Élodie / Agent 7", "lodie_agent_7"),
        ("Zoë", "zo"),
        ("__x__y__", "x_y"),
        ("\x1cAda\x1c2", "ada_2"),
        ("\u212aelvin İ", "elvin"),
        ("東京", ""),
        ("—", ""),
        ("", ""),
    ],
)
def test_a_slug_keeps_ascii_words(label: str, expected: str) -> None:
    """Runs of anything but ASCII letters and digits become one underscore, and none at the ends."""
    assert slug(label) == expected


@given(ANY_TEXT)
def test_a_slug_is_words_joined_by_underscores_and_its_own_slug(label: str) -> None:
    """Every slug has the one shape, and taking it again changes nothing."""
    assert re.fullmatch(r"(?:[a-z0-9]+(?:_[a-z0-9]+)*)?", slug(label))
    assert slug(slug(label)) == slug(label)


@given(ANY_TEXT)
def test_trimming_never_leaves_white_space_at_an_end(text: str) -> None:
    """What is trimmed begins and ends with ink, and what is lost is blank."""
    kept = trim(text)
    assert kept == "" or not (is_blank(kept[0]) or is_blank(kept[-1]))
    assert is_blank(text) == (kept == "")
    assert trim(trim_start(text)) == kept
