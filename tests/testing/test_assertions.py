from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from deskroom.core import AsidePolicy, Person
from deskroom.core.reasons import NoTurnReason
from deskroom.errors import RoomFailure, UsageError
from deskroom.room import ChairPolicy, Policy, RoomResult, ScriptedRouter, Seat, Turn
from deskroom.runs.properties import Matcher, OneOf, Property
from deskroom.scenario import Nobody, Replay, ScenarioError, parse_scenario, replay_scenario
from deskroom.testing import (
    ListJournal,
    ScriptedSeat,
    assert_closed,
    assert_next,
    assert_ok,
    assert_properties,
    assert_refused,
    assert_rows,
    broadcast,
    complete,
    dm,
    post,
    read,
    simulated_room,
)

ASIDES = Policy(aside=AsidePolicy(enabled=True, max_members=1, max_messages=9))


def played(*moves: Any, seats: Any = ("a", "b", "c"), **options: Any) -> RoomResult:
    """Return what comes of a room; each move is a seat's and what it does with its turns."""
    of = {seat: [move for who, move in moves if who == seat] for seat in seats}
    acts = {seat: ScriptedSeat(*of[seat]) for seat in seats}
    return anyio.run(simulated_room(acts, **{"opening": "@a go", **options}).run)


def message(check: Callable[..., None], *arguments: Any, **keywords: Any) -> list[str]:
    """Return the lines of the message with which an assertion fails."""
    with pytest.raises(AssertionError) as caught:
        check(*arguments, **keywords)
    return str(caught.value).splitlines()


CHAIN = [
    ("a", [dm("b", "is it 42?")]),
    ("b", [post("@c it is")]),
    ("c", [complete("done")]),
]


# Rows


def test_rows_are_compared_by_author_audience_and_content() -> None:
    """A row for the whole desk needs no audience; anything can be left open."""
    result = played(*CHAIN, policy=ASIDES)
    assert_rows(
        result,
        [("user", "@a go"), ("a", ["b"], "is it 42?"), ("b", "@c it is"), ("c", "done")],
    )
    assert_rows(
        result,
        [("person:user", ...), (..., "b", ...), ("b", "desk", "@c it is"), (..., ..., "done")],
    )
    assert_rows(result, [..., (..., ("b",), ...), (..., ...), ...])


def test_each_part_of_a_row_that_differs_has_a_line_with_the_hosts_reason() -> None:
    """Below it stand the rows that came out, in the form in which they are asked for."""
    result = played(*CHAIN, policy=ASIDES)
    assert [
        (
            'row 2 (a): author: expected "b", got "a"; row 1 brought the turn: '
            "'@a' at byte 0 is the first seat named"
        ),
        'row 2 (a): audience: expected "desk", got ["b"]; the accepted call was a private one',
        (
            'row 2 (a): content: expected "is it?", got "is it 42?"; '
            "the last accepted call became row 2"
        ),
        "rows that came out:",
        '    ("person:user", "@a go"),',
        '    ("a", ["b"], "is it 42?"),',
        '    ("b", "@c it is"),',
        '    ("c", "done"),',
    ] == message(assert_rows, result, [..., ("b", "is it?"), ..., ...])


def test_a_row_that_is_missing_is_told_with_the_turn_that_became_none() -> None:
    """Why the turn became no row, and how the room closed."""
    result = played(("a", [post(" "), read()]))
    assert [
        (
            'row 2: expected ("a", ["b"], "x"), got no row; turn 1 (a) became no row: '
            "no message was accepted: empty_message, ok; the room closed with 'quiet' after 1 turn"
        ),
        "rows that came out:",
        '    ("person:user", "@a go"),',
    ] == message(assert_rows, result, [..., ("a", "b", "x"), ...])


def test_a_row_too_many_is_told_with_what_brought_it() -> None:
    """It is the first that nobody asked for."""
    result = played(*CHAIN, policy=ASIDES)
    assert (
        'row 3: expected no row, got ("b", "@c it is"); row 2 brought the turn: '
        "the message is addressed to it"
    ) == message(assert_rows, result, [..., ...])[0]


def test_a_seat_that_raised_is_told() -> None:
    """What it raised costs its turn; here it comes to light."""

    async def strict(turn: Turn) -> None:
        raise ValueError("not that far")

    result = anyio.run(simulated_room({"a": strict}).run)
    told = message(assert_rows, result, [..., ("a", ...)])[0]
    assert "turn 1 (a) became no row: the seat raised ValueError: not that far" in told


