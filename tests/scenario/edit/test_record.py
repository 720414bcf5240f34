from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deskroom.core import NoTurn
from deskroom.core.reasons import CloseReason, NoTurnReason
from deskroom.engine.entries import (
    CallEntry,
    CloseEntry,
    Entry,
    MemoryJournal,
    RoutedEntry,
    RowEntry,
    TurnEntry,
)
from deskroom.room import (
    ChairPolicy,
    Policy,
    Room,
    ScriptedRouter,
    Seat,
    SimulatedClock,
    Turn,
)
from deskroom.runs import Run
from deskroom.scenario import Scenario, parse_scenario, replay_scenario
from deskroom.scenario.check import check_text
from deskroom.scenario.edit.record import (
    Recorded,
    RecordError,
    _difference,
    record_run,
)
from deskroom.scenario.edit.script import RecordedScript, extract_script
from deskroom.scenario.format.write import scenario_toml
from deskroom.scenario.play.replay import run_scripted, scripted_room
from deskroom.testing import ListJournal, ScriptedSeat, broadcast, dm, out_of_turn, post, read
from deskroom.wire import entry_in, entry_out

HEADLINE = "# This run was recorded from a journal, and not all of it can be said in a file:\n"
DESK = """\
format = 1
title = "A recorded run of desk"
order = "routed"

[desk]
id = "desk"
name = "desk"
people = [{ id = "user", label = "User" }]
seats = [
    { id = "a" },
    { id = "b" },
]

"""
OPENING = '[opening]\nby = "user"\nmessage = "@a begin"\nexpect = { next = "a" }\n\n'


def as_read(entries: Iterable[Entry]) -> list[Entry]:
    """Return entries as a journal file gives them back."""
    return [entry_in(json.loads(json.dumps(entry_out(entry)))) for entry in entries]


def record(entries: Iterable[Entry], path: str = "<journal>") -> Recorded:
    """Record the run of these entries."""
    return record_run(Run.from_entries(entries), path)


def script_of(entries: Iterable[Entry]) -> RecordedScript:
    """Return the script of these entries."""
    return extract_script(Run.from_entries(entries))


def played(scenario: Scenario) -> list[Entry]:
    """Play a scenario and return its journal."""
    journal = MemoryJournal()
    replay_scenario(scenario, journal=journal)
    return as_read(journal.entries)


def lived(acts: Mapping[Any, Any], **options: Any) -> list[Entry]:
    """Run a room without a script and return its journal."""
    journal = ListJournal()
    options = {"opening": "@a begin", **options}
    room = Room(acts, clock=SimulatedClock(), journal=journal, **options)
    anyio.run(room.run)
    return as_read(journal.entries)


def scripts(recorded: Recorded) -> str:
    """Return the text behind the desk."""
    text = recorded.text.removeprefix(HEADLINE)
    return text[text.index("[opening]") :].removeprefix(OPENING)


def recorded_or_none(entries: list[Entry]) -> Recorded | None:
    """Record a journal, unless nobody played a turn in it."""
    try:
        return record(entries)
    except RecordError as error:
        if "no turn was played" not in str(error):
            raise
        return None


def rows(entries: Iterable[Entry]) -> list[RowEntry]:
    """Return the rows, without their places in a script."""
    return [evolve(entry, cue=None) for entry in entries if isinstance(entry, RowEntry)]


def replayed(recorded: Recorded) -> list[Entry]:
    """Return the journal of a replay of what was recorded; every expectation must hold."""
    scenario = parse_scenario(recorded.text)
    assert replay_scenario(scenario).ok
    return played(scenario)


# What a script had


@pytest.mark.slow
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_replay_that_is_recorded_replays_to_the_same(scenarios: Any, data: st.DataObject) -> None:
    """Same rows, decisions and turns; recording it again gives the same text."""
    entries = played(parse_scenario(scenario_toml(data.draw(scenarios))))
    recorded = recorded_or_none(entries)
    if recorded is None:
        assert all(entry.kind == "opening" for entry in rows(entries))
        return
    again = replayed(recorded)
    assert rows(entries) == rows(again)
    assert () == recorded.remarks
    assert recorded.text == record(again).text


