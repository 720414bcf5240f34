"""``deskroom check``: everything wrong with scenarios, and all that is suspicious, unplayed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import click

from deskroom.cli.output import EXIT_MISMATCH, EXIT_WRONG, print_json, shown_path
from deskroom.cli.progress import with_progress
from deskroom.cli.shared import print_passed_over
from deskroom.errors import FileError
from deskroom.printable import counted
from deskroom.render.text import one_line
from deskroom.scenario import Checked, CheckWarning, check_scenario
from deskroom.scenario.format.find import search

__all__ = ["check_command"]


@click.command("check")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--strict", is_flag=True, help="End with 1 when there is a warning.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead.")
def check_command(paths: tuple[str, ...], *, strict: bool, as_json: bool) -> int:
    """Check scenario files, and every scenario in the folders named, without playing them.

    PATH may be `-`, which reads a scenario from stdin.

    All errors of a file are reported at once, each as `path:line:column: what is wrong`. A warning
    (`path:line:column: warning: ...`) is about what is legal and suspicious: a name that no message
    can use, or that may mean two; an @ that names nobody; a call that is always refused; a turn
    that is never reached; an expectation that cannot fail, or can never hold; a key without effect.

    An @ is not warned of where the turn pins `mentions`, nor a refused call where it pins `replies`
    or that it has no row.

    \b
    Exit codes: 0 no errors, 1 a warning under --strict, 2 an error (2 outranks 1).
    """  # noqa: D301 - click reads this mark
    checked = list(_checked(paths))
    if as_json:
        print_json(_as_json(checked))
    else:
        for one in checked:
            for finding in _in_file_order(one):
                click.echo(one_line(str(finding)))
        click.echo(_summary(checked))
    if any(one.errors for one in checked):
        return EXIT_WRONG
    return EXIT_MISMATCH if strict and any(one.warnings for one in checked) else 0


def _checked(paths: Iterable[str]) -> Iterator[Checked]:
    """Check every file once. A path where there is none is an error that stops no other."""
    found = search(paths)
    print_passed_over(found)
    for error in found.errors:
        yield Checked(error.path, (error,))
    for file in with_progress(found.files, len(found.files), "checking"):
        yield check_scenario(str(file))


def _in_file_order(checked: Checked) -> list[FileError | CheckWarning]:
    findings: list[FileError | CheckWarning] = [*checked.errors, *checked.warnings]
    return sorted(findings, key=lambda one: (one.line or 0, one.column or 0))


def _summary(checked: list[Checked]) -> str:
    errors = counted(sum(len(one.errors) for one in checked), "error")
    warnings = counted(sum(len(one.warnings) for one in checked), "warning")
    return f"{counted(len(checked), 'scenario')}: {errors}, {warnings}"


def _as_json(checked: list[Checked]) -> dict[str, Any]:
    return {
        "format": 1,
        "scenarios": [
            {
                "path": shown_path(one.path),
                "errors": [_error_json(error) for error in one.errors],
                "warnings": [_warning_json(warning) for warning in one.warnings],
            }
            for one in checked
        ],
        "summary": {
            "scenarios": len(checked),
            "errors": sum(len(one.errors) for one in checked),
            "warnings": sum(len(one.warnings) for one in checked),
        },
    }


def _error_json(error: FileError) -> dict[str, Any]:
    key = getattr(error, "key", None)
    problem = error.problem.removeprefix(f"{key}: ")
    return {
        "line": error.line,
        "column": error.column,
        "kind": error.kind,
        "key": key,
        "problem": problem,
    }


def _warning_json(warning: CheckWarning) -> dict[str, Any]:
    return {
        "line": warning.line,
        "column": warning.column,
        "kind": warning.kind,
        "reason": warning.reason or None,
        "key": warning.key,
        "problem": warning.problem,
    }
