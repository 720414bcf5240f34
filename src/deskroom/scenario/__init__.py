"""Scenario files: what seats say is scripted, and what must come out is pinned.

Each name is loaded when it is first used: to find scenarios, none of what plays them is needed.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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
    "Call": "format.model",
    "CheckWarning": "check",
    "Checked": "check",
    "DeskSpec": "format.model",
    "KeyProblem": "format.problems",
    "Mismatch": "play.expect",
    "Nobody": "format.model",
    "Opening": "format.model",
    "OpeningExpect": "format.model",
    "Place": "format.position",
    "Replay": "play.compare",
    "RunExpect": "format.model",
    "Scenario": "format.model",
    "ScenarioError": "format.problems",
    "Turn": "format.model",
    "TurnExpect": "format.model",
    "check_scenario": "check",
    "find_scenarios": "format.find",
    "load_desk": "format.load",
    "load_scenario": "format.load",
    "load_setting": "format.load",
    "parse_scenario": "format.load",
    "play_scenario": "play.replay",
    "replay_scenario": "play.replay",
    "scenario_schema": "format.schema",
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
    value = getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    globals()[name] = value
    return value
