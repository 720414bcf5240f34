"""Journals that were changed and sealed again: verifying them stops at the first wrong line."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

import anyio
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from deskroom.core import AsidePolicy, DispatchPolicy
from deskroom.core.reasons import CloseReason, Outcome, RowKind
from deskroom.engine.entries import (
    CallEntry,
    CloseEntry,
    EndEntry,
    Entry,
    RoutedEntry,
    TurnEntry,
)
from deskroom.engine.policy import BroadcastPolicy
from deskroom.errors import WireError
from deskroom.journal import Differs, JournalError, verify, verify_entries
from deskroom.room import ChairPolicy, Cue, Policy, Room, Script, Seat, SimulatedClock, Turn
from deskroom.testing import ListJournal, ScriptedSeat, broadcast, complete, dm, post, read
from deskroom.wire import entry_in, entry_out

Values = list[dict[str, Any]]
Forge = Callable[[Iterable[dict[str, Any]]], Path]
Fault = tuple[int | None, str | None]


def fault(path: Path) -> Fault | None:
    """Return the line that verifying a journal stops at, and the fact in it, or None.

    There is no fact where the line cannot even be read.
    """
    try:
        verify(path)
    except Differs as differs:
        return differs.line, differs.fact
    except JournalError as error:
        return error.line, None
    return None


def fault_of(entries: list[Entry]) -> Fault | None:
    """Return the number of the first entry that is wrong, and the fact in it, or None."""
    try:
        verify_entries(entries, "run")
    except Differs as differs:
        return differs.line, differs.fact
    return None


# One fact after the other


def changed(values: Values, line: int, place: str, value: Any) -> Values:
    """Return values with the fact at a dotted place of a line changed."""
    forged = copy.deepcopy(values)
    target: Any = forged[line - 1]
    *parents, last = place.split(".")
    for key in parents:
        target = target[int(key)] if isinstance(target, list) else target[key]
    target[int(last) if isinstance(target, list) else last] = value
    return forged


@pytest.mark.parametrize(
    "line, place, value, fact",
    [
        (3, "turn", 2, "turn"),
        (3, "attempt", 2, "attempt"),
        (3, "seat", "b", "seat"),
        (3, "seat", "z", "seat"),
        (8, "hop", 0, "hop"),
        (8, "trigger", 1, "trigger"),
        (10, "attempt", 3, "attempt"),
        (22, "seat", "a", "seat"),
        (8, "cue", 0, "cue"),
        (8, "cue", -1, "cue"),
        (8, "cue", None, "cue"),
        (4, "reply", "ok", "reply"),
        (5, "reply", "budget_spent", "reply"),
        (7, "reply", "ok", "reply"),
        (5, "late", True, "entry"),
        (7, "late", False, "entry"),
        (5, "seat", "b", "entry"),
        (5, "seat", "z", "entry"),
        (7, "seat", "b", "call_id"),
        (5, "turn", 2, "entry"),
        (5, "attempt", 2, "entry"),
        (5, "call_id", 1, "call_id"),
        (5, "source", "fence", "entry"),
        (23, "source", "call", "call_id"),
        (23, "tool", "desk_broadcast", "tool"),
        (5, "tool", "desk_post", "reply"),
        (9, "outcome", "refused", "outcome"),
        (9, "outcome", "failed", "outcome"),
        (21, "outcome", "timed_out", "error"),
        (21, "error", None, "entry"),
        (9, "error", {"type": "ValueError", "text": ""}, "outcome"),
        (9, "turn", 1, "entry"),
        (9, "attempt", 2, "entry"),
        (9, "seat", "a", "entry"),
        (6, "row.sequence", 3, "sequence"),
        (6, "row.chat_id", "e", "chat_id"),
        (6, "row.parent", 1, "parent"),
        (6, "row.author.id", "b", "author"),
        (2, "row.author.type", "agent", "author"),
        (13, "row.author.kind", "chair", "author"),
        (6, "row.audience.members", ["b", "c"], "audience"),
        (6, "row.audience", {"kind": "desk"}, "audience"),
        (12, "row.audience", {"kind": "aside", "members": ["b"]}, "audience"),
        (14, "row.audience", {"kind": "aside", "members": ["b"]}, "audience"),
        (6, "row.content", "pssst", "content"),
        (2, "row.content", "@a begin!", "content"),
        (13, "row.content", "b wrote y.py", "content"),
        (25, "row.content", "@c speak", "content"),
        (12, "turn", 1, "turn"),
        (13, "turn", 1, "turn"),
        (14, "turn", 2, "turn"),
        (12, "trigger", 1, "trigger"),
        (14, "trigger", 1, "trigger"),
        (6, "refusal", "disabled", "refusal"),
        (12, "completes", True, "completes"),
        (31, "completes", False, "completes"),
        (17, "broadcasting", False, "broadcasting"),
        (12, "decision.target_id", "a", "decision"),
        (12, "decision.child_hop", 1, "decision"),
        (12, "decision.mention", None, "decision"),
        (12, "decision", {"kind": "none", "reason": "self_mention"}, "decision"),
        (17, "decision.reason", "hop_limit_reached", "decision"),
        (
            24,
            "decision",
            {
                "kind": "one",
                "target_id": "c",
                "child_hop": 2,
                "mention": {
                    "target": {"kind": "agent", "id": "c"},
                    "text": "@c",
                    "offset": 0,
                    "quiet": False,
                },
            },
            None,
        ),
        (14, "decision.target_id", "a", "decision"),
        (13, "decision.reason", "disabled", "decision"),
        (25, "decision.target_id", "a", "decision"),
        (25, "mentions.0.target.id", "a", "decision"),
        (14, "cue", 2, "content"),
        (14, "cue", 7, "content"),
        (12, "cue", 2, "cue"),
        (13, "wrote", ["y.py"], "wrote"),
        (2, "source", "person", "entry"),
        (14, "source", "opening", "entry"),
        (14, "source", "nudge", "entry"),
        (14, "source", "wrote", "entry"),
        (14, "source", "seat", "entry"),
        (14, "row.author.id", "pat", "author"),
        (18, "sequence", 5, "sequence"),
        (18, "recipients", ["b"], "recipients"),
        (18, "recipients", ["a", "a"], "recipients"),
        (18, "recipients", [], "recipients"),
        (18, "hop", 0, "hop"),
        (32, "reason", "quiet", "reason"),
        (32, "reason", "script", "reason"),
        (32, "reason", "failed", "reason"),
        # What no room can be made of
        (1, "opening.by", "pat", "setup"),
        (1, "opening.message", " ", "setup"),
        (1, "opening.message", "\ud800", "setup"),
        (1, "policy.participants", ["z"], "setup"),
        (1, "policy.participants", ["a", "a"], "setup"),
        (1, "policy.chair.by", "pat", "setup"),
        (1, "desk.people", [], "setup"),
        (1, "script.turns.0.seat", "z", "setup"),
        (1, "script.turns.2.person", "pat", "setup"),
        (1, "desk.seats.1.id", "a", None),
        (1, "policy.max_turns", 0, None),
        # What no person can say
        (14, "row.content", "\ud800", "entry"),
        (14, "row.content", " ", "entry"),
        # Scores that are not what a router can have given
        (18, "scores", {}, "scores"),
        (18, "scores", {"c": 0.4, "a": 0.5}, "scores"),
        (18, "scores", {"a": 0.5, "c": 0.4, "b": 1.0}, "scores"),
        (18, "scores", {"a": 0.5, "z": 0.4}, "scores"),
        (18, "scores", {"a": 0.1, "c": 0.4}, "recipients"),
        (18, "scores", {"a": 0.5, "c": 0.0}, "recipients"),
    ],
)
def test_a_fact_that_was_changed_is_found(
    values: Callable[[], Values], forged: Forge, line: int, place: str, value: Any, fact: str | None
) -> None:
    """A chain that was sealed again hides nothing: the first line that differs is named."""
    assert (line, fact) == fault(forged(changed(values(), line, place, value)))


def test_a_key_that_stands_twice_is_found(values: Callable[[], Values], forged: Forge) -> None:
    """Which of the two would count, nobody can say."""
    path = forged(values()[:1])
    header = path.read_bytes()
    twice = b'{"kind":"close","reason":"stopped","reason":"stopped"'
    digest = blake2b(header[-19:-3] + twice, digest_size=8).hexdigest().encode()
    path.write_bytes(header + twice + b',"digest":"' + digest + b'"}\n')
    assert (2, None) == fault(path)


# Any fact at all


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of every fact in a line."""
    if value and isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            yield from leaves(item, (*path, key))
    elif path:
        yield path


