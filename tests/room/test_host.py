"""From turn to turn, in running rooms: every rule of the host, seen from outside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.core import (
    DESK,
    AsidePolicy,
    Audience,
    Author,
    DispatchPolicy,
    Mention,
    NoTurn,
    Row,
    TurnFor,
    Viewer,
    agent,
    project,
)
from deskroom.core.reasons import NoTurnReason, Outcome, RowKind
from deskroom.engine.calls import Accepted, Refusal, judge
from deskroom.engine.chair import nudge_text
from deskroom.engine.entries import (
    CallEntry,
    EndEntry,
    HeaderEntry,
    Raised,
    RoutedEntry,
    RowEntry,
    TurnEntry,
)
from deskroom.engine.routing import check_scores
from deskroom.engine.sentences import SILENT_NOTE, accepted_text, read_text, refusal_text
from deskroom.errors import RoomFailure
from deskroom.room import (
    BroadcastPolicy,
    ChairPolicy,
    Cue,
    Policy,
    Reply,
    Room,
    RoomResult,
    Script,
    ScriptedRouter,
    Seat,
    SimulatedClock,
    Turn,
)
from deskroom.room.acts import Act
from deskroom.room.clock import RealClock
from deskroom.testing import (
    ListJournal,
    RecordingSeat,
    ScriptedSeat,
    broadcast,
    complete,
    dm,
    post,
    read,
)
from deskroom.testing.calls import CallPair

pytestmark = pytest.mark.anyio

ASIDES = AsidePolicy(enabled=True, max_members=2, max_messages=9)


async def play(seats: Mapping[Any, Act], **options: Any) -> RoomResult:
    """Play a room in simulated time to its close."""
    return await Room(seats, **{"opening": "go", "clock": SimulatedClock(), **options}).run()


def said(result: RoomResult) -> list[str]:
    """Return every row as one line."""
    return [f"{row.author.id or row.author.kind}: {row.content}" for row in result.rows]


def outcomes(result: RoomResult) -> list[str]:
    """Return every granted turn as one line: its seat, its hop and how it ended."""
    return [f"{turn.seat} {turn.hop} {turn.outcome}" for turn in result.turns]


def nudging(rounds: int = 1, **rest: Any) -> Policy:
    """Return a policy with a chair that nudges."""
    return Policy(chair=ChairPolicy(rounds=rounds, **rest))


async def told(*calls: CallPair, **options: Any) -> tuple[str | None, str, Reply]:
    """Return how the last of some calls of seat ``a`` is judged, and what it was told in its turn."""
    a = RecordingSeat(*calls)
    seats = {Seat(id="a"): a, Seat(id="b"): ScriptedSeat(), Seat(id="c"): ScriptedSeat()}
    seats[Seat(id="old", retired=True)] = ScriptedSeat()
    room = Room(seats, **{"opening": "go", "clock": SimulatedClock(), **options})
    await room.run()
    speaker = room.engine.state.speakers["a"]
    verdict = judge(*calls[-1], speaker)
    assert isinstance(verdict, Refusal)
    return verdict.reason, refusal_text(verdict, speaker), a.turns[0].replies[-1]


# Refusals, in a room


@pytest.mark.parametrize(
    "call,reason",
    [
        (("desk_pots", {}), "unknown_tool"),
        ((None, {}), "unknown_tool"),
        ((["desk_post"], {}), "unknown_tool"),
        (("desk_post", None), "bad_arguments"),
        (("desk_post", ["m"]), "bad_arguments"),
        (("desk_post", {"message": 7}), "bad_arguments"),
        (("desk_read", {"limit": True}), "bad_arguments"),
        (post("\ud800"), "bad_arguments"),
        (post("x" * 10_000_000), "message_too_large"),
        (post(" \n"), "empty_message"),
        (("desk_post", {}), "empty_message"),
        (dm(["@"], "m"), "no_recipients"),
        (dm("bb", "m"), "unknown_recipient"),
        (dm("old", "m"), "unknown_recipient"),
        (dm("user", "m"), "unknown_recipient"),
        (dm([f"x{i}" for i in range(10_000)], "m"), "unknown_recipient"),
        (dm("a", "m"), "self_recipient"),
        (dm("b", "m"), "disabled"),
    ],
)
async def test_a_refused_call_is_told_why_and_what_would_work(call: CallPair, reason: str) -> None:
    """Each kind of refusal reaches the seat while its turn runs, with the sentence for it."""
    judged, sentence, reply = await told(call)
    assert reason == judged
    assert Reply(1, ok=False, text=sentence, rejection=reason) == reply


@pytest.mark.parametrize(
    "aside,call,reason",
    [
        ({"max_members": 1}, dm(["b", "c"], "m"), "audience_too_large"),
        ({"max_messages": 0}, dm("b", "m"), "budget_spent"),
        ({"require_thread": True}, dm("b", "m"), "thread_required"),
        ({}, post("!aside hello"), "no_audience"),
        ({}, post("!aside @user hello"), "no_audience"),
    ],
)
async def test_an_aside_that_is_declined_is_told_the_reason(
    aside: dict[str, Any], call: CallPair, reason: str
) -> None:
    """It is the policy's reason, and nothing was published."""
    policy = AsidePolicy(**{"enabled": True, "max_members": 2, "max_messages": 9, **aside})
    judged, sentence, reply = await told(call, policy=Policy(aside=policy))
    assert reason == judged
    assert Reply(1, ok=False, text=sentence, rejection=reason) == reply


async def test_a_run_of_asides_spends_its_budget_and_a_desk_row_restores_it() -> None:
    """Two private messages in a row are allowed, the third is not, and after a word to all it is."""
    policy = Policy(aside=AsidePolicy(enabled=True, max_members=1, max_messages=2))
    a = ScriptedSeat([dm("b", "one")], [dm("b", "three"), post("@b to all")], [])
    b = ScriptedSeat([dm("a", "two")], [dm("a", "four")])
    result = await play({"a": a, "b": b}, policy=policy)
    assert ["user: go", "a: one", "b: two", "a: @b to all", "b: four"] == said(result)
    assert ["budget_spent", "ok"] == a.turns[1].words


async def test_a_party_that_owes_the_desk_a_word_is_refused_until_it_has_said_it() -> None:
    """After an aside of the two, a new one must wait until one of them spoke to the desk."""
    policy = Policy(
        aside=AsidePolicy(enabled=True, max_members=1, max_messages=9, must_surface=True)
    )
    a = ScriptedSeat([dm("b", "one")], [dm("b", "two"), post("@b surfaced")])
    b = ScriptedSeat([post("@c look")], [dm("a", "three")])
    c = ScriptedSeat([post("@a hm")])
    result = await play({"a": a, "b": b, "c": c}, policy=policy)
    # b's own word to the desk settled it already, so a's second aside is fine.
    assert ["ok", "ok"] == a.turns[1].words
    a = ScriptedSeat([dm("b", "@b one")], [dm("b", "two"), post("surfaced")])
    b = ScriptedSeat([dm("c", "psst")])
    c = ScriptedSeat([post("@a hm")])
    result = await play({"a": a, "b": b, "c": c}, policy=policy)
    assert ["unsettled_aside", "ok"] == a.turns[1].words
    assert ["user: go", "a: @b one", "b: psst", "c: @a hm", "a: surfaced"] == said(result)


