"""What the room makes of one message: each ``@`` in it, who may read it, and who is next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal

from attrs import evolve, frozen
from rich.text import Text

from deskroom.core import (
    DESK,
    Audience,
    Bookkeeping,
    Decision,
    Directory,
    Note,
    NoTurn,
    Person,
    Target,
    TurnFor,
    agent,
    code_ranges,
    explain_mentions,
    resolve,
    respond_to_person,
)
from deskroom.core.explain import Hidden
from deskroom.core.masking import code_spans
from deskroom.core.reasons import NoTurnReason
from deskroom.core.text import is_blank, trim
from deskroom.engine.calls import Accepted, Refusal, Speaker, broadcast_problem, judge, judge_post
from deskroom.engine.policy import Policy
from deskroom.engine.sentences import accepted_text, note_sentence, refusal_text
from deskroom.engine.setup import Seat
from deskroom.render.cells import folds
from deskroom.render.marks import marked_lines
from deskroom.render.text import one_line
from deskroom.runs.values import target_value
from deskroom.runs.why import decision_clause
from deskroom.scenario import DeskSpec
from deskroom.speech import Read, extract_post
from deskroom.speech.tools import served

__all__ = [
    "Explanation",
    "Way",
    "explain_person",
    "explain_seat",
    "explanation_json",
    "explanation_lines",
]

Json = dict[str, Any]

#: How a seat says something: the bare name of the tool.
Way = Literal["post", "dm", "broadcast", "complete_episode"]

_CODE: Final = "~"
_AT: Final = "^"
_STYLES: Final = {_CODE: "magenta underline", _AT: "bold", " ": ""}


@frozen(kw_only=True)
class Explanation:
    """What becomes of one message, as if it were the first of a room.

    ``tool`` is None for a person's words and for a ``fence`` seat's, which are no calls, and so is
    ``reply``, since nobody answers them. ``message`` is what is published, trimmed as the room
    trims it. ``audience`` and ``decision`` are None when nothing is, and ``why`` says why, or why
    who is next is next.
    """

    speaker: Target
    directory: Directory
    tool: str | None
    to: tuple[str, ...]
    hop: int
    message: str
    notes: tuple[Note, ...]
    audience: Audience | None
    decision: Decision | None
    completes: bool
    refusal: str | None
    why: str
    reply: str | None

    def sentence(self, note: Note) -> str:
        """Return what one ``@`` does, or why it does nothing."""
        if note.verdict != "mention" or note.target is None:
            return note_sentence(note)
        audience, mention = self.audience, getattr(self.decision, "mention", None)
        private = audience is not None and audience.kind == "aside"
        if private and note.target.id not in (audience.members if audience else ()):
            return f"{note.text} cannot read this and is not woken."
        is_seat = f"{note.text} is the seat {note.target.id}"
        if mention is None:
            return f"{is_seat}."
        if (mention.offset, mention.text) == (note.offset, note.text):
            return f"{is_seat}, the first one named: it gets the turn."
        return f"{is_seat}; only the first one named gets the turn."


# --- working it out ----------------------------------------------------------------------------


def explain_seat(
    message: str,
    seat: Seat,
    desk: DeskSpec,
    policy: Policy,
    *,
    way: Way | None = None,
    to: Sequence[str] = (),
    hop: int = 0,
) -> Explanation:
    """Explain a seat's message, said in one call. A way that is not given follows from ``to``.

    What a ``fence`` seat writes is read out of its text, unless a way or an address asks for a
    call, which the room refuses to such a seat.
    """
    directory = Directory(desk.roster(), desk.desks())
    speaker = Speaker(seat.id, hop, seat.fence, directory, desk.id, policy, Bookkeeping())
    if seat.fence and way is None and not to:
        return _explain_post(extract_post(message), speaker)
    way = way or ("dm" if to else "post")
    arguments: Json = {"message": message, **({"to": list(to)} if way == "dm" else {})}
    verdict = judge(served(way), arguments, speaker)
    said = _nothing(agent(seat.id), directory, trim(message), hop)
    return evolve(
        _judged(said, verdict, speaker),
        tool=served(way),
        to=tuple(to),
        reply=_reply(verdict, speaker),
    )


def _reply(verdict: Accepted | Read | Refusal, speaker: Speaker) -> str:
    if isinstance(verdict, Refusal):
        return refusal_text(verdict, speaker)
    assert isinstance(verdict, Accepted)  # noqa: S101 - no way to say something is a read
    return accepted_text(verdict, speaker, replaced=None)


def explain_person(message: str, person: Person, desk: DeskSpec) -> Explanation:
    """Explain a person's message: a row for the desk, whatever stands in it."""
    directory = Directory(desk.roster(), desk.desks())
    author = Target("person", person.id)
    said = _nothing(author, directory, message, 0)
    if is_blank(message):
        return evolve(said, refusal="empty_message", why="a person's words must not be blank")
    if _half_characters(message):
        return evolve(said, refusal="bad_arguments", why="UTF-8 cannot hold this text")
    mentions = resolve(message, None, author, directory)
    decision = respond_to_person(mentions, directory, desk.id)
    why = decision_clause(decision, person.id, 0, message)
    return evolve(said, audience=DESK, decision=decision, why=why)


