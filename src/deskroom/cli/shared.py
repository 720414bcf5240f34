"""Options that several commands take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

import click
from attrs import frozen

from deskroom.cli.output import configure_logs
from deskroom.errors import FileError, UsageError, hint
from deskroom.printable import counted
from deskroom.render.text import one_line

if TYPE_CHECKING:
    from deskroom.core import Viewer
    from deskroom.scenario.format.find import Search

__all__ = [
    "BACKENDS",
    "LOG_FORMATS",
    "LOG_LEVELS",
    "LogOptions",
    "backend_option",
    "check_seat",
    "log_options",
    "print_passed_over",
    "set_up",
]

BACKENDS: Final = ("asyncio", "trio")
LOG_FORMATS: Final = ("console", "json")
LOG_LEVELS: Final = ("debug", "info", "warning", "error", "critical")

#: So many of the files that are passed over are named.
_NAMED: Final = 3

Command = Callable[..., Any]


@frozen
class LogOptions:
    """What was said about logs before the subcommand.

    ``warns`` tells whether warnings about files may stand between the log lines: not where only
    errors are asked for, nor where each line is JSON.
    """

    format: str | None = None
    level: str | None = None
    warns: bool = True


def log_options(command: Command) -> Command:
    """Let a command take the log options as well, so that they may stand at either place."""
    command = click.option(
        "--log-level",
        type=click.Choice(LOG_LEVELS),
        help="The least level that is logged, to stderr.  [default: warning]",
    )(command)
    return click.option(
        "--log-format",
        type=click.Choice(LOG_FORMATS),
        help="How log lines look.  [default: console]",
    )(command)


def backend_option(command: Command) -> Command:
    """Let a command take the event loop to run on."""
    return click.option(
        "--backend",
        type=click.Choice(BACKENDS),
        default="asyncio",
        show_default=True,
        help="The event loop to run on. What comes out is the same.",
    )(command)


def check_seat(path: str, seats: Sequence[str], viewer: Viewer) -> None:
    """Raise ``FileError`` when the seat that is to be shown does not sit at a file's desk."""
    if viewer.kind == "agent" and viewer.id not in seats:
        near = hint(viewer.id or "", seats, otherwise=f"; its seats are {', '.join(seats)}")
        raise FileError(path, f"this desk has no seat {viewer.id!r}{near}")


def print_passed_over(found: Search) -> None:
    """Say on stderr how many files a search took for none of ours, and name the first of them."""
    if found.passed_over:
        more = ", …" if len(found.passed_over) > _NAMED else ""
        names = ", ".join(str(path) for path in found.passed_over[:_NAMED])
        count = counted(len(found.passed_over), "TOML file")
        line = f"passed over {count} with none of desk, format, turn: {names}{more}"
        click.echo(one_line(line), err=True)


def set_up(
    log_format: str | None,
    log_level: str | None,
    backend: str | None = None,
    *,
    default_level: str = "warning",
) -> LogOptions:
    """Make ready what the shared options ask for, and return how it logs.

    Raises ``UsageError`` without the backend.
    """
    before = click.get_current_context().find_object(LogOptions) or LogOptions()
    asked = log_level or before.level
    format_ = log_format or before.format or "console"
    warns = format_ != "json" and asked not in {"error", "critical"}
    logs = LogOptions(format_, asked or default_level, warns)
    configure_logs(logs.format or "", logs.level or "")
    if backend is not None and find_spec(backend) is None:
        raise UsageError(f"{backend} is not installed; get it with: pip install 'deskroom[trio]'")
    return logs
