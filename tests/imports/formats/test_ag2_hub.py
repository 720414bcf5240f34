"""AG2's hub on disk: passports, channels, envelopes and packets."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deskroom.errors import FileError

Read = Callable[..., Any]


def envelope(sender: str, kind: str, data: object, **more: object) -> dict[str, object]:
    """Return an envelope as a channel's log has it."""
    values = {"audience": None, "channel_id": "c1", "event_data": data, "event_type": kind}
    return {**values, "sender_id": sender, **more}


def text(sender: str, said: object, **more: object) -> dict[str, object]:
    """Return a message."""
    return envelope(sender, "ag2.msg.text", {"text": said}, **more)


def packet(sender: str, body: str, **routing: object) -> dict[str, object]:
    """Return a round of a workflow."""
    return envelope(sender, "ag2.packet", {"body": body, "routing": routing})


def write_hub(path: Path, channels: dict[str, list[dict[str, object]]]) -> Path:
    """Write a hub with four passports, and three of them in each channel."""
    kinds = {"a1": "human", "a2": None, "a3": "remote_agent", "a4": "agent"}
    for id, kind in kinds.items():
        (path / "agents" / id).mkdir(parents=True)
        passport = {"agent_id": id, "name": f"n-{id}", "kind": kind}
        (path / "agents" / id / "passport.json").write_text(json.dumps(passport))
    for channel, envelopes in channels.items():
        folder = path / "channels" / channel
        folder.mkdir(parents=True)
        joined = {"participants": [{"agent_id": id} for id in ("a1", "a2", "a3")]}
        (folder / "metadata.json").write_text(json.dumps(joined))
        lines = "".join(f"{json.dumps(one)}\n" for one in envelopes)
        (folder / "wal.jsonl").write_text(lines)
    return path


def test_texts_and_packets_are_rows_and_events_are_not(read_rows: Read, tmp_path: Path) -> None:
    """Names and kinds are the passports'; other envelopes count under their own type."""
    hub = write_hub(
        tmp_path / "hub",
        {
            "c1": [
                envelope("a1", "ag2.channel.opened", {}),
                text("a1", "go"),
                packet("a2", "You do it.", kind="handoff", target="a3"),
                packet("a3", "", kind="handoff", target="a2"),
                packet("a2", "Done.", kind="text"),
                envelope("a2", "ag2.context.set", {"set": {}}),
            ]
        },
    )

    read = read_rows(hub)

    assert read.rows == [("n-a1", "go"), ("n-a2", "You do it."), ("n-a2", "Done.")]
    assert (read.format, read.people, read.seats) == ("ag2-hub", ["n-a1"], ["n-a2"])
    assert read.handoffs == [(2, "a3")]
    assert read.left == {"ag2.channel.opened": 1, "ag2.packet": 1, "ag2.context.set": 1}


def test_an_audience_is_private_unless_everybody_is_in_it(read_rows: Read, tmp_path: Path) -> None:
    """Everybody is who is in the channel, not who has a passport; people alone are an empty list."""
    said = [
        text("a2", "to one", audience=["a3"]),
        text("a3", "to a person", audience=["a1"]),
        text("a2", "to all", audience=["a1", "a3"]),
    ]

    read = read_rows(write_hub(tmp_path / "hub", {"c1": said}))

    assert read.rows == [
        ("n-a2", "to one", ["n-a3"]),
        ("n-a3", "to a person", []),
        ("n-a2", "to all"),
    ]


def test_several_channels_need_one_named(read_rows: Read, tmp_path: Path) -> None:
    """The error lists them."""
    hub = write_hub(tmp_path / "hub", {"c1": [text("a2", "1")], "c2": [text("a2", "2")]})

    assert read_rows(hub, room="c2").rows == [("n-a2", "2")]
    with pytest.raises(FileError) as caught:
        read_rows(hub)
    assert (caught.value.kind, "c1, c2" in str(caught.value)) == ("several_rooms", True)


def test_a_log_alone_has_ids_for_names(read_rows: Read) -> None:
    """No file but the input is opened."""
    lines = "".join(f"{json.dumps(text(id, id))}\n" for id in ("a1", "a2"))

    assert read_rows(lines).rows == [("a1", "a1"), ("a2", "a2")]


@pytest.mark.parametrize("wrong", [text("a1", 3), text("a1", "x", audience="a2"), {"a": 1}])
def test_an_envelope_that_is_none_is_an_error(
    read_rows: Read, tmp_path: Path, wrong: dict[str, object]
) -> None:
    """An audience that cannot be read is never taken for the room."""
    with pytest.raises(FileError):
        read_rows(write_hub(tmp_path / "hub", {"c1": [text("a1", "go"), wrong]}))
