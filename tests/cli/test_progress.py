from __future__ import annotations

import os
import pty
import subprocess
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from deskroom.journal import JournalFile
from deskroom.scenario import parse_scenario, replay_scenario

Started = Callable[..., subprocess.Popen[bytes]]

FILE = """\
format = 1
desk = { id = "d", name = "D", seats = [{ id = "a" }] }
policy = { max_turns = 9999 }
[[turn]]
seat = "a"
say = "step"
"""


def beside_a_terminal(started: Started, *arguments: str) -> tuple[str, str]:
    """Return what a command writes to a pipe, and to the terminal that its stderr is."""
    ours, theirs = pty.openpty()
    process = started(*arguments, stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    shown: list[bytes] = []

    def read() -> None:
        while True:
            try:
                block = os.read(ours, 4096)
            except OSError:
                return
            shown.append(block)

    reader = Thread(target=read)
    reader.start()
    out, _ = process.communicate(timeout=60)
    reader.join()
    os.close(ours)
    return out.decode(), b"".join(shown).decode()


@pytest.mark.parametrize("command", ["verify", "show", "record"])
def test_a_long_file_has_a_bar_and_what_is_printed_goes_where_it_went(
    started: Started, tmp_path: Path, command: str
) -> None:
    """A short one has none."""
    path = tmp_path / "run.jsonl"
    long = FILE.replace('"step"', f'"{"step " * 200_000}"') + "repeat = 6\n"
    long = long.replace("max_turns = 9999", "max_turns = 9, max_message_bytes = 2000000")
    with JournalFile.create(path, sync="never") as journal:
        replay_scenario(parse_scenario(long), journal=journal)
    out, err = beside_a_terminal(started, command, str(path))
    assert "ing" in err
    assert "━" in err
    assert "━" not in out
    assert out
    path.unlink()
    with JournalFile.create(path, sync="never") as journal:
        replay_scenario(parse_scenario(FILE), journal=journal)
    assert "" == beside_a_terminal(started, command, str(path))[1]


@pytest.mark.parametrize("command", ["check", "replay"])
def test_many_files_have_a_bar(started: Started, tmp_path: Path, command: str) -> None:
    """A few have none."""
    for number in range(21):
        (tmp_path / f"s{number}.toml").write_text(FILE)
    out, err = beside_a_terminal(started, command, str(tmp_path))
    assert "21 scenarios: " in out
    assert "━" in err
    assert "━" not in beside_a_terminal(started, command, str(tmp_path / "s1.toml"))[1]