#: What only a seat, a person or a router can know, by the kind of line and the key.
AS_WRITTEN = {
    ("call", "tool"),
    ("call", "arguments"),
    ("excess", "calls"),
    ("end", "text"),
    ("end", "wrote"),
    ("end", "error"),
    ("row", "text"),
    ("row", "wrote"),
    ("row", "row"),
    ("routed", "scores"),
}
ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 3),
    st.sampled_from(["a", "b", "c", "p", "zz", "", "x", "ok", "silent", "timed_out", "failed"]),
    st.sampled_from(["seat", "person", "opening", "nudge", "wrote", "stopped", "quiet", "fence"]),
    st.sampled_from(["self_mention", "broadcast", "turn_ended", "unknown_tool", "\ud800"]),
    st.sampled_from([0.5, 10**30, [], ["a"], {}, {"a": 1.0}, {"kind": "desk"}]),
)


@given(data=st.data())
def test_any_fact_that_is_changed_is_found_or_is_taken_as_written(
    room_plans: st.SearchStrategy[Any], data: st.DataObject
) -> None:
    """Whatever room it was: the first wrong line is the changed one or comes later."""
    journal = ListJournal()
    anyio.run(data.draw(room_plans).room(journal).run)
    values = [entry_out(entry) for entry in journal.entries]
    at = data.draw(st.integers(0, len(values) - 1))
    place = data.draw(st.sampled_from(list(leaves(values[at]))))
    target: Any = values[at]
    for key in place[:-1]:
        target = target[key]
    before = target[place[-1]]
    target[place[-1]] = data.draw(ANYTHING.filter(lambda other: repr(other) != repr(before)))
    found = found_in(values)
    if found is not None:
        assert found > at
    elif at > 0:
        kind, key = values[at]["kind"], str(place[0])
        assert (kind, key) in AS_WRITTEN or values[at] == {"kind": "close", "reason": "stopped"}
        assert kind != "row" or key != "row" or said_by_a_person(values[at], place)


