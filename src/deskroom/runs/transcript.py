"""Reading what a run said from JSON: the output of a replay, an import, or one row a line.

A row in the reference wire form says nothing of decisions and turns; the output of
``deskroom replay --json`` does. Reading is strict: an absent audience must not mean everyone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from attrs import evolve

from deskroom.core import Target, agent, resolve
from deskroom.core.transcript import Elision, SeenRow
from deskroom.errors import FileError, WireError
from deskroom.runs.header import TranscriptHeader, is_header
from deskroom.runs.values import audience_value, target_value
from deskroom.runs.view import RunView, ViewItem, in_order, row_facts
from deskroom.wire import Fields, audience_in, author_in, author_out, row_in

__all__ = ["read_transcript"]

_WIRE: Final = ("sequence", "chat_id", "parent", "author", "content", "audience")


def read_transcript(text: str, path: str) -> RunView:
    """Return the run in a text of JSON or JSON lines. Raises ``FileError`` with the line."""
    document = _json(text)
    if isinstance(document, dict) and "scenarios" in document:
        return _replayed(document, path)
    header = None
    if isinstance(document, list):
        items = tuple(_bare_row(value, path, None) for value in document)
    else:
        header, items = _lines(text, path)
    if not items:
        raise FileError(path, "the file holds no row")
    return RunView(
        path=path,
        kind="transcript",
        items=items,
        seats=None if header is None else tuple(seat.id for seat in header.seats),
        directory=None if header is None else header.directory,
        has_turns=False,
        header=header,
    )


def _lines(text: str, path: str) -> tuple[TranscriptHeader | None, tuple[ViewItem, ...]]:
    """Return the rows of JSON lines, and the header where an import wrote one before them."""
    header: TranscriptHeader | None = None
    items: list[ViewItem] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        value = _line(line, number, path)
        if header is None and not items and is_header(value):
            header = _header(value, path, number)
        elif header is None:
            items.append(_bare_row(value, path, number))
        else:
            items.append(_imported(_bare_row(value, path, number), header))
    return header, tuple(items)


def _header(value: object, path: str, number: int) -> TranscriptHeader:
    try:
        return TranscriptHeader.from_json(value)
    except WireError as error:
        problem = f"this is not the header of a transcript: {error}"
        raise FileError(path, problem, line=number) from None


def _imported(item: ViewItem, header: TranscriptHeader) -> ViewItem:
    """Return a row with what the header knows of it: whom it names, and whether it completes."""
    assert item.row is not None  # noqa: S101 - it is a row as it stands in the file
    row = item.row
    by = Target("person", row.author.id) if row.author.type == "person" else None
    author = agent(row.author.id or "") if row.author.type == "agent" else by
    mentions = resolve(row.content, None, author, header.directory)
    is_done = {"completes": True} if row.sequence in header.completions else {}
    return evolve(
        item,
        facts={**item.facts, **is_done},
        mentions=[target_value(m.target) for m in mentions if not m.quiet],
    )


def _json(text: str) -> Any:  # noqa: ANN401 - decoded JSON
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _line(line: str, number: int, path: str) -> Any:  # noqa: ANN401 - decoded JSON
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        problem = "this line is not JSON, so the file is not a transcript"
        raise FileError(path, problem, line=number) from None


def _bare_row(value: object, path: str, number: int | None) -> ViewItem:
    try:
        row = row_in(value)
    except WireError as error:
        raise FileError(path, f"this is not a row: {error}", line=number) from None
    seat = row.author.id if row.author.type == "agent" else None
    return ViewItem(
        path=path,
        line=number,
        seat=seat,
        sequence=row.sequence,
        row=row,
        facts=row_facts(row),
    )


# --- the output of a replay --------------------------------------------------------------------


def _replayed(document: Mapping[str, Any], path: str) -> RunView:
    scenarios = document["scenarios"]
    if not isinstance(scenarios, list) or len(scenarios) != 1:
        count = len(scenarios) if isinstance(scenarios, list) else "no"
        raise FileError(path, f"the file holds {count} scenarios; replay one alone to compare it")
    try:
        return _view(Fields(scenarios[0], "the scenario"), path)
    except WireError as error:
        raise FileError(path, f"this is not the output of a replay: {error}") from None


def _view(fields: Fields, path: str) -> RunView:
    if fields.word("status", "passed", "failed", "error") == "error":
        raise FileError(path, "the replay ended in an error, so the file holds no rows")
    turns = fields.objects("turns")
    of_row = {turn.number("row"): turn for turn in turns if turn.raw("row") is not None}
    rows = [_row(row, of_row, path) for row in fields.objects("rows")]
    rowless = [_rowless(turn, path) for turn in turns if turn.raw("row") is None]
    run = fields.object("run")
    return RunView(
        path=path,
        kind="transcript",
        items=tuple(in_order(rows, rowless)),
        run={"closed": run.text("closed")},
        order=fields.text("order"),
    )


def _row(fields: Fields, turns: Mapping[int, Fields], path: str) -> ViewItem:
    if fields.has("elided"):
        return _stub(fields, path)
    row = row_in({name: fields.raw(name) for name in _WIRE})
    facts = row_facts(row)
    facts |= {name: fields.raw(name) for name in ("kind", "next", "completes", "refusal")}
    turn = turns.get(row.sequence)
    if turn is not None:
        facts |= {"hop": turn.number("hop"), **_replies(turn)}
    return ViewItem(
        path=path,
        seat=None if turn is None else row.author.id,
        sequence=row.sequence,
        turn=fields.maybe_number("turn"),
        trigger=fields.maybe_number("trigger"),
        row=row,
        facts=facts,
        mentions=fields.texts("mentions") if fields.has("mentions") else (),
        why=fields.text("why"),
    )


def _stub(fields: Fields, path: str) -> ViewItem:
    author, audience = author_in(fields.raw("author")), audience_in(fields.raw("audience"))
    elided = fields.object("elided")
    settled_at = elided.maybe_number("settled_at")
    stub = Elision(elided.number("through"), elided.number("messages"), settled_at)
    sequence = fields.number("sequence")
    return ViewItem(
        path=path,
        seat=None,
        sequence=sequence,
        stub=SeenRow(sequence, author, "", audience, stub),
        facts={
            "author": author_out(author),
            "audience": audience_value(audience),
            "messages": stub.messages,
        },
    )


def _rowless(fields: Fields, path: str) -> ViewItem:
    seat = fields.text("seat")
    return ViewItem(
        path=path,
        seat=seat,
        turn=fields.number("turn"),
        trigger=fields.maybe_number("trigger"),
        facts={
            "author": {"type": "agent", "id": seat},
            "outcome": fields.maybe_text("outcome"),
            "hop": fields.number("hop"),
            **_replies(fields),
        },
    )


def _replies(turn: Fields) -> dict[str, Any]:
    """Return the replies where they are known: another seat's are not."""
    return {} if turn.raw("replies") is None else {"replies": list(turn.texts("replies"))}
