from __future__ import annotations

import pytest

from deskroom.core.reasons import Outcome
from deskroom.engine.machine import TRANSITIONS, Stage, TurnEvent, advance

# One line a stage: what each event makes of it, in the order of TurnEvent.
TABLE = """
stage      read     accept  refuse   end     raise  deadline
open       open     holding declined silent  failed timed_out
declined   declined holding declined refused failed timed_out
holding    holding  holding holding  spoke   failed timed_out
"""
_HEAD, *_LINES = [line.split() for line in TABLE.strip().splitlines()]
_AFTER = {stage.name.lower(): stage for stage in Stage} | {str(code): code for code in Outcome}
EXPECTED = {
    (Stage[stage.upper()], TurnEvent[event.upper()]): _AFTER[after]
    for stage, *afters in _LINES
    for event, after in zip(_HEAD[1:], afters, strict=True)
}


@pytest.mark.parametrize("stage", Stage)
@pytest.mark.parametrize("event", TurnEvent)
def test_each_stage_takes_each_event_as_the_table_says(stage: Stage, event: TurnEvent) -> None:
    """Every stage is asked about every event, and each leads to a stage or to an outcome."""
    assert EXPECTED[stage, event] is advance(stage, event)


def test_the_table_holds_no_pair_that_is_not_pinned_here() -> None:
    """The machine has exactly these pairs, and reaches each stage and each outcome."""
    assert EXPECTED == TRANSITIONS
    assert {*Stage, *Outcome} == set(TRANSITIONS.values())


def test_only_an_end_a_raise_and_a_deadline_end_a_turn() -> None:
    """A call, whatever the reply to it, leaves its turn open."""
    ends = {event for (_, event), after in TRANSITIONS.items() if isinstance(after, Outcome)}
    assert {TurnEvent.END, TurnEvent.RAISE, TurnEvent.DEADLINE} == ends
