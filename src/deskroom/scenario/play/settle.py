"""A run's entries as if no process had died in it."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve

from deskroom.core.reasons import RowKind
from deskroom.engine.entries import CallEntry, EndEntry, Entry, ExcessEntry, RowEntry, TurnEntry

__all__ = ["settled"]


def settled(entries: Iterable[Entry]) -> list[Entry]:
    """Return a room's entries as if no process had died.

    A grant that was cut short becomes the one after it, without the calls it had answered; the
    attempts of a turn count from 1 and mean retries only.
    """
    kept: list[Entry] = []
    attempts: dict[tuple[int, int], int] = {}
    latest: dict[int, int] = {}
    open_turn: TurnEntry | None = None
    for entry in entries:
        if isinstance(entry, TurnEntry) and open_turn is not None:
            cut = (open_turn.turn, open_turn.attempt)
            attempts[entry.turn, entry.attempt] = attempt = attempts.pop(cut, 1)
            kept = [one for one in kept if not _is_call_of(one, cut[0], attempt)]
            open_turn = entry
            continue
        if isinstance(entry, TurnEntry):
            latest[entry.turn] = latest.get(entry.turn, 0) + 1
            attempts[entry.turn, entry.attempt] = latest[entry.turn]
            open_turn = entry
        elif isinstance(entry, EndEntry) or (
            isinstance(entry, RowEntry) and entry.kind is RowKind.SEAT
        ):
            open_turn = None
        if isinstance(entry, TurnEntry | CallEntry | ExcessEntry | EndEntry):
            attempt = attempts.get((entry.turn, entry.attempt), entry.attempt)
            kept.append(evolve(entry, attempt=attempt))
        else:
            kept.append(entry)
    return kept


def _is_call_of(entry: Entry, turn: int, attempt: int) -> bool:
    is_call = isinstance(entry, CallEntry | ExcessEntry)
    return is_call and (entry.turn, entry.attempt) == (turn, attempt)  # type: ignore[union-attr]