def test_how_a_row_came_about_is_told_for_every_kind() -> None:
    """A row about files, a nudge, what it is answered with, and a turn that no row brought."""

    async def work(turn: Turn) -> None:
        turn.wrote("notes.md")
        await turn.post("written down")

    policy = Policy(chair=ChairPolicy(rounds=1), max_turns=2)
    result = anyio.run(simulated_room({"a": work}, opening="go", policy=policy).run)
    differing = [("user", "x"), ("user", ...), ("a", "x"), ("user", "x"), ("user", ...), ...]
    whys = [
        message(assert_rows, result, [*[...] * at, wrong])[0].rpartition("; ")[2]
        for at, wrong in enumerate(differing[:5])
    ]
    assert [
        "it is the opening",
        "row 1 brought the turn: nobody was named, and it leads the desk",
        "turn 1 left files behind",
        "the chair nudged",
        "row 4 brought the turn: the chair chose it",
    ] == whys


LISTED = """\
format = 1
[desk]
id = "d"
name = "D"
people = [{ id = "sam", label = "Sam" }]
seats = [{ id = "a" }, { id = "b" }]
[[turn]]
seat = "b"
say = "@a hello"
expect = { next = "b" }
[[turn]]
person = "sam"
say = "and you?"
[[turn]]
seat = "a"
say = "@b hi"
"""


def replayed(text: str = LISTED) -> Replay:
    """Return what comes of a scenario."""
    return replay_scenario(parse_scenario(text, "x.toml"))


def test_a_replay_is_taken_as_well() -> None:
    """In listed order it is the script that grants a turn."""
    replay = replayed()
    assert_rows(replay, [("b", "@a hello"), ("sam", "and you?"), ("a", "@b hi")])
    assert_next(replay, ["a", "a", "b"])
    assert_closed(replay, "script")
    assert (
        'row 1 (b): author: expected "a", got "b"; the script lists the turn'
        == message(assert_rows, replay, [("a", ...)])[0]
    )
    assert (
        'row 2 (person:sam): author: expected "a", got "person:sam"; a person spoke'
        == message(assert_rows, replay, [..., ("a", ...)])[0]
    )


def test_a_replay_that_does_not_hold_says_what_the_command_line_says() -> None:
    """A line for each mismatch; one that holds is fine."""
    assert_ok(replayed(LISTED.replace('expect = { next = "b" }', "")))
    assert [
        (
            'x.toml:10:12: turn 1 (b): next: expected "b", got "a"; '
            "'@a' at byte 0 is the first seat named"
        )
    ] == message(assert_ok, replayed())


def test_an_id_is_a_seats_before_it_is_a_persons() -> None:
    """Where a seat and a person share one, the person is told by its kind."""
    result = played(("a", [complete("done")]), people=[Person("a", "Ann")], seats=("a", "b"))
    assert_rows(result, [("person:a", "@a go"), ("a", "done")])
    assert (
        'row 1 (person:a): author: expected "a", got "person:a"'
        in message(assert_rows, result, [("a", ...)])[0]
    )
    assert (
        'row 2 (a): author: expected "person:a", got "a"'
        in message(assert_rows, result, [..., ("person:a", ...)])[0]
    )


def test_long_transcripts_and_messages_are_cut() -> None:
    """A message about one row stays readable; nothing in it acts on a terminal."""
    moves = [("a", [post(f"@a {at} \x1b[31m" + "x" * 999)]) for at in range(30)]
    policy = Policy(chair=ChairPolicy(rounds=30), max_turns=30)
    lines = message(assert_rows, played(*moves, seats=("a",), policy=policy), [])
    assert 'row 1: expected no row, got ("person:user", "@a go"); it is the opening' == lines[0]
    assert 23 == len(lines)
    assert "    … and 40 more" == lines[-1]
    assert max(map(len, lines)) < 300
    assert not any("\x1b" in line for line in lines)


@pytest.mark.parametrize(
    "spec,problem",
    [
        ("a", "a row is asked for as (author, content) or (author, audience, content), not as 'a'"),
        (
            ("a",),
            "a row is asked for as (author, content) or (author, audience, content), not as ('a',)",
        ),
        (
            ("a", 1),
            (
                "a row is asked for as (author, content) or (author, audience, content), not "
                "as ('a', 1)"
            ),
        ),
        (("a", 1, "x"), 'an audience is "desk", a seat, or a list of seats, not 1'),
        (("a", ["b", 1], "x"), "an audience is \"desk\", a seat, or a list of seats, not ['b', 1]"),
    ],
)
def test_a_row_that_is_asked_for_wrongly_is_a_usage_error(spec: Any, problem: str) -> None:
    """It would fail for a reason that is not the room's."""
    with pytest.raises(UsageError) as caught:
        assert_rows(played(), [spec])
    assert problem == str(caught.value)


