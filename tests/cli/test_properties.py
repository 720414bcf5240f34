"""Properties of a file, as each command holds a run against them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import parse

import pytest

Run = Callable[..., Any]

DESK = """\
format = 1
order = "routed"
desk = { id = "d", name = "D", people = [{ id = "sam", label = "Sam" }], seats = [\
{ id = "a" }, { id = "b" }, { id = "c" }] }
policy = { aside = { enabled = true, max_members = 1, max_messages = 3 } }
[opening]
by = "sam"
message = "@a begin"
[[turn]]
seat = "a"
calls = [{ tool = "desk_dm", to = ["b"], message = "the third valve leaks" }]
[[turn]]
seat = "b"
calls = [{ tool = "desk_dm", to = ["zz"], message = "x" }, { tool = "desk_post", message = "@c The third valve leaks!" }]
[[turn]]
seat = "c"
calls = [{ tool = "desk_complete_episode", message = "done" }]
"""

PUBLIC = ("only a completes", 'never = { completes = true, seat = { not = "a" } }')
PRIVATE = ("a says nothing in private", 'never = { seat = "a", audience = "aside" }')
REPEATS = ("nothing private is repeated", "never = { repeats_private = true }")
REFUSED = ("nobody is refused", 'never = { refusal = "unknown_recipient" }')
MISSING = ("kim is named", 'eventually = { text = "@kim" }')
LATE = (
    "b is answered at once",
    'after = { kind = "opening" }\nthen = { seat = "c" }\nwithin = 2',
)
ALL = (PUBLIC, PRIVATE, REPEATS, REFUSED, MISSING, LATE)
HOLDS = ("there are three turns", 'count = { kind = "seat" }\nat_least = 3\nat_most = 3')


@pytest.fixture
def file(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes the desk with some properties into a file."""

    def write(*properties: tuple[str, str], desk: str = DESK, name: str = "x.toml") -> Path:
        path = tmp_path / name
        tables = (f'[[property]]\nname = "{name}"\n{says}\n' for name, says in properties)
        path.write_text(desk + "".join(tables))
        return path

    return write


def told(text: str, path: Path) -> list[str]:
    """Return the lines of a text that are about a file, without its path."""
    start = f"{path}:"
    return [line.removeprefix(start) for line in text.splitlines() if line.startswith(start)]


LINES = [
    '17:1: property "only a completes": row 4 (turn 3, c) matches',
    '20:1: property "a says nothing in private": row 2 (turn 1, a) matches',
    '23:1: property "nothing private is repeated": row 3 (turn 2, b) matches',
    '26:1: property "nobody is refused": row 3 (turn 2, b) matches',
    '29:1: property "kim is named": nothing matched before the room closed (completed)',
    '32:1: property "b is answered at once": nothing matched within 2 turns after row 1 (sam)',
]


# replay


def test_a_replay_fails_with_the_line_of_the_property_and_the_row(
    run: Run, file: Callable[..., Path]
) -> None:
    """One that holds says nothing."""
    path = file(*ALL)
    ended = run("replay", "-q", path)
    assert (1, LINES) == (ended.code, told(ended.out, path))
    assert 0 == run("replay", "-q", file(HOLDS)).code


def test_the_table_marks_the_row_that_breaks_a_property(
    run: Run, file: Callable[..., Path]
) -> None:
    """As it marks one that came out otherwise."""
    table = run("replay", "-v", file(PUBLIC)).out
    assert '✗ property "only a' in table


def test_a_replay_as_a_seat_tells_only_what_it_may_read(
    run: Run, file: Callable[..., Path]
) -> None:
    """Of the others no more than that they do not hold."""
    path = file(*ALL)
    hidden = [line[: line.index('":') + 2] + " (private)" for line in LINES]
    may = {"a": (0, 1, 2, 4, 5), "b": (0, 1, 2, 3, 4, 5), "c": (0,)}
    for seat, known in may.items():
        ended = run("replay", "-q", "--as", seat, path)
        expected = [LINES[at] if at in known else hidden[at] for at in range(len(LINES))]
        assert (1, expected) == (ended.code, told(ended.out, path)), seat


def test_json_tells_where_and_what_and_no_more_than_may_be_read(
    run: Run, file: Callable[..., Path]
) -> None:
    """The seat, the turn and the row of what is hidden are hidden too."""
    path = file(REPEATS)
    (whole,) = json.loads(run("replay", "--json", path).out)["scenarios"][0]["mismatches"]
    assert {
        "line": 17,
        "column": 1,
        "turn": None,
        "seat": "b",
        "granted": 2,
        "row": 3,
        "key": "property",
        "expected": "nothing private is repeated",
        "got": "row 3 (turn 2, b) matches",
        "why": "",
    } == {key: value for key, value in whole.items() if key != "path"}
    (seen,) = json.loads(run("replay", "--json", "--as", "c", path).out)["scenarios"][0][
        "mismatches"
    ]
    hidden: dict[str, Any] = {"seat": None, "granted": None, "row": None}
    hidden |= {"got": "(private)", "why": "(private)"}
    assert {**whole, **hidden} == seen


