"""The ``deskroom`` command: its subcommands, and the one place where a run ends."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final

import click

from deskroom._version import __version__
from deskroom.cli.output import EXIT_WRONG, print_error
from deskroom.cli.shared import LOG_FORMATS, LOG_LEVELS, LogOptions
from deskroom.cli.streams import OutputError, discard_output, set_up_streams
from deskroom.errors import DeskroomError, FileError
from deskroom.render.text import one_line

__all__ = ["cli", "main"]

_INTERRUPTED = 130
_PIPE_CLOSED = 141

#: Where each subcommand is, and what it does. It is loaded when it is run: a call needs one of them.
_COMMANDS: Final = {
    "audit": (
        "deskroom.cli.audit:audit_command",
        "Say where a transcript leaves the rules, row by row.",
    ),
    "check": (
        "deskroom.cli.check:check_command",
        "Say what is wrong or suspicious in scenarios, unplayed.",
    ),
    "conform": (
        "deskroom.cli.conform:conform_command",
        "Run conformance vectors over the public API.",
    ),
    "diff": ("deskroom.cli.diff:diff_command", "Say where two runs first differ, and why."),
    "explain": (
        "deskroom.cli.explain:explain_command",
        "Say what the room makes of one message, and why.",
    ),
    "explore": (
        "deskroom.cli.explore:explore_command",
        "Play a desk in many orders that could happen, and say what breaks.",
    ),
    "graph": (
        "deskroom.cli.graph:graph_command",
        "Draw a run: who spoke to whom, and who gave whom the turn.",
    ),
    "import": (
        "deskroom.cli.import_:import_command",
        "Bring in a transcript that was made elsewhere.",
    ),
    "mcp": (
        "deskroom.cli.mcp:mcp_command",
        "Take a seat of a room that runs, with MCP over stdio.",
    ),
    "new": ("deskroom.cli.new:new_command", "Write a commented scenario to start from."),
    "record": ("deskroom.cli.record:record_command", "Make a scenario from a journal."),
    "replay": ("deskroom.cli.replay:replay_command", "Play scenarios and compare what comes out."),
    "report": (
        "deskroom.cli.report:report_command",
        "Write runs as one web page that needs no network.",
    ),
    "run": (
        "deskroom.cli.run:run_command",
        "Play one scenario, row by row, and keep it in a journal.",
    ),
    "schema": (
        "deskroom.cli.schema:schema_command",
        "Print the JSON Schema of the scenario format.",
    ),
    "show": (
        "deskroom.cli.show:show_command",
        "Say what happened in a run and why, row by row and turn by turn.",
    ),
    "stats": (
        "deskroom.cli.stats:stats_command",
        "Say what runs come to in numbers, and plot one.",
    ),
    "sweep": (
        "deskroom.cli.sweep:sweep_command",
        "Play files under many policies, and say which serves best.",
    ),
    "tools": ("deskroom.cli.tools:tools_command", "Print the tools that a seat is served."),
    "verify": (
        "deskroom.cli.verify:verify_command",
        "Check every line of a journal against the rules.",
    ),
    "watch": (
        "deskroom.cli.watch:watch_command",
        "Show a run as a web page that follows it as it grows.",
    ),
}


class _Commands(click.Group):
    """The subcommands, each loaded when it is run."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - click's own
        super().__init__(**options)
        # Their names are where click looks for the nearest one.
        self.commands = dict.fromkeys(_COMMANDS, click.Command(None))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return a subcommand, or None where there is none of that name."""
        if cmd_name not in _COMMANDS:
            return None
        module, _, name = _COMMANDS[cmd_name][0].partition(":")
        # What is imported stays: the collector would look through it in vain, now and ever after.
        gc.disable()
        command: click.Command = getattr(import_module(module), name)
        gc.freeze()
        gc.enable()
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of subcommands, loading none of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in _COMMANDS.items()])


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Begin with: deskroom new first.toml",
)
@click.version_option(__version__, prog_name="deskroom")
@click.option("--log-format", type=click.Choice(LOG_FORMATS), help="How log lines look.")
@click.option("--log-level", type=click.Choice(LOG_LEVELS), help="The least level that is logged.")
@click.pass_context
def cli(context: click.Context, log_format: str | None, log_level: str | None) -> None:
    """Replay rooms of agents offline, and check who spoke, who could read it and who was next.

    A scenario (a TOML file) scripts the seats of a desk and pins what must come out. Nothing here
    needs a model or a network.

    \b
    Exit codes:
      0    all as expected
      1    something came out otherwise
      2    a file or the command itself is wrong
      130  interrupted
    """  # noqa: D301 - click reads this mark
    context.obj = LogOptions(log_format, log_level)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit. No traceback is shown for what a user got wrong."""
    set_up_streams()
    sys.exit(_run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    try:
        return _invoke(arguments)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except OutputError as error:
        discard_output()
        if error.kind == "closed":
            return _PIPE_CLOSED
        print_error(error)
        return EXIT_WRONG
    except FileError as error:
        print_error(error)
        return EXIT_WRONG
    except DeskroomError as error:
        click.echo(one_line(f"deskroom: {error}"), err=True)
        return EXIT_WRONG
    except (KeyboardInterrupt, click.Abort):
        return _interrupted()
    except BaseExceptionGroup as group:
        if group.subgroup(KeyboardInterrupt) is not None:
            return _interrupted()
        raise


def _invoke(arguments: Sequence[str] | None) -> int:
    result = cli.main(args=arguments, prog_name="deskroom", standalone_mode=False)
    if sys.stdout is not None:
        sys.stdout.flush()  # so that what cannot be written is known before the exit code is
    return result if isinstance(result, int) else 0


def _interrupted() -> int:
    click.echo("interrupted", err=True)
    return _INTERRUPTED
