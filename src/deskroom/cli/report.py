"""``deskroom report``: runs as one web page that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from deskroom.cli.output import EXIT_MISMATCH, EXIT_WRONG, print_error, shown_path
from deskroom.cli.progress import Opener, reading
from deskroom.cli.shared import check_seat, log_options, print_passed_over, set_up
from deskroom.core import OPERATOR, Viewer
from deskroom.errors import FileError
from deskroom.files import STDIN, check_output, write_output
from deskroom.printable import counted, one_line
from deskroom.render.page.model import run_data
from deskroom.render.page.page import PageEntry, page_html
from deskroom.room.clock import RealClock
from deskroom.scenario.format.find import search
from deskroom.scenario.sources import read_source

__all__ = ["report_command"]

_STDOUT = "-"


@click.command("report")
@click.argument("paths", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "-o", "--output", required=True, metavar="FILE", help="The page; `-` writes it to stdout."
)
@click.option("--as", "seat", metavar="SEAT", help="Put in only what this seat may read.")
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
@log_options
def report_command(
    paths: tuple[str, ...],
    *,
    output: str,
    seat: str | None,
    force: bool,
    log_format: str | None,
    log_level: str | None,
) -> int:
    """Write runs as one web page, which is opened from the disk and needs no network.

    RUN is a journal, a scenario (which is played), a folder of scenarios, or a transcript: the
    output of `deskroom replay --json`, or rows in the reference wire form, one a line. Several runs
    or a folder give a list of them, with what failed first and how long each took.

    The page shows a lane for each seat and person, every turn that made no row, and the details of
    each row and turn; it can be read as each seat may read it. With --as it holds nothing else.

    Exit codes: 0 all is well, 1 a scenario failed or a journal is damaged (the page shows it), 2 a
    file cannot be read. A page of one run is not written then; a list says what is wrong with it.
    """
    set_up(log_format, log_level, default_level="error")
    viewer = OPERATOR if seat is None else Viewer("agent", seat)
    found = search(Path(path) for path in paths)
    files = [str(path) for path in found.files]
    if output != _STDOUT:
        check_output(output, force=force, sources=files)
    is_index = len(paths) > 1 or files != [str(Path(path)) for path in paths]
    with reading(files, "reading") as opened:
        if not is_index:
            entries = [_entry(files[0], viewer, opened, is_timed=False)]
        else:
            print_passed_over(found)
            entries = [*_wrong(found.errors, viewer), *_entries(files, viewer, opened)]
    _write(page_html(entries, is_index=is_index), output, force=force, sources=files)
    if output != _STDOUT:
        click.echo(one_line(f"{output}: {_counts(entries)}"))
    return _exit_code(entries)


def _entries(files: list[str], viewer: Viewer, opened: Opener) -> Iterator[PageEntry]:
    for path in files:
        try:
            yield _entry(path, viewer, opened, is_timed=True)
        except FileError as error:
            yield from _wrong([error], viewer)


def _entry(path: str, viewer: Viewer, opened: Opener, *, is_timed: bool) -> PageEntry:
    """Return a run. A time is not the same twice, so a page of one run, which is, has none."""
    clock = RealClock()
    source = read_source(path, file=opened(path))
    took = clock.now() if is_timed else None
    if source.whole.seats is not None:
        check_seat(path, source.whole.seats, viewer)
    if source.damage is not None:
        print_error(source.damage)
    shown = path if path == STDIN else shown_path(path)
    data = run_data(source, shown, viewer)
    return PageEntry(path=shown, data=data, duration_s=took)


def _wrong(errors: tuple[FileError, ...] | list[FileError], viewer: Viewer) -> Iterator[PageEntry]:
    """Yield what is wrong with files. What an error quotes of a file is for the operator only."""
    for error in errors:
        print_error(error)
        line = "" if error.line is None else f"line {error.line}: "
        told = f"{line}{error.problem}"
        problem = told if viewer == OPERATOR else "this file holds no run for this seat"
        yield PageEntry(path=shown_path(error.path), problem=problem)


def _write(page: str, output: str, *, force: bool, sources: list[str]) -> None:
    if output == _STDOUT:
        click.echo(page, nl=False)
    else:
        write_output(output, page, force=force, sources=sources)


def _counts(entries: list[PageEntry]) -> str:
    statuses = [entry.status for entry in entries]
    known = dict.fromkeys(statuses)
    counts = ", ".join(f"{statuses.count(status)} {status}" for status in known)
    return f"{counted(len(entries), 'run')}: {counts}"


def _exit_code(entries: list[PageEntry]) -> int:
    statuses = {entry.status for entry in entries}
    if "wrong" in statuses:
        return EXIT_WRONG
    return EXIT_MISMATCH if statuses & {"failed", "damaged"} else 0
