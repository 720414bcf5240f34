"""What could happen in a room: many runs of a desk, drawn from a seed, each checked at every step.

A scenario says what happens once. Here the orders are played that nobody wrote down: seats that take
long, calls that come twice, people in between, a process that dies. What breaks is made as plain as
it can be, and written as a scenario that fails by a plain replay. For example::

    exploration = explore(load_explorable("desk.toml"), Explore(runs=100, seed=7, talk=True))
    for failure in exploration.failures:
        print(failure.name, failure.problem)
"""

from deskroom.explore.explore import (
    Exploration,
    FoundFailure,
    bounds_of,
    explore,
    play_explored,
)
from deskroom.explore.play import Played
from deskroom.scenario.format.explore import Explore
from deskroom.scenario.format.load import load_explorable
from deskroom.scenario.play.watch import Fault

__all__ = [
    "Exploration",
    "Explore",
    "Fault",
    "FoundFailure",
    "Played",
    "bounds_of",
    "explore",
    "load_explorable",
    "play_explored",
]
