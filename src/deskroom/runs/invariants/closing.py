"""The invariants of broadcasts, and of how a room closes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from deskroom.core.reasons import CloseReason, RowKind
from deskroom.engine.entries import (
    CloseEntry,
    Entry,
    RoutedEntry,
    RowEntry,
)
from deskroom.runs.invariants.base import Rules
from deskroom.runs.invariants.model import Next, OpenTurn

__all__ = ["ClosingRules"]


class ClosingRules(Rules):
    """Looks at whom broadcasts go to, and at the close."""

    def _routed(self, entry: RoutedEntry) -> None:
        model, row = self._model, self._model.unrouted
        if row is None or row.row.sequence != entry.sequence or model.last is None:
            self._break("recipients", f"row {entry.sequence} is routed, and is no broadcast")
            return
        turn, policy = model.last, self._setup.policy
        candidates = [
            seat
            for seat in self._setup.active
            if seat != turn.seat
            and (row.row.audience.kind == "desk" or seat in row.row.audience.members)
        ]
        if turn.hop >= policy.dispatch.max_hops:
            candidates = []
        scores = self._scores(entry, turn, candidates)
        ranked = sorted(candidates, key=lambda seat: -scores.get(seat, 0.0))
        chosen = [
            seat
            for at, seat in enumerate(ranked)
            if at == 0 or scores.get(seat, 0.0) > 0.2  # noqa: PLR2004 - semantics, section 9
        ][: policy.broadcast.width]
        if list(entry.recipients) != chosen or entry.hop != turn.hop + 1:
            self._break("recipients", f"row {entry.sequence} goes to {list(entry.recipients)}")
        if [seat for seat, _ in entry.scores] != candidates:
            self._break("recipients", f"row {entry.sequence} is scored for others than can get it")
        model.unrouted = None
        model.routed[entry.sequence] = entry.hop, entry.recipients
        for seat in entry.recipients:
            if not model.is_listed:
                model.queue.append(Next(seat, turn.hop + 1, entry.sequence))
            model.done.pop(seat, None)

    def _scores(
        self, entry: RoutedEntry, turn: OpenTurn, candidates: list[str]
    ) -> Mapping[str, float]:
        """Return the scores that count: those of the script, or as they were written down."""
        script = self._setup.script
        scripted = self._setup.policy.broadcast.router == "scripted" and not self._own_router
        if scripted and script is not None and turn.cue is not None and candidates:
            return {seat: float(score) for seat, score in script.cues[turn.cue].scores.items()}
        return dict(entry.scores)

    def _close(self, entry: CloseEntry) -> None:
        if entry.reason == CloseReason.STOPPED:
            return  # it ends nothing
        model = self._model
        expected = self._closes()
        if entry.reason != expected:
            name = "queues" if entry.reason == CloseReason.QUIET else "close"
            self._break(name, f"the room closes as {entry.reason}, expected {expected}")
        model.closed = str(entry.reason)

    def _closes(self) -> str:
        """Return why a room that closes here closes, or what comes first (scenarios.md, "Close")."""
        model, policy = self._model, self._setup.policy
        if model.files is not None or model.unrouted is not None:
            return "what the last turn left"
        if model.open is not None or model.retry is not None:
            return "a turn"
        if model.is_completed:
            return "completed"
        if model.due_person() is not None:
            return "a person who is due"
        if model.is_listed:
            if model.head >= len(model.played):
                return "script"
            return "max_turns" if model.granted >= policy.max_turns else "the next in the list"
        head = model.pending or (model.queue[0] if model.queue else None)
        script = self._setup.script
        is_scripted = head is not None and script is not None and head.seat not in script.unscripted
        if is_scripted and head is not None and model.next_cue(head.seat) is None:
            return "script"
        if model.granted >= policy.max_turns:
            return "max_turns"
        if head is not None:
            return f"a turn of {head.seat}"
        can_nudge = model.nudges < policy.chair.rounds and self._to_nudge() is not None
        return "a nudge" if can_nudge else "quiet"

    def _after_close(self, entry: Entry) -> None:
        reopens = isinstance(entry, RowEntry) and entry.kind == RowKind.PERSON and entry.cue is None
        if self._model.closed != CloseReason.QUIET or not reopens:
            self._break("close", f"something follows the close ({self._model.closed})")
        self._model.closed = None

    #: What looks at each kind of entry.
    TAKES: ClassVar[Mapping[type[Entry], Callable[[Any, Any], None]]] = {
        RoutedEntry: _routed,
        CloseEntry: _close,
    }
