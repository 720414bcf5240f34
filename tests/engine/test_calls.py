from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.core import (
    DESK,
    AsidePolicy,
    Audience,
    Author,
    Bookkeeping,
    Desk,
    DeskSet,
    Directory,
    Member,
    Mention,
    NoTurn,
    Person,
    Roster,
    Row,
    TurnFor,
    agent,
)
from deskroom.core.reasons import CallFault, NoTurnReason
from deskroom.engine.calls import Accepted, Refusal, Speaker, judge
from deskroom.engine.policy import Policy
from deskroom.speech import Broadcast, CompleteEpisode, Dm, Post, Read

SEATS = ("solver", "checker", "theory", "old")
DIRECTORY = Directory(
    Roster([Member(id_) for id_ in SEATS], [Person("sam", "Sam")], ["old"]),
    DeskSet([Desk("d", "D", SEATS)]),
)
ASIDES = AsidePolicy(enabled=True, max_members=2, max_messages=3)


def speaker(
    policy: Policy = Policy(aside=ASIDES),
    *,
    fence: bool = False,
    hop: int = 0,
    rows: tuple[Row, ...] = (),
) -> Speaker:
    """Return the seat ``solver`` in the middle of its turn."""
    return Speaker("solver", hop, fence, DIRECTORY, "d", policy, Bookkeeping.of(rows))


def aside_row(sequence: int, author: str, *members: str) -> Row:
    """Return a private row."""
    return Row(sequence, "d", Author("agent", author), "x", Audience("aside", members))


# What is accepted


@pytest.mark.parametrize(
    "tool,utterance,decision",
    [
        (
            "desk_post",
            Post("@checker go"),
            TurnFor("checker", 1, Mention(agent("checker"), "@checker", 0)),
        ),
        ("desk_broadcast", Broadcast("@checker go"), NoTurn(NoTurnReason.BROADCAST)),
        (
            "desk_complete_episode",
            CompleteEpisode("@checker go"),
            TurnFor("checker", 1, Mention(agent("checker"), "@checker", 0)),
        ),
        (
            "desk_close",
            CompleteEpisode("@checker go"),
            TurnFor("checker", 1, Mention(agent("checker"), "@checker", 0)),
        ),
    ],
)
def test_a_message_to_the_desk_is_accepted_with_what_it_will_do(
    tool: str, utterance: Post, decision: TurnFor | NoTurn
) -> None:
    """The verdict holds the utterance, trimmed, and the decision that its row will have."""
    verdict = judge(tool, {"message": "  @checker go\n"}, speaker())
    assert isinstance(verdict, Accepted)
    assert (utterance, decision, DESK) == (
        verdict.utterance,
        verdict.decision,
        verdict.committed.audience,
    )


def test_a_dm_is_accepted_for_those_it_is_addressed_to() -> None:
    """The audience is who was addressed, in order, and the first of them is next."""
    verdict = judge("desk_dm", {"to": ["@theory", "checker"], "message": "m"}, speaker())
    assert isinstance(verdict, Accepted)
    assert Dm("m", ["theory", "checker"]) == verdict.utterance
    assert Audience("aside", ["theory", "checker"]) == verdict.committed.audience
    assert TurnFor("theory", 1, Mention(agent("theory"), "@theory", 0)) == verdict.decision


@pytest.mark.parametrize(
    "arguments,limit",
    [
        ({}, 20),
        ({"limit": 5}, 5),
        ({"limit": 0}, 1),
        ({"limit": -(10**30)}, 1),
        ({"limit": 10**30}, 100),
        ({"limit": 5.0}, 5),
        ({"limit": -0.0}, 1),
        ({"limit": 1e300}, 100),
    ],
)
def test_a_read_asks_for_a_number_of_entries_within_bounds(
    arguments: dict[str, int], limit: int
) -> None:
    """A limit beyond the bounds is pulled to the nearest, and a missing one is 20."""
    assert Read(limit) == judge("desk_read", arguments, speaker())


