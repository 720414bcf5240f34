from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deskroom.conformance import Mismatch, Tally, conform
from deskroom.conformance.ops import OPS
from deskroom.errors import FileError

VECTORS = Path(__file__).parents[1] / "vectors" / "algebra.jsonl"
GOOD = {"op": "slug", "label": "Ada Lovelace", "want": "ada_lovelace"}
BAD = {"op": "slug", "label": "Zoë", "want": "zoe"}

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes lines (cases or text) to a file and returns its path."""

    def to_file(*lines: object, name: str = "v.jsonl") -> str:
        path = tmp_path / name
        texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        return str(path)

    return to_file


def fault(path: str) -> tuple[int | None, str]:
    """Return the line and the problem of the error that a file gives."""
    with pytest.raises(FileError) as caught:
        conform([path])
    assert caught.value.path == path
    assert caught.value.column is None
    return caught.value.line, caught.value.problem


def test_every_shipped_vector_matches() -> None:
    """The whole algebra answers as the reference behaviour does, and every op was asked."""
    report = conform([str(VECTORS)])
    assert report.mismatches == []
    assert report.all_match
    assert {op: tally.cases for op, tally in report.tallies.items()} == {
        **dict.fromkeys(OPS, 90),
        "code_ranges": 360,
        "resolve": 360,
        "commit": 360,
    }
    assert list(report.tallies) == list(OPS)


def test_a_mismatch_is_reported_with_its_line_and_both_answers(write: Write) -> None:
    """The run goes on, and what differs is told in full."""
    path = write(GOOD, BAD, GOOD)
    report = conform([path])
    assert not report.all_match
    assert report.mismatches == [Mismatch(path, 2, "slug", {"label": "Zoë"}, "zoe", "zo")]
    assert report.tallies == {"slug": Tally(cases=3, matches=2)}
    assert report.tallies["slug"].mismatches == 1


def test_files_add_up_and_no_file_is_an_empty_report(write: Write) -> None:
    """Tallies are over all files, in the order of the ops."""
    first = write(GOOD, name="a.jsonl")
    second = write({"op": "code_ranges", "body": "`x`", "want": [[0, 3]]}, GOOD, name="b.jsonl")
    report = conform([first, second])
    assert list(report.tallies.items()) == [("code_ranges", Tally(1, 1)), ("slug", Tally(2, 2))]
    assert conform([]).tallies == {}


def test_blank_lines_are_passed_over_and_counted(write: Write) -> None:
    """Line numbers are those of the file; a mark at its start does not matter."""
    report = conform([write("\ufeff" + json.dumps(GOOD), "", " \t", BAD)])
    assert [mismatch.line for mismatch in report.mismatches] == [4]


def test_true_is_not_one(write: Write) -> None:
    """Answers are compared as JSON, where a flag is no number and the order of keys is nothing."""
    members: list[object] = [{"id": "bob", "name": None}]
    world = {"members": members, "people": [], "retired": [], "desks": []}
    utterance = {"message": "m", "kind": "post"}
    case = {"op": "check", "world": world, "speaker_id": "ada", "utterance": utterance}
    report = conform([write({**case, "want": {"ok": 1}}, {**case, "want": {"ok": True}})])
    assert [mismatch.line for mismatch in report.mismatches] == [1]


def test_a_compressed_file_is_read_as_it_is(tmp_path: Path) -> None:
    """A name that ends in .gz is unpacked, and its lines are counted unpacked."""
    path = tmp_path / "v.jsonl.gz"
    path.write_bytes(gzip.compress(f"{json.dumps(GOOD)}\n{json.dumps(BAD)}\n".encode()))
    report = conform([str(path)])
    assert [mismatch.line for mismatch in report.mismatches] == [2]
    assert report.tallies["slug"].cases == 2


@pytest.mark.parametrize("lines", [[], ["", "  "]])
def test_a_file_without_a_case_is_an_error(write: Write, lines: list[str]) -> None:
    """Nothing was checked, which must not look like a pass."""
    assert fault(write(*lines)) == (None, "the file holds no vectors")


@pytest.mark.parametrize(
    "text",
    ["{", "op: slug", "[1, 2", '{"op": "slug"} x', "\x00", "[" * 100_000],
    ids=["open", "yaml", "list", "trailing", "null", "deep"],
)
def test_a_line_that_is_not_json_is_named(write: Write, text: str) -> None:
    """Good lines before it do not hide it."""
    assert fault(write(GOOD, text)) == (
        2,
        "this line is not JSON; a vector is one JSON object a line",
    )


def test_a_line_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    """Bytes of another encoding are no JSON."""
    path = tmp_path / "latin.jsonl"
    path.write_bytes(json.dumps(GOOD).encode() + b'\n{"op": "slug", "label": "Zo\xeb"}\n')
    assert fault(str(path))[0] == 2


@pytest.mark.parametrize("value", [1, None, "slug", [GOOD]])
def test_a_line_that_is_no_object_is_named(write: Write, value: object) -> None:
    """Any other JSON value is told apart from a line that is not JSON."""
    assert fault(write(json.dumps(value))) == (1, "a vector must be a JSON object")


@pytest.mark.parametrize(
    "case,problem",
    [
        ({}, "a vector must name its op"),
        ({"op": None}, "a vector must name its op"),
        ({"op": "comit"}, "unknown op \"comit\"; did you mean 'commit'?"),
        ({"op": "SLUG"}, "unknown op \"SLUG\"; did you mean 'slug'?"),
        ({"op": "zzz"}, f'unknown op "zzz"; the ops are {", ".join(OPS)}'),
        ({"op": 3}, f"unknown op 3; the ops are {', '.join(OPS)}"),
        ({"op": ["slug"]}, f'unknown op ["slug"]; the ops are {", ".join(OPS)}'),
    ],
)
def test_an_unknown_op_is_named_with_the_nearest(
    write: Write, case: dict[str, Any], problem: str
) -> None:
    """A slip of the pen gets the op that was meant, anything else the list."""
    assert fault(write(GOOD, {**case, "want": 1})) == (2, problem)


def test_a_case_without_a_want_is_named(write: Write) -> None:
    """A case that expects nothing is no case; null is something to expect."""
    assert fault(write({"op": "slug", "label": "x"})) == (1, "a case of slug has no want")
    assert conform([write({**GOOD, "want": None})]).mismatches[0].got == "ada_lovelace"


@pytest.mark.parametrize(
    "case,problem",
    [
        ({"op": "slug"}, "label is missing"),
        ({"op": "slug", "label": 1}, "label must be a string"),
        ({"op": "code_ranges", "body": None}, "body must be a string"),
        ({"op": "fence", "text": []}, "text must be a string"),
        ({"op": "project", "rows": {}}, "rows must be a list of objects"),
        ({"op": "project", "rows": [{}, 1]}, "rows[1] must be an object"),
        ({"op": "project", "rows": [], "viewer": 1}, "viewer must be an object"),
        (
            {"op": "project", "rows": [], "viewer": {"kind": "guest"}},
            "viewer.kind must be one of operator, person, agent",
        ),
    ],
)
def test_a_field_that_does_not_fit_is_named_by_its_path(
    write: Write, case: dict[str, Any], problem: str
) -> None:
    """What is missing or of another type is told with where it stands."""
    told = f"a case of {case['op']} is not a vector: {problem}"
    assert fault(write(GOOD, {**case, "want": 1})) == (2, told)


def test_a_missing_file_a_folder_and_a_name_that_cannot_be_are_errors(tmp_path: Path) -> None:
    """The reason is the system's, and no line is to blame."""
    missing = str(tmp_path / "nowhere.jsonl")
    assert fault(missing) == (None, "the file cannot be read: No such file or directory")
    assert fault(f"{missing}.gz") == (None, "the file cannot be read: No such file or directory")
    assert fault(str(tmp_path)) == (None, "the file cannot be read: Is a directory")
    assert fault("a\0b") == (None, "the file cannot be read: no file can have this name")


@pytest.mark.parametrize(
    "cut",
    [
        pytest.param(lambda packed: packed[: len(packed) // 2], id="truncated"),
        pytest.param(lambda packed: b"plain text", id="plain"),
        pytest.param(lambda packed: packed[:10] + b"\xff" * 20 + packed[30:], id="garbled"),
        pytest.param(lambda packed: packed[:-8] + b"\x00" * 8, id="checksum"),
    ],
)
def test_a_broken_compressed_file_is_an_error(
    tmp_path: Path, cut: Callable[[bytes], bytes]
) -> None:
    """Cut short, garbled or not compressed at all, it cannot be read, and that is told."""
    path = tmp_path / "v.jsonl.gz"
    lines = "".join(f"{json.dumps({**GOOD, 'label': f'Ada {n * n}'})}\n" for n in range(5000))
    path.write_bytes(cut(gzip.compress(lines.encode())))
    line, problem = fault(str(path))
    assert line is None
    assert problem.startswith("the file cannot be read: ")
