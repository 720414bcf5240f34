from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from deskroom.room.log import logs_info, room_logger


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    """Leave structlog as unconfigured as it was found."""
    structlog.reset_defaults()
    yield
    structlog.reset_defaults()


def test_a_program_that_configured_nothing_hears_only_of_warnings_on_stderr(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Nothing goes to stdout, and an event at info level goes nowhere."""
    log = room_logger("d")
    log.info("row.committed", sequence=1)
    log.warning("turn.timed_out", turn=2)
    out, err = capsys.readouterr()
    assert "" == out
    assert 1 == len(err.splitlines())
    assert ("row.committed" not in err, "turn.timed_out" in err) == (True, True)
    assert "room=d turn=2" in err.replace("                 ", " ")


def test_a_program_that_configured_structlog_gets_events_its_own_way(events: list[Any]) -> None:
    """Every event reaches the processors that are configured, with the room bound to it."""
    room_logger("d").info("row.committed", sequence=1)
    expected = {"event": "row.committed", "sequence": 1, "room": "d", "log_level": "info"}
    assert [expected] == events


def test_whether_info_is_heard_is_asked_of_the_logger() -> None:
    """Structlog's own levels, the standard library's and a logger of neither kind."""
    assert (False, True) == (logs_info(room_logger("d")), logs_info(object()))
    heard = [
        logs_info(logging.Logger("d", level))  # noqa: LOG001 - it shall be in no registry
        for level in (logging.DEBUG, logging.INFO, logging.WARNING)
    ]
    assert [True, True, False] == heard
