from __future__ import annotations

from typing import Any

import pytest

from deskroom.scenario import parse_scenario, replay_scenario
from deskroom.scenario.edit.pins import turn_pins

HEAD = """\
format = 1
desk = { id = "d", name = "D", seats = [{ id = "a" }, { id = "b" }], people = [{ id = "sam", label = "Sam" }] }
policy = { on_refused_aside = "room", dispatch = { max_hops = 1 } }
[opening]
by = "sam"
message = "@a begin"
"""


@pytest.mark.parametrize(
    "turn, pins",
    [
        ('seat = "a"\nsay = "@b go"', {"audience": "desk", "next": "b"}),
        (
            'seat = "a"\ncalls = [{ tool = "shout" }, { tool = "desk_complete_episode", message = "x" }]',
            {
                "audience": "desk",
                "next": {"none": "no_direct_agent_mention"},
                "completes": True,
                "replies": ["unknown_tool", "ok"],
            },
        ),
        (
            'seat = "a"\ncalls = [{ tool = "desk_dm", to = ["b"], message = "x" }]',
            {"audience": "desk", "next": "b", "refusal": "disabled"},
        ),
        (
            'seat = "a"\ncalls = [{ tool = "desk_broadcast", message = "x" }]',
            {"audience": "desk", "next": ["b"]},
        ),
        (
            'seat = "a"\n[policy.dispatch]\nmax_hops = 0\ncalls = [{ tool = "desk_broadcast", message = "x" }]',
            {"audience": "desk", "next": {"none": "broadcast"}},
        ),
        ('seat = "a"', {"row": False, "outcome": "silent"}),
        (
            'seat = "a"\ncalls = [{ tool = "shout" }]',
            {"row": False, "outcome": "refused", "replies": ["unknown_tool"]},
        ),
        ('person = "sam"\nsay = "@b hm"', {"next": "b"}),
    ],
)
def test_what_is_worth_expecting_is_what_stands_out(turn: str, pins: dict[str, Any]) -> None:
    """Who could read it and who is next, and whatever else is not as usual."""
    text = f"{HEAD}[[turn]]\n{turn}\n"
    if "[policy.dispatch]" in turn:
        text = text.replace("[policy.dispatch]\nmax_hops = 0\n", "").replace(
            "max_hops = 1", "max_hops = 0"
        )
    (played,) = replay_scenario(parse_scenario(text)).played
    assert pins == turn_pins(played)
