"""What a seat is told: the reply to every call, as a sentence it can act on.

The sentences are pinned in one table, tests/sentences/test_replies.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from deskroom.core.directory import Target, starts_a_name
from deskroom.core.dispatch import Decision, NoTurn, TurnFor, pinged_agents
from deskroom.core.explain import Note, mention_notes
from deskroom.core.reasons import AsideReason, CallFault, NoTurnReason
from deskroom.core.transcript import SeenRow
from deskroom.engine.calls import Accepted, Refusal, Speaker, broadcast_problem
from deskroom.lookalike import character_name, which_differs
from deskroom.printable import counted, quoted
from deskroom.speech.tools import served, tool_specs
from deskroom.speech.utterance import Dm

__all__ = [
    "SILENT_NOTE",
    "accepted_text",
    "aside_reason",
    "explain_decision",
    "files_text",
    "note_sentence",
    "read_text",
    "refusal_text",
    "seen_line",
]

#: What a seat is told when its silent turn is granted again.
SILENT_NOTE: Final = (
    "You ended your last turn without a call, so nobody heard you. Speak in a call."
)

#: Each ``@`` gets a sentence; a message with very many of them would make a reply of its own size.
_MOST_NOTES: Final = 8

_REFUSALS: Final[Mapping[str, str]] = {
    CallFault.TURN_ENDED: "This turn has ended. Say it in your next turn.",
    CallFault.NOT_YOUR_TURN: "It is not your turn. Wait until you are given the turn.",
    CallFault.TOO_MANY_CALLS: "You have made all {max_calls} calls of this turn. End the turn.",
    CallFault.BAD_ARGUMENTS: "The arguments do not fit the tool: {detail}.",
    CallFault.MESSAGE_TOO_LARGE: (
        "The message has {detail} bytes; at most {max_bytes} are allowed. Shorten it, or write it "
        "to a file and name the file."
    ),
    CallFault.EMPTY_MESSAGE: "The message is blank. Say something, or end the turn.",
    CallFault.NO_RECIPIENTS: "Nobody is addressed. List the ids of one or more seats in `to`.",
    CallFault.SELF_RECIPIENT: "You addressed only yourself, so nobody would read it.",
}

_ASIDE_REASONS: Final[Mapping[str, str]] = {
    AsideReason.DISABLED: "this desk does not allow private messages",
    AsideReason.SOURCE_INACTIVE: "you are not an active seat",
    AsideReason.AUTHOR_NOT_ON_DESK: "you are not on this desk",
    AsideReason.TARGET_INACTIVE: "a seat you addressed is not active",
    AsideReason.TARGET_NOT_ON_DESK: "a seat you addressed is not on this desk",
    AsideReason.SELF_ONLY: "you addressed only yourself",
    AsideReason.NO_AUDIENCE: "nobody is addressed: name a seat with @id",
    AsideReason.AUDIENCE_TOO_LARGE: "at most {max_members} seats may be addressed at once",
    AsideReason.THREAD_REQUIRED: "private messages need a thread",
    AsideReason.BUDGET_SPENT: "the desk has had {max_messages} private messages in a row",
    AsideReason.UNSETTLED_ASIDE: (
        "you have not told the desk what came of your last aside with them"
    ),
}

#: Why nobody is next, as a clause for the seat whose row it is; ``runs/why.py`` has it for people.
_NO_TURN: Final[Mapping[str, str]] = {
    NoTurnReason.DISABLED: "mentions start no turns in this room",
    NoTurnReason.HOP_LIMIT_REACHED: "the chain of mentions is at its limit of {hops}",
    NoTurnReason.SOURCE_INACTIVE: "you are not an active seat",
    NoTurnReason.NO_DIRECT_AGENT_MENTION: "no @id in it names a seat",
    NoTurnReason.SELF_MENTION: "the first seat it names is you",
    NoTurnReason.TARGET_INACTIVE: "the first seat it names is not active",
    NoTurnReason.HOP_OVERFLOW: "the chain of mentions is too long to count",
    NoTurnReason.BROADCAST: "a router chooses who takes it up",
    NoTurnReason.NO_ACTIVE_SEAT: "no seat can take it up",
}


def refusal_text(refusal: Refusal, speaker: Speaker) -> str:
    """Return why a call was refused, and what would work."""
    reason = refusal.reason
    if reason == CallFault.UNKNOWN_TOOL:
        return _unknown_tool(refusal, speaker)
    if reason == CallFault.UNKNOWN_RECIPIENT:
        near = _did_you_mean(refusal)
        return f"An id in `to` is not an active seat.{near} {_seats(speaker)}"
    if reason in _ASIDE_REASONS:
        why = aside_reason(reason, speaker)
        return f"Nothing was published: {why}. Say it to the whole desk, or leave it out."
    return _REFUSALS[reason].format(
        detail=refusal.detail,
        max_calls=speaker.policy.max_calls,
        max_bytes=speaker.policy.max_message_bytes,
    )


def accepted_text(accepted: Accepted, speaker: Speaker, *, replaced: Accepted | None) -> str:
    """Return what an accepted message will do once the turn ends.

    ``replaced`` is the call that was accepted before in the same turn, if there was one.
    """
    committed = accepted.committed
    parts = ["Accepted."]
    if replaced is not None:
        parts.append("It replaces your earlier message of this turn.")
        if replaced.committed.completes_episode and not committed.completes_episode:
            parts.append("Your completion no longer counts.")
    if committed.refusal is not None:
        why = aside_reason(committed.refusal, speaker)
        parts.append(f"It is not private, the whole desk will read it: {why}.")
    elif committed.audience.kind == "aside":
        parts.append(f"Of the seats, only {_and(committed.audience.members)} will read it.")
    if committed.completes_episode:
        parts.append("It marks your work as done.")
    parts.append(_what_next(accepted, speaker))
    parts.extend(_notes(accepted, speaker))
    return " ".join(parts)


def explain_decision(decision: Decision, max_hops: int, content: str = "") -> str:
    """Return why a row's decision is what it is, as a clause for the seat whose row it is.

    ``content`` is the row's own; a mention that does not stand in it is an address of the call.
    """
    if isinstance(decision, TurnFor):
        return _why_chosen(decision, content)
    return _NO_TURN[decision.reason].format(hops=counted(max_hops, "hop"))


def aside_reason(reason: str, speaker: Speaker) -> str:
    """Return why an utterance may not be private, as a clause for the seat that asked."""
    policy = speaker.policy.aside
    return _ASIDE_REASONS[reason].format(
        max_members=policy.max_members, max_messages=policy.max_messages
    )


def _why_chosen(decision: TurnFor, content: str) -> str:
    mention = decision.mention
    if mention is None:
        return "nobody was named, and it leads the desk"
    written = content.encode()[mention.offset :].startswith(mention.text.encode())
    if not written:
        return "the message is addressed to it"
    return f"{quoted(mention.text)} at byte {mention.offset} is the first seat named"


def _what_next(accepted: Accepted, speaker: Speaker) -> str:
    decision, max_hops = accepted.decision, speaker.policy.dispatch.max_hops
    if isinstance(decision, TurnFor):
        return f"The turn goes to {decision.target_id}."
    if decision.reason == NoTurnReason.BROADCAST:
        problem = broadcast_problem(accepted.committed, speaker)
        if problem is None:
            return "A router chooses who takes it up."
        decision = NoTurn(problem)
    return f"It wakes nobody: {explain_decision(decision, max_hops)}."


def _notes(accepted: Accepted, speaker: Speaker) -> list[str]:
    """Name each ``@`` that looks like a mention and is not one that counts."""
    # The mentions of a dm may be those it is addressed to, which its text does not hold.
    pinged = pinged_agents(accepted.committed.mentions)
    written = not isinstance(accepted.utterance, Dm)
    if written and accepted.utterance.message.count("@") == len(pinged):
        return []
    notes = mention_notes(accepted.utterance.message, speaker.target, speaker.directory)
    admitted = accepted.committed.audience.members
    private = accepted.committed.audience.kind == "aside"
    sentences = []
    for note in notes:
        outside = private and note.verdict == "mention" and _id(note.target) not in admitted
        if outside:
            sentences.append(f"{note.text} cannot read this and is not woken.")
        elif note.verdict != "mention":
            sentences.append(note_sentence(note))
        if len(sentences) > _MOST_NOTES:
            sentences[-1] = "There are more that do not count."
            break
    return sentences


def note_sentence(note: Note) -> str:
    """Return why one ``@`` hands on nothing."""
    if note.verdict == "masked":
        return f"{note.text} is inside code and is not read."
    if note.verdict in {"no_opener", "no_name"} and note.hidden is not None:
        where = "before" if note.hidden.offset < note.offset else "behind"
        return f"{note.text} is not read: {_hidden(note)} right {where} the @."
    if note.verdict == "no_opener":
        return (
            f"{note.text} is not read: an @ counts only at the start, or after a space, a new "
            "line or one of ( [ {."
        )
    if note.verdict == "no_name":
        name = note.text[1:].removeprefix("#")
        if name and starts_a_name(name[0]):
            return f"{note.text} is not read: another @ stands in the same word."
        return f"{note.text} is not read: no name stands right behind the @."
    if note.verdict == "ambiguous":
        return (
            f"{note.text} may mean {_or([_target(t) for t in note.candidates])}, so it is nobody."
        )
    if note.verdict == "self":
        return f"{note.text} is yourself."
    if note.verdict == "quiet":
        return f"{note.text} was named before and does not count again."
    if note.verdict == "not_a_seat":
        return f"{note.text} is {_target(note.target)} and takes no turn."
    hidden = f": {_hidden(note)} in the name" if note.hidden else ""
    if note.nearest is None:
        return f"{note.text} is nobody here{hidden}."
    differs = "" if hidden else which_differs(note.text.lstrip("@#"), note.nearest)
    return f"{note.text} is nobody here{hidden}; did you mean @{note.nearest}{differs}?"


def _hidden(note: Note) -> str:
    """Return which invisible character changes what is read, and where it stands, up to its place."""
    mark = note.hidden
    assert mark is not None  # noqa: S101 - the caller has looked
    name = character_name(mark.character)
    place = f"byte {mark.offset}, line {mark.line}, column {mark.column}"
    return f"an invisible character, {name} at {place}, stands"


def files_text(seat: str | None, paths: Sequence[str]) -> str:
    """Return what the room says of the files that a seat's turn left behind."""
    return f"{seat} wrote {', '.join(paths)}"


