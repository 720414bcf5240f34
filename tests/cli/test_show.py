from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import chdir
from pathlib import Path
from threading import Event
from typing import Any

import anyio
import pytest

from deskroom.core.reasons import CloseReason
from deskroom.engine.entries import CloseEntry, EndEntry, Entry, MemoryJournal, RowEntry
from deskroom.journal import JournalFile, read_journal
from deskroom.scenario import parse_scenario, replay_scenario
from deskroom.scenario.play.replay import run_scripted, scripted_room

Run = Callable[..., Any]
Started = Callable[..., subprocess.Popen[bytes]]

HEAD = """\
format = 1
desk = { id = "d", name = "D", people = [{ id = "sam", label = "Sam" }], seats = [\
{ id = "planner" }, { id = "auditor" }, { id = "coder" }, { id = "old", retired = true }] }
policy = { aside = { enabled = true, max_members = 1, max_messages = 9 } }
[opening]
by = "sam"
message = "@planner go\\non"
"""


def turn(seat: str, message: str, to: str | None = None) -> str:
    """Return a listed turn that says something, to all or to one seat."""
    if to is None:
        return f'[[turn]]\nseat = "{seat}"\nsay = "{message}"\n'
    call = f'{{ tool = "desk_dm", to = ["{to}"], message = "{message}" }}'
    return f'[[turn]]\nseat = "{seat}"\ncalls = [{call}]\n'


TALK = HEAD + "".join(
    [
        *(turn("coder", f"step {n}") for n in range(2, 7)),
        turn("planner", "first", "auditor"),
        turn("auditor", "second", "planner"),
        turn("planner", "third", "auditor"),
        turn("planner", "fourth", "auditor"),
        turn("auditor", "settled"),
        turn("coder", "for the planner", "planner"),
        turn("planner", "\\u001b[31mred"),
        turn("auditor", "last", "coder"),
    ]
)

ALL = """\
[1] sam: @planner go
    on
[2] coder: step 2
[3] coder: step 3
[4] coder: step 4
[5] coder: step 5
[6] coder: step 6
[7] planner → auditor · aside: first
[8] auditor → planner · aside: second
[9] planner → auditor · aside: third
[10] planner → auditor · aside: fourth
[11] auditor: settled
[12] coder → planner · aside: for the planner
[13] planner: \\x1b[31mred
[14] auditor → coder · aside: last
"""
STUB = "[7-10] planner → auditor · aside, 4 messages · settled at [11]"


def seen_by(seat: str) -> str:
    """Return the talk as a seat reads it."""
    lines = ALL.splitlines()
    if seat in {"coder", "old"}:
        lines[7:11] = [STUB]
    if seat in {"auditor", "old"}:
        at = lines.index("[12] coder → planner · aside: for the planner")
        lines[at] = "[12] coder → planner · aside, 1 message · settled at [13]"
    if seat in {"planner", "old"}:
        lines[-1] = "[14] auditor → coder · aside, 1 message · not settled"
    return "".join(f"{line}\n" for line in lines)


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the bytes of that talk's journal."""
    path = tmp_path_factory.mktemp("talk") / "run.jsonl"
    with JournalFile.create(path) as journal:
        anyio.run(run_scripted, scripted_room(parse_scenario(TALK), journal=journal))
    return path.read_bytes()


@pytest.fixture
def path(talk: bytes, tmp_path: Path) -> Path:
    """Return the path of that journal."""
    path = tmp_path / "run.jsonl"
    path.write_bytes(talk)
    return path


def test_without_a_seat_all_of_it_is_shown(run: Run, path: Path) -> None:
    """As people and the operator read it; terminals are not acted on."""
    ended = run("show", path, "--rows")
    assert (0, ALL, "") == (ended.code, ended.out, ended.err)


@pytest.mark.parametrize("seat", ["planner", "auditor", "coder", "old"])
def test_a_seat_sees_what_it_may_read(run: Run, path: Path, seat: str) -> None:
    """Of the rest it sees who spoke to whom, how often, and where that was settled."""
    ended = run("show", path, "--rows", "--as", seat)
    assert (0, seen_by(seat), "") == (ended.code, ended.out, ended.err)


@pytest.mark.parametrize("tail, kept", [(0, 0), (1, 1), (3, 3), (13, 13), (14, 15), (99, 15)])
def test_a_tail_is_the_last_entries(run: Run, path: Path, tail: int, kept: int) -> None:
    """An entry of two lines is one, and so is a stub, whatever it stands for."""
    lines = ALL.splitlines(keepends=True)
    assert "".join(lines[len(lines) - kept :]) == run("show", path, "--rows", "--tail", tail).out
    assert STUB == run("show", path, "--rows", "--as", "coder", "--tail", 5).out.splitlines()[0]


