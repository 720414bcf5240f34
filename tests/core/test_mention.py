from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.core import (
    EVERYONE,
    Desk,
    DeskSet,
    Directory,
    Member,
    Mention,
    Person,
    Roster,
    Target,
    agent,
    code_ranges,
    resolve,
)
from deskroom.core.masking import code_spans
from deskroom.core.mention import MAX_PINGS, Token, is_masked, read_token, tokens
from deskroom.core.text import byte_length

DIRECTORY = Directory(
    Roster(
        [
            Member("ada", "Chief"),
            Member("bob"),
            Member("東京"),
            Member("old"),
            Member("twin1", "Twin"),
            Member("twin2", "Twin"),
            *(Member(f"s{n}") for n in range(MAX_PINGS + 5)),
        ],
        [Person("sam", "Sam Lee"), Person("ada", "Ada L")],
        ["old"],
    ),
    DeskSet([Desk("eng", "Engineering")]),
)
PIECES = st.sampled_from(
    [
        *(
            "@ada",
            "@bob",
            "@CHIEF",
            "@東京",
            "@old",
            "@twin",
            "@sam_lee",
            "@#eng",
            "@#ada",
            "@here",
        ),
        *(
            "@",
            "#",
            "`",
            "```",
            "\n",
            "\n\n",
            "    ",
            "\t",
            " ",
            " ",
            "(",
            ")",
            ".",
            "é",
            "🙂",
            "\\",
        ),
        *("\xa0", "\v", "\x1c", "\r", "\ud800"),
    ]
)
BODIES = st.lists(PIECES, max_size=20).map("".join)
TARGETS = st.sampled_from(
    [
        agent("ada"),
        agent("bob"),
        agent("old"),
        Target("person", "sam"),
        Target("desk", "eng"),
        EVERYONE,
    ]
)
AUTHORS = st.sampled_from([agent("ada"), Target("person", "ada"), None])


def found(body: str) -> list[str]:
    """Return the text of each token."""
    return [body[token.start : token.end] for token in tokens(body)]


def extracted(body: str, author: Target | None = None) -> list[tuple[Target, str, int, bool]]:
    """Return the mentions of a body as tuples."""
    return [(m.target, m.text, m.offset, m.quiet) for m in resolve(body, None, author, DIRECTORY)]


def checked(
    body: str, supplied: Sequence[Mention], author: Target | None = None
) -> tuple[Mention, ...]:
    """Return what becomes of supplied mentions."""
    return resolve(body, supplied, author, DIRECTORY)


@pytest.mark.parametrize("opener", [" ", "\t", "\n", "\f", "\r", "(", "[", "{"], ids=repr)
def test_a_token_may_stand_behind_an_opener(opener: str) -> None:
    """The start of the message, ASCII white space and opening brackets let a token begin."""
    assert found("@ada") == ["@ada"]
    assert found(f"é{opener}@ada") == ["@ada"]


@pytest.mark.parametrize(
    "before", ["x", "~", "\v", "\xa0", "\u3000", "\x1c", ".", "<", "é", "-"], ids=repr
)
def test_no_token_stands_behind_anything_else(before: str) -> None:
    """A vertical tab and wide spaces are no openers, so an address in a word is left alone."""
    assert found(f"{before}@ada") == []


@pytest.mark.parametrize(
    "end",
    [*",;.?!:)]}'\"", " ", "\n", "\v", "\x85", "\xa0", "\u2028", "\u3000"],
    ids=repr,
)
def test_a_token_ends_before_white_space_or_a_closing_mark(end: str) -> None:
    """Any Unicode white space ends it, and so do the listed marks."""
    assert found(f"@ada{end}x") == ["@ada"]


@pytest.mark.parametrize(
    "inside", ["(", "~", "[", "-", "’", "\u200b", "\x1c", "`", "\\", "#", "。", "\u0300"]
)
def test_a_token_runs_on_over_other_characters(inside: str) -> None:
    """What is not listed belongs to the token, even if it is invisible."""
    assert found(f"@ada{inside}x") == [f"@ada{inside}x"]


@pytest.mark.parametrize(
    "body", ["@", "@ ada", "@-ada", "@#", "@##eng", "@#-", "@\u0300a", "@.ada"]
)
def test_a_token_needs_a_name(body: str) -> None:
    """Behind the at sign and an optional hash the next character must begin a name."""
    assert found(body) == []


@pytest.mark.parametrize(
    "body,expected",
    [
        ("@a(@b", ["@b"]),
        ("@a@b", []),
        ("@a@b (@c", ["@c"]),
        ("@a[@b{@c", ["@c"]),
        ("@@ada", []),
        ("(@ada@ @bob", ["@bob"]),
        ("@#a(@#b", ["@#b"]),
    ],
)
def test_a_run_that_holds_another_at_sign_is_no_token(body: str, expected: list[str]) -> None:
    """Scanning goes on at the next at sign, even inside that run."""
    assert found(body) == expected


