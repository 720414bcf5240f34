"""Scenario files: what seats say is scripted, and what must come out is pinned.

What checks a scenario and what describes the format are loaded when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from deskroom.scenario.format.load import (
    find_scenarios,
    load_desk,
    load_scenario,
    load_setting,
    parse_scenario,
)
from deskroom.scenario.format.model import (
    Call,
    DeskSpec,
    Nobody,
    Opening,
    OpeningExpect,
    RunExpect,
    Scenario,
    Turn,
    TurnExpect,
)
from deskroom.scenario.format.position import Place
from deskroom.scenario.format.problems import KeyProblem, ScenarioError
from deskroom.scenario.play.compare import Replay
from deskroom.scenario.play.expect import Mismatch
from deskroom.scenario.play.replay import play_scenario, replay_scenario

if TYPE_CHECKING:
    from deskroom.scenario.check import Checked, CheckWarning, check_scenario
    from deskroom.scenario.format.schema import scenario_schema

_LAZY = {
    "Checked": "deskroom.scenario.check",
    "CheckWarning": "deskroom.scenario.check",
    "check_scenario": "deskroom.scenario.check",
    "scenario_schema": "deskroom.scenario.format.schema",
}

__all__ = [
    "Call",
    "CheckWarning",
    "Checked",
    "DeskSpec",
    "KeyProblem",
    "Mismatch",
    "Nobody",
    "Opening",
    "OpeningExpect",
    "Place",
    "Replay",
    "RunExpect",
    "Scenario",
    "ScenarioError",
    "Turn",
    "TurnExpect",
    "check_scenario",
    "find_scenarios",
    "load_desk",
    "load_scenario",
    "load_setting",
    "parse_scenario",
    "play_scenario",
    "replay_scenario",
    "scenario_schema",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute can be anything
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value
