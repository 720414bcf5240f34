"""``deskroom verify`` and ``deskroom show``: a journal, checked and read."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain
from threading import Event

import click
from rich.console import Console

from deskroom.cli.output import (
    EXIT_MISMATCH,
    EXIT_WRONG,
    console,
    counted,
    print_error,
    print_json,
    shown_path,
)
from deskroom.cli.shared import check_seat
from deskroom.core import OPERATOR, Row, SeenRow, Viewer, project
from deskroom.engine.entries import CloseEntry, HeaderEntry, RowEntry
from deskroom.journal import JournalError, Line, Torn, read_journal, verify
from deskroom.journal.file import JournalReader
from deskroom.render.transcript import transcript_line

__all__ = ["show_command", "verify_command"]

_POLL_S = 0.1


@click.command("verify", short_help="Check every line of a journal against the rules.")
@click.argument("path", metavar="JOURNAL")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead.")
def verify_command(path: str, *, as_json: bool) -> int:
    """Check that a journal is whole and that each decision in it is what would be decided today.

    Every line must decode, be chained to the line before it, have the next sequence, and say what
    the rules say. The first line that does not is named, with what is wrong.

    \b
    Exit codes: 0 all is well, 1 a line is wrong, 2 the file cannot be read.
    """  # noqa: D301 - click reads this mark
    try:
        found = verify(path)
    except JournalError as error:
        if as_json:
            print_json({"path": shown_path(path), "ok": False, **_problem(error)})
        else:
            print_error(error)
        return EXIT_WRONG if error.line is None else EXIT_MISMATCH
    if as_json:
        counts = {"lines": found.lines, "rows": found.rows, "turns": found.turns}
        print_json({"path": shown_path(path), "ok": True, **counts, "closed": found.closed})
    else:
        end = f"closed: {found.closed}" if found.closed else "not closed: it can be gone on with"
        lines, rows = counted(found.lines, "line"), counted(found.rows, "row")
        click.echo(f"{path}: {lines}, {rows}, {counted(found.turns, 'turn')}; {end}")
    return 0


def _problem(error: JournalError) -> dict[str, object]:
    return {"line": error.line, "problem": error.problem}


@click.command("show", short_help="Print a journal's transcript, as a person or a seat reads it.")
@click.argument("path", metavar="JOURNAL")
@click.option("--as", "seat", metavar="SEAT", help="Show it as this seat may read it.")
@click.option("--tail", type=click.IntRange(min=0), metavar="N", help="Only the last N entries.")
@click.option("--follow", is_flag=True, help="Go on printing rows until the room closes.")
def show_command(path: str, *, seat: str | None, tail: int | None, follow: bool) -> int:
    """Print the transcript in a journal, entry by entry. Without --as it is all of it.

    A seat sees that others spoke in private, and not what they said: such rows are one line, for
    example `[7-10] planner → auditor · aside, 4 messages · settled at [11]`.
    """
    out = console()
    if follow:
        _follow(path, seat, tail, out)
        return 0
    lines = list(_whole(path))
    viewer = _viewer(path, lines, seat)
    _print(_last(project(_rows(lines), viewer), tail), out)
    return 0


def _whole(path: str) -> Iterator[Line]:
    """Yield the lines of a journal; a last line that is still being written is left out."""
    try:
        yield from read_journal(path)
    except Torn as torn:
        click.echo(f"{torn.place}: {torn.problem}; it is left out", err=True)


def _viewer(path: str, lines: Iterable[Line], seat: str | None) -> Viewer:
    if seat is None:
        return OPERATOR
    viewer = Viewer("agent", seat)
    for line in lines:
        if isinstance(line.entry, HeaderEntry):
            check_seat(path, list(line.entry.setup.by_id), viewer)
            break
    return viewer


def _rows(lines: Iterable[Line]) -> list[Row]:
    return [line.entry.row for line in lines if isinstance(line.entry, RowEntry)]


def _last(seen: Iterable[SeenRow], tail: int | None) -> Iterable[SeenRow]:
    return seen if tail is None else deque(seen, maxlen=tail)


def _print(seen: Iterable[SeenRow], out: Console) -> None:
    for row in seen:
        out.print(transcript_line(row), soft_wrap=True)


def _follow(path: str, seat: str | None, tail: int | None, out: Console) -> None:
    """Print what is there, and then each row as it comes, until the room closes.

    A stub grows while its aside goes on, so it is printed once something else comes after it.
    """
    with JournalReader(path) as reader:
        batches = _batches(reader)
        first = next(batches)
        viewer = _viewer(path, first, seat)
        waiting: list[Row] = []
        for lines in chain([first], batches):
            waiting += _rows(lines)
            closed = isinstance(lines[-1].entry, CloseEntry)
            ready = project(waiting, viewer)
            if ready and ready[-1].elided is not None and not closed:
                ready = ready[:-1]
            told = ready[-1].elided.through if ready and ready[-1].elided else None
            last = told or (ready[-1].sequence if ready else 0)
            waiting = [row for row in waiting if row.sequence > last]
            _print(_last(ready, tail), out)
            if closed:
                return
            tail = None


def _batches(reader: JournalReader) -> Iterator[list[Line]]:
    """Yield what is there, and then what is new, each time that there is something."""
    while True:
        lines = list(reader.lines())
        if lines:
            yield lines
        else:
            Event().wait(_POLL_S)
