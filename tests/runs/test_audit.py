from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from deskroom.core import OPERATOR, Viewer
from deskroom.core.dispatch import DispatchPolicy
from deskroom.engine.policy import ChairPolicy, Policy
from deskroom.errors import UsageError
from deskroom.runs import RunView
from deskroom.runs.audit import Audit, audit_run, changed_rows
from deskroom.runs.audit_desk import FITTED
from deskroom.runs.transcript import read_transcript
from deskroom.scenario import parse_scenario, replay_scenario

HEADER = {
    "transcript": 1,
    "format": "rows",
    "version": "1",
    "room": None,
    "input": [],
    "desk": {
        "id": "shed",
        "name": "The shed",
        "seats": [{"id": id_, "name": None} for id_ in ("a", "b", "c")],
        "people": [{"id": "sam", "label": "Sam"}],
    },
    "speakers": [],
    "left": [],
    "repeated": 0,
    "handoffs": [],
    "completions": [],
    "broadcasts": [],
}


def transcript(*lines: str, to: dict[int, list[str]] | None = None, **header: Any) -> RunView:
    """Return rows given as ``author: text``; authors are agents, but sam, op and sys.

    ``to`` has the members of private rows, by number; ``header`` what an import knows.
    """
    rows = []
    for number, line in enumerate(lines, start=1):
        who, _, text = line.partition(": ")
        author = {
            "sam": {"type": "person", "id": "sam"},
            "op": {"type": "operator"},
            "sys": {"type": "system", "kind": "files"},
        }.get(who, {"type": "agent", "id": who})
        members = (to or {}).get(number)
        audience = {"kind": "desk"} if members is None else {"kind": "aside", "members": members}
        rows.append(
            {
                "sequence": number,
                "chat_id": "shed",
                "parent": None,
                "author": author,
                "content": text,
                "audience": audience,
            }
        )
    first = [{**HEADER, **header}] if header else []
    return read_transcript("\n".join(json.dumps(value) for value in [*first, *rows]), "x.jsonl")


def verdicts(audit: Audit) -> list[str]:
    """Return the verdict on each row."""
    return [row.verdict for row in audit.rows]


def nexts(audit: Audit) -> list[Any]:
    """Return whom each row hands the turn to, or the reason why nobody."""
    return [row.next["none"] if isinstance(row.next, dict) else row.next for row in audit.rows]


NO_NAME = "no_direct_agent_mention"


@pytest.mark.parametrize(
    "lines, expected",
    [
        (["a: @b hi", "b: hi"], ["follows", "last"]),
        (["a: @b hi", "a: and more", "b: hi"], ["same_seat", "nobody", "last"]),
        (["a: @b hi", "sam: wait", "a: ok"], ["person", "follows", "last"]),
        (["a: @b hi", "op: wait", "a: ok"], ["person", "follows", "last"]),
        (["a: hi", "b: hi"], ["nobody", "last"]),
        (["a: @b hi", "c: hi", "b: hi"], ["unexplained", "nobody", "last"]),
        # Whom a row names later in its text does not count, nor what stands in code.
        (["a: @b, or @c?", "c: hi", "b: hi"], ["unexplained", "nobody", "last"]),
        (["a: `@b` hi", "b: hi"], ["nobody", "last"]),
        # A person's row goes to whom it names, else to the lead: the first who speaks.
        (["sam: @b hi", "b: hi"], ["follows", "last"]),
        (["sam: hi", "a: hi", "sam: again", "b: hi"], ["follows", "person", "unexplained", "last"]),
        # The system is nobody, and who spoke next is looked for behind it.
        (["a: @b hi", "sys: wrote x", "b: hi"], ["follows", "system", "last"]),
        (["sys: wrote x", "a: hi"], ["system", "last"]),
    ],
)
def test_each_row_has_one_verdict(lines: Sequence[str], expected: list[str]) -> None:
    """The ladder of the module's docstring, rung by rung, over bare rows."""
    assert expected == verdicts(audit_run(transcript(*lines)))


