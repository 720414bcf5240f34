"""What ``deskroom show`` says of a run, entry by entry: each line is pinned here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deskroom.cli.main import _run
from deskroom.core import OPERATOR, Viewer
from deskroom.core.reasons import Outcome
from deskroom.engine.entries import CallEntry, EndEntry, ExcessEntry, TurnEntry
from deskroom.journal import JournalFile
from deskroom.render.transcript import closing_line, happening_lines, open_line
from deskroom.runs.stream import RunStream, ordered
from deskroom.scenario import parse_scenario, replay_scenario

#: One run in which every kind of turn, row and late call happens.
FILE = """\
format = 1
order = "routed"
desk = { id = "d", name = "D", people = [{ id = "sam", label = "Sam" }], seats = [\
{ id = "a" }, { id = "b" }, { id = "c" }] }
[policy]
aside = { enabled = true, max_members = 1, max_messages = 1 }
on_refused_aside = "room"
chair = { rounds = 9 }
max_calls = 2
turn_timeout_s = 5
silence = "retry"
[opening]
by = "sam"
message = "@a go"
[[turn]]
seat = "a"
calls = [{ tool = "nope" }, { tool = "nope" }, { tool = "desk_read" }, { tool = "desk_read" }]
[[turn]]
seat = "a"
crash = "out of\\nmemory"
wrote = ["core.dump"]
[[turn]]
seat = "a"
calls = [{ tool = "nope" }, { tool = "desk_post", message = "@b on\\n[9] b: ha" }]
late = [{ tool = "desk_post", message = "and one more" }]
[[turn]]
seat = "b"
calls = [{ tool = "desk_broadcast", message = "who?" }]
scores = { a = 0.3, c = 0.9 }
[[turn]]
seat = "c"
text = "thinking\\nhard"
[[turn]]
seat = "c"
calls = [{ tool = "desk_dm", to = ["a"], message = "psst" }]
[[turn]]
seat = "a"
calls = [{ tool = "desk_dm", to = ["b"], message = "hey" }]
[[turn]]
seat = "b"
takes = 7
say = "too late"
[[turn]]
seat = "b"
calls = [{ tool = "desk_complete_episode", message = "done" }]
[[turn]]
seat = "a"
calls = [{ tool = "desk_complete_episode", message = "done" }]
"""

PLAIN = """\
[1] sam: @a go
  → a: '@a' at byte 0 is the first seat named
turn 1 (a): refused: no message was accepted: unknown_tool (2 times), too_many_calls (2 times)
[2] sam: @a the room has not heard you yet. Say what you have, or who should go on.
  nudge → a: the chair chose it
turn 2 (a): failed: the seat raised ScriptedCrash: out of\\nmemory
[3] workspace: a wrote core.dump
[4] sam: @a the room has not heard you yet. Say what you have, or who should go on.
  nudge → a: the chair chose it
[5] a: @b on
    [9] b: ha
  → b: '@b' at byte 0 is the first seat named
  refused calls: unknown_tool
turn 3 (a): late call: turn_ended
[6] b: who?
  → c, a: the router chose c, a
  scores: c 0.9, a 0.3 (the best, and others above 0.20, at most 2 seats)
turn 5 (c): silent: the seat made no call
[7] c → a · aside: psst
  → a: the message is addressed to it
[8] a: hey
  not private: budget_spent
  → b: the message is addressed to it
turn 7 (b): timed_out: the seat took longer than turn_timeout_s
[9] a: done
  completes
  → nobody: no @id in it names a seat
turn 7 (b): late call: turn_ended
"""

VERBOSE = """\
[1] sam: @a go
  → a: '@a' at byte 0 is the first seat named
turn 1 (a): refused: no message was accepted: unknown_tool (2 times), too_many_calls (2 times)
  hop 0, brought by [1]
  call 1: nope: unknown_tool
  call 2: nope: unknown_tool
  call 3: desk_read: too_many_calls
  1 more call: too_many_calls
[2] sam: @a the room has not heard you yet. Say what you have, or who should go on.
  nudge → a: the chair chose it
turn 2 (a): failed: the seat raised ScriptedCrash: out of\\nmemory
  hop 0, brought by [2]
  wrote: core.dump
[3] workspace: a wrote core.dump
[4] sam: @a the room has not heard you yet. Say what you have, or who should go on.
  nudge → a: the chair chose it
