"""What seats are told, word by word: each sentence is pinned here and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from deskroom.core import (
    DESK,
    AsidePolicy,
    Audience,
    Author,
    Bookkeeping,
    Decision,
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
from deskroom.core.reasons import AsideReason, CallFault, NoTurnReason
from deskroom.engine.calls import Accepted, Refusal, Speaker, judge
from deskroom.engine.chair import nudge_text
from deskroom.engine.policy import Policy
from deskroom.engine.sentences import (
    SILENT_NOTE,
    accepted_text,
    explain_decision,
    files_text,
    note_sentence,
    read_text,
    refusal_text,
    seen_line,
)
from deskroom.runs.why import decision_clause
from deskroom.testing import broadcast, complete, dm, post
from deskroom.testing.calls import CallPair

TOOLS = "The tools are desk_post, desk_broadcast, desk_dm, desk_complete_episode, desk_read."
SEATS = "The other seats are checker, theory."
ASIDES = AsidePolicy(enabled=True, max_members=2, max_messages=3)


def speaker(
    *others: str,
    name: str | None = None,
    policy: Policy = Policy(aside=ASIDES),
    fence: bool = False,
    hop: int = 0,
) -> Speaker:
    """Return the seat ``solver`` on a desk with the others."""
    ids = ("solver", *others)
    members = [Member("solver", name), *(Member(id_) for id_ in others)]
    desks = DeskSet([Desk("d", "Desk", ids)])
    directory = Directory(Roster(members, [Person("sam", "Sam")]), desks)
    return Speaker("solver", hop, fence, directory, "d", policy, Bookkeeping())


SOLVER = speaker("checker", "theory")


def accepted(call: CallPair, by: Speaker = SOLVER) -> Accepted:
    """Return the verdict on a call that is accepted."""
    verdict = judge(*call, by)
    assert isinstance(verdict, Accepted)
    return verdict


def told(call: CallPair, by: Speaker = SOLVER, replaced: Accepted | None = None) -> str:
    """Return the reply to any call but a read."""
    verdict = judge(*call, by)
    if isinstance(verdict, Refusal):
        return refusal_text(verdict, by)
    assert isinstance(verdict, Accepted)
    return accepted_text(verdict, by, replaced=replaced)


# Refusals


@pytest.mark.parametrize(
    "refusal, sentence",
    [
        ("turn_ended", "This turn has ended. Say it in your next turn."),
        ("not_your_turn", "It is not your turn. Wait until you are given the turn."),
        ("too_many_calls", "You have made all 16 calls of this turn. End the turn."),
        ("unknown_tool", f"There is no such tool. {TOOLS}"),
        ("unknown_tool desk_dm", f"There is no such tool. Did you mean desk_dm? {TOOLS}"),
        ("bad_arguments it is {x}", "The arguments do not fit the tool: it is {x}."),
        (
            "message_too_large 1048577",
            (
                "The message has 1048577 bytes; at most 1048576 are allowed. Shorten it, or write it "
                "to a file and name the file."
            ),
        ),
        ("empty_message", "The message is blank. Say something, or end the turn."),
        (
            "no_recipients",
            "Nobody is addressed. List the ids of one or more seats in `to`.",
        ),
        ("unknown_recipient", f"An id in `to` is not an active seat. {SEATS}"),
        (
            "unknown_recipient theory",
            f"An id in `to` is not an active seat. Did you mean theory? {SEATS}",
        ),
        ("self_recipient", "You addressed only yourself, so nobody would read it."),
    ],
)
def test_a_refusal_says_what_was_wrong_and_what_would_work(refusal: str, sentence: str) -> None:
    """Each reason of a refused call has its own sentence; the case may give a detail too."""
    reason, _, detail = refusal.partition(" ")
    assert sentence == refusal_text(Refusal(CallFault(reason), detail), SOLVER)


@pytest.mark.parametrize(
    "reason, clause",
    [
        ("disabled", "this desk does not allow private messages"),
        ("source_inactive", "you are not an active seat"),
        ("author_not_on_desk", "you are not on this desk"),
        ("target_inactive", "a seat you addressed is not active"),
        ("target_not_on_desk", "a seat you addressed is not on this desk"),
        ("self_only", "you addressed only yourself"),
        ("no_audience", "nobody is addressed: name a seat with @id"),
        ("audience_too_large", "at most 2 seats may be addressed at once"),
        ("thread_required", "private messages need a thread"),
        ("budget_spent", "the desk has had 3 private messages in a row"),
        ("unsettled_aside", "you have not told the desk what came of your last aside with them"),
    ],
)
def test_a_declined_aside_says_why_and_that_nothing_was_published(reason: str, clause: str) -> None:
    """Each reason of the aside policy has its own clause."""
    expected = f"Nothing was published: {clause}. Say it to the whole desk, or leave it out."
    assert expected == refusal_text(Refusal(AsideReason(reason)), SOLVER)


@pytest.mark.parametrize(
    "call, near",
    [
        (dm("the\u043ery", "m"), "Did you mean theory, which differs in a look-alike letter, "),
        (("desk_d\uff4d", {}), "Did you mean desk_dm, which differs in a look-alike letter, "),
    ],
)
def test_a_name_that_looks_the_same_is_told_with_what_differs(call: CallPair, near: str) -> None:
    """Otherwise the seat would read its own word back."""
    assert near in told(call)


def test_every_reason_to_refuse_a_call_has_a_sentence() -> None:
    """No code reaches a seat bare, and no two sound alike."""
    told_ = [refusal_text(Refusal(reason), SOLVER) for reason in (*CallFault, *AsideReason)]
    assert all(text.endswith(".") for text in told_)
    assert len(set(told_)) == len(told_)


@pytest.mark.parametrize(
    "arguments, problem",
    [
        (None, "they must be one object, not null"),
        ([], "they must be one object, not a list"),
        (("message", "m"), "they must be one object, not a list"),
        ("message", "they must be one object, not a string"),
        (7, "they must be one object, not a number"),
        (1.5, "they must be one object, not a number"),
        (True, "they must be one object, not true or false"),
        ({"m"}, "they must be one object, not something else"),
        ({"message": None}, "message must be a string, not null"),
        ({"message": 7}, "message must be a string, not a number"),
        ({"message": ["m"]}, "message must be a string, not a list"),
        ({"message": {"text": "m"}}, "message must be a string, not an object"),
        ({"message": True}, "message must be a string, not true or false"),
        ({"message": b"m"}, "message must be a string, not something else"),
        (
            {"message": "a\ud800"},
            "message must be text that UTF-8 can hold; it has half of a surrogate pair",
        ),
        (
            {"to": ["checker"], "message": "m", "cc": []},
            "there is an argument that the tool does not have; it takes to, message",
        ),
        ({"not_json": "dict"}, "they hold a value that JSON cannot hold"),
        ({7: "m"}, "there is an argument that the tool does not have; it takes to, message"),
        ({"to": "checker", "message": "m"}, "to must be a list of strings, not a string"),
        ({"to": None, "message": "m"}, "to must be a list of strings, not null"),
        ({"to": {}, "message": "m"}, "to must be a list of strings, not an object"),
        (
            {"to": ["checker", 7], "message": "m"},
            "to has an entry that must be a string, not a number",
        ),
        (
            {"to": ["\udfff"], "message": "m"},
            (
                "to has an entry that must be text that UTF-8 can hold; it has half of a surrogate "
                "pair"
            ),
        ),
    ],
)
def test_arguments_that_do_not_fit_are_named(arguments: Any, problem: str) -> None:
    """The first argument that does not fit is told, with what it must be."""
    assert f"The arguments do not fit the tool: {problem}." == told(("desk_dm", arguments))


@pytest.mark.parametrize(
    "limit, noun",
    [
        (True, "true or false"),
        ("5", "a string"),
        (5.5, "one with a fraction"),
        (float("inf"), "one with a fraction"),
        (None, "null"),
    ],
)
def test_a_limit_must_be_a_whole_number(limit: object, noun: str) -> None:
    """The one number that a tool takes."""
    expected = f"The arguments do not fit the tool: limit must be a whole number, not {noun}."
    assert expected == told(("desk_read", {"limit": limit}))


def test_a_fence_seat_that_calls_is_told_how_it_is_heard() -> None:
    """A fence seat hears of no tool that it could not use."""
    by = speaker("checker", fence=True)
    assert "You have no tools: your message is read out of your text." == told(post("m"), by)


@pytest.mark.parametrize(
    "others, seats",
    [
        ((), "There is no other seat."),
        (("b",), "The other seats are b."),
        (
            tuple(f"s{at}" for at in range(8)),
            "The other seats are s0, s1, s2, s3, s4, s5, s6, s7.",
        ),
        (
            tuple(f"s{at}" for at in range(9)),
            "The other seats are s0, s1, s2, s3, s4, s5, s6, s7, and others.",
        ),
    ],
)
def test_a_list_of_seats_is_cut(others: tuple[str, ...], seats: str) -> None:
    """At most eight other seats are named."""
    expected = f"An id in `to` is not an active seat. {seats}"
    assert expected == refusal_text(Refusal(CallFault.UNKNOWN_RECIPIENT), speaker(*others))


# What an accepted message will do

NO_NAME = "It wakes nobody: no @id in it names a seat."


@pytest.mark.parametrize(
    "call, sentences",
    [
        (post("@checker go"), "The turn goes to checker."),
        (post("go"), NO_NAME),
        (post("@solver go"), "It wakes nobody: no @id in it names a seat. @solver is yourself."),
        (complete("done, @theory"), "It marks your work as done. The turn goes to theory."),
        (broadcast("who?"), "A router chooses who takes it up."),
        (
            dm("checker", "m"),
            "Of the seats, only checker will read it. The turn goes to checker.",
        ),
        (
            dm(["theory", "checker"], "m"),
            "Of the seats, only theory and checker will read it. The turn goes to theory.",
        ),
        (
            dm(["checker", "theory"], "@theory m"),
            "Of the seats, only checker and theory will read it. The turn goes to theory.",
        ),
        (
            dm("checker", "@theory m"),
            (
                f"Of the seats, only checker will read it. {NO_NAME} "
                "@theory cannot read this and is not woken."
            ),
        ),
        (
            dm(["checker", "theory"], "m @zz @yy"),
            (
                "Of the seats, only checker and theory will read it. The turn goes to checker. "
                "@zz is nobody here. @yy is nobody here."
            ),
        ),
        (
            post("!aside @checker @theory m"),
            "Of the seats, only checker and theory will read it. The turn goes to checker.",
        ),
    ],
)
def test_an_accepted_message_is_told_what_it_will_do(call: CallPair, sentences: str) -> None:
    """Who reads it, whom it wakes, and what was not read as a mention, in that order."""
    assert f"Accepted. {sentences}" == told(call)


REPLACES = "Accepted. It replaces your earlier message of this turn."


@pytest.mark.parametrize(
    "before, call, sentences",
    [
        (post("one"), post("@checker"), "The turn goes to checker."),
        (
            complete("one"),
            post("@checker"),
            "Your completion no longer counts. The turn goes to checker.",
        ),
        (
            complete("one"),
            complete("@checker"),
            "It marks your work as done. The turn goes to checker.",
        ),
        (
            post("one"),
            complete("@checker"),
            "It marks your work as done. The turn goes to checker.",
        ),
    ],
)
def test_a_message_that_replaces_another_says_so(
    before: CallPair, call: CallPair, sentences: str
) -> None:
    """The last accepted call stands, and a completion that it replaces counts no longer."""
    assert f"{REPLACES} {sentences}" == told(call, replaced=accepted(before))


def test_a_declined_aside_that_goes_to_the_desk_says_why() -> None:
    """Under ``room`` the seat hears before its turn ends that everybody will read it."""
    by = speaker("checker", policy=Policy(on_refused_aside="room"))
    expected = (
        "Accepted. It is not private, the whole desk will read it: this desk does not allow "
        "private messages. The turn goes to checker."
    )
    assert expected == told(dm("checker", "m"), by)


@pytest.mark.parametrize(
    "call, dispatch, hop, why",
    [
        (post("@checker"), {"enabled": False}, 0, "mentions start no turns in this room"),
        (
            post("@checker"),
            {"max_hops": 3},
            3,
            "the chain of mentions is at its limit of 3 hops",
        ),
        (
            broadcast("who?"),
            {"max_hops": 3},
            3,
            "the chain of mentions is at its limit of 3 hops",
        ),
    ],
)
def test_a_message_that_policy_keeps_from_counting_says_why(
    call: CallPair, dispatch: dict[str, Any], hop: int, why: str
) -> None:
    """A mention or a broadcast that wakes nobody is explained by the rule that says so."""
    by = speaker("checker", policy=Policy(dispatch=DispatchPolicy(**dispatch)), hop=hop)
    assert f"Accepted. It wakes nobody: {why}." == told(call, by)


def test_a_broadcast_on_a_desk_of_one_seat_says_that_nobody_takes_it_up() -> None:
    """No router is asked, and none is spoken of."""
    assert "Accepted. It wakes nobody: no seat can take it up." == told(
        broadcast("who?"), speaker()
    )


# What is said of each @


@pytest.mark.parametrize(
    "message, note",
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
        (
            "@checker\n\u200b@theory",
            (
                "@theory is not read: an invisible character, U+200B (ZERO WIDTH SPACE) at byte 9, "
                "line 2, column 1, stands right before the @."
            ),
        ),
        (
            "@checker @\u2060theory",
            (
                "@\u2060theory is not read: an invisible character, U+2060 (WORD JOINER) at byte "
                "10, line 1, column 11, stands right behind the @."
            ),
        ),
        (
            "@checker @theory\ufe0f",
            (
                "@theory\ufe0f is nobody here: an invisible character, U+FE0F (VARIATION "
                "SELECTOR-16) at byte 16, line 1, column 17, stands in the name; did you mean "
                "@theory?"
            ),
        ),
        (
            "@checker @the\u043ery",
            (
                "@the\u043ery is nobody here; did you mean @theory, which differs in a look-alike "
                "letter, U+043E (CYRILLIC SMALL LETTER O)?"
            ),
        ),
        (
            "@checker @theory、@solver。",
            (
                "@theory、 is not read: another @ stands in the same word. "
                "@solver。 is not read: an @ counts only at the start, or after a space, a new line "
                "or one of ( [ {."
            ),
        ),
    ],
)
def test_each_at_that_is_no_mention_that_counts_is_named(message: str, note: str) -> None:
    """Behind the sentence on who is next, each other @ is explained."""
    assert f"Accepted. The turn goes to checker. {note}" == told(post(message))


def test_an_ambiguous_name_lists_what_it_may_mean() -> None:
    """A name of two seats is nobody's, and both are told."""
    expected = (
        f"Accepted. {NO_NAME} "
        "@checker may mean the seat solver or the seat checker, so it is nobody."
    )
    assert expected == told(post("@checker"), speaker("checker", name="Checker"))


