"""``deskroom explain``: what the room makes of one message, and the reply to its seat."""

from __future__ import annotations

import os
import sys
from typing import Final

import click

from deskroom.cli.output import console, print_json
from deskroom.cli.screen import screen
from deskroom.core import Person
from deskroom.engine.setup import Seat
from deskroom.errors import FileError, UsageError, hint
from deskroom.files import STDIN, read_bytes
from deskroom.printable import quoted
from deskroom.render.explain import (
    Explanation,
    Way,
    explain_person,
    explain_seat,
    explanation_json,
    explanation_lines,
)
from deskroom.scenario import DeskSpec, load_setting

__all__ = ["explain_command"]

_PERSON: Final = "person:"
#: No message that is read from stdin is longer.
_MOST_BYTES: Final = 64 * 1024 * 1024


@click.command("explain")
@click.argument("message", metavar="MESSAGE")
@click.option(
    "--from", "speaker", metavar="ID", required=True, help="Who says it: a seat, or a person."
)
@click.option(
    "--to",
    multiple=True,
    metavar="SEAT",
    help="Say it in private to this seat; may be given several times.",
)
@click.option("--broadcast", is_flag=True, help="Say it as a broadcast.")
@click.option("--complete", is_flag=True, help="Say it as a completion.")
@click.option(
    "--desk", "path", metavar="FILE", required=True, help="A scenario, or a file with only [desk]."
)
@click.option(
    "--hop",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="How many mentions have handed on the turn before.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead.")
def explain_command(
    message: str,
    *,
    speaker: str,
    to: tuple[str, ...],
    broadcast: bool,
    complete: bool,
    path: str,
    hop: int,
    as_json: bool,
) -> int:
    """Say what the room would do with a message, and why, as if it were the first of a room.

    Each @ in it is listed with its place, its verdict and the reason, then who may read the
    message, who is next, and the reply that the seat would get. A column counts characters from 1;
    a byte is the number of bytes of UTF-8 before the @. A scenario's policy holds; a file with
    only [desk] gets the default policy.

    MESSAGE is read from stdin when it is `-`; put `--` before one that begins with a dash. Where a
    seat and a person have one id, the seat is meant, and `person:ID` is the person.

    \b
    Exit codes: 0 explained, a refused message too; 2 the file or the command is wrong.
    """  # noqa: D301 - click reads this mark
    desk, policy = load_setting(path)
    way = _way(to, broadcast=broadcast, complete=complete)
    who = _speaker(speaker, desk, path)
    text = _stdin() if message == "-" else message
    if isinstance(who, Seat):
        explanation = explain_seat(text, who, desk, policy, way=way, to=to, hop=hop)
    elif way is None and hop == 0:
        explanation = explain_person(text, who, desk)
    else:
        raise UsageError(f"{who.id} is a person, who can only speak to the whole desk, at hop 0")
    _print(explanation, as_json=as_json)
    return 0


def _way(to: tuple[str, ...], *, broadcast: bool, complete: bool) -> Way | None:
    ways: list[Way] = []
    if to:
        ways.append("dm")
    if broadcast:
        ways.append("broadcast")
    if complete:
        ways.append("complete_episode")
    if len(ways) > 1:
        raise UsageError("--to, --broadcast and --complete exclude each other: give one of them")
    return ways[0] if ways else None


def _speaker(name: str, desk: DeskSpec, path: str) -> Seat | Person:
    seats = {seat.id: seat for seat in desk.seats}
    people = {person.id: person for person in desk.people}
    found = seats.get(name) or people.get(name) or people.get(name.removeprefix(_PERSON))
    if found is not None:
        return found
    known = [*seats, *people]
    near = hint(name, known, otherwise=f"; it has {', '.join(known)}")
    raise FileError(path, f"this desk has no seat and no person {quoted(name)}{near}")


def _stdin() -> str:
    """Return what is on stdin, without the line end that every pipe puts behind a message."""
    try:
        return read_bytes(STDIN, _MOST_BYTES).decode("utf-8").removesuffix("\n")
    except UnicodeDecodeError as error:
        raise UsageError(f"stdin is not UTF-8: byte {error.start} is wrong") from None


def _print(explanation: Explanation, *, as_json: bool) -> None:
    if as_json:
        print_json(explanation_json(explanation))
        return
    out = console()
    color = out.is_terminal and out.color_system is not None
    for line in explanation_lines(explanation, color=color, width=_width()):
        out.print(line, soft_wrap=True)


def _width() -> int | None:
    """Return how wide a line may be: nobody breaks what goes to a pipe, unless asked to."""
    return screen().width if sys.stdout.isatty() or os.environ.get("COLUMNS") else None
