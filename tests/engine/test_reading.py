from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.core import DESK, Audience, Author, Row, Viewer, project
from deskroom.engine.policy import Policy
from deskroom.engine.reading import history_bounds, last_seen

AUTHORS = st.sampled_from(
    [Author("agent", "a"), Author("agent", "b"), Author("agent", "c"), Author("person", "p")]
)
AUDIENCES = st.sampled_from(
    [DESK, Audience("aside", ["a"]), Audience("aside", ["b"]), Audience("aside", ["b", "c"])]
)
LINES = st.tuples(AUTHORS, AUDIENCES, st.sampled_from(["x", "", "y"]))


def rows_of(lines: list[tuple[Author, Audience, str]]) -> list[Row]:
    """Return a transcript."""
    return [
        Row(sequence, "d", author, content, audience)
        for sequence, (author, audience, content) in enumerate(lines, 1)
    ]


@given(st.lists(LINES, max_size=40), st.integers(1, 12))
def test_the_last_entries_are_those_of_the_whole_projection(
    lines: list[tuple[Author, Audience, str]], limit: int
) -> None:
    """Reading a stretch from the end gives what reading everything would, stubs included."""
    rows, viewer = rows_of(lines), Viewer("agent", "a")
    assert project(rows, viewer)[-limit:] == last_seen(rows, viewer, limit)


def test_a_stub_longer_than_the_stretch_is_still_whole() -> None:
    """A stub that covers hundreds of rows is told from its first to its last."""
    private = (Author("agent", "b"), Audience("aside", ["c"]), "x")
    rows = rows_of([(Author("agent", "a"), DESK, "x"), *[private] * 500])
    (stub,) = last_seen(rows, Viewer("agent", "a"), 1)
    assert stub.elided is not None
    assert (2, 501, 500) == (stub.sequence, stub.elided.through, stub.elided.messages)


@pytest.mark.parametrize(
    "rows,since,expected",
    [
        (0, None, (0, 0)),
        (3, None, (0, 3)),
        (9, None, (4, 9)),
        (9, 2, (2, 9)),
        (9, 8, (4, 9)),
        (30, 2, (20, 30)),
    ],
)
def test_a_history_is_the_window_or_all_since_the_last_grant_up_to_its_limit(
    rows: int, since: int | None, expected: tuple[int, int]
) -> None:
    """A window of five rows, or more when more was said since, and at most ten."""
    assert expected == history_bounds(rows, since, Policy(window=5, history_limit=10))


@pytest.mark.parametrize("window,limit", [(0, 10), (5, 0)])
def test_a_window_or_a_limit_of_nothing_shows_nothing(window: int, limit: int) -> None:
    """A seat that was never granted a turn before then sees no history."""
    policy = Policy(window=window, history_limit=limit)
    assert (9, 9) == history_bounds(9, None, policy)
