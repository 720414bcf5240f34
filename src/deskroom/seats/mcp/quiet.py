"""Keeps what libraries log of a request out of everybody's logs: it may hold what a seat says."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

__all__ = ["quiet"]

_LIBRARIES: Final = ("mcp.server", "mcp.shared", "sse_starlette", "uvicorn")


class _NoContent(logging.Handler):
    """Passes on where something failed and with which type of error, and no text."""

    def __init__(self, warn: Callable[..., None]) -> None:
        super().__init__(logging.WARNING)
        self._warn = warn

    def emit(self, record: logging.LogRecord) -> None:
        """Warn of a failure; what is merely remarked is dropped."""
        if record.exc_info is not None and record.exc_info[0] is not None:
            error = record.exc_info[0].__name__
            self._warn("mcp.library_failed", library=record.name, error=error)


@contextmanager
def quiet(warn: Callable[..., None]) -> Iterator[None]:
    """Let the servers' libraries log nothing themselves, for as long as the context lasts."""
    handler = _NoContent(warn)
    loggers = [logging.getLogger(name) for name in _LIBRARIES]
    for logger in loggers:
        logger.addHandler(handler)
        logger.propagate = False
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeHandler(handler)
            # Another server of this process may still run.
            logger.propagate = not any(isinstance(one, _NoContent) for one in logger.handlers)
