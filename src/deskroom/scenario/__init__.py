"""Scenario files: what seats say is scripted, and what must come out is pinned.

Each name is loaded when it is first used: to find scenarios, none of what plays them is needed.
"""

from typing import TYPE_CHECKING

from deskroom._lazy import lazy

if TYPE_CHECKING:
    from deskroom.scenario.check import Checked, CheckWarning, check_scenario
    from deskroom.scenario.format.find import find_scenarios
    from deskroom.scenario.format.load import load_desk, load_scenario, load_setting, parse_scenario
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
    from deskroom.scenario.format.schema import scenario_schema
    from deskroom.scenario.play.compare import Replay
    from deskroom.scenario.play.expect import Mismatch
    from deskroom.scenario.play.replay import play_scenario, replay_scenario

#: Where each name is, below this package.
_LAZY = {
    "Call": "deskroom.scenario.format.model",
    "CheckWarning": "deskroom.scenario.check",
    "Checked": "deskroom.scenario.check",
    "DeskSpec": "deskroom.scenario.format.model",
    "KeyProblem": "deskroom.scenario.format.problems",
    "Mismatch": "deskroom.scenario.play.expect",
    "Nobody": "deskroom.scenario.format.model",
    "Opening": "deskroom.scenario.format.model",
    "OpeningExpect": "deskroom.scenario.format.model",
    "Place": "deskroom.scenario.format.position",
    "Replay": "deskroom.scenario.play.compare",
    "RunExpect": "deskroom.scenario.format.model",
    "Scenario": "deskroom.scenario.format.model",
    "ScenarioError": "deskroom.scenario.format.problems",
    "Turn": "deskroom.scenario.format.model",
    "TurnExpect": "deskroom.scenario.format.model",
    "check_scenario": "deskroom.scenario.check",
    "find_scenarios": "deskroom.scenario.format.find",
    "load_desk": "deskroom.scenario.format.load",
    "load_scenario": "deskroom.scenario.format.load",
    "load_setting": "deskroom.scenario.format.load",
    "parse_scenario": "deskroom.scenario.format.load",
    "play_scenario": "deskroom.scenario.play.replay",
    "replay_scenario": "deskroom.scenario.play.replay",
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


__getattr__ = lazy(__name__, _LAZY)
