"""ChatArena's history, as JSON and as CSV: who could read each message."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any

import pytest

from deskroom.errors import FileError

Read = Callable[..., Any]
HEADER = ["agent_name", "content", "turn", "timestamp", "visible_to", "msg_type"]


def message(author: str, content: object, to: object = "all") -> dict[str, object]:
    """Return a message as `save_history` writes it."""
    values = (author, content, 0, "1772442000000000000", to, "text")
    return dict(zip(HEADER, values, strict=True))


HISTORY = [
    message("Moderator", "Night falls,\nwolves."),
    message("Ann", "Shall we?", ["Ben O'Hara"]),
    message("Ben O'Hara", "Yes.", "Ann"),
    message("Ben O'Hara", "To nobody.", []),
    message("Cy", "To all by name.", ["Ann", "Moderator", "Ben O'Hara", "Cy"]),
]
ROWS = [
    ("Moderator", "Night falls,\nwolves."),
    ("Ann", "Shall we?", ["Ben_O_Hara"]),
    ("Ben_O_Hara", "Yes.", ["Ann"]),
    ("Ben_O_Hara", "To nobody.", []),
    ("Cy", "To all by name."),
]


def as_csv(history: list[dict[str, object]]) -> str:
    """Return a history as the framework's CSV."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(HEADER)
    writer.writerows([list(one.values()) for one in history])
    return text.getvalue()


def test_visible_to_is_all_one_name_or_a_list(read_rows: Read) -> None:
    """Only `all`, or a list of everybody, is the room."""
    read = read_rows(HISTORY)

    assert (read.format, read.rows) == ("chatarena", ROWS)


def test_the_csv_says_the_same(read_rows: Read) -> None:
    """A list of names stands in it as Python shows it, quotes in a name too."""
    read = read_rows(as_csv(HISTORY))

    assert (read.format, read.rows) == ("chatarena", ROWS)


@pytest.mark.parametrize(
    "wrong",
    [
        message("Ann", "hello", 3),
        message("Ann", "hello", ["Ben", 3]),
        message("Ann", ["hello"]),
        message("", "hello"),
        {"agent_name": "Ann", "content": "hello", "to": "all"},
    ],
)
def test_a_message_that_is_none_is_an_error(read_rows: Read, wrong: object) -> None:
    """Privacy that cannot be read is never taken for the room."""
    with pytest.raises(FileError):
        read_rows([message("Ben", "hi"), wrong], name="chatarena")


def test_a_csv_with_a_field_too_few_is_an_error(read_rows: Read) -> None:
    """So is one with a quote that is never closed."""
    for text in ("Ann,hello,0,1,all\n", 'Ann,"hello,0,1,all,text\n'):
        with pytest.raises(FileError):
            read_rows(",".join(HEADER) + "\n" + text)
