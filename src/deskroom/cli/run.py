"""``deskroom run``: play a scenario as a desk, row by row, and keep it in a journal."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from shlex import join
from threading import Thread
from typing import Any, Final, Literal

import anyio
import click

from deskroom.cli.desk import LiveDesk
from deskroom.cli.output import EXIT_MISMATCH, shown_path
from deskroom.cli.screen import screen
from deskroom.cli.shared import BACKENDS, backend_option, log_options, set_up
from deskroom.core import OPERATOR, Viewer, project
from deskroom.engine.entries import (
    CallEntry,
    EndEntry,
    Entry,
    Journal,
    MemoryJournal,
    TurnEntry,
)
from deskroom.errors import UsageError
from deskroom.files import STDIN
from deskroom.journal import JournalFile, Sync, verify_entries
from deskroom.printable import counted
from deskroom.render.replay import mismatch_line
from deskroom.render.screen import Screen
from deskroom.render.text import one_line
from deskroom.render.transcript import ended_line, transcript_line
from deskroom.room import RealClock, RoomResult, RowEntry
from deskroom.room.host import OnRow
from deskroom.runs.properties import property_violations
from deskroom.runs.run import Run
from deskroom.scenario import load_scenario
from deskroom.scenario.play.compare import violation_mismatch
from deskroom.scenario.play.replay import LOOP_OPTIONS
from deskroom.scenario.play.resume import check_resumable

__all__ = ["run_command", "sync_remark"]

#: Syncing that took less is not worth a word.
_LONG_S: Final = 1.0


@click.command("run")
@click.argument("scenario_path", metavar="SCENARIO")
@click.option("--journal", "journal_path", metavar="FILE", help="Keep every entry in this file.")
@click.option("--resume", is_flag=True, help="Resume the journal where it stops.")
@click.option(
    "--sync",
    type=click.Choice(("row", "close", "never")),
    default="row",
    show_default=True,
    help="When the journal reaches the disk: with every row, at the end, or when the system likes.",
)
@click.option(
    "--live",
    "given",
    multiple=True,
    metavar="SEAT=KIND[:...]",
    help="Let a seat play live, whatever the file says: mcp, person, command:PROGRAM..., "
    "chat:MODEL@URL or python:MODULE:FUNCTION.",
)
@click.option(
    "--say",
    "says",
    multiple=True,
    metavar="PERSON:MESSAGE",
    help="Let a person of the desk speak when the room runs; a room that closed quiet opens again.",
)
@click.option(
    "--mcp-dir",
    metavar="DIR",
    help="Write the configurations of MCP clients here, with their tokens, instead of a folder of "
    "their own.",
)
@click.option(
    "--mcp-port",
    type=click.IntRange(0, 65535),
    default=0,
    help="The port of 127.0.0.1 for MCP clients; any free one unless given.",
)
@click.option(
    "--takeover",
    is_flag=True,
    help="Let a second MCP client that waits for a seat's turn replace the first.",
)
@click.option("--watch", is_flag=True, help="Serve the journal's page, and open it in a browser.")
@click.option("-q", "--quiet", is_flag=True, help="Print how it closed, and no rows.")
@backend_option
@log_options
def run_command(
    scenario_path: str,
    *,
    journal_path: str | None,
    resume: bool,
    sync: Sync,
    given: tuple[str, ...],
    says: tuple[str, ...],
    mcp_dir: str | None,
    mcp_port: int,
    takeover: bool,
    watch: bool,
    quiet: bool,
    backend: Literal["asyncio", "trio"],
    log_format: str | None,
    log_level: str | None,
) -> int:
    """Play a scenario and print each row as it is committed, and how each turn without one ended.

    Nothing is compared: see replay. With --journal the run survives whatever happens to the process;
    --resume continues such a journal exactly where it stops. An interrupt prints the command for that.

    Seats under [live] in the file, and those named with --live, play for themselves; their listed
    turns are left out, and the others play theirs whenever the host gives them the turn. For each seat
    of the kind mcp it prints its address, and a file with the configuration of its client.
    With --watch the journal's page follows the run, as `deskroom watch` serves it; when the room has
    closed, it is served until an interrupt, and the exit code is the run's.

    \b
    Exit codes: 0 the room closed, 1 a property of the file does not hold, 2 a file is wrong or cannot
    be written.
    """  # noqa: D301 - click reads this mark
    set_up(log_format, log_level, backend)
    if journal_path is None and resume:
        raise UsageError("--resume needs the journal to resume: name it with --journal FILE")
    mcp = {"folder": mcp_dir, "port": mcp_port, "takeover": takeover}
    desk = LiveDesk.of(load_scenario(scenario_path), given, says, mcp)
    desk.check_backend(backend)
    with contextlib.ExitStack() as stack:
        if watch and journal_path is None:
            raise UsageError("--watch follows a journal: name one with --journal FILE")
        if journal_path is None:
            return _closed(_play(desk, None, (), backend, quiet=quiet), desk)
        page = stack.enter_context(_page(journal_path)) if watch else None
        resumes = partial(_how_to_resume, scenario_path, journal_path, backend, sync, given, mcp)
        code = _kept(desk, journal_path, backend, sync, page, resumes, resume=resume, quiet=quiet)
        if page is not None:
            _stay(page, journal_path)
    return code


def _kept(
    desk: LiveDesk,
    journal_path: str,
    backend: Literal["asyncio", "trio"],
    sync: Sync,
    page: Thread | None,
    resumes: Callable[[], str],
    *,
    resume: bool,
    quiet: bool,
) -> int:
    """Play a desk and keep it; ``page`` is begun to be fed once there is a journal.

    ``resumes`` gives the command that resumes it after an interrupt.
    """
    clock = RealClock()
    opened = partial(JournalFile.resume if resume else JournalFile.create, timer=clock.now)
    try:
        with _journal(desk, opened(journal_path, sync=sync), resume=resume) as journal:
            if page is not None:
                page.start()
            result = _play(desk, journal, journal.entries, backend, quiet=quiet)
    except BaseException as error:
        if not _is_interrupt(error) or not Path(journal_path).exists():
            raise
        # Behind the ^C that a terminal shows.
        command = resumes()
        click.echo(f"\n{command}", err=True)
        raise click.Abort from None
    # Only now is all of it written.
    remark = sync_remark(journal.sync_s, clock.now())
    if remark is not None:
        click.echo(one_line(f"{journal_path}: {remark}"), err=True)
    return _closed(result, desk)


@contextlib.contextmanager
def _page(journal_path: str) -> Iterator[Thread]:
    """Serve the journal's page meanwhile; it waits for the first line until it is fed."""
    # A server takes as long to load as all the rest, and few runs are watched.
    from deskroom.cli.watch import served
    from deskroom.serve import Follower

    with (
        Follower(journal_path, shown_path(journal_path)) as follower,
        served(follower, opens=True, err=True) as page,
    ):
        yield page


