from __future__ import annotations

from typing import Any, Final

import pytest

from deskroom.core.audience import DESK, Audience
from deskroom.runs.properties import (
    Audiences,
    Bounds,
    Matcher,
    NextSeat,
    NoSeat,
    OneOf,
    Pattern,
    SameAs,
    Step,
)
from deskroom.runs.properties.matcher import PatternTimeout, compiled

#: What ``(a|aa)+$`` takes for ever on.
LONG: Final = "a" * 200 + "!"
ASIDE: Final = Audience("aside", ("b", "c"))

#: A public row by a seat, a private one, a person's, one about files, and a turn without a row.
PUBLIC: Final = Step(
    seat="a",
    kind="seat",
    outcome="spoke",
    audience=DESK,
    mentions=("b", "person:sam"),
    next=("b",),
    hop=2,
    text="@b 42 @sam",
    turn=3,
    row=4,
)
PRIVATE: Final = Step(
    seat="a", kind="seat", outcome="spoke", audience=ASIDE, why="broadcast", hop=0, completes=True
)
PERSON: Final = Step(person="sam", kind="person", audience=DESK, next=("a",), text="go")
FILES: Final = Step(kind="wrote", audience=DESK, why="source_inactive", repeats_private=True)
NO_ROW: Final = Step(
    seat="b",
    outcome="refused",
    refusals=("budget_spent", "empty_message"),
    hop=1,
    text="thinking",
    turn=5,
)
STEPS: Final = (PUBLIC, PRIVATE, PERSON, FILES, NO_ROW)
NAMES: Final = ("public", "private", "person", "files", "no row")


def fitting(**keys: Any) -> list[str]:
    """Return which of the steps fit a matcher."""
    fits = compiled(Matcher(**keys))
    return [name for name, step in zip(NAMES, STEPS, strict=True) if fits(step, None)]


def one(*values: Any) -> OneOf:
    """Return one of some values."""
    return OneOf(values)


def other(*values: Any) -> OneOf:
    """Return any value but some."""
    return OneOf(values, negated=True)


@pytest.mark.parametrize(
    "key, wanted, expected",
    [
        ("seat", one("a"), ["public", "private"]),
        ("seat", one("a", "b"), ["public", "private", "no row"]),
        ("seat", other("a"), ["no row"]),
        ("seat", other("a", "b"), []),
        ("person", one("sam"), ["person"]),
        ("person", other("kim"), ["person"]),
        ("person", other("sam"), []),
        ("kind", one("seat"), ["public", "private"]),
        ("kind", other("seat"), ["person", "files"]),
        ("row", True, ["public", "private", "person", "files"]),
        ("row", False, ["no row"]),
        ("outcome", one("refused"), ["no row"]),
        ("outcome", other("refused"), ["public", "private"]),
        ("audience", Audiences(("desk",)), ["public", "person", "files"]),
        ("audience", Audiences(("aside",)), ["private"]),
        ("audience", Audiences(("desk",), negated=True), ["private"]),
        ("audience", Audiences((("c", "b"),)), ["private"]),
        ("audience", Audiences((("b",),)), []),
        ("audience", Audiences((("b",),), negated=True), ["public", "private", "person", "files"]),
        ("mentions", one("b"), ["public"]),
        ("mentions", one("c", "person:sam"), ["public"]),
        ("mentions", one("c"), []),
        ("mentions", other("c"), ["public"]),
        ("mentions", other("c", "b"), []),
        ("next", one("a"), ["person"]),
        ("next", one("a", "b"), ["public", "person"]),
        ("next", other("a"), ["public"]),
        ("next", NextSeat(any=True), ["public", "person"]),
        ("next", NextSeat(any=False), ["private", "files"]),
        ("next", one(NoSeat("broadcast")), ["private"]),
        ("next", one(NoSeat("broadcast"), "a"), ["private", "person"]),
        ("next", other(NoSeat("broadcast"), "a"), ["public", "files"]),
        ("why", one("broadcast"), ["private"]),
        ("why", other("broadcast"), ["files"]),
        ("refusal", one("empty_message"), ["no row"]),
        ("refusal", one("disabled"), []),
        ("refusal", other("disabled"), ["no row"]),
        ("refusal", other("budget_spent"), []),
        ("hop", one(2), ["public"]),
        ("hop", one(0, 1), ["private", "no row"]),
        ("hop", other(2), ["private", "no row"]),
        ("hop", Bounds(at_least=1), ["public", "no row"]),
        ("hop", Bounds(at_most=1), ["private", "no row"]),
        ("hop", Bounds(at_least=1, at_most=1), ["no row"]),
        ("completes", True, ["private"]),
        ("completes", False, ["public", "person", "files", "no row"]),
        ("text", Pattern(r"\d+"), ["public"]),
        ("text", Pattern("^think"), ["no row"]),
        ("text", Pattern("o|@", negated=True), ["private", "files", "no row"]),
        ("repeats_private", True, ["files"]),
        ("repeats_private", False, ["public", "private", "person", "no row"]),
    ],
)
def test_a_key_fits_what_has_it(key: str, wanted: Any, expected: list[str]) -> None:
    """What a step does not have never fits, not even what is asked for as another."""
    assert expected == fitting(**{key: wanted})