@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_run_that_was_cut_short_anywhere_is_recorded_so_far(
    scenarios: Any, data: st.DataObject
) -> None:
    """What came before is the same, whatever the room was at; the file says that it was cut."""
    entries = played(parse_scenario(scenario_toml(data.draw(scenarios))))
    cut = entries[: data.draw(st.integers(1, len(entries) - 1))]
    recorded = recorded_or_none(cut)
    if recorded is None:
        return
    before, again = rows(cut), rows(replayed(recorded))
    if any("a nudge that no turn came after" in remark for remark in recorded.remarks):
        before = before[:-1]
    assert before == again[: len(before)]
    assert {"wrote"} >= {entry.kind for entry in again[len(before) :]}
    assert recorded.text.startswith(HEADLINE)


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_run_that_was_resumed_is_recorded_as_if_it_had_not_been(
    scenarios: Any, data: st.DataObject
) -> None:
    """Of a turn that was granted again, only the attempt that counted is there."""
    scenario = parse_scenario(scenario_toml(data.draw(scenarios)))
    entries = played(scenario)
    cut = data.draw(st.integers(1, len(entries) - 1))
    journal = MemoryJournal()
    room = scripted_room(scenario, resume=entries[:cut], journal=journal)
    anyio.run(run_scripted, room)
    resumed = [*entries[:cut], *as_read(journal.entries)]
    recorded = recorded_or_none(entries)
    if recorded is not None:
        assert recorded.text == record(resumed).text


def test_only_policies_that_differ_from_the_defaults_are_written() -> None:
    """And only the keys that do."""
    entries = lived({"a": ScriptedSeat([post("hello")])}, policy=Policy(close="all", window=3))
    text = record(entries).text
    assert '[policy]\nclose = "all"\nwindow = 3\n\n[opening]' in text


def test_a_run_that_max_turns_closed_keeps_a_turn_that_is_never_played() -> None:
    """Without it the script would be what ends, and not the policy."""
    acts = {"a": ScriptedSeat([post("@b go")]), "b": ScriptedSeat([post("@a go")])}
    recorded = record(lived(acts, policy=Policy(max_turns=1)))
    assert (
        '[[turn]]\nseat = "a"\nsay = "@b go"\nexpect = { audience = "desk", next = "b" }\n\n'
        '# Never played: max_turns closes the room before it.\n[[turn]]\nseat = "b"\n\n'
        '[expect]\nrows = 2\nturns = 1\nclosed = "max_turns"\n' == scripts(recorded)
    )


# What a live room had


def test_a_live_room_becomes_a_routed_scenario() -> None:
    """Its seats' calls are the script, and what came of them is expected."""
    acts = {
        "a": ScriptedSeat([read(2), dm("b", "psst"), post("@b hi\nthere")]),
        "b": ScriptedSeat("only thinking"),
    }
    recorded = record(lived(acts))
    assert (
        '[[turn]]\nseat = "a"\ncalls = [\n    { tool = "desk_read", limit = 2 },\n'
        '    { tool = "desk_dm", to = ["b"], message = "psst" },\n'
        '    { tool = "desk_post", message = """\n@b hi\nthere""" },\n]\n'
        'expect = { audience = "desk", next = "b", replies = ["ok", "disabled", "ok"] }\n\n'
        '[[turn]]\nseat = "b"\ntext = "only thinking"\n'
        'expect = { row = false, outcome = "silent" }\n\n'
        '[expect]\nrows = 2\nturns = 2\nclosed = "quiet"\n' == scripts(recorded)
    )
    assert recorded.text.startswith(DESK)
    assert () == recorded.remarks


def test_a_person_who_spoke_between_turns_has_a_turn() -> None:
    """A room that nobody opened begins with it."""
    journal = ListJournal()
    room = Room(
        {"a": ScriptedSeat([post("done")]), "b": ScriptedSeat([post("done too")])},
        clock=SimulatedClock(),
        journal=journal,
    )

    async def run() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(room.say, "user", "@b begin")
            await anyio.lowlevel.checkpoint()
            await room.run()

    anyio.run(run)
    recorded = record(as_read(journal.entries))
    assert recorded.text.startswith(
        f'{DESK}[[turn]]\nperson = "user"\nsay = "@b begin"\nexpect = {{ next = "b" }}\n\n[[turn]]'
    )
    assert () == recorded.remarks


