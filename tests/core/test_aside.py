from __future__ import annotations

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from deskroom.core import (
    EVERYONE,
    AsideInput,
    AsidePolicy,
    Audience,
    Desk,
    DeskSet,
    Directory,
    Member,
    Mention,
    Refused,
    Roster,
    Target,
    agent,
    aside,
)
from deskroom.core.reasons import AsideReason
from deskroom.errors import DeskError, RosterError, UsageError

ROSTER = Roster([Member(id_) for id_ in ("ada", "bob", "cy", "dee", "old")], [], ["old"])
DESKS = DeskSet([Desk("eng", "Engineering", ["ada", "bob", "cy", "old"])])
DIRECTORY = Directory(ROSTER, DESKS)
OPEN = AsidePolicy(enabled=True, max_members=9, max_messages=9)


def to(*ids: str) -> tuple[Mention, ...]:
    """Return mentions of these agents, in order."""
    return tuple(Mention(agent(id_), f"@{id_}", at) for at, id_ in enumerate(ids))


def asked(*mentions: Mention, author: str = "ada", desk: str | None = "eng") -> AsideInput:
    """Return a wish for an aside with nothing against it but what the arguments say."""
    return AsideInput(author_id=author, desk_id=desk, mentions=mentions)


def test_the_default_policy_allows_nothing() -> None:
    """Without a policy nothing is private."""
    nothing = AsidePolicy(
        enabled=False, max_members=0, max_messages=0, must_surface=False, require_thread=False
    )
    assert AsidePolicy() == nothing
    assert aside(AsidePolicy(), asked(*to("bob")), DIRECTORY) == Refused(AsideReason.DISABLED)


def test_a_wish_has_nothing_behind_it_unless_it_is_said() -> None:
    """By default there is no thread, nothing was spent and nobody owes a word."""
    plain = AsideInput(author_id="ada", desk_id=None, mentions=())
    assert (plain.thread_root, plain.spent, plain.unsettled) == (None, 0, False)


def test_the_default_numbers_allow_nothing_either() -> None:
    """Switching asides on without numbers still allows nobody."""
    policy = AsidePolicy(enabled=True)
    assert aside(policy, asked(*to("bob")), DIRECTORY) == Refused(AsideReason.AUDIENCE_TOO_LARGE)


def test_every_rule_is_asked_in_its_order() -> None:
    """From a wish with everything against it, mending the rule that is told gives the next one."""
    policy = AsidePolicy(max_members=1, must_surface=True, require_thread=True)
    wish = AsideInput(
        author_id="old", desk_id="nowhere", mentions=to("old"), spent=5, unsettled=True
    )
    told: list[str] = []

    def tell(roster: Roster = ROSTER, desks: DeskSet = DESKS) -> None:
        try:
            told.append(str(aside(policy, wish, Directory(roster, desks))))
        except (RosterError, DeskError) as error:
            told.append(error.kind)

    bad_roster, bad_desks = Roster([Member("")]), DeskSet([Desk("", "")])
    tell(bad_roster, bad_desks)
    policy = evolve(policy, enabled=True)
    tell(bad_roster, bad_desks)
    tell(ROSTER, bad_desks)
    tell()
    wish = evolve(wish, author_id="ada")
    tell()
    wish = evolve(wish, desk_id="eng", mentions=to("ada", "old", "dee"))
    tell()
    wish = evolve(wish, mentions=to("ada", "dee", "old"))
    tell()
    wish = evolve(wish, mentions=to("ada"))
    tell()
    wish = evolve(wish, mentions=to())
    tell()
    wish = evolve(wish, mentions=to("bob", "cy"))
    tell()
    policy = evolve(policy, max_members=2)
    tell()
    wish = evolve(wish, thread_root=0)
    tell()
    policy = evolve(policy, max_messages=6)
    tell()
    wish = evolve(wish, unsettled=False)
    tell()
    assert told == [
        str(Refused(AsideReason.DISABLED)),
        "empty_member_id",
        "empty_desk_id",
        str(Refused(AsideReason.SOURCE_INACTIVE)),
        str(Refused(AsideReason.AUTHOR_NOT_ON_DESK)),
        str(Refused(AsideReason.TARGET_INACTIVE)),
        str(Refused(AsideReason.TARGET_NOT_ON_DESK)),
        str(Refused(AsideReason.SELF_ONLY)),
        str(Refused(AsideReason.NO_AUDIENCE)),
        str(Refused(AsideReason.AUDIENCE_TOO_LARGE)),
        str(Refused(AsideReason.THREAD_REQUIRED)),
        str(Refused(AsideReason.BUDGET_SPENT)),
        str(Refused(AsideReason.UNSETTLED_ASIDE)),
        str(Audience("aside", ("bob", "cy"))),
    ]


