"""The tables of the documents name every key and every word of the program, and no other."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Final, get_args

import attrs
import pytest
from attrs import evolve

from deskroom.core import AsidePolicy, DispatchPolicy, Person
from deskroom.core.explain import Verdict
from deskroom.core.reasons import AsideReason, CallFault, CloseReason, NoTurnReason, Outcome
from deskroom.room import BroadcastPolicy, ChairPolicy, Opening, Policy, Seat
from deskroom.scenario import (
    DeskSpec,
    RunExpect,
    Scenario,
    Turn,
    TurnExpect,
    load_scenario,
)
from deskroom.scenario.format.explore import Explore
from deskroom.scenario.format.live import Live, LiveSeat
from deskroom.scenario.format.model import FROM_LOADER, Meanwhile
from deskroom.scenario.format.model import Opening as FileOpening

DOCS: Final = Path(__file__).parents[2] / "docs"

#: Which class of the model each heading of the format's page has the keys of.
TABLES: Final[dict[str, type]] = {
    "The top of the file": Scenario,
    "`desk`": DeskSpec,
    "`desk.seats`": Seat,
    "`desk.people`": Person,
    "`policy`": Policy,
    "`policy.dispatch`": DispatchPolicy,
    "`policy.aside`": AsidePolicy,
    "`policy.chair`": ChairPolicy,
    "`policy.broadcast`": BroadcastPolicy,
    "`opening`": FileOpening,
    "`turn`": Turn,
    "`turn.expect`": TurnExpect,
    "`turn.meanwhile`": Meanwhile,
    "`expect`": RunExpect,
    "`explore`": Explore,
    "`live`": Live,
    "`live.SEAT`": LiveSeat,
}

#: What the file calls otherwise than the model, and what is no key of the file.
RENAMED: Final = {"turns": "turn", "properties": "property"}
NO_KEYS: Final[dict[type, set[str]]] = {
    Scenario: {"path", "digest", "kill_place", "invariants_place"}
}

_HEADING: Final = re.compile(r"^#+ (.*)$", re.MULTILINE)


def tables_of(name: str) -> dict[str, list[list[str]]]:
    """Return the rows of each table of a document, by its heading; of two, the first column."""
    text = (DOCS / name).read_text(encoding="utf-8")
    parts = _HEADING.split(text)[1:]
    return {
        heading: [
            [cell.strip() for cell in line.strip("|").split("|")]
            for line in body.splitlines()
            if line.startswith("| `")
        ]
        for heading, body in zip(parts[::2], parts[1::2], strict=True)
    }


def words(document: str, heading: str) -> list[str]:
    """Return the first column of a table, without its marks."""
    return [row[0].strip("`") for row in tables_of(document)[heading]]


def keys_of(cls: type) -> dict[str, attrs.Attribute[Any]]:
    """Return the attributes of a class that are keys of the file, under the file's names."""
    return {
        RENAMED.get(attribute.name, attribute.name)
        if cls is Scenario
        else attribute.name: attribute
        for attribute in attrs.fields(cls)
        if FROM_LOADER not in attribute.metadata and attribute.name not in NO_KEYS.get(cls, ())
    }


@pytest.mark.parametrize("heading", TABLES)
def test_a_table_has_every_key_in_order(heading: str) -> None:
    """Each table lists the keys of its part of the format, all of them and no other."""
    rows = [row for row in tables_of("format.md")[heading] if len(row) == 4]
    assert list(keys_of(TABLES[heading])) == [key.strip("`") for key, *_ in rows]


@pytest.mark.parametrize("heading", TABLES)
def test_a_table_has_every_default(heading: str) -> None:
    """A default in a table is the program's; a key without one is called required."""
    keys = keys_of(TABLES[heading])
    for key, _, default, _ in (row for row in tables_of("format.md")[heading] if len(row) == 4):
        attribute = keys[key.strip("`")]
        is_required = attribute.default is attrs.NOTHING or key == "`format`"
        assert is_required == (default == "required"), key
        if default.startswith("`"):
            written = tomllib.loads(f"value = {default.strip('`')}")["value"]
            assert written == _plain(attribute.default), key
        elif not is_required:
            assert attribute.default is None or _is_made(attribute), key


def _is_made(attribute: attrs.Attribute[Any]) -> bool:
    """Whether a default is made for each instance: an empty table, or a table of defaults."""
    return hasattr(attribute.default, "factory")


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def test_the_policy_example_states_every_default() -> None:
    """The file that shows the policies changes nothing, and has no key left out."""
    path = DOCS / "examples" / "policy.toml"
    stated = tomllib.loads(path.read_text(encoding="utf-8"))["policy"]
    assert _names(attrs.asdict(Policy())) == _names(stated)
    read = load_scenario(path)
    chair = evolve(read.policy.chair, by=None)
    assert Policy() == evolve(read.policy, participants=None, chair=chair)
    assert read.policy.participants == tuple(seat.id for seat in read.desk.seats)
    assert read.policy.chair.by == read.desk.people[0].id


def _names(table: dict[str, Any]) -> dict[str, Any]:
    return {
        key: _names(value) if isinstance(value, dict) else None
        for key, value in sorted(table.items())
    }


@pytest.mark.parametrize(
    "document, heading, expected",
    [
        ("format.md", "Replies", list(CallFault)),
        ("format.md", "`expect`", (*keys_of(RunExpect), *CloseReason)),
        ("routing.md", "Private messages", list(AsideReason)),
        ("routing.md", "Turns without a row", list(Outcome)),
        ("grammar.md", "The grammar by example", get_args(Verdict)),
    ],
)
def test_a_table_of_words_has_every_word(
    document: str, heading: str, expected: tuple[str, ...]
) -> None:
    """What is listed as a reason, a reply, an outcome or a verdict is the whole list."""
    assert sorted(expected) == sorted(words(document, heading))


@pytest.mark.parametrize(
    "document, heading, expected",
    [
        ("format.md", "Replies", list(CallFault)),
        ("routing.md", "Private messages", list(AsideReason)),
    ],
)
def test_a_ladder_is_in_its_order(document: str, heading: str, expected: tuple[str, ...]) -> None:
    """Where the first reason that applies is told, the table is in the order of asking."""
    assert list(expected) == words(document, heading)


def test_the_reasons_for_nobody_are_told() -> None:
    """Every reason why a row hands on nothing is in the page on routing."""
    told = words("routing.md", "A mention hands on the turn")
    apart = ["broadcast", "no_active_seat"]
    assert list(NoTurnReason) == [*told, *apart]
    text = (DOCS / "routing.md").read_text(encoding="utf-8")
    assert all(f"`{reason}`" in text for reason in apart)


def test_the_openings_of_a_file_and_of_a_room_have_the_same_words() -> None:
    """What a file opens with is what a room in Python opens with."""
    assert {"by", "message"} == set(keys_of(Opening)) == set(keys_of(FileOpening)) - {"expect"}


@pytest.mark.parametrize("document", sorted(DOCS.glob("*.md")), ids=lambda path: path.name)
def test_every_link_leads_somewhere(document: Path) -> None:
    """A link in a document names a file that is there, and a heading that it has."""
    text = document.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        file = document.parent / name if name else document
        assert file.exists(), target
        if anchor:
            assert anchor in [_anchor(h) for h in _HEADING.findall(file.read_text("utf-8"))], target


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
