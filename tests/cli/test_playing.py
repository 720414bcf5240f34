from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Callable
from contextlib import chdir, suppress
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from deskroom.cli.replay import shuffled

Run = Callable[..., Any]

DESK = 'format = 1\ndesk = { id = "d", name = "D", seats = [{ id = "a" }, { id = "b" }] }\n'
TURN = '[[turn]]\nseat = "a"\nsay = "@b go on"\nexpect = { next = "b" } # who\n'
GOOD = DESK + TURN
FAILED = GOOD.replace('next = "b"', 'next = "a"')
WRONG = GOOD.replace('seat = "a"', 'seat = "c"')
ASIDE = """\
[policy]
aside = { enabled = true, max_members = 1, max_messages = 9 }
[[turn]]
seat = "a"
calls = [{ tool = "desk_dm", to = ["b"], message = "psst" }]
expect = { audience = ["a"] }
"""
THREE = DESK.replace('{ id = "b" }', '{ id = "b" }, { id = "c" }')


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of three scenarios: as expected, failed and wrong."""
    for name, text in (("good", GOOD), ("failed", FAILED), ("wrong", WRONG)):
        (tmp_path / f"{name}.toml").write_text(text)
    return tmp_path


# --update


def test_an_update_writes_what_came_out_and_says_so(run: Run, folder: Path) -> None:
    """What holds is left, a wrong file is told, and afterwards nothing differs."""
    with chdir(folder):
        ended = run("replay", "-q", "--update", ".")
        assert (
            2,
            (
                'failed.toml:6:12: listed turn 1 (a): next: "a" → "b"\n'
                "3 scenarios: 2 passed, 1 wrong; 2 turns, 2 rows; 1 expectation updated\n"
            ),
        ) == (ended.code, ended.out)
        assert (GOOD, GOOD, WRONG) == tuple(
            (folder / f"{name}.toml").read_text() for name in ("failed", "good", "wrong")
        )
        ended = run("replay", "-q", "--update", "good.toml", "failed.toml")
        assert (0, "2 scenarios: 2 passed; 2 turns, 2 rows; 0 expectations updated\n") == (
            ended.code,
            ended.out,
        )


def test_what_cannot_be_updated_stays_a_mismatch(run: Run, tmp_path: Path) -> None:
    """A turn that is never played keeps what it expects, and the exit code says so."""
    file = tmp_path / "x.toml"
    limit = "[policy]\nmax_turns = 1\n"
    file.write_text(FAILED.replace(DESK, DESK + limit) + TURN.replace('"a"', '"b"'))
    ended = run("replay", "-q", "--update", file)
    assert (1, True, True) == (
        ended.code,
        f'{file}:8:12: listed turn 1 (a): next: "a" → "b"\n' in ended.out,
        f'{file}:9:1: listed turn 2 (b): turn: expected "played", got "unused"' in ended.out,
    )


def test_an_update_as_json(run: Run, folder: Path) -> None:
    """The changes are with their file, and the summary counts them."""
    with chdir(folder):
        document = json.loads(run("replay", "--json", "--update", "failed.toml").out)
    (scenario,) = document["scenarios"]
    assert [
        {
            "path": "failed.toml",
            "line": 6,
            "column": 12,
            "turn": "1",
            "seat": "a",
            "key": "next",
            "before": "a",
            "after": "b",
        }
    ] == scenario["updates"]
    assert ("passed", [], 1) == (
        scenario["status"],
        scenario["mismatches"],
        document["summary"]["updates"],
    )


def test_an_update_that_only_few_may_read_about_is_marked(run: Run, tmp_path: Path) -> None:
    """Whoever narrows the view to another seat learns that something was written."""
    file = tmp_path / "x.toml"
    file.write_text(THREE + ASIDE)
    ended = run("replay", "-q", "--update", "--as", "c", file)
    assert f'{file}:8:12: listed turn 1 (a): audience: "(private)" → "(private)"\n' in ended.out
    assert 'audience = ["b"]' in file.read_text()


def test_a_file_that_cannot_be_updated_is_wrong(run: Run, tmp_path: Path) -> None:
    """The others are played all the same."""
    (tmp_path / "x.toml").write_text(
        f'{DESK}[[turn]]\nseat = "a"\n[turn.expect.next]\nnone = "broadcast"\n'
    )
    (tmp_path / "y.toml").write_text(GOOD)
    ended = run("replay", "-q", "--update", tmp_path)
    assert (2, f"{tmp_path}/x.toml: the layout of this file cannot be updated") == (
        ended.code,
        ended.err.split(";")[0],
    )
    assert ended.out.startswith("2 scenarios: 1 passed, 1 wrong;")


# --set and --diff


def test_another_policy_is_held_against_what_is_expected(run: Run, folder: Path) -> None:
    """The file itself stays as it is."""
    ended = run("replay", "-q", folder / "good.toml", "--set", "policy.dispatch.enabled=false")
    assert 1 == ended.code
    assert 'expected "b", got { none = "disabled" }' in ended.out
    assert GOOD == (folder / "good.toml").read_text()


def test_what_another_policy_changes_is_shown(run: Run, folder: Path) -> None:
    """With both rows and why; it fails when anything changes."""
    file = folder / "good.toml"
    ended = run("replay", file, "--set", "policy.dispatch.enabled=false", "--diff")
    shown = (
        f"{file}\n"
        f"{file}:3: A: row 1: a → desk: @b go on\n"
        '    next: "b"; hop: 0\n'
        "    why: '@b' at byte 0 is the first seat named\n"
        f"{file}:3: B: row 1: a → desk: @b go on\n"
        '    next: { none = "disabled" }; hop: 0\n'
        "    why: mentions start no turns in this room\n"
        "    differs in: next\n\n"
        "policy.dispatch.enabled: true in A, false in B\n"
        "rows: 0 the same, 1 different\n\n"
        "1 scenario: 0 the same, 1 different; 1 turn, 1 row\n"
    )
    assert (1, shown) == (ended.code, ended.out)
    ended = run("replay", "-q", file, "--set", "policy.window=1", "--diff")
    assert (0, "1 scenario: 1 the same; 1 turn, 1 row\n") == (ended.code, ended.out)


def test_a_what_if_as_json(run: Run, folder: Path) -> None:
    """What is expected plays no part in it."""
    with chdir(folder):
        ended = run(
            "replay", "--json", "--diff", "--set", "policy.window=1", "failed.toml", "wrong.toml"
        )
    one, two = json.loads(ended.out)["scenarios"]
    assert (2, "passed", "failed.toml", True, "error") == (
        ended.code,
        one["status"],
        one["path"],
        one["diff"]["same"],
        two["status"],
    )
    assert [{"key": "policy.window", "a": 30, "b": 1}] == one["diff"]["settings"]


def test_a_what_if_is_narrowed_to_a_seat(run: Run, tmp_path: Path) -> None:
    """What the other two say in private is not told, whatever it becomes."""
    file = tmp_path / "x.toml"
    file.write_text(THREE + ASIDE)
    ended = run("replay", file, "--diff", "--set", "policy.aside.enabled=false", "--as", "c")
    assert (1, True, False) == (ended.code, "(private)" in ended.out, "psst" in ended.out)


@pytest.mark.parametrize(
    "options, problem",
    [
        (["--diff"], "--diff shows what --set changes: say what to change"),
        (
            ["--update", "--set", "policy.window=1"],
            "--update writes what comes of a file as it is: leave out --set",
        ),
        (
            ["--diff", "--set", "policy.window=1", "--repeat", "2"],
            "--diff plays each file twice, so it cannot go with --repeat",
        ),
        (
            ["--diff", "--set", "policy.window=1", "--journal", "x"],
            "--diff plays each file twice, so it cannot go with --journal",
        ),
        (
            ["--set", "policy.windw=1"],
            (
                "--set policy.windw=1: policy.windw: unknown key, expected one of dispatch, aside, "
                "on_refused_aside, chair, broadcast, close, participants, max_turns, window, "
                "history_limit, silence, max_calls, max_message_bytes, turn_timeout_s; did you "
                'mean "window"?'
            ),
        ),
    ],
)
def test_options_that_make_no_sense_are_an_error(
    run: Run, folder: Path, options: list[str], problem: str
) -> None:
    """Nothing is played."""
    ended = run("replay", folder / "good.toml", *options)
    assert (2, "", f"deskroom: {problem}\n") == (ended.code, ended.out, ended.err)


def test_a_setting_that_a_file_cannot_have_is_that_files(run: Run, folder: Path) -> None:
    """Its desk has nobody of that name."""
    file = folder / "good.toml"
    ended = run("replay", "-q", file, "--set", 'policy.chair.by="sam"')
    assert (2, f'{file}: --set policy.chair.by="sam": policy.chair.by: found "sam", expected') == (
        ended.code,
        ended.err.split(" a person")[0],
    )


# --repeat, --shuffle and --junit


def test_a_play_that_is_repeated_writes_the_same_bytes(run: Run, folder: Path) -> None:
    """And the journal that is kept is that of the first."""
    file, journal = folder / "good.toml", folder / "x.jsonl"
    once = run("replay", file)
    again = run("replay", file, "--repeat", "3", "--journal", journal)
    assert (0, once.out) == (again.code, again.out)
    assert 0 == run("verify", journal).code


def test_a_seed_decides_the_order(run: Run, folder: Path) -> None:
    """The same one the same order, and the summary names it."""
    with chdir(folder):
        runs = [run("replay", "--json", "--shuffle", "2", ".") for _ in range(2)]
        told = run("replay", "-q", "--shuffle", "two", "good.toml").out
    orders = [[one["path"] for one in json.loads(ended.out)["scenarios"]] for ended in runs]
    assert orders[0] == orders[1]
    assert ["good.toml", "failed.toml", "wrong.toml"] == orders[0]
    assert "2" == json.loads(runs[0].out)["summary"]["shuffle"]
    assert "1 scenario: 1 passed; 1 turn, 1 row; shuffled with seed two\n" == told


def test_a_shuffled_list_is_the_same_everywhere() -> None:
    """It depends on the seed and on how many there are, and on no name."""
    files = [f"{number}" for number in range(6)]
    assert ["5", "2", "3", "0", "1", "4"] == shuffled(files, "7")
    assert ["4", "2", "3", "5", "0", "1"] == shuffled(files, "\udc00")
    assert files == shuffled(files, None)
    assert [] == shuffled([], "7")


def test_junit_holds_what_the_command_line_says(run: Run, folder: Path) -> None:
    """Failures and errors have the same text; but for the times, the bytes are the same."""
    path = folder / "junit.xml"
    with chdir(folder):
        ended = run("replay", "-q", ".", "--junit", path)
        first = path.read_bytes()
        run("replay", ".", "--junit", path)
    assert re.sub(rb' time="[^"]*"', b"", first) == re.sub(
        rb' time="[^"]*"', b"", path.read_bytes()
    )
    (suite,) = ET.fromstring(first)  # noqa: S314 - our own
    failed, good, wrong = suite
    assert (["failed.toml", "good.toml", "wrong.toml"], 0) == (
        [case.get("name") for case in suite],
        len(good),
    )
    assert ended.out.splitlines()[0] == failed[0].text
    assert ended.err.splitlines()[0] == wrong[0].text


def test_a_what_if_is_a_failure_in_junit_too(run: Run, folder: Path) -> None:
    """Its text is what differs."""
    path = folder / "junit.xml"
    setting = "policy.dispatch.enabled=false"
    run("replay", folder / "good.toml", "--diff", "--set", setting, "--junit", path)
    text = ET.parse(path).findtext(".//failure") or ""  # noqa: S314 - our own
    assert "policy.dispatch.enabled: true in A, false in B" in text.splitlines()


def test_a_junit_file_that_cannot_be_written_is_an_error(run: Run, folder: Path) -> None:
    """The results are printed before."""
    ended = run("replay", "-q", folder / "good.toml", "--junit", folder / "none" / "x.xml")
    assert (2, True) == (ended.code, ended.out.startswith("1 scenario: 1 passed;"))
    assert ended.err.startswith(f"{folder}/none/x.xml: the file cannot be written")


# Progress


def test_progress_is_shown_on_a_terminal_only(started: Callable[..., Any], folder: Path) -> None:
    """It goes to stderr and leaves nothing behind."""
    for number in range(21):
        (folder / f"{number}.toml").write_text(GOOD)
    ours, theirs = os.openpty()
    command = started("replay", "-q", str(folder), stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    shown = b""
    with suppress(OSError):  # how Linux tells that the other end is closed
        while more := os.read(ours, 65536):
            shown += more
    os.close(ours)
    out, _ = command.communicate()
    assert (True, True) == (b"replaying" in shown, b"24/24" in shown)
    assert out.endswith(b"24 scenarios: 22 passed, 1 failed, 1 wrong; 23 turns, 23 rows\n")


# Interrupts


def test_an_interrupt_ends_it(started: Callable[..., Any], tmp_path: Path) -> None:
    """While one of many scenarios is played, with one process or several: 130, and no traceback."""
    head = f"{DESK}[policy]\nmax_turns = 1000000\n"
    turn = '[[turn]]\nseat = "a"\nsay = "hm"\nrepeat = 200000\n'
    for name in ("x", "y", "z"):
        (tmp_path / f"{name}.toml").write_text(head + turn)
    (tmp_path / "a.toml").write_text(GOOD)
    for options in ([], ["-j", "2"]):
        process = started(
            "replay", *options, str(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert (130, b"interrupted") == (process.returncode, err.splitlines()[-1])
        assert b"Traceback" not in err
