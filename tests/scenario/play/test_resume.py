from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import anyio
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from deskroom.core.reasons import CloseReason
from deskroom.engine.entries import (
    CallEntry,
    CloseEntry,
    Entry,
    HeaderEntry,
    RowEntry,
    TurnEntry,
)
from deskroom.errors import FileError, UsageError
from deskroom.journal import JournalFile, read_journal, verify_entries
from deskroom.room import Policy, Room, SimulatedClock
from deskroom.runs import Run
from deskroom.scenario import Scenario, parse_scenario
from deskroom.scenario.play.replay import run_scripted, scripted_room
from deskroom.scenario.play.resume import check_resumable, script_digest
from deskroom.testing import ListJournal, ScriptedSeat, post

Settled = Callable[[Iterable[Entry]], Sequence[Entry]]

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


def parsed(body: str, order: str = "routed") -> Scenario:
    """Return a scenario of the seats a, b, c and the person sam."""
    return parse_scenario(HEAD.format(order=order) + body, "desk.toml")


def play(scenario: Scenario, kept: Sequence[Entry] = (), backend: str = "asyncio") -> list[Entry]:
    """Play a scenario behind entries of an earlier run, and return all there are then."""
    journal = ListJournal()
    journal.entries.extend(kept)
    room = scripted_room(scenario, journal=journal, resume=tuple(kept))
    anyio.run(run_scripted, room, backend=backend)
    return journal.entries


def without_interruptions(scenario: Scenario) -> Scenario:
    """Return a scenario in which people only speak between turns.

    What they say in a turn that is then cut off stands before the calls of its next attempt, and so
    the run is another one than if nobody had disturbed it.
    """
    turns = [
        evolve(
            turn,
            meanwhile=tuple(one for one in turn.meanwhile if one.at == "end" and not turn.takes),
        )
        for turn in scenario.turns
    ]
    return evolve(scenario, turns=tuple(turns))


def until(entries: Sequence[Entry], text: str) -> list[Entry]:
    """Return the entries up to the first in which a text stands, that one included."""
    at = next(n for n, entry in enumerate(entries) if text in str(entry))
    return list(entries[: at + 1])


def told(entries: Iterable[Entry]) -> list[str]:
    """Return each row, grant and call as one short line."""
    lines = []
    for entry in entries:
        if isinstance(entry, RowEntry):
            lines.append(
                f"{entry.row.sequence} {entry.row.author.id or 'files'}: {entry.row.content}"
            )
        elif isinstance(entry, TurnEntry):
            lines.append(f"turn {entry.turn}.{entry.attempt} {entry.seat} at {entry.hop}")
        elif isinstance(entry, CallEntry):
            late = " late" if entry.late else ""
            lines.append(f"{entry.seat} {entry.tool.removeprefix('desk_')}{late}")
    return lines


# Wherever a run is cut off, it goes on to the same


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@given(data=st.data())
def test_a_run_that_is_cut_off_anywhere_goes_on_to_the_same_entries(
    settled: Settled, scenarios: st.SearchStrategy[Scenario], backend: str, data: st.DataObject
) -> None:
    """Once or twice; but for the grant that was cut off, all is as in a run nobody disturbed."""
    scenario = without_interruptions(data.draw(scenarios))
    whole = play(scenario, backend=backend)
    assert settled(whole) == whole
    entries = whole
    for _ in range(data.draw(st.integers(1, 2))):
        kept = entries[: data.draw(st.integers(0, len(entries)))]
        entries = play(scenario, kept, backend)
        assert kept == entries[: len(kept)]
    assert whole == settled(entries)
    verify_entries(entries, "run")


