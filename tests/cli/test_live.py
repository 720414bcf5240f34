"""``deskroom run`` with seats that play live, and people who speak."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from deskroom.engine.entries import RowEntry
from deskroom.journal import JournalError, read_journal, verify
from deskroom.scenario.format.live import LiveSeat
from deskroom.seats.build import with_given

Run = Callable[..., Any]

DESK = """\
format = 1
order = "listed"
desk = { id = "d", name = "D", seats = [{ id = "a" }, { id = "b" }], people = [{ id = "sam", label = "Sam" }] }

[opening]
by = "sam"
message = "@a begin"

[[turn]]
seat = "a"
say = "@b is it 7?"

[[turn]]
seat = "b"
say = "@a yes"

[[turn]]
seat = "a"
calls = [{ tool = "desk_complete_episode", message = "It is 7." }]
"""

SEATS = """\
async def doubts(turn):
    await turn.post("@a no, 8")


async def waits(turn):
    if turn.number == 1:
        await turn.post("@sam for how many?")
    else:
        await turn.complete("Booked: " + turn.trigger.content)


def plain(turn):
    pass
"""


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """Return a scenario with functions beside it."""
    name = f"seats_of_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(SEATS)
    path = tmp_path / "desk.toml"
    path.write_text(DESK)
    return path


def module(desk: Path) -> str:
    """Return the name of the module beside a scenario."""
    (file,) = desk.parent.glob("seats_of_*.py")
    return file.stem


def test_one_seat_is_swapped_for_a_live_one(run: Run, desk: Path, tmp_path: Path) -> None:
    """The others play their script; the journal is sound, and diff says where the runs part."""
    path = tmp_path / "j.jsonl"
    ended = run("run", desk, "--live", f"b=python:{module(desk)}:doubts", "--journal", path)
    assert (0, "closed: completed; 3 turns, 4 rows") == (ended.code, ended.out.splitlines()[-1])
    assert "[3] b: @a no, 8" in ended.out.splitlines()
    assert "completed" == verify(path).closed
    found = json.loads(run("diff", "--json", desk, path).out)
    assert ("@a yes", "@a no, 8") == (
        found["first"]["a"]["content"],
        found["first"]["b"]["content"],
    )


def test_the_file_says_who_plays_live(run: Run, desk: Path) -> None:
    """Nothing else than a run looks at it."""
    desk.write_text(f'{DESK}\n[live.b]\nkind = "python"\nfunction = "{module(desk)}:doubts"\n')
    assert "[3] b: @a no, 8" in run("run", desk).out.splitlines()
    assert (0, True) == ((ended := run("replay", desk)).code, "@a yes" in ended.out)
    assert 0 == run("check", desk).code


def test_a_journal_of_a_live_desk_becomes_a_scenario(run: Run, desk: Path, tmp_path: Path) -> None:
    """Which replays with nothing live in it."""
    path, recorded = tmp_path / "j.jsonl", tmp_path / "recorded.toml"
    run("run", "-q", desk, "--live", f"b=python:{module(desk)}:doubts", "--journal", path)
    assert 0 == run("record", path, "-o", recorded).code
    assert 0 == run("replay", recorded).code
    assert "live" not in recorded.read_text()


def test_a_room_that_closed_quiet_opens_again(run: Run, desk: Path, tmp_path: Path) -> None:
    """By a person's words; one that closed otherwise does not, and says so."""
    desk.write_text(
        f'{DESK[: DESK.index("[[turn]]")]}[live.a]\nkind = "python"\nfunction = "{module(desk)}:waits"\n'
    )
    path = tmp_path / "j.jsonl"
    first = run("run", desk, "--journal", path)
    assert "closed: quiet; 1 turn, 2 rows" == first.out.splitlines()[-1]
    again = run("run", desk, "--journal", path, "--resume", "--say", "sam:four: with children")
    assert [
        "[3] sam: four: with children",
        "[4] a: Booked: four: with children",
        "closed: completed; 2 turns, 4 rows",
    ] == again.out.splitlines()
    assert "completed" == verify(path).closed
    late = run("run", desk, "--journal", path, "--resume", "--say", "sam:and?")
    assert (
        2,
        "deskroom: sam could not speak: it closed as completed, and only a room that closed quiet opens again\n",
    ) == (
        late.code,
        late.err.splitlines(keepends=True)[-1],
    )


@pytest.mark.parametrize(
    "arguments, problem",
    [
        (["--live", "b"], "--live takes SEAT=KIND[:...], not 'b'"),
        (
            ["--live", "b=pyton:x:y"],
            "--live b=pyton:x:y: 'pyton' is none of mcp, command, chat, person, python; did you mean 'python'?",
        ),
        (["--live", "bb=python:os:nope"], "{desk}: the desk has no seat 'bb'; did you mean 'b'?"),
        (["--live", "b=python:os"], "--live b=python:os: write python:package.module:function"),
        (["--live", "b=command:"], "--live b=command:: write command:PROGRAM ARGUMENT..."),
        (["--live", "b=command:'x"], "--live b=command:'x: No closing quotation"),
        (["--live", "b=chat:m"], "--live b=chat:m: write chat:MODEL@URL"),
        (["--live", "b=mcp:x"], "--live b=mcp:x: nothing can stand behind this kind"),
        (
            ["--live", "b=python:no_such_module_here:f"],
            "'no_such_module_here' cannot be imported: ModuleNotFoundError: No module named 'no_such_module_here'",
        ),
        (
            ["--live", "b=python:{module}:doubt"],
            "'{module}' has no 'doubt'; did you mean 'doubts'?",
        ),
        (
            ["--live", "b=python:{module}:plain"],
            "{module}:plain is not an async function of a turn",
        ),
        (["--live", "b=person"], "a person who takes part types at a terminal, and stdin is none"),
        (["--say", "sam"], "--say takes PERSON:MESSAGE, not 'sam'"),
        (["--say", "kim:hm"], "'kim' is not a person of this room"),
    ],
)
def test_what_cannot_be_played_ends_with_2(
    run: Run, desk: Path, arguments: list[str], problem: str
) -> None:
    """In one sentence, before anything runs."""
    names = {"desk": str(desk), "module": module(desk)}
    given = [text.format(**names) if "{" in text else text for text in arguments]
    ended = run("run", desk, *given)
    assert (2, problem.format(**names)) == (
        ended.code,
        ended.err.removeprefix("deskroom: ").rstrip("\n"),
    )


