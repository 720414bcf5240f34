from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deskroom.core import OPERATOR, Viewer
from deskroom.runs import Run, RunView, narrowed, view_run
from deskroom.runs.figures import (
    Asides,
    Exchange,
    Figures,
    HandOff,
    Naming,
    Repeat,
    figures_of,
)
from deskroom.runs.transcript import read_transcript
from deskroom.scenario import load_scenario, parse_scenario, replay_scenario
from deskroom.testing import ListJournal

SCENARIOS = Path(__file__).parents[2] / "scenarios"

HEAD = """\
format = 1
desk = { id = "d", name = "D", people = [{ id = "sam", label = "Sam" }], seats = [\
{ id = "a" }, { id = "b" }, { id = "c" }, { id = "old", retired = true }] }
[policy]
silence = "retry"
aside = { enabled = true, max_members = 1, max_messages = 9 }
"""


def played(text: str, viewer: Viewer = OPERATOR) -> Figures:
    """Return the figures of a scenario on that desk."""
    return figures_of(replay_scenario(parse_scenario(HEAD + text)).view(viewer))


def said(*rows: tuple[str, str]) -> str:
    """Return listed turns, each a seat and what it says."""
    return "".join(f"[[turn]]\nseat = '{seat}'\nsay = '{text}'\n" for seat, text in rows)


def dm(seat: str, to: str, text: str) -> str:
    """Return a listed turn with a private message."""
    call = f"{{ tool = 'desk_dm', to = ['{to}'], message = '{text}' }}"
    return f"[[turn]]\nseat = '{seat}'\ncalls = [{call}]\n"


# Known runs


def known(name: str) -> Figures:
    """Return the figures of a scenario of the project."""
    return figures_of(replay_scenario(load_scenario(SCENARIOS / f"{name}.toml")).view())


def test_the_figures_of_run_28() -> None:
    """Counted by hand: six rows, one of them private, five turns in the longest chain."""
    assert Figures(
        viewer=OPERATOR,
        rows=6,
        rows_by={"theory": 1, "solver": 2, "checker": 2, "lead": 1},
        asides=Asides(1, 1),
        repeats=(),
        closed="completed",
        naming=Naming(5, 6),
        seat_naming=Naming(5, 6),
        nudges=0,
        declined={},
        exchanges=(),
        never_spoke=(),
        turns=6,
        retries=0,
        outcomes={"spoke": 6, "silent": 0, "refused": 0, "failed": 0, "timed_out": 0},
        refusals={},
        hops={0: 2, 1: 1, 2: 1, 3: 1, 4: 1},
        longest_chain=5,
        hand_offs=(
            HandOff(source="theory", target="solver", turns=1),
            HandOff(source="solver", target="checker", turns=2),
            HandOff(source="checker", target="solver", turns=1),
        ),
    ) == known("run-28")


def test_what_run_28_cost_without_a_completion() -> None:
    """Twelve turns and 23 rows: eight nudges, and nine rows that say the answer."""
    figures = known("run-28-without-completion")
    answer = "The answer stands: 62418970. It is signed off, and no step is open."
    assert (23, 12, 8, 8, "quiet") == (
        figures.rows,
        figures.turns,
        figures.nudges,
        figures.repeated,
        figures.closed,
    )
    assert {
        "person:steven": 9,
        "theory": 1,
        "workspace": 2,
        "solver": 1,
        "checker": 1,
        "lead": 9,
    } == (figures.rows_by)
    assert (Repeat(content=answer, rows=9, first=7, seats=("lead",)),) == figures.repeats
    assert (Naming(12, 23), Naming(3, 12), 0.25) == (
        figures.naming,
        figures.seat_naming,
        figures.seat_naming and figures.seat_naming.share,
    )
    assert ({0: 9, 1: 1, 2: 1, 3: 1}, 4) == (figures.hops, figures.longest_chain)
    assert HandOff(source="person:steven", target="lead", turns=8) in (figures.hand_offs or ())


def test_run_28_with_a_completion_takes_four_turns() -> None:
    """And nobody is nudged."""
    figures = known("run-28-with-completion")
    assert (7, 4, 0, 0, 4, "completed") == (
        figures.rows,
        figures.turns,
        figures.nudges,
        figures.repeated,
        figures.longest_chain,
        figures.closed,
    )
    assert (Naming(4, 7), Naming(3, 4)) == (figures.naming, figures.seat_naming)


def test_a_seat_that_only_listens_never_spoke() -> None:
    """In run 26 the checker's text is its one row; the solver has none."""
    figures = known("run-26-fence")
    assert (1, 1, ("solver",), {}) == (
        figures.rows,
        figures.turns,
        figures.never_spoke,
        figures.refusals,
    )


# What each figure counts


