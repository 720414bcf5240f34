"""What seats are told: every sentence, word by word, since a seat has nothing else to go by."""

from __future__ import annotations

import pytest

from deskroom.core import (
    DESK,
    AsidePolicy,
    Audience,
    Author,
    Bookkeeping,
    Desk,
    DeskSet,
    Directory,
    DispatchPolicy,
    Elision,
    Member,
    Mention,
    Note,
    NoTurn,
    Person,
    Roster,
    SeenRow,
    Target,
    TurnFor,
    agent,
)
from deskroom.core.reasons import NoTurnReason
from deskroom.engine.calls import Accepted, Refusal, Speaker, judge
from deskroom.engine.policy import Policy
from deskroom.engine.sentences import (
    accepted_text,
    explain_decision,
    note_sentence,
    read_text,
    refusal_text,
    seen_line,
)
from deskroom.testing import broadcast, complete, dm, post
from deskroom.testing.calls import CallPair

TOOLS = "The tools are desk_post, desk_broadcast, desk_dm, desk_complete_episode, desk_read."


def speaker(
    *others: str,
    name: str | None = None,
    policy: Policy = Policy(
        aside=AsidePolicy(enabled=True, max_members=2, max_messages=3), max_message_bytes=2**20
    ),
    fence: bool = False,
    hop: int = 0,
) -> Speaker:
    """Return the seat ``solver`` on a desk with the others."""
    ids = ("solver", *(others or ("checker", "theory")))
    members = [Member("solver", name), *(Member(id_) for id_ in ids[1:])]
    desks = DeskSet([Desk("d", "Desk", ids)])
    directory = Directory(Roster(members, [Person("sam", "Sam")]), desks)
    return Speaker("solver", hop, fence, directory, "d", policy, Bookkeeping())


def told(call: CallPair, by: Speaker, *, replaces: bool = False) -> str:
    """Return the reply to a call that is accepted."""
    verdict = judge(*call, by)
    assert isinstance(verdict, Accepted)
    return accepted_text(verdict, by, replaces=replaces)


# Refusals


@pytest.mark.parametrize(
    "refusal,text",
    [
        (Refusal("turn_ended"), "This turn has ended; say it in your next one."),
        (
            Refusal("not_your_turn"),
            "It is not your turn; wait until the turn is given to you.",
        ),
        (Refusal("too_many_calls"), "This turn has used up its 16 calls; end it."),
        (Refusal("unknown_tool"), f"There is no such tool. {TOOLS}"),
        (
            Refusal("unknown_tool", "desk_dm"),
            f"There is no such tool. Did you mean desk_dm? {TOOLS}",
        ),
        (
            Refusal("bad_arguments", "message must be {a} string"),
            "The arguments are not what the tool takes: message must be {a} string.",
        ),
        (
            Refusal("message_too_large", "1048577"),
            (
                "The message has 1048577 bytes and the most is 1048576; say it more shortly, or leave "
                "it in a file and name the file."
            ),
        ),
        (Refusal("empty_message"), "The message is blank; say something, or end the turn."),
        (
            Refusal("no_recipients"),
            "Nobody is addressed: list the ids of one or more seats in `to`.",
        ),
        (
            Refusal("unknown_recipient"),
            "One of the ids in `to` is no active seat. The other seats are checker, theory.",
        ),
        (
            Refusal("unknown_recipient", "theory"),
            (
                "One of the ids in `to` is no active seat. Did you mean theory? "
                "The other seats are checker, theory."
            ),
        ),
        (
            Refusal("self_recipient"),
            "You are the only one addressed; a message to yourself reaches nobody.",
        ),
    ],
)
def test_a_refusal_says_what_was_wrong_and_what_would_work(refusal: Refusal, text: str) -> None:
    """Each word of refusal has its own sentence."""
    assert text == refusal_text(refusal, speaker())


@pytest.mark.parametrize(
    "reason,why",
    [
        ("disabled", "this desk has no private talk"),
        ("source_inactive", "you are not an active seat"),
        ("author_not_on_desk", "you are not on this desk"),
        ("target_inactive", "somebody addressed is not an active seat"),
        ("target_not_on_desk", "somebody addressed is not on this desk"),
        ("self_only", "you are the only one addressed"),
        ("no_audience", "nobody is addressed: name a seat with @id"),
        ("audience_too_large", "at most 2 may be addressed at once"),
        ("thread_required", "private talk needs a thread"),
        ("budget_spent", "the desk has had 3 private messages in a row"),
        ("unsettled_aside", "you owe the desk a word about your last aside with them"),
    ],
)
def test_a_declined_aside_says_why_and_that_nothing_was_published(reason: str, why: str) -> None:
    """Each reason of the aside policy has its own clause."""
    expected = f"Nothing was published: {why}. Say it to the desk, or leave it out."
    assert expected == refusal_text(Refusal(reason), speaker())


def test_a_fence_seat_that_calls_is_told_how_it_is_heard() -> None:
    """A fence seat hears of no tool that it could not use."""
    expected = "You are served no tools: what you say is read out of your text."
    assert expected == refusal_text(Refusal("unknown_tool"), speaker(fence=True))


