"""A step of a run: a row with the turn that it ended, or a turn that ended without a row."""

from __future__ import annotations

from typing import NamedTuple

from deskroom.core.audience import Audience

__all__ = ["Step"]


class Step(NamedTuple):
    """What a matcher can ask about, in the words of the scenario format.

    ``seat`` is there for a seat's turn, ``person`` for what a person or the chair says; ``kind`` and
    ``audience`` for a row. ``mentions`` has each name that counts, ``next`` who is next (several after
    a broadcast), ``why`` the reason why nobody is. ``refusals`` are those of its turn's calls and
    of the row, each once. ``text`` is what was said. ``repeats_private`` says that a public row repeats an
    aside, and ``sources`` lists the seats that may read what it repeats. ``turn`` and ``row`` are their numbers; ``readers`` the seats that may read it, or None
    for all.
    """

    seat: str | None = None
    person: str | None = None
    kind: str | None = None
    outcome: str | None = None
    audience: Audience | None = None
    mentions: tuple[str, ...] = ()
    next: tuple[str, ...] = ()
    why: str | None = None
    refusals: tuple[str, ...] = ()
    hop: int | None = None
    completes: bool = False
    text: str = ""
    repeats_private: bool = False
    turn: int | None = None
    attempt: int | None = None
    row: int | None = None
    readers: tuple[str, ...] | None = None
    sources: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What to call it: its row, its turn and whose it is."""
        who = self.seat or self.person or self.kind or "somebody"
        row = "" if self.row is None else f"row {self.row}"
        turn = "" if self.turn is None else f"turn {self.turn}"
        return f"{row} ({turn}, {who})" if row and turn else f"{row or turn} ({who})"
