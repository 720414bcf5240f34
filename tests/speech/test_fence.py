from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.core.text import trim
from deskroom.speech import extract_post


@pytest.mark.parametrize(
    "text,expected",
    [
        ("", ""),
        (" all of it\u3000\n", "all of it"),
        ("\x1c x", "\x1c x"),
        ("POST>>> x", "POST>>> x"),
        ("<<<POS T x", "<<<POS T x"),
        ("thinking\n<<<POST\n@bob go\nPOST>>>\nmore", "@bob go"),
        ("<<<POST a POST>>> b <<<POST c POST>>> d", "c"),
        ("<<<POST a POST>>> b POST>>>", "a"),
        ("<<<POST>>> a POST>>>", ">>> a"),
        ("POST>>> <<<POST a", "a"),
        ("<<<POST a <<<POST b POST>>>", "b"),
        ("<<<POST\na\n<<<POST\nthinking", "a"),
        ("<<<POST>>>\na\n<<<POST>>>\nthinking", "a"),
        ("<<<POST a <<<POST>>> b <<<POST>>>", "b"),
        ("<<<POST a POST>>> b <<<POST c", "a POST>>> b"),
        ("<<<POST >>>a<<<POST", ">>>a"),
        ("<<<POST>>>>>>a<<<POST", ">>>a"),
        ("<<<POST a", "a"),
        ("<<<POST>>> a", "a"),
        ("<<<POST", ""),
        ("<<<POST>>>", ""),
        ("<<<POSTPOST>>>", ""),
        ("<<<<POST>>>>", ">"),
    ],
)
def test_the_message_is_what_stands_in_the_last_fence(text: str, expected: str) -> None:
    """Closed, symmetric, open and absent fences each give the message that was meant."""
    assert extract_post(text) == expected


WORDS = st.lists(
    st.sampled_from(["<<<POST", "POST>>>", ">>>", "<", "POST", " ", "\n", "x", "\xa0", "\ud800"])
).map("".join)


@given(WORDS)
def test_what_is_extracted_stands_in_the_text_and_is_trimmed(text: str) -> None:
    """A fence adds nothing, and text without one is taken as a whole."""
    message = extract_post(text)
    assert message in text
    assert message == trim(message)
    if "<<<POST" not in text:
        assert message == trim(text)


@given(st.text(st.characters(codec=None, exclude_characters="<>")), WORDS)
def test_a_closed_fence_at_the_end_gives_its_message(message: str, thinking: str) -> None:
    """Whatever was thought before, the last fence is the one that counts."""
    fenced = f"{thinking}\n<<<POST\n{message}\nPOST>>>"
    assert extract_post(fenced) == trim(message)
