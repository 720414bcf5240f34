from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.core import (
    EVERYONE,
    Desk,
    DeskSet,
    Directory,
    Member,
    Note,
    Person,
    Roster,
    Target,
    agent,
    explain_mentions,
    resolve,
)
from deskroom.core.explain import Hidden, leading_alias

DIRECTORY = Directory(
    Roster(
        [
            Member("solver", "Chief"),
            Member("checker"),
            Member("twin1", "Twin"),
            Member("twin2", "Twin"),
        ],
        [Person("sam", "Sam Lee")],
    ),
    DeskSet([Desk("eng", "Engineering")]),
)
PIECES = st.sampled_from(
    [
        *("@solver", "@solver's", "@checkr", "@twin", "@sam_lee", "@#eng", "@#solver", "@here"),
        *("@", "`", "\n", " ", "    ", "(", ".", "x", "é"),
    ]
)


def only(body: str, author: str = "checker") -> Note:
    """Return the one note on a body with one at sign."""
    (note,) = explain_mentions(body, agent(author), DIRECTORY)
    return note


@pytest.mark.parametrize("body", ["", "nothing here", "`x`"])
def test_a_message_without_an_at_sign_needs_no_note(body: str) -> None:
    """There is nothing to explain."""
    assert explain_mentions(body, None, DIRECTORY) == ()


@pytest.mark.parametrize(
    "body,expected",
    [
        ("é @Chief, go", Note("@Chief", 3, "mention", agent("solver"))),
        ("`@solver`", Note("@solver`", 1, "masked")),
        ("\n    @solver go", Note("@solver", 5, "masked")),
        ("*@solver*", Note("@solver*", 1, "no_opener", nearest="solver")),
        ("mail bob@example.org", Note("@example", 8, "no_opener")),
        ("a @ b", Note("@", 2, "no_name")),
        ("@-solver", Note("@-solver", 0, "no_name")),
        ("@solvr", Note("@solvr", 0, "unknown", nearest="solver")),
        ("@solver's turn", Note("@solver", 0, "mention", agent("solver"))),
        ("@solver’s turn", Note("@solver’s", 0, "unknown", nearest="solver")),
        ("@SOLVER-now", Note("@SOLVER-now", 0, "unknown", nearest="solver")),
        ("@zzz", Note("@zzz", 0, "unknown")),
        (
            "\u200b@solver",
            Note("@solver", 3, "no_opener", nearest="solver", hidden=Hidden("\u200b", 0, 1, 1)),
        ),
        (
            "é\n (\u2068\ufeff@solver",
            Note("@solver", 11, "no_opener", nearest="solver", hidden=Hidden("\u2068", 5, 2, 3)),
        ),
        ("x\u200b@solver", Note("@solver", 4, "no_opener", nearest="solver")),
        ("\u2764\ufe0f@solver", Note("@solver", 6, "no_opener", nearest="solver")),
        (
            "@\u200bsolver",
            Note("@\u200bsolver", 0, "no_name", hidden=Hidden("\u200b", 1, 1, 2)),
        ),
        ("@#\u200beng", Note("@#\u200beng", 0, "no_name", hidden=Hidden("\u200b", 2, 1, 3))),
        ("@\u200b", Note("@\u200b", 0, "no_name")),
        (
            "@sol\u200dver",
            Note("@sol\u200dver", 0, "unknown", nearest="solver", hidden=Hidden("\u200d", 4, 1, 5)),
        ),
        ("@zz\u200dz", Note("@zz\u200dz", 0, "unknown")),
        ("@s\u043elver", Note("@s\u043elver", 0, "unknown", nearest="solver")),
        ("请@solver看一下", Note("@solver看一下", 3, "no_opener", nearest="solver")),
        ("@solver님", Note("@solver님", 0, "unknown", nearest="solver")),
        ("@#solver", Note("@#solver", 0, "unknown", nearest="solver")),
        ("@twin", Note("@twin", 0, "ambiguous", candidates=(agent("twin1"), agent("twin2")))),
        ("@checker", Note("@checker", 0, "self", agent("checker"))),
        ("@sam_lee", Note("@sam_lee", 0, "not_a_seat", Target("person", "sam"))),
        ("@#eng", Note("@#eng", 0, "not_a_seat", Target("desk", "eng"))),
        ("@here", Note("@here", 0, "not_a_seat", EVERYONE)),
    ],
)
def test_each_at_sign_has_its_verdict(body: str, expected: Note) -> None:
    """A note says what the sign stands for, or why it stands for nobody."""
    assert only(body) == expected


