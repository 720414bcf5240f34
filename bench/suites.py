"""A suite of scenarios, replayed, beside pytest only collecting as many tests in Python."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

__all__ = ["measure_suites"]

_SCENARIO = """\
format = 1
title = "Scenario {number}"

[desk]
id = "d"
name = "D"
seats = [{{ id = "first" }}, {{ id = "second" }}]

[policy.dispatch]
max_hops = 1000
{turns}
[expect]
rows = {count}
closed = "script"
"""

_TURN = """
[[turn]]
seat = "{seat}"
say = "@{other} turn {at} of scenario {number}: I measured the depth again and it is 1.23n"
expect = {{ audience = "desk", next = "{other}" }}
"""

_TEST = """\
import anyio
from deskroom import Room

SEATS = ("first", "second")


def test_room_{number}():
    async def first(turn):
        await turn.post("@second go on")

    async def second(turn):
        await turn.post("@first go on")

    room = Room({{"first": first, "second": second}}, opening="@first begin")
    assert anyio.run(room.run).closed == "quiet"
"""


def measure_suites(count: int, turns: int, rounds: int) -> dict[str, list[float]]:
    """Return seconds for each way of meeting ``count`` rooms of ``turns`` turns, a list of rounds.

    Every command is a process of its own, begun from nothing, and they take turns.
    """
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        _write(place, count, turns)
        python = [sys.executable, "-m"]
        collect = [*python, "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
        commands = {
            "collect, a file each": [*collect, "tests"],
            "collect, one file": [*collect, "one"],
            "replay -j 1": [*python, "deskroom", "replay", "-q", "-j", "1", "scenarios"],
            "replay -j 2": [*python, "deskroom", "replay", "-q", "-j", "2", "scenarios"],
        }
        seconds: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(rounds):
            for name, command in commands.items():
                seconds[name].append(_time(command, place))
    return seconds


def _write(place: Path, count: int, turns: int) -> None:
    for folder in ("scenarios", "tests", "one"):
        (place / folder).mkdir()
    tests = []
    for number in range(count):
        text = "".join(_turn(number, at) for at in range(1, turns + 1))
        scenario = _SCENARIO.format(number=number, turns=text, count=turns)
        (place / "scenarios" / f"s{number:04}.toml").write_text(scenario, encoding="utf-8")
        tests.append(_TEST.format(number=number))
        (place / "tests" / f"test_{number:04}.py").write_text(tests[-1], encoding="utf-8")
    (place / "one" / "test_all.py").write_text("\n\n".join(tests), encoding="utf-8")


def _turn(number: int, at: int) -> str:
    seat, other = ("first", "second") if at % 2 else ("second", "first")
    return _TURN.format(seat=seat, other=other, at=at, number=number)


def _time(command: list[str], place: Path) -> float:
    # No other pytest settings, and none of the plugins that happen to be installed here.
    environment = {
        **os.environ,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTEST_ADDOPTS": "",
        "PYTHONPATH": os.pathsep.join(str(Path(path).resolve()) for path in sys.path),
    }
    before = perf_counter()
    subprocess.run(command, cwd=place, env=environment, check=True, capture_output=True)  # noqa: S603 - our own commands
    return perf_counter() - before
