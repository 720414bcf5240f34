from __future__ import annotations

from typing import Literal

import pytest
from attrs import evolve

from deskroom.core import TurnFor
from deskroom.engine.entries import CallEntry, Raised
from deskroom.errors import DeskroomError, RoomFailure, UsageError
from deskroom.room import Seat
from deskroom.scenario import (
    Replay,
    Scenario,
    Turn,
    parse_scenario,
    play_scenario,
    replay_scenario,
)
from deskroom.scenario.play.replay import scripted_room
from deskroom.testing import ListJournal

HEAD = """\
format = 1
order = "{order}"
desk = {{ id = "d", name = "D", people = [{{ id = "sam", label = "Sam" }}], seats = [\
{{ id = "a" }}, {{ id = "b" }}, {{ id = "c" }}] }}
"""

OPENED = """\
[opening]
by = "sam"
message = "@a begin"
"""


def parsed(body: str, order: str = "listed") -> Scenario:
    """Return a scenario of the seats a, b, c and the person sam."""
    return parse_scenario(HEAD.format(order=order) + body)


def play(body: str, order: str = "listed") -> Replay:
    """Play such a scenario, all of whose expectations must hold."""
    replay = replay_scenario(parsed(body, order))
    assert () == replay.mismatches
    return replay


def said(replay: Replay) -> list[str]:
    """Return every row as one line: whose it is, and what it says."""
    return [f"{row.author.id or row.author.kind}: {row.content}" for row in replay.run.rows]


def outcomes(replay: Replay) -> list[str]:
    """Return every granted turn as one line: its number, its seat and how it ended."""
    return [f"{turn.number} {turn.seat} {turn.outcome}" for turn in replay.run.turns]


# What a seat's turn does


def test_say_is_short_for_one_post() -> None:
    """The one call is the post that seats are served."""
    journal = ListJournal()
    replay_scenario(parsed('[[turn]]\nseat = "a"\nsay = "hello"'), journal=journal)
    assert [("desk_post", {"message": "hello"}, "ok")] == [
        (entry.tool, entry.arguments, entry.reply)
        for entry in journal.entries
        if isinstance(entry, CallEntry)
    ]


def test_calls_are_made_in_order_and_passed_unchecked() -> None:
    """Every key but the tool is an argument, and only the host judges it."""
    replay = play("""\
[[turn]]
seat = "a"
calls = [
    { tool = "shout", volume = 11 },
    { tool = "desk_post", message = "hello", to = ["b"] },
    { tool = "desk_post", message = 7 },
    { tool = "desk_post" },
    { tool = "desk_dm", to = ["nobody"], message = "x" },
    { tool = "desk_dm", to = ["b"], message = "x" },
    { tool = "desk_read", limit = 1 },
    { tool = "desk_post", message = "said" },
]
expect = { replies = ["unknown_tool", "bad_arguments", "bad_arguments", "empty_message",
                      "unknown_recipient", "disabled", "ok", "ok"], content = "said" }
""")
    assert ["a: said"] == said(replay)


def test_text_is_no_row() -> None:
    """What is said outside a call reaches nobody, alone or beside a call."""
    replay = play("""\
[[turn]]
seat = "a"
text = "I shall"
expect = { outcome = "silent", replies = [] }
[[turn]]
seat = "b"
say = "done"
text = "I did"
expect = { outcome = "spoke" }
""")
    assert ["b: done"] == said(replay)
    assert ["I shall", "I did"] == [turn.text for turn in replay.run.turns]


def test_the_text_of_a_fence_seat_is_its_message() -> None:
    """A fence seat has no tools, so a call of it is refused and its text is read."""
    text = HEAD.format(order="listed").replace('{ id = "b" }', '{ id = "b", fence = true }')
    replay = replay_scenario(
        parse_scenario(
            f'{text}[[turn]]\nseat = "b"\ntext = "<<<POST @a hello POST>>>"\n'
            'expect = { replies = [], content = "@a hello", next = "a" }\n'
            '[[turn]]\nseat = "b"\nsay = "x"\nexpect = { replies = ["unknown_tool"] }'
        )
    )
    assert ((), ["b: @a hello"]) == (replay.mismatches, said(replay))


def test_a_turn_that_takes_too_long_is_timed_out() -> None:
    """Its time is simulated; all that it says afterwards is answered turn_ended."""
    replay = play("""\
[policy]
turn_timeout_s = 5
[[turn]]
seat = "a"
takes = 86400
calls = [{ tool = "desk_post", message = "late" }, { tool = "desk_read" }]
late = [{ tool = "desk_post", message = "later" }]
expect = { outcome = "timed_out", replies = ["turn_ended", "turn_ended", "turn_ended"] }
[[turn]]
seat = "b"
takes = 4.5
say = "in time"
expect = { outcome = "spoke", replies = ["ok"] }
""")
    assert ["b: in time"] == said(replay)


