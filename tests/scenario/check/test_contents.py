"""Expected contents that no row can have."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deskroom.core.text import WHITE_SPACE
from deskroom.scenario import parse_scenario, replay_scenario
from deskroom.scenario.check import check_text
from deskroom.scenario.format.write import toml_value

File = Callable[..., str]

TURN = '[[turn]]\nseat = "lead"\nsay = "hello"\n'


def kinds(text: str) -> list[str]:
    """Return the kinds of the warnings about a text without errors."""
    checked = check_text(text)
    assert () == checked.errors
    return [warning.kind for warning in checked.warnings]


@pytest.mark.parametrize("mark", WHITE_SPACE)
def test_white_space_at_an_end_is_trimmed_away(file: File, mark: str) -> None:
    """Whichever white space it is, and at whichever end; inside a message it stays."""
    for content in (f"hello{mark}", f"{mark}hello", f"{mark}hello{mark}", mark):
        text = file(f"{TURN}expect = {{ content = {toml_value(content)} }}\n")
        assert ["cannot_match"] == kinds(text)
        assert not replay_scenario(parse_scenario(text)).ok
    assert [] == kinds(file(f"{TURN}expect = {{ content = {toml_value(f'a{mark}b')} }}\n"))


@pytest.mark.parametrize("content", ["hello", "\u200bhello\u200b", "\ufeffhello", "\x1chello\x1f"])
def test_what_only_looks_like_white_space_stays(file: File, content: str) -> None:
    """The host does not trim it, so a row may have it."""
    said = TURN.replace('"hello"', toml_value(content))
    text = file(f"{said}expect = {{ content = {toml_value(content)} }}\n")
    assert [] == kinds(text)
    assert replay_scenario(parse_scenario(text)).ok


def test_a_block_of_several_lines_ends_in_one(file: File) -> None:
    """That is how most of these come about; the place is that of the text."""
    checked = check_text(file(f'{TURN}[turn.expect]\ncontent = """\nhello\n"""\n'))
    assert [(12, 11, "cannot_match", "turn[1].expect.content")] == [
        (warning.line, warning.column, warning.kind, warning.key) for warning in checked.warnings
    ]


def test_no_row_is_longer_than_a_message_may_be(file: File) -> None:
    """Bytes count, as the host counts them."""
    policy = "[policy]\nmax_message_bytes = 6\n"
    for content, expected in (("öüä", []), ("öüä!", ["cannot_match"])):
        lines = f'{policy}{TURN}expect = {{ content = "{content}" }}\n'
        assert expected == kinds(file(lines))


def test_a_fence_seat_is_trimmed_as_well(file: File) -> None:
    """What is read out of its text is a message like any other."""
    lines = '[[turn]]\nseat = "f"\ntext = "```post\\n hi \\n```"\nexpect = { content = "hi " }\n'
    text = file(lines, seats='{ id = "f", fence = true }')
    assert ["cannot_match"] == kinds(text)
    assert [] == kinds(text.replace('"hi "', '"hi"'))
