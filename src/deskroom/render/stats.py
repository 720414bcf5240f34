"""The figures of runs: one run as a table, many as a line each, JSON, and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import frozen

from deskroom.core import Viewer
from deskroom.core.reasons import AsideReason, CallFault, Outcome
from deskroom.printable import counted, one_line
from deskroom.render.screen import PLAIN, Screen
from deskroom.render.table import table_lines
from deskroom.render.text import shortened
from deskroom.runs.figures import Figures, HandOff, Naming, Usage
from deskroom.runs.figures_json import figures_json

__all__ = [
    "COLUMNS",
    "FIGURE_COLUMNS",
    "RunFigures",
    "csv_cell",
    "csv_text",
    "figure_cells",
    "many_lines",
    "stats_json",
    "stats_lines",
]

#: So much of a repeated message is shown in the table, and so many of them.
_MOST_TEXT: Final = 60
_MOST_LISTED: Final = 8

#: A spreadsheet takes a cell that begins with one of these for a formula, or cuts the sign off.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n")

_REASONS: Final = tuple(map(str, (*CallFault, *AsideReason)))

#: The columns of the CSV that are about what happened. New ones come behind these.
FIGURE_COLUMNS: Final = (
    "closed",
    "rows",
    "rows_naming_a_seat",
    "rows_read",
    "share_naming_a_seat",
    "seat_rows_naming_a_seat",
    "seat_rows_read",
    "seat_share_naming_a_seat",
    "asides",
    "asides_settled",
    "asides_declined",
    "nudges",
    "repeated_rows",
    "turns",
    "retries",
    *(str(outcome) for outcome in Outcome),
    "longest_chain",
    "hops",
    "pairs_naming_each_other",
    "longest_exchanges",
    "seats_never_spoke",
    "never_spoke",
    "refused_calls",
    *(f"refused_{reason}" for reason in _REASONS),
    "model_requests",
    "tokens_in",
    "tokens_out",
    "model_seconds",
)
#: All columns of the CSV.
COLUMNS: Final = ("run", "kind", "viewer", "damaged_line", *FIGURE_COLUMNS)


@frozen(kw_only=True)
class RunFigures:
    """The figures of one run, with where it came from and where its journal is damaged."""

    path: str
    kind: str
    figures: Figures
    damaged_line: int | None = None


# --- tables ------------------------------------------------------------------------------------


def stats_lines(run: RunFigures, screen: Screen = PLAIN) -> Iterator[str]:
    """Yield the table of one run: a figure a line, without those that are not known."""
    yield one_line(_head(run))
    rows = [(name, value) for name, value in _table(run.figures) if value is not None]
    yield from table_lines(("figure", "value"), rows, screen)


def _head(run: RunFigures) -> str:
    closed = "" if run.figures.closed is None else f", closed: {run.figures.closed}"
    return f"{run.path}: {run.kind}{_as(run.figures.viewer)}{closed}"


def _as(viewer: Viewer) -> str:
    return "" if viewer.kind == "operator" else f", as {viewer.id} may know it"


def _table(figures: Figures) -> Iterator[tuple[str, str | None]]:
    yield "rows", str(figures.rows)
    yield "rows by", _counts(figures.rows_by)
    yield "name a seat", _naming(figures.naming)
    yield "of rows by seats", _naming(figures.seat_naming)
    asides = figures.asides
    settled = f" ({asides.settled} settled, {asides.unsettled} not)" if asides.rows else ""
    yield "asides", f"{asides.rows}{settled}"
    yield "declined asides", _counts(figures.declined) or None
    yield "nudges", _number(figures.nudges)
    yield "turns", _turns(figures)
    yield "outcomes", _counts(_some(figures.outcomes))
    yield "refused calls", _refusals(figures)
    yield "longest chain", _turn_count(figures.longest_chain)
    yield "turns by hop", _hops(figures.hops)
    yield "hand-offs", _listed(_hand_offs(figures.hand_offs or ()))
    yield "keep naming each other", _exchanges(figures)
    yield "never spoke", _listed(figures.never_spoke)
    yield "said again", _repeats(figures)
    yield "models", _listed([_usage(one) for one in figures.usage or ()])


def _hand_offs(hand_offs: Iterable[HandOff]) -> list[str]:
    """Return them, the most frequent first."""
    ranked = sorted(hand_offs, key=lambda one: -one.turns)
    return [f"{one.source} → {one.target} {one.turns}" for one in ranked]


def _usage(usage: Usage) -> str:
    requests, turns = counted(usage.requests, "request"), counted(usage.turns, "turn")
    return (
        f"{usage.seat}: {usage.tokens_in} tokens in, {usage.tokens_out} out; "
        f"{requests} in {turns}, {usage.seconds:.1f} s"
    )


def _number(number: int | None) -> str | None:
    return None if number is None else str(number)


def _turn_count(turns: int | None) -> str | None:
    return None if turns is None else counted(turns, "turn")


def _counts(counts: Mapping[str, int] | None) -> str | None:
    if counts is None:
        return None
    return one_line(", ".join(f"{name} {count}" for name, count in counts.items()))


def _some(counts: Mapping[str, int] | None) -> dict[str, int] | None:
    """Return the outcomes that there were, in words."""
    if counts is None:
        return None
    return {name.replace("_", " "): count for name, count in counts.items() if count}


def _naming(naming: Naming | None) -> str | None:
    if naming is None:
        return None
    share = "" if naming.share is None else f" ({naming.share:.0%})"
    return f"{naming.rows} of {naming.of}{share}"


def _turns(figures: Figures) -> str | None:
    if figures.turns is None:
        return None
    return (
        f"{figures.turns} (and {figures.retries} again)" if figures.retries else f"{figures.turns}"
    )


def _refusals(figures: Figures) -> str | None:
    if figures.refusals is None:
        return None
    by_reason = f": {_counts(figures.refusals)}" if figures.refusals else ""
    return f"{figures.refused_calls}{by_reason}"


def _hops(hops: Mapping[int, int] | None) -> str | None:
    """Return a bar a hop, each as long as its share of the highest."""
    if not hops:
        return None
    most = max(hops.values())
    at, width = len(str(max(hops))), len(str(most))
    return "\n".join(
        f"{hop:>{at}}: {turns:>{width}} {'#' * max(1, round(20 * turns / most))}"
        for hop, turns in hops.items()
    )


def _listed(words: Sequence[str] | None) -> str | None:
    if not words:
        return None
    more = [f"and {len(words) - _MOST_LISTED} more"] if len(words) > _MOST_LISTED else []
    return "\n".join([one_line(word) for word in words[:_MOST_LISTED]] + more)


def _exchanges(figures: Figures) -> str | None:
    return _listed(
        [
            f"{one.seats[0]} and {one.seats[1]}: {counted(one.rows, 'row')} from row {one.first} on"
            + (f", {one.exchanges} times" if one.exchanges > 1 else "")
            for one in figures.exchanges or ()
        ]
    )


def _repeats(figures: Figures) -> str | None:
    return _listed(
        [
            f"{one.rows} times by {', '.join(one.seats)}, first in row {one.first}: "
            + shortened(" ".join(one.content.split()), _MOST_TEXT)
            for one in figures.repeats
        ]
    )


#: A heading for each number of a run. Its name comes last, since it may be long.
_MANY_HEADING: Final = (
    "rows",
    "name a seat",
    "asides",
    "nudges",
    "turns",
    "no row",
    "refused",
    "chain",
    "said again",
)


def many_lines(runs: Sequence[RunFigures], screen: Screen = PLAIN) -> Iterator[str]:
    """Yield a table of many runs, one a line. What is not known of a run is left blank."""
    rows = [tuple(_many(run.figures)) for run in runs]
    widths = [max(map(len, column)) for column in zip(_MANY_HEADING, *rows, strict=True)]
    yield screen.styled(f"{_aligned(_MANY_HEADING, widths)}  run", "bold")
    for run, row in zip(runs, rows, strict=True):
        yield f"{_aligned(row, widths)}  {one_line(run.path)}"


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))


def _many(figures: Figures) -> Iterator[str]:
    naming = figures.naming
    yield str(figures.rows)
    yield "" if naming is None or naming.share is None else f"{naming.share:.0%}"
    yield str(figures.asides.rows)
    yield _number(figures.nudges) or ""
    yield _number(figures.turns) or ""
    yield "" if figures.outcomes is None else str(_without_row(figures.outcomes))
    yield _number(figures.refused_calls) or ""
    yield _number(figures.longest_chain) or ""
    yield str(figures.repeated)


def _without_row(outcomes: Mapping[str, int]) -> int:
    return sum(count for outcome, count in outcomes.items() if outcome != Outcome.SPOKE)


# --- for machines ------------------------------------------------------------------------------


def stats_json(run: RunFigures) -> dict[str, Any]:
    """Return the figures of one run as JSON-ready values; what is not known is null."""
    of_file = {"path": run.path, "kind": run.kind, "damaged_line": run.damaged_line}
    return {**of_file, **figures_json(run.figures)}


def csv_text(runs: Iterable[RunFigures]) -> str:
    """Return a CSV of a line a run, with a heading; what is not known is an empty cell.

    Lists stand in one cell, as ``a=1; b=2``. A cell that a spreadsheet would take for a formula
    begins with an apostrophe.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for run in runs:
        cells = dict(_cells(run))
        writer.writerow([csv_cell(cells[column]) for column in COLUMNS])
    return text.getvalue()


