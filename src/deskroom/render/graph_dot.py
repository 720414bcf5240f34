"""A run in the language of Graphviz: a sequence diagram, or a graph of who gave whom the turn.

Every label is a quoted string, in which a quote and a backslash are escaped, and ``&`` as well,
since Graphviz reads entities in labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from deskroom.printable import one_line
from deskroom.render.graph import Event, Graph, event_label, plain_label
from deskroom.render.table import cell_width

__all__ = ["quoted", "sequence_digraph", "turn_digraph"]

_ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "&": "&amp;"})
_SHAPES: Final = {"person": "ellipse", "agent": "box", "operator": "ellipse", "system": "note"}
#: Where things stand in a sequence, in points: the width of the column of text, the height of an
#: event, the least distance of two lifelines, and what a letter and the margins of a name take.
_TEXT: Final = 432
_HEIGHT: Final = 26
_LEAST_STEP: Final = 90
_LETTER: Final = 7
_MARGIN: Final = 34


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
    of who takes part, on their lifelines. Of an event without an arrow the point is a circle. Each
    node has its place, so that Graphviz need not look for one, which would take minutes.
    """
    labels = [plain_label(one) for one in graph.participants]
    step = max(_LEAST_STEP, _LETTER * max(map(cell_width, labels), default=0) + _MARGIN)
    lanes = {one.alias: _TEXT + at * step for at, one in enumerate(graph.participants, start=1)}
    end = len(graph.events) + 1
    yield "digraph sequence {"
    yield "    layout=nop; splines=line; fontsize=11"
    yield '    node [shape=point, width=0.05, label="", fontsize=11]'
    yield "    edge [arrowhead=none, style=dotted, color=gray]"
    for one, label in zip(graph.participants, labels, strict=True):
        place = _place(lanes[one.alias], 0)
        yield f"    {one.alias} [{place}, shape={_SHAPES[one.kind]}, label={quoted(label)}]"
        yield f"    {one.alias}_end [{_place(lanes[one.alias], end)}]"
        yield f"    {one.alias} -> {one.alias}_end"
    for number, event in enumerate(graph.events, start=1):
        yield from _rank(number, event, lanes)
    if graph.closed is not None:
        yield _text(end, f"closed {graph.closed}")
    yield "}"


def _rank(number: int, event: Event, lanes: Mapping[str, int]) -> Iterator[str]:
    yield _text(number, event_label(event))
    targets = [target for target in event.targets if target != event.source]
    for alias in (event.source, *targets):
        shape = "" if targets else ", shape=circle, width=0.12"
        yield f"    {alias}_{number} [{_place(lanes[alias], number)}{shape}]"
    style = "dashed" if event.is_private else "solid"
    for target in targets:
        arrow = f"arrowhead=normal, style={style}, color=black"
        yield f"    {event.source}_{number} -> {target}_{number} [{arrow}]"


def _text(number: int, text: str) -> str:
    """Return the text of an event, whose lines begin at the left of its column."""
    label = quoted(text).removesuffix('"')
    place = _place(_TEXT // 2, number)
    return f'    t_{number} [{place}, shape=plaintext, width={_TEXT // 72}, label={label}\\l"]'


def _place(x: int, number: int) -> str:
    return f'pos="{x},{-_HEIGHT * number}"'
