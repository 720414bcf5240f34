"""What the tables of figures say, and why a graph or a picture cannot be made: each is pinned here."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from deskroom.cli.main import _run
from deskroom.render.stats import RunFigures, stats_lines
from deskroom.runs.figures import figures_of
from deskroom.scenario import parse_scenario, replay_scenario

FILE = """\
format = 1
desk = { id = "d", name = "D", people = [{ id = "sam", label = "Sam" }], seats = [\
{ id = "a" }, { id = "b" }, { id = "c" }] }
[policy]
silence = "retry"
on_refused_aside = "room"
aside = { enabled = true, max_members = 1, max_messages = 1 }
[[turn]]
seat = "a"
calls = [{ tool = "shout" }, { tool = "desk_dm", to = ["b"], message = "@b yes" }]
[[turn]]
seat = "b"
[[turn]]
seat = "b"
say = "@a yes"
[[turn]]
seat = "a"
say = "@b yes"
[[turn]]
seat = "b"
say = "@a yes"
[[turn]]
seat = "b"
calls = [{ tool = "desk_dm", to = ["a"], message = "hm" }]
[[turn]]
seat = "b"
calls = [{ tool = "desk_dm", to = ["a"], message = "hm" }]
"""


def test_the_table_of_a_run() -> None:
    """Every line that there can be, in order."""
    view = replay_scenario(parse_scenario(FILE)).view()
    run = RunFigures(path="x.toml", kind="scenario", figures=figures_of(view))
    assert """\
x.toml: scenario, closed: script
                figure ┃ value
━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
                  rows │ 6
               rows by │ a 2, b 4
           name a seat │ 6 of 6 (100%)
      of rows by seats │ 6 of 6 (100%)
                asides │ 2 (2 settled, 0 not)
       declined asides │ budget_spent 1
                nudges │ 0
                 turns │ 6 (and 1 again)
              outcomes │ spoke 6, silent 1
         refused calls │ 1: unknown_tool 1
         longest chain │ 4 turns
          turns by hop │ 0: 3 ####################
                       │ 1: 1 #######
                       │ 2: 1 #######
                       │ 3: 1 #######
             hand-offs │ a → b 2
                       │ b → a 1
keep naming each other │ a and b: 4 rows from row 1 on
           never spoke │ c
            said again │ 2 times by a, first in row 1: @b yes
                       │ 2 times by b, first in row 2: @a yes
                       │ 2 times by b, first in row 5: hm
""" == "".join(f"{line}\n" for line in stats_lines(run))


ROW = '{"sequence":1,"chat_id":"d","parent":null,"author":{"type":"operator"},"content":"x","audience":{"kind":"desk"}}'


@pytest.mark.parametrize(
    "command, sentence",
    [
        (
            "stats x.jsonl --json --csv",
            "deskroom: --json and --csv are two formats: give one of them",
        ),
        (
            "stats x.jsonl --plot x.pdf",
            "deskroom: --plot writes an .svg or a .png, and the file is called 'x.pdf'",
        ),
        ("stats x.jsonl y.jsonl --plot x.svg", "deskroom: --plot draws one run, and 2 were named"),
        (
            "graph x.jsonl --format json --diagram sequence",
            "deskroom: --format json has both diagrams: leave out --diagram",
        ),
        (
            "graph x.jsonl --diagram hand-offs",
            "x.jsonl: who got the turn is not known of these rows; draw the sequence",
        ),
        (
            "graph x.jsonl -o none/x",
            "none/x: the file cannot be written: the parent folder does not exist",
        ),
        ("graph x.jsonl -o .", ".: this is a folder; name a file"),
    ],
)
def test_what_cannot_be_made_is_one_sentence(
    command: str,
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It says what to do instead."""
    monkeypatch.chdir(tmp_path)
    Path("x.jsonl").write_text(ROW)
    assert 2 == _run(command.split())
    assert f"{sentence}\n" == capsys.readouterr().err


@pytest.mark.slow
def test_a_missing_extra_is_one_sentence(tmp_path: Path) -> None:
    """With the command that gets it."""
    (tmp_path / "x.jsonl").write_text(ROW)
    code = (
        "import sys; sys.modules['matplotlib'] = None; from deskroom.cli.main import main; main()"
    )
    done: Any = subprocess.run(
        [sys.executable, "-c", code, "stats", "x.jsonl", "--plot", "x.svg"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "deskroom: matplotlib is not installed; get it with: pip install 'deskroom[plot]'\n" == (
        done.stderr
    )
