from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from deskroom.core import OPERATOR, Viewer
from deskroom.runs import RunView, ViewItem, narrowed
from deskroom.runs.view import in_order
from deskroom.scenario import parse_scenario, replay_scenario

FILE = """\
format = 1
order = "listed"
desk = { id = "d", name = "D", seats = [{ id = "a" }, { id = "b" }, { id = "c" }], people = [{ id = "sam", label = "Sam" }] }

[policy.aside]
enabled = true
max_members = 1
max_messages = 9

[opening]
by = "sam"
message = "@a begin"

[[turn]]
seat = "a"
calls = [
    { tool = "shout" },
    { tool = "desk_dm", to = ["b"], message = "psst" },
]
wrote = ["a.md"]

[[turn]]
seat = "a"
calls = [{ tool = "desk_dm", to = ["b"], message = "psst again" }]

[[turn]]
seat = "b"
calls = [{ tool = "shout" }]

[[turn]]
seat = "c"
crash = "it broke"

[[turn]]
person = "sam"
say = "hm"
"""


def whole() -> RunView:
    """Return all of the run of the file."""
    return replay_scenario(parse_scenario(FILE, "x.toml")).view()


def lines(view: RunView) -> list[str]:
    """Return each item as one line: where it stands, what it is, and what it says."""
    return [
        f"{item.place} {item.sequence or '-'} {item.turn or '-'} {item.facts.get('content')}"
        for item in view.items
    ]


def test_a_view_holds_rows_and_turns_in_order() -> None:
    """Each stands where the file lists it; a turn without a row comes behind what brought it."""
    assert [
        "x.toml:10 1 - @a begin",
        "x.toml:14 2 1 psst",
        "x.toml 3 1 a wrote a.md",
        "x.toml:22 4 2 psst again",
        "x.toml:26 - 3 None",
        "x.toml:30 - 4 None",
        "x.toml:34 5 - hm",
    ] == lines(whole())
    assert (("a", "b", "c"), "listed", {"closed": "script"}, 4) == (
        whole().seats,
        whole().order,
        whole().run,
        whole().totals["turns"],
    )


def test_an_item_says_what_is_known() -> None:
    """In the words of the file format, and with the host's reason."""
    opening, aside, _, _, refused, failed, _ = whole().items
    assert ("'@a' at byte 0 is the first seat named", "a") == (opening.why, opening.facts["next"])
    assert {
        "chat": "d",
        "parent": None,
        "author": {"type": "agent", "id": "a"},
        "audience": ["b"],
        "content": "psst",
        "kind": "seat",
        "next": "b",
        "completes": False,
        "refusal": None,
        "hop": 0,
        "replies": ["unknown_tool", "ok"],
    } == aside.facts
    assert {
        "author": {"type": "agent", "id": "b"},
        "outcome": "refused",
        "hop": 1,
        "replies": ["unknown_tool"],
    } == refused.facts
    assert (
        "no message was accepted: unknown_tool",
        "the seat raised ScriptedCrash: it broke",
    ) == (refused.why, failed.why)


@pytest.mark.parametrize(
    "seat, hidden, replies", [("b", 0, [["unknown_tool"], None]), ("c", 2, [None, []])]
)
def test_a_seats_view_holds_nothing_private_to_others(
    seat: str, hidden: int, replies: list[Any]
) -> None:
    """Rows that it may not read are stubs; of other seats' turns it learns how they ended."""
    seen = narrowed(whole(), Viewer("agent", seat))
    assert hidden == sum(item.hidden for item in seen.items)
    turns = [item for item in seen.items if item.seat is not None and not item.hidden]
    texts = [repr((item.facts, item.why)) for item in seen.items]
    assert (seat == "b") == any("psst" in text for text in texts)
    assert replies == [item.facts.get("replies") for item in turns if not item.is_row]
    assert ["refused", "failed"] == [item.facts["outcome"] for item in turns if not item.is_row]
    assert (seat == "b", seat == "c") == tuple(item.why is not None for item in turns[-2:])


def test_the_operator_reads_everything() -> None:
    """Narrowing to the operator is no narrowing."""
    view = whole()
    assert view is narrowed(view, OPERATOR)


def test_a_view_can_be_narrowed_twice() -> None:
    """What is a stub stays one."""
    once = narrowed(whole(), Viewer("agent", "c"))
    assert once.items == narrowed(once, Viewer("agent", "c")).items
    stubs = evolve(whole(), items=(*whole().items, evolve(once.items[1], sequence=9)))
    assert [0, 1, 0, 1, 0, 0, 0, 1] == [
        item.hidden for item in narrowed(stubs, Viewer("agent", "c")).items
    ]


def item(sequence: int | None, turn: int | None, trigger: int | None = None) -> ViewItem:
    """Return an item with nothing in it."""
    return ViewItem(seat=None, sequence=sequence, turn=turn, trigger=trigger, facts={})


