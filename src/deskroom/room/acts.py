"""What plays a seat: an async function of a turn, or an object that is called like one.

A seat that lives elsewhere (a program, a client, a person at a terminal) also has a life around its
turns: it is opened before the first and closed after the last. Such an object has ``attend``.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from functools import partial
from inspect import iscoroutinefunction, isroutine
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from deskroom.engine.setup import Seat
from deskroom.errors import UsageError

if TYPE_CHECKING:
    from deskroom.room.attendance import Attendance
    from deskroom.room.seat import Turn

__all__ = ["Act", "Attending", "Seats", "check_acts", "check_loop"]

Act = Callable[["Turn"], Awaitable[object]]


class Seats(Protocol):
    """A mapping from seats, by id or as a ``Seat``, to what plays each; it may hold both.

    A ``Mapping`` would do, but a type checker takes a dict with keys of both kinds for none.
    """

    def items(self) -> Iterable[tuple[str | Seat, Act]]:
        """Return the seats in desk order, each with what plays it."""
        ...


@runtime_checkable
class Attending(Protocol):
    """What plays a seat and has a life around its turns."""

    def attend(self, attendance: Attendance) -> AbstractAsyncContextManager[object]:
        """Return what is entered before the room's first turn, and left once the room has closed.

        What it raises when it is entered ends the room before its first turn.
        """
        ...


def check_loop(what: str) -> None:
    """Raise ``UsageError`` in a loop of trio, for what needs asyncio."""
    trio = sys.modules.get("trio")
    if trio is not None and trio.lowlevel.in_trio_run():
        raise UsageError(f"{what} needs asyncio; run the room on that, and not on trio")


def check_acts(acts: Mapping[Seat, object]) -> None:
    """Raise ``UsageError`` for a seat that nothing can play, before anything runs."""
    for seat, act in acts.items():
        what = getattr(act, "needs_asyncio", None)
        if what is not None:
            check_loop(what)
        if not _is_async(act):
            raise UsageError(
                f"the seat {seat.id!r} is played by an async function of a turn, not by {_kind(act)}"
            )


def _is_async(act: object) -> bool:
    while isinstance(act, partial):
        act = act.func
    return not isinstance(act, type) and (
        iscoroutinefunction(act) or iscoroutinefunction(getattr(act, "__call__", None))  # noqa: B004 - its kind is asked for, not whether it is there
    )


def _kind(act: object) -> str:
    """Return what stands where a function should, in words."""
    if isinstance(act, type):
        return f"the class {act.__name__}; make an object of it"
    name = getattr(act, "__name__", None)
    if isroutine(act) and isinstance(name, str):
        return f"the function {name}, which is not async"
    return f"an object of type {type(act).__name__}"