def _half_characters(message: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in message)


def _explain_post(post: str, speaker: Speaker) -> Explanation:
    said = _nothing(agent(speaker.id), speaker.directory, post, speaker.hop)
    if is_blank(post):
        return evolve(said, why="nothing can be read out of the text, so the turn is silent")
    verdict = judge_post({"message": post}, speaker)
    return _judged(said, verdict, speaker)


def _nothing(author: Target, directory: Directory, message: str, hop: int) -> Explanation:
    """Return the explanation of a message that nothing has been found out about but its notes."""
    return Explanation(
        speaker=author,
        directory=directory,
        tool=None,
        to=(),
        hop=hop,
        message=message,
        notes=explain_mentions(message, author, directory),
        audience=None,
        decision=None,
        completes=False,
        refusal=None,
        why="",
        reply=None,
    )


def _judged(said: Explanation, verdict: object, speaker: Speaker) -> Explanation:
    if isinstance(verdict, Refusal):
        return evolve(said, refusal=verdict.reason, why="the call is refused")
    assert isinstance(verdict, Accepted)  # noqa: S101 - a read is never judged here
    committed, decision = verdict.committed, verdict.decision
    problem = broadcast_problem(committed, speaker) if committed.broadcasting else None
    if problem is not None:
        decision = NoTurn(problem)
    return evolve(
        said,
        audience=committed.audience,
        decision=decision,
        completes=committed.completes_episode,
        refusal=committed.refusal,
        why=decision_clause(
            decision, said.speaker.id, speaker.policy.dispatch.max_hops, committed.content
        ),
    )


# --- for people --------------------------------------------------------------------------------


def explanation_lines(
    told: Explanation, *, color: bool = False, width: int | None = None
) -> Iterator[Text]:
    """Yield the explanation line by line, each of at most ``width`` cells where that is given.

    Marks stand under the message. Columns count characters from 1, bytes those before the ``@``.
    """
    yield from _wrapped(Text(_head(told), style="bold" if color else ""), width, "    ")
    yield Text()
    yield from _message(told, color=color, width=width)
    yield Text()
    for note, at in zip(told.notes, _ats(told.message), strict=True):
        style = ("green" if note.verdict == "mention" else "yellow") if color else ""
        verdict = (note.verdict, style)
        place, sentence = _place_text(told.message, at, note.offset), one_line(told.sentence(note))
        line = Text.assemble("  ", f"{place}: ", verdict, f": {sentence}")
        yield from _wrapped(line, width, "    ")
    if not told.notes:
        yield Text("  there is no @ in it")
    yield Text()
    for name, value in _facts(told):
        label = (f"{name + ':':9} ", "dim" if color else "")
        yield from _wrapped(Text.assemble(label, one_line(value)), width, " " * 10)


