from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from attrs import evolve

from deskroom.core import AsidePolicy, DispatchPolicy
from deskroom.engine.entries import CloseEntry
from deskroom.journal import (
    JournalError,
    verify,
    verify_entries,
)
from deskroom.room import ChairPolicy, Cue, Policy, Room, Script, Seat, SimulatedClock, Turn
from deskroom.testing import ListJournal, ScriptedSeat, broadcast, complete, dm, post, read

Values = list[dict[str, Any]]
Forge = Callable[[Iterable[dict[str, Any]]], Path]

SHIPPED = sorted((Path(__file__).parents[2] / "scenarios").rglob("*.toml"))


def verdict(path: Path) -> str:
    """Return what is wrong with a journal: the line twice, and the sentence."""
    with pytest.raises(JournalError) as caught:
        verify(path)
    line = caught.value.line
    start = f"{path}:{line}: line {line} differs: "
    assert str(caught.value).startswith(start), str(caught.value)
    return f"{line}: {str(caught.value).removeprefix(start)}"


def simulated(seats: dict[Any, Any], journal: ListJournal, **options: Any) -> Room:
    """Return a room in simulated time that keeps its entries in a list."""
    return Room(
        seats, **{"opening": "go", "clock": SimulatedClock(), "journal": journal, **options}
    )


# Forgeries with a chain that holds, one kind of fact after the other


def changed(values: Values, line: int, place: str, value: Any) -> Values:
    """Return values with the fact at a dotted place of a line changed."""
    forged = copy.deepcopy(values)
    target: Any = forged[line - 1]
    *parents, last = place.split(".")
    for key in parents:
        target = target[int(key)] if isinstance(target, list) else target[key]
    target[int(last) if isinstance(target, list) else last] = value
    return forged


NAMED = {"kind": "agent", "id": "c"}
MENTION = {"target": NAMED, "text": "@c", "offset": 0, "quiet": False}
AUDIENCE = {"kind": "aside", "members": ["b"]}


