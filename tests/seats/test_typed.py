from __future__ import annotations

import pytest

from deskroom.seats.typed import CallOf, Close, End, Help, Say, Typed, Unclear, read_typed


@pytest.mark.parametrize(
    "line, expected",
    [
        ("@b hello", CallOf("desk_post", {"message": "@b hello"})),
        ("two\nlines", CallOf("desk_post", {"message": "two\nlines"})),
        ("", End()),
        ("  ", End()),
        ("/dm b psst", CallOf("desk_dm", {"to": ["b"], "message": "psst"})),
        ("/dm @b,c two\nlines", CallOf("desk_dm", {"to": ["b", "c"], "message": "two\nlines"})),
        ("/dm", CallOf("desk_dm", {"to": [], "message": ""})),
        ("/broadcast who?", CallOf("desk_broadcast", {"message": "who?"})),
        ("/complete done", CallOf("desk_complete_episode", {"message": "done"})),
        ("/read", CallOf("desk_read", {})),
        ("/read 5", CallOf("desk_read", {"limit": 5})),
        ("/read all", Unclear("/read takes a number, not 'all'.")),
        ("/end", End()),
        ("/end my own notes", End("my own notes")),
        ("/say hm", Say(None, "hm")),
        ("/say", Unclear("/say needs a message.")),
        ("/as sam four", Say("sam", "four")),
        ("/as sam", Unclear("/as needs a person and a message.")),
        ("/close", Close()),
        ("/help", Help()),
        ("/clos", Unclear("There is no /clos; did you mean '/close'?; /help shows what there is.")),
        ("/", Unclear("There is no /; /help shows what there is.")),
    ],
)
def test_a_line_in_a_turn_is_for_the_seat(line: str, expected: Typed) -> None:
    """What is no command is posted, and arguments go to the host as they are."""
    assert expected == read_typed(line, in_turn=True)


@pytest.mark.parametrize(
    "line, expected",
    [
        ("hello", Say(None, "hello")),
        ("", Unclear("Type a message, or /help.")),
        ("/dm b psst", Unclear("It is not your turn, so /dm says nothing.")),
        ("/end", Unclear("It is not your turn, so /end says nothing.")),
        ("/say hm", Say(None, "hm")),
        ("/close", Close()),
    ],
)
def test_a_line_outside_a_turn_is_a_persons(line: str, expected: Typed) -> None:
    """What only a seat in its turn can do says nothing."""
    assert expected == read_typed(line, in_turn=False)
