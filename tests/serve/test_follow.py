"""What a follower knows of a journal after each look at it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deskroom.core import Viewer
from deskroom.engine.entries import TurnEntry
from deskroom.journal import Differs, read_journal
from deskroom.journal.chain import seal
from deskroom.serve import Follower
from deskroom.wire import entry_out

Follow = Callable[..., Follower]


def seen(follower: Follower) -> tuple[str, int]:
    """Return the state that a page is told, and how many items its first view has."""
    data = json.loads(follower.data().text)
    return data["live"]["state"], sum(count for _, count in data["views"][0]["spans"])


def test_it_sees_each_line_as_it_comes(growing: Any, follow: Follow) -> None:
    """A journal grows to its close; a torn line counts once the rest of it is there."""
    follower = follow(growing.path)
    states = [seen(follower)]
    while growing.written < len(growing.lines):
        line = growing.lines[growing.written]
        with growing.path.open("ab") as file:
            file.write(line[:20])
        follower.look()
        assert states[-1] == seen(follower)
        with growing.path.open("ab") as file:
            file.write(line[20:])
        growing.written += 1
        follower.look()
        states.append(seen(follower))
    assert ("growing", 0) == states[0]
    assert ("closed", 3) == states[-1]
    assert [0, 1, 2, 3] == list(dict.fromkeys(count for _, count in states))


@pytest.mark.parametrize("written", [0, 30])
def test_a_first_line_is_waited_for(growing: Any, follow: Follow, written: int) -> None:
    """A file that is empty, or has half a header, is a journal that begins."""
    growing.path.write_bytes(growing.lines[0][:written])
    follower = follow(growing.path)
    assert ("waiting", 0) == seen(follower)
    growing.path.write_bytes(b"".join(growing.lines))
    follower.look()
    assert ("closed", 3) == seen(follower)


def test_a_file_that_is_not_there_yet(growing: Any, follow: Follow, tmp_path: Path) -> None:
    """Where a run is about to make its journal, that is waited for."""
    follower = follow(tmp_path / "later.jsonl")
    assert ("waiting", 0) == seen(follower)
    (tmp_path / "later.jsonl").write_bytes(b"".join(growing.lines))
    follower.look()
    assert ("closed", 3) == seen(follower)


def test_a_damaged_line_and_its_repair(growing: Any, follow: Follow) -> None:
    """What stands before a line that is wrong stays; a file that is put right is read again."""
    growing.grow(4)
    follower = follow(growing.path)
    sound = growing.path.read_bytes()
    growing.path.write_bytes(sound + b'{"kind":"close","reason":"quiet"}\n')
    follower.look()
    assert ("damaged", 2) == seen(follower)
    assert follower.problem is not None
    assert growing.written + 1 == follower.problem.line
    growing.path.write_bytes(sound)
    follower.look()
    assert ("growing", 2) == seen(follower)


def test_a_line_that_breaks_the_rules_is_damage(growing: Any, follow: Follow) -> None:
    """A line is checked as `verify` checks it, not against the chain alone."""
    follower = follow(growing.path)
    *_, header = read_journal(growing.path)
    line, _ = seal(entry_out(TurnEntry(1, "bob", 0, None, 1)), header.digest)
    with growing.path.open("ab") as file:
        file.write(line)
    follower.look()
    assert "damaged" == seen(follower)[0]
    assert isinstance(follower.problem, Differs)


def test_a_file_that_goes_and_comes_again(growing: Any, follow: Follow) -> None:
    """What was read stays while there is no file; another one under its name is read from its start."""
    growing.grow_whole()
    follower = follow(growing.path)
    growing.path.unlink()
    follower.look()
    assert ("gone", 3) == seen(follower)
    growing.path.write_bytes(b"".join(growing.lines[:3]))
    follower.look()
    assert "growing" == seen(follower)[0]


def test_a_journal_cut_shorter_is_read_again(growing: Any, follow: Follow) -> None:
    """A run that was begun anew in the same file is the one that is shown."""
    growing.grow_whole()
    follower = follow(growing.path)
    with growing.path.open("r+b") as file:
        file.truncate(len(growing.lines[0]))
    follower.look()
    assert ("growing", 0) == seen(follower)


def test_what_has_come_since(growing: Any, follow: Follow) -> None:
    """News have what is new, and all there is for a page that knows another journal."""
    follower = follow(growing.path)
    first = json.loads(follower.data().text)["live"]["name"]
    assert follower.news(first, 0) is None
    growing.grow(4)
    follower.look()
    name, text = follower.news(first, 0) or ("", "{}")
    assert json.loads(text)["keep"] == [0, 0, 0, 0]
    assert follower.news(name, 0) is None
    for unknown in ("", "9.0", f"{name.partition('.')[0]}.99", f"1.{'9' * 5000}", "1.²"):
        _, text = follower.news(unknown, 0) or ("", "{}")
        assert "keep" not in json.loads(text)


def test_a_seat_that_does_not_sit_there(growing: Any, follow: Follow) -> None:
    """Where the header comes later and has no such seat, nothing at all is shown."""
    growing.grow_whole()
    whole = growing.path.read_bytes()
    growing.path.write_bytes(b"")
    follower = follow(growing.path, Viewer("agent", "bab"))
    growing.path.write_bytes(whole)
    follower.look()
    data = json.loads(follower.data().text)
    assert (0, "damaged") == (len(data["items"]), data["live"]["state"])
    assert [] == data["lanes"]
