"""A run that grows comes to what the same run is read as at once, after each of its entries."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from deskroom.core import OPERATOR, Viewer
from deskroom.engine.entries import Entry, HeaderEntry
from deskroom.render.page.growth import Growth
from deskroom.render.page.model import run_data
from deskroom.runs.run import Run
from deskroom.runs.view import view_run
from deskroom.scenario import load_scenario, parse_scenario, replay_scenario
from deskroom.scenario.sources import Source

SCENARIOS: Final = sorted((Path(__file__).parents[3] / "scenarios").rglob("*.toml"))

#: Asides that are settled soon, late and never; silent, failed and refused turns; a broadcast.
TURNS: Final = """
format = 1
desk = { id = "d", name = "D", seats = [{ id = "a" }, { id = "b" }, { id = "c" }, { id = "e" }] }
[policy]
max_turns = 1000
aside = { enabled = true, max_members = 1, max_messages = 1000 }
"""


def turn(number: int) -> str:
    """Return one turn of a long run."""
    seat = "abc"[number % 3] if number != 95 else "e"
    to = "abce"[(number + 1) % 4]
    head = f'[[turn]]\nseat = "{seat}"\n'
    if number % 11 == 3 or number == 5:
        whom = to if to != seat else "e"
        return f'{head}calls = [{{ tool = "desk_dm", to = ["{whom}"], message = "in private {number}" }}]'
    if number % 7 == 2:
        return head
    if number % 13 == 4:
        return (
            f'{head}calls = [{{ tool = "desk_dm", to = ["nobody"], message = "refused {number}" }}]'
        )
    if number % 17 == 5:
        return f'{head}crash = "out of memory"'
    return f'{head}say = "@{to} message {number} and @nobody"'


@pytest.fixture(scope="module")
def entries() -> Sequence[Entry]:
    """Return the entries of a long run."""
    text = TURNS + "\n".join(turn(number) for number in range(120))
    return replay_scenario(parse_scenario(text, "long.toml")).run.journal


def resolved(text: str) -> list[dict[str, Any]]:
    """Return the views of a page's data, with all that an item hangs on put into it."""
    data = json.loads(text)
    views = []
    for view in data["views"]:
        places = [first + at for first, count in view["spans"] for at in range(count)]
        items = [dict(data["items"][place]) for place in places]
        for item in items:
            item["lane"] = data["lanes"][item["lane"]]
            item["row"] = data["rows"][item["row"]] if "row" in item else None
            item["did"] = data["turns"][item["did"]] if "did" in item else None
        views.append({**view, "spans": None, "items": items})
    return views


def at_once(entries: Sequence[Entry], viewer: Viewer) -> list[dict[str, Any]]:
    """Return the views of a run that is read as a whole."""
    run = Run.from_entries(entries)
    whole = view_run(run, kind="journal", line_of=run.line_of)
    return resolved(run_data(Source(path="j", whole=whole), "j", viewer).text)


class Reader:
    """What a page does with what it is sent: it puts it behind what it has."""

    def __init__(self, growth: Growth) -> None:
        self.growth = growth
        self.data = json.loads(growth.whole({}))
        self.version = growth.version

    def read(self) -> list[dict[str, Any]]:
        """Take in what is new, and return the views."""
        text = self.growth.since(self.version, {})
        assert text is not None
        more = json.loads(text)
        for name in ("rows", "turns", "items"):
            more[name] = self.data[name] + more[name]
        for old, new, keep in zip(self.data["views"], more["views"], more["keep"], strict=True):
            places = [first + at for first, count in old["spans"] for at in range(count)]
            new["spans"] = [[place, 1] for place in places[:keep]] + new["spans"]
            if "lines" in new or "lines" in old:
                new["lines"] = old.get("lines", [])[:keep] + new.get("lines", [])
        self.data, self.version = more, self.growth.version
        return resolved(json.dumps(more))


def growth_of(entries: Sequence[Entry], viewer: Viewer, longest: int) -> Growth:
    """Return a run that has not begun to grow."""
    header = entries[0]
    assert isinstance(header, HeaderEntry)
    return Growth(header.setup, "j", viewer, longest=longest)


@pytest.mark.parametrize("longest", [30, pytest.param(5000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("viewer", [OPERATOR, Viewer("agent", "b")])
def test_every_version_is_the_run_read_at_once(
    entries: Sequence[Entry], viewer: Viewer, longest: int
) -> None:
    """Whatever the window leaves out, a page that takes in each version shows what `report` shows."""
    growth = growth_of(entries, viewer, longest)
    each, seldom = Reader(growth), Reader(growth)
    for at, entry in enumerate(entries, start=1):
        growth.take([entry])
        read = each.read()
        if at % 9 and at < len(entries):
            continue
        expected = at_once(entries[:at], viewer)
        assert expected == read
        if at % 5 == 0 or at == len(entries):
            assert expected == seldom.read()
            assert expected == resolved(growth.whole({}))


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_every_scenario_grows_to_what_it_is(path: Path) -> None:
    """Late calls, retries, broadcasts and crashes of our own scenarios come out alike."""
    entries = replay_scenario(load_scenario(path)).run.journal
    growth = growth_of(entries, OPERATOR, 12)
    reader = Reader(growth)
    for at, entry in enumerate(entries, start=1):
        growth.take([entry])
        if at % 5 == 0 or at == len(entries):
            assert at_once(entries[:at], OPERATOR) == reader.read()


def test_little_is_sent_for_one_more_row(entries: Sequence[Entry]) -> None:
    """What is sent does not grow with the run."""
    growth = growth_of(entries, OPERATOR, 30)
    for entry in entries[:-1]:
        growth.take([entry])
    version = growth.version
    growth.take(entries[-1:])
    assert len(growth.since(version, {}) or "") < len(growth.whole({})) / 4


def test_no_such_version(entries: Sequence[Entry]) -> None:
    """A page that knows a version that never was is not told what it lacks."""
    growth = growth_of(entries, OPERATOR, 30)
    assert [None, None] == [growth.since(1, {}), growth.since(-1, {})]