def interrupted(first: Any) -> list[Entry]:
    """Return the journal of a room in which a person speaks during the first turn."""
    journal = ListJournal()

    async def a(turn: Turn) -> None:
        if turn.number == 1:
            await room.say("user", "@b you go on")
            await first(turn)

    acts: dict[str, Any] = {"a": a, "b": ScriptedSeat([post("here")])}
    room = Room(acts, opening="@a begin", journal=journal)
    anyio.run(room.run)
    return as_read(journal.entries)


def test_what_a_person_said_in_a_turn_stands_in_that_turn() -> None:
    """The rows come in the same order, and the turn goes to whom the person named."""
    entries = interrupted(lambda turn: turn.post("too late"))
    assert ["begin", "you go on", "too late", "here"] == [
        entry.row.content.removeprefix("@a ").removeprefix("@b ") for entry in rows(entries)
    ]
    recorded = record(entries)
    assert ["a", "b"] == [turn.seat for turn in recorded.replay.scenario.turns]
    assert (
        'say = "too late"\nmeanwhile = [{ person = "user", say = "@b you go on" }]' in recorded.text
    )
    assert () == recorded.remarks


def test_what_a_person_said_between_two_calls_is_told_with_their_number() -> None:
    """In a turn that became no row as well."""

    async def reads(turn: Turn) -> None:
        await turn.read()
        await turn.read()

    entries = interrupted(reads)
    person = next(at for at, entry in enumerate(entries) if "you go on" in str(entry))
    # As if the person had spoken a call later.
    entries[person], entries[person + 1] = entries[person + 1], entries[person]
    recorded = record(entries)
    assert 'meanwhile = [{ person = "user", say = "@b you go on", at = 1 }]' in recorded.text


def test_what_a_router_chose_becomes_scores() -> None:
    """They are those that the journal holds; a policy that names another router is told of."""
    acts = {
        id_: ScriptedSeat([broadcast("who?")] if id_ == "a" else [post(f"{id_} here")])
        for id_ in "abc"
    }
    for kind in ("scripted", "lexical"):
        recorded = record(
            lived(
                acts if kind == "scripted" else {**acts, "a": ScriptedSeat([broadcast("who?")])},
                router=ScriptedRouter([{"c": 1, "b": 0.5}]),
                policy=Policy(broadcast=evolve(Policy().broadcast, router=kind)),
            )
        )
        assert (
            'scores = { b = 0.5, c = 1.0 }\nexpect = { audience = "desk", next = ["c", "b"] }\n'
            in recorded.text
        )
        told = "A router of the room's own chose these recipients; here scores are scripted."
        assert (() if kind == "scripted" else (told,)) == recorded.remarks
        acts = {id_: ScriptedSeat([post(f"{id_} here")]) for id_ in "abc"}


def test_a_lexical_router_that_chose_by_itself_stays() -> None:
    """It chooses the same again."""
    acts = {
        Seat(id="a"): ScriptedSeat([broadcast("who can measure depth?")]),
        Seat(id="b"): ScriptedSeat([post("b")]),
        Seat(id="c", role="to measure depth"): ScriptedSeat([post("c")]),
    }
    policy = Policy(broadcast=evolve(Policy().broadcast, router="lexical", width=1))
    recorded = record(lived(acts, policy=policy))
    assert 'router = "lexical"' in recorded.text
    assert 'next = ["c"]' in recorded.text
    assert "scores" not in recorded.text


@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_what_is_recorded_expects_nothing_that_cannot_fail(
    scenarios: Any, data: st.DataObject
) -> None:
    """A check of it has nothing to say of that, nor of scores that nobody reads."""
    recorded = recorded_or_none(played(parse_scenario(scenario_toml(data.draw(scenarios)))))
    warnings = () if recorded is None else check_text(recorded.text).warnings
    assert [] == [str(w) for w in warnings if w.kind == "cannot_fail" or "scores" in w.key]


