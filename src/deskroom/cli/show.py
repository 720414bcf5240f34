"""``deskroom show``: what happened in a run and why, as text or as one JSON document."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from io import BufferedReader
from threading import Event
from typing import IO, TYPE_CHECKING, Final, cast

import click
from attrs import define, evolve, frozen

from deskroom.cli.output import EXIT_MISMATCH, print_error, print_json, shown_path
from deskroom.cli.progress import reading
from deskroom.cli.screen import screen
from deskroom.cli.shared import check_seat, log_options, set_up
from deskroom.core import OPERATOR, Viewer
from deskroom.engine.entries import CloseEntry, Entry, HeaderEntry
from deskroom.errors import FileError, UsageError
from deskroom.files import open_file
from deskroom.journal import JournalError, Line, Torn, read_journal
from deskroom.journal.reader import JournalReader, begins_journal
from deskroom.journal.tail import read_tails
from deskroom.render.screen import Screen
from deskroom.render.transcript import closing_line, happening_lines, open_line, row_lines
from deskroom.runs.stream import Happening, RunStream, gathered, ordered
from deskroom.runs.view import RunView, ViewItem, narrowed

if TYPE_CHECKING:
    from deskroom.scenario.play.compare import Replay

__all__ = ["show_command"]

_POLL_S: Final = 0.1
_FIRST_BYTES: Final = 64


@frozen(kw_only=True)
class _Wanted:
    """What is to be shown, and how. ``width`` is that of the terminal, where there is one."""

    path: str
    viewer: Viewer
    tail: int | None
    only_rows: bool
    verbose: bool
    as_json: bool
    screen: Screen
    width: int | None

    @property
    def all_calls(self) -> bool:
        """Whether accepted calls are shown as well: without them a run is read faster."""
        return self.verbose or self.as_json

    def check_seat(self, seats: Sequence[str] | None) -> None:
        """Raise ``FileError`` where the desk is known and the seat does not sit at it."""
        if seats is not None:
            check_seat(self.path, seats, self.viewer)

    def last(self, shown: Iterable[Happening]) -> Iterable[Happening]:
        """Return the last of it, if only these are wanted."""
        return shown if self.tail is None else deque(shown, maxlen=self.tail)

    def print(self, shown: Iterable[Happening]) -> None:
        """Print what happened, each thing as soon as it is there."""
        for one in shown:
            if self.only_rows:
                lines = row_lines(one, self.screen, self.width)
            else:
                lines = happening_lines(one, self.screen, self.width, verbose=self.verbose)
            sys.stdout.writelines(f"{line}\n" for line in lines)

    def print_end(self, view: RunView, *, is_whole: bool = True) -> None:
        """Print which turn is open, and how the room closed."""
        if self.only_rows or not is_whole:
            return
        if view.open is not None and view.run.get("closed") is None:
            click.echo(open_line(view.open))
        line = closing_line(view.run, view.totals, view.failure)
        if line is not None:
            click.echo(self.screen.styled(line, "bold"))


@click.command("show")
@click.argument("path", metavar="RUN")
@click.option("--as", "seat", metavar="SEAT", help="Show only what this seat may know.")
@click.option("--tail", type=click.IntRange(min=0), metavar="N", help="Only the last N entries.")
@click.option("--follow", is_flag=True, help="Go on until the room closes; RUN is a journal.")
@click.option("--rows", "only_rows", is_flag=True, help="Only the transcript: the rows.")
@click.option("-v", "--verbose", is_flag=True, help="Every call and reply, and seats' text.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead.")
@log_options
def show_command(
    path: str,
    *,
    seat: str | None,
    tail: int | None,
    follow: bool,
    only_rows: bool,
    verbose: bool,
    as_json: bool,
    log_format: str | None,
    log_level: str | None,
) -> int:
    """Say what happened in a run, entry by entry, and why.

    RUN is a journal, a scenario (which is played), or a transcript: the output of `deskroom replay
    --json`, or rows in the reference wire form, one a line. What a file does not tell is not shown.

    Under each row stands whom it gives the turn to, and why. A turn that became no row, and a call
    that came too late, stand where they happened. The last line says how the room closed.

    With --as a seat sees that others spoke in private, and not what they said: such rows are one
    line, for example `[7-10] planner → auditor · aside, 4 messages · settled at [11]`. Of the turns
    of others it sees how they ended.

    Each line of a journal is checked against the line before it; `deskroom verify` also holds them
    against the rules. With --tail only the end of the journal is read and checked, however long it
    is. A last line that is still being written is left out, and stderr says so.

    \b
    Exit codes: 0 all is shown, 1 a line of the journal is wrong, and what stands before it is
    shown, 2 the file cannot be read or holds no run.
    """  # noqa: D301 - click reads this mark
    set_up(log_format, log_level, default_level="error")
    _check(follow=follow, only_rows=only_rows, verbose=verbose, as_json=as_json)
    out = screen()
    wanted = _Wanted(
        path=path,
        viewer=OPERATOR if seat is None else Viewer("agent", seat),
        tail=tail,
        only_rows=only_rows,
        verbose=verbose,
        as_json=as_json,
        screen=out,
        width=out.width if sys.stdout.isatty() else None,
    )
    try:
        if follow:
            _follow(wanted)
        else:
            _show(wanted)
    except JournalError as error:
        if error.line is None or error.line == 1:
            raise  # it is no journal at all
        print_error(error)
        before = f"{path}: only what stands before line {error.line} is shown"
        click.echo(before, err=True)
        return EXIT_MISMATCH
    return 0


def _check(*, follow: bool, only_rows: bool, verbose: bool, as_json: bool) -> None:
    """Refuse options that contradict each other."""
    if as_json and follow:
        raise UsageError("--json prints one document at the end, so it cannot go with --follow")
    if only_rows and (as_json or verbose):
        name = "--json" if as_json else "--verbose"
        raise UsageError(f"--rows prints the rows alone, so it cannot go with {name}")


def _show(wanted: _Wanted) -> None:
    path = wanted.path
    if path.endswith(".toml"):
        _show_source(wanted, None)
        return
    file = open_file(path)
    first = cast("BufferedReader", file).peek(_FIRST_BYTES)[:_FIRST_BYTES]
    if not first:
        file.close()
        raise FileError(path, "the file is empty, so it holds no run")
    if begins_journal(first):
        _show_journal(wanted, file)
    else:
        _show_source(wanted, file)


# --- a scenario or a transcript ----------------------------------------------------------------


def _show_source(wanted: _Wanted, file: IO[bytes] | None) -> None:
    from deskroom.scenario.sources import read_source

    source = read_source(wanted.path, file=file)
    wanted.check_seat(source.whole.seats)
    replay = source.replay
    if replay is not None:
        setup = replay.run.setup
        stream = RunStream(setup, source.path, wanted.only_rows)
        entries = enumerate(replay.run.journal, start=1)
        happened = [one for number, entry in entries for one in stream.take(number, entry)]
        _present(wanted, happened, stream, replay=replay)
    elif wanted.as_json:
        _print_json(wanted, source.whole)
    else:
        view = source.view(wanted.viewer)
        wanted.print(wanted.last(view.items))
        wanted.print_end(view)


# --- a journal ---------------------------------------------------------------------------------


@define
class _Reading:
    """A journal as it is read: what happened, up to its first wrong line, which is ``error`` then.

    A last line that is still being written is left out.
    """

    wanted: _Wanted
    lines: Iterable[Line]
    stream: RunStream | None = None
    error: JournalError | None = None

    def happened(self) -> Iterator[Happening]:
        """Yield what happened. Raises ``JournalError`` where there is no header."""
        try:
            for line in self.lines:
                if self.stream is None:
                    self.stream = _begun(self.wanted, line.entry)
                yield from self.stream.take(line.number, line.entry)
        except Torn as torn:
            self.error = torn
            click.echo(f"{torn.place}: {torn.problem}; it is left out", err=True)
        except JournalError as error:
            if self.stream is None:
                raise
            self.error = error
        if self.stream is not None:
            yield from self.stream.end()


def _begun(wanted: _Wanted, header: Entry) -> RunStream:
    assert isinstance(header, HeaderEntry)  # noqa: S101 - a journal begins with it
    wanted.check_seat(list(header.setup.by_id))
    return RunStream(header.setup, wanted.path, wanted.only_rows)


def _show_journal(wanted: _Wanted, file: IO[bytes]) -> None:
    if wanted.tail is not None and _show_tail(wanted, wanted.tail):
        file.close()
        return
    streams = wanted.viewer == OPERATOR and not wanted.as_json
    # Lines that scroll by on a terminal say themselves how far it is.
    with reading([wanted.path], "reading", shown=not streams or not sys.stdout.isatty()) as opened:
        counted = opened(wanted.path)
        if counted is not None:
            file.close()
        lines = read_journal(
            wanted.path,
            only_rows=wanted.only_rows,
            accepted=wanted.all_calls,
            file=counted or file,
        )
        read = _Reading(wanted, lines)
        if streams:
            wanted.print(wanted.last(read.happened()))
            happened: list[Happening] = []
        else:
            happened = list(read.happened())
    if read.stream is not None:
        _present(wanted, happened, read.stream, damage=read.error, streamed=streams)
    if read.error is not None and not isinstance(read.error, Torn):
        raise read.error


def _show_tail(wanted: _Wanted, count: int) -> bool:
    """Show the last entries of a journal; False where all of it has to be read for them."""
    path = wanted.path
    for tail in read_tails(path):
        stream = _begun(wanted, tail.header)
        entries = enumerate(tail.entries, start=1)
        happened = [one for number, entry in entries for one in stream.take(number, entry)]
        happened += stream.end()
        # The first of them may be the rest of a longer stub, or of a turn that began before.
        if len(ordered(happened[_unknown(happened) :], wanted.viewer)) > count:
            if tail.is_torn:
                click.echo(f"{path}: the last line is cut short; it is left out", err=True)
            checked = f"only the last {tail.lines} lines were read and checked"
            click.echo(f"{path}: {checked}; `deskroom verify` checks all of them", err=True)
            _present(wanted, happened, stream, is_tail=True)
            return True
    return False


def _unknown(happened: Sequence[Happening]) -> int:
    """Return how many entries stand at the start up to the last whose turn began before them."""
    return max((at for at, one in enumerate(happened, start=1) if not _is_whole(one)), default=0)


def _is_whole(one: Happening) -> bool:
    if not isinstance(one, ViewItem):
        return True
    if one.run_turn is None:
        return one.facts.get("kind") != "seat"
    return one.run_turn.start is not None


def _present(
    wanted: _Wanted,
    happened: Sequence[Happening],
    stream: RunStream,
    *,
    replay: Replay | None = None,
    damage: JournalError | None = None,
    streamed: bool = False,
    is_tail: bool = False,
) -> None:
    """Show what a viewer may know of what happened, unless it was shown as it came; and the end."""
    view = gathered(happened, stream, "scenario" if replay is not None else "journal")
    if replay is not None and replay.run.failure is not None:
        view = evolve(view, failure=str(replay.run.failure))
    if is_tail:
        totals = {**view.totals, "nudges": None, "asides": None}
        view = evolve(view, totals=totals)
    if wanted.as_json:
        _print_json(wanted, view, replay=replay, damage=damage)
        return
    if not streamed:
        wanted.print(wanted.last(ordered(happened, wanted.viewer)))
    is_whole = damage is None or isinstance(damage, Torn)
    wanted.print_end(narrowed(evolve(view, items=()), wanted.viewer), is_whole=is_whole)


def _print_json(
    wanted: _Wanted,
    whole: RunView,
    *,
    replay: Replay | None = None,
    damage: JournalError | None = None,
) -> None:
    from deskroom.render.run_json import run_json

    view = narrowed(whole, wanted.viewer)
    if wanted.tail is not None:
        items = view.items[max(len(view.items) - wanted.tail, 0) :]
        known = {item.run_turn[:5] for item in items if item.run_turn is not None}
        turns = tuple(turn for turn in view.turns if turn[:5] in known)
        view = evolve(view, items=items, turns=turns)
    print_json(run_json(view, shown_path(wanted.path), replay=replay, damage=damage))


# --- a journal that grows ----------------------------------------------------------------------


def _follow(wanted: _Wanted) -> None:
    """Print what is there, and then each thing as it comes, until the room closes.

    A stub grows while its aside goes on, so it is printed once something else comes after it.
    """
    stream: RunStream | None = None
    waiting: list[Happening] = []
    with JournalReader(
        wanted.path, only_rows=wanted.only_rows, accepted=wanted.all_calls
    ) as reader:
        for lines in _batches(reader):
            if stream is None:
                stream = _begun(wanted, lines[0].entry)
            for line in lines:
                waiting += stream.take(line.number, line.entry)
            closed = isinstance(lines[-1].entry, CloseEntry)
            ready, waiting = _ready(waiting, wanted.viewer, closed=closed)
            wanted.print(wanted.last(ready))
            sys.stdout.flush()
            wanted = evolve(wanted, tail=None)
            if closed:
                break
    if stream is not None:
        waiting += stream.end()
        wanted.print(ordered(waiting, wanted.viewer))
        _present(wanted, [], stream, streamed=True)


def _ready(
    waiting: list[Happening], viewer: Viewer, *, closed: bool
) -> tuple[list[Happening], list[Happening]]:
    """Return what can be shown, and what has to wait: a stub at the end, and what is behind it."""
    if viewer == OPERATOR:
        return waiting, []
    shown = ordered(waiting, viewer)
    rows = [one for one in shown if isinstance(one, ViewItem) and one.is_row]
    if closed or not rows or rows[-1].stub is None:
        return shown, []
    at = rows[-1].line or 0
    return [one for one in shown if (one.line or 0) < at], [
        one for one in waiting if (one.line or 0) >= at
    ]


def _batches(reader: JournalReader) -> Iterator[list[Line]]:
    """Yield what is there, and then what is new, each time that there is something.

    Raises ``JournalError`` for a wrong line, once what stands before it was yielded.
    """
    while True:
        lines: list[Line] = []
        error: JournalError | None = None
        try:
            lines.extend(reader.lines())
        except JournalError as wrong:
            error = wrong
        if lines:
            yield lines
        if error is not None:
            raise error
        if lines:
            continue
        if not reader.can_grow:
            reader.end()
            return
        Event().wait(_POLL_S)