def test_calls_are_refused_for_reasons() -> None:
    """Late ones too, and those of a turn that spoke; the most frequent reason comes first."""
    figures = played(
        "[[turn]]\nseat = 'a'\n"
        "calls = [{ tool = 'shout' }, { tool = 'desk_post', message = 'x' }]\n"
        "late = [{ tool = 'desk_read' }]\n"
        "[[turn]]\nseat = 'b'\ncalls = [{ tool = 'shout' }]\n"
    )
    assert [("unknown_tool", 2), ("turn_ended", 1)] == list((figures.refusals or {}).items())
    assert (3, 1, 1) == (
        figures.refused_calls,
        (figures.outcomes or {})["refused"],
        (figures.outcomes or {})["spoke"],
    )


def test_an_aside_that_the_desk_declines_is_counted_by_reason() -> None:
    """It became a row for all, and so it is no aside."""
    text = said(("a", "!aside @old psst"))
    figures = played('on_refused_aside = "room"\n' + text)
    assert (Asides(0, 0), {"no_audience": 1}, {}) == (
        figures.asides,
        figures.declined,
        figures.refusals,
    )


def test_a_turn_that_is_granted_again_is_one_turn() -> None:
    """Each grant has an outcome of its own."""
    figures = played(
        "[[turn]]\nseat = 'a'\n[[turn]]\nseat = 'a'\nsay = 'x'\n"
        "[[turn]]\nseat = 'b'\ncrash = 'boom'\n[[turn]]\nseat = 'c'\ntakes = 9999\n"
    )
    assert (3, 1) == (figures.turns, figures.retries)
    assert {"spoke": 1, "silent": 1, "refused": 0, "failed": 1, "timed_out": 1} == figures.outcomes
    assert ("b", "c") == figures.never_spoke


def test_an_aside_is_settled_by_its_party_before_the_desk() -> None:
    """A row by somebody else, and a private one, settle nothing."""
    figures = played(dm("a", "b", "psst") + said(("c", "hm")) + dm("b", "a", "yes"))
    assert Asides(2, 0) == figures.asides
    assert 2 == figures.asides.unsettled
    figures = played(dm("a", "b", "psst") + said(("b", "done")) + dm("c", "a", "hm"))
    assert Asides(2, 1) == figures.asides


def test_two_seats_that_keep_naming_each_other() -> None:
    """Four rows by turns, each naming the other; people may speak between, other seats may not."""
    back_and_forth = (("a", "@b 1"), ("b", "@a 2"), ("a", "@b 3"), ("b", "@a 4"))
    assert () == played(said(*back_and_forth[:3])).exchanges
    between = "[[turn]]\nperson = 'sam'\nsay = 'hm'\n"
    text = said(*back_and_forth[:2]) + between + said(*back_and_forth[2:])
    assert (Exchange(seats=("a", "b"), rows=4, exchanges=1, first=1),) == played(text).exchanges
    text = said(*back_and_forth[:2], ("c", "@a hm"), *back_and_forth[2:])
    assert () == played(text).exchanges
    text = said(("c", "x"), *back_and_forth, ("c", "x"), *back_and_forth, ("a", "@b and @c 5"))
    text += said(("c", "@a 6"), ("a", "@c 7"), ("c", "@a 8"), ("c", "@a 9"))
    assert (
        Exchange(seats=("a", "b"), rows=5, exchanges=2, first=7),
        Exchange(seats=("a", "c"), rows=4, exchanges=1, first=11),
    ) == played(text).exchanges


def test_a_message_in_other_words_is_no_repeat() -> None:
    """The same words by two seats are one; a nudge and a person never count."""
    person = "[[turn]]\nperson = 'sam'\nsay = 'same'\n"
    figures = played(person + said(("a", "same"), ("b", "other"), ("c", "same")) + person)
    assert (Repeat(content="same", rows=2, first=2, seats=("a", "c")),) == figures.repeats
    assert 1 == figures.repeated


def test_a_list_that_grants_the_turn_to_another_is_no_hand_off() -> None:
    """A broadcast hands off to each of its recipients."""
    figures = played(said(("a", "@b go"), ("c", "hm"), ("b", "x")))
    assert () == figures.hand_offs
    text = "[[turn]]\nseat = 'a'\ncalls = [{ tool = 'desk_broadcast', message = '?' }]\n"
    text = 'broadcast = { width = 2 }\n[opening]\nby = "sam"\nmessage = "@a"\n' + text
    text += "scores = { b = 0.9, c = 0.8 }\n" + said(("b", "1"), ("c", "2"))
    figures = figures_of(replay_scenario(parse_scenario('order = "routed"\n' + HEAD + text)).view())
    assert (
        HandOff(source="person:sam", target="a", turns=1),
        HandOff(source="a", target="b", turns=1),
        HandOff(source="a", target="c", turns=1),
    ) == figures.hand_offs
    assert ({0: 1, 1: 2}, 2) == (figures.hops, figures.longest_chain)


# What is not known


