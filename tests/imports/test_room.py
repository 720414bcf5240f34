from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deskroom.core import Person
from deskroom.engine.setup import Seat
from deskroom.errors import FileError, UsageError
from deskroom.imports.cast import Wishes
from deskroom.imports.containers import open_source
from deskroom.imports.importer import Options
from deskroom.imports.records import (
    DeskCall,
    Handoff,
    Left,
    Mark,
    Place,
    Record,
    Speaker,
    Yielded,
)
from deskroom.imports.room import ImportedRoom, ImportedRow, LeftOut, open_room

Open = Callable[..., ImportedRoom]


def importer(items: Sequence[Yielded], **facts: Any) -> Any:
    """Return an importer that yields these, whatever it is given."""

    def read(*_: object) -> Iterator[Yielded]:
        yield from items

    made = {"name": "made", "is_sorted": False, "same_id": "error", "read": read}
    return SimpleNamespace(**{**made, **facts})


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """Return a function that opens the room of some records."""
    path = tmp_path / "in.txt"
    path.write_text("x")

    def call(*items: Yielded, wishes: Wishes | None = None, **facts: Any) -> ImportedRoom:
        made = importer(items, **facts)
        return open_room([open_source(str(path))], made, Options(), wishes or Wishes())

    return call


def said(by: str, text: Any, **more: Any) -> Record:
    """Return a record by somebody who is called by their key."""
    return Record(by=Speaker(key=by, name=by), text=text, **more)


def short(rows: Sequence[ImportedRow]) -> list[tuple[Any, ...]]:
    """Return author, text and readers of each row."""
    return [(row.author, row.text, *([row.to] if row.to is not None else [])) for row in rows]


# --- who is there ------------------------------------------------------------------------------


def test_ids_are_given_in_the_order_of_first_rows(opened: Open) -> None:
    """The handle, else the name; who has no row gets none, unless a private row went to them."""
    room = opened(
        Speaker(key="9", name="Lurker"),
        said("bob", " \n"),
        Record(by=Speaker(key="2", name="Bob!", handle="bob"), text="a", to=("only reads",)),
        said("🤓", "b"),
        said("Bob", "c"),
        said("Imported", "d"),
        said("channel", "e"),
    )
    assert ["bob", "speaker_2", "Bob_2", "Imported_2", "channel_2", "only_reads"] == [
        member.id for member in room.members
    ]
    assert [True, True, True, True, True, False] == [member.has_rows for member in room.members]
    left = LeftOut()
    assert 5 == len(list(room.rows(left)))
    assert {"blank": (1, Place())} == left.kinds


def test_people_are_those_the_source_or_the_user_says(opened: Open) -> None:
    """``user`` and ``human`` are people unless the source knows their kind."""
    items = [
        said("user", "a"),
        said("Human", "b"),
        said("proxy", "c"),
        Record(by=Speaker(key="x", name="user", kind="agent"), text="d"),
    ]
    kinds = {member.id: member.kind for member in opened(*items).members}
    assert {"user": "person", "Human": "person", "proxy": "agent", "user_2": "agent"} == kinds
    room = opened(*items, wishes=Wishes(people=("PROXY",), seats=("human",)))
    assert ["person", "agent", "person", "agent"] == [member.kind for member in room.members]
    with pytest.raises(UsageError):
        opened(*items, wishes=Wishes(people=("prox",)))


def test_a_name_can_be_mapped_to_an_id(opened: Open) -> None:
    """By key, handle or name, and in texts; two that get one id are one seat."""
    room = opened(
        said("bob", "hi @Bobby B"),
        Record(by=Speaker(key="U1", name="Bobby B"), text="me"),
        said("ann", (Mark(key="U7", otherwise="@ghost"), " and ", Mark(key="U1", otherwise="x"))),
        wishes=Wishes(ids={"U1": "bob", "U7": "gil"}),
    )
    mentioned: dict[str, str] = {}
    assert [("bob", "hi @bob"), ("bob", "me"), ("ann", "@gil and @bob")] == short(
        list(room.rows(LeftOut(), mentioned))
    )
    assert ["bob", "ann"] == [seat.id for seat in room.seats]
    assert {"Bobby B": "bob", "U7": "gil", "U1": "bob"} == mentioned


def test_a_desk_that_is_given_says_who_is_who(opened: Open) -> None:
    """A speaker is found by id, name or label; for one who is not there, the error says --map."""
    wishes = Wishes(
        desk_id="d",
        desk_name="D",
        desk_seats=(Seat(id="solver", name="SOLVER"), Seat(id="quiet")),
        desk_people=(Person("sam", "Sam A"),),
    )
    room = opened(said("Solver", "a"), said("sam_a", "b"), said("sam", "c"), wishes=wishes)
    assert [("solver", "agent"), ("sam", "person"), ("sam", "person")] == [
        (row.author, row.kind) for row in room.rows(LeftOut())
    ]
    assert (wishes.desk_seats, wishes.desk_people) == (room.seats, room.people)
    with pytest.raises(UsageError):
        opened(said("solvr", "a"), wishes=wishes)


def test_a_name_that_means_two_is_no_name_of_a_seat(opened: Open) -> None:
    """Else nobody could mention either of them."""
    room = opened(
        Record(by=Speaker(key="1", name="zoe", handle="z"), text="a"),
        Record(by=Speaker(key="2", name="Zed", handle="zoe"), text="@Zed @zoe"),
    )
    assert [("z", None), ("zoe", "Zed")] == [(seat.id, seat.name) for seat in room.seats]
    assert [("z", "a"), ("zoe", "@zoe @zoe")] == short(list(room.rows(LeftOut())))