def test_all_keys_must_fit() -> None:
    """In whatever order they are looked at."""
    assert ["public"] == fitting(seat=one("a"), text=Pattern("42"), hop=Bounds(at_least=1))
    assert [] == fitting(seat=one("b"), text=Pattern("42"))


@pytest.mark.parametrize(
    "key, same_as, after, step, expected",
    [
        ("seat", "next", PUBLIC, NO_ROW, True),
        ("seat", "next", PERSON, NO_ROW, False),
        ("seat", "next", PRIVATE, NO_ROW, False),
        ("seat", "seat", PUBLIC, PRIVATE, True),
        ("seat", "seat", PUBLIC, NO_ROW, False),
        ("seat", "mentions", PUBLIC, NO_ROW, True),
        ("seat", "mentions", PUBLIC, PERSON, False),
        ("person", "mentions", PUBLIC, PERSON, True),
        ("person", "mentions", PERSON, PERSON, False),
        ("person", "person", PERSON, PERSON, True),
        ("person", "person", PUBLIC, PERSON, False),
        ("mentions", "person", PERSON, PUBLIC, True),
        ("mentions", "seat", NO_ROW, PUBLIC, True),
        ("mentions", "seat", PUBLIC, PUBLIC, False),
        ("mentions", "mentions", PUBLIC, PUBLIC, True),
        ("next", "seat", NO_ROW, PUBLIC, True),
        ("next", "next", PUBLIC, PERSON, False),
        ("next", "mentions", PUBLIC, PUBLIC, True),
    ],
)
def test_a_step_can_be_held_against_the_one_before(
    key: str, same_as: Any, after: Step, step: Step, *, expected: bool
) -> None:
    """A seat is never a person, whatever both are called."""
    keys: dict[str, Any] = {key: SameAs(same_as)}
    fits = compiled(Matcher(**keys))
    assert expected == fits(step, after)
    assert not fits(step, None)


def test_a_seat_with_the_id_of_a_person_is_another() -> None:
    """The two kinds of ids do not know of each other."""
    fits = compiled(Matcher(person=SameAs("mentions")))
    after = Step(mentions=("sam",))
    assert not fits(PERSON, after)


@pytest.mark.slow
def test_a_pattern_that_takes_too_long_gives_no_result() -> None:
    """Whether it would have matched is not known; the step is named, and its text is not."""
    step = PUBLIC._replace(text=LONG)
    with pytest.raises(PatternTimeout) as caught:
        compiled(Matcher(text=Pattern("(a|aa)+$", negated=True)))(step, None)
    assert "the pattern took longer than 1 s on row 4 (turn 3, a)" == str(caught.value)


def test_a_pattern_is_searched_only_where_all_else_fits() -> None:
    """It is what costs most."""
    step = PUBLIC._replace(text=LONG)
    assert not compiled(Matcher(text=Pattern("(a|aa)+$"), hop=one(7)))(step, None)


@pytest.mark.parametrize(
    "step, expected",
    [
        (PUBLIC, "row 4 (turn 3, a)"),
        (NO_ROW, "turn 5 (b)"),
        (PERSON._replace(row=1), "row 1 (sam)"),
        (FILES._replace(row=2, turn=1), "row 2 (turn 1, wrote)"),
    ],
)
def test_a_step_is_called_by_its_row_and_its_turn(step: Step, expected: str) -> None:
    """And by whose it is."""
    assert expected == step.name
