"""What verifying a journal tells a person, sentence by sentence; other tests compare line and fact."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from deskroom.core import Audience, Author, DispatchPolicy, NoTurn, Person, TurnFor
from deskroom.core.reasons import CloseReason, NoTurnReason, Outcome, RowKind
from deskroom.engine.due import Await
from deskroom.engine.engine import Engine
from deskroom.engine.entries import (
    CallEntry,
    CloseEntry,
    EndEntry,
    Entry,
    HeaderEntry,
    Raised,
    RoutedEntry,
    RowEntry,
    TurnEntry,
)
from deskroom.engine.messages import Call, TurnEnd
from deskroom.engine.policy import ChairPolicy, Policy
from deskroom.engine.script import Cue, Script
from deskroom.engine.setup import Opening, Seat, Setup
from deskroom.journal import JournalError, verify_entries

SETUP = Setup(
    desk_id="d",
    desk_name="D",
    seats=(Seat(id="a"), Seat(id="b"), Seat(id="f", fence=True)),
    people=(Person("sam", "Sam"),),
    policy=Policy(chair=ChairPolicy(rounds=1)),
    opening=Opening("sam", "@a go"),
)
SCRIPTED = evolve(SETUP, script=Script([Cue(person="sam"), Cue("a")], listed=False))


def begun(setup: Setup = SETUP, entries: int = 3) -> list[Entry]:
    """Return the first entries of a room: the header, the opening, the first grant."""
    engine = Engine(setup)
    found: list[Entry] = [engine.header()]
    engine.apply(found[0])
    while len(found) < entries:
        due = engine.due()
        assert not isinstance(due, Await)
        found.append(due)
        engine.apply(due)
    return found


def posted(
    message: str = "@b hi",
    tool: str = "desk_post",
    *,
    wrote: tuple[str, ...] = (),
    setup: Setup = SETUP,
) -> list[Entry]:
    """Return the entries of a room in which the first turn has spoken."""
    entries = begun(setup)
    engine = Engine.of(entries)
    call = engine.judge_call(Call(1, 1, "a", 1, tool, {"message": message}))
    assert call is not None
    engine.apply(call)
    return [*entries, call, *engine.end(TurnEnd(1, 1, "a", wrote=wrote))]


def with_change(entries: list[Entry], **facts: Any) -> list[Entry]:
    """Return entries of which the last is changed; facts of its row may be among them."""
    last: Any = entries[-1]
    row = {name: facts.pop(name) for name in list(facts) if name in ROW_FACTS}
    if row:
        facts["row"] = evolve(last.row, **row)
    return [*entries[:-1], evolve(last, **facts)]


ROW_FACTS = {"content", "audience", "author", "chat_id"}
BROADCAST = "desk_broadcast"
NO_HOPS = evolve(SETUP, policy=Policy(dispatch=DispatchPolicy(max_hops=0)))
GRANT = TurnEntry(1, "a", 0, 1)
SILENT = EndEntry(1, 1, "a", Outcome.SILENT)
FAILED = EndEntry(1, 1, "a", Outcome.FAILED, error=Raised("OSError", "a long text"))
READ_OUT = CallEntry(1, 1, "f", 0, "desk_post", {"message": "x"}, "ok", False, "fence")
FENCED = evolve(SETUP, opening=Opening("sam", "@f go"))
NO_OPENING = evolve(SETUP, opening=None)
ONLY_HEADER: list[Entry] = [HeaderEntry(SETUP)]
CLOSE = CloseEntry(CloseReason.QUIET)


def room_of(**facts: Any) -> list[Entry]:
    """Return a header alone, with some of what it is made of changed."""
    return [HeaderEntry(evolve(SETUP, **facts))]


def said(message: str, cue: int | None = None) -> RowEntry:
    """Return what a person says after the opening."""
    engine = Engine.of(begun(entries=2))
    return evolve(engine.say("sam", message), cue=cue)


def by(author: str, entry: RowEntry) -> RowEntry:
    """Return a person's row as another's."""
    return evolve(entry, row=evolve(entry.row, author=Author("person", author)))


def quiet() -> list[Entry]:
    """Return the entries of a room that has closed."""
    setup = evolve(SETUP, policy=Policy())
    return [*begun(setup), SILENT, CLOSE]


#: What stands last in some entries is wrong, and this is said of it, after "line N differs: ".
SENTENCES: list[tuple[str, list[Entry]]] = [
    # What no room can be made of; other tests have the sentences of each.
    (
        "no room can be made of it: the participant 'z' is not in this room",
        room_of(policy=Policy(participants=("z",))),
    ),
    (
        "no room can be made of it: the participant 'a' is named twice",
        room_of(policy=Policy(participants=("a", "a"))),
    ),
    (
        "no room can be made of it: the script's seat 'z' is not in this room",
        room_of(script=Script([Cue("z")], listed=True)),
    ),
    (
        "no room can be made of it: the script's person 'z' is not in this room",
        room_of(script=Script([Cue(person="z")], listed=True)),
    ),
    (
        "no room can be made of it: a cue of a script is for a seat or for a person",
        room_of(script=Script([Cue("a", "sam")], listed=True)),
    ),
    # Entries that cannot come.
    ("a journal has one header", [*ONLY_HEADER, *ONLY_HEADER]),
    ("the room closed before it (quiet)", [*quiet(), GRANT]),
    ("a is granted a turn, but the opening is due", [*ONLY_HEADER, GRANT]),
    ("'z' is not a seat of this room", [*begun(), CallEntry(1, 1, "z", 1, "t", {})]),
    ("b makes a call, but turn 1 is not open", [*begun(), CallEntry(1, 1, "b", 1, "t", {})]),
    (
        "a makes a call, but turn 1 is open, and the call counts as late",
        [*begun(), CallEntry(1, 1, "a", 1, "t", {}, "turn_ended", True)],
    ),
    (
        "a makes a call, but the row about the files of turn 1 is due",
        [*posted(wrote=("x.py",)), CallEntry(1, 1, "a", 2, "t", {}, "turn_ended", True)],
    ),
    ("no message can be read out of a text here", [*begun(), READ_OUT]),
    (
        "the message read out of the text is not the one in the text",
        [*begun(FENCED), READ_OUT, evolve(SILENT, seat="f", text="y")],
    ),
    ("turn 2 of a ends, but it is not open", [*begun(), evolve(SILENT, turn=2)]),
    (
        "turn 1 ends without a row, but its message was accepted",
        [*posted()[:4], SILENT],
    ),
    ("turn 1 has a row, but no message of it was accepted", [*begun(), posted()[-1]]),
    ("a seat speaks, but no turn is open", [*posted(), posted()[-1]]),
    ("'pat' is not a person of this room", [*begun(), by("pat", said("x"))]),
    ("a person speaks, but the opening is due", [*ONLY_HEADER, said("x")]),
    ("what a person says must not be blank", with_change([*begun(), said("x")], content=" ")),
    (
        "what a person says must be text that UTF-8 can hold",
        with_change([*begun(), said("x")], content="\ud800"),
    ),
    ("there is no cue 4 in the script", [*begun(SCRIPTED, 2), said("x", cue=4)]),
    (
        "there is a row of kind nudge, but turn 1 (attempt 1) of a is due",
        [*begun(entries=2), evolve(said("x"), kind=RowKind.NUDGE)],
    ),
    (
        "there is a row of kind opening, but sam is to speak",
        [*begun(SCRIPTED, 2), evolve(said("x"), kind=RowKind.OPENING)],
    ),
    ("row 1 is routed, but turn 1 (attempt 2) of a is due", [*begun(), RoutedEntry(1, (), (), 1)]),
    ("a is granted a turn, but a broadcast is to be routed", [*posted("?", BROADCAST), GRANT]),
    (
        "a is granted a turn, but row 2, a broadcast, is to be routed",
        [*posted("?", BROADCAST, setup=NO_HOPS), GRANT],
    ),
    (
        "the room closes (quiet), but the room waits for a person to speak",
        [HeaderEntry(NO_OPENING), CLOSE],
    ),
    ("a is granted a turn, but a nudge is due", [*begun(), SILENT, GRANT]),
    ("a is granted a turn, but the room closes (quiet)", [*quiet()[:-1], GRANT]),
    # Facts that differ.
    ("the seat is 'b'; by the rules it is 'a'", with_change(begun(), seat="b")),
    ("the number of the call is 3; by the rules it is 1", with_change(posted()[:4], call_id=3)),
    (
        "one of the arguments is not what the rules give",
        [*begun(FENCED), evolve(READ_OUT, arguments={"message": "x", "to": []})],
    ),
    ("the desk is 'e'; by the rules it is 'd'", with_change(posted(), chat_id="e")),
    (
        "the author is agent b; by the rules it is agent a",
        with_change(posted(), author=Author("agent", "b")),
    ),
    (
        "the audience is an aside to a, b; by the rules it is the desk",
        with_change(posted(), audience=Audience("aside", ("a", "b"))),
    ),
    ("the content is not what the rules give", with_change(posted(), content="x" * 100_000)),
    ("the list of mentions is not what the rules give", with_change(posted(), mentions=())),
    (
        "the decision is nobody (broadcast); by the rules it is b at hop 1",
        with_change(posted(), decision=NoTurn(NoTurnReason.BROADCAST)),
    ),
    ("the decision is not what the rules give", with_change(posted(), decision=TurnFor("b", 1))),
    ("completes is True; by the rules it is False", with_change(posted(), completes=True)),
    ("broadcasting is True; by the rules it is False", with_change(posted(), broadcasting=True)),
    (
        "the list of files is ('x.py',); by the rules it is ()",
        with_change(begun(entries=2), wrote=("x.py",)),
    ),
    (
        "the error is OSError; by the rules it is None",
        [*begun(), evolve(FAILED, outcome=Outcome.TIMED_OUT)],
    ),
    (
        "the list of recipients is ('f',); by the rules it is ('b',)",
        [*posted("?", BROADCAST), RoutedEntry(2, (("b", 0.0), ("f", 0.0)), ("f",), 1)],
    ),
    (
        "the list of scores is (('f', 0.0), ('b', 0.0)); by the rules it is (('b', 0.0), ('f', 0.0))",
        [*posted("?", BROADCAST), RoutedEntry(2, (("f", 0.0), ("b", 0.0)), ("b", "f"), 1)],
    ),
]


@pytest.mark.parametrize("sentence, entries", SENTENCES, ids=[case[0][:60] for case in SENTENCES])
def test_the_last_entry_is_wrong(sentence: str, entries: list[Entry]) -> None:
    """The line, and what is wrong with it; what stands before it is right."""
    if len(entries) > 1:
        verify_entries(entries[:-1], "run.jsonl")
    with pytest.raises(JournalError) as caught:
        verify_entries(entries, "run.jsonl")
    line = len(entries)
    assert f"run.jsonl:{line}: line {line} differs: {sentence}" == str(caught.value)