# Decisions


def routed(seats: Any = ("a", "b", "c")) -> RoomResult:
    """Return what comes of a broadcast to two seats, one of which says nothing to anybody."""
    a, b, c = seats
    return played(
        (a, [broadcast("who knows?")]),
        (c, [post(f"@{c} `ask @{a} now`")]),
        (b, [post(f"@{a} you")]),
        seats=seats,
        opening=f"@{a} go",
        router=ScriptedRouter([{c: 0.9, b: 0.5}]),
    )


def test_decisions_are_seats_recipients_reasons_or_nobody() -> None:
    """One for each row; nobody can be asked for with or without the reason."""
    result = routed()
    assert_next(result, ["a", ["c", "b"], None, "a"])
    assert_next(result, ["a", ("c", "b"), "no_direct_agent_mention", "a"])
    assert_next(result, ["a", "broadcast", {"none": "no_direct_agent_mention"}, ...])
    assert_next(result, [..., ..., Nobody(none=NoTurnReason.NO_DIRECT_AGENT_MENTION), ...])


@pytest.mark.parametrize(
    "at,wrong,told",
    [
        (
            0,
            "b",
            (
                'row 1 (person:user): next: expected "b", got "a"; '
                "'@a' at byte 0 is the first seat named"
            ),
        ),
        (
            0,
            None,
            (
                'row 1 (person:user): next: expected nobody, got "a"; '
                "'@a' at byte 0 is the first seat named"
            ),
        ),
        (
            1,
            "c",
            'row 2 (a): next: expected "c", got ["c", "b"]; the router chose c, b; scores: c 0.9, b 0.5 (the best, and others above 0.20, at most 2 seats)',
        ),
        (
            1,
            ["b", "c"],
            (
                'row 2 (a): next: expected ["b", "c"], got ["c", "b"]; the router chose c, b; scores: c 0.9, b 0.5 (the best, and others above 0.20, at most 2 seats)'
            ),
        ),
        (
            1,
            None,
            'row 2 (a): next: expected nobody, got ["c", "b"]; the router chose c, b; scores: c 0.9, b 0.5 (the best, and others above 0.20, at most 2 seats)',
        ),
        (
            2,
            "a",
            (
                'row 3 (c): next: expected "a", got { none = "no_direct_agent_mention" }; no @id in '
                "it names a seat; @c is the author itself; @a is inside code and is not read"
            ),
        ),
        (
            2,
            "self_mention",
            (
                'row 3 (c): next: expected { none = "self_mention" }, got '
                '{ none = "no_direct_agent_mention" }; no @id in it names a seat; '
                "@c is the author itself; @a is inside code and is not read"
            ),
        ),
    ],
)
def test_a_decision_that_differs_has_a_line_with_the_hosts_reason(
    at: int, wrong: Any, told: str
) -> None:
    """Below it stand the decisions that came out, in the form in which they are asked for."""
    asked: list[Any] = [..., ..., ..., ...]
    asked[at] = wrong
    assert [
        told,
        "decisions that came out:",
        '    "a",',
        '    ["c", "b"],',
        '    "no_direct_agent_mention",',
        '    "a",',
    ] == message(assert_next, routed(), asked)


def test_there_is_one_decision_for_each_row() -> None:
    """Too few and too many are told as rows are."""
    result = routed()
    assert (
        "row 4 (b): next: expected no row, got \"a\"; '@a' at byte 0 is the first seat named"
        == message(assert_next, result, [..., ..., ...])[0]
    )
    assert (
        "row 5: next: expected nobody, got no row; turn 4 (a) became no row: "
        "the seat made no call; the room closed with 'quiet' after 4 turns"
    ) == message(assert_next, result, [..., ..., ..., ..., None])[0]


def test_a_broadcast_that_goes_to_nobody_hands_on_nothing() -> None:
    """It can be asked for as nobody, as no recipients, and by the reason of its own decision."""
    result = played(("a", [broadcast("anyone?")]), seats=("a",))
    assert_next(result, ["a", None])
    assert_next(result, ["a", []])
    assert_next(result, ["a", "broadcast"])
    told = 'row 2 (a): next: expected "a", got []; no seat can take it up'
    assert told == message(assert_next, result, ["a", "a"])[0]