@pytest.mark.parametrize(
    "line, place, value, told",
    [
        # Grants
        (3, "turn", 2, "the grant is turn 2 (attempt 1) to a at hop 0 for row 1; the room decides turn 1 (attempt 1) to a at hop 0 for row 1"),
        (3, "attempt", 2, "the grant is turn 1 (attempt 2) to a at hop 0 for row 1; the room decides turn 1 (attempt 1) to a at hop 0 for row 1"),
        (3, "seat", "b", "the grant is turn 1 (attempt 1) to b at hop 0 for row 1; the room decides turn 1 (attempt 1) to a at hop 0 for row 1"),
        (3, "seat", "z", "'z' is no seat of this room"),
        (8, "hop", 0, "the grant is turn 2 (attempt 1) to b at hop 0 for row 2; the room decides turn 2 (attempt 1) to b at hop 1 for row 2"),
        (8, "trigger", 1, "the grant is turn 2 (attempt 1) to b at hop 1 for row 1; the room decides turn 2 (attempt 1) to b at hop 1 for row 2"),
        (10, "attempt", 3, "the grant is turn 2 (attempt 3) to b at hop 1 for row 2; the room decides turn 2 (attempt 2) to b at hop 1 for row 2"),
        (22, "seat", "a", "the grant is turn 5 (attempt 1) to a at hop 1 for row 6; the room decides turn 5 (attempt 1) to c at hop 1 for row 6"),
        (8, "cue", 0, "cue 0 of the script is not due"),
        (8, "cue", -1, "cue -1 of the script is not due"),
        (8, "cue", None, "the grant has no cue of the script"),
        # Calls
        (4, "reply", "ok", "the reply is 'ok'; the room decides 'unknown_tool'"),
        (5, "reply", "budget_spent", "the reply is 'budget_spent'; the room decides 'ok'"),
        (7, "reply", "ok", "the reply is 'ok'; the room decides 'turn_ended'"),
        (5, "late", True, "the call is late and its turn is open"),
        (7, "late", False, "no such turn is open"),
        (5, "seat", "b", "no such turn is open"),
        (5, "seat", "z", "'z' is no seat of this room"),
        (7, "seat", "b", "it is call 3 of its turn; the one due is 0"),
        (5, "turn", 2, "no such turn is open"),
        (5, "attempt", 2, "no such turn is open"),
        (5, "call_id", 1, "it is call 1 of its turn; the one due is 2"),
        (5, "source", "fence", "it is call 2 of its turn; the one due is 0"),
        (23, "source", "call", "it is call 0 of its turn; the one due is 1"),
        (23, "tool", "desk_broadcast", "it is read out of a text, and the seat has tools or its text was read before"),
        (5, "tool", "desk_post", "the reply is 'ok'; the room decides 'bad_arguments'"),
        # Ends
        (9, "outcome", "refused", "the outcome is 'refused'; the room decides 'silent'"),
        (9, "outcome", "failed", "a turn says what its seat raised if it failed, and only then"),
        (21, "outcome", "timed_out", "a turn says what its seat raised if it failed, and only then"),
        (21, "error", None, "a turn says what its seat raised if it failed, and only then"),
        (9, "error", "boom", "a turn says what its seat raised if it failed, and only then"),
        (9, "turn", 1, "turn 1 of b ends, and it is not open"),
        (9, "attempt", 2, "turn 2 of b ends, and it is not open"),
        (9, "seat", "a", "turn 2 of a ends, and it is not open"),
        # Rows
        (6, "row.sequence", 3, "the sequence is 3; the room decides 2"),
        (6, "row.chat_id", "e", "the desk is 'e'; the room decides 'd'"),
        (6, "row.parent", 1, "the parent is 1; the room decides None"),
        (6, "row.author.id", "b", "the author is Author(type='agent', id='b', kind=None); the room decides Author(type='agent', id='a', kind=None)"),
        (2, "row.author.type", "agent", "the author is Author(type='agent', id='sam', kind=None); the room decides Author(type='person', id='sam', kind=None)"),
        (13, "row.author.kind", "chair", "the author is Author(type='system', id=None, kind='chair'); the room decides Author(type='system', id=None, kind='workspace')"),
        (6, "row.audience.members", ["b", "c"], "the audience is an aside to b, c; the room decides an aside to b"),
        (6, "row.audience", {"kind": "desk"}, "the audience is the desk; the room decides an aside to b"),
        (12, "row.audience", AUDIENCE, "the audience is an aside to b; the room decides the desk"),
        (14, "row.audience", AUDIENCE, "the audience is an aside to b; the room decides the desk"),
        (6, "row.content", "pssst", "the content is not what the room was told to say"),
        (2, "row.content", "@a begin!", "the content is not what the room was told to say"),
        (13, "row.content", "b wrote y.py", "the content is not what the room was told to say"),
        (25, "row.content", "@c speak", "the content is not what the room was told to say"),
        (12, "turn", 1, "it is the row of turn 1, which is not open"),
        (13, "turn", 1, "the turn is 1; the room decides 2"),
        (14, "turn", 2, "the turn is 2; the room decides None"),
        (12, "trigger", 1, "the trigger is 1; the room decides 2"),
        (14, "trigger", 1, "the trigger is 1; the room decides None"),
        (6, "refusal", "disabled", "the refusal is 'disabled'; the room decides None"),
        (12, "completes", True, "completes is True; the room decides False"),
        (31, "completes", False, "completes is False; the room decides True"),
        (17, "broadcasting", False, "broadcasting is False; the room decides True"),
        (12, "mentions", [], "the list of mentions is (); the room decides (Mention(target=Target(kind='agent', id='c'), text='@c', offset=0, quiet=False),)"),
        (12, "decision.target_id", "a", "the decision is a at hop 2; the room decides c at hop 2"),
        (12, "decision.child_hop", 1, "the decision is c at hop 1; the room decides c at hop 2"),
        (12, "decision.mention.text", "@C", "the decision names another mention than the room's: TurnFor(target_id='c', child_hop=2, mention=Mention(target=Target(kind='agent', id='c'), text='@c', offset=0, quiet=False))"),
        (12, "decision", {"kind": "none", "reason": "self_mention"}, "the decision is nobody (self_mention); the room decides c at hop 2"),
        (17, "decision.reason", "hop_limit_reached", "the decision is nobody (hop_limit_reached); the room decides nobody (broadcast)"),
        (24, "decision", {"kind": "one", "target_id": "c", "child_hop": 2, "mention": MENTION}, "the decision is c at hop 2; the room decides nobody (no_direct_agent_mention)"),
        (14, "decision.target_id", "a", "the decision is a at hop 0; the room decides b at hop 0"),
        (13, "decision.reason", "disabled", "the decision is nobody (disabled); the room decides nobody (source_inactive)"),
        (25, "decision.target_id", "a", "the decision is a at hop 0; the room decides c at hop 0"),
        (25, "mentions.0.target.id", "a", "the list of mentions is (Mention(target=Target(kind='agent', id='a'), text='@c', offset=0, quiet=False),); the room decides (Mention(target=Target(kind='agent', id='c'), text='@c', offset=0, quiet=False),)"),
        (14, "cue", 2, "cue 2 of the script is not due"),
        (14, "cue", 7, "cue 7 of the script is not due"),
        (12, "cue", 2, "the cue is 2; the room decides None"),
        (13, "wrote", ["y.py"], "wrote is ('y.py',); the room decides ()"),
        (2, "source", "person", "a person spoke, and the room has not been opened"),
        (14, "source", "opening", "the room was opened, and turn 3 of c is due"),
        (14, "source", "nudge", "the chair spoke, and turn 3 of c is due"),
        (14, "source", "wrote", "it is about files that no turn left behind; turn 3 of c is due"),
        (14, "source", "seat", "it is the row of turn None, which is not open"),
        (14, "row.author.id", "pat", "'pat' is no person of this room"),
        # Routing and the close
        (18, "sequence", 5, "row 5 was routed, and row 6 waits for its routing"),
        (18, "recipients", ["b"], "the recipients ['b'] are not among ['a', 'c']"),
        (18, "recipients", ["a", "a"], "the recipients ['a', 'a'] are not among ['a', 'c']"),
        (18, "recipients", [], "0 seats got it; between 1 and 2 may"),
        (18, "hop", 0, "the hop is 0; the room decides 1"),
        (32, "reason", "quiet", "the room closed as quiet, and the room closes (completed)"),
        (32, "reason", "script", "the room closed as script, and the room closes (completed)"),
        (32, "reason", "failed", "the room closed as failed, and the room closes (completed)"),
    ],
)  # fmt: skip
def test_a_fact_that_was_changed_is_told(
    values: Callable[[], Values], forged: Forge, line: int, place: str, value: Any, told: str
) -> None:
    """A chain that was sealed again hides nothing: the first line that differs is named, and how."""
    assert f"{line}: {told}" == verdict(forged(changed(values(), line, place, value)))


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the path of every fact in a line."""
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            yield from leaves(item, (*path, str(key)))
    else:
        yield path


def another(value: Any) -> Any:
    """Return a value of the same type that says something else; where there is none, one."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str():
            return f"{value}x"
        case _:
            return 1


