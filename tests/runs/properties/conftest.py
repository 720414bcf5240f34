"""Rooms whose properties are checked: a desk of three seats and one person, played as a scenario."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deskroom.runs.properties import Violation, property_violations
from deskroom.scenario import Replay, parse_scenario, replay_scenario

DESK = """\
format = 1
order = "routed"
desk = { id = "d", name = "D", people = [{ id = "sam", label = "Sam" }], seats = [\
{ id = "a" }, { id = "b" }, { id = "c" }] }
"""


@pytest.fixture
def played() -> Callable[..., Replay]:
    """Return a function that plays a scenario: its turns are given, and a person opens it."""

    def play(*turns: str, policy: str = "", head: str = "", more: str = "") -> Replay:
        lines = [f"{head}\n[policy]\n{policy}\n[opening]\nby = 'sam'\nmessage = '@a go'"]
        lines += [f"[[turn]]\n{turn}" for turn in turns]
        return replay_scenario(parse_scenario("\n".join([DESK, *lines, more])))

    return play


@pytest.fixture
def broken(played: Callable[..., Replay]) -> Callable[..., list[str]]:
    """Return a function that plays one, and says in which way one property does not hold."""

    def violations(*turns: str, must: str, **parts: str) -> list[str]:
        replay = played(*turns, more=f"[[property]]\nname = 'p'\n{must}", **parts)
        found: tuple[Violation, ...] = property_violations(replay.scenario.properties, replay.run)
        return [f"{one.problem} x{one.times}" for one in found]

    return violations
