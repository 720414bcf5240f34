"""``whatsapp``: a chat as WhatsApp exports it as text, alone or in the zip with its media.

A line with a date begins a message, or tells what the system did; any other goes on with the
message before it. How a date is written depends on the phone, so it only marks where one begins.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import regex as re

from deskroom.imports.importer import Match, Options
from deskroom.imports.records import Left, Mark, Place, Record, Speaker, Text, Yielded
from deskroom.imports.source import Source

name: Final = "whatsapp"
reads: Final = "WhatsApp: a chat exported as text (Android or iOS), or the zip with it"
looks_for: Final = (
    "text whose lines begin with a date, a time and ` - NAME: ` or `[date, time] NAME: `"
)
example: Final = "deskroom import 'WhatsApp Chat with Kiln club.txt' -o run.jsonl"
is_sorted: Final = False
same_id: Final = "error"

_SPACE: Final = r"[ \u00a0\u202f]"
_DATE: Final = r"\d{1,4}[./-]\s?\d{1,2}[./-]\s?\d{2,4}\.?"
_HALF: Final = rf"(?:{_SPACE}?(?:[ap]\.?{_SPACE}?m\.?|[\u4e0a\u4e0b]\u5348|[^\W\d_]{{2}}))?"
_TIME: Final = rf"(?:[\u4e0a\u4e0b]\u5348)?\d{{1,2}}[:.]\d\d(?:[:.]\d\d)?{_HALF}"
_STAMP: Final = rf"{_DATE},?{_SPACE}(?:\p{{L}}{{2,4}}{_SPACE})?{_TIME}"
_HEAD: Final = re.compile(
    rf"[\u200e\u200f\ufeff]*(?:\[{_STAMP}\]{_SPACE}|{_STAMP}{_SPACE}[-\u2013]{_SPACE})(?P<rest>.*)\Z",
    re.IGNORECASE | re.DOTALL,
)
_NAME: Final = re.compile(
    r"(?:~[ \u00a0\u202f])?(?P<name>[^:\n]{1,100}?): ?(?P<text>.*)\Z", re.DOTALL
)
_MENTION: Final = re.compile("@\u2068([^\u2068\u2069\n]+)\u2069")
#: How an edit is told behind a text, in some languages.
_EDITED: Final = re.compile(
    r"\s?\u200e?<[^<>\n]*(?:edited|bearbeitet|edit[óo]|editada?|modifi[ée]|modificato|bewerkt|"
    r"изменено)[^<>\n]*>\Z",
    re.IGNORECASE,
)
_DELETED: Final = frozenset(
    (
        "this message was deleted",
        "you deleted this message",
        "diese nachricht wurde gelöscht",
        "du hast diese nachricht gelöscht",
        "se eliminó este mensaje",
        "eliminaste este mensaje",
        "ce message a été supprimé",
        "vous avez supprimé ce message",
        "questo messaggio è stato eliminato",
        "hai eliminato questo messaggio",
        "mensagem apagada",
        "você apagou esta mensagem",
        "esta mensagem foi apagada",
        "dit bericht is verwijderd",
        "je hebt dit bericht verwijderd",
        "это сообщение удалено",
        "вы удалили это сообщение",
    )
)
#: How a file is named that came with the export: on iOS, and on Android.
_ATTACHED: Final = re.compile(
    r"\u200e?<[^<>\n:]{2,20}: (?P<file>[^<>\n]+)>|(?P<other>\S.*?\.\w{2,5}) \([^()\n]*\)\Z"
)
_OMITTED: Final = re.compile(
    r"(?:\p{L}[\p{L} ]*) (?:omitted|weggelassen|omitid[ao]|omis[e]?|omess[ao]|ocultad[ao]|weggelaten)\Z",
    re.IGNORECASE,
)
_MANY: Final = 2


def sniff(source: Source) -> Match | None:
    """Say whether this is such a chat."""
    text = _chat(source)
    if text is None or text.shape != "text":
        return None
    lines = [line for line in text.head_text.split("\n") if line.strip()]
    if not lines or _HEAD.match(lines[0].rstrip("\r")) is None:
        return None
    heads = [found for line in lines if (found := _HEAD.match(line.rstrip("\r")))]
    said = [found for found in heads if _NAME.match(found["rest"])]
    if said and (len(heads) >= _MANY or len(lines) == 1):
        return Match("lines that begin with a date and a time of WhatsApp")
    return None


def _chat(source: Source) -> Source | None:
    """Return the text of a chat; of a zip or a folder, the one text in it."""
    if source.shape not in {"zip", "folder"}:
        return source
    texts = [member for member in source.members() if member.lower().endswith(".txt")]
    return source.member(texts[0]) if len(texts) == 1 else None


def read(source: Source, options: Options) -> Iterator[Yielded]:  # noqa: ARG001 - one room
    """Yield the messages, in the order of the file."""
    chat = _chat(source)
    if chat is None:
        raise source.error(Place(), "there is no chat in it, or several")
    file = "" if chat is source else chat.name
    begun: tuple[Place, str] | None = None
    gathered: list[str] = []
    for number, line in chat.lines():
        found = _HEAD.match(line)
        if found is None:
            if begun is None and line.strip():
                raise source.error(Place(number), "a line begins with a date and a time")
            gathered.append(line)
            continue
        if begun is not None:
            yield from _message(begun[0], "\n".join([begun[1], *gathered]))
        begun, gathered = (Place(number, file=file), found["rest"]), []
    if begun is not None:
        yield from _message(begun[0], "\n".join([begun[1], *gathered]))


def _message(place: Place, rest: str) -> Iterator[Yielded]:
    found = _NAME.match(rest)
    if found is None:
        yield Left("system", place)
        return
    shown, text = found["name"].strip("\u200e\u200f \u00a0\u202f"), found["text"]
    # Before what the phone itself wrote, iOS puts a mark that nobody sees.
    by_system = text.startswith("\u200e")
    text = _EDITED.sub("", text.lstrip("\u200e\u200f").rstrip())
    if text.rstrip(".").lower() in _DELETED:
        yield Left("deleted", place)
        return
    attached = _ATTACHED.match(text)
    if attached is not None:
        text = f"[file: {attached['file'] or attached['other']}]{text[attached.end() :]}"
    elif by_system and _OMITTED.match(text) is None and not text.startswith("POLL:"):
        yield Left("system", place)
        return
    yield Record(by=Speaker(key=shown, name=shown), text=_text(text), place=place)


def _text(text: str) -> Text:
    pieces: list[str | Mark] = []
    at = 0
    for found in _MENTION.finditer(text):
        whom = found[1].removeprefix("~").strip()
        pieces += [text[at : found.start()], Mark(key=whom, otherwise=f"@{whom}")]
        at = found.end()
    return (*pieces, text[at:])
