from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.core import Member, Roster
from deskroom.core.reasons import CallFault
from deskroom.core.text import trim
from deskroom.speech import (
    Broadcast,
    CompleteEpisode,
    Dm,
    Post,
    Read,
    Rejection,
    Utterance,
    check_recipients,
    parse_call,
    tool_specs,
)

ROSTER = Roster([Member("ada"), Member("bob"), Member("old")], [], ["old"])
ANY_TEXT = st.text(st.characters(codec=None))


@pytest.mark.parametrize(
    "name,expected",
    [
        ("post", Post("hi")),
        ("broadcast", Broadcast("hi")),
        ("complete_episode", CompleteEpisode("hi")),
        ("close", CompleteEpisode("hi")),
        ("dm", Dm("hi", ("bob",))),
        ("read", Read(20)),
    ],
)
def test_each_tool_is_read(name: str, expected: Utterance | Read) -> None:
    """Arguments that a tool does not declare are ignored, and white space around is dropped."""
    arguments = {"message": "\u3000hi\n", "to": ["bob"], "limit": None, "extra": 1}
    assert parse_call(name, arguments) == expected


@pytest.mark.parametrize("name", ["desk_post", "POST", "", " post", "shout", "close "])
def test_other_names_are_unknown(name: str) -> None:
    """The host's prefix is not known here, nor is any other spelling."""
    assert parse_call(name, {"message": "hi"}) == Rejection(CallFault.UNKNOWN_TOOL, name)


@pytest.mark.parametrize("name", ["post", "broadcast", "complete_episode", "close", "dm"])
@pytest.mark.parametrize(
    "arguments", [{}, {"message": None}, {"message": ""}, {"message": " \x85"}]
)
def test_nothing_said_is_an_empty_message(name: str, arguments: dict[str, Any]) -> None:
    """Absent, null and blank are one, and this is told before recipients are looked at."""
    assert parse_call(name, arguments) == Rejection(CallFault.EMPTY_MESSAGE)


def test_ink_that_looks_like_white_space_is_a_message() -> None:
    """U+001C is no white space, so it is kept."""
    assert parse_call("post", {"message": " \x1c "}) == Post("\x1c")


@pytest.mark.parametrize(
    "to,expected",
    [
        (["bob", "ada"], ("bob", "ada")),
        ([" @bob ", "@@bob", "@ bob"], ("bob",)),
        (["\u3000@@ \n@x", "", " ", "@", "bob"], ("@x", "bob")),
        (["b", "a", "b", "@a"], ("b", "a")),
        (["#eng", "bob@x"], ("#eng", "bob@x")),
    ],
)
def test_recipients_are_cleaned_and_kept_in_order(to: list[str], expected: tuple[str, ...]) -> None:
    """Trimmed, without leading at signs, trimmed again, without blanks and repeats."""
    assert parse_call("dm", {"message": "m", "to": to}) == Dm("m", expected)


@pytest.mark.parametrize("arguments", [{}, {"to": None}, {"to": []}, {"to": ["@", " ", "@@ "]}])
def test_a_dm_to_nobody_has_no_recipients(arguments: dict[str, Any]) -> None:
    """Absent, null, empty and all-blank lists are one."""
    assert parse_call("dm", {"message": "m", **arguments}) == Rejection(CallFault.NO_RECIPIENTS)


@pytest.mark.parametrize(
    "limit,expected",
    [(None, 20), (-(2**63), 1), (0, 1), (1, 1), (57, 57), (100, 100), (101, 100), (2**63, 100)],
)
def test_a_reads_limit_is_clamped(limit: int | None, expected: int) -> None:
    """Absent means twenty, and the rest is held between one and a hundred."""
    assert parse_call("read", {"limit": limit}) == Read(expected)
    assert parse_call("read", {}) == Read(20)


@given(st.sampled_from([spec.name for spec in tool_specs()]), ANY_TEXT, st.lists(ANY_TEXT))
def test_any_text_at_all_is_read_or_rejected(name: str, message: str, to: list[str]) -> None:
    """Nothing raises, and what is said is the message without white space around it."""
    parsed = parse_call(name, {"message": message, "to": to})
    if isinstance(parsed, Dm):
        assert parsed.to == tuple(dict.fromkeys(parsed.to))
        assert all(id_ == trim(id_) != "" for id_ in parsed.to)
    if not isinstance(parsed, Read | Rejection):
        assert parsed.message == trim(message) != ""


@pytest.mark.parametrize(
    "to,expected",
    [
        (["bob"], None),
        (["ada", "bob"], None),
        (["bob", "ghost", "old"], Rejection(CallFault.UNKNOWN_RECIPIENT, "ghost")),
        (["ada", "old"], Rejection(CallFault.UNKNOWN_RECIPIENT, "old")),
        (["BOB"], Rejection(CallFault.UNKNOWN_RECIPIENT, "BOB")),
        (["ada"], Rejection(CallFault.SELF_RECIPIENT)),
        (["ada", "ada"], Rejection(CallFault.SELF_RECIPIENT)),
        ([], Rejection(CallFault.SELF_RECIPIENT)),
    ],
)
def test_the_recipients_of_a_dm_must_act_and_not_be_its_author_alone(
    to: list[str], expected: Rejection | None
) -> None:
    """The first that does not act is named; only then is a dm to oneself told."""
    assert check_recipients(Dm("m", to), "ada", ROSTER) == expected


@pytest.mark.parametrize("utterance", [Post("@ghost"), Broadcast("x"), CompleteEpisode("x")])
def test_only_a_dm_has_recipients(utterance: Utterance) -> None:
    """Anything else is fit to be said to the desk."""
    assert check_recipients(utterance, "ghost", ROSTER) is None


def test_the_roster_is_not_validated_when_recipients_are_checked() -> None:
    """Over a roster that is wrong the recipients are still only looked up."""
    roster = Roster([Member(""), Member("bob"), Member("bob")])
    assert check_recipients(Dm("m", ["bob"]), "ada", roster) is None
    assert check_recipients(Dm("m", ["x"]), "ada", roster) == Rejection(
        CallFault.UNKNOWN_RECIPIENT, "x"
    )


def test_a_dm_is_to_a_list_and_not_to_one_string() -> None:
    """A forgotten pair of brackets does not address seats named by single letters."""
    with pytest.raises(TypeError, match="not the string 'bob'"):
        Dm("m", "bob")