async def test_more_calls_than_allowed_are_refused_and_the_last_accepted_still_stands() -> None:
    """Reads and refusals count too; a call too many is not even judged."""
    a = RecordingSeat(read(), ("x", None), post("stands"), post("too many"), ("x", None))
    result = await play({"a": a}, policy=Policy(max_calls=3))
    expected = ["ok", "unknown_tool", "ok", "too_many_calls", "too_many_calls"]
    assert expected == a.turns[0].words
    assert ["user: go", "a: stands"] == said(result)


async def test_a_turn_without_any_call_allowed_is_refused() -> None:
    """A limit of no calls is a limit."""
    result = await play({"a": RecordingSeat(post("m"))}, policy=Policy(max_calls=0))
    assert (["a 0 refused"], [["too_many_calls"]]) == (
        outcomes(result),
        [list(turn.replies) for turn in result.turns],
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)
TOOLS = st.sampled_from(
    ["desk_post", "desk_broadcast", "desk_dm", "desk_complete_episode", "desk_close", "desk_read"]
)
OBJECTS = st.fixed_dictionaries(
    {},
    optional={
        "message": JSON | st.just("@b hello"),
        "to": JSON | st.lists(st.sampled_from(["a", "b", "@b", "zz"])),
        "limit": JSON,
        "extra": JSON,
    },
)


@pytest.mark.slow
@given(calls=st.lists(st.tuples(TOOLS | JSON, OBJECTS | JSON), max_size=6), fence=st.booleans())
async def test_whatever_a_seat_calls_gets_one_reply_and_a_refusal_changes_nothing(
    calls: list[tuple[Any, Any]], fence: bool
) -> None:
    """No call breaks the room; what stands after all of them is the last that was accepted."""
    journal = ListJournal()
    states: list[tuple[object, ...]] = []
    replies: list[Reply] = []

    def state() -> tuple[object, ...]:
        room_state = room.engine.state
        return (tuple(room_state.rows), room_state.pending, room_state.episode, room_state.nudges)

    async def a(turn: Turn) -> None:
        before = state()
        for tool, arguments in calls:
            replies.append(await turn.call(tool, arguments))
            states.append(state())
        assert [before] * len(calls) == states

    seats: dict[Seat, Act] = {Seat(id="a", fence=fence): a, Seat(id="b"): ScriptedSeat()}
    policy = Policy(aside=ASIDES, max_turns=1)
    room = Room(seats, opening="go", clock=SimulatedClock(), policy=policy, journal=journal)
    result = await room.run()

    kept = [entry for entry in journal.entries if isinstance(entry, CallEntry)]
    assert {} == result.failures
    assert len(calls) == len(replies) == len(kept)
    assert [reply.rejection or "ok" for reply in replies] == [entry.reply for entry in kept]
    assert list(result.turns[0].replies) == [entry.reply for entry in kept]
    spoken = [e.arguments["message"] for e in kept if e.reply == "ok" and e.tool != "desk_read"]
    assert [text.strip() for text in spoken[-1:]] == [
        row.content.strip() for row in result.rows[1:]
    ]


# What a turn becomes


async def test_a_row_holds_what_was_said_by_whom_to_whom_and_what_was_decided() -> None:
    """One row with its trigger, mentions and decision is one entry."""
    journal = ListJournal()
    seats = {"a": ScriptedSeat([post("  @b hi\n")]), "b": ScriptedSeat([dm("a", "psst")])}
    await play(seats, desk="d", name="D", policy=Policy(aside=ASIDES), journal=journal)
    to_b = Mention(agent("b"), "@b", 0)
    to_a = Mention(agent("a"), "@a", 0)
    aside = Audience("aside", ["a"])
    assert [
        RowEntry(
            Row(1, "d", Author("person", "user"), "go", DESK), RowKind.OPENING, TurnFor("a", 0)
        ),
        RowEntry(
            Row(2, "d", Author("agent", "a"), "@b hi", DESK),
            RowKind.SEAT,
            TurnFor("b", 1, to_b),
            (to_b,),
            turn=1,
            trigger=1,
        ),
        RowEntry(
            Row(3, "d", Author("agent", "b"), "psst", aside),
            RowKind.SEAT,
            TurnFor("a", 2, to_a),
            (to_a,),
            turn=2,
            trigger=2,
        ),
    ] == journal.rows


async def test_the_last_accepted_call_stands() -> None:
    """An earlier one is replaced, and a refused or a reading one in between changes nothing."""
    calls = [complete("one"), dm("b", "two"), post("three"), read(), dm("zz", "four")]
    a = RecordingSeat(*calls)
    options = {"policy": Policy(aside=ASIDES), "clock": SimulatedClock(), "opening": "go"}
    room = Room({"a": a, "b": ScriptedSeat()}, **options)  # type: ignore[arg-type]
    assert ["user: go", "a: three"] == said(await room.run())
    assert ["ok", "ok", "ok", "ok", "unknown_recipient"] == a.turns[0].words
    speaker, before = room.engine.state.speakers["a"], None
    for call, reply in zip(calls[:3], a.turns[0].replies, strict=False):
        verdict = judge(*call, speaker)
        assert isinstance(verdict, Accepted)
        assert accepted_text(verdict, speaker, replaced=before) == reply.text
        before = verdict


async def test_a_replaced_completion_completes_nothing() -> None:
    """Only the call that stands counts, whatever the ones before would have done."""
    result = await play({"a": RecordingSeat(complete("done"), post("not yet"))})
    assert (["user: go", "a: not yet"], "quiet") == (said(result), result.closed)


@pytest.mark.parametrize(
    "move,outcome",
    [
        ([], "silent"),
        ("only text", "silent"),
        ([read()], "silent"),
        ([("x", None)], "refused"),
        ([read(), ("x", None), read()], "refused"),
        ([("x", None), post("m")], "spoke"),
        ([post("m"), ("x", None)], "spoke"),
        (ValueError("boom"), "failed"),
    ],
)
async def test_a_turn_has_one_of_five_outcomes(move: Any, outcome: str) -> None:
    """Reads do not count, and one accepted call is enough to have spoken."""
    result = await play({"a": ScriptedSeat(move)})
    assert [f"a 0 {outcome}"] == outcomes(result)
    assert (2 if outcome == "spoke" else 1) == len(result.rows)
    assert ("quiet", 1) == (result.closed, result.granted)


async def test_what_a_failed_turn_had_accepted_is_dropped_and_the_log_says_so(
    events: list[Any],
) -> None:
    """There is no row, the chain ends, and the log names the turn without what was said."""

    async def a(turn: Turn) -> None:
        await turn.post("@b secret")
        raise RuntimeError("boom @b secret")

    result = await play({"a": a, "b": ScriptedSeat()})
    assert (["user: go"], ["a 0 failed"]) == (said(result), outcomes(result))
    assert {1: Raised("RuntimeError", "boom @b secret")} == result.failures
    room = {"room": "desk", "log_level": "warning"}
    assert [
        {"event": "turn.dropped", "turn": 1, "seat": "a", "why": "failed", **room},
        {"event": "turn.failed", "turn": 1, "seat": "a", "error": "RuntimeError", **room},
    ] == [event for event in events if event["log_level"] == "warning"]


