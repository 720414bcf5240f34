"""``deskroom tools``: the tool surface, in the form of each place that takes tools."""

from __future__ import annotations

import click

from deskroom.cli.output import print_json
from deskroom.cli.screen import screen
from deskroom.render.tools import TOOL_FORMATS, tool_lines, tools_as

__all__ = ["tools_command"]


@click.command("tools")
@click.option(
    "--format",
    "format_",
    type=click.Choice(("table", *TOOL_FORMATS)),
    default="table",
    show_default=True,
    help="A list to read, JSON Schemas, or what the named protocol or API takes.",
)
def tools_command(format_: str) -> None:
    """Print the tools that a seat is served: names, descriptions and parameters."""
    if format_ == "table":
        click.echo("\n".join(tool_lines(screen())))
    else:
        print_json(tools_as(format_))