def test_a_private_row_goes_to_whom_it_is_addressed_to() -> None:
    """Or to whom its text names, if they can read it; one to people alone goes to nobody."""
    view = transcript(
        "a: psst",
        "b: @c what?",
        "a: @b psst",
        "c: to sam",
        "b: hi",
        to={1: ["b"], 3: ["c", "b"], 4: []},
    )
    audit = audit_run(view)
    assert ["b", "c", "b", NO_NAME, NO_NAME] == nexts(audit)
    assert ["follows", "unexplained", "unexplained", "nobody", "last"] == verdicts(audit)


def test_a_persons_private_row_goes_to_those_who_can_read_it() -> None:
    """The lead, who may not be among them, is not asked."""
    view = transcript("a: hi", "sam: well?", "sam: hm", "b: yes", to={2: ["b"], 3: []})
    assert [NO_NAME, "b", NO_NAME, NO_NAME] == nexts(audit_run(view))


def test_hops_count_as_in_listed_order() -> None:
    """A chain goes on while each row chose the next speaker; at the limit the turn goes to nobody."""
    lines = ["sam: @a go", "a: @b", "b: @a", "a: @b", "c: @a", "a: @b"]
    limit = Policy(dispatch=DispatchPolicy(max_hops=2))
    audit = audit_run(transcript(*lines), policy=limit)
    assert [None, 0, 1, 2, 0, 1] == [row.hop for row in audit.rows]
    assert ["a", "b", "a", "hop_limit_reached", "a", "b"] == nexts(audit)
    assert "nobody" == audit.rows[3].verdict
    assert "unexplained" == audit_run(transcript(*lines)).rows[3].verdict


def test_the_rows_that_leave_the_rules_are_told_by_the_first_of_them() -> None:
    """What a person says, and a seat that goes on, is none of them."""
    audit = audit_run(
        transcript("sam: @a go", "a: @b look", "a: there", "sam: ok", "c: @b", "b: hi")
    )
    assert ["follows", "same_seat", "person", "unexplained", "follows", "last"] == verdicts(audit)
    assert audit.first is not None
    assert (4, 5, ("follows", 2), 5) == (
        audit.first.sequence,
        audit.first.spoke_row,
        ("follows", audit.counts["follows"]),
        audit.judged,
    )


def test_the_desk_is_made_of_those_who_speak_and_are_spoken_to() -> None:
    """In order; a seat that never spoke, but could read an aside, is one of them."""
    audit = audit_run(transcript("sam: hi", "b: @a", "a: psst", to={3: ["c"]}))
    assert (("b", "a", "c"), ("sam",), True, ("c",)) == (
        audit.seats,
        audit.people,
        audit.is_derived,
        audit.silent,
    )


def test_an_author_who_is_not_at_a_known_desk_has_no_say() -> None:
    """It can be neither named nor followed."""
    audit = audit_run(transcript("a: @zed hi", "zed: @a hi", "a: hm", repeated=0))
    assert ([NO_NAME, "source_inactive", NO_NAME], ["nobody", "nobody", "last"]) == (
        nexts(audit),
        verdicts(audit),
    )
    assert (("a", "b", "c", "zed"), False) == (audit.seats, audit.is_derived)


@pytest.mark.parametrize(
    "text, to, handoffs, expected",
    [
        ("hi", "b", False, NO_NAME),
        ("hi", "b", True, "b"),
        # As the address of a dm: the text comes first where it names another seat.
        ("@c hi", "b", True, "c"),
        ("@a hi", "b", True, "b"),
        # To itself, or to nobody on the desk.
        ("hi", "a", True, NO_NAME),
        ("hi", "stranger", True, NO_NAME),
    ],
)
def test_a_recorded_hand_off_is_an_address_where_that_is_asked_for(
    text: str, to: str, handoffs: bool, expected: str
) -> None:
    """Else it is only shown."""
    view = transcript(f"a: {text}", "b: ok", handoffs=[{"row": 1, "to": to}])
    audit = audit_run(view, handoffs=handoffs)
    assert (expected, to) == (nexts(audit)[0], audit.rows[0].handoff)
    assert ("b" == expected) == (audit.rows[0].verdict == "follows")