async def test_what_a_turn_that_timed_out_had_accepted_is_dropped_and_the_log_says_so(
    events: list[Any],
) -> None:
    """The deadline ends the turn as it stands, without a row."""

    async def a(turn: Turn) -> None:
        await turn.post("@b secret")
        await turn.sleep(601)

    result = await play({"a": a, "b": ScriptedSeat()})
    assert (["user: go"], ["a 0 timed_out"]) == (said(result), outcomes(result))
    room = {"room": "desk", "log_level": "warning"}
    assert [
        {"event": "turn.dropped", "turn": 1, "seat": "a", "why": "timed_out", **room},
        {"event": "turn.timed_out", "turn": 1, "seat": "a", **room},
    ] == [event for event in events if event["log_level"] == "warning"]


async def test_a_quiet_turn_drops_nothing(events: list[Any]) -> None:
    """Nothing is at warning level where nothing was lost."""
    await play({"a": ScriptedSeat([("x", None)])})
    assert [] == [event for event in events if event["log_level"] == "warning"]


# Silence


async def test_a_silent_turn_is_granted_once_more_where_the_policy_says_retry() -> None:
    """The retry is the same turn, told why, and counts once."""
    a = ScriptedSeat("thinking", [post("@b here")])
    b = ScriptedSeat([])
    result = await play({"a": a, "b": b}, policy=Policy(silence="retry"))
    assert [(1, 1, None), (1, 2, SILENT_NOTE)] == [(t.number, t.attempt, t.note) for t in a.turns]
    assert [(2, 1, None), (2, 2, SILENT_NOTE)] == [(t.number, t.attempt, t.note) for t in b.turns]
    assert ["a 0 silent", "a 0 spoke", "b 1 silent", "b 1 silent"] == outcomes(result)
    assert (2, "quiet") == (result.granted, result.closed)
    assert a.turns[0].trigger == a.turns[1].trigger


async def test_a_retry_does_not_count_against_the_limit_of_turns() -> None:
    """With one turn allowed its second attempt is still granted."""
    a = ScriptedSeat([], [post("here")])
    result = await play({"a": a}, policy=Policy(silence="retry", max_turns=1))
    assert (["user: go", "a: here"], "max_turns") == (said(result), result.closed)


async def test_a_first_attempt_that_is_kept_is_late_in_the_second() -> None:
    """The attempts are told apart: what is kept of the first cannot speak in the second."""
    kept: list[Turn] = []
    words = []

    async def a(turn: Turn) -> None:
        kept.append(turn)
        if turn.attempt == 2:
            words.append((await kept[0].post("from the first")).rejection)

    result = await play({"a": a}, policy=Policy(silence="retry"))
    assert (["turn_ended"], ["user: go"]) == (words, said(result))
    assert [["turn_ended"], []] == [list(turn.replies) for turn in result.turns]


# Hops


async def test_a_chain_of_mentions_ends_at_the_limit_of_hops() -> None:
    """Hops count up from the person's row; at the limit a mention wakes nobody."""
    a, b = RecordingSeat(post("@b on")), RecordingSeat(post("@a on"))
    result = await play({"a": a, "b": b}, policy=Policy(dispatch=DispatchPolicy(max_hops=3)))
    assert ["a 0 spoke", "b 1 spoke", "a 2 spoke", "b 3 spoke"] == outcomes(result)
    assert NoTurn(NoTurnReason.HOP_LIMIT_REACHED) == result.decisions[-1]


async def test_no_hop_at_all_still_lets_a_person_be_answered() -> None:
    """A person's row starts a turn by itself; mentions then start none."""
    policy = Policy(dispatch=DispatchPolicy(max_hops=0))
    result = await play({"a": RecordingSeat(post("@b on")), "b": ScriptedSeat()}, policy=policy)
    assert ["a 0 spoke"] == outcomes(result)


async def test_mentions_start_no_turns_where_they_are_disabled() -> None:
    """The decision says so, and the seat is told before its turn ends."""
    policy = Policy(dispatch=DispatchPolicy(enabled=False))
    a = RecordingSeat(post("@b on"))
    result = await play({"a": a, "b": ScriptedSeat()}, policy=policy)
    assert (["a 0 spoke"], NoTurn(NoTurnReason.DISABLED)) == (
        outcomes(result),
        result.decisions[-1],
    )


async def test_the_hop_after_a_nudge_begins_at_zero_again() -> None:
    """A nudge is a person's row, so the chain that it starts is a new one."""
    a = ScriptedSeat([post("@b on")], [post("@b again")])
    b = ScriptedSeat([post("nothing more")], [])
    result = await play({"a": a, "b": b}, policy=nudging(1))
    assert ["a 0 spoke", "b 1 spoke", "b 0 silent"] == outcomes(result)
    assert 0 == b.turns[1].hop


# Persons


@pytest.mark.parametrize(
    "message,seat",
    [
        ("@b please", "b"),
        ("please", "a"),
        ("@old @c please", "c"),
        ("@user @b", "b"),
        ("`@b`", "a"),
    ],
)
async def test_a_person_is_answered_by_whom_it_names_or_by_the_lead(
    message: str, seat: str
) -> None:
    """The first active seat that is named has the turn at hop 0."""
    seats = {Seat(id=id_): ScriptedSeat() for id_ in "abc"}
    result = await play({**seats, Seat(id="old", retired=True): ScriptedSeat()}, opening=message)
    assert [f"{seat} 0 silent"] == outcomes(result)


async def test_a_room_without_an_active_seat_is_quiet() -> None:
    """The opening is there, nobody answers, and the chair has nobody to nudge."""
    result = await play({Seat(id="old", retired=True): ScriptedSeat()}, policy=nudging(3))
    assert (["user: go"], "quiet", 0) == (said(result), result.closed, result.nudges)
    assert (NoTurn(NoTurnReason.NO_ACTIVE_SEAT),) == result.decisions


# The chair


async def test_odd_nudges_go_to_who_was_not_heard_and_even_ones_to_who_spoke_last() -> None:
    """The whole choice, over four nudges."""
    a = ScriptedSeat([post("here")], [post("a again")])
    b = ScriptedSeat([post("b here")], [post("b again")])
    c = ScriptedSeat([post("c here")], [])
    result = await play({"a": a, "b": b, "c": c}, policy=nudging(4))
    assert [
        "a 0 spoke",
        "b 0 spoke",  # nudge 1: b and c were not heard, b is first
        "b 0 spoke",  # nudge 2: b spoke last
        "c 0 spoke",  # nudge 3: only c was not heard
        "c 0 silent",  # nudge 4: c spoke last
    ] == outcomes(result)
    expected = [
        nudge_text("b", has_spoken=False, narrated=[]),
        nudge_text("b", has_spoken=True, narrated=[]),
        nudge_text("c", has_spoken=False, narrated=[]),
        nudge_text("c", has_spoken=True, narrated=[]),
    ]
    assert expected == [row.content for row in result.rows[2::2]]
    assert ([1, 3, 5, 7, 9], 4) == (
        [row.sequence for row in result.rows if row.author.type == "person"],
        result.nudges,
    )
    assert "quiet" == result.closed


