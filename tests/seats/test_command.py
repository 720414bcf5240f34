"""Seats that are played by real programs."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest

from deskroom.core import AsidePolicy
from deskroom.errors import UsageError
from deskroom.room import ChairPolicy, Policy, Room, RoomResult, Seat
from deskroom.seats import CommandSeat
from deskroom.testing import ScriptedSeat, dm, post

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

ROOT = Path(__file__).parents[2]

#: Reads its turn, and then does what follows.
BEGIN = "import json, os, sys, time\nturn = json.loads(sys.stdin.readline())\n"
CALL = "print(json.dumps({'call': 'desk_post', 'arguments': {'message': MESSAGE}}), flush=True)\n"
REPLY = "reply = json.loads(sys.stdin.readline())\n"


def program(code: str, **options: Any) -> CommandSeat:
    """Return a seat that is played by a program in Python."""
    return CommandSeat(command=[sys.executable, "-c", BEGIN + code], **options)


def says(message: str) -> str:
    """Return the code that says something; ``message`` is an expression."""
    return CALL.replace("MESSAGE", message) + REPLY


async def play(
    seat: Any, *, timeout_s: float = 20, opening: str = "@a go", **more: Any
) -> RoomResult:
    """Play a room in which one seat is a program."""
    seats: Any = {"a": seat, **more}
    room = Room(seats, opening=opening, policy=Policy(turn_timeout_s=timeout_s))
    return await room.run()


def ends(result: RoomResult) -> list[tuple[str, str]]:
    """Return how each turn ended, and what was raised."""
    return [(turn.outcome or "", str(turn.error or "")) for turn in result.turns]


async def test_a_program_reads_its_turn_and_calls_tools() -> None:
    """It is answered while its turn runs; what it says last is its text, and becomes no row."""
    code = says("turn['trigger']['content'] + '!'") + "print(json.dumps({'end': reply['text']}))"
    result = await play(program(code))
    assert ["@a go", "@a go!"] == [row.content for row in result.rows]
    assert "Accepted." == result.turns[0].text[:9]


async def test_a_program_is_told_what_its_seat_may_know() -> None:
    """Its brief and history, and of a private row only that it went by."""
    rows = "[row['content'] for row in turn['history']]"
    code = says(f"json.dumps([turn['brief'], {rows}, 'desk_dm' in str(turn['tools'])])")
    seats: Any = {Seat(id="b"): ScriptedSeat([]), Seat(id="a", brief="Be brief."): program(code)}
    result = await Room(seats, opening="@a go").run()
    assert '["Be brief.", ["@a go"], true]' == result.rows[1].content


async def test_a_program_may_end_its_turn_by_ending() -> None:
    """With status 0 and without a word it was silent."""
    assert [("silent", "")] == ends(await play(program("")))
    assert [("spoke", "")] == ends(await play(program(says("'hi'"))))


@pytest.mark.parametrize(
    "code, error",
    [
        (
            "sys.stderr.write('no key\\n'); sys.exit(3)",
            "ended with exit status 3; its stderr ends: no key",
        ),
        ("os.kill(os.getpid(), 9)", "was ended by signal 9"),
        ("print('hello')", "line 1 of its turn is not JSON: hello"),
        ("print('[]')", "line 1 of its turn is not an object: []"),
        ("print('{\"x\": 1}')", 'line 1 of its turn has neither call, wrote nor end: {"x": 1}'),
        ("print('x' * 3_000_000)", "wrote more than 1000000 bytes in a turn"),
        ("time.sleep(60)", "took longer than 1 s"),
        ("os.close(1); time.sleep(60)", "took longer than 1 s"),
    ],
)
@pytest.mark.parametrize("keep", [False, True])
async def test_what_a_program_does_wrong_costs_its_turn(code: str, error: str, keep: bool) -> None:
    """The failure says how it ended, and the end of its stderr; the room goes on."""
    seat = program(code, keep=keep, timeout_s=1, max_output_bytes=1_000_000)
    policy = Policy(turn_timeout_s=20, chair=ChairPolicy(rounds=1))
    seats: dict[str, Any] = {"b": ScriptedSeat([post("here")]), "a": seat}
    result = await Room(seats, opening="@a go", policy=policy).run()
    outcome, raised = ends(result)[0]
    assert "failed" == outcome
    assert error in raised.replace(" before its turn did", "")
    assert "here" in [row.content for row in result.rows]


async def test_a_program_that_cannot_be_started_costs_its_turn() -> None:
    """It is said which program, where, and why."""
    seat = CommandSeat(command=["./no-such-program"], folder="/tmp")  # noqa: S108
    (end,) = ends(await play(seat))
    assert (
        "failed",
        "ProgramError: ./no-such-program cannot be started in /tmp: No such file or directory",
    ) == end


async def test_a_program_has_the_environment_that_it_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing of ours is handed on."""
    monkeypatch.setenv("SECRET_OF_OURS", "x")
    code = says("json.dumps(sorted(k for k in os.environ if k not in {'LC_CTYPE', 'PWD'}))")
    result = await play(program(code, env={"ITS_OWN": "1"}))
    assert '["ITS_OWN"]' == result.rows[1].content


