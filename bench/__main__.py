"""``python -m bench``: measure, print one table a question, and write everything as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from bench.commands import COMMANDS, Sizes, measure_commands
from bench.run import ROOT, Plan, Spread, measure, system
from bench.systems import SYSTEMS

_FULL = Plan(
    rounds=7,
    turns=2_000,
    lengths=(100, 1_000, 10_000, 100_000, 1_000_000),
    longest=1_000_000,
    rooms=(200, 1_000),
    room_turns=20,
)
_FIGURES = ("min", "median", "max")
_MANY = Sizes(scenarios=1_000, turns=20, journal_turns=100_000)
_FEW = Sizes(scenarios=3, turns=4, journal_turns=10)
_TINY = Plan(rounds=1, turns=20, lengths=(20, 40), longest=40, rooms=(2, 3), room_turns=5)


@click.command()
@click.option("--tiny", is_flag=True, help="Measure next to nothing, to see that it runs.")
@click.option("--rounds", type=click.IntRange(min=1), help="How often each system has its turn.")
@click.option("--only", multiple=True, type=click.Choice(list(SYSTEMS)), help="Only these systems.")
@click.option("--longest", type=int, help="The longest conversation, in turns.")
@click.option("--commands/--no-commands", default=True, help="Also measure the command line.")
@click.option(
    "--before",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Another checkout, whose rooms and commands are measured in the same rounds.",
)
@click.option("--out", default="bench/results.json", show_default=True, help="The JSON file.")
def main(
    *,
    tiny: bool,
    rounds: int | None,
    only: tuple[str, ...],
    longest: int | None,
    commands: bool,
    before: Path | None,
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
    source = None if before is None else before.resolve() / "src"
    results = measure(names, plan, source)
    if commands:
        sources = {"now": ROOT / "src"} | ({} if source is None else {"before": source})
        sizes = _FEW if tiny else _MANY
        results["commands"] = measure_commands(sizes, min(plan.rounds, 3), sources)
    Path(out).write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    console = Console(width=None)
    console.print(_turn_table(results))
    console.print(_growth_table(results, plan))
    console.print(_rooms_table(results, plan))
    if commands:
        console.print(_commands_table(results["commands"]))
    for name, why in results["missing"].items():
        console.print(f"{name}: not measured ({why})", highlight=False)
    console.print(f"written: {out}", highlight=False)


def _turn_table(results: dict[str, Any]) -> Table:
    table = Table(title="A scripted turn, in turns of the floor (less is faster)")
    for heading in ("system", "min", "median", "max", "it also has", "it lacks"):
        table.add_column(heading, justify="right" if heading in _FIGURES else "left")
    floor = results["turn"]["floor"]
    for name, seconds in results["turn"].items():
        table.add_row(name, *_ratios(seconds, floor), system(name).more, system(name).lacks)
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
    for heading in _FIGURES:
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
                figures = _ratios(seconds[key], at_once)
                most = memory if rooms == max(plan.rooms) else ""
                table.add_row(f"{name}, {rooms:,} at once", what, *figures, most)
    return table


def _commands_table(measured: dict[str, dict[str, list[float]]]) -> Table:
    table = Table(title="Commands, each in times of another one in the same round")
    for heading in ("what", "in times of", "min", "median", "max"):
        table.add_column(heading, justify="right" if heading in _FIGURES else "left")
    for what, command in COMMANDS.items():
        now = measured[what]["now"]
        if command.beside is not None:
            table.add_row(what, command.beside, *_ratios(now, measured[command.beside]["now"]))
        if "before" in measured[what]:
            table.add_row(what, "the same, before", *_ratios(now, measured[what]["before"]))
    return table


def _ratios(ones: Sequence[float], others: Sequence[float]) -> tuple[str, str, str]:
    return Spread.of([one / other for one, other in zip(ones, others, strict=True)]).figures


if __name__ == "__main__":
    main()
