"""What each kind of property asks, at its boundaries, and who may know what it found."""

from __future__ import annotations

from typing import Any, Final

import pytest

from deskroom.core.audience import DESK, Audience
from deskroom.errors import FileError
from deskroom.runs.properties import (
    Matcher,
    OneOf,
    Pattern,
    Property,
    SameAs,
    Step,
    StepWatch,
)

A: Final = Matcher(seat=OneOf(("a",)))
B: Final = Matcher(seat=OneOf(("b",)))
#: One step of a turn by each of these; a dot is a person's row, which is no turn.
Steps = str


def step(seat: str, row: int, turn: int | None) -> Step:
    """Return a public row by a seat in a turn, or by a person."""
    if seat == ".":
        return Step(person="sam", kind="person", audience=DESK, row=row)
    return Step(seat=seat, kind="seat", outcome="spoke", audience=DESK, turn=turn, row=row)


def found(steps: Steps, closed: str | None = "quiet", **says: Any) -> list[str]:
    """Return in which way a property does not hold of a run of these steps."""
    watch = StepWatch([Property(name="p", **says)])
    turn = 0
    for row, seat in enumerate(steps, start=1):
        if seat != ".":
            turn += 1
            watch.turn(turn)
        watch.step(step(seat, row, turn))
    watch.finish(closed)
    return [f"{one.problem} x{one.times}" for one in watch.violations]


# What each kind asks


def test_never_is_broken_by_the_first_step_that_matches() -> None:
    """The others are counted."""
    assert [] == found("bcb.", never=A)
    assert ["row 2 (turn 2, a) matches x2"] == found("baa", never=A)
    assert ["row 1 (turn 1, a) matches x1"] == found("a", closed=None, never=A)


def test_always_is_broken_by_a_step_that_does_not_match() -> None:
    """With ``when``, only by one of those that it matches."""
    assert [] == found("aa", always=A)
    assert ["row 2 (sam) does not match x2"] == found("a.b", always=A)
    turn_two = Matcher(row=True, hop=OneOf((7,)))
    assert [] == found("ab", always=A, when=turn_two)
    assert ["row 2 (turn 2, b) does not match x1"] == found("ab", always=A, when=B)


def test_eventually_is_broken_only_when_the_room_closes() -> None:
    """A run that can go on can still come to it."""
    assert [] == found("bba", eventually=A)
    assert ["nothing matched before the room closed (quiet) x1"] == found("bb", eventually=A)
    assert [] == found("bb", closed=None, eventually=A)
    assert ["nothing matched before the room closed (quiet) x1"] == found("", eventually=A)


def after(within: int) -> dict[str, Any]:
    """Return that ``b`` speaks after ``a`` within so many turns."""
    return {"after": A, "then": B, "within": within}


@pytest.mark.parametrize(
    "steps, within, expected",
    [
        ("ab", 1, []),
        ("acb", 2, []),
        ("acb", 1, ["nothing matched within 1 turn after row 1 (turn 1, a) x1"]),
        ("accb", 2, ["nothing matched within 2 turns after row 1 (turn 1, a) x1"]),
        # What is no turn takes none.
        ("a...b", 1, []),
        # Each has its own wait, and one answer answers all of them.
        ("aab", 2, []),
        ("aab", 1, ["nothing matched within 1 turn after row 1 (turn 1, a) x1"]),
        ("acacb", 2, ["nothing matched within 2 turns after row 1 (turn 1, a) x1"]),
        ("acacb", 1, ["nothing matched within 1 turn after row 1 (turn 1, a) x2"]),
        # An answer that came before is none.
        ("bacc", 1, ["nothing matched within 1 turn after row 2 (turn 2, a) x1"]),
        # The room closed before so many turns were granted.
        ("ac", 5, ["the room closed (quiet), and nothing matched after row 1 (turn 1, a) x1"]),
        ("aa", 9, ["the room closed (quiet), and nothing matched after row 1 (turn 1, a) x2"]),
    ],
)
def test_an_answer_must_come_in_time(steps: str, within: int, expected: list[str]) -> None:
    """At the latest in the last of so many turns that are granted behind the step."""
    assert expected == found(steps, **after(within))