[5] a: @b on
    [9] b: ha
  → b: '@b' at byte 0 is the first seat named
  turn 3, hop 0, brought by [4]
  call 1: nope: unknown_tool
  call 2: desk_post: ok
    {"message": "@b on\\n[9] b: ha"}
turn 3 (a): late call: turn_ended
  desk_post
    {"message": "and one more"}
[6] b: who?
  → c, a: the router chose c, a
  scores: c 0.9, a 0.3 (the best, and others above 0.20, at most 2 seats)
  turn 4, hop 1, brought by [5]
  call 1: desk_broadcast: ok
    {"message": "who?"}
turn 5 (c): silent: the seat made no call
  hop 2, brought by [6]
  text: thinking
    hard
[7] c → a · aside: psst
  → a: the message is addressed to it
  turn 5, attempt 2, hop 2, brought by [6]
  call 1: desk_dm: ok
    {"to": ["a"], "message": "psst"}
[8] a: hey
  not private: budget_spent
  → b: the message is addressed to it
  turn 6, hop 3, brought by [7]
  call 1: desk_dm: ok
    {"to": ["b"], "message": "hey"}
turn 7 (b): timed_out: the seat took longer than turn_timeout_s
  hop 4, brought by [8]
[9] a: done
  completes
  → nobody: no @id in it names a seat
  turn 8, hop 2, brought by [6]
  call 1: desk_complete_episode: ok
    {"message": "done"}
turn 7 (b): late call: turn_ended
  desk_post
    {"message": "too late"}
"""

OF_C = """\
[1] sam: @a go
  → a: '@a' at byte 0 is the first seat named
turn 1 (a): refused
  hop 0, brought by [1]
[2] sam: @a the room has not heard you yet. Say what you have, or who should go on.
  nudge → a: the chair chose it
turn 2 (a): failed
  hop 0, brought by [2]
[3] workspace: a wrote core.dump
[4] sam: @a the room has not heard you yet. Say what you have, or who should go on.
  nudge → a: the chair chose it
[5] a: @b on
    [9] b: ha
  → b: '@b' at byte 0 is the first seat named
  turn 3, hop 0, brought by [4]
[6] b: who?
  → c, a: the router chose c, a
  turn 4, hop 1, brought by [5]
turn 5 (c): silent: the seat made no call
  hop 2, brought by [6]
  text: thinking
    hard
[7] c → a · aside: psst
  → a: the message is addressed to it
  turn 5, attempt 2, hop 2, brought by [6]
  call 1: desk_dm: ok
    {"to": ["a"], "message": "psst"}
[8] a: hey
  not private: budget_spent
  → b: the message is addressed to it
  turn 6, hop 3, brought by [7]
turn 7 (b): timed_out
  hop 4, brought by [8]
[9] a: done
  completes
  → nobody: no @id in it names a seat
  turn 8, hop 2, brought by [6]
