"""A run in the language of Graphviz: a sequence diagram, or a graph of who gave whom the turn.

Every label is a quoted string, in which a quote and a backslash are escaped, and ``&`` as well,
since Graphviz reads entities in labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from deskroom.printable import one_line
from deskroom.render.graph import Event, Graph, event_label, plain_label

__all__ = ["quoted", "sequence_digraph", "turn_digraph"]

_ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "&": "&amp;"})
_SHAPES: Final = {"person": "ellipse", "agent": "box", "operator": "ellipse", "system": "note"}


def quoted(text: str) -> str:
    """Return a text as a quoted string that Graphviz shows as it is."""
    return f'"{one_line(text).translate(_ESCAPES)}"'


def turn_digraph(graph: Graph) -> Iterator[str]:
    """Yield the lines of a graph: an edge from who wrote to who got the turn, with the count."""
    yield "digraph hand_offs {"
    yield "    rankdir=LR"
    for one in graph.participants:
        yield f"    {one.alias} [label={quoted(plain_label(one))}, shape={_SHAPES[one.kind]}]"
    for hand_off in graph.hand_offs or ():
        yield f'    {hand_off.source} -> {hand_off.target} [label="{hand_off.turns}"]'
    yield "}"


def sequence_digraph(graph: Graph) -> Iterator[str]:
    """Yield the lines of a graph that is drawn as a sequence diagram.

    Time goes downwards. What an event says stands in a column at the left; beside it are the points
    of who takes part, on their lifelines. Of an event without an arrow the point is a circle.
    """
    last = {one.alias: 0 for one in graph.participants}
    yield "digraph sequence {"
    yield "    nodesep=0.5; ranksep=0.1; fontsize=11"
    yield '    node [shape=point, width=0.05, label="", fontsize=11]'
    yield "    edge [arrowhead=none, style=dotted, weight=50]"
    yield "    t_0 [shape=plaintext, width=6, group=t]"
    for one in graph.participants:
        label = f"label={quoted(plain_label(one))}"
        yield f"    {one.alias}_0 [{label}, shape={_SHAPES[one.kind]}, group={one.alias}]"
    heads = " -> ".join(["t_0", *(f"{alias}_0" for alias in last)])
    yield f"    {{ rank=same; {heads} [style=invis] }}"
    for number, event in enumerate(graph.events, start=1):
        yield from _rank(number, event, last)
    if graph.closed is not None:
        yield f"    label={quoted(f'closed {graph.closed}')}"
    yield "}"


def _rank(number: int, event: Event, last: dict[str, int]) -> Iterator[str]:
    """Yield one event. ``last`` holds at which event each lifeline has its last point."""
    text = quoted(event_label(event)).removesuffix('"')
    yield f'    t_{number} [shape=plaintext, width=6, group=t, label={text}\\l"]'
    yield f"    t_{number - 1} -> t_{number} [style=invis]"
    aliases = list(dict.fromkeys((event.source, *event.targets)))
    for alias in aliases:
        shape = "" if event.targets else ", shape=circle, width=0.12"
        yield f"    {alias}_{number} [group={alias}{shape}]"
        yield f"    {alias}_{last[alias]} -> {alias}_{number}"
        last[alias] = number
    points = " ".join(f"{alias}_{number}" for alias in aliases)
    yield f"    {{ rank=same; t_{number} {points} }}"
    style = "dashed" if event.is_private else "solid"
    for target in event.targets:
        arrow = f"arrowhead=normal, style={style}, weight=1, constraint=false"
        yield f"    {event.source}_{number} -> {target}_{number} [{arrow}]"