async def test_a_nudge_is_a_row_of_the_chairs_person_that_begins_with_the_address() -> None:
    """It is a desk row, its decision names the seat, and it is by whom the policy says."""
    policy = nudging(1, by="q")
    people = {"p": "Pat", "q": "Quin"}
    result = await play({"a": ScriptedSeat()}, people=people, policy=policy)
    nudge = result.entries[1]
    assert ("nudge", Author("person", "q"), DESK) == (
        nudge.kind,
        nudge.row.author,
        nudge.row.audience,
    )
    assert nudge.row.content.startswith("@a ")
    mention = Mention(agent("a"), "@a", 0)
    assert (TurnFor("a", 0, mention), (mention,)) == (nudge.decision, nudge.mentions)


async def test_a_nudge_names_who_only_narrated_and_forgets_it_then() -> None:
    """Seats that wrote text and called nothing are named once, without an @."""
    a = ScriptedSeat("thinking", "thinking", [read()])
    result = await play({"a": a}, policy=nudging(3))
    expected = [nudge_text("a", has_spoken=False, narrated=who) for who in (["a"], ["a"], [])]
    assert expected == [row.content for row in result.rows[1:]]
    assert [1, 1, 1] == [row.content.count("@") for row in result.rows[1:]]


async def test_a_failed_or_refused_turn_did_not_narrate() -> None:
    """Text beside a refused call, or before an error, is no narration."""

    async def a(turn: Turn) -> str:
        if turn.number == 1:
            await turn.call("x")
            return "text beside a call"
        raise ValueError

    result = await play({"a": a}, policy=nudging(2))
    assert ["a 0 refused", "a 0 failed", "a 0 failed"] == outcomes(result)
    text = nudge_text("a", has_spoken=False, narrated=[])
    assert [text, text] == [row.content for row in result.rows[1:]]


@pytest.mark.parametrize("id_", ["two words", "a,b", "@a", "#x", "x @lead", "🙂"])
async def test_a_seat_whose_id_cannot_be_lexed_still_gets_the_turn(id_: str) -> None:
    """The nudge begins with the id as it is, and no other @ in it routes."""
    lead, odd = ScriptedSeat([post("here")]), ScriptedSeat([post("odd here")])
    result = await play({"lead": lead, id_: odd}, policy=nudging(1))
    assert ["lead 0 spoke", f"{id_} 0 spoke"] == outcomes(result)
    assert result.rows[2].content.startswith(f"@{id_} ")
    assert TurnFor(id_, 0, Mention(agent(id_), f"@{id_}", 0)) == result.decisions[2]


async def test_a_cadence_keeps_the_pending_turn_with_its_hop() -> None:
    """Every two turns the chair speaks; who was named goes on at the hop it was named at."""
    a, b = RecordingSeat(post("@b on")), RecordingSeat(post("@a on"))
    policy = Policy(chair=ChairPolicy(rounds=2, every=2), max_turns=6)
    result = await play({"a": a, "b": b}, policy=policy)
    hops = ["a 0 spoke", "b 1 spoke", "a 2 spoke", "b 3 spoke", "a 4 spoke", "b 5 spoke"]
    assert hops == outcomes(result)
    kinds = ["opening", "seat", "seat", "nudge", "seat", "seat", "nudge", "seat", "seat"]
    assert kinds == [entry.kind for entry in result.entries]
    assert [TurnFor("a", 2), TurnFor("a", 4)] == [
        entry.decision for entry in result.entries if entry.kind == "nudge"
    ]
    assert (2, 3) == (result.nudges, a.turns[1].trigger.sequence if a.turns[1].trigger else 0)


async def test_a_cadence_stops_once_its_rounds_are_used_up() -> None:
    """Each nudge costs a round, those of the cadence included, and then the chair is silent."""
    a, b = RecordingSeat(post("@b on")), RecordingSeat(post("@a on"))
    policy = Policy(chair=ChairPolicy(rounds=1, every=1), max_turns=3)
    result = await play({"a": a, "b": b}, policy=policy)
    assert ["opening", "seat", "nudge", "seat", "seat"] == [entry.kind for entry in result.entries]
    assert (1, "max_turns") == (result.nudges, result.closed)


# Completion


async def test_the_first_completion_closes_the_room_by_default() -> None:
    """Its row is there, with its own decision, and nobody is granted after it."""
    a, b = ScriptedSeat([complete("@b done")]), ScriptedSeat([post("never")])
    result = await play({"a": a, "b": b}, policy=nudging(5))
    assert (["user: go", "a: @b done"], "completed") == (said(result), result.closed)
    assert "b" == getattr(result.decisions[-1], "target_id", None)
    assert (True, False) == (result.entries[1].completes, result.entries[0].completes)


async def test_all_participants_must_complete_where_the_policy_says_so() -> None:
    """The last one closes the room; a completion by somebody else does not."""
    policy = Policy(close="all", participants=("a", "b"))
    seats = {
        "a": ScriptedSeat([complete("@c done")]),
        "b": ScriptedSeat([complete("done too")]),
        "c": ScriptedSeat([complete("@b I take no part")]),
    }
    result = await play(seats, policy=policy)
    assert ["a 0 spoke", "c 1 spoke", "b 2 spoke"] == outcomes(result)
    assert "completed" == result.closed


async def test_a_broadcast_reopens_a_seat_that_had_completed() -> None:
    """The seat gets a new assignment, and the room waits for it again."""
    policy = Policy(close="all", participants=("a", "b"), broadcast=BroadcastPolicy(width=1))
    seats = {
        "a": ScriptedSeat([complete("@b done")], [complete("done again")]),
        "b": ScriptedSeat([broadcast("more work")], [complete("b done")]),
    }
    result = await play(seats, policy=policy, router=ScriptedRouter([{"a": 1}]))
    assert ["a 0 spoke", "b 1 spoke", "a 2 spoke"] == outcomes(result)
    assert "quiet" == result.closed
    policy = Policy(close="all", broadcast=BroadcastPolicy(width=1), chair=ChairPolicy(rounds=2))
    seats = {
        "a": ScriptedSeat([complete("@b done")], [complete("@b done again")]),
        "b": ScriptedSeat([broadcast("more work")], [complete("b done")]),
    }
    result = await play(seats, policy=policy, router=ScriptedRouter([{"a": 1}]))
    assert ["a 0 spoke", "b 1 spoke", "a 2 spoke", "b 3 spoke"] == outcomes(result)
    assert ("completed", 0) == (result.closed, result.nudges)


# Broadcasts


