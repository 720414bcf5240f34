"""A room from elsewhere as a transcript: a header, then its rows in the wire form, one a line.

Rows are written as they are read, to a file without a name, since the header that comes first says
what was left out, which is known last.
"""

from __future__ import annotations

import tempfile
from array import array
from collections.abc import Iterator
from typing import IO, Final

from attrs import define, field

from deskroom.core.audience import DESK, Audience, Author
from deskroom.core.transcript import Row
from deskroom.errors import FileError
from deskroom.imports.records import Left, Place
from deskroom.imports.room import ImportedRoom, ImportedRow, LeftOut
from deskroom.runs.header import InputFile, LeftKind, SpeakerName, TranscriptHeader
from deskroom.wire import encode, row_out

__all__ = ["Written", "header_of", "left_kinds", "row_of", "write_transcript"]

_CHUNK: Final = 1 << 20


@define
class Written:
    """What was written: how many rows, what was left out, and which foreign names became ids."""

    rows: int = 0
    left: LeftOut = field(factory=LeftOut)
    mentioned: dict[str, str] = field(factory=dict)


@define
class _Facts:
    """What the source recorded beside the texts; a hand-off takes sixteen bytes."""

    handoff_rows: array[int] = field(factory=lambda: array("Q"))
    handoff_to: list[str] = field(factory=list)
    completions: array[int] = field(factory=lambda: array("Q"))
    broadcasts: array[int] = field(factory=lambda: array("Q"))

    def keep(self, row: ImportedRow) -> None:
        if row.handoff is not None:
            self.handoff_rows.append(row.number)
            self.handoff_to.append(row.handoff)
        if row.completes:
            self.completions.append(row.number)
        if row.broadcasts:
            self.broadcasts.append(row.number)


def row_of(row: ImportedRow, desk_id: str) -> Row:
    """Return a row in our own form."""
    author = Author("person" if row.kind == "person" else "agent", row.author)
    audience = DESK if row.to is None else Audience("aside", row.to)
    return Row(row.number, desk_id, author, row.text, audience)


def write_transcript(
    room: ImportedRoom, version: str, name: str | None
) -> tuple[Iterator[bytes], Written]:
    """Return the bytes of a transcript, piece by piece, and what is in it.

    ``version`` is the importer's; ``name`` is that of the room, where one was named. Everything is
    read before this returns. Raises ``FileError`` as reading does, and where no row is left.
    """
    written, facts = Written(), _Facts()
    # The iterator closes it; nobody else can read it, for it has no name.
    spool = tempfile.TemporaryFile()  # noqa: SIM115 - as above
    try:
        for row in room.rows(written.left, written.mentioned):
            spool.write(encode(row_out(row_of(row, room.wishes.desk_id))) + b"\n")
            facts.keep(row)
            written.rows += 1
        add_cut_lines(room, written.left)
        check_some(room, written)
        header = header_of(room, version, name, written.left, facts)
    except BaseException:
        spool.close()
        raise
    return _pieces(encode(header.to_json()) + b"\n", spool), written


def _pieces(header: bytes, spool: IO[bytes]) -> Iterator[bytes]:
    with spool:
        spool.seek(0)
        yield header
        while piece := spool.read(_CHUNK):
            yield piece


def check_some(room: ImportedRoom, written: Written) -> None:
    """Raise ``FileError`` where every row was left out."""
    if not written.rows:
        kinds = ", ".join(written.left.kinds)
        problem = f"there is no row in it that a host would take (left out: {kinds})"
        raise FileError(room.sources[0].path, problem, kind="no_rows")


def add_cut_lines(room: ImportedRoom, left: LeftOut) -> None:
    """Count the last lines that were cut short."""
    for source in room.sources:
        if source.cut_at is not None:
            left.add(Left("cut line", Place(source.cut_at)))


def left_kinds(left: LeftOut) -> tuple[LeftKind, ...]:
    """Return what is left out, by kind, in the order of the first of each."""
    return tuple(
        LeftKind(kind=kind, count=count, first=str(place))
        for kind, (count, place) in left.kinds.items()
    )


def header_of(
    room: ImportedRoom, version: str, name: str | None, left: LeftOut, facts: _Facts | None = None
) -> TranscriptHeader:
    """Return the header of a transcript of the room."""
    facts = _Facts() if facts is None else facts
    return TranscriptHeader(
        format=room.importer.name,
        version=version,
        room=name,
        files=tuple(InputFile(name=one.name, digest=one.digest()) for one in room.sources),
        desk_id=room.wishes.desk_id,
        desk_name=room.wishes.desk_name,
        seats=room.seats,
        people=room.people,
        speakers=tuple(SpeakerName(id=one.id, key=one.key, name=one.shown) for one in room.members),
        left=left_kinds(left),
        repeated=left.repeated,
        handoffs=dict(zip(facts.handoff_rows, facts.handoff_to, strict=True)),
        completions=frozenset(facts.completions),
        broadcasts=tuple(facts.broadcasts),
    )
