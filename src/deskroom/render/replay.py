"""A replayed scenario as a person reads it, and as a program does.

``viewer`` narrows either to what one seat may know; without it all is shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from deskroom.core import OPERATOR, Viewer
from deskroom.core.episode import ALSO_ROUTED_ABOVE
from deskroom.printable import counted
from deskroom.render.rows import PRIVATE, Mark, Status, run_table, sign, styled_as
from deskroom.render.screen import PLAIN, Screen
from deskroom.render.text import one_line, value_text
from deskroom.render.worddiff import diff_legend, diff_text
from deskroom.runs.run import RunItem, RunTurn
from deskroom.runs.view import RunView, ViewItem, tells
from deskroom.scenario.format.model import Scenario
from deskroom.scenario.play.compare import Replay, readers
from deskroom.scenario.play.expect import HELD, Mismatch
from deskroom.wire import audience_out, author_out, elision_out, row_out

__all__ = [
    "MOST_MISMATCHES",
    "failure_lines",
    "got_text",
    "listed_label",
    "marks_of",
    "may_read",
    "mismatch_json",
    "mismatch_line",
    "mismatch_lines",
    "mismatch_title",
    "replay_json",
    "replay_lines",
    "replay_table",
    "routing_json",
    "row_json",
    "scenario_title",
    "turn_json",
    "turn_title",
]

#: So many mismatches of one file are shown where they are summed up.
MOST_MISMATCHES: Final = 20
#: A value longer than this is not written into a cell of the table.
_LONG: Final = 60

Json = dict[str, Any]


# For people


def replay_lines(
    replay: Replay, screen: Screen, *, viewer: Viewer = OPERATOR, verbose: bool = False
) -> Iterator[str]:
    """Yield a replay as ``deskroom replay`` shows it: its title, its table, and how it closed."""
    status: Status = "passed" if replay.ok else "failed"
    mark = styled_as(sign(status, screen), status, screen)
    yield f"{mark} {screen.styled(scenario_title(replay.scenario), 'bold')}"
    yield from replay_table(replay, screen, viewer=viewer, verbose=verbose)
    yield f"{_closing_line(replay, screen, viewer)}\n"


def _closing_line(replay: Replay, screen: Screen, viewer: Viewer = OPERATOR) -> str:
    """Return how the room closed, with a sign where what has no place in the table failed."""
    closed = f"closed: {replay.run.closed}"
    if replay.unused:
        closed += f"; unused: listed turn {', '.join(turn.label for turn in replay.unused)}"
    if all(_has_place(mismatch, viewer) for mismatch in replay.mismatches):
        return closed
    return f"{styled_as(sign('failed', screen), 'failed', screen)} {closed}"


def _has_place(mismatch: Mismatch, viewer: Viewer) -> bool:
    has_place = mismatch.grant is not None or mismatch.row is not None
    return has_place and _tells_where(mismatch, viewer)


def scenario_title(scenario: Scenario) -> str:
    """Return what to call a scenario: its path, and its title if it has one."""
    title = f"{scenario.path} · {scenario.title}" if scenario.title else scenario.path
    return one_line(title)


def replay_table(
    replay: Replay, screen: Screen = PLAIN, *, viewer: Viewer = OPERATOR, verbose: bool = False
) -> Iterator[str]:
    """Yield the lines of a table of the rows of a replay, with who is next and why.

    Turns without a row stand between. ``verbose`` cuts no message, and adds what seats said outside
    their calls.
    """
    view = replay.view(viewer, lines=False)
    return run_table(view, screen, verbose=verbose, marks=marks_of(replay, view, screen))


def mismatch_lines(
    mismatches: Sequence[Mismatch],
    viewer: Viewer = OPERATOR,
    screen: Screen = PLAIN,
    *,
    more: str | None = None,
) -> Iterator[str]:
    """Yield a line for each mismatch of a file.

    With ``more``, which says how to see all of them, many are summed up: the first are shown, and
    the rest is counted by key.
    """
    shown = mismatches if more is None else mismatches[:MOST_MISMATCHES]
    yield from (mismatch_line(mismatch, viewer, screen) for mismatch in shown)
    rest = mismatches[len(shown) :]
    if rest:
        counts = Counter(mismatch.key for mismatch in rest)
        keys = ", ".join(f"{count} {key}" for key, count in counts.items())
        line = f"{rest[0].path}: {len(rest)} more mismatch{'es' if len(rest) > 1 else ''} ({keys})"
        yield one_line(f"{line}; {more}")


def mismatch_line(mismatch: Mismatch, viewer: Viewer = OPERATOR, screen: Screen = PLAIN) -> str:
    """Return a mismatch as one line: where, which turn, expected, got, and why.

    Of a text that came out otherwise the words that differ are marked.
    """
    place = f"{mismatch.path}:{mismatch.line}"
    if mismatch.column is not None:
        place = f"{place}:{mismatch.column}"
    line = f"{one_line(place)}: {mismatch_title(mismatch, viewer, screen)}"
    *_, why = _readable(mismatch, viewer)
    return f"{line}; {one_line(why)}" if mismatch.why else line


def mismatch_title(
    mismatch: Mismatch,
    viewer: Viewer = OPERATOR,
    screen: Screen = PLAIN,
    *,
    is_brief: bool = False,
) -> str:
    """Return which turn came out otherwise, what was expected, and what came out, as one line.

    The brief one does not say which of two texts is marked how.
    """
    expected, got, _ = _readable(mismatch, viewer)
    if mismatch.key in HELD:
        return one_line(f"{mismatch.key} {value_text(mismatch.expected)}: {got}")
    shown = one_line(f"expected {value_text(expected)}, got {value_text(got)}")
    are_texts = isinstance(expected, str) and isinstance(got, str) and expected != got
    if mismatch.key == "content" and are_texts:
        text = f'"{diff_text(expected, got, screen)}"'
        shown = text if is_brief else f"{diff_legend('expected', 'got', screen)}: {text}"
    about = turn_title(mismatch.turn, mismatch.seat, mismatch.number)
    return f"{one_line(f'{about}: {mismatch.key}')}: {shown}"


def turn_title(turn: str | None, seat: str | None, number: int | None = None) -> str:
    """Return what to call a turn by its label; ``run`` for the run as a whole.

    ``number`` is its number as it was granted. A turn is called by that, as in the log, and by its
    place in the file where that is another number.
    """
    if turn is None:
        return "run"
    if turn == "opening":
        return turn
    whose = f" ({seat})" if seat else ""
    if number is None:
        return f"listed turn {turn}{whose}"
    listed = "" if str(number) == turn else f", listed turn {turn}"
    return f"turn {number}{whose}{listed}"


def may_read(readers: Sequence[str] | None, viewer: Viewer) -> bool:
    """Whether a viewer may read what only these seats may; None means that all may."""
    return viewer.kind != "agent" or readers is None or viewer.id in readers


def got_text(mismatch: Mismatch, viewer: Viewer) -> Any:  # noqa: ANN401 - a value of the file format
    """Return what came out, with how often more as far as a viewer may know it."""
    again = mismatch.again if viewer == OPERATOR else mismatch.again_told
    return f"{mismatch.got} (and {counted(again, 'more time')})" if again else mismatch.got


def _readable(mismatch: Mismatch, viewer: Viewer) -> tuple[Any, Any, str]:
    if not may_read(mismatch.private_to, viewer):
        # The name stands in the file.
        return mismatch.expected if mismatch.key in HELD else PRIVATE, PRIVATE, PRIVATE
    why = mismatch.why
    if mismatch.scores and viewer == OPERATOR:
        why = f"{why}; {mismatch.scores}"
    return mismatch.expected, got_text(mismatch, viewer), why


def marks_of(replay: Replay, view: RunView, screen: Screen = PLAIN) -> dict[int, Mark]:
    """Return the marks of the items of a view: where what was expected came out, and where not."""
    places = _Places(view)
    marks: dict[int, Mark] = {}
    for item, readers_ in _as_expected(replay):
        at = places.find(item)
        if at is not None and may_read(readers_, view.viewer):
            marks[at] = Mark(status="passed")
    for mismatch in replay.mismatches:
        at = places.at(mismatch.row, mismatch.grant)
        if at is None or not _tells_where(mismatch, view.viewer):
            continue
        before = marks[at].lines if at in marks else ()
        marks[at] = Mark(status="failed", lines=(*before, *_mark_line(mismatch, view, screen)))
    return marks


def _tells_where(mismatch: Mismatch, viewer: Viewer) -> bool:
    """Whether a viewer may know what a mismatch is about: a turn that the file lists, or a row."""
    return mismatch.key not in HELD or may_read(mismatch.private_to, viewer)


def _as_expected(replay: Replay) -> Iterator[tuple[RunItem, Sequence[str] | None]]:
    """Yield what has expectations, whether or not they hold, and who may read about it."""
    opening = replay.scenario.opening
    if opening is not None and opening.expect is not None:
        yield replay.opening, None
    for turn, item in zip(replay.scenario.turns, replay.played, strict=True):
        if turn.expect is not None and item.was_played:
            yield item, readers(turn.expect, turn.seat or turn.person, item)


def _mark_line(mismatch: Mismatch, view: RunView, screen: Screen) -> Iterator[str]:
    if not may_read(mismatch.private_to, view.viewer):
        return
    if mismatch.key in HELD:
        name = one_line(value_text(mismatch.expected))
        yield f"{sign('failed', screen)} {mismatch.key} {name}"
        return
    expected = one_line(value_text(mismatch.expected))
    is_long = mismatch.key == "content" or len(expected) > _LONG
    what = " differs" if is_long else f": expected {expected}"
    yield f"{sign('failed', screen)} {mismatch.key}{what}"


class _Places:
    """Where the rows and turns of a run stand in a view of it."""

    def __init__(self, view: RunView) -> None:
        self._rows: dict[int, int] = {}
        self._turns: dict[tuple[int, int], int] = {}
        for at, item in enumerate(view.items):
            if item.sequence is not None:
                elided = None if item.stub is None else item.stub.elided
                last = item.sequence if elided is None else elided.through
                self._rows |= dict.fromkeys(range(item.sequence, last + 1), at)
            elif item.run_turn is not None:
                self._turns[item.run_turn.number, item.run_turn.attempt] = at

    def at(self, row: int | None, grant: tuple[int, int] | None) -> int | None:
        """Return the place of a row, or else of a turn."""
        if row is not None:
            return self._rows.get(row)
        return None if grant is None else self._turns.get(grant)

    def find(self, item: RunItem) -> int | None:
        """Return the place of an item, or None where it is in no view."""
        row = None if item.entry is None else item.entry.row.sequence
        return self.at(row, None if item.turn is None else (item.turn.number, item.turn.attempt))


def failure_lines(
    replay: Replay, screen: Screen = PLAIN, *, around: int = 2, more: str | None = None
) -> Iterator[str]:
    """Yield the mismatches of a replay, and the table around each: so many items at either side."""
    yield from mismatch_lines(replay.mismatches, screen=screen, more=more)
    view = replay.view(lines=False)
    marks = marks_of(replay, view, screen)
    failed = [at for at, mark in marks.items() if mark.status == "failed"]
    shown = failed if more is None else sorted(failed)[:MOST_MISMATCHES]
    only = list(_ranges(shown, around, len(view.items)))
    if only:
        yield ""
        yield from run_table(view, screen, marks=marks, only=only)
        yield _closing_line(replay, screen)


def _ranges(places: Iterable[int], around: int, end: int) -> Iterator[range]:
    """Yield the places and those around them as ranges that do not meet."""
    found: range | None = None
    for at in sorted(places):
        near = range(max(0, at - around), min(end, at + around + 1))
        if found is not None and near.start <= found.stop:
            found = range(found.start, near.stop)
            continue
        if found is not None:
            yield found
        found = near
    if found is not None:
        yield found


# For programs


def replay_json(replay: Replay, path: str, viewer: Viewer = OPERATOR) -> Json:
    """Return a replay as JSON-ready values. Nothing in it depends on the machine it ran on."""
    view = replay.view(viewer, lines=False)
    return {
        "path": path,
        "title": replay.scenario.title,
        "order": replay.scenario.order,
        "status": "passed" if replay.ok else "failed",
        "rows": [row_json(item) for item in view.items if item.is_row],
        "turns": [turn_json(turn, viewer, listed_label(replay, turn)) for turn in view.turns],
        "run": dict(view.totals),
        "unused": [turn.label for turn in replay.unused],
        "mismatches": [mismatch_json(m, path, viewer) for m in replay.mismatches],
    }


def row_json(item: ViewItem) -> Json:
    """Return a row with what was decided about it, or a stub."""
    if item.stub is not None and item.stub.elided is not None:
        return {
            "sequence": item.sequence,
            "author": author_out(item.stub.author),
            "audience": audience_out(item.stub.audience),
            "elided": elision_out(item.stub.elided),
        }
    assert item.row is not None  # noqa: S101 - what is no stub is a row
    return {
        **row_out(item.row),
        "kind": item.facts["kind"],
        "turn": item.turn,
        "trigger": item.trigger,
        "mentions": list(item.mentions),
        "next": item.facts["next"],
        "why": item.why,
        "routing": routing_json(item),
        "completes": item.facts["completes"],
        "refusal": item.facts["refusal"],
    }


def routing_json(item: ViewItem) -> Json | None:
    """Return how a broadcast was routed, where a router was asked and the viewer may know it."""
    if item.routing is None:
        return None
    return {
        "scores": dict(item.routing.scores),
        "recipients": item.facts["next"],
        "threshold": ALSO_ROUTED_ABOVE,
        "width": item.routing.width,
    }


def listed_label(replay: Replay, turn: RunTurn) -> str | None:
    """Return what the scenario calls a turn that it lists."""
    return None if turn.cue is None else replay.scenario.turns[turn.cue].label


def turn_json(turn: RunTurn, viewer: Viewer, listed: str | None) -> Json:
    """Return a turn that a viewer may know; ``listed`` is what the scenario calls it."""
    return {
        "turn": turn.number,
        "attempt": turn.attempt,
        "listed": listed,
        "seat": turn.seat,
        "hop": turn.hop,
        "trigger": turn.trigger,
        "outcome": turn.outcome,
        "replies": list(turn.replies) if tells(viewer, turn.seat) else None,
        "row": turn.row,
    }


def mismatch_json(mismatch: Mismatch, path: str, viewer: Viewer) -> Json:
    """Return a mismatch as JSON-ready values, as far as a viewer may know it."""
    expected, got, why = _readable(mismatch, viewer)
    tells_where = _tells_where(mismatch, viewer)
    return {
        "path": path,
        "line": mismatch.line,
        "column": mismatch.column,
        "turn": mismatch.turn,
        "seat": mismatch.seat if tells_where else None,
        "granted": mismatch.number if tells_where else None,
        "row": mismatch.row if tells_where else None,
        "key": mismatch.key,
        "expected": expected,
        "got": got,
        "why": why,
    }