def test_only_the_tokens_own_at_sign_must_be_unmasked() -> None:
    """A token may run into code; one that begins in code is none."""
    assert found("`x` @ada `@bob` @a`d a`") == ["@ada", "@a`d"]
    assert found("    @ada\n\n```\n@bob\n```\n@here") == ["@here"]


def test_a_token_tells_its_name_and_whether_it_means_a_desk() -> None:
    """Its ends count characters and its name has neither sign."""
    assert read_token("é @#eng.", 2) == Token(2, 7, "eng", desk_only=True)
    assert read_token("é @eng", 2) == Token(2, 6, "eng", desk_only=False)


def test_masking_is_a_matter_of_half_open_spans() -> None:
    """The first character of a span is code and the one behind it is not."""
    assert [is_masked(at, ((1, 3), (3, 4))) for at in range(6)] == [
        False,
        True,
        True,
        True,
        False,
        False,
    ]


def test_a_message_names_agents_people_desks_and_everyone() -> None:
    """Each alias gives its target, with the text as written and the offset in bytes."""
    assert extracted("é @Chief, @sam_lee @#Engineering @HERE @東京") == [
        (agent("ada"), "@Chief", 3, False),
        (Target("person", "sam"), "@sam_lee", 11, False),
        (Target("desk", "eng"), "@#Engineering", 20, False),
        (EVERYONE, "@HERE", 34, False),
        (agent("東京"), "@東京", 40, False),
    ]


def test_unknown_ambiguous_and_retired_names_mention_nobody() -> None:
    """Neither a name that nobody has, nor one that two have, nor that of a retired member counts."""
    assert extracted("@nobody @twin @old @#ada @ada_l @eng") == [
        (Target("person", "ada"), "@ada_l", 25, False),
        (Target("desk", "eng"), "@eng", 32, False),
    ]


def test_nobody_mentions_themselves() -> None:
    """An agent's own mention is dropped; a person with the same id is another."""
    assert extracted("@ada @ada_l", agent("ada")) == [(Target("person", "ada"), "@ada_l", 5, False)]
    assert extracted("@ada @ada_l", Target("person", "ada")) == [(agent("ada"), "@ada", 0, False)]
    assert len(extracted("@ada @ada_l")) == 2


def test_a_repeated_target_turns_quiet() -> None:
    """Only the first mention of a target pings, under whichever alias."""
    assert [quiet for *_, quiet in extracted("@ada @bob @chief @bob @sam_lee")] == [
        False,
        False,
        True,
        True,
        False,
    ]


def test_after_fifty_pings_the_rest_is_quiet() -> None:
    """Quiet mentions do not count towards the fifty."""
    body = "@s0 @s0 " + " ".join(f"@s{n}" for n in range(1, MAX_PINGS + 5))
    loud = [target.id for target, _, _, quiet in extracted(body) if not quiet]
    assert loud == [f"s{n}" for n in range(MAX_PINGS)]
    assert len(extracted(body)) == MAX_PINGS + 6
    assert MAX_PINGS == 50


@pytest.mark.parametrize(
    "roster,desks",
    [
        (Roster([Member("ada"), Member("")]), DeskSet()),
        (Roster([Member("ada")]), DeskSet([Desk("", "x")])),
    ],
)
def test_an_invalid_directory_gives_no_mentions(roster: Roster, desks: DeskSet) -> None:
    """Nothing is resolved over a roster or desks that are wrong, supplied or not."""
    directory = Directory(roster, desks)
    assert resolve("@ada", None, None, directory) == ()
    assert resolve("@ada", [Mention(agent("ada"), "@ada", 0)], None, directory) == ()


def test_supplied_mentions_replace_extraction_even_when_empty() -> None:
    """An empty list says that nobody is mentioned."""
    assert checked("@ada @bob", []) == ()
    assert checked("@ada @bob", [Mention(agent("bob"), "@bob", 5)]) == (
        Mention(agent("bob"), "@bob", 5),
    )


@pytest.mark.parametrize(
    "text,offset",
    [
        ("@ad", 3),
        ("@ada ", 3),
        ("@ada", 2),
        ("@ada", 4),
        ("@ADA", 3),
        ("ada", 4),
        ("", 3),
        ("@bob", 9),
        ("@ada", 999),
        ("@ada", -1),
    ],
)
def test_a_supplied_mention_must_be_exactly_a_token(text: str, offset: int) -> None:
    """A record that is off by one byte, of other text or inside code is dropped."""
    assert checked("é @ada `@bob`", [Mention(agent("ada"), text, offset)]) == ()


