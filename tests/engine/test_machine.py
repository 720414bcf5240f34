from __future__ import annotations

import pytest

from deskroom.engine.machine import ENDED, OUTCOMES, TRANSITIONS, TurnEvent, TurnState, advance

# One line a state: what each event makes of it, in the order of TurnEvent; "-" cannot happen.
TABLE = """
state      grant read     accept  refuse   end     raise  deadline  stop
idle       open  -        -       -        -       -      -         idle
open       -     open     holding declined silent  failed timed_out stopped
declined   -     declined holding declined refused failed timed_out stopped
holding    -     holding  holding holding  spoke   failed timed_out stopped
spoke      open  -        -       -        -       -      -         spoke
silent     open  -        -       -        -       -      -         silent
refused    open  -        -       -        -       -      -         refused
failed     open  -        -       -        -       -      -         failed
timed_out  open  -        -       -        -       -      -         timed_out
stopped    -     -        -       -        -       -      -         -
"""
_HEAD, *_LINES = [line.split() for line in TABLE.strip().splitlines()]
EXPECTED = {
    (TurnState(state), TurnEvent(event)): after
    for state, *afters in _LINES
    for event, after in zip(_HEAD[1:], afters, strict=True)
}


@pytest.mark.parametrize("state", TurnState)
@pytest.mark.parametrize("event", TurnEvent)
def test_each_state_takes_each_event_as_the_table_says(state: TurnState, event: TurnEvent) -> None:
    """Every state is asked about every event, and what cannot happen is an AssertionError."""
    expected = EXPECTED[state, event]
    if expected == "-":
        with pytest.raises(AssertionError, match=f"{state.value} cannot take {event.value}"):
            advance(state, event)
    else:
        assert TurnState(expected) is advance(state, event)


def test_the_table_holds_no_pair_that_is_not_pinned_here() -> None:
    """The table of the machine has exactly the pairs that are expected to have a result."""
    assert {pair for pair, after in EXPECTED.items() if after != "-"} == set(TRANSITIONS)


def test_a_turn_has_ended_in_each_outcome_and_where_no_turn_is_open() -> None:
    """Open, declined and holding are the only states in which a call is in time."""
    assert set(TurnState) - {TurnState.OPEN, TurnState.DECLINED, TurnState.HOLDING} == ENDED
    words = ["spoke", "silent", "refused", "failed", "timed_out"]
    assert words == [outcome.value for outcome in OUTCOMES]
