from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskroom.core import Assignment, Episode, choose_recipients
from deskroom.core.episode import ALSO_ROUTED_ABOVE
from deskroom.errors import EpisodeError

SEATS = ["ada", "bob", "cy", "dee"]


def test_everyone_begins_with_one_open_assignment() -> None:
    """A new episode is open for each participant, in the order given."""
    episode = Episode.begin(["bob", "ada"])
    assert episode.participants == ("bob", "ada")
    assert [episode.latest(seat) for seat in ("bob", "ada")] == [Assignment(1), Assignment(1)]
    assert not episode.is_complete


def test_an_episode_is_complete_when_every_assignment_is_closed() -> None:
    """One open assignment keeps it open, and an episode of nobody is complete at once."""
    half = Episode.begin(["ada", "bob"]).complete("ada")
    assert not half.is_complete
    assert half.complete("bob").is_complete
    assert Episode.begin([]).is_complete


def test_a_step_leaves_the_old_episode_as_it_was() -> None:
    """Each step returns a new value."""
    begun = Episode.begin(["ada"])
    done = begun.complete("ada")
    assert (begun.is_complete, done.is_complete) == (False, True)
    assert begun == Episode.begin(["ada"])


def test_a_new_assignment_reopens_a_seat_that_had_completed() -> None:
    """What counts is the latest assignment."""
    again = Episode.begin(["ada"]).complete("ada").assign("ada")
    assert again.latest("ada") == Assignment(2, is_open=True)
    assert not again.is_complete
    assert again.complete("ada", 2).is_complete


def test_replaying_a_completion_changes_nothing() -> None:
    """The same event twice gives the same episode."""
    done = Episode.begin(["ada", "bob"]).complete("ada", 1)
    assert done.complete("ada", 1) == done
    assert done.complete("ada") == done


@pytest.mark.parametrize("number", [1, 3, 0])
def test_an_event_about_another_assignment_is_stale(number: int) -> None:
    """An old completion does not close a newer assignment."""
    episode = Episode.begin(["ada"]).assign("ada")
    with pytest.raises(EpisodeError) as caught:
        episode.complete("ada", number)
    assert (caught.value.kind, caught.value.participant) == ("stale_assignment", "ada")


def test_a_stranger_is_an_error() -> None:
    """Nothing can be asked of, closed for or given to one who takes no part."""
    episode = Episode.begin(["ada"])
    for ask in (episode.latest, episode.complete, episode.assign):
        with pytest.raises(EpisodeError) as caught:
            ask("bob")
        assert (caught.value.kind, caught.value.participant) == ("unknown_participant", "bob")


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(SEATS)), max_size=30))
def test_an_episode_is_the_fold_of_its_events(events: list[tuple[bool, str]]) -> None:
    """Any run of assignments and completions leaves open whoever was assigned last."""
    episode = Episode.begin(SEATS)
    is_open = dict.fromkeys(SEATS, True)
    given_out = dict.fromkeys(SEATS, 1)
    for assigns, seat in events:
        episode = episode.assign(seat) if assigns else episode.complete(seat)
        is_open[seat] = assigns
        given_out[seat] += assigns
    assert {seat: episode.latest(seat) for seat in SEATS} == {
        seat: Assignment(given_out[seat], is_open[seat]) for seat in SEATS
    }
    assert episode.is_complete == (not any(is_open.values()))


@pytest.mark.parametrize(
    "scores,width,expected",
    [
        ({}, 2, ("ada",)),
        ({"cy": 0.1}, 2, ("cy",)),
        ({"bob": 0.9, "dee": 0.5, "cy": 0.3}, 2, ("bob", "dee")),
        ({"bob": 0.9, "dee": 0.5, "cy": 0.3}, 9, ("bob", "dee", "cy")),
        ({"bob": 0.9, "ada": 0.20, "cy": 0.2001}, 9, ("bob", "cy")),
        ({"dee": 0.5, "bob": 0.5}, 9, ("bob", "dee")),
        ({"dee": 0.5, "bob": 0.5}, 1, ("bob",)),
        ({"ada": -1.0, "bob": -0.5, "cy": -1.0, "dee": -2.0}, 3, ("bob",)),
        ({"zed": 1.0}, 3, ("ada",)),
    ],
)
def test_the_best_candidate_gets_a_broadcast_and_good_ones_too(
    scores: dict[str, float], width: int, expected: tuple[str, ...]
) -> None:
    """Ties go by the order of candidates, the threshold is strict, and the width holds."""
    assert choose_recipients(SEATS, scores, width) == expected


def test_no_candidate_means_no_recipient() -> None:
    """Where nobody is eligible nobody is chosen."""
    assert choose_recipients([], {"ada": 1.0}, 2) == ()


@given(
    st.lists(st.sampled_from(SEATS), unique=True),
    st.dictionaries(st.sampled_from([*SEATS, "zed"]), st.floats(0, 1)),
    st.integers(1, 4),
)
def test_a_choice_is_of_candidates_by_falling_score(
    candidates: list[str], scores: dict[str, float], width: int
) -> None:
    """Nobody else is chosen, nobody twice, and no better candidate is passed over."""
    chosen = choose_recipients(candidates, scores, width)
    assert len(chosen) == len(set(chosen)) <= width
    assert set(chosen) <= set(candidates)
    values = [scores.get(seat, 0.0) for seat in chosen]
    assert values == sorted(values, reverse=True)
    assert all(value > ALSO_ROUTED_ABOVE for value in values[1:])
    left = [scores.get(seat, 0.0) for seat in candidates if seat not in chosen]
    if candidates:
        assert chosen
        assert all(value <= values[-1] for value in left)
    if len(chosen) < width:
        assert all(value <= ALSO_ROUTED_ABOVE for value in left)