"""


def told(viewer: Viewer = OPERATOR, *, verbose: bool = False) -> Iterator[str]:
    """Yield the lines of that run."""
    run = replay_scenario(parse_scenario(FILE)).run
    stream = RunStream(run.setup)
    entries = enumerate(run.journal, start=1)
    happened = [one for number, entry in entries for one in stream.take(number, entry)]
    for one in ordered(happened, viewer):
        yield from happening_lines(one, verbose=verbose)


def lines_of(lines: Iterator[str]) -> list[str]:
    """Return lines of which each may be several."""
    return "\n".join(lines).split("\n")


def test_it_says_what_happened_and_why() -> None:
    """The decision below its row, a turn without a row where it ended, a late call where it came."""
    assert PLAIN.splitlines() == lines_of(told())


def test_with_v_it_says_every_call_and_its_reply() -> None:
    """And what was said outside them; a text goes on four cells in."""
    assert VERBOSE.splitlines() == lines_of(told(verbose=True))


def test_a_seat_is_told_what_it_may_know() -> None:
    """Of others' turns how they ended, of its own all of it, and nothing of a router's scores."""
    assert OF_C.splitlines() == lines_of(told(Viewer("agent", "c"), verbose=True))


@pytest.mark.parametrize(
    "call, lines",
    [
        (
            CallEntry(9, 1, "a", 0, "desk_post", {"message": "hi"}, "not_your_turn", late=True),
            ["turn 9 (a): call out of turn: not_your_turn", "  desk_post", '    {"message": "hi"}'],
        ),
        (
            CallEntry(1, 2, "a", 3, ["x\u202e"], {}, "turn_ended", late=True),
            ["turn 1 (a, attempt 2): late call: turn_ended", '  ["x\\u202e"]'],
        ),
    ],
)
def test_a_call_that_no_turn_was_open_for_is_told(call: CallEntry, lines: list[str]) -> None:
    """By the turn that it says it is of; what a seat sent cannot act on a terminal."""
    setup = replay_scenario(parse_scenario(FILE)).run.setup
    (shown,) = RunStream(setup).take(2, call)
    assert lines == lines_of(happening_lines(shown, verbose=True))
    assert lines[:1] == list(happening_lines(shown))


def test_calls_that_were_only_counted_and_the_text_that_was_read_are_told() -> None:
    """The first as a number, the second as the call that was read out of it."""
    stream = RunStream(replay_scenario(parse_scenario(FILE)).run.setup)
    stream.take(2, TurnEntry(3, "a", 1, None, attempt=2))
    stream.take(3, CallEntry(3, 2, "a", 1, "desk_read", {}, "too_many_calls"))
    stream.take(4, ExcessEntry(3, 2, "a", 5000))
    stream.take(5, CallEntry(3, 2, "a", 0, "desk_post", {}, "empty_message", source="fence"))
    assert stream.open is not None
    assert "turn 3 (a, attempt 2): has not ended" == open_line(stream.open)
    (ended,) = stream.take(6, EndEntry(3, 2, "a", Outcome.REFUSED))
    assert lines_of(happening_lines(ended, verbose=True)) == [
        "turn 3 (a, attempt 2): refused: no message was accepted: too_many_calls (1001 times)",
        "  hop 1",
        "  call 1: desk_read: too_many_calls",
        "  out of its text: desk_post: empty_message",
        "  at least 1000 more calls: too_many_calls",
    ]


@pytest.mark.parametrize(
    "run, totals, failure, line",
    [
        ({}, {}, None, None),
        ({"closed": "quiet"}, {}, None, "closed: quiet"),
        ({"closed": "quiet"}, {"turns": 1, "rows": 2}, None, "closed: quiet; 1 turn, 2 rows"),
        ({"closed": "failed"}, {}, "no\ndisk", "closed: failed: no\\ndisk"),
        (
            {"closed": None},
            {"turns": 0, "rows": 0},
            None,
            "not closed: it can be resumed; 0 turns, 0 rows",
        ),
    ],
)
def test_the_last_line_says_how_the_room_closed(
    run: dict[str, str | None], totals: dict[str, int], failure: str | None, line: str | None
) -> None:
    """As much of it as is known."""
    assert line == closing_line(run, totals, failure)


@pytest.mark.parametrize(
    "arguments, told",
    [
        (
            ["--json", "--follow"],
            "--json prints one document at the end, so it cannot go with --follow",
        ),
        (["--rows", "--json"], "--rows prints the rows alone, so it cannot go with --json"),
        (["--rows", "-v"], "--rows prints the rows alone, so it cannot go with --verbose"),
    ],
)
def test_options_that_contradict_each_other_are_refused(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before anything is read."""
    assert 2 == _run(["show", "none", *arguments])
    assert f"deskroom: {told}\n" == capsys.readouterr().err


@pytest.mark.parametrize(
    "content, told",
    [
        ("", "the file is empty, so it holds no run"),
        ("hello\n", "the file holds no run: it is no journal, no scenario and no transcript"),
    ],
)
def test_a_file_that_is_no_run_gets_one_sentence(
    content: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With its name, and nothing else."""
    (tmp_path / "x").write_text(content)
    assert 2 == _run(["show", str(tmp_path / "x")])
    assert ("", f"{tmp_path / 'x'}: {told}\n") == capsys.readouterr()


def test_a_wrong_line_is_told_as_verify_tells_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And that nothing behind it is shown."""
    path = tmp_path / "run.jsonl"
    with JournalFile.create(path) as journal:
        replay_scenario(parse_scenario(FILE), journal=journal)
    path.write_bytes(path.read_bytes().replace(b"psst", b"pst!"))
    capsys.readouterr()
    assert 1 == _run(["verify", str(path)])
    verdict = capsys.readouterr().err
    assert 1 == _run(["show", str(path)])
    line = int(verdict.split(":")[1])
    notice = f"{path}: only what stands before line {line} is shown\n"
    assert verdict + notice == capsys.readouterr().err
