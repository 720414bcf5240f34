"""Why a turn or a row came out as it did: the host's reason, as a clause for people to read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from deskroom.core import Decision, NoTurn, Row, TurnFor, agent, explain_mentions
from deskroom.core.episode import ALSO_ROUTED_ABOVE
from deskroom.core.explain import Note
from deskroom.core.reasons import NoTurnReason
from deskroom.engine.entries import Raised, RowEntry
from deskroom.engine.routing import candidates, unreachable
from deskroom.engine.sentences import explain_decision, note_sentence
from deskroom.printable import counted
from deskroom.runs.run import Run, RunItem

__all__ = [
    "MOST_SCORES",
    "decision_clause",
    "note_clause",
    "reaches",
    "router_clause",
    "scores_clause",
    "why",
    "why_closed",
    "why_no_row",
]

_MOST_NOTES: Final = 4
#: How many of a router's scores are shown where nobody asked for all of them.
MOST_SCORES: Final = 8

#: A seat is told these about itself ("it names you"), so for people they have words of their own.
_OF_THE_AUTHOR: Final = {
    NoTurnReason.SOURCE_INACTIVE: "{author} is not an active seat",
    NoTurnReason.SELF_MENTION: "{author} names itself",
}


def why(item: RunItem, key: str = "next") -> str:
    """Return the host's reason for what came out under a key of ``TURN_VALUES``."""
    entry = item.entry
    if entry is None:
        return _why_no_row(item)
    if key in {"audience", "refusal"}:
        return _why_audience(entry)
    if key in {"next", "mentions"}:
        return "; ".join([_why_next(item, entry), *_passed_over(item, entry)])
    if key == "completes":
        return (
            f"the accepted call {'completes' if entry.completes else 'does not complete'} the work"
        )
    return f"the last accepted call became row {entry.row.sequence}"


def why_closed(run: Run) -> str:
    """Return why a room closed, after how many turns, and what failed if something did."""
    turns = counted(run.granted, "turn")
    failure = "" if run.failure is None else f": {run.failure}"
    return f"the room closed with {str(run.closed)!r} after {turns}{failure}"


def _why_no_row(item: RunItem) -> str:
    turn = item.turn
    if turn is None:
        return "the turn was never played"
    return why_no_row(turn.outcome, turn.replies, turn.error)


def why_no_row(outcome: str | None, replies: Sequence[str], error: Raised | None) -> str:
    """Return why a turn became no row, by how it ended, its replies, and what the seat raised."""
    if outcome == "refused":
        return f"no message was accepted: {', '.join(replies)}"
    if error is not None:
        return f"the seat raised {error}"
    return {
        "silent": "the seat made no call",
        "timed_out": "the seat took longer than turn_timeout_s",
    }.get(outcome or "", "the room closed during the turn")


def _why_audience(entry: RowEntry) -> str:
    if entry.refusal is not None:
        return f"the desk declined to keep it private: {entry.refusal}"
    if entry.row.audience.kind == "aside":
        return "the accepted call was a private one"
    return "the accepted call was for the whole desk"


def _why_next(item: RunItem, entry: RowEntry) -> str:
    decision, author = entry.decision, entry.row.author
    if entry.broadcasting:
        return _why_routed(item, entry)
    if entry.kind == "wrote":
        return "a row about files starts no turn"
    if entry.kind == "nudge":
        waits = isinstance(decision, TurnFor) and decision.mention is None
        return "its turn waited for the chair" if waits else "the chair chose it"
    max_hops = item.setup.policy.dispatch.max_hops
    return decision_clause(decision, author.id, max_hops, entry.row.content)


def _why_routed(item: RunItem, entry: RowEntry) -> str:
    if item.recipients:
        return f"the router chose {', '.join(item.recipients)}"
    policy = item.setup.policy
    reason = unreachable(candidates(item.setup, entry.row), _hop(item), policy)
    if reason is not None:
        return explain_decision(NoTurn(reason), policy.dispatch.max_hops)
    return "no router has chosen yet"


def _hop(item: RunItem) -> int:
    """Return the hop of the turn in which a broadcast was made."""
    if item.routed is not None:
        return item.routed.hop - 1
    return item.turn.hop if item.turn is not None else 0


def scores_clause(scores: Mapping[str, float], width: int, *, most: int | None = None) -> str:
    """Return a router's scores, best first, and the rule that chooses by them.

    Only the best ``most`` are shown, and how many more there are.
    """
    ranked = sorted(scores, key=lambda seat: -scores[seat])
    shown = [f"{seat} {_score(scores[seat])}" for seat in ranked[:most]]
    if len(ranked) > len(shown):
        shown.append(f"and {len(ranked) - len(shown)} more")
    seats = counted(width, "seat")
    rule = f"the best, and others above {ALSO_ROUTED_ABOVE:.2f}, at most {seats}"
    return f"scores: {', '.join(shown)} ({rule})"


def router_clause(item: RunItem) -> str:
    """Return how a router scored a broadcast, or nothing where none was asked."""
    if item.routed is None or not item.routed.scores:
        return ""
    width = item.setup.policy.broadcast.width
    return scores_clause(dict(item.routed.scores), width, most=MOST_SCORES)


def _score(score: float) -> str:
    """Return a score, short unless that would put it on the other side of the threshold."""
    short = f"{score:.4g}"
    same_side = (float(short) > ALSO_ROUTED_ABOVE) == (score > ALSO_ROUTED_ABOVE)
    return short if same_side else repr(score)


def decision_clause(decision: Decision, author: str | None, max_hops: int, content: str) -> str:
    """Return a decision as people read it; see ``explain_decision`` for how its author does."""
    if not isinstance(decision, TurnFor) and decision.reason in _OF_THE_AUTHOR:
        return _OF_THE_AUTHOR[NoTurnReason(decision.reason)].format(author=author)
    return explain_decision(decision, max_hops, content)


def _passed_over(item: RunItem, entry: RowEntry) -> Iterator[str]:
    """Yield why each ``@`` that comes before whom the row chose gives nobody the turn."""
    row, decision = entry.row, entry.decision
    target = agent(row.author.id or "") if row.author.type == "agent" else None
    mention = decision.mention if isinstance(decision, TurnFor) else None
    if mention is not None and b"@" not in row.content.encode()[: mention.offset]:
        return
    for note in explain_mentions(row.content, target, item.setup.directory, limit=_MOST_NOTES):
        if mention is not None and note.offset >= mention.offset:
            return
        if note.verdict != "mention" or not reaches(row, note):
            yield note_clause(row, note)


def reaches(row: Row, note: Note) -> bool:
    """Whether who is named can read a row: an aside does not reach every seat."""
    members = [agent(id_) for id_ in row.audience.members]
    return row.audience.kind == "desk" or note.target in members


def note_clause(row: Row, note: Note) -> str:
    """Return what one ``@`` of a row does, as people read it."""
    if note.verdict == "self":
        return f"{note.text} is the author itself"
    if note.verdict != "mention":
        return note_sentence(note).rstrip(".")
    if not reaches(row, note):
        return f"{note.text} cannot read this and is not woken"
    return f"{note.text} names {note.target.id if note.target else 'nobody'}"