def csv_cell(value: object) -> str:
    """Return a cell as text, which no spreadsheet takes for a formula."""
    if value is None:
        return ""
    text = one_line(f"{value:.4f}" if isinstance(value, float) else str(value))
    return f"'{text}" if text.startswith(_FORMULA) else text


def _cells(run: RunFigures) -> Iterator[tuple[str, object]]:
    yield from (("run", run.path), ("kind", run.kind), ("viewer", run.figures.viewer.id))
    yield "damaged_line", run.damaged_line
    yield from figure_cells(figures_json(run.figures))


def figure_cells(figures: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """Yield each of ``FIGURE_COLUMNS`` with its cell, of figures as ``figures_json`` returns them."""
    refusals, declined, asides = figures["refusals"], figures["declined"], figures["asides"]
    yield from (("closed", figures["closed"]), ("rows", figures["rows"]))
    for prefix, naming in (("", figures["naming"]), ("seat_", figures["seat_naming"])):
        yield f"{prefix}rows_naming_a_seat", naming and naming["rows"]
        yield f"{prefix}rows_read", naming and naming["of"]
        yield f"{prefix}share_naming_a_seat", naming and naming["share"]
    yield from (("asides", asides["rows"]), ("asides_settled", asides["settled"]))
    yield "asides_declined", None if declined is None else sum(declined.values())
    yield "nudges", figures["nudges"]
    yield "repeated_rows", sum(repeat["rows"] - 1 for repeat in figures["repeats"])
    yield from (("turns", figures["turns"]), ("retries", figures["retries"]))
    for outcome in map(str, Outcome):
        yield outcome, None if figures["outcomes"] is None else figures["outcomes"][outcome]
    yield "longest_chain", figures["longest_chain"]
    yield "hops", _pairs(figures["hops"])
    exchanges, never = figures["exchanges"], figures["never_spoke"]
    yield "pairs_naming_each_other", None if exchanges is None else len(exchanges)
    yield (
        "longest_exchanges",
        _pairs({" and ".join(one["seats"]): one["rows"] for one in exchanges or ()}),
    )
    yield "seats_never_spoke", None if never is None else len(never)
    yield "never_spoke", "; ".join(never or ())
    yield "refused_calls", None if refusals is None else sum(refusals.values())
    for reason in _REASONS:
        yield f"refused_{reason}", None if refusals is None else refusals.get(reason, 0)
    usage = figures["usage"]
    yield "model_requests", usage and sum(one["requests"] for one in usage)
    yield "tokens_in", usage and sum(one["tokens_in"] for one in usage)
    yield "tokens_out", usage and sum(one["tokens_out"] for one in usage)
    yield "model_seconds", usage and sum(one["seconds"] for one in usage)


def _pairs(counts: Mapping[Any, int] | None) -> str:
    return "; ".join(f"{key}={count}" for key, count in (counts or {}).items())
