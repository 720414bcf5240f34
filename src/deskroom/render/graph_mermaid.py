"""A run in the language of Mermaid: a sequence diagram, or a flowchart of who gave whom the turn.

Whatever is not a plain character is written as an entity (``#59;``): Mermaid ends a statement at
``;``, a label at its quote, begins a comment at ``%%``, and reads Markdown and HTML in labels.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from deskroom.printable import one_line
from deskroom.render.graph import Event, Graph, Participant, event_label, plain_label

__all__ = ["MOST_EDGES", "escaped", "flowchart", "sequence_diagram"]

#: What needs no entity: letters and digits of any script with their marks, and signs without a
#: meaning to Mermaid.
_SPECIAL: Final = re.compile(r"[^\w .,()!?'/=@·…-]|_")


#: Mermaid refuses a flowchart with more arrows than these.
MOST_EDGES: Final = 500


def escaped(text: str) -> str:
    """Return a text as Mermaid shows it and takes none of it for its own language."""
    return _SPECIAL.sub(lambda found: f"#{ord(found[0])};", one_line(text))


def sequence_diagram(graph: Graph) -> Iterator[str]:
    """Yield the lines of a sequence diagram, one event a line.

    An aside is a dashed arrow to each of its readers, a broadcast an arrow to each recipient, and a
    row that gives nobody the turn a note, as is a turn without a row.
    """
    yield "sequenceDiagram"
    for one in graph.participants:
        word = "actor" if one.kind == "person" else "participant"
        yield f"    {word} {one.alias} as {escaped(plain_label(one))}"
    for event in graph.events:
        yield from _event(event)
    if graph.closed is not None and graph.participants:
        ends = dict.fromkeys((graph.participants[0].alias, graph.participants[-1].alias))
        yield f"    Note over {','.join(ends)}: closed {escaped(graph.closed)}"


def _event(event: Event) -> Iterator[str]:
    label = escaped(event_label(event))
    if not event.targets:
        yield f"    Note over {event.source}: {label}"
    arrow = "-->>" if event.is_private else "->>"
    for target in event.targets:
        yield f"    {event.source}{arrow}{target}: {label}"


def flowchart(graph: Graph) -> Iterator[str]:
    """Yield the lines of a flowchart: an arrow from who wrote to who got the turn, with the count.

    Where there are more arrows than Mermaid takes, the rarest are left out, and a box says so.
    """
    yield "flowchart LR"
    for one in graph.participants:
        yield f"    {one.alias}{_shape(one)}"
    hand_offs = graph.hand_offs or ()
    kept = frozenset(
        sorted(range(len(hand_offs)), key=lambda at: -hand_offs[at].turns)[:MOST_EDGES]
    )
    for at, hand_off in enumerate(hand_offs):
        if at in kept:
            yield f'    {hand_off.source} -->|"{hand_off.turns}"| {hand_off.target}'
    if len(hand_offs) > len(kept):
        yield f'    more["and {len(hand_offs) - len(kept)} rarer ones"]'


def _shape(one: Participant) -> str:
    label = f'"{escaped(plain_label(one))}"'
    return f"([{label}])" if one.kind == "person" else f"[{label}]"
