"""What agents' consoles print: AG2, AutoGen 0.4 to 0.7, and ``deskroom show``.

Each has heads that no text of a row can be taken for, as long as the text is not made for it: AG2
ends a row with 80 dashes, AutoGen puts ten dashes around a head, and ours indents every further line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from attrs import define, evolve, field

from deskroom.imports.limits import MOST_LINE_BYTES
from deskroom.imports.records import Left, Place, Record, Speaker, Yielded
from deskroom.imports.source import Source

__all__ = [
    "AG2_END",
    "AG2_HEAD",
    "AUTOGEN_HEAD",
    "SHOW_HEAD",
    "Body",
    "ag2",
    "autogen",
    "show",
    "uncolored",
]

AG2_HEAD: Final = re.compile(r"(\S.{0,199}?) \(to (\S.{0,199}?)\):")
AG2_END: Final = "-" * 80
_AG2_BLOCK: Final = re.compile(
    r"\*{5} (Suggested (?:tool|function) call|Response from calling (?:tool|function))\b.*\*{5}"
)
_AG2_LOG: Final = ">>>>>>>>"
_AG2_NEXT: Final = "Next speaker: "

AUTOGEN_HEAD: Final = re.compile(
    r"-{10} (?:(\w+(?:\[.{0,99}\])?) \((.{1,199})\)|(\S.{0,199}?)) -{10}"
)
_TOKENS: Final = re.compile(r"\[Prompt tokens: \d+, Completion tokens: \d+\]")
#: How AutoGen 0.4, whose heads have no type, prints what is no message.
_PRINTED: Final = (
    ("[FunctionCall(", "ToolCallRequestEvent"),
    ("[FunctionExecutionResult(", "ToolCallExecutionEvent"),
    ("[MemoryContent(", "MemoryQueryEvent"),
)

SHOW_HEAD: Final = re.compile(r"\[\d+(?:-\d+)?\] (\S.*)")
_SHOW_ROW: Final = re.compile(r"(.{1,200}?)(?: → (.{1,2000}?) · aside)?:(?: (.*)|$)")
_SHOW_STUB: Final = re.compile(r"[^:]{1,200} → [^:]{1,2000} · aside, (\d{1,9}) messages? · ")
_COLOR: Final = re.compile(r"\x1b\[[0-9;]*m")


def uncolored(line: str) -> str:
    """Return a line without the marks that give it colour on a terminal."""
    return _COLOR.sub("", line) if "\x1b" in line else line


@define
class Body:
    """The lines of one row, within a limit."""

    source: Source
    lines: list[str] = field(factory=list)
    size: int = 0

    def add(self, number: int, line: str) -> None:
        """Keep a line. Raises ``FileError`` where a row becomes larger than 32 MiB."""
        self.size += len(line) + 1
        if self.size > MOST_LINE_BYTES:
            problem = f"a row is longer than {MOST_LINE_BYTES >> 20} MiB, which is read at most"
            raise self.source.error(Place(number), problem, kind="too_large")
        self.lines.append(line)

    @property
    def text(self) -> str:
        """The lines as one text."""
        return "\n".join(self.lines)


def _speaker(name: str) -> Speaker:
    return Speaker(key=name, name=name)


def _lines(source: Source) -> Iterator[tuple[int, str]]:
    for number, line in source.lines():
        yield number, uncolored(line)


# --- AG2 ---------------------------------------------------------------------------------------


def ag2(source: Source) -> Iterator[Yielded]:
    """Yield what AG2 (and AutoGen 0.2) printed: a head ``NAME (to NAME):`` and a blank line."""
    head: tuple[int, str] | None = None
    row: tuple[int, str, Body] | None = None
    is_log, began, again = False, False, ""
    lines = _lines(source)
    for number, line in lines:
        if row is not None:
            if line == AG2_END:
                yield from _ag2_row(*row)
                row = None
            elif row[2].lines or not (line == again or not line.strip()):
                # AutoGen 0.2 prints the head of a tool's responses twice.
                row[2].add(number, line)
        elif head is not None and not line.strip():
            row, head, is_log, began = (*head, Body(source)), None, False, True
        elif found := AG2_HEAD.fullmatch(line):
            head, again = (number, found[1]), line
        elif _AG2_BLOCK.fullmatch(line):
            # Further responses of one message, counted with it, stand after its dashes.
            _pass_block(line, lines)
        elif line.startswith(_AG2_NEXT):
            yield Left("next speaker", Place(number))
            is_log = False
        elif line.strip() and line != AG2_END and (line.startswith(_AG2_LOG) or not is_log):
            is_log = began or line.startswith(_AG2_LOG)
            yield Left("log line" if is_log else "before the first row", Place(number))
    if row is not None:
        source.warn(row[0], "the last row has no end: the text may be cut short")
        yield from _ag2_row(*row)


def _pass_block(head: str, lines: Iterable[tuple[int, str]]) -> None:
    end = "*" * len(head)
    for _, line in lines:
        if line == end:
            return


def _ag2_row(number: int, by: str, body: Body) -> Iterator[Yielded]:
    """Yield a row, or say what it is instead: a call of a tool, or what came of one."""
    kinds = {"": 0, "tool call": 0, "tool result": 0}
    texts: list[str] = []
    lines = iter(enumerate(body.lines))
    for _, line in lines:
        found = _AG2_BLOCK.fullmatch(line)
        if found is None:
            texts.append(line)
            continue
        kinds["tool call" if found[1].startswith("S") else "tool result"] += 1
        _pass_block(line, lines)
    text = "\n".join(texts)
    if not text.strip() or (kinds["tool call"] and text.strip() == "None"):
        for kind in ("tool call", "tool result"):
            if kinds[kind]:
                yield Left(kind, Place(number))
                return
    yield Record(by=_speaker(by), text=text, place=Place(number))


# --- AutoGen -----------------------------------------------------------------------------------


def autogen(source: Source) -> Iterator[Yielded]:
    """Yield what AutoGen's ``Console`` printed: ``---------- TYPE (NAME) ----------``, or a name."""
    head: tuple[int, str, str] | None = None
    body = Body(source)
    for number, line in _lines(source):
        found = AUTOGEN_HEAD.fullmatch(line)
        if found is not None:
            if head is not None:
                yield from _autogen_row(*head, body)
            head, body = (number, found[1] or "", found[2] or found[3]), Body(source)
        elif head is not None:
            body.add(number, line)
        elif line.strip():
            yield Left("before the first row", Place(number))
    if head is not None:
        yield from _autogen_row(*head, body)


