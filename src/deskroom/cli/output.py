"""What every command shares: where output goes, and how it ends."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import click

from deskroom.errors import FileError
from deskroom.render.text import one_line

if TYPE_CHECKING:
    from rich.console import Console

__all__ = [
    "EXIT_MISMATCH",
    "EXIT_WRONG",
    "configure_logs",
    "console",
    "print_error",
    "print_json",
    "print_warning",
    "shown_path",
]

EXIT_MISMATCH: Final = 1
EXIT_WRONG: Final = 2


def console() -> Console:
    """Return a console on stdout; colours and bold only on a terminal, and not under NO_COLOR."""
    from rich.console import Console

    colors: Literal["auto"] | None = None if _is_plain() else "auto"
    return Console(highlight=False, markup=False, emoji=False, color_system=colors)


def _is_plain() -> bool:
    return bool(os.environ.get("NO_COLOR"))


def print_json(value: Any) -> None:  # noqa: ANN401 - JSON-ready values
    """Write one JSON document to stdout."""
    # ASCII only, so that the bytes do not depend on the encoding of the machine.
    click.echo(json.dumps(value, indent=2))


def print_error(error: FileError) -> None:
    """Write one error to stderr, on a line of its own that begins with the place."""
    click.echo(one_line(str(error)), err=True)


def print_warning(place: str, warning: str) -> None:
    """Write one warning to stderr, on a line of its own that begins with the place."""
    click.echo(one_line(f"{place}: warning: {warning}"), err=True)


def shown_path(path: str) -> str:
    """Return a path for machines to read: relative, so that it is the same on each of them."""
    shown = os.path.relpath(path) if Path(path).is_absolute() else path
    return shown.replace(os.sep, "/")


def configure_logs(format_: str, level: str) -> None:
    """Send structlog events to stderr. No event carries a time: a replay has none of its own.

    Rooms log warnings and errors to stderr by themselves, as the console shows them, so structlog is
    not loaded for that alone: it takes longer to load than a scenario takes to be played.
    """
    if format_ == "console" and level in {"warning", "error"} and "structlog" not in sys.modules:
        from deskroom.room.log import set_own_level

        set_own_level("error" if level == "error" else "warning")
        return
    import logging

    import structlog

    from deskroom.room.log import printable_fields

    # JSON has escapes of its own.
    renderers: list[Any] = [structlog.processors.JSONRenderer(sort_keys=True)]
    if format_ == "console":
        colors = sys.stderr.isatty() and not _is_plain()
        renderers = [printable_fields, structlog.dev.ConsoleRenderer(colors=colors)]
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.format_exc_info,
            *renderers,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level.upper())),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
