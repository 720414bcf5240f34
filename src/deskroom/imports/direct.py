"""A transcript of another framework as a run, without a file of ours in between."""

from __future__ import annotations

from attrs import evolve

from deskroom.imports.cast import Wishes
from deskroom.imports.containers import open_source
from deskroom.imports.importer import Options, find_importer, version_of
from deskroom.imports.room import open_room
from deskroom.imports.source import Source, check_encoding
from deskroom.imports.write import write_transcript
from deskroom.runs.transcript import read_transcript
from deskroom.runs.view import RunView

__all__ = ["read_foreign"]


def read_foreign(
    path: str,
    *,
    format_: str | None = None,
    room: str | None = None,
    encoding: str | None = None,
    source: Source | None = None,
) -> RunView:
    """Return the rows of a file as ``deskroom import`` would write them; it is held whole.

    ``source`` is it where it is open already. Raises ``FileError`` for an input that is wrong, has no row, or has several rooms and none named.
    """
    if source is None:
        source = open_source(path, None if encoding is None else check_encoding(encoding))
    importer, _ = find_importer(source, format_)
    opened = open_room([source], importer, Options(room=room), Wishes())
    pieces, _ = write_transcript(opened, version_of(importer.name), room)
    view = read_transcript(b"".join(pieces).decode(), path)
    # Their lines are those of a transcript that is nowhere.
    return evolve(view, items=tuple(evolve(item, line=None) for item in view.items))