def test_the_next_turn_of_a_seat_that_hangs_is_played() -> None:
    """What it still does in its old turn does not reach into the new one."""
    replay = play("""\
[policy]
turn_timeout_s = 5
[[turn]]
seat = "a"
takes = 7
say = "old"
expect = { outcome = "timed_out", replies = ["turn_ended"] }
[[turn]]
seat = "a"
takes = 4
say = "new"
expect = { outcome = "spoke", replies = ["ok"] }
""")
    assert ["a: new"] == said(replay)


def test_late_calls_are_sent_after_the_turn_has_ended() -> None:
    """Each is answered turn_ended, before a next turn and before the close, and changes nothing."""
    replay = play("""\
[[turn]]
seat = "a"
say = "first"
late = [{ tool = "desk_post", message = "x" }, { tool = "desk_read" }, { tool = "shout" }]
expect = { replies = ["ok", "turn_ended", "turn_ended", "turn_ended"], content = "first" }
[[turn]]
seat = "b"
late = [{ tool = "desk_complete_episode", message = "x" }]
expect = { replies = ["turn_ended"], outcome = "silent" }
[[turn]]
seat = "a"
calls = [{ tool = "desk_complete_episode", message = "done" }]
late = [{ tool = "desk_post", message = "x" }]
expect = { replies = ["ok", "turn_ended"] }
""")
    assert ["a: first", "a: done"] == said(replay)


def test_a_seat_that_crashes_loses_what_was_accepted() -> None:
    """It raises after its calls, the turn is failed, and the room goes on."""
    replay = play("""\
[[turn]]
seat = "a"
say = "accepted"
crash = "boom"
late = [{ tool = "desk_read" }]
expect = { outcome = "failed", replies = ["ok", "turn_ended"], row = false }
[[turn]]
seat = "a"
say = "again"
expect = { outcome = "spoke" }
""")
    assert ["a: again"] == said(replay)
    (raised,) = [turn.error for turn in replay.run.turns if turn.error is not None]
    assert Raised("ScriptedCrash", "boom") == raised


def test_what_a_turn_wrote_is_a_row_right_after_its_own() -> None:
    """The row is the workspace's, names the seat and all its paths, and starts no turn."""
    replay = play(
        OPENED
        + """\
[[turn]]
seat = "a"
say = "@b see the files"
wrote = ["x.py", "y.py"]
expect = { next = "b" }
[[turn]]
seat = "b"
text = "hm"
wrote = ["z.py"]
expect = { row = false }
""",
        "routed",
    )
    assert [
        "sam: @a begin",
        "a: @b see the files",
        "workspace: a wrote x.py, y.py",
        "workspace: b wrote z.py",
    ] == said(replay)
    files = replay.run.entries[2]
    assert ("system", None, "desk", "wrote", 1) == (
        files.row.author.type,
        files.row.author.id,
        files.row.audience.kind,
        files.kind,
        files.turn,
    )


def test_a_row_about_files_ends_a_run_of_private_rows() -> None:
    """Without it the second private message is over the budget; with it the budget is new."""
    body = """\
[policy.aside]
enabled = true
max_members = 1
max_messages = 1
[[turn]]
seat = "a"
calls = [{{ tool = "desk_dm", to = ["b"], message = "one" }}]
{}
[[turn]]
seat = "a"
calls = [{{ tool = "desk_dm", to = ["b"], message = "two" }}]
expect = {{ {} }}
"""
    play(body.format("", 'replies = ["budget_spent"]'))
    replay = play(body.format('wrote = ["x.py"]', 'replies = ["ok"], audience = ["b"]'))
    assert ["a: one", "workspace: a wrote x.py", "a: two"] == said(replay)


def test_scores_route_a_broadcast() -> None:
    """Who is absent scores nothing; the author's own score does not count."""
    replay = play(
        OPENED
        + """\
[[turn]]
seat = "a"
calls = [{ tool = "desk_broadcast", message = "who can?" }]
scores = { a = 1.0, c = 0.1 }
expect = { next = ["c"] }
[[turn]]
seat = "c"
say = "I can"
""",
        "routed",
    )
    assert ["1 a spoke", "2 c spoke"] == outcomes(replay)


# Persons


def test_a_person_is_heard_once_all_before_has_been_played() -> None:
    """In routed order, the word drops what was pending, and counts no turn."""
    replay = play(
        """\
[[turn]]
person = "sam"
say = "@a begin"
expect = { next = "a" }
[[turn]]
seat = "a"
say = "@b go on"
expect = { next = "b" }
[[turn]]
person = "sam"
say = "no, @c"
expect = { next = "c" }
[[turn]]
seat = "c"
say = "here"
[expect]
rows = 4
turns = 2
closed = "quiet"
""",
        "routed",
    )
    assert ["sam: @a begin", "a: @b go on", "sam: no, @c", "c: here"] == said(replay)
    assert [0, 0] == [turn.hop for turn in replay.run.turns]


