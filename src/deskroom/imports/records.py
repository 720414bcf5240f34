"""What an importer yields: messages with who wrote them, and what it had to leave out.

An importer says what the source says, in the source's own keys. Ids, mentions, duplicates, order,
who is a person, and what the host would refuse are decided once, for all of them, from these.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from attrs import field, frozen

__all__ = [
    "DeskCall",
    "Handoff",
    "Kind",
    "Left",
    "Mark",
    "Place",
    "Record",
    "Speaker",
    "Text",
    "Yielded",
]

Kind = Literal["agent", "person", "unknown"]


@frozen
class Place:
    """Where something stands in the input: a file or member in it, a line, a JSON pointer.

    Each is left out where it says nothing: ``file`` for the only file, ``line`` in a document.
    """

    line: int | None = None
    pointer: str = ""
    file: str = ""

    def __str__(self) -> str:
        """Return it in words: ``line 3``, ``kiln/1.json:3``, ``/messages/0``; empty if not known."""
        if self.line is None:
            return " ".join(part for part in (self.file, self.pointer) if part)
        where = f"{self.file}:{self.line}" if self.file else f"line {self.line}"
        return f"{where} {self.pointer}".rstrip()


@frozen(kw_only=True)
class Speaker:
    """Somebody in the source.

    ``key`` is the source's own: it alone tells speakers apart. ``name`` is the name shown, ``handle``
    the short one where the source has such. ``also`` are other names under which a text may mention
    them. ``kind`` is what the source knows; a ``person`` never takes turns.
    """

    key: str
    name: str = ""
    handle: str | None = None
    kind: Kind = "unknown"
    also: tuple[str, ...] = ()


@frozen(kw_only=True)
class Mark:
    """A platform's own mark for somebody, such as ``<@U123>``. It becomes ``@id``.

    ``key`` is that of a speaker. Where nobody with that key has a row, ``otherwise`` stands in the
    text instead. A mark glued to other text gets a blank there, outside code.
    """

    key: str
    otherwise: str


#: A text, or its pieces: plain texts with marks between them.
Text = str | tuple[str | Mark, ...]


@frozen(kw_only=True)
class DeskCall:
    """A recorded call of one of deskroom's own tools, with its arguments as they came."""

    tool: str
    arguments: Mapping[str, Any] = field(factory=dict)


@frozen(kw_only=True)
class Record:
    """One message that a participant put before the others.

    ``to`` is None for the room, else the keys of those who could read it beside its author (empty:
    people alone). ``id`` is the source's id of the message, where it has one: what is stored twice
    counts once. ``handoff`` is the key (or name) of whom the source handed the turn to beside the
    text. ``calls`` are calls of deskroom's own tools: where there are any, they alone are what was
    said and the text beside them is narration. ``order`` sorts rows in a format that needs it.
    ``edit`` marks a later version of the message with the same ``id``.
    """

    by: Speaker
    text: Text
    place: Place = Place()
    to: tuple[str, ...] | None = None
    id: str | None = None
    handoff: str | None = None
    calls: tuple[DeskCall, ...] = ()
    completes: bool = False
    order: tuple[Any, ...] = ()
    edit: bool = False


@frozen(kw_only=True)
class Handoff:
    """A hand-off recorded apart from any message: it belongs to the row before it.

    That is the last row so far, if ``by`` (a speaker's key) wrote it; else there is no such row, and
    the hand-off is counted among what is left out.
    """

    by: str
    to: str
    place: Place = Place()


@frozen
class Left:
    """Something that no row can say. ``kind`` is a few plain words: ``tool call``, ``reasoning``.

    There are ``count`` of them from ``place`` on.
    """

    kind: str
    place: Place = Place()
    count: int = 1


#: What ``read`` yields. A ``Speaker`` on its own says who takes part, with or without a row: a
#: private list that holds every participant is the room.
Yielded = Record | Handoff | Left | Speaker
