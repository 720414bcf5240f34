"""Where a room logs. Events are named in dots, values are fields, and no field holds content."""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import Any, Final, Literal

from deskroom.core.reasons import OK, CallFault, Outcome, RowKind
from deskroom.engine.engine import Engine
from deskroom.engine.entries import (
    CallEntry,
    CloseEntry,
    EndEntry,
    Entry,
    ExcessEntry,
    HeaderEntry,
    RoutedEntry,
    RowEntry,
    TurnEntry,
    UsageEntry,
)
from deskroom.printable import one_line, printable

__all__ = ["RoomLog", "printable_fields", "set_own_level"]

#: The levels of ``logging``, which takes a while to load.
_INFO: Final = 20
_WARNING: Final = 30
_ERROR: Final = 40
#: The least level that is heard where nobody configured structlog.
_own_level = _WARNING


class RoomLog:
    """A room's log, bound to the room's name. What it says follows from the room's entries.

    A program that has configured structlog gets its events its own way. One that has not hears
    only of warnings and errors, on stderr: a library that is imported must not print. structlog is
    loaded with the first event that somebody hears.
    """

    def __init__(self, room: str) -> None:
        self._room = room
        self._logger: Any = None
        #: Whether anybody hears of events at info level; nobody pays for a level that is off.
        self.hears_info = _is_configured() and _hears_info(self._bound())

    def entry(self, entry: Entry, engine: Engine) -> None:
        """Log an entry that is about to be applied."""
        match entry:
            case EndEntry():
                self._end(entry, engine)
            case _ if not self.hears_info:
                pass
            case HeaderEntry():
                self.info("room.opened", seats=len(entry.setup.seats))
            case TurnEntry(turn, seat):
                self.info(
                    "turn.granted", turn=turn, seat=seat, hop=entry.hop, attempt=entry.attempt
                )
            case CallEntry(turn, _, seat):
                number = {} if entry.late else {"call": entry.call_id}
                if entry.reply == OK:
                    self.info("call.accepted", turn=turn, seat=seat, **number)
                else:
                    self.info("call.refused", turn=turn, seat=seat, **number, reason=entry.reply)
            case ExcessEntry(turn, _, seat, calls):
                reason = CallFault.TOO_MANY_CALLS
                self.info("call.refused", turn=turn, seat=seat, times=calls, reason=reason)
            case UsageEntry(turn, _, seat, requests, tokens_in, tokens_out, seconds):
                tokens = {"tokens_in": tokens_in, "tokens_out": tokens_out}
                took = {"requests": requests, **tokens, "seconds": seconds}
                self.info("model.used", turn=turn, seat=seat, **took)
            case RowEntry():
                self._row(entry)
            case RoutedEntry():
                recipients = len(entry.recipients)
                self.info("broadcast.routed", sequence=entry.sequence, recipients=recipients)
            case CloseEntry(reason):
                self.info("room.closed", reason=reason, rows=len(engine.state.rows))

    def _row(self, entry: RowEntry) -> None:
        row = entry.row
        turn: dict[str, object] = {} if entry.turn is None else {"turn": entry.turn}
        if entry.kind == RowKind.SEAT:
            turn["seat"] = row.author.id
        fields = {"sequence": row.sequence, "kind": entry.kind, "audience": row.audience.kind}
        self.info("row.committed", **turn, **fields)
        if entry.kind == RowKind.SEAT:
            self.info("turn.ended", **turn, outcome=Outcome.SPOKE)

    def _end(self, entry: EndEntry, engine: Engine) -> None:
        """Log the end of a turn that becomes no row, and what is lost with it."""
        turn = {"turn": entry.turn, "seat": entry.seat}
        if engine.state.open is not None and engine.state.open.held is not None:
            self.warning("turn.dropped", **turn, why=entry.outcome)
        if self.hears_info:
            self.info("turn.ended", **turn, outcome=entry.outcome)
        if entry.error is not None:
            self.warning("turn.failed", **turn, error=entry.error.type)
        elif entry.outcome == Outcome.TIMED_OUT:
            self.warning("turn.timed_out", **turn)

    def info(self, event: str, **fields: object) -> None:
        """Log what happens in every room."""
        self._bound().info(event, **fields)

    def warning(self, event: str, **fields: object) -> None:
        """Log what somebody should look at."""
        if _own_level > _WARNING and not _is_configured():
            return
        self._bound().warning(event, **fields)

    def error(self, event: str, error: BaseException, **fields: object) -> None:
        """Log what ended the room, with the traceback."""
        self._bound().error(event, exc_info=error, **fields)

    def _bound(self) -> Any:  # noqa: ANN401 - structlog's loggers are made at run time
        if self._logger is None:
            import structlog  # noqa: PLC0415 - see the class

            logger = structlog.get_logger("deskroom") if _is_configured() else _own_logger()
            self._logger = logger.bind(room=self._room)
        return self._logger


def set_own_level(level: Literal["warning", "error"]) -> None:
    """Set the least level that rooms log where nobody configured structlog, in this process."""
    global _own_level  # noqa: PLW0603 - as with structlog's own configuration
    _own_level = _ERROR if level == "error" else _WARNING


def _is_configured() -> bool:
    structlog = sys.modules.get("structlog")
    return structlog is not None and bool(structlog.is_configured())


def _own_logger() -> Any:  # noqa: ANN401 - as above
    import structlog  # noqa: PLC0415 - as above

    return structlog.wrap_logger(
        structlog.WriteLogger(sys.stderr),
        processors=_processors(),
        wrapper_class=structlog.make_filtering_bound_logger(_own_level),
    )


def printable_fields(_logger: object, _method: str, event: dict[str, Any]) -> dict[str, Any]:
    """Write what a terminal would act on as escapes, in every field of an event.

    Only a traceback has lines: a line end in another field could pass for an event of its own.
    The console puts what has spaces in quotes, and escapes no more of it.
    """
    return {key: _printable_field(key, value) for key, value in event.items()}


def _printable_field(key: str, value: object) -> object:
    if not isinstance(value, str):
        return value
    return printable(str(value)) if key == "exception" else _Escaped(one_line(str(value)))


class _Escaped(str):
    """A text that has its escapes; Python's own way to quote it would escape joiners, too."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'" + self.replace("'", "\\'") + "'"


@cache
def _processors() -> list[Any]:
    """Return how a line is made; it takes as long to set up as a turn does to play."""
    import structlog  # noqa: PLC0415 - as above

    return [
        structlog.processors.add_log_level,
        structlog.processors.format_exc_info,
        printable_fields,
        structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty() and not os.environ.get("NO_COLOR")
        ),
    ]


def _hears_info(logger: Any) -> bool:  # noqa: ANN401 - as above
    asks = getattr(logger, "is_enabled_for", None) or getattr(logger, "isEnabledFor", None)
    return True if asks is None else bool(asks(_INFO))
