"""Holding what came out against what was expected, key by key.

Each key has one small function that says what came out, in the words of the file; the comparison
and the sentence about it are the same for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from attrs import frozen

from deskroom.core import Target, TurnFor, agent, explain_mentions
from deskroom.engine.entries import RowEntry
from deskroom.engine.sentences import explain_decision, note_sentence
from deskroom.engine.setup import Setup
from deskroom.engine.state import TurnRecord
from deskroom.scenario.format.model import Nobody

__all__ = ["TURN_VALUES", "Mismatch", "Played", "file_value", "holds", "next_of", "target_word"]

_MOST_NOTES: Final = 4


@frozen
class Mismatch:
    """One expectation that did not hold.

    ``turn`` is the label of the listed turn (``opening`` for the opening), or None for the run as
    a whole; ``seat`` who had it. ``expected`` and ``got`` are values of the file format; ``why``
    is the reason the host had. ``path``, ``line`` and ``column`` say where the expectation stands.
    ``private_to`` lists the seats that may read the row it is about, or None when all may.
    """

    path: str
    line: int
    column: int | None
    turn: str | None
    seat: str | None
    key: str
    expected: Any
    got: Any
    why: str
    private_to: tuple[str, ...] | None = None


@frozen
class Played:
    """What one listed turn came to: its grant, its row, and who a broadcast in it went to."""

    setup: Setup
    record: TurnRecord | None = None
    entry: RowEntry | None = None
    recipients: tuple[str, ...] = ()

    @property
    def private_to(self) -> tuple[str, ...] | None:
        """The seats that may read what came out, or None when every seat may.

        What a seat failed to say, it may have meant for few: only it may read about that.
        """
        if self.entry is None:
            return None if self.record is None else (self.record.seat,)
        if self.entry.row.audience.kind == "desk":
            return None
        author = self.entry.row.author
        return (*self.entry.row.audience.members, *([author.id] if author.id else []))

    def why(self, key: str = "next") -> str:
        """Return the host's reason for what came out under a key, as a clause."""
        entry = self.entry
        if entry is None:
            return self._why_no_row()
        if key in {"audience", "refusal"}:
            return _why_audience(entry)
        if key in {"next", "mentions"}:
            return "; ".join([self._why_next(entry), *self._passed_over(entry)])
        if key == "completes":
            return f"the accepted call is {'a' if entry.completes else 'no'} completion"
        return f"the last accepted call became row {entry.row.sequence}"

    def _why_next(self, entry: RowEntry) -> str:
        if entry.broadcasting:
            return f"the router chose {', '.join(self.recipients) or 'nobody'}"
        if entry.kind == "wrote":
            return "a row about files starts no turn"
        if entry.kind == "nudge":
            waits = isinstance(entry.decision, TurnFor) and entry.decision.mention is None
            return "its turn waited for the chair" if waits else "the chair chose it"
        max_hops = self.setup.policy.dispatch.max_hops
        return explain_decision(entry.decision, max_hops, entry.row.content)

    def _passed_over(self, entry: RowEntry) -> Iterator[str]:
        """Yield why each ``@`` that comes before whom the row chose hands on nothing."""
        author, audience, decision = entry.row.author, entry.row.audience, entry.decision
        target = agent(author.id or "") if author.type == "agent" else None
        mention = decision.mention if isinstance(decision, TurnFor) else None
        if mention is not None and b"@" not in entry.row.content.encode()[: mention.offset]:
            return
        for note in explain_mentions(
            entry.row.content, target, self.setup.directory, limit=_MOST_NOTES
        ):
            if mention is not None and note.offset >= mention.offset:
                return
            if note.verdict != "mention":
                yield note_sentence(note).rstrip(".")
            elif audience.kind == "aside" and note.target not in [
                agent(id_) for id_ in audience.members
            ]:
                yield f"{note.text} cannot read this and is not woken"

    def _why_no_row(self) -> str:
        if self.record is None:
            return "the turn was never played"
        if self.record.outcome == "refused":
            return f"no message was accepted: {', '.join(self.record.replies)}"
        if self.record.error is not None:
            return f"the seat raised {self.record.error}"
        return {
            "silent": "the seat made no call",
            "timed_out": "the turn's time was over",
        }.get(self.record.outcome or "", "the room closed during the turn")


def _why_audience(entry: RowEntry) -> str:
    if entry.refusal is not None:
        return f"it was meant to be private, which the desk declined: {entry.refusal}"
    if entry.row.audience.kind == "aside":
        return "the accepted call was a private one"
    return "the accepted call was for the whole desk"


def next_of(played: Played) -> Any:  # noqa: ANN401 - a value of the file format
    """Return a row's own decision: a seat id, ``{none = reason}``, or a broadcast's recipients."""
    entry = played.entry
    if entry is None:
        return None
    if entry.broadcasting:
        return list(played.recipients)
    if isinstance(entry.decision, TurnFor):
        return entry.decision.target_id
    return {"none": entry.decision.reason}


def target_word(target: Target) -> str:
    """Return a mention's target as the file writes it."""
    if target.id is None:
        return target.kind
    return target.id if target.kind == "agent" else f"{target.kind}:{target.id}"


def _audience(played: Played) -> Any:  # noqa: ANN401 - a value of the file format
    if played.entry is None:
        return None
    audience = played.entry.row.audience
    return "desk" if audience.kind == "desk" else list(audience.members)


def _mentions(played: Played) -> list[str] | None:
    if played.entry is None:
        return None
    loud = [mention for mention in played.entry.mentions if not mention.quiet]
    return [target_word(m.target) for m in sorted(loud, key=lambda m: m.offset)]


def _refusal(played: Played) -> str | None:
    """The row's refusal; of a turn that became no row, the word of the last refused call."""
    if played.entry is not None:
        return played.entry.refusal
    refused = [word for word in played.record.replies if word != "ok"] if played.record else []
    return refused[-1] if refused else None


#: What came out for each key of a turn's ``expect``; None where there is no row to ask about.
TURN_VALUES: Final[Mapping[str, Callable[[Played], Any]]] = {
    "content": lambda played: played.entry.row.content if played.entry else None,
    "audience": _audience,
    "mentions": _mentions,
    "next": next_of,
    "completes": lambda played: played.entry.completes if played.entry else None,
    "refusal": _refusal,
    "replies": lambda played: list(played.record.replies) if played.record else None,
    "row": lambda played: played.entry is not None,
    "outcome": lambda played: played.record.outcome if played.record else None,
}


def file_value(expected: Any) -> Any:  # noqa: ANN401 - file format values
    """Return an expectation as the file writes it."""
    if isinstance(expected, Nobody):
        return {"none": expected.none}
    return list(expected) if isinstance(expected, tuple) else expected


def holds(key: str, expected: Any, played: Played) -> bool:  # noqa: ANN401 - file format values
    """Whether an expectation holds. A broadcast's row may be named by its decision as well."""
    wanted = file_value(expected)
    if key == "next" and played.entry is not None and played.entry.broadcasting:
        return wanted in (list(played.recipients), {"none": "broadcast"})
    got = TURN_VALUES[key](played)
    return isinstance(got, bool) == isinstance(wanted, bool) and bool(got == wanted)
