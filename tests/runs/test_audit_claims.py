from __future__ import annotations

import pytest

from deskroom.core import DESK, Author, Row
from deskroom.errors import UsageError
from deskroom.runs.audit_claims import MARKS, Claim, claims_of, parse_claim
from deskroom.runs.view import ViewItem, row_facts


def item(text: str, *, completes: bool = False, author: Author | None = None) -> ViewItem:
    """Return a row of a view."""
    row = Row(1, "d", author or Author("agent", "a"), text, DESK)
    return ViewItem(seat="a", sequence=1, row=row, facts={**row_facts(row), "completes": completes})


@pytest.mark.parametrize(
    "text, mark",
    [
        ("That is all. TERMINATE", "TERMINATE"),
        ("terminate the process", None),
        ("DONE", "DONE"),
        ("**DONE**: see the file", "DONE"),
        ("TASK_DONE", "DONE"),
        ("It is DONE by hand", None),
        ("well,\nFinal answer: 42", "FINAL ANSWER"),
        ("ANSWER 42", "ANSWER"),
        ("The answer is 42", None),
        ("The task is now complete.", "is complete"),
        ("the work has been done", "is complete"),
        ("The task is not complete.", None),
        ("All done here", "all done"),
        ("We're done", "all done"),
        ("nothing is done", None),
    ],
)
def test_words_that_say_the_work_is_done_are_a_claim(text: str, mark: str | None) -> None:
    """Each mark of the list, and what looks like one and is none."""
    assert ([] if mark is None else [mark]) == [
        c.mark for c in claims_of([item(text)], MARKS, None)
    ]


def test_a_completion_counts_and_is_no_claim() -> None:
    """Unless only those of some seats count, and this is none of them."""
    done = item("DONE", completes=True)
    assert [] == list(claims_of([done], MARKS, None))
    assert [] == list(claims_of([done], MARKS, frozenset({"a"})))
    assert [Claim(sequence=1, seat="a", mark="completion", why="not_a_participant")] == list(
        claims_of([done], MARKS, frozenset({"b"}))
    )


def test_only_seats_claim() -> None:
    """A person who says the word decides nothing either, and is not asked to."""
    assert [] == list(claims_of([item("DONE", author=Author("person", "sam"))], MARKS, None))


def test_a_mark_of_the_users_own_is_looked_for_behind_the_others() -> None:
    """It is named by its expression; one that is none is refused."""
    marks = (*MARKS, parse_claim(r"over and out"))
    assert ["over and out"] == [c.mark for c in claims_of([item("over and out")], marks, None)]
    with pytest.raises(UsageError):
        parse_claim("(")


def test_a_long_message_is_looked_at_from_both_ends() -> None:
    """Its start and its end; an expression that takes too long finds nothing."""
    assert ["TERMINATE"] == [
        claim.mark for claim in claims_of([item("x " * 50_000 + "TERMINATE")], MARKS, None)
    ]
    slow = parse_claim(r"(x+x+)+y")
    assert [] == list(claims_of([item("x" * 5_000)], [slow], None))