# What a script cannot say


def test_a_room_that_was_stopped_closes_by_its_rules() -> None:
    """Its rows are the same: the chair, which would go on, is held back by max_turns."""
    journal = ListJournal()
    room = Room(
        {"a": ScriptedSeat([post("nobody next")]), "b": ScriptedSeat()},
        opening="@a begin",
        journal=journal,
        policy=Policy(chair=ChairPolicy(rounds=3)),
        on_row=lambda entry: room.stop() if entry.row.sequence == 2 else None,
    )
    anyio.run(room.run)
    entries = as_read(journal.entries)
    assert CloseEntry(CloseReason.STOPPED) == entries[-1]
    recorded = record(entries)
    assert (
        "The recorded room was stopped; this one closes by its rules.",
        "max_turns is where the recorded room stopped, so that its chair says no more.",
    ) == recorded.remarks
    assert rows(entries) == rows(replayed(recorded))


def test_a_turn_that_had_not_ended_is_left_out() -> None:
    """The room goes on from the turn before it."""
    entries = lived({"a": ScriptedSeat([post("@b go")]), "b": ScriptedSeat([post("hi")])})
    cut = next(at for at, entry in enumerate(entries) if getattr(entry, "seat", None) == "b") + 2
    recorded = record(entries[:cut])
    assert (
        "The recorded room did not close; this one closes by its rules.",
        "Turn 2 (b) had not ended, so it is left out.",
    ) == recorded.remarks
    assert ["a"] == [turn.seat for turn in recorded.replay.scenario.turns]
    assert recorded.text.startswith(
        f"{HEADLINE}# The recorded room did not close; this one closes by its rules.\n"
        "# Turn 2 (b) had not ended, so it is left out.\n\nformat = 1\n"
    )


def test_a_nudge_that_no_turn_came_after_is_left_out() -> None:
    """A chair that speaks before a pending turn needs that turn to be played."""
    acts = {"a": ScriptedSeat([post("@b go")]), "b": ScriptedSeat([post("hi")])}
    policy = Policy(chair=ChairPolicy(rounds=1, every=1))
    entries = lived(acts, policy=policy)
    nudge = next(e for e in entries if isinstance(e, RowEntry) and e.kind == "nudge")
    cut = entries[: entries.index(nudge) + 1]
    recorded = record(cut)
    assert "Row 3, a nudge that no turn came after, is left out." == recorded.remarks[-1]
    assert rows(cut)[:-1] == rows(replayed(recorded))


def test_a_journal_without_a_turn_is_no_scenario() -> None:
    """There is nothing to replay."""
    with pytest.raises(RecordError, match=r"run\.jsonl: no turn was played to its end, so there"):
        record(lived({"a": ScriptedSeat([])})[:2], "run.jsonl")


def test_calls_in_a_turn_that_ran_out_of_time_are_left_out_if_they_came_in_time() -> None:
    """A script can only wait before its calls; those that came too late stay."""

    async def a(turn: Turn) -> None:
        await turn.post("in time")
        await turn.sleep(9)
        await turn.post("too late")

    acts = {"a": a, "b": ScriptedSeat([post("here")])}
    policy = Policy(turn_timeout_s=5, chair=ChairPolicy(rounds=1, every=0))

    async def b(turn: Turn) -> None:
        await turn.sleep(4.5)
        await turn.post("here")

    recorded = record(lived({**acts, "b": b}, policy=policy, opening="@a begin"))
    assert scripts(recorded).startswith(
        "# Before its time was over the seat had made 1 call. They came to nothing and are left "
        "out: a script can only wait before its calls.\n"
        '[[turn]]\nseat = "a"\nsay = "too late"\ntakes = 6\n'
        'expect = { replies = ["turn_ended"], row = false, outcome = "timed_out" }\n'
    )