def said_by_a_person(value: dict[str, Any], place: tuple[str | int, ...]) -> bool:
    """Whether a place in a row is what a person said."""
    return value["source"] == "person" and place == ("row", "content")


def found_in(values: Values) -> int | None:
    """Return the first of these lines that reading or verifying refuses, or None."""
    entries = []
    unread = None
    for number, value in enumerate(values, start=1):
        try:
            entries.append(entry_in(value))
        except WireError:
            unread = number
            break
    if unread == 1:
        return 1
    found = fault_of(entries)
    return unread if found is None else found[0]


@given(data=st.data())
def test_entries_in_any_order_are_refused_and_never_trip_the_reader(
    room_plans: st.SearchStrategy[Any], data: st.DataObject
) -> None:
    """Lines left out, moved or said twice: there is a sentence about it, and no traceback."""
    journal = ListJournal()
    anyio.run(data.draw(room_plans).room(journal).run)
    header, *entries = journal.entries
    chosen = data.draw(st.lists(st.sampled_from(entries), max_size=12))
    found = fault_of([header, *chosen])
    assert found is None or 2 <= (found[0] or 0) <= 1 + len(chosen)


Change = Callable[[Values], Values]


def close(reason: str) -> dict[str, Any]:
    """Return the line of a close."""
    return {"kind": "close", "reason": reason}


def rerow(values: Values) -> Values:
    """Return values whose rows count from 1 again."""
    sequence = 0
    for value in values:
        if value["kind"] == "row":
            sequence += 1
            value["row"]["sequence"] = sequence
    return values


