"""``chatarena``: what ``Arena.save_history`` writes, as JSON or as CSV.

``visible_to`` is ``all``, one name or a list of names; anything but ``all`` is a private row. In CSV
a list is written as Python shows it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from deskroom.imports.importer import Match, Options
from deskroom.imports.limits import MOST_LINE_BYTES
from deskroom.imports.records import Left, Place, Record, Speaker, Yielded
from deskroom.imports.source import Source

name: Final = "chatarena"
reads: Final = "ChatArena 0.1: Arena.save_history, JSON or CSV"
looks_for: Final = "objects or a CSV with `agent_name`, `content` and `visible_to`"
example: Final = "deskroom import wolves.json -o run.jsonl"
is_sorted: Final = False
same_id: Final = "error"

_KEYS: Final = frozenset(("agent_name", "content", "visible_to"))
_HEADER: Final = ("agent_name", "content", "turn", "timestamp", "visible_to", "msg_type")
_EVERYBODY: Final = "all"
#: A list of names as Python shows it, and one name in it.
_LIST: Final = re.compile(r"""\[(?:(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?:, |(?=\])))*\]""")
_NAME: Final = re.compile(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\"""")
_ESCAPED: Final = re.compile(r"\\(['\"\\])")


def sniff(source: Source) -> Match | None:
    """Say whether this is such a file."""
    if source.shape == "text":
        first = source.head_text.lstrip("\ufeff").split("\n", 1)[0].rstrip("\r")
        return Match("a CSV of ChatArena") if first == ",".join(_HEADER) else None
    values = source.samples()
    if values and all(isinstance(value, dict) and value.keys() >= _KEYS for value in values):
        return Match("objects with `agent_name` and `visible_to`")
    return None


def read(source: Source, options: Options) -> Iterator[Yielded]:  # noqa: ARG001 - one room
    """Yield the messages."""
    for place, value in _csv(source) if source.shape == "text" else source.values():
        if not isinstance(value, dict) or not value.keys() >= _KEYS:
            problem = "a message needs `agent_name`, `content` and `visible_to`"
            raise source.error(place, problem)
        yield _message(source, place, value)


def _message(source: Source, place: Place, value: Mapping[str, Any]) -> Yielded:
    author, content, to = value["agent_name"], value["content"], value["visible_to"]
    if not isinstance(author, str) or not author:
        raise source.error(place, "`agent_name` must be a name")
    if content is None:
        return Left("blank", place)
    if not isinstance(content, str):
        raise source.error(place, "`content` must be a string")
    return Record(
        by=Speaker(key=author, name=author),
        text=content,
        to=_readers(source, place, author, to),
        place=place,
    )


def _readers(source: Source, place: Place, author: str, to: object) -> tuple[str, ...] | None:
    names = [to] if isinstance(to, str) else to
    if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
        raise source.error(place, "`visible_to` must be `all`, a name or a list of names")
    if to == _EVERYBODY:
        return None
    return tuple(one for one in names if one != author)


# --- CSV ---------------------------------------------------------------------------------------


def _csv(source: Source) -> Iterator[tuple[Place, Mapping[str, Any]]]:
    csv.field_size_limit(MOST_LINE_BYTES)
    reader = csv.reader((f"{line}\n" for _, line in source.lines()), strict=True)
    line = 1
    try:
        for row in reader:
            place, line = Place(line), reader.line_num + 1
            if not row or (place.line == 1 and tuple(row) == _HEADER):
                continue
            if len(row) != len(_HEADER):
                problem = f"a row of this CSV has {len(_HEADER)} fields, and this one {len(row)}"
                raise source.error(place, problem)
            value: dict[str, Any] = dict(zip(_HEADER, row, strict=True))
            value["visible_to"] = _names_in(row[4])
            yield place, value
    except csv.Error as error:
        raise source.error(Place(line), f"this is not CSV: {error}") from None


def _names_in(field: str) -> str | list[str]:
    if not _LIST.fullmatch(field):
        return field
    return [_ESCAPED.sub(r"\1", one or other) for one, other in _NAME.findall(field)]
