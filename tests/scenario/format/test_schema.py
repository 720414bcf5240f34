from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from deskroom.scenario import ScenarioError, parse_scenario, scenario_schema
from deskroom.scenario.format.model import FROM_LOADER, Scenario
from deskroom.scenario.format.schema import _DOCS, _TABLES, _of_type

ROOT = Path(__file__).parents[3]
CHECKED_IN = ROOT / "schema" / "scenario.schema.json"
SHIPPED = sorted((ROOT / "scenarios").rglob("*.toml"))
SCHEMA = scenario_schema()
VALIDATOR = Draft7Validator(SCHEMA)

#: Every key of the format, once or more.
FULL: dict[str, Any] = {
    "format": 1,
    "title": "t",
    "why": "w",
    "order": "routed",
    "desk": {
        "id": "d",
        "name": "D",
        "people": [{"id": "sam", "label": "Sam"}],
        "seats": [
            {"id": "a", "name": "A", "role": "r", "brief": "b", "fence": True, "retired": False},
            {"id": "b"},
        ],
    },
    "policy": {
        "dispatch": {"enabled": True, "max_hops": 3},
        "aside": {
            "enabled": True,
            "max_members": 1,
            "max_messages": 2,
            "must_surface": True,
            "require_thread": False,
        },
        "on_refused_aside": "room",
        "chair": {"rounds": 1, "every": 2, "by": "sam"},
        "broadcast": {"router": "lexical", "width": 1},
        "close": "all",
        "participants": ["a"],
        "max_turns": 7,
        "window": 0,
        "history_limit": 9,
        "silence": "retry",
        "max_calls": 2,
        "max_message_bytes": 100,
        "turn_timeout_s": 2.5,
    },
    "opening": {"by": "sam", "message": "@a go", "expect": {"next": "a"}},
    "turn": [
        {
            "seat": "a",
            "text": "x",
            "calls": [{"tool": "desk_dm", "to": ["b"], "message": "x"}, {"tool": "none", "x": {}}],
            "takes": 1,
            "crash": "boom",
            "late": [{"tool": "desk_read", "limit": 3}],
            "wrote": ["a.py"],
            "scores": {"b": 0.5},
            "repeat": 2,
            "expect": {
                "content": "x",
                "audience": ["b"],
                "mentions": ["b", "person:sam"],
                "next": {"none": "disabled"},
                "completes": True,
                "refusal": "budget_spent",
                "replies": ["ok", "disabled"],
                "outcome": "spoke",
            },
        },
        {"person": "sam", "say": "x", "expect": {"next": "b"}},
        {"seat": "b", "say": "x", "expect": {"row": False, "outcome": "refused"}},
        {"seat": "b", "expect": {"audience": "desk", "next": ["a", "b"]}},
    ],
    "expect": {"rows": 1, "turns": 2, "nudges": 0, "asides": 0, "closed": "script"},
}