def test_a_call_in_a_turn_of_another_seat_is_left_out() -> None:
    """A script's seats call in their own turns only."""

    async def b(turn: Turn) -> None:
        await out_of_turn(turn, 1).post("not mine")
        await turn.post("mine")

    recorded = record(lived({"a": ScriptedSeat([post("@b go")]), "b": b}))
    assert ("A call of b in turn 1, which was not its own, is left out.",) == recorded.remarks


@pytest.mark.parametrize(
    "tool, arguments, written, remark",
    [
        (
            "desk_post",
            {"message": None},
            '{ tool = "desk_post", arguments = "{\\"message\\": null}" }',
            "The arguments of a call cannot be written in TOML; here they are one text.",
        ),
        (
            "desk_post",
            ["hello"],
            '{ tool = "desk_post", arguments = "[\\"hello\\"]" }',
            "The arguments of a call cannot be written in TOML; here they are one text.",
        ),
        (
            "desk_post",
            {"message": "hello", "tool": "hammer"},
            (
                '{ tool = "desk_post", arguments = "{\\"message\\": \\"hello\\", \\"tool\\": '
                '\\"hammer\\"}" }'
            ),
            "The arguments of a call cannot be written in TOML; here they are one text.",
        ),
        (
            None,
            {"message": "hello"},
            '{ tool = "null", message = "hello" }',
            "The name of a tool was no text; it is one here.",
        ),
        (
            "desk_\udc00",
            {"message": "hello"},
            '{ tool = "desk_\\\\udc00", message = "hello" }',
            "The name of a tool held what no file can hold; it is escaped here.",
        ),
        (
            "desk_post",
            {"message": "\udc00"},
            '{ tool = "desk_post", arguments = "{\\"message\\": \\"\\\\udc00\\"}" }',
            "The arguments of a call cannot be written in TOML; here they are one text.",
        ),
    ],
)
def test_a_call_that_no_file_can_hold_gets_a_stand_in(
    tool: Any, arguments: Any, written: str, remark: str
) -> None:
    """It is refused with the same word, and a comment says what it was."""
    entries = lived({"a": ScriptedSeat([(tool, arguments), post("@b hi")]), "b": ScriptedSeat()})
    recorded = record(entries)
    word = next(entry.reply for entry in entries if isinstance(entry, CallEntry))
    assert scripts(recorded).startswith(
        f'# {remark} The reply is the same.\n[[turn]]\nseat = "a"\n'
    )
    assert written in recorded.text
    assert f'replies = ["{word}", "ok"]' in recorded.text
    assert (f"turn 1: {remark} The reply is the same.",) == recorded.remarks


def test_texts_that_no_file_can_hold_are_escaped() -> None:
    """What a seat thought or raised is in no row."""
    recorded = record(
        lived(
            {"a": ScriptedSeat("half \udc00", ValueError("\udc00"))},
            policy=Policy(chair=ChairPolicy(rounds=1)),
        )
    )
    assert 'text = "half \\\\udc00"' in recorded.text
    assert 'crash = "\\\\udc00"' in recorded.text
    assert "# The text held what no file can hold; it is escaped here.\n[[turn]]" in recorded.text


def test_a_name_that_no_file_can_hold_is_an_error() -> None:
    """It cannot be changed: rows hold it."""
    acts = {Seat(id="a", name="\udc00"): ScriptedSeat([post("hi")])}
    with pytest.raises(RecordError, match="half of a surrogate pair"):
        record(lived(acts))


def test_a_scenario_that_no_file_can_hold_is_an_error() -> None:
    """A file may have so many bytes."""
    acts = {"a": ScriptedSeat([post("x" * (17 << 20))])}
    with pytest.raises(RecordError, match="the scenario would be larger than 16 MiB"):
        record(lived(acts, policy=Policy(max_message_bytes=20 << 20)))


def test_a_room_that_the_format_does_not_allow_is_an_error() -> None:
    """The loader's reason is told."""
    policy = Policy(participants=())
    with pytest.raises(RecordError) as caught:
        record(lived({"a": ScriptedSeat([post("hi")])}, policy=policy))
    assert (
        "<journal>: no scenario can hold this room: policy.participants: found an empty list, "
        "expected one or more seat ids" == str(caught.value)
    )


