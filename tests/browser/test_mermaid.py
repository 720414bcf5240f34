"""The diagrams are valid for the real Mermaid: it parses them, whatever names and messages are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from attrs import evolve
from hypothesis import example, given, settings
from hypothesis import strategies as st

from deskroom.render.graph import Event, Graph, Participant
from deskroom.render.graph_mermaid import flowchart, sequence_diagram
from deskroom.runs.figures import HandOff

Parse = Callable[[str], str]
Draw = Callable[[str], str]

#: What has a meaning in one of Mermaid's languages.
NASTY = [
    "end",
    "; #35; %% x",
    "style: x#1;",
    "classDef a: x#1;",
    "<script>alert(1)</script>",
    "<br/>&amp;",
    'a"b`c`{}[]()|',
    "1. list",
    "- x",
    "%%{init: {}}%%",
    "---",
    "note over s1: x",
    "loop",
    "$$x$$",
    "x@{ shape: rect }",
    "click s1 call f()",
    "wrap: x",
    "\u202e\u2028\x00\x1b",
    "研究 😀 👨‍👩‍👧",
    "  ",
]
TEXTS = st.one_of(st.sampled_from(NASTY), st.text(st.characters(codec="utf-8"), max_size=30))


@pytest.fixture(scope="module")
def page(browser: Any, script: Callable[[str], str]) -> Iterator[Any]:
    """Return a page in which Mermaid is loaded."""
    opened = browser.new_page()
    opened.add_script_tag(content=script("mermaid"))
    opened.evaluate("mermaid.initialize({ startOnLoad: false })")
    yield opened
    opened.close()


def kind_of(page: Any, diagram: Iterator[str]) -> str:
    """Return what Mermaid takes a diagram for; it raises an error where it does not parse it."""
    text = "\n".join(diagram)
    return str(page.evaluate("async text => (await mermaid.parse(text)).diagramType", text))


def graph(names: list[str], messages: list[str]) -> Graph:
    """Return a graph of these names and messages, with each kind of event."""
    participants = tuple(
        Participant(f"s{at}", "agent" if at % 2 else "person", name)
        for at, name in enumerate(names, start=1)
    )
    last = participants[-1].alias
    events = tuple(
        Event(
            kind="aside" if at % 3 == 0 else "desk",
            source="s1",
            targets=(last,) * (at % 2),
            row=at,
            text=text,
            is_private=at % 3 == 0,
        )
        for at, text in enumerate(messages, start=1)
    )
    hand_offs = tuple(HandOff(source=one.alias, target="s1", turns=7) for one in participants)
    return Graph(participants=participants, events=events, hand_offs=hand_offs, closed="quiet")


@settings(max_examples=40)
@example(names=NASTY, messages=NASTY)
@given(
    names=st.lists(TEXTS, min_size=1, max_size=6),
    messages=st.lists(TEXTS, max_size=6),
)
def test_mermaid_parses_any_names_and_messages(
    page: Any, names: list[str], messages: list[str]
) -> None:
    """Both diagrams are what they are meant to be."""
    drawn = graph(names, messages)
    assert ("sequence", "flowchart-v2") == (
        kind_of(page, sequence_diagram(drawn)),
        kind_of(page, flowchart(drawn)),
    )


def test_mermaid_parses_a_run_of_many_seats_and_rows(page: Any) -> None:
    """With more hand-offs than it takes arrows, and a thousand rows."""
    few = graph(["a"] * 30, ["@b go on with it"] * 1000)
    pairs = [(one.alias, other.alias) for one in few.participants for other in few.participants]
    many = evolve(
        few,
        hand_offs=tuple(HandOff(source=a, target=b, turns=at) for at, (a, b) in enumerate(pairs)),
    )
    assert ("sequence", "flowchart-v2") == (
        kind_of(page, sequence_diagram(many)),
        kind_of(page, flowchart(many)),
    )


def test_mermaid_shows_names_and_messages_as_they_are(page: Any) -> None:
    """Entities, tags and quotes in them are no markup, and nothing of them runs."""
    text = "<img src=x onerror='document.title=1'>#35;\";"
    for number, lines in enumerate((sequence_diagram, flowchart)):
        page.evaluate(
            "async ([id, text]) => { document.body.innerHTML = (await mermaid.render(id, text)).svg }",
            [f"drawn{number}", "\n".join(lines(graph([text], [text])))],
        )
        shown = page.evaluate("document.body.textContent")
        # A name is cut to 40 characters.
        assert text[:40] in shown
        assert number == 1 or f"1 {text}" in shown
    assert "" == page.title()