def test_a_desk_that_nobody_could_open_is_refused(run: Run, desk: Path) -> None:
    """A scripted one may begin with its list; a live one needs somebody's words."""
    desk.write_text(DESK.replace(DESK[DESK.index("[opening]") : DESK.index("[[turn]]")], ""))
    ended = run("run", desk, "--live", f"b=python:{module(desk)}:doubts")
    assert (2, True) == (ended.code, "nobody begins this desk" in ended.err)
    said = run("run", desk, "--live", f"b=python:{module(desk)}:doubts", "--say", "sam:@a go")
    assert (0, "[1] sam: @a go") == (said.code, said.out.splitlines()[0])


def test_the_command_line_overrides_what_a_file_says() -> None:
    """Of the same kind, what it does not say stays."""
    here = {"a": LiveSeat(kind="command", command=("x",), keep=True), "b": LiveSeat(kind="mcp")}
    given = ["a=command:y 'two words'", "b=chat:m@x:8b@http://127.0.0.1:1/v1"]
    assert {
        "a": LiveSeat(kind="command", command=("y", "two words"), keep=True),
        "b": LiveSeat(kind="chat", model="m@x:8b", base_url="http://127.0.0.1:1/v1"),
    } == with_given(here, given)
    assert here == with_given(here, ["a=command", "b=mcp"])


@pytest.mark.slow
def test_somebody_sits_at_a_real_terminal(desk: Path) -> None:
    """What they type in a pseudo-terminal is the seat's; the room goes on with it."""
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "deskroom", "run", str(desk), "--live", "b=person"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "dumb", "PYTHONPATH": os.pathsep.join(sys.path)},
        start_new_session=True,
    )
    os.close(theirs)
    shown = b""
    while b"It is your turn." not in shown:
        shown += os.read(ours, 4096)
    os.write(ours, b"@a no, 9\r\r")
    while b"closed:" not in shown:
        shown += os.read(ours, 4096)
    assert 0 == running.wait(timeout=20)
    os.close(ours)
    assert b"[4] a: It is 7." in shown


COUNTS = """\
import json, sys
for line in sys.stdin:
    turn = json.loads(line)
    number = int(turn["trigger"]["content"].split()[1]) + 1
    tool = "desk_post" if number < 12 else "desk_complete_episode"
    print(json.dumps({"call": tool, "arguments": {"message": f"@{'ab'[number % 2]} {number}"}}), flush=True)
    sys.stdin.readline()
    print(json.dumps({"end": ""}), flush=True)
"""


@pytest.mark.slow
def test_a_desk_of_programs_is_killed_and_resumed(
    started: Callable[..., subprocess.Popen[bytes]], process: Run, tmp_path: Path
) -> None:
    """Whenever that is, nothing is lost and nothing said twice; one program is kept, one is not."""
    (tmp_path / "counts.py").write_text(COUNTS)
    command = f"command = {json.dumps([sys.executable, 'counts.py'])}"
    desk, journal = tmp_path / "desk.toml", tmp_path / "j.jsonl"
    head = DESK[: DESK.index("[[turn]]")].replace("@a begin", "@a 0")
    policy = "policy = { dispatch = { max_hops = 100 } }\n[opening]"
    seats = f'[live.a]\nkind = "command"\n{command}\n[live.b]\nkind = "command"\nkeep = true\n{command}\n'
    desk.write_text(head.replace("[opening]", policy) + seats)
    kept: list[list[str]] = []
    for lines in (4, 11, 20):
        more = ["--resume"] if journal.exists() else []
        running = started("run", "-q", str(desk), "--journal", str(journal), *more)
        while running.poll() is None and (
            not journal.exists() or journal.read_bytes().count(b"\n") < lines
        ):
            pass
        running.kill()
        running.wait()
        kept.append(_said(journal))
    assert 0 == process("run", "-q", str(desk), "--journal", str(journal), "--resume").code
    expected = ["@a 0", *(f"@{'ab'[number % 2]} {number}" for number in range(1, 13))]
    assert expected == _said(journal)
    assert [expected[: len(before)] for before in kept] == kept
    assert "completed" == verify(journal).closed


def _said(journal: Path) -> list[str]:
    """Return what was said, as far as the journal goes."""
    said: list[str] = []
    with suppress(JournalError):
        said.extend(
            line.entry.row.content
            for line in read_journal(journal)
            if isinstance(line.entry, RowEntry)
        )
    return said


@pytest.mark.slow
def test_pytest_and_check_start_nothing(run: Run, tmp_path: Path) -> None:
    """A command in the file leaves no mark, whatever reads the file but a run."""
    mark = tmp_path / "mark"
    path = tmp_path / "x.scenario.toml"
    path.write_text(
        f'{DESK}[live.b]\nkind = "command"\ncommand = {json.dumps(["touch", str(mark)])}\n'
    )
    assert 0 == run("check", path).code
    assert 0 == run("replay", path).code
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", str(path)],
        cwd=tmp_path,
        check=False,
        capture_output=True,
    )
    assert (0, False) == (done.returncode, mark.exists())
