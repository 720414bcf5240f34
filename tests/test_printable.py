from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deskroom.lookalike import is_invisible
from deskroom.printable import (
    control_in,
    one_line,
    printable,
    printable_characters,
    quoted,
)

ZWNJ, ZWJ, VS16 = "\u200c", "\u200d", "\ufe0f"
#: What the rule may keep; nothing else that is unsafe is ever left.
KEPT = {
    *(ZWNJ, ZWJ, *map(chr, range(0x180B, 0x180E)), "\u180f"),
    *map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))),
    *map(chr, (0xE0062, 0xE0063, 0xE0065, 0xE0067, 0xE006C, 0xE006E, 0xE0073, 0xE0074, 0xE0077)),
    "\U000e007f",
}
ENGLAND, TEXAS = (
    f"\U0001f3f4{''.join(chr(0xE0000 + ord(letter)) for letter in tags)}\U000e007f"
    for tags in ("gbeng", "ustx")
)
#: Letters, marks, emoji, selectors and controls in any order: what the rule is about.
PIECES = st.text(
    st.sampled_from(
        f"ab @1#\n\t\x1b\u202e\u2028{ZWNJ}{ZWJ}{VS16}\ufe0e\ufe00\u034f\u180b\u0301\u064e\u20e3"
        "\u0628\u0627\u06cc\u0915\u094d\u093f\u09b0\u09cd\u09af\u1820\u6f22\u2764\U0001f525"
        "\U0001f469\U0001f3fd\u222a\u3001\U000e0100\U000e0067\U000e0062\U000e007f\U0001f3f4\u2800"
    )
)


def is_unsafe(character: str) -> bool:
    """Whether a terminal acts on a character, or nobody sees it; not so line ends."""
    if character in "\n\u2800":
        return False
    unsafe = unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    return unsafe or is_invisible(character)


@given(st.text() | PIECES)
@example(ENGLAND)
def test_nothing_unsafe_is_left_but_what_the_rule_may_keep(text: str) -> None:
    """Controls, bidi overrides, line separators and half characters are always escapes."""
    assert set() == {character for character in printable(text) if is_unsafe(character)} - KEPT
    assert "\n" not in one_line(text)


@given(st.text() | PIECES)
@example(ENGLAND)
def test_printable_text_is_not_changed_again(text: str) -> None:
    """Whatever was kept is kept again, so text may pass through two places that print it."""
    once = printable(text)
    assert once == printable(once)
    assert one_line(text) == one_line(one_line(text))


@given(st.text() | PIECES)
def test_text_is_printed_character_by_character(text: str) -> None:
    """So that marks can stand under each."""
    shown = printable_characters(text)
    assert (len(text), printable(text)) == (len(shown), "".join(shown))


@pytest.mark.parametrize(
    "text",
    [
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\u062a\u0623\u062b\u06cc\u0631\u200c\u06af\u0630\u0627\u0631",
        "@\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\u0628\u0650\u200c\u0628",
        "\u0915\u094d\u200d\u0937 \u0915\u094d\u200c\u0937",
        "@\u0915\u094d\u200d\u0937",
        "\u09b0\u200d\u09cd\u09af",
        "\u0dc1\u0dca\u200d\u0dbb\u0dd3",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
        "\U0001f9d1\U0001f3fd\u200d\U0001f91d\u200d\U0001f9d1\U0001f3ff",
        "\U0001f3f3\ufe0f\u200d\U0001f308 \u2764\ufe0f\u200d\U0001f525",
        "\U0001f575\U0001f3fd\u200d\u2642\ufe0f",
        "\u26a0\ufe0f \u26a0\ufe0e \xa9\ufe0f 1\ufe0f\u20e3 #\ufe0f\u20e3",
        "\U0001f1e9\U0001f1ea",
        ENGLAND,
        "\u845b\U000e0100 \u6f22\ufe00 \u3001\ufe01 \u222a\ufe00 \u1820\u180b \u1000\ufe00",
        "e\u0301 \u0f40 \u2800\u2801",
    ],
)
def test_joiners_and_selectors_in_their_place_print_as_they_are(text: str) -> None:
    """Persian, Hindi, Bengali, Sinhala, families, skin tones, flags and variants are readable."""
    assert text == printable(text)
    assert text == one_line(text)