def test_a_seat_whose_id_is_a_reason_comes_first() -> None:
    """The reason is then asked for as a scenario writes it, and shown like that."""
    result = routed(("a", "b", "no_direct_agent_mention"))
    reason = {"none": "no_direct_agent_mention"}
    assert_next(result, ["a", ["no_direct_agent_mention", "b"], reason, "a"])
    lines = message(assert_next, result, [..., ..., "no_direct_agent_mention", ...])
    assert '    {"none": "no_direct_agent_mention"},' == lines[4]


@pytest.mark.parametrize(
    "spec,problem",
    [
        (
            "solvr",
            ("'solvr' is not a seat of this room or a reason for nobody; did you mean 'solver'?"),
        ),
        (
            "hop_limit",
            (
                "'hop_limit' is not a seat of this room or a reason for nobody; "
                "did you mean 'hop_limit_reached'?"
            ),
        ),
        (["solver", "zz"], "'zz' is not a seat of this room; there are solver"),
        ({"none": "disable"}, "'disable' is not a reason for nobody; did you mean 'disabled'?"),
        (
            {"some": "disabled"},
            (
                "a decision is asked for as a seat, a list of seats, None or a "
                "reason, not as {'some': 'disabled'}"
            ),
        ),
        (7, "a decision is asked for as a seat, a list of seats, None or a reason, not as 7"),
        ([7], "a decision is asked for as a seat, a list of seats, None or a reason, not as [7]"),
    ],
)
def test_a_decision_that_could_never_be_is_a_usage_error(spec: Any, problem: str) -> None:
    """A slip in a name is told as such, with the nearest one."""
    with pytest.raises(UsageError) as caught:
        assert_next(played(seats=("solver",)), [spec])
    assert problem == str(caught.value)


# Refusals


def test_a_refused_call_is_found_by_its_word_its_seat_and_its_turn() -> None:
    """Any call of the turns that are asked about will do."""
    result = played(("a", [dm("z", "psst"), post("@b go")]), ("b", [read(), post("")]))
    assert_refused(result, "unknown_recipient")
    assert_refused(result, "unknown_recipient", seat="a", turn=1)
    assert_refused(result, "empty_message", seat="b")
    assert [
        (
            'expected a call by b in turn 2 to be refused with "unknown_recipient", and none was; '
            "the room closed with 'quiet' after 2 turns"
        ),
        "turns that came out:",
        "    turn 2 (b): ok, empty_message; no message was accepted: ok, empty_message",
    ] == message(assert_refused, result, "unknown_recipient", seat="b", turn=2)
    assert [
        (
            'expected a call by b in turn 1 to be refused with "empty_message", and none was; '
            "the room closed with 'quiet' after 2 turns"
        ),
        "turns that came out:",
        "    turn 1 (a): unknown_recipient, ok; row 2",
        "    turn 2 (b): ok, empty_message; no message was accepted: ok, empty_message",
    ] == message(assert_refused, result, "empty_message", seat="b", turn=1)


def test_a_turn_that_was_granted_again_says_so() -> None:
    """A retry is the same turn, and another attempt."""
    result = played(("a", []), seats=("a",), policy=Policy(silence="retry"))
    assert [
        "    turn 1 (a): no call; the seat made no call",
        "    turn 1 (a, attempt 2): no call; the seat made no call",
    ] == message(assert_refused, result, "budget_spent")[2:]


def test_an_aside_that_went_to_the_whole_desk_was_refused() -> None:
    """Its call is answered with ok, and its row holds the reason."""
    policy = Policy(on_refused_aside="room")
    result = played(("a", [dm("b", "psst")]), seats=("a", "b"), policy=policy)
    assert_refused(result, "disabled", seat="a")
    assert (
        'row 2 (a): audience: expected ["b"], got "desk"; '
        "the desk declined to keep it private: disabled"
    ) == message(assert_rows, result, [..., ("a", "b", "psst")])[0]


def test_a_room_without_turns_says_so() -> None:
    """Nobody was granted one."""
    retired = Seat(id="a", retired=True)
    result = anyio.run(simulated_room({retired: ScriptedSeat()}).run)
    assert "no turns came out" == message(assert_refused, result, "budget_spent")[1]


@pytest.mark.parametrize(
    "arguments,problem",
    [
        (
            {"word": "empty_massage"},
            "'empty_massage' is not the reason of a refusal; did you mean 'empty_message'?",
        ),
        ({"word": "ok"}, "'ok' is not the reason of a refusal; there are "),
        (
            {"word": "disabled", "seat": "sovler"},
            ("'sovler' is not a seat of this room; did you mean 'solver'?"),
        ),
    ],
)
def test_a_refusal_that_could_never_be_is_a_usage_error(arguments: Any, problem: str) -> None:
    """An assertion that cannot hold has a slip in it."""
    with pytest.raises(UsageError) as caught:
        assert_refused(played(seats=("solver",)), **arguments)
    assert str(caught.value).startswith(problem)


