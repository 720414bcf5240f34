"""The rows that no call makes, and the row of a turn that spoke, each with its decision."""

from __future__ import annotations

from typing import Any

from deskroom.core.audience import DESK, Author
from deskroom.core.directory import Target, agent
from deskroom.core.dispatch import NoTurn, TurnFor
from deskroom.core.mention import Mention, resolve
from deskroom.core.reasons import NoTurnReason, RowKind
from deskroom.core.responder import respond_to_person
from deskroom.core.transcript import Row
from deskroom.engine.calls import Accepted
from deskroom.engine.chair import nudge_text
from deskroom.engine.entries import EndEntry, RowEntry
from deskroom.engine.sentences import files_text
from deskroom.engine.setup import Opening
from deskroom.engine.state import RoomState, TurnRecord

__all__ = ["cued_row", "files_row", "nudge_row", "opening_row", "person_row", "seat_row"]


def opening_row(state: RoomState, opening: Opening) -> RowEntry:
    """Return the opening."""
    return person_row(state, opening.by, opening.message, kind=RowKind.OPENING)


def cued_row(state: RoomState, cue: int) -> RowEntry:
    """Return what a person says at a place in the script."""
    assert state.script is not None  # noqa: S101 - a cue is a place in it
    listed = state.script.script.cues[cue]
    return person_row(state, listed.person or "", listed.message, cue=cue)


def person_row(
    state: RoomState,
    person: str,
    message: str,
    *,
    kind: RowKind = RowKind.PERSON,
    cue: int | None = None,
) -> RowEntry:
    """Return what a person says, which goes to whom it names first, or to the lead."""
    setup = state.setup
    mentions = resolve(message, None, Target("person", person), setup.directory)
    decision = respond_to_person(mentions, setup.directory, setup.desk_id)
    author = Author("person", person)
    return _desk_row(state, author, message, kind, decision=decision, mentions=mentions, cue=cue)


def nudge_row(state: RoomState, seat: str) -> RowEntry:
    """Return the chair's row; it hands the turn to ``seat``, or to a turn that is pending already."""
    text = nudge_text(seat, has_spoken=seat in state.spoken, narrated=list(state.narrated))
    mention = Mention(agent(seat), f"@{seat}", 0)
    pending = state.pending
    decision = TurnFor(pending.seat, pending.hop) if pending else TurnFor(seat, 0, mention)
    author = Author("person", state.setup.chair)
    return _desk_row(state, author, text, RowKind.NUDGE, decision=decision, mentions=(mention,))


def files_row(state: RoomState, ended: RowEntry | EndEntry) -> RowEntry:
    """Return the row about the files that a turn left behind."""
    seat = ended.row.author.id if isinstance(ended, RowEntry) else ended.seat
    author = Author("system", kind="workspace")
    text = files_text(seat, ended.wrote)
    decision = NoTurn(NoTurnReason.SOURCE_INACTIVE)
    return _desk_row(state, author, text, RowKind.WROTE, decision=decision, turn=ended.turn)


def seat_row(
    state: RoomState, record: TurnRecord, held: Accepted, wrote: tuple[str, ...], text: str
) -> RowEntry:
    """Return the row of a turn that spoke: what was accepted last, decision and all."""
    committed = held.committed
    author = state.speakers[record.seat].author
    sequence = len(state.rows) + 1
    row = Row(sequence, state.setup.desk_id, author, committed.content, committed.audience)
    return RowEntry(
        row,
        RowKind.SEAT,
        held.decision,
        committed.mentions,
        record.number,
        record.trigger,
        committed.completes_episode,
        committed.broadcasting,
        committed.refusal,
        wrote=wrote,
        text=text,
    )


def _desk_row(
    state: RoomState,
    author: Author,
    content: str,
    kind: RowKind,
    **facts: Any,  # noqa: ANN401 - further facts of the entry
) -> RowEntry:
    row = Row(len(state.rows) + 1, state.setup.desk_id, author, content, DESK)
    return RowEntry(row, kind, **facts)