def test_a_row_is_not_marked_for_whom_it_does_not_tell(run: Run, file: Callable[..., Path]) -> None:
    """That a row that all may read repeats something would say what was private."""
    path = file(REPEATS)
    marked = [line for line in run("replay", path).out.splitlines() if "property" in line]
    hidden = [
        line for line in run("replay", "--as", "c", path).out.splitlines() if "property" in line
    ]
    assert 2 == len(marked)
    assert [f'{path}:17:1: property "nothing private is repeated": (private)'] == hidden


def test_junit_has_a_line_for_each(run: Run, file: Callable[..., Path], tmp_path: Path) -> None:
    """The same as are printed."""
    path, xml = file(PUBLIC, HOLDS), tmp_path / "x.xml"
    assert 1 == run("replay", "-q", "--junit", xml, path).code
    (failure,) = parse(xml).getroot().iter("failure")  # noqa: S314 - our own
    assert f"{path}:{LINES[0]}" == failure.get("message")


def test_how_often_more_is_told_to_who_may_read_all_of_it(
    run: Run, file: Callable[..., Path]
) -> None:
    """A seat is told only of those that it may read."""
    path = file(("nobody speaks", 'never = { kind = "seat", hop = { at_least = 0 } }'))
    start = '17:1: property "nobody speaks": row 2 (turn 1, a) matches'
    assert [f"{start} (and 2 more times)"] == told(run("replay", "-q", path).out, path)
    assert [f"{start} (and 2 more times)"] == told(run("replay", "-q", "--as", "a", path).out, path)
    public = file(("nobody speaks", "never = { row = true }"))
    start = start.replace("row 2 (turn 1, a)", "row 1 (sam)")
    assert [f"{start} (and 3 more times)"] == told(run("replay", "-q", public).out, public)
    assert [f"{start} (and 2 more times)"] == told(
        run("replay", "-q", "--as", "c", public).out, public
    )


def test_update_and_pin_leave_properties_alone(run: Run, file: Callable[..., Path]) -> None:
    """They say what must hold, not what came out."""
    path = file(PUBLIC, HOLDS)
    before = path.read_text()
    ended = run("replay", "-q", "--update", path)
    assert (1, [LINES[0]]) == (ended.code, told(ended.out, path))
    assert before == path.read_text()
    run("replay", "-q", "--pin", path)
    assert before[before.index("[[property]]") :] in path.read_text()


def test_another_policy_is_held_against_them_as_well(run: Run, file: Callable[..., Path]) -> None:
    """So it can be asked which policy breaks one."""
    path = file(HOLDS)
    ended = run("replay", "-q", "--set", "policy.max_turns=2", path)
    expected = (
        '17:1: property "there are three turns": 2 steps matched before the room closed '
        "(max_turns), and not 3"
    )
    assert [expected] == [one for one in told(ended.out, path) if "property" in one]


@pytest.mark.slow
def test_a_pattern_that_takes_too_long_is_an_error_and_no_result(
    run: Run, file: Callable[..., Path]
) -> None:
    """Of replay, of run and of audit."""
    desk = DESK.replace('message = "done"', f'message = "{"a" * 200}!"')
    path = file(("p", "never = { text = '(a|aa)+$' }"), desk=desk)
    expected = (
        '17:1: property "p": the pattern took longer than 1 s on row 4 (turn 3, c), '
        "so it is not known whether it holds"
    )
    for command in (("replay", "-q"), ("run", "-q"), ("audit", "-q")):
        ended = run(*command, path)
        assert (2, True) == (ended.code, expected in ended.out + ended.err), command
        assert "a" * 100 not in ended.out + ended.err


# run


def test_a_run_says_once_it_has_closed_which_do_not_hold(
    run: Run, file: Callable[..., Path]
) -> None:
    """On stderr, and with the exit code."""
    path = file(*ALL)
    ended = run("run", path)
    assert (1, LINES) == (ended.code, told(ended.err, path))
    assert ended.out.endswith("closed: completed; 3 turns, 4 rows\n")
    held = run("run", file(HOLDS))
    assert (0, "") == (held.code, held.err)


def test_a_run_that_is_resumed_is_held_against_them_as_a_whole(
    run: Run, file: Callable[..., Path], tmp_path: Path
) -> None:
    """What stood in the journal counts as what came after."""
    path, journal = file(*ALL, HOLDS), tmp_path / "x.jsonl"
    run("run", "-q", path, "--journal", journal)
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:7]))
    ended = run("run", "-q", path, "--journal", journal, "--resume")
    assert (1, LINES) == (ended.code, told(ended.err, path))