def test_an_answer_can_still_come_while_the_room_is_open() -> None:
    """But what was late stays late."""
    assert [] == found("ac", closed=None, **after(1))
    assert ["nothing matched within 1 turn after row 1 (turn 1, a) x1"] == found(
        "acc", closed=None, **after(1)
    )


def test_a_step_does_not_answer_itself() -> None:
    """Though both parts match it."""
    says: dict[str, Any] = {"after": A, "then": A, "within": 1}
    assert ["the room closed (quiet), and nothing matched after row 2 (turn 2, a) x1"] == found(
        "aa", **says
    )


def test_a_turn_that_is_granted_and_not_played_counts() -> None:
    """It is in its grant that the time of the one before is over."""
    watch = StepWatch([Property(name="p", **after(1))])
    watch.turn(1)
    watch.step(step("a", 1, 1))
    watch.turn(2)
    assert [] == list(watch.violations)
    watch.turn(2)
    assert [] == list(watch.violations)
    watch.turn(3)
    assert ["p"] == [one.name for one in watch.violations]


@pytest.mark.parametrize(
    "steps, bounds, expected",
    [
        ("aa", {"at_most": 2}, []),
        ("aaba", {"at_most": 2}, ["row 4 (turn 4, a) matches, after 2 steps that did x1"]),
        ("aaa", {"at_most": 0}, ["row 1 (turn 1, a) matches, after 0 steps that did x3"]),
        ("aba", {"at_least": 2}, []),
        ("ab", {"at_least": 2}, ["1 step matched before the room closed (quiet), and not 2 x1"]),
        ("", {"at_least": 1}, ["0 steps matched before the room closed (quiet), and not 1 x1"]),
        ("aa", {"at_least": 2, "at_most": 2}, []),
        (
            "aaa",
            {"at_least": 2, "at_most": 2},
            ["row 3 (turn 3, a) matches, after 2 steps that did x1"],
        ),
    ],
)
def test_a_count_has_bounds(steps: str, bounds: dict[str, Any], expected: list[str]) -> None:
    """Both are included."""
    assert expected == found(steps, count=A, **bounds)


def test_too_few_are_too_few_only_when_the_room_closes() -> None:
    """Too many are too many at once."""
    assert [] == found("ab", closed=None, count=A, at_least=2)
    assert ["row 2 (turn 2, a) matches, after 1 step that did x1"] == found(
        "aa", closed=None, count=A, at_most=1
    )


def test_violations_stand_in_the_order_of_the_properties() -> None:
    """Whichever shows first."""
    watch = StepWatch(
        [
            Property(name="late", eventually=B),
            Property(name="holds", never=B),
            Property(name="soon", never=A),
        ]
    )
    watch.step(step("a", 1, 1))
    assert ["soon"] == [one.name for one in watch.violations]
    watch.finish("quiet")
    assert ["late", "soon"] == [one.name for one in watch.violations]


@pytest.mark.slow
def test_a_pattern_that_takes_too_long_is_an_error_of_the_file() -> None:
    """It names the property and the row, and nothing follows from it."""
    never = Matcher(text=Pattern("(a|aa)+$"))
    watch = StepWatch([Property(name="p", never=never, path="x.toml", line=7, column=3)])
    with pytest.raises(FileError) as caught:
        watch.step(step("a", 4, 2)._replace(text="a" * 200 + "!"))
    assert (
        'x.toml:7:3: property "p": the pattern took longer than 1 s on row 4 (turn 2, a), '
        "so it is not known whether it holds"
    ) == str(caught.value)
    assert [] == list(watch.violations)


# Who may know


def aside(seat: str, *members: str, row: int) -> Step:
    """Return a private row."""
    return step(seat, row, row)._replace(
        audience=Audience("aside", members), readers=(*members, seat)
    )


def told(*steps: Step, closed: str | None = "quiet", **says: Any) -> Any:
    """Return who may be told how one property does not hold: None for all."""
    watch = StepWatch([Property(name="p", **says)])
    for number, one in enumerate(steps, start=1):
        watch.turn(number)
        watch.step(one)
    watch.finish(closed)
    (violation,) = watch.violations
    return violation.readers


def test_of_a_private_row_only_who_may_read_it_is_told() -> None:
    """Of a public one, all are."""
    assert ("b", "a") == told(aside("a", "b", row=1), never=A)
    assert ("b", "a") == told(aside("a", "b", row=1), always=B)
    assert None is told(aside("b", "c", row=1), step("a", 2, 2), never=A)


