"""``irc``: logs of a channel as irssi, WeeChat, ZNC, energymech, mIRC and HexChat write them.

A line is what somebody said (``<nick> text``), what they did (``* nick text``), or news of the
channel. Somebody who takes another nick is the same speaker.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from attrs import define, field

from deskroom.imports.importer import Match, Options
from deskroom.imports.records import Left, Mark, Place, Record, Speaker, Text, Yielded
from deskroom.imports.source import Source

name: Final = "irc"
reads: Final = "logs of irssi, WeeChat, ZNC, energymech, mIRC and HexChat"
looks_for: Final = "lines with a time and `<nick> text`, `* nick text` or `-!-`"
example: Final = "deskroom import '#kiln.log' -o run.jsonl"
is_sorted: Final = False
same_id: Final = "error"

_CLOCK: Final = r"\d{1,2}:\d\d(?::\d\d)?"
_DAY: Final = r"(?:\d{4}-\d\d-\d\d[T ]|[A-Z][a-z]{2} \d{1,2} )"
_STAMP: Final = rf"(?:\[{_DAY}?{_CLOCK}\]|{_DAY}?{_CLOCK}(?:Z|[+-]\d\d:?\d\d)?)"
_SAID: Final = re.compile(
    rf"(?P<time>{_STAMP}\s+)?<(?P<nick>[ @+%~&!.]?[^\s<>]+)>[ \t]?(?P<text>.*)\Z"
)
_DID: Final = re.compile(rf"(?P<time>{_STAMP}\s+)?\*[ \t](?P<nick>[^\s*]+)[ \t](?P<text>.*)\Z")
_NEWS: Final = re.compile(rf"(?:{_STAMP}\s+)?(?:-!-|\*\*\*|--- |\*\*\*\* )(?P<text>.*)\Z")
#: WeeChat: a time, who, and the text, with tabs between them.
_TABS: Final = re.compile(rf"{_STAMP}\t(?P<who>[^\t]*)\t(?P<text>.*)\Z")
_RENAMED: Final = re.compile(
    r"\s*(?P<old>\S+) (?:\(\S+\) )?(?:is now known as|are now known as|has changed nick to|changed nick to) "
    r"(?P<new>\S+?)\.?\Z"
)
_JOINED: Final = re.compile(
    r"\s*(?:(?:Joins?|Parts?|Quits?): |\S+ (?:[\[(]\S*[\])] )?(?:has|have) (?:joined|left|quit|parted)\b|"
    r"\S+ was kicked\b|\S+ (?:\S+ )?has been kicked\b|\S+ has kicked\b)"
)
#: News that HexChat and mIRC tell behind the same star as what somebody does.
_TOLD: Final = re.compile(
    r"\S+ (?:\(\S+\) )?(?:sets? mode|gives? |removes? |has changed the topic|changes topic|"
    r"has set the topic)|(?:Topic|Now talking|Now Talking|Users?) "
)
_ADDRESS: Final = re.compile(r"(?P<nick>[^\s:,@<>]+)(?P<mark>[:,])(?=\s)")
_MODES: Final = " @+%~&!."
_MANY: Final = 2


def sniff(source: Source) -> Match | None:
    """Say whether this is such a log."""
    if source.shape != "text":
        return None
    lines = [line.rstrip("\r") for line in source.head_text.split("\n") if line.strip()]
    if len(lines) > _MANY:
        del lines[-1]  # it may be cut
    timed = sum(
        bool((found := _SAID.match(line) or _DID.match(line)) and found["time"])
        or _TABS.match(line) is not None
        for line in lines
    )
    news = sum(_NEWS.match(line) is not None for line in lines)
    bare = sum(_SAID.match(line) is not None for line in lines)
    if timed and timed + news >= 0.9 * len(lines):
        return Match("lines with a time and a nick")
    if bare >= _MANY and bare + news >= 0.9 * len(lines):
        return Match("lines of the form `<nick> text`")
    return None


@define
class _Nicks:
    """Who each nick is: by the first nick, in lower case, of whoever has it now."""

    keys: dict[str, str] = field(factory=dict)
    names: dict[str, str] = field(factory=dict)

    def key(self, nick: str) -> str:
        """Return what whoever has a nick is known by."""
        return self.keys.get(nick.lower(), nick.lower())

    def speaker(self, nick: str) -> Speaker:
        """Return who speaks under a nick; the name shown is the first one that they spoke under."""
        key = self.key(nick)
        return Speaker(key=key, name=self.names.setdefault(key, nick))

    def rename(self, old: str, new: str) -> None:
        """Note that somebody took another nick."""
        self.keys[new.lower()] = self.key(old)


def read(source: Source, options: Options) -> Iterator[Yielded]:  # noqa: ARG001 - one room
    """Yield the messages, in the order of the file."""
    nicks = _Nicks()
    for number, line in source.lines():
        if line.strip():
            yield from _line(source, Place(number), line, nicks)


def _line(source: Source, place: Place, line: str, nicks: _Nicks) -> Iterator[Yielded]:
    tabs = _TABS.match(line)
    if tabs is not None:
        yield from _columns(place, tabs["who"].strip(), tabs["text"], nicks)
        return
    said = _SAID.match(line)
    if said is not None:
        yield _record(place, said["nick"], said["text"], nicks, addressed=True)
        return
    did = _DID.match(line)
    if did is not None:
        told = f"{did['nick']} {did['text']}"
        if _RENAMED.match(told) or _JOINED.match(told) or _TOLD.match(told):
            yield from _news(place, told, nicks)
            return
        yield _record(place, did["nick"], did["text"], nicks, addressed=False)
        return
    news = _NEWS.match(line)
    if news is None:
        raise source.error(place, "this is no line of a log: `<nick> text`, `* nick text` or `-!-`")
    yield from _news(place, news["text"], nicks)


def _columns(place: Place, who: str, text: str, nicks: _Nicks) -> Iterator[Yielded]:
    if who in {"-->", "<--"}:
        yield Left("joined or left", place)
    elif who == "*":
        nick, _, did = text.partition(" ")
        yield _record(place, nick, did, nicks, addressed=False)
    elif who in {"--", "", "=!="}:
        yield from _news(place, text, nicks)
    else:
        yield _record(place, who, text, nicks, addressed=True)


def _news(place: Place, text: str, nicks: _Nicks) -> Iterator[Yielded]:
    renamed = _RENAMED.match(text)
    if renamed is not None:
        nicks.rename(renamed["old"].lstrip(_MODES), renamed["new"])
    elif _JOINED.match(text) is not None:
        yield Left("joined or left", place)
    else:
        yield Left("system", place)


def _record(place: Place, nick: str, text: str, nicks: _Nicks, *, addressed: bool) -> Record:
    return Record(
        by=nicks.speaker(nick.lstrip(_MODES)),
        text=_text(text, nicks) if addressed else text,
        place=place,
    )


def _text(text: str, nicks: _Nicks) -> Text:
    found = _ADDRESS.match(text)
    if found is None:
        return text
    nick = found["nick"]
    mark = Mark(key=nicks.key(nick), otherwise=nick)
    return (mark, text[found.end("nick") :])