def read_text(rows: Sequence[SeenRow]) -> str:
    """Return the entries of a read as lines.

    A message of several lines goes on indented, so that none of them can pass for an entry.
    """
    if not rows:
        return "The transcript is empty."
    return "\n".join("\n    ".join(seen_line(row).splitlines()) for row in rows)


def seen_line(seen: SeenRow) -> str:
    """Return one entry as a line; a stub says who spoke to whom, how often, and where it settled.

    For example ``[7-10] planner → auditor · aside, 4 messages · settled at [11]``.
    """
    who = seen.author.id or seen.author.kind or seen.author.type
    to = f" → {', '.join(seen.audience.members)}" if seen.audience.kind == "aside" else ""
    if seen.elided is None:
        mark = " · aside" if to else ""
        return f"[{seen.sequence}] {who}{to}{mark}: {seen.content}"
    through, count = seen.elided.through, seen.elided.messages
    span = f"[{seen.sequence}]" if through == seen.sequence else f"[{seen.sequence}-{through}]"
    messages = counted(count, "message")
    settled = seen.elided.settled_at
    end = "not settled" if settled is None else f"settled at [{settled}]"
    return f"{span} {who}{to} · aside, {messages} · {end}"


def _unknown_tool(refusal: Refusal, speaker: Speaker) -> str:
    if speaker.fence:
        return "You have no tools: your message is read out of your text."
    near = _did_you_mean(refusal)
    names = ", ".join(served(spec.name) for spec in tool_specs())
    return f"There is no such tool.{near} The tools are {names}."


def _did_you_mean(refusal: Refusal) -> str:
    near = refusal.detail
    return f" Did you mean {near}{which_differs(refusal.subject, near)}?" if near else ""


def _seats(speaker: Speaker) -> str:
    others = [seat for seat in speaker.directory.roster.active if seat != speaker.id]
    shown = ", ".join(others[:_MOST_NOTES])
    more = ", and others" if len(others) > _MOST_NOTES else ""
    return f"The other seats are {shown}{more}." if others else "There is no other seat."


def _id(target: Target | None) -> str | None:
    return target.id if target else None


def _target(target: Target | None) -> str:
    if target is None:
        return "nobody"
    return "everyone" if target.id is None else f"the {_KIND[target.kind]} {target.id}"


_KIND: Final = {"agent": "seat", "person": "person", "desk": "desk"}


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _or(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"
