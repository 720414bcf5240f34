"""``deskroom graph``: a run as a diagram, in the language of Mermaid or Graphviz, or as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Literal

import click

from deskroom.cli.output import EXIT_MISMATCH, print_error, shown_path
from deskroom.cli.shared import backend_option, check_seat, log_options, set_up
from deskroom.core import OPERATOR, Viewer
from deskroom.errors import FileError, UsageError
from deskroom.files import check_output, write_output
from deskroom.render.graph import Graph, graph_json, graph_of
from deskroom.render.graph_dot import sequence_digraph, turn_digraph
from deskroom.render.graph_mermaid import flowchart, sequence_diagram
from deskroom.scenario.sources import read_source

__all__ = ["graph_command"]

Diagram = Literal["sequence", "hand-offs"]


@click.command("graph")
@click.argument("run", metavar="RUN")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["mermaid", "dot", "json"]),
    default="mermaid",
    show_default=True,
    help="The language to write it in.",
)
@click.option(
    "--diagram",
    type=click.Choice(["sequence", "hand-offs"]),
    help="What to draw.  [default: sequence; with --format dot, hand-offs if they are known]",
)
@click.option("--as", "seat", metavar="SEAT", help="Show only what this seat may know.")
@click.option("-o", "--output", metavar="FILE", help="Write it here.  [default: stdout]")
@click.option("--force", is_flag=True, help="Overwrite FILE if it is there.")
@backend_option
@log_options
def graph_command(
    run: str,
    *,
    format_: Literal["mermaid", "dot", "json"],
    diagram: Diagram | None,
    seat: str | None,
    output: str | None,
    force: bool,
    backend: Literal["asyncio", "trio"],
    log_format: str | None,
    log_level: str | None,
) -> int:
    """Draw a run: what passed between whom, or how often each gave each the turn.

    RUN is a journal, a scenario (which is played), or a transcript. The sequence has every row in
    order and the turns without one; asides are dashed. The hand-offs go from who wrote a row to
    who got the turn by it, with how often. JSON has both.

    \b
    Exit codes: 0 it was drawn, 1 a journal is damaged and was drawn up to the bad line, 2 a file
    cannot be read or written.
    """  # noqa: D301 - click reads this mark
    set_up(log_format, log_level, backend, default_level="error")
    if format_ == "json" and diagram is not None:
        raise UsageError("--format json has both diagrams: leave out --diagram")
    output = None if output == "-" else output
    if output is not None:
        check_output(output, force=force, sources=[run])
    source = read_source(run, backend)
    viewer = OPERATOR if seat is None else Viewer("agent", seat)
    if source.whole.seats is not None:
        check_seat(run, source.whole.seats, viewer)
    graph = graph_of(source.view(viewer))
    if format_ == "json":
        document = {
            "format": 1,
            "path": shown_path(run),
            "kind": source.kind,
            "viewer": seat,
            **graph_json(graph),
        }
        text = json.dumps(document, indent=2) + "\n"
    else:
        text = "".join(f"{line}\n" for line in _lines(graph, format_, diagram, run))
    if output is None:
        click.echo(text, nl=False)
    else:
        write_output(output, text, force=force, sources=[run])
    if source.damage is not None:
        print_error(source.damage)
        return EXIT_MISMATCH
    return 0


def _lines(
    graph: Graph, format_: Literal["mermaid", "dot"], diagram: Diagram | None, path: str
) -> Iterator[str]:
    if diagram is None:
        draws_sequence = format_ == "mermaid" or graph.hand_offs is None
        diagram = "sequence" if draws_sequence else "hand-offs"
    if diagram == "hand-offs" and graph.hand_offs is None:
        raise FileError(path, "who got the turn is not known of these rows; draw the sequence")
    if format_ == "mermaid":
        return sequence_diagram(graph) if diagram == "sequence" else flowchart(graph)
    return sequence_digraph(graph) if diagram == "sequence" else turn_digraph(graph)
