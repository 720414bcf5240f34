"""What the host does next, read off the state: a ladder in the order of scenarios.md, "Close".

Nothing here changes anything. A step that was taken shows in the state, so asking again gives the
step after it; that is also how a resumed room finds where it stopped.
"""

from __future__ import annotations

from attrs import frozen

from deskroom.core.dispatch import TurnFor
from deskroom.engine.chair import choose_seat
from deskroom.engine.entries import CloseReason, EndEntry, RowEntry, TurnEntry
from deskroom.engine.script import ScriptPosition
from deskroom.engine.state import Pending, RoomState

__all__ = [
    "Close",
    "Nudge",
    "Open",
    "Route",
    "Speak",
    "Step",
    "Wait",
    "Wrote",
    "due_nudge",
    "hop_after",
    "is_completed",
    "next_step",
]


@frozen
class Open:
    """Append the opening."""


@frozen
class Speak:
    """Append a person's words that the script lists."""

    cue: int


@frozen
class Wrote:
    """Append the row about the files that a turn left behind."""

    entry: RowEntry | EndEntry


@frozen
class Route:
    """Ask the router who a broadcast goes to."""

    entry: RowEntry


@frozen
class Nudge:
    """Let the chair speak; ``pending`` is the turn that its nudge must not displace."""

    seat: str
    pending: Pending | None


@frozen
class Wait:
    """A room that nobody has opened waits for a person's first words."""


@frozen
class Close:
    """Close the room."""

    reason: CloseReason


#: A turn to grant is the entry that it will be.
Step = Open | Speak | Wrote | Route | Nudge | TurnEntry | Wait | Close


def next_step(state: RoomState) -> Step:
    """Return what the host does next. It is not asked while a live turn is open."""
    if state.owed_wrote is not None:
        return Wrote(state.owed_wrote)
    if state.unrouted is not None:
        return Route(state.unrouted)
    if state.open is not None or state.retry is not None:
        return _again(state)
    if not state.rows and not state.turns and state.setup.opening is not None:
        return Open()
    if is_completed(state):
        return Close("completed")
    person = state.script.due_person() if state.script else None
    if person is not None:
        return Speak(person)
    if state.script is not None and state.is_listed:
        return _listed(state, state.script)
    return _routed(state)


def is_completed(state: RoomState) -> bool:
    """Whether the policy's rule for completion is met."""
    if state.completions == 0:
        return False
    return state.setup.policy.close == "first" or state.episode.is_complete


def _listed(state: RoomState, script: ScriptPosition) -> Step:
    cue = script.head
    if cue is None:
        return Close("script")
    if state.granted >= state.setup.policy.max_turns:
        return Close("max_turns")
    seat = script.script.cues[cue].seat or ""
    last = state.last_said
    trigger = last.row.sequence if last is not None else None
    return TurnEntry(state.granted + 1, seat, hop_after(state, seat), trigger, 1, cue)


def hop_after(state: RoomState, seat: str) -> int:
    """Return the hop that the last row gives a seat in listed order, 0 if it did not choose it."""
    last = state.last_said
    if last is None:
        return 0
    if isinstance(last.decision, TurnFor) and last.decision.target_id == seat:
        return last.decision.child_hop
    routed = state.routed.get(last.row.sequence)
    return routed.hop if routed is not None and seat in routed.recipients else 0


def _routed(state: RoomState) -> Step:
    policy = state.setup.policy
    head = state.pending or (state.queue[0] if state.queue else None)
    if head is not None and state.script is not None and state.script.next_of(head.seat) is None:
        return Close("script")
    if state.granted >= policy.max_turns:
        return Close("max_turns")
    if state.pending is not None:
        due = policy.chair.every > 0 and state.turns_since_chair >= policy.chair.every
        return (due_nudge(state) if due else None) or _grant(state, state.pending)
    if state.queue:
        return _grant(state, state.queue[0])
    if not state.rows and not state.turns and state.script is None:
        return Wait()
    return due_nudge(state) or Close("quiet")


def due_nudge(state: RoomState) -> Nudge | None:
    """Return the chair's next nudge, or None when it has none left or there is no seat for it."""
    if state.rounds_left <= 0 or state.setup.chair is None:
        return None
    seat = choose_seat(state.nudges + 1, state.setup.active, state.spoken, state.last_author)
    return None if seat is None else Nudge(seat, state.pending)


def _grant(state: RoomState, pending: Pending) -> TurnEntry:
    cue = None if state.script is None else state.script.next_of(pending.seat)
    return TurnEntry(state.granted + 1, pending.seat, pending.hop, pending.trigger, 1, cue)


def _again(state: RoomState) -> TurnEntry:
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
