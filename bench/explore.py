"""``python -m bench.explore``: how many turns a second are explored, and what that is measured by.

Each figure is a ratio within one run: exploring and rooms of actors take turns, round by round, on
the same scenarios, those that exploring had played. Nothing here is asserted.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median
from typing import Final

import anyio
import click
from attrs import evolve

from deskroom.engine.entries import MemoryJournal
from deskroom.explore.draws import SeededDraws
from deskroom.explore.explore import bounds_of, explore_chunk
from deskroom.explore.play import Explorer
from deskroom.room.log import set_own_level
from deskroom.scenario import Scenario
from deskroom.scenario.format.load import load_explorable
from deskroom.scenario.play.replay import play_script, run_scripted, scripted_room

ROOT: Final = Path(__file__).parents[1]
DESK: Final = ROOT / "mutants" / "desks" / "busy.toml"
_RUNS: Final = 200
_CHUNK: Final = 25
_FEW: Final = 1_000


@click.command()
@click.option("--rounds", type=int, default=5, show_default=True)
@click.option("--longest", type=int, default=1_000_000, show_default=True)
def main(rounds: int, longest: int) -> None:
    """Measure exploring on one core and on two, and how it grows."""
    set_own_level("error")
    for line in _against_actors(rounds):
        print(line)
    for line in _growth(longest):
        print(line)
    for line in _on_two_cores(rounds):
        print(line)


def _against_actors(rounds: int) -> Sequence[str]:
    scenario = load_explorable(DESK)
    # Rooms of actors are not killed, so neither is what they are compared with.
    bounds = evolve(bounds_of(scenario), kills=0)
    explorer = Explorer(scenario, bounds)
    played = [explorer.play(SeededDraws(0, number), deep=False) for number in range(_RUNS)]
    scenarios = [one.scenario for one in played]
    turns = sum(one.run.granted for one in played)
    rates: dict[str, list[float]] = {}
    ways: dict[str, Callable[[], object]] = {
        "explored": lambda: explore_chunk(scenario, bounds, range(_RUNS), deep_every=0),
        "explored, one in eight looked at as a whole": lambda: explore_chunk(
            scenario, bounds, range(_RUNS)
        ),
        "explored, each looked at as a whole": lambda: explore_chunk(
            scenario, bounds, range(_RUNS), deep_every=1
        ),
        "rooms of actors": lambda: anyio.run(_acted, scenarios),
        "the player of a replay": lambda: _replayed(scenarios),
    }
    for _ in range(rounds):
        for name, way in ways.items():
            rates.setdefault(name, []).append(turns / _seconds(way))
    ratios = {
        name: [one / room for one, room in zip(rate, rates["rooms of actors"], strict=True)]
        for name, rate in rates.items()
    }
    return [
        f"{name}: {median(rates[name]):,.0f} turns a second, "
        f"{median(ratios[name]):.2f} of rooms of actors "
        f"({min(ratios[name]):.2f} to {max(ratios[name]):.2f})"
        for name in ways
    ]


async def _acted(scenarios: Sequence[Scenario]) -> None:
    for scenario in scenarios:
        room = scripted_room(scenario, journal=MemoryJournal(), keeps_digest=False)
        await run_scripted(room)


def _replayed(scenarios: Sequence[Scenario]) -> None:
    for scenario in scenarios:
        play_script(scenario, MemoryJournal(), keeps_digest=False, logs=False)


def _growth(longest: int) -> Sequence[str]:
    """The time of a turn when so many have been explored, in times of that at the beginning."""
    scenario = load_explorable(DESK)
    bounds = bounds_of(scenario)
    lines: list[str] = []
    done = start = 0
    at, first = _FEW, 0.0
    begun = time.perf_counter()
    while at <= longest:
        while done < at:
            numbers = range(start, start + _CHUNK)
            done += explore_chunk(scenario, bounds, numbers, deep_every=0).turns
            start += _CHUNK
        each = (time.perf_counter() - begun) / done
        first = first or each
        lines.append(f"a turn of the first {at:,} explored: {each / first:.2f} of one of {_FEW:,}")
        at *= 10
    return lines


def _explored(start: int) -> int:
    scenario = load_explorable(DESK)
    return explore_chunk(scenario, bounds_of(scenario), range(start, start + 100)).turns


def _on_two_cores(rounds: int) -> Sequence[str]:
    ratios: list[float] = []
    starts = range(0, 800, 100)
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(_explored, range(0, 200, 100)))
        for _ in range(rounds):
            alone = _seconds(lambda: [_explored(start) for start in starts])
            both = _seconds(lambda: list(pool.map(_explored, starts)))
            ratios.append(alone / both)
    spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
    return [f"on two processes: {median(ratios):.2f} times as fast as on one ({spread})"]


def _seconds(way: Callable[[], object]) -> float:
    gc.collect()
    begun = time.perf_counter()
    way()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