def test_a_long_list_of_seats_is_cut() -> None:
    """At most eight other seats are named."""
    many = speaker(*(f"s{i}" for i in range(9)))
    text = refusal_text(Refusal("unknown_recipient"), many)
    assert text.endswith(" The other seats are s0, s1, s2, s3, s4, s5, s6, s7, and others.")


def test_a_seat_that_is_alone_is_told_so() -> None:
    """There is nobody whom a private message could reach."""
    alone = Directory(Roster([Member("solver")]), DeskSet([Desk("d", "Desk", ["solver"])]))
    by = Speaker(
        "solver", 0, fence=False, directory=alone, desk_id="d", policy=Policy(), books=Bookkeeping()
    )
    expected = "One of the ids in `to` is no active seat. There is no other seat."
    assert expected == refusal_text(Refusal("unknown_recipient"), by)


# What an accepted message will do


@pytest.mark.parametrize(
    "call,text",
    [
        (post("@checker go"), "Accepted. The turn goes to checker."),
        (post("go"), "Accepted. It wakes nobody: no seat is named by an @id that counts."),
        (
            complete("done, @theory"),
            "Accepted. It marks your work as done. The turn goes to theory.",
        ),
        (broadcast("who?"), "Accepted. The room picks who takes it up."),
        (
            dm("checker", "m"),
            "Accepted. Of the seats, only checker will read it. The turn goes to checker.",
        ),
        (
            dm(["theory", "checker"], "m"),
            "Accepted. Of the seats, only theory and checker will read it. The turn goes to theory.",
        ),
        (
            dm(["checker", "theory"], "@theory m"),
            "Accepted. Of the seats, only checker and theory will read it. The turn goes to theory.",
        ),
        (
            dm("checker", "@theory m"),
            (
                "Accepted. Of the seats, only checker will read it. "
                "It wakes nobody: no seat is named by an @id that counts. "
                "@theory cannot read this and is not woken."
            ),
        ),
        (
            dm(["checker", "theory"], "m @zz @yy"),
            (
                "Accepted. Of the seats, only checker and theory will read it. The turn goes to checker. "
                "@zz is nobody here. @yy is nobody here."
            ),
        ),
        (
            post("!aside @checker @theory m"),
            "Accepted. Of the seats, only checker and theory will read it. The turn goes to checker.",
        ),
    ],
)
def test_an_accepted_message_is_told_what_it_will_do(call: CallPair, text: str) -> None:
    """Who reads it, whom it wakes, and what was not read as a mention, in that order."""
    assert text == told(call, speaker())


def test_a_message_that_replaces_another_says_so() -> None:
    """The last accepted call stands, and the seat is told."""
    expected = "Accepted. It replaces what you said before in this turn. The turn goes to checker."
    assert expected == told(post("@checker"), speaker(), replaces=True)


def test_a_declined_aside_that_goes_to_the_desk_says_why() -> None:
    """Under ``room`` the seat hears before its turn ends that everybody will read it."""
    by = speaker(policy=Policy(on_refused_aside="room"))
    expected = (
        "Accepted. It goes to the whole desk, not in private: this desk has no private talk. "
        "The turn goes to checker."
    )
    assert expected == told(dm("checker", "m"), by)


@pytest.mark.parametrize(
    "policy,hop,why",
    [
        (DispatchPolicy(enabled=False), 0, "mentions start no turns in this room"),
        (DispatchPolicy(max_hops=3), 3, "the chain of mentions has reached its limit of 3 hops"),
    ],
)
def test_a_mention_that_policy_keeps_from_counting_says_why(
    policy: DispatchPolicy, hop: int, why: str
) -> None:
    """A well-formed mention that wakes nobody is explained by the rule that said so."""
    by = speaker(policy=Policy(dispatch=policy), hop=hop)
    assert f"Accepted. It wakes nobody: {why}." == told(post("@checker"), by)


@pytest.mark.parametrize(
    "message,note",
    [
        ("@checker and `@theory`", "@theory` is inside code and is not read."),
        (
            "@checker and x@theory",
            (
                "@theory is not read: an @ counts only at the start, or after a space, a new line or "
                "one of ( [ {."
            ),
        ),
        ("@checker at @ noon", "@ is not read: no name stands right behind the @."),
        ("@checker @solver", "@solver is yourself."),
        ("@checker @checker", "@checker was named before and does not count again."),
        ("@checker @sam", "@sam is the person sam and takes no turn."),
        ("@checker @#d", "@#d is the desk d and takes no turn."),
        ("@checker @here", "@here is everyone and takes no turn."),
        ("@checker @theroy", "@theroy is nobody here; did you mean @theory?"),
        ("@checker @qqqqqq", "@qqqqqq is nobody here."),
    ],
)
def test_each_at_that_is_no_mention_that_counts_is_named(message: str, note: str) -> None:
    """Behind the sentence on who is next, each other @ is explained."""
    assert f"Accepted. The turn goes to checker. {note}" == told(post(message), speaker())