def _stay(page: Thread, journal_path: str) -> None:
    """Serve the page of a room that has closed, until an interrupt."""
    message = "the page is served until an interrupt (Ctrl-C)"
    click.echo(one_line(f"{journal_path}: {message}"), err=True)
    with contextlib.suppress(KeyboardInterrupt):
        page.join()


def _is_interrupt(error: BaseException) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return error.subgroup(KeyboardInterrupt) is not None
    return isinstance(error, KeyboardInterrupt)


def _how_to_resume(
    scenario_path: str,
    journal_path: str,
    backend: str,
    sync: str,
    given: Sequence[str],
    mcp: Mapping[str, Any],
) -> str:
    """Return the command that resumes a run, as a shell takes it."""
    if scenario_path == STDIN:
        scenario_path = "SCENARIO"
    # A name that begins with a dash would be an option.
    names = ["--", scenario_path] if scenario_path.startswith("-") else [scenario_path]
    options = [f"--journal={journal_path}"] if journal_path.startswith("-") else []
    options = options or ["--journal", journal_path]
    options += ["--resume"]
    options += ["--backend", backend] if backend != BACKENDS[0] else []
    options += ["--sync", sync] if sync != "row" else []
    options += [f"--live={text}" for text in given]
    options += [f"--mcp-dir={mcp['folder']}"] if mcp["folder"] is not None else []
    options += ["--mcp-port", f"{mcp['port']}"] if mcp["port"] else []
    options += ["--takeover"] if mcp["takeover"] else []
    command = [*options, *names] if len(names) > 1 else [*names, *options]
    return one_line(f"to resume: {join(['deskroom', 'run', *command])}")


