from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from deskroom.room.log import RoomLog, set_own_level


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    """Leave the level that is heard as it was found."""
    yield
    set_own_level("warning")


def test_a_program_that_configured_nothing_hears_only_of_warnings_on_stderr(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Nothing goes to stdout, and an event at info level goes nowhere."""
    log = RoomLog("d")
    log.info("row.committed", sequence=1)
    log.warning("turn.timed_out", turn=2)
    out, err = capsys.readouterr()
    assert "" == out
    assert 1 == len(err.splitlines())
    assert ("row.committed" not in err, "turn.timed_out" in err) == (True, True)
    assert "room=d turn=2" in err.replace("                 ", " ")


def test_a_program_may_hear_only_of_errors_without_structlog(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A warning goes nowhere, an error to stderr; and a warning again once that is taken back."""
    set_own_level("error")
    own = RoomLog("d")
    own.warning("turn.timed_out", turn=2)
    assert "" == capsys.readouterr().err
    own.error("room.failed", ValueError("full"))
    assert "room.failed" in capsys.readouterr().err
    set_own_level("warning")
    RoomLog("d").warning("turn.timed_out", turn=2)
    assert "turn.timed_out" in capsys.readouterr().err


def test_a_program_that_configured_structlog_gets_events_its_own_way(events: list[Any]) -> None:
    """Every event reaches the processors that are configured, with the room bound to it."""
    RoomLog("d").info("row.committed", sequence=1)
    expected = {"event": "row.committed", "sequence": 1, "room": "d", "log_level": "info"}
    assert [expected] == events


@pytest.mark.parametrize(
    "level,heard",
    [(logging.DEBUG, True), (logging.INFO, True), (logging.WARNING, False)],
)
def test_whether_info_is_heard_is_asked_of_the_logger(level: int, heard: bool) -> None:
    """Structlog's own levels and the standard library's; nobody pays for a level that is off."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(level))
    assert heard is RoomLog("d").hears_info
    structlog.configure(
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=lambda *_: logging.Logger("d", level),  # noqa: LOG001 - it shall be in no registry
    )
    assert heard is RoomLog("d").hears_info


def test_a_logger_of_neither_kind_hears_everything() -> None:
    """A logger that cannot be asked is told."""
    structlog.configure(wrapper_class=structlog.BoundLoggerBase)
    assert RoomLog("d").hears_info


def test_nobody_hears_of_info_in_a_program_that_configured_nothing() -> None:
    """So a room that nobody listens to makes no events."""
    assert not RoomLog("d").hears_info


def test_no_field_of_a_warning_reaches_a_terminal_raw(capsys: pytest.CaptureFixture[str]) -> None:
    """Escapes, overrides and bells are written out, in tracebacks too."""
    log = RoomLog("d\x1b[2J")
    log.warning("turn.timed_out", seat="b\u202egnp", why=["\x07"])
    log.warning("turn.failed", error="x\n[error] room.failed", seat="bo\u200db")
    failed = ValueError("\x1b]0;owned\x07")
    log.error("room.failed", error=failed)
    err = capsys.readouterr().err
    assert [] == [mark for mark in "\x1b\u202e\x07" if mark in err]
    assert r"room=d\x1b[2J" in err
    assert r"ValueError: \x1b]0;owned\x07" in err
    assert r"error='x\n[error] room.failed'" in err
    assert r"seat=bo\u200db" in err


def test_a_name_with_joiners_is_readable_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """With spaces it stands in quotes, and its joiners are there as well."""
    name = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
    log = RoomLog(name)
    log.warning("turn.timed_out", seat=f"{name} \U0001f469\u200d\U0001f680")
    log.warning("turn.timed_out", seat="it's b\u200db")
    err = capsys.readouterr().err
    assert f"room={name} seat='{name} \U0001f469\u200d\U0001f680'\n" in err
    assert "seat='it\\'s b\\u200db'\n" in err