def test_a_hand_off_that_a_seat_may_not_read_gives_it_nothing() -> None:
    """A private row is never handed to someone who is not admitted."""
    view = transcript("a: @b psst", "c: ok", to={1: ["b"]}, handoffs=[{"row": 1, "to": "c"}])
    audit = audit_run(view, handoffs=True)
    assert ("b", "unexplained") == (audit.rows[0].next, audit.rows[0].verdict)


def test_a_completion_that_an_import_recorded_closes_the_room() -> None:
    """Whoever goes on after it, but a person, its own author or whom it names."""
    view = transcript("a: hi", "b: @a done", "a: more", "sam: ok", "b: hm", completions=[2])
    audit = audit_run(view)
    assert [None, "completed", "completed", "completed", "completed"] == [
        row.closes for row in audit.rows
    ]
    assert ["nobody", "closed", "person", "closed", "last"] == verdicts(audit)


def test_a_broadcast_whose_router_is_not_known_may_go_to_anybody_who_can_read_it() -> None:
    """Its own mentions start no turn; a seat that could not have it does not follow."""
    view = transcript("a: who? @b", "c: me", "b: me too", broadcasts=[1])
    audit = audit_run(view)
    assert (["broadcast", NO_NAME, NO_NAME], ["follows", "nobody", "last"]) == (
        nexts(audit),
        verdicts(audit),
    )


# --- our own runs ------------------------------------------------------------------------------

DESK = """\
format = 1
order = "{order}"
desk = {{ id = "d", name = "D", seats = [{{ id = "a" }}, {{ id = "b" }}, {{ id = "c" }}, {{ id = "z" }}], people = [{{ id = "sam", label = "Sam" }}] }}
{policy}
[opening]
by = "sam"
message = "@a begin"
"""
POST = '[[turn]]\nseat = "{}"\nsay = "{}"\n'
CALL = '[[turn]]\nseat = "{}"\ncalls = [{{ tool = "desk_{}", message = "{}" }}]\n'


def played(*turns: str, order: str = "routed", policy: str = "") -> RunView:
    """Play turns at that desk."""
    text = DESK.format(order=order, policy=policy) + "".join(turns)
    return replay_scenario(parse_scenario(text, "x.toml")).view()


def test_the_recipients_of_a_broadcast_may_follow_in_any_order() -> None:
    """The second waits while the chain of the first goes on, and then is next."""
    scores = "scores = { b = 0.9, c = 0.8 }\n"
    view = played(
        CALL.format("a", "broadcast", "who?") + scores,
        POST.format("b", "me"),
        POST.format("c", "I"),
    )
    audit = audit_run(view)
    assert (["a", ["b", "c"], NO_NAME, NO_NAME], ["follows", "follows", "follows", "last"]) == (
        nexts(audit),
        verdicts(audit),
    )


def test_what_a_run_recorded_of_itself_is_taken_as_it_is() -> None:
    """Its hops, its kinds of rows and its policy; the chair that speaks next is a person."""
    view = played(
        POST.format("a", "hi"),
        POST.format("b", "@c x"),
        POST.format("c", "y"),
        policy="policy = { chair = { rounds = 2 } }",
    )
    audit = audit_run(view)
    assert ["opening", "seat", "nudge", "seat", "seat", "nudge"] == [row.kind for row in audit.rows]
    assert ["follows", "person", "follows", "follows", "person", "last"] == verdicts(audit)
    assert ["b", "c"] == [row.nudged for row in audit.rows if row.nudged]


def test_in_listed_order_the_list_is_what_is_held_against_the_rules() -> None:
    """The chair never speaks there, so it is not said that it would."""
    view = played(
        POST.format("b", "hi"),
        POST.format("c", "@a x"),
        order="listed",
        policy="policy = { chair = { rounds = 2 } }",
    )
    audit = audit_run(view)
    assert (["unexplained", "nobody", "last"], [None] * 3) == (
        verdicts(audit),
        [row.nudged for row in audit.rows],
    )