def test_a_person_waits_for_turns_listed_before_that_come_later() -> None:
    """The list is the time of a person's words, though the seats before are granted by the host."""
    replay = play(
        OPENED
        + """\
[[turn]]
seat = "b"
say = "@c go on"
[[turn]]
seat = "a"
say = "@b go on"
[[turn]]
person = "sam"
say = "stop"
expect = { next = "a" }
[[turn]]
seat = "a"
say = "stopped"
[expect]
turns = 3
closed = "quiet"
""",
        "routed",
    )
    assert ["sam: @a begin", "a: @b go on", "b: @c go on", "sam: stop", "a: stopped"] == said(
        replay
    )


def test_a_person_in_a_listed_order_is_heard_in_its_place() -> None:
    """Two words in a row are two rows; the last row is theirs and no turn was counted."""
    replay = play("""\
[[turn]]
person = "sam"
say = "one"
expect = { next = "a" }
[[turn]]
person = "sam"
say = "@b two"
expect = { next = "b" }
[[turn]]
seat = "a"
say = "three"
[[turn]]
person = "sam"
say = "four"
[expect]
rows = 4
turns = 1
closed = "script"
""")
    assert ["sam: one", "sam: @b two", "a: three", "sam: four"] == said(replay)


# The host's policy, as the file sets it


def test_a_silent_turn_is_granted_once_more() -> None:
    """The retry plays the seat's next listed turn and is the same turn."""
    replay = play("""\
[policy]
silence = "retry"
[[turn]]
seat = "a"
text = "hm"
expect = { outcome = "silent" }
[[turn]]
seat = "a"
say = "@b now"
expect = { outcome = "spoke", next = "b" }
[expect]
turns = 1
""")
    assert ["1 a silent", "1 a spoke"] == outcomes(replay)


def test_a_retry_without_a_listed_turn_says_nothing() -> None:
    """In listed order the next turn is another seat's, so the seat is silent again."""
    replay = play("""\
[policy]
silence = "retry"
[[turn]]
seat = "a"
expect = { outcome = "silent" }
[[turn]]
seat = "b"
say = "x"
[expect]
turns = 2
""")
    assert ["1 a silent", "1 a silent", "2 b spoke"] == outcomes(replay)


@pytest.mark.parametrize("order", ["listed", "routed"])
def test_a_room_closes_at_its_most_turns(order: str) -> None:
    """Grants are counted, whatever came of them; the rest of the list is unused."""
    turns = "".join(
        f'[[turn]]\nseat = "{seat}"\nsay = "@{next_} on"\n' for seat, next_ in ("ab", "ba", "ab")
    )
    replay = play(f"[policy]\nmax_turns = 2\n{OPENED}{turns}[expect]\nclosed = 'max_turns'", order)
    assert ["1 a spoke", "2 b spoke"] == outcomes(replay)
    assert ["3"] == [turn.label for turn in replay.unused]


def test_a_list_decides_who_is_granted() -> None:
    """Decisions are computed and kept, and nobody acts on them; the chair never speaks."""
    replay = play("""\
[policy]
chair = { rounds = 5, every = 1 }
[[turn]]
seat = "a"
say = "@b go on"
expect = { next = "b" }
[[turn]]
seat = "c"
say = "nobody asked me"
expect = { next = { none = "no_direct_agent_mention" } }
[[turn]]
seat = "a"
calls = [{ tool = "desk_broadcast", message = "who?" }]
expect = { next = ["b"] }
[[turn]]
seat = "a"
say = "never mind"
[expect]
rows = 4
nudges = 0
closed = "script"
""")
    assert ["1 a spoke", "2 c spoke", "3 a spoke", "4 a spoke"] == outcomes(replay)


def test_hops_in_listed_order_follow_the_row_before() -> None:
    """A seat that the row before chose has its child hop; any other has none."""
    replay = play(
        OPENED
        + """\
[[turn]]
seat = "a"
say = "@b go on"
[[turn]]
seat = "b"
say = "@c go on"
wrote = ["x.py"]
[[turn]]
seat = "c"
calls = [{ tool = "desk_broadcast", message = "who can?" }]
scores = { b = 0.9 }
[[turn]]
seat = "b"
say = "I can"
[[turn]]
seat = "b"
say = "and more"
[[turn]]
seat = "a"
say = "@c x"
[[turn]]
seat = "b"
say = "x"
"""
    )
    assert [0, 1, 2, 3, 0, 0, 0] == [turn.hop for turn in replay.run.turns]
    decision = replay.run.entries[1].decision
    assert isinstance(decision, TurnFor)
    assert ("b", 1) == (decision.target_id, decision.child_hop)