class Stopping(ListJournal):
    """A journal that stops its room with one of the entries."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.at = at
        self.room: Room | None = None

    def write(self, entry: Entry) -> None:
        super().write(entry)
        if self.room is not None and len(self.entries) == self.at:
            self.room.stop()


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@given(data=st.data())
def test_a_run_that_is_stopped_anywhere_goes_on_to_the_same_entries(
    settled: Settled, scenarios: st.SearchStrategy[Scenario], backend: str, data: st.DataObject
) -> None:
    """Its journal is sound as it is, and what goes on from it is a run nobody disturbed."""
    scenario = without_interruptions(data.draw(scenarios))
    whole = play(scenario, backend=backend)
    journal = Stopping(data.draw(st.integers(1, len(whole))))
    journal.room = scripted_room(scenario, journal=journal)
    anyio.run(run_scripted, journal.room, backend=backend)
    verify_entries(journal.entries, "run")
    entries = play(scenario, journal.entries, backend)
    verify_entries(entries, "run")
    assert whole == settled(e for e in entries if e != CloseEntry(CloseReason.STOPPED))


# What is restored, one thing after the other


RING = """\
[policy]
dispatch = { max_hops = 3 }
chair = { rounds = 2 }
[[turn]]
seat = "a"
say = "@b one"
[[turn]]
seat = "b"
say = "@c two"
[[turn]]
person = "sam"
say = "@c now you"
[[turn]]
seat = "c"
say = "@a three"
[[turn]]
seat = "a"
say = "@b four"
[[turn]]
seat = "b"
say = "@c five"
[[turn]]
seat = "c"
say = "six"
"""

WHOLE = [
    "1 sam: @a begin",
    "turn 1.1 a at 0",
    "a post",
    "2 a: @b one",
    "turn 2.1 b at 1",
    "b post",
    "3 b: @c two",
    "4 sam: @c now you",
    "turn 3.1 c at 0",
    "c post",
    "5 c: @a three",
    "turn 4.1 a at 1",
    "a post",
    "6 a: @b four",
    "turn 5.1 b at 2",
    "b post",
    "7 b: @c five",
    "turn 6.1 c at 3",
    "c post",
    "8 c: six",
]


@pytest.mark.parametrize(
    "last, goes_on",
    [
        # No second header, no second opening row.
        ("HeaderEntry", WHOLE),
        ("@a begin", WHOLE[1:]),
        # The place in the script, the hop, and the turn that is pending.
        ("@b one", WHOLE[4:]),
        # A person's words that are due, and those that were said.
        ("@c two", WHOLE[7:]),
        ("@c now you", WHOLE[8:]),
        ("@b four", WHOLE[14:]),
        ("@c five", WHOLE[17:]),
    ],
)
def test_a_run_goes_on_with_what_comes_next(last: str, goes_on: list[str]) -> None:
    """Hops, cues and the turn that is pending are where they were."""
    scenario = parsed(OPENED + RING)
    whole = play(scenario)
    assert WHOLE == told(whole)[: len(WHOLE)]
    kept = until(whole, last)
    assert goes_on == told(play(scenario, kept)[len(kept) :])[: len(goes_on)]


def test_a_turn_that_was_granted_and_not_committed_is_granted_again() -> None:
    """Its number and hop stay, its attempt counts, and it plays the same cue."""
    scenario = parsed(OPENED + RING)
    whole = play(scenario)
    for done in range(1, 3):
        kept = whole[: 5 + done]
        entries = play(scenario, kept)
        again = entries[len(kept)]
        assert isinstance(again, TurnEntry)
        assert (2, "b", 1, 2, 2, 1) == (
            again.turn,
            again.seat,
            again.hop,
            again.trigger,
            again.attempt,
            again.cue,
        )
        once_more = play(scenario, entries[: len(kept) + done])[len(kept) + done]
        assert isinstance(once_more, TurnEntry)
        assert (2, 3) == (once_more.turn, once_more.attempt)


def test_the_chair_has_the_rounds_that_it_had_left() -> None:
    """Nudges before count, and so do the turns since the chair last spoke."""
    scenario = parsed(
        '[opening]\nby = "sam"\nmessage = "@a go"\n[policy.chair]\nrounds = 2\n'
        + '[[turn]]\nseat = "a"\nsay = "x"\n' * 2
        + '[[turn]]\nseat = "b"\nsay = "y"\n[[turn]]\nseat = "c"\nsay = "z"\n'
    )
    whole = play(scenario)
    nudges = [entry for entry in whole if isinstance(entry, RowEntry) and entry.kind == "nudge"]
    assert 2 == len(nudges)
    for nudge in nudges:
        kept = whole[: whole.index(nudge) + 1]
        assert whole == play(scenario, kept)


def test_the_recipients_of_a_broadcast_are_still_in_the_queue() -> None:
    """A routing that is there is not asked for again, one that is missing is."""
    scenario = parsed(
        OPENED
        + '[[turn]]\nseat = "a"\ncalls = [{ tool = "desk_broadcast", message = "who?" }]\n'
        + "scores = { c = 0.9, b = 0.8 }\n"
        + '[[turn]]\nseat = "c"\nsay = "@a me"\n[[turn]]\nseat = "a"\nsay = "good"\n'
        + '[[turn]]\nseat = "b"\nsay = "and me"\n'
    )
    whole = play(scenario)
    assert ["3 c: @a me", "4 a: good", "5 b: and me"] == [
        line for line in told(whole) if line[0] in "345"
    ]
    for last in ("broadcasting=True", "RoutedEntry", "@a me", "good"):
        assert whole == play(scenario, until(whole, last))


def test_open_assignments_are_still_open() -> None:
    """The room closes when all have completed, and who had completed before counts."""
    done = 'calls = [{{ tool = "desk_complete_episode", message = "{}" }}]\n'
    scenario = parsed(
        OPENED
        + '[policy]\nclose = "all"\n[[turn]]\nseat = "a"\n'
        + done.format("@b done")
        + '[[turn]]\nseat = "b"\n'
        + done.format("@c done")
        + '[[turn]]\nseat = "c"\n'
        + done.format("all done")
        + '[[turn]]\nseat = "c"\nsay = "never"\n'
    )
    whole = play(scenario)
    assert "CloseEntry(reason='completed')" == str(whole[-1])
    for last in ("@b done", "@c done"):
        rows = [e for e in whole if isinstance(e, RowEntry) and last in e.row.content]
        kept = whole[: whole.index(rows[0]) + 1]
        assert whole == play(scenario, kept)


def test_a_retry_is_still_owed_and_still_says_why() -> None:
    """A silent turn that was ended is granted once more with its note."""
    notes: list[str | None] = []

    async def a(turn: Any) -> None:
        notes.append(turn.note)

    def room(journal: ListJournal, resume: Sequence[Entry] = ()) -> Room:
        return Room(
            {"a": a},
            opening="go",
            clock=SimulatedClock(),
            policy=Policy(silence="retry"),
            journal=journal,
            resume=resume,
        )

    first, rest = ListJournal(), ListJournal()
    anyio.run(room(first).run)
    kept = until(first.entries, "EndEntry")
    anyio.run(room(rest, kept).run)
    assert first.entries == [*kept, *rest.entries]
    assert 3 == len(notes)
    assert [None, notes[1], notes[1]] == notes
    assert notes[1] is not None


HANGS = """\
[policy]
turn_timeout_s = 5
[[turn]]
seat = "a"
takes = 12
calls = [{ tool = "desk_post", message = "one" }, { tool = "desk_read" }]
late = [{ tool = "desk_dm", to = ["b"], message = "x" }]
[[turn]]
seat = "b"
takes = 4
say = "in time"
late = [{ tool = "desk_read" }]
[[turn]]
seat = "c"
takes = 4
say = "last"
[[turn]]
seat = "b"
say = "end"
"""


def test_what_a_seat_says_too_late_comes_when_it_would_have_come(settled: Settled) -> None:
    """A seat that lets its deadline pass is at it for some turns more, whoever died meanwhile."""
    scenario = parsed(HANGS, "listed")
    whole = play(scenario)
    assert [
        "turn 1.1 a at 0",
        "turn 2.1 b at 0",
        "b post",
        "1 b: in time",
        "b read late",
        "turn 3.1 c at 0",
        "a post late",
        "a read late",
        "a dm late",
        "c post",
        "2 c: last",
        "turn 4.1 b at 0",
        "b post",
        "3 b: end",
    ] == told(whole)
    for size in range(1, len(whole)):
        assert whole == settled(play(scenario, whole[:size]))


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_turn_that_says_very_much_too_late_can_be_gone_on_with(
    settled: Settled, backend: str
) -> None:
    """More calls than any channel holds."""
    calls = ", ".join('{ tool = "desk_read" }' for _ in range(300))
    body = f"takes = 9\ncalls = [{calls}]\nlate = [{calls}]\n"
    scenario = parsed(
        f'[policy]\nturn_timeout_s = 5\n[[turn]]\nseat = "a"\n{body}'
        f'[[turn]]\nseat = "b"\nlate = [{calls}]\n',
        "listed",
    )
    whole = play(scenario, backend=backend)
    assert 900 == sum(isinstance(entry, CallEntry) for entry in whole)
    for size in (3, 5, 5 + 17, 5 + 300, 5 + 300 + 299):
        assert whole == settled(play(scenario, whole[:size], backend))


def test_a_journal_that_was_closed_stays_as_it_is(tmp_path: Any) -> None:
    """Not one byte is written."""
    scenario = parsed(OPENED + RING)
    path = tmp_path / "run.jsonl"
    with JournalFile.create(path) as journal:
        anyio.run(run_scripted, scripted_room(scenario, journal=journal))
    before = path.read_bytes()
    with JournalFile.resume(path) as journal:
        room = scripted_room(scenario, journal=journal, resume=journal.entries)
        result = anyio.run(run_scripted, room)
    assert before == path.read_bytes()
    assert (result.closed, len(result.rows)) == (
        room.engine.state.closed,
        before.count(b'"kind":"row"'),
    )


def test_a_live_room_goes_on_from_its_journal(tmp_path: Any) -> None:
    """What its seats did is not done again; who is next is who was next."""
    path = tmp_path / "run.jsonl"

    def room(journal: JournalFile, **options: Any) -> Room:
        seats = {"a": ScriptedSeat([post("@b x")]), "b": ScriptedSeat([post("y")])}
        settings = {"opening": "go", "clock": SimulatedClock(), "resume": journal.entries}
        return Room(seats, journal=journal, **{**settings, **options})

    with JournalFile.create(path) as journal:
        anyio.run(room(journal).run)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:5]))
    with JournalFile.resume(path) as journal:
        result = anyio.run(room(journal).run)
    assert ["go", "@b x", "y"] == [row.content for row in result.rows]
    assert b"".join(lines) == path.read_bytes()
    with JournalFile.resume(path) as journal:
        with pytest.raises(UsageError) as caught:
            room(journal, policy=Policy(max_turns=7))
        assert str(caught.value) == (
            "these entries are of another room: policy.max_turns is 100 there and 7 here"
        )


# Another scenario


BASE = """\
# A comment.
title = "Base"
why = "A reason"
[opening]
by = "sam"
message = "@a begin"
[[turn]]
seat = "a"
calls = [{ tool = "desk_read", limit = 3 }, { tool = "desk_post", message = "@b one" }]
wrote = ["f"]
late = [{ tool = "desk_read" }]
expect = { content = "@b one" }
[[turn]]
seat = "b"
text = "hm"
[[turn]]
person = "sam"
say = "@c well?"
[[turn]]
seat = "c"
say = "half"
crash = "boom"
[[turn]]
person = "sam"
say = "@b again"
[[turn]]
seat = "b"
calls = [{ tool = "desk_broadcast", message = "who?" }]
scores = { a = 0.5 }
[[turn]]
seat = "a"
say = "I"
takes = 3
[expect]
rows = 99
"""


def based(text: str = BASE, head: str = HEAD) -> Scenario:
    """Return a scenario that is the base, or that as it was changed."""
    return parse_scenario(head.format(order="routed") + text, "changed.toml")


def difference(entries: Sequence[Entry], scenario: Scenario) -> str | None:
    """Return what the error says is different, or None where there is none."""
    try:
        check_resumable(
            scenario, scripted_room(scenario).setup, Run.from_entries(entries), "run.jsonl"
        )
    except FileError as error:
        start = f"run.jsonl: this journal was written by another scenario than {scenario.path}: "
        message = str(error)
        assert message.startswith(start)
        return message.removeprefix(start)
    return None


@pytest.fixture(scope="module")
def journaled(tmp_path_factory: pytest.TempPathFactory) -> list[Entry]:
    """Return the entries of the base scenario, from its journal."""
    path = tmp_path_factory.mktemp("base") / "run.jsonl"
    with JournalFile.create(path) as journal:
        anyio.run(run_scripted, scripted_room(based(), journal=journal))
    return [line.entry for line in read_journal(path)]


@pytest.mark.parametrize(
    "old, new",
    [
        ("# A comment.", "# Another one."),
        ('title = "Base"', 'title = "Mended"'),
        ('why = "A reason"', ""),
        ("rows = 99", "rows = 9"),
        ('expect = { content = "@b one" }', 'expect = { content = "@b two", row = false }'),
        ('say = "half"', 'calls = [{ tool = "desk_post", message = "half" }]'),
        ("takes = 3", "takes = 3.0"),
        ("scores = { a = 0.5 }", "scores = { a = 0.5 }\ntakes = 0"),
    ],
)
def test_what_changes_nothing_that_is_played_leaves_a_journal_good(
    journaled: list[Entry], old: str, new: str
) -> None:
    """Expectations, titles, comments, and two ways to write the same."""
    assert old in BASE
    text = BASE.replace(old, new)
    if "row = false" in new:
        text = text.replace('content = "@b two", ', "")
    assert difference(journaled, based(text)) is None


UNSEEN = (
    "what differs is not in the journal: a turn that was not played yet, the text beside a call "
    "that was accepted, how long a turn takes, its scores or its late calls"
)


@pytest.mark.parametrize(
    "old, new, told_of",
    [
        ("@a begin", "@b begin", "opening.message is '@a begin' there and '@b begin' here"),
        ('"desk_read", limit = 3', '"desk_read", limit = 4', "call 1 of turn 1 is another here"),
        ('"desk_read", limit = 3', '"desk_look", limit = 3', "call 1 of turn 1 is another here"),
        ('message = "@b one"', 'message = "@b two"', "call 2 of turn 1 is another here"),
        (', { tool = "desk_post", message = "@b one" }', "", "turn 1 made more calls there than here"),
        ('"@b one" }]', '"@b one" }, { tool = "desk_read" }]', "turn 1 made fewer calls there than here"),
        ('wrote = ["f"]', 'wrote = ["f", "g"]', "turn 1 left behind ['f'] there and ['f', 'g'] here"),
        ('late = [{ tool = "desk_read" }]', 'late = [{ tool = "x" }]', "late call 1 of turn 1 is another here"),
        ('late = [{ tool = "desk_read" }]', "", "turn 1 made more late calls there than here"),
        ('text = "hm"', 'text = "hmm"', "the text of turn 2 is another here"),
        ('text = "hm"', 'say = "hm"', "turn 2 made fewer calls there than here"),
        ('text = "hm"', 'crash = "boom"', "turn 2 crashes in one of them only"),
        ('crash = "boom"', "", "turn 4 crashes in one of them only"),
        ('crash = "boom"', 'crash = "bang"', UNSEEN),
        ("@c well?", "@c well!", "turn 3 says something else here"),
        ('seat = "b"\ntext', 'seat = "c"\ntext', "turn 2 is b's there and another's here"),
        ('person = "sam"\nsay = "@c well?"', 'seat = "a"\nsay = "x"', "turn 3 is sam's there and another's here"),
        ("scores = { a = 0.5 }", "scores = { c = 0.5 }", UNSEEN),
        ("takes = 3", "takes = 4", UNSEEN),
        ("takes = 3", 'takes = 3\n[[turn]]\nseat = "c"\nsay = "more"', UNSEEN),
    ],
)  # fmt: skip
def test_another_script_is_told_by_what_is_different(
    journaled: list[Entry], old: str, new: str, told_of: str
) -> None:
    """The first thing that was played there and not here, in the order in which it was played."""
    assert 1 == BASE.count(old)
    assert told_of == difference(journaled, based(BASE.replace(old, new)))


def test_turns_that_are_no_longer_listed_are_told(journaled: list[Entry]) -> None:
    """A journal that has played on is not this scenario's."""
    shorter = BASE[: BASE.index('[[turn]]\nperson = "sam"\nsay = "@b again"')]
    assert "turn 5 was played there and is not listed here" == difference(journaled, based(shorter))


