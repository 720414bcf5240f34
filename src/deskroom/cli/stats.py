"""``deskroom stats``: what runs come to in numbers, as a table, JSON or CSV, and a picture of one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any, Final, Literal

import click

from deskroom.cli.output import EXIT_MISMATCH, EXIT_WRONG, print_error, shown_path
from deskroom.cli.progress import with_progress
from deskroom.cli.screen import screen
from deskroom.cli.shared import (
    backend_option,
    check_seat,
    log_options,
    print_passed_over,
    set_up,
)
from deskroom.core import OPERATOR, Viewer
from deskroom.errors import FileError, UsageError
from deskroom.files import check_output, write_output
from deskroom.render.screen import PLAIN
from deskroom.render.stats import RunFigures, csv_text, many_lines, stats_json, stats_lines
from deskroom.render.text import one_line
from deskroom.runs.figures import figures_of
from deskroom.runs.view import RunView
from deskroom.scenario.format.find import search
from deskroom.scenario.sources import Source, read_source

__all__ = ["stats_command"]

_PICTURES: Final = (".svg", ".png")


@click.command("stats")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV instead, one line a run.")
@click.option("--as", "seat", metavar="SEAT", help="Count only what this seat may know.")
@click.option("-o", "--output", metavar="FILE", help="Write the figures here.  [default: stdout]")
@click.option(
    "--plot", "picture", metavar="FILE", help="Draw one run into an .svg or .png as well."
)
@click.option("--force", is_flag=True, help="Overwrite files that are there.")
@backend_option
@log_options
def stats_command(
    runs: tuple[str, ...],
    *,
    as_json: bool,
    as_csv: bool,
    seat: str | None,
    output: str | None,
    picture: str | None,
    force: bool,
    backend: Literal["asyncio", "trio"],
    log_format: str | None,
    log_level: str | None,
) -> int:
    """Count what happened in runs: turns, rows, who names whom, asides, refusals and more.

    RUN is a journal, a scenario (which is played), a folder of scenarios, or a transcript. Of a
    transcript of bare rows little is known; what is not known is left out, and is null in JSON.
    One run is a table of its figures; of many, each is a line.

    --plot draws who spoke when, and how often each gave each the turn; it needs the extra `plot`.

    \b
    Exit codes: 0 all were counted, 1 a journal is damaged and was counted up to the bad line, 2 a
    file cannot be read or written (2 outranks 1).
    """  # noqa: D301 - click reads this mark
    set_up(log_format, log_level, backend, default_level="error")
    if as_json and as_csv:
        raise UsageError("--json and --csv are two formats: give one of them")
    output = None if output == "-" else output
    found = search(runs)
    files = [str(file) for file in found.files]
    if picture is not None:
        _check_picture(picture, files)
    for path in (output, picture):
        if path is not None:
            check_output(path, force=force, sources=files)
    print_passed_over(found)
    for error in found.errors:
        print_error(error)
    viewer = OPERATOR if seat is None else Viewer("agent", seat)
    counted: list[RunFigures] = []
    wrong, damaged, view = len(found.errors), 0, None
    for file in with_progress(files, len(files), "counting"):
        try:
            source, view = _read(file, viewer, backend)
        except FileError as error:
            print_error(error)
            wrong += 1
            continue
        counted.append(_figures(source, view, as_data=as_json or as_csv))
        if source.damage is not None:
            print_error(source.damage)
            damaged += 1
    text = _text(counted, as_json=as_json, as_csv=as_csv, is_file=output is not None)
    if output is not None:
        write_output(output, text, force=force, sources=files)
    else:
        click.echo(text, nl=False)
    if picture is not None and view is not None:
        _draw(view, picture, seat, force=force, sources=files)
    return EXIT_WRONG if wrong else EXIT_MISMATCH if damaged else 0


def _check_picture(picture: str, files: Sequence[str]) -> None:
    """Say before the work is done what no picture can be made of."""
    if PurePath(picture).suffix.lower() not in _PICTURES:
        raise UsageError(f"--plot writes an .svg or a .png, and the file is called {picture!r}")
    if len(files) != 1:
        raise UsageError(f"--plot draws one run, and {len(files)} were named")
    from deskroom.render.plot import check_can_plot

    check_can_plot()


def _read(path: str, viewer: Viewer, backend: Literal["asyncio", "trio"]) -> tuple[Source, RunView]:
    source = read_source(path, backend)
    if source.whole.seats is not None:
        check_seat(path, source.whole.seats, viewer)
    return source, source.view(viewer)


def _figures(source: Source, view: RunView, *, as_data: bool) -> RunFigures:
    return RunFigures(
        path=shown_path(source.path) if as_data else source.path,
        kind=source.kind,
        figures=figures_of(view),
        damaged_line=None if source.damage is None else source.damage.line,
    )


def _text(counted: Sequence[RunFigures], *, as_json: bool, as_csv: bool, is_file: bool) -> str:
    if as_json:
        document: dict[str, Any] = {"format": 1, "runs": [stats_json(run) for run in counted]}
        return json.dumps(document, indent=2) + "\n"
    if as_csv:
        return csv_text(counted)
    out = PLAIN if is_file else screen()
    lines = stats_lines(counted[0], out) if len(counted) == 1 else many_lines(counted, out)
    return "".join(f"{line}\n" for line in lines) if counted else ""


def _draw(
    view: RunView, picture: str, seat: str | None, *, force: bool, sources: Sequence[str]
) -> None:
    from deskroom.render.graph import graph_of
    from deskroom.render.plot import plot

    format_: Literal["svg", "png"] = "svg" if picture.lower().endswith(".svg") else "png"
    title = one_line(
        PurePath(view.path).name + ("" if seat is None else f", as {seat} may know it")
    )
    write_output(picture, plot(graph_of(view), title, format_), force=force, sources=sources)
