from __future__ import annotations

from collections.abc import Mapping

import pytest

from deskroom.core import DESK, Audience, Author, DispatchPolicy, NoTurn, Row
from deskroom.core.reasons import NoTurnReason, RowKind
from deskroom.engine.entries import RoutedEntry, RowEntry
from deskroom.engine.policy import BroadcastPolicy, Policy
from deskroom.engine.routing import can_reach, candidates, check_scores, route
from deskroom.engine.setup import Seat, Setup
from deskroom.errors import RoomFailure

SEATS = (Seat(id="coder"), Seat(id="clerk"), Seat(id="prover"), Seat(id="old", retired=True))


def setup(**policy: object) -> Setup:
    """Return a desk of three seats that act and one that does not."""
    made = Policy(**policy)  # type: ignore[arg-type]
    return Setup(desk_id="d", desk_name="D", seats=SEATS, people=(), policy=made)


def broadcast(author: str, *members: str) -> RowEntry:
    """Return a broadcast of a seat, to the desk or to some."""
    audience = Audience("aside", members) if members else DESK
    row = Row(4, "d", Author("agent", author), "who?", audience)
    return RowEntry(row, RowKind.SEAT, NoTurn(NoTurnReason.BROADCAST), broadcasting=True)


@pytest.mark.parametrize(
    "row,expected",
    [
        (broadcast("coder"), ["clerk", "prover"]),
        (broadcast("prover", "coder"), ["coder"]),
        (broadcast("prover", "prover"), []),
    ],
)
def test_the_candidates_are_the_active_seats_that_may_read_it_but_its_author(
    row: RowEntry, expected: list[str]
) -> None:
    """They come in desk order; where there is none, nobody can be reached."""
    assert expected == [seat.id for seat in candidates(setup(), row.row)]
    assert bool(expected) == can_reach(setup(), row.row, 0)


@pytest.mark.parametrize("hop,reaches", [(0, True), (2, True), (3, False), (9, False)])
def test_at_the_limit_of_hops_nobody_can_be_reached(hop: int, reaches: bool) -> None:
    """A recipient would have the hop after that of the broadcast's turn."""
    made = setup(dispatch=DispatchPolicy(max_hops=3))
    assert reaches == can_reach(made, broadcast("coder").row, hop)


def test_a_routing_keeps_the_score_of_every_candidate_in_desk_order() -> None:
    """A candidate without a score has 0, and the score of anybody else is left out."""
    scores = {"prover": 0.5, "coder": 1.0, "nobody": 2.0}
    expected = RoutedEntry(4, (("clerk", 0.0), ("prover", 0.5)), ("prover",), 3)
    made = setup(broadcast=BroadcastPolicy(width=1))
    assert expected == route(made, broadcast("coder"), scores, 2)


def test_scores_that_make_sense_are_taken_as_floats() -> None:
    """Whole numbers and floats are scores; a candidate may be left out."""
    assert {"coder": 1.0, "clerk": -0.5} == check_scores({"coder": 1, "clerk": -0.5}, SEATS)


@pytest.mark.parametrize(
    "scores,problem",
    [
        (None, "the router must return scores by seat id, not NoneType"),
        ([("coder", 1)], "the router must return scores by seat id, not list"),
        ({"codr": 1}, "the router scored 'codr', which is not a candidate; did you mean 'coder'?"),
        ({"zzz": 1}, "the router scored 'zzz', which is not a candidate"),
        ({7: 1}, "the router scored 7, which is not a candidate"),
        ({"coder": True}, "the router scored 'coder' as True, which is not a finite number"),
        ({"coder": "1"}, "the router scored 'coder' as '1', which is not a finite number"),
        ({"coder": None}, "the router scored 'coder' as None, which is not a finite number"),
        ({"coder": float("nan")}, "the router scored 'coder' as nan, which is not a finite number"),
        ({"coder": float("inf")}, "the router scored 'coder' as inf, which is not a finite number"),
    ],
)
def test_nonsense_of_a_router_is_a_failure_that_says_what_was_wrong(
    scores: Mapping[str, float], problem: str
) -> None:
    """Nothing but finite numbers for candidates is taken, and the nearest candidate is named."""
    with pytest.raises(RoomFailure) as raised:
        check_scores(scores, SEATS)
    assert problem == str(raised.value)


def test_a_score_too_large_for_a_float_is_a_failure_too() -> None:
    """A whole number beyond the floats is refused like infinity."""
    with pytest.raises(RoomFailure, match="is not a finite number"):
        check_scores({"coder": 10**400}, SEATS)