def test_the_hop_limit_counts_in_listed_order_too() -> None:
    """The row at the limit stands, and its decision says that it starts no turn."""
    play("""\
[policy]
dispatch = { max_hops = 1 }
[[turn]]
seat = "a"
say = "@b go on"
expect = { next = "b" }
[[turn]]
seat = "b"
say = "@c go on"
expect = { next = { none = "hop_limit_reached" }, mentions = ["c"] }
""")


def test_only_participants_must_complete() -> None:
    """An episode that closes when all are done asks nobody else."""
    replay = play("""\
[policy]
close = "all"
participants = ["a", "c"]
[[turn]]
seat = "a"
calls = [{ tool = "desk_complete_episode", message = "done" }]
[[turn]]
seat = "c"
calls = [{ tool = "desk_complete_episode", message = "done too" }]
[[turn]]
seat = "b"
say = "never"
[expect]
turns = 2
closed = "completed"
""")
    assert ["3"] == [turn.label for turn in replay.unused]


# The functions


def test_the_room_is_what_the_file_says() -> None:
    """Desk, seats, people, opening and policy go to the room unchanged."""
    scenario = parse_scenario("""\
format = 1
order = "routed"
[desk]
id = "d"
name = "The desk"
people = [{ id = "sam", label = "Sam" }]
seats = [
    { id = "a", name = "Ann", role = "checks", brief = "Be short." },
    { id = "b", fence = true },
    { id = "c", retired = true },
]
[policy]
window = 3
[opening]
by = "sam"
message = "@a begin"
[[turn]]
seat = "a"
say = "x"
""")
    setup = scripted_room(scenario).setup
    assert (
        Seat(id="a", name="Ann", role="checks", brief="Be short."),
        Seat(id="b", fence=True),
        Seat(id="c", retired=True),
    ) == setup.seats
    assert ("d", "The desk", ["sam"], 3) == (
        setup.desk_id,
        setup.desk_name,
        [person.id for person in setup.people],
        setup.policy.window,
    )
    assert setup.opening is not None
    assert ("sam", "@a begin") == (setup.opening.by, setup.opening.message)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_replay_runs_a_loop_of_its_own(backend: Literal["asyncio", "trio"]) -> None:
    """Both backends write the same entries."""
    journals = ListJournal(), ListJournal()
    scenario = parsed('[[turn]]\nseat = "a"\nsay = "x"\ntakes = 9')
    replay_scenario(scenario, journal=journals[0], backend=backend)
    replay_scenario(scenario, journal=journals[1])
    assert journals[1].entries == journals[0].entries
    assert [journals[0].rows[0].row] == [entry.row for entry in journals[0].rows]


@pytest.mark.anyio
async def test_a_replay_inside_a_loop_is_a_wrong_use() -> None:
    """With actors of its own; the error says what to await instead. Without, it works anywhere."""
    scenario = parsed('[policy]\nmax_turns = 1\n[[turn]]\nseat = "a"\nsay = "x"\nrepeat = 2')
    with pytest.raises(UsageError, match=r"await deskroom\.scenario\.play_scenario"):
        replay_scenario(scenario, backend="asyncio")
    assert replay_scenario(scenario).ok
    assert (await play_scenario(scenario)).ok
    (unused,) = (await play_scenario(scenario, fail_on_unused=True)).mismatches
    assert ("1.2", "unused") == (unused.turn, unused.got)


def test_a_journal_that_fails_is_raised() -> None:
    """A replay has no result when what it depends on fails."""
    with pytest.raises(RoomFailure, match="room for 2 entries"):
        replay_scenario(parsed('[[turn]]\nseat = "a"\nsay = "x"'), journal=ListJournal(room_for=2))


def test_a_fault_that_is_not_scripted_is_raised() -> None:
    """A seat that fails where its script does not say so must not pass as a failed turn."""
    scenario = parsed('[[turn]]\nseat = "a"\nsay = "x"')
    wrong = evolve(scenario, turns=(Turn(seat="a", wrote=(" ",)),))
    for backend in (None, "asyncio", "trio"):
        with pytest.raises(DeskroomError, match="a path in text"):
            replay_scenario(wrong, backend=backend)


def test_two_replays_of_one_scenario_are_equal() -> None:
    """A scenario is a value; playing it leaves nothing behind in it."""
    scenario = parsed('[[turn]]\nseat = "a"\nsay = "@b x"\nrepeat = 3')
    assert replay_scenario(scenario) == replay_scenario(scenario)