def test_a_name_that_runs_into_another_is_told_so() -> None:
    """A name stands right behind the @, and the second @ in the same word is what spoils it."""
    note = "@theory、 is not read: another @ stands in the same word."
    assert note in told(post("ask @theory、@solver。"), speaker())
    desk_note = "@#d is not read: another @ stands in the same word."
    assert desk_note in told(post("ask @#d@x"), speaker())


def test_an_ambiguous_name_lists_what_it_may_mean() -> None:
    """A name of two seats is nobody's, and both are told."""
    expected = (
        "Accepted. It wakes nobody: no seat is named by an @id that counts. "
        "@checker may mean the seat solver or the seat checker, so it is nobody."
    )
    assert expected == told(post("@checker"), speaker(name="Checker"))


def test_only_the_first_eight_ats_that_do_not_count_are_explained() -> None:
    """A message of nothing but marks gets a reply of bounded length, which says that there is more."""
    text = told(post("@zzzz " * 5000), speaker())
    assert 8 == text.count("@zzzz is nobody here.")
    assert text.endswith(" There are more that do not count.")
    eight = told(post("@checker " + "@zzzz " * 8), speaker())
    assert (8, False) == (eight.count("@zzzz is nobody here."), "There are more" in eight)


@pytest.mark.parametrize(
    "note,text",
    [
        (Note("@x", 0, "quiet", None), "@x was named before and does not count again."),
        (Note("@x", 0, "not_a_seat", None), "@x is nobody and takes no turn."),
        (
            Note(
                "@x",
                0,
                "ambiguous",
                candidates=(agent("a"), Target("person", "b"), Target("desk", "c")),
            ),
            "@x may mean the seat a, the person b or the desk c, so it is nobody.",
        ),
    ],
)
def test_a_note_is_one_sentence(note: Note, text: str) -> None:
    """A verdict on one @ reads as a sentence of its own."""
    assert text == note_sentence(note)


# Decisions


@pytest.mark.parametrize(
    "decision,text",
    [
        (TurnFor("b", 1, Mention(agent("b"), "@b", 4)), "'@b' at byte 4 is the first seat named"),
        (TurnFor("b", 1, Mention(agent("b"), "@b", 0)), "the message is addressed to it"),
        (TurnFor("a", 0), "nobody was named, and it leads the desk"),
        (NoTurn(NoTurnReason.BROADCAST), "a broadcast is routed"),
        (NoTurn(NoTurnReason.SELF_MENTION), "it names you"),
        (NoTurn(NoTurnReason.TARGET_INACTIVE), "the seat it names is not active"),
        (NoTurn(NoTurnReason.SOURCE_INACTIVE), "you are not an active seat"),
        (
            NoTurn(NoTurnReason.HOP_LIMIT_REACHED),
            "the chain of mentions has reached its limit of 5 hops",
        ),
        (NoTurn(NoTurnReason.HOP_OVERFLOW), "the chain of mentions is too long to count"),
        (NoTurn(NoTurnReason.NO_ACTIVE_SEAT), "no seat is active"),
        (NoTurn("some_new_reason"), "some_new_reason"),
    ],
)
def test_a_decision_is_a_clause(decision: TurnFor | NoTurn, text: str) -> None:
    """Who is next and what chose it, or the rule that said nobody is."""
    assert text == explain_decision(decision, 5, "é! @b go")


# The transcript as text

SOLVER = Author("agent", "solver")
ASIDE = Audience("aside", ["checker", "theory"])


@pytest.mark.parametrize(
    "seen,line",
    [
        (SeenRow(1, Author("person", "sam"), "go", DESK), "[1] sam: go"),
        (
            SeenRow(2, Author("system", kind="workspace"), "a wrote x", DESK),
            "[2] workspace: a wrote x",
        ),
        (SeenRow(3, Author("operator"), "hm", DESK), "[3] operator: hm"),
        (SeenRow(4, SOLVER, "psst", ASIDE), "[4] solver → checker, theory · aside: psst"),
        (
            SeenRow(5, SOLVER, "", ASIDE, Elision(5, 1, None)),
            "[5] solver → checker, theory · aside, 1 message · not settled",
        ),
        (
            SeenRow(7, SOLVER, "", ASIDE, Elision(10, 4, 11)),
            "[7-10] solver → checker, theory · aside, 4 messages · settled at [11]",
        ),
    ],
)
def test_an_entry_is_one_line(seen: SeenRow, line: str) -> None:
    """A row shows who said what to whom; a stub who, to whom, how often and where it settled."""
    assert line == seen_line(seen)


def test_a_read_gives_one_line_an_entry() -> None:
    """The entries are lines, in order."""
    rows = [SeenRow(1, SOLVER, "a", DESK), SeenRow(2, SOLVER, "b", DESK)]
    assert "[1] solver: a\n[2] solver: b" == read_text(rows)


def test_a_read_of_nothing_says_so() -> None:
    """An empty transcript is a sentence and not an empty reply."""
    assert "The transcript is empty." == read_text(())