@pytest.mark.parametrize(
    "old, new, told_of",
    [
        ('{{ id = "c" }}] }}', '{{ id = "c", fence = true }}] }}', "seats[3].fence is False there and True here"),
        ('{{ id = "c" }}] }}', '{{ id = "c", brief = "x" }}] }}', "seats[3].brief is None there and 'x' here"),
        ('id = "d"', 'id = "e"', "desk.id is 'd' there and 'e' here"),
        ('name = "D"', 'name = "E"', "desk.name is 'D' there and 'E' here"),
        ('label = "Sam"', 'label = "Samuel"', "people[1].label is 'Sam' there and 'Samuel' here"),
        ("desk =", "policy = {{ window = 3 }}\ndesk =", "policy.window is 30 there and 3 here"),
        ("desk =", "policy.chair = {{ rounds = 3 }}\ndesk =", "policy.chair.rounds is 0 there and 3 here"),
        ("desk =", 'policy.participants = ["a"]\ndesk =', "policy.participants is None there and ['a'] here"),
    ],
)  # fmt: skip
def test_another_desk_or_policy_is_told_by_its_key(
    journaled: list[Entry], old: str, new: str, told_of: str
) -> None:
    """As the file would name it."""
    assert told_of == difference(journaled, based(head=HEAD.replace(old, new, 1)))


