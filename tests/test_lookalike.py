from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.lookalike import (
    character_name,
    difference,
    is_invisible,
    look_alike,
    skeleton,
    visible,
    which_differs,
)

ACCENTS = "how accents are encoded"
CASE = "letters that are the same only in upper case, as ß and ss"


def invisible(name: str) -> str:
    """Return the clause about an invisible character."""
    return f"an invisible character, {name}"


def letter(name: str) -> str:
    """Return the clause about a look-alike letter."""
    return f"a look-alike letter, {name}"


@pytest.mark.parametrize(
    "one, other, what",
    [
        ("Jose\u0301", "Jos\u00e9", ACCENTS),
        ("\u1112\u1161\u11ab", "\ud55c", ACCENTS),
        ("bo\u200bb", "bob", invisible("U+200B (ZERO WIDTH SPACE)")),
        ("bo\u00adb", "BOB", invisible("U+00AD (SOFT HYPHEN)")),
        ("ops\u2699\ufe0f", "ops\u2699", invisible("U+FE0F (VARIATION SELECTOR-16)")),
        ("bob\x1b", "bob", invisible("U+001B")),
        ("b\u043eb", "bob", letter("U+043E (CYRILLIC SMALL LETTER O)")),
        ("\u0430\u0441\u0435", "ace", letter("U+0430 (CYRILLIC SMALL LETTER A)")),
        ("\u0392ob", "Bob", letter("U+0392 (GREEK CAPITAL LETTER BETA)")),
        ("b\u0585b", "bob", letter("U+0585 (ARMENIAN SMALL LETTER OH)")),
        ("b\u0131g", "big", letter("U+0131 (LATIN SMALL LETTER DOTLESS I)")),
        ("\uff42ob", "bob", letter("U+FF42 (FULLWIDTH LATIN SMALL LETTER B)")),
        ("night\u2013shift", "night-shift", letter("U+2013 (EN DASH)")),
        ("worker1", "workerl", letter("U+0031 (DIGIT ONE)")),
        ("AI", "Al", letter("U+0049 (LATIN CAPITAL LETTER I)")),
        ("b0b", "bob", letter("U+0030 (DIGIT ZERO)")),
        ("STRASSE", "stra\u00dfe", CASE),
        ("\u03c3", "\u03c2", CASE),
    ],
)
def test_names_that_look_alike_differ_in_something_with_a_name(
    one: str, other: str, what: str
) -> None:
    """Accents, what cannot be seen, letters of other scripts and widths, digits, folding."""
    assert what == difference(one, other)
    assert other == look_alike(one, ["zz", other])
    assert f", which differs in {what}" == which_differs(one, other)


@pytest.mark.parametrize("other", ["bob", "BOB", "rob", "", "bo", "bo b"])
def test_the_same_name_and_another_are_no_look_alikes(other: str) -> None:
    """Case alone does not count, since no look-up sees it."""
    assert (None, "") == (difference("bob", other), which_differs("bob", other))
    assert look_alike("bob", [other]) is None


@given(st.text(max_size=8), st.text(max_size=8))
def test_whatever_is_compared_the_answer_is_the_same_from_both_sides(one: str, other: str) -> None:
    """Any two texts can be held against each other, as ids of a file may be any text."""
    assert (difference(one, other) is None) == (difference(other, one) is None)
    assert skeleton(one) == skeleton(visible(one))


@given(st.characters())
def test_what_is_invisible_is_left_out_and_what_is_left_out_is_invisible(character: str) -> None:
    """White space is neither: it can be seen, and it ends a name."""
    assert ("" if is_invisible(character) else character) == visible(character)
    assert character_name(character).startswith(f"U+{ord(character):04X}")


@pytest.mark.parametrize("character", ["\n", "\t", " ", "\u3000", "a", "\u0301"])
def test_what_can_be_seen_is_not_invisible(character: str) -> None:
    """Nor are white space and accents, which show by what stands around them."""
    assert not is_invisible(character)
