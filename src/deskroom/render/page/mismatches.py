"""What came out otherwise than a scenario expects, as plain values for the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from deskroom.core import OPERATOR, Viewer
from deskroom.printable import one_line, printable
from deskroom.render.page.items import Json, known
from deskroom.render.replay import got_text, may_read, turn_title
from deskroom.render.text import value_text
from deskroom.render.worddiff import word_diff
from deskroom.runs.run import RunItem
from deskroom.scenario.play.compare import Replay
from deskroom.scenario.play.expect import Mismatch

__all__ = ["mismatch_values"]


def mismatch_values(replay: Replay | None, viewer: Viewer) -> Iterator[Json]:
    """Yield each mismatch of a replay; of one that a viewer may not read, only what it is about."""
    if replay is None or not replay.mismatches:
        return
    places = dict(_places(replay))
    for mismatch in replay.mismatches:
        yield {
            "about": one_line(turn_title(mismatch.turn, mismatch.seat)),
            "key": mismatch.key,
            "place": _place(mismatch),
            **places.get(mismatch.turn, {}),
            **_sides(replay, mismatch, viewer),
        }


def _places(replay: Replay) -> Iterator[tuple[str | None, Json]]:
    """Yield where each listed turn stands: its row, or its turn where it became none."""
    yield "opening", _place_of(replay.opening)
    for turn, item in zip(replay.scenario.turns, replay.played, strict=True):
        yield turn.label, _place_of(item)


def _place_of(item: RunItem) -> Json:
    if item.entry is not None:
        return {"row": item.entry.row.sequence}
    return {} if item.turn is None else {"turn": item.turn.number}


def _place(mismatch: Mismatch) -> str:
    column = "" if mismatch.column is None else f":{mismatch.column}"
    return f"line {mismatch.line}{column}"


def _sides(replay: Replay, mismatch: Mismatch, viewer: Viewer) -> Mapping[str, Any]:
    if not may_read(mismatch.private_to, viewer):
        return {"private": True}
    why = mismatch.why
    if viewer == OPERATOR and mismatch.scores:
        why = f"{why}; {mismatch.scores}"
    if viewer != OPERATOR and replay.run.failure is not None and mismatch.turn is None:
        why = ""  # it says what failed, which may tell of any seat
    pieces = word_diff(_text(mismatch.expected), _text(got_text(mismatch, viewer)), cut=False)
    return {
        "expected": [[piece.kind, piece.text] for piece in pieces if piece.kind != "new"],
        "got": [[piece.kind, piece.text] for piece in pieces if piece.kind != "old"],
        **known(why=printable(why)),
    }


def _text(value: Any) -> str:  # noqa: ANN401 - a value of the file format
    return value if isinstance(value, str) else value_text(value)
