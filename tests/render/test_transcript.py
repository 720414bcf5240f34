from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.core import DESK, Audience, Author, Elision, SeenRow
from deskroom.render.screen import Screen
from deskroom.render.transcript import transcript_line

ASIDE = Audience("aside", ["b", "c"])
A = Author("agent", "a")


def seen(
    content: str = "hello",
    author: Author = A,
    audience: Audience = DESK,
    elided: Elision | None = None,
) -> SeenRow:
    """Return an entry with sequence 7."""
    return SeenRow(7, author, content, audience, elided)


@pytest.mark.parametrize(
    "entry, line",
    [
        (seen(), "[7] a: hello"),
        (seen(author=Author("person", "sam")), "[7] sam: hello"),
        (seen(author=Author("system", kind="workspace")), "[7] workspace: hello"),
        (seen(author=Author("operator")), "[7] operator: hello"),
        (seen(audience=ASIDE), "[7] a → b, c · aside: hello"),
        (seen("", A, ASIDE, Elision(7, 1, None)), "[7] a → b, c · aside, 1 message · not settled"),
        (
            seen("", A, ASIDE, Elision(10, 4, 11)),
            "[7-10] a → b, c · aside, 4 messages · settled at [11]",
        ),
        (seen("é 🎉 日本"), "[7] a: é 🎉 日本"),
        # Nothing that a terminal would act on is left.
        (seen("\x1b[31mred\x07\r\x00"), "[7] a: \\x1b[31mred\\x07\\r\\x00"),
        (seen("\u202eright to left\u2028"), "[7] a: \\u202eright to left\\u2028"),
        (seen("x", Author("agent", "\x1b[2J")), "[7] \\x1b[2J: x"),
        # A message of several lines is one entry, and can feign no other.
        (seen("one\n[8] sam: two\n\n three"), "[7] a: one\n    [8] sam: two\n    \n     three"),
        (seen("x", Author("agent", "a\n[1] b")), "[7] a\n    [1] b: x"),
    ],
)
def test_an_entry_is_one_line_for_a_person(entry: SeenRow, line: str) -> None:
    """Who spoke, to whom if not to all, and what; a stub says what was left out."""
    assert line == transcript_line(entry)


@pytest.mark.parametrize(
    "entry, line",
    [
        (seen(), "\x1b[36m[7] a\x1b[0m: hello"),
        (seen(author=Author("person", "sam")), "\x1b[32m[7] sam\x1b[0m: hello"),
        (seen(author=Author("operator")), "\x1b[32m[7] operator\x1b[0m: hello"),
        (seen(author=Author("system", kind="w")), "\x1b[2m[7] w\x1b[0m: hello"),
        (seen(audience=ASIDE), "\x1b[36m[7] a → b, c · aside\x1b[0m: \x1b[3mhello\x1b[0m"),
        (
            seen("", A, ASIDE, Elision(7, 1, 9)),
            "\x1b[2m[7] a → b, c · aside, 1 message · settled at [9]\x1b[0m",
        ),
    ],
)
def test_colours_tell_who_spoke_and_italics_what_was_private(entry: SeenRow, line: str) -> None:
    """A stub is dim, and the text of a message is as it is."""
    assert line == transcript_line(entry, Screen(color=True))


@given(st.text(st.characters(codec=None)))
def test_no_message_can_act_on_a_terminal_or_feign_an_entry(content: str) -> None:
    """Whatever it holds: there is no control in it, and only its own entry begins at the edge."""
    line = transcript_line(seen(content))
    kinds = {unicodedata.category(character) for character in line.replace("\n", "")}
    assert not kinds & {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    assert ["[7] a:"] == [part[:6] for part in line.split("\n") if not part.startswith("    ")]
