"""``text``: ``NAME: text`` in notes and logs, and what the consoles of agents print.

The first line that begins a row gives the shape of all of them: plain, bold, with a time. A plain
name begins a row if it does so twice in the file, or first; so ``Printed: 3 kg`` inside a text does
not. Everything up to the next such line belongs to the row, and so do lines inside a code
fence whatever they look like. A fence that is not closed is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, pairwise
from typing import Final

from attrs import define, field, frozen

from deskroom.imports import consoles
from deskroom.imports.consoles import Body, uncolored
from deskroom.imports.importer import Match, Options
from deskroom.imports.records import Left, Place, Record, Speaker, Yielded
from deskroom.imports.source import Source

name: Final = "text"
reads: Final = "lines `name: text`, consoles of AG2 and AutoGen, output of `deskroom show`"
looks_for: Final = "text in which lines such as `name: text` begin rows"
example: Final = "deskroom import notes.md -o run.jsonl"
is_sorted: Final = False
same_id: Final = "error"

_DATE: Final = r"(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4})"
_CLOCK: Final = (
    r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?[AaPp]\.?[Mm]\.?)?(?:Z| ?[+-]\d\d:?\d\d)?"
)
_TIME: Final = rf"(?:(?:{_DATE}[ T])?{_CLOCK}|{_DATE})"
_FIRST: Final = r"[^\W]|[@_]|[^\x00-\x7f\s]"
_PLAIN: Final = r"[^\s:*\[\](){}<>\"`,;=/\\|#!?]"
_NAME: Final = rf"(?:{_FIRST}){_PLAIN}{{0,59}}(?: {_PLAIN}{{1,60}}){{0,2}}"
_LOOSE: Final = rf"(?:{_FIRST})[^\s:*\[\]<>`]{{0,59}}(?: [^\s:*\[\]<>`]{{1,60}}){{0,5}}"
_HEAD: Final = re.compile(
    rf"(?P<lead>[-*+>] )?(?P<open>\*\*)?(?P<time>\[{_TIME}\] ?|\({_TIME}\) ?|{_TIME} )?"
    rf"(?P<inner>\*\*)?(?P<name>{_LOOSE})(?P<later> ?[\[(]{_TIME}[\])])?"
    r"(?P<close>\*\*:|:\*\*|:)(?:\s+(?P<text>.*)|\s*$)"
)
_STRICT: Final = re.compile(_NAME)
_PLAIN_HEAD: Final = re.compile(rf"({_NAME}):(?:\s+(.*)|\s*$)")
_PLAIN_SHAPE: Final = ("", "", "", "", "", ":")
_MARKS: Final = re.compile(r"[(\[*]")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_MOST_NAMES: Final = 100_000
#: Lines that may stand before the first row, for a file to be taken for a log of talk.
_MOST_BEFORE: Final = 3
#: What begins lines of other files: headers, fields of records, levels of logs, notes, code.
_NO_NAMES: Final = frozenset((
    "author", "authors", "date", "commit", "merge", "subject", "from", "to", "cc", "bcc", "sent",
    "reply-to", "received", "return-path", "message-id", "content-type", "mime-version", "host",
    "info", "warn", "warning", "error", "debug", "trace", "fatal", "critical", "notice", "note",
    "notes", "todo", "fixme", "hint", "tip", "example", "usage", "see", "kind", "apiversion",
    "metadata", "package", "source", "version", "description", "section", "priority",
    "maintainer", "depends", "architecture", "format", "files", "copyright", "license", "comment",
    "upstream-name", "upstream-contact", "metadata-version", "name", "summary", "classifier",
    "project-url", "requires-dist", "template", "default", "start-date", "end-date",
    "commandline", "http", "https", "file", "path", "url", "title", "status", "type", "id", "key",
    "value", "step",
))  # fmt: skip
#: What begins lines of code that end with a colon.
_NO_WORDS: Final = frozenset((
    "try", "except", "else", "elif", "finally", "class", "def", "if", "for", "while", "with",
    "case", "return", "default", "public", "private", "protected", "log",
))  # fmt: skip
_Shape = tuple[str, ...]


@frozen
class _Head:
    shape: _Shape
    name: str
    text: str

    @property
    def has_time(self) -> bool:
        return bool(self.shape[2] or self.shape[4])

    @property
    def is_marked(self) -> bool:
        """Whether its shape alone tells a head: by a time, or by bold type."""
        return self.has_time or bool(self.shape[1] or self.shape[3])


def sniff(source: Source) -> Match | None:
    """Say whether this is such a file."""
    if source.shape != "text":
        return None
    lines = source.head_text.split("\n")
    if len(source.head) > 60_000:  # noqa: PLR2004 - the head may end inside a line
        lines.pop()
    lines = [uncolored(line.removesuffix("\r")) for line in lines]
    console = _console(lines)
    if console is not None:
        return Match(f"the output of {console}")
    return _talk(lines)


def read(source: Source, options: Options) -> Iterator[Yielded]:  # noqa: ARG001 - one room
    """Yield the rows, as one of the consoles prints them or as lines ``name: text``."""
    lines = [uncolored(line.removesuffix("\r")) for line in source.head_text.split("\n")]
    readers: dict[str | None, Callable[[Source], Iterator[Yielded]]] = {
        _AG2: consoles.ag2,
        _AUTOGEN: consoles.autogen,
        _SHOW: consoles.show,
    }
    return readers.get(_console(lines), _rows)(source)


# --- what a text is ----------------------------------------------------------------------------

_AG2: Final = "AG2's console"
_AUTOGEN: Final = "AutoGen's console"
_SHOW: Final = "deskroom show"


def _console(lines: list[str]) -> str | None:
    """Return whose console printed this, or None."""
    filled = [line for line in lines if line.strip()]
    if not filled:
        return None
    if consoles.SHOW_HEAD.fullmatch(filled[0]) and all(map(_is_shown, filled[:-1])):
        return _SHOW
    heads = [found for line in filled if (found := consoles.AUTOGEN_HEAD.fullmatch(line))]
    if any(head[1] for head in heads) or len(heads) > 1:
        return _AUTOGEN
    begun = any(
        consoles.AG2_HEAD.fullmatch(line) and not after.strip() for line, after in pairwise(lines)
    )
    return _AG2 if begun and consoles.AG2_END in filled else None


def _is_shown(line: str) -> bool:
    return line.startswith(("  ", "turn ", "closed: ", "not closed")) or bool(
        consoles.SHOW_HEAD.fullmatch(line)
    )


def _talk(lines: list[str]) -> Match | None:
    """Say whether people or agents talk here: at least two, one of them twice, near the start."""
    numbered = list(enumerate(lines, start=1))
    plan = _planned(numbered)
    if plan.ends is not None:
        plan = _planned(numbered, plan.ends)
    fence = _Fence(plan.ends)
    open_lines = [line for number, line in numbered if not fence.hides(number, line)]
    heads = [head for line in open_lines if (head := _head(line)) and plan.begins(head)]
    names = [head.name for head in heads if _is_name(head.name)]
    before = [line for line in lines[: plan.first - 1] if line.strip() and line[0] not in "#=-*_"]
    texts = [head.text for head in heads if head.text]
    several_words = sum(" " in text for text in texts)
    is_talk = len(set(names)) > 1 and len(names) > len(set(names)) and len(names) * 2 > len(heads)
    is_prose = several_words * 4 >= len(texts) and len(texts) * 2 >= len(heads)
    if not is_talk or not is_prose or not _is_name(plan.first_name) or len(before) > _MOST_BEFORE:
        return None
    shown = ", ".join(islice(dict.fromkeys(names), 3))
    return Match(f"rows by {shown}", sure=False)


def _is_name(named: str) -> bool:
    """Whether somebody may be called so, as far as one can tell from the words."""
    return (
        named.lower() not in _NO_NAMES and named.split(" ", maxsplit=1)[0].lower() not in _NO_WORDS
    )


# --- lines `name: text` ------------------------------------------------------------------------


def _head(line: str) -> _Head | None:
    """Return the head that a line may be: its shape, name and first text."""
    colon = line.find(":")
    if colon < 1:
        return None
    if line[0].isalpha() and not _MARKS.search(line, 0, colon):
        # Most lines are plain, and need no more than this.
        found = _PLAIN_HEAD.match(line)
        return None if found is None else _Head(_PLAIN_SHAPE, found[1], found[2] or "")
    found = _HEAD.match(line)
    if found is None:
        return None
    bold = (found["open"] or "", found["inner"] or "")
    if bool(bold[0] or bold[1]) != (found["close"] != ":") or all(bold):
        return None
    time, later = _frame(found["time"]), _frame(found["later"])
    head = _Head(
        (found["lead"] or "", bold[0], time, bold[1], later, found["close"]),
        found["name"],
        found["text"] or "",
    )
    if not head.is_marked and not _STRICT.fullmatch(head.name):
        return None
    return head


def _frame(time: str | None) -> str:
    """Return what is around a time: a bracket, or a blank after it; empty where there is none."""
    return "" if time is None else time.strip()[0] if time.strip()[0] in "[(" else " "


@define
class _Fence:
    """Whether a line is inside a code fence; none is opened from line ``ends`` on."""

    ends: int | None = None
    mark: str = ""
    since: int = 0

    def hides(self, number: int, line: str) -> bool:
        """Take the next line. Return whether it is code, and can begin no row."""
        if self.mark:
            found = _FENCE.fullmatch(line) if line.lstrip()[:1] == self.mark[0] else None
            if found and found[1].startswith(self.mark) and not found[2].strip():
                self.mark = ""
            return True
        if ("```" in line or "~~~" in line) and (self.ends is None or number < self.ends):
            head = _head(line)
            found = _FENCE.fullmatch(head.text if head else line)
            if found and not (found[1][0] == "`" and "`" in found[2]):
                self.mark, self.since = found[1], number
        return False


@define
class _Plan:
    """What begins a row: the shape, where the first is, and how often each name does."""

    shape: _Shape | None = None
    first: int = 0
    first_name: str = ""
    ends: int | None = None
    counts: dict[str, int] = field(factory=dict)

    def begins(self, head: _Head) -> bool:
        """Whether a row begins with this head."""
        if head.shape != self.shape:
            return False
        if head.has_time or self.counts.get(head.name, 0) > 1 or head.name == self.first_name:
            return True
        return head.is_marked and _is_name(head.name)


@define
class _Seen:
    counts: dict[str, int] = field(factory=dict)
    at: dict[str, int] = field(factory=dict)
    has_time: bool = False


def _planned(lines: Iterable[tuple[int, str]], ends: int | None = None) -> _Plan:
    """Return what begins a row in these lines. An open fence at their end is none."""
    seen: dict[_Shape, _Seen] = {}
    fence = _Fence(ends)
    total = 0
    for number, line in lines:
        if fence.hides(number, line):
            continue
        head = _head(line)
        if head is None:
            continue
        one = seen.setdefault(head.shape, _Seen(has_time=head.has_time))
        if head.name not in one.counts:
            total += 1
            if total > _MOST_NAMES:
                return _Plan()
            one.at[head.name] = number
        one.counts[head.name] = one.counts.get(head.name, 0) + 1
    return _chosen(seen, fence.since if fence.mark else ends)


def _chosen(seen: dict[_Shape, _Seen], ends: int | None) -> _Plan:
    """Return the shape that begins first: of a name with a time, or one that begins twice."""
    firsts: list[tuple[int, _Shape]] = []
    for shape, one in seen.items():
        found = [at for key, at in one.at.items() if one.has_time or one.counts[key] > 1]
        if found:
            firsts.append((min(found), shape))
    if not firsts:
        firsts = [(min(one.at.values()), shape) for shape, one in seen.items()]
    if not firsts:
        return _Plan(ends=ends)
    shape = min(firsts)[1]
    one = seen[shape]
    first_name = min(one.at, key=one.at.__getitem__)
    return _Plan(shape, one.at[first_name], first_name, ends, one.counts)


def _rows(source: Source) -> Iterator[Yielded]:
    plan = _planned(_lines(source))
    if plan.ends is not None:
        plan = _planned(_lines(source), plan.ends)
    if plan.shape is None:
        problem = "no line begins with a name and a colon, as `name: text`, or far too many do"
        raise source.error(Place(), problem)
    fence = _Fence(plan.ends)
    row: tuple[int, str] | None = None
    body = Body(source)
    for number, line in _lines(source):
        head = None if fence.hides(number, line) else _head(line)
        if head is not None and plan.begins(head):
            if row is not None:
                yield _row(*row, body)
            row, body = (number, head.name), Body(source)
            body.add(number, head.text)
        elif row is not None:
            body.add(number, line)
        elif line.strip():
            yield Left("before the first row", Place(number))
    if row is not None:
        yield _row(*row, body)


def _lines(source: Source) -> Iterator[tuple[int, str]]:
    return ((number, uncolored(line)) for number, line in source.lines())


def _row(number: int, named: str, body: Body) -> Record | Left:
    """Return a row; what a log calls ``system`` is a prompt, as elsewhere."""
    if named.lower() == "system":
        return Left("system", Place(number))
    return Record(by=Speaker(key=named, name=named), text=body.text, place=Place(number))
