from __future__ import annotations

from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.text import Text

from deskroom import Reply, Room, SimulatedClock
from deskroom.core import AsidePolicy, DispatchPolicy, Person
from deskroom.engine.policy import Policy
from deskroom.engine.setup import Seat
from deskroom.render.cells import cell_width
from deskroom.render.explain import (
    Explanation,
    explain_person,
    explain_seat,
    explanation_json,
    explanation_lines,
)
from deskroom.scenario import DeskSpec

LEAD, SOLVER, CHECKER = Seat(id="lead", name="LEAD"), Seat(id="solver"), Seat(id="checker")
FENCE = Seat(id="fence", fence=True)
SAM = Person("sam", "Sam Lee")
DESK = DeskSpec(id="d", name="D", seats=(LEAD, SOLVER, CHECKER, FENCE), people=(SAM,))
ASIDES = Policy(aside=AsidePolicy(enabled=True, max_members=1, max_messages=3))


def by_lead(message: str, policy: Policy | None = None, **said: Any) -> Explanation:
    """Explain a message of the lead's."""
    return explain_seat(message, LEAD, DESK, policy or Policy(), **said)


def lines(told: Explanation, **how: Any) -> list[str]:
    """Return the explanation as text."""
    return [line.plain for line in explanation_lines(told, **how)]


def test_a_message_is_explained_mark_by_mark_and_then_as_a_whole() -> None:
    """Every ``@`` has its place, its verdict and its reason; the reply is the room's own."""
    told = by_lead("ask `@solver` or\n**@SOLVER**, @checker")
    assert [
        "lead · desk_post, at hop 0",
        "",
        "  ask `@solver` or",
        "      ~~~~~~~~~",
        "  **@SOLVER**, @checker",
        "    ^^^^^^^^^  ^^^^^^^^",
        "  (~ is code, ^ is an @)",
        "",
        "  line 1, column 6, byte 5: masked: @solver` is inside code and is not read.",
        (
            "  line 2, column 3, byte 19: no_opener: @SOLVER** is not read: an @ counts only at the start, or after a space, a "
            "new line or one of ( [ {."
        ),
        "  line 2, column 14, byte 30: mention: @checker is the seat checker, the first one named: it gets the turn.",
        "",
        "audience: desk",
        "next:     checker: '@checker' at byte 30 is the first seat named",
        (
            "reply:    Accepted. The turn goes to checker. @solver` is inside code and is not read. "
            "@SOLVER** is not read: an @ counts only at the start, or after a space, a new line or one "
            "of ( [ {."
        ),
    ] == lines(told)


@pytest.mark.parametrize(
    "message, verdict, sentence",
    [
        (
            "@checker",
            "mention",
            ("@checker is the seat checker, the first one named: it gets the turn."),
        ),
        (
            "@solver @checker",
            "mention",
            ("@checker is the seat checker; only the first one named gets the turn."),
        ),
        ("@cheker", "unknown", "@cheker is nobody here; did you mean @checker?"),
        (
            "x@y",
            "no_opener",
            (
                "@y is not read: an @ counts only at the start, or after a space, a "
                "new line or one of ( [ {."
            ),
        ),
        ("@", "no_name", "@ is not read: no name stands right behind the @."),
        ("`@x`", "masked", "@x` is inside code and is not read."),
        ("@Lead", "self", "@Lead is yourself."),
        ("@sam_lee", "not_a_seat", "@sam_lee is the person sam and takes no turn."),
        ("@checker @checker", "quiet", "@checker was named before and does not count again."),
    ],
)
def test_each_verdict_has_its_reason(message: str, verdict: str, sentence: str) -> None:
    """Here of the last ``@`` of a message."""
    told = by_lead(message)
    assert (verdict, sentence) == (told.notes[-1].verdict, told.sentence(told.notes[-1]))


def test_an_ambiguous_name_is_told_with_what_it_may_mean() -> None:
    """Nobody gets the turn by it."""
    desk = DeskSpec(id="d", name="D", seats=(LEAD, Seat(id="a", name="Bob"), Seat(id="bob")))
    told = explain_seat("@bob", LEAD, desk, Policy())
    assert "@bob may mean the seat a or the seat bob, so it is nobody." == told.sentence(
        told.notes[0]
    )
    [note] = explanation_json(told)["mentions"]
    assert ("ambiguous", ["a", "bob"]) == (note["verdict"], note["candidates"])


