"""The field's own bug reports: the scenarios in ``scenarios/field``, and what no file can say.

A file pins rows, audiences and decisions. What a seat is told, what it reads and what stands in
its history is held here, against the very same files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

import anyio
import pytest
from attrs import frozen

from deskroom.engine.entries import TurnEntry
from deskroom.engine.sentences import seen_line
from deskroom.journal import JournalFile, verify
from deskroom.journal.reader import read_journal
from deskroom.room import Cue, Opening, Room, RoomResult, Script, SimulatedClock, Turn
from deskroom.runs import Run
from deskroom.scenario import Replay, Scenario, load_scenario, replay_scenario
from deskroom.scenario.play.compare import compare
from deskroom.scenario.play.replay import run_scripted, scripted_room
from deskroom.scenario.play.resume import listed_calls
from deskroom.testing import TakenTurn

FOLDER: Final = Path(__file__).parents[1] / "scenarios" / "field"
FILES: Final = sorted(FOLDER.glob("*.toml"))

NO_NAME: Final = "It wakes nobody: no @id in it names a seat."
NO_OPENER: Final = (
    "is not read: an @ counts only at the start, or after a space, a new line or one of ( [ {."
)

every_file = pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])


@frozen
class Heard:
    """A field scenario as its seats took it: what each listed turn was granted and answered."""

    replay: Replay
    turns: dict[str, TakenTurn]

    def told(self, label: str) -> list[str]:
        """Return the sentences that a turn's calls were answered with."""
        return [reply.text for reply in self.turns[label].replies]

    def history(self, label: str) -> list[str]:
        """Return the history that a turn was granted with, as lines."""
        return [seen_line(seen) for seen in self.turns[label].history]


async def play(name: str) -> Heard:
    """Play a field scenario with seats that keep what they are shown and told."""
    scenario = load_scenario(FOLDER / f"{name}.toml")
    turns: dict[str, TakenTurn] = {}

    async def act(turn: Turn) -> str:
        listed = scenario.turns[turn.cue or 0]
        taken = turns[listed.label] = TakenTurn.of(turn)
        for call in listed.late:
            turn.call_late(call.tool, call.arguments)
        await turn.sleep(listed.takes)
        for call in listed_calls(listed):
            taken.replies.append(await turn.call(call.tool, call.arguments))
        return listed.text or ""

    room = Room(
        dict.fromkeys(scenario.desk.seats, act),
        people=scenario.desk.people,
        opening=_opening(scenario),
        desk=scenario.desk.id,
        name=scenario.desk.name,
        policy=scenario.policy,
        clock=SimulatedClock(guard=False),
        script=_script(scenario),
    )
    await room.run()
    replay = compare(scenario, Run(room.engine.state), fail_on_unused=True)
    assert () == replay.mismatches
    return Heard(replay, turns)


def _opening(scenario: Scenario) -> Opening | None:
    opening = scenario.opening
    return None if opening is None else Opening(opening.by, opening.message)


def _script(scenario: Scenario) -> Script:
    cues = [Cue(turn.seat, turn.person, turn.say or "", turn.scores) for turn in scenario.turns]
    return Script(cues, scenario.order == "listed", most_late=1)


# --- all of them -------------------------------------------------------------------------------


@every_file
@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_each_comes_out_as_it_says(path: Path, backend: Literal["asyncio", "trio"]) -> None:
    """Every expectation of every file holds on both backends, and no listed turn is left over."""
    replay = replay_scenario(load_scenario(path), backend=backend, fail_on_unused=True)
    assert () == replay.mismatches


@every_file
def test_each_names_its_kind_of_fault_and_its_schema(path: Path) -> None:
    """Every file says which kind of fault it stands for, and where an editor finds its schema."""
    first, *_ = path.read_text(encoding="utf-8").splitlines()
    assert "#:schema ../../schema/scenario.schema.json" == first
    assert load_scenario(path).why.startswith("The kind of fault: ")


@every_file
def test_each_pins_how_it_ends(path: Path) -> None:
    """Every file expects something of each listed turn, and of the run its rows and its close."""
    scenario = load_scenario(path)
    assert all(turn.expect is not None for turn in scenario.turns)
    assert scenario.expect is not None
    assert {"rows", "turns", "closed"} <= set(scenario.expect.places)


# --- what a seat is told -----------------------------------------------------------------------


