"""Running files of conformance vectors over the public API."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, Final

from attrs import Factory, define, frozen

from deskroom.conformance.ops import OPS, answer
from deskroom.conformance.wire import Case
from deskroom.errors import FileError, WireError, hint
from deskroom.files import open_file, read_lines, reason_of

__all__ = ["Mismatch", "Report", "Tally", "conform"]

_MAX_LINE_BYTES: Final = 64 * 1024 * 1024


@frozen
class Mismatch:
    """One case that was answered otherwise. ``case`` is its inputs; ``line`` is 1-based."""

    path: str
    line: int
    op: str
    case: dict[str, Any]
    want: Any
    got: Any


@define
class Tally:
    """How often an op was asked and answered as expected."""

    cases: int = 0
    matches: int = 0

    @property
    def mismatches(self) -> int:
        """Cases answered otherwise."""
        return self.cases - self.matches


@define
class Report:
    """All that came of a run: a tally an op (in the order of ``OPS``), and every mismatch."""

    tallies: dict[str, Tally] = Factory(dict)
    mismatches: list[Mismatch] = Factory(list)

    @property
    def all_match(self) -> bool:
        """Whether every case was answered as expected."""
        return not self.mismatches


def conform(paths: Iterable[str]) -> Report:
    """Evaluate every case of every file.

    Raises ``FileError``, naming the line, for a file that cannot be read, holds no vectors, or
    holds a line that is none.
    """
    report = Report()
    for path in paths:
        found = False
        for line, case in _cases(path):
            found = True
            _evaluate(report, path, line, case)
        if not found:
            raise FileError(path, "the file holds no vectors")
    report.tallies = {op: report.tallies[op] for op in OPS if op in report.tallies}
    return report


def _cases(path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, raw in enumerate(_lines(path), start=1):
        if not raw.strip():
            continue
        try:
            case = json.loads(raw)
        except (ValueError, RecursionError):
            raise FileError(
                path, "this line is not JSON; a vector is one JSON object a line", line=number
            ) from None
        if not isinstance(case, dict):
            raise FileError(path, "a vector must be a JSON object", line=number)
        yield number, case


def _lines(path: str) -> Iterator[bytes]:
    with open_file(path) as file:
        try:
            if path.endswith(".gz"):
                with gzip.open(file) as unpacked:
                    yield from read_lines(unpacked, path, _MAX_LINE_BYTES)
            else:
                yield from read_lines(file, path, _MAX_LINE_BYTES)
        except (OSError, EOFError, zlib.error) as error:
            raise FileError(path, f"the file cannot be read: {reason_of(error)}") from None


def _evaluate(report: Report, path: str, line: int, case: dict[str, Any]) -> None:
    op = case.get("op")
    if not isinstance(op, str) or op not in OPS:
        raise FileError(path, _unknown_op(op), line=line)
    if "want" not in case:
        raise FileError(path, f"a case of {op} has no want", line=line)
    try:
        got = answer(op, Case(case))
    except WireError as error:
        raise FileError(path, f"a case of {op} is not a vector: {error}", line=line) from None
    tally = report.tallies.setdefault(op, Tally())
    tally.cases += 1
    if _same(got, case["want"]):
        tally.matches += 1
    else:
        inputs = {key: value for key, value in case.items() if key not in ("op", "want")}
        report.mismatches.append(Mismatch(path, line, op, inputs, case["want"], got))


def _unknown_op(op: object) -> str:
    if op is None:
        return "a vector must name its op"
    listed = f"; the ops are {', '.join(OPS)}"
    near = hint(op, OPS, otherwise=listed) if isinstance(op, str) else listed
    return f"unknown op {json.dumps(op)[:80]}{near}"


def _same(got: object, want: object) -> bool:
    # Through JSON text, since Python takes true for 1 and a vector does not.
    return json.dumps(got, sort_keys=True) == json.dumps(want, sort_keys=True)