def test_the_tail_of_a_long_journal_is_read_from_its_end(run: Run, tmp_path: Path) -> None:
    """A stub is read back to its start; that the rest was not looked at is said on stderr."""
    path = tmp_path / "long.jsonl"
    asides = turn("planner", "psst", "auditor") + "repeat = 400\n"
    text = HEAD.replace("max_messages = 9 }", "max_messages = 999 }, max_turns = 999")
    text += turn("coder", "one") + "repeat = 400\n" + asides + turn("coder", "two")
    with JournalFile.create(path, sync="never") as journal:
        anyio.run(run_scripted, scripted_room(parse_scenario(text), journal=journal))
    ended = run("show", path, "--rows", "--tail", 3, "--as", "coder")
    expected = (
        "[401] coder: one\n"
        "[402-801] planner → auditor · aside, 400 messages · not settled\n"
        "[802] coder: two\n"
    )
    assert (0, expected) == (ended.code, ended.out)
    assert re.fullmatch(
        rf"{path}: only the last \d+ lines were read and checked; "
        "`deskroom verify` checks all of them\n",
        ended.err,
    )
    ended = run("show", path, "--rows", "--tail", 1)
    assert "[802] coder: two\n" == ended.out
    whole = run("show", path, "--rows", "--as", "coder")
    assert ("".join(whole.out.splitlines(keepends=True)[-3:]), "") == (expected, whole.err)


def test_a_tail_below_nothing_is_told(run: Run, path: Path) -> None:
    """It is the command that is wrong."""
    assert 2 == run("show", path, "--rows", "--tail", -1).code


@pytest.mark.parametrize("follow", [[], ["--follow"]])
@pytest.mark.parametrize(
    "seat, hint",
    [
        ("planer", "; did you mean 'planner'?"),
        ("sam", "; its seats are planner, auditor, coder, old"),
    ],
)
def test_a_stranger_is_told(run: Run, path: Path, seat: str, hint: str, follow: list[str]) -> None:
    """A name that is mistyped must not show less than was asked for."""
    ended = run("show", path, "--rows", "--as", seat, *follow)
    told = f"{path}: this desk has no seat {seat!r}{hint}\n"
    assert (2, "", told) == (ended.code, ended.out, ended.err)


def test_a_line_that_is_being_written_is_left_out(run: Run, path: Path, talk: bytes) -> None:
    """A writer may be at it; all before is shown."""
    at = talk.index(b'"content":"step 4"')
    path.write_bytes(talk[:at])
    ended = run("show", path, "--rows")
    line = talk[:at].count(b"\n") + 1
    told = f"{path}:{line}: the last line is cut short; it is left out\n"
    assert (0, "".join(ALL.splitlines(keepends=True)[:4]), told) == (
        ended.code,
        ended.out,
        ended.err,
    )


def test_a_journal_that_is_only_begun_has_nothing_to_show(
    run: Run, path: Path, talk: bytes
) -> None:
    """Not even its desk is known yet."""
    path.write_bytes(talk[:40])
    told = f"{path}:1: the last line is cut short; it is left out\n"
    ended = run("show", path, "--rows", "--as", "planner")
    assert (0, "", told) == (ended.code, ended.out, ended.err)


@pytest.mark.parametrize("follow", [[], ["--follow"]])
def test_a_bad_line_is_told(run: Run, path: Path, talk: bytes, follow: list[str]) -> None:
    """What stands before it is shown; what is not as it was written is not."""
    path.write_bytes(talk.replace(b"step 4", b"step 5", 1))
    ended = run("show", path, "--rows", *follow)
    assert (1, "".join(ALL.splitlines(keepends=True)[:4])) == (ended.code, ended.out)
    assert "is bad: the digest does not fit" in ended.err
    assert "step 5" not in ended.out


def test_what_is_not_there_is_told(run: Run, tmp_path: Path) -> None:
    """With the system's words."""
    for noun, follow in (("file", []), ("journal", ["--follow"])):
        told = f"{tmp_path / 'no'}: the {noun} cannot be read: No such file or directory\n"
        ended = run("show", tmp_path / "no", *follow)
        assert (2, "", told) == (ended.code, ended.out, ended.err)


# What happened beside the rows

