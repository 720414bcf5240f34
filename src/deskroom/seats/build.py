"""From what a desk file says of a live seat to what plays it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from deskroom.errors import UsageError
from deskroom.room.acts import Act
from deskroom.scenario.format.live import LiveSeat

__all__ = ["build_seat"]


def build_seat(seat: str, spec: LiveSeat, folder: Path) -> Act:
    """Return what plays a seat. ``folder`` is the desk file's, from which paths in it are told.

    Nothing is started yet. Raises ``UsageError`` for what cannot be built here, in one sentence:
    an extra that is not installed, a function that is not there.
    """
    return _BUILDERS[spec.kind](seat, spec, folder)


def _python(_seat: str, spec: LiveSeat, _folder: Path) -> Act:
    from deskroom.seats.python import load_function

    return load_function(spec.function or "")


def _not_yet(seat: str, spec: LiveSeat, _folder: Path) -> Act:
    raise UsageError(f"the seat {seat!r} cannot be played by {spec.kind!r} yet")


_BUILDERS: Final[Mapping[str, Callable[[str, LiveSeat, Path], Act]]] = {
    "chat": _not_yet,
    "command": _not_yet,
    "mcp": _not_yet,
    "person": _not_yet,
    "python": _python,
}
