from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from deskroom.scenario import Replay, load_scenario, replay_scenario

Run = Callable[..., Any]

SCENARIOS = Path(__file__).parents[2] / "scenarios"
SHIPPED = sorted(SCENARIOS.glob("*.toml"))

DESK = 'format = 1\ndesk = { id = "d", name = "D", seats = [{ id = "a" }, { id = "b" }] }\n'
GOOD = f'{DESK}[[turn]]\nseat = "a"\nsay = "@b go on"\nexpect = {{ next = "b" }}\n'
FAILED = GOOD.replace('next = "b"', 'next = "a"')
UNUSED = f'[policy]\nmax_turns = 1\n{GOOD}[[turn]]\nseat = "b"\nsay = "never"\n'.replace(
    f"[policy]\nmax_turns = 1\n{DESK}", f"{DESK}[policy]\nmax_turns = 1\n"
)
WRONG = GOOD.replace('seat = "a"', 'seat = "c"')

#: An expectation of a row whose content is not pinned yet.
_EXPECT_ROW = re.compile(r"^expect = { (?!.*(?:content =|row = false))", re.MULTILINE)

MISMATCH = (
    ':6:12: turn 1 (a): next: expected "a", got "b"; \'@b\' at byte 0 is the first seat named'
)
PROBLEM = ':4:8: turn[1].seat: found "c", expected a seat of the desk (a, b)'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of three scenarios: as expected, failed and wrong."""
    for name, text in (("good", GOOD), ("failed", FAILED), ("wrong", WRONG)):
        (tmp_path / f"{name}.toml").write_text(text)
    return tmp_path


# Exit codes


@pytest.mark.parametrize(
    "names, code",
    [
        (["good"], 0),
        (["failed"], 1),
        (["wrong"], 2),
        (["good", "failed"], 1),
        (["failed", "good"], 1),
        (["failed", "wrong"], 2),
        (["wrong", "failed"], 2),
        (["wrong", "good"], 2),
        (["good", "none"], 2),
    ],
)
def test_the_exit_code_is_the_worst_that_came_up(
    run: Run, folder: Path, names: list[str], code: int
) -> None:
    """0 all as expected, 1 a mismatch, 2 a file that is wrong, and 2 outranks 1."""
    assert code == run("replay", *(folder / f"{name}.toml" for name in names)).code


def test_the_exit_code_is_that_of_the_process(process: Run, folder: Path) -> None:
    """What the function returns is what a shell sees."""
    codes = [process("replay", "-q", str(folder / f"{n}.toml")).code for n in ("failed", "wrong")]
    assert [1, 2] == codes


def test_a_turn_left_over_fails_only_when_that_is_asked_for(run: Run, tmp_path: Path) -> None:
    """Otherwise it is told under the table."""
    file = tmp_path / "x.toml"
    file.write_text(UNUSED)
    ended = run("replay", file)
    assert (0, True) == (ended.code, "closed: max_turns; unused: listed turn 2\n" in ended.out)
    ended = run("replay", "-q", "--fail-on-unused", file)
    assert (
        1,
        f'{file}:9:1: listed turn 2 (b): turn: expected "played", got "unused"; the turn was never played',
    ) == (ended.code, ended.out.splitlines()[0])


# What is shown


def test_a_mismatch_begins_with_its_place(run: Run, folder: Path) -> None:
    """It stands on stdout on a line of its own, which an editor can jump to."""
    file = folder / "failed.toml"
    ended = run("replay", "-q", file)
    assert (f"{file}{MISMATCH}\n1 scenario: 0 passed, 1 failed; 1 turn, 1 row\n", "") == (
        ended.out,
        ended.err,
    )


def test_an_error_begins_with_its_place(run: Run, folder: Path) -> None:
    """It stands on stderr, and the summary counts the file."""
    file = folder / "wrong.toml"
    ended = run("replay", file)
    assert ("1 scenario: 0 passed, 1 wrong; 0 turns, 0 rows\n", True) == (
        ended.out,
        ended.err.startswith(f"{file}{PROBLEM}"),
    )
    assert 1 == ended.err.count("\n")


def test_a_bad_file_does_not_stop_the_others(run: Run, folder: Path) -> None:
    """Each file is played, whatever the one before it came to."""
    ended = run("replay", "-q", folder / "none.toml", folder)
    assert 2 == ended.code
    assert [f"{folder}/failed.toml{MISMATCH}"] == ended.out.splitlines()[:1]
    assert "4 scenarios: 1 passed, 1 failed, 2 wrong; 2 turns, 2 rows" == ended.out.splitlines()[1]
    assert [
        f"{folder}/none.toml: there is no such file",
        f"{folder}/wrong.toml:4:8: turn[1].seat",
    ] == [line.split(": found")[0] for line in ended.err.splitlines()]


def test_nothing_that_can_be_jumped_to_is_wrapped(process: Run, folder: Path) -> None:
    """However narrow the terminal is, mismatches and errors stay whole; only what was said folds."""
    ended = process("replay", str(folder), COLUMNS="40", PYTHONIOENCODING="utf-8")
    assert f"{folder}/failed.toml{MISMATCH}" in ended.out.splitlines()
    assert f"✓ {folder}/good.toml" in ended.out.splitlines()
    assert 1 == len(ended.err.splitlines())
    assert 40 >= max(len(line) for line in ended.out.splitlines() if line.startswith("  "))


def test_a_table_shows_each_row_with_who_is_next(run: Run) -> None:
    """Sequence, who to whom, what, next and why; then how the room closed."""
    lines = run("replay", SCENARIOS / "legacy-close.toml").out.splitlines()
    assert f"✓ {SCENARIOS}/legacy-close.toml · The old name desk_close still completes" == lines[0]
    assert ["", "row", "turn", "who → whom", "what", "next, and why"] == [
        c.strip() for c in lines[1].split("┃")
    ]
    assert ["✓", "1", "1", "lead → desk", "ANSWER 62418970", "completes"] == [
        cell.strip() for cell in lines[3].split("│")
    ]
    assert "closed: completed; unused: listed turn 2" in lines
    assert "1 scenario: 1 passed; 1 turn, 1 row" == lines[-1]


def test_quiet_leaves_mismatches_errors_and_the_summary(run: Run, folder: Path) -> None:
    """No table is shown for what is as expected."""
    assert ["1 scenario: 1 passed; 1 turn, 1 row"] == (
        run("replay", "-q", folder / "good.toml").out.splitlines()
    )


def test_quiet_is_quiet_about_what_a_script_makes_happen(run: Run, tmp_path: Path) -> None:
    """A seat that times out as expected is logged, but not then; a level that is asked for counts."""
    file = tmp_path / "slow.toml"
    file.write_text(GOOD.replace('say = "@b go on"', 'say = "@b go on"\ntakes = 3600'))
    logged = "turn.timed_out" in run("replay", file).err
    assert (True, "") == (logged, run("replay", "-q", file).err)
    assert "turn.timed_out" in run("--log-level", "warning", "replay", "-q", file).err


def test_verbose_shows_messages_in_full_and_what_seats_wrote(run: Run, tmp_path: Path) -> None:
    """A long message is cut without it, and text outside a call is not shown."""
    file = tmp_path / "x.toml"
    file.write_text(GOOD.replace("@b go on", "@b " + "Ω" * 500) + 'text = "my plan"\n')
    brief, full = run("replay", file).out, run("replay", "-v", file).out
    assert (237, 500) == (brief.count("Ω"), full.count("Ω"))
    assert ("text: my plan" in brief, "text: my plan" in full) == (False, True)


def test_what_a_terminal_acts_on_is_shown_as_text(run: Run, tmp_path: Path) -> None:
    """Not in a message, a title, a path nor an expectation does an escape come through.

    An id with one is an error of the file.
    """
    file = tmp_path / "x\x1b[31m.toml"
    file.write_text(
        'format = 1\ntitle = "T\\u001b[2J"\n'
        'desk = { id = "d", name = "D", seats = [{ id = "a" }, { id = "b" }] }\n'
        '[[turn]]\nseat = "a"\nsay = "@b \\u001b[31mred\\u0007\\u202e"\n'
        'expect = { next = "a", content = "\\u009b" }\n'
        '[[turn]]\nseat = "a"\ntext = "\\u001b]0;title\\u0007"\n'
    )
    ended = run("replay", "-v", file)
    assert 1 == ended.code
    assert [] == [c for c in ended.out if c != "\n" and not c.isprintable()]
    assert "\\x1b[31mred\\x07" in ended.out
    assert f"{tmp_path}/x\\x1b[31m.toml:7:24: turn 1 (a): content: " in ended.out


# Folders


def test_folders_are_searched_in_path_order(run: Run, tmp_path: Path) -> None:
    """Every ``*.toml`` below is played once, however often it is named; nothing else is."""
    for name in ("b.toml", "a/z.toml", "a/deep/er/x.toml", "c/y.toml", "a.txt", "README.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(GOOD)
    with chdir(tmp_path):
        ended = run("replay", "--json", ".", "c", "b.toml", tmp_path / "nothing")
    documents = json.loads(ended.out)["scenarios"]
    assert ["a/deep/er/x.toml", "a/z.toml", "b.toml", "c/y.toml", "nothing"] == [
        document["path"] for document in documents
    ]


def test_a_folder_without_scenarios_is_an_error(run: Run, folder: Path) -> None:
    """It does not stop the others, and it is told where there is nothing."""
    (folder / "empty" / "deep").mkdir(parents=True)
    ended = run("replay", "-q", folder / "empty", folder / "good.toml")
    assert (2, f"{folder}/empty: no scenario found: there is no *.toml file here\n") == (
        ended.code,
        ended.err,
    )
    assert "2 scenarios: 1 passed, 1 wrong; 1 turn, 1 row\n" == ended.out


# JSON


def test_json_is_all_that_stdout_holds(run: Run, folder: Path) -> None:
    """Errors and logs go to stderr; the document holds every file, and sums up."""
    with chdir(folder):
        ended = run("replay", "--json", "--log-level", "info", "none.toml", ".")
    assert (2, True, True) == (ended.code, "room.opened" in ended.err, ended.out.isascii())
    document = json.loads(ended.out)
    assert {
        "format": 1,
        "summary": {"passed": 1, "failed": 1, "wrong": 2, "rows": 2, "turns": 2},
    } == {key: value for key, value in document.items() if key != "scenarios"}
    assert [
        ("none.toml", "error"),
        ("failed.toml", "failed"),
        ("good.toml", "passed"),
        ("wrong.toml", "error"),
    ] == [(one["path"], one["status"]) for one in document["scenarios"]]
    assert {
        "path": "none.toml",
        "status": "error",
        "error": {"line": None, "column": None, "problem": "there is no such file"},
    } == document["scenarios"][0]
    assert [4, 8] == [document["scenarios"][3]["error"][key] for key in ("line", "column")]
    assert [
        {
            "path": "failed.toml",
            "line": 6,
            "column": 12,
            "turn": "1",
            "seat": "a",
            "granted": 1,
            "row": 1,
            "key": "next",
            "expected": "a",
            "got": "b",
            "why": "'@b' at byte 0 is the first seat named",
        }
    ] == document["scenarios"][1]["mismatches"]


def test_json_does_not_depend_on_the_machine(run: Run, folder: Path) -> None:
    """No absolute path and no backend is in it: both backends, from any folder, write the same."""
    with chdir(folder):
        one = run("replay", "--json", "good.toml", "failed.toml", "wrong.toml")
        other = run(
            "replay",
            "--json",
            "--backend",
            "trio",
            *map(folder.joinpath, ("good.toml", "failed.toml", "wrong.toml")),
        )
    assert one.out == other.out
    assert [] == [word for word in ("asyncio", "trio", str(folder), '"/') if word in one.out]


def test_json_of_a_file_from_elsewhere_has_a_relative_path(run: Run, folder: Path) -> None:
    """It leads to the file from where the command was run."""
    (folder / "below").mkdir()
    with chdir(folder / "below"):
        (document,) = json.loads(run("replay", "--json", folder / "good.toml").out)["scenarios"]
    assert "../good.toml" == document["path"]


# One seat's view


def secrets(replay: Replay, seat: str) -> set[str]:
    """Return every text of a replay that this seat may not read."""
    rows = [(row.content, row.audience, row.author.id) for row in replay.run.rows]
    readable = {
        content
        for content, audience, author in rows
        if audience.kind == "desk" or seat in (author, *audience.members)
    }
    texts = {turn.text for turn in replay.run.turns if turn.seat != seat and turn.text.strip()}
    refused = {
        str(call.arguments["message"])
        for turn in replay.scenario.turns
        for call in turn.calls
        if "to" in call.arguments and seat not in (turn.seat, *call.arguments["to"])
    }
    return ({content for content, _, _ in rows} | texts | refused) - readable


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_seats_view_holds_nothing_private_to_others(run: Run, path: Path, tmp_path: Path) -> None:
    """Tables, JSON, mismatches and logs, for each seat of every shipped scenario, upset or not."""
    replay = replay_scenario(load_scenario(path))
    upset = tmp_path / path.name
    head, *turns = path.read_text().split("[[turn]]")
    # Every row is expected to say something else, so that each of them is a mismatch.
    failing = [_EXPECT_ROW.sub('expect = { content = "other", ', turn) for turn in turns]
    upset.write_text("[[turn]]".join([head, *failing]))
    for seat in (spec.id for spec in replay.scenario.desk.seats):
        shown = ""
        for arguments in (["-v"], ["--json"]):
            ended = run("replay", *arguments, "--as", seat, "--log-level", "debug", path, upset)
            assert ended.code == (failing != turns)
            assert "room.closed" in ended.err
            shown += ended.out + ended.err
        # A table folds its cells, so a text is looked for by its words in a row.
        flat = " ".join(shown.replace("│", " ").split())
        assert [] == [secret for secret in secrets(replay, seat) if secret in flat + shown]


def test_a_member_reads_what_it_is_part_of(run: Run) -> None:
    """The same row is whole for its author and its member, and private to the other two."""
    seen = {
        seat: "I measure" in run("replay", "--as", seat, SCENARIOS / "run-28.toml").out
        for seat in ("lead", "solver", "theory", "checker")
    }
    assert {"lead": False, "solver": True, "theory": False, "checker": True} == seen


@pytest.mark.parametrize(
    "seat, hint",
    [
        ("solvr", "did you mean 'solver'?"),
        ("LEAD", "did you mean 'lead'?"),
        ("zzz", "its seats are lead, solver, theory, checker"),
    ],
)
def test_a_view_of_nobody_is_an_error(run: Run, seat: str, hint: str) -> None:
    """The file, the name and the nearest seat are told, and nothing is shown."""
    file = SCENARIOS / "run-28.toml"
    ended = run("replay", "-q", "--as", seat, file)
    assert (2, f"{file}: this desk has no seat {seat!r}; {hint}\n") == (ended.code, ended.err)
    assert "1 scenario: 0 passed, 1 wrong; 0 turns, 0 rows\n" == ended.out


# Files that are none


@pytest.mark.parametrize(
    "content",
    [
        bytes(range(256)) * 8,
        b"\x00" * 4096,
        b"[" * 50_000_000,
        b"a = " + b"[" * 1_000_000,
        b"= =\n",
        b"",
        "\ufeffformat = 1".encode(),
        "format = 1".encode("utf-16"),
    ],
    ids=["bytes", "zeros", "50 MB", "brackets", "no key", "empty", "bom", "utf-16"],
)
def test_a_file_that_is_no_scenario_gets_one_line(run: Run, tmp_path: Path, content: bytes) -> None:
    """Exit code 2, the place and what is wrong, no traceback, and soon."""
    file = tmp_path / "x.toml"
    file.write_bytes(content)
    ended = run("replay", file)
    assert (2, 1) == (ended.code, ended.err.count("\n"))
    assert ended.err.startswith(f"{file}:")
    assert 400 > len(ended.err)


def test_a_path_that_is_no_file_gets_one_line(run: Run, tmp_path: Path) -> None:
    """A path through a file, a name that is too long, and a device that holds nothing."""
    (tmp_path / "file").write_text(GOOD)
    for path in (tmp_path / "file" / "x.toml", tmp_path / ("x" * 300), Path(os.devnull)):
        ended = run("replay", "-q", path)
        assert (2, 1) == (ended.code, ended.err.count("\n"))
        assert ended.err.startswith(f"{path}")


def test_a_name_that_is_not_utf_8_will_do(process: Run, tmp_path: Path) -> None:
    """The file is played, and its name is shown with escapes."""
    file = os.fsencode(tmp_path) + b"/caf\xe9.toml"
    Path(os.fsdecode(file)).write_text(FAILED)
    ended = process(b"replay", file, PYTHONIOENCODING="utf-8:strict")
    assert (1, "") == (ended.code, ended.err)
    assert f"{tmp_path}/caf\\udce9.toml{MISMATCH}" in ended.out.splitlines()
    ended = process(b"replay", b"--json", file, PYTHONIOENCODING="utf-8:strict")
    assert json.loads(ended.out)["scenarios"][0]["path"].endswith("/caf\udce9.toml")


def test_what_lies_among_the_scenarios_is_passed_over(run: Run, tmp_path: Path) -> None:
    """It is counted on stderr, by replay and by check; a file that is named is always taken."""
    (tmp_path / "x.toml").write_text(GOOD)
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    passed_over = (
        f"passed over 1 TOML file with none of desk, format, turn: {tmp_path / 'pyproject.toml'}\n"
    )
    for command in ("replay", "check"):
        ended = run(command, tmp_path)
        assert (0, passed_over) == (ended.code, ended.err)
        named = run(command, tmp_path / "pyproject.toml")
        assert 2 == named.code


def test_a_scenario_that_expects_nothing_is_warned_of(run: Run, tmp_path: Path) -> None:
    """On stderr, also when quiet; a pin makes expectations of what came out, and then it is not."""
    file = tmp_path / "x.toml"
    file.write_text(GOOD.replace('expect = { next = "b" }\n', ""))
    ended = run("replay", "-q", file)
    assert (0, True) == (ended.code, ended.err.startswith(f"{file}:1:1: warning: "))
    for options in (["--log-level", "error"], ["--log-format", "json"]):
        assert "" == run("replay", *options, file).err
    pinned = run("replay", "-q", "--pin", file)
    assert (0, "") == (pinned.code, pinned.err)
    assert ["listed turn 1 (a)", "listed turn 1 (a)", "run", "run", "run"] == [
        line.split(": ")[1] for line in pinned.out.splitlines()[:-1]
    ]
    document = json.loads(run("replay", "--pin", "--json", file).out)
    assert ([], 0) == (document["scenarios"][0]["updates"], document["summary"]["updates"])


def test_a_pin_is_of_the_file_as_it_is(run: Run, folder: Path) -> None:
    """Not under another policy; what differs stays a mismatch without --update."""
    good = folder / "good.toml"
    assert 2 == run("replay", "--pin", "--set", "policy.max_turns=3", good).code
    failed = folder / "failed.toml"
    assert 1 == run("replay", "--pin", failed).code
    assert 'expect = { next = "a" }' in failed.read_text()
    assert 0 == run("replay", "--update", failed).code


# Where there is much that fails


def test_the_first_that_fails_may_be_the_last(run: Run, folder: Path) -> None:
    """With processes as without; the rest is counted, and is in no document."""
    names = [folder / f"{name}.toml" for name in ("good", "failed", "good", "wrong")]
    ended = run("replay", "-q", "-x", *names)
    line = "2 scenarios: 1 passed, 1 failed; 2 turns, 2 rows; stopped there, 1 not played"
    assert (1, line, "") == (ended.code, ended.out.splitlines()[-1], ended.err)
    assert ended == run("replay", "-q", "-x", "-j", "2", *names)
    document = json.loads(run("replay", "-x", "--json", *names).out)
    assert (2, 1) == (len(document["scenarios"]), document["summary"]["not_played"])
    nothing = run("replay", "-q", "-x", folder / "none.toml", folder / "good.toml")
    assert (2, True) == (nothing.code, "stopped there, 1 not played" in nothing.out)
    assert 0 == run("replay", "-q", "-x", folder / "good.toml").code


def test_many_mismatches_are_summed_up_unless_all_are_asked_for(run: Run, folder: Path) -> None:
    """JSON and JUnit hold all of them."""
    file = folder / "failed.toml"
    turn = file.read_text().partition("[[turn]]")[2].partition("[expect]")[0]
    file.write_text(f"{file.read_text()}{f'[[turn]]{turn}' * 24}")
    ended = run("replay", "-q", "--junit", folder / "junit.xml", file)
    assert 22 == len(ended.out.splitlines())
    assert f"{file}: 5 more mismatches (5 next); --all shows them" == ended.out.splitlines()[-2]
    assert 26 == len(run("replay", "-q", "--all", file).out.splitlines())
    text = (folder / "junit.xml").read_text().partition(">")[2]
    assert 25 == text.partition("<failure")[2].partition(">")[2].count("failed.toml:")
    document = json.loads(run("replay", "--json", file).out)
    assert 25 == len(document["scenarios"][0]["mismatches"])