#: What only a seat or a person can say, so that nobody can tell whether it was said: what was
#: refused, dropped or said too late, thoughts and errors, a person's words, and the next cue.
FREE = {
    "4 tool",
    "4 arguments.loud",
    "7 tool",
    "9 text",
    "14 row.content",
    "20 arguments.message",
    "21 text",
    "21 error",
    "29 cue",
}


def test_there_is_no_fact_that_is_not_held_against_the_rules(
    values: Callable[[], Values], forged: Forge
) -> None:
    """Change any fact of any line: verifying or reading stops there or later, but for a seat's own."""
    unnoticed = set()
    for number, value in enumerate(values(), start=1):
        for path in leaves(value) if number > 1 else ():
            place = ".".join(path)
            old: Any = value
            for key in path:
                old = old[int(key)] if isinstance(old, list) else old[key]
            found = first_fault(forged(changed(values(), number, place, another(old))))
            if found is None:
                unnoticed.add(f"{number} {place}")
            else:
                assert found >= number, (number, place)
    assert FREE == unnoticed


def first_fault(path: Path) -> int | None:
    """Return the line that verifying a journal stops at, or None."""
    try:
        verify(path)
    except JournalError as error:
        return error.line
    return None


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


#: An entry put in, taken out or moved, and what is told of it.
MOVED: list[tuple[Change, str | None]] = [
    (lambda v: [*v, v[6]], "33: the room was closed (completed) before it"),
    (lambda v: [*v, close("completed")], "33: the room was closed (completed) before it"),
    (lambda v: [*v[:-1], close("stopped"), v[-1]], None),
    (lambda v: [*v[:16], close("stopped")], None),
    (lambda v: [*v[:17], close("stopped")], None),
    (lambda v: [*v[:12], close("stopped")], None),
    (lambda v: [*v[:7], close("quiet")], "8: the room closed as quiet, and turn 2 of b is due"),
    (lambda v: [*v[:7], close("max_turns")], "8: the room closed as max_turns, and turn 2 of b is due"),
    (lambda v: [*v[:7], close("script")], None),
    (lambda v: [*v[:24], close("script")], "25: the room closed as script, and a nudge to c is due"),
    (lambda v: [*v[:4], close("script")], "5: the room closed as script, and turn 1 of a is due"),
    (lambda v: [v[0], v[2]], "2: a was granted a turn, and the room has not been opened"),
    (lambda v: [*v[:2], v[1], *v[2:]], "3: the room was opened, and turn 1 of a is due"),
    (lambda v: rerow([*v[:2], *copy.deepcopy(v[1:])]), "3: the room was opened, and turn 1 of a is due"),
    (lambda v: rerow([*v[:12], *v[13:]]), "13: a person spoke, and the row about the files of turn 2 is due"),
    (lambda v: [*v[:17], *v[18:]], "18: a was granted a turn, and row 6 waits for its routing"),
    (lambda v: [*v[:18], v[17]], "19: row 6 was routed, and turn 4 of a is due"),
    (lambda v: rerow([*v[:24], *v[25:]]), "25: c was granted a turn, and a nudge to c is due"),
    (lambda v: rerow([*v[:25], copy.deepcopy(v[24])]), "26: the chair spoke, and turn 6 of c is due"),
    (lambda v: [*v[:4], *v[5:]], "5: turn 1 has a row and no accepted call"),
    (lambda v: [*v[:4], v[8] | {"turn": 1, "seat": "a"}], "5: the outcome is 'silent'; the room decides 'refused'"),
    (lambda v: [*v[:5], v[8] | {"turn": 1, "seat": "a"}], "6: the outcome is 'silent'; the room decides 'spoke'"),
    (lambda v: [*v[:8], v[8] | {"outcome": "timed_out"}], "9: a turn whose time was over has no end of its own"),
    (lambda v: [*v[:2], {**v[2], "cue": None}], "3: the grant has no cue of the script"),
    (lambda v: [*v[:6], v[5]], "7: it is the row of turn 1, which is not open"),
    (lambda v: [*v[:9], v[8]], "10: turn 2 of b ends, and it is not open"),
    (lambda v: [*v[:3], v[2] | {"attempt": 2}, *v[3:]], "5: no such turn is open"),
    (lambda v: [*v[:3], v[2] | {"attempt": 2, "cue": 1}], "4: the cue is 1; the room decides 0"),
    (lambda v: [*v[:3], v[2] | {"attempt": 2}], None),
]  # fmt: skip


