"""What comes next in a room, read off its state: a ladder in the order of scenarios.md, "Close".

Nothing here changes anything. What was done shows in the state, so asking again gives what comes
after it; that is also how a resumed room finds where it stopped.
"""

from __future__ import annotations

from enum import Enum, auto

from deskroom.core.dispatch import TurnFor
from deskroom.core.reasons import CloseReason
from deskroom.engine import rows
from deskroom.engine.chair import choose_seat
from deskroom.engine.entries import CloseEntry, RoutedEntry, RowEntry, TurnEntry
from deskroom.engine.routing import can_reach
from deskroom.engine.script import ScriptPosition
from deskroom.engine.state import Pending, RoomState

__all__ = ["Await", "Due", "hop_in_list", "is_completed", "next_due"]


class Await(Enum):
    """What a room waits for when no entry is due."""

    #: The scores of a router, for the broadcast in ``RoomState.unrouted``.
    SCORES = auto()
    #: The first words of a person, in a room that nobody has opened.
    PERSON = auto()


#: The entry to write next, or what to wait for.
Due = RowEntry | TurnEntry | RoutedEntry | CloseEntry | Await


def next_due(state: RoomState, *, stopping: bool = False) -> Due:
    """Return what comes next. It is not asked while a seat is at work in an open turn.

    A room that is ``stopping`` still reports the files of its last turn and routes its broadcast.
    """
    if state.unreported_files is not None:
        return rows.files_row(state, state.unreported_files)
    if state.unrouted is not None:
        return _route(state, state.unrouted)
    if stopping:
        return CloseEntry(CloseReason.STOPPED)
    if state.open is not None or state.retry is not None:
        return _grant_again(state)
    if not state.rows and not state.turns and state.setup.opening is not None:
        return rows.opening_row(state, state.setup.opening)
    if is_completed(state):
        return CloseEntry(CloseReason.COMPLETED)
    cue = state.script.due_person() if state.script else None
    if cue is not None:
        return rows.cued_row(state, cue)
    if state.script is not None and state.is_listed:
        return _listed(state, state.script)
    return _routed(state)


def is_completed(state: RoomState) -> bool:
    """Whether the policy's rule for completion is met."""
    if state.completions == 0:
        return False
    return state.setup.policy.close == "first" or state.episode.is_complete


def _route(state: RoomState, broadcast: RowEntry) -> Await | RoutedEntry:
    """Ask a router, unless nobody can be reached anyway."""
    hop = state.turns[-1].hop
    if can_reach(state.setup, broadcast.row, hop):
        return Await.SCORES
    return RoutedEntry(broadcast.row.sequence, (), (), hop + 1)


def _listed(state: RoomState, script: ScriptPosition) -> TurnEntry | CloseEntry:
    cue = script.head
    if cue is None:
        return CloseEntry(CloseReason.SCRIPT)
    if state.granted >= state.setup.policy.max_turns:
        return CloseEntry(CloseReason.MAX_TURNS)
    seat = script.script.cues[cue].seat or ""
    last = state.last_said
    trigger = last.row.sequence if last is not None else None
    return TurnEntry(state.granted + 1, seat, hop_in_list(state, seat), trigger, 1, cue)


def hop_in_list(state: RoomState, seat: str) -> int:
    """Return the hop that the last row gives a seat in listed order, 0 if it did not choose it."""
    last = state.last_said
    if last is None:
        return 0
    if isinstance(last.decision, TurnFor) and last.decision.target_id == seat:
        return last.decision.child_hop
    routed = state.routed.get(last.row.sequence)
    return routed.hop if routed is not None and seat in routed.recipients else 0


def _routed(state: RoomState) -> RowEntry | TurnEntry | CloseEntry | Await:
    policy = state.setup.policy
    head = state.pending or (state.queue[0] if state.queue else None)
    if head is not None and state.script is not None and state.script.lacks_turn(head.seat):
        return CloseEntry(CloseReason.SCRIPT)
    if state.granted >= policy.max_turns:
        return CloseEntry(CloseReason.MAX_TURNS)
    if state.pending is not None:
        is_due = policy.chair.every > 0 and state.turns_since_chair >= policy.chair.every
        return (_nudge(state) if is_due else None) or _grant(state, state.pending)
    if state.queue:
        return _grant(state, state.queue[0])
    if not state.rows and not state.turns and state.script is None:
        return Await.PERSON
    return _nudge(state) or CloseEntry(CloseReason.QUIET)


def _nudge(state: RoomState) -> RowEntry | None:
    """Return the chair's next nudge, or None when it has none left or there is no seat for it."""
    if state.rounds_left <= 0 or state.setup.chair is None:
        return None
    seat = choose_seat(state.nudges + 1, state.setup.active, state.spoken, state.last_author)
    return None if seat is None else rows.nudge_row(state, seat)


def _grant(state: RoomState, pending: Pending) -> TurnEntry:
    cue = None if state.script is None else state.script.next_of(pending.seat)
    return TurnEntry(state.granted + 1, pending.seat, pending.hop, pending.trigger, 1, cue)


def _grant_again(state: RoomState) -> TurnEntry:
    """Grant a turn once more: one that a crash cut short, or one that was silent, as its retry."""
    record = state.open or state.retry
    assert record is not None  # noqa: S101 - the caller has looked
    cue = record.cue if state.open is not None else _retry_cue(state, record.seat)
    attempt = record.attempt + 1
    return TurnEntry(record.number, record.seat, record.hop, record.trigger, attempt, cue)


def _retry_cue(state: RoomState, seat: str) -> int | None:
    """Return the cue of a retry: the seat's next listed turn, in listed order only if it is next.

    It is never past a person whose words are due.
    """
    if state.script is None or state.script.due_person() is not None:
        return None
    cue = state.script.next_of(seat)
    return None if state.is_listed and cue != state.script.head else cue