# Closing


def test_why_a_room_closed_is_told_with_what_stood_at_the_end() -> None:
    """The last row's decision, and the turns that became no row after it."""
    result = played(("a", [post("@b go")]), ("b", []))
    assert_closed(result, "quiet")
    assert [
        (
            'closed: expected "completed", got "quiet"; the room closed with \'quiet\' after 2 turns; '
            "row 2 (a) was the last: '@b' at byte 0 is the first seat named; "
            "turn 2 (b) became no row: the seat made no call"
        )
    ] == message(assert_closed, result, "completed")


def test_a_room_that_failed_says_what_failed() -> None:
    """Its journal was full before it could say a word."""
    room = simulated_room({"a": ScriptedSeat()}, journal=ListJournal(room_for=1))
    result = anyio.run(room.run)
    assert isinstance(result.error, RoomFailure)
    assert [
        (
            'closed: expected "quiet", got "failed"; the room closed with \'failed\' after 0 turns: '
            "the journal has room for 1 entries and is full"
        )
    ] == message(assert_closed, result, "quiet")


def test_a_reason_to_close_that_is_none_is_a_usage_error() -> None:
    """The nearest one is named."""
    with pytest.raises(UsageError, match="did you mean 'completed'"):
        assert_closed(played(), "complete")


def test_a_failed_assertion_points_at_the_test() -> None:
    """A report leaves out the frames that are ours."""
    with pytest.raises(AssertionError) as caught:
        assert_rows(played(), [])
    shown = caught.traceback.filter(caught)
    assert [__file__] == [str(entry.path) for entry in shown]


# Properties


WHAT_HOLDS = """\
format = 1
desk = { id = "d", name = "D", seats = [{ id = "a" }, { id = "b" }, { id = "c" }] }
[[property]]
name = "only c completes"
never = { completes = true, seat = { not = "c" } }
[[property]]
name = "who is asked answers in the next turn"
after = { kind = "seat", next = { any = true } }
then = { seat = { same_as = "next" }, outcome = "spoke" }
within = 1
[[property]]
name = "nothing is private"
never = { audience = "aside" }
"""


@pytest.fixture
def what_holds(tmp_path: Path) -> Path:
    """Return a desk file with properties."""
    path = tmp_path / "desk.toml"
    path.write_text(WHAT_HOLDS)
    return path


def test_a_room_is_held_against_the_properties_of_a_file(what_holds: Path) -> None:
    """Of a desk or of a scenario; each that does not hold has its line."""
    assert_properties(played(("a", [post("@c x")]), ("c", [complete("done")])), what_holds)
    result = played(*CHAIN[:2], ("c", [post("no")]), ("b", [complete("x")]), policy=ASIDES)
    assert [
        f'{what_holds}:11:1: property "nothing is private": row 2 (turn 1, a) matches'
    ] == message(assert_properties, result, str(what_holds))
    result = played(("a", [post("@c x")]), ("c", []), ("a", [complete("y")]))
    assert [
        (
            f'{what_holds}:6:1: property "who is asked answers in the next turn": the room closed '
            "(quiet), and nothing matched after row 2 (turn 1, a)"
        )
    ] == message(assert_properties, result, what_holds)


def test_properties_can_be_made_in_python() -> None:
    """Of a replay and of a run too, whose entries are known."""
    text = 'format = 1\ndesk = { id = "d", name = "D", seats = [{ id = "a" }] }\n[[turn]]\nseat = "a"\nsay = "x"'
    replay = replay_scenario(parse_scenario(text))
    spoken = Property(name="a speaks", eventually=Matcher(seat=OneOf(("a",))))
    silent = Property(name="a is silent", never=Matcher(seat=OneOf(("a",))))
    for what in (replay, replay.run):
        assert_properties(what, [spoken])
        assert [':1: property "a is silent": row 1 (turn 1, a) matches'] == message(
            assert_properties, what, [spoken, silent]
        )


def test_a_file_that_is_wrong_is_no_failed_assertion(what_holds: Path) -> None:
    """It raises what reading it raises."""
    what_holds.write_text(WHAT_HOLDS.replace('not = "c"', 'not = "x"'))
    with pytest.raises(ScenarioError, match='found "x", expected a seat of the desk'):
        assert_properties(played(*CHAIN, policy=ASIDES), what_holds)
