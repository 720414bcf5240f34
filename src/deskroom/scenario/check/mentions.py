"""Texts with an ``@`` that looks as if it named somebody, and names nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from attrs import evolve, frozen

from deskroom.core import Note, Target, agent, explain_mentions
from deskroom.core.explain import leading_alias
from deskroom.core.text import trim, trim_start
from deskroom.engine.sentences import note_sentence
from deskroom.lookalike import visible
from deskroom.scenario.check.context import CheckContext, path_of
from deskroom.scenario.format.model import Turn
from deskroom.scenario.format.position import KeyPath
from deskroom.speech import Dm, extract_post, parse_call
from deskroom.speech.tools import bare, find_tool

__all__ = ["warn_of_mentions"]

#: The first so many ``@`` of a message are looked at.
_MOST_NOTES: Final = 64
#: What could pass for a name in full: a path such as ``@types/node`` is none.
_NAME: Final = re.compile(r"@#?[\w-]+")
_MARKS: Final = " *_`~\"'<"


@frozen
class _Message:
    """A message as the host will read it, and the string of the file that it is in.

    ``shift`` is how many characters of the string come before the message, or None where that is
    not known; ``readers`` are the only seats that will read it, if only some will.
    """

    path: KeyPath
    string: str
    text: str
    shift: int | None
    author: Target
    readers: tuple[str, ...] | None = None


def warn_of_mentions(context: CheckContext) -> None:
    """Warn of each ``@`` that a reader would take for a seat's name and the room does not.

    A turn that pins ``mentions`` says which ``@`` count, so its text is left alone.
    """
    for message in _messages(context):
        reported: set[str] = set()
        notes = explain_mentions(message.text, message.author, context.directory, limit=_MOST_NOTES)
        for note in notes:
            sentence = _sentence(note, message, context)
            if sentence is not None and sentence not in reported:
                reported.add(sentence)
                _warn(context, message, note, sentence.rstrip("."))


def _warn(context: CheckContext, message: _Message, note: Note, problem: str) -> None:
    reason = "cannot_read" if note.verdict == "mention" else note.verdict
    if message.shift is None:
        context.warnings.at_value(message.path, "no_mention", problem, reason)
        return
    offset = message.shift + len(message.text.encode()[: note.offset].decode())
    context.warnings.in_text(message.path, message.string, offset, "no_mention", problem, reason)


# --- the messages of a file --------------------------------------------------------------------


def _messages(context: CheckContext) -> Iterator[_Message]:
    opening = context.partial.opening
    if opening is not None:
        author = Target("person", opening.by)
        yield _Message(("opening", "message"), opening.message, opening.message, 0, author)
    for turn in context.partial.turns:
        if turn.expect is None or turn.expect.mentions is None:
            yield from _messages_of(turn, context)


def _messages_of(turn: Turn, context: CheckContext) -> Iterator[_Message]:
    if turn.person is not None and turn.say is not None:
        author = Target("person", turn.person)
        yield _Message(path_of(turn, "say"), turn.say, turn.say, 0, author)
    seat = context.seats.get(turn.seat or "")
    if seat is None:
        return
    author = agent(seat.id)
    if seat.fence:
        if turn.text is not None:
            post = extract_post(turn.text)
            yield _Message(path_of(turn, "text"), turn.text, post, None, author)
        return
    if turn.say is not None:
        yield _trimmed(path_of(turn, "say"), turn.say, author)
    for at, call in enumerate(turn.calls):
        readers = _readers(call.tool, call.arguments, context)
        if isinstance(call.arguments.get("message"), str) and _is_served(call.tool):
            path = path_of(turn, "calls", at, "message")
            yield evolve(_trimmed(path, call.arguments["message"], author), readers=readers)


def _trimmed(path: KeyPath, string: str, author: Target) -> _Message:
    shift = len(string) - len(trim_start(string))
    return _Message(path, string, trim(string), shift, author)


def _is_served(tool: str) -> bool:
    name = bare(tool)
    return name is not None and find_tool(name) is not None


def _readers(tool: str, arguments: Any, context: CheckContext) -> tuple[str, ...] | None:  # noqa: ANN401
    """Return who reads a dm, or None where that is not known: a declined one may go to the desk."""
    to = arguments.get("to")
    listed = isinstance(to, list) and all(isinstance(id_, str) for id_ in to)
    if not listed or context.policy.on_refused_aside == "room":
        return None
    message = arguments.get("message")
    known = {"to": to, "message": message if isinstance(message, str) else ""}
    parsed = parse_call(bare(tool) or "", known)
    return parsed.to if isinstance(parsed, Dm) else None


# --- what is wrong with it ---------------------------------------------------------------------


def _sentence(note: Note, message: _Message, context: CheckContext) -> str | None:
    """Return why an ``@`` names nobody, or None where nobody would think that it does."""
    match note.verdict:
        case "mention":
            return _outsider(note, message)
        case "masked" | "no_opener":
            alias = _seat_alias(visible(note.text).lstrip("@#"), context)
            return None if alias is None else note_sentence(evolve(note, text=f"@{alias}"))
        case "no_name":
            behind = message.text.encode()[note.offset + 1 :][:64].decode(errors="ignore")
            alias = _seat_alias(visible(behind).lstrip(_MARKS), context)
            hint = f"; did you mean @{alias}?"
            return None if alias is None else note_sentence(note).rstrip(".") + hint
        case "ambiguous":
            is_seat = any(target.kind == "agent" for target in note.candidates)
            return note_sentence(note) if is_seat else None
        case "unknown":
            return _unknown(note, context)
        case _:
            return None


def _outsider(note: Note, message: _Message) -> str | None:
    id_ = None if note.target is None else note.target.id
    if message.readers is None or id_ in message.readers:
        return None
    return f"{note.text} cannot read this private message and gets no turn"


def _seat_alias(text: str, context: CheckContext) -> str | None:
    """Return the alias of a seat that a text begins with, as a whole word."""
    alias = leading_alias(text, context.directory)
    return alias if alias is not None and _is_a_seat(alias, context) else None


def _is_a_seat(alias: str, context: CheckContext) -> bool:
    return any(target.kind == "agent" for target in context.directory.lookup(alias))


def _unknown(note: Note, context: CheckContext) -> str | None:
    name = note.text.lstrip("@#").lower()
    for seat in context.desk.seats:
        if seat.retired and name in {seat.id.lower(), (seat.name or seat.id).lower()}:
            return f"{note.text} is retired and can no longer be named"
    near = note.nearest is not None and _is_a_seat(note.nearest, context)
    return note_sentence(note) if near or _NAME.fullmatch(note.text) else None
