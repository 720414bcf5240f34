"""Reading what a run said from JSON: the output of a replay, or one row a line.

A row in the reference wire form says nothing of decisions and turns; the output of
``deskroom replay --json`` does. Reading is strict: an absent audience must not mean everyone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from deskroom.errors import FileError, WireError
from deskroom.scenario.account import Account, Event, row_facts, with_rowless
from deskroom.wire import Fields, audience_in, author_in, author_out, row_in

__all__ = ["read_transcript"]

_WIRE: Final = ("sequence", "chat_id", "parent", "author", "content", "audience")


def read_transcript(text: str, path: str) -> Account:
    """Return the account in a text of JSON or JSON lines. Raises ``FileError`` with the line."""
    document = _json(text)
    if isinstance(document, dict) and "scenarios" in document:
        return _replayed(document, path)
    if isinstance(document, list):
        events = tuple(_bare_row(value, path, None) for value in document)
    else:
        events = tuple(
            _bare_row(_line(line, number, path), path, number)
            for number, line in enumerate(text.split("\n"), start=1)
            if line.strip()
        )
    if not events:
        raise FileError(path, "there is no row in it")
    return Account(path=path, kind="transcript", events=events, has_turns=False)


def _json(text: str) -> Any:  # noqa: ANN401 - decoded JSON
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _line(line: str, number: int, path: str) -> Any:  # noqa: ANN401 - decoded JSON
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        problem = "this line is no JSON, so the file is no transcript"
        raise FileError(path, problem, line=number) from None


def _bare_row(value: object, path: str, number: int | None) -> Event:
    try:
        row = row_in(value)
    except WireError as error:
        raise FileError(path, f"this is no row: {error}", line=number) from None
    seat = row.author.id if row.author.type == "agent" else None
    return Event(
        path=path,
        line=number,
        seat=seat,
        sequence=row.sequence,
        row=row,
        facts=row_facts(row),
    )


# --- the output of a replay --------------------------------------------------------------------


def _replayed(document: Mapping[str, Any], path: str) -> Account:
    scenarios = document["scenarios"]
    if not isinstance(scenarios, list) or len(scenarios) != 1:
        count = len(scenarios) if isinstance(scenarios, list) else "no"
        raise FileError(path, f"it holds {count} scenarios; replay one alone to compare it")
    try:
        return _account(Fields(scenarios[0], "the scenario"), path)
    except WireError as error:
        raise FileError(path, f"this is no output of a replay: {error}") from None


def _account(fields: Fields, path: str) -> Account:
    if fields.word("status", "passed", "failed", "error") == "error":
        raise FileError(path, "the replay it came from ended in an error, so it has no rows")
    turns = fields.objects("turns")
    of_row = {turn.number("row"): turn for turn in turns if turn.raw("row") is not None}
    rows = [_row(row, of_row, path) for row in fields.objects("rows")]
    rowless = [_rowless(turn, path) for turn in turns if turn.raw("row") is None]
    run = fields.object("run")
    return Account(
        path=path,
        kind="transcript",
        events=tuple(with_rowless(rows, rowless)),
        run={"closed": run.text("closed")},
        order=fields.text("order"),
    )


def _row(fields: Fields, turns: Mapping[int, Fields], path: str) -> Event:
    if fields.has("elided"):
        return _stub(fields, path)
    row = row_in({name: fields.raw(name) for name in _WIRE})
    facts = row_facts(row)
    facts |= {name: fields.raw(name) for name in ("kind", "next", "completes", "refusal")}
    turn = turns.get(row.sequence)
    if turn is not None:
        facts |= {"hop": turn.number("hop"), **_replies(turn)}
    return Event(
        path=path,
        seat=None if turn is None else row.author.id,
        sequence=row.sequence,
        turn=fields.maybe_number("turn"),
        trigger=fields.maybe_number("trigger"),
        row=row,
        facts=facts,
        why=fields.text("why"),
    )


def _stub(fields: Fields, path: str) -> Event:
    author, audience = author_in(fields.raw("author")), audience_in(fields.raw("audience"))
    messages = fields.object("elided").number("messages")
    members = list(audience.members)
    return Event(
        path=path,
        seat=None,
        sequence=fields.number("sequence"),
        facts={
            "author": author_out(author),
            "audience": "desk" if audience.kind == "desk" else members,
            "messages": messages,
        },
        hidden=messages,
    )


def _rowless(fields: Fields, path: str) -> Event:
    seat = fields.text("seat")
    return Event(
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
    """Return the replies where they are told: another seat's are not."""
    return {} if turn.raw("replies") is None else {"replies": list(turn.texts("replies"))}