@pytest.mark.parametrize("change, told", MOVED, ids=map(str, range(len(MOVED))))
def test_an_entry_that_was_put_in_or_taken_out_is_told(
    values: Callable[[], Values], forged: Forge, change: Change, told: str | None
) -> None:
    """What comes is what is due: nothing twice, nothing left out, nothing behind the close."""
    path = forged(change(values()))
    if told is None:
        verify(path)
    else:
        assert told == verdict(path)


# What other rooms have that the scripted one above has not


def lived(seats: dict[Any, Any], **options: Any) -> list[Any]:
    """Return the entries of a live room that was played to its close."""
    journal = ListJournal()
    anyio.run(simulated(seats, journal, **options).run)
    verify_entries(journal.entries, "run")
    return journal.entries


def told(entries: list[Any]) -> str:
    """Return what is wrong with entries."""
    with pytest.raises(JournalError) as caught:
        verify_entries(entries, "run")
    return caught.value.problem


def test_a_room_has_one_header() -> None:
    """Entries of two runs, one behind the other, are none of a room."""
    entries = lived({"a": ScriptedSeat()})
    assert "line 2 differs: a journal has one header" == told([entries[0], *entries])


def test_a_live_room_has_no_cues() -> None:
    """A script alone has them."""
    entries = lived({"a": ScriptedSeat([post("x")])})
    grant, row = entries[2], entries[1]
    assert told([*entries[:2], evolve(grant, cue=0)]) == (
        "line 3 differs: cue 0 of the script is not due"
    )
    said = evolve(row, row=evolve(row.row, sequence=2), kind="person", cue=0)
    assert "line 3 differs: cue 0 of the script is not due" == told([*entries[:2], said])
    verify_entries([*entries[:2], evolve(said, cue=None)], "run")