def test_another_policy_decides_the_rows_anew_and_leaves_them_as_they_are() -> None:
    """Each row about which it decides otherwise is there with both decisions."""
    view = played(POST.format("a", "@b x"), POST.format("b", "@c y"), POST.format("c", "z"))
    before = audit_run(view)
    after = audit_run(view, policy=Policy(dispatch=DispatchPolicy(max_hops=1)))
    assert [("c", {"none": "hop_limit_reached"}, "nobody")] == [
        (one.next, other.next, other.verdict) for one, other in changed_rows(before, after)
    ]
    assert [row.sequence for row in before.rows] == [row.sequence for row in after.rows]


@pytest.mark.parametrize(
    "policy, keys",
    [
        (Policy(), {"refusal": [None, "disabled", None]}),
        (Policy(aside=FITTED.aside, max_turns=1), {"closes": [None, "max_turns", "max_turns"]}),
        (
            Policy(aside=FITTED.aside, chair=ChairPolicy(rounds=9, every=1)),
            {"nudged": [None, "b", "b"]},
        ),
        (
            Policy(aside=FITTED.aside, max_message_bytes=2),
            {"refusal": [None, "message_too_large", None]},
        ),
    ],
)
def test_what_a_policy_says_of_asides_length_and_the_chair(
    policy: Policy, keys: dict[str, list[Any]]
) -> None:
    """A private row it would not have let through, the turn that is one too many, and a nudge."""
    view = transcript("sam: go", "a: psst", "b: ok", to={2: ["b"]})
    audit = audit_run(view, policy=policy)
    assert keys == {key: [getattr(row, key) for row in audit.rows] for key in keys}


def test_a_policy_that_the_desk_cannot_have_is_refused() -> None:
    """It names somebody who is not there."""
    view = transcript("a: hi")
    with pytest.raises(UsageError):
        audit_run(view, policy=Policy(participants=("zed",)))


# --- for a viewer ------------------------------------------------------------------------------


def test_a_seat_has_no_verdict_on_what_it_may_not_read() -> None:
    """Nor who was named in it; that somebody spoke in private, and next, it may know."""
    view = transcript("a: @b hi", "b: @a psst", "a: ok", "c: hm", to={2: ["a"]})
    audit = audit_run(view, Viewer("agent", "c"))
    assert ["follows", "hidden", "nobody", "last"] == verdicts(audit)
    assert [(1, "b")] == [(one.row, one.seat) for one in audit.named]
    assert (None, None) == (audit.rows[1].next, audit.rows[1].why)
    assert "follows" == audit_run(view, Viewer("agent", "a")).rows[1].verdict


def test_a_seat_is_not_told_that_a_broadcast_it_may_not_read_still_waits() -> None:
    """The operator sees why the recipient spoke; to others it is a seat that nobody named."""
    scores = "scores = { b = 0.9, c = 0.8 }\n"
    view = played(
        CALL.format("a", "broadcast", "!aside @b @c who?") + scores,
        POST.format("b", "me"),
        POST.format("c", "I"),
        policy="policy = { aside = { enabled = true, max_members = 2, max_messages = 9 } }",
    )
    whole, narrow = audit_run(view, OPERATOR), audit_run(view, Viewer("agent", "z"))
    assert ["follows", "follows", "follows", "last"] == verdicts(whole)
    assert ["follows", "hidden", "nobody", "last"] == verdicts(narrow)


def test_the_chair_is_forecast_for_the_operator_alone() -> None:
    """Whom it turns to tells who has spoken."""
    view = transcript("sam: go", "a: hi")
    chair = Policy(chair=ChairPolicy(rounds=1))
    assert ["a"] == [r.nudged for r in audit_run(view, policy=chair).rows if r.nudged]
    narrow = audit_run(view, Viewer("agent", "a"), policy=chair)
    assert [None, None] == [row.nudged for row in narrow.rows]