#: Its middle is a turn that fails, with a late call, and its end one that is refused.
MISHAPS = (
    HEAD
    + """\
[[turn]]
seat = "coder"
crash = "oops"
late = [{ tool = "desk_post", message = "more" }]
[[turn]]
seat = "planner"
calls = [{ tool = "desk_dm", to = ["auditor"], message = "psst" }]
[[turn]]
seat = "auditor"
calls = [{ tool = "nope" }]
"""
)

TOLD = """\
[1] sam: @planner go
    on
  → planner: '@planner' at byte 0 is the first seat named
turn 1 (coder): failed: the seat raised ScriptedCrash: oops
turn 1 (coder): late call: turn_ended
[2] planner → auditor · aside: psst
  → auditor: the message is addressed to it
turn 3 (auditor): refused: no message was accepted: unknown_tool
closed: script; 3 turns, 2 rows
"""


@pytest.fixture
def mishaps(tmp_path: Path) -> Path:
    """Return the path of the journal of that run; the scenario is beside it."""
    path = tmp_path / "mishaps.jsonl"
    (tmp_path / "mishaps.toml").write_text(MISHAPS)
    with JournalFile.create(path) as journal:
        replay_scenario(parse_scenario(MISHAPS), journal=journal)
    return path


@pytest.mark.parametrize("options", [[], ["--follow"], ["--tail", 6]])
def test_turns_without_a_row_stand_where_they_ended(
    run: Run, mishaps: Path, options: list[object]
) -> None:
    """With what was decided below each row, and how the room closed at the end."""
    ended = run("show", mishaps, *options)
    assert (0, TOLD, "") == (ended.code, ended.out, ended.err)
    if "--follow" not in options:
        assert TOLD == run("show", mishaps.with_suffix(".toml"), *options).out
    last = run("show", mishaps, "--tail", 1).out
    assert TOLD.splitlines()[-2:] == last.splitlines()


def test_json_holds_rows_turns_and_calls(run: Run, mishaps: Path) -> None:
    """The rows and turns are those of a replay, each turn with its calls beside."""
    with chdir(mishaps.parent):
        shown = json.loads(run("show", "mishaps.jsonl", "--json").out)
        replayed = json.loads(run("replay", "mishaps.toml", "--json").out)["scenarios"][0]
    assert replayed["rows"] == shown["rows"]
    assert replayed["run"] == shown["run"]
    assert (1, "mishaps.jsonl", "journal", "listed", None, []) == tuple(
        shown[key] for key in ("format", "path", "kind", "order", "damage", "stray_calls")
    )
    turns = [{**turn, "listed": None} for turn in replayed["turns"]]
    assert turns == [{key: turn[key] for key in turns[0]} for turn in shown["turns"]]
    assert [{"type": "ScriptedCrash", "text": "oops"}, None, None] == [
        turn["error"] for turn in shown["turns"]
    ]
    assert [("more", True), ("psst", False), (None, False)] == [
        (call["arguments"].get("message"), call["late"])
        for turn in shown["turns"]
        for call in turn["calls"]
    ]


def test_json_of_a_scenario_names_its_turns(run: Run, mishaps: Path) -> None:
    """A journal does not know what its scenario calls them."""
    document = json.loads(run("show", mishaps.with_suffix(".toml"), "--json").out)
    assert ["1", "2", "3"] == [turn["listed"] for turn in document["turns"]]
    assert "scenario" == document["kind"]


def test_json_of_a_tail_holds_the_turns_of_its_entries(run: Run, mishaps: Path) -> None:
    """And what is not known of the whole is null."""
    document = json.loads(run("show", mishaps, "--json", "--tail", 2).out)
    assert [2] == [row["sequence"] for row in document["rows"]]
    assert [2, 3] == [turn["turn"] for turn in document["turns"]]


def test_a_wrong_line_is_in_the_json_as_well(run: Run, mishaps: Path) -> None:
    """With what stands before it."""
    mishaps.write_bytes(mishaps.read_bytes().replace(b"psst", b"pst!"))
    ended = run("show", mishaps, "--json")
    document = json.loads(ended.out)
    assert (1, [1], None) == (
        ended.code,
        [row["sequence"] for row in document["rows"]],
        document["run"]["closed"],
    )
    assert document["damage"]["line"] == int(ended.err.split(":")[1])


def test_a_turn_that_has_not_ended_is_told(run: Run, mishaps: Path) -> None:
    """It is the last thing that is known of such a room."""
    mishaps.write_bytes(b"".join(mishaps.read_bytes().splitlines(keepends=True)[:3]))
    ended = run("show", mishaps)
    assert "turn 1 (coder): has not ended" == ended.out.splitlines()[-2]
    assert 0 == ended.code


