"""The row that a room would write next, worked out from its state.

Each function returns the whole entry, or says why there would be none. ``difference`` holds what
is written against it, fact by fact.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

from attrs import evolve

from deskroom.core import (
    DESK,
    Author,
    Mention,
    NoTurn,
    Row,
    TurnFor,
    agent,
    resolve,
    respond_to_person,
)
from deskroom.core.directory import Target
from deskroom.engine import steps
from deskroom.engine.calls import Accepted
from deskroom.engine.chair import nudge_text
from deskroom.engine.entries import RowEntry
from deskroom.engine.sentences import files_text
from deskroom.engine.state import RoomState, TurnRecord
from deskroom.journal.words import say, say_content, say_decision, step_text

__all__ = ["difference", "nudge", "opening", "person", "seat", "wrote"]


def seat(
    state: RoomState, record: TurnRecord, accepted: Accepted, wrote: tuple[str, ...]
) -> RowEntry:
    """Return the row of a turn that accepted a call."""
    committed = accepted.committed
    made = _made(state, Author("agent", record.seat), committed.content)
    return RowEntry(
        evolve(made, audience=committed.audience),
        "seat",
        accepted.decision,
        committed.mentions,
        record.number,
        record.trigger,
        committed.completes_episode,
        committed.broadcasting,
        committed.refusal,
        wrote=wrote,
    )


def wrote(state: RoomState, step: steps.Step) -> RowEntry | str:
    """Return the row about the files that a turn left behind."""
    if not isinstance(step, steps.Wrote):
        return f"it is about files that no turn left behind; {step_text(step)}"
    ended = step.entry
    author = ended.row.author.id if isinstance(ended, RowEntry) else ended.seat
    text = files_text(author, ended.wrote)
    made = _made(state, Author("system", kind="workspace"), text)
    return RowEntry(made, "wrote", NoTurn("source_inactive"), turn=ended.turn)


def nudge(state: RoomState, step: steps.Step) -> RowEntry | str:
    """Return the chair's row."""
    if not isinstance(step, steps.Nudge):
        return f"the chair spoke, and {step_text(step)}"
    spoken = step.seat in state.spoken
    text = nudge_text(step.seat, has_spoken=spoken, narrated=state.narrated)
    mention = Mention(agent(step.seat), f"@{step.seat}", 0)
    decision = TurnFor(step.seat, 0, mention)
    if step.pending is not None:
        decision = TurnFor(step.pending.seat, step.pending.hop)
    made = _made(state, Author("person", state.setup.chair), text)
    return RowEntry(made, "nudge", decision, (mention,))


def opening(state: RoomState, step: steps.Step) -> RowEntry | str:
    """Return the opening."""
    words = state.setup.opening
    if not isinstance(step, steps.Open) or words is None:
        return f"the room was opened, and {step_text(step)}"
    return _said(state, words.by, words.message, "opening")


def person(state: RoomState, step: steps.Step, entry: RowEntry) -> RowEntry | str:
    """Return the row of a person who says what is written; whom a person names is worked out."""
    who = entry.row.author.id or ""
    if isinstance(step, steps.Wrote | steps.Open):
        return f"a person spoke, and {step_text(step)}"
    if who not in [known.id for known in state.setup.people]:
        return f"{who!r} is no person of this room"
    return evolve(_said(state, who, entry.row.content, "person"), cue=entry.cue)


def _said(state: RoomState, who: str, message: str, kind: Literal["opening", "person"]) -> RowEntry:
    setup = state.setup
    mentions = resolve(message, None, Target("person", who), setup.directory)
    decision = respond_to_person(mentions, setup.directory, setup.desk_id)
    return RowEntry(_made(state, Author("person", who), message), kind, decision, mentions)


def _made(state: RoomState, author: Author, content: str) -> Row:
    return Row(len(state.rows) + 1, state.setup.desk_id, author, content, DESK)


def difference(entry: RowEntry, due: RowEntry) -> str | None:
    """Return the first fact in which a row is not the one that is due, or None."""
    for what, fact, told in _FACTS:
        written, decided = fact(entry), fact(due)
        if written != decided:
            return told(what, written, decided)
    return None


_Fact = tuple[str, Callable[[RowEntry], Any], Callable[[str, Any, Any], str]]

#: What a row's entry says, in the order in which a reader would ask.
_FACTS: Final[tuple[_Fact, ...]] = (
    ("the sequence", lambda entry: entry.row.sequence, say),
    ("the desk", lambda entry: entry.row.chat_id, say),
    ("the parent", lambda entry: entry.row.parent, say),
    ("the author", lambda entry: entry.row.author, say),
    ("the audience", lambda entry: entry.row.audience, say),
    ("the content", lambda entry: entry.row.content, say_content),
    ("the turn", lambda entry: entry.turn, say),
    ("the trigger", lambda entry: entry.trigger, say),
    ("the refusal", lambda entry: entry.refusal, say),
    ("completes", lambda entry: entry.completes, say),
    ("broadcasting", lambda entry: entry.broadcasting, say),
    ("the list of mentions", lambda entry: entry.mentions, say),
    ("the decision", lambda entry: entry.decision, say_decision),
    ("the cue", lambda entry: entry.cue, say),
    ("wrote", lambda entry: entry.wrote, say),
)
