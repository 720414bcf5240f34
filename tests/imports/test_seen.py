from __future__ import annotations

import sys

from deskroom.imports.seen import Seen


def test_an_id_is_new_once_and_its_text_is_compared() -> None:
    """However often the table grows."""
    seen = Seen()
    assert [None] * 5000 == [seen.add(f"id {at}", "text") for at in range(5000)]
    assert [True, False, None] == [
        seen.add("id 7", "text"),
        seen.add("id 4999", "another"),
        seen.add("id 5000", "text"),
    ]


def test_a_message_takes_some_twenty_bytes() -> None:
    """That is what lets a gigabyte of messages be read in little memory."""
    seen = Seen()
    for at in range(20_000):
        seen.add(str(at), "text")
    assert sys.getsizeof(seen._ids) + sys.getsizeof(seen._texts) <= 20_000 * 25
