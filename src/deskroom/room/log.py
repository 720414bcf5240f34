"""Where a room logs. Events are named in dots, values are fields, and no field holds content."""

from __future__ import annotations

import logging
import sys
from functools import cache
from typing import Any

import structlog

__all__ = ["logs_info", "room_logger"]


def room_logger(room: str) -> Any:  # noqa: ANN401 - structlog's loggers are made at run time
    """Return a logger bound to a room.

    A program that has configured structlog gets its events its own way. One that has not hears
    only of warnings, on stderr: a library that is imported must not print.
    """
    if structlog.is_configured():
        return structlog.get_logger("deskroom").bind(room=room)
    quiet = structlog.wrap_logger(
        structlog.WriteLogger(sys.stderr),
        processors=_processors(),
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
    )
    return quiet.bind(room=room)


@cache
def _processors() -> list[Any]:
    """Return how a line is made; it takes as long to set up as a turn does to play."""
    return [structlog.processors.add_log_level, structlog.dev.ConsoleRenderer(colors=False)]


def logs_info(log: Any) -> bool:  # noqa: ANN401 - see room_logger
    """Whether a logger does anything with an event at info level."""
    asks = getattr(log, "is_enabled_for", None) or getattr(log, "isEnabledFor", None)
    return True if asks is None else bool(asks(logging.INFO))
