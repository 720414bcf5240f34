"""Two runs side by side, as lines for a person and as values for a program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from attrs import asdict

from deskroom.render.text import one_line, printable, shortened, value_text
from deskroom.scenario.account import Account, Event
from deskroom.scenario.diff import Comparison, Count, Difference

__all__ = ["diff_json", "diff_lines"]

_SHORT: Final = 240

Json = dict[str, Any]


# For people


def diff_lines(comparison: Comparison, *, all_: bool = False) -> Iterator[str]:
    """Yield what differs: the first difference, or all, then a summary. None of it is wrapped."""
    differences = comparison.differences if all_ else comparison.differences[:1]
    for number, difference in enumerate(differences):
        if number:
            yield ""
        yield from _difference(difference, comparison)
    if differences:
        yield ""
    yield from (one_line(line) for line in _summary(comparison))


def _difference(difference: Difference, comparison: Comparison) -> Iterator[str]:
    for letter, event, other in (
        ("A", difference.a, comparison.a),
        ("B", difference.b, comparison.b),
    ):
        if event is None:
            yield one_line(_missing(difference, other, letter))
        else:
            yield from _event(event, letter)
    if difference.keys:
        yield f"    differs in: {', '.join(difference.keys)}"


def _missing(difference: Difference, account: Account, letter: str) -> str:
    nothing = "no such row" if difference.is_row else "no such turn"
    instead = difference.instead
    if instead is not None:
        told = f"{_title(instead)}: {_what(instead)}"
        return f"{instead.place}: {letter}: {nothing}; instead {told}"
    closed = account.run.get("closed")
    end = f" (closed: {closed})" if closed else ""
    return f"{account.path}: {letter}: {nothing}; the run ends before it{end}"


def _event(event: Event, letter: str) -> Iterator[str]:
    yield one_line(f"{event.place}: {letter}: {_title(event)}: {_what(event)}")
    details = [_told(key, event.facts[key]) for key in ("next", "hop") if key in event.facts]
    details += [key for key in ("completes",) if event.facts.get(key)]
    if event.facts.get("refusal"):
        details.append(_told("refusal", event.facts["refusal"]))
    if any(word != "ok" for word in event.facts.get("replies", ())):
        details.append(_told("replies", event.facts["replies"]))
    if details:
        yield one_line(f"    {'; '.join(details)}")
    if event.why:
        yield one_line(f"    why: {event.why}")


def _title(event: Event) -> str:
    who = _author(event)
    if not event.is_row:
        return f"turn {event.turn}: {who}"
    audience = event.facts["audience"]
    whom = audience if isinstance(audience, str) else ", ".join(audience)
    kind = f" ({event.facts['kind']})" if event.facts.get("kind") in {"nudge", "wrote"} else ""
    return f"row {event.sequence}: {who} → {whom}{kind}"


def _author(event: Event) -> str:
    author = event.facts["author"]
    return printable(author.get("id") or author.get("kind") or author["type"])


def _what(event: Event) -> str:
    if not event.is_row:
        return f"({event.facts.get('outcome') or 'not ended'})"
    if event.hidden:
        return "(private)" if event.hidden == 1 else f"(private, {event.hidden} messages)"
    return shortened(event.facts["content"], _SHORT)


def _told(key: str, value: Any) -> str:  # noqa: ANN401 - a value of the file format
    # A broadcast that went to nobody.
    told = "nobody" if value == [] else value_text(value)
    return f"{key}: {told}"


def _summary(comparison: Comparison) -> Iterator[str]:
    for setting in comparison.settings:
        yield f"{setting.key}: {value_text(setting.a)} in A, {value_text(setting.b)} in B"
    for key, (one, other) in comparison.run.items():
        yield f"{key}: {_closed(one)} in A, {_closed(other)} in B"
    yield f"rows: {_count(comparison.rows)}"
    if comparison.turns != Count():
        yield f"turns without a row: {_count(comparison.turns)}"
    if comparison.same:
        yield "the same"


def _closed(value: Any) -> str:  # noqa: ANN401 - why a room closed, if it did
    return "not closed" if value is None else value_text(value)


def _count(count: Count) -> str:
    told = [f"{count.same} the same"]
    told += [f"{count.different} different"] if count.different else []
    told += [f"{count.only_a} only in A"] if count.only_a else []
    told += [f"{count.only_b} only in B"] if count.only_b else []
    return ", ".join(told)


# For programs


def diff_json(
    comparison: Comparison, shown_path: Callable[[str], str], *, all_: bool = False
) -> Json:
    """Return a comparison as JSON-ready values.

    ``differences`` holds all of them only on request; ``first`` is always there.
    """
    differences = [_difference_json(found) for found in comparison.differences]
    document: Json = {
        "a": _account_json(comparison.a, shown_path),
        "b": _account_json(comparison.b, shown_path),
        "same": comparison.same,
        "first": differences[0] if differences else None,
        "run": {key: {"a": a, "b": b} for key, (a, b) in comparison.run.items()},
        "settings": [asdict(setting) for setting in comparison.settings],
        "summary": {"rows": asdict(comparison.rows), "turns": asdict(comparison.turns)},
    }
    if all_:
        document["differences"] = differences
    return document


def _account_json(account: Account, shown_path: Callable[[str], str]) -> Json:
    rows = sum(event.is_row for event in account.events)
    return {"path": shown_path(account.path), "kind": account.kind, "rows": rows}


def _difference_json(difference: Difference) -> Json:
    return {
        "keys": list(difference.keys),
        "a": _event_json(difference.a),
        "b": _event_json(difference.b),
    }


def _event_json(event: Event | None) -> Json | None:
    if event is None:
        return None
    return {
        "line": event.line,
        "sequence": event.sequence,
        "turn": event.turn,
        "trigger": event.trigger,
        **event.facts,
        "why": event.why,
    }
