"""A replayed scenario as a person reads it, and as a program does.

``viewer`` narrows either to what one seat may read; without it the operator reads everything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rich.table import Table

from deskroom.core import OPERATOR, Audience, Author, Viewer, admits, project
from deskroom.core.transcript import SeenRow
from deskroom.engine.entries import RowEntry
from deskroom.engine.state import TurnRecord
from deskroom.render.text import one_line, printable, shortened, value_text
from deskroom.scenario.play.compare import Replay, run_values
from deskroom.scenario.play.expect import Mismatch, Played, next_of, target_word
from deskroom.wire import audience_out, author_out, elision_out, row_out

__all__ = ["may_read", "mismatch_line", "replay_json", "replay_table", "turn_title"]

_PRIVATE: Final = "(private)"
_SHORT: Final = 240

Json = dict[str, Any]


# For people


def replay_table(replay: Replay, *, viewer: Viewer = OPERATOR, verbose: bool = False) -> Table:
    """Return the rows of a replay with who is next and why; turns without a row stand between."""
    table = Table(expand=False, pad_edge=False, show_edge=False)
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("who → whom", overflow="fold", min_width=8)
    table.add_column("what", overflow="fold", ratio=3)
    table.add_column("next, and why", overflow="fold", ratio=2)
    texts = {turn.row: turn.text for turn in replay.result.turns} if verbose else None
    for item in _in_order(replay):
        if isinstance(item, TurnRecord):
            table.add_row(*_rowless(item, viewer, verbose=verbose))
        else:
            table.add_row(*_row(replay, item, viewer, texts))
    return table


def _in_order(replay: Replay) -> Iterator[TurnRecord | RowEntry]:
    """Yield rows in order, and each turn that became no row where it was granted."""
    rowless = [turn for turn in replay.result.turns if turn.row is None]
    at = 0
    for entry in replay.result.entries:
        while at < len(rowless) and rowless[at].granted_at < entry.row.sequence:
            yield rowless[at]
            at += 1
        yield entry
    yield from rowless[at:]


def _row(
    replay: Replay, entry: RowEntry, viewer: Viewer, texts: Mapping[int | None, str] | None
) -> tuple[str, str, str, str]:
    """Return the cells of a row; with ``texts``, the seats' by row, nothing is cut or left out."""
    row = entry.row
    who = f"{_author(row.author)} → {_whom(row.audience)}"
    if entry.kind == "nudge":
        who += "\n(nudge)"
    if not admits(row.audience, row.author, viewer):
        return str(row.sequence), who, _PRIVATE, ""
    what = printable(row.content)
    if texts is None:
        what = shortened(what, _SHORT)
    elif _shows(viewer, row.author.id):
        what = _with_text(what, texts.get(row.sequence, ""))
    return str(row.sequence), who, what, _next(replay, entry)


def _shows(viewer: Viewer, seat: str | None) -> bool:
    """Whether a viewer may see what a seat did in its turn beyond the row that came of it."""
    return viewer.kind != "agent" or viewer.id == seat


def _with_text(what: str, text: str) -> str:
    return f"{what}\ntext: {printable(text)}" if text else what


def _next(replay: Replay, entry: RowEntry) -> str:
    played = _played(replay, entry)
    word = next_of(played)
    marks = [
        *(["completes"] if entry.completes else []),
        *([f"not private: {entry.refusal}"] if entry.refusal else []),
    ]
    if isinstance(word, dict):
        said = "" if entry.kind == "wrote" else f"nobody: {printable(played.why())}"
    else:
        name = ", ".join(word) if isinstance(word, list) else word
        said = f"{printable(name or 'nobody')}: {printable(played.why())}"
    return "\n".join([*marks, *([said] if said else [])])


def _rowless(record: TurnRecord, viewer: Viewer, *, verbose: bool) -> tuple[str, str, str, str]:
    shows = _shows(viewer, record.seat)
    outcome = f"({record.outcome or 'not ended'})"
    replies = ", ".join(record.replies) if shows else ""
    what = f"{outcome} {replies}".strip()
    if verbose and shows:
        what = _with_text(what, record.text)
    return "-", printable(record.seat), what, ""


def _played(replay: Replay, entry: RowEntry) -> Played:
    recipients = replay.result.routed.get(entry.row.sequence, ())
    return Played(replay.setup, None, entry, recipients)


