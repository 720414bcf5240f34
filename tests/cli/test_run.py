from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deskroom.engine.entries import HeaderEntry, RowEntry
from deskroom.engine.script import order_of
from deskroom.journal import JournalFile, read_journal, verify
from deskroom.journal.chain import FIRST, seal
from deskroom.scenario import load_scenario
from deskroom.scenario.play.resume import script_digest

Run = Callable[..., Any]

DESK = """\
format = 1
order = "routed"
desk = { id = "d", name = "D", people = [{ id = "sam", label = "Sam" }], seats = [\
{ id = "a" }, { id = "b" }, { id = "c" }] }
policy = { aside = { enabled = true, max_members = 1, max_messages = 3 } }
[opening]
by = "sam"
message = "@a begin"
[[turn]]
seat = "a"
calls = [{ tool = "desk_dm", to = ["b"], message = "psst" }]
[[turn]]
seat = "b"
say = "@c two\\nlines"
wrote = ["x.py"]
[[turn]]
seat = "c"
calls = [{ tool = "desk_complete_episode", message = "\\u001b[31mdone" }]
"""

ROWS = """\
[1] sam: @a begin
[2] a → b · aside: psst
[3] b: @c two
    lines
[4] workspace: b wrote x.py
[5] c: \\x1b[31mdone
"""
CLOSED = "closed: completed; 3 turns, 5 rows\n"


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """Return the scenario above as a file."""
    path = tmp_path / "desk.toml"
    path.write_text(DESK)
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a journal may be made."""
    return tmp_path / "run.jsonl"


def cut(path: Path, lines: int, more: int = 0) -> None:
    """Cut a journal off after some lines, and some bytes of the next."""
    kept = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(kept[:lines]) + (kept[lines][:more] if more else b""))


# Without a journal


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_each_row_is_printed_as_it_comes(run: Run, desk: Path, backend: str) -> None:
    """The operator reads all of it; a message of several lines can feign no row."""
    ended = run("run", desk, "--backend", backend)
    assert (0, ROWS + CLOSED, "") == (ended.code, ended.out, ended.err)
    assert [desk] == list(desk.parent.iterdir())


def test_a_turn_without_a_row_is_printed_where_it_ended(run: Run, desk: Path) -> None:
    """Silent, refused, failed and timed out; a journal makes no difference, quiet does."""
    turns = ["", 'calls = [{ tool = "nope" }]', 'crash = "bo\\u001bom"', "takes = 9", 'say = "hm"']
    text = DESK[: DESK.index("[[turn]]")].replace("routed", "listed")
    text = text.replace("policy = {", "policy = { turn_timeout_s = 5,")
    desk.write_text(text + "".join(f'[[turn]]\nseat = "a"\n{turn}\n' for turn in turns))
    ended = run("run", desk)
    assert ["[1]", "turn", "turn", "turn", "turn", "[2]"] == [
        line.split()[0] for line in ended.out.splitlines()[:-1]
    ]
    assert ["silent:", "refused:", "failed:", "timed_out:"] == [
        line.split()[3] for line in ended.out.splitlines()[1:5]
    ]
    assert ended.out == run("run", desk, "--journal", desk.with_suffix(".jsonl")).out
    assert 1 == len(run("run", desk, "-q").out.splitlines())


def test_quiet_prints_how_it_closed(run: Run, desk: Path) -> None:
    """And no rows."""
    assert (0, CLOSED) == (run("run", desk, "-q").code, run("run", desk, "--quiet").out)


def test_one_turn_and_one_row_are_counted_as_such(run: Run, desk: Path) -> None:
    """Numbers and nouns agree."""
    text = DESK[: DESK.index("[opening]")].replace("routed", "listed")
    desk.write_text(f'{text}[[turn]]\nseat = "a"\nsay = "x"\n')
    assert "[1] a: x\nclosed: script; 1 turn, 1 row\n" == run("run", desk).out


def test_what_is_expected_is_not_compared(run: Run, desk: Path) -> None:
    """That is what replay is for."""
    desk.write_text(DESK + "[expect]\nrows = 99\n")
    assert (0, ROWS + CLOSED) == (run("run", desk).code, run("run", desk).out)


def test_a_scenario_that_is_wrong_is_told(run: Run, desk: Path, path: Path) -> None:
    """With its place, and no journal is begun."""
    desk.write_text(DESK.replace('seat = "c"', 'seat = "z"'))
    ended = run("run", desk, "--journal", path)
    assert (2, "") == (ended.code, ended.out)
    assert ended.err.startswith(f'{desk}:16:8: turn[3].seat: found "z", expected a seat')
    assert not path.exists()


def test_resume_needs_a_journal(run: Run, desk: Path) -> None:
    """There is nothing to go on with."""
    ended = run("run", desk, "--resume")
    expected = "deskroom: --resume needs the journal to resume: name it with --journal FILE\n"
    assert (2, "", expected) == (ended.code, ended.out, ended.err)


# With one


@pytest.mark.parametrize("sync", ["row", "close", "never"])
def test_a_journal_keeps_every_entry(run: Run, desk: Path, path: Path, sync: str) -> None:
    """However it is synced, it is sound, and its header names the script."""
    ended = run("run", desk, "--journal", path, "--sync", sync)
    assert (0, ROWS + CLOSED, "") == (ended.code, ended.out, ended.err)
    assert (5, "completed") == (verify(path).rows, verify(path).closed)
    header = next(read_journal(path)).entry
    assert isinstance(header, HeaderEntry)
    assert ("routed", script_digest(load_scenario(desk))) == (
        order_of(header.setup.script),
        header.scenario,
    )


def test_the_same_run_has_the_same_bytes(run: Run, desk: Path, tmp_path: Path) -> None:
    """On either loop, and wherever it is kept: nothing of the machine is in it."""
    found = set()
    for at, backend in enumerate(("asyncio", "trio", "asyncio")):
        kept = tmp_path / f"{at}.jsonl"
        run("run", desk, "--journal", kept, "--backend", backend)
        found.add(kept.read_bytes())
    assert 1 == len(found)
    assert str(tmp_path).encode() not in found.pop()


def test_a_journal_is_not_begun_twice(run: Run, desk: Path, path: Path) -> None:
    """Whoever means to go on says so."""
    run("run", desk, "--journal", path, "-q")
    before = path.read_bytes()
    ended = run("run", desk, "--journal", path)
    expected = f"{path}: there is such a journal: resume it, or name another file\n"
    assert (2, "", expected) == (ended.code, ended.out, ended.err)
    assert before == path.read_bytes()


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@pytest.mark.parametrize("kept", range(1, 14))
def test_a_run_goes_on_where_its_journal_stops(
    run: Run, desk: Path, path: Path, backend: str, kept: int
) -> None:
    """Only what is new is printed; the counts are those of the whole."""
    run("run", desk, "--journal", path, "-q")
    whole = list(read_journal(path))
    cut(path, kept)
    rows = sum(isinstance(line.entry, RowEntry) for line in whole[:kept])
    ended = run("run", desk, "--journal", path, "--resume", "--backend", backend)
    blocks = re.split(r"^(?=\[)", ROWS, flags=re.MULTILINE)[1:]
    assert (0, "".join(blocks[rows:]) + CLOSED) == (ended.code, ended.out)
    assert f"{path}: going on after row {rows}\n" == ended.err
    verify(path)
    assert len(whole) <= len(list(read_journal(path))) <= len(whole) + 2


def test_a_line_that_was_cut_short_is_told_and_cut_off(run: Run, desk: Path, path: Path) -> None:
    """On stderr, with its number."""
    run("run", desk, "--journal", path, "-q")
    whole = path.read_bytes()
    cut(path, 4, more=30)
    ended = run("run", desk, "--journal", path, "--resume", "-q")
    told = f"{path}: going on after row 1 (line 5 was cut short, and is cut off)\n"
    assert (0, CLOSED, told) == (ended.code, ended.out, ended.err)
    # The turn that was open has been granted a second time.
    assert whole.count(b"\n") + 2 == path.read_bytes().count(b"\n")


@pytest.mark.parametrize("begun", [b"", b'{"kind":"header","for'])
def test_a_journal_that_was_hardly_begun_begins_anew(
    run: Run, desk: Path, path: Path, begun: bytes
) -> None:
    """A crash may come that early."""
    path.write_bytes(begun)
    ended = run("run", desk, "--journal", path, "--resume")
    assert (0, ROWS + CLOSED) == (ended.code, ended.out)
    assert ended.err.startswith(f"{path}: going on after row 0")
    assert "completed" == verify(path).closed


def test_a_journal_that_was_closed_is_left_as_it_is(run: Run, desk: Path, path: Path) -> None:
    """Going on with it says how it closed, and writes nothing."""
    run("run", desk, "--journal", path)
    before = path.read_bytes()
    ended = run("run", desk, "--journal", path, "--resume")
    told = f"{path}: going on after row 5\n"
    assert (0, CLOSED, told) == (ended.code, ended.out, ended.err)
    assert before == path.read_bytes()


# What cannot be gone on with


UNSEEN = (
    "what differs is not in the journal: a turn that was not played yet, the text beside a call "
    "that was accepted, how long a turn takes, its scores or its late calls"
)


def test_a_journal_that_is_not_there_is_told(run: Run, desk: Path, path: Path) -> None:
    """It is not begun instead: the name may be mistyped."""
    ended = run("run", desk, "--journal", path, "--resume")
    assert (2, "", f"{path}: there is no journal to resume\n") == (ended.code, ended.out, ended.err)
    assert not path.exists()


def test_a_file_of_notes_is_no_journal(run: Run, desk: Path, path: Path) -> None:
    """It is told, and kept."""
    path.write_text("do not lose me")
    ended = run("run", desk, "--journal", path, "--resume")
    assert (2, f"{path}:1: line 1 is bad: this is no journal\n") == (ended.code, ended.err)
    assert "do not lose me" == path.read_text()


def test_a_changed_journal_is_told_by_its_line_and_kept(run: Run, desk: Path, path: Path) -> None:
    """Nothing is written behind something that nobody wrote."""
    run("run", desk, "--journal", path, "-q")
    cut(path, 9, more=10)
    changed = path.read_bytes().replace(b"psst", b"p5st", 1)
    path.write_bytes(changed)
    ended = run("run", desk, "--journal", path, "--resume")
    problem = "the digest does not fit: this line, or one before it, was changed"
    assert (2, "", f"{path}:4: line 4 is bad: {problem}\n") == (ended.code, ended.out, ended.err)
    assert changed == path.read_bytes()


def test_a_forged_journal_is_told_by_its_line_and_kept(run: Run, desk: Path, path: Path) -> None:
    """A chain that was sealed again does not make it one that a room can go on from."""
    run("run", desk, "--journal", path, "-q")
    values = [json.loads(line) for line in path.read_bytes().splitlines()[:9]]
    values[2]["hop"] = 3
    data, digest = b"", FIRST
    for value in values:
        del value["digest"]
        line, digest = seal(value, digest)
        data += line
    path.write_bytes(data)
    ended = run("run", desk, "--journal", path, "--resume")
    assert (2, "") == (ended.code, ended.out)
    assert ended.err.startswith(f"{path}:3: line 3 differs: the hop is 3")
    assert data == path.read_bytes()


@pytest.mark.parametrize(
    "old, new, told",
    [
        ("max_messages = 3", "max_messages = 4", "policy.aside.max_messages is 3 there and 4 here"),
        ('{ id = "c" }', '{ id = "e" }', "seats[3].id is 'c' there and 'e' here"),
        ('message = "psst"', 'message = "hush"', "call 1 of turn 1 is another here"),
        ('order = "routed"', 'order = "listed"', "order is 'routed' there and 'listed' here"),
        (
            "[31mdone",
            "[32mdone",
            UNSEEN,
        ),
    ],
)
def test_a_journal_of_another_scenario_is_told_by_what_differs(
    run: Run, desk: Path, path: Path, old: str, new: str, told: str
) -> None:
    """And nothing is written, not even is a line that was cut short cut off."""
    run("run", desk, "--journal", path, "-q")
    cut(path, 6, more=10)
    before = path.read_bytes()
    text = DESK.replace(old, new)
    desk.write_text(text.replace('seat = "c"', 'seat = "e"') if '"e"' in new else text)
    ended = run("run", desk, "--journal", path, "--resume")
    problem = f"this journal was written by another scenario than {desk}: {told}"
    assert (2, "", f"{path}: {problem}\n") == (ended.code, ended.out, ended.err)
    assert before == path.read_bytes()


def test_a_scenario_that_was_only_mended_goes_on(run: Run, desk: Path, path: Path) -> None:
    """Comments, titles and expectations are not played."""
    run("run", desk, "--journal", path, "-q")
    cut(path, 6)
    desk.write_text(f'# Mended.\ntitle = "Mended"\n{DESK}expect = {{ completes = true }}\n')
    assert (0, CLOSED) == (run("run", desk, "--journal", path, "--resume", "-q").code, CLOSED)


def test_a_journal_that_is_being_written_is_told(run: Run, desk: Path, path: Path) -> None:
    """Two runs cannot share one."""
    run("run", desk, "--journal", path, "-q")
    with JournalFile.resume(path):
        ended = run("run", desk, "--journal", path, "--resume")
    assert (2, f"{path}: another writer has this journal open\n") == (ended.code, ended.err)


# As a process


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_an_interrupt_prints_the_command_that_resumes(
    started: Callable[..., subprocess.Popen[bytes]], process: Run, tmp_path: Path, backend: str
) -> None:
    """As a shell takes it, whatever the names hold; it resumes what is in the journal."""
    desk, path = tmp_path / "it's long.toml", tmp_path / "a run.jsonl"
    text = DESK[: DESK.index("policy")].replace("routed", "listed")
    desk.write_text(
        f'{text}policy = {{ max_turns = 9999 }}\n[[turn]]\nseat = "a"\nsay = "x"\nrepeat = 3000\n'
    )
    arguments = ["run", str(desk), "--journal", str(path), "--backend", backend]
    running = started(*arguments, "--sync", "never", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert running.stdout is not None
    running.stdout.readline()
    running.send_signal(signal.SIGINT)
    _, err = running.communicate()
    _, line, interrupted = err.decode().splitlines()
    assert (130, "interrupted", "to resume: ") == (running.returncode, interrupted, line[:11])
    _, *command = shlex.split(line.removeprefix("to resume: "))
    assert [*arguments[:4], "--resume"] == command[:5]
    assert 0 == process(*command, "-q").code
    assert "script" == verify(path).closed


def test_whoever_reads_may_leave(
    started: Callable[..., subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    """The run ends without a traceback, and its journal goes on."""
    for backend in ("asyncio", "trio"):
        desk, path = tmp_path / "long.toml", tmp_path / f"{backend}.jsonl"
        text = DESK[: DESK.index("policy")].replace("routed", "listed")
        desk.write_text(
            f'{text}policy = {{ max_turns = 9999 }}\n[[turn]]\nseat = "a"\nsay = "x"\nrepeat = 3000\n'
        )
        process = started(
            *("run", str(desk), "--journal", str(path), "--backend", backend, "--sync", "never"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdout is not None
        assert process.stderr is not None
        assert b"[1] a: x\n" == process.stdout.readline()
        process.stdout.close()
        assert b"" == process.stderr.read()
        assert 141 == process.wait()
        assert verify(path).closed is None