def test_the_audience_is_in_the_order_addressed_without_author_and_repeats() -> None:
    """Who is named first by offset comes first, wherever the record stands in the list."""
    mentions = (*to("cy", "ada", "bob", "cy")[::-1],)
    assert aside(OPEN, asked(*mentions), DIRECTORY) == Audience("aside", ("cy", "bob"))


def test_only_non_quiet_agents_are_addressed() -> None:
    """Quiet mentions, people, desks and everyone add nobody."""
    mentions = (
        Mention(agent("bob"), "@bob", 0, quiet=True),
        Mention(Target("person", "bob"), "@b", 1),
        Mention(Target("desk", "eng"), "@eng", 2),
        Mention(EVERYONE, "@here", 3),
    )
    assert aside(OPEN, asked(*mentions), DIRECTORY) == Refused(AsideReason.NO_AUDIENCE)
    assert aside(OPEN, asked(*mentions, *to("cy")), DIRECTORY) == Audience("aside", ("cy",))


def test_the_first_fault_among_the_addressed_is_told() -> None:
    """A stranger and a retired member are inactive; one of another desk is not on this one."""
    assert aside(OPEN, asked(*to("bob", "dee", "ghost")), DIRECTORY) == Refused(
        AsideReason.TARGET_NOT_ON_DESK
    )
    assert aside(OPEN, asked(*to("bob", "ghost", "dee")), DIRECTORY) == Refused(
        AsideReason.TARGET_INACTIVE
    )


@pytest.mark.parametrize("desk", [None, "", "MAIN", "General"])
def test_every_active_member_is_on_the_general_chat(desk: str | None) -> None:
    """There an aside may go to whoever acts."""
    assert aside(OPEN, asked(*to("dee"), desk=desk), DIRECTORY) == Audience("aside", ("dee",))


def test_a_desk_is_found_by_name_too() -> None:
    """An exact name means the desk."""
    assert aside(OPEN, asked(*to("bob"), desk="Engineering"), DIRECTORY) == Audience(
        "aside", ("bob",)
    )


def test_the_limits_are_inclusive_as_the_rules_say() -> None:
    """As many members as the maximum pass; as many messages as the maximum are spent."""
    policy = AsidePolicy(enabled=True, max_members=2, max_messages=3)
    wish = asked(*to("bob", "cy"))
    assert aside(policy, evolve(wish, spent=2), DIRECTORY) == Audience("aside", ("bob", "cy"))
    assert aside(policy, evolve(wish, spent=3), DIRECTORY) == Refused(AsideReason.BUDGET_SPENT)


def test_what_the_policy_does_not_ask_for_does_not_matter() -> None:
    """Neither a missing thread nor an unsettled aside refuses where the policy is silent."""
    assert aside(OPEN, evolve(asked(*to("bob")), unsettled=True), DIRECTORY) == Audience(
        "aside", ("bob",)
    )


@pytest.mark.parametrize(
    "wrong", [{"max_members": -1}, {"max_messages": -1}, {"enabled": 1}, {"max_members": 1.5}]
)
def test_a_policy_is_checked_when_it_is_made(wrong: dict[str, object]) -> None:
    """Negative counts and values of another type are refused at once."""
    with pytest.raises(UsageError, match=next(iter(wrong))):
        AsidePolicy(**wrong)  # type: ignore[arg-type]


@given(
    st.lists(st.sampled_from(["ada", "bob", "cy", "dee", "old", "ghost"]), max_size=6),
    st.sampled_from(["ada", "bob", "dee"]),
    st.sampled_from([None, "eng"]),
    st.integers(0, 3),
)
def test_an_allowed_aside_has_only_other_active_members_of_the_desk(
    ids: list[str], author: str, desk: str | None, most: int
) -> None:
    """Whatever is asked, who is admitted may be, and nobody who was addressed is left out."""
    policy = evolve(OPEN, max_members=most)
    allowed = aside(policy, asked(*to(*ids), author=author, desk=desk), DIRECTORY)
    if isinstance(allowed, Audience):
        assert 1 <= len(allowed.members) <= most
        assert list(allowed.members) == [id_ for id_ in dict.fromkeys(ids) if id_ != author]
        on_desk = {"ada", "bob", "cy"} if desk else {"ada", "bob", "cy", "dee"}
        assert {author, *allowed.members} <= on_desk