def toml(value: Any) -> str:
    """Write a value as TOML, all of it inline."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def loads(document: dict[str, Any]) -> bool:
    """Whether the loader takes a document."""
    text = "".join(f"{json.dumps(key)} = {toml(value)}\n" for key, value in document.items())
    try:
        parse_scenario(text)
    except ScenarioError:
        return False
    return True


def fits(document: Any) -> bool:
    """Whether a document is valid by the schema."""
    return bool(VALIDATOR.is_valid(document))


def test_the_file_that_is_checked_in_is_current() -> None:
    """It is what the command prints, byte for byte: ``deskroom schema > schema/...`` mends it."""
    assert json.dumps(SCHEMA, indent=2) + "\n" == CHECKED_IN.read_text()


def test_it_is_a_schema_of_draft_7() -> None:
    """Editors that check TOML know no later one."""
    Draft7Validator.check_schema(SCHEMA)
    assert "http://json-schema.org/draft-07/schema#" == SCHEMA["$schema"]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_shipped_scenario_is_valid_and_names_the_schema(path: Path) -> None:
    """Its first line leads from its own folder to the file that is checked in."""
    assert [] == list(VALIDATOR.iter_errors(tomllib.loads(path.read_text())))
    first = path.read_text().partition("\n")[0]
    named = (path.parent / first.removeprefix("#:schema ")).resolve()
    assert CHECKED_IN.resolve() == named


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_scenario_with_a_slip_is_not_valid(path: Path) -> None:
    """An unknown key, a wrong type and a wrong word are found at every level."""
    document = tomllib.loads(path.read_text())
    slips: list[Callable[[Any], object]] = [
        lambda d: d.update(titel="x"),
        lambda d: d.update(format="1"),
        lambda d: d.pop("desk"),
        lambda d: d["desk"].update(seat=[]),
        lambda d: d["desk"]["seats"][0].update(id=3),
        lambda d: d["turn"][0].update(sya="x"),
        lambda d: d["turn"][-1].update(repeat=0),
        lambda d: d["turn"][-1].update(expect={"outcome": "spoken"}),
        lambda d: d["expect"].update(rows="3"),
    ]
    for slip in slips:
        wrong = deepcopy(document)
        slip(wrong)
        assert not fits(wrong)


def test_a_file_with_every_key_is_taken_by_both() -> None:
    """The schema knows each key that the loader knows."""
    assert (True, True) == (loads(FULL), fits(FULL))


def paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path to every value in a document, but for the arguments of calls."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield (*path, key)
        if isinstance(inner, dict | list) and key not in {"calls", "late"}:
            yield from paths(inner, (*path, key))


EVERYWHERE = list(paths(FULL))


def at(document: Any, path: tuple[str | int, ...]) -> Any:
    """Return what a path leads to."""
    for step in path:
        document = document[step]
    return document


@pytest.mark.parametrize("path", EVERYWHERE, ids=str)
def test_a_value_of_another_type_is_refused_by_both(path: tuple[str | int, ...]) -> None:
    """A date fits nowhere; to a schema it is neither text, number, table nor list."""
    wrong = deepcopy(FULL)
    at(wrong, path[:-1])[path[-1]] = None
    assert not fits(wrong)


@pytest.mark.parametrize(
    "path", [p for p in EVERYWHERE if isinstance(at(FULL, p), dict) and p[-1] != "scores"], ids=str
)
def test_an_unknown_key_is_refused_in_every_table(path: tuple[str | int, ...]) -> None:
    """Only the tables of calls and scores take any key."""
    wrong = deepcopy(FULL)
    at(wrong, path)["unknown"] = 1
    assert (False, False) == (loads(wrong), fits(wrong))


@pytest.mark.parametrize(
    "slip",
    [
        {"seat": "a", "person": "sam", "say": "x"},
        {"say": "x"},
        {"seat": "a", "say": "x", "calls": []},
        {"person": "sam"},
        {"person": "sam", "say": "x", "takes": 1},
        {"person": "sam", "say": "x", "expect": {"outcome": "spoke"}},
        {"seat": "a", "calls": [{"message": "x"}]},
        {"seat": "a", "calls": [{"tool": 3}]},
        {"seat": "a", "takes": -1},
        {"seat": "a", "repeat": 1_000_001},
        {"seat": "a", "expect": {"row": True}},
        {"seat": "a", "expect": {"audience": "everyone"}},
        {"seat": "a", "expect": {"audience": []}},
        {"seat": "a", "expect": {"next": {}}},
        {"seat": "a", "scores": {"b": "much"}},
    ],
    ids=str,
)
def test_keys_that_do_not_go_together_are_refused_by_both(slip: dict[str, Any]) -> None:
    """What the schema can say of a turn, it says."""
    wrong = {**FULL, "turn": [*FULL["turn"], slip]}
    assert (False, False) == (loads(wrong), fits(wrong))


VALUES = st.sampled_from(
    [0, 1, -1, 2.5, True, False, "", "a", "desk", "sam", "x", [], ["a"], {}, {"none": "disabled"}]
)


@given(path=st.sampled_from(EVERYWHERE), value=VALUES, drop=st.booleans())
def test_what_the_loader_takes_the_schema_takes(
    path: tuple[str | int, ...], value: Any, *, drop: bool
) -> None:
    """An editor never marks what would play: any key of a full file, changed or left out."""
    changed = deepcopy(FULL)
    table = at(changed, path[:-1])
    if drop:
        del table[path[-1]]
    else:
        table[path[-1]] = value
    assert not loads(changed) or fits(changed)


def test_every_key_of_the_model_is_described_and_nothing_else() -> None:
    """A key that is added to the model needs a word here."""
    for cls in (Scenario, *_TABLES):
        keys = {a.name for a in attrs.fields(cls) if FROM_LOADER not in a.metadata}
        if cls is Scenario:
            keys -= {"turns", "properties", "path", "digest", "kill_place", "invariants_place"}
            keys |= {"turn", "property"}
        if cls.__name__ not in {"Call", "Alternative"}:
            assert keys == set(_DOCS[cls])
    own = {"property", "matcher", "answer"}
    assert {table for table, _ in _TABLES.values()} | own == set(SCHEMA["definitions"])


def test_defaults_words_and_limits_are_the_models() -> None:
    """Nothing of them is written down a second time."""
    policy = SCHEMA["definitions"]["policy"]["properties"]
    assert {
        "description": "How many seconds a turn may take.",
        "type": "number",
        "default": 600,
        "exclusiveMinimum": 0,
        "maximum": 1_000_000_000,
    } == policy["turn_timeout_s"]
    assert {"type": "string", "enum": ["first", "all"], "default": "first"} == {
        key: policy["close"][key] for key in ("type", "enum", "default")
    }
    assert ["id", "name", "seats"] == SCHEMA["definitions"]["desk"]["required"]
    assert {"type": "boolean", "enum": [False]} == {
        key: SCHEMA["definitions"]["turnExpect"]["properties"]["row"][key]
        for key in ("type", "enum")
    }


def test_a_type_that_the_schema_has_no_word_for_is_a_fault_of_ours() -> None:
    """It must not come out as a schema that takes anything."""
    with pytest.raises(AssertionError, match="no word for <class 'bytes'>"):
        _of_type(bytes)