def test_live_seats_are_held_against_them(
    run: Run, file: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing else can be pinned."""
    (tmp_path / "valves.py").write_text(
        "async def done(turn):\n    await turn.complete('done by b')\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    desk = DESK[: DESK.index("[[turn]]")].replace("@a begin", "@b begin")
    live = '[live.b]\nkind = "python"\nfunction = "valves:done"\n'
    path = file(PUBLIC, ("b speaks", 'eventually = { seat = "b" }'), desk=f"{desk}{live}")
    ended = run("run", "-q", path)
    assert (1, ['11:1: property "only a completes": row 2 (turn 1, b) matches']) == (
        ended.code,
        told(ended.err, path),
    )


# audit


def test_an_audit_of_a_scenario_checks_its_own(run: Run, file: Callable[..., Path]) -> None:
    """Behind all else, and with the exit code."""
    path = file(*ALL, HOLDS)
    ended = run("audit", "-q", path)
    assert (1, LINES) == (ended.code, told(ended.out, path)[-6:])
    assert 0 == run("audit", "-q", file(HOLDS)).code


def test_an_audit_of_a_journal_checks_those_of_another_file(
    run: Run, file: Callable[..., Path], tmp_path: Path
) -> None:
    """A scenario's, or a desk file's."""
    journal = tmp_path / "x.jsonl"
    run("run", "-q", file(), "--journal", journal)
    assert 0 == run("audit", "-q", journal).code
    desk = "\n".join(DESK.splitlines()[i] for i in (0, 2)) + "\n"
    path = file(*ALL, HOLDS, desk=desk, name="desk.toml")
    ended = run("audit", "-q", journal, "--properties", path)
    moved = [f"{int(one.partition(':')[0]) - 14}:{one.partition(':')[2]}" for one in LINES]
    assert (1, moved) == (ended.code, told(ended.out, path))


def test_an_audit_as_a_seat_tells_only_what_it_may_read(
    run: Run, file: Callable[..., Path]
) -> None:
    """In JSON too."""
    path = file(REPEATS)
    line = '17:1: property "nothing private is repeated": '
    assert f"{line}(private)" == told(run("audit", "-q", "--as", "c", path).out, path)[-1]
    assert (
        f"{line}row 3 (turn 2, b) matches"
        == told(run("audit", "-q", "--as", "a", path).out, path)[-1]
    )
    (seen,) = json.loads(run("audit", "--json", "--as", "c", path).out)["properties"]
    assert (None, None, "(private)") == (seen["row"], seen["seat"], seen["got"])
    (whole,) = json.loads(run("audit", "--json", path).out)["properties"]
    assert (3, "b", "row 3 (turn 2, b) matches") == (whole["row"], whole["seat"], whole["got"])


def test_an_audit_of_rows_from_elsewhere_goes_by_the_rules(
    run: Run, file: Callable[..., Path], tmp_path: Path
) -> None:
    """Who is asked answers: what no transcript says of itself."""
    rows = [("sam", "person", "@a is it open?"), ("b", "agent", "no"), ("c", "agent", "yes")]
    transcript = tmp_path / "rows.jsonl"
    transcript.write_text(
        "\n".join(
            json.dumps(
                {
                    "sequence": number,
                    "chat_id": "d",
                    "parent": None,
                    "author": {"type": kind, "id": who},
                    "content": text,
                    "audience": {"kind": "desk"},
                }
            )
            for number, (who, kind, text) in enumerate(rows, start=1)
        )
    )
    asked = (
        "who is asked answers",
        'after = { mentions = "a" }\nthen = { seat = { same_as = "mentions" } }\nwithin = 1',
    )
    path = file(asked, ("it is shut", 'eventually = { text = "shut" }'))
    ended = run("audit", "-q", transcript, "--properties", path)
    assert (0, []) == (ended.code, told(ended.out, path))
    transcript.write_text(transcript.read_text().replace('"id": "b"', '"id": "a"'))
    assert 0 == run("audit", "-q", transcript, "--properties", path).code


def test_properties_that_cannot_be_read_are_an_error(run: Run, file: Callable[..., Path]) -> None:
    """Before anything is audited."""
    wrong = file(("p", 'never = { seat = "x" }'), name="wrong.toml")
    ended = run("audit", file(), "--properties", wrong)
    assert (2, "") == (ended.code, ended.out)
    assert 'found "x", expected a seat of the desk (a, b, c)' in ended.err


def test_an_audit_warns_of_a_property_about_a_seat_that_the_run_does_not_have(
    run: Run, file: Callable[..., Path]
) -> None:
    """It would hold for no reason."""
    other = DESK.replace('{ id = "c" }]', '{ id = "c" }, { id = "lead" }]')
    never = ("the lead is alone", 'never = { seat = "lead", next = ["a", "lead"] }')
    path, played = file(never, desk=other, name="other.toml"), file()
    ended = run("audit", "-q", played, "--properties", path)
    warning = f'property "the lead is alone" asks about "lead", and {played} has no such seat'
    assert (0, [f"17: warning: {warning}"]) == (ended.code, told(ended.err, path))


# check


def test_check_warns_of_one_that_can_never_fail(run: Run, file: Callable[..., Path]) -> None:
    """With the place of the key."""
    path = file(("p", 'never = { kind = "nudge" }'))
    ended = run("check", path)
    assert (
        "19:18: warning: property[1].never.kind: no step has this: the chair never speaks, as its "
        "rounds are 0, so this property can never fail"
    ) in told(ended.out + ended.err, path)
