from __future__ import annotations

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from deskroom.core import OPERATOR, Viewer
from deskroom.core.explain import explain_mentions
from deskroom.runs.notes import RowNote, row_notes
from deskroom.runs.view import RunView
from deskroom.scenario import parse_scenario, replay_scenario

FILE = """\
format = 1
desk = { id = "d", name = "D", seats = [{ id = "ann" }, { id = "bob" }, { id = "cy" }], people = [{ id = "sam", label = "Sam" }] }
[policy.aside]
enabled = true
max_members = 1
max_messages = 9
[[turn]]
seat = "ann"
calls = [{ tool = "desk_dm", to = ["bob"], message = 'é `@bob` @ann @cy @bobb @bob @sam' }]
"""


def view(text: str = FILE, viewer: Viewer = OPERATOR) -> RunView:
    """Return what a viewer may know of a file that is played."""
    return replay_scenario(parse_scenario(text, "x.toml")).view(viewer)


def found(note: RowNote, content: str) -> tuple[str, str, bool, str]:
    """Return what a note is about, with the text that it marks."""
    return content[note.start : note.end], note.verdict, note.decided, note.why


def test_each_at_has_its_verdict() -> None:
    """Whom an aside does not reach is not woken; the mention that decided is marked."""
    whole = view()
    (item,) = whole.items
    assert item.row is not None
    assert [
        ("@bob`", "masked", False, "@bob` is inside code and is not read"),
        ("@ann", "self", False, "@ann is the author itself"),
        ("@cy", "cannot_read", False, "@cy cannot read this and is not woken"),
        ("@bobb", "unknown", False, "@bobb is nobody here; did you mean @bob?"),
        ("@bob", "mention", True, "@bob names bob"),
        ("@sam", "not_a_seat", False, "@sam is the person sam and takes no turn"),
    ] == [found(note, item.row.content) for note in row_notes(item, whole.directory)]
    assert ["@ann"] == [
        found(note, item.row.content)[0] for note in row_notes(item, whole.directory, limit=2)
    ][1:]


def test_a_row_that_may_not_be_read_has_no_notes() -> None:
    """Nor has a row of a desk that is not known."""
    (stub,) = view(viewer=Viewer("agent", "cy")).items
    assert () == row_notes(stub, view().directory)
    (item,) = view().items
    assert () == row_notes(item, None)


@given(st.text("@bo `é\n.", max_size=30))
def test_a_note_stands_where_its_at_does(body: str) -> None:
    """Characters and bytes both count up to the same ``@``."""
    whole = view(FILE.replace("desk_dm", "desk_post").replace('to = ["bob"], ', ""))
    (item,) = whole.items
    assert item.row is not None
    row = evolve(item.row, content=body)
    notes = row_notes(evolve(item, row=row), whole.directory)
    assert [at for at, character in enumerate(body) if character == "@"] == [
        note.start for note in notes
    ]
    directory = whole.directory
    assert directory is not None
    expected = explain_mentions(body, None, directory)
    assert [note.offset for note in expected] == [note.offset for note in notes]
