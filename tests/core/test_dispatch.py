from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.core import (
    EVERYONE,
    Decision,
    DispatchPolicy,
    Member,
    Mention,
    NoTurn,
    Person,
    Roster,
    Target,
    TurnFor,
    agent,
    mention_dispatch,
)
from deskroom.core.dispatch import pinged_agents
from deskroom.core.reasons import NoTurnReason
from deskroom.errors import RosterError, UsageError

ROSTER = Roster([Member("ada"), Member("bob"), Member("old")], [Person("bob", "Bob")], ["old"])
TOP = 2**32 - 1


def at(offset: int, id_: str, *, quiet: bool = False) -> Mention:
    """Return a mention of an agent at an offset."""
    return Mention(agent(id_), f"@{id_}", offset, quiet)


def decide(
    *mentions: Mention, author: str = "ada", hop: int = 0, policy: DispatchPolicy | None = None
) -> Decision:
    """Return who is next after a row by Ada."""
    return mention_dispatch(
        policy or DispatchPolicy(), ROSTER, hop=hop, author_id=author, mentions=mentions
    )


def test_the_first_agent_named_gets_one_turn_at_the_next_hop() -> None:
    """The decision carries the mention that made it."""
    assert decide(at(3, "bob"), hop=4) == TurnFor("bob", 5, at(3, "bob"))


def test_first_means_by_offset_and_on_a_tie_as_listed() -> None:
    """The order of the records counts only where offsets are equal."""
    assert decide(at(9, "old"), at(2, "bob")) == TurnFor("bob", 1, at(2, "bob"))
    assert decide(at(2, "bob"), at(2, "old")) == TurnFor("bob", 1, at(2, "bob"))
    assert decide(at(2, "old"), at(2, "bob")) == NoTurn(NoTurnReason.TARGET_INACTIVE)


def test_other_mentions_start_no_turn() -> None:
    """People, desks, everyone and quiet mentions are passed over."""
    others = (
        Mention(Target("person", "bob"), "@bob", 0),
        Mention(Target("desk", "bob"), "@#bob", 1),
        Mention(EVERYONE, "@here", 2),
        at(3, "bob", quiet=True),
    )
    assert decide(*others) == NoTurn(NoTurnReason.NO_DIRECT_AGENT_MENTION)
    assert decide(*others, at(4, "bob")) == TurnFor("bob", 1, at(4, "bob"))
    assert pinged_agents((*others, at(4, "bob"))) == [at(4, "bob")]


@pytest.mark.parametrize(
    "first,reason",
    [("ada", "self_mention"), ("old", "target_inactive"), ("ghost", "target_inactive")],
)
def test_a_bad_first_mention_is_not_skipped(first: str, reason: str) -> None:
    """A later good mention does not save a turn that the first one spoiled."""
    assert decide(at(0, first), at(5, "bob")) == NoTurn(NoTurnReason(reason))


def test_every_rule_is_asked_in_its_order() -> None:
    """From a row with everything against it, mending the rule that is told gives the next one."""
    off = DispatchPolicy(enabled=False, max_hops=0)
    bad = Roster([Member("")])
    told = [
        mention_dispatch(off, bad, hop=0, author_id="old", mentions=[]),
        mention_dispatch(DispatchPolicy(max_hops=0), bad, hop=0, author_id="old", mentions=[]),
        decide(author="old"),
        decide(author="ghost"),
        decide(),
        decide(at(0, "ada")),
        decide(at(0, "old")),
        decide(at(0, "bob")),
    ]
    assert told == [
        NoTurn(NoTurnReason.DISABLED),
        NoTurn(NoTurnReason.HOP_LIMIT_REACHED),
        NoTurn(NoTurnReason.SOURCE_INACTIVE),
        NoTurn(NoTurnReason.SOURCE_INACTIVE),
        NoTurn(NoTurnReason.NO_DIRECT_AGENT_MENTION),
        NoTurn(NoTurnReason.SELF_MENTION),
        NoTurn(NoTurnReason.TARGET_INACTIVE),
        TurnFor("bob", 1, at(0, "bob")),
    ]
    with pytest.raises(RosterError, match="empty_member_id"):
        mention_dispatch(DispatchPolicy(), bad, hop=0, author_id="old", mentions=[])


def test_the_hop_limit_is_the_last_hop_plus_one() -> None:
    """A hop below the limit goes on, one at it does not."""
    policy = DispatchPolicy(max_hops=2)
    assert decide(at(0, "bob"), hop=1, policy=policy) == TurnFor("bob", 2, at(0, "bob"))
    assert decide(at(0, "bob"), hop=2, policy=policy) == NoTurn(NoTurnReason.HOP_LIMIT_REACHED)


def test_hops_stay_in_32_bits() -> None:
    """The last hop that fits is granted, and a policy past it meets the guard."""
    policy = DispatchPolicy(max_hops=TOP + 5)
    assert decide(at(0, "bob"), hop=TOP - 1, policy=policy) == TurnFor("bob", TOP, at(0, "bob"))
    assert decide(at(0, "bob"), hop=TOP, policy=policy) == NoTurn(NoTurnReason.HOP_OVERFLOW)


def test_a_mention_without_an_id_is_no_direct_mention() -> None:
    """A record that claims to be an agent and names none chooses nobody."""
    nameless = Mention(Target("agent"), "@", 0)
    assert decide(nameless) == NoTurn(NoTurnReason.NO_DIRECT_AGENT_MENTION)


def test_by_default_a_chain_takes_sixteen_hops() -> None:
    """Mentions start turns unless a policy says otherwise."""
    assert DispatchPolicy() == DispatchPolicy(enabled=True, max_hops=16)
    assert decide(at(0, "bob"), hop=15) == TurnFor("bob", 16, at(0, "bob"))
    assert decide(at(0, "bob"), hop=16) == NoTurn(NoTurnReason.HOP_LIMIT_REACHED)


@pytest.mark.parametrize("wrong", [{"max_hops": -1}, {"enabled": "yes"}, {"max_hops": None}])
def test_a_policy_is_checked_when_it_is_made(wrong: dict[str, object]) -> None:
    """Negative hops and values of another type are refused at once."""
    with pytest.raises(UsageError, match=next(iter(wrong))):
        DispatchPolicy(**wrong)  # type: ignore[arg-type]


MENTIONS = st.lists(
    st.builds(at, st.integers(0, 9), st.sampled_from(["ada", "bob", "old"]), quiet=st.booleans())
)


@given(MENTIONS, st.integers(0, 20))
def test_a_turn_goes_only_to_another_active_agent_that_was_named(
    mentions: list[Mention], hop: int
) -> None:
    """Whatever is mentioned, one turn at most starts, one hop on and within the limit."""
    decision = decide(*mentions, hop=hop)
    if isinstance(decision, TurnFor):
        assert decision.target_id == "bob"
        assert decision.child_hop == hop + 1 <= DispatchPolicy().max_hops
        assert decision.mention in mentions
        assert not any(m.offset < decision.mention.offset for m in pinged_agents(mentions))


@given(MENTIONS, MENTIONS)
def test_what_comes_later_changes_nothing(first: list[Mention], later: list[Mention]) -> None:
    """Once a message names an agent, mentions behind it do not matter."""
    if pinged_agents(first):
        moved = [at(m.offset + 10, m.target.id or "", quiet=m.quiet) for m in later]
        assert decide(*moved, *first) == decide(*first)