def test_a_private_message_says_who_reads_it_and_who_cannot() -> None:
    """Whoever is named in it and not addressed is not woken."""
    told = by_lead("hide it from @checker", ASIDES, to=["solver"])
    assert [
        "lead · desk_dm to solver, at hop 0",
        "",
        "  hide it from @checker",
        "               ^^^^^^^^",
        "  (^ is an @)",
        "",
        "  column 14, byte 13: mention: @checker cannot read this and is not woken.",
        "",
        "audience: only solver",
        "next:     nobody: no @id in it names a seat",
        (
            "reply:    Accepted. Of the seats, only solver will read it. It wakes nobody: no @id "
            "in it names a seat. @checker cannot read this and is not woken."
        ),
    ] == lines(told)
    named = by_lead("look, @solver", ASIDES, to=["solver"])
    assert "the first one named: it gets the turn" in named.sentence(named.notes[0])


def test_an_address_alone_hands_on_the_turn() -> None:
    """As in the room."""
    told = by_lead("look", ASIDES, to=["solver"])
    assert ["next:     solver: the message is addressed to it"] == lines(told)[-2:-1]


@pytest.mark.parametrize(
    "message, to, word, reply",
    [
        (
            "x",
            ["solvr"],
            "unknown_recipient",
            (
                "An id in `to` is not an active seat. Did you "
                "mean solver? The other seats are solver, checker, fence."
            ),
        ),
        (
            "x",
            ["solver"],
            "disabled",
            (
                "Nothing was published: this desk does not allow private messages. "
                "Say it to the whole desk, or leave it out."
            ),
        ),
        (" ", [], "empty_message", "The message is blank. Say something, or end the turn."),
        (
            "\udcff",
            [],
            "bad_arguments",
            (
                "The arguments do not fit the tool: message must be "
                "text that UTF-8 can hold; it has half of a surrogate pair."
            ),
        ),
    ],
)
def test_a_refused_message_is_shown_with_its_refusal(
    message: str, to: list[str], word: str, reply: str
) -> None:
    """There is no row, so nobody is next."""
    told = by_lead(message, to=to)
    assert [
        "  there is no @ in it",
        "",
        f"refused:  {word}",
        "audience: nobody: there is no row",
        f"reply:    {reply}",
    ] == lines(told)[-5:]
    assert {"accepted": False, "refusal": word, "audience": None, "next": None} == {
        key: explanation_json(told)[key] for key in ("accepted", "refusal", "audience", "next")
    }


def test_a_private_message_that_goes_to_the_desk_says_so() -> None:
    """It is taken, and the refusal stays with it."""
    told = by_lead("x", Policy(on_refused_aside="room"), to=["solver"])
    assert ["refused:  disabled, so it is not private", "audience: desk"] == lines(told)[-4:-2]


def test_a_broadcast_and_a_completion_are_calls_of_their_own() -> None:
    """Their replies and what comes next are their own, too."""
    told = by_lead("@solver?", way="broadcast")
    assert "@solver is the seat solver." == told.sentence(told.notes[0])
    assert [
        "audience: desk",
        "next:     a router chooses who takes it up",
        "reply:    Accepted. A router chooses who takes it up.",
    ] == lines(told)[-3:]
    assert [
        "audience: desk",
        "completes: yes",
        "next:     solver: '@solver' at byte 6 is the first seat named",
        "reply:    Accepted. It marks your work as done. The turn goes to solver.",
    ] == lines(by_lead("done, @solver", way="complete_episode"))[-4:]


def test_the_hop_and_the_policy_decide_as_in_the_room() -> None:
    """At the limit a name wakes nobody, and no ``@`` is said to get the turn."""
    told = by_lead("@solver", Policy(dispatch=DispatchPolicy(max_hops=2)), hop=2)
    assert "@solver is the seat solver." == told.sentence(told.notes[0])
    assert "the chain of mentions is at its limit of 2 hops" == told.why


def test_a_seat_without_tools_is_read_out_of_its_text() -> None:
    """And told nothing; a call of its own is refused."""
    told = explain_seat("hm <<<POST @solver go POST>>>", FENCE, DESK, Policy())
    assert [
        "fence (a seat without tools), at hop 0",
        "",
        "  @solver go",
        "  ^^^^^^^",
        "  (^ is an @)",
        "",
        "  column 1, byte 0: mention: @solver is the seat solver, the first one named: it gets the turn.",
        "",
        "audience: desk",
        "next:     solver: '@solver' at byte 0 is the first seat named",
        "reply:    none: a seat without tools is told nothing",
    ] == lines(told)
    silent = explain_seat("hm <<<POST", FENCE, DESK, Policy())
    assert [
        "silent:   nothing can be read out of the text, so the turn is silent",
        "audience: nobody: there is no row",
        "reply:    none: a seat without tools is told nothing",
    ] == lines(silent)[-3:]
    refused = explain_seat("x", FENCE, DESK, Policy(), way="broadcast")
    assert "refused:  unknown_tool" == lines(refused)[-3]
    large = explain_seat("too long", FENCE, DESK, Policy(max_message_bytes=3))
    assert ("message_too_large", None) == (large.refusal, large.reply)


