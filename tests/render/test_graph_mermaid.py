from __future__ import annotations

import re

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from deskroom.render.graph import Event, Graph, Participant
from deskroom.render.graph_mermaid import MOST_EDGES, escaped, flowchart, sequence_diagram
from deskroom.runs.figures import HandOff

GRAPH = Graph(
    participants=(
        Participant("s1", "agent", "end"),
        Participant("s2", "agent", 'a"b;#'),
        Participant("p1", "person", "Ann"),
    ),
    events=(
        Event(kind="desk", source="p1", targets=("s1",), row=1, text="@end go"),
        Event(kind="aside", source="s1", targets=("s2", "s1"), row=2, text="x;", is_private=True),
        Event(kind="private", source="s1", targets=("s2",), row=3, messages=2, is_private=True),
        Event(kind="no_row", source="s2", turn=4, text="timed out"),
        Event(kind="desk", source="s2", row=5, text="<b>"),
    ),
    hand_offs=(HandOff(source="p1", target="s1", turns=2),),
    closed="max_turns",
)


def test_a_sequence_diagram_has_an_event_a_line() -> None:
    """So that a change of one row is a change of one line, or of one for each reader."""
    assert [
        "sequenceDiagram",
        "    participant s1 as end",
        "    participant s2 as a#34;b#59;#35;",
        "    actor p1 as Ann (person)",
        "    p1->>s1: 1 @end go",
        "    s1-->>s2: 2 (aside) x#59;",
        "    s1-->>s1: 2 (aside) x#59;",
        "    s1-->>s2: 3 (private, 2 messages)",
        "    Note over s2: turn 4 timed out",
        "    Note over s2: 5 #60;b#62;",
        "    Note over s1,p1: closed max#95;turns",
    ] == list(sequence_diagram(GRAPH))


def test_a_flowchart_has_a_hand_off_a_line() -> None:
    """Names are labels; what names a node is an alias."""
    assert [
        "flowchart LR",
        '    s1["end"]',
        '    s2["a#34;b#59;#35;"]',
        '    p1(["Ann (person)"])',
        '    p1 -->|"2"| s1',
    ] == list(flowchart(GRAPH))


def test_a_flowchart_has_no_more_arrows_than_mermaid_takes() -> None:
    """The rarest are left out, which a box says; the others keep their order."""
    hand_offs = tuple(
        HandOff(source=f"s{at}", target="s1", turns=1 if at in {1, 3} else 2)
        for at in range(MOST_EDGES + 2)
    )
    lines = list(flowchart(evolve(GRAPH, hand_offs=hand_offs)))
    assert ['    s0 -->|"2"| s1', '    s2 -->|"2"| s1'] == lines[4:6]
    assert '    more["and 2 rarer ones"]' == lines[-1]
    assert MOST_EDGES == sum("-->" in line for line in lines)


def test_a_room_with_one_participant_has_a_note_over_one() -> None:
    """And one without any has none at all."""
    one = Graph(participants=GRAPH.participants[:1], events=(), hand_offs=None, closed="quiet")
    assert "    Note over s1: closed quiet" == list(sequence_diagram(one))[-1]
    nobody = Graph(participants=(), events=(), hand_offs=None, closed="quiet")
    assert ["sequenceDiagram"] == list(sequence_diagram(nobody))


@pytest.mark.parametrize(
    "text, expected",
    [
        ("研究 é مرحبا", "研究 é مرحبا"),
        ("a\nb", "a#92;nb"),
        ("%%{x}", "#37;#37;#123;x#125;"),
        ("\u202e", "#92;u202e"),
        ("`*_~$<>[]|\\", "#96;#42;#95;#126;#36;#60;#62;#91;#93;#124;#92;"),
        ("😀", "#128512;"),
    ],
)
def test_a_special_character_is_an_entity(text: str, expected: str) -> None:
    """Letters of any script are themselves, and so are signs without a meaning."""
    assert expected == escaped(text)


@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_no_text_ends_its_statement(text: str) -> None:
    """What is left beside entities is plain; read back, they are the printable text."""
    written = escaped(text)
    assert re.fullmatch(r"(?:#\d+;|[^\W_]|[ .,()!?'/=@·…-])*", written)
    again = re.sub(r"#(\d+);", lambda found: chr(int(found[1])), written)
    assert again.isprintable() or any(not c.isprintable() for c in text)
    assert escaped(again) == written
