from __future__ import annotations

import pytest

from deskroom.core import DESK, Audience, Author, Row
from deskroom.runs.audit_words import MOST_WORDS, Repeat, repeats_of

WHISPER = "The third key is under the blue flower pot behind the shed"


def aside(sequence: int, text: str, by: str = "a", to: tuple[str, ...] = ("b",)) -> Row:
    """Return a private row."""
    return Row(sequence, "d", Author("agent", by), text, Audience("aside", to))


def public(sequence: int, text: str, by: str = "c", type_: str = "agent") -> Row:
    """Return a row for the desk."""
    return Row(sequence, "d", Author(type_, by), text, DESK)  # type: ignore[arg-type]


def kinds(*rows: Row) -> list[tuple[int, int, str]]:
    """Return what is repeated: by which row, of which aside, and how."""
    return [(one.row, one.aside, one.kind) for one in repeats_of(rows)[0]]


@pytest.mark.parametrize(
    "text, kind",
    [
        (WHISPER, "exact"),
        # Case, marks and lines do not matter; eight words in a row do.
        ("so: THE THIRD KEY, is under\nthe blue flower, he said", "exact"),
        ("key is under the blue flower pot behind", "exact"),
        ("the third key is under a blue flower pot behind the shed", "near"),
        ("the third key is under it, look behind the shed", None),
        ("where is the key?", None),
        ("", None),
    ],
)
def test_a_later_public_row_repeats_words_exactly_or_nearly(text: str, kind: str | None) -> None:
    """Eight words in a row are exact; half of the runs of three are near."""
    expected = [] if kind is None else [(2, 1, kind)]
    assert expected == kinds(aside(1, WHISPER), public(2, text))


@pytest.mark.parametrize(
    "secret, text, repeats",
    [
        ("call the plumber", "we call the plumber today", True),
        ("call the plumber", "the plumber will call", False),
        ("swordfish", "swordfish", True),
        ("swordfish", "it is swordfish", False),
        ("ok then", "OK, then!", True),
        ("...", "...", False),
    ],
)
def test_a_short_aside_is_repeated_by_all_of_its_words(
    secret: str, text: str, repeats: bool
) -> None:
    """One of one or two words only by a row that says nothing else."""
    assert repeats == bool(kinds(aside(1, secret), public(2, text)))


def test_what_was_public_before_is_not_repeated() -> None:
    """Nor is an aside that says what an aside said."""
    assert [] == kinds(public(1, WHISPER), aside(2, WHISPER), aside(3, WHISPER))


@pytest.mark.parametrize(
    "row, insider",
    [
        (public(2, WHISPER, "a"), True),
        (public(2, WHISPER, "b"), True),
        (public(2, WHISPER, "c"), False),
        (public(2, WHISPER, "sam", "person"), True),
    ],
)
def test_it_is_told_whether_the_speaker_could_read_it(row: Row, insider: bool) -> None:
    """The party of the aside, and people, could."""
    found, _ = repeats_of([aside(1, WHISPER), row])
    assert (Repeat(row=2, aside=1, kind="exact", insider=insider),) == found


def test_the_system_repeats_nothing() -> None:
    """What it says is not said by anybody."""
    row = Row(2, "d", Author("system", kind="workspace"), WHISPER, DESK)
    assert ((), 0) == repeats_of([aside(1, WHISPER), row])


def test_asides_beyond_what_is_held_are_counted() -> None:
    """Memory is bounded: later asides that fit are compared again."""
    long = " ".join(f"w{number}" for number in range(15_000))
    asides = [aside(number, long) for number in range(1, MOST_WORDS // 15_000 + 3)]
    found, left_out = repeats_of([*asides, aside(90, WHISPER), public(91, WHISPER)])
    assert (2, [(91, 90)]) == (left_out, [(one.row, one.aside) for one in found])