@pytest.mark.parametrize(
    "scores,width,recipients",
    [
        ({}, 2, ("b",)),
        ({"c": 0.9}, 2, ("c",)),
        ({"c": 0.9, "d": 0.5, "b": 0.3}, 2, ("c", "d")),
        ({"c": 0.9, "d": 0.5, "b": 0.3}, 3, ("c", "d", "b")),
        ({"c": 0.9, "d": 0.2}, 3, ("c",)),
        ({"d": 0.21, "b": 0.1}, 3, ("d",)),
        ({"d": 0.5, "c": 0.5, "b": 0.5}, 2, ("b", "c")),
        ({"b": -1, "c": -2, "d": -3}, 9, ("b",)),
    ],
)
async def test_a_broadcast_goes_to_the_best_and_to_others_above_the_line_up_to_the_width(
    scores: dict[str, float], width: int, recipients: tuple[str, ...]
) -> None:
    """The choice rule, with ties by desk order, and the author never among the candidates."""
    asked: list[tuple[str, tuple[str, ...]]] = []

    async def router(message: str, candidates: Any) -> Mapping[str, float]:
        asked.append((message, tuple(seat.id for seat in candidates)))
        return scores

    seats = {"a": ScriptedSeat([broadcast("@d who?")]), **{id_: ScriptedSeat() for id_ in "bcd"}}
    policy = Policy(broadcast=BroadcastPolicy(width=width))
    result = await play(seats, policy=policy, router=router)
    assert [("@d who?", ("b", "c", "d"))] == asked
    assert {2: recipients} == result.routed
    assert ["a 0 spoke", *[f"{seat} 1 silent" for seat in recipients]] == outcomes(result)
    assert NoTurn(NoTurnReason.BROADCAST) == result.decisions[1]


async def test_the_chain_of_each_recipient_ends_before_the_next_is_granted() -> None:
    """B hands on to d, whose turn comes before that of c."""
    seats = {
        "a": ScriptedSeat([broadcast("who?")], [post("a again")]),
        "b": ScriptedSeat([post("@d help")]),
        "c": ScriptedSeat([post("c here")]),
        "d": ScriptedSeat([post("@a helped")]),
    }
    result = await play(seats, router=ScriptedRouter([{"b": 0.9, "c": 0.8}]))
    assert ["a 0 spoke", "b 1 spoke", "d 2 spoke", "a 3 spoke", "c 1 spoke"] == outcomes(result)
    assert [1, 2, 3, 4, 2] == [turn.trigger for turn in result.turns]


async def test_a_broadcast_at_the_limit_of_hops_goes_to_nobody_and_asks_no_router() -> None:
    """Nobody is queued, and the choice of nobody is written down all the same."""
    journal = ListJournal()

    async def router(message: str, candidates: Any) -> Mapping[str, float]:
        raise AssertionError

    policy = Policy(dispatch=DispatchPolicy(max_hops=0))
    seats = {"a": ScriptedSeat([broadcast("who?")]), "b": ScriptedSeat()}
    result = await play(seats, policy=policy, router=router, journal=journal)
    assert (["a 0 spoke"], "quiet") == (outcomes(result), result.closed)
    assert [RoutedEntry(2, (), (), 1)] == [e for e in journal.entries if isinstance(e, RoutedEntry)]


async def test_a_broadcast_of_the_only_seat_goes_to_nobody() -> None:
    """Without candidates there is no recipient."""
    result = await play({"a": ScriptedSeat([broadcast("who?")])}, router=ScriptedRouter([]))
    assert ({2: ()}, "quiet") == (result.routed, result.closed)


async def test_without_a_router_a_live_room_scores_nobody() -> None:
    """The scripted router has no script here, so the first in desk order takes it up."""
    seats = {"a": ScriptedSeat([broadcast("who?")]), "b": ScriptedSeat(), "c": ScriptedSeat()}
    result = await play(seats)
    assert {2: ("b",)} == result.routed


async def test_the_lexical_router_picks_by_what_a_seat_is_described_as() -> None:
    """The seat whose role is asked for takes it up, before those ahead of it on the desk."""
    seats = {
        Seat(id="a"): ScriptedSeat([broadcast("a proof about lattices")]),
        Seat(id="b", role="writes code"): ScriptedSeat(),
        Seat(id="c", role="proof checker", brief="lattices and lemmas"): ScriptedSeat(),
    }
    policy = Policy(broadcast=BroadcastPolicy(router="lexical"))
    assert {2: ("c",)} == (await play(seats, policy=policy)).routed


async def test_a_router_that_raises_closes_the_room() -> None:
    """The row of the broadcast stays, and the result says what failed and holds its cause."""
    error = ValueError("down")

    async def router(message: str, candidates: Any) -> Any:
        raise error

    seats = {"a": ScriptedSeat([broadcast("who?")]), "b": ScriptedSeat()}
    result = await play(seats, router=router)
    assert ("failed", ["user: go", "a: who?"]) == (result.closed, said(result))
    assert "the router failed: ValueError('down')" == str(result.error)
    assert result.error is not None
    assert error is result.error.__cause__


@pytest.mark.parametrize("answer", [{"zz": 1}, {"a": 1}, {"b": float("nan")}, None])
async def test_a_router_that_talks_nonsense_closes_the_room(answer: Any) -> None:
    """Whatever is no score of a candidate ends the room with the reason."""

    async def router(message: str, candidates: Any) -> Any:
        return answer

    seats = {"a": ScriptedSeat([broadcast("who?")]), "b": ScriptedSeat()}
    result = await play(seats, router=router)
    with pytest.raises(RoomFailure) as raised:
        check_scores(answer, [Seat(id="b")])
    assert ("failed", str(raised.value)) == (result.closed, str(result.error))
    assert ["user: go", "a: who?"] == said(result)


async def test_a_router_that_is_no_async_function_closes_the_room() -> None:
    """A plain function in its place is a failure with a reason."""
    router: Any = lambda message, candidates: {"b": 1}  # noqa: E731 - it is short
    result = await play({"a": ScriptedSeat([broadcast("x")]), "b": ScriptedSeat()}, router=router)
    assert "failed" == result.closed
    assert str(result.error).startswith("the router failed: TypeError(")


async def test_a_journal_that_is_full_leaves_a_broadcast_unrouted() -> None:
    """The choice is an entry of its own, written after the row and before anybody is granted."""
    journal = ListJournal()
    seats = {"a": ScriptedSeat([broadcast("who?")]), "b": ScriptedSeat()}
    await play(seats, journal=journal)
    kinds = [type(entry).__name__ for entry in journal.entries]
    at = kinds.index("RoutedEntry")
    assert (["RowEntry"], ["TurnEntry"]) == (kinds[at - 1 : at], kinds[at + 1 : at + 2])
    full = ListJournal(room_for=at)
    seats = {"a": ScriptedSeat([broadcast("who?")]), "b": ScriptedSeat()}
    room = Room(seats, opening="go", clock=SimulatedClock(), journal=full)
    result = await room.run()
    assert ("failed", {}) == (result.closed, result.routed)
    assert room.engine.state.unrouted is full.entries[-1]


# Fence seats