def test_a_supplied_mention_of_another_target_is_made_quiet() -> None:
    """It stays as a record but wakes nobody, and so does one whose token names nobody now."""
    body = "@ada @twin @nobody"
    supplied = [
        Mention(agent("bob"), "@ada", 0),
        Mention(agent("twin1"), "@twin", 5),
        Mention(agent("old"), "@nobody", 11),
    ]
    assert checked(body, supplied) == (
        Mention(agent("bob"), "@ada", 0, quiet=True),
        Mention(agent("twin1"), "@twin", 5, quiet=True),
        Mention(agent("old"), "@nobody", 11, quiet=True),
    )


def test_a_mention_pings_unless_it_is_said_to_be_quiet() -> None:
    """Quiet may be left out when it is false."""
    assert Mention(agent("ada"), "@ada", 0) == Mention(agent("ada"), "@ada", 0, quiet=False)


def test_a_supplied_quiet_mention_stays_quiet() -> None:
    """Quiet is kept, and a later mention of the same target is a repeat."""
    supplied = [Mention(agent("ada"), "@ada", 0, quiet=True), Mention(agent("ada"), "@chief", 5)]
    assert [m.quiet for m in checked("@ada @chief", supplied)] == [True, True]


def test_the_first_left_at_an_offset_wins_after_the_author_is_dropped() -> None:
    """The author's own record does not shadow another at its place; a later equal place does go."""
    supplied = [
        Mention(agent("bob"), "@bob", 5),
        Mention(agent("ada"), "@ada", 0),
        Mention(Target("person", "sam"), "@ada", 0),
        Mention(agent("bob"), "@ada", 0),
    ]
    assert checked("@ada @bob", supplied, agent("ada")) == (
        Mention(Target("person", "sam"), "@ada", 0, quiet=True),
        Mention(agent("bob"), "@bob", 5),
    )
    assert checked("@ada @bob", supplied)[0] == Mention(agent("ada"), "@ada", 0)


@given(BODIES, AUTHORS)
def test_mentions_ascend_and_each_is_its_slice_of_the_message(
    body: str, author: Target | None
) -> None:
    """Offsets are strictly ascending byte offsets, and the bytes there are the mention's text."""
    raw = body.encode("utf-8", "surrogatepass")
    last = -1
    for mention in resolve(body, None, author, DIRECTORY):
        assert last < mention.offset
        last = mention.offset
        end = last + byte_length(mention.text)
        assert raw[last:end].decode("utf-8", "surrogatepass") == mention.text
        assert mention.target != author


@given(BODIES)
def test_a_masked_at_sign_is_no_mention(body: str) -> None:
    """No mention's first byte lies in a range of code."""
    ranges = code_ranges(body)
    for mention in resolve(body, None, None, DIRECTORY):
        assert not any(start <= mention.offset < end for start, end in ranges)


@given(BODIES)
def test_a_token_is_found_by_looking_at_every_at_sign(body: str) -> None:
    """Jumping over what was read misses no token."""
    spans = code_spans(body)
    looked = [
        read_token(body, at)
        for at, character in enumerate(body)
        if character == "@" and not is_masked(at, spans)
    ]
    assert list(tokens(body)) == [token for token in looked if token is not None]


@given(BODIES, AUTHORS)
def test_extraction_is_what_supplying_the_extracted_gives(body: str, author: Target | None) -> None:
    """Resolving what was resolved changes nothing, in whatever order it is supplied."""
    mentions = resolve(body, None, author, DIRECTORY)
    assert resolve(body, mentions, author, DIRECTORY) == mentions
    assert resolve(body, mentions[::-1], author, DIRECTORY) == mentions


@given(
    BODIES,
    st.lists(st.builds(Mention, TARGETS, st.sampled_from(["@ada", "@bob"]), st.integers(0, 9))),
    AUTHORS,
)
def test_supplied_mentions_ping_each_target_once_and_only_where_extraction_would(
    body: str, supplied: list[Mention], author: Target | None
) -> None:
    """No supplied record wakes anyone whom the text itself does not name."""
    kept = resolve(body, supplied, author, DIRECTORY)
    loud = [m for m in kept if not m.quiet]
    named = {(m.offset, m.target) for m in resolve(body, None, author, DIRECTORY)}
    assert {(m.offset, m.target) for m in loud} <= named
    assert len({m.target for m in loud}) == len(loud)
    assert [m.offset for m in kept] == sorted({m.offset for m in kept})


@given(st.text(st.characters(codec=None)))
def test_any_text_at_all_can_be_resolved(body: str) -> None:
    """Lone surrogates and control characters raise nothing."""
    assert all(m.text.startswith("@") for m in resolve(body, None, None, DIRECTORY))


@pytest.mark.slow
@pytest.mark.parametrize(
    "body,count",
    [
        ("@a(@b" * 60_000, 0),
        ("(@x" * 100_000, 0),
        ("@ada " * 60_000, 60_000),
        ("@" + "a" * 300_000, 0),
    ],
)
def test_hostile_messages_are_resolved_in_one_walk(body: str, count: int) -> None:
    """A long message of what costs most is answered; were a step quadratic this would not end."""
    assert len(resolve(body, None, None, DIRECTORY)) == count
