"""What a seat is told: the reply to every call, as a sentence it can act on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from deskroom.core.directory import Target, starts_a_name
from deskroom.core.dispatch import Decision, TurnFor, loud_agents
from deskroom.core.explain import Note, mention_notes
from deskroom.core.transcript import SeenRow
from deskroom.engine.calls import Accepted, Refusal, Speaker
from deskroom.speech.tools import served, tool_specs
from deskroom.speech.utterance import Dm

__all__ = [
    "accepted_text",
    "explain_decision",
    "files_text",
    "note_sentence",
    "read_text",
    "refusal_text",
    "seen_line",
]

#: Each ``@`` gets a sentence; a message with very many of them would make a reply of its own size.
_MOST_NOTES: Final = 8

_REFUSALS: Final = {
    "turn_ended": "This turn has ended; say it in your next one.",
    "not_your_turn": "It is not your turn; wait until the turn is given to you.",
    "too_many_calls": "This turn has used up its {max_calls} calls; end it.",
    "bad_arguments": "The arguments are not what the tool takes: {detail}.",
    "message_too_large": (
        "The message has {detail} bytes and the most is {max_bytes}; say it more shortly, or leave "
        "it in a file and name the file."
    ),
    "empty_message": "The message is blank; say something, or end the turn.",
    "no_recipients": "Nobody is addressed: list the ids of one or more seats in `to`.",
    "self_recipient": "You are the only one addressed; a message to yourself reaches nobody.",
}

_ASIDE_REFUSALS: Final = {
    "disabled": "this desk has no private talk",
    "source_inactive": "you are not an active seat",
    "author_not_on_desk": "you are not on this desk",
    "target_inactive": "somebody addressed is not an active seat",
    "target_not_on_desk": "somebody addressed is not on this desk",
    "self_only": "you are the only one addressed",
    "no_audience": "nobody is addressed: name a seat with @id",
    "audience_too_large": "at most {max_members} may be addressed at once",
    "thread_required": "private talk needs a thread",
    "budget_spent": "the desk has had {max_messages} private messages in a row",
    "unsettled_aside": "you owe the desk a word about your last aside with them",
}

_NO_TURN: Final = {
    "disabled": "mentions start no turns in this room",
    "hop_limit_reached": "the chain of mentions has reached its limit of {max_hops} hops",
    "source_inactive": "you are not an active seat",
    "no_direct_agent_mention": "no seat is named by an @id that counts",
    "self_mention": "it names you",
    "target_inactive": "the seat it names is not active",
    "hop_overflow": "the chain of mentions is too long to count",
    "no_active_seat": "no seat is active",
}


def refusal_text(refusal: Refusal, speaker: Speaker) -> str:
    """Return why a call was refused, and what would work."""
    if refusal.word == "unknown_tool":
        return _unknown_tool(refusal, speaker)
    if refusal.word == "unknown_recipient":
        hint = f" Did you mean {refusal.detail}?" if refusal.detail else ""
        return f"One of the ids in `to` is no active seat.{hint} {_seats(speaker)}"
    if refusal.word in _ASIDE_REFUSALS:
        why = _aside_reason(refusal.word, speaker)
        return f"Nothing was published: {why}. Say it to the desk, or leave it out."
    return _REFUSALS[refusal.word].format(
        detail=refusal.detail,
        max_calls=speaker.policy.max_calls,
        max_bytes=speaker.policy.max_message_bytes,
    )


def accepted_text(accepted: Accepted, speaker: Speaker, *, replaces: bool) -> str:
    """Return what an accepted message will do once the turn ends."""
    parts = ["Accepted."]
    if replaces:
        parts.append("It replaces what you said before in this turn.")
    if accepted.committed.refusal is not None:
        why = _aside_reason(accepted.committed.refusal, speaker)
        parts.append(f"It goes to the whole desk, not in private: {why}.")
    elif accepted.committed.audience.kind == "aside":
        parts.append(
            f"Of the seats, only {_and(accepted.committed.audience.members)} will read it."
        )
    if accepted.committed.completes_episode:
        parts.append("It marks your work as done.")
    parts.append(_what_next(accepted.decision, speaker))
    parts.extend(_notes(accepted, speaker))
    return " ".join(parts)


def explain_decision(decision: Decision, max_hops: int, content: str = "") -> str:
    """Return a decision about a row as a clause: what chose who is next, or why nobody is.

    ``content`` is the row's own; a mention that does not stand in it is an address of the call.
    """
    if isinstance(decision, TurnFor):
        return _what_chose(decision, content)
    if decision.reason == "broadcast":
        return "a broadcast is routed"
    return _NO_TURN.get(decision.reason, decision.reason).format(max_hops=max_hops)


def _what_chose(decision: TurnFor, content: str) -> str:
    mention = decision.mention
    if mention is None:
        return "nobody was named, and it leads the desk"
    written = content.encode()[mention.offset :].startswith(mention.text.encode())
    if not written:
        return "the message is addressed to it"
    return f"{mention.text!r} at byte {mention.offset} is the first seat named"


def _what_next(decision: Decision, speaker: Speaker) -> str:
    if isinstance(decision, TurnFor):
        return f"The turn goes to {decision.target_id}."
    if decision.reason == "broadcast":
        return "The room picks who takes it up."
    return f"It wakes nobody: {explain_decision(decision, speaker.policy.dispatch.max_hops)}."


def _notes(accepted: Accepted, speaker: Speaker) -> list[str]:
    """Name each ``@`` that looks like a mention and is not one that counts."""
    # The mentions of a dm may be those it is addressed to, which its text does not hold.
    loud = loud_agents(accepted.committed.mentions)
    written = not isinstance(accepted.utterance, Dm)
    if written and accepted.utterance.message.count("@") == len(loud):
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
    hint = f"; did you mean @{note.nearest}?" if note.nearest else "."
    return f"{note.text} is nobody here{hint}"


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
    messages = f"{count} message" if count == 1 else f"{count} messages"
    settled = seen.elided.settled_at
    end = "not settled" if settled is None else f"settled at [{settled}]"
    return f"{span} {who}{to} · aside, {messages} · {end}"


def _unknown_tool(refusal: Refusal, speaker: Speaker) -> str:
    if speaker.fence:
        return "You are served no tools: what you say is read out of your text."
    hint = f" Did you mean {refusal.detail}?" if refusal.detail else ""
    names = ", ".join(served(spec.name) for spec in tool_specs())
    return f"There is no such tool.{hint} The tools are {names}."


def _aside_reason(word: str, speaker: Speaker) -> str:
    policy = speaker.policy.aside
    return _ASIDE_REFUSALS[word].format(
        max_members=policy.max_members, max_messages=policy.max_messages
    )


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