def test_bare_rows_know_only_themselves() -> None:
    """All that a desk or a turn would tell is None, and not 0."""
    row = {"sequence": 1, "chat_id": "d", "parent": None, "audience": {"kind": "desk"}}
    row |= {"author": {"type": "agent", "id": "a"}, "content": "@b hi"}
    lines = "\n".join(json.dumps({**row, "sequence": at}) for at in (1, 2))
    figures = figures_of(read_transcript(lines, "x"))
    desk = ("naming", "seat_naming", "declined", "exchanges", "never_spoke", "nudges", "closed")
    turns = ("turns", "retries", "outcomes", "refusals", "hops", "longest_chain", "hand_offs")
    repeat = Repeat(content="@b hi", rows=2, first=1, seats=("a",))
    assert (
        Figures(
            viewer=OPERATOR,
            rows=2,
            rows_by={"a": 2},
            asides=Asides(0, 0),
            repeats=(repeat,),
            **dict.fromkeys((*desk, *turns)),
        )
        == figures
    )
    assert figures.refused_calls is None


def test_a_share_of_no_rows_is_not_known() -> None:
    """There is nothing that it could be a share of."""
    assert (None, 0.5) == (Naming(0, 0).share, Naming(1, 2).share)


# What a viewer may know


ASIDES = dm("a", "b", "@b 1") + dm("b", "a", "same") + said(("c", "hm")) + dm("a", "b", "same")


def test_a_stub_counts_for_what_is_public_of_it() -> None:
    """Its author, its audience, how many rows, and whether they are settled; not what they say."""
    figures = played(ASIDES + said(("b", "done")), Viewer("agent", "c"))
    assert (5, {"a": 2, "b": 2, "c": 1}, Asides(3, 3), ()) == (
        figures.rows,
        figures.rows_by,
        figures.asides,
        figures.repeats,
    )
    assert (Naming(0, 2), 5) == (figures.naming, figures.turns)
    seen = played(ASIDES + said(("b", "done")), Viewer("agent", "a"))
    assert (Naming(3, 5), 1) == (seen.naming, seen.repeated)


def test_a_seat_knows_its_own_refusals_and_a_person_none() -> None:
    """The operator knows them all."""
    text = "".join(f"[[turn]]\nseat = '{s}'\ncalls = [{{ tool = 'shout' }}]\n" for s in "aab")
    assert {"unknown_tool": 3} == played(text).refusals
    assert {"unknown_tool": 2} == played(text, Viewer("agent", "a")).refusals
    assert {} == played(text, Viewer("agent", "c")).refusals
    assert played(text, Viewer("person", "sam")).refusals is None


@pytest.mark.parametrize("viewer", [None, "a", "c"])
def test_the_output_of_a_replay_has_the_figures_that_it_knows(viewer: str | None) -> None:
    """Those of the turns as well, unless a stub hides some of them; never those of the desk."""
    from deskroom.render.replay import replay_json  # noqa: PLC0415 - a higher layer

    who = OPERATOR if viewer is None else Viewer("agent", viewer)
    replay = replay_scenario(parse_scenario(HEAD + ASIDES + "[[turn]]\nseat = 'c'\n"))
    text = json.dumps({"scenarios": [replay_json(replay, "x", who)]})
    figures, whole = figures_of(read_transcript(text, "x")), figures_of(replay.view(who))
    assert (whole.rows, whole.asides, whole.closed) == (
        figures.rows,
        figures.asides,
        figures.closed,
    )
    assert figures.naming is None
    if viewer == "c":
        assert (None, None, None) == (figures.turns, figures.rows_by, figures.hand_offs)
    else:
        assert (whole.turns, whole.hops, whole.outcomes, whole.hand_offs, whole.rows_by) == (
            figures.turns,
            figures.hops,
            figures.outcomes,
            figures.hand_offs,
            figures.rows_by,
        )
        assert whole.refusals == {} == figures.refusals or figures.refusals is None


@settings(max_examples=40)
@given(data=st.data())
def test_figures_of_any_room_add_up(
    room_plans: st.SearchStrategy[Any], data: st.DataObject
) -> None:
    """For whoever looks: each way to count the rows, or the turns, comes to the same."""
    journal = ListJournal()
    anyio.run(data.draw(room_plans).room(journal).run)
    run = Run.from_entries(journal.entries)
    whole = view_run(run)
    for viewer in (OPERATOR, Viewer("person", "p"), Viewer("agent", "a"), Viewer("agent", "c")):
        _check_sums(run, whole, figures_of(narrowed(whole, viewer)))


def _check_sums(run: Run, whole: RunView, figures: Figures) -> None:
    assert len(run.rows) == figures.rows
    assert figures.rows == sum((figures.rows_by or {}).values())
    assert (run.granted, run.nudges, run.totals["asides"]) == (
        figures.turns,
        figures.nudges,
        figures.asides.rows,
    )
    assert run.granted == sum((figures.hops or {}).values())
    assert len(whole.turns) == (figures.turns or 0) + (figures.retries or 0)
    ended = sum(turn.outcome is not None for turn in whole.turns)
    assert ended == sum((figures.outcomes or {}).values())
    assert (figures.turns or 0) >= sum(one.turns for one in figures.hand_offs or ())
    assert figures.longest_chain == max(figures.hops or {-1: 0}) + 1
    everything = figures_of(whole)
    assert (everything.never_spoke, everything.hand_offs, everything.asides) == (
        figures.never_spoke,
        figures.hand_offs,
        figures.asides,
    )