@pytest.mark.anyio
async def test_a_bold_mention_is_named_in_the_reply() -> None:
    """A name in bold, in italics or with the marks behind the @ is told to wake nobody, and why."""
    heard = await play("mention-in-bold")
    assert [f"Accepted. {NO_NAME} @checker** {NO_OPENER}"] == heard.told("1")
    assert [f"Accepted. {NO_NAME} @checker_ {NO_OPENER} @checker {NO_OPENER}"] == heard.told("2")
    no_name = "@**checker** is not read: no name stands right behind the @."
    assert [f"Accepted. {NO_NAME} {no_name}"] == heard.told("3")


@pytest.mark.anyio
async def test_a_seat_can_mend_a_bold_mention_in_the_same_turn() -> None:
    """The reply to the first call comes in time for a second one, which hands on the turn."""
    heard = await play("mention-in-bold")
    mended = "Accepted. It replaces your earlier message of this turn. The turn goes to checker."
    assert [f"Accepted. {NO_NAME} @checker** {NO_OPENER}", mended] == heard.told("4")


@pytest.mark.anyio
async def test_a_mention_after_a_no_break_space_is_named_in_the_reply() -> None:
    """A mark that nobody can see is told of: only a space, a new line or a bracket opens a name."""
    heard = await play("mention-after-a-no-break-space")
    assert [f"Accepted. {NO_NAME} @checker {NO_OPENER}"] == heard.told("1")
    assert [f"Accepted. {NO_NAME} @checker {NO_OPENER} @checker {NO_OPENER}"] == heard.told("2")
    assert ["Accepted. The turn goes to checker."] == heard.told("3")


@pytest.mark.anyio
async def test_a_mention_before_a_full_width_comma_is_named_in_the_reply() -> None:
    """The reply shows the whole word that was read as a name, and the seat that was meant."""
    heard = await play("mention-before-a-full-width-comma")
    near = "@checker，再算一遍 is nobody here; did you mean @checker?"
    assert [f"Accepted. {NO_NAME} {near}"] == heard.told("1")
    assert ["Accepted. The turn goes to checker."] == heard.told("3")


@pytest.mark.anyio
async def test_a_name_of_two_seats_is_told_with_both() -> None:
    """The reply to an ambiguous name lists who it may mean, so that the seat can use an id."""
    heard = await play("two-seats-with-one-name")
    either = "@Reviewer may mean the seat night or the seat day, so it is nobody."
    assert [f"Accepted. {NO_NAME} {either}"] == heard.told("1")
    assert [f"Accepted. The turn goes to day. {either}"] == heard.told("2")
    either = "@lead may mean the seat lead or the seat clerk, so it is nobody."
    assert [f"Accepted. {NO_NAME} {either}"] == heard.told("3")
    by_id = "An id in `to` is not an active seat. The other seats are lead, night, clerk."
    assert [
        by_id,
        "Accepted. Of the seats, only night will read it. The turn goes to night.",
    ] == heard.told("4")


@pytest.mark.anyio
async def test_a_longer_name_that_is_nobody_is_told_with_the_nearest() -> None:
    """A word that only begins like a seat's id is told to be nobody, with the id next to it."""
    heard = await play("longer-name-holds-a-shorter-one")
    near = (
        "@solvers is nobody here; did you mean @solver? "
        "@solver22 is nobody here; did you mean @solver2? "
        "@solve is nobody here; did you mean @solver?"
    )
    assert [f"Accepted. {NO_NAME} {near}"] == heard.told("4")


@pytest.mark.anyio
async def test_a_name_below_an_open_fence_is_told_to_be_code() -> None:
    """Whoever forgot to close a fence is told which name it hides."""
    heard = await play("code-fence-never-closed")
    hidden = "@solver is inside code and is not read."
    assert [f"Accepted. The turn goes to checker. {hidden}"] == heard.told("1")
    assert [f"Accepted. {NO_NAME} {hidden}"] == heard.told("2")
    assert [f"Accepted. {NO_NAME} {hidden}"] == heard.told("3")


@pytest.mark.anyio
@pytest.mark.parametrize(
    "name, label, limit", [("hop-limit-is-told", "3", 2), ("chain-of-three", "4", 6)]
)
async def test_the_author_at_the_hop_limit_is_told(name: str, label: str, limit: int) -> None:
    """The reply to the call at the limit says that it wakes nobody, and how long a chain may be."""
    heard = await play(name)
    told = f"Accepted. It wakes nobody: the chain of mentions is at its limit of {limit} hops."
    assert [told] == heard.told(label)
    assert limit == heard.turns[label].hop


