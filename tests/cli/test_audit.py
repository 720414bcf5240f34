from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

SCENARIOS = Path(__file__).parents[2] / "scenarios"
LISTED = SCENARIOS / "run-28.toml"
ROUTED = SCENARIOS / "run-28-routed.toml"


@pytest.fixture
def journal(run: Run, tmp_path: Path) -> Path:
    """Return the journal of a run."""
    path = tmp_path / "run.jsonl"
    run("run", "-q", ROUTED, "--journal", path)
    return path


def test_a_journal_a_scenario_and_the_output_of_a_replay_have_one_audit(
    run: Run, journal: Path, tmp_path: Path
) -> None:
    """But for where they stand, and what only one of them knows."""
    transcript = tmp_path / "run.json"
    transcript.write_text(run("replay", "--json", ROUTED).out)
    audits = [
        json.loads(run("audit", "--json", path).out) for path in (journal, ROUTED, transcript)
    ]
    same = ("rows", "asides", "judged", "named", "repeats", "claims", "silent")
    first = {key: audits[0][key] for key in same}
    assert [first] * 3 == [{key: audit[key] for key in same} for audit in audits]
    verdicts = [[row["verdict"] for row in audit["table"]] for audit in audits]
    assert [verdicts[0]] * 3 == verdicts
    assert ["journal", "scenario", "transcript"] == [audit["kind"] for audit in audits]


def test_rows_in_the_wire_form_are_audited(run: Run, tmp_path: Path) -> None:
    """Their desk is made of those who speak."""
    rows = json.loads(run("replay", "--json", ROUTED).out)["scenarios"][0]["rows"]
    wire = ("sequence", "chat_id", "parent", "author", "content", "audience")
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps({key: row[key] for key in wire}) for row in rows))
    audit = json.loads(run("audit", "--json", path).out)
    assert (True, ["theory", "solver", "checker", "lead"]) == (
        audit["desk"]["derived"],
        audit["desk"]["seats"],
    )
    assert ["follows"] * 5 == [row["verdict"] for row in audit["table"]][:5]


def test_it_exits_with_0_whatever_the_rates(run: Run) -> None:
    """Until it is asked to fail on something."""
    assert 0 == run("audit", LISTED).code
    assert 1 == run("audit", LISTED, "--fail-on", "divergence").code
    assert 0 == run("audit", LISTED, "--fail-on", "unexplained", "--fail-on", "claims").code
    assert 1 == run("audit", LISTED, "--fail-on", "claims", "--fail-on", "unanswered").code


def test_quiet_leaves_out_the_table(run: Run) -> None:
    """What follows it is the same."""
    whole, quiet = run("audit", LISTED).out, run("audit", "-q", LISTED).out
    assert whole.endswith(f"\n\n{quiet}")


@pytest.mark.parametrize("cut, code", [(9, 1), (0, 0)])
def test_what_stands_before_a_damage_is_audited(
    run: Run, journal: Path, cut: int, code: int
) -> None:
    """The damage is told on stderr, and the command ends with 1."""
    content = journal.read_bytes()
    journal.write_bytes(content[: len(content) - cut])
    ended = run("audit", "--json", journal)
    assert (code, bool(code)) == (ended.code, "cut short" in ended.err)
    assert 8 == json.loads(ended.out)["rows"]


def test_a_forged_line_is_told_with_its_place(run: Run, journal: Path) -> None:
    """The rows before it are audited."""
    lines = journal.read_bytes().splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if b"SIGNOFF" in line)
    lines[at] = lines[at].replace(b"62418970", b"62418971")
    journal.write_bytes(b"".join(lines))
    ended = run("audit", "--json", journal)
    assert (1, True) == (ended.code, f"run.jsonl:{at + 1}" in ended.err)
    assert 5 == json.loads(ended.out)["rows"]


def test_another_policy_is_told_with_what_it_changes(run: Run) -> None:
    """The rows, the counts as they are, and each row that is decided otherwise."""
    setting = "policy.dispatch.max_hops=2"
    document = json.loads(run("audit", "--json", ROUTED, "--set", setting).out)
    assert [setting] == document["set"]
    assert [(one["before"]["sequence"], one["after"]["next"]) for one in document["changed"]] == [
        (4, {"none": "hop_limit_reached"}),
        (7, "lead"),
    ][: len(document["changed"])]
    assert (7, "table" in document["before"]) == (document["before"]["judged"], False)
    assert "decided otherwise" in run("audit", ROUTED, "--set", setting).out


