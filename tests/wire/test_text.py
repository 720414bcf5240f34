from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.errors import WireError
from deskroom.wire import decode, encode

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    # Half a surrogate pair may be written, two halves side by side would be read as one character.
    | st.text()
    | st.sampled_from(["\ud800", "\udfffx"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), VALUES, max_size=4))
def test_an_object_survives_its_text(value: dict[str, Any]) -> None:
    """It is one line of ASCII, and says what it said."""
    text = encode(value)
    assert (True, False) == (text.isascii(), b"\n" in text)
    assert value == decode(text)


@pytest.mark.parametrize(
    "text, told",
    [
        (b"", ("", "json")),
        (b"{nonsense}", ("", "json")),
        (b'{"x":}', ("", "json")),
        (b'{"x":"\xff"}', ("", "json")),
        (b'{"x":"\n"}', ("", "json")),
        (b'{"x":' + b"[" * 100_000, ("", "json")),
        (b'{"x":' + b"9" * 5000 + b"}", ("", "json")),
        (b"{}{}", ("", "json")),
        (b"{} ", ("", "json")),
        (b" {}", ("", "json")),
        (b"\xef\xbb\xbf{}", ("", "json")),
        (b"[]", ("", "json")),
        (b'"text"', ("", "json")),
        (b"null", ("", "json")),
        (b'{"x":1,"x":1}', ("x", "twice")),
        (b'{"a":[{"x":1,"y":2,"y":null}]}', ("y", "twice")),
        (b'{"x":1,"\\u0078":2}', ("x", "twice")),
        (b'{"x":NaN}', ("", "range")),
        (b'{"x":-Infinity}', ("", "range")),
        (b'{"x":1e999}', ("", "range")),
    ],
)
def test_what_is_no_object_is_told(text: bytes, told: tuple[str, str]) -> None:
    """A key that stands twice would have one of its values hidden; no number is without end."""
    with pytest.raises(WireError) as caught:
        decode(text)
    assert told == (caught.value.path, caught.value.code)