#: Entries put in, taken out or moved, and where that is found.
MOVED: list[tuple[str, Change, Fault | None]] = [
    ("after the close", lambda v: [*v, v[6]], (33, "entry")),
    ("a second close", lambda v: [*v, close("completed")], (33, "entry")),
    ("stopped, then closed", lambda v: [*v[:-1], close("stopped"), v[-1]], None),
    ("stopped before a row of a seat", lambda v: [*v[:16], close("stopped")], None),
    ("stopped before a routing", lambda v: [*v[:17], close("stopped")], None),
    ("stopped before the row about files", lambda v: [*v[:12], close("stopped")], None),
    ("quiet while a turn is due", lambda v: [*v[:7], close("quiet")], (8, "entry")),
    ("max_turns while a turn is due", lambda v: [*v[:7], close("max_turns")], (8, "entry")),
    ("script while a turn is due", lambda v: [*v[:7], close("script")], (8, "entry")),
    ("script while a nudge is due", lambda v: [*v[:24], close("script")], (25, "entry")),
    ("script in a turn", lambda v: [*v[:4], close("script")], (5, "entry")),
    ("no opening", lambda v: [v[0], v[2]], (2, "entry")),
    ("the opening again", lambda v: [*v[:2], v[1], *v[2:]], (3, "entry")),
    ("all of it again", lambda v: rerow([*v[:2], *copy.deepcopy(v[1:])]), (3, "entry")),
    ("no row about files", lambda v: rerow([*v[:12], *v[13:]]), (13, "entry")),
    ("no routing", lambda v: [*v[:17], *v[18:]], (18, "entry")),
    ("a routing again", lambda v: [*v[:18], v[17]], (19, "entry")),
    ("no nudge", lambda v: rerow([*v[:24], *v[25:]]), (25, "entry")),
    ("a nudge again", lambda v: rerow([*v[:25], copy.deepcopy(v[24])]), (26, "entry")),
    ("no accepted call", lambda v: [*v[:4], *v[5:]], (5, "entry")),
    ("silent after a refusal", lambda v: [*v[:4], v[8] | {"turn": 1, "seat": "a"}], (5, "outcome")),
    (
        "silent after an accepted call",
        lambda v: [*v[:5], v[8] | {"turn": 1, "seat": "a"}],
        (6, "entry"),
    ),
    ("timed out with a text", lambda v: [*v[:8], v[8] | {"outcome": "timed_out"}], (9, "text")),
    ("a grant without its cue", lambda v: [*v[:2], {**v[2], "cue": None}], (3, "cue")),
    ("a row again", lambda v: [*v[:6], v[5]], (7, "entry")),
    ("an end again", lambda v: [*v[:9], v[8]], (10, "entry")),
    (
        "a call of the attempt before",
        lambda v: [*v[:3], v[2] | {"attempt": 2}, *v[3:]],
        (5, "entry"),
    ),
    (
        "a grant again with another cue",
        lambda v: [*v[:3], v[2] | {"attempt": 2, "cue": 1}],
        (4, "cue"),
    ),
    ("a grant again", lambda v: [*v[:3], v[2] | {"attempt": 2}], None),
    (
        "no turns at all",
        lambda v: rerow([line for line in v if line["kind"] != "turn"]),
        (3, "entry"),
    ),
]


@pytest.mark.parametrize("change, found", [case[1:] for case in MOVED], ids=[m[0] for m in MOVED])
def test_an_entry_that_was_put_in_or_taken_out_is_found(
    values: Callable[[], Values], forged: Forge, change: Change, found: Fault | None
) -> None:
    """What comes is what is due: nothing twice, nothing left out, nothing behind the close."""
    assert found == fault(forged(change(values())))


# What other rooms have that the scripted one above has not


def lived(seats: dict[Any, Any], **options: Any) -> list[Any]:
    """Return the entries of a live room that was played to its close."""
    journal = ListJournal()
    made = {"opening": "go", "clock": SimulatedClock(), "journal": journal, **options}
    anyio.run(Room(seats, **made).run)
    assert fault_of(journal.entries) is None
    return journal.entries


