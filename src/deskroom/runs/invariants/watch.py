"""Looking on at a run, entry by entry, for an invariant that it breaks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from deskroom.engine.entries import (
    CallEntry,
    Entry,
    HeaderEntry,
    UsageEntry,
)
from deskroom.engine.messages import Call, Reply, TurnEnd, TurnGrant
from deskroom.runs.invariants.base import MOST_BROKEN
from deskroom.runs.invariants.closing import ClosingRules
from deskroom.runs.invariants.privacy import grant_faults, reply_faults
from deskroom.runs.invariants.rows import RowRules
from deskroom.runs.invariants.turns import TurnRules

__all__ = ["MOST_BROKEN", "InvariantWatch"]


class InvariantWatch(TurnRules, RowRules, ClosingRules):
    """Takes the entries of one run in order, from the header on, and keeps what is broken.

    ``granted``, ``replied`` and ``ended`` may be told what passes between the host and its seats, before
    the next entry.
    """

    def take(self, entry: Entry) -> None:
        """Look at one entry."""
        self._count += 1
        if self._model.closed is not None:
            self._after_close(entry)
        self._TAKES[type(entry)](self, entry)

    def resumed(self) -> None:
        """Note that the process died behind the last entry, and another goes on from there."""
        self._resumed = True

    def granted(self, grant: TurnGrant) -> None:
        """Look at what a seat is given with the turn that was granted last."""
        turn = self._model.open
        if turn is None or (grant.turn, grant.attempt) != (turn.number, turn.attempt):
            self._break("one-turn", f"turn {grant.turn} is given to a seat and is not open")
            return
        if grant.seat.id != turn.seat or grant.hop != turn.hop:
            self._break("order", f"turn {turn.number} is given as another than was granted")
        for name, problem in grant_faults(self._model, turn, grant):
            self._break(name, problem)

    def replied(self, call: Call, entry: CallEntry | None, reply: Reply) -> None:
        """Look at the reply to a call; its entry is taken after this, if there is one."""
        expected = None if entry is None or entry.reply == "ok" else entry.reply
        if entry is not None and (reply.ok, reply.rejection) != (expected is None, expected):
            said = "ok" if reply.ok else reply.rejection
            self._break("reply", f"a call of {call.seat} is told {said}, and kept as {entry.reply}")
        for problem in reply_faults(self._model, call, reply):
            self._break("privacy", problem)

    def ended(self, end: TurnEnd) -> None:
        """Look at how a seat ends its turn; what follows is taken after this."""
        turn = self._model.open
        is_open = turn is not None and (turn.number, turn.attempt) == (end.turn, end.attempt)
        self._raised = is_open and end.error is not None

    def finish(self) -> None:
        """Look at a run that is over: the engine has no more entries to give."""
        if self._model.closed is None:
            self._break("ends", "the run has no close")

    def _header(self, entry: HeaderEntry) -> None:  # noqa: ARG002 - known already
        if self._count != 1:
            self._break("resume", "there is a second header")

    def _usage(self, entry: UsageEntry) -> None:
        """Nothing is decided by it."""

    _TAKES: ClassVar[Mapping[type[Entry], Callable[[Any, Any], None]]] = {
        HeaderEntry: _header,
        UsageEntry: _usage,
        **TurnRules.TAKES,
        **RowRules.TAKES,
        **ClosingRules.TAKES,
    }
