from __future__ import annotations

from collections.abc import Mapping

import pytest

from deskroom.engine.setup import Seat
from deskroom.errors import RoomFailure
from deskroom.room.router import ScriptedRouter, check_scores, lexical

SEATS = (
    Seat(id="prover", name="Prover", role="proves lemmas", brief="Number theory and lattices."),
    Seat(id="coder", role="writes Rust"),
    Seat(id="clerk"),
)


@pytest.mark.anyio
async def test_the_lexical_router_scores_the_share_of_words_that_a_seat_is_described_by() -> None:
    """Two of four words are the prover's, one is the coder's, none the clerk's."""
    scores = await lexical("PROVER: lattices in rust today", SEATS)
    assert {"prover": 0.5, "coder": 0.25, "clerk": 0.0} == scores


@pytest.mark.anyio
@pytest.mark.parametrize("message", ["", "a to it", "!?", "日本"])
async def test_a_message_without_a_word_of_three_letters_scores_nobody(message: str) -> None:
    """Short words and marks say nothing about whom a message suits."""
    assert {"prover": 0.0, "coder": 0.0, "clerk": 0.0} == await lexical(message, SEATS)


@pytest.mark.anyio
async def test_the_lexical_router_reads_any_script() -> None:
    """Words are runs of letters and digits of any script, compared without case."""
    seat = Seat(id="übersetzer", role="ÜBERSETZT деревья")
    assert {"übersetzer": 1.0} == await lexical("Деревья übersetzt", [seat])


@pytest.mark.anyio
async def test_a_scripted_router_gives_its_mappings_in_turn_and_then_nothing() -> None:
    """Each broadcast takes the next mapping; after the last, nobody has a score."""
    router = ScriptedRouter([{"coder": 0.9}, {"clerk": 0.3}])
    asked = [await router("any", SEATS) for _ in range(3)]
    assert [{"coder": 0.9}, {"clerk": 0.3}, {}] == asked


def test_scores_that_make_sense_are_taken_as_floats() -> None:
    """Whole numbers and floats are scores; a candidate may be left out."""
    assert {"coder": 1.0, "clerk": -0.5} == check_scores({"coder": 1, "clerk": -0.5}, SEATS)


@pytest.mark.parametrize(
    "scores,problem",
    [
        (None, "the router must return scores by seat id, not NoneType"),
        ([("coder", 1)], "the router must return scores by seat id, not list"),
        ({"codr": 1}, "the router scored 'codr', which is no candidate; did you mean 'coder'?"),
        ({"zzz": 1}, "the router scored 'zzz', which is no candidate"),
        ({7: 1}, "the router scored 7, which is no candidate"),
        ({"coder": True}, "the router scored 'coder' as True, which is no finite number"),
        ({"coder": "1"}, "the router scored 'coder' as '1', which is no finite number"),
        ({"coder": None}, "the router scored 'coder' as None, which is no finite number"),
        ({"coder": float("nan")}, "the router scored 'coder' as nan, which is no finite number"),
        ({"coder": float("inf")}, "the router scored 'coder' as inf, which is no finite number"),
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
    with pytest.raises(RoomFailure, match="is no finite number"):
        check_scores({"coder": 10**400}, SEATS)
