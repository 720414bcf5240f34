"""``deskroom diff``: where two runs first differ, and the rule that decided each of them."""

from __future__ import annotations

from typing import Literal

import click

from deskroom.cli.output import EXIT_MISMATCH, print_json, print_warning, shown_path
from deskroom.cli.screen import screen
from deskroom.cli.shared import backend_option, check_seat, log_options, set_up
from deskroom.core import OPERATOR, Viewer
from deskroom.render.diff import diff_json, diff_lines
from deskroom.runs.diff import compare_runs
from deskroom.runs.view import RunView
from deskroom.scenario.sources import read_run

__all__ = ["diff_command"]


@click.command("diff")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--all", "all_", is_flag=True, help="Show every difference, not only the first.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead.")
@click.option("--as", "seat", metavar="SEAT", help="Compare only what this seat may read.")
@backend_option
@log_options
def diff_command(
    a: str,
    b: str,
    *,
    all_: bool,
    as_json: bool,
    seat: str | None,
    backend: Literal["asyncio", "trio"],
    log_format: str | None,
    log_level: str | None,
) -> int:
    """Compare two runs: their rows, who could read each, who was next, and turns without a row.

    A and B are each a journal, a scenario (which is played), or a transcript: the output of
    `deskroom replay --json`, or rows in the reference wire form, one a line. What only one of them
    knows is not compared.

    \b
    Exit codes: 0 they are the same, 1 they differ, 2 a file cannot be read.
    """  # noqa: D301 - click reads this mark
    set_up(log_format, log_level, backend, default_level="error")
    viewer = OPERATOR if seat is None else Viewer("agent", seat)
    one, other = (_read(path, viewer, backend) for path in (a, b))
    comparison = compare_runs(one, other)
    if as_json:
        print_json({"format": 1, **diff_json(comparison, shown_path, all_=all_)})
    else:
        for line in diff_lines(comparison, screen(), all_=all_):
            click.echo(line)
    return 0 if comparison.same else EXIT_MISMATCH


def _read(path: str, viewer: Viewer, backend: Literal["asyncio", "trio"]) -> RunView:
    view, torn = read_run(path, viewer, backend)
    if torn is not None:
        print_warning(torn.place, f"{torn.problem}; it is left out")
    if view.seats is not None:
        check_seat(path, view.seats, viewer)
    return view