def place_of(entries: list[Any], **facts: Any) -> int:
    """Return where the first entry with these facts stands."""
    return next(
        at
        for at, entry in enumerate(entries)
        if all(getattr(entry, name, None) == fact for name, fact in facts.items())
    )


def test_a_room_has_one_header() -> None:
    """Entries of two runs, one behind the other, are none of a room."""
    entries = lived({"a": ScriptedSeat()})
    assert (2, "entry") == fault_of([entries[0], *entries])


def test_a_live_room_has_no_cues() -> None:
    """A script alone has them, and no place in it is far away."""
    entries = lived({"a": ScriptedSeat([post("x")])})
    grant, row = entries[2], entries[1]
    assert (3, "cue") == fault_of([*entries[:2], evolve(grant, cue=0)])
    said = evolve(row, row=evolve(row.row, sequence=2), kind=RowKind.PERSON, cue=0)
    assert (3, "entry") == fault_of([*entries[:2], said])
    assert fault_of([*entries[:2], evolve(said, cue=None)]) is None


@pytest.mark.parametrize("cue", [-1, 1, 7, 10**9])
def test_a_cue_out_of_the_script_is_found(cue: int) -> None:
    """Of a turn, and of a person's row."""
    seats = {"a": ScriptedSeat(), "b": ScriptedSeat()}
    script = Script([Cue(person="user", message="@a go")], listed=True)
    entries = lived(seats, opening=None, script=script, people={"user": "User"})
    assert (2, "entry") == fault_of([entries[0], evolve(entries[1], cue=cue)])
    entries = lived(seats, script=Script([Cue("a")], listed=True))
    at = place_of(entries, turn=1)
    assert (at + 1, "cue") == fault_of([*entries[:at], evolve(entries[at], cue=cue)])


def test_a_person_may_speak_at_any_time_but_before_the_opening_and_a_row_about_files() -> None:
    """What is said is a row wherever the room takes words; calls come too late at those times, too."""

    async def a(turn: Turn) -> None:
        await turn.post("@b x")
        turn.wrote("f")

    entries = lived({"a": a, "b": ScriptedSeat()})
    said = evolve(entries[1], kind=RowKind.PERSON)
    late = CallEntry(1, 1, "a", 2, "desk_read", {}, "turn_ended", True)

    def spoken(at: int) -> list[Any]:
        rows = sum(hasattr(entry, "row") for entry in entries[:at])
        return [*entries[:at], evolve(said, row=evolve(said.row, sequence=rows + 1))]

    # Header, opening, grant, call, row, row about files, grant, end, close.
    for at in (2, 3, 4, 6, 7, 8):
        assert fault_of(spoken(at)) is None
    for at in (1, 5):
        assert (at + 1, "entry") == fault_of(spoken(at))
        assert (at + 1, "entry") == fault_of([*entries[:at], late])
    assert fault_of([*entries[:6], late]) is None


def test_a_room_that_nobody_has_opened_waits() -> None:
    """Nothing may come before the first words; then all goes on from them."""
    entries = lived({"a": ScriptedSeat()})
    header = evolve(entries[0], setup=evolve(entries[0].setup, opening=None))
    assert (2, "entry") == fault_of([header, entries[2]])
    assert fault_of([header, evolve(entries[1], kind=RowKind.PERSON), *entries[2:]]) is None


def test_a_scripted_room_that_nobody_has_opened_does_not_wait() -> None:
    """It nudges while it can, and then it is quiet."""
    seats = {"a": ScriptedSeat(), "b": ScriptedSeat()}
    script = Script([Cue("b")], listed=False)
    entries = lived(seats, opening=None, script=script)
    assert [CloseEntry(CloseReason.QUIET)] == entries[1:]
    policy = Policy(chair=ChairPolicy(rounds=1))
    entries = lived(seats, opening=None, script=script, policy=policy)
    assert (CloseEntry(CloseReason.SCRIPT), 3) == (entries[-1], len(entries))
    assert (2, "entry") == fault_of([entries[0], CloseEntry(CloseReason.QUIET)])


