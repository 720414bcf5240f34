from __future__ import annotations

from deskroom.explore.draws import ListedDraws, SeededDraws


def test_choices_follow_from_the_seed_and_the_number_of_the_run() -> None:
    """The exact values are pinned: they must be the same on any machine, and for ever."""
    draws = SeededDraws(7, 3)
    assert [7, 0, 5, 3, 1, 0, 24, 56] == [
        draws.below(bound) for bound in (10, 2, 6, 9, 2, 1, 60, 60)
    ]
    assert [7, 0, 5, 3, 1, 0, 24, 56] == draws.taken


def test_another_seed_or_number_gives_other_choices() -> None:
    """Runs do not repeat each other."""
    drawn = [[SeededDraws(seed, number).below(60_000) for seed in range(3)] for number in range(3)]
    values = [value for row in drawn for value in row]
    assert len(values) == len(dict.fromkeys(values))


def test_every_choice_is_within_its_bound_and_comes_up() -> None:
    """Over many choices, each value at least once, block after block."""
    draws = SeededDraws(0, 0)
    values = [draws.below(7) for _ in range(1000)]
    assert [0, 1, 2, 3, 4, 5, 6] == sorted(dict.fromkeys(values))


def test_listed_choices_are_cut_down_and_end_in_the_plainest() -> None:
    """So a list that was shortened or made smaller is a run as well."""
    draws = ListedDraws([5, 9])
    assert [5, 1, 0, 0] == [draws.below(bound) for bound in (6, 2, 4, 4)]
    assert [5, 1, 0, 0] == draws.taken
