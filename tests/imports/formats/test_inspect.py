"""Inspect's logs: who speaks is in the spans, and a zip is not believed."""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from deskroom.errors import FileError

Read = Callable[..., Any]


def span(id: str, parent: str | None, kind: str | None, name: str) -> dict[str, object]:
    """Return the begin of a span."""
    return {"event": "span_begin", "id": id, "parent_id": parent, "type": kind, "name": name}


def model(where: str | None, content: object, *tools: str) -> dict[str, object]:
    """Return a call of a model in a span."""
    calls = [{"id": "c", "function": tool, "arguments": {}} for tool in tools]
    message = {"role": "assistant", "content": content, "tool_calls": calls}
    return {"event": "model", "span_id": where, "output": {"choices": [{"message": message}]}}


def tool(where: str, function: str, agent: str | None = None) -> dict[str, object]:
    """Return a call of a tool."""
    return {"event": "tool", "span_id": where, "function": function, "agent": agent}


def sample(id: object, *events: object, epoch: int = 1, **more: object) -> dict[str, object]:
    """Return a sample."""
    return {"id": id, "epoch": epoch, "input": "go", "events": list(events), **more}


def log(*samples: object) -> dict[str, object]:
    """Return a log."""
    return {"version": 2, "status": "success", "eval": {"task": "t"}, "samples": list(samples)}


ROOM = sample(
    "crate",
    span("s1", None, "solvers", "solvers"),
    span("a", "s1", "agent", "planner"),
    model("a", "@weigher please", "transfer_to_weigher"),
    span("t", "a", "tool", "transfer_to_weigher"),
    tool("a", "transfer_to_weigher", agent="weigher"),
    span("b", "t", "agent", "weigher"),
    model("b", [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "5 kg"}]),
    model("a", "attachment://a1", "submit"),
    tool("a", "submit"),
    span("z", None, "scorers", "scorers"),
    model("z", "GRADE: C"),
    {"event": "model", "span_id": "a", "error": "busy", "output": {"choices": []}},
    messages=[{"role": "system", "content": "Be good."}, {"role": "user", "content": "go"}],
    attachments={"a1": "A long text."},
)
ROWS = [
    ("user", "go"),
    ("planner", "@weigher please"),
    ("weigher", "5 kg"),
    ("planner", "A long text."),
]


def test_the_nearest_agent_around_a_model_call_speaks(read_rows: Read) -> None:
    """A scorer's model does not; a long text is found among the attachments."""
    read = read_rows(log(ROOM))

    assert (read.format, read.rows) == ("inspect", ROWS)
    assert read.handoffs == [(2, "weigher")]
    assert read.left == {
        "system": 1,
        "tool call": 2,
        "tool result": 2,
        "reasoning": 1,
        "scorer": 1,
        "error": 1,
    }


def test_a_log_before_spans_has_steps(read_rows: Read) -> None:
    """An agent is a step; without one it is `assistant`, whose parts are lines."""
    step = {"event": "step", "type": "agent", "name": "planner"}
    parts = [{"type": "text", "text": text} for text in ("1", "2")]
    events = [{**step, "action": "begin"}, model(None, "hi"), {**step, "action": "end"}]

    read = read_rows(log(sample(7, *events, model(None, parts))))

    assert read.rows == [("user", "go"), ("planner", "hi"), ("assistant", "1\n2")]


def test_without_events_the_messages_are_read(read_rows: Read) -> None:
    """The opening counts once."""
    opening = [{"role": "user", "content": "go", "source": "input"}]
    messages = [*opening, {"role": "assistant", "content": "hi"}, {"role": "tool", "content": "1"}]
    held = {**sample("x", messages=messages), "input": opening}

    read = read_rows(log(held))

    assert read.rows == [("user", "go"), ("assistant", "hi")]
    assert read.left == {"tool result": 1}


def test_samples_and_epochs_are_rooms(read_rows: Read) -> None:
    """A sample of several epochs is called as its member in a zip."""
    found = log(sample(1, model(None, "a")), sample("b"), sample("b", model(None, "c"), epoch=2))

    assert read_rows(found, room="1").rows == [("user", "go"), ("assistant", "a")]
    assert read_rows(found, room="b_epoch_2").rows == [("user", "go"), ("assistant", "c")]
    with pytest.raises(FileError) as caught:
        read_rows(found)
    assert "1, b_epoch_1, b_epoch_2" in str(caught.value)


def write_eval(path: Path, members: Mapping[str, object]) -> Path:
    """Write a zip of some members and a header."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in {**members, "header.json": {}}.items():
            archive.writestr(name, member if isinstance(member, str) else json.dumps(member))
    return path


def test_a_zip_has_a_member_for_each_sample(read_rows: Read, tmp_path: Path) -> None:
    """An id may have any characters, and no path is made of it."""
    path = write_eval(tmp_path / "log.eval", {"samples/../../x y_epoch_1.json": ROOM})

    read = read_rows(path)

    assert (read.format, read.rows) == ("inspect", ROWS)
    assert [path] == list(tmp_path.iterdir())


def test_a_sample_in_chunks_is_put_together(read_rows: Read, tmp_path: Path) -> None:
    """Chunks are called by the number of their first item."""
    chunks = {
        "sample.json": {"id": "x", "epoch": 1, "input": "go"},
        "events/10.json": [model(None, "attachment://1")],
        "events/2.json": [model(None, "first")],
        "events/stats.json": {},
        "attachments/0.json": ["zero", "one"],
    }
    members = {f"samples/x_epoch_1/{name}": chunk for name, chunk in chunks.items()}

    read = read_rows(write_eval(tmp_path / "log.eval", members))

    assert read.rows == [("user", "go"), ("assistant", "first"), ("assistant", "one")]


def test_a_zip_that_lies_about_a_size_is_an_error(read_rows: Read, tmp_path: Path) -> None:
    """The size in its directory is compared with what came out."""
    path = write_eval(tmp_path / "log.eval", {"samples/x_epoch_1.json": ROOM})
    raw = bytearray(path.read_bytes())
    at = raw.index(b"PK\x01\x02") + 24
    struct.pack_into("<I", raw, at, 10)
    path.write_bytes(raw)

    with pytest.raises(FileError) as caught:
        read_rows(path)
    assert caught.value.kind == "zip"


def test_a_zip_bomb_is_an_error(read_rows: Read, tmp_path: Path) -> None:
    """A member may grow by a limit only."""
    bomb = '"' + "0" * (8 << 20) + '"'

    with pytest.raises(FileError) as caught:
        read_rows(write_eval(tmp_path / "log.eval", {"samples/x_epoch_1.json": bomb}))
    assert caught.value.kind == "too_large"