@pytest.mark.parametrize(
    "body,expected",
    [
        ("@al’s-own-long-and-winding-tail", "al"),
        ("@AL-bert-and-all-of-his-friends", "al-bert"),
        ("@al-berto-and-all-of-his-friends", "al"),
        ("@also-with-a-long-and-winding-tail", None),
        ("@alé-with-a-long-and-winding-tail", None),
        ("@#al/with-a-long-and-winding-tail", "al"),
        ("@al-brt", "al"),
        ("@a-bert", "al-bert"),
        ("x@al", "al"),
        ("x@", None),
    ],
)
def test_the_nearest_name_is_one_that_the_text_begins_with(body: str, expected: str | None) -> None:
    """The longest alias that ends at the end of a word is meant, else the most alike if any is."""
    directory = Directory(Roster([Member("al"), Member("al-bert")]), DeskSet())
    assert explain_mentions(body, None, directory)[0].nearest == expected


def test_the_alias_at_the_start_of_a_long_text_is_found_at_once() -> None:
    """Only as much of the text is looked at as an alias can be long; all of it would not end."""
    directory = Directory(Roster([Member("al"), Member("al-bert")]), DeskSet())
    rest = " - x" * 250_000
    texts = ["Al", "al-bert", "AL-BERT: hm", f"al{rest}", f"al-bert{rest}", f"al-berto{rest}"]
    assert [leading_alias(text, directory) for text in texts] == [
        "al",
        "al-bert",
        "al-bert",
        "al",
        "al-bert",
        "al",
    ]
    assert leading_alias(f"alx{rest}", directory) is None
    assert leading_alias("", directory) is None


def test_over_an_invalid_directory_nobody_is_known() -> None:
    """What mentions nobody is not explained as if it did."""
    directory = Directory(Roster([Member("al"), Member("")]), DeskSet())
    assert explain_mentions("@al", None, directory)[0].verdict == "unknown"


def test_an_at_sign_that_runs_into_another_has_no_name() -> None:
    """Both signs of such a run get a note of their own."""
    assert explain_mentions("@solver(@Chief", None, DIRECTORY) == (
        Note("@solver(", 0, "no_name"),
        Note("@Chief", 8, "mention", agent("solver")),
    )


def test_a_repeated_mention_is_quiet() -> None:
    """Whoever was named before is told as such."""
    notes = explain_mentions("@solver @chief @here @everyone", None, DIRECTORY)
    assert [note.verdict for note in notes] == ["mention", "quiet", "not_a_seat", "quiet"]
    assert notes[1].target == agent("solver")


def test_a_person_who_names_themselves_is_told_so() -> None:
    """The author may be a person, and an agent with another id is not meant."""
    note = explain_mentions("@sam_lee", Target("person", "sam"), DIRECTORY)[0]
    assert note == Note("@sam_lee", 0, "self", Target("person", "sam"))


def test_only_the_first_notes_are_made_when_there_is_a_limit() -> None:
    """A limit cuts the notes and not their meaning."""
    notes = explain_mentions("@x @solver @y", None, DIRECTORY, limit=2)
    assert [note.verdict for note in notes] == ["unknown", "mention"]
    assert explain_mentions("@x", None, DIRECTORY, limit=0) == ()


def test_what_is_shown_is_cut_to_a_length_fit_for_a_sentence() -> None:
    """A name of a million letters does not fill the reply."""
    assert only("@" + "a" * 1_000_000).text == "@" + "a" * 63


def test_a_message_full_of_at_signs_is_explained_in_one_walk() -> None:
    """One unknown name is compared once; comparing it each time would not end."""
    crowd = Directory(Roster([Member(f"seat-{n}") for n in range(2_000)]), DeskSet())
    notes = explain_mentions("@set-7 " * 10_000, None, crowd)
    assert len(notes) == 10_000
    assert {note.nearest for note in notes} == {"seat-7"}


@given(st.lists(PIECES, max_size=16).map("".join), st.sampled_from([None, agent("solver")]))
def test_the_notes_agree_with_what_is_resolved(body: str, author: Target | None) -> None:
    """There is a note for each sign, and exactly the resolved ones have a resolved verdict."""
    notes = explain_mentions(body, author, DIRECTORY)
    raw = body.encode()
    assert [note.offset for note in notes] == [
        at for at, byte in enumerate(raw) if byte == ord("@")
    ]
    assert all(raw[note.offset :].startswith(note.text.encode()) for note in notes)
    resolved = [
        (note.offset, note.target, note.text, note.verdict == "quiet")
        for note in notes
        if note.verdict in ("mention", "quiet", "not_a_seat")
    ]
    mentions = resolve(body, None, author, DIRECTORY)
    assert resolved == [(m.offset, m.target, m.text, m.quiet) for m in mentions]
    assert all(note.target == author for note in notes if note.verdict == "self")


@given(st.text(st.characters(codec=None)).map(lambda text: text.replace("a", "@")))
def test_any_text_at_all_can_be_explained(body: str) -> None:
    """Lone surrogates and control characters raise nothing."""
    assert len(explain_mentions(body, None, DIRECTORY)) == body.count("@")
