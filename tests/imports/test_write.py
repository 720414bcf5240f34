from __future__ import annotations

import json
from pathlib import Path

import pytest

from deskroom.errors import FileError
from deskroom.imports.cast import Wishes
from deskroom.imports.containers import open_source
from deskroom.imports.formats import rows
from deskroom.imports.importer import Options
from deskroom.imports.room import open_room
from deskroom.imports.write import write_transcript
from deskroom.runs.header import LeftKind
from deskroom.runs.transcript import read_transcript

ROWS = """\
{"author": "user", "text": "@Prof. Oakes hello"}
{"author": "Prof. Oakes", "text": " "}
{"author": "Prof. Oakes", "text": "hush", "to": ["zoe"]}
{"author": "zoe", "text": "yes, @prof. oakes"}
"""


def transcript(tmp_path: Path, text: str) -> str:
    """Return the transcript of some rows."""
    path = tmp_path / "rows.jsonl"
    path.write_text(text)
    room = open_room([open_source(str(path))], rows, Options(), Wishes())
    pieces, _ = write_transcript(room, "1.2", "a room")
    return b"".join(pieces).decode("ascii")


def test_a_transcript_says_where_it_is_from_and_is_read_as_a_run(tmp_path: Path) -> None:
    """Its desk is known from the header, and so is whom each row names."""
    text = transcript(tmp_path, ROWS)
    view = read_transcript(text, "x.jsonl")
    header = view.header
    assert header is not None
    assert ("rows", "1.2", "a room", "rows.jsonl", "Prof. Oakes") == (
        header.format,
        header.version,
        header.room,
        header.files[0].name,
        header.speakers[1].name,
    )
    assert (LeftKind(kind="blank", count=1, first="line 2"),) == header.left
    assert ("Prof_Oakes", "zoe") == view.seats
    assert [["Prof_Oakes"], [], ["Prof_Oakes"]] == [list(item.mentions) for item in view.items]
    assert [2, 3, 4] == [item.line for item in view.items]
    assert ["desk", ["zoe"], "desk"] == [item.facts["audience"] for item in view.items]


def test_the_header_comes_back(tmp_path: Path) -> None:
    """Every fact of it; and one that is not whole is an error with its line."""
    first, _, rest = transcript(tmp_path, ROWS).partition("\n")
    value = json.loads(first)
    view = read_transcript(f"{first}\n{rest}", "x")
    assert view.header is not None
    assert value == view.header.to_json()
    for key in value:
        broken = {name: one for name, one in value.items() if name != key}
        with pytest.raises(FileError) as caught:
            read_transcript(f"{json.dumps(broken)}\n{rest}", "x")
        assert 1 == caught.value.line
