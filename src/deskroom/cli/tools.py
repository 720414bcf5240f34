"""``deskroom tools``: the tool surface, in the form of each place that takes tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from deskroom.cli.output import console, print_json
from deskroom.render.tools import TOOL_FORMATS, tools_as
from deskroom.speech import ToolSpec, tool_specs
from deskroom.speech.tools import served

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["tools_command"]


@click.command("tools")
@click.option(
    "--format",
    "format_",
    type=click.Choice(("table", *TOOL_FORMATS)),
    default="table",
    show_default=True,
    help="A table to read, JSON Schemas, or what the named protocol or API takes.",
)
def tools_command(format_: str) -> None:
    """Print the tools that a seat is served: names, descriptions and parameters."""
    if format_ == "table":
        console().print(_table())
    else:
        print_json(tools_as(format_))


def _table() -> Table:
    from rich.table import Table

    table = Table(title="The tools of a seat", title_justify="left", show_lines=True)
    table.add_column("tool", no_wrap=True)
    table.add_column("takes", overflow="fold", ratio=2)
    table.add_column("what a seat is told", overflow="fold", ratio=3)
    for spec in tool_specs():
        table.add_row(served(spec.name), _parameters(spec), spec.description)
    return table


def _parameters(spec: ToolSpec) -> str:
    lines = []
    for parameter in spec.parameters:
        mark = "" if parameter.required else f", or {parameter.default}"
        kind = {"strings": "strings", "string": "string", "integer": "whole number"}[parameter.type]
        lines.append(f"{parameter.name} ({kind}{mark}): {parameter.description}")
    return "\n".join(lines)
