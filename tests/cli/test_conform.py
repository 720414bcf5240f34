from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

VECTORS = Path(__file__).parents[1] / "vectors" / "algebra.jsonl"

GOOD = '{"op": "slug", "label": "The Desk", "want": "the_desk"}\n'
BAD = '{"op": "slug", "label": "The Desk", "want": "the-desk"}\n'
FENCE = '{"op": "fence", "text": " x ", "want": "x"}\n'


def table(out: str) -> list[list[str]]:
    """Return the cells of every row of the table."""
    rows = [line.strip("│┃") for line in out.splitlines() if line.startswith(("│", "┃"))]
    return [[cell.strip() for cell in row.replace("┃", "│").split("│")] for row in rows]


def test_the_reference_vectors_all_match(run: Run) -> None:
    """The exit code is 0, and the table counts every case of every op."""
    ended = run("conform", VECTORS)
    assert (0, "") == (ended.code, ended.err)
    rows = table(ended.out)
    assert ["op", "cases", "matches", "mismatches"] == rows[0]
    assert ["all", "1980", "1980", "0"] == rows[-1]
    assert [
        "code_ranges",
        "slug",
        "fence",
        "resolve",
        "direct_responder",
        "dispatch",
        "aside",
        "interpret",
        "check",
        "commit",
        "peers",
        "bookkeeping",
        "project",
    ] == [row[0] for row in rows[1:-1]]


def test_a_mismatch_is_shown_with_its_case(run: Run, tmp_path: Path) -> None:
    """File and line, then the case, what was expected and what came out; the exit code is 1."""
    file = tmp_path / "v.jsonl"
    file.write_text(f"{GOOD}\n{BAD}{FENCE}")
    ended = run("conform", file)
    assert (1, "") == (ended.code, ended.err)
    assert [
        f"{file}:3: slug differs",
        '  case     {"label": "The Desk"}',
        '  expected "the-desk"',
        '  got      "the_desk"',
    ] == ended.out.splitlines()[:4]
    assert [
        ["slug", "2", "1", "1"],
        ["fence", "1", "1", "0"],
        ["all", "3", "2", "1"],
    ] == table(ended.out)[1:]


def test_only_the_first_mismatches_are_shown(run: Run, tmp_path: Path) -> None:
    """The rest are counted."""
    file = tmp_path / "v.jsonl"
    file.write_text(BAD * 7)
    out = run("conform", file).out
    assert 5 == out.count("slug differs")
    assert "... and 2 more mismatches" in out.splitlines()


def test_a_long_case_is_cut(run: Run, tmp_path: Path) -> None:
    """A case of a megabyte does not bury the others."""
    file = tmp_path / "v.jsonl"
    file.write_text(json.dumps({"op": "slug", "label": "x" * 1_000_000, "want": ""}) + "\n")
    assert 2100 > max(len(line) for line in run("conform", file).out.splitlines())


def test_the_json_document_holds_tallies_and_mismatches(run: Run, tmp_path: Path) -> None:
    """Every mismatch is in it, whole, and stdout holds nothing else."""
    file = tmp_path / "v.jsonl"
    file.write_text(f"{BAD}{FENCE}")
    ended = run("conform", "--json", file)
    assert (1, "") == (ended.code, ended.err)
    document = json.loads(ended.out)
    path = Path(document["mismatches"][0].pop("path"))
    assert (False, file.resolve()) == (path.is_absolute(), path.resolve())
    assert {
        "all_match": False,
        "ops": [
            {"op": "slug", "cases": 1, "matches": 0, "mismatches": 1},
            {"op": "fence", "cases": 1, "matches": 1, "mismatches": 0},
        ],
        "mismatches": [
            {
                "line": 1,
                "op": "slug",
                "case": {"label": "The Desk"},
                "expected": "the-desk",
                "got": "the_desk",
            }
        ],
    } == document


def test_a_packed_file_and_several_files_are_counted_together(run: Run, tmp_path: Path) -> None:
    """``.jsonl.gz`` is read as it is."""
    packed = tmp_path / "v.jsonl.gz"
    packed.write_bytes(gzip.compress(GOOD.encode()))
    plain = tmp_path / "v.jsonl"
    plain.write_text(GOOD)
    ended = run("conform", "--json", packed, plain)
    assert 0 == ended.code
    assert {
        "all_match": True,
        "ops": [{"op": "slug", "cases": 2, "matches": 2, "mismatches": 0}],
        "mismatches": [],
    } == json.loads(ended.out)


@pytest.mark.parametrize(
    "content, place, problem",
    [
        (b"", "", "the file holds no vectors"),
        (b"\n \n", "", "the file holds no vectors"),
        (b"[" * 1_000_000, ":1", "this line is not JSON; a vector is one JSON object a line"),
        (b"\xff\x00\x80", ":1", "this line is not JSON; a vector is one JSON object a line"),
        (GOOD.encode() + b"[1]\n", ":2", "a vector must be a JSON object"),
        (b"{}", ":1", "a vector must name its op"),
        (b'{"op": "slog"}', ":1", "unknown op \"slog\"; did you mean 'slug'?"),
        (b'{"op": "slug", "label": "x"}', ":1", "a case of slug has no want"),
    ],
)
def test_a_file_that_is_no_file_of_vectors_ends_with_2(
    run: Run, tmp_path: Path, content: bytes, place: str, problem: str
) -> None:
    """One line says where and what; stdout stays empty."""
    file = tmp_path / "v.jsonl"
    file.write_bytes(content)
    ended = run("conform", file)
    assert (2, "", f"{file}{place}: {problem}\n") == (ended.code, ended.out, ended.err)


def test_a_file_that_is_not_there_ends_with_2(run: Run, tmp_path: Path) -> None:
    """So does a folder; each is one line."""
    for path in (tmp_path / "none.jsonl", tmp_path):
        ended = run("conform", path)
        assert (2, "") == (ended.code, ended.out)
        assert 1 == ended.err.count("\n")
        assert ended.err.startswith(f"{path}: the file cannot be read: ")


def test_what_a_terminal_acts_on_in_a_case_or_a_path_is_escaped(run: Run, tmp_path: Path) -> None:
    """Vectors are full of hostile text, and it is shown as text."""
    file = tmp_path / "v\x1b[31m\n.jsonl"
    file.write_text('{"op": "slug", "label": "\\u001b[2J\u202e", "want": "x"}\n')
    lines = run("conform", file).out.splitlines()
    assert f"{tmp_path}/v\\x1b[31m\\n.jsonl:1: slug differs" == lines[0]
    assert '  case     {"label": "\\u001b[2J\\u202e"}' == lines[1]
