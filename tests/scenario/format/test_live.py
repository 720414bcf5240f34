from __future__ import annotations

import json
from pathlib import Path

import attrs
import jsonschema
import pytest

from deskroom.scenario import ScenarioError, load_scenario, parse_scenario, replay_scenario
from deskroom.scenario.format.live import KEYS_OF_KIND, Live, LiveSeat
from deskroom.scenario.format.schema import scenario_schema
from deskroom.scenario.format.toml import parse_toml

DESK = """\
format = 1
[desk]
id = "d"
name = "D"
seats = [{ id = "a" }, { id = "people" }, { id = "old", retired = true }]
people = [{ id = "sam", label = "Sam" }]
"""

LIVE = """\
[live]
people = ["sam"]
person_timeout_s = 7

[live.a]
kind = "command"
command = ["python", "seat.py"]
keep = true
env = { PATH = "/usr/bin" }
"""


def problems(text: str) -> list[str]:
    """Return what is wrong with a file, by place, kind and key."""
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text)
    return [f"{p.line}:{p.column} {p.kind} {p.key}" for p in caught.value.problems]  # type: ignore[attr-defined]


def test_a_file_says_who_plays_live() -> None:
    """It may list no turn then; what a table leaves out keeps its default."""
    scenario = parse_scenario(DESK + LIVE)
    seat = LiveSeat(
        kind="command", command=("python", "seat.py"), keep=True, env={"PATH": "/usr/bin"}
    )
    assert Live(people=("sam",), person_timeout_s=7, seats={"a": seat}) == scenario.live
    assert () == scenario.turns
    assert None is parse_scenario(DESK + '[[turn]]\nseat = "a"\n').live


def test_a_seat_may_be_called_like_a_key_of_the_table() -> None:
    """A table is a seat's; anything else is the key's own value."""
    scenario = parse_scenario(f'{DESK}[live.people]\nkind = "person"\n')
    assert Live(seats={"people": LiveSeat(kind="person")}) == scenario.live


@pytest.mark.parametrize(
    "text, expected",
    [
        ("live = 3\n", ["1:8 wrong_type live"]),
        ('[live.b]\nkind = "mcp"\n', ["7:7 unknown_name live.b"]),
        ('[live.old]\nkind = "mcp"\n', ["7:7 retired_seat live.old"]),
        ("[live.a]\n", ["7:1 missing_key live.a.kind"]),
        ('[live.a]\nkind = "commnd"\n', ["8:8 unknown_value live.a.kind"]),
        ('[live.a]\nkind = "command"\n', ["7:1 missing_key live.a.command"]),
        ('[live.a]\nkind = "command"\ncommand = []\n', ["9:11 empty_list live.a.command"]),
        (
            '[live.a]\nkind = "command"\ncommand = ["x", "--token={token}"]\n',
            ["9:17 conflicting_keys live.a.command[2]"],
        ),
        (
            '[live.a]\nkind = "command"\ncommand = ["x"]\nkeep = true\nmcp = true\n',
            ["10:1 conflicting_keys live.a.keep"],
        ),
        (
            '[live.a]\nkind = "chat"\nmodel = "m"\nkeep = true\n',
            ["7:1 missing_key live.a.base_url", "10:1 conflicting_keys live.a.keep"],
        ),
        (
            '[live.a]\nkind = "python"\nfunction = "seat"\n',
            ["9:12 unknown_value live.a.function"],
        ),
        ('[live.a]\nkind = "mcp"\ncomand = "x"\n', ["9:1 unknown_key live.a.comand"]),
        ('[live]\npeople = ["sm"]\n', ["8:11 unknown_name live.people[1]"]),
        ('[live]\npeople = ["sam", "sam"]\n', ["8:18 named_twice live.people[2]"]),
        ("[live]\nperson_timeout_s = 0\n", ["8:20 out_of_range live.person_timeout_s"]),
        ("", ["1:1 missing_key turn"]),
    ],
)
def test_what_is_wrong_is_named_where_it_stands(text: str, expected: list[str]) -> None:
    """Each kind takes its own keys and needs some of them; a token is in no argument."""
    whole = text + DESK if text.startswith("live") else DESK + text
    assert expected == problems(whole)


def test_the_schema_takes_what_the_loader_takes() -> None:
    """And refuses a key of another kind."""
    validate = jsonschema.Draft7Validator(scenario_schema()).iter_errors
    seat = f'{DESK}[live.people]\nkind = "person"\n'
    for text in (DESK + LIVE, seat):
        assert [] == list(validate(parse_toml(text, "x").data))
    for text in (f"{seat}keep = true\n", f'{DESK}[live.a]\nkind = "chat"\n', DESK):
        assert [] != list(validate(parse_toml(text, "x").data))


def test_each_key_belongs_to_a_kind() -> None:
    """No key of a live seat is one that nothing takes."""
    keys = {key for keys in KEYS_OF_KIND.values() for key in keys} | {"kind"}
    assert keys == {field.name for field in attrs.fields(LiveSeat)}


def test_a_replay_starts_nothing(tmp_path: Path) -> None:
    """Whatever the table says, a command in it leaves no mark."""
    mark = tmp_path / "mark"
    file = tmp_path / "x.toml"
    command = json.dumps(["touch", str(mark)])
    turn = '[[turn]]\nseat = "a"\nsay = "hello"\n'
    file.write_text(f'{DESK}{turn}[live.a]\nkind = "command"\ncommand = {command}\n')
    replay = replay_scenario(load_scenario(file))
    assert ["hello"] == [row.content for row in replay.run.rows]
    assert not mark.exists()