def test_a_person_speaks_to_the_desk_and_is_told_nothing() -> None:
    """The first seat named answers, else the lead; what a person says is not trimmed."""
    told = explain_person("    @checker\n", SAM, DESK)
    assert [
        "sam (a person)",
        "",
        "      @checker",
        "  ~~~~~~~~~~~~",
        "  (~ is code)",
        "",
        "  column 5, byte 4: masked: @checker is inside code and is not read.",
        "",
        "audience: desk",
        "next:     lead: nobody was named, and it leads the desk",
        "reply:    none: a person is told nothing",
    ] == lines(told)
    assert "@sam_lee is yourself." == explain_person("@sam_lee", SAM, DESK).sentence(
        explain_person("@sam_lee", SAM, DESK).notes[0]
    )
    named = explain_person("@checker go", SAM, DESK)
    assert ("checker", None) == (explanation_json(named)["next"], named.tool)


@pytest.mark.parametrize(
    "message, word, why",
    [
        (" \n", "empty_message", "a person's words must not be blank"),
        ("\udcff", "bad_arguments", "UTF-8 cannot hold this text"),
    ],
)
def test_what_a_person_cannot_say_is_refused(message: str, word: str, why: str) -> None:
    """With the reason in place of a reply."""
    assert [
        f"refused:  {word}",
        "audience: nobody: there is no row",
        f"reply:    none: {why}",
    ] == lines(explain_person(message, SAM, DESK))[-3:]


def test_a_desk_without_an_active_seat_answers_nobody() -> None:
    """A desk file may be such a desk."""
    desk = DeskSpec(id="d", name="D", seats=(Seat(id="a", retired=True),), people=(SAM,))
    told = explain_person("hello", SAM, desk)
    assert {"none": "no_active_seat"} == explanation_json(told)["next"]
    assert "next:     nobody: no seat can take it up" in lines(told)


def test_in_colour_the_text_itself_is_styled_as_well() -> None:
    """Code is underlined, and the marks that stand under it are for who sees no colours."""
    drawn = list(explanation_lines(by_lead("`@x` @solver"), color=True))
    assert "  `@x` @solver" == drawn[2].plain
    assert ["magenta underline", "bold"] == [str(span.style) for span in drawn[2].spans]
    assert Text("  ~~~~ ^^^^^^^", style="dim") == drawn[3]
    assert lines(by_lead("`@x` @solver")) == [line.plain for line in drawn]


def test_a_narrow_terminal_breaks_lines_with_their_marks() -> None:
    """The width is that of the whole line, its indent included."""
    drawn = lines(by_lead("hello @solver"), width=8)
    message = drawn[drawn.index("") + 1 :][:5]
    assert ["  hello", "  @solve", "  ^^^^^^", "  r", "  ^"] == message