def _wrapped(line: Text, width: int | None, indent: str) -> Iterator[Text]:
    """Yield a line in pieces of at most that many cells, all but the first behind an indent."""
    if width is None:
        yield line
        return
    indent = indent[: width // 4]
    first, *others = folds(line.plain, width, max(width - len(indent), 2))
    yield line[first[0] : first[1]]
    for start, end in others:
        yield Text.assemble(indent, line[start:end])


def _head(told: Explanation) -> str:
    who = one_line(told.speaker.id or "")
    if told.speaker.kind == "person":
        return f"{who} (a person)"
    if told.tool is None:
        return f"{who} (a seat without tools), at hop {told.hop}"
    to = f" to {', '.join(map(one_line, told.to))}" if told.to else ""
    return f"{who} · {told.tool}{to}, at hop {told.hop}"


def _message(told: Explanation, *, color: bool, width: int | None) -> Iterator[Text]:
    ends = [at + len(note.text) for note, at in zip(told.notes, _ats(told.message), strict=True)]
    names = [(at, end, _AT) for at, end in zip(_ats(told.message), ends, strict=True)]
    spans = [*names, *((start, end, _CODE) for start, end in code_spans(told.message))]
    text = told.message.removesuffix("\n")
    inside = None if width is None else max(width - 2, 2)
    used = ""
    for line in marked_lines(text, _cut(spans, len(text)), width=inside):
        pieces = [(shown, _STYLES[mark] if color else "") for shown, mark in line.pieces]
        yield Text.assemble("  ", *pieces) if pieces else Text()
        if line.marks:
            yield Text(f"  {line.marks}", style="dim" if color else "")
            used += line.marks
    legend = [word for mark, word in ((_CODE, "~ is code"), (_AT, "^ is an @")) if mark in used]
    if legend:
        yield from _wrapped(Text(f"  ({', '.join(legend)})"), width, "   ")


def _cut(spans: list[tuple[int, int, str]], end: int) -> list[tuple[int, int, str]]:
    return [(start, min(stop, end), mark) for start, stop, mark in spans if start < end]


def _ats(message: str) -> list[int]:
    """Return where each ``@`` stands, in characters; there is a note for each."""
    return [at for at, character in enumerate(message) if character == "@"]


def _place(message: str, at: int) -> tuple[int, int]:
    return message.count("\n", 0, at) + 1, at - message.rfind("\n", 0, at)


def _place_text(message: str, at: int, offset: int) -> str:
    """Return where an ``@`` stands in words; a message of one line has no need of its number."""
    line, column = _place(message, at)
    number = f"line {line}, " if "\n" in message.removesuffix("\n") else ""
    return f"{number}column {column}, byte {offset}"


def _facts(told: Explanation) -> Iterator[tuple[str, str]]:
    if told.audience is None:
        yield "refused" if told.refusal else "silent", told.refusal or told.why
        yield "audience", "nobody: there is no row"
    else:
        if told.refusal is not None:
            yield "refused", f"{told.refusal}, so it is not private"
        members = told.audience.members
        yield "audience", f"only {', '.join(members)}" if members else "desk"
    if told.completes:
        yield "completes", "yes"
    if told.decision == NoTurn(NoTurnReason.BROADCAST):
        yield "next", told.why
    elif told.decision is not None:
        named = told.decision.target_id if isinstance(told.decision, TurnFor) else "nobody"
        yield "next", f"{named}: {told.why}"
    yield "reply", told.reply or _no_reply(told)


def _no_reply(told: Explanation) -> str:
    if told.speaker.kind == "person":
        return f"none: {told.why}" if told.audience is None else "none: a person is told nothing"
    return "none: a seat without tools is told nothing"


# --- for programs ------------------------------------------------------------------------------


def explanation_json(told: Explanation) -> Json:
    """Return the explanation as JSON-ready values; names and decisions as the file writes them."""
    decision, audience = told.decision, told.audience
    next_: Any = None
    if isinstance(decision, TurnFor):
        next_ = decision.target_id
    elif decision is not None:
        next_ = {"none": decision.reason}
    return {
        "format": 1,
        "from": {"kind": _kind(told.speaker), "id": told.speaker.id},
        "tool": told.tool,
        "to": list(told.to),
        "hop": told.hop,
        "message": told.message,
        "code": [{"start": start, "end": end} for start, end in code_ranges(told.message)],
        "mentions": _notes_json(told),
        "accepted": audience is not None,
        "refusal": told.refusal,
        "audience": None if audience is None else list(audience.members) or "desk",
        "completes": told.completes,
        "next": next_,
        "why": told.why,
        "reply": told.reply,
    }


def _kind(speaker: Target) -> str:
    return "seat" if speaker.kind == "agent" else speaker.kind


def _notes_json(told: Explanation) -> list[Json]:
    places = [_place(told.message, at) for at in _ats(told.message)]
    return [
        {
            "text": note.text,
            "offset": note.offset,
            "line": line,
            "column": column,
            "verdict": note.verdict,
            "target": None if note.target is None else target_value(note.target),
            "candidates": [target_value(target) for target in note.candidates],
            "nearest": note.nearest,
            "hidden": None if note.hidden is None else _hidden_json(note.hidden),
            "sentence": told.sentence(note),
        }
        for note, (line, column) in zip(told.notes, places, strict=True)
    ]


def _hidden_json(hidden: Hidden) -> Json:
    return {
        "character": f"U+{ord(hidden.character):04X}",
        "offset": hidden.offset,
        "line": hidden.line,
        "column": hidden.column,
    }
