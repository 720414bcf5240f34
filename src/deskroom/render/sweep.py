"""What a sweep came to: a line a policy with the best marked, JSON, CSV, Parquet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Final

from deskroom.errors import UsageError
from deskroom.printable import counted, quoted
from deskroom.render.screen import PLAIN, Screen
from deskroom.render.stats import FIGURE_COLUMNS, csv_cell, figure_cells
from deskroom.render.table import table_lines, wrapped
from deskroom.render.text import one_line, value_text
from deskroom.sweep.lines import ResultLine
from deskroom.sweep.summary import PolicySummary, Summary

__all__ = [
    "check_can_write_parquet",
    "policy_name",
    "short_keys",
    "sweep_csv",
    "sweep_json",
    "sweep_lines",
    "sweep_parquet",
]

_BEST: Final = "*"
#: So many policies are named in a sentence.
_MOST_NAMED: Final = 3
#: A setting that is no longer than this keeps its width in the table.
_SHORT: Final = 12


# --- the table ---------------------------------------------------------------------------------


def short_keys(keys: Sequence[str]) -> dict[str, str]:
    """Return each key of a policy as a heading: as many of its last parts as tell it from the others."""
    short: dict[str, str] = {}
    for key in keys:
        parts = key.split(".")
        ends = (".".join(parts[-count:]) for count in range(1, len(parts) + 1))
        of_others = [f".{other}" for other in keys if other != key]
        short[key] = next(
            (end for end in ends if not any(other.endswith(f".{end}") for other in of_others)), key
        )
    return short


def policy_name(policy: PolicySummary, keys: Sequence[str]) -> str:
    """Return what is set, of these keys, on one line."""
    short = short_keys(keys)
    named = (f"{short[key]}={value_text(value)}" for key, value in policy.settings.items())
    return one_line(" ".join(named)) or "the policy of the file"


def sweep_lines(summary: Summary, screen: Screen = PLAIN) -> Iterator[str]:
    """Yield the table, a line a policy, and then which of them is best at what."""
    policies, keys = summary.policies, summary.keys
    if not policies:
        yield "no run has ended"
        return
    runs, files = counted(summary.runs, "run"), counted(summary.files, "file")
    yield f"{runs} of {files} under {_policies(len(policies))}"
    settings = [
        [one_line(value_text(one.settings[key])) if key in one.settings else "" for key in keys]
        for one in policies
    ]
    heading = [*short_keys(keys).values(), "runs", "closed", "turns", "spoke"]
    judged = bool(summary.properties or summary.breaking)
    rows = [
        [*cells, *_cells(one, summary), *([_broken(one)] if judged else [])]
        for cells, one in zip(settings, policies, strict=True)
    ]
    is_short = all(len(cell) <= _SHORT for cells in settings for cell in cells)
    yield from table_lines(
        [*heading, *(["broken"] if judged else [])],
        rows,
        screen,
        fixed=len(keys) + 1 if is_short else 0,
        styles=["red" if _is_broken(one) else None for one in policies],
    )
    for line in _verdicts(summary):
        yield from wrapped(line, screen.width)


def _policies(count: int) -> str:
    return "1 policy" if count == 1 else f"{count:,} policies"


def _cells(policy: PolicySummary, summary: Summary) -> Iterator[str]:
    turns = policy.turns
    yield str(policy.runs)
    yield ", ".join(
        f"{why} {_percent(count / policy.runs)}" for why, count in policy.closed.items()
    )
    soonest = _mark(policy, summary.soonest, summary)
    yield f"{_middle(turns.middle)} ({turns.least}-{turns.most}){soonest}"
    yield f"{_percent(policy.spoke)}{_mark(policy, summary.widest, summary)}"


def _mark(policy: PolicySummary, best: Sequence[PolicySummary], summary: Summary) -> str:
    """Return the mark of a policy that is better than another."""
    return _BEST if policy in best and len(best) < len(summary.policies) else ""


def _is_broken(policy: PolicySummary) -> bool:
    return bool(policy.breaking or policy.invariants)


def _broken(policy: PolicySummary) -> str:
    """Return in how many runs something did not hold, or nothing."""
    return _percent(policy.breaking / policy.runs) if policy.breaking else ""


def _percent(share: float) -> str:
    """Return a share in percent: 100% only where it is all, and 0% only where it is none."""
    if 0 < share < 1:
        return f"{min(99, max(1, round(share * 100)))}%"
    return f"{share:.0%}"


def _middle(middle: float) -> str:
    return f"{middle:.1f}" if middle % 1 else f"{middle:.0f}"


def _verdicts(summary: Summary) -> Iterator[str]:
    yield "turns: median (least-most) until the room closed; spoke: seats with a row"
    soonest, everyone = summary.soonest, [one for one in summary.policies if one.everyone == 1]
    of_these = "" if soonest[0].completed == 1 else ", of those that complete most often"
    yield f"closes soonest{of_these}: {_named(soonest, summary)}"
    if everyone:
        yield f"wakes everyone in every run: {_named(everyone, summary)}"
    else:
        share = _percent(summary.widest[0].spoke)
        yield f"wakes most ({share} of the seats): {_named(summary.widest, summary)}"
    if summary.properties and not any(one.breaking for one in summary.policies):
        yield "breaks a property: none"
    for name in summary.properties:
        breaking = [one for one in summary.policies if name in one.broken]
        if breaking:
            runs = sum(one.broken[name] for one in breaking)
            of = f"{runs} of {counted(summary.runs, 'run')}"
            yield one_line(f"breaks {quoted(name)} ({of}): {_named(breaking, summary)}")
    broken = [one for one in summary.policies if one.invariants]
    if broken:
        yield f"breaks an invariant of the host: {_named(broken, summary)}"


def _named(policies: Sequence[PolicySummary], summary: Summary) -> str:
    if len(policies) == len(summary.policies) > 1:
        return "every policy"
    named = "; ".join(policy_name(one, summary.keys) for one in policies[:_MOST_NAMED])
    more = len(policies) - _MOST_NAMED
    return f"{named}; and {more:,} more" if more > 0 else named


# --- for machines ------------------------------------------------------------------------------


def sweep_json(summary: Summary) -> dict[str, Any]:
    """Return a summary as JSON-ready values."""
    return {
        "format": 1,
        "runs": summary.runs,
        "files": summary.files,
        "properties": list(summary.properties),
        "policies": [_policy_json(one, summary) for one in summary.policies],
    }


def _policy_json(policy: PolicySummary, summary: Summary) -> dict[str, Any]:
    turns = policy.turns
    return {
        "settings": dict(policy.settings),
        "runs": policy.runs,
        "closed": dict(policy.closed),
        "turns": {"min": turns.least, "median": turns.middle, "max": turns.most},
        "spoke": policy.spoke,
        "everyone_spoke": policy.everyone,
        "broken": dict(policy.broken),
        "runs_breaking": policy.breaking,
        "runs_breaking_invariants": policy.invariants,
        "closes_soonest": policy in summary.soonest,
        "wakes_most": policy in summary.widest,
    }


#: Columns of figures that are no whole numbers.
_TEXTS: Final = frozenset({"closed", "hops", "longest_exchanges", "never_spoke"})
_SHARES: Final = frozenset({"share_naming_a_seat", "seat_share_naming_a_seat", "model_seconds"})


def _columns(lines: Sequence[ResultLine]) -> tuple[list[str], list[str]]:
    """Return the keys that any line sets, and the properties that any has."""
    keys = dict.fromkeys(key for line in lines for key in line.settings)
    return list(keys), sorted({name for line in lines for name in line.properties})


def _row(line: ResultLine, keys: Iterable[str], names: Iterable[str]) -> Iterator[object]:
    yield from (line.file, line.seed)
    yield from (line.settings.get(key) for key in keys)
    yield line.seats
    cells = dict(figure_cells(line.figures))
    yield from (cells[column] for column in FIGURE_COLUMNS)
    yield from (line.properties.get(name) for name in names)
    yield None if line.invariants is None else "; ".join(line.invariants)
    yield from (line.digest, line.key)


def _headings(keys: Iterable[str], names: Iterable[str]) -> list[str]:
    properties = (f"property {name}" for name in names)
    return [
        *("file", "seed", *keys, "seats"),
        *FIGURE_COLUMNS,
        *(*properties, "broken_invariants", "digest", "key"),
    ]


def sweep_csv(lines: Sequence[ResultLine]) -> str:
    """Return a CSV of a line a run, with a heading; what is not known is an empty cell."""
    keys, names = _columns(lines)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(csv_cell, _headings(keys, names)))
    for line in lines:
        writer.writerow([csv_cell(_plain(cell)) for cell in _row(line, keys, names)])
    return text.getvalue()


def _plain(cell: object) -> object:
    """Return a cell as the file format writes it, where CSV knows nothing like it."""
    return value_text(cell) if isinstance(cell, (bool, list, dict)) else cell


def check_can_write_parquet() -> None:
    """Raise ``UsageError`` where pyarrow is not installed."""
    if find_spec("pyarrow") is None:
        raise UsageError("pyarrow is not installed; get it with: pip install 'deskroom[parquet]'")


def sweep_parquet(lines: Sequence[ResultLine]) -> bytes:
    """Return a Parquet file with the columns of the CSV, each of its own type."""
    check_can_write_parquet()
    import pyarrow as pa  # type: ignore[import-untyped] # noqa: PLC0415 - an extra, and it takes long to load
    from pyarrow import parquet  # noqa: PLC0415 - as above

    keys, names = _columns(lines)
    rows = [list(_row(line, keys, names)) for line in lines]
    types: Mapping[str, Any] = {
        "seed": pa.int64(),
        "seats": pa.int64(),
        **dict.fromkeys(FIGURE_COLUMNS, pa.int64()),
        **dict.fromkeys(_TEXTS, pa.string()),
        **dict.fromkeys(_SHARES, pa.float64()),
    }
    columns = {}
    for at, name in enumerate(_headings(keys, names)):
        cells = [row[at] for row in rows]
        if name in keys:
            columns[name] = pa.array(*_of_one_type(cells))
        elif name.startswith("property "):
            columns[name] = pa.array(cells, pa.bool_())
        else:
            columns[name] = pa.array(cells, types.get(name, pa.string()))
    written = io.BytesIO()
    parquet.write_table(pa.table(columns), written)
    return written.getvalue()


def _of_one_type(cells: Sequence[Any]) -> tuple[Sequence[Any], Any]:
    """Return the values of a key and their type: what is of several types is written as text."""
    import pyarrow as pa  # noqa: PLC0415 - as above

    kinds = {type(cell) for cell in cells if cell is not None}
    for kind, of_kind in ((int, pa.int64()), (bool, pa.bool_()), (str, pa.string())):
        if kinds == {kind}:
            return cells, of_kind
    if kinds <= {int, float}:
        return cells, pa.float64()
    return [None if cell is None else value_text(cell) for cell in cells], pa.string()
