"""Assertions about what came of a room, or of a scenario that was replayed.

Each takes a ``RoomResult`` or a ``Replay`` and raises ``AssertionError`` with a message that names
the row or the turn, what was expected, what came out, and the host's reason. What nothing could
ever match, such as a seat that is not in the room, raises ``UsageError`` instead.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Final, NoReturn

from deskroom.core.reasons import CloseReason
from deskroom.engine.entries import RowEntry
from deskroom.render.replay import mismatch_line
from deskroom.render.text import one_line
from deskroom.room import RoomResult
from deskroom.runs.properties import (
    Property,
    property_violations,
    view_violations,
)
from deskroom.runs.run import Run
from deskroom.runs.values import audience_value, author_value, next_of
from deskroom.runs.view import view_run
from deskroom.runs.why import router_clause, why, why_closed
from deskroom.scenario import Replay
from deskroom.scenario.format.load import load_properties
from deskroom.scenario.format.model import RefusalReason, choices_of
from deskroom.scenario.play.compare import violation_mismatch
from deskroom.testing.describe import (
    last_decision,
    run_of,
    turn_line,
    turn_replies,
    why_author,
    why_content,
    without_row,
)
from deskroom.testing.specs import (
    NextSpec,
    RowSpec,
    WantedNext,
    WantedRow,
    check_known,
    next_as_spec,
    row_as_spec,
    shown,
)

__all__ = [
    "assert_closed",
    "assert_next",
    "assert_ok",
    "assert_properties",
    "assert_refused",
    "assert_rows",
]

_MOST: Final = 20


def assert_rows(result: RoomResult | Replay, rows: Iterable[RowSpec]) -> None:
    """Assert which rows there are: all of them in order, the opening and nudges included.

    A row is ``(author, content)`` when it is for the whole desk, else ``(author, audience,
    content)``. An author is an id, or ``person:sam`` where a seat has that id too; that of a row
    about files is ``workspace``. An audience is ``"desk"``, a seat, or a list of seats. ``...`` fits
    anything, in a part or as a row. For example::

        assert_rows(result, [("user", ...), ("solver", ["checker"], "is it 42?")])
    """
    __tracebackhide__ = True
    run = run_of(result)
    wanted = [WantedRow.of(spec) for spec in rows]
    for number, (expected, entry) in enumerate(zip_longest(wanted, run.entries), start=1):
        problems = list(_row_problems(run, number, expected, entry))
        if problems:
            came = (f"{row_as_spec(entry)}," for entry in run.entries)
            _fail(*problems, *_listing("rows", came))


def assert_next(result: RoomResult | Replay, decisions: Iterable[NextSpec]) -> None:
    """Assert whom each row hands the turn to: one entry for each row, in order.

    An entry is a seat, the list of a broadcast's recipients, None for nobody, or the reason why
    nobody; ``{"none": reason}`` says the same where a seat's id is such a word, and ``...`` fits
    anything. As in a scenario it is the row's own decision: it never means whom the chair picks.
    For example::

        assert_next(result, ["solver", ["checker", "theory"], "hop_limit_reached", None])
    """
    __tracebackhide__ = True
    run = run_of(result)
    wanted = [WantedNext.of(spec, run.setup) for spec in decisions]
    for number, (expected, entry) in enumerate(zip_longest(wanted, run.entries), start=1):
        problem = _next_problem(run, number, expected, entry)
        if problem is not None:
            came = (f"{next_as_spec(run.item(entry))}," for entry in run.entries)
            _fail(problem, *_listing("decisions", came))


def assert_refused(
    result: RoomResult | Replay, word: str, *, seat: str | None = None, turn: int | None = None
) -> None:
    """Assert that a call was refused, and why: ``word`` is such as ``unknown_recipient``.

    ``seat`` and ``turn`` (counted from 1, as the room grants them) narrow down whose call and in
    which turn. An aside that was declined and went to the whole desk counts as well.
    """
    __tracebackhide__ = True
    run = run_of(result)
    check_known("the reason of a refusal", word, list(choices_of(RefusalReason)))
    if seat is not None:
        check_known("a seat of this room", seat, list(run.setup.by_id))
    turns = run.turns
    asked = [t for t in turns if seat in {None, t.seat} and turn in {None, t.number}]
    if any(word in turn_replies(run, record) for record in asked):
        return
    by = f" by {seat}" if seat is not None else ""
    where = f" in turn {turn}" if turn is not None else ""
    _fail(
        f"expected a call{by}{where} to be refused with {shown(word)}, and none was; "
        f"{why_closed(run)}",
        *_listing("turns", (turn_line(run, record) for record in asked or turns)),
    )


def assert_closed(result: RoomResult | Replay, reason: str) -> None:
    """Assert why the room closed: ``completed``, ``quiet``, ``max_turns`` and so on."""
    __tracebackhide__ = True
    run = run_of(result)
    check_known("a reason to close", reason, list(CloseReason))
    got = run.closed
    if got != reason:
        because = "; ".join([why_closed(run), *last_decision(run)])
        _fail(_line("closed", shown(reason), shown(got), because))


def assert_ok(replay: Replay) -> None:
    """Assert that all of a scenario came out as its file expects.

    The message is what ``deskroom replay`` prints: a line for each mismatch.
    """
    __tracebackhide__ = True
    if not replay.ok:
        _fail(*map(mismatch_line, replay.mismatches))


def _row_problems(
    run: Run, number: int, expected: WantedRow | None, entry: RowEntry | None
) -> Iterator[str]:
    """Yield what is wrong with one row, a line for each part of it."""
    if entry is None:
        yield _missing(run, number, f"row {number}", expected)
        return
    if expected is None:
        reason = why_author(run, entry)
        yield _line(f"row {number}", "no row", row_as_spec(entry), reason)
        return
    row, about = entry.row, _about(entry)
    if not expected.is_by(row.author, run.setup.by_id):
        reason = "; ".join([why_author(run, entry), *without_row(run, number - 1)])
        yield _line(
            f"{about}: author", shown(expected.author), shown(author_value(row.author)), reason
        )
    if expected.audience not in (..., audience_value(row.audience)):
        reason = why(run.item(entry), "audience")
        yield _line(
            f"{about}: audience",
            shown(expected.audience),
            shown(audience_value(row.audience)),
            reason,
        )
    if expected.content not in {..., row.content}:
        reason = why_content(run, entry)
        yield _line(f"{about}: content", shown(expected.content), shown(row.content), reason)


def _next_problem(
    run: Run, number: int, expected: WantedNext | None, entry: RowEntry | None
) -> str | None:
    """Return what is wrong with one row's decision, or None."""
    if entry is None:
        return _missing(run, number, f"row {number}: next", expected)
    item = run.item(entry)
    if expected is not None and expected.holds(item):
        return None
    asked = "no row" if expected is None else str(expected)
    reason = "; ".join(filter(None, [why(item), router_clause(item)]))
    return _line(f"{_about(entry)}: next", asked, shown(next_of(item)), reason)


