from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

SCENARIOS = Path(__file__).parents[2] / "scenarios"
RUN = SCENARIOS / "run-28-routed.toml"


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """Return a transcript of one row."""
    path = tmp_path / "rows.jsonl"
    row = {"sequence": 1, "chat_id": "d", "parent": None, "audience": {"kind": "desk"}}
    path.write_text(json.dumps({**row, "author": {"type": "operator"}, "content": "hm"}))
    return path


@pytest.mark.parametrize(
    "arguments, first, line",
    [
        ((), "sequenceDiagram", "    s4-->>s2: 4 (aside) I measure depth 1.23n, not log n"),
        (("--diagram", "hand-offs"), "flowchart LR", '    s2 -->|"2"| s4'),
        (("--format", "dot"), "digraph hand_offs {", '    s2 -> s4 [label="2"]'),
        (("--format", "dot", "--diagram", "sequence"), "digraph sequence {", "    s4 -> s4_end"),
    ],
)
def test_a_run_is_drawn(run: Run, arguments: tuple[str, ...], first: str, line: str) -> None:
    """In the language that is asked for; a journal is drawn as its scenario is."""
    ended = run("graph", RUN, *arguments)
    lines = ended.out.splitlines()
    assert (0, "", first) == (ended.code, ended.err, lines[0])
    assert line in lines


def test_json_has_both_diagrams(run: Run, tmp_path: Path) -> None:
    """A journal's is that of the scenario which wrote it."""
    document = json.loads(run("graph", RUN, "--format", "json").out)
    assert (1, "scenario", None, "completed") == tuple(
        document[key] for key in ("format", "kind", "viewer", "closed")
    )
    assert (8, 5) == (len(document["events"]), len(document["hand_offs"]))
    journal = tmp_path / "run.jsonl"
    run("run", "-q", RUN, "--journal", journal)
    other = json.loads(run("graph", journal, "--format", "json").out)
    assert document["events"] == other["events"]
    ended = run("graph", RUN, "--format", "json", "--diagram", "sequence")
    assert (2, "", 1) == (ended.code, ended.out, ended.err.count("\n"))


def test_a_seat_is_shown_what_it_may_know(run: Run) -> None:
    """Of an aside of others only that it was."""
    for language in ("mermaid", "json"):
        assert "measure depth" in run("graph", RUN, "--format", language, "--as", "solver").out
        ended = run("graph", RUN, "--format", language, "--as", "lead")
        assert (0, False) == (ended.code, "measure depth" in ended.out)
    assert "    s4-->>s2: 4 (private)\n" in run("graph", RUN, "--as", "lead").out
    assert 2 == run("graph", RUN, "--as", "laed").code


def test_bare_rows_have_a_sequence_only(run: Run, bare: Path) -> None:
    """Whose turn a row brought is not in them."""
    assert run("graph", bare).out.startswith("sequenceDiagram\n")
    assert run("graph", bare, "--format", "dot").out.startswith("digraph sequence {\n")
    ended = run("graph", bare, "--diagram", "hand-offs")
    assert (2, "", 1) == (ended.code, ended.out, ended.err.count("\n"))


def test_a_damaged_journal_is_drawn_up_to_the_bad_line(run: Run, tmp_path: Path) -> None:
    """The line is told on stderr, and the exit code is 1."""
    journal = tmp_path / "run.jsonl"
    run("run", "-q", RUN, "--journal", journal)
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:8]) + b"hm\n")
    ended = run("graph", journal)
    assert (1, 1) == (ended.code, ended.err.count("\n"))
    assert ended.err.startswith(f"{journal}:9: ")
    assert "1 PE 1006 is yours" in ended.out


def test_an_output_is_not_written_over(run: Run, tmp_path: Path) -> None:
    """Unless that is asked for; nothing is left where the run cannot be read."""
    output = tmp_path / "x.mmd"
    assert 2 == run("graph", tmp_path / "none", "-o", output).code
    assert not output.exists()
    ended = run("graph", RUN, "-o", output)
    assert (0, "", run("graph", RUN, "-o", "-").out) == (ended.code, ended.out, output.read_text())
    output.write_text("mine")
    assert (2, "mine") == (run("graph", RUN, "-o", output).code, output.read_text())
    assert 0 == run("graph", RUN, "-o", output, "--force").code
    assert output.read_text().startswith("sequenceDiagram\n")
