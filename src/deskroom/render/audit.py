"""An audit as lines for a person and as values for a program.

Private words are nowhere in it: what repeats them is told by the numbers of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from attrs import asdict

from deskroom.core import Author
from deskroom.printable import counted
from deskroom.render.screen import PLAIN, Screen
from deskroom.render.table import table_lines
from deskroom.render.text import one_line, printable
from deskroom.runs.audit import VERDICTS, Audit, AuditRow, Verdict
from deskroom.runs.audit_named import Naming
from deskroom.runs.values import author_value
from deskroom.wire import author_out

__all__ = [
    "audit_json",
    "audit_lines",
    "audit_row_json",
    "change_lines",
    "compare_lines",
    "divergence_line",
    "divergence_reason",
    "verdict_label",
]

Json = dict[str, Any]

_LABELS: Final[dict[Verdict, str]] = {
    "follows": "follows",
    "same_seat": "same seat goes on",
    "person": "person or chair next",
    "nobody": "nobody was named",
    "unexplained": "unexplained",
    "closed": "the room would have closed",
    "last": "",
    "hidden": "(private)",
    "system": "",
}
_HEADING: Final = ("#", "who → whom", "next, by the rules", "spoke next", "verdict")
#: So many rows are listed behind a number of them.
_LISTED: Final = 8


def verdict_label(verdict: Verdict) -> str:
    """Return what a verdict is called for people; nothing for a row that nobody spoke after."""
    return _LABELS[verdict]


# --- for people --------------------------------------------------------------------------------


def audit_lines(audit: Audit, screen: Screen = PLAIN, *, table: bool = True) -> Iterator[str]:
    """Yield an audit as lines: its table, the first divergence, the rates, and what else it found."""
    if table and audit.rows:
        yield from table_lines(_HEADING, [_cells(row) for row in audit.rows], screen)
        yield ""
    yield divergence_line(audit)
    yield ""
    yield from table_lines(*_rates(audit), screen)
    yield ""
    yield from _found(audit)


def divergence_line(audit: Audit) -> str:
    """Return where a transcript first leaves the rules, and why, as one line."""
    first = audit.first
    if first is None:
        return one_line(f"{audit.path}: it nowhere leaves the rules")
    title = f"first divergence: row {first.sequence} ({author_value(first.author)})"
    return one_line(f"{first.place}: {title}: {divergence_reason(first)}")


def divergence_reason(row: AuditRow) -> str:
    """Return what the rules give after a row, and what came instead."""
    spoke = "nobody" if row.spoke is None else author_value(row.spoke)
    parts = [f"the turn goes to {_next_text(row)}: {row.why}"]
    if row.closes is not None:
        parts.append(f"the room would have closed here ({row.closes})")
    if row.nudged is not None:
        parts.append(f"the chair would speak first, to {row.nudged}")
    parts.append(f"{spoke} spoke next, in row {row.spoke_row}")
    if row.handoff is not None:
        parts.append(f"the source handed the turn to {row.handoff}")
    return "; ".join(parts)


def _next_text(row: AuditRow) -> str:
    if isinstance(row.next, dict) or row.next is None:
        return "nobody"
    return ", ".join(row.next) if isinstance(row.next, list) else str(row.next)


def _cells(row: AuditRow) -> tuple[str, str, str, str, str]:
    whom = row.audience if isinstance(row.audience, str) else ", ".join(row.audience) or "people"
    who = f"{author_value(row.author)} → {whom}"
    if row.kind in {"nudge", "wrote"}:
        who += f"\n({row.kind})"
    spoke = "" if row.spoke is None else f"[{row.spoke_row}] {author_value(row.spoke)}"
    if row.handoff is not None:
        spoke += f"\n(handed to {row.handoff})"
    cells = (str(row.sequence), who, _decision(row), spoke, verdict_label(row.verdict))
    return tuple(printable(cell) for cell in cells)  # type: ignore[return-value]


def _decision(row: AuditRow) -> str:
    if row.verdict in {"hidden", "system"}:
        return ""
    lines = [f"{_next_text(row)}: {row.why}"]
    if row.nudged is not None:
        lines.append(f"the chair speaks first, to {row.nudged}")
    if row.closes is not None:
        lines.append(f"the room closes: {row.closes}")
    if row.refusal is not None:
        lines.append(f"it is refused: {row.refusal}")
    return "\n".join(lines)


def _rates(audit: Audit) -> tuple[Sequence[str], list[Sequence[str]]]:
    rows: list[Sequence[str]] = []
    for verdict in VERDICTS:
        count, first = audit.counts[verdict], audit.first_of(verdict)
        if not count and verdict == "closed":
            continue
        share = f"{count / audit.judged:.0%}" if audit.judged else "-"
        rows.append((str(count), share, verdict_label(verdict), _number(first)))
    return ("rows", "share", "verdict", "first"), rows


def _number(row: AuditRow | None) -> str:
    return "" if row is None else f"row {row.sequence}"


def _found(audit: Audit) -> Iterator[str]:
    rows = f"{counted(audit.total, 'row')}, {counted(audit.asides, 'aside')}"
    yield f"{rows}; {audit.judged} with somebody speaking after"
    if audit.is_derived:
        yield one_line(f"the desk is made of those who speak: {', '.join(audit.seats)}")
    if audit.silent:
        yield one_line(f"never spoke: {', '.join(audit.silent)}")
    yield from (one_line(line) for line in _named(audit))
    yield _repeats(audit)
    yield one_line(_claims(audit))


def _named(audit: Audit) -> Iterator[str]:
    yield f"named: {counted(len(audit.named), 'time')}, {len(audit.unanswered)} never answered"
    of_seat: dict[str, list[Naming]] = {}
    for naming in audit.named:
        of_seat.setdefault(naming.seat, []).append(naming)
    for seat in audit.seats:
        found = of_seat.get(seat)
        if found:
            yield f"    {seat}: {_naming(found)}"


def _naming(found: Sequence[Naming]) -> str:
    waits = sorted(one.after for one in found if one.answer is not None)
    parts = [f"named {counted(len(found), 'time')}"]
    if waits:
        shortest, longest = waits[0], waits[-1]
        span = str(shortest) if shortest == longest else f"{shortest} to {longest}"
        noun = "row" if longest == 1 else "rows"
        parts.append(f"answered {counted(len(waits), 'time')}, after {span} {noun}")
    never = [one for one in found if one.answer is None]
    if never:
        rows = _listed(f"[{one.row}]" for one in never)
        parts.append(f"never after {rows}, {counted(never[0].after, 'row')} to the end")
    return "; ".join(parts)


def _repeats(audit: Audit) -> str:
    if not audit.asides:
        return "private words repeated: there is no aside"
    kinds = [one.kind for one in audit.repeats]
    parts = [f"private words repeated: {kinds.count('exact')} exact, {kinds.count('near')} near"]
    if audit.repeats:
        parts.append(_listed(_repeat(one.row, one.aside, one.insider) for one in audit.repeats))
    if audit.left_out:
        parts.append(f"{counted(audit.left_out, 'aside')} not compared: there are too many words")
    return "; ".join(parts)


def _repeat(row: int, aside: int, insider: bool) -> str:
    return f"[{row}] of [{aside}]" + ("" if insider else " by somebody who could not read it")


def _claims(audit: Audit) -> str:
    line = f"claims of completion that do not count: {len(audit.claims)}"
    if not audit.claims:
        return line
    return f"{line}; {_listed(f'[{one.sequence}] {one.seat} ({one.mark})' for one in audit.claims)}"


def _listed(texts: Iterable[str]) -> str:
    found = list(texts)
    more = f" and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
    return ", ".join(found[:_LISTED]) + more


# --- two of them -------------------------------------------------------------------------------


def compare_lines(
    a: Audit, b: Audit, screen: Screen = PLAIN, *, names: tuple[str, str] = ("A", "B")
) -> Iterator[str]:
    """Yield two audits side by side: what was counted in each, and where each leaves the rules."""
    one, other = _figures(a), _figures(b)
    # The first column of a table keeps its width.
    rows = [(what, one[what], other[what]) for what in one]
    yield from table_lines(("", *names), rows, screen)
    yield ""
    for name, audit in zip(names, (a, b), strict=True):
        yield f"{name}: {divergence_line(audit)}"


def _figures(audit: Audit) -> dict[str, str]:
    figures = {"rows": str(audit.total), "asides": str(audit.asides), "judged": str(audit.judged)}
    for verdict in VERDICTS:
        count = audit.counts[verdict]
        share = f" ({count / audit.judged:.0%})" if audit.judged else ""
        figures[verdict_label(verdict)] = f"{count}{share}"
    kinds = [one.kind for one in audit.repeats]
    return figures | {
        "named": str(len(audit.named)),
        "never answered": str(len(audit.unanswered)),
        "seats that never spoke": str(len(audit.silent)),
        "private words, exact": str(kinds.count("exact")),
        "private words, near": str(kinds.count("near")),
        "claims that do not count": str(len(audit.claims)),
    }


def change_lines(changes: Sequence[tuple[AuditRow, AuditRow]]) -> Iterator[str]:
    """Yield what another policy decides of each row about which it decides otherwise."""
    if not changes:
        yield "no row is decided otherwise"
        return
    yield f"{counted(len(changes), 'row')} decided otherwise:"
    for before, after in changes:
        was, now = _outcome(before), _outcome(after)
        who = f"row {before.sequence} ({author_value(before.author)})"
        yield one_line(f"    {who}: {was}; under it: {now}")


def _outcome(row: AuditRow) -> str:
    parts = [_next_text(row)]
    if isinstance(row.next, dict):
        parts[0] += f" ({row.next['none']})"
    if row.nudged is not None:
        parts.append(f"the chair first, to {row.nudged}")
    if row.closes is not None:
        parts.append(f"closed ({row.closes})")
    if row.refusal is not None:
        parts.append(f"refused ({row.refusal})")
    return ", ".join(parts)


# --- for programs ------------------------------------------------------------------------------


def audit_json(audit: Audit, shown_path: Callable[[str], str], *, table: bool = True) -> Json:
    """Return an audit as JSON-ready values; ``table`` has every row."""
    kinds = [one.kind for one in audit.repeats]
    document: Json = {
        "path": shown_path(audit.path),
        "kind": audit.kind,
        "as": audit.viewer.id,
        "desk": {
            "seats": list(audit.seats),
            "people": list(audit.people),
            "derived": audit.is_derived,
        },
        "rows": audit.total,
        "asides": audit.asides,
        "judged": audit.judged,
        "verdicts": {verdict: _verdict_json(audit, verdict) for verdict in VERDICTS},
        "first": None if audit.first is None else audit_row_json(audit.first),
        "silent": list(audit.silent),
        "named": [asdict(one) for one in audit.named],
        "unanswered": len(audit.unanswered),
        "repeats": {
            "exact": kinds.count("exact"),
            "near": kinds.count("near"),
            "rows": [asdict(one) for one in audit.repeats],
            "left_out": audit.left_out,
        },
        "claims": [asdict(one) for one in audit.claims],
    }
    if table:
        document["table"] = [audit_row_json(row) for row in audit.rows]
    return document


def _verdict_json(audit: Audit, verdict: Verdict) -> Json:
    count, first = audit.counts[verdict], audit.first_of(verdict)
    return {
        "rows": count,
        "share": round(count / audit.judged, 4) if audit.judged else None,
        "first": None if first is None else first.sequence,
    }


def audit_row_json(row: AuditRow) -> Json:
    """Return one row of an audit as JSON-ready values."""
    return {
        "sequence": row.sequence,
        "line": row.line,
        "author": _author_json(row.author),
        "audience": row.audience,
        "kind": row.kind,
        "next": row.next,
        "why": row.why,
        "hop": row.hop,
        "verdict": row.verdict,
        "spoke": None if row.spoke is None else _author_json(row.spoke),
        "spoke_row": row.spoke_row,
        "handoff": row.handoff,
        "nudged": row.nudged,
        "closes": row.closes,
        "refusal": row.refusal,
    }


def _author_json(author: Author) -> Json:
    return author_out(author)
