from __future__ import annotations

import html
import os
import re
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deskroom.render.graph import Event, Graph, Participant
from deskroom.render.graph_dot import quoted, sequence_digraph, turn_digraph
from deskroom.runs.figures import HandOff

GRAPH = Graph(
    participants=(
        Participant("s1", "agent", 'a"b\\'),
        Participant("s2", "agent", "b"),
        Participant("p1", "person", "Ann"),
    ),
    events=(
        Event(kind="desk", source="p1", targets=("s1",), row=1, text="go"),
        Event(kind="aside", source="s1", targets=("s2",), row=2, text="&amp;", is_private=True),
        Event(kind="no_row", source="s2", turn=2, text="silent"),
    ),
    hand_offs=(HandOff(source="p1", target="s1", turns=2),),
    closed="quiet",
)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=40)


def test_a_graph_has_a_hand_off_a_line() -> None:
    """Names are labels; what names a node is an alias."""
    assert [
        "digraph hand_offs {",
        "    rankdir=LR",
        '    s1 [label="a\\"b\\\\", shape=box]',
        '    s2 [label="b", shape=box]',
        '    p1 [label="Ann (person)", shape=ellipse]',
        '    p1 -> s1 [label="2"]',
        "}",
    ] == list(turn_digraph(GRAPH))


def test_a_sequence_has_a_rank_an_event() -> None:
    """Its text at the left, a point on each lifeline that takes part, and the arrow."""
    lines = list(sequence_digraph(GRAPH))
    assert [
        '    s1 [pos="550,0", shape=box, label="a\\"b\\\\"]',
        '    s1_end [pos="550,-104"]',
        "    s1 -> s1_end",
    ] == lines[4:7]
    at = lines.index(
        '    t_2 [pos="216,-52", shape=plaintext, width=6, label="2 (aside) &amp;amp;\\l"]'
    )
    assert [
        '    s1_2 [pos="550,-52"]',
        '    s2_2 [pos="668,-52"]',
        "    s1_2 -> s2_2 [arrowhead=normal, style=dashed, color=black]",
        '    t_3 [pos="216,-78", shape=plaintext, width=6, label="turn 2 silent\\l"]',
        '    s2_3 [pos="668,-78", shape=circle, width=0.12]',
        '    t_4 [pos="216,-104", shape=plaintext, width=6, label="closed quiet\\l"]',
        "}",
    ] == lines[at + 1 :]


@given(TEXTS)
def test_no_text_ends_its_string(text: str) -> None:
    """Read back as Graphviz reads it, it is one string with the text in it."""
    written = quoted(text)
    assert re.fullmatch(r'"(?:[^"\\\n]|\\["\\])*"', written)
    again = html.unescape(re.sub(r"\\(.)", r"\1", written[1:-1]))
    assert written == quoted(again)


def graphviz(text: str) -> str:
    """Return what Graphviz draws as SVG; a warning of it is an error here."""
    dot = shutil.which("dot")
    if dot is None:
        if os.environ.get("CI"):
            pytest.fail("there is no dot; see CONTRIBUTING.md, `.ci/browser`", pytrace=False)
        pytest.skip("there is no dot; see CONTRIBUTING.md, `.ci/browser`")
    done = subprocess.run(
        [dot, "-Tsvg"], input=text.encode(), capture_output=True, timeout=60, check=False
    )
    assert (0, "") == (done.returncode, done.stderr.decode())
    return done.stdout.decode()


@pytest.mark.slow
@settings(max_examples=15)
@given(names=st.lists(TEXTS, min_size=1, max_size=5), messages=st.lists(TEXTS, max_size=5))
def test_graphviz_draws_any_names_and_messages(names: list[str], messages: list[str]) -> None:
    """Both graphs: it accepts them without a warning."""
    participants = tuple(
        Participant(f"s{at}", "agent", name) for at, name in enumerate(names, start=1)
    )
    events = tuple(
        Event(kind="desk", source="s1", targets=(f"s{len(names)}",) * (at % 2), row=at, text=text)
        for at, text in enumerate(messages, start=1)
    )
    hand_offs = (HandOff(source="s1", target=f"s{len(names)}", turns=3),)
    graph = Graph(participants=participants, events=events, hand_offs=hand_offs, closed="quiet")
    for lines in (turn_digraph(graph), sequence_digraph(graph)):
        graphviz("\n".join(lines))


@pytest.mark.slow
def test_graphviz_shows_names_and_messages_as_they_are() -> None:
    """An entity, an escape and a quote in a message are no markup."""
    graph = Graph(
        participants=(Participant("s1", "agent", '<b>"\\N&lt;'),),
        events=(Event(kind="desk", source="s1", row=1, text="\\G &copy; \\l"),),
        hand_offs=(),
        closed=None,
    )
    drawn = html.unescape(graphviz("\n".join(sequence_digraph(graph)))).replace("\xa0", " ")
    assert ['<b>"\\N&lt;', "1 \\G &copy; \\l"] == [
        text for text in ('<b>"\\N&lt;', "1 \\G &copy; \\l") if text in drawn
    ]
