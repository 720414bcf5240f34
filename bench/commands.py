"""Commands of ours, each a process of its own, beside other commands and another checkout's."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Final

from attrs import frozen

from bench.run import python_path

__all__ = ["COMMANDS", "Sizes", "measure_commands"]

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


#: Written by the checkout that is measured: formats differ.
_WRITE_JOURNAL = (
    "import sys; from bench.systems.room import write; write(sys.argv[1], int(sys.argv[2]))"
)


@frozen
class Command:
    """What is run, as arguments of ``python -m``, and the command that it is set beside.

    A short one is run ``often`` in each round, where there is more than one round.
    """

    line: Sequence[str]
    beside: str | None = None
    often: int = 1


@frozen(kw_only=True)
class Sizes:
    """How much there is to do: scenarios of some turns each, and the turns of the long journal."""

    scenarios: int
    turns: int
    journal_turns: int


_COLLECT = ("pytest", "--collect-only", "-q", "-p", "no:cacheprovider")
_REPLAY = ("deskroom", "replay", "-q")
_TAIL = ("deskroom", "show", "--tail", "1")

#: What is measured, by what a table calls it.
COMMANDS: Final = {
    "deskroom --version": Command(("deskroom", "--version"), often=5),
    "replay of one scenario": Command((*_REPLAY, "scenarios/first/s0000.toml"), often=5),
    "collect, a file each": Command((*_COLLECT, "tests")),
    "replay -j 1": Command((*_REPLAY, "-j", "1", "scenarios"), "collect, a file each"),
    "replay -j 2": Command((*_REPLAY, "-j", "2", "scenarios"), "replay -j 1"),
    "replay -j 1, a fifth of them": Command((*_REPLAY, "-j", "1", "scenarios/first")),
    "replay -j 2, a fifth of them": Command(
        (*_REPLAY, "-j", "2", "scenarios/first"), "replay -j 1, a fifth of them"
    ),
    "verify": Command(("deskroom", "verify", "long.jsonl")),
    "show": Command(("deskroom", "show", "long.jsonl"), "verify"),
    "show --rows": Command(("deskroom", "show", "--rows", "long.jsonl"), "verify"),
    "show --tail 1, a tenth as long": Command((*_TAIL, "short.jsonl"), often=3),
    "show --tail 1": Command((*_TAIL, "long.jsonl"), "show --tail 1, a tenth as long", often=3),
}


def measure_commands(
    sizes: Sizes, rounds: int, sources: Mapping[str, Path]
) -> dict[str, dict[str, list[float]]]:
    """Return seconds for each command and each source of deskroom, a list of rounds.

    Every command is a process of its own, begun from nothing, and they take turns.
    """
    seconds: dict[str, dict[str, list[float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, source in sources.items():
            _write(Path(folder) / name, sizes.scenarios, sizes.turns)
            for journal, turns in (
                ("long", sizes.journal_turns),
                ("short", sizes.journal_turns // 10),
            ):
                line = ["-c", _WRITE_JOURNAL, f"{journal}.jsonl", str(turns)]
                _time(line, Path(folder) / name, source)
        for _ in range(rounds):
            for what, command in COMMANDS.items():
                for _ in range(command.often if rounds > 1 else 1):
                    for name, source in sources.items():
                        took = _time(["-m", *command.line], Path(folder) / name, source)
                        seconds.setdefault(what, {}).setdefault(name, []).append(took)
    return seconds


def _write(place: Path, count: int, turns: int) -> None:
    for folder in ("scenarios/first", "scenarios/rest", "tests"):
        (place / folder).mkdir(parents=True)
    for number in range(count):
        text = "".join(_turn(number, at) for at in range(1, turns + 1))
        scenario = _SCENARIO.format(number=number, turns=text, count=turns)
        part = place / "scenarios" / ("first" if number * 5 < count else "rest")
        (part / f"s{number:04}.toml").write_text(scenario, encoding="utf-8")
        test = _TEST.format(number=number)
        (place / "tests" / f"test_{number:04}.py").write_text(test, encoding="utf-8")


def _turn(number: int, at: int) -> str:
    seat, other = ("first", "second") if at % 2 else ("second", "first")
    return _TURN.format(seat=seat, other=other, at=at, number=number)


def _time(line: list[str], place: Path, source: Path) -> float:
    # No other pytest settings, and none of the plugins that happen to be installed here.
    environment = {
        **os.environ,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTEST_ADDOPTS": "",
        "PYTHONPATH": python_path(source),
    }
    null = subprocess.DEVNULL
    before = perf_counter()
    subprocess.run(  # noqa: S603 - our own commands
        [sys.executable, *line], cwd=place, env=environment, check=True, stdout=null, stderr=null
    )
    return perf_counter() - before
