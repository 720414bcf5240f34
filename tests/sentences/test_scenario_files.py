"""The sentences about scenario files and what is expected in them: each is pinned here only."""

from __future__ import annotations

import pytest

from deskroom.scenario.check import check_text

FILE = """\
format = 1
desk = { id = "d", name = "D", seats = [{ id = "a" }, { id = "b" }] }
policy = { max_message_bytes = 6 }
[[turn]]
seat = "a"
say = "hello"
"""


@pytest.mark.parametrize(
    "content, why",
    [
        ('"hello\\n"', "rows are trimmed, and this ends with a new line"),
        ('" hello "', "rows are trimmed, and this begins with a space"),
        ('"hello\\u00a0"', 'rows are trimmed, and this ends with "\\xa0"'),
        ('"\\t"', "a blank message becomes no row"),
        ('"hello, all"', "it has 10 bytes, and a message may have 6"),
    ],
)  # fmt: skip
def test_a_content_that_no_row_can_have(content: str, why: str) -> None:
    """It is told with the reason why it can never match."""
    (warning,) = check_text(f"{FILE}expect = {{ content = {content} }}\n").warnings
    assert f"this can never match: {why}" == warning.problem


def test_a_key_that_is_given_twice() -> None:
    """It is told at the second place, with the first."""
    (error,) = check_text(f"{FILE}say = 'x'\n", "x.toml").errors
    assert "x.toml:7:1: turn[1].say: this is given twice; the first is at 6:1" == str(error)


def test_a_scenario_that_expects_nothing() -> None:
    """It is told with the way to change that."""
    (warning,) = check_text(FILE, "x.toml").warnings
    assert (
        "x.toml:1:1: warning: expect: this scenario expects nothing; deskroom replay --pin writes what "
        "comes out into it"
    ) == str(warning)
