"""``python -m bench``: measure, print one table a question, and write everything as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from bench.run import Plan, Spread, measure
from bench.suites import measure_suites
from bench.systems import SYSTEMS

_FULL = Plan(
    rounds=7,
    turns=2_000,
    lengths=(100, 1_000, 10_000, 100_000, 1_000_000),
    longest=1_000_000,
    rooms=(200, 1_000),
    room_turns=20,
)
_TINY = Plan(rounds=1, turns=20, lengths=(20, 40), longest=40, rooms=(2, 3), room_turns=5)


@click.command()
@click.option("--tiny", is_flag=True, help="Measure next to nothing, to see that it runs.")
@click.option("--rounds", type=click.IntRange(min=1), help="How often each system has its turn.")
@click.option("--only", multiple=True, type=click.Choice(list(SYSTEMS)), help="Only these systems.")
@click.option("--longest", type=int, help="The longest conversation, in turns.")
@click.option(
    "--suites/--no-suites", default=True, help="Also replay 1,000 scenarios beside pytest."
)
@click.option("--out", default="bench/results.json", show_default=True, help="The JSON file.")
def main(
    *,
    tiny: bool,
    rounds: int | None,
    only: tuple[str, ...],
    longest: int | None,
    suites: bool,
    out: str,
) -> None:
    """Measure what a scripted turn costs, as ratios within this run."""
    base = _TINY if tiny else _FULL
    plan = Plan(
        rounds=rounds or base.rounds,
        turns=base.turns,
        lengths=base.lengths,
        longest=longest or base.longest,
        rooms=base.rooms,
        room_turns=base.room_turns,
    )
    names = ["floor", *(name for name in SYSTEMS if name != "floor" and (not only or name in only))]
    results = measure(names, plan)
    if suites:
        count, turns = (3, 4) if tiny else (1_000, 20)
        results["suites"] = measure_suites(count, turns, min(plan.rounds, 3))
    Path(out).write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    console = Console(width=None)
    console.print(_turn_table(results))
    console.print(_growth_table(results, plan))
    console.print(_rooms_table(results, plan))
    if suites:
        console.print(_suites_table(results))
    for name, why in results["missing"].items():
        console.print(f"{name}: not installed ({why})", highlight=False)
    console.print(f"written: {out}", highlight=False)


def _turn_table(results: dict[str, Any]) -> Table:
    table = Table(title="A scripted turn, in turns of the floor (less is faster)")
    for heading in ("system", "min", "median", "max", "it also has", "it lacks"):
        table.add_column(
            heading, justify="right" if heading in ("min", "median", "max") else "left"
        )
    floor = results["turn"]["floor"]
    for name, seconds in results["turn"].items():
        ratios = [one / other for one, other in zip(seconds, floor, strict=True)]
        table.add_row(name, *Spread.of(ratios).figures, SYSTEMS[name].more, SYSTEMS[name].lacks)
    return table


def _growth_table(results: dict[str, Any], plan: Plan) -> Table:
    table = Table(title=f"A late turn at each length, in late turns at {plan.lengths[1]:,}")
    table.add_column("system")
    for turns in plan.lengths:
        table.add_column(f"{turns:,}", justify="right")
    table.add_column("peak memory a turn", justify="right")
    for name, growth in results["growth"].items():
        cells = [_spread_cell(growth["late_turn"].get(turns, ())) for turns in plan.lengths]
        table.add_row(name, *cells, f"{growth['grown_bytes_a_turn']:,.0f} B")
    return table


def _spread_cell(ratios: Sequence[float]) -> str:
    if not ratios:
        return ""
    least, middle, greatest = Spread.of(ratios).figures
    return middle if len(ratios) == 1 else f"{middle} ({least}-{greatest})"


def _rooms_table(results: dict[str, Any], plan: Plan) -> Table:
    table = Table(title=f"Turns a second of many rooms of {plan.room_turns} turns in one loop")
    table.add_column("system")
    table.add_column("as a share of those of")
    for heading in ("min", "median", "max"):
        table.add_column(heading, justify="right")
    table.add_column("peak memory a room", justify="right")
    for name, measured in results["rooms"].items():
        seconds = measured["turn_s"]
        memory = f"{measured['grown_bytes_a_room']:,.0f} B"
        for rooms in plan.rooms:
            at_once = seconds[f"{rooms} at once"]
            beside = {
                "one long room": "one long room",
                f"{rooms} in a row": f"{rooms:,} rooms in a row",
            }
            for key, what in beside.items():
                pairs = zip(seconds[key], at_once, strict=True)
                spread = Spread.of([other / one for other, one in pairs])
                most = memory if rooms == max(plan.rooms) else ""
                table.add_row(f"{name}, {rooms:,} at once", what, *spread.figures, most)
    return table


def _suites_table(results: dict[str, Any]) -> Table:
    table = Table(title="Scenarios replayed, in times that pytest takes to collect as many files")
    for heading in ("what", "min", "median", "max"):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    collected = results["suites"]["collect, a file each"]
    for name, seconds in results["suites"].items():
        spread = Spread.of([one / other for one, other in zip(seconds, collected, strict=True)])
        table.add_row(name, *spread.figures)
    return table


if __name__ == "__main__":
    main()
