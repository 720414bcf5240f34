from __future__ import annotations

from collections.abc import Sequence

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from deskroom.core import (
    DESK,
    OPERATOR,
    Audience,
    Author,
    Bookkeeping,
    Elision,
    Row,
    SeenRow,
    Viewer,
    admits,
    project,
)
from deskroom.core.text import is_blank
from deskroom.core.transcript import party_of

SEATS = ("ada", "bob", "cy")
ADA, BOB, CY = (Viewer("agent", id_) for id_ in SEATS)


def row(sequence: int, by: str | Author, *to: str, content: str = "x") -> Row:
    """Return a row by an agent (or another author): an aside if it is to anyone."""
    author = Author("agent", by) if isinstance(by, str) else by
    return Row(sequence, "d", author, content, Audience("aside", to) if to else DESK)


def numbered(rows: Sequence[Row]) -> list[Row]:
    """Return the rows in sequence, with gaps."""
    return [evolve(row, sequence=2 * at + 1) for at, row in enumerate(rows)]


AUTHORS = st.sampled_from(
    [*(Author("agent", id_) for id_ in SEATS), Author("person", "ada"), Author("system", None, "w")]
)
AUDIENCES = st.one_of(
    st.just(DESK),
    st.builds(Audience, st.just("aside"), st.lists(st.sampled_from(SEATS), max_size=3)),
)
ROWS = st.lists(
    st.builds(
        Row, st.just(0), st.just("d"), AUTHORS, st.sampled_from(["x", "", "\xa0"]), AUDIENCES
    ),
    max_size=14,
).map(numbered)
VIEWERS = st.sampled_from([ADA, BOB, CY, Viewer("agent", "zed"), Viewer("person", "p"), OPERATOR])


def test_a_party_is_the_members_and_an_agent_author() -> None:
    """A person who writes privately is not one of the party."""
    aside = Audience("aside", ["bob", "bob", "cy"])
    assert party_of(Author("agent", "ada"), aside) == {"ada", "bob", "cy"}
    assert party_of(Author("person", "ada"), aside) == {"bob", "cy"}
    assert party_of(Author("agent"), aside) == {"bob", "cy"}


def test_what_a_viewer_may_read_is_shown_as_it_is() -> None:
    """Desk rows and a party's own asides keep their content; blank rows are left out."""
    rows = [row(1, "ada"), row(3, "ada", content=" \u3000"), row(4, "ada", "bob", content=" hi ")]
    assert project(rows, BOB) == (
        SeenRow(1, Author("agent", "ada"), "x", DESK),
        SeenRow(4, Author("agent", "ada"), " hi ", Audience("aside", ["bob"])),
    )
    assert [seen.content for seen in project(rows, ADA)] == ["x", " hi "]


def test_what_a_viewer_may_not_read_becomes_a_stub() -> None:
    """The stub keeps sequence, author and audience, and has no content."""
    assert project([row(4, "ada", "bob")], CY) == (
        SeenRow(4, Author("agent", "ada"), "", Audience("aside", ["bob"]), Elision(4, 1, None)),
    )


def test_neighbouring_stubs_of_one_party_become_one() -> None:
    """Who wrote which of them is not told, nor is the order of the members told apart."""
    rows = [row(1, "ada", "bob"), row(2, "bob", "ada"), row(5, "ada", "ada", "bob", "bob")]
    assert project(rows, CY) == (
        SeenRow(1, Author("agent", "ada"), "", Audience("aside", ["bob"]), Elision(5, 3, None)),
    )


@pytest.mark.parametrize(
    "between,expected",
    [
        (row(2, "bob", "dee"), [(1, 1), (2, 1), (3, 1)]),
        (row(2, "dee"), [(1, 1), None, (3, 1)]),
        (row(2, "cy", "ada"), [(1, 1), None, (3, 1)]),
        (row(2, "dee", content=" "), [(3, 2)]),
        (row(2, "bob", "dee", content=""), [(3, 2)]),
        (row(2, "ada", "bob", content=""), [(3, 2)]),
        (row(2, Author("person", "ada"), "bob"), [(1, 1), (2, 1), (3, 1)]),
        (row(2, Author("person", "ada"), "bob", "ada"), [(3, 3)]),
    ],
)
def test_only_a_row_that_is_shown_breaks_a_run_of_stubs(
    between: Row, expected: list[tuple[int, int] | None]
) -> None:
    """Another party or a readable row breaks it; a blank row of any kind does not."""
    seen = project([row(1, "ada", "bob"), between, row(3, "bob", "ada")], CY)
    assert [s.elided and (s.elided.through, s.elided.messages) for s in seen] == expected


@pytest.mark.parametrize(
    "later,settled_at",
    [
        ([row(5, "ada"), row(6, "bob")], 5),
        ([row(5, "cy"), row(6, "bob")], 6),
        ([row(5, "bob", content="")], 5),
        ([row(5, "bob", "cy"), row(6, "ada")], 6),
        ([row(5, Author("person", "ada")), row(6, Author("system", "ada"))], None),
        ([row(5, "bob", "ada", content=" ")], None),
        ([row(5, Author("agent"))], None),
        ([], None),
    ],
)
def test_the_first_desk_row_by_the_party_settles_an_aside(
    later: list[Row], settled_at: int | None
) -> None:
    """A blank one does, a private one never does, and nor does anyone outside the party."""
    stub = project([row(1, "bob"), row(3, "ada", "bob"), *later], CY)[1]
    assert stub.elided == Elision(3, 1, settled_at)


def test_what_settles_comes_after_the_last_of_a_run() -> None:
    """A blank desk row inside a run does not settle the whole of it."""
    rows = [row(1, "ada", "bob"), row(2, "ada", content=""), row(3, "bob", "ada"), row(4, "bob")]
    assert project(rows, CY)[0].elided == Elision(3, 2, 4)