def test_that_nothing_came_is_told_to_who_may_read_everything() -> None:
    """It says something about each row in which it could have come."""
    hidden = [aside("b", "c", row=1), aside("b", "a", "c", row=2)]
    assert ("c", "b") == told(*hidden, eventually=A)
    assert ("c", "b") == told(*hidden, count=A, at_least=1)
    assert ("c",) == told(*hidden, aside("c", "a", row=3), eventually=Matcher(person=OneOf(("x",))))
    assert None is told(step("b", 1, 1), eventually=A)


def test_that_no_answer_came_is_told_to_who_may_read_all_between() -> None:
    """What was private before the question does not matter."""
    before, between = aside("b", "c", row=1), aside("c", "a", row=3)
    assert None is told(before, step("a", 2, 2), step("c", 3, 3), step("c", 4, 4), **after(1))
    assert ("a", "c") == told(before, step("a", 2, 2), between, step("c", 4, 4), **after(1))
    assert ("a", "c") == told(before, step("a", 2, 2), between, **after(9))
    assert ("a",) == told(aside("a", "b", row=1), aside("c", "a", row=2), **after(9))


def test_one_too_many_is_told_to_who_may_read_everything_before() -> None:
    """How many came before says something about each."""
    assert ("c", "b") == told(
        aside("b", "c", row=1), step("a", 2, 2), step("a", 3, 3), count=A, at_most=1
    )


def test_which_calls_were_refused_is_told_to_the_seat_that_made_them() -> None:
    """Though the row that came of the turn is for all."""
    refused = step("a", 1, 1)._replace(refusals=("budget_spent",))
    asks = Matcher(refusal=OneOf(("budget_spent",)))
    assert ("a",) == told(refused, never=asks)
    assert None is told(refused, never=A)
    assert ("a",) == told(refused, eventually=Matcher(refusal=OneOf(("empty_message",))))


def test_that_private_words_are_repeated_is_told_to_who_may_read_them() -> None:
    """The row alone says what they were."""
    repeating = step("a", 2, 2)._replace(repeats_private=True, sources=("b", "c"))
    repeats = Matcher(repeats_private=True)
    assert ("b", "c") == told(repeating, never=repeats)
    assert ("b", "c") == told(repeating, always=Matcher(repeats_private=False))
    assert () == told(step("a", 1, 1), never=Matcher(repeats_private=False))
    assert None is told(repeating, never=A)


def test_how_often_more_is_told_of_what_all_that_are_told_may_read() -> None:
    """``times`` is for who may read everything."""
    watch = StepWatch([Property(name="p", never=A)])
    for row, one in enumerate([step("a", 1, 1), aside("a", "b", row=2), step("a", 3, 3)], start=1):
        watch.turn(row)
        watch.step(one)
    (violation,) = watch.violations
    assert (None, 3, 2) == (violation.readers, violation.times, violation.times_told)


def test_a_private_first_one_lets_its_readers_know_of_those_that_they_may_read() -> None:
    """An aside to others is not counted for them."""
    watch = StepWatch([Property(name="p", never=A)])
    for one in [
        aside("a", "b", row=1),
        aside("a", "c", row=2),
        aside("a", "b", "c", row=3),
        step("a", 4, 4),
    ]:
        watch.step(one)
    (violation,) = watch.violations
    assert (("b", "a"), 4, 3) == (violation.readers, violation.times, violation.times_told)


def test_an_answer_is_held_against_its_own_question() -> None:
    """With ``same_as``, each step that waits knows what it asked for."""
    asked = Matcher(next=OneOf(("b", "c")))
    watch = StepWatch(
        [Property(name="p", after=asked, then=Matcher(seat=SameAs("next")), within=2)]
    )
    to_b = step("a", 1, 1)._replace(next=("b",))
    to_c = step("b", 2, 2)._replace(next=("c",))
    for number, one in enumerate([to_b, to_c, step("a", 3, 3), step("a", 4, 4)], start=1):
        watch.turn(number)
        watch.step(one)
    assert [] == list(watch.violations)
    watch.turn(5)
    assert ["nothing matched within 2 turns after row 2 (turn 2, b)"] == [
        one.problem for one in watch.violations
    ]
