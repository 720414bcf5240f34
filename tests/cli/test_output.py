from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deskroom.scenario import Replay, load_scenario, replay_scenario

Run = Callable[..., Any]

ROOT = Path(__file__).parents[2]
SHIPPED = sorted((ROOT / "scenarios").glob("*.toml"))

EVENTS = {
    "room.opened",
    "turn.granted",
    "call.accepted",
    "call.refused",
    "row.committed",
    "turn.ended",
    "turn.failed",
    "turn.timed_out",
    "turn.dropped",
    "broadcast.routed",
    "room.closed",
}

#: One of everything that is logged.
EVENTFUL = """\
format = 1
desk = { id = "d", name = "D", seats = [{ id = "a" }, { id = "b" }] }
[policy]
turn_timeout_s = 1
[[turn]]
seat = "a"
say = "said and lost"
crash = "private reason"
[[turn]]
seat = "a"
takes = 2
[[turn]]
seat = "a"
calls = [{ tool = "desk_post", message = " " }]
[[turn]]
seat = "b"
calls = [{ tool = "desk_broadcast", message = "who can?" }]
expect = { next = ["a"] }
"""


@pytest.fixture(scope="module")
def shipped() -> list[Replay]:
    """Return every shipped scenario, played."""
    return [replay_scenario(load_scenario(path)) for path in SHIPPED]


def logged(run: Run, *arguments: object) -> list[dict[str, Any]]:
    """Return every event that a replay logs, each of which is one line of JSON."""
    ended = run("replay", "--log-format", "json", *arguments)
    return [json.loads(line) for line in ended.err.splitlines() if ": warning: " not in line]


# Logs


def test_each_log_line_is_an_event_with_a_name_of_the_set(run: Run, tmp_path: Path) -> None:
    """Dotted names, one object a line, and every kind of event comes up."""
    file = tmp_path / "x.toml"
    file.write_text(EVENTFUL)
    events = logged(run, "--log-level", "debug", file)
    assert {event["event"] for event in events} == EVENTS


def test_every_event_is_bound_to_its_room_turn_and_seat(run: Run) -> None:
    """What belongs to a turn names it and its seat; everything names the room and its level."""
    events = logged(run, "--log-level", "debug", ROOT / "scenarios")
    assert EVENTS >= {event["event"] for event in events}
    assert [] == [event for event in events if not {"room", "level", "event"} <= set(event)]
    assert [] == [
        event
        for event in events
        if event["event"].startswith(("turn.", "call.")) and not {"turn", "seat"} <= set(event)
    ]
    assert [] == [
        event
        for event in events
        if event.get("kind") == "seat" and not {"turn", "seat", "sequence"} <= set(event)
    ]


def test_a_run_is_told_event_by_event(run: Run) -> None:
    """The whole log of a short scenario, without a time and without a word of what was said."""
    room = {"level": "info", "room": "pe1006"}
    turn = {**room, "turn": 1, "seat": "lead"}
    assert [
        {**room, "event": "room.opened", "seats": 2},
        {**turn, "event": "turn.granted", "hop": 0, "attempt": 1},
        {**turn, "event": "call.accepted", "call": 1},
        {
            **turn,
            "event": "row.committed",
            "sequence": 1,
            "kind": "seat",
            "audience": "desk",
        },
        {**turn, "event": "turn.ended", "outcome": "spoke"},
        {**room, "event": "room.closed", "reason": "completed", "rows": 1},
    ] == logged(run, "--log-level", "info", ROOT / "scenarios" / "legacy-close.toml")


def test_no_log_holds_what_was_said(run: Run, shipped: list[Replay]) -> None:
    """Not a message, not a text and not a crash's reason, at any level, of any shipped scenario."""
    text = run("replay", "-q", "--log-level", "debug", ROOT / "scenarios").err
    said = {row.content for replay in shipped for row in replay.run.rows}
    texts = {turn.text for replay in shipped for turn in replay.run.turns if turn.text}
    refused = {
        str(call.arguments["message"])
        for replay in shipped
        for turn in replay.scenario.turns
        for call in turn.calls
        if str(call.arguments.get("message", "")).strip()
    }
    assert len(said | texts | refused) > 50
    assert [] == [secret for secret in said | texts | refused if secret in text]


def test_a_seats_crash_is_logged_by_its_kind_only(run: Run, tmp_path: Path) -> None:
    """What a seat raised may hold anything, so its message is not in the log."""
    file = tmp_path / "x.toml"
    file.write_text(EVENTFUL)
    ended = run("replay", file)
    assert "ScriptedCrash" in ended.err
    assert "private reason" not in ended.err
    assert "said and lost" not in ended.err


