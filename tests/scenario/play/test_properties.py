"""A scenario's properties: the same of a run that goes on, of one that is over, and of its record."""

from __future__ import annotations

import json
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from deskroom.render.replay import replay_json
from deskroom.runs.properties import (
    Property,
    PropertyWatch,
    property_violations,
    view_violations,
)
from deskroom.runs.properties.watch import final_close
from deskroom.runs.run import Run
from deskroom.runs.transcript import read_transcript
from deskroom.runs.view import view_run
from deskroom.scenario import Scenario, replay_scenario


@pytest.mark.slow
@given(st.data())
@settings(max_examples=100)
def test_what_a_room_came_to_gives_what_its_entries_give(
    scenarios: Any, properties: Any, data: st.DataObject
) -> None:
    """Step by step, at once, and from its state alone.

    But for what people say in the middle of a turn: of a turn without a row, the state does not say
    which rows it ended behind.
    """
    scenario: Scenario = evolve(
        data.draw(scenarios), properties=tuple(data.draw(st.lists(properties, max_size=4)))
    )
    run = replay_scenario(scenario).run
    whole = property_violations(scenario.properties, run)
    watch = PropertyWatch(scenario.properties)
    seen: dict[int, str] = {}
    for entry in run.journal:
        watch.take(entry)
        for one in watch.violations:
            at = next(i for i, each in enumerate(scenario.properties) if each is one.of)
            # What has been found stays as it is, but for how often it was.
            assert seen.setdefault(at, one.problem) == one.problem
    watch.finish(final_close(run))
    assert whole == watch.violations
    if not any(turn.meanwhile for turn in scenario.turns):
        assert whole == view_violations(scenario.properties, view_run(Run(run.state)))


@pytest.mark.slow
@given(st.data())
@settings(max_examples=100)
def test_the_output_of_a_replay_holds_the_same_properties(
    scenarios: Any, properties: Any, data: st.DataObject
) -> None:
    """But for what a seat said beside its calls, and when turns were granted: it does not say."""
    scenario = data.draw(scenarios)
    asked = data.draw(st.lists(properties.filter(_asks_what_is_told), max_size=4))
    replay = replay_scenario(scenario)
    asked = [one for one in asked if not any(turn.meanwhile for turn in scenario.turns)]
    document = json.dumps({"scenarios": [replay_json(replay, "x.toml")]}, default=str)
    view = read_transcript(document, "x.json")
    assert [(one.of, one.problem) for one in property_violations(asked, replay.run)] == [
        (one.of, one.problem) for one in view_violations(asked, view)
    ]


def _asks_what_is_told(one: Property) -> bool:
    return one.after is None and all(matcher.text is None for matcher in one.matchers)