@pytest.mark.parametrize(
    "rows, rowless, order",
    [
        ([(1, None)], [(1, 1)], [(1, None), (None, 1)]),
        ([(1, None), (2, 2)], [(1, 1)], [(1, None), (None, 1), (2, 2)]),
        ([(1, 1), (2, 1), (3, None)], [(2, 2)], [(1, 1), (2, 1), (None, 2), (3, None)]),
        ([(1, None), (2, None)], [(1, 1), (2, 2)], [(1, None), (None, 1), (2, None), (None, 2)]),
        ([(1, 1)], [(1, None)], [(None, 1), (1, 1)]),
        ([], [(1, None), (2, None)], [(None, 1), (None, 2)]),
    ],
)
def test_a_turn_without_a_row_has_its_place(
    rows: list[tuple[int, int | None]],
    rowless: list[tuple[int, int | None]],
    order: list[tuple[int | None, int | None]],
) -> None:
    """Behind the row that brought it and the rows of the turns before; ahead of its own retry."""
    put = in_order(
        [item(sequence, turn) for sequence, turn in rows],
        [item(None, turn, trigger) for turn, trigger in rowless],
    )
    assert order == [(one.sequence, one.turn) for one in put]


@pytest.mark.parametrize(
    "viewer", [Viewer("agent", "b"), Viewer("agent", "c"), Viewer("person", "sam")]
)
def test_what_happened_in_a_turn_is_for_its_own_seat(viewer: Viewer) -> None:
    """Others, people too, know of it only how it ended: no call, reply, text, path or error."""
    view = narrowed(whole(), viewer)
    for turn in view.turns:
        own = viewer == Viewer("agent", turn.seat)
        known = [turn.replies, turn.calls, turn.text, turn.wrote, turn.error]
        assert own or not any(known)
    assert [1, 2, 3, 4] == [turn.number for turn in view.turns]
    assert (viewer.id == "b") == any(turn.calls for turn in view.turns)


def test_a_person_reads_every_row() -> None:
    """Also one who is called as a seat is; what the seat did in its turn stays the seat's."""
    view = narrowed(whole(), Viewer("person", "b"))
    assert [item.row for item in whole().items] == [item.row for item in view.items]
    assert [] == [item for item in view.items if item.hidden]
    assert [False] * 7 == ["replies" in item.facts for item in view.items]


def test_rows_that_may_not_be_read_are_one_stub() -> None:
    """As far as they have one party; a turn without a row between them changes nothing."""
    text = FILE.replace('wrote = ["a.md"]\n', "")
    view = replay_scenario(parse_scenario(text)).view(Viewer("agent", "c"))
    (stub,) = [item for item in view.items if item.stub is not None]
    assert (2, 2, {"author": {"type": "agent", "id": "a"}, "audience": ["b"], "messages": 2}) == (
        stub.sequence,
        stub.hidden,
        stub.facts,
    )
    assert [1, 2, None, None, 4] == [item.sequence for item in view.items]


LATE = """\
format = 1
order = "listed"
desk = { id = "d", name = "D", seats = [{ id = "a" }, { id = "b" }, { id = "c" }], people = [{ id = "sam", label = "Sam" }] }

[policy]
turn_timeout_s = 1
aside = { enabled = true, max_members = 1, max_messages = 9 }

[[turn]]
seat = "a"
calls = [{ tool = "desk_dm", to = ["b"], message = "psst @b" }]

[[turn]]
seat = "b"
takes = 2
calls = [{ tool = "desk_post", message = "too late" }]

[[turn]]
seat = "c"
crash = "it broke"

[[turn]]
seat = "b"
say = "agreed"
takes = 0.9
"""


def test_a_view_keeps_what_happened_in_each_turn() -> None:
    """Calls with their replies, late ones after which row; what was raised; what settles an aside."""
    view = replay_scenario(parse_scenario(LATE, "x.toml")).view()
    aside, timed_out, failed, settling = view.items
    assert (5, 2, 2) == (aside.chosen, aside.settled_at, settling.sequence)
    assert timed_out.run_turn is not None
    assert failed.run_turn is not None
    assert [("turn_ended", True)] == [(c.reply, c.late) for c in timed_out.run_turn.calls]
    assert (2,) == timed_out.run_turn.late_after
    assert "ScriptedCrash: it broke" == str(failed.run_turn.error)


@pytest.mark.parametrize("seat", ["a", "b", "c"])
def test_what_a_seat_did_in_its_turn_is_for_itself(seat: str) -> None:
    """Of another seat's turn nobody but the operator sees calls, text, files or what was raised."""
    for text in (FILE, LATE):
        view = replay_scenario(parse_scenario(text, "x.toml")).view(Viewer("agent", seat))
        turns = [item.run_turn for item in view.items if item.run_turn is not None]
        for turn in (*turns, *view.turns):
            if turn.seat != seat:
                assert ((), (), (), "", (), None) == (
                    turn.replies,
                    turn.calls,
                    turn.late_after,
                    turn.text,
                    turn.wrote,
                    turn.error,
                )
        assert [] == [
            item
            for item in view.items
            if item.stub and (item.chosen, item.run_turn) != (None, None)
        ]


def test_a_turn_without_a_row_comes_behind_the_files_of_the_turn_before_it() -> None:
    """The row about them was there before the next turn was granted."""
    text = FILE.replace("psst again", "hm").replace(
        'tool = "desk_dm", to = ["b"], message = "hm"', 'tool = "nope"'
    )
    assert [
        (1, None),
        (2, 1),
        (3, 1),
        (None, 2),
        (None, 3),
        (None, 4),
        (4, None),
    ] == [
        (item.sequence, item.turn)
        for item in replay_scenario(parse_scenario(text, "x.toml")).view().items
    ]
