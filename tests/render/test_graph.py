from __future__ import annotations

from typing import Any

import pytest

from deskroom.core import OPERATOR, Viewer
from deskroom.render.graph import Event, Graph, Participant, event_label, graph_json, graph_of
from deskroom.render.graph import plain_label as label
from deskroom.runs.figures import HandOff
from deskroom.runs.transcript import read_transcript
from deskroom.scenario import parse_scenario, replay_scenario

FILE = """\
format = 1
order = "routed"
desk = { id = "d", name = "D", people = [{ id = "a", label = "Ann" }], seats = [\
{ id = "a" }, { id = "b" }, { id = "c" }] }
[policy]
aside = { enabled = true, max_members = 2, max_messages = 9 }
chair = { rounds = 1 }
broadcast = { width = 2 }
[opening]
by = "a"
message = "@a   begin\\n now"
[[turn]]
seat = "a"
calls = [{ tool = "desk_dm", to = ["b", "c"], message = "@b psst" }]
wrote = ["x.py"]
[[turn]]
seat = "b"
calls = [{ tool = "desk_broadcast", message = "who?" }]
scores = { a = 0.9, c = 0.8 }
[[turn]]
seat = "a"
[[turn]]
seat = "c"
say = "done"
"""


def graph(viewer: Viewer = OPERATOR) -> Graph:
    """Return the graph of that file, as one viewer may know it."""
    return graph_of(replay_scenario(parse_scenario(FILE)).view(viewer))


def shown(events: tuple[Event, ...]) -> list[tuple[Any, ...]]:
    """Return each event as what it is, who it is between, and its label."""
    return [(e.kind, e.source, e.targets, e.is_private, event_label(e)) for e in events]


def test_everybody_has_an_alias() -> None:
    """Seats in desk order, and others as they come; a person may be called as a seat is."""
    assert (
        Participant("s1", "agent", "a"),
        Participant("s2", "agent", "b"),
        Participant("s3", "agent", "c"),
        Participant("p1", "person", "a"),
        Participant("o1", "system", "workspace"),
    ) == graph().participants
    assert ["a", "b", "c", "a (person)", "workspace (system)"] == [
        label(one) for one in graph().participants
    ]


def test_each_row_and_each_turn_without_one_is_an_event() -> None:
    """With an arrow to whom it goes to; its message is on one line."""
    assert [
        ("desk", "p1", ("s1",), False, "1 @a begin now"),
        ("aside", "s1", ("s2", "s3"), True, "2 (aside) @b psst"),
        ("wrote", "o1", (), False, "3 a wrote x.py"),
        ("broadcast", "s2", ("s1", "s3"), False, "4 (broadcast) who?"),
        ("no_row", "s1", (), False, "turn 3 silent"),
        ("desk", "s3", (), False, "5 done"),
    ] == shown(graph().events[:6])
    nudge = graph().events[6]
    assert ("nudge", "p1", ("s3",)) == (nudge.kind, nudge.source, nudge.targets)
    assert event_label(nudge).startswith("6 (nudge) @c ")
    assert "script" == graph().closed


def test_hand_offs_have_aliases() -> None:
    """From who wrote the row to whose turn it brought, with how often."""
    assert (
        HandOff(source="p1", target="s1", turns=1),
        HandOff(source="s1", target="s2", turns=1),
        HandOff(source="s2", target="s1", turns=1),
        HandOff(source="s2", target="s3", turns=1),
    ) == graph().hand_offs


def test_what_a_viewer_may_not_read_is_only_marked_as_private() -> None:
    """Neighbouring rows of one party are one event."""
    text = FILE.replace('to = ["b", "c"]', 'to = ["b"]')
    text = text.replace('wrote = ["x.py"]\n', "").replace(
        '{ tool = "desk_broadcast", message = "who?" }',
        '{ tool = "desk_dm", to = ["a"], message = "s3cret" }',
    )
    seen = graph_of(replay_scenario(parse_scenario(text)).view(Viewer("agent", "c")))
    assert [
        ("desk", "p1", ("s1",), False, "1 @a begin now"),
        ("private", "s1", ("s2",), True, "2 (private, 2 messages)"),
        ("no_row", "s1", (), False, "turn 3 silent"),
    ] == shown(seen.events[:3])
    assert "s3cret" not in repr(graph_json(seen))


def test_a_private_broadcast_is_both() -> None:
    """Only those who may read it get an arrow."""
    text = FILE.replace('message = "who?"', 'message = "!aside @a who?"')
    event = graph_of(replay_scenario(parse_scenario(text)).view()).events[3]
    assert ("broadcast", ("s1",), True, "4 (aside, broadcast) !aside @a who?") == (
        event.kind,
        event.targets,
        event.is_private,
        event_label(event),
    )


def test_bare_rows_have_no_hand_offs() -> None:
    """Who got the turn is not known; whoever wrote a row takes part."""
    row = '{"sequence":%d,"chat_id":"d","parent":null,"author":%s,"content":"x","audience":{"kind":"desk"}}'
    authors = ('{"type":"operator"}', '{"type":"agent","id":"operator"}')
    text = "\n".join(row % (at, author) for at, author in enumerate(authors, start=1))
    seen = graph_of(read_transcript(text, "x"))
    assert (None, ["o1", "s1"]) == (seen.hand_offs, [one.alias for one in seen.participants])
    assert seen.closed is None


@pytest.mark.parametrize(
    "name, expected", [("x" * 50, "x" * 40 + "…"), (" \n\t", "(no name)"), ("a\nb", "a b")]
)
def test_a_name_is_one_short_line(name: str, expected: str) -> None:
    """Whatever it is: an empty label would end a statement."""
    assert expected == label(Participant("s1", "agent", name))


def test_the_json_has_all_of_it() -> None:
    """Each participant, event and hand-off with its facts by name."""
    document = graph_json(graph())
    assert ["closed", "participants", "events", "hand_offs"] == list(document)
    assert {"alias": "p1", "kind": "person", "name": "a"} == document["participants"][3]
    assert {
        "kind": "aside",
        "source": "s1",
        "targets": ["s2", "s3"],
        "row": 2,
        "turn": 1,
        "messages": 1,
        "is_private": True,
        "text": "@b psst",
    } == document["events"][1]
    assert {"source": "p1", "target": "s1", "turns": 1} == document["hand_offs"][0]