def _autogen_row(number: int, kind: str, by: str, body: Body) -> Iterator[Yielded]:
    place = Place(number)
    lines = [line for line in body.lines if not _TOKENS.fullmatch(line)]
    text = "\n".join(lines)
    if not kind and by == "Summary" and text.startswith("Number of "):
        yield Left("log line", place)
        return
    if len(lines) < len(body.lines):
        yield Left("log line", place, len(body.lines) - len(lines))
    printed = next((name for begin, name in _PRINTED if not kind and text.startswith(begin)), None)
    # What was streamed has the head of its first piece, and all of its text.
    if printed or (kind.endswith("Event") and kind != "ModelClientStreamingChunkEvent"):
        yield Left(printed or kind, place)
        return
    if kind in {"", "MultiModalMessage"} and "<image>" in lines:
        said = [line for line in lines if line != "<image>"]
        pictures = len(lines) - len(said)
        is_said = any(line.strip() for line in said)
        text = "\n".join(said if is_said else ["[image]"] * pictures)
        if is_said and pictures:
            yield Left("image", place, pictures)
    yield Record(by=_speaker(by), text=text, place=place)


# --- ours --------------------------------------------------------------------------------------


def show(source: Source) -> Iterator[Yielded]:
    """Yield what ``deskroom show`` printed: ``[N] WHO: TEXT``, further lines four blanks in."""
    row: Record | None = None
    body = Body(source)
    is_text = False
    for number, line in _lines(source):
        if line.startswith("    ") or not line.strip():
            if is_text:
                body.add(number, line[4:])
        elif line.startswith("  "):
            is_text = False
            if row is not None and line.strip() == "completes":
                row = evolve(row, completes=True)
            else:
                yield Left("decision", Place(number))
        else:
            if row is not None:
                yield evolve(row, text=body.text)
            row, body, is_text = None, Body(source), False
            found = _SHOW_ROW.fullmatch(_entry(line) or "")
            if found is None or _SHOW_STUB.match(_entry(line) or ""):
                yield _no_row(line, Place(number))
                continue
            row, is_text = _show_row(found, Place(number)), True
            body.add(number, found[3] or "")
    if row is not None:
        yield evolve(row, text=body.text)


def _entry(line: str) -> str | None:
    found = SHOW_HEAD.fullmatch(line)
    return None if found is None else found[1]


def _show_row(found: re.Match[str], place: Place) -> Record:
    to = None if found[2] is None else tuple(found[2].split(", "))
    return Record(by=_speaker(found[1]), text="", to=to, place=place)


def _no_row(line: str, place: Place) -> Left:
    """Say what a line at the left edge is that begins no row."""
    stub = _SHOW_STUB.match(_entry(line) or "")
    if stub is not None:
        return Left("private row that is not shown", place, int(stub[1]))
    if line.startswith("turn "):
        return Left("turn without a row", place)
    return Left("log line", place)
