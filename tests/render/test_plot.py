from __future__ import annotations

import hashlib
import subprocess
import sys
import xml.etree.ElementTree as ET
from io import BytesIO
from typing import Literal

import matplotlib as mpl
import pytest
from matplotlib.image import imread

from deskroom.render.graph import Event, Graph, Participant
from deskroom.render.plot import plot
from deskroom.runs.figures import HandOff


def graph(seats: int = 3, rows: int = 6, *, name: str = "seat") -> Graph:
    """Return a graph with an event of each kind, and rows by each seat in turn."""
    participants = (
        *(Participant(f"s{at}", "agent", f"{name} {at}") for at in range(1, seats + 1)),
        Participant("p1", "person", "$x_{"),
    )
    events = [
        Event(kind="desk", source=f"s{1 + at % seats}", row=at, text="x")
        for at in range(1, rows + 1)
    ]
    events += [
        Event(kind="no_row", source="s1", turn=9, text="silent"),
        Event(kind="private", source="s1", row=rows + 1, messages=3, is_private=True),
        Event(kind="nudge", source="p1", row=rows + 4),
    ]
    return Graph(
        participants=participants,
        events=tuple(events),
        hand_offs=(HandOff(source="p1", target="s1", turns=12),),
        closed="quiet",
    )


def texts(svg: bytes) -> list[str]:
    """Return every text of an SVG."""
    root = ET.fromstring(svg)  # noqa: S314 - our own
    return [
        "".join(one.itertext()).strip() for one in root.iter("{http://www.w3.org/2000/svg}text")
    ]


def test_a_picture_has_the_lanes_the_matrix_and_what_the_marks_are() -> None:
    """A dollar sign in a name is no formula, and text is text."""
    shown = texts(plot(graph(), "run <1>", "svg"))
    for text in ("run <1>", "seat 1", "$x_{ (person)", "12", "for the desk", "private", "nudge"):
        assert text in shown
    assert "Who spoke when (10 rows)" in shown
    assert "Who gave whom the turn (times)" in shown


def test_a_run_without_hand_offs_has_no_matrix() -> None:
    """Whether they are not known, or there are none; a run of one kind of mark has no legend."""
    row = Event(kind="desk", source="s1", row=1)
    for hand_offs in (None, ()):
        one = Graph(
            participants=(Participant("s1", "agent", "a"),),
            events=(row,),
            hand_offs=hand_offs,
            closed=None,
        )
        shown = texts(plot(one, "x", "svg"))
        assert "Who spoke when (1 row)" in shown
        assert {"Who gave whom the turn (times)", "for the desk"}.isdisjoint(shown)


def test_a_run_without_anything_is_drawn() -> None:
    """A picture that says so: no rows."""
    nothing = Graph(participants=(), events=(), hand_offs=(), closed=None)
    assert "Who spoke when (0 rows)" in texts(plot(nothing, "x", "svg"))


@pytest.mark.parametrize("format_", ["svg", "png"])
def test_the_same_run_is_the_same_bytes(format_: Literal["svg", "png"]) -> None:
    """Whatever the user's own style is; that style stays as it was."""
    before = plot(graph(), "x", format_)
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "black"}):
        assert before == plot(graph(), "x", format_)
        assert 30 == mpl.rcParams["font.size"]
    assert b"<dc:date>" not in before


@pytest.mark.slow
def test_another_process_writes_the_same_bytes() -> None:
    """Nothing in it is drawn by chance."""
    code = (
        f"import hashlib, runpy; m = runpy.run_path({__file__!r}); "
        "print(hashlib.sha256(m['plot'](m['graph'](), 'x', 'svg')).hexdigest())"
    )
    digest = hashlib.sha256(plot(graph(), "x", "svg")).hexdigest()
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert digest == done.stdout.strip()


def test_a_name_in_any_script_is_drawn() -> None:
    """Where no font has its characters a box stands for each; nothing is warned of."""
    png = plot(graph(name="研究員\u0e01😀"), "研究", "png")
    assert 3 == imread(BytesIO(png)).ndim
    assert "研究員\u0e01😀 1" in texts(plot(graph(name="研究員\u0e01😀"), "研究", "svg"))


def test_many_seats_and_rows_get_the_room_that_they_need() -> None:
    """Each lane and each column is as high and wide as a line of text; long runs become pixels."""
    few = imread(BytesIO(plot(graph(), "x", "png"))).shape
    many = imread(BytesIO(plot(graph(30, 1000), "x", "png"))).shape
    assert few[1] == many[1]
    assert many[0] > 30 * 2 * 22
    assert b"<image" in plot(graph(3, 6000), "x", "svg")