@pytest.mark.parametrize(
    "text,row",
    [
        ("plain text is the message", "plain text is the message"),
        ("thinking <<<POST @b hi POST>>> more", "@b hi"),
        ("thinking <<<POST>>> @b hi <<<POST>>> more", "@b hi"),
        ("<<<POST one POST>>> <<<POST two POST>>>", "two"),
        ("thinking <<<POST to the end", "to the end"),
    ],
)
async def test_a_fence_seat_is_read_through_its_text(text: str, row: str) -> None:
    """What stands in the fence is posted to the desk; a symmetric close is read as it was meant."""
    result = await play(
        {Seat(id="a", fence=True): ScriptedSeat(text), Seat(id="b"): ScriptedSeat()}
    )
    assert ["user: go", f"a: {row}"] == said(result)
    assert [] == result.turns[0].replies
    assert (2 if "@b" in row else 1) == result.granted


@pytest.mark.parametrize(
    "text,reason",
    [
        ("<<<POST " + "x" * 100 + " POST>>>", "message_too_large"),
        ("<<<POST !aside @b psst POST>>>", "disabled"),
        ("<<<POST \ud800 POST>>>", "bad_arguments"),
    ],
)
async def test_a_fence_seat_can_be_refused(text: str, reason: str, events: list[Any]) -> None:
    """Size, shape and privacy are judged as for a call; the turn is refused and the log says why."""
    journal = ListJournal()
    seats = {Seat(id="a", fence=True): ScriptedSeat(text), Seat(id="b"): ScriptedSeat()}
    result = await play(seats, policy=Policy(max_message_bytes=64), journal=journal)
    assert ["a 0 refused"] == outcomes(result)
    (call,) = [entry for entry in journal.entries if isinstance(entry, CallEntry)]
    assert (reason, "fence", "desk_post") == (call.reply, call.source, call.tool)
    refused = [event for event in events if event["event"] == "call.refused"]
    assert [(1, "a", reason)] == [(e["turn"], e["seat"], e["reason"]) for e in refused]


@pytest.mark.parametrize("text", ["", " \n", "<<<POST POST>>>", "<<<POST"])
async def test_a_fence_seat_with_nothing_in_its_fence_is_silent(text: str) -> None:
    """It said nothing, and did not narrate either: its text is how it speaks."""
    seats = {Seat(id="a", fence=True): ScriptedSeat(text)}
    result = await play(seats, policy=nudging(1))
    assert ["a 0 silent", "a 0 silent"] == outcomes(result)
    assert nudge_text("a", has_spoken=False, narrated=[]) == result.rows[1].content


async def test_a_fence_seat_is_served_no_tools() -> None:
    """It is granted none, a call of it is refused as unknown, and its text still counts."""
    seen = []

    async def a(turn: Turn) -> str:
        seen.append((turn.tools, await turn.post("by call")))
        return "by text"

    result = await play({Seat(id="a", fence=True): a})
    assert [((), "unknown_tool")] == [(tools, reply.rejection) for tools, reply in seen]
    assert ["user: go", "a: by text"] == said(result)


async def test_a_fence_seat_that_raises_is_not_read() -> None:
    """A failed turn drops everything, whatever text came with it."""
    seats = {Seat(id="a", fence=True): ScriptedSeat(ValueError("<<<POST x POST>>>"))}
    assert (["user: go"]) == said(await play(seats))


# A declined aside


async def test_a_declined_aside_is_published_only_where_the_policy_says_so() -> None:
    """Refused, it becomes nothing; under ``room`` it is a desk row with the reason on it."""
    a = RecordingSeat(dm("b", "psst"))
    result = await play({"a": a, "b": ScriptedSeat()})
    assert (["disabled"], ["user: go"]) == (a.turns[0].words, said(result))

    a = RecordingSeat(dm("b", "psst"))
    policy = Policy(on_refused_aside="room")
    result = await play({"a": a, "b": ScriptedSeat()}, policy=policy)
    assert (["ok"], ["user: go", "a: psst"]) == (a.turns[0].words, said(result))
    assert ("disabled", DESK) == (result.entries[1].refusal, result.rows[1].audience)
    assert ["a 0 spoke", "b 1 silent"] == outcomes(result)


async def test_a_seat_that_is_told_in_time_can_take_back_what_would_be_published() -> None:
    """The reply comes before the turn ends, so that a later call can replace the message."""

    async def a(turn: Turn) -> None:
        speaker = room.engine.state.speakers["a"]
        verdict = judge(*dm("b", "secret"), speaker)
        assert isinstance(verdict, Accepted)
        assert verdict.committed.refusal == "disabled"
        if (await turn.dm("b", "secret")).text == accepted_text(verdict, speaker, replaced=None):
            await turn.post("never mind")

    policy = Policy(on_refused_aside="room")
    seats: dict[str, Act] = {"a": a, "b": ScriptedSeat()}
    room = Room(seats, opening="go", clock=SimulatedClock(), policy=policy)
    assert ["user: go", "a: never mind"] == said(await room.run())


async def test_an_aside_names_only_who_is_in_it() -> None:
    """A dm whose text names an outsider wakes nobody, and its row mentions nobody."""
    a = RecordingSeat(dm("b", "@c psst"))
    seats = {"a": a, "b": ScriptedSeat(), "c": ScriptedSeat()}
    result = await play(seats, policy=Policy(aside=ASIDES))
    assert (NoTurn(NoTurnReason.NO_DIRECT_AGENT_MENTION), ()) == (
        result.decisions[1],
        result.entries[1].mentions,
    )


# Files


async def test_files_are_a_row_of_the_workspace_right_after_the_turns_own() -> None:
    """One desk row lists the paths, whatever came of the turn, and it hands on nothing itself."""

    async def a(turn: Turn) -> None:
        turn.wrote("x.py")
        turn.wrote("y.py")
        await turn.post("@b look")

    async def b(turn: Turn) -> None:
        turn.wrote("z.py")
        raise ValueError

    result = await play({"a": a, "b": b})
    lines = ["user: go", "a: @b look", "workspace: a wrote x.py, y.py", "workspace: b wrote z.py"]
    assert lines == said(result)
    entry = result.entries[2]
    expected = Row(3, "desk", Author("system", kind="workspace"), "a wrote x.py, y.py", DESK)
    assert (expected, "wrote", NoTurn(NoTurnReason.SOURCE_INACTIVE), 1) == (
        entry.row,
        entry.kind,
        entry.decision,
        entry.turn,
    )
    assert ["a 0 spoke", "b 1 failed"] == outcomes(result)


async def test_nothing_comes_between_a_turns_row_and_the_row_about_its_files() -> None:
    """A person who speaks at that very moment is heard right after both."""

    async def a(turn: Turn) -> None:
        turn.wrote("x.py")
        await turn.post("look")

    async def on_row(entry: RowEntry) -> None:
        if entry.kind == "seat":
            tasks.start_soon(room.say, "user", "@a hm")
            await anyio.wait_all_tasks_blocked()

    policy = Policy(max_turns=1)
    room = Room({"a": a}, opening="go", clock=SimulatedClock(), policy=policy, on_row=on_row)
    async with anyio.create_task_group() as tasks:
        result = await room.run()
    assert ["user: go", "a: look", "workspace: a wrote x.py", "user: @a hm"] == said(result)


# Limits


