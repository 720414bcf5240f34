"""``deskroom import``: a transcript that was made elsewhere becomes a run of ours, or a scenario."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click

from deskroom.cli.output import EXIT_MISMATCH, print_warning
from deskroom.cli.shared import set_up
from deskroom.engine.policy import Policy
from deskroom.errors import FileError, UsageError
from deskroom.files import check_output, write_output
from deskroom.imports.cast import Wishes
from deskroom.imports.containers import open_source
from deskroom.imports.ids import is_addressable
from deskroom.imports.importer import (
    Importer,
    Options,
    find_importer,
    importers,
    load_importer,
    version_of,
)
from deskroom.imports.room import ImportedRoom, open_room
from deskroom.imports.scenario import import_scenario
from deskroom.imports.source import Source, check_encoding
from deskroom.imports.write import Written, write_transcript
from deskroom.printable import counted
from deskroom.render.text import one_line
from deskroom.scenario.format.load import load_setting

__all__ = ["import_command"]

#: So many names of a desk, or of a mapping, are shown.
_MOST_SHOWN: Final = 40
#: A file of this size is read for so long that it is worth a bar.
_BIG: Final = 32 << 20


@click.command("import")
@click.argument("paths", nargs=-1, metavar="FILE...")
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    help="Write here: .toml a scenario, else a transcript; - is stdout.",
)
@click.option(
    "--from", "format_", metavar="FORMAT", help="The format; otherwise the content says it."
)
@click.option(
    "--room", metavar="NAME", help="Which room (channel, chat, session, sample) of the file."
)
@click.option(
    "--desk", metavar="FILE", help="Whose desk it is: a scenario, or a file with only [desk]."
)
@click.option("--people", metavar="NAMES", multiple=True, help="Speakers who are people: a,b.")
@click.option("--seats", metavar="NAMES", multiple=True, help="Speakers who are seats: a,b.")
@click.option(
    "--map",
    "mapping",
    metavar="NAME=ID",
    multiple=True,
    help="Whose id a name, handle or key of the source is: U123=bob.",
)
@click.option(
    "--encoding", metavar="NAME", help="The encoding of what is not UTF-8, such as cp1252."
)
@click.option("--strict", is_flag=True, help="End with 1 when anything was left out.")
@click.option("--force", is_flag=True, help="Overwrite OUT if it is there.")
@click.option(
    "--list", "list_", is_flag=True, help="List the formats, with versions and an example of each."
)
def import_command(
    paths: tuple[str, ...],
    *,
    output: str | None,
    format_: str | None,
    room: str | None,
    desk: str | None,
    people: tuple[str, ...],
    seats: tuple[str, ...],
    mapping: tuple[str, ...],
    encoding: str | None,
    strict: bool,
    force: bool,
    list_: bool,
) -> int:
    """Read a transcript that was made elsewhere, and write it as a transcript or a scenario of ours.

    FILE may be a file, a folder, a zip, an SQLite database, or `-` for stdin; several are one room,
    one after another. Nothing but FILE is opened, and nothing in it is run or unpacked to disk.

    The transcript has a header, and rows in the wire form, which `deskroom show`, `diff` and others
    read. The scenario replays to the same rows: one turn a row, what the rules give expected of
    each, and a comment at each place where the original went on otherwise.

    What cannot be carried over is listed on stderr and in the output, each kind with its count and
    first place.

    \b
    Exit codes: 0 it was imported, 1 something was left out under --strict, 2 a file cannot be read
    or the command is wrong.
    """  # noqa: D301 - click reads this mark
    if list_:
        _list()
        return 0
    _check_usage(paths, output)
    set_up(None, None, default_level="error")
    assert output is not None  # noqa: S101 - just checked
    if output != "-":
        check_output(output, force=force, sources=paths)
    wishes, policy = _wishes(desk, people, seats, mapping)
    checked = None if encoding is None else check_encoding(encoding)
    sources = [open_source(path, checked) for path in paths]
    importer, reason = _importer(sources, format_)
    with _progress(sources) as watched:
        opened = open_room(
            sources,
            importer,
            Options(room=room),
            wishes,
            max_message_bytes=policy.max_message_bytes,
            watched=watched,
        )
        written = _write(opened, output, room, policy, force=force, sources=paths)
    _report(opened, written, reason, output)
    return EXIT_MISMATCH if strict and written.left.kinds else 0


def _check_usage(paths: Sequence[str], output: str | None) -> None:
    if not paths:
        raise click.UsageError("Missing argument 'FILE...'; --list lists the formats.")
    if output is None:
        raise click.UsageError("Missing option '-o': where to write; - is stdout.")
    if len(set(paths)) < len(paths):
        raise click.UsageError("A file is named twice.")


# --- what the user said ------------------------------------------------------------------------


def _wishes(
    desk: str | None, people: Iterable[str], seats: Iterable[str], mapping: Iterable[str]
) -> tuple[Wishes, Policy]:
    ids = dict(_pair(one) for one in mapping)
    named = tuple(_names(people)), tuple(_names(seats))
    both = set(named[0]) & set(named[1])
    if both:
        raise UsageError(f"{min(both)!r} cannot be a person and a seat at once")
    if desk is None:
        return Wishes(people=named[0], seats=named[1], ids=ids), Policy()
    spec, policy = load_setting(desk)
    wishes = Wishes(
        people=named[0],
        seats=named[1],
        ids=ids,
        desk_id=spec.id,
        desk_name=spec.name,
        desk_seats=spec.seats,
        desk_people=spec.people,
    )
    return wishes, policy


def _names(lists: Iterable[str]) -> Iterator[str]:
    return (name.strip() for one in lists for name in one.split(",") if name.strip())


def _pair(text: str) -> tuple[str, str]:
    name, found, id = text.rpartition("=")
    if not found or not name or not id:
        raise UsageError(f"--map takes NAME=ID, such as U123=bob, and not {text!r}")
    if not is_addressable(id):
        raise UsageError(f"no message could name the id {id!r} of --map {text!r}")
    return name, id


# --- reading and writing -----------------------------------------------------------------------


def _importer(sources: Sequence[Source], name: str | None) -> tuple[Importer, str]:
    """Return the importer that fits every input, and why."""
    found = [find_importer(source, name) for source in sources]
    importer, reason = found[0]
    for source, (other, _) in zip(sources, found, strict=True):
        if other.name != importer.name:
            problem = f"this is {other.name}, and {sources[0].path} is {importer.name}"
            raise FileError(source.path, problem, kind="ambiguous_format")
    return importer, reason


def _write(
    room: ImportedRoom,
    output: str,
    name: str | None,
    policy: Policy,
    *,
    force: bool,
    sources: Sequence[str],
) -> Written:
    if output.lower().endswith(".toml"):
        scenario = import_scenario(room, policy, _origin(room, name))
        write_output(output, scenario.text, force=force, sources=sources)
        return scenario.written
    pieces, written = write_transcript(room, version_of(room.importer.name), name)
    if output == "-":
        for piece in pieces:
            click.echo(piece, nl=False)
    else:
        write_output(output, pieces, force=force, sources=sources)
    return written


def _origin(room: ImportedRoom, name: str | None) -> Iterator[str]:
    """Yield what the comments at the top of a scenario say of where it is from."""
    yield f"Imported by deskroom import: {room.importer.name} ({room.importer.reads})."
    for source in room.sources:
        yield f"From {source.name}, {source.digest()}."
    if name is not None:
        yield f"The room is {name}."
    for member in room.members:
        if member.shown != member.id:
            yield f"{member.id} is {member.shown!r} there."


@contextmanager
def _progress(sources: Sequence[Source]) -> Iterator[Callable[[Source], None] | None]:
    """Show how far a big file was read, on stderr and only where that is a terminal."""
    size = sum(os.path.getsize(one.path) for one in sources if Path(one.path).is_file())  # noqa: PTH202 - a path as it is given
    if size < _BIG or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=size)
        last = [0]

        def watch(source: Source) -> None:
            if abs(source.position - last[0]) > _BIG >> 6:
                last[0] = source.position
                bar.update(task, completed=source.position)

        yield watch


# --- what is said of it ------------------------------------------------------------------------


def _report(room: ImportedRoom, written: Written, reason: str, output: str) -> None:
    path = room.sources[0].path
    _say(f"{path}: read as {room.importer.name}: {reason}")
    for source in room.sources:
        for line, problem in source.warnings:
            print_warning(source.path if line is None else f"{source.path}:{line}", problem)
    for kind, members in (("seats", "agent"), ("people", "person")):
        named = list(
            dict.fromkeys(_named(m.id, m.shown) for m in room.members if m.kind == members)
        )
        if named:
            _say(f"{kind}: {_shortened(named)}")
    if written.mentioned:
        changed = [f"{name} is @{id}" for name, id in written.mentioned.items()]
        _say(f"mentions: {_shortened(changed)}")
    for kind, (count, place) in written.left.kinds.items():
        where = f", the first at {place}" if str(place) else ""
        print_warning(path, f"left out: {kind}, {counted(count, 'time')}{where}")
    if written.left.repeated:
        _say(f"{counted(written.left.repeated, 'message')} stored twice, and there once")
    _say(f"{'stdout' if output == '-' else output}: {counted(written.rows, 'row')}")


def _named(id: str, shown: str) -> str:
    return id if shown == id else f"{id} ({shown})"


def _shortened(items: Sequence[str]) -> str:
    more = len(items) - _MOST_SHOWN
    return ", ".join(items[:_MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _say(line: str) -> None:
    click.echo(one_line(line), err=True)


def _list() -> None:
    """Print the formats, with what each reads; one that does not work is said so."""
    for name, entry in importers().items():
        try:
            importer = load_importer(entry)
        except UsageError as error:
            click.echo(one_line(f"{name}: {error}"))
            continue
        click.echo(one_line(f"{name} ({version_of(name)}): {importer.reads}"))
        click.echo(one_line(f"    {importer.example}"))