def sync_remark(sync_s: float, total_s: float) -> str | None:
    """Return what to say of the seconds that syncing took, or None where they did not matter."""
    if sync_s < _LONG_S or sync_s <= total_s / 2:
        return None
    return (
        f"syncing to disk took {sync_s:.1f} s of {total_s:.1f} s; with --sync close the disk is "
        "waited for once, and a crash may lose the last rows"
    )


@contextlib.contextmanager
def _journal(desk: LiveDesk, opened: JournalFile, *, resume: bool) -> Iterator[JournalFile]:
    with opened as journal:
        if not resume:
            # Before anything else can happen: a journal without its first line is none.
            header = desk.room(journal=journal).header
            journal.write(header)
            journal.entries.append(header)
            yield journal
            return
        path = journal.path
        if journal.entries:
            verify_entries(journal.entries, path)
            check_resumable(desk.scenario, desk.setup, Run.from_entries(journal.entries), path)
        rows = sum(isinstance(entry, RowEntry) for entry in journal.entries)
        cut = f" (line {journal.cut} was cut short, and is cut off)" if journal.cut else ""
        click.echo(f"{path}: going on after row {rows}{cut}", err=True)
        yield journal


def _play(
    desk: LiveDesk,
    journal: JournalFile | None,
    entries: Sequence[Entry],
    backend: Literal["asyncio", "trio"],
    *,
    quiet: bool,
) -> tuple[RoomResult, Sequence[Entry]]:
    """Play a room to its close; what it wrote is returned where a property asks for it."""
    out = screen()
    file: Journal | None = journal
    kept = None
    if desk.scenario.properties:
        file = kept = MemoryJournal(journal)
        kept.entries.extend(entries)
    quiet = quiet or not desk.prints_rows

    def show(entry: RowEntry) -> None:
        for seen in project([entry.row], OPERATOR):
            click.echo(transcript_line(seen, out))

    on_row: OnRow = show if desk.terminal is None else desk.terminal.on_row
    room = desk.room(
        journal=file if quiet else _Ends(file, out),
        resume=entries,
        on_row=None if quiet else on_row,
        keeps_digest=journal is not None,
    )
    options = LOOP_OPTIONS[backend]
    result = anyio.run(desk.run, room, backend=backend, backend_options=options)
    return result, () if kept is None else kept.entries


class _Ends:
    """A journal that prints how each turn without a row ended, once that is written."""

    def __init__(self, journal: Journal | None, out: Screen) -> None:
        self._journal = journal
        self._out = out
        self._replies: list[str] = []

    def write(self, entry: Entry) -> None:
        """Keep one entry, and print it if it is such an end."""
        if self._journal is not None:
            self._journal.write(entry)
        if isinstance(entry, TurnEntry):
            self._replies = []
        elif isinstance(entry, CallEntry) and not entry.late:
            self._replies.append(entry.reply)
        elif isinstance(entry, EndEntry):
            click.echo(ended_line(entry, self._replies, self._out))


def _closed(played: tuple[RoomResult, Sequence[Entry]], desk: LiveDesk) -> int:
    """Say how the room closed, and which of the file's properties do not hold."""
    result, entries = played
    turns, rows = counted(result.granted, "turn"), counted(len(result.rows), "row")
    click.echo(f"closed: {result.closed}; {turns}, {rows}")
    # How long a model took is another each time, so it is no part of what a run prints.
    for line in desk.usage_lines:
        click.echo(one_line(line), err=True)
    violations = property_violations(desk.scenario.properties, Run(result.state, entries))
    # What follows from private rows is for those who may read them, and a seat here may not.
    viewer = OPERATOR if desk.prints_rows else Viewer("agent", "")
    for violation in violations:
        click.echo(mismatch_line(violation_mismatch(violation), viewer), err=True)
    return EXIT_MISMATCH if violations else 0
