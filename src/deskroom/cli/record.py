"""``deskroom record``: a journal becomes a scenario that replays to the same rows."""

from __future__ import annotations

import click

from deskroom.cli.output import print_warning
from deskroom.cli.progress import reading
from deskroom.cli.shared import log_options, set_up
from deskroom.files import check_output, write_output
from deskroom.printable import counted
from deskroom.runs.run import Run
from deskroom.scenario.edit.record import Recorded, record_run
from deskroom.scenario.sources import read_journal_run

__all__ = ["record_command"]


@click.command("record")
@click.argument("journal", metavar="JOURNAL")
@click.option("-o", "--output", metavar="FILE", help="Write the scenario here.  [default: stdout]")
@click.option("--force", is_flag=True, help="Overwrite FILE if it is there.")
@log_options
def record_command(
    journal: str, *, output: str | None, force: bool, log_format: str | None, log_level: str | None
) -> int:
    """Make a scenario from a journal: what each seat did, and what came of it as expectations.

    The scenario is replayed before it is written, and is written only if it gives the same rows
    and decisions. What the journal has and a scenario cannot say is named on stderr and in
    comments of the file.

    \b
    Exit codes: 0 it was made, 2 the journal is wrong or no scenario can give its run again.
    """  # noqa: D301 - click reads this mark
    # What the recorded room warned of, it has warned of already.
    set_up(log_format, log_level, default_level="error")
    if output == "-":
        output = None
    if output is not None:
        check_output(output, force=force, sources=[journal])
    recorded = record_run(_sound_run(journal), journal)
    for remark in recorded.remarks:
        print_warning(journal, remark)
    if output is None:
        click.echo(recorded.text, nl=False)
    else:
        write_output(output, recorded.text, force=force, sources=[journal])
        click.echo(f"{output}: {_counts(recorded)}")
    return 0


def _sound_run(path: str) -> Run:
    """Return the run in a journal, each entry of which is what the rules say today.

    A last line that a crash cut short is left out.
    """
    with reading([path], "reading") as opened:
        run, torn = read_journal_run(path, opened(path))
    if torn is not None:
        print_warning(torn.place, f"{torn.problem}; it is left out")
    return run


def _counts(recorded: Recorded) -> str:
    run = recorded.replay.run
    return (
        f"{counted(run.granted, 'turn')}, {counted(len(run.rows), 'row')}; it replays to the same"
    )