def test_a_person_may_speak_at_any_time_but_before_the_opening_and_a_row_about_files() -> None:
    """What is said is a row wherever the room takes words."""

    async def a(turn: Turn) -> None:
        await turn.post("@b x")
        turn.wrote("f")

    entries = lived({"a": a, "b": ScriptedSeat()})
    word = evolve(entries[1], kind="person")

    def spoken(at: int) -> list[Any]:
        rows = sum(hasattr(entry, "row") for entry in entries[:at])
        return [*entries[:at], evolve(word, row=evolve(word.row, sequence=rows + 1))]

    # Header, opening, grant, call, row, row about files, grant, end, close.
    for at in (2, 3, 4, 6, 7, 8):
        verify_entries(spoken(at), "run")
    assert "line 2 differs: a person spoke, and the room has not been opened" == told(spoken(1))
    assert told(spoken(5)) == (
        "line 6 differs: a person spoke, and the row about the files of turn 1 is due"
    )


def test_a_room_that_nobody_has_opened_waits() -> None:
    """Nothing may come before the first words; then all goes on from them."""
    entries = lived({"a": ScriptedSeat()})
    header = evolve(entries[0], setup=evolve(entries[0].setup, opening=None))
    assert told([header, entries[2]]) == (
        "line 2 differs: a was granted a turn, and nothing is due until a person speaks"
    )
    verify_entries([header, evolve(entries[1], kind="person"), *entries[2:]], "run")


def test_a_scripted_room_that_nobody_has_opened_does_not_wait() -> None:
    """It nudges while it can, and then it is quiet."""
    seats = {"a": ScriptedSeat(), "b": ScriptedSeat()}
    script = Script([Cue("b")], listed=False)
    entries = lived(seats, opening=None, script=script)
    assert [CloseEntry("quiet")] == entries[1:]
    policy = Policy(chair=ChairPolicy(rounds=1))
    entries = lived(seats, opening=None, script=script, policy=policy)
    assert (CloseEntry("script"), 3) == (entries[-1], len(entries))
    assert "line 2 differs: the room closed as quiet, and a nudge to a is due" == told(
        [entries[0], CloseEntry("quiet")]
    )


def test_the_chair_keeps_its_cadence_and_its_rounds() -> None:
    """A nudge that is due before a pending turn hands on that turn, and none comes without rounds."""
    seats = {"a": ScriptedSeat([post("@b x")]), "b": ScriptedSeat([post("@a y")])}
    policy = Policy(chair=ChairPolicy(rounds=1, every=1))
    entries = lived(seats, policy=policy)
    at = next(n for n, entry in enumerate(entries) if getattr(entry, "kind", "") == "nudge")
    assert "b" == entries[at].decision.target_id
    own = evolve(entries[at].decision, child_hop=0)
    assert told([*entries[:at], evolve(entries[at], decision=own)]) == (
        f"line {at + 1} differs: the decision is b at hop 0; the room decides b at hop 1"
    )
    assert "a nudge to b is due" in told([*entries[:at], entries[at + 1]])
    again = evolve(entries[at], row=evolve(entries[at].row, sequence=len(entries)))
    assert "the chair spoke, and turn 2 of b is due" in told([*entries[: at + 1], again])


def test_no_more_turns_are_granted_than_are_allowed() -> None:
    """The limit closes a live room, and a listed one whose list goes on."""
    seats = {"a": ScriptedSeat([post("@b x")]), "b": ScriptedSeat()}
    entries = lived(seats, policy=Policy(max_turns=1))
    assert "the room closes (max_turns)" in told([*entries[:-1], evolve(entries[2], turn=2)])
    script = Script([Cue("a"), Cue("b")], listed=True)
    entries = lived(seats, policy=Policy(max_turns=1), script=script)
    grant = evolve(entries[2], turn=2, seat="b", cue=1)
    assert told([*entries[:-1], grant]).endswith(
        "b was granted a turn, and no more turns are allowed"
    )
    verify_entries([*entries[:-1], evolve(entries[-1], reason="script")], "run")
    told_of = told([*entries[:3], evolve(entries[-1], reason="max_turns")])
    assert told_of.endswith("the room closed as max_turns, and turn 1 of a is due")