def _missing(run: Run, number: int, about: str, expected: object) -> str:
    reason = "; ".join([*without_row(run, number - 1), why_closed(run)])
    return _line(about, str(expected), "no row", reason)


def _about(entry: RowEntry) -> str:
    return f"row {entry.row.sequence} ({author_value(entry.row.author)})"


def _line(about: str, expected: str, got: str, reason: str) -> str:
    return one_line(f"{about}: expected {expected}, got {got}; {reason}")


def _listing(what: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield what came out, a line each, so that a test can be mended by copying."""
    came = list(lines)
    yield f"{what} that came out:" if came else f"no {what} came out"
    yield from (f"    {one_line(line)}" for line in came[:_MOST])
    if len(came) > _MOST:
        yield f"    … and {len(came) - _MOST} more"


def _fail(*lines: str) -> NoReturn:
    __tracebackhide__ = True
    raise AssertionError("\n".join(lines))


def assert_properties(
    result: RoomResult | Replay | Run, properties: str | os.PathLike[str] | Iterable[Property]
) -> None:
    """Assert that every property holds: those of a scenario or a desk file, or some from Python.

    That is how a room whose seats never say the same twice is tested. For example::

        assert_properties(await room.run(), "desk.toml")

    Of a room's result only what its state keeps is known: a call that was refused, but not the order
    of what came between two rows. Raises ``ScenarioError`` for a file that is wrong, and
    ``FileError`` for a pattern that ran out of time.
    """
    __tracebackhide__ = True
    asked = (
        load_properties(properties)
        if isinstance(properties, str | os.PathLike)
        else tuple(properties)
    )
    run = result if isinstance(result, Run) else run_of(result)
    if run.journal:
        violations = property_violations(asked, run)
    else:
        violations = view_violations(asked, view_run(run))
    if violations:
        lines = (mismatch_line(violation_mismatch(one)) for one in violations)
        raise AssertionError("\n".join(lines))
