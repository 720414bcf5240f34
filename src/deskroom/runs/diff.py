"""Two runs, side by side: where they first differ, and all that differs.

Rows are matched by who said what, so a row that only one run has does not make every row behind
it differ; their numbers are not compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, Final

import attrs
from attrs import evolve, frozen

from deskroom.runs.view import RunView, ViewItem

__all__ = ["Comparison", "Count", "Difference", "Setting", "compare_runs"]

#: Beyond so many pairs, items are matched by their place alone: matching takes the square of it.
_MOST_PAIRS: Final = 250_000


@frozen(kw_only=True)
class Difference:
    """Two items that stand for each other and differ, or one that the other run has not.

    ``keys`` are the facts that differ, and are empty when one item is missing. ``instead`` is then
    what the run that has not got it has next, or None where that run ends.
    """

    a: ViewItem | None
    b: ViewItem | None
    keys: tuple[str, ...] = ()
    instead: ViewItem | None = None

    @property
    def is_row(self) -> bool:
        """Whether it is about a row, and not about a turn without one."""
        return any(item.is_row for item in (self.a, self.b) if item is not None)


@frozen(kw_only=True)
class Count:
    """How many items are the same, differ, or are in one run only."""

    same: int = 0
    different: int = 0
    only_a: int = 0
    only_b: int = 0


@frozen(kw_only=True)
class Setting:
    """A policy of the two rooms that is not the same, by its key in the file."""

    key: str
    a: Any
    b: Any


@frozen(kw_only=True)
class Comparison:
    """What two runs have in common and where they differ.

    ``rows`` and ``turns`` count rows, and turns without one. ``run`` holds what differs about the
    run as a whole, as ``(a, b)`` by key. ``settings`` are policies that differ: they explain a
    difference and are none themselves.
    """

    a: RunView
    b: RunView
    differences: tuple[Difference, ...]
    rows: Count
    turns: Count
    run: Mapping[str, tuple[Any, Any]]
    settings: tuple[Setting, ...] = ()

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return not self.differences and not self.run


def compare_runs(a: RunView, b: RunView) -> Comparison:
    """Compare two accounts by what both of them know."""
    if not (a.has_turns and b.has_turns):
        a, b = _rows_only(a), _rows_only(b)
    differences = []
    rows, turns = Count(), Count()
    at_a = at_b = 0
    for one, other in _pairs(a.items, b.items):
        found = _difference(one, other)
        if found is not None and one is None:
            found = evolve(found, instead=_item_at(a, at_a))
        elif found is not None and other is None:
            found = evolve(found, instead=_item_at(b, at_b))
        at_a, at_b = at_a + (one is not None), at_b + (other is not None)
        if any(item.is_row for item in (one, other) if item is not None):
            rows = _counted(rows, one, other, found)
        else:
            turns = _counted(turns, one, other, found)
        if found is not None:
            differences.append(found)
    run = {
        key: (a.run[key], b.run[key]) for key in a.run if key in b.run and a.run[key] != b.run[key]
    }
    return Comparison(
        a=a,
        b=b,
        differences=tuple(differences),
        rows=rows,
        turns=turns,
        run=run,
        settings=tuple(_settings(a, b)),
    )


def _item_at(view: RunView, at: int) -> ViewItem | None:
    return view.items[at] if at < len(view.items) else None


def _rows_only(view: RunView) -> RunView:
    return evolve(view, items=tuple(item for item in view.items if item.is_row))


def _difference(one: ViewItem | None, other: ViewItem | None) -> Difference | None:
    if one is None or other is None:
        return Difference(a=one, b=other)
    keys = [
        key for key, value in one.facts.items() if key in other.facts and other.facts[key] != value
    ]
    if one.is_row != other.is_row:
        keys.insert(0, "row")
    elif bool(one.hidden) != bool(other.hidden):
        keys.append("content")
    return Difference(a=one, b=other, keys=tuple(keys)) if keys else None


def _counted(
    count: Count, one: ViewItem | None, other: ViewItem | None, found: Difference | None
) -> Count:
    if one is None:
        return evolve(count, only_b=count.only_b + 1)
    if other is None:
        return evolve(count, only_a=count.only_a + 1)
    if found is None:
        return evolve(count, same=count.same + 1)
    return evolve(count, different=count.different + 1)


# --- what stands for what ----------------------------------------------------------------------


def _pairs(
    a: Sequence[ViewItem], b: Sequence[ViewItem]
) -> Iterator[tuple[ViewItem | None, ViewItem | None]]:
    """Pair the items of two runs, in order: the same ones first, and what is left by its place."""
    keys_a, keys_b = [_key(item) for item in a], [_key(item) for item in b]
    start = 0
    while start < min(len(a), len(b)) and keys_a[start] == keys_b[start]:
        start += 1
    stop = 0
    while stop < min(len(a), len(b)) - start and keys_a[-1 - stop] == keys_b[-1 - stop]:
        stop += 1
    end_a, end_b = len(a) - stop, len(b) - stop
    yield from zip(a[:start], b[:start], strict=True)
    yield from _middle(a[start:end_a], b[start:end_b], keys_a[start:end_a], keys_b[start:end_b])
    yield from zip(a[end_a:], b[end_b:], strict=True)


def _middle(
    a: Sequence[ViewItem], b: Sequence[ViewItem], keys_a: Sequence[str], keys_b: Sequence[str]
) -> Iterator[tuple[ViewItem | None, ViewItem | None]]:
    if len(a) * len(b) > _MOST_PAIRS:
        yield from _by_place(a, b)
        return
    matcher = SequenceMatcher(None, keys_a, keys_b, autojunk=False)
    for _, a_from, a_to, b_from, b_to in matcher.get_opcodes():
        yield from _by_place(a[a_from:a_to], b[b_from:b_to])


def _by_place(
    a: Sequence[ViewItem], b: Sequence[ViewItem]
) -> Iterator[tuple[ViewItem | None, ViewItem | None]]:
    both = min(len(a), len(b))
    yield from zip(a[:both], b[:both], strict=True)
    yield from ((item, None) for item in a[both:])
    yield from ((None, item) for item in b[both:])


def _key(item: ViewItem) -> str:
    """Return what an item is recognised by: whose it is and what it says."""
    said = item.facts.get("content"), item.hidden, item.is_row
    return json.dumps([item.facts["author"], said], default=repr)


# --- what the rooms decided by -----------------------------------------------------------------


def _settings(a: RunView, b: RunView) -> Iterator[Setting]:
    if a.order is not None and b.order is not None and a.order != b.order:
        yield Setting(key="order", a=a.order, b=b.order)
    if a.policy is not None and b.policy is not None:
        yield from _policies("policy", a.policy, b.policy)


def _policies(path: str, a: Any, b: Any) -> Iterator[Setting]:  # noqa: ANN401 - policies, then values
    for attribute in attrs.fields(type(a)):
        one, other = getattr(a, attribute.name), getattr(b, attribute.name)
        key = f"{path}.{attribute.name}"
        if one == other:
            continue
        if attrs.has(type(one)):
            yield from _policies(key, one, other)
        else:
            yield Setting(key=key, a=_plain(one), b=_plain(other))


def _plain(value: Any) -> Any:  # noqa: ANN401 - a value of a policy
    return list(value) if isinstance(value, tuple) else value