def test_another_number_of_seats_is_told(journaled: list[Entry]) -> None:
    """The first seat that only one of them has is shown, as far as there is room."""
    head = HEAD.replace("] }}", ', {{ id = "z" }}] }}')
    found = difference(journaled, based(head=head))
    assert found is not None
    assert found.startswith("seats[4] is {'id': 'z', 'name': None, ")
    assert found.endswith("… here, and there is none there")
    fewer = HEAD.replace(', {{ id = "c" }}] }}', "] }}")
    found = difference(journaled, based(BASE.replace('"c"', '"b"').replace("@c", "@b"), fewer))
    assert found is not None
    assert found.startswith("seats[3] is {'id': 'c', 'name': None, ")
    assert found.endswith("… there, and there is none here")


def test_another_order_is_told(journaled: list[Entry]) -> None:
    """Who decides who is next is part of the script."""
    other = parse_scenario(HEAD.format(order="listed") + BASE, "changed.toml")
    assert "order is 'routed' there and 'listed' here" == difference(journaled, other)


def test_the_journal_of_a_room_without_a_script_is_no_scenarios(journaled: list[Entry]) -> None:
    """Even if the desk is the same."""
    header = journaled[0]
    assert isinstance(header, HeaderEntry)
    assert "it had no script, and this room plays one" == difference(
        [HeaderEntry(evolve(header.setup, script=None))], based()
    )