async def test_the_limit_of_turns_closes_the_room() -> None:
    """The turn that is pending then is not granted."""
    a, b = RecordingSeat(post("@b on")), RecordingSeat(post("@a on"))
    result = await play({"a": a, "b": b}, policy=Policy(max_turns=3))
    assert (3, "max_turns") == (result.granted, result.closed)
    assert ["a 0 spoke", "b 1 spoke", "a 2 spoke"] == outcomes(result)


async def test_a_megabyte_is_a_message_like_any_other() -> None:
    """A row holds it whole."""
    message = "@b " + "x" * (2**20 - 3)
    result = await play({"a": ScriptedSeat([post(message)]), "b": ScriptedSeat()})
    assert message == result.rows[1].content
    assert ["a 0 spoke", "b 1 silent"] == outcomes(result)


# History and reading


async def test_a_history_is_the_window_or_all_since_the_seats_last_grant() -> None:
    """A seat that is seldom granted sees all that went by, up to the limit."""
    policy = Policy(window=2, history_limit=4, chair=ChairPolicy(rounds=9), max_turns=8)
    moves = [[post("@b 1")], [post("@b 2")], [post("@b 3")], [post("@c 4")]]
    a, b, c = ScriptedSeat(*moves), RecordingSeat(post("@a ok")), RecordingSeat()
    await play({"a": a, "b": b, "c": c}, policy=policy)
    seen = [[entry.sequence for entry in taken.history] for taken in a.turns]
    # The rows: 1 opening, then a and b in turn: a 2, b 3, a 4, b 5, a 6, b 7, a 8.
    assert [[1], [2, 3], [4, 5], [6, 7]] == seen
    assert [[7, 8]] == [[entry.sequence for entry in taken.history] for taken in c.turns]


async def test_a_history_never_holds_more_than_its_limit() -> None:
    """However much went by since the last grant, only the newest rows are shown."""
    policy = Policy(window=1, history_limit=3, max_turns=7)
    a = ScriptedSeat([post("@b 1")], [post("x")])
    moves = [[post("@c on")], [post("@c on")], [post("@a back")]]
    b, c = ScriptedSeat(*moves), RecordingSeat(post("@b on"))
    await play({"a": a, "b": b, "c": c}, policy=policy)
    assert [5, 6, 7] == [entry.sequence for entry in a.turns[1].history]


@pytest.mark.slow
@given(data=st.data())
@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_read_gives_the_last_entries_of_the_projection(backend: str, data: st.DataObject) -> None:
    """Whatever was said before, publicly or not, the reply holds what the seat may read of it."""
    said_ = st.one_of(
        st.builds(post, st.sampled_from(["@b x", "@c y", "@a z"])),
        st.builds(dm, st.sampled_from([["b"], ["c"], ["b", "c"]]), st.just("psst")),
    )
    moves = {
        id_: data.draw(st.lists(st.lists(said_, min_size=1, max_size=1), max_size=5))
        for id_ in "abc"
    }
    limit = data.draw(st.integers(1, 6))
    policy = Policy(aside=ASIDES, max_turns=12, chair=ChairPolicy(rounds=3))
    checked: list[bool] = []

    def seat(id_: str) -> Act:
        plays = ScriptedSeat(*moves[id_])

        async def act(turn: Turn) -> str:
            reply = await turn.read(limit)
            expected = project(tuple(room.engine.state.rows), Viewer("agent", id_))[-limit:]
            checked.append(expected == reply.rows)
            return await plays(turn)

        return act

    room = Room(
        {id_: seat(id_) for id_ in "abc"}, opening="go", policy=policy, clock=SimulatedClock()
    )
    result = anyio.run(room.run, backend=backend)
    assert [True] * result.granted == checked


async def test_what_a_seat_may_not_read_is_a_stub_in_its_history_and_in_a_read() -> None:
    """It learns that a message went by, between whom, and whether it was settled."""
    a = ScriptedSeat([dm("b", "secret")])
    b = ScriptedSeat([post("@c settled")])
    c = RecordingSeat(read(2))
    await play({"a": a, "b": b, "c": c}, policy=Policy(aside=ASIDES))
    (taken,) = c.turns
    assert ["go", "", "@c settled"] == [entry.content for entry in taken.history]
    stub = taken.history[1].elided
    assert stub is not None
    assert (1, 3) == (stub.messages, stub.settled_at)
    assert read_text(taken.history[1:]) == taken.replies[0].text
    assert taken.history[1:] == taken.replies[0].rows


# Time


async def test_a_hang_of_forty_minutes_costs_no_waiting() -> None:
    """The turn times out at its deadline, in simulated time, and the next seat goes on."""
    clock = SimulatedClock(guard=False)

    async def a(turn: Turn) -> None:
        await turn.sleep(2400)
        await turn.post("never")

    result = await play(
        {"b": ScriptedSeat([post("here")]), "a": a}, opening="@a go", policy=nudging(1), clock=clock
    )
    assert ["a 0 timed_out", "b 0 spoke"] == outcomes(result)
    assert (600.0, "quiet") == (clock.now(), result.closed)


async def test_a_seat_may_take_its_time_up_to_the_deadline() -> None:
    """One second before the deadline is in time; at the deadline itself it is too late."""

    def after(seconds: float) -> Act:
        async def act(turn: Turn) -> None:
            await turn.sleep(seconds)
            await turn.post("here")

        return act

    result = await play({"a": after(599)}, clock=SimulatedClock(guard=False))
    assert ["a 0 spoke"] == outcomes(result)
    result = await play({"a": after(600)}, clock=SimulatedClock(guard=False))
    assert ["a 0 timed_out"] == outcomes(result)


async def test_a_real_wait_in_a_simulated_room_is_real() -> None:
    """A seat that waits for something of its own is not timed out by simulated time."""
    clock = SimulatedClock()

    async def a(turn: Turn) -> None:
        await anyio.sleep(0.02)
        await turn.post("here")

    result = await play({"a": a}, clock=clock)
    assert (["a 0 spoke"], 0.0) == (outcomes(result), clock.now())


async def test_a_real_hang_in_a_simulated_room_is_ended_by_the_guard() -> None:
    """The room goes on without the seat, and is not held up by it when it closes."""

    async def a(turn: Turn) -> None:
        await turn.post("dropped")
        await anyio.sleep_forever()

    policy = Policy(turn_timeout_s=0.2, chair=ChairPolicy(rounds=1))
    with anyio.fail_after(10):
        result = await play(
            {"b": ScriptedSeat([post("here")]), "a": a}, opening="@a go", policy=policy
        )
    assert ["a 0 timed_out", "b 0 spoke"] == outcomes(result)
    assert (["user: @a go", "b: here"], "quiet") == (
        [said(result)[0], said(result)[2]],
        result.closed,
    )