def test_in_listed_order_the_list_decides_and_the_chair_is_silent() -> None:
    """Anybody may be granted the next cue, with the hop that the last row gives."""
    seats = {"a": ScriptedSeat([post("@b x")]), "b": ScriptedSeat(), "c": ScriptedSeat()}
    script = Script([Cue("a"), Cue("b"), Cue("c")], listed=True)
    policy = Policy(chair=ChairPolicy(rounds=3))
    entries = lived(seats, script=script, policy=policy)
    at = next(n for n, entry in enumerate(entries) if getattr(entry, "cue", None) == 1)
    grant = entries[at]
    assert ("b", 1) == (grant.seat, grant.hop)
    verify_entries([*entries[:at], evolve(grant, seat="c", hop=0)], "run")
    assert "to c at hop 0 for row 2" in told([*entries[:at], evolve(grant, seat="c")])
    assert "cue 2 of the script is not due" in told([*entries[:at], evolve(grant, cue=2)])
    nudge = evolve(entries[1], kind="nudge", row=evolve(entries[1].row, sequence=3))
    assert "the chair spoke, and it never does in listed order" in told([*entries[:at], nudge])
    for reason in ("quiet", "max_turns", "completed"):
        assert told([*entries[:at], evolve(entries[-1], reason=reason)]).endswith(
            f"the room closed as {reason}, and the script says who is next"
        )


def test_a_listed_retry_plays_the_next_cue_or_none() -> None:
    """Only the head of the list, and only once."""
    script = Script([Cue("a"), Cue("a"), Cue("b")], listed=True)
    policy = Policy(silence="retry")
    entries = lived({"a": ScriptedSeat(), "b": ScriptedSeat()}, script=script, policy=policy)
    at = next(n for n, entry in enumerate(entries) if getattr(entry, "attempt", 1) == 2)
    assert 1 == entries[at].cue
    verify_entries([*entries[:at], evolve(entries[at], cue=None)], "run")
    assert "cue 2 of the script is not due" in told([*entries[:at], evolve(entries[at], cue=2)])


def test_a_broadcast_at_the_limit_of_hops_goes_to_nobody() -> None:
    """And one of the only seat, too; otherwise somebody gets it."""
    seats = {"a": ScriptedSeat([broadcast("who?")]), "b": ScriptedSeat()}
    entries = lived(seats, policy=Policy(dispatch=DispatchPolicy(max_hops=0)))
    at = next(n for n, entry in enumerate(entries) if hasattr(entry, "recipients"))
    assert told([*entries[:at], evolve(entries[at], recipients=("b",))]).endswith(
        "1 seats got it; between 0 and 0 may"
    )
    entries = lived({"a": ScriptedSeat([broadcast("who?")])})
    assert () == entries[at].recipients


def test_a_fence_seat_is_held_to_its_text() -> None:
    """What its text says is a call, or it said nothing."""
    fence = Seat(id="f", fence=True)
    entries = lived({fence: ScriptedSeat("<<<POST !aside hm POST>>>")})
    at = next(n for n, entry in enumerate(entries) if hasattr(entry, "outcome"))
    assert "refused" == entries[at].outcome
    silent = evolve(entries[at], outcome="silent")
    wrong = "what was read out of the text is not what the text says"
    assert told([*entries[: at - 1], silent]).endswith(wrong)
    verify_entries([*entries[: at - 1], evolve(silent, text=" ")], "run")
    assert told([*entries[:at], evolve(entries[at], text="")]).endswith(wrong)
    twice = "it is read out of a text, and the seat has tools or its text was read before"
    assert told([*entries[:at], entries[at - 1]]).endswith(twice)
    late = evolve(entries[at - 1], late=True, reply="turn_ended")
    assert told([*entries[: at + 1], late]).endswith(twice)


def test_more_calls_than_allowed_are_refused() -> None:
    """The count is the turn's own."""
    seat = ScriptedSeat([read(), post("x"), complete("y")])
    entries = lived({"a": seat}, policy=Policy(max_calls=2))
    at = next(n for n, e in enumerate(entries) if getattr(e, "reply", "") == "too_many_calls")
    assert told([*entries[:at], evolve(entries[at], reply="ok")]).endswith(
        "the reply is 'ok'; the room decides 'too_many_calls'"
    )


def test_an_aside_is_judged_by_what_went_before() -> None:
    """A budget that was spent does not come back because a line says so."""
    policy = Policy(aside=AsidePolicy(enabled=True, max_members=1, max_messages=1))
    entries = lived(
        {"a": ScriptedSeat([dm("b", "one")]), "b": ScriptedSeat([dm("a", "two")])}, policy=policy
    )
    at = next(n for n, entry in enumerate(entries) if getattr(entry, "reply", "") == "budget_spent")
    assert told([*entries[:at], evolve(entries[at], reply="ok")]).endswith(
        "the reply is 'ok'; the room decides 'budget_spent'"
    )
