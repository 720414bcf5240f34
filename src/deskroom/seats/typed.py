"""What somebody at a terminal typed, as what it asks for."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from deskroom.core.text import is_blank
from deskroom.errors import hint
from deskroom.speech.tools import BROADCAST, COMPLETE_EPISODE, DM, POST, READ, served

__all__ = [
    "COMMANDS",
    "HELP",
    "CallOf",
    "Close",
    "End",
    "Help",
    "Say",
    "Typed",
    "Unclear",
    "read_typed",
]

#: The commands, each with what is typed behind it and what it does.
COMMANDS: Final = {
    "/dm": ("ID[,ID] MESSAGE", "speak in private to seats"),
    "/broadcast": ("MESSAGE", "let the room pick who takes it up"),
    "/complete": ("MESSAGE", "say a last word; your work is done"),
    "/read": ("[N]", "read the last entries"),
    "/end": ("[TEXT]", "end the turn; an empty line does too, once a message is accepted"),
    "/say": ("MESSAGE", "speak as a person of the desk, at any time"),
    "/as": ("PERSON MESSAGE", "the same, as one of several people"),
    "/close": ("", "attend no longer: a quiet room may close"),
    "/help": ("", "show this"),
}
HELP: Final = "\n".join(
    f"{f'{name} {arguments}'.strip():<26} {what}" for name, (arguments, what) in COMMANDS.items()
)
_WORDS: Final = re.compile(r"(\S+)(?:\s+(.*))?\Z", re.DOTALL)


class CallOf(NamedTuple):
    """A tool is to be called in the turn."""

    tool: str
    arguments: dict[str, Any]


class End(NamedTuple):
    """The turn is to end, with this text."""

    text: str = ""


class Say(NamedTuple):
    """A person speaks; None is the first who attends."""

    person: str | None
    message: str


class Close(NamedTuple):
    """Whoever attends goes."""


class Help(NamedTuple):
    """The commands are asked for."""


class Unclear(NamedTuple):
    """What was typed is no command, or lacks something: a sentence."""

    problem: str


Typed = CallOf | End | Say | Close | Help | Unclear


def read_typed(line: str, *, in_turn: bool) -> Typed:
    """Return what a line asks for. What is no command is a message: of the seat, in its turn."""
    if not line.startswith("/"):
        if is_blank(line):
            return End() if in_turn else Unclear("Type a message, or /help.")
        return CallOf(served(POST), {"message": line}) if in_turn else Say(None, line)
    found = _WORDS.match(line)
    name, rest = (found[1], found[2] or "") if found else (line, "")
    if name not in COMMANDS:
        return Unclear(
            f"There is no {name}{hint(name, list(COMMANDS))}; /help shows what there is."
        )
    if name in {"/dm", "/broadcast", "/complete", "/read", "/end"} and not in_turn:
        return Unclear(f"It is not your turn, so {name} says nothing.")
    return _command(name, rest)


def _command(name: str, rest: str) -> Typed:
    match name:
        case "/broadcast":
            return CallOf(served(BROADCAST), {"message": rest})
        case "/complete":
            return CallOf(served(COMPLETE_EPISODE), {"message": rest})
        case "/dm":
            ids, message = _first(rest)
            to = [id_.removeprefix("@") for id_ in ids.split(",") if id_]
            return CallOf(served(DM), {"to": to, "message": message})
        case "/read":
            if rest and not rest.isdecimal():
                return Unclear(f"/read takes a number, not {rest!r}.")
            return CallOf(served(READ), {"limit": int(rest)} if rest else {})
        case "/end":
            return End(rest)
        case "/say":
            return Say(None, rest) if not is_blank(rest) else Unclear("/say needs a message.")
        case "/as":
            person, message = _first(rest)
            if is_blank(message):
                return Unclear("/as needs a person and a message.")
            return Say(person, message)
        case "/close":
            return Close()
        case _:
            return Help()


def _first(rest: str) -> tuple[str, str]:
    """Return the first word of a text, and the text behind it."""
    found = _WORDS.match(rest)
    return (found[1], found[2] or "") if found else ("", "")