def test_the_hop_of_the_speaker_decides_whether_a_mention_still_counts() -> None:
    """At the limit of hops a mention starts no turn, and the call is accepted all the same."""
    verdict = judge("desk_post", {"message": "@checker"}, speaker(hop=16))
    assert isinstance(verdict, Accepted)
    assert NoTurn(NoTurnReason.HOP_LIMIT_REACHED) == verdict.decision


def test_any_mapping_and_any_sequence_of_ids_will_do() -> None:
    """A caller in Python may give a mapping that is no dict and a tuple that is no list."""
    arguments = MappingProxyType({"to": ("checker",), "message": "m"})
    verdict = judge("desk_dm", arguments, speaker())
    assert isinstance(verdict, Accepted)
    assert Dm("m", ["checker"]) == verdict.utterance


# Refusals


@pytest.mark.parametrize(
    "tool,nearest",
    [
        ("desk_pots", "desk_post"),
        ("DESK_READ", "desk_read"),
        ("post", "desk_post"),
        ("dm", ""),
        ("desk_", "desk_dm"),
        ("", ""),
        ("shell", ""),
        ("desk_dm\ud800", "desk_dm"),
        (None, ""),
        (7, ""),
        (["desk_post"], ""),
        ({"name": "desk_post"}, ""),
    ],
)
def test_only_the_served_names_are_tools(tool: object, nearest: str) -> None:
    """Anything else is refused, with the served name most like it, if one is."""
    assert Refusal("unknown_tool", nearest) == judge(tool, {"message": "m"}, speaker())


def test_a_fence_seat_is_served_no_tool() -> None:
    """Every call of a fence seat is to an unknown tool, and no name would help it."""
    assert Refusal("unknown_tool") == judge("desk_post", {"message": "m"}, speaker(fence=True))


@pytest.mark.parametrize(
    "tool,arguments",
    [
        ("desk_post", None),
        ("desk_post", ["m"]),
        ("desk_post", "m"),
        ("desk_post", {"message": 7}),
        ("desk_post", {"message": "a\ud800"}),
        ("desk_post", {"message": "m", "to": ["checker"]}),
        ("desk_dm", {"to": "checker", "message": "m"}),
        ("desk_dm", {"to": ["checker", 7], "message": "m"}),
        ("desk_read", {"limit": True}),
        ("desk_read", {"message": "m"}),
    ],
)
def test_arguments_must_have_the_declared_names_and_types(tool: str, arguments: object) -> None:
    """Anything else is refused; tests/sentences/test_replies.py has what is told of each."""
    verdict = judge(tool, arguments, speaker())
    assert isinstance(verdict, Refusal)
    assert CallFault.BAD_ARGUMENTS == verdict.reason


@pytest.mark.parametrize(
    "message,size",
    [("x" * 11, "11"), ("é" * 6, "12"), ("x" + " " * 10, "11"), (" " * 11, "11"), ("🙂🙂🙂", "12")],
)
def test_a_message_is_measured_in_bytes_before_it_is_trimmed(message: str, size: str) -> None:
    """White space counts, and a character counts as many bytes as it has in UTF-8."""
    limited = speaker(Policy(max_message_bytes=10))
    assert Refusal("message_too_large", size) == judge("desk_post", {"message": message}, limited)


@pytest.mark.parametrize("message", ["x" * 10, "é" * 5, "x" + " " * 9])
def test_a_message_of_exactly_the_limit_is_not_too_large(message: str) -> None:
    """The limit itself is allowed."""
    verdict = judge("desk_post", {"message": message}, speaker(Policy(max_message_bytes=10)))
    assert isinstance(verdict, Accepted)


def test_ten_megabytes_are_too_large_and_one_is_not() -> None:
    """The default limit is one binary megabyte."""
    assert isinstance(judge("desk_post", {"message": "x" * 2**20}, speaker()), Accepted)
    expected = Refusal("message_too_large", "10000000")
    assert expected == judge("desk_post", {"message": "x" * 10**7}, speaker())


