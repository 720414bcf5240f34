"""``deskroom conform``: conformance vectors, run over the public API."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from deskroom.cli.output import EXIT_MISMATCH, console, print_json, shown_path
from deskroom.conformance import Mismatch, Report, conform
from deskroom.render.text import one_line

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["conform_command"]

_SHOWN = 5
_SHOWN_CHARACTERS = 2000


@click.command("conform")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead.")
def conform_command(files: tuple[str, ...], *, as_json: bool) -> int:
    """Run conformance vectors (.jsonl or .jsonl.gz) and say which answers differ.

    \b
    Exit codes: 0 all match, 1 a mismatch, 2 a file that is no file of vectors.
    """  # noqa: D301 - click reads this mark
    report = conform(files)
    if as_json:
        print_json(_as_json(report))
    else:
        _print(report)
    return 0 if report.all_match else EXIT_MISMATCH


def _print(report: Report) -> None:
    for mismatch in report.mismatches[:_SHOWN]:
        click.echo(one_line(f"{mismatch.path}:{mismatch.line}: {mismatch.op} differs"))
        for name, value in (
            ("case", mismatch.case),
            ("expected", mismatch.want),
            ("got", mismatch.got),
        ):
            click.echo(f"  {name:8} {_short(value)}")
    if len(report.mismatches) > _SHOWN:
        click.echo(f"... and {len(report.mismatches) - _SHOWN} more mismatches")
    console().print(_table(report))


def _table(report: Report) -> Table:
    from rich.table import Table

    table = Table()
    table.add_column("op")
    for heading in ("cases", "matches", "mismatches"):
        table.add_column(heading, justify="right")
    for op, tally in report.tallies.items():
        table.add_row(op, str(tally.cases), str(tally.matches), str(tally.mismatches))
    total = sum(tally.cases for tally in report.tallies.values())
    missed = len(report.mismatches)
    table.add_section()
    table.add_row("all", str(total), str(total - missed), str(missed))
    return table


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}..."


def _as_json(report: Report) -> dict[str, Any]:
    return {
        "all_match": report.all_match,
        "ops": [
            {
                "op": op,
                "cases": tally.cases,
                "matches": tally.matches,
                "mismatches": tally.mismatches,
            }
            for op, tally in report.tallies.items()
        ],
        "mismatches": [_mismatch(mismatch) for mismatch in report.mismatches],
    }


def _mismatch(mismatch: Mismatch) -> dict[str, Any]:
    return {
        "path": shown_path(mismatch.path),
        "line": mismatch.line,
        "op": mismatch.op,
        "case": mismatch.case,
        "expected": mismatch.want,
        "got": mismatch.got,
    }