def without_row(entries: list[Entry], **changes: Any) -> list[Entry]:
    """Return a journal in which the last row is another than the rules give."""
    at = max(at for at, entry in enumerate(entries) if isinstance(entry, RowEntry))
    return [*entries[:at], evolve(entries[at], **changes), *entries[at + 1 :]]


@pytest.mark.parametrize(
    "change, problem",
    [
        ({"decision": NoTurn(NoTurnReason.DISABLED)}, "row 3 would have another decision"),
        ({"refusal": "disabled"}, "row 3 would have another refusal"),
    ],
)
def test_a_run_that_the_rules_of_today_do_not_give_is_an_error(
    change: dict[str, Any], problem: str
) -> None:
    """A scenario that replays otherwise is never handed out."""
    entries = lived({"a": ScriptedSeat([post("@b go")]), "b": ScriptedSeat([post("hi")])})
    with pytest.raises(RecordError) as caught:
        record(without_row(entries, **change))
    assert f"<journal>: no scenario can give this run again: {problem}" == str(caught.value)


TWO = """\
[[turn]]
seat = "a"
say = "hello"

[[turn]]
seat = "b"
"""


def two(old: str = "", new: str = "") -> list[Entry]:
    """Return the journal of two turns, the second of them silent."""
    text = DESK.replace("routed", "listed") + TWO.replace(old, new)
    return played(parse_scenario(text))


@pytest.mark.parametrize(
    "again, problem",
    [
        (two(), ""),
        (two('say = "hello"', 'say = "hi"'), "row 1 would have another row"),
        (two('say = "hello"', 'text = "hello"'), "row 1 would be missing"),
        (two('seat = "b"', 'seat = "b"\nsay = "hi"'), "there would be 2 rows, and there are 1"),
        (two('seat = "b"', 'seat = "b"\ntext = "hm"'), "turn 2 would have another text"),
        (two('seat = "b"', 'seat = "a"'), "turn 2 would have another seat"),
        (two('[[turn]]\nseat = "b"\n'), "there would be 1 turns, and there are 2"),
        (two('seat = "b"', 'seat = "b"\n[[turn]]\nseat = "b"'), "there would be 3 turns, and"),
        (
            [evolve(e, hop=7) if isinstance(e, TurnEntry) and e.turn == 2 else e for e in two()],
            "turn 2 would have another hop",
        ),
        (
            [CloseEntry(CloseReason.QUIET) if isinstance(e, CloseEntry) else e for e in two()],
            "it would close with quiet, and it closed with script",
        ),
    ],
)
def test_a_run_that_comes_out_otherwise_is_told_apart(again: list[Entry], problem: str) -> None:
    """Each row, each turn with its grant, and how it closed."""
    found = _difference(script_of(two()), script_of(again))
    assert found.startswith(problem) if problem else not found


def test_a_person_who_speaks_at_another_time_is_told_apart() -> None:
    """The rows are the same, and the turns come in another order."""
    head = DESK.replace("routed", "listed")
    silent, spoken = '[[turn]]\nseat = "a"\n', '[[turn]]\nperson = "user"\nsay = "hm"\n'
    one, other = (
        script_of(played(parse_scenario(head + body)))
        for body in (spoken + silent, silent + spoken)
    )
    assert "a person's turn would have another seat" == _difference(one, other)


def test_a_broadcast_that_was_cut_short_is_recorded_without_its_routing() -> None:
    """Nobody had been chosen yet."""
    entries = lived({"a": ScriptedSeat([broadcast("who?")]), "b": ScriptedSeat([post("me")])})
    cut = next(at for at, entry in enumerate(entries) if isinstance(entry, RoutedEntry))
    recorded = record(entries[:cut])
    assert "scores" not in recorded.text
    assert 'audience = "desk"' in recorded.text
    assert "next = [" not in recorded.text
    assert (
        "Row 2, a broadcast, had not been routed yet when the recorded room ended; here it is routed."
        in recorded.remarks
    )
    assert rows(entries)[:2] == rows(replayed(recorded))
