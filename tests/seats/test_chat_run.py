"""``deskroom run`` with models in seats: real processes, a real server on loopback, real kills."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time  # noqa: TID251 - a process is watched from outside
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

import deskroom
from deskroom.engine.entries import RowEntry, UsageEntry
from deskroom.errors import UsageError
from deskroom.journal import JournalError, read_journal, verify
from deskroom.room import Room
from deskroom.testing import post

pytestmark = pytest.mark.slow

Handler = BaseHTTPRequestHandler

KEY = "sk-very-secret-0123456789"
LAST = 12
DESK = """\
format = 1
desk = {{ id = "d", name = "D", seats = [{{ id = "a" }}, {{ id = "b" }}], people = [{{ id = "sam", label = "Sam" }}] }}
policy = {{ dispatch = {{ max_hops = 100 }} }}
[opening]
by = "sam"
message = "@a 0"
[live.a]
kind = "chat"
base_url = "{url}"
model = "m"
key_env = "THE_KEY"
[live.b]
kind = "chat"
base_url = "{url}"
model = "m"
"""


def counts(handler: Handler) -> None:
    """Play a model that hands on the next number, and completes at the last."""
    messages = handler.server.requests[-1]["messages"]  # type: ignore[attr-defined]
    message: dict[str, Any] = {"role": "assistant", "content": "done"}
    if messages[-1]["role"] == "user":
        number = int(re.findall(r"@[ab] (\d+)", messages[-1]["content"])[-1]) + 1
        name = "desk_post" if number < LAST else "desk_complete_episode"
        said = {"message": f"@{'ab'[number % 2]} {number}"}
        function = {"name": name, "arguments": json.dumps(said)}
        message = {
            "role": "assistant",
            "tool_calls": [{"id": "x", "type": "function", "function": function}],
        }
    body = json.dumps(
        {
            "choices": [{"message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 3},
        }
    ).encode()
    handler.send_response(200)
    handler.send_header("content-length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


EXPECTED = ["@a 0", *(f"@{'ab'[number % 2]} {number}" for number in range(1, LAST + 1))]


@pytest.fixture
def desk(chat_server: Any, tmp_path: Path) -> Path:
    """Return a desk in which two models count."""
    chat_server.answers(counts)
    path = tmp_path / "desk.toml"
    path.write_text(DESK.format(url=chat_server.url))
    return path


def started(*arguments: object) -> subprocess.Popen[str]:
    """Start the command line, with the key in its environment."""
    source = str(Path(deskroom.__file__).resolve().parents[1])
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    return subprocess.Popen(
        [sys.executable, "-m", "deskroom", *map(str, arguments)],
        env={**kept, "PYTHONPATH": source, "THE_KEY": KEY},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ran(*arguments: object) -> tuple[int, str, str]:
    """Run the command line, and return its exit code and what it wrote."""
    process = started(*arguments)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def rows(journal: Path) -> list[str]:
    """Return what was said, as far as the journal goes; a line that was cut short is none."""
    said: list[str] = []
    with suppress(JournalError):
        said.extend(
            line.entry.row.content
            for line in read_journal(journal)
            if isinstance(line.entry, RowEntry)
        )
    return said


def test_two_models_play_and_every_command_reads_it(desk: Path, tmp_path: Path) -> None:
    """The journal is sound and holds what each turn took; no command shows the key."""
    journal, recorded = tmp_path / "j.jsonl", tmp_path / "r.toml"
    logged = ran("run", desk, "--journal", journal, "--log-format", "json", "--log-level", "info")
    assert 0 == logged[0]
    assert EXPECTED == rows(journal)
    used = [line.entry for line in read_journal(journal) if isinstance(line.entry, UsageEntry)]
    assert LAST == len(used)
    assert {(2, 20, 6)} == {(one.requests, one.tokens_in, one.tokens_out) for one in used}
    assert "completed" == verify(journal).closed
    events = [json.loads(line) for line in logged[2].splitlines() if line.startswith("{")]
    of_turn_1 = [one for one in events if one["event"] == "model.used" and one["turn"] == 1]
    assert [("a", 2, 20, 6)] == [
        (one["seat"], one["requests"], one["tokens_in"], one["tokens_out"]) for one in of_turn_1
    ]
    assert "a: 120 tokens in, 36 out; 6 turns, " in logged[2]
    stats = ran("stats", journal, "--json")
    usage = json.loads(stats[1])["runs"][0]["usage"]
    assert [("a", 6, 12, 120, 36), ("b", 6, 12, 120, 36)] == [
        (one["seat"], one["turns"], one["requests"], one["tokens_in"], one["tokens_out"])
        for one in usage
    ]
    of_b = json.loads(ran("stats", journal, "--json", "--as", "b")[1])["runs"][0]["usage"]
    assert ["b"] == [one["seat"] for one in of_b]
    outputs = [
        logged,
        stats,
        ran("stats", journal),
        ran("stats", journal, "--csv"),
        ran("verify", journal),
        ran("show", journal),
        ran("show", journal, "--as", "b"),
        ran("record", journal, "-o", recorded),
        ran("replay", recorded),
        ran("diff", journal, recorded),
    ]
    assert [0] * len(outputs) == [code for code, *_ in outputs]
    assert KEY not in str(outputs) + journal.read_text() + recorded.read_text()


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_after_kills_nothing_is_lost_and_nothing_said_twice(
    desk: Path, tmp_path: Path, backend: str, chat_server: Any
) -> None:
    """A run is killed again and again while its models answer, and resumed each time."""
    journal = tmp_path / "j.jsonl"
    command = ["run", desk, "--journal", journal, "--backend", backend, "--sync", "never"]

    def slow(handler: Handler) -> None:
        time.sleep(0.02)
        counts(handler)

    chat_server.answers(slow)
    killed, before = 0, -1
    for wanted in (1, 4, 7, 10):
        process = started(*command, *(["--resume"] if before >= 0 else []))
        while process.poll() is None and len(chat_server.requests) < killed * 2 + wanted * 2:
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        killed += process.returncode == -signal.SIGKILL
        said = rows(journal) if journal.exists() else []
        assert EXPECTED[: len(said)] == said
        before = len(said) if journal.exists() and journal.stat().st_size else -1
    assert killed >= 3
    code, _, err = ran(*command, *(["--resume"] if before >= 0 else []))
    assert 0 == code, err
    assert EXPECTED == rows(journal)
    assert "completed" == verify(journal).closed


@pytest.mark.anyio
async def test_what_a_turn_used_is_added_up_and_less_than_nothing_refused() -> None:
    """A function in Python may say it of its own model."""
    from deskroom.engine.entries import MemoryJournal  # noqa: PLC0415 - of this test alone

    async def seat(turn: Any) -> None:
        turn.used(tokens_in=5, tokens_out=1, seconds=0.25)
        turn.used(requests=2, tokens_in=1, seconds=0.5)
        with pytest.raises(UsageError):
            turn.used(tokens_in=-1)
        with pytest.raises(UsageError):
            turn.used(seconds=float("nan"))
        await turn.call(*post("hi"))

    journal = MemoryJournal()
    await Room({"a": seat}, opening="@a go", journal=journal).run()
    used = [entry for entry in journal.entries if isinstance(entry, UsageEntry)]
    assert [UsageEntry(1, 1, "a", 3, 6, 1, 0.75)] == used


@pytest.mark.parametrize("field, value", [("turn", 2), ("seat", "b"), ("attempt", 2)])
def test_usage_of_a_turn_that_is_not_open_is_found(field: str, value: Any) -> None:
    """So is a second one."""
    from attrs import evolve  # noqa: PLC0415 - of this test alone

    from deskroom.journal import verify_entries  # noqa: PLC0415 - as above
    from deskroom.scenario import parse_scenario, replay_scenario  # noqa: PLC0415 - as above

    source = DESK.format(url="").partition("[live.a]")[0] + '[[turn]]\nseat = "a"\nsay = "x"\n'
    entries = list(replay_scenario(parse_scenario(source)).run.journal)
    at = next(n for n, entry in enumerate(entries) if type(entry).__name__ == "CallEntry")
    usage = UsageEntry(1, 1, "a", 1, 1, 1, 0.5)
    sound = [*entries[:at], usage, *entries[at:]]
    assert 2 == verify_entries(sound, "x").rows
    for wrong in ([evolve(usage, **{field: value})], [usage, usage], [evolve(usage, seconds=-1.0)]):
        with pytest.raises(JournalError):
            verify_entries([*entries[:at], *wrong, *entries[at:]], "x")
