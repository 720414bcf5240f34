from __future__ import annotations

import pytest

from deskroom.core import DESK, Audience, Author, Row, SeenRow, Viewer
from deskroom.engine.state import TurnRecord
from deskroom.room.messages import Call, History, Reply, TurnEnd, Word

A = Author("agent", "a")
ROWS = [
    Row(1, "d", A, "one", DESK),
    Row(2, "d", Author("agent", "b"), "secret", Audience("aside", ["c"])),
    Row(3, "d", A, "three", DESK),
]


def history(start: int = 0, stop: int = 3, viewer: str = "a") -> History:
    """Return a stretch of the transcript as a seat may read it."""
    return History(ROWS, start, stop, Viewer("agent", viewer))


def test_a_history_is_a_sequence_of_what_the_seat_may_read() -> None:
    """It has a length, items, slices, an order and membership, like a tuple."""
    seen = history()
    assert 3 == len(seen)
    assert SeenRow(1, A, "one", DESK) == seen[0]
    assert SeenRow(3, A, "three", DESK) == seen[-1]
    assert ["one", ""] == [entry.content for entry in seen[:2]]
    assert ["one", "", "three"] == [entry.content for entry in seen]
    assert ["three", "", "one"] == [entry.content for entry in reversed(seen)]
    assert SeenRow(3, A, "three", DESK) in seen
    with pytest.raises(IndexError):
        seen[3]


def test_a_history_shows_what_the_seat_may_read_and_no_more() -> None:
    """A member reads the aside; to others, and in print, it is a stub."""
    assert "secret" == history(viewer="c")[1].content
    assert "secret" not in repr(history())
    assert repr(history()).startswith("History([SeenRow(sequence=1, ")


def test_a_history_is_fixed_when_it_is_made() -> None:
    """Rows that are appended before it is looked at are not in it."""
    rows = ROWS[:1]
    seen = History(rows, 0, 1, Viewer("agent", "a"))
    rows.append(ROWS[2])
    assert ["one"] == [entry.content for entry in seen]


def test_a_history_lets_go_of_what_the_seat_may_not_read() -> None:
    """Once it has been looked at, the rows behind it are no longer reachable from it."""
    seen = history()
    assert 3 == len(seen)
    assert () == seen._rows


def test_messages_do_not_show_what_was_said() -> None:
    """What seats and people say stays out of a traceback."""
    record = TurnRecord(1, "a", 0, None, 1, None, text="secret")
    shown = [
        repr(Call(record, 1, "desk_post", {"message": "secret"}, lambda _: None)),
        repr(TurnEnd(record, "secret")),
        repr(Reply(1, ok=True, text="secret")),
        repr(Word("p", "secret")),
    ]
    assert [] == [text for text in shown if "secret" in text]