def _author(author: Author) -> str:
    return printable(author.id or author.kind or author.type)


def _whom(audience: Audience) -> str:
    return "desk" if audience.kind == "desk" else ", ".join(map(printable, audience.members))


def mismatch_line(mismatch: Mismatch, viewer: Viewer = OPERATOR) -> str:
    """Return a mismatch as one line: where, which turn, expected, got, and why."""
    place = f"{mismatch.path}:{mismatch.line}"
    if mismatch.column is not None:
        place = f"{place}:{mismatch.column}"
    expected, got, why = _told(mismatch, viewer)
    about = turn_title(mismatch.turn, mismatch.seat)
    shown = f"expected {value_text(expected)}, got {value_text(got)}; {why}"
    return one_line(f"{place}: {about}: {mismatch.key}: {shown}")


def turn_title(turn: str | None, seat: str | None) -> str:
    """Return what to call a turn by its label; ``run`` for the run as a whole."""
    if turn is None:
        return "run"
    if turn == "opening":
        return turn
    return f"turn {turn} ({seat})" if seat else f"turn {turn}"


def may_read(readers: Sequence[str] | None, viewer: Viewer) -> bool:
    """Whether a viewer may read what only these seats may; None means that all may."""
    return viewer.kind != "agent" or readers is None or viewer.id in readers


def _told(mismatch: Mismatch, viewer: Viewer) -> tuple[Any, Any, str]:
    if may_read(mismatch.private_to, viewer):
        return mismatch.expected, mismatch.got, mismatch.why
    return _PRIVATE, _PRIVATE, _PRIVATE


# For programs


def replay_json(replay: Replay, path: str, viewer: Viewer = OPERATOR) -> Json:
    """Return a replay as JSON-ready values. Nothing in it depends on the machine it ran on."""
    return {
        "path": path,
        "title": replay.scenario.title,
        "order": replay.scenario.order,
        "status": "passed" if replay.ok else "failed",
        "rows": _rows_json(replay, viewer),
        "turns": [_turn_json(replay, record, viewer) for record in replay.result.turns],
        "run": dict(run_values(replay.result)),
        "unused": [turn.label for turn in replay.unused],
        "mismatches": [_mismatch_json(m, path, viewer) for m in replay.mismatches],
    }


def _rows_json(replay: Replay, viewer: Viewer) -> list[Json]:
    if viewer.kind != "agent":
        return [_entry_json(replay, entry) for entry in replay.result.entries]
    entries = {entry.row.sequence: entry for entry in replay.result.entries}
    return [
        _entry_json(replay, entries[seen.sequence]) if seen.elided is None else _stub_json(seen)
        for seen in project(replay.result.rows, viewer)
    ]


def _entry_json(replay: Replay, entry: RowEntry) -> Json:
    played = _played(replay, entry)
    return {
        **row_out(entry.row),
        "kind": entry.kind,
        "turn": entry.turn,
        "trigger": entry.trigger,
        "mentions": [target_word(m.target) for m in entry.mentions if not m.quiet],
        "next": next_of(played),
        "why": played.why(),
        "completes": entry.completes,
        "refusal": entry.refusal,
    }


def _stub_json(seen: SeenRow) -> Json:
    elided = seen.elided
    assert elided is not None  # noqa: S101 - only stubs come here
    return {
        "sequence": seen.sequence,
        "author": author_out(seen.author),
        "audience": audience_out(seen.audience),
        "elided": elision_out(elided),
    }


def _turn_json(replay: Replay, record: TurnRecord, viewer: Viewer) -> Json:
    shows = _shows(viewer, record.seat)
    label = None if record.cue is None else replay.scenario.turns[record.cue].label
    return {
        "turn": record.number,
        "attempt": record.attempt,
        "listed": label,
        "seat": record.seat,
        "hop": record.hop,
        "trigger": record.trigger,
        "outcome": record.outcome,
        "replies": list(record.replies) if shows else None,
        "row": record.row,
    }


def _mismatch_json(mismatch: Mismatch, path: str, viewer: Viewer) -> Json:
    expected, got, why = _told(mismatch, viewer)
    return {
        "path": path,
        "line": mismatch.line,
        "column": mismatch.column,
        "turn": mismatch.turn,
        "seat": mismatch.seat,
        "key": mismatch.key,
        "expected": expected,
        "got": got,
        "why": why,
    }
