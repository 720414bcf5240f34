from __future__ import annotations

import csv
import io
import json

from attrs import evolve

from deskroom.core import Viewer
from deskroom.render.stats import COLUMNS, RunFigures, csv_text, many_lines, stats_json, stats_lines
from deskroom.runs.figures import figures_of
from deskroom.runs.transcript import read_transcript
from deskroom.scenario import parse_scenario, replay_scenario

FILE = """\
format = 1
desk = { id = "d", name = "D", seats = [{ id = "a" }, { id = "b" }, { id = "=c" }] }
[[turn]]
seat = "a"
calls = [{ tool = "shout" }, { tool = "desk_post", message = "@b x" }]
[[turn]]
seat = "b"
"""
ROW = '{"sequence":1,"chat_id":"d","parent":null,"author":{"type":"agent","id":"a"},"content":"x","audience":{"kind":"desk"}}'


def run(path: str = "x.toml", viewer: Viewer | None = None) -> RunFigures:
    """Return the figures of that file."""
    replay = replay_scenario(parse_scenario(FILE))
    view = replay.view(viewer) if viewer else replay.view()
    return RunFigures(path=path, kind="scenario", figures=figures_of(view))


def bare() -> RunFigures:
    """Return the figures of a transcript of one row."""
    figures = figures_of(read_transcript(ROW, "x"))
    return RunFigures(path="bare", kind="transcript", figures=figures)


def cells(*runs: RunFigures) -> list[dict[str, str]]:
    """Return the lines of a CSV, each by its columns."""
    return list(csv.DictReader(io.StringIO(csv_text(runs))))


def test_a_table_leaves_out_what_is_not_known() -> None:
    """A transcript of bare rows has three figures."""
    names = [line.partition("│")[0].strip() for line in stats_lines(bare())][3:]
    assert ["rows", "rows by", "asides"] == names


def test_many_runs_are_a_line_each() -> None:
    """What is not known is blank, and the name of a run comes last."""
    heading, known, unknown = many_lines([run(), bare()])
    assert "rows  name a seat  asides  nudges  turns  no row  refused  chain  said again  run" == (
        heading
    )
    assert ["1", "100%", "0", "0", "2", "1", "1", "2", "0", "x.toml"] == known.split()
    assert ["1", "0", "0", "bare"] == unknown.split()
    assert [line.rindex("  ") for line in (heading, known)] == [unknown.rindex("  ")] * 2


def test_the_json_says_what_is_not_known() -> None:
    """As null; shares and hops are there in a form that JSON has."""
    document = json.loads(json.dumps(stats_json(run(viewer=Viewer("agent", "b")))))
    assert ("x.toml", "scenario", "b", None) == tuple(
        document[name] for name in ("path", "kind", "viewer", "damaged_line")
    )
    assert {"rows": 1, "of": 1, "share": 1.0} == document["naming"]
    assert {"rows": 0, "settled": 0, "unsettled": 0} == document["asides"]
    assert ({"0": 1, "1": 1}, ["b", "=c"]) == (document["hops"], document["never_spoke"])
    assert [{"source": "a", "target": "b", "turns": 1}] == document["hand_offs"]
    assert stats_json(bare())["hops"] is None
    assert stats_json(bare())["naming"] is None


def test_the_csv_has_the_same_columns_for_every_run() -> None:
    """What is not known is an empty cell, and what is known to be none is 0."""
    known, unknown = cells(run(), bare())
    assert list(COLUMNS) == list(known) == list(unknown)
    assert ("2", "1", "1", "0", "1", "0", "0=1; 1=1", "2") == tuple(
        known[name]
        for name in (
            "turns",
            "refused_calls",
            "refused_unknown_tool",
            "refused_budget_spent",
            "silent",
            "pairs_naming_each_other",
            "hops",
            "seats_never_spoke",
        )
    )
    assert {"run": "bare", "kind": "transcript", "rows": "1", "asides": "0"} == {
        name: cell for name, cell in unknown.items() if (cell and cell != "0") or name == "asides"
    }


def test_no_cell_is_a_formula() -> None:
    """What a spreadsheet would calculate begins with an apostrophe; quotes and commas are quoted."""
    for path in ("=1+1", "+1", "-1", "@x", "\tx", "-"):
        (line,) = cells(run(path))
        assert line["run"].startswith("'") or path == "\tx"
    (line,) = cells(run('a,"b"\n\udcff'))
    assert 'a,"b"\\n\\udcff' == line["run"]
    figures = evolve(run().figures, never_spoke=("=c",))
    assert "'=c" == cells(evolve(run(), figures=figures))[0]["never_spoke"]