def test_the_chair_keeps_its_cadence_and_its_rounds() -> None:
    """A nudge that is due before a pending turn hands on that turn, and none comes without rounds."""
    seats = {"a": ScriptedSeat([post("@b x")]), "b": ScriptedSeat([post("@a y")])}
    entries = lived(seats, policy=Policy(chair=ChairPolicy(rounds=1, every=1)))
    at = place_of(entries, kind=RowKind.NUDGE)
    own = evolve(entries[at].decision, child_hop=0)
    assert "b" == own.target_id
    assert (at + 1, "decision") == fault_of([*entries[:at], evolve(entries[at], decision=own)])
    assert (at + 1, "entry") == fault_of([*entries[:at], entries[at + 1]])
    again = evolve(entries[at], row=evolve(entries[at].row, sequence=len(entries)))
    assert (at + 2, "entry") == fault_of([*entries[: at + 1], again])


def test_no_more_turns_are_granted_than_are_allowed() -> None:
    """The limit closes a live room, and a listed one whose list goes on."""
    seats = {"a": ScriptedSeat([post("@b x")]), "b": ScriptedSeat()}
    entries = lived(seats, policy=Policy(max_turns=1))
    assert (len(entries), "entry") == fault_of([*entries[:-1], evolve(entries[2], turn=2)])
    script = Script([Cue("a"), Cue("b")], listed=True)
    entries = lived(seats, policy=Policy(max_turns=1), script=script)
    grant = evolve(entries[2], turn=2, seat="b", cue=1)
    assert (len(entries), "entry") == fault_of([*entries[:-1], grant])
    by_script = CloseEntry(CloseReason.SCRIPT)
    assert (len(entries), "reason") == fault_of([*entries[:-1], by_script])
    assert (4, "entry") == fault_of([*entries[:3], CloseEntry(CloseReason.MAX_TURNS)])


def test_in_listed_order_the_list_decides_and_the_chair_is_silent() -> None:
    """The next cue is granted, with the hop that the last row gives."""
    seats = {"a": ScriptedSeat([post("@b x")]), "b": ScriptedSeat(), "c": ScriptedSeat()}
    script = Script([Cue("a"), Cue("b"), Cue("c")], listed=True)
    entries = lived(seats, script=script, policy=Policy(chair=ChairPolicy(rounds=3)))
    at = place_of(entries, cue=1)
    grant = entries[at]
    assert ("b", 1) == (grant.seat, grant.hop)
    for fact, other in (("seat", "c"), ("hop", 0), ("cue", 2)):
        forged = evolve(grant, **{fact: other})
        assert (at + 1, fact) == fault_of([*entries[:at], forged])
    nudge = evolve(entries[1], kind=RowKind.NUDGE, row=evolve(entries[1].row, sequence=3))
    assert (at + 1, "entry") == fault_of([*entries[:at], nudge])
    for reason in (CloseReason.QUIET, CloseReason.MAX_TURNS, CloseReason.COMPLETED):
        assert (at + 1, "entry") == fault_of([*entries[:at], CloseEntry(reason)])


def test_a_listed_retry_plays_the_next_cue() -> None:
    """Only the head of the list, and only once."""
    script = Script([Cue("a"), Cue("a"), Cue("b")], listed=True)
    policy = Policy(silence="retry")
    entries = lived({"a": ScriptedSeat(), "b": ScriptedSeat()}, script=script, policy=policy)
    at = place_of(entries, attempt=2, cue=1)
    for cue in (None, 2):
        assert (at + 1, "cue") == fault_of([*entries[:at], evolve(entries[at], cue=cue)])


