"""Scenario files: what seats say is scripted, and what must come out is pinned."""

from deskroom.scenario.check import Checked, CheckWarning, check_scenario
from deskroom.scenario.compare import Replay
from deskroom.scenario.expect import Mismatch
from deskroom.scenario.load import (
    find_scenarios,
    load_desk,
    load_scenario,
    load_setting,
    parse_scenario,
)
from deskroom.scenario.model import (
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
from deskroom.scenario.position import Place
from deskroom.scenario.problems import KeyProblem, ScenarioError
from deskroom.scenario.replay import play_scenario, replay_scenario
from deskroom.scenario.schema import scenario_schema

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