@pytest.mark.parametrize(
    "text, shown",
    [
        ("@bo\u200db", "@bo\\u200db"),
        ("@bob\u200d", "@bob\\u200d"),
        ("@\u200cbob", "@\\u200cbob"),
        ("b\ufe0f 1\ufe0f \ufe0f", "b\\ufe0f 1\\ufe0f \\ufe0f"),
        ("\u0645\u06cc\u200c \u200c\u062e", "\u0645\u06cc\\u200c \\u200c\u062e"),
        ("\u0628\u200c\u200c\u0628", "\u0628\\u200c\\u200c\u0628"),
        ("@\u0633\u0627\u200c\u0631\u0627", "@\u0633\u0627\\u200c\u0631\u0627"),
        ("\u0938\u093e\u200d\u0930\u093e", "\u0938\u093e\\u200d\u0930\u093e"),
        ("\u0915\u094d\u200d", "\u0915\u094d\\u200d"),
        ("a\u200c\u0628 \u6f22\u200d\u6f22", "a\\u200c\u0628 \u6f22\\u200d\u6f22"),
        ("\U0001f469\u200d", "\U0001f469\\u200d"),
        ("\U0001f469\u200d\u200d\U0001f469", "\U0001f469\\u200d\\u200d\U0001f469"),
        ("\U0001f469\u200da", "\U0001f469\\u200da"),
        ("\u0628\ufe0f\u200c\u0628", "\u0628\\ufe0f\\u200c\u0628"),
        ("\u26a0\ufe0f\ufe0f", "\u26a0\ufe0f\\ufe0f"),
        (
            TEXAS,
            "\U0001f3f4\\U000e0075\\U000e0073\\U000e0074\\U000e0078\\U000e007f",
        ),
        (ENGLAND[1:3], "\\U000e0067\\U000e0062"),
        ("bo\u034fb \u3164 \u1160", "bo\\u034fb \\u3164 \\u1160"),
        ("\u202eab\u2066\u200f\u061c", "\\u202eab\\u2066\\u200f\\u061c"),
        ("\u200b\u2060\xad\ufeff", "\\u200b\\u2060\\xad\\ufeff"),
        ("a\u2028b\u2029c\x85\x9b\x7f", "a\\u2028b\\u2029c\\x85\\x9b\\x7f"),
        ("\x1b[2J\r\t\ud800\ue000", "\\x1b[2J\\r    \\ud800\\ue000"),
        ("a\nb", "a\nb"),
    ],
)
def test_everything_else_is_an_escape(text: str, shown: str) -> None:
    """Nobody takes one name for another because of what cannot be seen, or is misled by order."""
    assert shown == printable(text)


@pytest.mark.parametrize(
    "text, shown",
    [
        ("bob", "'bob'"),
        ("o'b", '"o\'b"'),
        ("\x1b\n\t", "'\\x1b\\n\\t'"),
        ("\u0634\u06cc\u200c\u0646", "'\u0634\u06cc\u200c\u0646'"),
        ("\xe9\\\n\t\u200d", "'\xe9\\\\\\n\\t\\u200d'"),
        ("\xe9'", '"\xe9\'"'),
        ("\xe9'\"", "'\xe9\\'\"'"),
    ],
)
def test_a_quoted_text_has_its_joiners_and_no_end_before_its_own(text: str, shown: str) -> None:
    """As Python quotes it, but readable in every script."""
    assert shown == quoted(text)


@given(st.text() | PIECES)
def test_a_quoted_text_is_printable(text: str) -> None:
    """It is one line, and nothing in it is escaped again."""
    assert quoted(text) == one_line(quoted(text))


def test_a_long_text_of_joiners_takes_no_longer_than_its_length() -> None:
    """A word is looked at once, however many joiners and marks it has."""
    assert "@" * 50_000 + "\\u200d" == printable("@" * 50_000 + "\u200d")
    marks = "\u0628" + "\u064b" * 50_000
    assert f"{marks}\\u200cx" == printable(f"{marks}\u200cx")


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