def test_a_deadline_makes_all_calls_late_ones(tmp_path: Any) -> None:
    """They are held against the list as well."""
    body = HANGS.replace("takes = 4\n", "takes = 9\n")
    path = tmp_path / "run.jsonl"
    scenario = parsed(body, "listed")
    with JournalFile.create(path) as journal:
        anyio.run(run_scripted, scripted_room(scenario, journal=journal))
    entries = [line.entry for line in read_journal(path)]
    assert difference(entries, scenario) is None
    changed = parsed(body.replace('"one"', '"two"'), "listed")
    assert "late call 1 of turn 1 is another here" == difference(entries, changed)


def test_a_retry_without_a_cue_is_nobodys_turn() -> None:
    """In listed order a retry that is not next in the list plays nothing."""
    scenario = parsed(
        '[policy]\nsilence = "retry"\n[[turn]]\nseat = "a"\n[[turn]]\nseat = "b"\nsay = "x"\n',
        "listed",
    )
    entries = play(scenario)
    assert None in [entry.cue for entry in entries if isinstance(entry, TurnEntry)]
    assert difference(entries, scenario) is None


def test_the_digest_is_short_and_that_of_what_is_played() -> None:
    """It names the script, whatever arguments there are."""
    assert 32 == len(script_digest(based()))
    dated = based(BASE.replace("limit = 3", "limit = 2026-01-01"))
    other = based(BASE.replace("limit = 3", "limit = 2026-01-02"))
    assert 3 == len({script_digest(scenario) for scenario in (based(), dated, other)})
