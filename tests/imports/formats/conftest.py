"""What tests of one importer need: an input written to a file, and the room that comes of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from deskroom.imports.cast import Wishes
from deskroom.imports.containers import open_source
from deskroom.imports.importer import Options, find_importer
from deskroom.imports.room import LeftOut, open_room


@frozen
class Read:
    """What came of an input; a row is (author, text), with ``to`` and the hand-off where it has them."""

    format: str
    rows: list[tuple[Any, ...]]
    left: dict[str, int]
    seats: list[str]
    people: list[str]
    handoffs: list[tuple[int, str]]
    repeated: int


ReadRows = Callable[..., Read]


@pytest.fixture
def read_rows(tmp_path: Path) -> ReadRows:
    """Return a function that imports a text, a value as JSON, or a path, recognised by content."""

    def read(content: object, *, room: str | None = None, name: str | None = None) -> Read:
        path = content if isinstance(content, Path) else tmp_path / "input"
        if not isinstance(content, Path):
            text = content if isinstance(content, str) else json.dumps(content)
            path.write_text(text, encoding="utf-8", newline="")
        source = open_source(str(path))
        importer, _ = find_importer(source, name)
        opened = open_room([source], importer, Options(room=room), Wishes())
        left = LeftOut()
        rows = list(opened.rows(left))
        return Read(
            importer.name,
            [(r.author, r.text) if r.to is None else (r.author, r.text, list(r.to)) for r in rows],
            {kind: count for kind, (count, _) in left.kinds.items()},
            [member.id for member in opened.members if member.kind == "agent"],
            [member.id for member in opened.members if member.kind == "person"],
            [(row.number, row.handoff) for row in rows if row.handoff is not None],
            left.repeated,
        )

    return read