def test_only_the_first_eight_ats_that_do_not_count_are_explained() -> None:
    """A message of nothing but marks gets a reply of bounded length, which says so."""
    eight = " ".join(["@zzzz is nobody here."] * 8)
    assert f"Accepted. {NO_NAME} {eight}" == told(post("@zzzz " * 8))
    more = f"Accepted. {NO_NAME} {eight} There are more that do not count."
    assert [more, more] == [told(post("@zzzz " * 9)), told(post("@zzzz " * 5000))]


@pytest.mark.parametrize(
    "note, sentence",
    [
        (Note("@x", 0, "not_a_seat", None), "@x is nobody and takes no turn."),
        (
            Note("@#d@x", 0, "no_name", None),
            "@#d@x is not read: another @ stands in the same word.",
        ),
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
def test_a_note_is_one_sentence(note: Note, sentence: str) -> None:
    """A verdict on one @ reads as a sentence of its own."""
    assert sentence == note_sentence(note)


# Decisions


@pytest.mark.parametrize(
    "decision, clause",
    [
        (TurnFor("b", 1, Mention(agent("b"), "@b", 4)), "'@b' at byte 4 is the first seat named"),
        (TurnFor("b", 1, Mention(agent("b"), "@b", 0)), "the message is addressed to it"),
        (TurnFor("a", 0), "nobody was named, and it leads the desk"),
    ],
)
def test_a_decision_is_a_clause(decision: Decision, clause: str) -> None:
    """Who is next and what chose it."""
    assert clause == explain_decision(decision, 5, "é! @b go")


CLAUSES = {
    "disabled": "mentions start no turns in this room",
    "hop_limit_reached": "the chain of mentions is at its limit of 5 hops",
    "source_inactive": "you are not an active seat",
    "no_direct_agent_mention": "no @id in it names a seat",
    "self_mention": "the first seat it names is you",
    "target_inactive": "the first seat it names is not active",
    "hop_overflow": "the chain of mentions is too long to count",
    "broadcast": "a router chooses who takes it up",
    "no_active_seat": "no seat can take it up",
}


@pytest.mark.parametrize("reason", NoTurnReason)
def test_no_turn_is_a_clause_for_its_author_and_for_others(reason: NoTurnReason) -> None:
    """Where it speaks of ``you``, others hear another clause, and otherwise the same."""
    clause = explain_decision(NoTurn(reason), 5)
    others = decision_clause(NoTurn(reason), "a", 5, "")
    assert CLAUSES[reason] == clause
    assert ("you" not in clause.split()) == (clause == others)
    assert "you" not in others.split()


# The chair, and what the room says by itself

NOT_HEARD = "@b the room has not heard you yet. Say what you have, or who should go on."


@pytest.mark.parametrize(
    "has_spoken, narrated, sentence",
    [
        (
            True,
            [],
            (
                "@b the room waits for your next step. Say it, hand the turn on, or complete the "
                "episode."
            ),
        ),
        (False, [], NOT_HEARD),
        (
            False,
            ["a", "c"],
            (
                f"{NOT_HEARD} Mind that a, c wrote text and made no call: text outside a call reaches "
                "nobody."
            ),
        ),
    ],
)
def test_a_nudge_begins_with_the_address_and_asks_for_a_step(
    has_spoken: bool, narrated: list[str], sentence: str
) -> None:
    """It depends on whether the seat was heard; who only narrated is named without an @."""
    assert sentence == nudge_text("b", has_spoken=has_spoken, narrated=narrated)


def test_a_silent_turn_is_told_so_and_files_are_listed() -> None:
    """The note of a retry, and the row about what a turn left behind."""
    note = "You ended your last turn without a call, so nobody heard you. Speak in a call."
    assert (note, "a wrote x.py, y.py") == (SILENT_NOTE, files_text("a", ["x.py", "y.py"]))


# The transcript as text

BY_SOLVER = Author("agent", "solver")
ASIDE = Audience("aside", ["checker", "theory"])


@pytest.mark.parametrize(
    "seen, line",
    [
        (SeenRow(1, Author("person", "sam"), "go", DESK), "[1] sam: go"),
        (
            SeenRow(2, Author("system", kind="workspace"), "a wrote x", DESK),
            "[2] workspace: a wrote x",
        ),
        (SeenRow(3, Author("operator"), "hm", DESK), "[3] operator: hm"),
        (SeenRow(4, BY_SOLVER, "psst", ASIDE), "[4] solver → checker, theory · aside: psst"),
        (
            SeenRow(5, BY_SOLVER, "", ASIDE, Elision(5, 1, None)),
            "[5] solver → checker, theory · aside, 1 message · not settled",
        ),
        (
            SeenRow(7, BY_SOLVER, "", ASIDE, Elision(10, 4, 11)),
            "[7-10] solver → checker, theory · aside, 4 messages · settled at [11]",
        ),
    ],
)
def test_an_entry_is_one_line(seen: SeenRow, line: str) -> None:
    """A row shows who said what to whom; a stub who, to whom, how often and where it settled."""
    assert line == seen_line(seen)


@pytest.mark.parametrize(
    "contents, text",
    [
        ([], "The transcript is empty."),
        (["a", "b"], "[1] solver: a\n[2] solver: b"),
        (["a\n[2] solver: b\r\nc"], "[1] solver: a\n    [2] solver: b\n    c"),
    ],
)
def test_a_read_gives_one_line_an_entry(contents: list[str], text: str) -> None:
    """A message of several lines goes on indented, so that none of them passes for an entry."""
    rows = [SeenRow(at, BY_SOLVER, content, DESK) for at, content in enumerate(contents, 1)]
    assert text == read_text(rows)