@pytest.mark.anyio
async def test_a_nudge_after_the_hop_limit_starts_at_hop_0() -> None:
    """The seat that was cut off by the limit is nudged, and its next turn begins a new chain."""
    heard = await play("hop-limit-is-told")
    assert 0 == heard.turns["4"].hop
    trigger = heard.turns["4"].trigger
    assert trigger is not None
    assert trigger.content.startswith("@solver the room waits for your next step.")


@pytest.mark.anyio
async def test_a_late_call_is_told_so_and_changes_nothing() -> None:
    """A seat whose time was over is told so, while its own next turn is already open."""
    heard = await play("seat-that-never-answers")
    assert ["This turn has ended. Say it in your next turn."] == heard.told("1")
    assert ["Accepted. The turn goes to checker."] == heard.told("3")
    assert ["timed_out", "spoke", "spoke", "spoke"] == [
        turn.outcome for turn in heard.replay.run.turns
    ]


@pytest.mark.anyio
async def test_a_stop_word_is_told_in_the_brief_and_stops_nothing() -> None:
    """The stop word reaches its seat with every turn, and the room goes on past every use of it."""
    heard = await play("stop-word-in-the-brief")
    brief = "Work until the sum is checked, then say TERMINATE."
    assert [brief, brief] == [heard.turns["1"].brief, heard.turns["3"].brief]
    assert 5 == sum("TERMINATE" in line for line in [brief, *_contents(heard)])


@pytest.mark.anyio
async def test_the_second_of_two_posts_is_told_to_replace_the_first() -> None:
    """A seat that posts twice is told that one row comes of it, whatever it reads in between."""
    heard = await play("read-and-two-posts")
    replaced = "Accepted. It replaces your earlier message of this turn."
    assert [
        "[1] sam: @lead share it out",
        "Accepted. The turn goes to solver.",
        f"{replaced} The turn goes to checker.",
    ] == heard.told("1")
    assert [
        "Accepted. The turn goes to lead.",
        f"{replaced} The turn goes to solver.",
        # What is held is no row yet, so a read does not show it.
        "[1] sam: @lead share it out\n[2] lead: @checker take it",
    ] == heard.told("2")


@pytest.mark.anyio
async def test_an_answer_by_dm_is_told_to_wake_the_asker() -> None:
    """Whoever asks, and whoever answers, in private is told who reads it and who is next."""
    heard = await play("question-by-dm")
    assert [
        "Accepted. Of the seats, only solver will read it. The turn goes to solver."
    ] == heard.told("1")
    assert [
        "Accepted. Of the seats, only checker will read it. The turn goes to checker."
    ] == heard.told("2")


def _contents(heard: Heard) -> list[str]:
    return [row.content for row in heard.replay.run.rows]


# --- what a seat reads -------------------------------------------------------------------------


@pytest.mark.anyio
async def test_a_third_seat_catches_up_without_the_private_words() -> None:
    """What two others said in private is one line of who, to whom, how often and where it settled.

    That holds for reading everything, for reading the end, and for the history of the grant.
    """
    heard = await play("private-rows-on-catch-up")
    everything = [
        "[1-2] checker → solver · aside, 2 messages · settled at [3]",
        "[3] solver: @lead we have the key",
    ]
    assert ["\n".join(everything), everything[1], "Accepted. The turn goes to checker."] == (
        heard.told("4")
    )
    assert everything == heard.history("4")
    shown = [reply.rows for reply in heard.turns["4"].replies]
    assert not any("swordfish" in repr(rows) for rows in (*shown, heard.turns["4"].history))


@pytest.mark.anyio
async def test_a_party_to_the_aside_catches_up_with_it() -> None:
    """Whoever was spoken to in private reads it again later, beside what the desk said."""
    heard = await play("private-rows-on-catch-up")
    lines = [
        "[1] checker → solver · aside: the key is swordfish",
        "[2] solver → checker · aside: swordfish it is",
        "[3] solver: @lead we have the key",
        "[4] lead: @checker good",
    ]
    assert "\n".join(lines) == heard.told("5")[0]
    assert lines == heard.history("5")