@given(ROWS, VIEWERS)
def test_a_projection_shows_or_counts_every_row_that_is_not_blank(
    rows: list[Row], viewer: Viewer
) -> None:
    """No row is lost: what is not shown is counted, in order."""
    seen = project(rows, viewer)
    shown = [(s.sequence, s.content) for s in seen if s.elided is None]
    inked = [r for r in rows if not is_blank(r.content)]
    readable = [r for r in inked if admits(r.audience, r.author, viewer)]
    assert shown == [(r.sequence, r.content) for r in readable]
    counted = sum(s.elided.messages for s in seen if s.elided is not None)
    assert counted == len(inked) - len(readable)
    ends = [(s.sequence, s.elided.through if s.elided else s.sequence) for s in seen]
    flat = [sequence for pair in ends for sequence in pair]
    assert flat == sorted(flat)


@given(ROWS, VIEWERS)
def test_changing_what_a_viewer_may_not_read_changes_nothing_for_it(
    rows: list[Row], viewer: Viewer
) -> None:
    """The content of an unreadable row leaks nowhere, neither as text nor as a difference."""
    other = [
        r
        if admits(r.audience, r.author, viewer) or is_blank(r.content)
        else evolve(r, content=f"secret {r.sequence}")
        for r in rows
    ]
    assert project(other, viewer) == project(rows, viewer)
    assert "secret" not in str(project(other, viewer))


@given(ROWS)
def test_operators_and_people_read_everything(rows: list[Row]) -> None:
    """For them nothing is elided, so both read the same."""
    assert all(s.elided is None for s in project(rows, OPERATOR))
    assert project(rows, OPERATOR) == project(rows, Viewer("person", "p"))


@given(ROWS, VIEWERS)
def test_a_longer_transcript_only_adds(rows: list[Row], viewer: Viewer) -> None:
    """What was shown before is shown in the same way later; only the last stub may grow."""
    for length in range(len(rows)):
        before = [s.content for s in project(rows[:length], viewer) if s.elided is None]
        after = [s.content for s in project(rows, viewer) if s.elided is None]
        assert after[: len(before)] == before


def naive_spent(rows: Sequence[Row]) -> int:
    """Count the private rows at the tail by looking back."""
    count = 0
    while count < len(rows) and rows[-1 - count].audience != DESK:
        count += 1
    return count


def naive_unsettled(rows: Sequence[Row], author: str, addressed: Sequence[str]) -> bool:
    """Walk the whole transcript, as the rule is written."""
    party = {*addressed, author}
    asides = [
        r.author.type == "agent" and r.audience != DESK and party_of(r.author, r.audience) == party
        for r in rows
    ]
    if party == {author} or (asides and asides[-1]):
        return False
    unsettled = False
    for r, opens in zip(rows, asides, strict=True):
        closes = r.author.type == "agent" and r.audience == DESK and r.author.id in party
        unsettled = opens or (unsettled and not closes)
    return unsettled


@given(ROWS, st.sampled_from(SEATS), st.lists(st.sampled_from(SEATS), max_size=3))
def test_books_kept_row_by_row_are_what_looking_back_gives(
    rows: list[Row], author: str, addressed: list[str]
) -> None:
    """After every row the books answer like a walk over the transcript, and asking changes none."""
    books = Bookkeeping()
    for length in range(len(rows) + 1):
        if length:
            books.add(rows[length - 1])
        assert books.spent == naive_spent(rows[:length])
        expected = naive_unsettled(rows[:length], author, addressed)
        assert books.unsettled(author, addressed) is expected
    assert Bookkeeping.of(rows) == books


def test_new_books_owe_nothing() -> None:
    """Before the first row nothing is spent and nobody owes a word."""
    books = Bookkeeping()
    assert (books.spent, books.unsettled("ada", ["bob"])) == (0, False)


@pytest.mark.parametrize(
    "rows,expected",
    [
        ([row(1, "ada", "bob")], False),
        ([row(1, "ada", "bob"), row(2, "cy")], True),
        ([row(1, "bob", "ada"), row(2, "cy")], True),
        ([row(1, "ada", "bob"), row(2, "cy"), row(3, "bob")], False),
        ([row(1, "ada", "bob"), row(2, "cy"), row(3, "ada", content=" ")], False),
        ([row(1, "ada", "bob", content=""), row(2, "cy")], True),
        ([row(1, "ada", "bob", "cy"), row(2, "cy", "ada", "zed")], False),
        ([row(1, "ada", "bob"), row(2, "ada", "cy")], True),
        ([row(1, "ada", "bob"), row(2, Author("person", "ada"))], True),
        ([row(1, "ada", "bob"), row(2, Author("person", "p"), "bob", "ada")], True),
        ([row(1, Author("person", "ada"), "bob"), row(2, "cy")], False),
    ],
)
def test_a_party_owes_the_desk_a_word_after_its_aside(rows: list[Row], expected: bool) -> None:
    """A desk row by either settles; going on with the aside at the tail is no new one."""
    assert Bookkeeping.of(rows).unsettled("ada", ["bob"]) is expected


def test_nobody_owes_a_word_to_themselves() -> None:
    """A party of one is never unsettled, even if it wrote to itself before."""
    books = Bookkeeping.of([row(1, "ada", "ada"), row(2, "cy", "bob")])
    assert not books.unsettled("ada", ["ada"])
    assert not books.unsettled("ada", [])


def test_an_agent_without_an_id_closes_nothing() -> None:
    """A row that does not say which agent wrote it settles no party's aside."""
    books = Bookkeeping.of([row(1, "ada", "bob"), row(2, Author("agent"))])
    assert books.unsettled("ada", ["bob"])
