from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.core.mention import tokens
from deskroom.imports.ids import free_id, id_from, is_addressable


@pytest.mark.parametrize(
    "name, expected",
    [
        ("planner", "planner"),
        ("_x_", "_x_"),
        ("kiln-bot", "kiln-bot"),
        ("ravi.k", "ravi_k"),
        ("Ravi K.", "Ravi_K"),
        ("Tom O'Neil", "Tom_O_Neil"),
        ("Zoë  Ahlberg", "Zoë_Ahlberg"),
        ("~&x", "x"),
        ("_ ~x y", "x_y"),
        ("@user@host", "user_host"),
        ("a\u202eb", "a_b"),
        ("🤓", ""),
        ("...", ""),
        ("", ""),
    ],
)
def test_an_id_is_what_a_message_can_address(name: str, expected: str) -> None:
    """Runs of marks become one ``_``; the rest of the name stays."""
    assert expected == id_from(name)


@given(st.text(max_size=12))
def test_every_id_is_one_mention(name: str) -> None:
    """Whatever a source calls somebody, ``@`` and the id are one token; the same each time."""
    id = id_from(name)
    if id:
        assert is_addressable(id)
        assert [id] == [token.name for token in tokens(f"@{id} go")]
        assert id == id_from(id)


def test_a_later_id_gets_a_number() -> None:
    """Ids differ without regard to case, and a number that is taken is passed over."""
    taken = {"bob", "bob_2"}
    assert ["ann", "Bob_3"] == [free_id("ann", taken), free_id("Bob", taken)]