WIDE = (
    "\u6f22\u5b57 `@solver` \U0001f468\u200d\U0001f469\u200d\U0001f467 @checker e\u0301 "
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645\t@cheker \u26a0\ufe0f \x1b[2J"
)


def test_marks_stand_under_wide_characters_and_places_have_names() -> None:
    """Columns count characters, bytes what stands before; the text is as it was written."""
    assert [
        f"  {WIDE.partition(chr(9))[0]}",
        "       ~~~~~~~~~    ^^^^^^^^",
        "  @cheker \u26a0\ufe0f \\x1b[2J",
        "  ^^^^^^^",
        "  (~ is code, ^ is an @)",
        "",
        "  column 5, byte 8: masked: @solver` is",
        "    inside code and is not read.",
        "  column 20, byte 36: mention: @checker",
        "    is the seat checker, the first one",
        "    named: it gets the turn.",
        "  column 41, byte 67: unknown: @cheker",
        "    is nobody here; did you mean",
        "    @checker?",
        "",
        "audience: desk",
        "next:     checker: '@checker' at byte 36",
        "          is the first seat named",
    ] == lines(by_lead(WIDE), width=40)[2:20]


@pytest.mark.parametrize("width", [20, 40, 80, 120])
@pytest.mark.parametrize("color", [False, True])
def test_no_line_is_wider_than_the_screen(width: int, *, color: bool) -> None:
    """Nothing is lost by it: the words are those of the lines that nobody broke."""
    told = by_lead(f"{WIDE} {'long' * 40}", ASIDES, to=["solver"])
    broken = lines(told, width=width, color=color)
    assert max(map(cell_width, broken)) <= width
    facts = "".join(broken[broken.index("", 3) :]).replace(" ", "")
    whole = lines(told)
    assert facts == "".join(whole[whole.index("", 3) :]).replace(" ", "")


def test_text_that_a_terminal_would_act_on_is_escaped() -> None:
    """In the message, in what is told of it and in names."""
    odd = Seat(id="o\x1b\n")
    desk = DeskSpec(id="d", name="D", seats=(odd, SOLVER))
    told = lines(explain_seat("\x1b[2J @\x07x", odd, desk, ASIDES, to=["solver"]))
    assert "o\\x1b\\n · desk_dm to solver, at hop 0" == told[0]
    assert "  \\x1b[2J @\\x07x" == told[2]
    assert all(line.isprintable() for line in told)


def test_the_json_document_holds_everything() -> None:
    """Offsets count bytes, lines and columns count characters from 1."""
    assert {
        "format": 1,
        "from": {"kind": "seat", "id": "lead"},
        "tool": "desk_post",
        "to": [],
        "hop": 0,
        "message": "`é`\nö @cheker @solver",
        "code": [{"start": 0, "end": 4}],
        "mentions": [
            {
                "text": "@cheker",
                "offset": 8,
                "line": 2,
                "column": 3,
                "verdict": "unknown",
                "target": None,
                "candidates": [],
                "nearest": "checker",
                "hidden": None,
                "sentence": "@cheker is nobody here; did you mean @checker?",
            },
            {
                "text": "@solver",
                "offset": 16,
                "line": 2,
                "column": 11,
                "verdict": "mention",
                "target": "solver",
                "candidates": [],
                "nearest": None,
                "hidden": None,
                "sentence": "@solver is the seat solver, the first one named: it gets the turn.",
            },
        ],
        "accepted": True,
        "refusal": None,
        "audience": "desk",
        "completes": False,
        "next": "solver",
        "why": "'@solver' at byte 16 is the first seat named",
        "reply": "Accepted. The turn goes to solver. @cheker is nobody here; did you mean "
        "@checker?",
    } == explanation_json(by_lead(" `é`\nö @cheker @solver \n"))
    dm = explanation_json(by_lead("x", ASIDES, to=["solver"]))
    assert ("desk_dm", ["solver"], ["solver"]) == (dm["tool"], dm["to"], dm["audience"])
    person = explanation_json(explain_person("x", SAM, DESK))
    assert ({"kind": "person", "id": "sam"}, None) == (person["from"], person["reply"])


PIECES = ["@solver", "@checker", "@lead", "@fence", "@sam_lee", "@here", "@cheker", "**@solver**"]
PIECES += ["`", "```\n", "\n", " ", "    ", "!aside", "漢", "@", "x", "(@solver)", "@d"]


@settings(max_examples=60)
@given(
    message=st.lists(st.sampled_from(PIECES), max_size=6).map("".join),
    to=st.lists(st.sampled_from(["lead", "solver", "checker", "nobody"]), max_size=2),
    way=st.sampled_from(["post", "broadcast", "complete_episode"]),
    policy=st.sampled_from([Policy(), ASIDES, Policy(on_refused_aside="room")]),
)
def test_what_is_explained_is_what_the_room_does(
    message: str, to: list[str], way: str, policy: Policy
) -> None:
    """The same call in a real room gets the same reply, audience and decision."""
    told = by_lead(message, policy, to=to, way=None if to else way)
    replies: list[Reply] = []

    async def speak(turn: Any) -> None:
        if told.tool is not None and not replies:
            arguments = {"message": message, **({"to": to} if to else {})}
            replies.append(await turn.call(told.tool, arguments))

    seats = {seat: speak if seat is LEAD else _silent for seat in DESK.seats}
    room = Room(
        seats,
        people=DESK.people,
        opening="go",
        desk=DESK.id,
        name=DESK.name,
        policy=policy,
        clock=SimulatedClock(),
    )
    result = anyio.run(room.run)
    assert [told.reply] == [reply.text for reply in replies]
    assert (told.audience is not None) == replies[0].ok
    if told.audience is not None:
        entry = result.entries[1]
        assert (told.message, told.audience, told.decision, told.completes, told.refusal) == (
            entry.row.content,
            entry.row.audience,
            entry.decision,
            entry.completes,
            entry.refusal,
        )


async def _silent(turn: Any) -> None:
    """Take a turn and say nothing."""
