"""``deskroom schema``: the scenario format as a JSON Schema, for editors."""

from __future__ import annotations

import click

from deskroom.cli.output import print_json
from deskroom.scenario import scenario_schema

__all__ = ["schema_command"]


@click.command("schema")
def schema_command() -> None:
    """Print the JSON Schema (draft 7) of the scenario format, for an editor to complete and check.

    An editor with TOML support, such as one with Even Better TOML, finds it by the first line of a
    scenario:

    \b
      #:schema ./scenario.schema.json
    """  # noqa: D301 - click reads this mark
    print_json(scenario_schema())