def test_only_warnings_are_logged_unless_more_is_asked_for(run: Run, tmp_path: Path) -> None:
    """The level may stand before or behind the subcommand; the one behind counts."""
    file = tmp_path / "x.toml"
    file.write_text(EVENTFUL)
    warnings = ["turn.dropped", "turn.failed", "turn.timed_out"]
    assert warnings == [event["event"] for event in logged(run, file)]
    assert [] == logged(run, "--log-level", "critical", file)
    assert "" == run("--log-level", "error", "replay", file).err
    assert "room.opened" in run("--log-level", "error", "replay", "--log-level", "info", file).err
    before = run("--log-format", "json", "--log-level", "info", "replay", file).err
    assert "room.opened" == json.loads(before.splitlines()[0])["event"]


def test_a_log_for_people_has_one_line_an_event(run: Run) -> None:
    """Level, event, then the values by name; no time, since a replay has none of its own."""
    ended = run("replay", "--log-level", "info", ROOT / "scenarios" / "legacy-close.toml")
    assert [
        "[info     ] room.opened room=pe1006 seats=2",
        "[info     ] turn.granted attempt=1 hop=0 room=pe1006 seat=lead turn=1",
        "[info     ] call.accepted call=1 room=pe1006 seat=lead turn=1",
        "[info     ] row.committed audience=desk kind=seat room=pe1006 seat=lead sequence=1 turn=1",
        "[info     ] turn.ended outcome=spoke room=pe1006 seat=lead turn=1",
        "[info     ] room.closed reason=completed room=pe1006 rows=1",
    ] == [
        " ".join(line.split()).replace("[info ]", "[info     ]") for line in ended.err.splitlines()
    ]


# Streams


def test_an_error_is_one_safe_line(run: Run) -> None:
    """A path may hold anything, and is shown as text."""
    ended = run("replay", "-q", "x\x1b[31m\n\x07.toml")
    assert "x\\x1b[31m\\n\\x07.toml: there is no such file\n" == ended.err


def test_a_pipe_gets_no_escape_codes(process: Run) -> None:
    """Colours and bold are for terminals."""
    ended = process("replay", "-v", "--log-level", "info", str(SHIPPED[0]))
    assert (0, False) == (ended.code, "\x1b" in ended.out + ended.err)


def on_terminal(*arguments: str, **variables: str) -> str:
    """Return what a command shows on a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "deskroom", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", **variables},
        cwd=ROOT,
    ):
        os.close(theirs)
        shown = b""
        # A terminal whose other end has gone is an error to read from.
        while chunk := _read(ours):
            shown += chunk
    os.close(ours)
    return shown.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


def test_a_terminal_gets_colours_unless_it_asks_for_none() -> None:
    """NO_COLOR leaves no escape code at all, in tables, logs and errors alike."""
    arguments = ("replay", "--log-level", "info", str(SHIPPED[0]), "none.toml")
    assert "\x1b[" in on_terminal(*arguments, NO_COLOR="")
    plain = on_terminal(*arguments, NO_COLOR="1")
    assert "\x1b" not in plain
    assert "none.toml: there is no such file" in plain
    assert "turn.granted" in plain


def test_progress_is_shown_on_a_terminal_when_there_are_many(tmp_path: Path) -> None:
    """More than twenty scenarios get a bar, which is gone when the summary comes."""
    for number in range(21):
        (tmp_path / f"{number:02}.toml").write_bytes(SHIPPED[0].read_bytes())
    shown = on_terminal("replay", "-q", str(tmp_path))
    assert "replaying" in shown
    assert "/21" in shown
    assert "21 scenarios: \x1b[32m21 passed\x1b[0m" in shown
    (tmp_path / "20.toml").unlink()
    assert "replaying" not in on_terminal("replay", "-q", str(tmp_path))


@pytest.mark.parametrize("encoding", ["ascii", "cp1252:strict"])
def test_any_encoding_of_the_streams_will_do(process: Run, encoding: str, tmp_path: Path) -> None:
    """What cannot be encoded comes out as an escape; the exit code is what it would be."""
    file = tmp_path / "x.toml"
    file.write_text(
        'format = 1\ntitle = "Ψ → 🎉"\n'
        'desk = { id = "d", name = "D", seats = [{ id = "ä" }, { id = "b" }] }\n'
        '[[turn]]\nseat = "ä"\nsay = "Ψ → 🎉"\nexpect = { next = "b" }\n',
        encoding="utf-8",
    )
    ended = process("replay", "-v", str(file), PYTHONIOENCODING=encoding)
    assert (1, False) == (ended.code, "Traceback" in ended.err)
    assert f"{file}:7:12: turn 1 (" in ended.out
    assert 0 == process("tools", PYTHONIOENCODING=encoding).code
