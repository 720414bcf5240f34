from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deskroom.errors import FileError, UsageError
from deskroom.sweep import Grid, SweptFile, parse_axis, parse_seeds


@pytest.mark.parametrize(
    "text, values",
    [
        ("policy.chair.every=0", [0]),
        ("policy.chair.every=0,3,6", [0, 3, 6]),
        ("policy.dispatch.max_hops=4..8", [4, 5, 6, 7, 8]),
        ("policy.dispatch.max_hops= 1 , 4 .. 5 ,9", [1, 4, 5, 9]),
        ("policy.dispatch.max_hops=7..7", [7]),
        ("policy.turn_timeout_s=0.5,60", [0.5, 60]),
        ("policy.aside.enabled=true,false", [True, False]),
        ('policy.close="first","all"', ["first", "all"]),
        ("policy.chair.by='a,b','c\"','d'", ["a,b", 'c"', "d"]),
        ('policy.participants=["a","b"],["a"]', [["a", "b"], ["a"]]),
        (
            "policy.chair={rounds=1,every=2},{rounds=3}",
            [{"rounds": 1, "every": 2}, {"rounds": 3}],
        ),
    ],
)
def test_values_are_a_list_of_toml_and_ranges(text: str, values: list[Any]) -> None:
    """A range has both of its ends; a comma within quotes or brackets parts nothing."""
    assert values == [setting.value for setting in parse_axis(text).settings]


def test_a_key_is_known_however_it_is_written() -> None:
    """So that none is given twice."""
    assert "policy.chair.every" == parse_axis('policy . "chair".every=1').key


@pytest.mark.parametrize(
    "text, problem",
    [
        ("policy.chair.every", 'found "policy.chair.every", expected KEY=VALUE'),
        ("policy.chair.every=", 'found "", expected a value in TOML'),
        ("policy.chair.every=0,,3", "found nothing between commas, expected a value"),
        ("policy.chair.every=0,", "found nothing between commas, expected a value"),
        ("policy.chair.every=3,0,3", "'3' is given twice"),
        ("policy.chair.every=2,0..3", "'2' is given twice"),
        ("policy.chair.every=9..3", "found '9..3', expected the smaller number first"),
        ("policy.chair.every=1..20000", "'1..20000' has 20000 values, and 10,000 are the most"),
        ("policy.chair.every=1..6000,6001..12000", "found more than 10,000 values"),
        (f"policy.chair.every=1..{'9' * 30}", f"found '1..{'9' * 30}', expected smaller numbers"),
    ],
)
def test_what_is_no_list_of_values_is_told_with_the_piece_at_fault(text: str, problem: str) -> None:
    """Before anything is played."""
    with pytest.raises(UsageError) as raised:
        parse_axis(text)
    assert f"--set {text}: {problem}" == str(raised.value)


@pytest.mark.parametrize(
    "text, problem",
    [
        (
            "policy.chair.every=0..2,x",
            (
                '--set policy.chair.every=x: found "x", expected a value in TOML; '
                "a text needs quotes: 'policy.chair.every=\"x\"'"
            ),
        ),
        (
            "policy.chair.every=-1..2",
            "--set policy.chair.every=-1: policy.chair.every: found -1, expected a number >= 0",
        ),
        (
            'policy.close="first","al"',
            (
                '--set policy.close="al": policy.close: found "al", expected one of first, all; '
                'did you mean "all"?'
            ),
        ),
        (
            "policy.chair.evry=0,3",
            (
                "--set policy.chair.evry=0: policy.chair.evry: unknown key, "
                'expected one of rounds, every, by; did you mean "every"?'
            ),
        ),
    ],
)
def test_a_wrong_value_is_told_as_replay_tells_it(text: str, problem: str) -> None:
    """Each value is read by the same rules."""
    with pytest.raises(UsageError) as raised:
        parse_axis(text)
    assert problem == str(raised.value)


def test_seeds_are_a_number_of_them_or_a_list() -> None:
    """A lone number counts from 0."""
    assert [(0, 1, 2), (5, 6, 7), (7,), (1, 4, 5)] == [
        parse_seeds(text) for text in ("3", "5..7", "7..7", "1,4..5")
    ]