def test_a_broadcast_at_the_limit_of_hops_goes_to_nobody() -> None:
    """And one of the only seat, too."""
    seats = {"a": ScriptedSeat([broadcast("who?")]), "b": ScriptedSeat()}
    entries = lived(seats, policy=Policy(dispatch=DispatchPolicy(max_hops=0)))
    at = place_of(entries, sequence=2)
    routed = entries[at]
    assert RoutedEntry(2, (), (), 1) == routed
    assert (at + 1, "recipients") == fault_of([*entries[:at], evolve(routed, recipients=("b",))])
    asked = evolve(routed, scores=(("b", 1.0),))
    assert (at + 1, "scores") == fault_of([*entries[:at], asked])
    entries = lived({"a": ScriptedSeat([broadcast("who?")])})
    assert RoutedEntry(2, (), (), 1) == entries[at]


def test_what_the_lexical_router_gives_is_worked_out_again() -> None:
    """Its scores are those of the words, and its choice follows from them; another's are its own."""
    seats = {
        Seat(id="a"): ScriptedSeat([broadcast("who paints walls?")]),
        Seat(id="b", role="paints"): ScriptedSeat(),
        Seat(id="c"): ScriptedSeat(),
    }
    policy = Policy(broadcast=BroadcastPolicy(router="lexical", width=1))
    entries = lived(seats, policy=policy)
    at = place_of(entries, sequence=2)
    before, routed = entries[:at], entries[at]
    assert ("b",) == routed.recipients
    other = evolve(routed, scores=(("b", 0.0), ("c", 1.0)), recipients=("c",))
    assert (at + 1, "scores") == fault_of([*before, other])
    assert (at + 1, "recipients") == fault_of([*before, evolve(routed, recipients=("c",))])
    own = [evolve(before[0], own_router=True), *before[1:]]
    assert fault_of([*own, other]) is None
    assert (at + 1, "recipients") == fault_of([*own, evolve(other, recipients=("b",))])


def test_a_fence_seat_is_held_to_its_text() -> None:
    """What its text says is a call, or it said nothing."""
    fence = Seat(id="f", fence=True)
    entries = lived({fence: ScriptedSeat("<<<POST !aside hm POST>>>")})
    at = place_of(entries, outcome=Outcome.REFUSED)
    read_out, end = entries[at - 1 : at + 1]
    silent = evolve(end, outcome=Outcome.SILENT)
    assert (at, "entry") == fault_of([*entries[: at - 1], silent])
    assert fault_of([*entries[: at - 1], evolve(silent, text=" ")]) is None
    for other in (evolve(end, text=""), EndEntry(1, 1, "f", Outcome.TIMED_OUT)):
        assert (at + 1, "entry") == fault_of([*entries[:at], other])
    assert (at + 1, "entry") == fault_of([*entries[:at], read_out])
    late = evolve(read_out, late=True, reply="turn_ended")
    assert (at + 2, "entry") == fault_of([*entries[: at + 1], late])


def test_a_text_may_be_read_again_once_a_crash_has_cut_its_turn_short() -> None:
    """The message was kept and its row was not: the turn is granted once more."""
    entries = lived({Seat(id="f", fence=True): ScriptedSeat("hello")})
    at = place_of(entries, source="fence")
    grant = next(entry for entry in entries if isinstance(entry, TurnEntry))
    again = [evolve(grant, attempt=2), evolve(entries[at], attempt=2), *entries[at + 1 :]]
    assert fault_of([*entries[: at + 1], *again]) is None


def test_more_calls_than_allowed_are_refused() -> None:
    """The count is the turn's own."""
    seat = ScriptedSeat([read(), post("x"), complete("y")])
    entries = lived({"a": seat}, policy=Policy(max_calls=2))
    at = place_of(entries, reply="too_many_calls")
    assert (at + 1, "reply") == fault_of([*entries[:at], evolve(entries[at], reply="ok")])


def test_an_aside_is_judged_by_what_went_before() -> None:
    """A budget that was spent does not come back because a line says so."""
    policy = Policy(aside=AsidePolicy(enabled=True, max_members=1, max_messages=1))
    seats = {"a": ScriptedSeat([dm("b", "one")]), "b": ScriptedSeat([dm("a", "two")])}
    entries = lived(seats, policy=policy)
    at = place_of(entries, reply="budget_spent")
    assert (at + 1, "reply") == fault_of([*entries[:at], evolve(entries[at], reply="ok")])