async def test_a_kept_program_gets_turn_after_turn() -> None:
    """It is started once; after a failure the next turn gets a new one."""
    code = (
        "count = 0\n"
        "while True:\n"
        "    count += 1\n"
        "    print(json.dumps({'call': 'desk_post', 'arguments': {'message': f'@b {os.getpid()} {count}'}}), flush=True)\n"
        "    sys.stdin.readline()\n"
        "    if count == 2: sys.exit(1)\n"
        "    print(json.dumps({'end': ''}), flush=True)\n"
        "    sys.stdin.readline()\n"
    )
    answers = ScriptedSeat([post("@a 1")], [post("@a 2")], [post("@a 3")], [post("done")])
    result = await play(program(code, keep=True), b=answers)
    rows = [row.content.split() for row in result.rows if row.author.id == "a"]
    assert "1" == rows[0][2]
    # The second turn failed, and the chain ended with it.
    assert ["spoke", "spoke", "failed"] == [outcome for outcome, _ in ends(result)]


async def test_what_a_program_has_started_ends_with_it(tmp_path: Path) -> None:
    """Its whole process group goes, also once its time is over."""
    pids = tmp_path / "pids"
    code = (
        "import subprocess\n"
        "child = subprocess.Popen(['sleep', '600'])\n"
        f"open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
        "time.sleep(600)"
    )
    result = await play(program(code, timeout_s=1))
    assert [("failed", True)] == [(o, "took longer than 1 s" in e) for o, e in ends(result)]
    with anyio.fail_after(5):
        while any(map(_runs, pids.read_text().split())):  # noqa: ASYNC110 - nobody tells of it
            await anyio.sleep(0.05)


def _runs(pid: str) -> bool:
    """Whether a process runs; one that nobody has waited for yet is gone all the same."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


async def test_a_program_ends_with_its_room() -> None:
    """A room that is cancelled in a turn waits for no program."""
    with anyio.move_on_after(1), anyio.fail_after(6):
        await play(program("time.sleep(600)"), timeout_s=600)


async def test_a_program_that_lets_its_deadline_pass_times_out() -> None:
    """The room's own limit counts as well."""
    assert ["timed_out"] == [o for o, _ in ends(await play(program("time.sleep(60)"), timeout_s=1))]


async def test_a_program_leaves_files_behind() -> None:
    """The room says so in a row of its own."""
    code = "print(json.dumps({'wrote': 'a.md'}))\n" + says("'see the file'")
    result = await play(program(code))
    assert "a wrote a.md" == result.rows[-1].content


async def test_a_command_needs_a_program() -> None:
    """An empty list is refused when the seat is made."""
    with pytest.raises(UsageError, match="a command is a list of texts"):
        CommandSeat(command=[])


@pytest.mark.parametrize(
    "name, keep, said",
    [
        ("seat.py", False, "@b I have read 2 entries."),
        ("seat.sh", False, "Done: @a please"),
        ("seat.mjs", True, "@b this is my turn number 1"),
    ],
)
async def test_an_example_plays_a_seat(name: str, keep: bool, said: str) -> None:
    """Each is a whole program in its language."""
    runner = {"py": sys.executable, "sh": "sh", "mjs": "node"}[name.partition(".")[2]]
    for needed in [runner, *(["jq"] if name == "seat.sh" else [])]:
        if shutil.which(needed) is None:
            assert not os.environ.get("CI"), f"{needed} must be installed"
            pytest.skip(f"{needed} is not installed")
    path = str(ROOT / "examples" / name)
    seat = CommandSeat(command=[runner, path], keep=keep, env={"PATH": os.environ["PATH"]})
    result = await play(seat, b=ScriptedSeat([post("@a please")]), opening="@b begin")
    assert said == result.rows[2].content


SCHEMA = json.loads((ROOT / "schema" / "command.schema.json").read_text())


async def test_what_is_said_on_a_line_is_what_the_schema_says(tmp_path: Path) -> None:
    """The turn with a stub in it, replies to a read and to a refused call, and all that is written."""
    seen = tmp_path / "seen"
    code = (
        "lines = [turn]\n"
        "def say(value):\n"
        "    lines.append(value)\n"
        "    print(json.dumps(value), flush=True)\n"
        "for value in [{'call': 'desk_read', 'arguments': {'limit': 9}}, {'call': 'nope'}]:\n"
        "    say(value)\n"
        "    lines.append(json.loads(sys.stdin.readline()))\n"
        "say({'wrote': 'x.md'})\n"
        f"open({str(seen)!r}, 'w').write(json.dumps([*lines, {{'end': 'text'}}]))\n"
        "say({'end': 'text'})\n"
    )
    policy = Policy(aside=AsidePolicy(enabled=True, max_members=1, max_messages=9))
    seats: Any = {
        "b": ScriptedSeat([dm("c", "psst")]),
        "c": ScriptedSeat([post("@a go on")]),
        "a": program(code),
    }
    await Room(seats, opening="@b go", policy=policy).run()
    lines = json.loads(seen.read_text())
    assert 7 == len(lines)
    assert any("elided" in entry for entry in lines[0]["history"])
    check = jsonschema.Draft7Validator(SCHEMA)
    assert [] == [error.message for line in lines for error in check.iter_errors(line)]
    for wrong in (
        {},
        {"end": 3},
        {"call": "x", "more": 1},
        {"type": "turn"},
        {"wrote": "x", "end": ""},
    ):
        assert not check.is_valid(wrong), wrong
