from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from deskroom.core import OPERATOR, Viewer
from deskroom.scenario import parse_scenario
from deskroom.scenario.account import Account, Event, narrowed, with_rowless
from deskroom.scenario.sources import account_of_scenario

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


def account() -> Account:
    """Return the account of the file."""
    return account_of_scenario(parse_scenario(FILE, "x.toml"))


def told(account: Account) -> list[str]:
    """Return each event as one line: where it stands, what it is, and what it says."""
    return [
        f"{event.place} {event.sequence or '-'} {event.turn or '-'} {event.facts.get('content')}"
        for event in account.events
    ]


def test_an_account_holds_rows_and_turns_in_order() -> None:
    """Each stands where the file lists it; a turn without a row comes behind what brought it."""
    assert [
        "x.toml:10 1 - @a begin",
        "x.toml:14 2 1 psst",
        "x.toml 3 1 a wrote a.md",
        "x.toml:22 4 2 psst again",
        "x.toml:26 - 3 None",
        "x.toml:30 - 4 None",
        "x.toml:34 5 - hm",
    ] == told(account())
    assert (("a", "b", "c"), "listed", {"closed": "script"}, 4) == (
        account().seats,
        account().order,
        account().run,
        account().granted,
    )


def test_an_event_says_what_is_known() -> None:
    """In the words of the file format, and with the host's reason."""
    opening, aside, _, _, refused, failed, _ = account().events
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
        "the seat raised it broke",
    ) == (refused.why, failed.why)


@pytest.mark.parametrize(
    "seat, hidden, replies", [("b", 0, [["unknown_tool"], None]), ("c", 2, [None, []])]
)
def test_a_seats_account_holds_nothing_private_to_others(
    seat: str, hidden: int, replies: list[Any]
) -> None:
    """Rows that it may not read are stubs; of other seats' turns it learns how they ended."""
    seen = narrowed(account(), Viewer("agent", seat))
    assert hidden == sum(event.hidden for event in seen.events)
    turns = [event for event in seen.events if event.seat is not None and not event.hidden]
    texts = [repr((event.facts, event.why)) for event in seen.events]
    assert (seat == "b") == any("psst" in text for text in texts)
    assert replies == [event.facts.get("replies") for event in turns if not event.is_row]
    assert ["refused", "failed"] == [event.facts["outcome"] for event in turns if not event.is_row]
    assert (seat == "b", seat == "c") == tuple(event.why is not None for event in turns[-2:])


def test_the_operator_reads_everything() -> None:
    """Narrowing to the operator is no narrowing."""
    whole = account()
    assert whole is narrowed(whole, OPERATOR)


def test_an_account_can_be_narrowed_twice() -> None:
    """What is a stub stays one."""
    once = narrowed(account(), Viewer("agent", "c"))
    assert once.events == narrowed(once, Viewer("agent", "c")).events
    stubs = evolve(account(), events=(*account().events, evolve(once.events[1], sequence=9)))
    assert [0, 1, 0, 1, 0, 0, 0, 1] == [
        event.hidden for event in narrowed(stubs, Viewer("agent", "c")).events
    ]


def event(sequence: int | None, turn: int | None, trigger: int | None = None) -> Event:
    """Return an event with nothing in it."""
    return Event(seat=None, sequence=sequence, turn=turn, trigger=trigger, facts={})


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
    put = with_rowless(
        [event(sequence, turn) for sequence, turn in rows],
        [event(None, turn, trigger) for turn, trigger in rowless],
    )
    assert order == [(one.sequence, one.turn) for one in put]