@pytest.mark.parametrize(
    "tool", ["desk_post", "desk_broadcast", "desk_complete_episode", "desk_dm"]
)
@pytest.mark.parametrize("arguments", [{}, {"message": ""}, {"message": " \u2003\n"}])
def test_a_blank_message_is_empty(tool: str, arguments: dict[str, str]) -> None:
    """No message and white space alone are refused alike, whatever the recipients are."""
    assert Refusal("empty_message") == judge(tool, arguments, speaker())


@pytest.mark.parametrize("to", [None, [], [""], ["@", " @@ "]])
def test_a_dm_to_no_id_has_no_recipients(to: list[str] | None) -> None:
    """A missing list, an empty one and one of blanks address nobody."""
    arguments = {"message": "m"} if to is None else {"message": "m", "to": to}
    assert Refusal("no_recipients") == judge("desk_dm", arguments, speaker())


@pytest.mark.parametrize(
    "to,nearest",
    [
        (["chekcer"], "checker"),
        (["Checker"], "checker"),
        (["checker", "zzz"], ""),
        (["old"], ""),
        (["sam"], ""),
        (["the checker"], "checker"),
        (["🙂"], ""),
        ([f"x{i}" for i in range(10_000)], ""),
        (["chec\u212aer" * 1000], ""),
    ],
)
def test_the_first_id_that_is_no_active_seat_is_an_unknown_recipient(
    to: list[str], nearest: str
) -> None:
    """Strangers, people and retired seats are refused, with the seat most like them, if one is."""
    arguments = {"to": to, "message": "m"}
    assert Refusal("unknown_recipient", nearest) == judge("desk_dm", arguments, speaker())


@pytest.mark.parametrize("to", [["solver"], ["@solver", " solver "]])
def test_a_dm_to_nobody_but_its_author_is_refused(to: list[str]) -> None:
    """A message to oneself reaches nobody."""
    assert Refusal("self_recipient") == judge("desk_dm", {"to": to, "message": "m"}, speaker())


def test_the_author_among_others_does_not_count_as_addressed() -> None:
    """A dm that also lists its author goes to the others."""
    verdict = judge("desk_dm", {"to": ["solver", "checker"], "message": "m"}, speaker())
    assert isinstance(verdict, Accepted)
    assert Audience("aside", ["checker"]) == verdict.committed.audience


DM = {"to": ["checker"], "message": "m"}
CROWD = {"to": ["checker", "theory"], "message": "m"}
OPEN_ASIDE = (
    aside_row(1, "solver", "checker"),
    Row(2, "d", Author("person", "sam"), "x", DESK),
)


@pytest.mark.parametrize(
    "aside,rows,arguments,reason",
    [
        (AsidePolicy(), (), DM, "disabled"),
        (AsidePolicy(enabled=True, max_members=1, max_messages=1), (), CROWD, "audience_too_large"),
        (
            AsidePolicy(enabled=True, max_members=1, max_messages=1, require_thread=True),
            (),
            DM,
            "thread_required",
        ),
        (
            AsidePolicy(enabled=True, max_members=1, max_messages=1),
            (aside_row(1, "theory", "checker"),),
            DM,
            "budget_spent",
        ),
        (
            AsidePolicy(enabled=True, max_members=1, max_messages=9, must_surface=True),
            OPEN_ASIDE,
            DM,
            "unsettled_aside",
        ),
    ],
)
def test_an_aside_that_the_policy_declines_is_refused_with_the_reason_itself(
    aside: AsidePolicy, rows: tuple[Row, ...], arguments: dict[str, Any], reason: str
) -> None:
    """What the refusal says is the policy's own reason."""
    policy = Policy(aside=aside)
    assert Refusal(reason) == judge("desk_dm", arguments, speaker(policy, rows=rows))