async def test_a_seat_that_timed_out_can_be_granted_again_while_it_still_hangs() -> None:
    """The old function goes on beside the new turn, and what it calls is late."""
    late: list[Reply] = []
    woken = anyio.Event()

    async def a(turn: Turn) -> None:
        if turn.number == 1:
            await woken.wait()
            late.append(await turn.post("late"))
        else:
            woken.set()
            await anyio.sleep(0.01)
            await turn.post("in time")

    policy = Policy(turn_timeout_s=0.2, chair=ChairPolicy(rounds=1))
    result = await play({"a": a}, policy=policy)
    assert ["a 0 timed_out", "a 0 spoke"] == outcomes(result)
    assert ["turn_ended"] == [reply.rejection for reply in late]
    assert [["turn_ended"], ["ok"]] == [list(turn.replies) for turn in result.turns]
    assert "a: in time" == said(result)[-1]


async def test_a_seat_that_oversleeps_is_told_that_it_is_late() -> None:
    """In a scripted room time runs on at the end until every seat has woken."""
    clock = SimulatedClock(guard=False)
    late: list[Reply] = []

    async def a(turn: Turn) -> None:
        await turn.sleep(2400)
        late.append(await turn.post("late"))

    script = Script([Cue("a"), Cue("b")], listed=True)
    seats: dict[str, Act] = {"a": a, "b": ScriptedSeat([post("here")])}
    result = await play(seats, clock=clock, script=script)
    assert (["turn_ended"], 2400.0) == ([reply.rejection for reply in late], clock.now())
    assert ["a 0 timed_out", "b 0 spoke"] == outcomes(result)
    assert [["turn_ended"], ["ok"]] == [list(turn.replies) for turn in result.turns]


async def test_a_deadline_counts_before_the_calls_that_wait_behind_it() -> None:
    """A call that comes at the moment of the deadline is late."""

    async def a(turn: Turn) -> None:
        await turn.sleep(600)
        await turn.post("late")

    journal = ListJournal()
    script = Script([Cue("a")], listed=True)
    await play({"a": a}, clock=SimulatedClock(guard=False), script=script, journal=journal)
    ends = [e for e in journal.entries if isinstance(e, EndEntry | CallEntry)]
    assert ["timed_out", "turn_ended"] == [
        e.outcome if isinstance(e, EndEntry) else e.reply for e in ends
    ]


async def test_a_live_room_times_a_turn_by_the_wall_clock() -> None:
    """Without a simulated clock the deadline is real."""

    async def a(turn: Turn) -> None:
        await turn.sleep(60)

    policy = Policy(turn_timeout_s=0.02)
    room = Room({"a": a}, opening="go", policy=policy)
    assert ["a 0 timed_out"] == outcomes(await room.run())


# Scripts


async def test_a_script_decides_who_is_granted_and_hands_out_its_cues() -> None:
    """In listed order the list grants; each turn knows its place in it."""
    cues: list[int | None] = []

    async def act(turn: Turn) -> None:
        cues.append(turn.cue)
        await turn.post("@a hm" if turn.cue == 2 else "hm")

    script = Script(
        [Cue("b"), Cue(person="user", message="@b well?"), Cue("c"), Cue("a")], listed=True
    )
    seats = {"a": act, "b": act, "c": act}
    result = await play(seats, script=script, policy=nudging(5))
    lines = ["user: go", "b: hm", "user: @b well?", "c: @a hm", "a: hm"]
    assert (lines, [0, 2, 3]) == (said(result), cues)
    assert ["b 0 spoke", "c 0 spoke", "a 1 spoke"] == outcomes(result)
    assert ("script", 0, ()) == (result.closed, result.nudges, result.unplayed)


async def test_a_script_in_routed_order_plays_the_cues_of_who_is_granted() -> None:
    """The host decides who is next; a person speaks once all before has been played."""
    cues: list[int | None] = []

    async def act(turn: Turn) -> None:
        cues.append(turn.cue)
        await turn.post({0: "@b on", 1: "@a on", 2: "hm"}.get(turn.cue or 0, "@b more"))

    person = Cue(person="user", message="@a more")
    script = Script([Cue("a"), Cue("b"), Cue("a"), person, Cue("a")], listed=False)
    result = await play({"a": act, "b": act}, script=script)
    assert ([0, 1, 2, 4], "script", ()) == (cues, result.closed, result.unplayed)
    assert ["a 0 spoke", "b 1 spoke", "a 2 spoke", "a 0 spoke"] == outcomes(result)


async def test_a_script_that_runs_out_says_what_was_not_played() -> None:
    """A seat that is granted a turn and has no cue left closes the room."""
    seats = {"a": ScriptedSeat([post("@b on")]), "b": ScriptedSeat(), "c": ScriptedSeat()}
    result = await play(seats, script=Script([Cue("a"), Cue("c"), Cue("c")], listed=False))
    assert ("script", (1, 2), 1) == (result.closed, result.unplayed, result.granted)


async def test_the_scores_of_a_cue_route_its_broadcast() -> None:
    """The scripted router takes them from the cue that the turn played."""
    script = Script([Cue("a", scores={"c": 0.9, "b": 0.5}), Cue("c"), Cue("b")], listed=False)
    seats = {"a": ScriptedSeat([broadcast("who?")]), "b": ScriptedSeat(), "c": ScriptedSeat()}
    result = await play(seats, script=script)
    assert ({2: ("c", "b")}, "quiet") == (result.routed, result.closed)


async def test_a_scripted_room_on_a_real_clock_closes_too() -> None:
    """Real time cannot tell that nobody has anything left to say, so nobody is waited for."""
    script = Script([Cue("a")], listed=True)
    room = Room({"a": ScriptedSeat([post("here")])}, opening="go", script=script)
    with anyio.fail_after(10):
        assert "script" == (await room.run()).closed


# The journal's view


async def test_everything_is_written_down_in_the_order_in_which_it_happened() -> None:
    """The grant, its calls, and the row or the end, for each turn; then the close."""
    journal = ListJournal()
    seats = {"a": ScriptedSeat([read(), post("@b on")]), "b": ScriptedSeat("thinking")}
    await play(seats, journal=journal)
    entries = journal.entries
    names = [type(entry).__name__.removesuffix("Entry") for entry in entries]
    head = ["Header", "Row", "Turn", "Call", "Call", "Row", "Turn", "End", "Close"]
    assert head == names
    assert isinstance(entries[0], HeaderEntry)
    assert (None, None, False) == (
        entries[0].setup.script,
        entries[0].scenario,
        entries[0].own_router,
    )
    assert TurnEntry(1, "a", 0, 1) == entries[2]
    assert CallEntry(1, 1, "a", 1, "desk_read", {}) == entries[3]
    assert CallEntry(1, 1, "a", 2, "desk_post", {"message": "@b on"}) == entries[4]
    assert TurnEntry(2, "b", 1, 2) == entries[6]
    assert EndEntry(2, 1, "b", Outcome.SILENT, "thinking") == entries[7]


async def test_a_seat_that_calls_without_end_is_timed_out_like_one_that_hangs() -> None:
    """The host never has to wait for it, and time is over all the same."""

    async def a(turn: Turn) -> None:
        while (await turn.read()).rejection != "turn_ended":
            pass

    result = await play({"a": a}, clock=RealClock(), policy=Policy(turn_timeout_s=0.05))
    assert (["timed_out"], "quiet") == ([turn.outcome for turn in result.turns], result.closed)