def test_two_runs_are_put_side_by_side(run: Run) -> None:
    """As values under a and b."""
    document = json.loads(run("audit", "--json", "--compare", LISTED, ROUTED).out)
    assert [6, 8] == [document[letter]["rows"] for letter in "ab"]
    assert "never answered" in run("audit", "--compare", LISTED, ROUTED).out


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        [LISTED, "--compare", LISTED, ROUTED],
        [LISTED, "--as", "nobody"],
        [LISTED, "--set", "policy.dispatch.max_hop=2"],
        [LISTED, "--set", 'policy.participants=["nobody"]'],
        [LISTED, "--claims", "("],
        [LISTED, "--fail-on", "everything"],
        ["no-such-file.toml"],
    ],
)
def test_what_cannot_be_asked_ends_with_2(run: Run, arguments: list[object]) -> None:
    """With a sentence on stderr, and nothing on stdout."""
    ended = run("audit", *arguments)
    assert (2, "") == (ended.code, ended.out)
    assert ended.err


def test_a_seat_is_shown_what_it_may_read(run: Run) -> None:
    """Of the private row only that there is one."""
    audit = json.loads(run("audit", "--json", LISTED, "--as", "theory").out)
    hidden = audit["table"][2]
    assert ("theory", "hidden", None, None) == (
        audit["as"],
        hidden["verdict"],
        hidden["next"],
        hidden["why"],
    )
    assert 1 == audit["asides"]


def test_a_claim_of_the_users_own(run: Run) -> None:
    """What matches is one, too."""
    audit = json.loads(run("audit", "--json", LISTED, "--claims", "(?i)signoff").out)
    assert [(5, "(?i)signoff")] == [(one["sequence"], one["mark"]) for one in audit["claims"]]


SAMPLES = Path(__file__).parents[1] / "imports" / "samples"


def test_a_file_of_another_framework_is_audited_as_it_is(run: Run) -> None:
    """Its format is recognised, or named; what its source handed on stands beside the text."""
    path = SAMPLES / "autogen" / "swarm-0.7.5" / "messages.json"
    audit = json.loads(run("audit", "--json", path).out)
    assert (9, "storeman") == (audit["rows"], audit["first"]["handoff"])
    assert [None] * 9 == [row["line"] for row in audit["table"]]
    assert audit == json.loads(run("audit", "--json", "--from", "autogen", path).out)
    counted = json.loads(run("audit", "--json", "--handoffs", path).out)
    assert counted["verdicts"]["follows"]["rows"] > audit["verdicts"]["follows"]["rows"]


def test_a_folder_of_another_framework_is_audited(run: Run) -> None:
    """A folder is none of ours."""
    ended = run("audit", "-q", SAMPLES / "ag2-hub" / "discussion-1.2.1" / "hub")
    assert (0, "10 rows, 2 asides") == (ended.code, ended.out.split("\n\n")[-1].split(";")[0])


def test_a_file_that_nobody_knows_ends_with_2(run: Run, tmp_path: Path) -> None:
    """It is said what was looked for; a scenario with a mistake is still a scenario."""
    (tmp_path / "x.json").write_text('{"x": 1}')
    ended = run("audit", tmp_path / "x.json")
    assert (2, True) == (ended.code, "no format fits" in ended.err)
    (tmp_path / "x.toml").write_text("format = 2\n")
    ended = run("audit", tmp_path / "x.toml")
    assert (2, False) == (ended.code, "no format fits" in ended.err)


ELSEWHERE = [
    {"author": "a", "text": "@b hi"},
    {"author": "b", "text": " "},
    {"author": "b", "text": "ok"},
]


def test_what_no_row_can_say_is_told_on_stderr(run: Run, tmp_path: Path) -> None:
    """Of a file from elsewhere, as an import tells it; stdout holds the audit alone."""
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, ELSEWHERE)))
    ended = run("audit", "--json", path)
    assert (0, True) == (ended.code, "blank" in ended.err)
    assert ["follows", "last"] == [row["verdict"] for row in json.loads(ended.out)["table"]]


def test_a_file_from_elsewhere_comes_through_stdin_as_well(
    started: Callable[..., subprocess.Popen[bytes]],
) -> None:
    """It is read once, whatever it is then taken for."""
    audit = started(
        "audit",
        "--json",
        "-",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, _ = audit.communicate("\n".join(map(json.dumps, ELSEWHERE)).encode(), timeout=60)
    assert ["follows", "last"] == [row["verdict"] for row in json.loads(out)["table"]]


def test_a_scenario_with_a_mistake_is_told_as_one_whatever_its_name(
    run: Run, tmp_path: Path
) -> None:
    """The line and the key, and not that no format of other frameworks fits."""
    path = tmp_path / "room.txt"
    path.write_text(
        'format = 1\nbogus = 1\n[desk]\nid = "d"\nname = "D"\nseats = [{ id = "a" }]\n[[turn]]\nseat = "a"\n'
    )
    ended = run("audit", path)
    assert (2, True) == (ended.code, f"{path}:2:1: " in ended.err)