@pytest.mark.parametrize(
    "text, problem",
    [
        ("0", "found 0, expected 1 to 1,000,000"),
        ("2000000", "found 2,000,000, expected 1 to 1,000,000"),
        ("x", "found 'x', expected a number of seeds, or seeds such as 100..199"),
        ("-1..2", "found '-1', expected a number of seeds, or seeds such as 100..199"),
        ("3..1", "found '3..1', expected the smaller number first"),
        ("1,1", "'1' is given twice"),
    ],
)
def test_what_are_no_seeds_is_told(text: str, problem: str) -> None:
    """With what was found."""
    with pytest.raises(UsageError) as raised:
        parse_seeds(text)
    assert f"--seeds {text}: {problem}" == str(raised.value)


def grid(*given: str, seeds: str | None = None) -> Grid:
    """Return the grid of both files, or of the explored one where there are seeds."""
    numbers = None if seeds is None else parse_seeds(seeds)
    names = ("routed", "explored") if seeds is None else ("explored",)
    files = [SweptFile.read(f"{name}.toml", f"{name}.toml", numbers) for name in names]
    return Grid(files=tuple(files), axes=tuple(map(parse_axis, given)))


def runs_of(given: Grid) -> list[tuple[Any, ...]]:
    """Return what each run is made of."""
    return [
        (work.file.path.removesuffix(".toml"), *work.point.settings.values(), work.seed)
        for work in given
    ]


@pytest.mark.usefixtures("folder")
def test_a_grid_goes_file_by_file_policy_by_policy_and_seed_by_seed() -> None:
    """The last key changes fastest. A file without [explore] is played once, one with it by its own seed."""
    both = grid("policy.chair.every=0,3", "policy.chair.rounds=1..2")
    points = [(0, 1), (0, 2), (3, 1), (3, 2)]
    expected: list[Any] = [("routed", *point, None) for point in points]
    expected += [("explored", *point, 0) for point in points]
    assert expected == runs_of(both)
    assert (8, 4) == (len(both), both.points_count)
    seeded = grid("policy.chair.every=3,0", seeds="2")
    assert [("explored", every, seed) for every in (3, 0) for seed in (0, 1)] == runs_of(seeded)
    assert [("routed", None), ("explored", 0)] == runs_of(grid())


@pytest.mark.usefixtures("folder")
def test_a_key_is_of_all_that_a_result_depends_on() -> None:
    """The file's name and text, the settings and the seed; how a value is written is nothing to it."""
    keys = {work.key for work in grid("policy.chair.every=0,3", seeds="3")}
    assert 6 == len(keys)
    assert keys == {work.key for work in grid("policy . chair.every=0x3,0", seeds="3")}
    Path("explored.toml").write_text(f"{Path('explored.toml').read_text()}\n", encoding="utf-8")
    assert keys.isdisjoint(work.key for work in grid("policy.chair.every=0,3", seeds="3"))


@pytest.mark.usefixtures("folder")
def test_what_cannot_be_played_is_told_before_anything_is() -> None:
    """Seeds that change nothing, a key given twice, a policy that a desk cannot have, too many runs."""
    with pytest.raises(FileError) as unexplored:
        SweptFile.read("routed.toml", "routed.toml", (0, 1))
    assert (
        "routed.toml: --seeds is for files with an [explore] table: "
        "without one, every run of a file is the same"
    ) == str(unexplored.value)
    with pytest.raises(UsageError) as twice:
        grid("policy.chair.every=1", "policy.chair.every=2")
    assert (
        "--set policy.chair.every: the key is given twice; list its values: policy.chair.every=1,2"
    ) == str(twice.value)
    with pytest.raises(FileError) as nobody:
        grid('policy.chair.by="sam","pat"')
    assert str(nobody.value).startswith('routed.toml: --set policy.chair.by="pat": policy.chair.by')
    with pytest.raises(UsageError) as many:
        grid("policy.chair.every=1..2000", seeds="501")
    assert "the sweep has 1,002,000 runs, and 1,000,000 are the most of one" == str(many.value)
