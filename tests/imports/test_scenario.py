from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deskroom.core import AsidePolicy
from deskroom.engine.policy import Policy
from deskroom.errors import FileError
from deskroom.imports.cast import Wishes
from deskroom.imports.containers import open_source
from deskroom.imports.formats import rows
from deskroom.imports.importer import Options
from deskroom.imports.records import Record, Speaker
from deskroom.imports.room import LeftOut, open_room
from deskroom.imports.scenario import ImportedScenario, import_scenario
from deskroom.scenario import check_scenario, parse_scenario, replay_scenario

Made = Callable[..., ImportedScenario]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Return a function that makes a scenario of rows: author, text, and readers if private."""

    def call(*given: tuple[Any, ...], policy: Policy | None = None) -> ImportedScenario:
        path = tmp_path / "rows.jsonl"
        lines = [dict(zip(("author", "text", "to"), row, strict=False)) for row in given]
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        room = open_room([open_source(str(path))], rows, Options(), Wishes())
        return import_scenario(room, policy or Policy(), ["From elsewhere."])

    return call


def test_the_scenario_replays_to_the_rows(made: Made, tmp_path: Path) -> None:
    """One turn a row; it passes as it is, and nothing in it is wrong."""
    scenario = made(
        ("user", "@a begin\n"),
        ("a", '@b\n\tone\n\n\ntwo \\ """three""" ünd 🤓'),
        ("b", "psst", ["a", "c"]),
        ("c", "yes", ["b"]),
        ("b", "!aside is a word here: @c"),
        ("c", "end"),
    )
    again = replay_scenario(parse_scenario(scenario.text))
    assert ((), 5, 5) == (again.mismatches, len(again.run.rows), scenario.written.rows)
    assert [
        ("person", "user", "@a begin", "desk"),
        ("agent", "a", '@b\n\tone\n\n\ntwo \\ """three""" ünd 🤓', "desk"),
        ("agent", "b", "psst", ("a", "c")),
        ("agent", "c", "yes", ("b",)),
        ("agent", "c", "end", "desk"),
    ] == [
        (row.author.type, row.author.id, row.content, row.audience.members or "desk")
        for row in again.run.rows
    ]
    assert AsidePolicy(enabled=True, max_members=2, max_messages=2) == again.scenario.policy.aside
    (tmp_path / "x.toml").write_text(scenario.text)
    assert () == check_scenario(str(tmp_path / "x.toml")).errors


def test_a_private_row_is_never_made_public(made: Made) -> None:
    """What a listed turn cannot say in private is left out and counted."""
    scenario = made(
        ("user", "secret 1", ["a"]),
        ("a", "secret 2", ["user"]),
        ("a", "secret 3", []),
        ("a", "hello"),
        ("b", "hi"),
    )
    assert {"private row of a person": 1, "private row to people alone": 2} == {
        kind: count for kind, (count, _) in scenario.written.left.kinds.items()
    }
    assert "secret" not in scenario.text
    assert (
        "# Left out: private row to people alone, 2 times, the first at line 2.\n" in scenario.text
    )


def test_a_comment_stands_where_the_original_went_on_otherwise(made: Made) -> None:
    """Not where the rules hand the turn to whom it went, nor where a person spoke to a quiet desk."""
    scenario = made(
        ("user", "@a begin"),
        ("b", "I am first"),
        ("user", "well"),
        ("a", "@b go"),
        ("user", "wait"),
        ("a", "ok"),
        ("b", "bye"),
    )
    assert [
        "# The rules hand the turn to a; in the original b went on.",
        "# The rules hand the turn to b; in the original a went on.",
        "# The rules hand the turn to b; in the original user went on.",
        "# The rules hand the turn to b; in the original a went on.",
        "# The rules hand the turn to nobody (no_direct_agent_mention); in the original b went on.",
    ] == [line for line in scenario.text.split("\n") if line.startswith("# The rules")]


def test_limits_are_raised_to_fit(made: Made) -> None:
    """Turns beyond the default, and asides beyond those of the policy that is given."""
    policy = Policy(max_turns=2, aside=AsidePolicy(enabled=True, max_members=5, must_surface=True))
    private = [("a", f"{at}", ["b"]) for at in range(7)]
    scenario = made(("b", "x"), ("c", "y"), *private, policy=policy)
    raised = scenario.replay.scenario.policy
    assert (9, 5, 7, False) == (
        raised.max_turns,
        raised.aside.max_members,
        raised.aside.max_messages,
        raised.aside.must_surface,
    )


def test_people_alone_make_no_scenario(made: Made) -> None:
    """A scenario needs a seat that speaks."""
    with pytest.raises(FileError) as caught:
        made(("user", "hello"))
    assert "no_seat" == caught.value.kind


@pytest.mark.parametrize("completing", [[1], [3], [1, 2], [1, 2, 3], [1, 3]])
def test_completions_are_said_where_rows_after_them_can_be(
    completing: list[int], tmp_path: Path
) -> None:
    """Else they are posts: no row is lost to a desk that closes early."""
    path = tmp_path / "calls.jsonl"
    path.write_text('{"author": "a", "text": "1"}\n')
    room = open_room([open_source(str(path))], _Completing(completing), Options(), Wishes())  # type: ignore[arg-type]
    assert completing == [row.number for row in room.rows(LeftOut()) if row.completes]
    scenario = import_scenario(room, Policy())
    assert ["1", "2", "3"] == [row.content for row in scenario.replay.run.rows]
    assert (True, {}) == (scenario.replay.ok, scenario.written.left.kinds)


class _Completing:
    """An importer of three rows, some of which complete."""

    name, reads, same_id, is_sorted = "made", "", "error", False

    def __init__(self, completing: list[int]) -> None:
        self._completing = completing

    def read(self, *_: object) -> Any:
        for number, by in enumerate(("a", "b", "a"), start=1):
            done = number in self._completing
            yield Record(by=Speaker(key=by, name=by), text=str(number), completes=done)