@pytest.mark.anyio
async def test_a_seat_nudged_twice_has_every_row_since_its_last_turn() -> None:
    """Its second history reaches past the window of two, back to the turn in which it was silent.

    A seat that was here a moment ago gets no less than the window.
    """
    heard = await play("nudged-twice")
    assert [
        "[2] lead: It is a long sum; somebody begin.",
        "[3] sam: @solver the room has not heard you yet. Say what you have, or who should go on.",
    ] == heard.history("2")
    assert [
        (
            "[4] sam: @lead the room waits for your next step. Say it, hand the turn on, or "
            "complete the episode. Mind that solver wrote text and made no call: text outside a "
            "call reaches nobody."
        ),
        "[5] lead: @checker count the factors",
        "[6] checker: @theory bound them, there are 12",
        "[7] theory: The bound is 16.",
        "[8] sam: @solver the room has not heard you yet. Say what you have, or who should go on.",
    ] == heard.history("6")
    assert [4, 5] == [seen.sequence for seen in heard.turns["4"].history]


@pytest.mark.anyio
async def test_a_trigger_sent_twice_brings_the_later_row() -> None:
    """Of two equal messages the seat's one turn is for the second, and it reads both."""
    heard = await play("one-trigger-delivered-twice")
    trigger = heard.turns["2"].trigger
    assert trigger is not None
    assert 2 == trigger.sequence
    line = "sam: @solver begin, @solver"
    assert [f"[1] {line}", f"[2] {line}"] == heard.history("2")


# --- a resumed room ----------------------------------------------------------------------------


@every_file
def test_a_resumed_room_loses_no_row_and_repeats_none(path: Path, tmp_path: Path) -> None:
    """Cut within any line and resumed, every field scenario comes to the same rows and turns.

    The kind of fault: a process dies, its room is started again, and the opening is said twice, a
    seat gets the turn for a row that it has answered, or a row that was written is missing.
    """
    scenario = load_scenario(path)
    whole = tmp_path / "whole.jsonl"
    with JournalFile.create(whole, sync="never") as journal:
        expected = anyio.run(run_scripted, scripted_room(scenario, journal=journal))
    lines = whole.read_bytes().splitlines(keepends=True)
    for kept in range(len(lines)):
        cut = tmp_path / f"{kept}.jsonl"
        # The line that was being written when the process died is there in part.
        cut.write_bytes(b"".join(lines[:kept]) + lines[kept][: len(lines[kept]) // 2])
        resumed = _resume(scenario, cut)
        assert expected.entries == resumed.entries, f"cut within line {kept + 1}"
        assert _turns(expected) == _turns(resumed), f"cut within line {kept + 1}"
        assert verify(cut).closed == expected.closed == resumed.closed


def _resume(scenario: Scenario, path: Path) -> RoomResult:
    with JournalFile.resume(path, sync="never") as journal:
        room = scripted_room(scenario, journal=journal, resume=journal.entries)
        return anyio.run(run_scripted, room)


def _turns(result: RoomResult) -> list[tuple[object, ...]]:
    """Return what came of each turn; a turn that was cut short is granted again and counts once."""
    return [
        (turn.number, turn.seat, turn.hop, turn.trigger, turn.outcome, turn.replies, turn.row)
        for turn in result.turns
    ]


def test_a_turn_that_a_crash_cut_short_is_granted_once_more(tmp_path: Path) -> None:
    """The seat is asked again under the same number, as a second attempt, and one row comes of it.

    The kind of fault: one trigger delivered twice, before and after a restart.
    """
    scenario = load_scenario(FOLDER / "question-by-dm.toml")
    path = tmp_path / "room.jsonl"
    with JournalFile.create(path, sync="never") as journal:
        anyio.run(run_scripted, scripted_room(scenario, journal=journal))
    lines = path.read_bytes().splitlines(keepends=True)
    granted = [line.number for line in read_journal(path) if isinstance(line.entry, TurnEntry)]
    path.write_bytes(b"".join(lines[: granted[1]]))
    result = _resume(scenario, path)
    grants = [line.entry for line in read_journal(path) if isinstance(line.entry, TurnEntry)]
    assert [
        (1, 1, "checker"),
        (2, 1, "solver"),
        (2, 2, "solver"),
        (3, 1, "checker"),
        (4, 1, "solver"),
        (5, 1, "checker"),
    ] == [(grant.turn, grant.attempt, grant.seat) for grant in grants]
    assert [None, 1, 2, 3, 4, 5] == [entry.turn for entry in result.entries]
    assert 5 == result.granted
