"""The invariants of rows: of seats, people, the chair and about files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from deskroom.core.audience import Author
from deskroom.core.dispatch import NoTurn, TurnFor
from deskroom.core.mention import Mention
from deskroom.core.reasons import RowKind
from deskroom.engine.entries import (
    Entry,
    RowEntry,
)
from deskroom.runs.invariants.base import Rules
from deskroom.runs.invariants.calls import written_mentions
from deskroom.runs.invariants.model import Held, Next, OpenTurn
from deskroom.runs.invariants.privacy import repeated_private

__all__ = ["RowRules"]


class RowRules(Rules):
    """Looks at rows, and at what each decides."""

    def _row(self, entry: RowEntry) -> None:
        model, row = self._model, entry.row
        if row.sequence != len(model.rows) + 1:
            self._break("one-row", f"row {row.sequence} follows row {len(model.rows)}")
        if (row.chat_id, row.parent) != (self._setup.desk_id, None):
            self._break("one-row", f"row {row.sequence} is of another desk or thread")
        if model.files is not None and entry.kind != RowKind.WROTE:
            self._break("files-first", f"row {row.sequence} stands before the row about files")
        if entry.kind != RowKind.SEAT and row.audience.kind != "desk":
            self._break("privacy", f"row {row.sequence} is no seat's, and not for the desk")
        self._ROWS[entry.kind](self, entry)
        model.add(entry)

    def _seat_row(self, entry: RowEntry) -> None:
        model, turn, row = self._model, self._model.open, entry.row
        name = f"row {row.sequence} of {row.author.id}"
        if turn is None or (turn.number, turn.seat) != (entry.turn, row.author.id):
            self._break("one-turn", f"{name} stands, and no turn of it is open")
            return
        if self._resumed:
            self._break("resume", f"{name} stands before its turn is granted again")
        held = turn.held
        if self._raised:
            self._break("outcome", f"{name} stands, and its seat raised an error")
        if held is None:
            self._break("outcome", f"{name} stands, and no call of its turn was accepted")
        else:
            self._held_against(entry, held, name)
        if entry.trigger != turn.trigger or row.author != Author("agent", turn.seat):
            self._break("one-turn", f"{name} is of another turn")
        self._decided(entry, turn, name)
        if not model.interrupted:
            decision = entry.decision
            model.pending = (
                Next(decision.target_id, decision.child_hop, row.sequence)
                if isinstance(decision, TurnFor)
                else None
            )
        model.interrupted = False
        model.spoken[turn.seat] = None
        model.last_author = turn.seat
        model.files = entry if entry.wrote else None
        model.unrouted = entry if entry.broadcasting else None
        if entry.completes:
            model.completions += 1
            model.done[turn.seat] = None
        self._closed_turn(turn)

    def _held_against(self, entry: RowEntry, held: Held, name: str) -> None:
        stands = (entry.row.content, entry.completes, entry.broadcasting, entry.refusal)
        if stands != (held.message, held.completes, held.broadcasting, held.refusal):
            self._break("last-call", f"{name} is not the last call that was accepted")
        if entry.row.audience != held.audience:
            self._break("privacy", f"{name} has another audience than its call asked for")
        if entry.mentions != written_mentions(self._model, entry.row.author.id or "", held):
            self._break("mentions", f"{name} mentions others than its call does")

    def _decided(self, entry: RowEntry, turn: OpenTurn, name: str) -> None:
        """Hold the decision of a seat's row against the ladder of semantics, section 5."""
        policy, active = self._setup.policy.dispatch, self._setup.active
        first = _first_agent(entry.mentions)
        named = None if first is None else first.target.id
        expected: tuple[str | None, int | None, str | None]
        if entry.broadcasting:
            expected = None, None, "broadcast"
        elif not policy.enabled:
            expected = None, None, "disabled"
        elif turn.hop >= policy.max_hops:
            expected = None, None, "hop_limit_reached"
        elif turn.seat not in active:
            expected = None, None, "source_inactive"
        elif named is None:
            expected = None, None, "no_direct_agent_mention"
        elif named == turn.seat:
            expected = None, None, "self_mention"
        elif named not in active:
            expected = None, None, "target_inactive"
        else:
            expected = named, turn.hop + 1, None
        if expected != _decision(entry):
            self._break("decision", f"{name} gives {_decision(entry)}, expected {expected}")

    def _opening_row(self, entry: RowEntry) -> None:
        opening = self._setup.opening
        said = (entry.row.author, entry.row.content)
        if self._model.rows or self._model.granted:
            self._break("resume", "there is a second opening")
        if opening is None or said != (Author("person", opening.by), opening.message):
            self._break("person", "the opening is not the one of the room")
        self._person(entry)

    def _person_row(self, entry: RowEntry) -> None:
        model, script = self._model, self._setup.script
        if entry.cue is not None:
            listed = None if script is None else script.cues[entry.cue]
            said = Author("person", listed.person if listed else None), listed and listed.message
            if model.due_person() != entry.cue or said != (entry.row.author, entry.row.content):
                self._break("order", f"row {entry.row.sequence} is not the person who is due")
            if model.open is not None or model.retry is not None or model.unrouted is not None:
                self._break("order", f"row {entry.row.sequence} comes before what is due")
            if model.is_completed:
                self._break("close", f"row {entry.row.sequence} stands, and the work is complete")
            model.play(entry.cue)
        elif entry.row.author.id not in [person.id for person in self._setup.people]:
            self._break("person", f"row {entry.row.sequence} is of a stranger")
        self._person(entry)

    def _person(self, entry: RowEntry) -> None:
        model, active = self._model, self._setup.active
        named = [
            mention
            for mention in entry.mentions
            if mention.target.kind == "agent" and not mention.quiet and mention.target.id in active
        ]
        first = min(named, key=lambda one: one.offset, default=None)
        seat = first.target.id if first is not None else next(iter(active), None)
        expected = (seat, 0, None) if seat is not None else (None, None, "no_active_seat")
        if _decision(entry) != expected:
            self._break("person", f"row {entry.row.sequence} gives the turn to {_decision(entry)}")
        model.pending = None if seat is None else Next(seat, 0, entry.row.sequence)
        model.interrupted = model.open is not None or model.retry is not None

    def _nudge_row(self, entry: RowEntry) -> None:
        model, policy = self._model, self._setup.policy.chair
        name = f"the nudge in row {entry.row.sequence}"
        if model.open is not None or model.retry is not None or model.unrouted is not None:
            self._break("order", f"{name} comes before what is due")
        if model.nudges >= policy.rounds or model.nudged:
            self._break("rounds", f"{name} is one too many")
        if model.is_listed or model.is_completed or model.due_person() is not None:
            self._break("rounds", f"{name} comes where the chair does not speak")
        waiting = model.pending
        if waiting is None and model.queue:
            self._break("queues", f"{name} comes before who is queued")
        if waiting is not None and not self._cadence_is_due():
            self._break("rounds", f"{name} comes before a pending turn, and no cadence is due")
        seat = self._to_nudge()
        if seat is None or not entry.row.content.startswith(f"@{seat} "):
            self._break("nudge", f"{name} is not for {seat}")
        chair = policy.by or (self._setup.people[0].id if self._setup.people else None)
        if entry.row.author != Author("person", chair):
            self._break("nudge", f"{name} is not by {chair}")
        if repeated_private(model, entry.row.content):
            self._break("privacy", f"{name} repeats a private message")
        expected = (seat, 0, None) if waiting is None else (waiting.seat, waiting.hop, None)
        if _decision(entry) != expected:
            self._break("nudge", f"{name} gives the turn to {_decision(entry)}")
        model.nudges += 1
        model.nudged = True
        model.since_chair = 0
        if waiting is None and seat is not None:
            model.pending = Next(seat, 0, entry.row.sequence)

    def _wrote_row(self, entry: RowEntry) -> None:
        model, row = self._model, entry.row
        files = model.files
        if files is None:
            self._break("files-first", f"row {row.sequence} is about files that nobody left")
            return
        seat = files.row.author.id if isinstance(files, RowEntry) else files.seat
        told = all(path in row.content for path in files.wrote) and (seat or "") in row.content
        if row.author != Author("system", kind="workspace") or not told:
            self._break("files-first", f"row {row.sequence} is about other files")
        if _decision(entry) != (None, None, "source_inactive"):
            self._break("decision", f"row {row.sequence} gives the turn to {_decision(entry)}")
        model.files = None

    _ROWS: ClassVar[Mapping[RowKind, Callable[[RowRules, RowEntry], None]]] = {
        RowKind.SEAT: _seat_row,
        RowKind.OPENING: _opening_row,
        RowKind.PERSON: _person_row,
        RowKind.NUDGE: _nudge_row,
        RowKind.WROTE: _wrote_row,
    }

    #: What looks at each kind of entry.
    TAKES: ClassVar[Mapping[type[Entry], Callable[[Any, Any], None]]] = {
        RowEntry: _row,
    }


def _first_agent(mentions: tuple[Mention, ...]) -> Mention | None:
    named = (one for one in mentions if one.target.kind == "agent" and not one.quiet)
    return min(named, key=lambda one: one.offset, default=None)


def _decision(entry: RowEntry) -> tuple[str | None, int | None, str | None]:
    decision = entry.decision
    if isinstance(decision, NoTurn):
        return None, None, str(decision.reason)
    return decision.target_id, decision.child_hop, None
