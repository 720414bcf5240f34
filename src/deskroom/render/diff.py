"""Two runs side by side, as lines for a person and as values for a program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from attrs import asdict

from deskroom.render.replay import routing_json
from deskroom.render.rows import private_text, routing_text, short_content
from deskroom.render.screen import PLAIN, Screen
from deskroom.render.text import one_line, printable, value_text
from deskroom.render.worddiff import diff_legend, diff_text
from deskroom.runs.diff import Comparison, Count, Difference
from deskroom.runs.view import RunView, ViewItem

__all__ = ["diff_json", "diff_lines"]

Json = dict[str, Any]


# For people


def diff_lines(
    comparison: Comparison, screen: Screen = PLAIN, *, all_: bool = False
) -> Iterator[str]:
    """Yield what differs: the first difference, or all, then a summary. None of it is wrapped."""
    differences = comparison.differences if all_ else comparison.differences[:1]
    for number, difference in enumerate(differences):
        if number:
            yield ""
        yield from _difference(difference, comparison, screen)
    if differences:
        yield ""
    yield from (one_line(line) for line in _summary(comparison))


def _difference(difference: Difference, comparison: Comparison, screen: Screen) -> Iterator[str]:
    for letter, item, other in (
        ("A", difference.a, comparison.a),
        ("B", difference.b, comparison.b),
    ):
        if item is None:
            yield one_line(_missing(difference, other, letter))
        else:
            yield from _item(item, letter)
    if difference.keys:
        yield f"    differs in: {', '.join(difference.keys)}"
    if "content" in difference.keys:
        yield from _texts(difference, screen)


def _texts(difference: Difference, screen: Screen) -> Iterator[str]:
    """Yield the words that differ, where both have any."""
    one, other = (
        None if item is None else item.facts.get("content") for item in (difference.a, difference.b)
    )
    if isinstance(one, str) and isinstance(other, str):
        yield f'    {diff_legend("A", "B", screen)}: "{diff_text(one, other, screen)}"'


def _missing(difference: Difference, view: RunView, letter: str) -> str:
    nothing = "no such row" if difference.is_row else "no such turn"
    instead = difference.instead
    if instead is not None:
        return f"{instead.place}: {letter}: {nothing}; instead {_title(instead)}: {_what(instead)}"
    closed = view.run.get("closed")
    end = f" (closed: {closed})" if closed else ""
    return f"{view.path}: {letter}: {nothing}; the run ends before it{end}"


def _item(item: ViewItem, letter: str) -> Iterator[str]:
    yield one_line(f"{item.place}: {letter}: {_title(item)}: {_what(item)}")
    details = [_detail(key, item.facts[key]) for key in ("next", "hop") if key in item.facts]
    details += [key for key in ("completes",) if item.facts.get(key)]
    if item.facts.get("refusal"):
        details.append(_detail("refusal", item.facts["refusal"]))
    if any(word != "ok" for word in item.facts.get("replies", ())):
        details.append(_detail("replies", item.facts["replies"]))
    if details:
        yield one_line(f"    {'; '.join(details)}")
    if item.why:
        yield one_line(f"    why: {item.why}")
    if item.routing is not None:
        yield one_line(f"    {routing_text(item.routing)}")


def _title(item: ViewItem) -> str:
    who = _author(item)
    if not item.is_row:
        return f"turn {item.turn}: {who}"
    audience = item.facts["audience"]
    whom = audience if isinstance(audience, str) else ", ".join(audience)
    kind = f" ({item.facts['kind']})" if item.facts.get("kind") in {"nudge", "wrote"} else ""
    return f"row {item.sequence}: {who} → {whom}{kind}"


def _author(item: ViewItem) -> str:
    author = item.facts["author"]
    return printable(author.get("id") or author.get("kind") or author["type"])


def _what(item: ViewItem) -> str:
    if not item.is_row:
        return f"({item.facts.get('outcome') or 'not ended'})"
    if item.hidden:
        return private_text(item.hidden)
    return short_content(item)


def _detail(key: str, value: Any) -> str:  # noqa: ANN401 - a value of the file format
    # A broadcast that went to nobody.
    return f"{key}: {'nobody' if value == [] else value_text(value)}"


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
    parts = [f"{count.same} the same"]
    parts += [f"{count.different} different"] if count.different else []
    parts += [f"{count.only_a} only in A"] if count.only_a else []
    parts += [f"{count.only_b} only in B"] if count.only_b else []
    return ", ".join(parts)


# For programs


def diff_json(
    comparison: Comparison, shown_path: Callable[[str], str], *, all_: bool = False
) -> Json:
    """Return a comparison as JSON-ready values.

    ``differences`` holds all of them only on request; ``first`` is always there.
    """
    differences = [_difference_json(found) for found in comparison.differences]
    document: Json = {
        "a": _view_json(comparison.a, shown_path),
        "b": _view_json(comparison.b, shown_path),
        "same": comparison.same,
        "first": differences[0] if differences else None,
        "run": {key: {"a": a, "b": b} for key, (a, b) in comparison.run.items()},
        "settings": [asdict(setting) for setting in comparison.settings],
        "summary": {"rows": asdict(comparison.rows), "turns": asdict(comparison.turns)},
    }
    if all_:
        document["differences"] = differences
    return document


def _view_json(view: RunView, shown_path: Callable[[str], str]) -> Json:
    rows = sum(item.is_row for item in view.items)
    return {"path": shown_path(view.path), "kind": view.kind, "rows": rows}


def _difference_json(difference: Difference) -> Json:
    return {
        "keys": list(difference.keys),
        "a": _item_json(difference.a),
        "b": _item_json(difference.b),
    }


def _item_json(item: ViewItem | None) -> Json | None:
    if item is None:
        return None
    return {
        "line": item.line,
        "sequence": item.sequence,
        "turn": item.turn,
        "trigger": item.trigger,
        **item.facts,
        "why": item.why,
        "routing": routing_json(item),
    }