@pytest.mark.parametrize("tool", ["desk_post", "desk_broadcast", "desk_complete_episode"])
@pytest.mark.parametrize(
    "message,reason",
    [
        ("!aside hello", "no_audience"),
        ("!aside @solver", "no_audience"),
        ("!aside `@checker`", "no_audience"),
    ],
)
def test_a_marked_message_that_names_nobody_has_no_audience(
    tool: str, message: str, reason: str
) -> None:
    """The marker asks for an aside with whom the text names; an own id never becomes a mention."""
    assert Refusal(reason) == judge(tool, {"message": message}, speaker())


def test_a_marked_message_goes_to_whom_it_names() -> None:
    """The marker alone makes a post private."""
    verdict = judge("desk_post", {"message": " !aside @theory psst"}, speaker())
    assert isinstance(verdict, Accepted)
    assert Audience("aside", ["theory"]) == verdict.committed.audience


def test_a_declined_aside_goes_to_the_desk_where_the_policy_says_so() -> None:
    """Under ``room`` the call is accepted, for the desk, with the reason on it."""
    policy = Policy(on_refused_aside="room")
    verdict = judge("desk_dm", DM, speaker(policy))
    assert isinstance(verdict, Accepted)
    assert ("disabled", DESK) == (verdict.committed.refusal, verdict.committed.audience)


# Which of several reasons is told

LARGE = "x" * 11
PRECEDENCE: list[tuple[str, Any, Any]] = [
    ("unknown_tool", "desk_whisper", ["not", "an", "object"]),
    ("unknown_tool", 7, None),
    ("bad_arguments", "desk_post", {"message": LARGE, "to": []}),
    ("bad_arguments", "desk_dm", {"message": LARGE, "to": "checker"}),
    ("bad_arguments", "desk_dm", {"message": "", "to": [7]}),
    ("message_too_large", "desk_post", {"message": " " * 11}),
    ("message_too_large", "desk_dm", {"message": LARGE, "to": []}),
    ("message_too_large", "desk_dm", {"message": LARGE, "to": ["nobody"]}),
    ("empty_message", "desk_dm", {"message": " ", "to": []}),
    ("empty_message", "desk_dm", {"message": "", "to": ["nobody"]}),
    ("no_recipients", "desk_dm", {"message": "m", "to": [" "]}),
    ("unknown_recipient", "desk_dm", {"message": "m", "to": ["solver", "nobody"]}),
    ("unknown_recipient", "desk_dm", {"message": "m", "to": ["old", "checker", "theory"]}),
    ("self_recipient", "desk_dm", {"message": "m", "to": ["solver"]}),
    ("disabled", "desk_dm", {"message": "m", "to": ["checker", "theory"]}),
    ("disabled", "desk_post", {"message": "!aside"}),
]


@pytest.mark.parametrize("reason,tool,arguments", PRECEDENCE)
def test_the_first_reason_that_applies_is_told(
    reason: str, tool: object, arguments: object
) -> None:
    """A call with several faults is refused with the first of them in the order of the rules."""
    verdict = judge(tool, arguments, speaker(Policy(max_message_bytes=10)))
    assert isinstance(verdict, Refusal)
    assert reason == verdict.reason


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
TOOLS = st.sampled_from(
    ["desk_post", "desk_broadcast", "desk_dm", "desk_complete_episode", "desk_close", "desk_read"]
)
OBJECTS = st.dictionaries(st.sampled_from(["message", "to", "limit", "extra"]), JSON, max_size=4)


@pytest.mark.slow
@given(TOOLS | JSON, OBJECTS | JSON, st.booleans())
def test_any_call_gets_a_verdict(tool: object, arguments: object, fence: bool) -> None:
    """Whatever JSON a model emits is accepted, is a read, or is refused with a reason."""
    verdict = judge(tool, arguments, speaker(fence=fence))
    assert isinstance(verdict, Accepted | Read | Refusal)
    if isinstance(verdict, Accepted):
        assert verdict.committed.content.encode() != b""