def test_a_transcript_is_shown_as_far_as_it_is_known(run: Run, mishaps: Path) -> None:
    """Rows have no decisions; the output of a replay has them, and says how the room closed."""
    folder = mishaps.parent
    replayed = run("replay", mishaps.with_suffix(".toml"), "--json").out
    (folder / "replay.json").write_text(replayed)
    rows = [
        {
            key: row[key]
            for key in ("sequence", "chat_id", "parent", "author", "content", "audience")
        }
        for row in json.loads(replayed)["scenarios"][0]["rows"]
    ]
    (folder / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    alone = run("show", folder / "rows.jsonl", "--as", "coder")
    assert alone.out.splitlines() == [
        "[1] sam: @planner go",
        "    on",
        "[2] planner → auditor · aside, 1 message · not settled",
    ]
    assert rows == json.loads(run("show", folder / "rows.jsonl", "--json").out)["rows"]
    told = run("show", folder / "replay.json").out.splitlines()
    assert "turn 1 (coder): failed" in told
    assert "closed: script" == told[-1]
    document = json.loads(run("show", folder / "replay.json", "--json").out)
    assert ["failed", "refused"] == [turn["outcome"] for turn in document["turns"]]


def test_a_pipe_is_read_as_well(process: Run, mishaps: Path) -> None:
    """A journal, a scenario and its tail, in the same way."""
    for path in (mishaps, mishaps.with_suffix(".toml")):
        code = f"cat {path} | {sys.executable} -m deskroom show - --tail 1"
        done = subprocess.run(
            ["sh", "-c", code], capture_output=True, check=False, env=dict(os.environ)
        )
        assert TOLD.splitlines()[-2:] == done.stdout.decode().splitlines()


def test_a_follower_sees_turns_without_a_row(started: Started, tmp_path: Path) -> None:
    """As soon as they have ended."""
    path = tmp_path / "run.jsonl"
    memory = MemoryJournal()
    replay_scenario(parse_scenario(MISHAPS), journal=memory)
    at = next(n for n, entry in enumerate(memory.entries) if isinstance(entry, EndEntry))
    with JournalFile.create(path) as journal:
        follower = Follower(started, path, rows=False)
        written(journal, memory.entries[: at + 1])
        assert TOLD.splitlines()[:4] == follower.lines(4)
        written(journal, memory.entries[at + 1 :])
        rest = "".join(TOLD.splitlines(keepends=True)[4:])
        assert (0, rest, "") == follower.ended()


def test_a_terminal_has_its_lines_wrapped(started: Started, mishaps: Path) -> None:
    """Only an entry begins at its left edge, whatever its width is."""
    shown = on_a_terminal(started, "show", str(mishaps), TERM="xterm", NO_COLOR="1", COLUMNS="40")
    lines = shown.splitlines()
    assert max(map(len, lines)) <= 40
    edge = [line for line in lines if not line.startswith(" ")]
    assert ["[1]", "turn", "turn", "[2]", "turn", "closed:"] == [line.split()[0] for line in edge]


# Colours


def on_a_terminal(started: Started, *arguments: str, **variables: str) -> str:
    """Return what a command writes to a terminal."""
    ours, theirs = pty.openpty()
    os.environ.update(variables)
    try:
        process = started(*arguments, stdout=theirs, stdin=subprocess.DEVNULL)
    finally:
        for name in variables:
            del os.environ[name]
    os.close(theirs)
    written = b""
    while True:
        try:
            more = os.read(ours, 4096)
        except OSError:
            break
        if not more:
            break
        written += more
    os.close(ours)
    process.wait()
    return written.decode().replace("\r\n", "\n")


def test_colours_are_for_terminals(started: Started, path: Path) -> None:
    """Who asks for none gets none, and a pipe gets none either."""
    shown = on_a_terminal(started, "show", "--rows", str(path), TERM="xterm")
    assert "\x1b[36m[2] coder\x1b[0m: step 2\n" in shown
    assert "\\x1b[31mred" in shown
    assert ALL == on_a_terminal(started, "show", "--rows", str(path), TERM="xterm", NO_COLOR="1")
    process = started("show", "--rows", str(path), stdout=subprocess.PIPE)
    assert ALL == process.communicate()[0].decode()


# Following


def entries_of(talk: bytes, tmp_path: Path) -> list[Entry]:
    """Return what the talk's journal holds."""
    whole = tmp_path / "whole.jsonl"
    whole.write_bytes(talk)
    return [line.entry for line in read_journal(whole)]


class Follower:
    """A ``show --follow`` in a process of its own, beside the writer of its journal."""

    def __init__(self, started: Started, path: Path, *options: str, rows: bool = True) -> None:
        self.path = path
        options = ("--rows", *options) if rows else options
        self.process = started(
            "show",
            "--follow",
            str(path),
            *options,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.process.stdout is not None
        self.out = self.process.stdout

    def lines(self, count: int) -> list[str]:
        """Wait for so many lines."""
        return [self.out.readline().decode().rstrip("\n") for _ in range(count)]

    def ended(self) -> tuple[int, str, str]:
        """Wait for the end, and return the exit code and what came since."""
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out.decode(), err.decode()


def written(journal: JournalFile, entries: Sequence[Entry]) -> None:
    """Append entries to a journal."""
    for entry in entries:
        journal.write(entry)


def test_rows_are_followed_as_they_come(started: Started, talk: bytes, tmp_path: Path) -> None:
    """From before the first line to the close; a stub comes once its aside is over."""
    path = tmp_path / "run.jsonl"
    entries = entries_of(talk, tmp_path)
    rows = [n for n, entry in enumerate(entries) if isinstance(entry, RowEntry)]
    with JournalFile.create(path) as journal:
        follower, seat = Follower(started, path), Follower(started, path, "--as", "coder")
        written(journal, entries[: rows[2] + 1])
        expected = ALL.splitlines()
        assert expected[:4] == follower.lines(4)
        assert expected[:4] == seat.lines(4)
        # Half of a line that is to come.
        with path.open("ab") as file:
            size = file.tell()
            file.write(b'{"kind":"row"')
        Event().wait(0.15)
        os.truncate(path, size)
        written(journal, entries[rows[2] + 1 : rows[8] + 1])
        assert expected[4:10] == follower.lines(6)
        assert expected[4:7] == seat.lines(3)
        written(journal, entries[rows[8] + 1 : rows[10] + 1])
        assert expected[10:12] == follower.lines(2)
        assert [STUB, "[11] auditor: settled"] == seat.lines(2)
        written(journal, entries[rows[10] + 1 :])
        assert (0, "".join(f"{line}\n" for line in expected[12:]), "") == follower.ended()
        assert (0, "".join(f"{line}\n" for line in expected[12:]), "") == seat.ended()


def test_a_room_that_was_closed_ends_following_at_once(run: Run, path: Path) -> None:
    """All of it is shown, or its tail, as one seat may read it or in full."""
    ended = run("show", "--follow", path, "--rows")
    assert (0, ALL, "") == (ended.code, ended.out, ended.err)
    tail = run("show", "--follow", path, "--rows", "--as", "old", "--tail", 2).out
    assert seen_by("old").splitlines()[-2:] == tail.splitlines()


def test_a_room_that_was_stopped_has_closed_unless_it_went_on(
    started: Started, run: Run, talk: bytes, tmp_path: Path
) -> None:
    """A stop at the end is the end; one in the middle is not."""
    path = tmp_path / "run.jsonl"
    entries = entries_of(talk, tmp_path)
    with JournalFile.create(path) as journal:
        written(journal, [*entries[:2], CloseEntry(CloseReason.STOPPED)])
        assert "[1] sam: @planner go\n    on\n" == run("show", "--follow", path, "--rows").out
        written(journal, entries[2:5])
        follower = Follower(started, path)
        assert ["[1] sam: @planner go", "    on", "[2] coder: step 2"] == follower.lines(3)
        assert follower.process.poll() is None
        written(journal, entries[5:])
        assert 0 == follower.ended()[0]


def test_a_stranger_is_told_as_soon_as_the_desk_is_known(
    started: Started, talk: bytes, tmp_path: Path
) -> None:
    """A journal may be followed before it has begun."""
    path = tmp_path / "run.jsonl"
    with JournalFile.create(path) as journal:
        follower = Follower(started, path, "--as", "nobody")
        Event().wait(0.15)
        written(journal, entries_of(talk, tmp_path)[:2])
        code, out, err = follower.ended()
    assert (2, "") == (code, out)
    assert err.startswith(f"{path}: this desk has no seat 'nobody'")


def test_following_can_be_interrupted(started: Started, talk: bytes, tmp_path: Path) -> None:
    """Ctrl-C is how a follower leaves a room that goes on."""
    path = tmp_path / "run.jsonl"
    path.write_bytes(b"".join(talk.splitlines(keepends=True)[:2]))
    follower = Follower(started, path)
    assert ["[1] sam: @planner go"] == follower.lines(1)
    follower.process.send_signal(2)
    assert 130 == follower.ended()[0]
