"""What every command shares: where output goes, and how it ends."""

from __future__ import annotations

import json
import logging
import os
import sys
from typing import Any, Final

import click
import structlog
from rich.console import Console

from deskroom.errors import FileError

__all__ = [
    "EXIT_MISMATCH",
    "EXIT_WRONG",
    "configure_logs",
    "console",
    "print_error",
    "print_json",
    "shown_path",
]

EXIT_MISMATCH: Final = 1
EXIT_WRONG: Final = 2


def console() -> Console:
    """Return a console on stdout; colours only where the terminal has them."""
    return Console(highlight=False, markup=False, emoji=False)


def print_json(value: Any) -> None:  # noqa: ANN401 - JSON-ready values
    """Write one JSON document to stdout."""
    # ASCII only, so that the bytes do not depend on the encoding of the machine.
    click.echo(json.dumps(value, indent=2))


def print_error(error: FileError) -> None:
    """Write one error to stderr, on a line of its own that begins with the place."""
    click.echo(str(error), err=True)


def shown_path(path: str) -> str:
    """Return a path for machines to read: relative, so that it is the same on each of them."""
    shown = os.path.relpath(path) if os.path.isabs(path) else path
    return shown.replace(os.sep, "/")


def configure_logs(format_: str, level: str) -> None:
    """Send structlog events to stderr. No event carries a time: a replay has none of its own."""
    renderer: Any = structlog.processors.JSONRenderer(sort_keys=True)
    if format_ == "console":
        renderer = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level.upper())),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
