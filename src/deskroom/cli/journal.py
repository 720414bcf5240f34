"""``deskroom verify`` and ``deskroom show``: a journal, checked and read."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain
from threading import Event
from typing import Final

import click

from deskroom.cli.output import (
    EXIT_MISMATCH,
    EXIT_WRONG,
    print_error,
    print_json,
    shown_path,
)
from deskroom.cli.screen import screen
from deskroom.cli.shared import check_seat
from deskroom.core import OPERATOR, Row, SeenRow, Viewer, project
from deskroom.engine.entries import CloseEntry, Entry, HeaderEntry, RowEntry
from deskroom.journal import JournalError, Torn, Verified, read_journal, verify
from deskroom.journal.reader import JournalReader
from deskroom.journal.tail import read_tails
from deskroom.printable import counted
from deskroom.render.screen import Screen
from deskroom.render.text import one_line
from deskroom.render.transcript import transcript_line

__all__ = ["show_command", "verify_command"]

_POLL_S: Final = 0.1


@click.command("verify", short_help="Check every line of journals against the rules.")
@click.argument("paths", nargs=-1, required=True, metavar="JOURNAL...")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead.")
def verify_command(paths: tuple[str, ...], *, as_json: bool) -> int:
    """Check that journals are whole and that each decision in them is what would be decided today.

    Every line must decode, be chained to the line before it, have the next sequence, and say what
    the rules say. The first line that does not is named, with what is wrong. JOURNAL may be `-`,
    which reads from stdin.

    \b
    Exit codes: 0 all is well, 1 a line is wrong, 2 a file cannot be read (2 outranks 1).
    """  # noqa: D301 - click reads this mark
    found = [_verified(path) for path in dict.fromkeys(paths)]
    if as_json:
        documents = [_verified_json(*one) for one in found]
        print_json(documents[0] if len(documents) == 1 else {"format": 1, "journals": documents})
    else:
        for path, verified in found:
            if isinstance(verified, JournalError):
                print_error(verified)
            else:
                click.echo(_verified_line(path, verified))
    return max(_verified_code(verified) for _, verified in found)


Outcome = Verified | JournalError


def _verified(path: str) -> tuple[str, Outcome]:
    try:
        return path, verify(path)
    except JournalError as error:
        return path, error


def _verified_line(path: str, found: Verified) -> str:
    end = f"closed: {found.closed}" if found.closed else "not closed: it can be resumed"
    lines, rows = counted(found.lines, "line"), counted(found.rows, "row")
    return one_line(f"{path}: {lines}, {rows}, {counted(found.turns, 'turn')}; {end}")


def _verified_json(path: str, found: Outcome) -> dict[str, object]:
    if isinstance(found, JournalError):
        return {
            "path": shown_path(path),
            "ok": False,
            "line": found.line,
            "problem": found.problem,
        }
    counts = {"lines": found.lines, "rows": found.rows, "turns": found.turns}
    return {"path": shown_path(path), "ok": True, **counts, "closed": found.closed}


def _verified_code(found: Outcome) -> int:
    if isinstance(found, Verified):
        return 0
    return EXIT_WRONG if found.line is None else EXIT_MISMATCH


@click.command("show")
@click.argument("path", metavar="JOURNAL")
@click.option("--as", "seat", metavar="SEAT", help="Show it as this seat may read it.")
@click.option("--tail", type=click.IntRange(min=0), metavar="N", help="Only the last N entries.")
@click.option("--follow", is_flag=True, help="Go on printing rows until the room closes.")
def show_command(path: str, *, seat: str | None, tail: int | None, follow: bool) -> int:
    """Print the transcript in a journal, entry by entry. Without --as it is all of it.

    A seat sees that others spoke in private, and not what they said: such rows are one line, for
    example `[7-10] planner → auditor · aside, 4 messages · settled at [11]`.

    Each line is checked against the line before it; `deskroom verify` also holds them against the
    rules. With --tail only the end of the journal is read and checked, however long it is.

    \b
    Exit codes: 0 all is shown, 1 a line is wrong, and what stands before it is shown, 2 the file
    cannot be read.
    """  # noqa: D301 - click reads this mark
    viewer = OPERATOR if seat is None else Viewer("agent", seat)
    out = screen()
    try:
        if follow:
            _follow(path, viewer, tail, out)
        else:
            _show(path, viewer, tail, out)
    except JournalError as error:
        if error.line is None or error.line == 1:
            raise  # it is no journal at all
        print_error(error)
        return EXIT_MISMATCH
    return 0


def _show(path: str, viewer: Viewer, tail: int | None, out: Screen) -> None:
    last = None if tail is None else _tail(path, viewer, tail)
    if last is not None:
        _print(last, out)
        return
    rows = _Rows(path, viewer)
    _print(_last(_seen(rows, viewer), tail), out)
    if rows.error is not None:
        raise rows.error


class _Rows:
    """The rows of a journal, up to its first wrong line, which is ``error`` then.

    A last line that is still being written is left out.
    """

    def __init__(self, path: str, viewer: Viewer) -> None:
        self._path = path
        self._viewer = viewer
        self.error: JournalError | None = None

    def __iter__(self) -> Iterator[Row]:
        try:
            for line in read_journal(self._path, only_rows=True):
                if isinstance(line.entry, RowEntry):
                    yield line.entry.row
                else:
                    _check_viewer(self._path, line.entry, self._viewer)
        except Torn as torn:
            click.echo(f"{torn.place}: {torn.problem}; it is left out", err=True)
        except JournalError as error:
            self.error = error


def _seen(rows: Iterable[Row], viewer: Viewer) -> Iterable[SeenRow]:
    """Project rows; whoever may read all of them can have each as soon as it is there."""
    if viewer == OPERATOR:
        return chain.from_iterable(project([row], viewer) for row in rows)
    return project(list(rows), viewer)


def _tail(path: str, viewer: Viewer, count: int) -> Iterable[SeenRow] | None:
    """Return the last entries of a journal, or None where all of it has to be read for them."""
    for tail in read_tails(path):
        _check_viewer(path, tail.header, viewer)
        seen = project([entry.row for entry in tail.rows], viewer)
        # The first of them may be the rest of a longer stub.
        if len(seen) > count:
            if tail.is_torn:
                click.echo(f"{path}: the last line is cut short; it is left out", err=True)
            checked = f"only the last {tail.lines} lines were read and checked"
            click.echo(f"{path}: {checked}; `deskroom verify` checks all of them", err=True)
            return seen[len(seen) - count :]
    return None


def _check_viewer(path: str, entry: Entry, viewer: Viewer) -> None:
    if isinstance(entry, HeaderEntry):
        check_seat(path, list(entry.setup.by_id), viewer)


def _last(seen: Iterable[SeenRow], tail: int | None) -> Iterable[SeenRow]:
    return seen if tail is None else deque(seen, maxlen=tail)


def _print(seen: Iterable[SeenRow], out: Screen) -> None:
    sys.stdout.writelines(f"{transcript_line(row, out)}\n" for row in seen)
    sys.stdout.flush()


def _follow(path: str, viewer: Viewer, tail: int | None, out: Screen) -> None:
    """Print what is there, and then each row as it comes, until the room closes.

    A stub grows while its aside goes on, so it is printed once something else comes after it.
    """
    with JournalReader(path, only_rows=True) as reader:
        waiting: list[Row] = []
        for entries in _batches(reader):
            _check_viewer(path, entries[0], viewer)
            waiting += [entry.row for entry in entries if isinstance(entry, RowEntry)]
            closed = isinstance(entries[-1], CloseEntry)
            ready = project(waiting, viewer)
            if ready and ready[-1].elided is not None and not closed:
                ready = ready[:-1]
            through = ready[-1].elided.through if ready and ready[-1].elided else None
            last = through or (ready[-1].sequence if ready else 0)
            waiting = [row for row in waiting if row.sequence > last]
            _print(_last(ready, tail), out)
            if closed:
                return
            tail = None


def _batches(reader: JournalReader) -> Iterator[list[Entry]]:
    """Yield what is there, and then what is new, each time that there is something.

    Raises ``JournalError`` for a wrong line, once what stands before it was yielded.
    """
    while True:
        entries: list[Entry] = []
        error: JournalError | None = None
        try:
            entries.extend(line.entry for line in reader.lines())
        except JournalError as wrong:
            error = wrong
        if entries:
            yield entries
        if error is not None:
            raise error
        if entries:
            continue
        if not reader.can_grow:
            reader.end()
            return
        Event().wait(_POLL_S)