# --- privacy -----------------------------------------------------------------------------------


def test_privacy_never_widens(opened: Open) -> None:
    """Only a list that holds everybody who takes part is the room; people are in no list."""
    room = opened(
        said("a", "x", to=("b", "c", "user")),
        said("b", "y", to=("a", "c")),
        said("c", "z", to=("C", "@B")),
        said("user", "w", to=()),
        said("c", "v", to=("user",)),
    )
    assert [
        ("a", "x"),
        ("b", "y", ("a", "c")),
        ("c", "z", ("b",)),
        ("user", "w", ()),
        ("c", "v", ()),
    ] == short(list(room.rows(LeftOut())))


# --- our own tools -----------------------------------------------------------------------------


def call(tool: str, **arguments: Any) -> DeskCall:
    """Return a recorded call."""
    return DeskCall(tool=tool, arguments=arguments)


def test_calls_of_our_tools_alone_are_what_was_said(opened: Open) -> None:
    """The last that a host would take stands; texts of such a seat are narration."""
    dm = call("desk_dm", to=["@b"], message=" psst ")
    room = opened(
        Speaker(key="c", name="c"),
        said("a", "I shall speak now"),
        said("a", "beside", calls=(call("desk_post", message="one"), dm)),
        said("a", "", calls=(call("desk_read"), call("desk_post", message="x", to=["b"]))),
        said("b", "no tools here"),
        said("a", "", calls=(call("mcp__desk__desk_complete_episode", message="done"),)),
        said("b", "", calls=()),
        said("a", "", calls=(call("desk_post", message="!aside @b hush"),)),
    )
    left = LeftOut()
    rows = list(room.rows(left))
    assert [("a", "psst", ("b",)), ("b", "no tools here"), ("a", "done")] == short(rows[:3])
    assert ("a", "!aside @b hush", ("b",)) == short(rows)[3]
    assert [False, False, True, False] == [row.completes for row in rows]
    assert {
        "narration": 2,
        "replaced call": 1,
        "read of the desk": 1,
        "bad_arguments": 1,
        "blank": 1,
    } == {kind: count for kind, (count, _) in left.kinds.items()}


# --- order, duplicates, hand-offs --------------------------------------------------------------


def test_what_is_stored_twice_counts_once(opened: Open) -> None:
    """The same id with another text is an error, or a replacement where the format has that."""
    same = said("a", "x", id="1"), said("b", "y", id="2"), said("a", "x", id="1")
    left = LeftOut()
    assert [("a", "x"), ("b", "y")] == short(list(opened(*same).rows(left)))
    assert (1, {}) == (left.repeated, left.kinds)
    other = *same, said("a", "z", id="1")
    with pytest.raises(FileError) as caught:
        list(opened(*other).rows(LeftOut()))
    assert "same_id" == caught.value.kind
    assert [("a", "z"), ("b", "y")] == short(
        list(opened(*other, same_id="replace").rows(LeftOut()))
    )


def test_rows_are_sorted_where_the_format_says_so(opened: Open) -> None:
    """First appearance is that of the order, not of the file."""
    items = said("b", "2", order=(2,)), said("a", "1", order=(1,)), said("c", "2", order=(2,))
    room = opened(*items, is_sorted=True)
    assert ["a", "b", "c"] == [member.id for member in room.members]
    with pytest.raises(FileError):
        opened(*items, said("d", "x", order=("3",)), is_sorted=True)


@pytest.mark.parametrize("same_id", ["error", "replace"])
def test_a_hand_off_belongs_to_the_row_before_it(same_id: str, opened: Open) -> None:
    """If the same speaker wrote it; else it is counted."""
    room = opened(
        Handoff(by="a", to="b"),
        said("a", "x"),
        Left("thought"),
        Handoff(by="a", to="B"),
        Handoff(by="b", to="c"),
        said("b", "y", handoff="nobody known"),
        same_id=same_id,
    )
    left = LeftOut()
    assert [(1, "b"), (2, "nobody known")] == [(row.number, row.handoff) for row in room.rows(left)]
    assert {"hand-off": 2, "thought": 1} == {kind: count for kind, (count, _) in left.kinds.items()}


def test_what_the_host_would_refuse_is_left_out_with_its_word(opened: Open) -> None:
    """Half of a surrogate pair, and more bytes than the policy allows."""
    room = opened(said("a", "x" * 1_048_577), said("a", "\ud800"), said("a", "ok"))
    left = LeftOut()
    assert [("a", "ok")] == short(list(room.rows(left)))
    assert ["message_too_large", "bad_arguments"] == list(left.kinds)


def test_a_failing_importer_is_an_error_of_ours(opened: Open) -> None:
    """Whoever wrote it."""

    def read(*_: object) -> Iterator[Yielded]:
        yield said("a", "x")
        raise KeyError(json.dumps({"a": 1}))

    with pytest.raises(FileError) as caught:
        opened(read=read)
    assert "format" == caught.value.kind


def test_an_input_without_a_row_is_an_error(opened: Open) -> None:
    """Blank texts are none."""
    for items in ((), (said("a", " "),), (Left("thought"),)):
        with pytest.raises(FileError) as caught:
            opened(*items)
        assert "no_rows" == caught.value.kind
